//! Static analyses of control-flow graphs, for all checkers of boolean programs: MOD/REF sets of procedures,
//! liveness, orders of variables and vertices, and where `enforce` excludes something.

mod enforce;
mod liveness;
mod mod_ref;
mod variable_order;
mod vertex_order;

pub use enforce::enforce_at_changes;
pub use liveness::{LiveRanges, Liveness};
pub use mod_ref::{ModRef, ProcModRef, Scopes};
pub use variable_order::VariableOrder;
pub use vertex_order::VertexOrder;
