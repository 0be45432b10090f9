//! Random C-- programs with pointers of all kinds, run by the interpreter with random inputs, never contradict the
//! analysis.

use crate::common::Subject;
use crate::pointers;
use alias::AliasMode;
use testing::programs::calls::{Dice, random_program};
use testing::programs::pointers as generate;

/// How many programs are tried; `DATAFLOW_RANDOM_CASES` asks for another number.
fn cases() -> u64 {
    testing::number("DATAFLOW_RANDOM_CASES", 100)
}

fn no_run_contradicts(text: &str, seed: u64) -> (usize, usize) {
    let program = ir::parse::program(text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let modes = [AliasMode::Das, AliasMode::Andersen];
    let Some(subject) = Subject::new(&program, modes[seed as usize % 2]) else { return (0, 0) };
    let mut compared = 0;
    for run in 0..8 {
        let (complaints, n) = subject.run(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (run << 7) ^ 0x55, 400);
        assert!(complaints.is_empty(), "{text}\n{}\n{complaints:#?}", bp::print(&subject.nullness.program));
        compared += n;
    }
    let said = subject.answers.iter().filter(|[precise, _]| precise.null != precise.other).count();
    (compared, said)
}

#[test]
fn random_programs_with_all_kinds_of_pointers() {
    let (mut compared, mut said) = (0, 0);
    for seed in 1..=cases() {
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
        let (runs, answers) = no_run_contradicts(&generate::generate(&bytes), seed);
        (compared, said) = (compared + runs, said + answers);
    }
    assert!(compared > cases() as usize && said > cases() as usize, "{compared} {said}: not much was tried");
}

#[test]
fn random_programs_about_null() {
    let (mut compared, mut said) = (0, 0);
    for seed in 1..=3 * cases() {
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (runs, answers) = no_run_contradicts(&pointers::random_program(&mut dice), seed);
        (compared, said) = (compared + runs, said + answers);
    }
    assert!(compared > cases() as usize && said > cases() as usize, "{compared} {said}: not much was tried");
}

#[test]
fn random_programs_with_recursion() {
    let (mut compared, mut said) = (0, 0);
    for seed in 1..=cases() {
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (runs, answers) = no_run_contradicts(&random_program(&mut dice), seed);
        (compared, said) = (compared + runs, said + answers);
    }
    assert!(compared > cases() as usize && said > cases() as usize, "{compared} {said}: not much was tried");
}
