//! Lvalues: their places, and reading and writing there.

use super::eval::{Eval, SlotRef, State};
use super::memory::{Cell, Pointer, Region, Target};
use super::values::Val;
use super::{Halt, InputRecord, ObjectKind, UninitRead, Value};
use super::{UndefinedBehaviour, Unsupported};
use ir::expr::{Access, Base, Lvalue};
use ir::program::{HavocKind, VarId};
use ir::types::{IntType, Type};

/// How many uninitialised bytes one copy may give values to.
const MAX_COPIED_UNINIT: u64 = 1 << 20;

/// The origin of an object that has neither a name nor a type.
const FOREIGN: &str = "memory from outside";

/// A location in memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: Pointer,
    /// For a bit-field its first bit.
    pub(super) bit: Option<u16>,
}

impl State<'_, '_> {
    pub(super) fn load(&mut self, lv: &Lvalue) -> Eval<Val> {
        if let Some(v) = lv.as_var() {
            let current = match self.slot(v) {
                SlotRef::Global(n) => self.global_registers[n],
                SlotRef::Local(n) => {
                    self.register_read(n);
                    self.registers[n]
                }
                SlotRef::Object(id) => {
                    let at = Pointer { target: Target::Object(id), offset: 0 };
                    return self.read(Place { at, bit: None }, &lv.ty);
                }
            };
            if current != Val::Uninit {
                return Ok(current);
            }
            let value = self.ask_uninit(ObjectKind::Var(v), 0, &lv.ty, false)?;
            self.set_register(v, value);
            return Ok(value);
        }
        let place = self.place(lv, false)?;
        self.read(place, &lv.ty)
    }

    /// Sets the variable's register; where its object starts when it has none.
    fn set_register(&mut self, v: VarId, value: Val) -> Option<Pointer> {
        match self.slot(v) {
            SlotRef::Global(n) => self.global_registers[n] = value,
            SlotRef::Local(n) => {
                if let Some(unread) = &mut self.unread {
                    unread.register_written(n);
                }
                self.registers[n] = value;
            }
            SlotRef::Object(id) => return Some(Pointer { target: Target::Object(id), offset: 0 }),
        }
        None
    }

    /// Makes the location uninitialised again, if that can be done; whether it could.
    pub(super) fn forget(&mut self, lv: &Lvalue) -> Eval<bool> {
        let size = self.size(&lv.ty)?;
        if let Some(v) = lv.as_var() {
            if let Some(at) = self.set_register(v, Val::Uninit) {
                self.memory.forget(at, size)?;
            }
            return Ok(true);
        }
        let place = self.place(lv, false)?;
        if place.bit.is_none() {
            self.memory.forget(place.at, size)?;
        }
        Ok(place.bit.is_none())
    }

    /// The place of the lvalue. With `address` the place behind the last element of an array is admitted.
    pub(super) fn place(&mut self, lv: &Lvalue, address: bool) -> Eval<Place> {
        let (mut at, owned);
        let mut ty: &Type = match &lv.base {
            Base::Var(v) => {
                let SlotRef::Object(id) = self.slot(*v) else {
                    return Err(Halt::Unsupported(Unsupported::AddressNeverTaken));
                };
                at = Pointer { target: Target::Object(id), offset: 0 };
                &self.program.vars[*v].ty
            }
            Base::Deref(e) => {
                at = match self.eval(e)? {
                    Val::Ptr(p) => p,
                    _ => return Err(Halt::Unsupported(Unsupported::DereferenceNoPointer)),
                };
                if lv.path.is_empty() {
                    return Ok(Place { at, bit: None });
                }
                owned = e.ty();
                owned.pointee().ok_or(Halt::Unsupported(Unsupported::DereferenceNoPointer))?
            }
        };
        let mut bit = None;
        for access in &lv.path {
            match access {
                Access::Field(record, n) => {
                    let field = self.program.field(*record, *n);
                    at = self.rules.displace(at, field.offset.into())?;
                    (bit, ty) = (field.bit_offset, &field.ty);
                }
                Access::Index(i) => {
                    let Type::Array(elem, len) = ty else {
                        return Err(Halt::Unsupported(Unsupported::IndexNoArray));
                    };
                    let index = self.eval(i)?;
                    check_index(index, *len, address)?;
                    let size = self.size(elem)?;
                    let Val::Ptr(moved) = self.rules.sum(Val::Ptr(at), index, size)? else {
                        unreachable!("the sum of a pointer and an integer is a pointer")
                    };
                    at = moved;
                    (bit, ty) = (None, elem);
                }
            }
        }
        Ok(Place { at, bit })
    }

    pub(super) fn read(&mut self, place: Place, ty: &Type) -> Eval<Val> {
        if let (Some(bit), Type::Int(i)) = (place.bit, ty) {
            let raw = self.bit_field_bytes(place.at, bit, i.bits, false)?;
            return Ok(Val::Int(i.wrap((raw >> bit) as i128)));
        }
        let len = self.size(ty)? as usize;
        self.memory_read(place.at, len as u64);
        let cell = match self.memory.load(place.at, len)? {
            Cell::Uninit => self.first_value(place.at, len, ty, false)?,
            cell => cell,
        };
        let value = self.rules.decode(cell, ty)?;
        Ok(self.resolved(value))
    }

    /// The bytes that hold a bit-field, all initialised first.
    fn bit_field_bytes(&mut self, at: Pointer, bit: u16, bits: u16, whole: bool) -> Eval<u128> {
        let len = usize::from((bit + bits).div_ceil(8));
        if len > 16 {
            return Err(Halt::Unsupported(Unsupported::WideBitField));
        }
        self.memory_read(at, len as u64);
        self.initialise_bytes(at, len as u64, whole)?;
        match self.memory.load(at, len)? {
            Cell::Number(raw) => Ok(raw),
            _ => Err(Halt::Unsupported(Unsupported::BitFieldOverPointer)),
        }
    }

    /// Gives a value to each uninitialised byte, so that a copy has the same contents.
    pub(super) fn initialise_bytes(&mut self, at: Pointer, len: u64, whole: bool) -> Eval<()> {
        let byte = Type::Int(IntType { bits: 8, signed: false });
        let (mut from, mut asked) = (0, 0);
        while let Some(offset) = self.memory.first_uninit(at, from, len)? {
            asked += 1;
            if asked > MAX_COPIED_UNINIT {
                return Err(Halt::Unsupported(Unsupported::LargeUninitialisedCopy));
            }
            let place = self.rules.displace(at, offset.into())?;
            self.first_value(place, 1, &byte, whole)?;
            from = offset + 1;
        }
        Ok(())
    }

    /// Gives a value to memory that is read for the first time, and reads it.
    fn first_value(&mut self, at: Pointer, len: usize, ty: &Type, whole: bool) -> Eval<Cell> {
        let (id, offset) = self.memory.at(at).expect("an object that was just read is alive");
        let kind = self.memory.kind(id).expect("an object that was just read is alive");
        let value = self.ask_uninit(kind, offset as u64, ty, whole)?;
        match self.rules.encode(value, ty)? {
            Cell::Number(raw) => self.memory.fill_uninit(at, len, raw)?,
            cell if self.memory.all_uninit(at, len) => self.memory.store(at, len, cell)?,
            _ => {
                return Err(Halt::Unsupported(Unsupported::PartlyInitialisedPointer));
            }
        }
        self.memory.load(at, len)
    }

    fn ask_uninit(&mut self, object: ObjectKind, offset: u64, ty: &Type, whole: bool) -> Eval<Val> {
        let read = UninitRead { proc: self.frame.proc, edge: self.edge, object, offset, whole };
        let Some(inputs) = self.inputs.as_mut() else {
            return Err(Halt::Unsupported(Unsupported::NotAskedFor));
        };
        let value = inputs.uninit(&read, ty);
        let kind = if object == ObjectKind::Fresh { HavocKind::Contents } else { HavocKind::Uninit };
        self.record(kind, value, ty)
    }

    /// Converts a supplied value to its type and notes it.
    pub(super) fn record(&mut self, kind: HavocKind, value: Value, ty: &Type) -> Eval<Val> {
        let supplied = value;
        let from_outside = kind.may_point() || matches!(kind, HavocKind::Unmodelled(_));
        let value = self.admit(value, ty, if from_outside { Region::Unknown } else { Region::Nowhere })?;
        let is_new = matches!(supplied, Value::FreshObject(_) | Value::OpenObject(_));
        if let (true, Val::Ptr(to)) = (is_new, value)
            && ty.pointee().and_then(|to| self.program.size_of(to)).is_none()
        {
            let name = match &kind {
                HavocKind::Extern(name)
                | HavocKind::Input(name)
                | HavocKind::Unmodelled(name)
                | HavocKind::Outside(name) => name.clone(),
                _ => FOREIGN.into(),
            };
            self.mark_foreign(to, name);
        }
        let shown = if is_new { supplied } else { self.show(value) };
        if (self.records.len() * size_of::<InputRecord>()) as u64 > self.memory.limit() {
            return Err(Halt::Unsupported(Unsupported::Inputs));
        }
        self.records.push(InputRecord {
            proc: self.frame.proc,
            edge: self.edge,
            kind,
            value: shown,
            read: true,
        });
        Ok(value)
    }

    pub(super) fn write(&mut self, lv: &Lvalue, value: Val) -> Eval<()> {
        if let Some(v) = lv.as_var() {
            return match self.set_register(v, value) {
                None => Ok(()),
                Some(at) => self.store(Place { at, bit: None }, &lv.ty, value),
            };
        }
        let place = self.place(lv, false)?;
        self.store(place, &lv.ty, value)
    }

    pub(super) fn store(&mut self, place: Place, ty: &Type, value: Val) -> Eval<()> {
        if let (Some(bit), Type::Int(i)) = (place.bit, ty) {
            let Val::Int(v) = value else {
                return Err(Halt::Unsupported(Unsupported::PointerInBitField));
            };
            let raw = self.bit_field_bytes(place.at, bit, i.bits, true)?;
            let mask = (if i.bits >= 128 { u128::MAX } else { (1 << i.bits) - 1 }) << bit;
            let raw = raw & !mask | (v as u128) << bit & mask;
            let len = usize::from((bit + i.bits).div_ceil(8));
            return self.memory.store(place.at, len, Cell::Number(raw));
        }
        let len = self.size(ty)? as usize;
        let cell = self.rules.encode(value, ty)?;
        if let Some(unread) = &mut self.unread {
            unread.memory_written(place.at, len as u64);
        }
        self.memory.store(place.at, len, cell)
    }
}

/// An index must be inside its array, or at its end when only the address is wanted. Arrays of one element or
/// none stand for any length, as at the end of old-style records.
fn check_index(index: Val, len: Option<u64>, address: bool) -> Eval<()> {
    let (Val::Int(i), Some(len)) = (index, len) else { return Ok(()) };
    let last = i128::from(len) - i128::from(!address);
    if len <= 1 || (0..=last).contains(&i) {
        Ok(())
    } else {
        Err(Halt::Undefined(UndefinedBehaviour::OutsideArray))
    }
}
