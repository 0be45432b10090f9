//! The `zing` binary: a program with references, and whether one of its executions can fail.

mod input;
mod report;

use base::SourceMap;
use clap::ValueEnum;
use cli::process::Sink;
use cli::{Host, Limits, Session, Usage, Verdict, outputs};
use std::ffi::OsString;
use std::path::PathBuf;
use zing::Answers;

/// Checks assertions in programs with references, recursion and threads, and in boolean programs.
///
/// Decides whether an assertion can fail, `null` can be dereferenced, a number can leave its range, or a division by
/// zero can happen, and shows how. The language is described in docs/guide/zing.md.
#[derive(clap::Parser)]
#[command(
    name = "zing",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  zing examples/references/fig1.zn           can an execution fail?
  zing fig10.zn --const N=200 --stats        with another constant, and figures
  zing fig10.zn --summaries=none             without procedure summaries
  zing bluetooth.zn --dot trace.dot          draw the heap before each statement of the trace
  zing lock.bp                               can an assertion of a boolean program fail?
  zing fig1.bp --label R                     can the statement labelled R be reached?
  zing fmt old.zn                            print the program in canonical form
Exit codes: 0 no execution fails, 10 one does, 5 not known, 2 bad input, 1 usage, 7 result not written."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The program; a boolean program if the name ends in .bp (`-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,
    #[command(flatten)]
    boolean: input::Boolean,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    limits: Limits,
}

/// How to search.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
struct Search {
    /// What calls are answered by
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    summaries: Summaries,
    /// Explore all interleavings of all statements
    #[arg(long)]
    no_transactions: bool,
    /// Give a constant of the program another value, NAME=NUMBER; can be repeated
    #[arg(long = "const", value_name = "NAME=NUMBER", value_parser = input::constant)]
    constants: Vec<(String, i32)>,
    /// Stop after this many states
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
}

/// What calls are answered by.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Summaries {
    /// No summaries: each call is explored with its stack; recursion need not terminate
    None,
    /// Summaries for the part of the state that the call can see
    Visible,
    /// Summaries for states that agree on the locations that the procedure reads
    #[default]
    Patterns,
}

impl From<Summaries> for Answers {
    fn from(summaries: Summaries) -> Answers {
        match summaries {
            Summaries::None => Answers::None,
            Summaries::Visible => Answers::Visible,
            Summaries::Patterns => Answers::Patterns,
        }
    }
}

/// What is printed.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct Output {
    /// Print the answer without a trace
    #[arg(long)]
    no_trace: bool,
    /// Draw the heap along the trace, as a Graphviz file
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write everything as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print STAT lines before the verdict
    #[arg(long)]
    stats: bool,
    /// Print the verdict line only
    #[arg(short = 'q', long)]
    quiet: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    Fmt(input::Format),
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let arguments: Arguments = match cli::parse(args) {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    if let Some(Command::Fmt(command)) = &arguments.command {
        return input::format(command, stdout, stderr);
    }
    if let Err(usage) = sensible(&arguments) {
        return usage.tell(stdout, stderr);
    }
    let outputs = [("--dot", arguments.output.dot.as_deref()), ("--json", arguments.output.json.as_deref())];
    if let Err(usage) = outputs::refuse(&outputs, arguments.file.as_deref()) {
        return usage.tell(stdout, stderr);
    }
    let session = Session::start(Host::Process, &arguments.limits, arguments.output.stats, vec![]);
    if let Some(message) = outputs::unwritable(&outputs) {
        let _ = stderr.write_all(message.as_bytes());
        return session.finish(stdout, "", &Verdict::NotWritten);
    }
    let mut sources = SourceMap::new();
    let path = arguments.file.as_ref().expect("without a subcommand a file is required");
    let constants = &arguments.search.constants;
    let reply = match input::read(path, constants, &arguments.boolean, &mut sources) {
        Ok((code, warnings)) => {
            let _ = stderr.write_all(warnings.as_bytes());
            report::reply(&arguments, &session, &sources, &code)
        }
        Err((messages, reason)) => {
            let _ = stderr.write_all(messages.as_bytes());
            report::Reply::only(Verdict::Error(reason.into()))
        }
    };
    for (path, text) in report::files(&arguments, &reply) {
        session.write_file(&path, text.as_bytes(), stderr);
    }
    let body = if arguments.output.quiet { "" } else { &reply.body };
    session.finish(stdout, body, &reply.verdict)
}

/// What the parser of the command line cannot tell.
fn sensible(arguments: &Arguments) -> Result<(), Usage> {
    let is_boolean = arguments.file.as_ref().is_some_and(|f| input::is_boolean(f));
    if !is_boolean && arguments.boolean.is_used() {
        return Err(Usage::mistake("--label and --entry are about boolean programs (.bp)"));
    }
    if is_boolean && !arguments.search.constants.is_empty() {
        return Err(Usage::mistake("boolean programs have no constants"));
    }
    Ok(())
}
