//! Reading a boolean program from a file, and the commands `fmt` and `check`, which do nothing else with it.

use base::{Diagnostic, SourceMap, Span};
use bp::{Dialect, Program};
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_UNSAFE};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Messages for the user, and the reason for the verdict.
pub(crate) type Refused = (String, &'static str);

/// How a text is to be read.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Reading {
    /// Whose rules of precedence hold where parentheses are missing
    #[arg(long, value_enum, default_value_t)]
    dialect: Precedence,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum Precedence {
    /// Nobody's: where tools disagree, it is an error
    #[default]
    Strict,
    /// C's
    C,
    /// Boppo's: `=`, `!=` and `=>` bind least, `|` more than `^`
    #[value(alias = "satabs")]
    Boppo,
    /// Getafix's: as C's, but `&&` is `&`, and `=>` is read from the left
    Getafix,
    /// WALi's: as Getafix's, but `=>` binds like `|`
    Wali,
}

/// Print the program in canonical form
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  bebop fmt old.bp -o new.bp    
  bebop fmt --check new.bp      is it in canonical form already?
Concurrent programs are taken, too. Names are not looked up: see `bebop check`.
Exit codes: 0 done, 10 not in canonical form (--check), 2 bad input, 1 usage.")]
pub(crate) struct Format {
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write it (standard output otherwise)
    #[arg(short = 'o', long, value_name = "OUT", conflicts_with = "check")]
    output: Option<PathBuf>,
    /// Only tell whether the file is in canonical form
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Print what is wrong with the program, and nothing else
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
    /// No warnings
    #[arg(short = 'q', long)]
    quiet: bool,
    #[command(flatten)]
    reading: Reading,
}

/// A program as it is read, with its text.
pub(crate) struct Parsed {
    pub(crate) program: Program,
    pub(crate) warnings: Vec<Diagnostic>,
    text: Arc<str>,
}

/// Reads and parses a file.
pub(crate) fn parse(path: &Path, reading: &Reading, sources: &mut SourceMap) -> Result<Parsed, Refused> {
    let name = path.display().to_string();
    let bytes = bytes_of(path).map_err(|e| (format!("error: {name}: {e}\n"), "cannot read"))?;
    let text: Arc<str> = match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(e) => {
            let good = e.utf8_error().valid_up_to();
            let file = sources.add(name, Some(String::from_utf8_lossy(e.as_bytes()).into()));
            let pos = sources.pos(file, good);
            let error = Diagnostic::error(Span::at(file, pos.line, pos.col), "the text is not UTF-8");
            return Err((error.render(sources), "parse"));
        }
    };
    let file = sources.add(name, Some(text.clone()));
    let dialect = match reading.dialect {
        Precedence::Strict => Dialect::Strict,
        Precedence::C => Dialect::C,
        Precedence::Boppo => Dialect::Boppo,
        Precedence::Getafix => Dialect::Getafix,
        Precedence::Wali => Dialect::Wali,
    };
    match bp::parse(&text, file, dialect) {
        Ok((program, warnings)) => Ok(Parsed { program, warnings, text }),
        Err(errors) => Err((rendered(&errors, sources), "parse")),
    }
}

fn bytes_of(path: &Path) -> std::io::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = vec![];
        std::io::stdin().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(path)
}

pub(crate) fn rendered(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    diagnostics.iter().map(|d| d.render(sources)).collect()
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
            Err(e) => tell(stderr, &format!("error: {}: {e}\n", path.display()), EXIT_INPUT),
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

/// Writes the text and gives the exit code back.
fn tell(to: &mut Sink<'_>, text: &str, code: i32) -> i32 {
    // Nothing is left to do when the stream is closed.
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    code
}
