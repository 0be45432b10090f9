//! Concrete executions of C-- programs: with random inputs, guided by coverage, along a path, the only one of a program
//! without inputs; and what they suggest.
//!
//! Invariant: seeds are fixed and the work is bounded in steps, so that the outcome is the same on every machine. The
//! crate must not know a prover, predicates or boolean programs.

mod draw;
pub mod guided;
pub mod likely_invariants;
pub mod observe;
pub mod random;
mod replay;
mod witness;

pub use draw::Draw;
pub use guided::Search;
pub use replay::{Diverged, Replay, replay};
pub use witness::{Unconfirmed, Witness, confirmed};
