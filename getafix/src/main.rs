//! The `getafix` binary: a boolean program, a question and an algorithm that is a formula, answered.

mod answer;
mod explore;
mod reply;
mod slices;

use base::SourceMap;
use bp::Program;
use clap::ValueEnum;
use cli::models::{self, Asserts, Reading, Refused, rendered};
use cli::process::{Sink, tell};
use cli::{Host, Limits, Session, Usage, Verdict};
use getafix::formulae;
use reply::Reply;
use std::ffi::OsString;
use std::path::PathBuf;

/// Results of a decision-diagram package are made and dropped all the time; this allocator keeps their memory at hand.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Model checking of boolean programs by formulae of a fixed-point calculus.
///
/// Decides whether an assertion can fail or a label can be reached, in sequential programs, and in concurrent ones
/// within a number of context switches.
#[derive(clap::Parser)]
#[command(
    name = "getafix",
    version,
    after_help = "\
Examples:
  getafix lock.bp                                   can an assertion fail?
  getafix fig1.bp --label R                         can the statement labelled R be reached?
  getafix fig1.bp --label R --algorithm ef --stats  by the plain entry-forward algorithm, with figures
  getafix driver.bp --label error --context-switches 4
  getafix driver.bp --label error --context-switches any
  getafix --print-formula ef > mine.fp              an algorithm, to be changed
  getafix fig1.bp --label R --formula mine.fp       and run
Exit codes: 0 unreachable, 10 reachable, 5 not known, 2 bad input, 1 usage, 7 result not written."
)]
struct Arguments {
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE", required_unless_present = "print_formula")]
    file: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
    #[command(flatten)]
    search: Search,
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
    /// Treat assertions as checks, or as assumptions (as Moped and the first Getafix do)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    asserts: Asserts,
    /// The procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
}

/// How to search.
#[derive(clap::Args)]
#[command(next_help_heading = "Algorithm")]
struct Search {
    /// Built-in formula file, or `explicit` (default: ef; for concurrent programs explicit, then all-threads, or
    /// bounded-context-switch where a thread recurses)
    #[arg(long, value_name = "NAME", value_enum, conflicts_with = "formula")]
    algorithm: Option<Algorithm>,
    /// Use the formula in this file
    #[arg(long, value_name = "FILE")]
    formula: Option<PathBuf>,
    /// Move the goal to the entry procedure, for formulae that look for it only there
    #[arg(long, requires = "formula")]
    move_goal: bool,
    /// Treat the program as concurrent, and explore executions with at most K context switches: first with none, then
    /// with one, and so on; or with `any` number (default: any, or 2 where that takes too long)
    #[arg(long, value_name = "K", value_parser = switches)]
    context_switches: Option<Switches>,
    /// Stop after N rounds of one computation of a relation
    #[arg(long, value_name = "N", default_value = "1000000")]
    max_rounds: u64,
    /// Compute all values completely, even when the answer is known earlier
    #[arg(long)]
    no_early: bool,
}

/// A bound on context switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Switches {
    AtMost(u32),
    Any,
}

/// Most context switches that can be asked for.
const MOST_SWITCHES: u32 = 64;

fn switches(text: &str) -> Result<Switches, String> {
    match text.parse() {
        _ if text == "any" => Ok(Switches::Any),
        Ok(bound) if bound <= MOST_SWITCHES => Ok(Switches::AtMost(bound)),
        _ => Err(format!("a number up to {MOST_SWITCHES} is expected, or `any`")),
    }
}

/// The formula files that come with the program, and the search that is none.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Algorithm {
    /// All summaries, of reachable procedures or not
    Summary,
    /// The entry-forward algorithm
    Ef,
    /// The same with split returns
    EfSplit,
    /// The optimised entry-forward algorithm
    EfOpt,
    /// Concurrent programs under a bound on context switches
    BoundedContextSwitch,
    /// The same for threads that do not recurse: states of all threads at once
    AllThreads,
    /// The same state by state, with or without a bound; not a formula
    Explicit,
}

impl Algorithm {
    /// Its name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Why it does not decide such programs, if it does not.
    fn unfit(self, concurrent: bool) -> Option<&'static str> {
        match self {
            Algorithm::Summary | Algorithm::Ef | Algorithm::EfSplit | Algorithm::EfOpt if concurrent => {
                Some("is for programs without threads and context switches")
            }
            Algorithm::BoundedContextSwitch if !concurrent => {
                Some("is for programs with threads; with --context-switches others are taken as one thread")
            }
            _ => None,
        }
    }

    /// Its formula, if it has one.
    fn file(self) -> Option<formulae::Algorithm> {
        Some(match self {
            Algorithm::Summary => formulae::SUMMARY,
            Algorithm::Ef => formulae::EF,
            Algorithm::EfSplit => formulae::EF_SPLIT,
            Algorithm::EfOpt => formulae::EF_OPT,
            Algorithm::BoundedContextSwitch => formulae::BOUNDED_CONTEXT_SWITCH,
            Algorithm::AllThreads => formulae::ALL_THREADS,
            Algorithm::Explicit => return None,
        })
    }
}

/// What is printed.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct Output {
    /// Print this formula file and exit
    #[arg(long, value_name = "NAME", value_enum, conflicts_with = "file")]
    print_formula: Option<Algorithm>,
    /// Print the answer without a trace
    #[arg(long)]
    no_trace: bool,
    /// Report each round of the evaluation on standard error
    #[arg(long)]
    trace_eval: bool,
    /// Print STAT lines before the verdict
    #[arg(long)]
    stats: bool,
    /// Print the verdict line only
    #[arg(short = 'q', long)]
    quiet: bool,
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let arguments: Arguments = match cli::parse(args) {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    if let Some(algorithm) = arguments.output.print_formula {
        return match algorithm.file() {
            Some(file) => tell(stdout, file.text, 0),
            None => Usage::mistake("explicit is no formula").tell(stdout, stderr),
        };
    }
    if let Err(usage) = sensible(&arguments) {
        return usage.tell(stdout, stderr);
    }
    let session = Session::start(Host::Process, &arguments.limits, arguments.output.stats, vec![]);
    let mut sources = SourceMap::new();
    let reply = match read(&arguments, &mut sources) {
        Err((messages, reason)) => {
            let _ = stderr.write_all(messages.as_bytes());
            Reply::only(Verdict::Error(reason.into()))
        }
        Ok((program, warnings)) => {
            let _ = stderr.write_all(warnings.as_bytes());
            answer::reply(&arguments, &session, &mut sources, &program, stderr)
        }
    };
    let body = if arguments.output.quiet { "" } else { &reply.body };
    session.finish(stdout, body, &reply.verdict)
}

/// What the parser of the command line cannot tell.
fn sensible(arguments: &Arguments) -> Result<(), Usage> {
    if arguments.question.asserts == Asserts::Assume && arguments.question.labels.is_empty() {
        return Err(Usage::mistake("with --asserts=assume nothing is asked; --label is needed"));
    }
    let search = &arguments.search;
    let explicit = search.algorithm == Some(Algorithm::Explicit);
    if explicit && (search.no_early || arguments.output.trace_eval) {
        return Err(Usage::mistake("--no-early and --trace-eval are about formulae, and explicit is none"));
    }
    let formula = search.formula.is_some() || search.algorithm.is_some() && !explicit;
    if search.context_switches == Some(Switches::Any) && formula {
        let message = "formulae have a bound on context switches; for any number of them --algorithm explicit is needed";
        return Err(Usage::mistake(message));
    }
    Ok(())
}

/// The program, checked, and warnings.
fn read(arguments: &Arguments, sources: &mut SourceMap) -> Result<(Program, String), Refused> {
    let path = arguments.file.as_ref().expect("a file is required where no formula is printed");
    let parsed = models::parse(path, &arguments.reading, sources)?;
    let built = bp::threads::system(&parsed.program, &arguments.question.entry, 0);
    let (_, warnings) = built.map_err(|errors| (rendered(&errors, sources), "check"))?;
    let warnings: Vec<_> = parsed.warnings.into_iter().chain(warnings).collect();
    Ok((parsed.program, rendered(&warnings, sources)))
}
