//! The common parts of all checkers of boolean programs: their interface ([`Checker`]), the targets of
//! questions ([`targets`]), traces ([`Trace`]), whether one is an execution ([`explicit`]), how one is written
//! ([`render`]), and how a long question is answered slice by slice ([`along`]).
//!
//! It must not know any checker, decision diagrams, C, or a command line.
//!
//! ```
//! use bp::{Cfg, Dialect, System};
//! use check::{Question, explicit::Explicit};
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let text = "decl lock; void main() begin lock := 0; if (*) then lock := 1; fi assert(lock); end";
//! let file = base::SourceMap::new().add("lock.bp", None);
//! let (program, _) = bp::parse(text, file, Dialect::Strict)?;
//! let system = System::sequential(Cfg::build(&program, None)?.0);
//! let question = Question::assertions(&system);
//! // The explicit-state twin, with which the answers of checkers are compared.
//! let twin = Explicit::new(&system.codes[0].cfg);
//! assert!(question.goals.iter().any(|(_, vertex)| twin.is_reached(*vertex)));
//! # Ok(())
//! # }
//! ```

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
