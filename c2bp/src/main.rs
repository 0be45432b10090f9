//! The `c2bp` binary: a C file and predicates become a boolean program, printed.

mod show;

use alias::AliasOracle;
use base::{Diagnostic, SourceMap};
use c2bp::{Abstraction, Cache, Exact, Options};
use cli::front::{self, BLOCKS, Failed, Preparation};
use cli::options::{Integers, choice};
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_UNKNOWN, EXIT_WRITE};
use cli::{FrontEnd, Host, Limits, Session, outputs};
use encoding::IntMode;
use ir::Program;
use passes::{Blocks, Settings};
use predicates::{Precision, predicates_file};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Predicate abstraction of C programs.
///
/// Writes the boolean program whose variables are the truth values of the predicates and whose executions include the
/// image of every execution of the C program.
#[derive(clap::Parser)]
#[command(
    name = "c2bp",
    version,
    after_help = "\
Examples:
  c2bp swap.c --predicates swap.preds             print the boolean program
  c2bp lock.c --predicates lock.preds -o lock.bp  write it to a file
  c2bp lock.c --predicates lock.preds --explain 12
  c2bp lock.c --predicates more.preds --diff lock.bp
Predicates: `global { lock == 1; }  main { x == y; i < n; }`, C expressions; old(e) is the value at the entry."
)]
struct Arguments {
    /// C files (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The predicates; without it the boolean program has no variables
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,
    /// Write the boolean program to this file (default: standard output, unless --explain or --diff print there)
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Precision of the abstraction of statements
    #[arg(long, value_enum, default_value_t)]
    image: Image,
    /// What is abstracted as one step
    #[arg(long, value_name = "WHAT", default_value = "statement", value_parser = choice(BLOCKS))]
    blocks: Blocks,
    /// Length of the longest conjunctions of predicates
    #[arg(long, value_name = "N", default_value_t = 3)]
    max_cube: usize,
    /// How integers are modelled
    #[arg(long, value_enum, default_value_t)]
    integers: Integers,
    /// Omit `enforce`: keep combinations of predicates that no state has
    #[arg(long)]
    no_enforce: bool,
    /// Write only labels and jumps, no `if` and `while`
    #[arg(long)]
    goto: bool,
    /// Omit skip and assume(1), for readers: paths of such a program are not paths of the C program for newton
    #[arg(long)]
    brief: bool,
    /// Explain the abstraction of the statements on this line, predicate by predicate
    #[arg(long, value_name = "[FILE:]LINE", value_parser = place)]
    explain: Option<Place>,
    /// Print the differences to this boolean program, made from the same C file with other predicates
    #[arg(long, value_name = "OLD.bp")]
    diff: Option<PathBuf>,
    /// Keep the prover's answers in this file, for later runs
    #[arg(long, value_name = "FILE")]
    query_cache: Option<PathBuf>,
    /// Print statistics on standard error
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    front_end: FrontEnd,
    #[command(flatten)]
    preparation: Preparation,
    #[command(flatten)]
    limits: Limits,
}

#[derive(clap::ValueEnum, Clone, Copy, Default)]
enum Image {
    /// Each predicate by itself
    #[default]
    Cartesian,
    /// All predicates together, cubes of any length: exact, but expensive
    Exact,
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
    let outputs = [("-o", arguments.output.as_deref()), ("--query-cache", arguments.query_cache.as_deref())];
    let front = &arguments.front_end;
    let inputs = arguments.files.iter().chain(&arguments.predicates).chain(&arguments.diff);
    let inputs = inputs.chain(&front.includes).chain(&front.models).chain(&front.property);
    if let Err(usage) = outputs::refuse(&outputs, inputs.map(PathBuf::as_path)) {
        return usage.tell(stdout, stderr);
    }
    match work(&arguments, stderr) {
        Ok((session, text)) => session.finish_plain(stdout, &text),
        Err((message, code)) => complain(stderr, &message, code),
    }
}

/// A line of a file; of the first one given, when none is named.
#[derive(Clone, Debug)]
struct Place {
    file: Option<String>,
    line: u32,
}

fn place(text: &str) -> Result<Place, String> {
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_owned()), line),
        None => (None, text),
    };
    let line = line.parse().map_err(|_| format!("`{line}` is no line number"))?;
    Ok(Place { file, line })
}

fn integers(asked: Integers, program: &Program, sources: &SourceMap) -> Result<IntMode, Failed> {
    let chosen = encoding::integers::choose(program, asked.wish(IntMode::Math, IntMode::Bits));
    chosen.map(|(mode, _)| mode).map_err(|needs| (needs.refusal().styled(sources), EXIT_INPUT))
}

fn complain(stderr: &mut Sink<'_>, message: &str, code: i32) -> i32 {
    let _ = stderr.write_all(message.as_bytes());
    code
}

/// Does what the command line asks; what to print.
fn work(arguments: &Arguments, stderr: &mut Sink<'_>) -> Result<(Session, String), Failed> {
    let interrupt = smt::Interrupt::new();
    let session = Session::start(Host::Process, &arguments.limits, false, vec![interrupt.stopper()]);
    let pool = cli::pool(arguments.limits.threads).map_err(|e| (format!("error: {e}\n"), EXIT_UNKNOWN))?;
    let text = arguments.predicates.as_deref().map(predicates_text).transpose()?.unwrap_or_default();
    let settings = settings(arguments, &text);
    let front::Loaded { program, oracle, mut sources, .. } =
        front::load_prepared(&arguments.files, &arguments.front_end, settings, &session, stderr)?;
    let mode = integers(arguments.integers, &program, &sources)?;
    let (precision, warnings) = predicates(arguments, &text, &program, mode, &mut sources)?;
    front::tell(stderr, &warnings, &sources);
    let old = arguments.diff.as_ref().map(|path| show::old_program(path)).transpose()?;
    let mut cache = cache(arguments, stderr)?;
    let options = Options {
        max_cube: arguments.max_cube,
        exact: match arguments.image {
            Image::Cartesian => Exact::Nothing,
            Image::Exact => Exact::Everything,
        },
        blocks: arguments.blocks,
        mode,
        enforce: !arguments.no_enforce,
        goto: arguments.goto,
        sources: Some(&sources),
        ..Options::new(session.stop(), &interrupt)
    };
    let input = Input { program: &program, oracle: &oracle, precision: &precision, options: &options };
    let stopped = |_| (format!("stopped: {}\n", session.stopped_verdict()), EXIT_UNKNOWN);
    let mut out = String::new();
    if let Some(place) = &arguments.explain {
        let wanted = show::wanted(&program, &sources, &arguments.files[0], place)?;
        let told = || show::explanation(&input, &sources, &wanted, &mut cache);
        out = pool.install(told).map_err(stopped)?;
    }
    if arguments.explain.is_none() || old.is_some() || arguments.output.is_some() {
        let made = pool.install(|| input.made(&mut cache)).map_err(stopped)?;
        report(stderr, arguments, &program, &precision, &made);
        let printed = match arguments.brief {
            true => bp::print(&bp::brief(&made.program)),
            false => bp::print(&made.program),
        };
        match (&old, arguments.explain.is_some()) {
            (Some(old), _) => out.push_str(&show::difference(old, &made.program)),
            (None, false) if arguments.output.is_none() => out.push_str(&printed),
            _ => {}
        }
        if let Some(path) = &arguments.output {
            cli::write_atomically(path, printed.as_bytes()).map_err(|e| lost(path, &e))?;
        }
    }
    if let (Some(path), Some(answers)) = (&arguments.query_cache, cache.stored_text()) {
        cli::write_atomically(path, answers.as_bytes()).map_err(|e| lost(path, &e))?;
    }
    Ok((session, out))
}

/// A result that cannot be written.
fn lost(path: &Path, why: &std::io::Error) -> Failed {
    (outputs::message(path, why), EXIT_WRITE)
}

/// What is abstracted.
struct Input<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    precision: &'a Precision,
    options: &'a Options<'a>,
}

impl Input<'_> {
    fn made(&self, cache: &mut Cache) -> Result<Abstraction, c2bp::Interrupted> {
        c2bp::abstract_program(self.program, self.oracle, self.precision, self.options, cache)
    }
}

fn cache(arguments: &Arguments, stderr: &mut Sink<'_>) -> Result<Cache, Failed> {
    let Some(path) = &arguments.query_cache else { return Ok(Cache::new()) };
    let (cache, remark) = Cache::open(path).map_err(|why| (format!("error: {why}\n"), EXIT_INPUT))?;
    if let Some(remark) = remark {
        let _ = writeln!(stderr, "warning: {remark}");
    }
    Ok(cache)
}

fn predicates_text(path: &Path) -> Result<String, Failed> {
    cli::inputs::text(path).map_err(|e| (format!("error: {}: {e}\n", path.display()), EXIT_INPUT))
}

/// What is taken away before the abstraction. Predicates that somebody has written may be about any variable: then
/// nothing is.
fn settings(arguments: &Arguments, predicates: &str) -> Settings {
    let settings = arguments.preparation.settings(arguments.front_end.extern_policy);
    let whole = predicates_file::is_about_source(predicates);
    Settings { slice: settings.slice && !whole, propagate: settings.propagate && !whole, ..settings }
}

fn predicates(
    arguments: &Arguments,
    text: &str,
    program: &Program,
    mode: IntMode,
    sources: &mut SourceMap,
) -> Result<(Precision, Vec<Diagnostic>), Failed> {
    let Some(path) = &arguments.predicates else { return Ok((Precision::new(), vec![])) };
    let file = sources.add(path.display().to_string(), Some(text.into()));
    let read = |text: &str, scope| ir::parse::expr(text, program, scope);
    predicates_file::parse(text, file, program, mode, &read).map_err(|d| (d.styled(sources), EXIT_INPUT))
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
