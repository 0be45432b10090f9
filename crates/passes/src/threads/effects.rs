//! Effects of operations on the known values.

use super::access;
use super::build::{Build, Extent, Moment};
use super::known::Known;
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{Op, VarId};

impl Build {
    /// The largest counter value that is tracked.
    fn largest(&self) -> i128 {
        if self.bounds.any { Extent::Whole.largest() } else { self.extent.largest() }
    }

    /// Computes what is known behind the operation.
    pub(super) fn effect(&self, next: &mut Moment, op: &Op) {
        let value = match op {
            Op::Assign(_, e) => {
                let small = |n: i128| n.abs() <= self.largest() || matches!(e, Expr::Const(..));
                let known = self.read(&next.values, |reader| reader.value(e));
                known.filter(|known| known.clone().number().is_none_or(small))
            }
            _ => None,
        };
        match op {
            Op::MemSet { ptr, byte, len } => match self.block(next, ptr) {
                Some((v, true)) if byte.is_zero() && self.is_size(v, len) => {
                    self.tracked.clear(&mut next.values, v);
                }
                block => self.forget_block(next, block),
            },
            Op::MemCopy { dst, .. } => self.forget_block(next, self.block(next, dst)),
            op if self.is_foreign(op) => next.values.forget(&self.pointed_slots),
            _ => {}
        }
        if let Some(dest) = op.destination() {
            self.assign(&mut next.values, dest, value);
        }
        if let Some(v) = op.ends() {
            next.values.forget(&self.tracked.of(v));
            self.tracked.forget_addresses(&mut next.values, v);
        }
    }

    /// The variable that a block operation writes to, and whether it writes from its first byte on.
    fn block(&self, moment: &Moment, pointer: &Expr) -> Option<(VarId, bool)> {
        let of = |lv: &Lvalue| match lv.base {
            Base::Var(v) => Some((v, lv.path.is_empty())),
            Base::Deref(_) => None,
        };
        let known = || self.read(&moment.values, |reader| reader.value(pointer));
        match (access::block_variable(pointer), known) {
            (Some(lv), _) => of(lv),
            (None, known) => match known()? {
                Known::Address(Expr::AddrOf(lv)) => of(&lv),
                _ => None,
            },
        }
    }

    fn is_size(&self, v: VarId, len: &Expr) -> bool {
        self.program.size_of(&self.vars[v].ty).map(i128::from) == len.as_const()
    }

    fn forget_block(&self, next: &mut Moment, block: Option<(VarId, bool)>) {
        match block {
            Some((v, _)) => next.values.forget(&self.tracked.of(v)),
            None => next.values.forget(&self.pointed_slots),
        }
    }
}
