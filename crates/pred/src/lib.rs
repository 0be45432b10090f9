//! Predicates over C-- programs: their scopes and precisions, normal forms, weakest preconditions of
//! assignments (Morris' rule with the alias oracle, 002 slide 38), and the translation of C-- expressions into
//! terms of the prover.
//!
//! Invariant: c2bp and newton share predicates through this crate and nothing else; it decides nothing itself
//! (it never calls a prover).

mod arithmetic;
mod encode;
mod extents;
mod facts;
mod floats;
mod fold;
mod inexact;
pub mod integers;
mod mistakes;
pub mod normal;
mod numbers;
pub mod predicate;
pub mod predicates_file;
pub mod state;
#[cfg(test)]
mod tests;
pub mod wp;

pub use encode::Encoder;
pub use facts::{Facts, float_width, value_sort};
pub use inexact::Inexact;
pub use predicate::{Precision, PredId, Predicate, Scope, ScopeError};
pub use state::{Addresses, State, Vocabulary};

/// How integers are modelled (docs/guide/assumptions.md, 2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntMode {
    /// Mathematical integers within their types' ranges.
    Math,
    /// Bit-vectors.
    Bits,
}

impl IntMode {
    /// The name that options and reports use.
    pub fn name(self) -> &'static str {
        match self {
            IntMode::Math => "math",
            IntMode::Bits => "bits",
        }
    }
}
