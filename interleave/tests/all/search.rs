//! Small concurrent programs, and what the search says of them.

use base::SourceMap;
use bp::System;
use bp::{Dialect, parse};
use interleave::{Limits, Outcome, Search, Unsupported};
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

const ROWS: u32 = 200_000;

fn system(text: &str) -> System {
    let file = SourceMap::new().add("p.bp", None);
    let (program, _) = parse(text, file, Dialect::Strict).expect("well-formed");
    let (mut system, _) = bp::threads::system(&program, "main", 2).expect("supported");
    system.concurrent = true;
    system
}

/// What is said of a label, in both orders.
fn ask(text: &str, label: &str) -> [String; 2] {
    let system = system(text);
    let codes = system.codes.iter().enumerate();
    let goals = codes.flat_map(|(c, code)| code.cfg.find_label(label).into_iter().map(move |v| (c, v)));
    let mut search = Search::new(&system, &goals.collect::<Vec<_>>()).expect("supported");
    let said = |outcome| match outcome {
        Outcome::Reached(execution) => format!("reached {:?}", execution.threads),
        other => format!("{other:?}"),
    };
    let ordered = search.by_switches(Limits { switches: None, visits: ROWS }, &RUN);
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
    let refused = |text: &str| Search::new(&system(text), &[]).err();
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
}

#[test]
fn threads_that_are_started_without_end() {
    // In one run: each one of them may be one of those that are examined.
    let text = "decl g, h; void main() begin decl x; g, h := 0, 0; x := 0;
        atomic begin while (*) do start_thread w(x); x := *; od end end
        void w(y) begin if (y) then g := 1; else h := 1; fi if (g & h) then L: skip; fi end";
    assert!(ask(text, "L")[0].starts_with("reached"));
    let none = text.replace("x := *;", "x := x;");
    assert_eq!(ask(&none, "L"), ["Threads", "Threads"]);
}
