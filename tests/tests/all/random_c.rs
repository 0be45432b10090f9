//! Random C programs: nothing is SAFE that a compiled run contradicts, and each UNSAFE is reached by the compiled
//! program with the inputs that the tool lists.
//!
//! `RANDOM_C_CASES` is the number of programs and `RANDOM_C_FIRST` the first seed; `RANDOM_C_LIMIT` is the time limit
//! of each check in seconds. The figures are printed (`--nocapture`).

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use ir::DataModel;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use testing::number;
use tests::random_c::native::{End, Native, listed_inputs};
use tests::random_c::sketch;
use tests::{Run, binary, parallel};

/// Runs that the values of probes come from.
const PROBED: u64 = 60;

/// Runs that look for an error.
const SEARCHED: u64 = 200;

/// Runs that look for an error in what is said to be safe.
const DOUBTED: u64 = 500;

/// What a program's check and its runs gave.
#[derive(Default)]
struct Figures {
    verdicts: BTreeMap<String, u64>,
    /// Runs that finished, and that trapped.
    finished: u64,
    trapped: u64,
    /// A run fails, but the tool knows of no error.
    unseen: u64,
    wrong: Vec<String>,
}

/// Checks one program and adds to the figures.
fn one(
    (native, model): (&Native, DataModel),
    folder: &Path,
    seed: u64,
    limit: &str,
    figures: &Mutex<Figures>,
) {
    let sketch = sketch(seed);
    let probing = native.compile(&format!("probe{seed}"), &sketch.probing(), sketch.wraps);
    let text = sketch.program(&probing.probe(sketch.probes(), PROBED));
    let compiled = native.compile(&format!("random{seed}"), &text, sketch.wraps);
    let path = |name: String| folder.join(name).to_str().expect("scratch paths are UTF-8").to_owned();
    let (file, json) = (path(format!("random{seed}.c")), path(format!("random{seed}.json")));
    let mut arguments = vec![
        "check",
        &file,
        "--json",
        &json,
        "--time-limit",
        limit,
        "--memory-limit",
        "3GB",
        "--threads",
        "1",
        "--data-model",
        model.name(),
    ];
    if sketch.wraps {
        arguments.push("--signed-overflow=wrap");
    }
    let run = binary("slam", &arguments);
    let verdict = run.verdict().to_owned();
    let safe = verdict == "SAFE";
    let ends = compiled.search(if safe { DOUBTED } else { SEARCHED });
    let wrong = if safe {
        ends.failing.as_ref().map(|inputs| format!("SAFE, but a run fails with {}", inputs.join(" ")))
    } else if verdict.starts_with("UNSAFE") {
        let text = std::fs::read_to_string(&json).expect("there is a result file");
        match listed_inputs(&text) {
            Err(why) => Some(why),
            Ok(inputs) => match compiled.replay(&inputs) {
                End::Error => None,
                End::Other(code) => Some(format!("UNSAFE, but {} ends with {code}", inputs.join(" "))),
            },
        }
    } else {
        (!verdict.starts_with("UNKNOWN")).then(|| format!("{verdict}: {}", told(&run)))
    };
    let mut figures = figures.lock().expect("no test thread has panicked");
    let word = if verdict.starts_with("UNSAFE") { "UNSAFE".into() } else { verdict };
    figures.unseen += u64::from(word != "UNSAFE" && ends.failing.is_some());
    *figures.verdicts.entry(word).or_default() += 1;
    figures.finished += ends.finished;
    figures.trapped += ends.trapped;
    match wrong {
        Some(wrong) => figures.wrong.push(format!("seed {seed} ({file}): {wrong}")),
        None => ["probe", "random"].iter().for_each(|stem| tidy(folder, &format!("{stem}{seed}"))),
    }
}

fn told(run: &Run) -> String {
    run.stderr.lines().take(3).collect::<Vec<_>>().join("; ")
}

/// Removes the files of a program about which everything is well.
fn tidy(folder: &Path, name: &str) {
    if std::env::var_os("RANDOM_C_KEEP").is_none() {
        for file in [name.to_owned(), format!("{name}.c"), format!("{name}.json")] {
            let _ = std::fs::remove_file(folder.join(file));
        }
    }
}

#[test]
fn answers_about_random_programs_hold_in_compiled_runs() {
    campaign(DataModel::Lp64, number("RANDOM_C_CASES", 30));
}

#[test]
fn answers_about_random_programs_of_32_bits_hold_in_compiled_runs() {
    if testing::links_32_bits("cc") {
        campaign(DataModel::Ilp32, number("RANDOM_C_CASES", 30) / 3);
    }
}

fn campaign(model: DataModel, cases: u64) {
    let first = number("RANDOM_C_FIRST", 0);
    let limit = format!("{}s", number("RANDOM_C_LIMIT", 2));
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_c").join(model.name());
    let native = Native::new(&folder, model);
    let figures = Mutex::new(Figures::default());
    parallel(number("RANDOM_C_JOBS", 2) as usize, cases as usize, |n| {
        one((&native, model), &folder, first + n as u64, &limit, &figures);
    });
    let figures = figures.into_inner().expect("no test thread has panicked");
    println!("{cases} programs ({}) from seed {first}: {:?}", model.name(), figures.verdicts);
    println!(
        "{} runs finished, {} trapped; {} errors unseen",
        figures.finished, figures.trapped, figures.unseen
    );
    assert!(figures.wrong.is_empty(), "{}", figures.wrong.join("\n"));
    // A machine that is busy with other tests leaves more of them to the time limit.
    let answered: u64 = figures
        .verdicts
        .iter()
        .filter(|(v, _)| v.starts_with("SAFE") || v.starts_with("UNSAFE"))
        .map(|(_, n)| n)
        .sum();
    assert!(
        10 * answered >= 7 * cases,
        "{answered} of {cases} programs have an answer: {:?}",
        figures.verdicts
    );
}
