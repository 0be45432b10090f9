//! The `c2bp` binary: a C file and predicates become a boolean program, printed.

use base::{Diagnostic, SourceMap};
use c2bp::{Abstraction, Cache, Exact, Options, predicates_file};
use cli::front::{self, Failed};
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_UNKNOWN};
use cli::{FrontEnd, Host, Limits, Session};
use cmm::Program;
use pred::{IntMode, Precision};
use std::ffi::OsString;
use std::path::PathBuf;

/// Predicate abstraction of C programs.
///
/// Writes the boolean program whose variables are the truth values of the predicates and whose runs include the
/// image of every run of the C program.
#[derive(clap::Parser)]
#[command(
    name = "c2bp",
    version,
    after_help = "\
Examples:
  c2bp swap.c --predicates swap.preds             print the boolean program
  c2bp lock.c --predicates lock.preds -o lock.bp  write it to a file
Predicates: `global { lock == 1; }  main { x == y; i < n; }`, C expressions; old(e) is the value at the entry."
)]
struct Arguments {
    /// C files (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The predicates; without it the boolean program has no variables
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,
    /// Where to write the boolean program (standard output otherwise)
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How closely statements are followed
    #[arg(long, value_enum, default_value_t)]
    image: Image,
    /// Longest conjunction of predicates that is tried
    #[arg(long, value_name = "N", default_value_t = 3)]
    max_cube: usize,
    /// How integers are modelled
    #[arg(long, value_enum, default_value_t)]
    integers: Integers,
    /// Leave out `enforce`: keep combinations of predicates that no state has
    #[arg(long)]
    no_enforce: bool,
    /// Write labels and jumps only, no `if` and `while`
    #[arg(long)]
    goto: bool,
    /// Print statistics on standard error
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    front_end: FrontEnd,
    #[command(flatten)]
    limits: Limits,
}

#[derive(clap::ValueEnum, Clone, Copy, Default)]
enum Image {
    /// Each predicate by itself
    #[default]
    Cartesian,
    /// All predicates together, cubes of any length: exact, and dear
    Exact,
}

#[derive(clap::ValueEnum, Clone, Copy, Default)]
enum Integers {
    /// Mathematical integers in their types' ranges
    #[default]
    Math,
    /// Bit-vectors
    Bits,
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let arguments: Arguments = match cli::parse(args) {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    match abstraction(&arguments, stderr) {
        Ok((session, text)) => match &arguments.output {
            None => session.finish_plain(stdout, &text),
            Some(path) => match cli::write_atomically(path, text.as_bytes()) {
                Ok(()) => 0,
                Err(e) => complain(stderr, &format!("error: {}: {e}\n", path.display()), EXIT_INPUT),
            },
        },
        Err((message, code)) => complain(stderr, &message, code),
    }
}

fn complain(stderr: &mut Sink<'_>, message: &str, code: i32) -> i32 {
    let _ = stderr.write_all(message.as_bytes());
    code
}

fn abstraction(arguments: &Arguments, stderr: &mut Sink<'_>) -> Result<(Session, String), Failed> {
    let interrupt = smt::Interrupt::new();
    let watched = interrupt.clone();
    let session = Session::start(
        Host::Process,
        &arguments.limits,
        false,
        vec![Box::new(move || watched.interrupt_all())],
    );
    let pool = cli::pool(arguments.limits.threads).map_err(|e| (format!("error: {e}\n"), EXIT_UNKNOWN))?;
    let front::Loaded { program, oracle, mut sources } =
        front::load_resolved(&arguments.files, &arguments.front_end, stderr)?;
    let mode = match arguments.integers {
        Integers::Math => IntMode::Math,
        Integers::Bits => IntMode::Bits,
    };
    let (precision, warnings) = predicates(arguments, &program, mode, &mut sources)?;
    front::tell(stderr, &warnings, &sources);
    let options = Options {
        max_cube: arguments.max_cube,
        exact: match arguments.image {
            Image::Cartesian => Exact::Nothing,
            Image::Exact => Exact::Everything,
        },
        mode,
        enforce: !arguments.no_enforce,
        goto: arguments.goto,
        sources: Some(&sources),
        ..Options::new(session.stop(), &interrupt)
    };
    let made = pool
        .install(|| c2bp::abstract_program(&program, &oracle, &precision, &options, &mut Cache::new()))
        .map_err(|_| (format!("stopped: {}\n", session.stopped_verdict()), EXIT_UNKNOWN))?;
    report(stderr, arguments, &program, &precision, &made);
    Ok((session, bp::print(&made.program)))
}

fn predicates(
    arguments: &Arguments,
    program: &Program,
    mode: IntMode,
    sources: &mut SourceMap,
) -> Result<(Precision, Vec<Diagnostic>), Failed> {
    let Some(path) = &arguments.predicates else { return Ok((Precision::new(), vec![])) };
    let text = std::fs::read_to_string(path)
        .map_err(|e| (format!("error: {}: {e}\n", path.display()), EXIT_INPUT))?;
    let file = sources.add(path.display().to_string(), Some(text.as_str().into()));
    let read = |text: &str, scope| cmm::parse::expr(text, program, scope);
    predicates_file::parse(&text, file, program, mode, &read).map_err(|d| (d.render(sources), EXIT_INPUT))
}

fn report(
    stderr: &mut Sink<'_>,
    arguments: &Arguments,
    program: &Program,
    precision: &Precision,
    made: &Abstraction,
) {
    for id in &made.ignored {
        let text = precision.get(*id).text(program);
        let _ =
            writeln!(stderr, "warning: `{text}` reads memory or numbers that have no model, and is left out");
    }
    if arguments.stats {
        let _ = stderr.write_all(made.stats.to_string().as_bytes());
    }
}
