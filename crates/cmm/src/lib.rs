//! C--: the intermediate form of C programs that the SLAM papers analyse (002 slides 8-10 and 35), with types.
//!
//! A [`Program`] is a list of record types, variables and procedures; a procedure is a control-flow graph over
//! locations whose edges carry one [`Op`] each. Expressions have no side effects; there is at most one call on
//! an edge; one return variable and one exit location a procedure.
//!
//! Invariant: this crate knows neither C's syntax nor a prover nor boolean programs.

#[macro_use]
mod named;

pub mod analysis;
pub mod check;
pub mod convert;
pub mod expr;
pub mod extent;
mod for_all;
pub mod instrument;
pub mod interp;
pub mod parse;
pub mod print;
pub mod program;
pub mod rounding;
pub mod threads;
pub mod types;

pub use expr::{Access, Base, BinOp, Expr, FloatOp, Lvalue, UnOp};
pub use for_all::ForAll;
pub use ieee::{Arithmetic, Rounding};
pub use program::{
    ALIGNED, CallMark, Callee, Check, CheckId, CheckKind, Edge, EdgeId, EdgeKind, HavocKind, LibraryAccess,
    LocId, Location, MAKES_TEXT, ObjectQuery, Op, Origin, Path, PathStep, Proc, ProcId, Program, RESIZES,
    StartInput, TextPart, Turn, Turns, Var, VarId, VarKind,
};
pub use types::{DataModel, Field, FloatType, FuncType, IntType, RecordDef, RecordId, Type};
