//! IEEE 754 numbers of 32 and 64 bits as bit-vectors: what the operators compute on their bits.

use crate::term::Op;
use crate::value::{Value, bits, signed};

/// The number with these bits. Every number of 32 bits is one of 64 bits.
fn number(width: u32, bits: u128) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) }
}

/// The value of an operator on one bit-vector; `None` if it is open.
pub(crate) fn apply1(op: &Op, width: u32, a: u128) -> Option<Value> {
    Some(match *op {
        Op::FpSqrt(to) => bits(width, ieee::sqrt(width, a, to)),
        Op::FpRound(to) => bits(width, ieee::whole(width, a, to)),
        Op::FpConvert(into, to) => bits(into, ieee::convert(width, into, a, to)),
        Op::FpFromSigned(into, to) => bits(into, ieee::from_signed(into, signed(width, a), to)),
        Op::FpFromUnsigned(into, to) => bits(into, ieee::from_unsigned(into, a, to)),
        Op::FpToSigned(into) => to_integer(into, number(width, a), true)?,
        Op::FpToUnsigned(into) => to_integer(into, number(width, a), false)?,
        _ => panic!("{op:?} is no operator on one bit-vector"),
    })
}

/// The value of an operator on two bit-vectors.
pub(crate) fn apply2(op: &Op, width: u32, a: u128, b: u128) -> Value {
    let numbers = || (number(width, a), number(width, b));
    match op {
        Op::FpEqual => Value::Bool(numbers().0 == numbers().1),
        Op::FpLess => Value::Bool(numbers().0 < numbers().1),
        Op::FpLessEqual => Value::Bool(numbers().0 <= numbers().1),
        Op::FpArithmetic(op, to) => bits(width, ieee::arithmetic(*op, width, a, b, *to)),
        _ => panic!("{op:?} is no operator on two bit-vectors"),
    }
}

/// The number without its fraction; `None` if the bit-vector has no such value.
fn to_integer(to: u32, v: f64, is_signed: bool) -> Option<Value> {
    let v = v.trunc();
    let size = 2f64.powi(i32::try_from(to).ok()?);
    let fits = if is_signed { v >= -size / 2.0 && v < size / 2.0 } else { v > -1.0 && v < size };
    if !fits {
        return None;
    }
    // The casts are exact in the range.
    let raw = if is_signed { (v as i128).cast_unsigned() } else { v as u128 };
    Some(bits(to, raw))
}
