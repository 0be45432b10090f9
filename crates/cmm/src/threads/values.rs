//! Variables that only ever get constants, whose values are told apart: locks, flags, numbers of threads.

use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::interp::int_binary;
use crate::program::{Program, Var, VarId};
use crate::types::Type;
use base::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// All variables, those of threads too.
type Vars = IndexVec<VarId, Var>;

/// What is known: for each slot of [`Tracked`] the constant that the location holds, of its type.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Values(Vec<i32>);

/// Larger arrays are not followed.
const ELEMENTS: usize = 64;

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
        self.trim();
    }

    /// So that there is one form of each.
    fn trim(&mut self) {
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
        self.trim();
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
    /// The location takes part, of a small array each element.
    pub(super) fn add(&mut self, program: &Program, vars: &Vars, lv: &Lvalue) {
        let Base::Var(v) = lv.base else { return };
        if self.dropped.contains(&v) || self.slots.contains_key(lv) {
            return;
        }
        let Some(parts) = elements(program, vars, lv) else { return self.drop(v) };
        for part in parts {
            if self.slots.contains_key(&part) {
                continue;
            }
            let Some(bytes) = bytes(program, vars, &part) else { return self.drop(v) };
            let of = self.of.entry(v).or_default();
            if of.values().any(|(from, to)| bytes.0 < *to && *from < bytes.1) {
                return self.drop(v);
            }
            of.insert(part.clone(), bytes);
            self.slots.insert(part, self.slots.len());
        }
    }

    /// The variable is not followed.
    pub(super) fn drop(&mut self, v: VarId) {
        self.of.remove(&v);
        self.dropped.insert(v);
    }

    /// The slot of a location that is followed, where it is known which one it is.
    pub(super) fn slot(&self, program: &Program, values: &Values, lv: &Lvalue) -> Option<usize> {
        let Base::Var(v) = lv.base else { return None };
        if self.dropped.contains(&v) {
            return None;
        }
        if lv.is_fixed() {
            return self.slots.get(lv).copied();
        }
        let mut lv = lv.clone();
        for access in &mut lv.path {
            if let Access::Index(e) = access {
                *e = index(self.eval(program, values, e)?);
            }
        }
        self.slots.get(&lv).copied()
    }

    /// The slots of the variable.
    pub(super) fn of(&self, v: VarId) -> Vec<usize> {
        self.of.get(&v).into_iter().flatten().map(|(lv, _)| self.slots[lv]).collect()
    }

    /// The variables that are followed.
    pub(super) fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.of.keys().copied()
    }

    /// What is known when the location has got a value.
    pub(super) fn assign(&self, program: &Program, values: &mut Values, lv: &Lvalue, value: Option<i128>) {
        let Base::Var(v) = lv.base else { return };
        match self.slot(program, values, lv) {
            Some(slot) => values.set(slot, value),
            // Any element of it.
            None => values.forget(&self.of(v)),
        }
    }

    /// What is known when all bytes of the variable are zero.
    pub(super) fn clear(&self, values: &mut Values, v: VarId) {
        let of = self.of.get(&v).into_iter().flatten();
        for (lv, _) in of.filter(|(lv, _)| matches!(lv.ty, Type::Int(_) | Type::Ptr(_))) {
            values.set(self.slots[lv], Some(0));
        }
    }

    /// The number that the expression is, by what is known; of pointers only NULL is one.
    pub(super) fn eval(&self, program: &Program, values: &Values, e: &Expr) -> Option<i128> {
        eval(program, &|lv| values.get(self.slot(program, values, lv)?), e)
    }
}

/// An index of an element that is followed.
fn index(n: i128) -> Expr {
    Expr::Const(n, Type::INT)
}

/// The locations that the location may be; `None` where they are many, or arrays without a length.
fn elements(program: &Program, vars: &Vars, lv: &Lvalue) -> Option<Vec<Lvalue>> {
    let Base::Var(v) = lv.base else { return None };
    let mut parts = vec![Lvalue::var(v, vars[v].ty.clone())];
    for access in &lv.path {
        let mut next = vec![];
        for part in parts {
            match (access, part.ty.clone()) {
                (Access::Field(r, n), _) => {
                    let ty = program.field(*r, *n).ty.clone();
                    next.push(part.step(access.clone(), ty));
                }
                (Access::Index(_), Type::Array(elem, Some(length))) if length <= ELEMENTS as u64 => {
                    let one = |n| part.clone().step(Access::Index(index(i128::from(n))), (*elem).clone());
                    next.extend((0..length).map(one));
                }
                _ => return None,
            }
        }
        if next.len() > ELEMENTS {
            return None;
        }
        parts = next;
    }
    // A bit-field has a type of its own width.
    parts.iter_mut().for_each(|part| part.ty = lv.ty.clone());
    Some(parts)
}

/// Which bytes of its variable a scalar takes, where members and numbers of elements lead to it.
fn bytes(program: &Program, vars: &Vars, lv: &Lvalue) -> Option<(u64, u64)> {
    let Base::Var(v) = lv.base else { return None };
    if !matches!(lv.ty, Type::Int(_) | Type::Ptr(_)) {
        return None;
    }
    let (mut from, mut ty) = (0, vars[v].ty.clone());
    for access in &lv.path {
        ty = match (access, ty) {
            (Access::Field(r, n), _) => {
                let field = program.field(*r, *n);
                if field.bit_offset.is_some() {
                    return None;
                }
                from += field.offset;
                field.ty.clone()
            }
            (Access::Index(Expr::Const(n, _)), Type::Array(elem, _)) => {
                from += u64::try_from(*n).ok()? * program.size_of(&elem)?;
                (*elem).clone()
            }
            _ => return None,
        };
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
