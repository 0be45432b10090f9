//! What the passes find out on the way, and why one may refuse a program.

use super::globals_used;
use crate::indirect_calls::UnknownCallee;
use base::{Diagnostic, Span};
use ir::{Check, Program, VarId};

/// What the passes found out on the way.
#[derive(Default)]
pub struct Notes {
    /// The program had threads.
    pub had_threads: bool,
    /// A loop may start more threads than the bound.
    pub more_threads: bool,
    /// The number of variables behind the threads pass; those behind them are kept beside the program by checks.
    pub own_variables: usize,
    /// The program's assertions that are not checked.
    pub not_checked: Vec<Check>,
    /// Variables of copied allocators, each with the one that it is a copy of.
    pub copies: Vec<(VarId, VarId)>,
    /// Calls through pointers that hold unknown addresses.
    pub unknown_callees: Vec<UnknownCallee>,
    /// What slicing and propagation took away.
    pub reduction: Reduction,
}

/// The changes by slicing and propagation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reduction {
    /// Procedures with a body of which nothing is left.
    pub procedures: usize,
    /// The number of globals that are no longer mentioned ([`Reduction::between`]).
    pub globals: usize,
    /// Statements sliced away.
    pub statements: usize,
    /// Reads that became constants.
    pub constants: usize,
    /// Reads that became reads of the copied variable.
    pub copies: usize,
}

impl Reduction {
    /// The changes from one program to the other, if there are any; all but globals are counted by the passes.
    pub fn between(self, whole: &Program, reduced: &Program) -> Option<Reduction> {
        let globals = || globals_used(whole).len() - globals_used(reduced).len();
        (reduced != whole).then(|| Reduction { globals: globals(), ..self })
    }
}

/// Why a pass cannot do its work.
pub enum Refused {
    /// Something is not supported.
    Unsupported(Span, String),
    /// A call whose callees are not known.
    Callee(UnknownCallee),
    /// Rules do not fit the program.
    Rules(Vec<Diagnostic>),
}

impl Refused {
    /// What and where.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Refused::Unsupported(span, message) => vec![Diagnostic::error(span, message)],
            Refused::Callee(callee) => vec![Diagnostic::error(callee.span, callee.message())],
            Refused::Rules(diagnostics) => diagnostics,
        }
    }
}
