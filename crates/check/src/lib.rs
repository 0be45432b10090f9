//! The common parts of all checkers of boolean programs: their interface ([`Checker`]), the targets of
//! questions ([`targets`]), traces ([`Trace`]), whether one is an execution ([`explicit`]), how one is written
//! ([`render`]), and how a long question is answered slice by slice ([`along`]).
//!
//! Architecture invariant: no checker, no decision diagram, no command line.

mod checker;
pub mod explicit;
pub mod render;
mod segments;
mod slices;
mod target;
mod trace;

pub use checker::{Answer, Budget, Checker, Contexts, Execution, Question, Report, Shared, Unknown};
pub use segments::{Numbered, fold_missing, least_length};
pub use slices::{PATIENCE, along};
pub use target::{Asked, Goal, NoSuchLabel, Target, targets};
pub use trace::{Event, Point, Segment, SegmentId, Step, StepKind, TooLong, Trace, Valuation};
