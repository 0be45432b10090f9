//! The solution of a whole program's Horn clauses, as candidates that an induction shows.

use crate::common::program;
use alias::{AliasMode, AliasOracle};
use bmc::Bounds;
use bmc::horn::{Solved, solve};
use bmc::k_induction::prove;
use encoding::IntMode;
use smt::Interrupt;
use std::sync::atomic::AtomicBool;

/// The solution with so much effort, and whether the induction shows all checks by it alone.
fn solved(text: &str, rlimit: u64) -> (Solved, bool) {
    let program = program(text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let mode = IntMode::Math;
    let bounds =
        Bounds { mode, turns: 300, steps: 5_000, rlimit, total: rlimit, stop: &stop, interrupt: &interrupt };
    let solved = solve(&program, &oracle, &bounds);
    let Solved::Candidates(candidates) = &solved else { return (solved, false) };
    let bounds = Bounds { rlimit: 100_000_000, total: 100_000_000, ..bounds };
    let (proved, _) = prove(&program, &oracle, &bounds, 1, candidates, 0);
    let all = proved.is_some_and(|proved| proved.all);
    (solved, all)
}

const ENOUGH: u64 = 20_000_000;

#[test]
fn solutions_are_inductive() {
    let programs = [
        // Two counters, one of which runs ahead, in nested loops.
        "int main(void) { int i = 0, j = 0; while (input()) { i++; j += 2; while (input() && j < 1000) { j++; i++; j++; } }
            assert(j == 2 * i || i < 0 || i > 1000000 || j >= i); return 0; }",
        // A machine with four states.
        "int main(void) { int s = 0, held = 0; while (input()) { if (s == 0) { held++; s = 1; } else if (s == 1) s = input() ? 2 : 3;
            else if (s == 2) s = 3; else { held--; s = 0; } assert(held == 0 || held == 1); assert(s != 0 || held == 0); } return 0; }",
        // What is odd and what is even takes turns.
        "int main(void) { unsigned n = 0; int odd = 0; while (n < 100000) { n++; odd = !odd; } assert(!odd == !(n % 2)); return 0; }",
        // A procedure with a loop of its own is executed in the places of its calls.
        "int g; void add(int n) { while (n > 0) { n--; g++; } } int main(void) { add(3); int a = g; assert(a >= 0); add(4); assert(g >= a);
            return 0; }",
    ];
    for text in programs {
        let (solved, all) = solved(text, ENOUGH);
        assert!(all, "{solved:?} of {text}");
    }
}

#[test]
fn there_is_nothing_to_solve() {
    let programs = [
        ("no loop", "int main(void) { assert(input() > 3); return 0; }"),
        ("an error", "int main(void) { int i = 0; while (input()) i++; assert(i < 5); return 0; }"),
        (
            "recursion",
            "int f(int n) { return n > 0 ? f(n - 1) : 0; } int main(void) { int i = 0; while (i < 9) i++; assert(f(i) == 0); return 0; }",
        ),
    ];
    for (what, text) in programs {
        assert_eq!(solved(text, ENOUGH).0, Solved::Nothing, "{what}");
    }
    let hard = "int main(void) { unsigned x = 0; while (x < 0x0fffffff) { if (x < 0xfff0) x++; else x += 2; } assert(x % 2 == 0); return 0; }";
    assert_eq!(solved(hard, 100_000).0, Solved::GaveUp);
}
