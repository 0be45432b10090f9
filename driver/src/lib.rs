//! `slam`: the abstraction-refinement loop over the other crates, its options, logs and reports (002 slides 7
//! and 50 to 55).
//!
//! Architecture invariant: report writers live here and nowhere else; SAFE is said only when the model checker has
//! found no error in a sound abstraction, UNSAFE only when the interpreter has reached the error.

mod certificate;

mod commands;
mod content;
mod earlier;
mod facts;
mod harness;
mod html;
mod lsp;
mod observers;
mod options;

mod report;
mod sarif;

mod walkthrough;
mod witness;

use crate::options::{Command, Slam};
use anstream::StripStream;
use cli::front::compiler;
use cli::process::Sink;
use cli::{Host, Usage};
use commands::{Console, batch, certify, check, dataflow, nullness, page, replay, rules, run, show};
use std::ffi::OsString;

/// Runs `slam` inside this process: arguments without the program's name; standard output, standard error and the
/// exit code come back. Limits stop the work only where it looks at the stop flag; signals are left alone.
pub fn run(args: &[String]) -> (String, String, i32) {
    let args: Vec<OsString> = std::iter::once("slam".into()).chain(args.iter().map(OsString::from)).collect();
    let (mut out, mut err) = (StripStream::new(vec![]), StripStream::new(vec![]));
    let code = cli::run_on_big_stack(|| run_as(Host::Library, &args, &mut out, &mut err));
    let text = |stream: StripStream<Vec<u8>>| String::from_utf8_lossy(&stream.into_inner()).into_owned();
    (text(out), text(err), code)
}

/// Runs `slam` with a command line whose first word is the program's name; returns the exit code.
pub fn run_as(host: Host, args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let words = options::with_command(args);
    let result = options::refuse_other_files(&words).and_then(|()| options::expanded(&words)).and_then(
        |(words, notes)| {
            let understood = compiler::understand(&words)?;
            let slam = cli::parse::<Slam>(&understood.words)?;
            let _ = stderr.write_all((understood.note() + &notes.concat()).as_bytes());
            dispatch(Console { host, stdout, stderr }, slam, &understood.words)
        },
    );
    result.unwrap_or_else(|usage| usage.tell(stdout, stderr))
}

fn dispatch(console: Console<'_>, slam: Slam, args: &[OsString]) -> Result<i32, Usage> {
    if slam.version {
        let _ = writeln!(console.stdout, "slam {}{}", env!("CARGO_PKG_VERSION"), prover(slam.verbose));
        return Ok(0);
    }
    match slam.command {
        None => Err(Usage::mistake("a command is missing, such as `slam check FILE`")),
        Some(Command::Check(options)) if options.each_function => batch::functions(console, &options, args),
        Some(Command::Check(options)) => match check::rule_words(&options)? {
            Some(words) => batch::rules(console, &options, &words, args),
            None => check::run(console, &options),
        },
        Some(Command::Rules(options)) => rules::run(console, &options),
        Some(Command::Batch(options)) => batch::run(console, &options, args),
        Some(Command::Certify(options)) => certify::run(console, &options),
        Some(Command::Replay(options)) => replay::run(console, &options),
        Some(Command::Lsp(options)) => lsp::run(console, &options),
        Some(Command::Report(options)) => page::run(console, &options),
        Some(Command::Cmm(options)) => {
            show::run(console, &options.show, |front, rules| show::cmm(front, &options, rules))
        }
        Some(Command::Harness(options)) => {
            options.show.front_end.without_rules()?;
            show::run_into(console, &options.show, options.output.as_deref(), |front, _| {
                show::harness(&front, &options.show)
            })
        }
        Some(Command::Cfg(options)) => {
            show::run(console, &options.text.show, |front, rules| show::cfg(front, &options, rules))
        }
        Some(Command::PointsTo(options)) => {
            options.show.front_end.without_rules()?;
            show::run(console, &options.show, |front, _| Ok(show::points_to(&front, &options)))
        }
        Some(Command::Nullness(options)) => nullness::run(console, &options),
        Some(Command::Dataflow(options)) => dataflow::run(console, &options),
        Some(Command::Run(options)) => run::run(console, &options),
    }
}

fn prover(verbose: bool) -> String {
    if verbose { format!(" (Z3 {})", smt::version()) } else { String::new() }
}
