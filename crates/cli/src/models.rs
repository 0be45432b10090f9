//! Reading boolean programs from files: what the tools on boolean programs share.

use crate::inputs;
use base::styles::ERROR;
use base::{Diagnostic, FileId, SourceMap, Span};
use bp::{Dialect, Program};
use std::path::Path;
use std::sync::Arc;

/// Messages for the user, and the reason for the verdict.
pub type Refused = (String, &'static str);

/// How a text is to be read.
#[derive(clap::Args, Clone, Debug)]
pub struct Reading {
    /// Rules of precedence to use where parentheses are missing
    #[arg(long, value_enum, default_value_t)]
    dialect: Precedence,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum Precedence {
    /// None: an error where tools disagree
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

/// A program as it is read, with its text.
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// Warnings of the parser.
    pub warnings: Vec<Diagnostic>,
    /// The text.
    pub text: Arc<str>,
}

/// What assertions are.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Asserts {
    /// Checked
    #[default]
    Check,
    /// Assumed: executions in which one fails do not count
    Assume,
}

/// Reads and parses a file.
///
/// # Errors
/// What is wrong with the file or the program.
pub fn parse(path: &Path, reading: &Reading, sources: &mut SourceMap) -> Result<Parsed, Refused> {
    let (text, file) = text(path, sources)?;
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

/// The text of a file (`-`: standard input), added to the sources.
///
/// # Errors
/// When it cannot be read, or is not a text.
pub fn text(path: &Path, sources: &mut SourceMap) -> Result<(Arc<str>, FileId), Refused> {
    let name = path.display().to_string();
    let cannot_read = |e| (format!("{ERROR} {}: {e}\n", base::shown(&name)), "cannot read");
    let bytes = inputs::bytes(path).map_err(cannot_read)?;
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text: Arc<str> = inputs::without_mark(text).into();
            let file = sources.add(name, Some(text.clone()));
            Ok((text, file))
        }
        Err(e) => {
            let good = e.utf8_error().valid_up_to();
            let file = sources.add(name, Some(String::from_utf8_lossy(e.as_bytes()).into()));
            let pos = sources.pos(file, good);
            let error = Diagnostic::error(Span::at(file, pos.line, pos.col), "the text is not UTF-8");
            Err((error.styled(sources), "parse"))
        }
    }
}

/// The messages as text.
pub fn rendered(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    diagnostics.iter().map(|d| d.styled(sources)).collect()
}
