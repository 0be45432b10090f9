//! Constructors of floating-point terms: bit-vectors of 32 or 64 bits that are read as IEEE 754 numbers.

use super::{check_same_sort, fold};
use crate::sort::Sort;
use crate::term::{Op, Term};
use ieee::{Arithmetic, Rounding};

#[track_caller]
fn check_float(a: &Term) {
    let width = a.sort().width();
    check_float_width(width);
}

#[track_caller]
fn check_float_width(width: u32) {
    assert!(matches!(width, 32 | 64), "floating-point numbers have 32 or 64 bits, not {width}");
}

#[track_caller]
fn binary(op: Op, a: &Term, b: &Term, sort: Sort) -> Term {
    check_float(a);
    check_same_sort(a, b);
    fold(&op, &[a, b], &sort).unwrap_or_else(|| Term::make(op, vec![a.clone(), b.clone()], sort))
}

fn unary(op: Op, a: &Term, width: u32) -> Term {
    let sort = Sort::BitVec(width);
    fold(&op, &[a], &sort).unwrap_or_else(|| Term::make(op, vec![a.clone()], sort))
}

impl Term {
    /// Sum, difference, product or quotient.
    #[track_caller]
    pub fn fp_arithmetic(&self, op: Arithmetic, other: &Term, rounding: Rounding) -> Term {
        binary(Op::FpArithmetic(op, rounding), self, other, self.sort().clone())
    }

    /// Sum, rounded to nearest.
    #[track_caller]
    pub fn fp_add(&self, other: &Term) -> Term {
        self.fp_arithmetic(Arithmetic::Add, other, Rounding::NearestEven)
    }

    /// Difference, rounded to nearest.
    #[track_caller]
    pub fn fp_sub(&self, other: &Term) -> Term {
        self.fp_arithmetic(Arithmetic::Sub, other, Rounding::NearestEven)
    }

    /// Product, rounded to nearest.
    #[track_caller]
    pub fn fp_mul(&self, other: &Term) -> Term {
        self.fp_arithmetic(Arithmetic::Mul, other, Rounding::NearestEven)
    }

    /// Quotient, rounded to nearest.
    #[track_caller]
    pub fn fp_div(&self, other: &Term) -> Term {
        self.fp_arithmetic(Arithmetic::Div, other, Rounding::NearestEven)
    }

    /// Equality of numbers: zeros are equal, nothing equals a NaN.
    #[track_caller]
    pub fn fp_equal(&self, other: &Term) -> Term {
        binary(Op::FpEqual, self, other, Sort::Bool)
    }

    /// `<` on numbers; false if one of the operands is none.
    #[track_caller]
    pub fn fp_less(&self, other: &Term) -> Term {
        binary(Op::FpLess, self, other, Sort::Bool)
    }

    /// `<=` on numbers; false if one of the operands is none.
    #[track_caller]
    pub fn fp_less_equal(&self, other: &Term) -> Term {
        binary(Op::FpLessEqual, self, other, Sort::Bool)
    }

    /// Square root.
    #[track_caller]
    pub fn fp_sqrt(&self, rounding: Rounding) -> Term {
        check_float(self);
        unary(Op::FpSqrt(rounding), self, self.sort().width())
    }

    /// A whole number near this one.
    #[track_caller]
    pub fn fp_round(&self, rounding: Rounding) -> Term {
        check_float(self);
        unary(Op::FpRound(rounding), self, self.sort().width())
    }

    /// The number in another width.
    #[track_caller]
    pub fn fp_convert(&self, width: u32, rounding: Rounding) -> Term {
        check_float(self);
        check_float_width(width);
        match self.sort().width() {
            own if own == width => self.clone(),
            // Nothing is rounded.
            own if own < width => unary(Op::FpConvert(width, Rounding::NearestEven), self, width),
            _ => unary(Op::FpConvert(width, rounding), self, width),
        }
    }

    /// A signed bit-vector as a number of `width` bits.
    #[track_caller]
    pub fn fp_from_signed(&self, width: u32, rounding: Rounding) -> Term {
        check_float_width(width);
        unary(Op::FpFromSigned(width, rounding), self, width)
    }

    /// An unsigned bit-vector as a number of `width` bits.
    #[track_caller]
    pub fn fp_from_unsigned(&self, width: u32, rounding: Rounding) -> Term {
        check_float_width(width);
        unary(Op::FpFromUnsigned(width, rounding), self, width)
    }

    /// The number without its fraction as a signed bit-vector; some unknown value if that is too small.
    #[track_caller]
    pub fn fp_to_signed(&self, width: u32) -> Term {
        check_float(self);
        super::check_width(width);
        unary(Op::FpToSigned(width), self, width)
    }

    /// The same for an unsigned bit-vector.
    #[track_caller]
    pub fn fp_to_unsigned(&self, width: u32) -> Term {
        check_float(self);
        super::check_width(width);
        unary(Op::FpToUnsigned(width), self, width)
    }
}

/// The term of such an operator on other arguments; `None` for other operators.
#[track_caller]
pub(super) fn rebuild(op: &Op, args: &[Term]) -> Option<Term> {
    Some(match (op, args) {
        (Op::FpArithmetic(op, rounding), [a, b]) => a.fp_arithmetic(*op, b, *rounding),
        (Op::FpEqual, [a, b]) => a.fp_equal(b),
        (Op::FpLess, [a, b]) => a.fp_less(b),
        (Op::FpLessEqual, [a, b]) => a.fp_less_equal(b),
        (Op::FpSqrt(rounding), [a]) => a.fp_sqrt(*rounding),
        (Op::FpRound(rounding), [a]) => a.fp_round(*rounding),
        (Op::FpConvert(width, rounding), [a]) => a.fp_convert(*width, *rounding),
        (Op::FpFromSigned(width, rounding), [a]) => a.fp_from_signed(*width, *rounding),
        (Op::FpFromUnsigned(width, rounding), [a]) => a.fp_from_unsigned(*width, *rounding),
        (Op::FpToSigned(width), [a]) => a.fp_to_signed(*width),
        (Op::FpToUnsigned(width), [a]) => a.fp_to_unsigned(*width),
        _ => return None,
    })
}
