//! Analyses of C-- programs: points-to and the alias oracle, MOD/REF, the call graph, liveness, slicing,
//! propagation of constants and copies.
//!
//! The abstraction, path feasibility and the slicer use only the [`AliasOracle`]; its parts are private to this
//! module.

mod addresses;
mod allocators;
mod blocks;
mod bytes;
mod calls;
pub mod cells;
mod classes;
mod constraints;
mod control;
pub mod faults;
mod fixed;
mod formals;
pub mod graph;
mod known;
mod layout;
mod literals;
pub mod liveness;
mod members;
mod mod_ref;
mod nesting;
pub mod oracle;
mod outside;
mod partition;
mod places;
mod points_to;
pub mod propagate;
mod query;
mod reasons;
mod reduce;
mod relevance;
mod report;
mod shape;
pub mod slice;
pub mod spans;
pub mod visit;

pub use addresses::as_pointers;
pub use allocators::{copy_allocators, copy_per_call};
pub use blocks::BlockCell;
pub use bytes::{has_bytes, objects_as_bytes};
pub use calls::{Resolved, UnknownCallee, UnknownCallees, resolve_indirect, resolve_with};
pub use cells::{CellId, CellKind, CellSet};
pub use fixed::Fixed;
pub use formals::stable_formals;
pub use literals::spell_out_literals;
pub use liveness::live_cells;
pub use members::spell_out_members;
pub use nesting::{Part, heads, nesting};
pub use oracle::{AliasMode, AliasOracle, Object, PointsTo};
pub use partition::{Blocks, Partition, Unfolded};
pub use propagate::{Propagated, propagate};
pub use reasons::Escape;
pub use reduce::{Reduced, Reduction, Wanted, reduce, resolved};
pub use report::ObjectReport;
pub use slice::{Slice, reachable, slice};
