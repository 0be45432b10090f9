//! C-- expressions, states and paths as terms of the prover, with mathematical integers or bit-vectors
//! ([`IntMode`], docs/guide/assumptions.md, 2).
//!
//! [`Encoder`] translates an expression in a [`State`]; [`symbolic`] has the state that a path, an unrolled program or
//! the edges of a certificate transform. The crate must not know predicates, boolean programs or what its terms are
//! for, and it never asks a prover.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use encoding::{Addresses, Encoder, IntMode, SideConditions, Vocabulary};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = "entry main; global int x;
//!     proc void main(void) { entry L0; exit L1; L0: x = 1; goto L1; L1: }";
//! let program = ir::parse::program(text)?;
//! let (oracle, mode) = (AliasOracle::new(&program, AliasMode::Das), IntMode::Math);
//! let addresses = Addresses::new(&program);
//! let encoder = Encoder { program: &program, oracle: &oracle, addresses: &addresses, mode };
//! let mut state = Vocabulary::new(&program, &addresses, mode, "");
//! let condition = ir::parse::expr("x < 3", &program, None)?;
//! let term = encoder.cond(&condition, &mut state, &mut SideConditions::new("fresh"));
//! assert_eq!(term.to_string(), "(<= m1 2)"); // x is cell 1, and the cells are integers
//! # Ok(())
//! # }
//! ```

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
