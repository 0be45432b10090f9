//! Concurrent programs state by state: against the formulae and the explorer of interleavings.

use crate::concurrent::{reached, replayed};
use base::SourceMap;
use bdd::Biodivine;
use bp::{Dialect, VertexId, parse};
use getafix::explicit::{Limits, Outcome, Search, Unsupported};
use getafix::schedule::Schedule;
use getafix::trace::interleaving;
use getafix::translate::{Question, System};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

const ROWS: u32 = 200_000;

/// The search reaches what is reached with so many switches, in as few as possible, and in a way that is an execution;
/// without a bound it reaches that, too. Nothing where it cannot be done.
pub(crate) fn agree(system: &System, switches: u32, found: &BTreeSet<(usize, VertexId)>) {
    let codes = system.codes.iter().enumerate();
    for (i, goal) in codes.flat_map(|(c, code)| code.cfg.vertices.ids().map(move |v| (c, v))).enumerate() {
        let question = Question { goals: vec![goal], moved: false, switches };
        let Ok(mut search) = Search::new(system, &question) else { return };
        let mut within = |switches| search.by_switches(Limits { switches, rows: ROWS }, &RUN);
        let bounded = within(Some(switches));
        match &bounded {
            Outcome::Reached(schedule) => {
                assert!(
                    found.contains(&goal),
                    "{goal:?} is not reached with {switches} switches: {schedule:?}"
                );
                let least = schedule.threads.len() as u32 - 1;
                assert!(least <= switches, "{goal:?}: {schedule:?}");
                if let Some(fewer) = least.checked_sub(1) {
                    assert_eq!(within(Some(fewer)), Outcome::WithinBound, "{goal:?} with fewer switches");
                }
            }
            other => assert!(!found.contains(&goal), "{goal:?} is reached: {other:?}"),
        }
        let any = search.depth_first(ROWS, &RUN);
        match &any {
            Outcome::Reached(_) => {}
            Outcome::Exhausted | Outcome::Threads => {
                assert!(!found.contains(&goal), "{goal:?} is reached");
                let ordered = search.by_switches(Limits { switches: None, rows: ROWS }, &RUN);
                assert_eq!(ordered, any, "{goal:?} in another order");
            }
            other => panic!("{goal:?}: {other:?}"),
        }
        for outcome in [bounded, any] {
            if let Outcome::Reached(schedule) = outcome
                && i % 3 == 0
            {
                follow(system, &question, &schedule);
            }
        }
    }
}

/// The schedule is that of an execution to the goal.
fn follow(system: &System, question: &Question, schedule: &Schedule) {
    let engine = |vars| Biodivine::new(vars, &RUN);
    let found = interleaving(system, question, schedule, engine).expect("nothing stops it");
    replayed(system, question.goals[0], schedule, found);
}

fn system(text: &str) -> System {
    let file = SourceMap::new().add("p.bp", None);
    let (program, _) = parse(text, file, Dialect::Strict).expect("well-formed");
    let (mut system, _) = getafix::threads::system(&program, "main", 2).expect("supported");
    system.concurrent = true;
    system
}

/// What is said of a label, in both orders.
fn ask(text: &str, label: &str) -> [String; 2] {
    let system = system(text);
    let codes = system.codes.iter().enumerate();
    let goals = codes.flat_map(|(c, code)| code.cfg.find_label(label).into_iter().map(move |v| (c, v)));
    let question = Question { goals: goals.collect(), moved: false, switches: 2 };
    let mut search = Search::new(&system, &question).expect("supported");
    let said = |outcome| match outcome {
        Outcome::Reached(schedule) => format!("reached {:?}", schedule.threads),
        other => format!("{other:?}"),
    };
    let ordered = search.by_switches(Limits { switches: None, rows: ROWS }, &RUN);
    [said(ordered), said(search.depth_first(ROWS, &RUN))]
}

#[test]
fn any_number_of_switches() {
    // Each round of the handshake takes two switches.
    let text = "decl t, a, b; init begin t, a, b := 0, 0, 0; end
        thread p void main() begin while (*) do assume(!t); a, b := a ^ b, !b; t := 1; od end end
        thread q void main() begin while (*) do assume(t); if (a & b) then L: skip; fi t := 0; od end end
        thread r void main() begin if (t & !t) then M: skip; fi end end";
    let [ordered, deep] = ask(text, "L");
    assert_eq!(ordered, "reached [0, 1, 0, 1, 0, 1]");
    assert!(deep.starts_with("reached"), "{deep}");
    assert_eq!(ask(text, "M"), ["Exhausted", "Exhausted"]);
}

#[test]
fn a_state_that_two_threads_come_to() {
    // Either may be the last to set its variable; only p goes on from there without a switch.
    let text = "decl a, b; init begin a, b := 0, 0; end
        thread p void main() begin a := 1; assume(b); L: skip; end end
        thread q void main() begin b := 1; end end";
    assert_eq!(ask(text, "L")[0], "reached [1, 0]");
}

#[test]
fn a_thread_that_stops() {
    // What a thread did before it stops for good can be seen; in an atomic section nobody is left to see it.
    let text = |section: [&str; 2]| {
        format!(
            "decl g; init begin g := 0; end
            thread p void main() begin decl x; x := 0; {} g := 1; assume(x); {} end end
            thread q void main() begin if (g) then L: skip; fi end end",
            section[0], section[1],
        )
    };
    assert_eq!(ask(&text(["", ""]), "L")[0], "reached [0, 1]");
    assert_eq!(ask(&text(["atomic begin", "end"]), "L"), ["Exhausted", "Exhausted"]);
    let round = "decl g; init begin g := 0; end
        thread p void main() begin decl x; g := 1; x := 0; while (!x) do x := 0; od end end
        thread q void main() begin if (g) then L: skip; fi end end";
    assert_eq!(ask(round, "L")[0], "reached [0, 1]");
}

#[test]
fn values_that_nobody_asked_for() {
    // With many variables of any value there are few states; a value that was asked for stays as it is.
    let names: Vec<String> = (0..40).map(|i| format!("a{i}")).collect();
    let text = format!(
        "decl {}; thread p void main() begin decl x, y; if (a7) then skip; if (!a7) then L: skip; fi fi
        x := *; y := x; a8 := y ^ x; end end
        thread q void main() begin decl z; a7 := z; z := a8; if (z) then M: skip; fi end end",
        names.join(", ")
    );
    let said = ask(&text, "L");
    assert_eq!(said[0], "reached [0, 1, 0]");
    assert!(ask(&text, "M")[0].starts_with("reached"));
    let same = "decl a; init begin a := 0; end
        thread p void main() begin decl x, y; x := *; y := x; a := x ^ y; end end
        thread q void main() begin if (a) then M: skip; fi end end";
    assert_eq!(ask(same, "M"), ["Exhausted", "Exhausted"]);
}

#[test]
fn what_a_caller_keeps() {
    // Others run while the call is open; what it gives back, and what it has changed, is what there is behind it.
    let text = |condition: &str| {
        format!(
            "decl g, h; init begin g, h := 0, 0; end
            thread p decl own; void main() begin decl x, y, z; own := 0; x, z := g, 0; y, z := f(x, z);
            if ({condition}) then L: skip; fi end
            bool<2> f(a, b) begin decl x; x := 0; h := 1; x := g; own := a; return (!x | x) & a, b; end end
            thread q void main() begin g := !g; if (h) then M: skip; fi end end"
        )
    };
    assert_eq!(ask(&text("x"), "L")[0], "reached [1, 0]");
    assert_eq!(ask(&text("!x"), "L")[0], "reached [0]");
    assert!(ask(&text("x"), "M")[0].starts_with("reached"));
    assert_eq!(ask(&text("(x != y) | z | (own != x)"), "L"), ["Exhausted", "Exhausted"]);
}

#[test]
fn threads_that_are_started() {
    let once = "decl g; void main() begin decl x; g := 0; x := *; start_thread w(x, *); if (!x & g) then L: skip; fi end
        void w(y, z) begin if (y & z) then g := 1; fi end";
    assert_eq!(ask(once, "L"), ["Exhausted", "Exhausted"]);
    // How many there are in the loop is not known.
    let several = "decl g, h; void main() begin g, h := 0, 0; while (*) do start_thread w(); od if (g & h) then L: skip; fi end
        void w() begin if (g) then h := 1; end_thread; fi g := !g; end";
    assert_eq!(ask(several, "L")[0], "reached [0, 1, 2, 0]");
    let none = several.replace("h := 1;", "h := 0;");
    assert_eq!(ask(&none, "L"), ["Threads", "Threads"]);
}

#[test]
fn what_cannot_be_looked_at() {
    let refused = |text: &str| {
        let question = Question { goals: vec![], moved: false, switches: 2 };
        Search::new(&system(text), &question).err()
    };
    let two = |body: &str, more: &str| {
        format!(
            "decl g; thread p void main() begin {body} end {more} end thread q void main() begin skip; end end"
        )
    };
    assert_eq!(refused(&two("f();", "void f() begin f(); end")), Some(Unsupported::Recursion));
    let constrained = two("f() constrain 'g = g;", "void f() begin skip; end");
    assert_eq!(refused(&constrained), Some(Unsupported::Constrain));
    let names: Vec<String> = (0..65).map(|i| format!("a{i}")).collect();
    assert_eq!(refused(&two(&format!("decl {}; skip;", names.join(", ")), "")), Some(Unsupported::Variables));
    let others = "void main() begin decl x; start_thread goto L; L: x$ := 1; end";
    assert_eq!(refused(others), Some(Unsupported::Others));
    assert_eq!(refused(&two("f();", "void f() begin skip; end")), None);
}

#[test]
fn threads_that_are_started_before_the_first_runs() {
    let text = "decl g; init begin g := 0; start_thread w(1); end
        void main() begin g := 1; M: skip; end
        void w(y) begin if (y & !g) then L: skip; fi if (!y) then N: skip; fi end";
    assert_eq!(ask(text, "L")[0], "reached [0, 1]");
    assert_eq!(ask(text, "N"), ["Exhausted", "Exhausted"]);
    // The schedule tells that the thread was started, so that there is a trace.
    let system = system(text);
    agree(&system, 2, &reached(&system, 2));
    let goal = (0, system.codes[0].cfg.find_label("L")[0]);
    let question = Question { goals: vec![goal], moved: false, switches: 2 };
    let mut search = Search::new(&system, &question).expect("supported");
    let Outcome::Reached(schedule) = search.depth_first(ROWS, &RUN) else { panic!("L is reached") };
    follow(&system, &question, &schedule);
}

#[test]
fn threads_that_are_started_without_end() {
    // In one run: each one of them may be one of those that are looked at.
    let text = "decl g, h; void main() begin decl x; g, h := 0, 0; x := 0;
        atomic begin while (*) do start_thread w(x); x := *; od end end
        void w(y) begin if (y) then g := 1; else h := 1; fi if (g & h) then L: skip; fi end";
    assert!(ask(text, "L")[0].starts_with("reached"));
    let none = text.replace("x := *;", "x := x;");
    assert_eq!(ask(&none, "L"), ["Threads", "Threads"]);
}
