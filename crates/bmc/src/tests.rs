//! Answers when the prover gives up on some of the queries.

use super::{Bounds, Unrolled, unroll_by};
use alias::{AliasMode, AliasOracle};
use encoding::IntMode;
use smt::Interrupt;
use std::sync::atomic::AtomicBool;

/// At most three turns, of which the values do not tell; the check fails behind the third.
fn loop_until(limit: &str) -> String {
    format!(
        r#"model LP64; entry main;
check c0 reach in main "turns";
proc void main(void) {{
  local int n; local int i;
  entry L0; exit L6;
  L0: e0: havoc(n, input "input"); goto L1;
  L1: e1: assume(0 <= n && n * n <= 9); goto L2;
  L2: e2: i = 0; goto L3;
  L3: e3: assume(i < n); goto L4; e4: assume(!(i < n)); goto L5;
  L4: e5: i = i + 1; goto L3;
  L5: e6: check(c0, i < {limit}); goto L6;
  L6:
}}
"#
    )
}

const ENOUGH: u64 = 10_000_000;

/// Unrolled so far, with these limits for the question whether executions go on, whether a check fails where they go further,
/// and where they do not.
fn answer(limit: &str, turns: usize, feasible: u64, beyond: Option<u64>, rlimit: u64) -> Unrolled {
    answer_about(&loop_until(limit), (turns, 1_000), feasible, beyond, rlimit)
}

/// The same about another program, with this limit of edges.
fn answer_about(
    text: &str,
    (turns, steps): (usize, usize),
    feasible: u64,
    beyond: Option<u64>,
    rlimit: u64,
) -> Unrolled {
    let program = ir::parse::program(text).expect("the text is a program");
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let bounds = Bounds {
        // Among bits, questions as small as these are decided without a search.
        mode: IntMode::Math,
        turns,
        steps,
        rlimit,
        total: rlimit,
        stop: &stop,
        interrupt: &interrupt,
    };
    unroll_by(&program, &oracle, &bounds, beyond, feasible, None)
}

#[test]
fn executions_that_may_go_further_are_asked_about_at_the_end() {
    // No question whether executions go on has an answer: the last one decides.
    for beyond in [None, Some(ENOUGH)] {
        assert!(matches!(answer("4", 3, 1, beyond, ENOUGH), Unrolled::Safe(_)), "{beyond:?}");
        assert!(matches!(answer("3", 3, 1, beyond, ENOUGH), Unrolled::Fails(_)), "{beyond:?}");
    }
    // They do go further.
    assert_eq!(answer("4", 2, 1, None, ENOUGH), Unrolled::Undecided);
    assert_eq!(answer("4", 2, 1, Some(ENOUGH), ENOUGH), Unrolled::Beyond);
    assert_eq!(answer("3", 2, 1, Some(ENOUGH), ENOUGH), Unrolled::Beyond);
    assert!(matches!(answer("2", 2, 1, Some(ENOUGH), ENOUGH), Unrolled::Fails(_)));
}

#[test]
fn what_is_too_much_work() {
    // It is known whether executions go further, and nothing of the checks.
    assert_eq!(answer("4", 3, ENOUGH, None, 1), Unrolled::Hard { ends: true });
    assert_eq!(answer("4", 2, ENOUGH, Some(1), ENOUGH), Unrolled::Undecided);
    assert_eq!(answer("4", 2, ENOUGH, None, ENOUGH), Unrolled::Undecided);
    // Neither is known.
    assert_eq!(answer("4", 3, 1, None, 1), Unrolled::Hard { ends: false });
    assert_eq!(answer("4", 3, 1, Some(1), 1), Unrolled::Hard { ends: false });
    // Both at once are asked with the other limit.
    assert!(matches!(answer("4", 3, 1, Some(1), ENOUGH), Unrolled::Safe(_)));
    assert_eq!(answer("4", 2, 1, Some(1), ENOUGH), Unrolled::Undecided);
    // The answers of the prover when it gives up on no question.
    assert!(matches!(answer("4", 3, ENOUGH, None, ENOUGH), Unrolled::Safe(_)));
    assert_eq!(answer("4", 2, ENOUGH, Some(ENOUGH), ENOUGH), Unrolled::Beyond);
}

/// Loops of which the program computes the number of iterations have as many; others have those that are asked for.
#[test]
fn turns_that_are_computed_do_not_count() {
    let text = |first: usize| {
        loop_until("4").replace("e2: i = 0; goto L3;", "e2: i = 0; goto L7;").replace(
            "  L6:\n",
            &format!(
                "  L7: e7: assume(i < {first}); goto L8; e8: assume(!(i < {first})); goto L9;\n  \
                     L8: e9: i = i + 1; goto L7;\n  L9: e10: i = 0; goto L3;\n  L6:\n"
            ),
        )
    };
    let answer = |first, turns, steps| {
        let bounds = (turns, steps);
        answer_about(&text(first), bounds, ENOUGH, Some(ENOUGH), ENOUGH)
    };
    match answer(100, 3, 10_000) {
        Unrolled::Safe(covered) => {
            assert_eq!((covered.turns.values().copied().max(), covered.counted), (Some(100), 3));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(answer(100, 2, 10_000), Unrolled::Beyond);
    // Too many for the effort: as other loops.
    assert_eq!(answer(100, 3, 300), Unrolled::Beyond);
    assert_eq!(answer(100_000, 3, 100_000), Unrolled::Beyond);
}
