//! Formals that keep their entry value for the whole activation: predicates about what was passed need no `old` for
//! them, and a caller can read the callee's predicates with the actuals in their place.

use super::oracle::AliasOracle;
use ir::expr::Base;
use ir::program::{ProcId, Program, VarId};
use std::collections::BTreeSet;

/// The formals that a procedure never assigns, not even in part, and that no pointer reaches.
pub fn stable_formals(program: &Program, oracle: &AliasOracle, p: ProcId) -> BTreeSet<VarId> {
    let proc = &program.procs[p];
    let mut stable: BTreeSet<VarId> =
        proc.formals.iter().copied().filter(|f| !oracle.address_taken(*f)).collect();
    for lv in proc.edges.iter().filter_map(|edge| edge.op.destination()) {
        if let Base::Var(v) = lv.base {
            stable.remove(&v);
        }
    }
    stable
}
