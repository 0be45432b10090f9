//! Getafix: model checking of boolean programs by formulae of a fixed-point calculus \[LMP09\], sequential programs and
//! concurrent ones under a bound on context switches.
//!
//! An algorithm is a formula file ([`syntax`]), checked ([`check`]) against what a model gives ([`prelude`]), and evaluated
//! on decision diagrams ([`eval`]). Architecture invariant: no algorithm is written in Rust; what is
//! here evaluates formulae, translates programs to relations, and reads counterexamples off the values that were found.

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
