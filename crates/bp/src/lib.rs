//! The boolean program language: syntax tree, printer, parser, checker and control-flow graph. It is the
//! target of the abstraction and the input of the model checkers.
//!
//! The language is read liberally (the dialects of several tools) and written one way; printing and parsing
//! are inverse to each other. Architecture invariant: this crate knows neither C nor decision diagrams.

pub mod ast;
pub mod expr;
pub mod name;
pub mod print;

pub use ast::{Proc, Program, Stmt, StmtId, StmtIds, StmtKind};
pub use expr::{BinOp, Expr};
pub use name::{Ident, Loc, Name};
pub use print::{head, print};
