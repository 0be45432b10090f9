//! The formula for bounded context switching against the explorer, on random concurrent programs.

use crate::explicit;
use crate::explorer::{explore, replay};
use crate::sequential::cases;
use crate::support::holds;
use base::SourceMap;
use bdd::{Biodivine, Engine};
use bp::random::{Choices, Shape, concurrent};
use bp::{Dialect, VertexId, parse, print};
use getafix::eval::{Evaluator, Options};
use getafix::formulae::{ALL_THREADS, BOUNDED_CONTEXT_SWITCH};
use getafix::prelude::Model;
use getafix::schedule::{Explained, Schedule, schedule};
use getafix::trace::interleaving;
use getafix::translate::{Question, System, Translation, World};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// The vertices that the formula reaches, with the numbers of their codes.
pub(crate) fn reached(system: &System, switches: u32) -> BTreeSet<(usize, VertexId)> {
    let model = Translation::new(system, Question { goals: vec![], moved: false, switches });
    let mut sources = SourceMap::new();
    let formula = getafix::formulae::formula(BOUNDED_CONTEXT_SWITCH.text, "f", &mut sources, &model);
    let formula = formula.unwrap_or_else(|e| panic!("{}", e[0].render(&sources)));
    let prelude = model.prelude();
    let mut evaluator =
        Evaluator::new(&formula, &model, &prelude, Options::default(), |vars| Biodivine::new(vars, &RUN))
            .expect("few variables");
    let found = evaluator.run(&mut |_| {}).expect("nothing stops it");
    let (top, value) = found.top.expect("the query speaks of one relation");
    let pc = formula.parameter(top, getafix::ir::Role::Now).expect("a parameter has the role")[0];
    let bits = evaluator.vars(pc).to_vec();
    let mut out = BTreeSet::new();
    for (c, code) in system.codes.iter().enumerate() {
        for vertex in code.cfg.vertices.ids() {
            let pc = model.pc(c, vertex);
            let values: Vec<_> = bits.iter().enumerate().map(|(i, var)| (*var, pc >> i & 1 == 1)).collect();
            let rest = evaluator.engine.restrict(&value, &values);
            if !evaluator.engine.is_zero(&rest) {
                out.insert((c, vertex));
            }
        }
    }
    out
}

/// Compares on one program; whether it could be done.
fn compare(text: &str, switches: u32) -> bool {
    let mut sources = SourceMap::new();
    let file = sources.add("p.bp", Some(text.into()));
    let Ok((program, _)) = parse(text, file, Dialect::Strict) else { return false };
    let Ok((mut system, _)) = bp::threads::system(&program, "main", switches) else { return false };
    system.concurrent = true;
    let most = if system.all_count { 4_000 } else { 40_000 };
    let Some(explored) = explore(&system, switches, 3, most) else { return false };
    if system.all_count {
        // What is said of other threads has a meaning in states of all threads only.
        all_threads(&system, switches, &explored.reached);
        return explored.complete;
    }
    let found = reached(&system, switches);
    for place in &explored.reached {
        assert!(found.contains(place), "{place:?} is reached, and the formula does not say so");
    }
    if explored.complete {
        assert_eq!(found, explored.reached);
    }
    compact(&system, switches, &found);
    all_threads(&system, switches, &found);
    explicit::agree(&system, switches, &found);
    for goal in found.iter().step_by(found.len().div_ceil(4).max(1)) {
        follow(&system, *goal, switches);
    }
    true
}

/// Whether the labels are reached.
fn labels<const N: usize>(text: &str, switches: u32, labels: [&str; N]) -> [bool; N] {
    let file = SourceMap::new().add("p.bp", None);
    let (program, _) = parse(text, file, Dialect::Strict).expect("well-formed");
    let (system, _) = bp::threads::system(&program, "main", switches).expect("supported");
    let found = reached(&system, switches);
    let of = |label: &str, (c, v): &(usize, VertexId)| system.codes[*c].cfg.find_label(label).contains(v);
    labels.map(|label| found.iter().any(|place| of(label, place)))
}

/// The trace to a goal is an execution.
fn follow(system: &System, goal: (usize, VertexId), switches: u32) {
    let question = Question { goals: vec![goal], moved: false, switches };
    let model = Translation::compact(system, question.clone());
    let formula = getafix::formulae::formula(BOUNDED_CONTEXT_SWITCH.text, "f", &mut SourceMap::new(), &model);
    let formula = formula.expect("the formula files of the program are well-formed");
    let prelude = model.prelude();
    let engine = |vars| Biodivine::new(vars, &RUN);
    let mut evaluator =
        Evaluator::new(&formula, &model, &prelude, Options::default(), engine).expect("few variables");
    let found = evaluator.run(&mut |_| {}).expect("nothing stops it");
    assert!(found.holds, "{goal:?} is reached");
    let (top, value) = found.top.expect("the query speaks of one relation");
    let schedule =
        schedule(&model, &mut evaluator, (top, &value)).expect("a goal that is reached has a schedule");
    let found = interleaving(system, &question, &schedule, engine).expect("nothing stops it");
    replayed(system, goal, &schedule, found);
}

/// Whether the trace is an execution to the goal.
pub(crate) fn replayed(
    system: &System,
    goal: (usize, VertexId),
    schedule: &Schedule,
    found: Option<getafix::trace::Interleaving>,
) {
    let trace = found.unwrap_or_else(|| panic!("{goal:?} has a trace along {schedule:?}"));
    replay(system, &trace).unwrap_or_else(|e| panic!("{goal:?}: {e}\n{schedule:?}\n{trace:#?}"));
    let last = &trace.runs[*trace.contexts.last().expect("there is a context")];
    assert_eq!((system.threads[last.thread].code, last.trace.target), goal);
}

/// A translation that leaves out what does not matter for a goal reaches the same goals.
fn compact(system: &System, switches: u32, found: &BTreeSet<(usize, VertexId)>) {
    let all: Vec<(usize, VertexId)> = (system.codes.iter().enumerate())
        .flat_map(|(c, code)| code.cfg.vertices.ids().map(move |v| (c, v)))
        .collect();
    for goal in all.iter().rev().step_by(all.len().div_ceil(12)) {
        let question = Question { goals: vec![*goal], moved: false, switches };
        let engine = |vars| Biodivine::new(vars, &RUN);
        let holds = holds(system, question, BOUNDED_CONTEXT_SWITCH.text, engine);
        assert_eq!(holds, found.contains(goal), "{goal:?}");
    }
}

/// States of all threads at once reach the same goals, and the schedules found are those of executions; nothing where
/// threads recurse.
fn all_threads(system: &System, switches: u32, found: &BTreeSet<(usize, VertexId)>) {
    let all: Vec<(usize, VertexId)> = (system.codes.iter().enumerate())
        .flat_map(|(c, code)| code.cfg.vertices.ids().map(move |v| (c, v)))
        .collect();
    let reached = found.iter().step_by(found.len().div_ceil(3).max(1));
    for (i, goal) in all.iter().rev().step_by(all.len().div_ceil(8)).chain(reached).enumerate() {
        let question = Question { goals: vec![*goal], moved: false, switches };
        let translation = match i % 3 {
            0 => Translation::new(system, question.clone()),
            _ => Translation::compact_for_world(system, question.clone()),
        };
        let Some(world) = World::new(&translation) else { return };
        let formula = getafix::formulae::formula(ALL_THREADS.text, "f", &mut SourceMap::new(), &world);
        let formula = formula.expect("the formula files of the program are well-formed");
        let (prelude, options) = (world.prelude(), Options { rings: true, ..Options::default() });
        let engine = |vars| Biodivine::new(vars, &RUN);
        let mut evaluator =
            Evaluator::new(&formula, &world, &prelude, options, engine).expect("few variables");
        let answer = evaluator.run(&mut |_| {}).expect("nothing stops it");
        assert_eq!(answer.holds, found.contains(goal), "{goal:?} by states of all threads");
        if answer.holds {
            let schedule = world.schedule(&mut evaluator, &answer).expect("the rings lead to the beginning");
            if system.all_count {
                continue;
            }
            let found = interleaving(system, &question, &schedule, engine).expect("nothing stops it");
            replayed(system, *goal, &schedule, found);
        }
    }
}

#[test]
fn sections_in_the_form_of_getafix() {
    // Between the two assignments nobody else runs, also where the procedure called has its own variables.
    let text = "decl atomic, a, b; void init() begin a, b := F, F; endinit: skip; end
        void t1() begin decl at; at := F; atomic, at := T, T; a := T; f(); b := T; atomic, at := F, F; a := F; end
        void f() begin decl x; x := a; a := x; end
        void t2() begin decl atomic; if (a & !b) then M: skip; fi atomic := T; if (!a & b) then N: skip; fi L: skip; end";
    assert!(compare(text, 3));
    assert_eq!(labels(text, 3, ["M", "N"]), [false, true]);
    let odd = "decl atomic, a; void init() begin a := F; endinit: skip; end void t() begin atomic := a; end";
    let program = parse(odd, SourceMap::new().add("p.bp", None), Dialect::Strict).expect("well-formed").0;
    let refused = bp::threads::system(&program, "main", 1).expect_err("the value is no constant");
    assert!(refused[0].message.contains("other values are not supported"), "{}", refused[0].message);
}

#[test]
fn calls_before_the_threads() {
    // No thread runs while init calls, also where others call the same.
    let block = "decl a, b; init begin a, b := 0, 0; b := up(); end
        void main() begin start_thread w(); if (b) then L: skip; fi b := up(); end
        bool up() begin a := 1; skip; down(); return 1; end void down() begin a := !a; skip; end
        void w() begin if (a & b) then M: skip; fi if (!b) then N: skip; fi end";
    assert!(compare(block, 2));
    assert_eq!(labels(block, 2, ["L", "M", "N"]), [true, true, false]);
    let form = "decl a, b; void init() begin a, b := F, F; f(); b := T; endinit: skip; end
        void f() begin a := T; g(); end void g() begin skip; a := F; end
        void t1() begin if (a | !b) then M: skip; fi L: skip; end void t2() begin skip; end";
    assert!(compare(form, 2));
    assert_eq!(labels(form, 2, ["L", "M"]), [true, false]);
}

#[test]
fn variables_of_other_threads() {
    // What main says is said of the thread that was started, whether it has begun or not.
    let told = "decl g; void main() begin decl x; g := 0; x := 0; start_thread goto W; skip; x$ := 1; goto E;
        W: skip; if (x) then L: skip; else M: skip; fi E: skip; end";
    assert!(compare(told, 3));
    // A constrain holds with each other thread; what it says of the thread alone, without others, too.
    let all =
        "decl g; void main() begin decl x, y; g := 0; x, y := 0, 1; start_thread goto W; start_thread goto V;
        g := * constrain ('g => x$) & y; if (g) then L: skip; fi assume(!x$); M: skip; goto E;
        W: x := 1; goto E; V: x, x$ := !g, x & x$; E: skip; end";
    assert!(compare(all, 2));
    let own = "decl g; void main() begin decl x; g := 0; x := *; x := x$; x := x | g; A: start_thread goto B; goto C;
        B: x, x$ := x$, x; if (x) then L: skip; fi g := !g; C: if (g & x) then M: skip; fi end";
    assert!(compare(own, 2));
    // At its end a thread still has its variables.
    let ended = "decl g; void main() begin decl x, y; g, x, y := 0, 0, 0; start_thread goto E; skip; assume(x$); L: skip;
        E: x := 0; y := * constrain 'y = x$; end";
    assert!(compare(ended, 2));
    for (text, message) in [
        (
            "void main() begin decl x; start_thread goto L; L: if (x$) then skip; fi end",
            "in assignments and assumptions",
        ),
        ("decl g; void main() begin decl x; start_thread goto L; L: g$ := 1; end", "all threads share"),
        ("void main() begin decl x; start_thread f(); x$ := 1; end void f() begin skip; end", "with a call"),
        (
            "void main() begin decl x; start_thread goto L; L: f(); end void f() begin decl y; y$ := 1; end",
            "all threads run only",
        ),
    ] {
        let program =
            parse(text, SourceMap::new().add("p.bp", None), Dialect::Strict).expect("well-formed").0;
        let refused = bp::threads::system(&program, "main", 1).expect_err("not supported");
        assert!(refused[0].message.contains(message), "{}", refused[0].message);
    }
}

#[test]
fn locals_that_shared_variables_are_computed_from() {
    // Nothing of the thread reads b, but the other one does.
    let local = "decl a, b; thread t1 void main() begin decl c; a, b := 0, 0; c := a; skip; b := c; end end
        thread t2 void main() begin if (b) then M: skip; fi end end";
    assert!(compare(local, 2));
    let handed = "decl g; void main() begin decl x, y; g := 0; y := 0; x := y; start_thread w(x); skip; end
        void w(z) begin decl u; u := z; skip; g := u; if (g) then L: skip; fi end";
    assert!(compare(handed, 2));
}

#[test]
fn atomic_sections_and_started_threads() {
    // A thread sees the section's states only before and after it; two threads started in a loop are distinguished.
    let atomic = "decl a, b; thread t1 void main() begin a, b := 0, 0; atomic begin a := 1; f(); b := 1; end
        L: skip; end void f() begin skip; end end
        thread t2 void main() begin if (a ^ b) then M: skip; fi end end";
    assert!(compare(atomic, 3));
    // Leaving the inner section does not end the outer one, whether by its end or by a return; without an outer one
    // it ends its own.
    let nested = "decl a, b; init begin a, b := 0, 0; end
        thread t1 void main() begin atomic begin f(); b := 1; end f(); end
        void f() begin if (*) then atomic begin a := !a; end fi atomic begin if (*) then return; fi a := !a; end end end
        thread t2 void main() begin if (a & !b) then M: skip; fi if (!a & b) then N: skip; fi end end";
    assert!(compare(nested, 3));
    assert_eq!(labels(nested, 3, ["M", "N"]), [false, true]);
    let started =
        "decl g; void main() begin decl x; x := 0; g := 0; while (*) do start_thread w(x); x := 1; od
        if (g) then L: skip; fi end
        void w(y) begin if (y) then g := 1; else assume(0); fi end";
    assert!(compare(started, 2));
    let copied =
        "decl g; void main() begin decl x; x := 0; g := 0; start_thread goto W; x := 1; L: skip; end_thread;
        W: if (x) then M: skip; fi atomic_begin; g := 1; g := 0; atomic_end; goto L; end";
    assert!(compare(copied, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60)))]

    #[test]
    fn formula_and_explorer_agree(
        numbers in prop::collection::vec(any::<u16>(), 0..200),
        switches in 0u32..5,
    ) {
        let shape = Shape { globals: 1, procs: 2, locals: 1, stmts: 3, depth: 1 };
        let p = concurrent(&mut Choices::new(&numbers), shape);
        // What belongs to another thread is not supported.
        let text = print(&p).replace('$', "");
        let result = std::panic::catch_unwind(|| compare(&text, switches));
        prop_assert!(result.is_ok(), "{switches} switches\n{text}");
        prop_assume!(result.unwrap_or(false));
    }
}

proptest! {
    // Many threads are started, so each case has many states.
    #![proptest_config(ProptestConfig::with_cases(cases(12)))]

    #[test]
    fn variables_of_other_threads_as_the_explorer_has_them(
        numbers in prop::collection::vec(any::<u16>(), 40..80),
        switches in 0u32..3,
    ) {
        let text = about_others(&numbers);
        let result = std::panic::catch_unwind(|| compare(&text, switches));
        prop_assert!(result.is_ok(), "{switches} switches\n{text}");
    }
}

/// A program whose threads all run `main`, and mention each other's variables.
fn about_others(numbers: &[u16]) -> String {
    let mut numbers = numbers.iter().cycle().copied();
    let mut next = |n: u16| numbers.next().unwrap_or(0) % n;
    let own = ["x", "y", "!x", "g", "x & !y", "*", "1", "0"];
    let all = ["x$", "!x$", "y$ | x", "x$ & g", "y", "*", "x = y$", "g"];
    let count = 5;
    let mut text =
        "decl g; void main() begin decl x, y; g, x, y := 0, 0, 1; start_thread goto S2;\n".to_owned();
    for i in 0..count {
        let (a, b) = (own[usize::from(next(8))], all[usize::from(next(8))]);
        let to = next(count);
        let stmt = match next(12) {
            0 => format!("x := {a}"),
            1 => format!("x$ := {b}"),
            2 => format!("y, y$ := {a}, {b}"),
            3 => format!("g := {b}"),
            4 => format!("x, y$ := *, {b} constrain ('x => {b}) & ({a} | g)"),
            5 => format!("y := * constrain 'y = ('x$ | {b}) & {a}"),
            6 => format!("assume(({a}) & ({b}))"),
            7 => format!("start_thread goto S{to}"),
            8 => format!("if ({a}) then goto S{to}; fi; g := !g"),
            9 => "atomic_begin; g := 1; g := x; atomic_end".to_owned(),
            10 => "if (g) then end_thread; fi".to_owned(),
            _ => format!("goto S{to}, S{i}"),
        };
        text.push_str(&format!("S{i}: skip; {stmt};\n"));
    }
    text + "end\n"
}
