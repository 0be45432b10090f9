//! Locals whose life begins again while their address is in use: a jump back over the declaration, in one block.

use ir::expr::Base;
use ir::program::{HavocKind, LocId, Op, ProcId, Program, VarId};
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// The variables of the procedure that may begin their lives after their address was taken in the same call.
pub(crate) fn renewed(program: &Program, p: ProcId) -> BTreeSet<VarId> {
    let proc = &program.procs[p];
    let mut begins: BTreeMap<VarId, Vec<LocId>> = BTreeMap::new();
    for edge in &proc.edges {
        if let Op::Havoc(lv, HavocKind::Uninit) = &edge.op
            && let Base::Var(v) = lv.base
        {
            begins.entry(v).or_default().push(edge.src);
        }
    }
    let into = proc.predecessors();
    let is_renewed = |v: VarId, begins: Vec<LocId>| {
        let mut seen: BTreeSet<LocId> = begins.iter().copied().collect();
        let mut work = begins;
        while let Some(at) = work.pop() {
            for e in &into[at] {
                let edge = &proc.edges[*e];
                let mut takes = false;
                visit::addresses(&edge.op, &mut |w| takes |= v == w);
                if takes {
                    return true;
                }
                if seen.insert(edge.src) {
                    work.push(edge.src);
                }
            }
        }
        false
    };
    let begins = begins.into_iter();
    begins.filter_map(|(v, begins)| is_renewed(v, begins).then_some(v)).collect()
}
