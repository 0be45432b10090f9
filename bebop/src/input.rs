//! Reading a boolean program from a file, and the commands `fmt` and `check`, which do nothing else with it.

use base::SourceMap;
use cli::models::{Reading, parse, rendered};
use cli::outputs;
use cli::process::{Sink, tell};
use cli::verdict::{EXIT_INPUT, EXIT_UNSAFE, EXIT_WRITE};
use std::path::PathBuf;

/// Print the program in canonical form
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  bebop fmt old.bp -o new.bp    
  bebop fmt --check new.bp      is it in canonical form already?
Concurrent programs are taken, too. Names are not looked up: see `bebop check`.
Exit codes: 0 done, 10 not in canonical form (--check), 2 bad input, 1 usage, 7 result not written.")]
pub(crate) struct Format {
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write it to this file instead of standard output
    #[arg(short = 'o', long, value_name = "OUT", conflicts_with = "check")]
    output: Option<PathBuf>,
    /// Only report whether the file is in canonical form
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Print errors and warnings about the program, and nothing else
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Concurrent programs are taken, too. Messages are on standard error.
Exit codes: 0 nothing is wrong (there may be warnings), 2 bad input, 1 usage.")]
pub(crate) struct Check {
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
    /// Do not print warnings
    #[arg(short = 'q', long)]
    quiet: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Runs `bebop fmt`; returns the exit code.
pub(crate) fn format(command: &Format, stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let mut sources = SourceMap::new();
    let parsed = match parse(&command.file, &command.reading, &mut sources) {
        Ok(parsed) => parsed,
        Err((messages, _)) => return tell(stderr, &messages, EXIT_INPUT),
    };
    let text = bp::print(&parsed.program);
    if command.check {
        let Some(line) = first_difference(&parsed.text, &text) else { return 0 };
        let message = format!("{}:{line}: not in canonical form\n", command.file.display());
        return tell(stderr, &message, EXIT_UNSAFE);
    }
    let warnings = rendered(&parsed.warnings, &sources);
    match &command.output {
        None => {
            tell(stderr, &warnings, 0);
            tell(stdout, &text, 0)
        }
        Some(path) => match cli::write_atomically(path, text.as_bytes()) {
            Ok(()) => tell(stderr, &warnings, 0),
            Err(e) => tell(stderr, &outputs::message(path, &e), EXIT_WRITE),
        },
    }
}

/// The first line, from 1, in which the texts differ.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.split('\n').zip(b.split('\n')).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

/// Runs `bebop check`; returns the exit code.
pub(crate) fn check(command: &Check, stderr: &mut Sink<'_>) -> i32 {
    let mut sources = SourceMap::new();
    let parsed = match parse(&command.file, &command.reading, &mut sources) {
        Ok(parsed) => parsed,
        Err((messages, _)) => return tell(stderr, &messages, EXIT_INPUT),
    };
    let (mut messages, code) = match bp::check(&parsed.program, Some(&command.entry)) {
        Ok(warnings) => (warnings, 0),
        Err(errors) => (errors, EXIT_INPUT),
    };
    messages.splice(0..0, parsed.warnings);
    messages.retain(|m| !command.quiet || m.severity == base::Severity::Error);
    tell(stderr, &rendered(&messages, &sources), code)
}
