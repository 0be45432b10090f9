//! Floating-point arithmetic as terms: exact with bit-vectors for numbers of 32 and 64 bits, arbitrary otherwise.

use crate::encode::Encoder;
use crate::{SideConditions, side_conditions::float_width};
use ir::{BinOp, FloatOp, IntType, Type, UnOp};
use smt::{Arithmetic, Rounding, Sort, Term};

impl Encoder<'_> {
    /// The negation flips the sign, also of a NaN.
    pub(crate) fn float_unary(&self, op: UnOp, v: &Term, ty: &Type, facts: &mut SideConditions) -> Term {
        match (op, float_width(ty, self.mode)) {
            (UnOp::Neg, Some(width)) => v.bv_xor(&sign_bit(width)),
            _ => self.float(ty, facts),
        }
    }

    pub(crate) fn float_arithmetic(
        &self,
        op: BinOp,
        a: &Term,
        b: &Term,
        ty: &Type,
        facts: &mut SideConditions,
    ) -> Term {
        match op {
            _ if float_width(ty, self.mode).is_none() => self.float(ty, facts),
            BinOp::Add => a.fp_arithmetic(Arithmetic::Add, b, Rounding::NearestEven),
            BinOp::Sub => a.fp_arithmetic(Arithmetic::Sub, b, Rounding::NearestEven),
            BinOp::Mul => a.fp_arithmetic(Arithmetic::Mul, b, Rounding::NearestEven),
            BinOp::Div => a.fp_arithmetic(Arithmetic::Div, b, Rounding::NearestEven),
            BinOp::Rounded(op, to) => a.fp_arithmetic(op, b, to),
            _ => self.float(ty, facts),
        }
    }

    /// An operation on a number of type `of`. The sign of a NaN is unspecified, since machines differ there.
    pub(crate) fn float_function(
        &self,
        op: FloatOp,
        v: &Term,
        of: &Type,
        ty: &Type,
        facts: &mut SideConditions,
    ) -> Term {
        if let FloatOp::ToSingle(to) | FloatOp::ToDouble(to) = op {
            return self.rounded(v, of, ty, to, facts);
        }
        let Some(width) = float_width(if op == FloatOp::OfBits { ty } else { of }, self.mode) else {
            return self.float(ty, facts);
        };
        let sign = sign_bit(width);
        let magnitude = |v: &Term| v.bv_and(&sign.bv_not());
        // What provers find out by many cases only, of all that are numbers.
        let mut lemma = |fact: Term| facts.axioms.push(Term::or([Term::not(&v.fp_equal(v)), fact]));
        match op {
            FloatOp::Abs => magnitude(v),
            FloatOp::Sqrt => v.fp_sqrt(Rounding::NearestEven),
            FloatOp::RoundedSqrt(to) => v.fp_sqrt(to),
            FloatOp::ToSingle(_) | FloatOp::ToDouble(_) => unreachable!("they are converted above"),
            FloatOp::Floor => {
                let whole = v.fp_round(Rounding::Down);
                lemma(whole.fp_less_equal(v));
                whole
            }
            FloatOp::Ceil => {
                let whole = v.fp_round(Rounding::Up);
                lemma(v.fp_less_equal(&whole));
                whole
            }
            FloatOp::Trunc => {
                let whole = v.fp_round(Rounding::Zero);
                lemma(magnitude(&whole).fp_less_equal(&magnitude(v)));
                whole
            }
            FloatOp::Round => v.fp_round(Rounding::NearestAway),
            FloatOp::Rint => v.fp_round(Rounding::NearestEven),
            FloatOp::OfBits => v.clone(),
            FloatOp::ToBits => {
                let open = facts.fresh(Sort::BitVec(width));
                facts.axioms.push(Term::not(&open.fp_equal(&open)));
                Term::ite(&v.fp_equal(v), v, &open)
            }
            FloatOp::SignBit => {
                let open = facts.fresh(Sort::Bool);
                let minus = Term::not(&v.bv_and(&sign).equal(&Term::bv(width, 0)));
                let minus = Term::ite(&v.fp_equal(v), &minus, &open);
                Term::ite(&minus, &self.literal(1, ty), &self.literal(0, ty))
            }
        }
    }

    /// A conversion from or to floating point. Where an integer type does not have the number without its fraction, it is
    /// undefined.
    pub(crate) fn float_cast(&self, v: &Term, from: &Type, to: &Type, facts: &mut SideConditions) -> Term {
        let width = |ty| float_width(ty, self.mode);
        match (from, to) {
            (from, Type::Int(t)) if let Some(w) = width(from) => {
                facts.defined.push(fits(v, w, *t));
                match t.signed {
                    true => v.fp_to_signed(t.bits.into()),
                    false => v.fp_to_unsigned(t.bits.into()),
                }
            }
            _ => self.rounded(v, from, to, Rounding::NearestEven, facts),
        }
    }

    /// A number as a floating-point number of the type `ty`.
    fn rounded(&self, v: &Term, from: &Type, ty: &Type, to: Rounding, facts: &mut SideConditions) -> Term {
        match (from, float_width(ty, self.mode)) {
            (Type::Int(t), Some(width)) if t.signed => v.fp_from_signed(width, to),
            (Type::Int(_), Some(width)) => v.fp_from_unsigned(width, to),
            (from, Some(width)) if float_width(from, self.mode).is_some() => v.fp_convert(width, to),
            _ => self.float(ty, facts),
        }
    }
}

/// The sign of a number of this width alone.
fn sign_bit(width: u32) -> Term {
    Term::bv(width, 1 << (width - 1))
}

/// Whether the number without its fraction is one of the type.
fn fits(v: &Term, width: u32, t: IntType) -> Term {
    let number = |x: f64| match width {
        32 => Term::bv(32, (x as f32).to_bits().into()),
        _ => Term::bv(64, x.to_bits().into()),
    };
    // Powers of two, which both widths have; below the least, numbers with a fraction may still be cut off to it.
    let top = 2f64.powi(i32::from(t.bits) - i32::from(t.signed));
    let least = if t.signed { -top } else { 0.0 };
    let whole = v.fp_round(Rounding::Zero);
    Term::and([number(least).fp_less_equal(&whole), whole.fp_less(&number(top))])
}
