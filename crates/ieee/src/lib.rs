//! IEEE 754 arithmetic on the bits of numbers of 32 and 64 bits, rounded in each of the standard's directions. The
//! processor computes rounded to nearest only where nobody changes its mode, so this is done in software, by
//! `rustc_apfloat`, which no other crate names.
//!
//! A result that is a NaN has the bits of [`not_a_number`], whatever the operands were: machines differ there. The
//! crate must not know expressions or provers.
//!
//! ```
//! use ieee::{Arithmetic, Rounding, arithmetic};
//!
//! let (one, three) = (u128::from(1f64.to_bits()), u128::from(3f64.to_bits()));
//! let third = |rounding| arithmetic(Arithmetic::Div, 64, one, three, rounding);
//! assert_eq!(third(Rounding::NearestEven), u128::from((1.0 / 3.0_f64).to_bits()));
//! // No number of 64 bits is a third: the two next to it differ in their last bit.
//! assert_eq!(third(Rounding::Up), third(Rounding::Down) + 1);
//! ```

use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

/// Which number of the type stands for a result that is none of the type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rounding {
    /// The nearest, of two equally near ones that whose last digit is even.
    NearestEven,
    /// The nearest, of two equally near ones that farther from zero.
    NearestAway,
    /// The next one not below.
    Up,
    /// The next one not above.
    Down,
    /// The next one not farther from zero.
    Zero,
}

impl Rounding {
    fn round(self) -> Round {
        match self {
            Rounding::NearestEven => Round::NearestTiesToEven,
            Rounding::NearestAway => Round::NearestTiesToAway,
            Rounding::Up => Round::TowardPositive,
            Rounding::Down => Round::TowardNegative,
            Rounding::Zero => Round::TowardZero,
        }
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Arithmetic {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// The bits of NaN results: quiet, positive, without payload. `width` is 32 or 64.
pub fn not_a_number(width: u32) -> u128 {
    if width == 32 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 }
}

/// The bits, or those of [`not_a_number`].
fn bits<F: Float>(number: F) -> u128 {
    if number.is_nan() { not_a_number(F::BITS as u32) } else { number.to_bits() }
}

fn arithmetic_of<F: Float>(op: Arithmetic, a: u128, b: u128, round: Round) -> u128 {
    let (a, b) = (F::from_bits(a), F::from_bits(b));
    let result = match op {
        Arithmetic::Add => a.add_r(b, round),
        Arithmetic::Sub => a.sub_r(b, round),
        Arithmetic::Mul => a.mul_r(b, round),
        Arithmetic::Div => a.div_r(b, round),
    };
    bits(result.value)
}

/// The result of an operation on two numbers of `width` bits, 32 or 64.
pub fn arithmetic(op: Arithmetic, width: u32, a: u128, b: u128, rounding: Rounding) -> u128 {
    match width {
        32 => arithmetic_of::<Single>(op, a, b, rounding.round()),
        _ => arithmetic_of::<Double>(op, a, b, rounding.round()),
    }
}

/// The number of `from` bits in `to` bits, 32 or 64 both.
pub fn convert(from: u32, to: u32, a: u128, rounding: Rounding) -> u128 {
    match (from, to) {
        (64, 32) => {
            let single: Single = Double::from_bits(a).convert_r(rounding.round(), &mut false).value;
            bits(single)
        }
        (32, 64) => {
            let double: Double = Single::from_bits(a).convert(&mut false).value;
            bits(double)
        }
        (32, _) => bits(Single::from_bits(a)),
        _ => bits(Double::from_bits(a)),
    }
}

/// A signed integer as a number of `to` bits, 32 or 64.
pub fn from_signed(to: u32, n: i128, rounding: Rounding) -> u128 {
    match to {
        32 => bits(Single::from_i128_r(n, rounding.round()).value),
        _ => bits(Double::from_i128_r(n, rounding.round()).value),
    }
}

/// An unsigned integer as a number of `to` bits, 32 or 64.
pub fn from_unsigned(to: u32, n: u128, rounding: Rounding) -> u128 {
    match to {
        32 => bits(Single::from_u128_r(n, rounding.round()).value),
        _ => bits(Double::from_u128_r(n, rounding.round()).value),
    }
}

/// The number of `width` bits, 32 or 64, that is nearest to what C writes in hexadecimal digits, as `0x1.8p3`; `None` if that is
/// malformed.
pub fn hexadecimal(width: u32, text: &str) -> Option<u128> {
    let even = Round::NearestTiesToEven;
    Some(match width {
        32 => bits(Single::from_str_r(text, even).ok()?.value),
        _ => bits(Double::from_str_r(text, even).ok()?.value),
    })
}

/// Whether a number of 64 bits is exactly what C writes, in decimal digits or, with `0x`, in hexadecimal ones.
pub fn is_exact(text: &str) -> bool {
    Double::from_str_r(text, Round::NearestTiesToEven).is_ok_and(|number| number.status == Status::OK)
}

/// A whole number near a number of `width` bits, 32 or 64.
pub fn whole(width: u32, a: u128, rounding: Rounding) -> u128 {
    match width {
        32 => bits(Single::from_bits(a).round_to_integral(rounding.round()).value),
        _ => bits(Double::from_bits(a).round_to_integral(rounding.round()).value),
    }
}

/// The square root of a number of `width` bits, 32 or 64.
pub fn sqrt(width: u32, a: u128, rounding: Rounding) -> u128 {
    match width {
        32 => root(Single::from_bits(a), f32::from_bits(a as u32).sqrt().to_bits().into(), rounding),
        _ => root(Double::from_bits(a), f64::from_bits(a as u64).sqrt().to_bits().into(), rounding),
    }
}

/// The root in the rounding direction: the nearest one or its neighbour. The square of the nearest one shows on
/// which side of the exact root it is.
fn root<F: Float>(a: F, nearest: u128, rounding: Rounding) -> u128 {
    let nearest = F::from_bits(nearest);
    if !nearest.is_finite_non_zero() {
        return bits(nearest);
    }
    let excess = |round| nearest.mul_add_r(nearest, -a, round).value;
    // Zero is an exact result, of either sign.
    let has_sign = |excess: F, negative| !excess.is_zero() && excess.is_negative() == negative;
    let is_below = || has_sign(excess(Round::TowardNegative), true);
    let is_above = || has_sign(excess(Round::TowardPositive), false);
    bits(match rounding {
        Rounding::Up if is_below() => nearest.next_up().value,
        Rounding::Down | Rounding::Zero if is_above() => nearest.next_down().value,
        _ => nearest,
    })
}

#[cfg(test)]
mod tests;
