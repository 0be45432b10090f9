//! Which global predicates matter in which procedure: those of the groups (predicates that read common cells, directly
//! or through others) of which the procedure, or one that it calls, mentions something. Of the others nothing in it
//! can tell or change the value: a procedure's abstraction says nothing of them, and they keep their values over its
//! calls.

use crate::context::{Base, Pred};
use crate::groups::first_of_groups;
use alias::CellSet;
use base::{Id, IndexVec};
use ir::{Expr, ProcId};
use predicates::PredId;

/// The global predicates in groups.
pub(crate) struct GlobalPredicates<'a> {
    preds: &'a IndexVec<PredId, Pred>,
    all: &'a [PredId],
    /// The number of the group of each.
    group: Vec<usize>,
}

impl<'a> GlobalPredicates<'a> {
    pub(crate) fn new(preds: &'a IndexVec<PredId, Pred>, all: &'a [PredId]) -> GlobalPredicates<'a> {
        let cells = all.iter().map(|id| preds[*id].cells.iter().map(Id::index));
        GlobalPredicates { preds, all, group: first_of_groups(cells) }
    }

    /// Those that matter in a procedure with these predicates of its own, in order.
    pub(crate) fn in_scope(&self, base: &Base<'_>, p: ProcId, own: &[PredId]) -> Vec<PredId> {
        let mut mentioned: CellSet = base.oracle.refs(p).clone();
        mentioned.extend_from(base.oracle.mods(p));
        for id in own {
            self.preds[*id].expr.walk(&mut |e| {
                if let Expr::Load(lv) = e {
                    mentioned.insert(base.oracle.cell(lv));
                }
            });
        }
        let mut taken = vec![false; self.all.len()];
        for (id, group) in self.all.iter().zip(&self.group) {
            taken[*group] |= self.preds[*id].cells.intersects(&mentioned);
        }
        self.all.iter().zip(&self.group).filter(|(_, group)| taken[**group]).map(|(id, _)| *id).collect()
    }
}
