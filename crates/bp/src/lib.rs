//! The boolean program language: syntax tree, printer, parser, checker, control-flow graph and the analyses that
//! checkers share. It is the target of the abstraction and the input of the model checkers.
//!
//! The language is read liberally (the dialects of several tools) and written one way; printing and parsing
//! are inverse to each other. The crate must not know C, decision diagrams or a prover.
//!
//! ```
//! use base::SourceMap;
//! use bp::{Cfg, Dialect};
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let text = "decl lock; void main() begin lock := 0; if (*) then lock := 1; fi assert(lock); end";
//! let file = SourceMap::new().add("lock.bp", None);
//! let (program, _) = bp::parse(text, file, Dialect::Strict)?;
//! let (cfg, _) = Cfg::build(&program, None)?;
//! assert_eq!((cfg.globals.len(), cfg.failures().len()), (1, 1));
//!
//! let printed = bp::print(&program);
//! let (again, _) = bp::parse(&printed, file, Dialect::Strict)?;
//! assert_eq!(bp::print(&again), printed);
//! # Ok(())
//! # }
//! ```

pub mod analysis;
pub mod ast;
mod brief;
pub mod cfg;
mod concurrent;
pub mod expr;
mod lexer;
pub mod name;
pub mod origin;
pub mod parser;
pub mod print;
pub mod random;
pub mod system;
pub mod threads;
mod words;

pub use ast::{Notes, Proc, Program, Start, Stmt, StmtId, StmtIds, StmtKind, Thread, Written};
pub use brief::brief;
pub use cfg::{
    Cfg, Edge, EdgeId, Op, ProcCfg, ProcId, Slice, VarId, Vertex, VertexId, VertexKind, check, passive,
};
pub use concurrent::Concurrent;
pub use expr::{BinOp, Expr};
pub use name::{Ident, Loc, Name};
pub use parser::{Dialect, MAX_DEPTH, parse, parse_expr};
pub use print::{head, print};
pub use system::{Begin, Broadcast, Code, StartArguments, System, ThreadOp};
