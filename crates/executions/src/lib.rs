//! Concrete executions of C-- programs: with random inputs, guided by coverage, along a path, the only one of a program
//! without inputs; and what they suggest.
//!
//! Invariant: seeds are fixed and the work is bounded in steps, so that the outcome is the same on every machine. The
//! crate must not know C's syntax, predicates or boolean programs, and it never asks a prover.
//!
//! ```
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "negative";
//!     proc void main(void) { local int x; entry L0; exit L2;
//!     L0: havoc(x, input "x"); goto L1;
//!     L1: check(c0, x >= 0); goto L2;
//!     L2: }"#;
//! let program = ir::parse::program(text)?;
//! let found = executions::random::search(&program, &false.into());
//! let witness = found.failing.expect("some input is negative");
//! assert!(matches!(witness.run.inputs[0].value, interp::Value::Int(x) if x < 0));
//! # Ok(())
//! # }
//! ```

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
