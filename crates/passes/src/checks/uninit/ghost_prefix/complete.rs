//! Which variables the ghost numbers describe completely.

use super::{Filled, Pointers};
use alias::Object;
use ir::expr::{Base, Lvalue};
use ir::program::{Op, VarId};
use std::collections::BTreeSet;

impl Filled {
    /// The variables with numbers that miss something which the program may write there.
    pub(in crate::checks) fn incomplete(&self, pointers: Pointers<'_>) -> BTreeSet<VarId> {
        let Pointers { program, oracle, .. } = pointers;
        let marked: BTreeSet<VarId> = self.marks.keys().map(|(v, _)| *v).collect();
        let mut out = BTreeSet::new();
        for (_, _, edge) in program.edges() {
            let through = match &edge.op {
                Op::MemSet { ptr, len, .. } if len.as_const().is_none() => ptr,
                Op::MemCopy { dst, .. } => dst,
                op => match op.destination() {
                    Some(lv) if self.part(pointers, lv).is_none() => match &lv.base {
                        Base::Deref(pointer) => &**pointer,
                        Base::Var(_) => continue,
                    },
                    _ => continue,
                },
            };
            let targets = oracle.points_to(through).objects.into_iter();
            out.extend(targets.filter_map(|o| if let Object::Var(v) = o { Some(v) } else { None }));
        }
        out.retain(|v| marked.contains(v));
        out
    }

    /// Whether the numbers describe the location, and miss nothing of its variable.
    pub(in crate::checks) fn tells(
        &self,
        pointers: Pointers<'_>,
        incomplete: &BTreeSet<VarId>,
        lv: &Lvalue,
    ) -> bool {
        match self.part(pointers, lv) {
            Some((mark, _)) => !incomplete.contains(&mark.variable),
            None => self.behind(pointers.program, lv).is_some(),
        }
    }
}
