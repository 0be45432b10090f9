//! What holds in a program, found without refinement. [`computed`] is an abstract interpretation; the checks that its
//! bounds decide need not be asked of the loop, and [`Facts`] say why they hold. [`observed`] guesses invariants of loops from
//! concrete executions, for others to prove.
//!
//! Architecture invariant: C-- and its alias oracle are all that is known here; no prover, no C.

pub mod computed;
mod facts;
pub mod observed;

pub use computed::{Computed, compute};
pub use facts::Facts;
