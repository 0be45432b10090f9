//! Paths of small programs: feasible ones give inputs that replay, infeasible ones predicates that refute them.

use cmm::analysis::{AliasMode, AliasOracle};
use cmm::{Path, Program};
use expect_test::{Expect, expect};
use newton::{Options, Outcome, RLIMIT, Refiner, Replay, analyze, path_text, replay};
use pred::{IntMode, Precision, Scope};
use smt::Interrupt;
use std::sync::atomic::AtomicBool;

/// `x = input; y = x; while (*) { x++; y++; } check(x == y)`, and a call in between.
const COUNTERS: &str = r#"model LP64; entry start__;
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
const POINTERS: &str = r#"model LP64; entry start__;
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

fn outcome(program: &Program, path: &Path, refiner: Refiner, mode: IntMode) -> Outcome {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let (known, interrupt) = (Precision::new(), Interrupt::new());
    let options =
        Options { mode, rlimit: RLIMIT, refiner, known: &known, max_steps: 1000, interrupt: &interrupt };
    analyze(program, &oracle, path, &options).outcome
}

/// The predicates found, one a line, with their scopes.
fn refuted(source: &str, steps: &str, refiner: Refiner, expected: &Expect) {
    let program = cmm::parse::program(source).expect("the text is a program");
    let path = path(&program, steps);
    let Outcome::Refuted { core, predicates } = outcome(&program, &path, refiner, IntMode::Math) else {
        panic!("the path is infeasible");
    };
    let mut out = format!("steps {core:?}\n");
    for d in predicates {
        let scope = match d.predicate.scope {
            Scope::Global => "global".to_owned(),
            Scope::Proc(p) => program.procs[p].name.clone(),
        };
        out += &format!("{scope}: {}\n", d.predicate.text(&program));
    }
    expected.assert_eq(&out);
}

const ONCE_ROUND: &str =
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

#[test]
fn invariants_of_a_loop_refute_every_number_of_turns() {
    let round = "start__ e2 -> next\nnext e0\nstart__ e2 <- next\nstart__ e4\n";
    let turns = |n: usize| format!("start__ e0\nstart__ e1\n{}start__ e3\nstart__ e5", round.repeat(n));
    let program = cmm::parse::program(COUNTERS).expect("the text is a program");
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
    let program = cmm::parse::program(COUNTERS).expect("the text is a program");
    let path = path(&program, &format!("{ONCE_ROUND}start__ e5\nstart__ e6"));
    for mode in [IntMode::Math, IntMode::Bits] {
        let Outcome::Feasible { inputs, inexact } = outcome(&program, &path, Refiner::Wp, mode) else {
            panic!("6 is an input that fails the second check");
        };
        assert!(inexact.is_empty());
        assert_eq!(inputs.values.iter().map(|i| i.value).collect::<Vec<_>>(), [newton::InputValue::Int(6)]);
        let stop = AtomicBool::new(false);
        let limits = cmm::interp::Limits::default();
        match replay(&program, &inputs, &path, &limits, &stop) {
            Replay::Reached(check, _) => assert_eq!(check.to_string(), "c1"),
            Replay::Diverged(why) => panic!("{why}"),
        }
    }
}

#[test]
fn paths_that_are_none_are_refused_with_their_line() {
    let program = cmm::parse::program(COUNTERS).expect("the text is a program");
    let refuse = |text: &str| path_text::parse(&program, text).expect_err("the text is no path");
    assert_eq!(refuse("start__ e1").0, 1);
    assert_eq!(refuse("start__ e0\nstart__ e9").0, 2);
    assert_eq!(refuse("start__ e0\nnowhere e0").0, 2);
    assert_eq!(refuse("start__ e0\nstart__ e1\nstart__ e3").1, "the path does not end at a check");
    assert_eq!(refuse("start__ e0\nstart__ e1\nstart__ e2 -> next\nstart__ e2 <- next").0, 4);
}
