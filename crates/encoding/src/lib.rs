//! C-- expressions, states and paths as terms of the prover, with mathematical integers or bit-vectors
//! ([`IntMode`], docs/guide/assumptions.md, 2).
//!
//! [`Encoder`] translates an expression in a [`State`]; [`symbolic`] has the state that a path, an unrolled program or the
//! edges of a certificate transform. The crate must not know predicates, boolean programs or what its terms are for, and it
//! never calls a prover.

mod arithmetic;
mod encode;
mod extents;
mod floats;
mod inexact;
mod inputs;
pub mod integers;
mod numbers;
mod side_conditions;
pub mod state;
pub mod symbolic;
#[cfg(test)]
mod tests;

pub use encode::Encoder;
pub use inexact::Inexact;
pub use inputs::{Input, InputValue, Inputs, Unwritten};
pub use side_conditions::{SideConditions, float_width, value_sort};
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
