//! Reads the printed form of programs and expressions, so that tests and tools can be written as text.
//!
//! `parse::program(&print::program(&p, None))` is `p` again, spans apart: those are the places in the text that
//! was read (file 0). A program is a list of declarations; what stands in brackets may be missing:
//!
//! ```text
//! model LP64;   [signed_wrap;]   entry start__;
//! struct list { int value [@0]; struct list *next [@8]; unsigned _BitInt(3) flags @16:2; } [size 24 align 8];
//! union u { … }          struct opaque;
//! global int x [#7] [= "bytes"] [align 16];             #7 is the variable's number, when not the next one
//! check c0 reach in main "message";
//! extern int external(int, ...);                        or { return int ret__; } with a return variable
//! library extern double fabs(double);                   of the C library; or `foreign`, or `library proc` (a model)
//! proc int main(int argc) {
//!   local int i;   temp int tmp__0;   return int ret__;
//!   [entry L0; exit L2;]                                the first and the last location
//!   L0 [label ERROR] [loop]:
//!     [e0] [true | false | internal]: assume(i < 10); goto L1;
//! ```
//!
//! Operations are `skip;`, `x = e;`, `x = f(a);`, `f(a);`, `(*p)(a);`, `havoc(x, input "name");` (or `uninit`,
//! `extern "name"`, `unmodelled "text"`), `assume(e);`, `check(c0, e);`, `p = alloc(n[, zeroed][, may_fail]);`,
//! `free(p);`, `memset(p, b, n);`, `memmove(d, s, n);`. Without `@` members are laid out as C does.

mod body;
mod cursor;
mod error;
mod expr;
mod lexer;
mod primary;
mod program;
mod types;

pub use error::{Error, ErrorKind};

use crate::expr::Expr;
use crate::program::{ProcId, Program};
use base::{Diagnostic, FileId, Id, Span};

/// The program that the text denotes. The spans of the program and of the error are places in file 0.
///
/// # Errors
/// The first thing that is not as the grammar wants it, or names something undeclared.
pub fn program(text: &str) -> Result<Program, Diagnostic> {
    Ok(program::program(&lexer::tokens(text)?)?)
}

/// The expression that the text denotes, with C's typing rules, over the globals and (with a `scope`) the
/// variables of that procedure. Predicates' forms are admitted: `old(e)`, `(mathint) e`, `c ? a : b`.
///
/// # Errors
/// A syntax or type error, at its place in the text (file 0).
pub fn expr(text: &str, program: &Program, scope: Option<ProcId>) -> Result<Expr, Error> {
    let tokens = lexer::tokens(text)?;
    let names = cursor::Names::of(program);
    let mut cursor = cursor::Cursor::new(&tokens);
    let e = expr::Scope { program, names: &names, proc: scope }.expr(&mut cursor)?;
    match cursor.peek() {
        lexer::Token::End => Ok(e),
        _ => cursor.error("unexpected text after the expression"),
    }
}

/// Sets every span of the program to one place, so that programs can be compared apart from spans.
pub fn erase_spans(program: &mut Program) {
    let nowhere = Span::at(FileId::from_index(0), 1, 1);
    program.vars.iter_mut().for_each(|v| v.span = nowhere);
    program.checks.iter_mut().for_each(|c| c.span = nowhere);
    for proc in program.procs.iter_mut() {
        proc.span = nowhere;
        proc.locations.iter_mut().for_each(|l| l.span = nowhere);
        proc.edges.iter_mut().for_each(|e| e.span = nowhere);
    }
}
