//! Values during a run, their operations, and their conversion from and to bytes.
//!
//! A value of an integer type may be a pointer into an object (an integer made from one). Operations that are
//! impossible without knowing its address use its number (see `numbers`).

use super::Halt;
use super::arith::{
    compare, float_binary, float_to_int, int_binary, int_to_float, int_unary, round, rounded, rounded_int,
    rounded_sqrt,
};
use super::memory::{Cell, Pointer, Region, Target};
use super::{UndefinedBehaviour, Unsupported};
use ieee::Rounding;
use ir::expr::{BinOp, FloatOp, UnOp};
use ir::program::Program;
use ir::types::{FloatType, IntType, Type};

/// A scalar value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Val {
    Int(i128),
    Float(f64),
    Ptr(Pointer),
    /// One byte of a pointer, the lowest one first: it can be moved, nothing else.
    Byte(Pointer, u8),
    /// A register that was never written.
    Uninit,
}

impl Val {
    /// Whether a condition with this value holds.
    pub(super) fn truth(self) -> Result<bool, Halt> {
        match self {
            Val::Int(v) => Ok(v != 0),
            Val::Float(v) => Ok(v != 0.0),
            Val::Ptr(p) => Ok(!p.is_null()),
            Val::Byte(..) => Err(address_as_number()),
            Val::Uninit => unreachable!("uninitialised registers are given a value when they are read"),
        }
    }
}

/// Properties of the program that the operations need.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) wraps: bool,
    pub(super) pointer_bits: u16,
}

fn float_unary(op: FloatOp, v: f64, ty: &Type) -> Result<Val, Halt> {
    // The results on numbers of 32 bits are such numbers, but for the square root, which is rounded once more to the same number.
    let number = match op {
        FloatOp::SignBit => return Ok(Val::Int(i128::from(v.is_sign_negative()))),
        FloatOp::Abs => v.abs(),
        FloatOp::Sqrt => v.sqrt(),
        FloatOp::Floor => v.floor(),
        FloatOp::Ceil => v.ceil(),
        FloatOp::Trunc => v.trunc(),
        FloatOp::Round => v.round(),
        FloatOp::Rint => v.round_ties_even(),
        FloatOp::ToBits if v.is_nan() => return Err(Halt::Unsupported(Unsupported::BitsOfNaN)),
        FloatOp::ToBits => {
            let is_single = ty.as_int().is_some_and(|t| t.bits == 32);
            return Ok(Val::Int(if is_single { (v as f32).to_bits().into() } else { v.to_bits().into() }));
        }
        FloatOp::RoundedSqrt(to) => {
            let Type::Float(f) = ty else { return Err(address_as_number()) };
            return rounded_sqrt(v, *f, to).map(Val::Float);
        }
        FloatOp::OfBits | FloatOp::ToSingle(_) | FloatOp::ToDouble(_) => return Err(address_as_number()),
    };
    match ty {
        Type::Float(f) => super::round(number, *f).map(Val::Float),
        _ => Err(address_as_number()),
    }
}

/// A number of one type as a floating-point number of another, rounded so.
pub(super) fn rounded_number(v: Val, from: &Type, ty: &Type, to: Rounding) -> Result<Val, Halt> {
    match (v, from, ty) {
        (Val::Int(v), Type::Int(from), Type::Float(f)) => rounded_int(v, *from, *f, to).map(Val::Float),
        (Val::Float(v), _, Type::Float(f)) => rounded(v, *f, to).map(Val::Float),
        _ => Err(address_as_number()),
    }
}

impl Rules {
    pub(super) fn of(program: &Program) -> Rules {
        Rules { wraps: program.signed_wrap, pointer_bits: program.model.pointer_bits() }
    }

    /// The pointer with this number as its address.
    pub(super) fn number_pointer(self, v: i128) -> Pointer {
        let canonical = IntType { bits: self.pointer_bits, signed: true }.wrap(v);
        self.numbered(canonical, if canonical == 0 { Region::Null } else { Region::Nowhere })
    }

    /// The pointer with this number as its address, where that is known to lie.
    pub(super) fn numbered(self, v: i128, region: Region) -> Pointer {
        let canonical = IntType { bits: self.pointer_bits, signed: true }.wrap(v);
        Pointer { target: Target::Number(region), offset: canonical as i64 }
    }

    pub(super) fn unary(self, op: UnOp, v: Val, ty: &Type) -> Result<Val, Halt> {
        match (op, v, ty) {
            (UnOp::Not, v, _) => Ok(Val::Int(i128::from(!v.truth()?))),
            (_, Val::Int(v), Type::Int(i)) => int_unary(op, v, *i, self.wraps).map(Val::Int),
            (UnOp::Neg, Val::Int(v), Type::Math) => exact(v.checked_neg()),
            (UnOp::Neg, Val::Float(v), _) => Ok(Val::Float(-v)),
            (UnOp::Float(op), Val::Float(v), _) => float_unary(op, v, ty),
            (UnOp::Float(FloatOp::OfBits), Val::Int(bits), Type::Float(FloatType { bits: 32 })) => {
                Ok(Val::Float(f32::from_bits(bits as u32).into()))
            }
            (UnOp::Float(FloatOp::OfBits), Val::Int(bits), _) => Ok(Val::Float(f64::from_bits(bits as u64))),
            _ => Err(address_as_number()),
        }
    }

    /// Arithmetic, comparisons and shifts; `ty` is the type of the left operand.
    pub(super) fn binary(self, op: BinOp, l: Val, r: Val, ty: &Type) -> Result<Val, Halt> {
        match (l, r, ty) {
            (Val::Int(l), Val::Int(r), Type::Int(i)) => int_binary(op, l, r, *i, self.wraps).map(Val::Int),
            (Val::Int(l), Val::Int(r), Type::Math) => math_binary(op, l, r),
            (Val::Float(l), Val::Float(r), Type::Float(f)) => {
                if op.is_comparison() {
                    return Ok(Val::Int(i128::from(compare(op, &l, &r))));
                }
                float_binary(op, l, r, *f).map(Val::Float)
            }
            (Val::Int(_) | Val::Ptr(_), Val::Int(_) | Val::Ptr(_), _) => {
                if op.is_comparison() {
                    let holds = self.compare_pointers(op, self.as_pointer(l), self.as_pointer(r))?;
                    return Ok(Val::Int(i128::from(holds)));
                }
                self.moved_pointer(op, l, r, ty)
            }
            _ => Err(Halt::Unsupported(Unsupported::MixedOperands)),
        }
    }

    fn as_pointer(self, v: Val) -> Pointer {
        match v {
            Val::Ptr(p) => p,
            Val::Int(v) => self.number_pointer(v),
            Val::Float(_) | Val::Byte(..) | Val::Uninit => {
                unreachable!("the caller admits integers and pointers only")
            }
        }
    }

    /// Integer arithmetic on a pointer kept in an integer.
    fn moved_pointer(self, op: BinOp, l: Val, r: Val, ty: &Type) -> Result<Val, Halt> {
        match (op, l, r) {
            (BinOp::Add, Val::Ptr(p), Val::Int(n)) | (BinOp::Add, Val::Int(n), Val::Ptr(p)) => {
                self.displace(p, n).map(Val::Ptr)
            }
            (BinOp::Sub, Val::Ptr(p), Val::Int(n)) => self.displace(p, n.wrapping_neg()).map(Val::Ptr),
            (BinOp::Sub, Val::Ptr(p), Val::Ptr(q)) if p.target == q.target => {
                let difference = i128::from(p.offset) - i128::from(q.offset);
                Ok(Val::Int(ty.as_int().map_or(difference, |i| i.wrap(difference))))
            }
            _ => Err(address_as_number()),
        }
    }

    /// The pointer moved by a number of bytes. One that is a number stays in the address space (`NULL - 1` is undefined,
    /// 6.5.6p8); inside of an object the distance is taken modulo its size.
    pub(super) fn displace(self, p: Pointer, bytes: i128) -> Result<Pointer, Halt> {
        let offset = i128::from(p.offset).wrapping_add(bytes);
        match p.target {
            Target::Number(region) => {
                let unsigned = IntType { bits: self.pointer_bits, signed: false };
                let moved = unsigned.wrap(p.offset.into()).checked_add(bytes);
                let moved = moved.filter(|at| (unsigned.min()..=unsigned.max()).contains(at));
                moved
                    .map(|at| self.numbered(at, region))
                    .ok_or(Halt::Undefined(UndefinedBehaviour::PointerOverflow))
            }
            _ => {
                let offset = IntType { bits: self.pointer_bits, signed: true }.wrap(offset);
                Ok(Pointer { target: p.target, offset: offset as i64 })
            }
        }
    }

    fn compare_pointers(self, op: BinOp, p: Pointer, q: Pointer) -> Result<bool, Halt> {
        if matches!(op, BinOp::Eq | BinOp::Ne) {
            return Ok((p == q) == (op == BinOp::Eq));
        }
        match (p.target, q.target) {
            (Target::Number(_), Target::Number(_)) => {
                let unsigned = IntType { bits: self.pointer_bits, signed: false };
                Ok(compare(op, &unsigned.wrap(p.offset.into()), &unsigned.wrap(q.offset.into())))
            }
            (a, b) if a == b => Ok(compare(op, &p.offset, &q.offset)),
            _ => Err(Halt::Undefined(UndefinedBehaviour::PointerOrder)),
        }
    }

    /// The difference of two pointers in elements of `size` bytes.
    pub(super) fn difference(self, l: Val, r: Val, size: u64) -> Result<Val, Halt> {
        let (p, q) = (self.as_pointer(l), self.as_pointer(r));
        if p.target != q.target {
            return Err(Halt::Undefined(UndefinedBehaviour::PointerDifference));
        }
        let bytes = i128::from(p.offset) - i128::from(q.offset);
        let size = i128::from(size);
        if size == 0 || bytes % size != 0 {
            return Err(Halt::Undefined(UndefinedBehaviour::PointerDifferenceInElements));
        }
        Ok(Val::Int(bytes / size))
    }

    /// The pointer moved by `n` elements of `size` bytes.
    pub(super) fn sum(self, pointer: Val, n: Val, size: u64) -> Result<Val, Halt> {
        let (Val::Int(_) | Val::Ptr(_), Val::Int(n)) = (pointer, n) else { return Err(address_as_number()) };
        let bytes =
            n.checked_mul(i128::from(size)).ok_or(Halt::Undefined(UndefinedBehaviour::PointerOverflow))?;
        self.displace(self.as_pointer(pointer), bytes).map(Val::Ptr)
    }

    pub(super) fn cast(self, v: Val, from: &Type, to: &Type) -> Result<Val, Halt> {
        match (v, to) {
            (Val::Int(v), Type::Int(i)) => Ok(Val::Int(i.wrap(v))),
            (Val::Int(v), Type::Math) => Ok(Val::Int(v)),
            (Val::Int(v), Type::Float(f)) => {
                let from = from.as_int().unwrap_or(IntType { bits: 128, signed: true });
                int_to_float(v, from, *f).map(Val::Float)
            }
            (Val::Int(v), Type::Ptr(_)) => Ok(Val::Ptr(self.number_pointer(v))),
            (Val::Float(v), Type::Int(i)) => float_to_int(v, *i).map(Val::Int),
            (Val::Float(v), Type::Float(f)) => round(v, *f).map(Val::Float),
            (Val::Ptr(_), Type::Ptr(_)) => Ok(v),
            (Val::Ptr(Pointer { target: Target::Number(_), offset }), Type::Int(i)) => {
                let address = IntType { bits: self.pointer_bits, signed: false }.wrap(offset.into());
                Ok(Val::Int(i.wrap(address)))
            }
            (Val::Ptr(_), Type::Int(i)) if i.bits == self.pointer_bits => Ok(v),
            (Val::Byte(..), Type::Int(i)) if i.bits >= 8 => Ok(v),
            (Val::Ptr(_) | Val::Byte(..), _) => Err(address_as_number()),
            _ => Err(Halt::Unsupported(Unsupported::Conversion)),
        }
    }

    /// The value that the bytes have at a type.
    pub(super) fn decode(self, cell: Cell, ty: &Type) -> Result<Val, Halt> {
        match (cell, ty) {
            (Cell::Number(raw), Type::Int(i)) => Ok(Val::Int(i.wrap(raw as i128))),
            (Cell::Number(raw), Type::Ptr(_)) => Ok(Val::Ptr(self.number_pointer(raw as i128))),
            (Cell::Number(raw), Type::Float(f)) => match f.bits {
                32 => Ok(Val::Float(f64::from(f32::from_bits(raw as u32)))),
                64 => Ok(Val::Float(f64::from_bits(raw as u64))),
                bits => Err(Halt::Unsupported(Unsupported::FloatWidth(bits))),
            },
            (Cell::Pointer(p @ Pointer { target: Target::Number(_), .. }), Type::Int(_)) => {
                self.cast(Val::Ptr(p), ty, ty)
            }
            (Cell::Pointer(p), Type::Int(_) | Type::Ptr(_)) => Ok(Val::Ptr(p)),
            (Cell::Part(p, n), Type::Int(_)) => Ok(Val::Byte(p, n)),
            (Cell::Pointer(_) | Cell::Part(..), _) => Err(address_as_number()),
            _ => Err(Halt::Unsupported(Unsupported::AggregateRead)),
        }
    }

    /// The bytes of a value of a type. Pointers that are numbers are stored as numbers.
    pub(super) fn encode(self, v: Val, ty: &Type) -> Result<Cell, Halt> {
        match (v, ty) {
            (Val::Int(v), Type::Float(_)) => self.encode(Val::Float(v as f64), ty),
            (Val::Int(v), _) => Ok(Cell::Number(v as u128)),
            (Val::Float(v), Type::Float(f)) if f.bits == 32 => {
                Ok(Cell::Number(u128::from((v as f32).to_bits())))
            }
            (Val::Float(v), Type::Float(f)) if f.bits == 64 => Ok(Cell::Number(u128::from(v.to_bits()))),
            (Val::Ptr(p), _) if p.is_null() => Ok(Cell::Number(0)),
            (Val::Ptr(p), Type::Ptr(_)) => Ok(Cell::Pointer(p)),
            (Val::Ptr(p), Type::Int(i)) if i.bits == self.pointer_bits => Ok(Cell::Pointer(p)),
            (Val::Byte(p, n), Type::Int(i)) if i.bits == 8 => Ok(Cell::Part(p, n)),
            (Val::Ptr(_) | Val::Byte(..), _) => Err(address_as_number()),
            _ => Err(Halt::Unsupported(Unsupported::AggregateWrite)),
        }
    }
}

pub(super) fn address_as_number() -> Halt {
    Halt::Unsupported(Unsupported::AddressArithmetic)
}

fn exact(v: Option<i128>) -> Result<Val, Halt> {
    v.map(Val::Int).ok_or(Halt::Unsupported(Unsupported::LargeInteger))
}

fn math_binary(op: BinOp, l: i128, r: i128) -> Result<Val, Halt> {
    match op {
        BinOp::Add => exact(l.checked_add(r)),
        BinOp::Sub => exact(l.checked_sub(r)),
        BinOp::Mul => exact(l.checked_mul(r)),
        BinOp::Div | BinOp::Rem if r == 0 => Err(Halt::Undefined(UndefinedBehaviour::DivisionByZero)),
        BinOp::Div => exact(l.checked_div(r)),
        BinOp::Rem => exact(l.checked_rem(r)),
        _ if op.is_comparison() => Ok(Val::Int(i128::from(compare(op, &l, &r)))),
        _ => Err(Halt::Unsupported(Unsupported::BitsOfMathInteger)),
    }
}
