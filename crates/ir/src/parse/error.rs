//! What is wrong with a text of C--, of which kind, and where.

use base::{Diagnostic, Span};

/// The kinds of errors that readers of messages may want to say more about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The grammar wants something else.
    Syntax,
    /// There is no variable or procedure of this name.
    Undeclared,
    /// A record has no member of this name.
    NoMember {
        /// The record's name, without its keyword.
        record: String,
        /// The member's.
        member: String,
    },
    /// An operator, as it is written, does not take operands of these types.
    Operands(String),
    /// An expression has a type whose values are no numbers and no pointers.
    NotScalar,
}

/// An error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Its kind.
    pub kind: ErrorKind,
    /// Where; the place in the text that was read, as file 0.
    pub span: Option<Span>,
    /// A sentence without its full stop.
    pub message: String,
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Diagnostic {
        Diagnostic::error(error.span, error.message)
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Error {
        Error { kind: ErrorKind::Syntax, span: diagnostic.span, message: diagnostic.message }
    }
}
