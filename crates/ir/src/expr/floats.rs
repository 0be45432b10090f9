//! Operations on floating-point numbers: those that C has as functions, and those with another rounding than to
//! nearest.

use super::{BinOp, Expr, UnOp};
use crate::types::{FloatType, IntType, Type};
use ieee::{Arithmetic, Rounding};

/// Operations on one number that C has as functions, IEEE 754, exact or rounded to nearest unless noted
/// otherwise; and its bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatOp {
    /// Without its sign.
    Abs,
    /// Square root.
    Sqrt,
    /// The greatest whole number not above.
    Floor,
    /// The least whole number not below.
    Ceil,
    /// Without its fraction.
    Trunc,
    /// The nearest whole number, ties away from zero.
    Round,
    /// The nearest whole number, ties to the even one.
    Rint,
    /// 1 if the sign is minus, else 0; an `int`. For a NaN an unknown one of the two.
    SignBit,
    /// The bits of a number, as an unsigned integer of its width; for a NaN unknown bits of a NaN.
    ToBits,
    /// The number with the bits of an unsigned integer of its width.
    OfBits,
    /// Square root, rounded otherwise than to nearest.
    RoundedSqrt(Rounding),
    /// A number, or an integer, as a `float`, rounded otherwise than to nearest.
    ToSingle(Rounding),
    /// The same as a `double`.
    ToDouble(Rounding),
}

/// The roundings that stand in the names of operations.
const ROUNDINGS: [Rounding; 3] = [Rounding::Up, Rounding::Down, Rounding::Zero];

const ARITHMETIC: [Arithmetic; 4] = [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div];

/// One of three names, by the rounding.
///
/// # Panics
/// When it is to nearest: such operations have names, or operators, of their own.
fn by(rounding: Rounding, [up, down, zero]: [&'static str; 3]) -> &'static str {
    match rounding {
        Rounding::Up => up,
        Rounding::Down => down,
        Rounding::Zero => zero,
        Rounding::NearestEven | Rounding::NearestAway => panic!("the operation is rounded to nearest"),
    }
}

/// The name in C-- of arithmetic in a rounding.
pub(super) fn name(op: Arithmetic, rounding: Rounding) -> &'static str {
    let names = match op {
        Arithmetic::Add => ["__builtin_add_up", "__builtin_add_down", "__builtin_add_zero"],
        Arithmetic::Sub => ["__builtin_sub_up", "__builtin_sub_down", "__builtin_sub_zero"],
        Arithmetic::Mul => ["__builtin_mul_up", "__builtin_mul_down", "__builtin_mul_zero"],
        Arithmetic::Div => ["__builtin_div_up", "__builtin_div_down", "__builtin_div_zero"],
    };
    by(rounding, names)
}

impl BinOp {
    /// The arithmetic of this name that is not rounded to nearest.
    pub fn rounded(name: &str) -> Option<BinOp> {
        let all = ARITHMETIC.iter().flat_map(|op| ROUNDINGS.map(|to| BinOp::Rounded(*op, to)));
        all.into_iter().find(|op| op.symbol() == name)
    }
}

impl FloatOp {
    /// All of them.
    pub fn all() -> impl Iterator<Item = FloatOp> {
        let nearest = [
            FloatOp::Abs,
            FloatOp::Sqrt,
            FloatOp::Floor,
            FloatOp::Ceil,
            FloatOp::Trunc,
            FloatOp::Round,
            FloatOp::Rint,
            FloatOp::SignBit,
            FloatOp::ToBits,
            FloatOp::OfBits,
        ];
        let rounded = [FloatOp::RoundedSqrt, FloatOp::ToSingle, FloatOp::ToDouble];
        nearest.into_iter().chain(rounded.into_iter().flat_map(|op| ROUNDINGS.map(op)))
    }

    /// Its name in C--: one that C programs cannot define.
    pub fn name(self) -> &'static str {
        match self {
            FloatOp::Abs => "__builtin_fabs",
            FloatOp::Sqrt => "__builtin_sqrt",
            FloatOp::Floor => "__builtin_floor",
            FloatOp::Ceil => "__builtin_ceil",
            FloatOp::Trunc => "__builtin_trunc",
            FloatOp::Round => "__builtin_round",
            FloatOp::Rint => "__builtin_rint",
            FloatOp::SignBit => "__builtin_signbit",
            FloatOp::ToBits => "__builtin_bits_of",
            FloatOp::OfBits => "__builtin_of_bits",
            FloatOp::RoundedSqrt(to) => {
                by(to, ["__builtin_sqrt_up", "__builtin_sqrt_down", "__builtin_sqrt_zero"])
            }
            FloatOp::ToSingle(to) => {
                by(to, ["__builtin_float_up", "__builtin_float_down", "__builtin_float_zero"])
            }
            FloatOp::ToDouble(to) => {
                by(to, ["__builtin_double_up", "__builtin_double_down", "__builtin_double_zero"])
            }
        }
    }

    /// The operation of this name.
    pub fn named(name: &str) -> Option<FloatOp> {
        FloatOp::all().find(|op| op.name() == name)
    }

    /// The type of the result for an operand of a type; `None` where there is no such operation.
    pub fn result(self, of: &Type) -> Option<Type> {
        match (self, of) {
            (FloatOp::OfBits, Type::Int(IntType { bits: bits @ (32 | 64), signed: false })) => {
                Some(Type::Float(FloatType { bits: *bits }))
            }
            (FloatOp::OfBits, _) => None,
            (FloatOp::SignBit, Type::Float(_)) => Some(Type::INT),
            (FloatOp::ToBits, Type::Float(FloatType { bits: bits @ (32 | 64) })) => {
                Some(Type::Int(IntType { bits: *bits, signed: false }))
            }
            (FloatOp::ToBits, _) => None,
            (FloatOp::ToSingle(_), Type::Float(_) | Type::Int(_)) => {
                Some(Type::Float(FloatType { bits: 32 }))
            }
            (FloatOp::ToDouble(_), Type::Float(_) | Type::Int(_)) => {
                Some(Type::Float(FloatType { bits: 64 }))
            }
            (_, Type::Float(_)) => Some(of.clone()),
            _ => None,
        }
    }

    /// The operation on an operand that has it.
    pub fn of(self, operand: Expr) -> Expr {
        let ty = self.result(&operand.ty()).expect("the operand has the operation");
        Expr::Unary(UnOp::Float(self), Box::new(operand), ty)
    }
}
