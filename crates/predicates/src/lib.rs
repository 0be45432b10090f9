//! Predicates over C-- programs: their scopes and precisions, normal forms, weakest preconditions of
//! assignments (Morris' rule with the alias oracle, 002 slide 38), and the files that people write them in.
//!
//! Invariant: c2bp and newton share predicates through this crate and nothing else; it decides nothing itself
//! (it never calls a prover).

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
