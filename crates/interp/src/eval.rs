//! The state of a run, and the values of expressions and lvalues in it.

use super::Unsupported;
use super::address;
use super::bytes::Contents;
use super::layout::{Layout, Slot};
use super::memory::{Memory, ObjectId, Pointer, Region, Target};
use super::numbers::Numbers;
use super::origins::Origins;
use super::unread::Unread;
use super::values::{Rules, Val, address_as_number};
use super::{Halt, InputRecord, Inputs, ObjectKind, Value};
use ir::expr::{BinOp, Expr, FloatOp, UnOp};
use ir::program::{EdgeId, LocId, ProcId, Program, VarId};
use ir::types::{IntType, Type};

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

/// The state of a run, visible to [`Inputs::observe`].
pub struct State<'a, 'i> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) rules: Rules,
    /// The program has checks of reads of uninitialised memory.
    pub(super) checks_reads: bool,
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
    /// `None` while nothing may be requested: observers do not initialise memory.
    pub(super) inputs: Option<&'i mut dyn Inputs>,
    pub(super) records: Vec<InputRecord>,
    pub(super) numbers: Numbers,
    /// Inputs that the program has not read yet; `None` where they are not wanted.
    pub(super) unread: Option<Box<Unread>>,
    /// Marks of values from functions without a model; `None` where they are not wanted.
    pub(super) origins: Option<Box<Origins>>,
}

pub(super) type Eval<T> = Result<T, Halt>;

impl<'i> State<'_, 'i> {
    /// The inputs of the current step.
    pub(super) fn inputs(&mut self) -> &mut (dyn Inputs + 'i) {
        *self.inputs.as_mut().expect("inputs are there between steps")
    }

    /// Whether what is uninitialised stays so until it is read: no read takes it for a value where checks stand before
    /// all of them.
    pub(super) fn keeps_garbage(&mut self) -> bool {
        self.checks_reads || self.inputs().leaves_uninitialised()
    }

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
            Val::Ptr(Pointer { target: Target::Number(_), offset }) => Value::Int(offset.into()),
            Val::Ptr(Pointer { target: Target::Func(f), .. }) => Value::Func(f),
            Val::Ptr(Pointer { target: Target::Object(object), offset }) => match self.memory.kind(object) {
                Some(kind) => Value::Ptr { kind, object, offset },
                None => Value::Dangling(object),
            },
            Val::Byte(p, _) => self.show(Val::Ptr(p)),
            Val::Uninit => unreachable!("uninitialised registers are given a value when they are read"),
        }
    }

    /// The supplied value at the requested type; a number that is a pointer lies in this region.
    pub(super) fn admit(&mut self, value: Value, ty: &Type, region: Region) -> Eval<Val> {
        let wide = |bits| Type::Int(IntType { bits, signed: true });
        match value {
            Value::Int(v) => match ty {
                Type::Ptr(_) => Ok(Val::Ptr(self.rules.numbered(v, region))),
                Type::Float(f) => {
                    let from = IntType { bits: 128, signed: true };
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
            Value::FreshObject(size) | Value::OpenObject(size) => {
                let is_open = matches!(value, Value::OpenObject(_));
                let contents = if is_open { Contents::Uninit } else { Contents::Zero };
                let object = self.memory.create(size, ObjectKind::Fresh, contents)?;
                self.admit_pointer(Pointer { target: Target::Object(object), offset: 0 }, ty)
            }
            Value::Dangling(_) => Err(Halt::Unsupported(Unsupported::DanglingInput)),
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
            Expr::Const(0, Type::Ptr(_)) => Ok(Val::Ptr(Pointer::NULL)),
            Expr::Const(v, Type::Ptr(_)) => Ok(Val::Ptr(self.rules.numbered(*v, Region::Fixed))),
            Expr::Const(v, _) => Ok(Val::Int(*v)),
            Expr::Float(bits, Type::Float(f)) => super::round(f64::from_bits(*bits), *f).map(Val::Float),
            Expr::Float(..) => Err(Halt::Unsupported(Unsupported::FloatConstant)),
            Expr::Load(lv) => self.load(lv),
            Expr::AddrOf(lv) => Ok(Val::Ptr(self.place(lv, true)?.at)),
            Expr::Func(f, _) => Ok(Val::Ptr(Pointer { target: Target::Func(*f), offset: 0 })),
            Expr::Unary(op @ (UnOp::Left(_) | UnOp::Before(_)), operand, _) => {
                let v = self.eval(operand)?;
                self.memory.extent(*op, v).map(Val::Int)
            }
            Expr::Unary(UnOp::Start, operand, _) => Ok(match self.eval(operand)? {
                Val::Ptr(p) => Val::Ptr(Pointer { offset: 0, ..p }),
                other => other,
            }),
            Expr::Unary(UnOp::Float(FloatOp::ToSingle(to) | FloatOp::ToDouble(to)), operand, ty) => {
                let v = self.eval(operand)?;
                super::values::rounded_number(v, &operand.ty(), ty, *to)
            }
            Expr::Unary(op, operand, ty) => {
                let v = self.eval(operand)?;
                match (self.rules.unary(*op, v, ty), ty) {
                    (Err(Halt::Unsupported(Unsupported::AddressArithmetic)), Type::Int(i))
                        if is_address(v) =>
                    {
                        let v = Val::Int(self.number(v, *i)?);
                        self.rules.unary(*op, v, ty)
                    }
                    (result, _) => result,
                }
            }
            Expr::Binary(op, l, r, _) => self.binary(*op, l, r),
            Expr::Cast(operand, ty) => {
                let v = self.eval(operand)?;
                match (v, ty) {
                    (Val::Int(v), Type::Int(i)) => Ok(Val::Int(i.wrap(v))),
                    (Val::Int(number), Type::Ptr(_)) => {
                        let mut pointer = self.rules.number_pointer(number);
                        if !pointer.is_null() && self.layout.fixed(self.program).holds(operand) {
                            pointer.target = Target::Number(Region::Fixed);
                        }
                        Ok(self.resolved(Val::Ptr(pointer)))
                    }
                    _ => match (self.rules.cast(v, &operand.ty(), ty), ty) {
                        (Err(Halt::Unsupported(Unsupported::AddressArithmetic)), Type::Int(i))
                            if is_address(v) =>
                        {
                            self.number(v, *i).map(Val::Int)
                        }
                        (result, _) => result,
                    },
                }
            }
            Expr::Cond(c, a, b) => {
                let chosen = if self.eval(c)?.truth()? { a } else { b };
                self.eval(chosen)
            }
            Expr::Old(_) => Err(Halt::Unsupported(Unsupported::EntryValue)),
        }
    }

    fn binary(&mut self, op: BinOp, l: &Expr, r: &Expr) -> Eval<Val> {
        let left = self.eval(l)?;
        match op {
            BinOp::And | BinOp::Or => {
                let left = left.truth()?;
                let result = if left == (op == BinOp::Or) { left } else { self.eval(r)?.truth()? };
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

    fn plain_binary(&mut self, op: BinOp, l: &Expr, left: Val, right: Val) -> Eval<Val> {
        let owned;
        let ty = match type_ref(l) {
            Some(ty) => ty,
            None => {
                owned = l.ty();
                &owned
            }
        };
        match ty {
            Type::Int(i) if is_address(left) || is_address(right) => {
                self.address_binary(op, (left, right), *i)
            }
            _ => self.rules.binary(op, left, right, ty),
        }
    }

    /// An operation at an integer type on addresses: uses their numbers where nothing else decides the result.
    fn address_binary(&mut self, op: BinOp, (left, right): (Val, Val), i: IntType) -> Eval<Val> {
        let ty = Type::Int(i);
        let symbolic = match address::operation(&self.memory, op, left, right, i) {
            Some(result) => result,
            None if matches!(op, BinOp::Eq | BinOp::Ne) && self.numbers_decide(left, right) => {
                Err(address_as_number())
            }
            None => self.rules.binary(op, left, right, &ty),
        };
        match symbolic {
            Err(Halt::Unsupported(Unsupported::AddressArithmetic | Unsupported::MixedOperands)) => {
                let [left, right] = [self.number(left, i)?, self.number(right, i)?].map(Val::Int);
                self.rules.binary(op, left, right, &ty)
            }
            result => result,
        }
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
            None => Err(Halt::Unsupported(Unsupported::ArithmeticNoPointer)),
        }
    }

    pub(super) fn size(&self, ty: &Type) -> Eval<u64> {
        self.program.size_of(ty).ok_or(Halt::Unsupported(Unsupported::TypeWithoutSize))
    }
}

/// Whether the value has an address in it.
fn is_address(v: Val) -> bool {
    matches!(v, Val::Ptr(_) | Val::Byte(..))
}

/// The place of a variable of the newest call.
pub(super) enum SlotRef {
    Global(usize),
    Local(usize),
    Object(ObjectId),
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
