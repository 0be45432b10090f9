//! What C-- programs do to memory: points-to sets, the cells that they divide it into, MOD and REF, and the alias
//! oracle that answers all questions about these ([points-to](../../../docs/design/points-to.md)).
//!
//! The abstraction, path feasibility and the slicer use only the [`AliasOracle`]; its parts are private to this crate. It
//! must not know any pass, the interpreter, or a prover.

pub mod byte_offsets;
pub mod cells;
mod classes;
mod constraints;
pub mod faults;
mod layout;
pub mod liveness;
mod mod_ref;
pub mod oracle;
mod places;
mod points_to;
mod query;
mod reasons;
mod report;
pub mod shape;
mod stable_formals;

pub use cells::{CellId, CellKind, CellSet};
pub use liveness::live_cells;
pub use oracle::{AliasMode, AliasOracle, Object, PointsTo, reachable};
pub use points_to::BlockCell;
pub use reasons::Escape;
pub use report::ObjectReport;
pub use stable_formals::stable_formals;
