//! Passes from C-- to C--: threads made sequential, checks put in, function pointers resolved, objects as bytes,
//! constants, slices, blocks. [`pipeline`] is the list of all of them, in the order in which every command runs them.
//!
//! A pass keeps the executions of the program but for what its documentation says. The crate must not know C's syntax,
//! a prover, or predicates.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "x is 1";
//!     proc void main(void) { local int x; local int y; entry L0; exit L3;
//!     L0: x = 1; goto L1;
//!     L1: y = 2; goto L2;
//!     L2: check(c0, x != 1); goto L3;
//!     L3: }"#;
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! // No check depends on y.
//! let sliced = ir::print::program(&passes::slice(&program, &oracle).program, None);
//! assert!(sliced.contains("e0: x = 1;") && sliced.contains("e1: skip;"));
//! # Ok(())
//! # }
//! ```

pub mod address_comparisons;
pub mod alignments;
pub mod allocator_copies;
pub mod argument_strings;
pub mod block_members;
pub mod blocks;
pub mod checks;
pub mod constants;
pub mod indirect_calls;
pub mod integer_addresses;
pub mod mutex_kinds;
pub mod objects_as_bytes;
pub mod padding;
pub mod pipeline;
pub mod rounding;
pub mod slice;
pub mod string_literals;
pub mod threads;
mod unit;

pub use allocator_copies::{copy_allocators, copy_per_call};
pub use block_members::spell_out_members;
pub use blocks::{Blocks, Partition, Unfolded};
pub use constants::{Propagated, propagate};
pub use indirect_calls::{Resolved, UnknownCallee, UnknownCallees, resolve_indirect, resolve_with};
pub use integer_addresses::as_pointers;
pub use objects_as_bytes::{has_bytes, objects_as_bytes};
pub use pipeline::{Pipeline, Reduction, Refused, Settings, Stage};
pub use slice::{Slice, slice};
pub use string_literals::spell_out_literals;
pub use unit::Unit;
