//! Variables that only ever get constants, whose values are told apart: locks, flags, numbers of threads.

use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::interp::int_binary;
use crate::program::{Program, VarId};
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What is known: for each slot of [`Tracked`] the constant that the location holds, of its type.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Values(Vec<i32>);

/// In a slot whose location may hold anything.
const UNKNOWN: i32 = i32::MIN;

impl Values {
    fn get(&self, slot: usize) -> Option<i128> {
        self.0.get(slot).filter(|v| **v != UNKNOWN).map(|v| i128::from(*v))
    }

    /// Constants that do not fit are not known.
    fn set(&mut self, slot: usize, value: Option<i128>) {
        let value = value.and_then(|v| i32::try_from(v).ok()).unwrap_or(UNKNOWN);
        if self.0.len() <= slot {
            self.0.resize(slot + 1, UNKNOWN);
        }
        self.0[slot] = value;
        // So that there is one form of each.
        while self.0.last() == Some(&UNKNOWN) {
            self.0.pop();
        }
    }

    pub(super) fn forget(&mut self, slots: &[usize]) {
        for slot in slots {
            if let Some(value) = self.0.get_mut(*slot) {
                *value = UNKNOWN;
            }
        }
        while self.0.last() == Some(&UNKNOWN) {
            self.0.pop();
        }
    }
}

/// The locations whose values are told apart.
#[derive(Default, Debug)]
pub(super) struct Tracked {
    /// The scalars in variables that are accessed by name, by variable, with the bytes that each takes.
    of: BTreeMap<VarId, BTreeMap<Lvalue, (u64, u64)>>,
    slots: FxHashMap<Lvalue, usize>,
    /// Variables that are not followed.
    dropped: BTreeSet<VarId>,
}

impl Tracked {
    /// The location takes part; whether that changes what is followed.
    pub(super) fn add(&mut self, program: &Program, lv: &Lvalue) -> bool {
        let Base::Var(v) = lv.base else { return false };
        if self.dropped.contains(&v) || self.slots.contains_key(lv) {
            return false;
        }
        let Some(bytes) = bytes(program, lv) else { return self.drop(v) };
        let of = self.of.entry(v).or_default();
        if of.values().any(|(from, to)| bytes.0 < *to && *from < bytes.1) {
            return self.drop(v);
        }
        of.insert(lv.clone(), bytes);
        self.slots.insert(lv.clone(), self.slots.len());
        true
    }

    /// The variable is not followed; whether it was.
    pub(super) fn drop(&mut self, v: VarId) -> bool {
        self.of.remove(&v);
        self.dropped.insert(v)
    }

    /// The slot of a location that is followed.
    pub(super) fn slot(&self, lv: &Lvalue) -> Option<usize> {
        let Base::Var(v) = lv.base else { return None };
        self.slots.get(lv).copied().filter(|_| !self.dropped.contains(&v))
    }

    /// The slots of the variable.
    pub(super) fn of(&self, v: VarId) -> Vec<usize> {
        self.of.get(&v).into_iter().flatten().filter_map(|(lv, _)| self.slot(lv)).collect()
    }

    /// The variables that are followed.
    pub(super) fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.of.keys().copied()
    }

    /// What is known when the location has got a value.
    pub(super) fn assign(&self, values: &mut Values, lv: &Lvalue, value: Option<i128>) {
        if let Some(slot) = self.slot(lv) {
            values.set(slot, value);
        }
    }

    /// What is known when all bytes of the variable are zero.
    pub(super) fn clear(&self, values: &mut Values, v: VarId) {
        let of = self.of.get(&v).into_iter().flatten();
        for (lv, _) in of.filter(|(lv, _)| matches!(lv.ty, Type::Int(_) | Type::Ptr(_))) {
            self.assign(values, lv, Some(0));
        }
    }

    /// The number that the expression is, by what is known; of pointers only NULL is one.
    pub(super) fn eval(&self, program: &Program, values: &Values, e: &Expr) -> Option<i128> {
        eval(program, &|lv| values.get(self.slot(lv)?), e)
    }
}

/// Which bytes of its variable a scalar takes, where members lead to it.
fn bytes(program: &Program, lv: &Lvalue) -> Option<(u64, u64)> {
    if !matches!(lv.ty, Type::Int(_) | Type::Ptr(_)) {
        return None;
    }
    let mut from = 0;
    for access in &lv.path {
        let Access::Field(r, n) = access else { return None };
        let field = program.field(*r, *n);
        if field.bit_offset.is_some() {
            return None;
        }
        from += field.offset;
    }
    Some((from, from + program.size_of(&lv.ty)?))
}

/// The number that the expression is, by what is known of locations; of pointers only NULL is one.
pub(super) fn eval(program: &Program, known: &dyn Fn(&Lvalue) -> Option<i128>, e: &Expr) -> Option<i128> {
    let at = |e: &Expr| eval(program, known, e);
    match e {
        Expr::Const(v, Type::Int(_)) => Some(*v),
        Expr::Const(0, Type::Ptr(_)) => Some(0),
        Expr::Load(lv) => known(lv),
        Expr::Cast(inner, Type::Int(to)) if inner.ty().as_int().is_some() => Some(to.wrap(at(inner)?)),
        Expr::Cast(inner, Type::Ptr(_)) => at(inner).filter(|v| *v == 0),
        Expr::Unary(UnOp::Not, inner, _) => at(inner).map(|v| i128::from(v == 0)),
        Expr::Binary(BinOp::And, l, r, _) => match (at(l), at(r)) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(_), Some(_)) => Some(1),
            _ => None,
        },
        Expr::Binary(BinOp::Or, l, r, _) => match (at(l), at(r)) {
            (Some(l), _) if l != 0 => Some(1),
            (_, Some(r)) if r != 0 => Some(1),
            (Some(_), Some(_)) => Some(0),
            _ => None,
        },
        Expr::Binary(op, l, r, _) if op.is_comparison() => {
            let (l, r) = (at(l)?, at(r)?);
            op.compare(&l, &r).map(i128::from)
        }
        Expr::Binary(op, l, r, Type::Int(ty)) if l.ty() == r.ty() => {
            int_binary(*op, at(l)?, at(r)?, *ty, program.signed_wrap).ok()
        }
        _ => None,
    }
}
