//! Random C programs of two or three threads over small numbers: whether a check fails, threads race or wait for ever is what an
//! explorer of all their schedules says, which takes their turns one access at a time and shares no code with the checker.
//!
//! `THREADS_PROGRAMS=500 cargo test --release -p tests --test all threads_law -- --nocapture` takes that many, and prints how
//! many were answered.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use testing::threads::{Ending, Features, joins, outcome, text, threads};
use testing::{Dice, Scratch};
use tests::slam;

/// Default number of programs.
const PROGRAMS: u64 = 60;

/// What is asked, with the option that asks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Reach,
    Race,
    Deadlock,
}

impl Asked {
    fn name(self) -> &'static str {
        match self {
            Asked::Reach => "reach",
            Asked::Race => "race",
            Asked::Deadlock => "deadlock",
        }
    }
}

fn programs() -> u64 {
    testing::number("THREADS_PROGRAMS", PROGRAMS)
}

/// The verdict on program number `seed`, and whether it is to be UNSAFE; nothing where it checks nothing.
fn asked(asked: Asked, seed: u64, folder: &Scratch) -> Option<(String, bool, String)> {
    let pointers = seed.is_multiple_of(2);
    let features = Features { pointers, locks: asked != Asked::Reach, waits: asked == Asked::Reach };
    let dice = &mut Dice::new(seed);
    let threads = threads(dice, features);
    let ending = if asked == Asked::Deadlock || seed.is_multiple_of(3) {
        joins(dice, features, threads.len())
    } else {
        Ending::Returns
    };
    let found = outcome(&threads, &ending);
    let fails = match asked {
        Asked::Reach => found.fails,
        Asked::Race => found.races,
        Asked::Deadlock => found.deadlocks,
    };
    let source = text(&threads, &ending);
    if asked == Asked::Reach && !source.contains("reach_error();") {
        return None;
    }
    let path = folder.file(&format!("{}_{seed}.c", asked.name()), &source);
    let checks = if asked == Asked::Reach { "reach".to_owned() } else { format!("only:{}", asked.name()) };
    let path = path.display().to_string();
    let run = slam(&["check", "--check", &checks, "--time-limit", "20s", &path]);
    assert_eq!(run.verdict_lines(), 1, "{}\n{}\n{source}", run.stdout, run.stderr);
    Some((run.verdict().split(" at ").next().unwrap_or_default().to_owned(), fails, source))
}

fn law(what: Asked) {
    let (folder, programs) = (Scratch::new(), programs());
    let (mut safe, mut failing) = (0, 0);
    let all = (0..).filter_map(|seed| Some((seed, asked(what, seed, &folder)?)));
    for (seed, (verdict, fails, source)) in all.take(programs as usize) {
        let expected = if fails { format!("UNSAFE({})", what.name()) } else { "SAFE".into() };
        let is_open = verdict.starts_with("UNKNOWN(");
        assert!(is_open || verdict == expected, "seed {seed}: {verdict} and not {expected}:\n{source}");
        safe += u64::from(verdict == "SAFE");
        failing += u64::from(verdict.starts_with("UNSAFE"));
    }
    let open = programs - safe - failing;
    println!("{}: {programs} programs, {safe} SAFE, {failing} UNSAFE, {open} open, 0 wrong", what.name());
    assert!(8 * open <= programs, "{open} of {programs} are open");
    assert!(8 * safe > programs && 20 * failing > programs, "{safe} and {failing} of {programs}");
}

#[test]
fn checks_fail_as_in_some_schedule() {
    law(Asked::Reach);
}

#[test]
fn races_are_those_of_some_schedule() {
    law(Asked::Race);
}

#[test]
fn deadlocks_are_those_of_some_schedule() {
    law(Asked::Deadlock);
}
