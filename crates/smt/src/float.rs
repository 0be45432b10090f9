//! IEEE 754 numbers of 32 and 64 bits as bit-vectors: what the operators compute on their bits.
//!
//! Rounding is to nearest, ties to even, unless an operator has a rounding of its own. A result that is no number has
//! the bits of [`not_a_number`], whatever the operands were; machines differ there, so who asks for the bits of such
//! a result must not rely on them.

use crate::term::{Op, Rounding};
use crate::value::{Value, bits, signed};

/// The bits of the results that are no numbers: quiet, positive, without payload. `width` is 32 or 64.
pub(crate) fn not_a_number(width: u32) -> u128 {
    if width == 32 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 }
}

/// The number with these bits. Every number of 32 bits is one of 64 bits.
fn number(width: u32, bits: u128) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) }
}

/// The number rounded to the width.
fn rounded(width: u32, v: f64) -> Value {
    let raw = match width {
        _ if v.is_nan() => not_a_number(width),
        32 => u128::from((v as f32).to_bits()),
        _ => u128::from(v.to_bits()),
    };
    bits(width, raw)
}

/// The value of an operator on one bit-vector; `None` if it is open.
pub(crate) fn apply1(op: &Op, width: u32, a: u128) -> Option<Value> {
    Some(match *op {
        Op::FpSqrt => rounded(width, number(width, a).sqrt()),
        Op::FpRound(rounding) => rounded(width, whole(rounding, number(width, a))),
        Op::FpConvert(to) => rounded(to, number(width, a)),
        Op::FpFromSigned(to) => from_integer(to, signed(width, a) as f32, signed(width, a) as f64),
        Op::FpFromUnsigned(to) => from_integer(to, a as f32, a as f64),
        Op::FpToSigned(to) => to_integer(to, number(width, a), true)?,
        Op::FpToUnsigned(to) => to_integer(to, number(width, a), false)?,
        _ => panic!("{op:?} is no operator on one bit-vector"),
    })
}

/// The value of an operator on two bit-vectors. Operations on numbers of 32 bits, rounded to 64 and then to 32 bits, are the
/// same as rounded once [Fig95].
pub(crate) fn apply2(op: &Op, width: u32, a: u128, b: u128) -> Value {
    let (a, b) = (number(width, a), number(width, b));
    let result = match op {
        Op::FpEqual => return Value::Bool(a == b),
        Op::FpLess => return Value::Bool(a < b),
        Op::FpLessEqual => return Value::Bool(a <= b),
        Op::FpAdd => a + b,
        Op::FpSub => a - b,
        Op::FpMul => a * b,
        Op::FpDiv => a / b,
        _ => panic!("{op:?} is no operator on two bit-vectors"),
    };
    rounded(width, result)
}

fn whole(rounding: Rounding, v: f64) -> f64 {
    match rounding {
        Rounding::NearestEven => v.round_ties_even(),
        Rounding::NearestAway => v.round(),
        Rounding::Up => v.ceil(),
        Rounding::Down => v.floor(),
        Rounding::Zero => v.trunc(),
    }
}

/// An integer rounded once to either width.
fn from_integer(to: u32, single: f32, double: f64) -> Value {
    if to == 32 { bits(32, single.to_bits().into()) } else { bits(64, double.to_bits().into()) }
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
