//! The state of a run, and the values of expressions and lvalues in it.

use super::address;
use super::layout::{Layout, Slot};
use super::memory::{Cell, Contents, Memory, ObjectId, Pointer, Target};
use super::values::{Rules, Val};
use super::{Halt, InputRecord, Inputs, ObjectKind, UninitRead, Value};
use crate::expr::{Access, Base, BinOp, Expr, Lvalue};
use crate::program::{EdgeId, HavocKind, LocId, ProcId, Program, VarId};
use crate::types::Type;

/// An open call.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) proc: ProcId,
    pub(super) loc: LocId,
    /// The call edge that waits for its callee, in frames that are not the newest.
    pub(super) call: EdgeId,
    pub(super) registers: usize,
    pub(super) objects: usize,
}

/// The state of a run: what [`Inputs::observe`] may look at.
pub struct State<'a, 'i> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) rules: Rules,
    pub(super) memory: Memory,
    pub(super) global_registers: Vec<Val>,
    pub(super) global_objects: Vec<ObjectId>,
    pub(super) registers: Vec<Val>,
    pub(super) objects: Vec<ObjectId>,
    pub(super) frames: Vec<Frame>,
    /// The newest open call, which is not in `frames`.
    pub(super) frame: Frame,
    /// The edge at work.
    pub(super) edge: EdgeId,
    /// `None` while nothing may be asked for: observers do not initialise memory.
    pub(super) inputs: Option<&'i mut dyn Inputs>,
    pub(super) records: Vec<InputRecord>,
}

/// A location in memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: Pointer,
    /// For a bit-field its first bit.
    pub(super) bit: Option<u16>,
}

type Eval<T> = Result<T, Halt>;

impl State<'_, '_> {
    /// The value of a scalar expression over the globals and the variables of the newest call; predicates'
    /// forms are admitted, except `old(e)`.
    ///
    /// # Errors
    /// What C leaves undefined, what is not modelled, and reads of memory that has no value yet.
    pub fn value(&mut self, e: &Expr) -> Result<Value, Halt> {
        let v = self.eval(e)?;
        Ok(self.show(v))
    }

    /// The procedure of the newest open call.
    pub fn proc(&self) -> ProcId {
        self.frame.proc
    }

    /// The location that the newest open call is at.
    pub fn location(&self) -> LocId {
        self.frame.loc
    }

    /// How many calls are open, that of the entry procedure included.
    pub fn depth(&self) -> usize {
        self.frames.len() + 1
    }

    pub(super) fn show(&self, v: Val) -> Value {
        match v {
            Val::Int(v) => Value::Int(v),
            Val::Float(v) => Value::Float(v),
            Val::Ptr(p) if p.is_null() => Value::Null,
            Val::Ptr(Pointer { target: Target::Number, offset }) => Value::Int(offset.into()),
            Val::Ptr(Pointer { target: Target::Func(f), .. }) => Value::Func(f),
            Val::Ptr(Pointer { target: Target::Object(object), offset }) => match self.memory.kind(object) {
                Some(kind) => Value::Ptr { kind, object, offset },
                None => Value::Dangling,
            },
            Val::Uninit => unreachable!("uninitialised registers are given a value when they are read"),
        }
    }

    /// The supplied value at the type that was asked for.
    pub(super) fn admit(&mut self, value: Value, ty: &Type) -> Eval<Val> {
        let wide = |bits| Type::Int(crate::types::IntType { bits, signed: true });
        match value {
            Value::Int(v) => match ty {
                Type::Float(f) => {
                    let from = crate::types::IntType { bits: 128, signed: true };
                    super::int_to_float(v, from, *f).map(Val::Float)
                }
                _ => self.rules.cast(Val::Int(v), &wide(128), ty),
            },
            Value::Float(v) => self.rules.cast(Val::Float(v), ty, ty),
            Value::Null => self.rules.cast(Val::Int(0), &wide(64), ty),
            Value::Ptr { object, offset, .. } => {
                self.admit_pointer(Pointer { target: Target::Object(object), offset }, ty)
            }
            Value::Func(f) => self.admit_pointer(Pointer { target: Target::Func(f), offset: 0 }, ty),
            Value::FreshObject(size) => {
                let object = self.memory.create(size, ObjectKind::Fresh, Contents::Zero)?;
                self.admit_pointer(Pointer { target: Target::Object(object), offset: 0 }, ty)
            }
            Value::Dangling => Err(Halt::unsupported("a dangling pointer as input")),
        }
    }

    fn admit_pointer(&self, p: Pointer, ty: &Type) -> Eval<Val> {
        self.rules.cast(Val::Ptr(p), &Type::Void.ptr_to(), ty)
    }

    pub(super) fn slot(&self, v: VarId) -> SlotRef {
        match self.layout.slots[v] {
            Slot::GlobalReg(n) => SlotRef::Global(n as usize),
            Slot::LocalReg(n) => SlotRef::Local(self.frame.registers + n as usize),
            Slot::GlobalObject(n) => SlotRef::Object(self.global_objects[n as usize]),
            Slot::LocalObject(n) => SlotRef::Object(self.objects[self.frame.objects + n as usize]),
        }
    }

    pub(super) fn eval(&mut self, e: &Expr) -> Eval<Val> {
        match e {
            Expr::Const(v, Type::Ptr(_)) => Ok(Val::Ptr(self.rules.number_pointer(*v))),
            Expr::Const(v, _) => Ok(Val::Int(*v)),
            Expr::Float(bits, Type::Float(f)) => super::round(f64::from_bits(*bits), *f).map(Val::Float),
            Expr::Float(..) => Err(Halt::unsupported("a float constant of another type")),
            Expr::Load(lv) => self.load(lv),
            Expr::AddrOf(lv) => Ok(Val::Ptr(self.place(lv, true)?.at)),
            Expr::Func(f, _) => Ok(Val::Ptr(Pointer { target: Target::Func(*f), offset: 0 })),
            Expr::Unary(op, operand, ty) => {
                let v = self.eval(operand)?;
                self.rules.unary(*op, v, ty)
            }
            Expr::Binary(op, l, r, _) => self.binary(*op, l, r),
            Expr::Cast(operand, ty) => {
                let v = self.eval(operand)?;
                match (v, ty) {
                    (Val::Int(v), Type::Int(i)) => Ok(Val::Int(i.wrap(v))),
                    _ => self.rules.cast(v, &operand.ty(), ty),
                }
            }
            Expr::Cond(c, a, b) => {
                let chosen = if self.eval(c)?.truth() { a } else { b };
                self.eval(chosen)
            }
            Expr::Old(_) => Err(Halt::unsupported("a value at the procedure's entry")),
        }
    }

    fn binary(&mut self, op: BinOp, l: &Expr, r: &Expr) -> Eval<Val> {
        let left = self.eval(l)?;
        match op {
            BinOp::And | BinOp::Or => {
                let left = left.truth();
                let result = if left == (op == BinOp::Or) { left } else { self.eval(r)?.truth() };
                return Ok(Val::Int(i128::from(result)));
            }
            _ => {}
        }
        let right = self.eval(r)?;
        match op {
            BinOp::PtrAdd => self.rules.sum(left, right, self.element_size(l)?),
            BinOp::PtrDiff => self.rules.difference(left, right, self.element_size(l)?),
            _ => self.plain_binary(op, l, left, right),
        }
    }

    fn plain_binary(&self, op: BinOp, l: &Expr, left: Val, right: Val) -> Eval<Val> {
        let owned;
        let ty = match type_ref(l) {
            Some(ty) => ty,
            None => {
                owned = l.ty();
                &owned
            }
        };
        if let Type::Int(i) = ty
            && (matches!(left, Val::Ptr(_)) || matches!(right, Val::Ptr(_)))
            && let Some(result) = address::operation(&self.memory, op, left, right, *i)
        {
            return result;
        }
        self.rules.binary(op, left, right, ty)
    }

    /// Bytes of what the pointer points to; `void` and functions count as 1, as in gcc.
    fn element_size(&self, pointer: &Expr) -> Eval<u64> {
        let owned;
        let ty = match type_ref(pointer) {
            Some(ty) => ty,
            None => {
                owned = pointer.ty();
                &owned
            }
        };
        match ty.pointee() {
            Some(Type::Void | Type::Func(_)) => Ok(1),
            Some(to) => self.size(to),
            None => Err(Halt::unsupported("pointer arithmetic on a value that is no pointer")),
        }
    }

    pub(super) fn size(&self, ty: &Type) -> Eval<u64> {
        self.program.size_of(ty).ok_or_else(|| Halt::unsupported("a type without a size"))
    }

    pub(super) fn load(&mut self, lv: &Lvalue) -> Eval<Val> {
        if let Some(v) = lv.as_var() {
            let current = match self.slot(v) {
                SlotRef::Global(n) => self.global_registers[n],
                SlotRef::Local(n) => self.registers[n],
                SlotRef::Object(id) => {
                    let at = Pointer { target: Target::Object(id), offset: 0 };
                    return self.read(Place { at, bit: None }, &lv.ty);
                }
            };
            if current != Val::Uninit {
                return Ok(current);
            }
            let value = self.ask_uninit(ObjectKind::Var(v), 0, &lv.ty)?;
            match self.slot(v) {
                SlotRef::Global(n) => self.global_registers[n] = value,
                SlotRef::Local(n) => self.registers[n] = value,
                SlotRef::Object(_) => unreachable!("the slot of a variable does not change"),
            }
            return Ok(value);
        }
        let place = self.place(lv, false)?;
        self.read(place, &lv.ty)
    }

    /// Where the lvalue is. With `address` the place behind the last element of an array is admitted.
    pub(super) fn place(&mut self, lv: &Lvalue, address: bool) -> Eval<Place> {
        let (mut at, owned);
        let mut ty: &Type = match &lv.base {
            Base::Var(v) => {
                let SlotRef::Object(id) = self.slot(*v) else {
                    return Err(Halt::unsupported("the address of a variable that the program never takes"));
                };
                at = Pointer { target: Target::Object(id), offset: 0 };
                &self.program.vars[*v].ty
            }
            Base::Deref(e) => {
                at = match self.eval(e)? {
                    Val::Ptr(p) => p,
                    _ => return Err(Halt::unsupported("a dereference of a value that is no pointer")),
                };
                if lv.path.is_empty() {
                    return Ok(Place { at, bit: None });
                }
                owned = e.ty();
                owned
                    .pointee()
                    .ok_or_else(|| Halt::unsupported("a dereference of a value that is no pointer"))?
            }
        };
        let mut bit = None;
        for access in &lv.path {
            match access {
                Access::Field(record, n) => {
                    let field = &self.program.records[*record].fields[*n as usize];
                    at = self.rules.displace(at, field.offset.into())?;
                    (bit, ty) = (field.bit_offset, &field.ty);
                }
                Access::Index(i) => {
                    let Type::Array(elem, len) = ty else {
                        return Err(Halt::unsupported("an index into something that is no array"));
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
            let raw = self.bit_field_bytes(place.at, bit, i.bits)?;
            return Ok(Val::Int(i.wrap((raw >> bit) as i128)));
        }
        let len = self.size(ty)? as usize;
        let cell = match self.memory.load(place.at, len)? {
            Cell::Uninit => self.first_value(place.at, len, ty)?,
            cell => cell,
        };
        self.rules.decode(cell, ty)
    }

    /// The bytes that hold a bit-field, all initialised first.
    fn bit_field_bytes(&mut self, at: Pointer, bit: u16, bits: u16) -> Eval<u128> {
        let len = usize::from((bit + bits).div_ceil(8));
        if len > 16 {
            return Err(Halt::unsupported("a bit-field that spans more than 16 bytes"));
        }
        self.initialise_bytes(at, len as u64)?;
        match self.memory.load(at, len)? {
            Cell::Number(raw) => Ok(raw),
            _ => Err(Halt::unsupported("a bit-field that shares bytes with a pointer")),
        }
    }

    /// Gives a value to each uninitialised byte.
    pub(super) fn initialise_bytes(&mut self, at: Pointer, len: u64) -> Eval<()> {
        let byte = Type::Int(crate::types::IntType { bits: 8, signed: false });
        while let Some(offset) = self.memory.first_uninit(at, len)? {
            let at = self.rules.displace(at, offset.into())?;
            self.first_value(at, 1, &byte)?;
        }
        Ok(())
    }

    /// Gives a value to memory that is read for the first time, and reads it.
    fn first_value(&mut self, at: Pointer, len: usize, ty: &Type) -> Eval<Cell> {
        let Target::Object(id) = at.target else { unreachable!("only objects have uninitialised bytes") };
        let kind = self.memory.kind(id).expect("an object that was just read is alive");
        let value = self.ask_uninit(kind, at.offset as u64, ty)?;
        match self.rules.encode(value, ty)? {
            Cell::Number(raw) => self.memory.fill_uninit(at, len, raw)?,
            cell if self.memory.all_uninit(at, len) => self.memory.store(at, len, cell)?,
            _ => {
                return Err(Halt::unsupported("a pointer as the value of memory that is partly initialised"));
            }
        }
        self.memory.load(at, len)
    }

    fn ask_uninit(&mut self, object: ObjectKind, offset: u64, ty: &Type) -> Eval<Val> {
        let read = UninitRead { proc: self.frame.proc, edge: self.edge, object, offset };
        let Some(inputs) = self.inputs.as_mut() else {
            return Err(Halt::unsupported("a value that nothing has asked for yet"));
        };
        let value = inputs.uninit(&read, ty);
        self.record(HavocKind::Uninit, value, ty)
    }

    /// Converts a supplied value to its type and notes it.
    pub(super) fn record(&mut self, kind: HavocKind, value: Value, ty: &Type) -> Eval<Val> {
        let value = self.admit(value, ty)?;
        let shown = self.show(value);
        self.records.push(InputRecord { proc: self.frame.proc, edge: self.edge, kind, value: shown });
        Ok(value)
    }

    pub(super) fn write(&mut self, lv: &Lvalue, value: Val) -> Eval<()> {
        if let Some(v) = lv.as_var() {
            match self.slot(v) {
                SlotRef::Global(n) => self.global_registers[n] = value,
                SlotRef::Local(n) => self.registers[n] = value,
                SlotRef::Object(id) => {
                    let at = Pointer { target: Target::Object(id), offset: 0 };
                    return self.store(Place { at, bit: None }, &lv.ty, value);
                }
            }
            return Ok(());
        }
        let place = self.place(lv, false)?;
        self.store(place, &lv.ty, value)
    }

    pub(super) fn store(&mut self, place: Place, ty: &Type, value: Val) -> Eval<()> {
        if let (Some(bit), Type::Int(i)) = (place.bit, ty) {
            let Val::Int(v) = value else {
                return Err(Halt::unsupported("a pointer in a bit-field"));
            };
            let raw = self.bit_field_bytes(place.at, bit, i.bits)?;
            let mask = (if i.bits >= 128 { u128::MAX } else { (1 << i.bits) - 1 }) << bit;
            let raw = raw & !mask | (v as u128) << bit & mask;
            let len = usize::from((bit + i.bits).div_ceil(8));
            return self.memory.store(place.at, len, Cell::Number(raw));
        }
        let len = self.size(ty)? as usize;
        let cell = self.rules.encode(value, ty)?;
        self.memory.store(place.at, len, cell)
    }
}

/// Where a variable of the newest call is.
pub(super) enum SlotRef {
    Global(usize),
    Local(usize),
    Object(ObjectId),
}

/// An index must be inside its array, or at its end when only the address is wanted. Arrays of one element or
/// none stand for any length, as at the end of old-style records.
fn check_index(index: Val, len: Option<u64>, address: bool) -> Eval<()> {
    let (Val::Int(i), Some(len)) = (index, len) else { return Ok(()) };
    let last = i128::from(len) - i128::from(!address);
    if len <= 1 || (0..=last).contains(&i) {
        Ok(())
    } else {
        Err(Halt::undefined("index outside of an array"))
    }
}

/// The type of the expression where the node has it.
fn type_ref(e: &Expr) -> Option<&Type> {
    match e {
        Expr::Const(_, t)
        | Expr::Float(_, t)
        | Expr::Func(_, t)
        | Expr::Unary(_, _, t)
        | Expr::Binary(_, _, _, t)
        | Expr::Cast(_, t) => Some(t),
        Expr::Load(lv) => Some(&lv.ty),
        Expr::Cond(_, a, _) => type_ref(a),
        Expr::Old(e) => type_ref(e),
        Expr::AddrOf(_) => None,
    }
}
