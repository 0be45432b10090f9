//! Compiled runs of many programs at once, with every input.

use super::program::{PRELUDE, Program};
use ir::DataModel;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// How programs are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// Without optimisation.
    Plain,
    /// Optimised.
    Optimised,
    /// With sanitizers: what C leaves undefined ends the program.
    Sanitized,
}

/// All of them.
pub const BUILDS: [Build; 3] = [Build::Plain, Build::Optimised, Build::Sanitized];

impl Build {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &["-O0"],
            Build::Optimised => &["-O2", "-fno-strict-aliasing"],
            Build::Sanitized => {
                &["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-strict-aliasing"]
            }
        }
    }
}

/// The outcome of all runs of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// A run was stopped by the system or a sanitizer.
    Crashed,
    /// All ended.
    Ended {
        /// Runs that `main` returned from.
        finished: u64,
        /// The number of inputs for which the error was reached.
        failing: u64,
        /// The first of them.
        first: Option<Vec<i64>>,
    },
}

impl Truth {
    /// What is not as the program was made to be.
    pub fn against(&self, program: &Program) -> Option<String> {
        match self {
            Truth::Ended { finished: 1.., failing: 0, .. } if program.failing.is_none() => None,
            Truth::Ended { failing: 1, first, .. } if *first == program.failing => None,
            other => Some(format!("{}: compiled runs: {other:?}", program.title())),
        }
    }
}

/// Compiles the programs into one file in the folder, also for 32 bits, and runs them.
///
/// # Panics
/// If the compiler refuses them.
pub fn run(
    folder: &Path,
    name: &str,
    programs: &[&Program],
    (build, model): (Build, DataModel),
) -> Vec<Truth> {
    let (source, binary) = (folder.join(format!("{name}.c")), folder.join(format!("{name}-{build:?}")));
    std::fs::write(&source, file(programs)).expect("a scratch file can be written");
    let mut cc = Command::new("cc");
    let wide: &[&str] = if model == DataModel::Ilp32 { &["-m32"] } else { &[] };
    cc.args(["-std=gnu11", "-w"]).args(build.flags()).args(wide).arg(&source).arg("-o").arg(&binary);
    let made = cc.output().expect("the C compiler can be started");
    let told = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{}: the compiler refuses it:\n{told}", source.display());
    let mut run = Command::new(&binary);
    run.env("ASAN_OPTIONS", "detect_leaks=0");
    let output = run.output().expect("a compiled program can be started");
    let told = String::from_utf8_lossy(&output.stdout);
    let truths: Vec<Truth> = told.lines().map(truth).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(truths.len(), programs.len(), "the harness tells of each program: {told}\n{errors}");
    let _ = std::fs::remove_file(&binary);
    truths
}

fn truth(line: &str) -> Truth {
    let numbers: Vec<i64> = line.split(' ').filter_map(|w| w.parse().ok()).collect();
    let [_, finished, _, failing, first @ ..] = &numbers[..] else { return Truth::Crashed };
    let first = (*failing > 0).then(|| first.to_vec());
    Truth::Ended { finished: *finished as u64, failing: *failing as u64, first }
}

fn file(programs: &[&Program]) -> String {
    let mut text = PRELUDE.to_owned();
    text.push_str("extern int slam_order(void);\nextern void slam_exit(int);\n#define exit slam_exit\n");
    let mut table = String::from("const struct program programs[] = {\n");
    for (k, program) in programs.iter().enumerate() {
        text.push_str(&program.native(k));
        let list = |values: Vec<i64>| values.iter().map(|v| format!("{v},")).collect::<String>();
        let (low, high) = (program.inputs.iter().map(|i| i.low), program.inputs.iter().map(|i| i.high));
        let (inputs, orders) = (program.inputs.len(), program.orders);
        let (low, high) = (list(low.collect()), list(high.collect()));
        let _ = writeln!(
            table,
            "    {{ main_{k}, save_{k}, restore_{k}, {inputs}, {orders}, {{ {low} }}, {{ {high} }} }},"
        );
    }
    let _ = writeln!(table, "}};\nconst int number_of_programs = {};", programs.len());
    format!("{text}#undef exit\n{HARNESS}\n{table}")
}

const HARNESS: &str = include_str!("harness.c");
