//! The `newton` binary: can this path of a C program be executed, and if not, which predicates show it?

mod command;

use base::SourceMap;
use clap::builder::TypedValueParser;
use cli::front::{self, Failed, Preparation};
use cli::options::{Integers, choice};
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_USAGE};
use cli::{FrontEnd, Host, Limits, Session, Verdict, outputs};
use command::predicate_file::Known;
use command::round::{Refiners, Round};
use encoding::IntMode;
use ir::Program;
use newton::{Options, Refiner, path_text};
use passes::Settings;
use predicates::predicates_file;
use std::ffi::OsString;
use std::path::PathBuf;

/// Decides whether a path of a C program is feasible, and finds predicates that refute it if not.
#[derive(clap::Parser)]
#[command(
    name = "newton",
    version,
    after_help = "\
Examples:
  slam check lock.c --save out                    saves the paths of all iterations
  newton lock.c out/iter-1/trace.txt              why the first one cannot be executed
  newton lock.c out/iter-1/trace.txt --refiner sp the same by strongest postconditions
  newton lock.c lock.path --add lock.preds        adds what is new to the predicates for c2bp
Exit codes: 10 the path can be executed, 0 it cannot, 5 not known or nothing new, 2 bad input, 1 usage, 7 result not
written."
)]
struct Arguments {
    /// The C file (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The path: one step a line, as `slam check --save` and `bebop --path` write it
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// How predicates are found (default: auto with --add or --predicates, else wp)
    #[arg(long, value_parser = refiners())]
    refiner: Option<Refiners>,
    /// Do not print the predicates in this file
    #[arg(long, value_name = "FILE", conflicts_with = "add")]
    predicates: Option<PathBuf>,
    /// Append new predicates to this file, in the form that c2bp reads
    #[arg(long, value_name = "FILE")]
    add: Option<PathBuf>,
    /// How integers are modelled
    #[arg(long, value_enum, default_value_t)]
    integers: Integers,
    #[command(flatten)]
    front_end: FrontEnd,
    #[command(flatten)]
    preparation: Preparation,
    #[command(flatten)]
    limits: Limits,
}

impl Arguments {
    /// The file of predicates that are known.
    fn known(&self) -> Option<&std::path::Path> {
        self.add.as_deref().or(self.predicates.as_deref())
    }
}

fn refiners() -> impl TypedValueParser<Value = Refiners> {
    let auto = ("auto", "Each of the others in turn, as in slam check", Refiners::Auto);
    let one = |r: Refiner| (r.short_name(), r.description(), Refiners::One(r));
    choice([auto].into_iter().chain(Refiner::ALL.map(one)))
}

fn integers(asked: Integers, program: &Program, sources: &SourceMap) -> Result<IntMode, Failed> {
    let chosen = encoding::integers::choose(program, asked.wish(IntMode::Math, IntMode::Bits));
    chosen.map(|(mode, _)| mode).map_err(|needs| (needs.refusal().styled(sources), EXIT_INPUT))
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let parsed = cli::front::compiler::understand(args).and_then(|understood| cli::parse(&understood.words));
    let arguments: Arguments = match parsed {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    let output = [("--add", arguments.add.as_deref())];
    let inputs = [arguments.file.as_path(), arguments.trace.as_path()];
    if let Err(usage) = outputs::refuse(&output, inputs.into_iter().chain(arguments.front_end.inputs())) {
        return usage.tell(stdout, stderr);
    }
    let interrupt = smt::Interrupt::new();
    let session = Session::start(Host::Process, &arguments.limits, false, vec![interrupt.stopper()]);
    if let Some(message) = outputs::unwritable(&output) {
        let _ = stderr.write_all(message.as_bytes());
        return session.finish(stdout, "", &Verdict::NotWritten);
    }
    match answer(&arguments, &session, &interrupt, stderr) {
        Ok((body, verdict)) => session.finish(stdout, &body, &verdict),
        Err((message, EXIT_USAGE)) => {
            let _ = stderr.write_all(message.as_bytes());
            EXIT_USAGE
        }
        Err((message, code)) => {
            let _ = stderr.write_all(message.as_bytes());
            let verdict = match code {
                EXIT_INPUT => Verdict::Error("input".into()),
                _ if session.stopped() => session.stopped_verdict(),
                _ => Verdict::Unknown("function pointer".into()),
            };
            session.finish(stdout, "", &verdict)
        }
    }
}

fn answer(
    arguments: &Arguments,
    session: &Session,
    interrupt: &smt::Interrupt,
    stderr: &mut Sink<'_>,
) -> Result<(String, Verdict), Failed> {
    let text = command::predicate_file::text(arguments.known(), arguments.add.is_some())?;
    let files = [arguments.file.clone()];
    let settings = settings(arguments, &text);
    let mut loaded = front::load_prepared(&files, &arguments.front_end, settings, session, stderr)?;
    let paths = paths(arguments, &loaded.program)?;
    let mode = integers(arguments.integers, &loaded.program, &loaded.sources)?;
    let sources = &mut loaded.sources;
    let mut known = Known::read(text, arguments.known(), &loaded.program, mode, sources, stderr)?;
    let steps = paths.iter().map(|path| path.steps.len()).max().unwrap_or(0);
    let options = Options { mode, rlimit: smt::RLIMIT, max_steps: steps, interrupt };
    let is_known = arguments.known().is_some();
    let refiners = match arguments.refiner {
        Some(refiners) => refiners,
        None if is_known => Refiners::Auto,
        None => Refiners::One(Refiner::Wp),
    };
    let round = Round { loaded: &loaded, options: &options, refiners, session, is_known };
    let (body, verdict) = round.run(&paths, &mut known);
    if session.stopped() {
        return Ok((String::new(), session.stopped_verdict()));
    }
    if let Some(file) = &arguments.add {
        known.write(file, session, stderr);
    }
    Ok((body, verdict))
}

/// What is taken away from the program. Predicates that somebody has written may be about any variable: then nothing is.
fn settings(arguments: &Arguments, predicates: &str) -> Settings {
    let settings = arguments.preparation.settings(arguments.front_end.extern_policy);
    let whole = predicates_file::is_about_source(predicates);
    Settings { slice: settings.slice && !whole, propagate: settings.propagate && !whole, ..settings }
}

fn paths(arguments: &Arguments, program: &Program) -> Result<Vec<ir::Path>, Failed> {
    let name = arguments.trace.display();
    let text =
        cli::inputs::text(&arguments.trace).map_err(|e| (format!("error: {name}: {e}\n"), EXIT_INPUT))?;
    path_text::parse_all(program, &text)
        .map_err(|(line, why)| (format!("{name}:{line}:1: error: {why}\n"), EXIT_INPUT))
}
