//! Programs that try to mislead the checker, in pairs: none that holds is UNSAFE, none that is broken is SAFE, and
//! certificates are accepted.
//!
//! `ADVERSARY_CASES` is the number of programs and `ADVERSARY_FIRST` the first seed (a seed makes two programs);
//! `ADVERSARY_LIMIT` is the time limit of each check in seconds, `ADVERSARY_KIND` a kind to look at alone. The figures
//! are printed (`--nocapture`).

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use ir::DataModel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use testing::number;
use tests::adversary::native::{self, BUILDS};
use tests::adversary::{KINDS, Kind, Program, pair};
use tests::{Run, binary, parallel};

/// Programs that are compiled into one file.
const TOGETHER: usize = 60;

/// Of a hundred programs, those that are to be answered, and rightly: a machine that is busy with other tests leaves
/// more of them to the time limit.
const ANSWERED: usize = 80;

/// Runs of the checker that go into making a wrong answer's program smaller.
const SHRINKING: usize = 40;

/// What the checker says about a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Answer {
    Right,
    Unknown,
    Wrong,
    /// SAFE, with a certificate that is refused.
    Refuted,
    /// Anything else, such as a program that is refused.
    Failed,
}

/// Draws this many programs.
fn programs(cases: u64) -> Vec<Program> {
    let first = number("ADVERSARY_FIRST", 0);
    let only = std::env::var("ADVERSARY_KIND").ok();
    let wanted = |kind: Kind| only.as_ref().is_none_or(|only| format!("{kind:?}") == *only);
    let seeds = (first..).filter(|seed| wanted(KINDS[(seed % KINDS.len() as u64) as usize]));
    seeds.take(cases.div_ceil(2) as usize).flat_map(pair).collect()
}

/// How many threads work.
fn jobs() -> usize {
    number("ADVERSARY_JOBS", 2) as usize
}

/// What is not as the programs were made to be, by compiled runs with every input, with the number of the program.
fn contradicted(folder: &Path, programs: &[Program], model: DataModel) -> Vec<(usize, String)> {
    let chunks: Vec<&[Program]> = programs.chunks(TOGETHER).collect();
    let against = parallel(jobs(), chunks.len() * BUILDS.len(), |at| {
        let (chunk, build) = (at / BUILDS.len(), BUILDS[at % BUILDS.len()]);
        let some: Vec<&Program> = chunks[chunk].iter().collect();
        let truths = native::run(folder, &format!("many{chunk}-{build:?}"), &some, (build, model));
        let all = some.iter().zip(&truths).enumerate();
        let against = all.filter_map(|(at, (p, t))| Some((chunk * TOGETHER + at, t.against(p)?)));
        against.map(|(at, why)| (at, format!("{build:?}: {why}"))).collect::<Vec<_>>()
    });
    against.concat()
}

fn ask(folder: &Path, program: &Program, model: DataModel) -> (Answer, Run) {
    let file = folder.join(format!("{}.c", program.title().replace(' ', "-")));
    std::fs::write(&file, program.text()).expect("a scratch file can be written");
    let name = file.to_str().expect("scratch paths are UTF-8");
    let limit = format!("{}s", number("ADVERSARY_LIMIT", 2));
    let limits = ["--time-limit", &limit, "--memory-limit", "2GB", "--threads", "1"];
    let asked = ["check", name, "--certify", "--data-model", model.name()];
    let run = binary("slam", &[&asked[..], &limits].concat());
    let answer = match run.verdict() {
        "SAFE" if program.failing.is_none() => Answer::Right,
        "SAFE" => Answer::Wrong,
        verdict if verdict.starts_with("UNSAFE") && program.failing.is_some() => Answer::Right,
        verdict if verdict.starts_with("UNSAFE") => Answer::Wrong,
        verdict if verdict.starts_with("UNKNOWN") => Answer::Unknown,
        _ if run.stderr.contains("certificate refuted") => Answer::Refuted,
        _ => Answer::Failed,
    };
    let _ = std::fs::remove_file(&file);
    (answer, run)
}

/// A program without statements that the same wrong answer does not need.
fn shrunk(folder: &Path, program: &Program, model: DataModel, answer: Answer) -> Program {
    let mut least = program.clone();
    let mut left = SHRINKING;
    'again: while left > 0 {
        for smaller in least.smaller() {
            left = left.saturating_sub(1);
            if ask(folder, &smaller, model).0 == answer {
                least = smaller;
                continue 'again;
            }
        }
        break;
    }
    least
}

/// How many answers of each sort there are to programs that hold and to broken ones.
type Counts = BTreeMap<(Kind, bool, Answer), usize>;

#[test]
fn programs_that_mislead_are_answered_rightly() {
    let programs = programs(number("ADVERSARY_CASES", 60));
    let contradicted = contradicted(&testing::folder(), &programs, DataModel::Lp64);
    let told: Vec<&str> = contradicted.iter().map(|(_, why)| &**why).collect();
    assert!(told.is_empty(), "{} of {}:\n{}", told.len(), programs.len(), told.join("\n"));
    assert_answered(&answered(&programs, DataModel::Lp64));
}

/// The same programs are also of 32 bits, but for those that are made for a wider `long`.
#[test]
fn programs_of_32_bits_that_mislead_are_answered_rightly() {
    if !testing::links_32_bits("cc") {
        return;
    }
    let mut programs = programs(number("ADVERSARY_CASES", 60) / 3);
    let contradicted = contradicted(&testing::folder(), &programs, DataModel::Ilp32);
    let others: BTreeSet<usize> = contradicted.into_iter().map(|(at, _)| at).collect();
    assert!(2 * others.len() < programs.len(), "{} of {} are others", others.len(), programs.len());
    let mut at = 0..;
    programs.retain(|_| at.next().is_some_and(|at| !others.contains(&at)));
    assert_answered(&answered(&programs, DataModel::Ilp32));
}

/// What the checker says about programs: nothing that is wrong.
fn answered(programs: &[Program], model: DataModel) -> Counts {
    let folder = testing::folder();
    let answers = parallel(jobs(), programs.len(), |at| {
        let program = &programs[at];
        let (answer, run) = ask(&folder, program, model);
        let wrong = !matches!(answer, Answer::Right | Answer::Unknown);
        let told = wrong.then(|| {
            let least = shrunk(&folder, program, model, answer);
            let complaint = run.stderr.lines().next().unwrap_or_default();
            format!("// {}: {answer:?}: {} {complaint}\n{}", program.title(), run.verdict(), least.text())
        });
        (answer, told)
    });
    let mut counts = Counts::default();
    for (program, (answer, _)) in programs.iter().zip(&answers) {
        *counts.entry((program.kind, program.failing.is_none(), *answer)).or_default() += 1;
    }
    print(&counts);
    let wrong: Vec<String> = answers.into_iter().filter_map(|(_, told)| told).collect();
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    counts
}

/// The number of answers about a kind of programs of which `wanted` is true.
fn sum(counts: &Counts, wanted: impl Fn(Kind, bool, Answer) -> bool) -> usize {
    counts.iter().filter(|((kind, holds, answer), _)| wanted(*kind, *holds, *answer)).map(|(_, n)| n).sum()
}

/// Enough programs have an answer, and some programs of each kind, where many were tried: SAFE ones and UNSAFE ones.
fn assert_answered(counts: &Counts) {
    let (all, right) = (sum(counts, |_, _, _| true), sum(counts, |_, _, answer| answer == Answer::Right));
    println!("{right} of {all} answers are right");
    assert!(right * 100 >= ANSWERED * all, "{right} of {all} programs are answered rightly");
    for (kind, holds) in KINDS.iter().flat_map(|kind| [(*kind, true), (*kind, false)]) {
        let tried = sum(counts, |k, h, _| (k, h) == (kind, holds));
        let right = sum(counts, |k, h, answer| (k, h) == (kind, holds) && answer == Answer::Right);
        let twin = if holds { "hold" } else { "are broken" };
        assert!(tried < 15 || right > 0, "{kind:?}: none of {tried} programs that {twin} is answered");
    }
}

fn print(counts: &Counts) {
    for ((kind, holds, answer), n) in counts {
        println!("{kind:?} {} {answer:?} {n}", if *holds { "holds" } else { "broken" });
    }
}
