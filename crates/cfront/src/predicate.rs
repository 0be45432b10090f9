//! Expressions of predicate files: C's expressions without side effects over the names of the C-- program, with
//! `old(e)` and `(mathint) e`. The printed form of C-- has the same grammar and typing rules, so its parser reads them.

use base::Diagnostic;
use cmm::{Expr, ProcId, Program};

/// Reads one expression over the globals and (with a `scope`) the variables of that procedure, under the names
/// that [`cmm::Var::name`] gives. Operands are converted as C does; a mathematical integer makes the other
/// operand one.
///
/// # Errors
/// A syntax or type error; its span is a place in `text`, as file 0.
pub fn parse_expression(text: &str, program: &Program, scope: Option<ProcId>) -> Result<Expr, Diagnostic> {
    cmm::parse::expr(text, program, scope)
}
