//! Locations with few possible values, by which states are distinguished: locks, flags, numbers of threads,
//! addresses.

use super::known::Known;
use base::IndexVec;
use indexmap::IndexSet;
use ir::expr::{Access, Base, Expr, Lvalue};
use ir::program::{Program, Var, VarId};
use ir::types::Type;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// All variables, copies for threads included.
pub(super) type Vars = IndexVec<VarId, Var>;

/// Known values: for each slot of [`Tracked`] the number, of the location's type, or the address that it holds.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Values(Vec<i32>);

/// Most elements of an array that is tracked.
const ELEMENTS: usize = 64;

/// The code of a slot whose location may hold anything.
const UNKNOWN: i32 = i32::MIN;
/// The first code of an address.
const ADDRESSES: i32 = UNKNOWN + 1;
/// The first code of a number.
const NUMBERS: i32 = ADDRESSES + (1 << 20);

impl Values {
    fn set(&mut self, slot: usize, value: i32) {
        if self.0.len() <= slot {
            self.0.resize(slot + 1, UNKNOWN);
        }
        self.0[slot] = value;
        self.trim();
    }

    /// Gives equal knowledge one form.
    fn trim(&mut self) {
        while self.0.last() == Some(&UNKNOWN) {
            self.0.pop();
        }
    }

    /// The known values of these slots.
    pub(super) fn known(&self, slots: &[usize]) -> Vec<(usize, i32)> {
        let of =
            |slot: &usize| self.0.get(*slot).filter(|value| **value != UNKNOWN).map(|value| (*slot, *value));
        slots.iter().filter_map(of).collect()
    }

    /// Restores known values.
    pub(super) fn restore(&mut self, known: &[(usize, i32)]) {
        known.iter().for_each(|(slot, value)| self.set(*slot, *value));
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

/// A range of bytes in a variable.
type Bytes = (u64, u64);

/// The locations whose values are tracked.
#[derive(Default, Debug)]
pub(super) struct Tracked {
    /// The scalars in variables, by variable: their slots, and the bytes that each takes.
    of: BTreeMap<VarId, Vec<(usize, Bytes)>>,
    slots: FxHashMap<Lvalue, usize>,
    /// For each slot the type of its location.
    types: Vec<Type>,
    /// Slots whose locations get too many values.
    unfit: BTreeSet<usize>,
    /// Addresses that locations hold.
    addresses: RefCell<IndexSet<Expr>>,
}

impl Tracked {
    /// Tracks the location, or each element of a small array.
    pub(super) fn add(&mut self, program: &Program, vars: &Vars, lv: &Lvalue) {
        for part in elements(program, vars, lv).unwrap_or_default() {
            if self.slots.contains_key(&part) {
                continue;
            }
            let Base::Var(v) = part.base else { continue };
            let Some(bytes) = scalar_bytes(program, vars, &part) else { continue };
            let slot = self.types.len();
            self.of.entry(v).or_default().push((slot, bytes));
            self.types.push(part.ty.clone());
            self.slots.insert(part, slot);
        }
    }

    /// Stops tracking the location, which gets too many values.
    pub(super) fn refuse(&mut self, program: &Program, vars: &Vars, lv: &Lvalue) {
        self.add(program, vars, lv);
        let parts = elements(program, vars, lv).unwrap_or_default();
        self.unfit.extend(parts.iter().filter_map(|part| self.slots.get(part)));
    }

    /// The slot of a tracked location, each index of which is a constant.
    pub(super) fn slot(&self, lv: &Lvalue) -> Option<usize> {
        self.slots.get(lv).copied().filter(|slot| !self.unfit.contains(slot))
    }

    /// The slots of the variable.
    pub(super) fn of(&self, v: VarId) -> Vec<usize> {
        self.of.get(&v).into_iter().flatten().map(|(slot, _)| *slot).collect()
    }

    /// The tracked variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.of.keys().copied()
    }

    /// The value of the location.
    pub(super) fn get(&self, values: &Values, lv: &Lvalue) -> Option<Known> {
        match *values.0.get(self.slot(lv)?)? {
            UNKNOWN => None,
            n if n >= NUMBERS => Some(Known::Number(i128::from(n))),
            n => self.addresses.borrow().get_index((n - ADDRESSES) as usize).cloned().map(Known::Address),
        }
    }

    /// Constants that do not fit are not known.
    fn encode(&self, known: Known) -> Option<i32> {
        match known {
            Known::Number(n) => i32::try_from(n).ok().filter(|n| *n >= NUMBERS),
            Known::Address(e) => {
                let n = self.addresses.borrow_mut().insert_full(e).0;
                i32::try_from(n).ok().map(|n| n + ADDRESSES).filter(|n| *n < NUMBERS)
            }
        }
    }

    /// Records that the part of the variable has got a value; where not all indices are constants, some element
    /// of it.
    pub(super) fn assign(
        &self,
        (program, vars): (&Program, &Vars),
        values: &mut Values,
        lv: &Lvalue,
        value: Option<Known>,
    ) {
        let Base::Var(v) = lv.base else { return };
        let slots = self.of.get(&v).into_iter().flatten();
        let touched: Vec<usize> = match extent(program, vars, lv) {
            Some((from, to)) => slots.filter(|(_, (f, t))| from < *t && *f < to).map(|(s, _)| *s).collect(),
            None => slots.map(|(slot, _)| *slot).collect(),
        };
        values.forget(&touched);
        if let (Some(slot), Some(value)) = (self.slot(lv), value.and_then(|v| self.encode(v))) {
            values.set(slot, value);
        }
    }

    /// Records that all bytes of the variable are zero.
    pub(super) fn clear(&self, values: &mut Values, v: VarId) {
        for slot in self.of(v).into_iter().filter(|slot| !self.unfit.contains(slot)) {
            values.set(slot, 0);
        }
    }

    /// Forgets all addresses of a variable whose life ends.
    pub(super) fn forget_addresses(&self, values: &mut Values, v: VarId) {
        let addresses = self.addresses.borrow();
        let leads = |n: i32| {
            let address =
                (ADDRESSES..NUMBERS).contains(&n).then(|| addresses.get_index((n - ADDRESSES) as usize));
            matches!(address.flatten(), Some(Expr::AddrOf(lv)) if lv.base == Base::Var(v))
        };
        values.0.iter_mut().filter(|n| leads(**n)).for_each(|n| *n = UNKNOWN);
        values.trim();
    }
}

/// An index of a tracked element.
pub(super) fn index(n: i128) -> Expr {
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
fn scalar_bytes(program: &Program, vars: &Vars, lv: &Lvalue) -> Option<Bytes> {
    let is_scalar = matches!(lv.ty, Type::Int(_) | Type::Ptr(_));
    (is_scalar && !program.is_bit_field(lv)).then(|| extent(program, vars, lv))?
}

/// The bytes of its variable among which a location is: all that it takes where its path is known, which each index is to
/// stay inside of; else those up to where it is known.
pub(super) fn extent(program: &Program, vars: &Vars, lv: &Lvalue) -> Option<Bytes> {
    let Base::Var(v) = lv.base else { return None };
    let (mut from, mut ty) = (0, vars[v].ty.clone());
    for access in &lv.path {
        let next = match (access, &ty) {
            (Access::Field(r, n), _) => {
                let field = program.field(*r, *n);
                // The bits are in bytes that others have too.
                field.bit_offset.is_none().then(|| (field.offset, field.ty.clone()))
            }
            (Access::Index(Expr::Const(n, _)), Type::Array(elem, length)) => {
                let n = u64::try_from(*n).ok().filter(|n| length.is_some_and(|length| *n < length))?;
                Some((n.checked_mul(program.size_of(elem)?)?, (**elem).clone()))
            }
            _ => None,
        };
        let Some((offset, inner)) = next else { break };
        from += offset;
        ty = inner;
    }
    Some((from, from + program.size_of(&ty)?))
}
