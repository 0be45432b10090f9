//! Programs of csmith, run natively and by the interpreter of C--, print the same checksums.
//!
//! Needs `csmith` with its headers, and is skipped where it is absent. `CSMITH_PROGRAMS` says how many
//! programs are tried (a few by default), `CSMITH_SEED` which is the first one. Programs for ILP32 need a compiler
//! that links such programs: `CC32`, or `cc -m32`. A program that disagrees is kept in the test's scratch folder.
//!
//! Where C leaves the order of evaluation open, all orders are tried that can be; a program with too many is read from left to
//! right: csmith writes none whose result depends on it.

use crate::common::{Gap, Shown, interpret};
use cfront::{EvaluationOrder, Options};
use ir::DataModel;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::{Scratch, number};

/// Most steps of one program.
const STEPS: u64 = 50_000_000;

/// The directory of csmith's headers in distributions.
const HEADERS: &str = "/usr/include/csmith";

#[allow(clippy::print_stderr, reason = "a long test prints its figures")]
fn notice(text: &str) {
    eprintln!("{text}");
}

/// Whether the programs compute with floating-point numbers.
#[derive(Clone, Copy)]
enum Floats {
    With,
    Without,
}

impl Floats {
    fn option(self) -> &'static str {
        match self {
            Floats::With => "--float",
            Floats::Without => "--no-float",
        }
    }
}

/// Counts of what happened to the programs.
#[derive(Default)]
struct Figures {
    agree: u64,
    /// The programs among them that were evaluated from left to right alone.
    ordered: u64,
    refused: u64,
    limit: u64,
    endless: u64,
    undefined: u64,
    disagree: Vec<String>,
}

/// The program of this seed; csmith writes a file of its own into the current folder.
fn generate(seed: u64, floats: Floats, scratch: &Scratch) -> PathBuf {
    let made = Command::new("csmith")
        .args([floats.option(), "--seed", &seed.to_string(), "--output", "program.c"])
        .current_dir(scratch.path())
        .output()
        .expect("csmith can be run");
    assert!(made.status.success(), "csmith {} --seed {seed} fails", floats.option());
    scratch.path().join("program.c")
}

fn differ(ours: &Result<Shown, Gap>, theirs: &Shown) -> Option<String> {
    match ours {
        Ok(ours) if ours == theirs => None,
        Ok(ours) => Some(format!("{ours:?}, but compiled {theirs:?}")),
        Err(Gap::Stuck(why)) => Some(why.clone()),
        Err(_) => None,
    }
}

fn try_one(seed: u64, floats: Floats, options: &Options, arguments: &[&str], figures: &mut Figures) {
    let scratch = Scratch::new();
    let file = generate(seed, floats, &scratch);
    let include = format!("-I{HEADERS}");
    let compiler = options.cc.as_str();
    let Some(theirs) =
        crate::common::compiled_by(compiler, &file, &[&[include.as_str()], arguments].concat())
    else {
        figures.endless += 1;
        return;
    };
    let mut ours = interpret(&file, options, STEPS);
    let is_ordered = matches!(ours, Err(Gap::Refused(_)));
    if is_ordered {
        let left = Options { evaluation_order: EvaluationOrder::Left, ..options.clone() };
        ours = interpret(&file, &left, STEPS);
    }
    // csmith converts numbers to integers that are too large for these.
    let conversions = ["-fsanitize=float-cast-overflow", "-fno-sanitize-recover=float-cast-overflow"];
    let sanitized = [&[include.as_str()], &conversions[..], arguments].concat();
    if matches!((floats, &ours), (Floats::With, Err(Gap::Stuck(_))))
        && crate::common::compiled_by(compiler, &file, &sanitized).is_some_and(|shown| shown != theirs)
    {
        figures.undefined += 1;
        return;
    }
    if let Some(how) = differ(&ours, &theirs) {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("csmith-{seed}.c"));
        std::fs::copy(&file, &kept).expect("the program can be kept");
        figures.disagree.push(format!("seed {seed} ({}): {how}", kept.display()));
        return;
    }
    match ours {
        Ok(_) => {
            figures.agree += 1;
            figures.ordered += u64::from(is_ordered);
        }
        Err(Gap::Refused(why)) => {
            figures.refused += 1;
            notice(&format!("seed {seed}: {}", why.lines().take(2).collect::<Vec<_>>().join(" ")));
        }
        Err(_) => figures.limit += 1,
    }
}

fn campaign(floats: Floats, options: &Options, arguments: &[&str]) {
    let known = Command::new("csmith").arg("--version").current_dir(std::env::temp_dir()).output();
    if known.is_err() || !Path::new(HEADERS).is_dir() {
        return testing::skipped("csmith and its headers");
    }
    let options = Options { include_dirs: vec![HEADERS.into()], ..options.clone() };
    let (count, first) = (number("CSMITH_PROGRAMS", 5), number("CSMITH_SEED", 1));
    let mut figures = Figures::default();
    for seed in first..first + count {
        try_one(seed, floats, &options, arguments, &mut figures);
    }
    let Figures { agree, ordered, refused, limit, endless, undefined, disagree } = figures;
    let mut text = format!(
        "csmith {}, {}: {count} programs from seed {first}: {agree} agree ({ordered} from left to right alone), \
         {refused} refused, {limit} past {STEPS} steps, {endless} do not end when compiled, {undefined} undefined, {} disagree",
        floats.option(),
        options.data_model.name(),
        disagree.len()
    );
    disagree.iter().for_each(|d| _ = write!(text, "\n{d}"));
    notice(&text);
    assert!(disagree.is_empty(), "{text}");
    assert!(
        count < 20 || (refused + limit) * 10 <= count,
        "more than a tenth are refused or too long: {text}"
    );
}

#[test]
fn csmith_lp64() {
    campaign(Floats::Without, &Options::default(), &[]);
}

/// In double precision also where C allows more.
#[test]
fn csmith_floats() {
    campaign(Floats::With, &Options::default(), &["-ffp-contract=off"]);
}

#[test]
fn csmith_ilp32() {
    let cc = std::env::var("CC32").unwrap_or_else(|_| "cc".into());
    if !testing::links_32_bits(&cc) {
        return;
    }
    campaign(Floats::Without, &Options { data_model: DataModel::Ilp32, cc, ..Options::default() }, &["-m32"]);
}
