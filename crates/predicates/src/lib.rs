//! Predicates over C-- programs: their scopes and precisions, normal forms, weakest preconditions of
//! assignments (Morris' rule with the alias oracle, 002 slide 38), and the files that people write them in.
//!
//! c2bp and newton share predicates through this crate and nothing else. The crate must not know boolean programs, and
//! it never asks a prover.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use predicates::weakest_precondition::{Context, assign};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = "entry main;
//!     proc void main(void) { local int x; local int y; local int *p; entry L0; exit L2;
//!     L0: p = &x; goto L1; p = &y; goto L1;
//!     L1: *p = 4; goto L2;
//!     L2: }";
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let post = ir::parse::expr("x < 5", &program, Some(program.entry))?;
//! let edges = program.procs[program.entry].edges.as_slice();
//! let ir::Op::Assign(target, value) = &edges[2].op else { panic!("it is `*p = 4`") };
//! let context = Context { program: &program, oracle: &oracle, mode: encoding::IntMode::Math };
//! let before = assign(context, target, value, &post);
//! assert_eq!(ir::print::expr(&program, &before), "(p == &x ? 4 : x) < 5");
//! # Ok(())
//! # }
//! ```

pub mod atoms;
mod fold;
mod mistakes;
pub mod normal;
pub mod predicate;
pub mod predicates_file;
#[cfg(test)]
mod tests;
pub mod weakest_precondition;

pub use predicate::{Precision, PredId, Predicate, Scope, ScopeError};
