//! C--: the intermediate form of C programs that the SLAM papers analyse (002 slides 8-10 and 35), with types.
//!
//! A [`Program`] is a list of record types, variables and procedures; a procedure is a control-flow graph over
//! locations whose edges carry one [`Op`] each. Expressions have no side effects; there is at most one call on
//! an edge; one return variable and one exit location a procedure.
//!
//! The crate holds the data, the text form (printer and parser), the checker of its rules, and what every user of the
//! graphs needs: visitors, editing, strongly connected components, the nesting of loops. It must not know C's syntax, a
//! prover, boolean programs, or any analysis or pass.
//!
//! ```
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main;
//!     check c0 reach in main "x is 2";
//!     proc void main(void) { local int x; entry L0; exit L2;
//!     L0: x = 1 + 1; goto L1;
//!     L1: check(c0, x != 2); goto L2;
//!     L2: }"#;
//! let program = ir::parse::program(text)?;
//! assert!(ir::check::check(&program).is_empty(), "the rules of C-- are kept");
//! assert_eq!((program.checks.len(), program.edges().count()), (1, 2));
//! let printed = ir::print::program(&program, None);
//! assert!(printed.contains("e1: check(c0, x != 2); goto L2;"));
//! assert_eq!(ir::print::program(&ir::parse::program(&printed)?, None), printed);
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod named;

pub mod addresses;
pub mod check;
pub mod components;
pub mod convert;
pub mod edit;
pub mod expr;
pub mod extent;
pub mod faults;
mod for_all;
pub mod loop_nesting;
pub mod parse;
pub mod print;
pub mod program;
pub mod types;
pub mod visit;

pub use expr::{Access, Base, BinOp, Expr, FloatOp, Lvalue, UnOp};
pub use for_all::ForAll;
pub use ieee::{Arithmetic, Rounding};
pub use program::{
    ATOMIC, CallMark, Callee, Check, CheckId, CheckKind, Edge, EdgeId, EdgeKind, HavocKind, LibraryAccess,
    LocId, Location, ObjectQuery, Op, Origin, Output, Path, PathStep, Proc, ProcId, Program, StartInput,
    TextPart, ThreadOp, Turn, Turns, Var, VarId, VarKind,
};
pub use types::{DataModel, Field, FloatType, FuncType, IntType, RecordDef, RecordId, Type};
