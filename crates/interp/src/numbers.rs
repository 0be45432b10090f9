//! The numbers of addresses. An object gets one when an operation needs it: some number that the platform may
//! give it. It keeps that as long as it lives, objects do not touch one another, and none is more aligned than
//! it has to be. A number that becomes a pointer points into the object around it, if that has its number
//! already: otherwise nobody can know it (PNVI-ae in N3005, 6.3).
//!
//! Invariant: an answer about a number stays true when an object gets its address later. No object is placed at
//! numbers that were pointers to nothing.

pub(crate) use super::address::{LOWEST, highest};
use super::eval::{Eval, State};
use super::memory::{Pointer, Target};
use super::values::{Val, address_as_number};
use super::{ObjectKind, Value};
use crate::address::HEAP_ALIGN;
use ir::types::IntType;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Least distance between two objects, in bytes.
const GAP: i128 = 16;

/// An object or procedure that was given an address, because the run needed it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Located {
    /// Its start, as a pointer.
    pub what: Value,
    /// The address of `what`.
    pub address: i128,
}

/// The addresses of objects.
#[derive(Default)]
pub(super) struct Numbers {
    starts: FxHashMap<Target, i128>,
    /// The objects by their starts, with their ends.
    ranges: BTreeMap<i128, (Target, i128)>,
    /// Numbers that became pointers to nothing.
    claimed: BTreeSet<i128>,
    /// In the order in which they were given.
    pub(super) given: Vec<Located>,
}

impl Numbers {
    /// The object that the number lies in, or at the end of, with the distance from its start.
    fn around(&self, number: i128) -> Option<(Target, i128)> {
        let (start, (target, end)) = self.ranges.range(..=number).next_back()?;
        (number <= *end).then_some((*target, number - start))
    }

    /// The next place for an object; `None` when there is no more room.
    fn place(&mut self, target: Target, size: i128, align: i128, most: i128) -> Option<i128> {
        let mut from = self.ranges.last_key_value().map_or(LOWEST, |(_, (_, end))| end + GAP);
        let start = loop {
            // An odd multiple: what is aligned to twice as much is an accident.
            let start = (from - 1).div_euclid(2 * align) * 2 * align + align;
            let start = if start < from { start + 2 * align } else { start };
            match self.claimed.range(start..=start + size).next_back() {
                Some(taken) => from = taken + 1,
                None => break start,
            }
        };
        if start + size > most {
            return None;
        }
        self.starts.insert(target, start);
        self.ranges.insert(start, (target, start + size));
        Some(start)
    }
}

impl State<'_, '_> {
    /// The number of an address, or of a byte of one, as a value of the type.
    pub(super) fn number(&mut self, v: Val, ty: IntType) -> Eval<i128> {
        match v {
            Val::Int(v) => Ok(v),
            Val::Ptr(p) => Ok(ty.wrap(self.address_number(p)?)),
            Val::Byte(p, n) => Ok(ty.wrap(self.address_number(p)? >> (8 * u32::from(n)) & 0xff)),
            Val::Float(_) | Val::Uninit => Err(address_as_number()),
        }
    }

    fn address_number(&mut self, p: Pointer) -> Eval<i128> {
        let start = match p.target {
            Target::Number(_) => 0,
            target => self.start(target)?,
        };
        let unsigned = IntType { bits: self.rules.pointer_bits, signed: false };
        Ok(unsigned.wrap(start + i128::from(p.offset)))
    }

    /// The address of the object or procedure. Observers do not settle it.
    fn start(&mut self, target: Target) -> Eval<i128> {
        if let Some(start) = self.numbers.starts.get(&target) {
            return Ok(*start);
        }
        let (size, align) = match target {
            Target::Object(id) => match (self.memory.kind(id), self.memory.size(id)) {
                (Some(ObjectKind::Var(v)), Some(size)) => (size.into(), self.program.alignment(v).into()),
                (Some(_), Some(size)) => (size.into(), self.memory.align(id).unwrap_or(HEAP_ALIGN)),
                _ => return Err(address_as_number()),
            },
            Target::Func(_) | Target::Number(_) => (1, 1),
        };
        if self.inputs.is_none() {
            return Err(address_as_number());
        }
        let most = highest(self.rules.pointer_bits);
        let address = self.numbers.place(target, size, align, most).ok_or_else(address_as_number)?;
        let what = self.show(Val::Ptr(Pointer { target, offset: 0 }));
        self.numbers.given.push(Located { what, address });
        Ok(address)
    }

    /// The pointer that a number becomes.
    pub(super) fn resolved(&mut self, v: Val) -> Val {
        let Val::Ptr(Pointer { target: Target::Number(_), offset }) = v else { return v };
        let number = IntType { bits: self.rules.pointer_bits, signed: false }.wrap(offset.into());
        if number < LOWEST {
            return v;
        }
        match self.numbers.around(number) {
            Some((target, offset)) => Val::Ptr(Pointer { target, offset: offset as i64 }),
            None => {
                self.numbers.claimed.insert(number);
                v
            }
        }
    }

    /// Whether a comparison of two values of an integer type, one of them an address, depends on its number.
    pub(super) fn numbers_decide(&self, l: Val, r: Val) -> bool {
        match (l, r) {
            (Val::Ptr(p), Val::Ptr(q)) => {
                p.target != q.target && !(self.memory.is_inside(p) && self.memory.is_inside(q))
            }
            (Val::Ptr(p), Val::Int(n)) | (Val::Int(n), Val::Ptr(p)) => {
                let is_number = matches!(p.target, Target::Number(_));
                !(is_number || self.memory.is_inside(p) && (0..LOWEST).contains(&n))
            }
            (Val::Byte(p, m), Val::Byte(q, n)) => (p, m) != (q, n),
            (Val::Byte(..), _) | (_, Val::Byte(..)) => true,
            _ => false,
        }
    }
}
