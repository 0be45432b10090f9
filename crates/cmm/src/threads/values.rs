//! Variables that only ever get constants, whose values are told apart: locks, flags, numbers of threads.

use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::interp::int_binary;
use crate::program::{Program, VarId};
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// What is known: the constants that locations hold, of their types.
pub(super) type Values = BTreeMap<Lvalue, i128>;

/// The locations whose values are told apart.
#[derive(Default, Debug)]
pub(super) struct Tracked {
    /// The scalars in variables that are accessed by name, by variable, with the bytes that each takes.
    of: BTreeMap<VarId, BTreeMap<Lvalue, (u64, u64)>>,
    /// Variables that are not followed.
    dropped: BTreeSet<VarId>,
}

impl Tracked {
    /// The location takes part; whether that changes what is followed.
    pub(super) fn add(&mut self, program: &Program, lv: &Lvalue) -> bool {
        let Base::Var(v) = lv.base else { return false };
        if self.dropped.contains(&v) || self.of.get(&v).is_some_and(|of| of.contains_key(lv)) {
            return false;
        }
        let Some(bytes) = bytes(program, lv) else { return self.drop(v) };
        let of = self.of.entry(v).or_default();
        if of.values().any(|(from, to)| bytes.0 < *to && *from < bytes.1) {
            return self.drop(v);
        }
        of.insert(lv.clone(), bytes);
        true
    }

    /// The variable is not followed; whether it was.
    pub(super) fn drop(&mut self, v: VarId) -> bool {
        self.of.remove(&v);
        self.dropped.insert(v)
    }

    fn has(&self, lv: &Lvalue) -> bool {
        matches!(lv.base, Base::Var(v) if self.of.get(&v).is_some_and(|of| of.contains_key(lv)))
    }

    /// What is known when the location has got a value.
    pub(super) fn assign(&self, values: &mut Values, lv: &Lvalue, value: Option<i128>) {
        match value {
            Some(value) if self.has(lv) => _ = values.insert(lv.clone(), value),
            _ => _ = values.remove(lv),
        }
    }

    /// What is known when all bytes of the variable are zero.
    pub(super) fn clear(&self, values: &mut Values, v: VarId) {
        let of = self.of.get(&v).into_iter().flatten();
        for (lv, _) in of.filter(|(lv, _)| matches!(lv.ty, Type::Int(_) | Type::Ptr(_))) {
            values.insert(lv.clone(), 0);
        }
    }
}

/// Nothing is known of the variable any more.
pub(super) fn forget(values: &mut Values, v: VarId) {
    values.retain(|lv, _| lv.base != Base::Var(v));
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

/// The number that the expression is, by what is known; of pointers only NULL is one.
pub(super) fn eval(program: &Program, values: &Values, e: &Expr) -> Option<i128> {
    let at = |e: &Expr| eval(program, values, e);
    match e {
        Expr::Const(v, Type::Int(_)) => Some(*v),
        Expr::Const(0, Type::Ptr(_)) => Some(0),
        Expr::Load(lv) => values.get(lv).copied(),
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
