//! Arithmetic on integers and floats with C's meaning: exact where C defines it, refused where C leaves it
//! undefined. Values of the unsigned type of 128 bits are the `i128` with the same bits.

use super::Halt;
use super::{UndefinedBehaviour, Unsupported};
use ieee::Rounding;
use ir::expr::{BinOp, Expr, UnOp};
use ir::types::{FloatType, IntType, Type};

/// The result of an integer operation at type `ty`; comparisons give 1 or 0. The right operand of a shift may
/// have another type, but its value is given.
///
/// # Errors
/// Signed overflow (unless `wraps`), division by zero or of the smallest value by -1, a shift amount that is
/// negative or not smaller than the width.
pub fn int_binary(op: BinOp, l: i128, r: i128, ty: IntType, wraps: bool) -> Result<i128, Halt> {
    if ty.bits == 128 && !ty.signed {
        return wide_unsigned(op, l as u128, r as u128);
    }
    let exact = match op {
        BinOp::Add => l.checked_add(r),
        BinOp::Sub => l.checked_sub(r),
        BinOp::Mul => l.checked_mul(r),
        BinOp::Div | BinOp::Rem => {
            if r == 0 {
                return Err(Halt::Undefined(UndefinedBehaviour::DivisionByZero));
            }
            if ty.signed && l == ty.min() && r == -1 {
                return Err(Halt::Undefined(UndefinedBehaviour::DivisionOverflow));
            }
            Some(if op == BinOp::Div { l / r } else { l % r })
        }
        BinOp::Shl => {
            let by = shift_amount(r, ty)?;
            return Ok(ty.wrap(l.wrapping_shl(by)));
        }
        BinOp::Shr => return Ok(l >> shift_amount(r, ty)?),
        BinOp::BitAnd => Some(l & r),
        BinOp::BitOr => Some(l | r),
        BinOp::BitXor => Some(l ^ r),
        _ => return Ok(i128::from(compare(op, &l, &r))),
    };
    match exact {
        Some(v) if ty.wrap(v) == v => Ok(v),
        _ if ty.signed && !wraps => Err(Halt::Undefined(UndefinedBehaviour::SignedOverflow)),
        Some(v) => Ok(ty.wrap(v)),
        None => Ok(ty.wrap(match op {
            BinOp::Add => l.wrapping_add(r),
            BinOp::Sub => l.wrapping_sub(r),
            _ => l.wrapping_mul(r),
        })),
    }
}

fn wide_unsigned(op: BinOp, l: u128, r: u128) -> Result<i128, Halt> {
    let ty = IntType { bits: 128, signed: false };
    let value = match op {
        BinOp::Add => l.wrapping_add(r),
        BinOp::Sub => l.wrapping_sub(r),
        BinOp::Mul => l.wrapping_mul(r),
        BinOp::Div | BinOp::Rem if r == 0 => return Err(Halt::Undefined(UndefinedBehaviour::DivisionByZero)),
        BinOp::Div => l / r,
        BinOp::Rem => l % r,
        BinOp::Shl => l << shift_amount(r as i128, ty)?,
        BinOp::Shr => l >> shift_amount(r as i128, ty)?,
        BinOp::BitAnd => l & r,
        BinOp::BitOr => l | r,
        BinOp::BitXor => l ^ r,
        _ => return Ok(i128::from(compare(op, &l, &r))),
    };
    Ok(value as i128)
}

fn shift_amount(r: i128, ty: IntType) -> Result<u32, Halt> {
    if (0..i128::from(ty.bits)).contains(&r) {
        Ok(r as u32)
    } else {
        Err(Halt::Undefined(UndefinedBehaviour::ShiftAmount))
    }
}

/// The outcome of a comparison. Panics on other operators.
pub(super) fn compare<T: PartialOrd>(op: BinOp, l: &T, r: &T) -> bool {
    op.compare(l, r).unwrap_or_else(|| panic!("{op:?} is no comparison"))
}

/// Negation or complement at type `ty`; `Not` gives 1 or 0.
///
/// # Errors
/// Signed overflow of a negation, unless `wraps`.
pub fn int_unary(op: UnOp, v: i128, ty: IntType, wraps: bool) -> Result<i128, Halt> {
    match op {
        UnOp::Neg if ty.signed && v == ty.min() && !wraps => {
            Err(Halt::Undefined(UndefinedBehaviour::SignedOverflow))
        }
        UnOp::Neg => Ok(ty.wrap(v.wrapping_neg())),
        UnOp::BitNot => Ok(ty.wrap(!v)),
        UnOp::Not => Ok(i128::from(v == 0)),
        UnOp::Left(_) | UnOp::Before(_) | UnOp::Start => panic!("sizes are asked of pointers"),
        UnOp::Float(_) => panic!("the operand is a floating-point number"),
    }
}

/// An operation on two integer constants as a constant of type `ty`. Nothing where C leaves it undefined, for types of 128
/// bits, for pointers, and for `&&` and `||`, whose right operand may not be evaluated.
pub fn fold_binary(op: BinOp, l: &Expr, r: &Expr, ty: &Type, wraps: bool) -> Option<Expr> {
    let (Expr::Const(a, Type::Int(i)), Expr::Const(b, Type::Int(_))) = (l, r) else { return None };
    if i.bits == 128 || matches!(op, BinOp::And | BinOp::Or | BinOp::PtrAdd | BinOp::PtrDiff) {
        return None;
    }
    int_binary(op, *a, *b, *i, wraps).ok().map(|v| Expr::Const(v, ty.clone()))
}

/// Negation or complement of an integer constant as a constant; nothing where [`fold_binary`] gives nothing.
pub fn fold_unary(op: UnOp, operand: &Expr, ty: &Type, wraps: bool) -> Option<Expr> {
    match (op, operand) {
        (UnOp::Neg | UnOp::BitNot, Expr::Const(v, Type::Int(i))) if i.bits < 128 => {
            int_unary(op, *v, *i, wraps).ok().map(|v| Expr::Const(v, ty.clone()))
        }
        _ => None,
    }
}

/// A floating-point operation other than a comparison, rounded to the type. Sum, product and quotient of two
/// `float`s rounded twice, over `double`, are the same as rounded once \[Fig95\].
///
/// # Errors
/// Types other than `float` and `double`; operators that floats do not have.
pub fn float_binary(op: BinOp, l: f64, r: f64, ty: FloatType) -> Result<f64, Halt> {
    let v = match op {
        BinOp::Add => l + r,
        BinOp::Sub => l - r,
        BinOp::Mul => l * r,
        BinOp::Div => l / r,
        BinOp::Rounded(op, rounding) => {
            let width = software_width(ty)?;
            let result = ieee::arithmetic(op, width, bits(l, width), bits(r, width), rounding);
            return Ok(number(result, width));
        }
        _ => return Err(Halt::Unsupported(Unsupported::BitsOfFloat)),
    };
    round(v, ty)
}

/// The bits of a number of this width, 32 or 64; every number of 32 bits is one of 64.
fn bits(v: f64, width: u32) -> u128 {
    if width == 32 { (v as f32).to_bits().into() } else { v.to_bits().into() }
}

/// The number with these bits.
fn number(bits: u128, width: u32) -> f64 {
    if width == 32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) }
}

/// The width of numbers that software computes with.
fn software_width(ty: FloatType) -> Result<u32, Halt> {
    match ty.bits {
        32 | 64 => Ok(ty.bits.into()),
        bits => Err(Halt::Unsupported(Unsupported::FloatWidth(bits))),
    }
}

/// The square root, rounded so.
///
/// # Errors
/// Types other than `float` and `double` are not supported.
pub(super) fn rounded_sqrt(v: f64, ty: FloatType, rounding: Rounding) -> Result<f64, Halt> {
    let width = software_width(ty)?;
    Ok(number(ieee::sqrt(width, bits(v, width), rounding), width))
}

/// A `float` or `double` as one of the type, rounded so.
///
/// # Errors
/// Types other than `float` and `double` are not supported.
pub(super) fn rounded(v: f64, ty: FloatType, rounding: Rounding) -> Result<f64, Halt> {
    let width = software_width(ty)?;
    Ok(number(ieee::convert(64, width, v.to_bits().into(), rounding), width))
}

/// The integer of a type as floating point, rounded so.
///
/// # Errors
/// As [`rounded`].
pub(super) fn rounded_int(v: i128, from: IntType, to: FloatType, rounding: Rounding) -> Result<f64, Halt> {
    let width = software_width(to)?;
    let result = match from.signed {
        true => ieee::from_signed(width, v, rounding),
        false => ieee::from_unsigned(width, v as u128, rounding),
    };
    Ok(number(result, width))
}

/// The value rounded to the type.
///
/// # Errors
/// Types other than `float` and `double` are not supported.
pub fn round(v: f64, ty: FloatType) -> Result<f64, Halt> {
    match ty.bits {
        32 => Ok(f64::from(v as f32)),
        64 => Ok(v),
        bits => Err(Halt::Unsupported(Unsupported::FloatWidth(bits))),
    }
}

/// The integer converted to floating point, rounded once.
///
/// # Errors
/// As [`round`].
pub fn int_to_float(v: i128, from: IntType, to: FloatType) -> Result<f64, Halt> {
    let unsigned = from.bits == 128 && !from.signed;
    match to.bits {
        32 if unsigned => Ok(f64::from(v as u128 as f32)),
        32 => Ok(f64::from(v as f32)),
        _ if unsigned => round(v as u128 as f64, to),
        _ => round(v as f64, to),
    }
}

/// The floating-point number without its fraction.
///
/// # Errors
/// Undefined when the type does not have that value.
pub fn float_to_int(v: f64, to: IntType) -> Result<i128, Halt> {
    let whole = v.trunc();
    let out_of_range = || Halt::Undefined(UndefinedBehaviour::FloatConversion);
    if to.bits == 128 && !to.signed {
        let fits = whole > -1.0 && whole < 2f64.powi(128);
        return if fits { Ok(whole as u128 as i128) } else { Err(out_of_range()) };
    }
    if !(whole >= -(2f64.powi(127)) && whole < 2f64.powi(127)) {
        return Err(out_of_range());
    }
    let v = whole as i128;
    if to.wrap(v) == v { Ok(v) } else { Err(out_of_range()) }
}
