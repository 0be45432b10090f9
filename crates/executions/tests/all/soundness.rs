//! Random C-- programs, run by the interpreter with random inputs, never contradict what was computed.

use crate::common::{Figures, Subject};
use crate::loops;
use alias::AliasMode;
use testing::programs::calls::{Dice, random_program};
use testing::programs::pointers::generate;

/// How many programs are tried; `INVARIANTS_RANDOM_CASES` asks for another number.
fn cases() -> u64 {
    testing::number("INVARIANTS_RANDOM_CASES", 100)
}

fn no_run_contradicts(text: &str, seed: u64, figures: &mut Figures) {
    let program = ir::parse::program(text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let modes = [AliasMode::Das, AliasMode::Andersen];
    let Some(subject) = Subject::new(&program, modes[seed as usize % 2]) else { return };
    for run in 0..8 {
        let complaints =
            subject.run(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (run << 7) ^ 0x55, 2000, figures);
        assert!(complaints.is_empty(), "{text}\n{complaints:#?}");
    }
}

fn dice(seed: u64) -> Dice {
    Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[test]
fn random_programs_with_all_kinds_of_pointers() {
    let mut figures = Figures::default();
    for seed in 1..=cases() {
        let mut dice = dice(seed);
        let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
        no_run_contradicts(&generate(&bytes), seed, &mut figures);
    }
    assert!(figures.facts > 10 * cases() as usize, "{figures:?}");
    assert!(figures.unknown * 20 < figures.facts, "{figures:?}");
}

#[test]
fn random_programs_with_recursion() {
    let mut figures = Figures::default();
    for seed in 1..=cases() {
        no_run_contradicts(&random_program(&mut dice(seed)), seed, &mut figures);
    }
    assert!(figures.facts > 10 * cases() as usize, "{figures:?}");
    assert!(figures.unknown * 20 < figures.facts, "{figures:?}");
}

#[test]
fn random_programs_with_loops_over_integers() {
    let mut figures = Figures::default();
    for seed in 1..=4 * cases() {
        no_run_contradicts(&loops::random_program(&mut dice(seed)), seed, &mut figures);
    }
    assert!(figures.facts > 100 * cases() as usize && figures.checks > cases() as usize, "{figures:?}");
    // Nothing is known of a variable before it was assigned.
    assert!(figures.unknown * 20 < figures.facts, "{figures:?}");
}
