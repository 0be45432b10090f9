//! Getafix: model checking of boolean programs by formulae of a fixed-point calculus \[LMP09\], sequential programs and
//! concurrent ones under a bound on context switches.
//!
//! An algorithm is a formula file ([`syntax`]), checked ([`mod@check`]) against what a model gives ([`prelude`]), and
//! evaluated on decision diagrams ([`eval`]). Invariant: no algorithm is written in Rust; what is here evaluates
//! formulae, translates programs to relations, and reads counterexamples off the values that were found. The crate must
//! not know C, a prover, or other checkers (its command falls back on `interleave`).
//!
//! ```
//! use bp::Dialect;
//! use ::check::{Answer, Budget, Checker, Question};
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let text = "decl g; void main() begin g := 0; flip(); flip(); assert(!g); end
//!     void flip() begin g := !g; end";
//! let (program, _) = bp::parse(text, base::SourceMap::new().add("flip.bp", None), Dialect::Strict)?;
//! let (system, _) = bp::threads::system(&program, "main", 0)?;
//! let budget = Budget { stop: &false.into(), effort: None };
//! let report = getafix::Formulae.check(&Question::assertions(&system), budget);
//! assert!(matches!(report.answer, Answer::Unreachable));
//! # Ok(())
//! # }
//! ```

mod allocation;
pub mod check;
mod checker;
pub mod eval;
pub mod formulae;
pub mod ir;
pub mod prelude;
pub mod schedule;
pub mod syntax;
pub mod trace;
pub mod translate;

pub use checker::Formulae;
