//! Paths of small programs: feasible ones give inputs that replay, infeasible ones predicates that refute them.

use alias::{AliasMode, AliasOracle};
use encoding::IntMode;
use executions::{Replay, replay};
use expect_test::{Expect, expect};
use ir::{EdgeId, HavocKind, LocId, Path, PathStep, ProcId, Program, Type};
use newton::{Options, Outcome, Refiner, path_text};
use predicates::{Precision, Scope};
use smt::Interrupt;
use smt::RLIMIT;
use std::sync::atomic::AtomicBool;

/// `x = input; y = x; while (*) { x++; y++; } check(x == y)`, and a call in between.
pub(crate) const COUNTERS: &str = r#"model LP64; entry start__;
check c0 reach in start__ "x and y differ";
check c1 reach in start__ "x is 7";
proc int next(int n) {
  return int ret__;
  entry L0; exit L1;
  L0: e0: ret__ = n + 1; goto L1;
  L1:
}
proc void start__(void) {
  local int x; local int y;
  entry L0; exit L9;
  L0: e0: havoc(x, input "input"); goto L1;
  L1: e1: y = x; goto L2;
  L2 loop:
    e2: x = next(x); goto L3;
    e3: skip; goto L4;
  L3: e4: y = y + 1; goto L2;
  L4: e5: check(c0, x == y); goto L5;
  L5: e6: check(c1, x != 7); goto L9;
  L6: L7: L8: L9:
}
"#;

/// The same location through a pointer that a callee gets.
pub(crate) const POINTERS: &str = r#"model LP64; entry start__;
check c0 reach in start__ "low above high";
proc void set(int *p, int v) {
  entry L0; exit L1;
  L0: e0: *p = v; goto L1;
  L1:
}
proc void start__(void) {
  local int low; local int high;
  entry L0; exit L4;
  L0: e0: havoc(low, input "input"); goto L1;
  L1: e1: havoc(high, input "input"); goto L2;
  L2: e2: set(&high, low); goto L3;
  L3: e3: check(c0, low <= high); goto L4;
  L4:
}
"#;

fn path(program: &Program, text: &str) -> Path {
    let path = path_text::parse(program, text).expect("the text is a path of the program");
    let printed = path_text::print(program, &path, &[]);
    assert_eq!(path_text::parse(program, &printed), Ok(path.clone()), "the printed path reads back");
    path
}

fn decided<T>(program: &Program, path: &Path, mode: IntMode, then: impl FnOnce(Outcome<'_>) -> T) -> T {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let interrupt = Interrupt::new();
    let options = Options { mode, rlimit: RLIMIT, max_steps: 1000, interrupt: &interrupt };
    then(newton::decide(program, &oracle, path, &options))
}

fn refinement(program: &Program, steps: &str, refiner: Refiner) -> newton::Refinement {
    let path = path(program, steps);
    decided(program, &path, IntMode::Math, |outcome| match outcome {
        Outcome::Refuted(refuted) => refuted.refine(refiner, &Precision::new()),
        _ => panic!("the path is infeasible"),
    })
}

fn texts(program: &Program, refinement: newton::Refinement) -> Vec<String> {
    let text = |d: newton::Discovered| {
        let scope = match d.predicate.scope {
            Scope::Global => "global",
            Scope::Proc(p) => &program.procs[p].name,
        };
        format!("{scope}: {}", d.predicate.text(program))
    };
    refinement.predicates.into_iter().map(text).collect()
}

/// The predicates that a refiner finds, with their scopes.
pub(crate) fn predicates_of(source: &str, steps: &str, refiner: Refiner) -> Vec<String> {
    let program = ir::parse::program(source).expect("the text is a program");
    texts(&program, refinement(&program, steps, refiner))
}

/// The core and the predicates found, one a line.
fn refuted(source: &str, steps: &str, refiner: Refiner, expected: &Expect) {
    let program = ir::parse::program(source).expect("the text is a program");
    let refinement = refinement(&program, steps, refiner);
    let core = format!("steps {:?}", refinement.core);
    let lines = std::iter::once(core).chain(texts(&program, refinement));
    expected.assert_eq(&lines.map(|line| line + "\n").collect::<String>());
}

pub(crate) const ONCE_ROUND: &str =
    "start__ e0\nstart__ e1\nstart__ e2 -> next\nnext e0\nstart__ e2 <- next\nstart__ e4\nstart__ e3\n";

#[test]
fn weakest_preconditions_find_the_relation_that_a_loop_keeps() {
    let steps = format!("{ONCE_ROUND}start__ e5");
    refuted(
        COUNTERS,
        &steps,
        Refiner::Wp,
        &expect![[r#"
            steps [1, 2, 3, 4, 5, 7]
            start__: x == y
            start__: x == (mathint) y + 1
            next: n == (mathint) ret__ - 1
        "#]],
    );
}

/// A contradiction behind many unrelated inputs is reported like one without them.
#[test]
fn cores_are_found_among_many_inputs() {
    let told = |inputs: usize| {
        let others: String = (0..inputs)
            .map(|i| format!("  L{i}: e{i}: havoc(other, input \"input\"); goto L{};\n", i + 1))
            .collect();
        let source = format!(
            "model LP64; entry start__;\ncheck c0 reach in start__ \"x is large\";\nproc void start__(void) {{\n  \
             local int x; local int y; local int z; local int other;\n  entry L0; exit L{end};\n{others}  \
             L{a}: e{a}: havoc(x, input \"input\"); goto L{b};\n  L{b}: e{b}: havoc(z, input \"input\"); goto L{c};\n  \
             L{c}: e{c}: assume(x < 3); goto L{d};\n  L{d}: e{d}: assume(z < 3); goto L{e};\n  \
             L{e}: e{e}: y = x + 1; goto L{f};\n  L{f}: e{f}: check(c0, y < 5); goto L{end};\n  L{end}:\n}}\n",
            a = inputs,
            b = inputs + 1,
            c = inputs + 2,
            d = inputs + 3,
            e = inputs + 4,
            f = inputs + 5,
            end = inputs + 6,
        );
        let steps: String = (0..inputs + 6).map(|i| format!("start__ e{i}\n")).collect();
        let program = ir::parse::program(&source).expect("the text is a program");
        let mut found = refinement(&program, &steps, Refiner::Wp);
        found.core.iter_mut().for_each(|step| *step -= inputs);
        (found.core.clone(), texts(&program, found))
    };
    assert_eq!(told(0), told(200));
    let predicates = ["start__: y <= 4", "start__: x <= 3", "start__: x <= 2"].map(str::to_owned);
    assert_eq!(told(0), (vec![0, 2, 4, 5], predicates.to_vec()));
}

/// Whoever abstracts several statements as one leaves out what is needed only between them, and nothing else.
#[test]
fn predicates_come_with_all_places_where_they_are_needed() {
    let source = r#"model LP64; entry start__;
check c0 reach in start__ "y is large";
proc void start__(void) {
  local int x; local int y; local int other;
  entry L0; exit L6;
  L0: e0: havoc(x, input "input"); goto L1;
  L1: e1: other = 1; goto L2;
  L2: e2: assume(x < 3); goto L3;
  L3: e3: other = 2; goto L4;
  L4: e4: y = x + 1; goto L5;
  L5: e5: check(c0, y < 5); goto L6;
  L6:
}
"#;
    let program = ir::parse::program(source).expect("the text is a program");
    let steps: String = (0..6).map(|i| format!("start__ e{i}\n")).collect();
    let found = refinement(&program, &steps, Refiner::Wp).predicates;
    let lines = found.iter().map(|d| format!("{} before {:?}\n", d.predicate.text(&program), d.places));
    expect![[r#"
        y <= 4 before [5..6]
        x <= 3 before [1..5]
        x <= 2 before [1..3]
    "#]]
    .assert_eq(&lines.collect::<String>());
}

/// A path may be refuted in several ways: each contradiction comes once, without the last condition of those before.
#[test]
fn a_path_has_further_contradictions() {
    let source = r#"model LP64; entry start__;
check c0 reach in start__ "y is large";
proc void start__(void) {
  local int x; local int y;
  entry L0; exit L6;
  L0: e0: havoc(x, input "input"); goto L1;
  L1: e1: havoc(y, input "input"); goto L2;
  L2: e2: assume(x < 3); goto L3;
  L3: e3: assume(y < 3); goto L4;
  L4: e4: assume(x > 5); goto L5;
  L5: e5: check(c0, y < 5); goto L6;
  L6:
}
"#;
    let program = ir::parse::program(source).expect("the text is a program");
    let steps: String = (0..6).map(|i| format!("start__ e{i}\n")).collect();
    let path = path(&program, &steps);
    let cores = decided(&program, &path, IntMode::Math, |outcome| {
        let Outcome::Refuted(mut refuted) = outcome else { panic!("the path is infeasible") };
        let mut cores = vec![];
        loop {
            cores.push(refuted.refine(Refiner::Wp, &Precision::new()).core);
            if !refuted.another() {
                return cores;
            }
        }
    });
    assert_eq!(cores.len(), 2);
    assert!(cores.contains(&vec![0, 2, 4]) && cores.contains(&vec![1, 3, 5]), "{cores:?}");
}

/// A loop of 40 turns with an input in each, and behind it a check; the path leaves the loop after one turn.
fn left_early(check: &str) -> (Program, Path) {
    let source = format!(
        r#"model LP64; entry start__;
check c0 reach in start__ "it fails";
proc void start__(void) {{
  local int i; local int x; local int n;
  entry L0; exit L9;
  L0: e0: havoc(n, input "input"); goto L1;
  L1: e1: i = 0; goto L2;
  L2 loop:
    e2: assume(i < 40); goto L3;
    e3: assume(i >= 40); goto L5;
  L3: e4: havoc(x, input "input"); goto L4;
  L4: e5: i = i + 1; goto L2;
  L5: e6: assume(n > 3); goto L6;
  L6: e7: check(c0, {check}); goto L9;
  L7: L8: L9:
}}
"#
    );
    let program = ir::parse::program(&source).expect("the text is a program");
    let steps: String = [0, 1, 2, 4, 5, 3, 6, 7].iter().map(|i| format!("start__ e{i}\n")).collect();
    let path = path(&program, &steps);
    (program, path)
}

/// What more turns show.
fn past(program: &Program, path: &Path) -> Option<newton::Past> {
    let interrupt = Interrupt::new();
    let options = Options { mode: IntMode::Math, rlimit: RLIMIT, max_steps: 1000, interrupt: &interrupt };
    decided(program, path, IntMode::Math, |outcome| match outcome {
        Outcome::Refuted(refuted) => newton::past_loops(&refuted, &options, &Precision::new()),
        _ => panic!("the path is infeasible"),
    })
}

/// A path that leaves a loop too early is refuted by what refutes the one with all turns, and not by one bound for each.
#[test]
fn paths_are_followed_past_their_loops() {
    let (program, short) = left_early("n > 2");
    let Some(newton::Past::Refuted { path, refinement }) = past(&program, &short) else {
        panic!("the longer path is refuted")
    };
    assert_eq!(path.steps.len(), short.steps.len() + 3 * 39);
    let predicates = texts(&program, refinement);
    assert!(
        !predicates.is_empty() && predicates.iter().all(|p| p.starts_with("start__: n ")),
        "{predicates:?}"
    );
}

/// Where all turns lead to an error, that path has inputs for all of them.
#[test]
fn errors_past_loops_are_found() {
    let (program, short) = left_early("n > 4");
    let Some(newton::Past::Feasible { path, inputs, .. }) = past(&program, &short) else {
        panic!("the longer path is feasible")
    };
    assert_eq!(inputs.values.len(), 41);
    let (limits, stop) = (interp::Limits::default(), AtomicBool::new(false));
    let replayed = replay(&program, &program, &inputs, &path, &limits, &stop);
    assert!(matches!(replayed, Replay::Reached(..)), "the error is replayed");
}

/// The values computed in the iterations themselves do not concern the longer path: it would be refuted by one
/// predicate for each iteration.
#[test]
fn what_the_turns_compute_is_not_followed() {
    let (program, short) = left_early("i == 40");
    assert!(past(&program, &short).is_none());
}

/// What has to hold before each step that matters, for the path to be possible: in the callee, the caller's variables have its
/// name in front.
#[test]
fn refuted_paths_say_what_has_to_hold_between_their_steps() {
    let program = ir::parse::program(COUNTERS).expect("the text is a program");
    let path = path(&program, &format!("{ONCE_ROUND}start__ e5"));
    let lines = decided(&program, &path, IntMode::Math, |outcome| match outcome {
        Outcome::Refuted(refuted) => {
            let text = |needed: newton::Needed| match needed.conditions {
                Some(conditions) => format!("{}: {}\n", needed.step, conditions.join(", ")),
                None => format!("{}: impossible\n", needed.step),
            };
            refuted.explained().into_iter().map(text).collect::<String>()
        }
        _ => panic!("the path is infeasible"),
    });
    expect![[r#"
        1: impossible
        2: x != y
        3: start__::y != n
        4: start__::y != (mathint) ret__ - 1
        5: x != (mathint) y + 1
        7: x != y
    "#]]
    .assert_eq(&lines);
}

#[test]
fn invariants_of_a_loop_refute_every_number_of_turns() {
    let round = "start__ e2 -> next\nnext e0\nstart__ e2 <- next\nstart__ e4\n";
    let turns = |n: usize| format!("start__ e0\nstart__ e1\n{}start__ e3\nstart__ e5", round.repeat(n));
    let program = ir::parse::program(COUNTERS).expect("the text is a program");
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let identity = |n| newton::identity(&program, &oracle, &path(&program, &turns(n)));
    assert_eq!(identity(0), None, "a path without a turn has no loop");
    assert!(identity(1).is_some());
    assert_eq!(identity(1), identity(2));
    assert_eq!(identity(1), identity(5));
    refuted(
        COUNTERS,
        &turns(3),
        Refiner::Loops,
        &expect![[r#"
            steps [15]
            start__: x == y
            start__: x == (mathint) y + 1
            next: n == (mathint) ret__ - 1
        "#]],
    );
}

#[test]
fn strongest_postconditions_speak_of_the_values_at_each_step() {
    let steps = format!("{ONCE_ROUND}start__ e5");
    refuted(
        COUNTERS,
        &steps,
        Refiner::Sp,
        &expect![[r#"
        steps [1, 2, 3, 4, 5, 7]
        start__: x == y
        next: n == (mathint) ret__ - 1
    "#]],
    );
}

#[test]
fn a_callers_variable_is_named_through_the_pointer_that_was_passed() {
    let steps = "start__ e0\nstart__ e1\nstart__ e2 -> set\nset e0\nstart__ e2 <- set\nstart__ e3";
    refuted(
        POINTERS,
        steps,
        Refiner::Wp,
        &expect![[r#"
        steps [2, 3, 5]
        start__: low <= high
        set: v <= *p
    "#]],
    );
}

#[test]
fn a_feasible_path_gives_inputs_that_the_interpreter_confirms() {
    let program = ir::parse::program(COUNTERS).expect("the text is a program");
    let path = path(&program, &format!("{ONCE_ROUND}start__ e5\nstart__ e6"));
    for mode in [IntMode::Math, IntMode::Bits] {
        let (inputs, inexact) = decided(&program, &path, mode, |outcome| match outcome {
            Outcome::Feasible { inputs, inexact } => (inputs, inexact),
            _ => panic!("6 is an input that fails the second check"),
        });
        assert!(inexact.is_empty());
        assert_eq!(inputs.values.iter().map(|i| i.value).collect::<Vec<_>>(), [encoding::InputValue::Int(6)]);
        let stop = AtomicBool::new(false);
        let limits = interp::Limits::default();
        match replay(&program, &program, &inputs, &path, &limits, &stop) {
            Replay::Reached(check, _) => assert_eq!(check.to_string(), "c1"),
            Replay::Diverged { end, .. } => panic!("{end}"),
        }
    }
}

#[test]
fn paths_that_are_none_are_refused_with_their_line() {
    let program = ir::parse::program(COUNTERS).expect("the text is a program");
    let refuse = |text: &str| path_text::parse(&program, text).expect_err("the text is no path");
    assert_eq!(refuse("start__ e1").0, 1);
    assert_eq!(refuse("start__ e0\nstart__ e9").0, 2);
    assert_eq!(refuse("start__ e0\nnowhere e0").0, 2);
    assert_eq!(refuse("start__ e0\nstart__ e1\nstart__ e3").1, "the path does not end at a check");
    assert_eq!(refuse("start__ e0\nstart__ e1\nstart__ e2 -> next\nstart__ e2 <- next").0, 4);
}

/// `copy(n)` returns its argument by going down to zero and adding one on the way back.
pub(crate) const RECURSION: &str = r#"model LP64; entry start__;
check c0 reach in start__ "the copy differs";
proc int copy(int n) {
  local int rest;
  return int ret__;
  entry L0; exit L5;
  L0: e0: assume(n == 0); goto L1; e1: assume(n != 0); goto L2;
  L1: e2: ret__ = 0; goto L5;
  L2: e3: rest = copy(n - 1); goto L3;
  L3: e4: ret__ = rest + 1; goto L5;
  L4: L5:
}
proc void start__(void) {
  local int x; local int y;
  entry L0; exit L3;
  L0: e0: havoc(x, input "input"); goto L1;
  L1: e1: y = copy(x); goto L2;
  L2: e2: check(c0, x == y); goto L3;
  L3:
}
"#;

/// The path through `copy` to this depth.
pub(crate) fn copies(depth: usize) -> String {
    let mut out = "start__ e0\nstart__ e1 -> copy\n".to_owned();
    out += &"copy e1\ncopy e3 -> copy\n".repeat(depth);
    out += "copy e0\ncopy e2\n";
    out += &"copy e3 <- copy\ncopy e4\n".repeat(depth);
    out + "start__ e1 <- copy\nstart__ e2"
}

#[test]
fn a_completed_call_is_one_relation_in_the_tree() {
    refuted(
        RECURSION,
        &copies(1),
        Refiner::Tree,
        &expect![[r#"
            steps [4, 9]
            start__: x == y
            copy: n == ret__
            copy: n == (mathint) rest + 1
            copy: n == 0
        "#]],
    );
}

#[test]
fn folded_procedures_give_summaries_for_every_depth() {
    let program = ir::parse::program(RECURSION).expect("the text is a program");
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let identity = |n| newton::identity(&program, &oracle, &path(&program, &copies(n)));
    assert_ne!(identity(0), identity(1), "the first path has no call inside");
    assert_eq!(identity(1), identity(4));
    refuted(
        RECURSION,
        &copies(2),
        Refiner::Loops,
        &expect![[r#"
            steps [6, 13]
            start__: x == y
            copy: n == ret__
            copy: n == (mathint) rest + 1
            copy: n == 0
        "#]],
    );
}

/// `i = 0; while (i < n) i++; check(i != 1000)` for an input `n`.
const THOUSAND: &str = r#"model LP64; entry start__;
check c0 reach in start__ "a thousand turns";
proc void start__(void) {
  local int n; local int i;
  entry L0; exit L5;
  L0: e0: havoc(n, input "input"); goto L1;
  L1: e1: i = 0; goto L2;
  L2 loop:
    e2: assume(i < n); goto L3;
    e3: assume(!(i < n)); goto L4;
  L3: e4: i = i + 1; goto L2;
  L4: e5: check(c0, i != 1000); goto L5;
  L5:
}
"#;

/// Goes along a path with the values of a near miss, and counts the steps that it shares with the path.
struct Along<'a> {
    path: &'a Path,
    values: &'a [encoding::Input],
    steps: usize,
    shared: usize,
}

impl interp::Inputs for Along<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, _: &HavocKind, _: &Type) -> interp::Value {
        let Some((first, rest)) = self.values.split_first() else { return interp::Value::Int(0) };
        assert_eq!((first.proc, first.edge), (proc, edge), "values come in the path's order");
        self.values = rest;
        match first.value {
            encoding::InputValue::Int(v) => interp::Value::Int(v),
            other => panic!("{other:?} for an integer"),
        }
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        let wanted = |e: &EdgeId| match self.path.steps.get(self.steps) {
            Some(PathStep::Edge(_, next) | PathStep::Enter(_, next, _)) => e == next,
            _ => false,
        };
        enabled.iter().position(wanted).unwrap_or(0)
    }

    fn observe(&mut self, _: &mut interp::State<'_, '_>, step: PathStep) {
        if self.shared == self.steps && self.path.steps.get(self.steps) == Some(&step) {
            self.shared += 1;
        }
        self.steps += 1;
    }
}

/// For each near miss of a refuted path: how many of the path's steps the run with it takes, and how the run ends.
fn near_misses(source: &str, steps: &str) -> Vec<(usize, interp::Outcome)> {
    let program = ir::parse::program(source).expect("the text is a program");
    let path = path(&program, steps);
    let guides = decided(&program, &path, IntMode::Math, |outcome| match outcome {
        Outcome::Refuted(refuted) => refuted.near_miss_inputs(),
        _ => panic!("the path is infeasible"),
    });
    let run = |values: &Vec<encoding::Input>| {
        let mut along = Along { path: &path, values, steps: 0, shared: 0 };
        let limits = interp::Limits::default();
        let run = interp::run(&program, &mut along, &limits, &AtomicBool::new(false));
        (along.shared, run.outcome)
    };
    guides.iter().map(run).collect()
}

#[test]
fn near_misses_of_a_refuted_path_lead_close_to_its_end() {
    // Only the last check is wrong about the path: every input leads to it.
    let misses = near_misses(COUNTERS, &format!("{ONCE_ROUND}start__ e5"));
    assert!(!misses.is_empty());
    for (shared, _) in misses {
        assert_eq!(shared, 8, "the check at the end holds");
    }
}

#[test]
fn a_near_miss_goes_round_a_loop_as_often_as_the_end_wants() {
    let misses =
        near_misses(THOUSAND, "start__ e0\nstart__ e1\nstart__ e2\nstart__ e4\nstart__ e3\nstart__ e5");
    let failing =
        |(_, outcome): &(usize, interp::Outcome)| matches!(outcome, interp::Outcome::CheckFailed(_));
    assert!(misses.iter().any(failing), "{misses:?}");
    assert!(misses.iter().any(|(shared, _)| *shared == 6), "one goes to the check: {misses:?}");
}
