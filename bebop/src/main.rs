//! The `bebop` binary: a boolean program and a question, answered with a trace.

mod answer;
mod input;
mod json;
mod path;
mod states;

use answer::Reply;
use base::{Diagnostic, SourceMap};
use bp::{Cfg, Program};
use clap::ValueEnum;
use cli::models::{self, Asserts, Reading, Refused, rendered};
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_NO_PATH, EXIT_SAFE};
use cli::{Host, Limits, Session, Usage, Verdict, outputs};
use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Most of the time of a short run goes into new memory; this allocator asks the system for it in large pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Reachability in boolean programs.
///
/// Decides whether an assertion can fail or a label can be reached, and shows how: by a shortest trace, in which a call
/// that returns counts as one step.
#[derive(clap::Parser)]
#[command(
    name = "bebop",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  bebop lock.bp                 can an assertion fail?
  bebop fig1.bp --label R       can the statement labelled R be reached?
  bebop lock.bp --all           which labels can be reached, which assertions can fail?
  bebop lock.bp --states        and in which states are loops and labels?
  bebop lock.bp --dot=lock.dot  draw the graph with what was found
  bebop check lock.bp           is the program well-formed?
  bebop fmt lock.bp             print it in canonical form
  bebop lock.bp --path lock.path  write the path to a failing assertion for newton
A file called fmt or check is written ./fmt or ./check.
Exit codes: 0 unreachable, 10 reachable, 5 not known, 2 bad input, 1 usage, 7 result not written; with --path 0 path
written, 3 unreachable."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    limits: Limits,
}

/// What is asked.
#[derive(clap::Args)]
#[command(next_help_heading = "Question")]
struct Question {
    /// Check this label, L or PROCEDURE:L, instead of assertions; can be repeated
    #[arg(long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// Check assertions as well as labels
    #[arg(long, requires = "labels")]
    assertions: bool,
    /// Decide each of them separately; without --label, each label and each assertion
    #[arg(long)]
    all: bool,
    /// Treat assertions as checks, or as assumptions (as Moped and Getafix do)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    asserts: Asserts,
    /// The procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
}

/// What is printed.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct Output {
    /// Print the answer without a trace, and stop as soon as it is known
    #[arg(long)]
    no_trace: bool,
    /// Print the trace from its end to its start
    #[arg(long, conflicts_with = "no_trace")]
    reverse: bool,
    /// Show the steps inside calls that return if the trace has at most N lines with them (0: never)
    #[arg(long, value_name = "N", default_value = "1000", conflicts_with = "no_trace")]
    trace_lines: usize,
    /// With --all: print a trace to each reachable label and assertion
    #[arg(long, requires = "all", conflicts_with = "no_trace")]
    traces: bool,
    /// Print the reachable states at labels, loops and ends of procedures, or at all statements
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "labels")]
    states: Option<Where>,
    /// Print the value of each variable there: 1, 0, or * for both
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "labels")]
    tri: Option<Where>,
    /// Print how the states there depend on the state when the procedure was entered
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "labels")]
    path_edges: Option<Where>,
    /// Print loop invariants and procedure summaries
    #[arg(long)]
    invariants: bool,
    /// Print at most N terms of a set of states
    #[arg(long, value_name = "N", default_value = "64")]
    max_cubes: NonZeroUsize,
    /// Write the control-flow graph with path edges for Graphviz (without FILE: print it instead of the answer)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    dot: Option<PathBuf>,
    /// Write the path to a failing assertion to this file, as steps of the C program for newton; exit code 0 then,
    /// and 3 if there is none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["labels", "all", "no_trace", "asserts",
        "states", "tri", "path_edges", "invariants", "dot"])]
    path: Option<PathBuf>,
    /// Write everything as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the values of dead variables
    #[arg(long)]
    no_live: bool,
    /// Print STAT lines before the verdict
    #[arg(long)]
    stats: bool,
    /// Print the verdict line only
    #[arg(short = 'q', long)]
    quiet: bool,
}

/// Where states are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Where {
    /// At labels, loops and ends of procedures
    Labels,
    /// At all statements
    All,
}

impl Output {
    /// Whether the path of a C program is written.
    fn wants_path(&self) -> bool {
        self.path.is_some()
    }

    /// Whether states are printed, so that all must be known, of all variables.
    fn reports(&self) -> bool {
        let lists = [self.states, self.tri, self.path_edges];
        lists.iter().any(Option::is_some) || self.invariants || self.dot.is_some()
    }
}

#[derive(clap::Subcommand)]
enum Command {
    Fmt(input::Format),
    Check(input::Check),
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let arguments: Arguments = match cli::parse(args) {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    match &arguments.command {
        Some(Command::Fmt(command)) => return input::format(command, stdout, stderr),
        Some(Command::Check(command)) => return input::check(command, stderr),
        None => {}
    }
    if let Err(usage) = sensible(&arguments) {
        return usage.tell(stdout, stderr);
    }
    let output = &arguments.output;
    let outputs = [
        ("--json", output.json.as_deref()),
        ("--dot", output.dot.as_deref()),
        ("--path", output.path.as_deref()),
    ];
    if let Err(usage) = outputs::refuse(&outputs, arguments.file.as_deref()) {
        return usage.tell(stdout, stderr);
    }
    let session = Session::start(Host::Process, &arguments.limits, arguments.output.stats, vec![]);
    if let Some(message) = outputs::unwritable(&outputs) {
        let _ = stderr.write_all(message.as_bytes());
        return session.finish(stdout, "", &Verdict::NotWritten);
    }
    let mut sources = SourceMap::new();
    let mut reply = match read(&arguments, &mut sources) {
        Err((messages, reason)) => {
            let _ = stderr.write_all(messages.as_bytes());
            Reply::only(Verdict::Error(reason.into()))
        }
        Ok((program, cfg, warnings)) => {
            // The process ends soon: to take large graphs apart would only take time.
            let (program, cfg) = (ManuallyDrop::new(program), ManuallyDrop::new(cfg));
            let _ = stderr.write_all(rendered(&warnings, &sources).as_bytes());
            answer::reply(&arguments, &session, &sources, &program, &cfg)
        }
    };
    if let (Some(path), Some(graph)) = (&arguments.output.dot, &reply.graph) {
        session.write_file(path, graph.as_bytes(), stderr);
    }
    if let Some(path) = &arguments.output.path {
        match reply.path.take() {
            Some(Ok(text)) => session.write_file(path, text.as_bytes(), stderr),
            Some(Err(why)) => {
                let _ = stderr.write_all(why.styled(&sources).as_bytes());
                reply = Reply::only(Verdict::Error("no path of a C program".into()));
            }
            None => {}
        }
    }
    if let Some(path) = &arguments.output.json {
        session.write_file(path, json::whole(&arguments, &reply).as_bytes(), stderr);
    }
    let body = if arguments.output.quiet { "" } else { &reply.body };
    let code = session.finish(stdout, body, &reply.verdict);
    assert!(code != EXIT_INPUT || reply.body.is_empty(), "a refused input gets no report");
    if arguments.output.wants_path() { of_path(code, &reply.verdict) } else { code }
}

/// The exit code with `--path`: that the path was written is what was asked for.
fn of_path(code: i32, verdict: &Verdict) -> i32 {
    match verdict {
        Verdict::Reachable(_) if code == verdict.exit_code() => EXIT_SAFE,
        Verdict::Unreachable if code == verdict.exit_code() => EXIT_NO_PATH,
        _ => code,
    }
}

/// What the parser of the command line cannot tell.
fn sensible(arguments: &Arguments) -> Result<(), Usage> {
    let question = &arguments.question;
    if question.asserts == Asserts::Assume {
        if question.assertions {
            return Err(Usage::mistake("--assertions asks for what --asserts=assume assumes"));
        }
        if question.labels.is_empty() && !question.all && !arguments.output.reports() {
            return Err(Usage::mistake("with --asserts=assume nothing is asked; --label or --all is needed"));
        }
    }
    Ok(())
}

type Loaded = (Program, Cfg, Vec<Diagnostic>);

/// The program and its graph.
fn read(arguments: &Arguments, sources: &mut SourceMap) -> Result<Loaded, Refused> {
    let path = arguments.file.as_ref().expect("without a subcommand a file is required");
    let parsed = models::parse(path, &arguments.reading, sources)?;
    let (program, mut warnings) = (parsed.program, parsed.warnings);
    let built = Cfg::build(&program, Some(&arguments.question.entry));
    let (cfg, more) = built.map_err(|errors| (rendered(&errors, sources), "check"))?;
    warnings.extend(more);
    // The loop of `slam check` looks for paths in this form.
    let cfg = if arguments.output.wants_path() { bp::analysis::enforce_at_changes(&cfg) } else { cfg };
    Ok((program, cfg, warnings))
}
