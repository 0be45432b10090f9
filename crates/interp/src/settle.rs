//! The objects that rules follow ([`HavocKind::Followed`](ir::HavocKind::Followed)). Which one it is stays
//! open until the program compares it: each comparison with a new object may find that it is this one, as the
//! inputs choose. So every object can be the one, also those that do not exist yet when the program starts.

use super::Halt;
use super::machine::Machine;
use super::memory::{Pointer, Region, Target};
use super::values::Val;
use ir::expr::{BinOp, Expr, Lvalue};
use ir::program::{EdgeId, HavocKind, LocId, ProcId, VarId};
use std::collections::BTreeMap;

/// The variables whose objects are open, with what each of them is not.
pub(super) type Unsettled = BTreeMap<VarId, Vec<Val>>;

impl Machine<'_, '_> {
    /// Begins to follow any object: what the variable holds until that is settled, which no object is.
    pub(super) fn follow_any(&mut self, lv: &Lvalue, edge: EdgeId) -> Val {
        // The inputs expect the request; the value is not needed.
        let proc = self.state.frame.proc;
        self.state.inputs().havoc(proc, edge, &HavocKind::Followed, &lv.ty);
        if let Some(v) = lv.as_var() {
            self.unsettled.insert(v, vec![]);
        }
        match lv.ty.is_ptr() {
            true => Val::Ptr(Pointer { target: Target::Number(Region::Unknown), offset: 1 }),
            false => Val::Int(0),
        }
    }

    /// The edge to take where a condition compares an object that is open with a value; nothing for other conditions.
    pub(super) fn settle(
        &mut self,
        (proc, loc): (ProcId, LocId),
        (yes, no): (EdgeId, EdgeId),
        condition: &Expr,
    ) -> Option<Result<EdgeId, Halt>> {
        if self.unsettled.is_empty() {
            return None;
        }
        let Expr::Binary(op @ (BinOp::Eq | BinOp::Ne), value, followed, _) = condition else { return None };
        let Expr::Load(followed) = &**followed else { return None };
        let v = followed.as_var().filter(|v| self.unsettled.contains_key(v))?;
        self.state.edge = yes;
        let value = match self.state.eval(value) {
            Ok(value) => value,
            Err(halt) => return Some(Err(halt)),
        };
        let (same, other) = if *op == BinOp::Eq { (yes, no) } else { (no, yes) };
        let is_null = matches!(value, Val::Ptr(p) if p.is_null());
        if is_null || self.unsettled[&v].contains(&value) {
            return Some(Ok(other));
        }
        let candidates = [yes, no];
        let n = self.state.inputs().choose_edge(proc, loc, &candidates);
        let chosen = candidates[n.min(1)];
        if chosen == same {
            self.unsettled.remove(&v);
            if let Err(halt) = self.state.write(followed, value) {
                return Some(Err(halt));
            }
        } else {
            self.unsettled.entry(v).or_default().push(value);
        }
        Some(Ok(chosen))
    }
}
