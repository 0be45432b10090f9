//! What C-- programs do to memory: points-to sets, the cells that they divide it into, MOD and REF, and the alias
//! oracle that answers all questions about these ([points-to](../../../docs/design/points-to.md)).
//!
//! The abstraction, path feasibility and the slicer use only the [`AliasOracle`]; its parts are private to this crate.
//! The crate must not know any pass, the interpreter, or a prover.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = "entry main;
//!     proc void main(void) { local int x; local int y; local int *p; entry L0; exit L2;
//!     L0: p = &x; goto L1;
//!     L1: *p = 1; goto L2;
//!     L2: }";
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let expr = |text| ir::parse::expr(text, &program, Some(program.entry));
//! let (ir::Expr::Load(x), ir::Expr::Load(y), ir::Expr::Load(target)) = (expr("x")?, expr("y")?, expr("*p")?) else {
//!     panic!("these are places");
//! };
//! assert!(oracle.may_alias(&target, &x) && !oracle.may_alias(&target, &y));
//! # Ok(())
//! # }
//! ```

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
