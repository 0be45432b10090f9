//! Unrolled programs: what an execution does is covered, and a path that is found is one that the decision about paths takes
//! for feasible as well.

use crate::common::program::{Kind, condition, parsed, random, with_check, without_checks};
use crate::common::random_cases;
use crate::runs::{execute, proc_behind};
use alias::{AliasMode, AliasOracle};
use bmc::{Bounds, Unrolled, unroll};
use encoding::IntMode;
use interp::Outcome;
use ir::{Expr, Program};
use newton::Options;
use smt::Interrupt;
use smt::RLIMIT;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

/// What was tried, and what the answers were.
#[derive(Default, Debug)]
struct Counted {
    programs: usize,
    safe: usize,
    beyond: usize,
    fails: usize,
    gave_up: usize,
    /// Executions that fail a check, which was to be found.
    failing: usize,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.programs += other.programs;
        self.safe += other.safe;
        self.beyond += other.beyond;
        self.fails += other.fails;
        self.gave_up += other.gave_up;
        self.failing += other.failing;
    }
}

fn answer(program: &Program, mode: IntMode, turns: usize) -> Unrolled {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let bounds = Bounds {
        mode,
        turns,
        steps: 3_000,
        rlimit: RLIMIT / 10,
        total: RLIMIT,
        stop: &stop,
        interrupt: &interrupt,
    };
    unroll(program, &oracle, &bounds, Some(bounds.rlimit))
}

/// Checks the answers about a program; `failing` is the number of steps of an execution that fails a check, if there
/// is one.
fn holds(program: &Program, failing: Option<usize>, counted: &mut Counted) {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let math = encoding::integers::choose(program, Some(IntMode::Math)).is_ok();
    for mode in [IntMode::Math, IntMode::Bits].into_iter().skip(usize::from(!math)) {
        for turns in [1, 6] {
            counted.programs += 1;
            counted.failing += usize::from(failing.is_some());
            let text = || ir::print::program(program, None);
            match answer(program, mode, turns) {
                Unrolled::Safe(_) => {
                    assert_eq!(
                        failing,
                        None,
                        "{mode:?} says that no check of this program fails:\n{}",
                        text()
                    );
                    counted.safe += 1;
                }
                Unrolled::Beyond => {
                    // An execution that makes so few steps turns no further.
                    let within = failing.filter(|steps| *steps <= turns);
                    assert_eq!(within, None, "{mode:?}, {turns} turns:\n{}", text());
                    counted.beyond += 1;
                }
                Unrolled::Undecided | Unrolled::Hard { .. } | Unrolled::GaveUp => counted.gave_up += 1,
                Unrolled::Fails(path) => {
                    counted.fails += 1;
                    let interrupt = Interrupt::new();
                    let options = Options { mode, rlimit: RLIMIT, max_steps: 10_000, interrupt: &interrupt };
                    let outcome = newton::decide(program, &oracle, &path, &options);
                    assert!(
                        !matches!(outcome, newton::Outcome::Refuted(_)),
                        "{mode:?}: the path found is infeasible:\n{}\n{}",
                        text(),
                        newton::path_text::print(program, &path, &[])
                    );
                }
            }
        }
    }
}

/// A random program, and the same with a check that one of its executions fails.
fn law(seed: u64) -> Counted {
    let mut counted = Counted::default();
    let mut dice = Dice::new(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let kind = if seed.is_multiple_of(3) { Kind::Pointers } else { Kind::Calls };
    let Some(program) = random(kind, &mut dice) else { return counted };
    let inputs = dice.below(1 << 30) as u64;
    let (run, ended) = execute(&program, inputs, &[]);
    let failing = matches!(ended.outcome, Outcome::CheckFailed(_)).then_some(run.steps.len());
    holds(&program, failing, &mut counted);
    let program = without_checks(program);
    let (first, _) = execute(&program, inputs, &[]);
    if first.steps.is_empty() {
        return counted;
    }
    let n = 1 + dice.below(first.steps.len());
    let p = proc_behind(first.steps[n - 1]);
    let asked = [(n, (0..6).filter_map(|_| condition(kind, &program, p, &mut dice)).collect())];
    let (second, _) = execute(&program, inputs, &asked);
    for note in second.notes {
        let all = note.facts.into_iter().reduce(Expr::and);
        let fails = all.map_or(Expr::int(0), Expr::negated);
        if let Some((program, _)) = with_check(&program, note.at, fails) {
            holds(&program, Some(note.steps + 1), &mut counted);
        }
    }
    counted
}

#[test]
fn executions_are_covered() {
    let counted = random_cases(35, law, Counted::add);
    eprintln!("unrolled: {counted:#?}");
    assert!(counted.safe > 0 && counted.beyond > 0 && counted.fails > 0 && counted.failing > 0);
}

/// A loop of at most three turns, as an input says, around a loop of as many turns as the first has made, which the program computes:
/// three turns are enough, and one less is not.
const NESTED: &str = r#"model LP64; entry main;
check c0 reach in main "sum";
proc void main(void) {
  local int i; local int j; local int n; local int m;
  entry L10; exit L9;
  L10: e11: havoc(m, input "input"); goto L11;
  L11: e12: assume(m <= 3); goto L0;
  L0: e0: i = 0; goto L1;
  L1: e1: n = 0; goto L2;
  L2: e2: assume(i < m); goto L3; e3: assume(!(i < m)); goto L7;
  L3: e4: j = 0; goto L4;
  L4: e5: assume(j < i); goto L5; e6: assume(!(j < i)); goto L6;
  L5: e7: n = n + 1; goto L8;
  L8: e8: j = j + 1; goto L4;
  L6: e9: i = i + 1; goto L2;
  L7: e10: check(c0, n <= 3); goto L9;
  L9:
}
"#;

#[test]
fn loops_are_covered_with_all_their_turns() {
    let program = parsed(NESTED);
    for mode in [IntMode::Math, IntMode::Bits] {
        assert_eq!(answer(&program, mode, 2), Unrolled::Beyond);
        let Unrolled::Safe(covered) = answer(&program, mode, 3) else { panic!("three turns are enough") };
        let turns: Vec<(usize, usize)> =
            covered.turns.iter().map(|((_, head), turns)| (base::Id::index(*head), *turns)).collect();
        assert_eq!(turns, [(2, 3), (4, 2)]);
        assert_eq!(covered.counted, 3);
    }
    let wrong = parsed(&NESTED.replace("n <= 3", "n <= 2"));
    assert!(matches!(answer(&wrong, IntMode::Math, 3), Unrolled::Fails(_)));
    // Nothing is known of what lies beyond.
    assert_eq!(answer(&wrong, IntMode::Math, 2), Unrolled::Beyond);
}

/// Recursion without end is cut, which is noted.
#[test]
fn recursion_is_cut() {
    let text = r#"model LP64; entry main;
check c0 reach in main "never";
proc void f(int n) { entry L0; exit L1; L0: e0: call f(n + 1); goto L1; L1: }
proc void main(void) {
  entry L0; exit L2;
  L0: e0: call f(0); goto L1;
  L1: e1: check(c0, 0); goto L2;
  L2:
}
"#;
    assert_eq!(answer(&parsed(text), IntMode::Bits, 5), Unrolled::Beyond);
}
