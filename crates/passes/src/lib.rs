//! Passes from C-- to C--.

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
