//! Deliberate mistakes of the alias oracle are found by the programs that try to mislead: with each of them, the
//! answer about some program is wrong, and without it right.
//!
//! A mistake affects a whole process, so that each is tested in one of its own: this test calls itself.

use alias::faults::{FAULTS, Fault, seed};
use std::path::Path;
use std::process::Command;
use tests::adversary::{Kind, Program, pair};
use tests::{parallel, root, slam};

/// Programs that may be needed to find a mistake.
const PROGRAMS: u64 = 300;

/// Names the mistake, where the test has called itself.
const VARIABLE: &str = "SLAM_TEST_FAULT";

/// Kinds that are tried before others.
fn first_kinds(fault: Fault) -> &'static [Kind] {
    match fault {
        Fault::MembersApart => &[Kind::Parts, Kind::Views, Kind::Unions],
        Fault::OffsetsGoRound => &[Kind::Parts, Kind::Walks, Kind::Blocks],
        Fault::BlocksWriteNothing => &[Kind::Copies, Kind::Calls],
        Fault::BackwardsNowhere => &[Kind::Containers],
        Fault::UnionsApart => &[Kind::Unions],
        Fault::RowsApart => &[Kind::Matrices, Kind::Walks],
        Fault::BlocksApart => &[Kind::Blocks, Kind::Lifetimes],
        Fault::PointedWriteNothing => &[Kind::Calls],
        Fault::ElementsOne => &[Kind::Pointers, Kind::Matrices, Kind::Parts],
        Fault::BytesOfFirst => &[Kind::Copies, Kind::Parts, Kind::Calls],
    }
}

/// Whether the answer is wrong: about the program, or with a certificate that is refused.
fn is_wrong(folder: &Path, program: &Program) -> bool {
    let file = folder.join(format!("{}.c", program.title().replace(' ', "-")));
    std::fs::write(&file, program.text()).expect("a scratch file can be written");
    let name = file.to_str().expect("scratch paths are UTF-8");
    // Statement by statement the oracle is asked most.
    let common = ["check", name, "--certify", "--tune", "without=executions,blocks=statement"];
    let run = slam(&[&common[..], &["--time-limit", "2s", "--threads", "1"]].concat());
    let broken = program.failing.is_some();
    match run.verdict() {
        "SAFE" => broken,
        verdict if verdict.starts_with("UNSAFE") => !broken,
        verdict => !verdict.starts_with("UNKNOWN") && run.stderr.contains("certificate refuted"),
    }
}

/// The title of the first program that shows the mistake.
fn found_by(fault: Fault) -> Option<String> {
    let folder = testing::folder();
    let kinds = first_kinds(fault);
    let mut programs: Vec<Program> = (0..PROGRAMS / 2).flat_map(pair).collect();
    programs.sort_by_key(|p| (!kinds.contains(&p.kind), p.failing.is_none()));
    let shows = |program: &&Program| {
        seed(Some(fault));
        let wrong = is_wrong(&folder, program);
        seed(None);
        wrong && !is_wrong(&folder, program)
    };
    programs.iter().find(shows).map(Program::title)
}

#[test]
#[allow(clippy::print_stdout, reason = "the process that looks at one mistake answers by its output")]
fn each_deliberate_mistake_of_the_oracle_is_found() {
    root();
    if let Ok(name) = std::env::var(VARIABLE) {
        let fault = FAULTS.into_iter().find(|fault| format!("{fault:?}") == name);
        println!("\nFOUND: {}", found_by(fault.expect("the mistake has a name")).unwrap_or_default());
        return;
    }
    let found = parallel(2, FAULTS.len(), |n| in_its_own_process(FAULTS[n]));
    for (fault, found) in FAULTS.iter().zip(&found) {
        println!("{fault:?} is found by {found:?}");
    }
    let missed: Vec<&Fault> =
        FAULTS.iter().zip(&found).filter(|(_, by)| by.is_none()).map(|(fault, _)| fault).collect();
    assert!(missed.is_empty(), "no program shows {missed:?}");
}

fn in_its_own_process(fault: Fault) -> Option<String> {
    let mut own = Command::new(std::env::current_exe().expect("a test has a path"));
    own.args(["--exact", "faults::each_deliberate_mistake_of_the_oracle_is_found", "--nocapture"]);
    let output = own.env(VARIABLE, format!("{fault:?}")).output().expect("a test can be started");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{fault:?}: {told}\n{}", String::from_utf8_lossy(&output.stderr));
    let found = told.lines().find_map(|line| line.strip_prefix("FOUND: "))?;
    (!found.is_empty()).then(|| found.to_owned())
}
