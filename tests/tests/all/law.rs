//! What laws about random programs with loops share: the verdict on each program is compared with what the compiled program does, and
//! what a result says at the heads of loops is executed there.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use testing::Scratch;
use tests::{parallel, slam};

/// What stands at the heads of a program's loops, with the program's seed.
pub(crate) type WithHeads = (u64, Vec<String>);

/// What executions of programs do, in words, by seed.
pub(crate) type Done = BTreeMap<u64, BTreeSet<String>>;

/// Compiles a text and runs it: each line that it prints is a seed and words.
pub(crate) fn executed(text: &str, options: &[&str]) -> Done {
    executed_by(text, options, &[])
}

/// The same, in an environment with these variables.
pub(crate) fn executed_by(text: &str, options: &[&str], variables: &[(&str, &str)]) -> Done {
    let scratch = Scratch::new();
    let (source, binary) = (scratch.file("all.c", text), scratch.path().join("all"));
    let made = Command::new("cc").args(options).arg("-o").args([&binary, &source]).output();
    let made = made.expect("the compiler can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = Command::new(&binary).envs(variables.iter().copied()).output().expect("the program can be run");
    assert!(run.status.success());
    let words = String::from_utf8(run.stdout).expect("words");
    let mut done = Done::new();
    for line in words.lines() {
        let mut words = line.split(' ');
        let seed = words.next().and_then(|seed| seed.parse().ok()).expect("a number comes first");
        done.entry(seed).or_default().extend(words.map(str::to_owned));
    }
    done
}

/// The path as an argument.
pub(crate) fn argument(path: &Path) -> String {
    path.to_str().expect("scratch paths are UTF-8").to_owned()
}

/// The verdict on a program without its place, and what its result says.
pub(crate) fn checked(scratch: &Scratch, text: &str, options: &[&str]) -> (String, Value) {
    let (file, json) = (argument(&scratch.file("a.c", text)), argument(&scratch.path().join("a.json")));
    let run = slam(&[&["check", "--threads", "1", "--json", &json], options, &[&file]].concat());
    let result = std::fs::read_to_string(&json).ok().and_then(|text| serde_json::from_str(&text).ok());
    (run.verdict().split(" at ").next().unwrap_or_default().to_owned(), result.unwrap_or(Value::Null))
}

/// What came of a law.
pub(crate) struct Figures {
    /// How often each verdict was given.
    pub verdicts: BTreeMap<String, usize>,
    /// What results said, in all.
    pub told: usize,
    /// What is wrong.
    pub wrong: Vec<String>,
}

impl Figures {
    /// How many verdicts begin with the word.
    pub(crate) fn of(&self, word: &str) -> u64 {
        self.verdicts.iter().filter(|(v, _)| v.starts_with(word)).map(|(_, n)| *n as u64).sum()
    }
}

/// A program, and what was found out about it.
pub(crate) struct Case<'c> {
    pub seed: u64,
    pub verdict: &'c str,
    /// What its result says at the heads of its loops.
    pub heads: &'c [String],
    /// What its executions do, and what they do with that evaluated.
    pub truth: &'c BTreeSet<String>,
    pub with_heads: &'c BTreeSet<String>,
}

/// Checks the programs, and executes them, `together` at once: unchanged, and with the facts of their results at the
/// heads of loops (from `heads`, with their number; `executed` gets `true` then). `judge` says what is wrong with
/// one.
pub(crate) fn hold(
    (seeds, together): (&[u64], usize),
    checked: impl Fn(u64) -> (String, Value) + Sync,
    heads: impl Fn(u64, &Value) -> (Vec<String>, usize),
    executed: impl Fn(&[WithHeads], bool) -> Done,
    mut judge: impl FnMut(&Case<'_>) -> Option<String>,
) -> Figures {
    let results = parallel(2, seeds.len(), |n| checked(seeds[n]));
    let mut figures = Figures { verdicts: BTreeMap::new(), told: 0, wrong: vec![] };
    let mut told: Vec<WithHeads> = vec![];
    for (seed, (verdict, result)) in seeds.iter().zip(&results) {
        let (heads, found) = heads(*seed, result);
        figures.told += found;
        *figures.verdicts.entry(verdict.clone()).or_default() += 1;
        told.push((*seed, heads));
    }
    for (programs, results) in told.chunks(together).zip(results.chunks(together)) {
        let plain: Vec<WithHeads> =
            programs.iter().map(|(s, heads)| (*s, vec![String::new(); heads.len()])).collect();
        let (truth, with_heads) = (executed(&plain, false), executed(programs, true));
        for ((seed, heads), (verdict, _)) in programs.iter().zip(results) {
            let (truth, with_heads) = (&truth[seed], &with_heads[seed]);
            figures.wrong.extend(judge(&Case { seed: *seed, verdict, heads, truth, with_heads }));
        }
    }
    figures
}
