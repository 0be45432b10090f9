//! `slam`: the abstraction-refinement loop over the other crates, its options, logs and reports (002 slides 7
//! and 50 to 55).
//!
//! Architecture invariant: report writers live here and nowhere else; SAFE is said only when the model checker has
//! found no error in a sound abstraction, UNSAFE only when the interpreter has reached the error.

mod certificate;
mod checks;
mod commands;
mod engines;
mod harness;
mod observers;
mod options;
mod prepare;
mod report;
mod results;
mod single_execution;
mod strings;

use crate::options::{Command, Slam};
use cli::process::Sink;
use cli::{Host, Usage};
use commands::{batch, certify, check, dataflow, nullness, replay, run, show};
use std::ffi::OsString;

/// Runs `slam` inside this process: arguments without the program's name; standard output, standard error and the
/// exit code come back. Limits stop the work only where it looks at the stop flag; signals are left alone.
pub fn run(args: &[String]) -> (String, String, i32) {
    let args: Vec<OsString> = std::iter::once("slam".into()).chain(args.iter().map(OsString::from)).collect();
    let (mut out, mut err) = (vec![], vec![]);
    let code = cli::run_on_big_stack(|| run_as(Host::Library, &args, &mut out, &mut err));
    (String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned(), code)
}

/// Runs `slam` with a command line whose first word is the program's name; returns the exit code.
pub fn run_as(host: Host, args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let result = cli::parse::<Slam>(args).and_then(|slam| dispatch(host, slam, args, stdout, stderr));
    result.unwrap_or_else(|usage| usage.tell(stdout, stderr))
}

fn dispatch(
    host: Host,
    slam: Slam,
    args: &[OsString],
    stdout: &mut Sink<'_>,
    stderr: &mut Sink<'_>,
) -> Result<i32, Usage> {
    if slam.version {
        let _ = writeln!(stdout, "slam {}{}", env!("CARGO_PKG_VERSION"), prover(slam.verbose));
        return Ok(0);
    }
    match slam.command {
        None => Err(Usage::mistake("a command is missing, such as `slam check FILE`")),
        Some(Command::Check(options)) => check::run(host, &options, stdout, stderr),
        Some(Command::Batch(options)) => batch::command(host, &options, args, stdout, stderr),
        Some(Command::Certify(options)) => certify::run(host, &options, stdout, stderr),
        Some(Command::Replay(options)) => replay::run(host, &options, stdout, stderr),
        Some(Command::Cmm(options)) => show::cmm(host, &options, stdout, stderr),
        Some(Command::Cfg(options)) => show::cfg(host, &options, stdout, stderr),
        Some(Command::PointsTo(options)) => show::points_to(host, &options, stdout, stderr),
        Some(Command::Nullness(options)) => nullness::command(host, &options, stdout, stderr),
        Some(Command::Dataflow(options)) => dataflow::command(host, &options, stdout, stderr),
        Some(Command::Run(options)) => run::command(host, &options, stdout, stderr),
    }
}

fn prover(verbose: bool) -> String {
    if verbose { format!(" (Z3 {})", smt::version()) } else { String::new() }
}
