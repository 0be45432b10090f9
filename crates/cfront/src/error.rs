//! Why input is refused.

use base::{Diagnostic, SourceMap, Span};

/// Why the input was not taken.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The stage that refused.
    pub kind: FailureKind,
    /// The errors and their places; at least one.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that the diagnostics refer to.
    pub sources: SourceMap,
}

/// The stage that refused the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// The file cannot be read, or is not text.
    Read,
    /// The preprocessor failed.
    Preprocess,
    /// Syntax.
    Parse,
    /// Types and declarations.
    Type,
    /// Valid C that is refused.
    Unsupported,
    /// The entry function is missing.
    NoEntry,
    /// Nothing to check.
    NoChecks,
    /// Nothing is wrong so far: the preprocessor was requested to stop.
    Stopped,
}

impl FailureKind {
    /// The words in parentheses of the verdict line, as in `ERROR(no entry)`.
    pub fn words(self) -> &'static str {
        match self {
            FailureKind::Read => "read",
            FailureKind::Preprocess => "preprocess",
            FailureKind::Parse => "parse",
            FailureKind::Type => "type",
            FailureKind::Unsupported => "unsupported",
            FailureKind::NoEntry => "no entry",
            FailureKind::NoChecks => "no checks",
            FailureKind::Stopped => "stopped",
        }
    }

    /// The verdict: `ERROR(parse)`.
    pub fn verdict(self) -> String {
        format!("ERROR({})", self.words())
    }
}

/// The way an error travels inside the crate.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) kind: FailureKind,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Result of everything that can refuse the input.
pub(crate) type Res<T> = Result<T, Box<Stop>>;

impl Stop {
    pub(crate) fn new(kind: FailureKind, diagnostic: Diagnostic) -> Box<Stop> {
        Box::new(Stop { kind, diagnostics: vec![diagnostic] })
    }
}

/// An error of types and declarations.
pub(crate) fn type_error<T>(span: Span, message: impl Into<String>) -> Res<T> {
    Err(Stop::new(FailureKind::Type, Diagnostic::error(span, message)))
}

/// Valid C that is refused.
pub(crate) fn unsupported<T>(span: Span, message: impl Into<String>) -> Res<T> {
    Err(Stop::new(FailureKind::Unsupported, Diagnostic::error(span, message)))
}
