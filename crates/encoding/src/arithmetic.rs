//! Integer arithmetic as terms: the operators of C in both integer modes, wrapping and its side conditions.

use crate::Inexact;
use crate::IntMode;
use crate::SideConditions;
use crate::encode::{Encoder, uninterpreted};
use crate::integers::WIDE;
use crate::integers::{low_mask, truth};
use crate::state::State;
use ir::{BinOp, Expr, IntType, Type, UnOp};
use smt::{Sort, Term};

impl Encoder<'_> {
    pub(crate) fn unary(
        &self,
        op: UnOp,
        e: &Expr,
        ty: &Type,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let v = self.value(e, st, facts);
        let t = match ty {
            Type::Math => return Term::int_neg(&v),
            Type::Float(_) => return self.float_unary(op, &v, ty, facts),
            _ => ty.as_int().expect("unary operators apply to numbers"),
        };
        match (op, self.mode) {
            (UnOp::Neg, IntMode::Bits) => {
                if t.signed && !self.program.signed_wrap {
                    let least = self.literal(t.min(), ty);
                    facts.defined.push(Term::not(&Term::equal(&v, &least)));
                }
                Term::bv_neg(&v)
            }
            (UnOp::Neg, IntMode::Math) => self.bounded(Term::int_neg(&v), t, facts),
            (UnOp::BitNot, IntMode::Bits) => Term::bv_not(&v),
            // ~v is -v - 1 in two's complement.
            (UnOp::BitNot, IntMode::Math) if t.signed => Term::int_sub(&Term::int(-1), &v),
            (UnOp::BitNot, IntMode::Math) => Term::int_sub(&Term::int(t.max()), &v),
            (UnOp::Not | UnOp::Left(_) | UnOp::Before(_) | UnOp::Start | UnOp::Float(_), _) => {
                panic!("these are translated elsewhere")
            }
        }
    }

    /// The result of signed or unsigned addition-like arithmetic in `math`: signed results are assumed in range,
    /// unsigned ones (and signed ones under `signed_wrap`) wrap.
    fn bounded(&self, v: Term, t: IntType, facts: &mut SideConditions) -> Term {
        if t.bits > WIDE {
            // Those that are admitted are sums and products of signed numbers of up to 64 bits, which fit.
            return v;
        }
        if t.signed && !self.program.signed_wrap {
            facts.defined.push(Term::int_le(&Term::int(t.min()), &v));
            facts.defined.push(Term::int_le(&v, &Term::int(t.max())));
            return v;
        }
        if t.bits > 64 {
            return wrap(&v, t);
        }
        // Sums and differences are at most one modulus off; a wider signed type covers them.
        wrap_once(&v, IntType { bits: t.bits + 2, signed: true }, t)
    }

    pub(crate) fn arithmetic(
        &self,
        op: BinOp,
        l: &Expr,
        r: &Expr,
        ty: &Type,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let (a, b) = (self.value(l, st, facts), self.value(r, st, facts));
        match (ty, self.mode) {
            (Type::Float(_), _) => self.float_arithmetic(op, &a, &b, ty, facts),
            (Type::Math, _) => math_op(op, &a, &b),
            (Type::Int(t), IntMode::Math) => {
                if matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor) && truth(l) && truth(r) {
                    return bit_logic(op, &a, &b);
                }
                self.math_int(op, &a, &b, *t, r.ty().as_int().unwrap_or(*t), facts)
            }
            (Type::Int(t), IntMode::Bits) => {
                let shift = r.ty().as_int().unwrap_or(*t);
                self.bits_int(op, &a, &b, *t, shift, facts)
            }
            _ => panic!("arithmetic has a number type"),
        }
    }

    fn math_int(
        &self,
        op: BinOp,
        a: &Term,
        b: &Term,
        t: IntType,
        shift: IntType,
        facts: &mut SideConditions,
    ) -> Term {
        match op {
            BinOp::Add => self.bounded(Term::int_sum([a.clone(), b.clone()]), t, facts),
            BinOp::Sub => self.bounded(Term::int_sub(a, b), t, facts),
            BinOp::Mul => {
                let product = Term::int_mul(a, b);
                if t.signed && !self.program.signed_wrap {
                    self.bounded(product, t, facts)
                } else {
                    wrap(&product, t)
                }
            }
            BinOp::Div | BinOp::Rem => {
                facts.defined.push(Term::not(&Term::equal(b, &Term::int(0))));
                if t.signed {
                    let overflow =
                        Term::and([Term::equal(a, &Term::int(t.min())), Term::equal(b, &Term::int(-1))]);
                    facts.defined.push(Term::not(&overflow));
                }
                match (op, t.signed) {
                    (BinOp::Div, true) => trunc_div(a, b),
                    (BinOp::Div, false) => Term::int_div(a, b),
                    (_, true) => trunc_rem(a, b),
                    (_, false) => Term::int_mod(a, b),
                }
            }
            _ => self.math_bits(op, a, b, t, shift, facts),
        }
    }

    /// Bit operations on mathematical integers: exact for masks and constant shifts, otherwise uninterpreted.
    fn math_bits(
        &self,
        op: BinOp,
        a: &Term,
        b: &Term,
        t: IntType,
        shift: IntType,
        facts: &mut SideConditions,
    ) -> Term {
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            let _ = shift;
            let width = Term::int(i128::from(t.bits));
            facts.defined.push(Term::int_le(&Term::int(0), b));
            facts.defined.push(Term::int_lt(b, &width));
            if let Some(k) = b.as_int()
                && (0..i128::from(t.bits).min(100)).contains(&k)
            {
                let power = Term::int(1i128 << k);
                return if op == BinOp::Shr {
                    Term::int_div(a, &power)
                } else {
                    wrap(&Term::int_mul(a, &power), t)
                };
            }
        }
        if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
            let value = match op {
                BinOp::BitAnd => Some(x & y),
                BinOp::BitOr => Some(x | y),
                BinOp::BitXor => Some(x ^ y),
                _ => None,
            };
            if let Some(value) = value {
                return Term::int(t.wrap(value));
            }
        }
        if op == BinOp::BitAnd {
            for (v, mask) in [(a, b.as_int()), (b, a.as_int())] {
                if let Some(m) = mask.filter(|m| low_mask(*m)) {
                    return Term::int_mod(v, &Term::int(m + 1));
                }
            }
        }
        facts.inexact(Inexact::Bitwise);
        let name = match op {
            BinOp::BitAnd => "bitand",
            BinOp::BitOr => "bitor",
            BinOp::BitXor => "bitxor",
            BinOp::Shl => "shl",
            _ => "shr",
        };
        let name = format!("{name}{}{}", if t.signed { "s" } else { "u" }, t.bits);
        let value = uninterpreted(&name, &[a.clone(), b.clone()], Sort::Int);
        facts.in_range(&value, &Type::Int(t), self.mode);
        value
    }

    fn bits_int(
        &self,
        op: BinOp,
        a: &Term,
        b: &Term,
        t: IntType,
        shift: IntType,
        facts: &mut SideConditions,
    ) -> Term {
        let checked = t.signed && !self.program.signed_wrap;
        let zero = Term::bv(u32::from(t.bits), 0);
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul if checked => {
                facts.defined.push(match op {
                    BinOp::Add => Term::bv_add_no_overflow(a, b),
                    BinOp::Sub => Term::bv_sub_no_overflow(a, b),
                    _ => Term::bv_mul_no_overflow(a, b),
                });
            }
            BinOp::Div | BinOp::Rem => {
                facts.defined.push(Term::not(&Term::equal(b, &zero)));
                if t.signed {
                    let least = Term::equal(a, &self.literal(t.min(), &Type::Int(t)));
                    let minus_one = Term::equal(b, &self.literal(-1, &Type::Int(t)));
                    facts.defined.push(Term::not(&Term::and([least, minus_one])));
                }
            }
            BinOp::Shl | BinOp::Shr => {
                let width = Term::bv(u32::from(shift.bits), u128::from(t.bits));
                if i128::from(t.bits) <= (IntType { signed: false, ..shift }).max() {
                    facts.defined.push(Term::bv_ult(b, &width));
                }
            }
            _ => {}
        }
        let amount = || resize(b, IntType { signed: false, ..shift }, t.bits);
        match (op, t.signed) {
            (BinOp::Add, _) => Term::bv_add(a, b),
            (BinOp::Sub, _) => Term::bv_sub(a, b),
            (BinOp::Mul, _) => Term::bv_mul(a, b),
            (BinOp::Div, true) => Term::bv_sdiv(a, b),
            (BinOp::Div, false) => Term::bv_udiv(a, b),
            (BinOp::Rem, true) => Term::bv_srem(a, b),
            (BinOp::Rem, false) => Term::bv_urem(a, b),
            (BinOp::BitAnd, _) => Term::bv_and(a, b),
            (BinOp::BitOr, _) => Term::bv_or(a, b),
            (BinOp::BitXor, _) => Term::bv_xor(a, b),
            (BinOp::Shl, _) => Term::bv_shl(a, &amount()),
            (BinOp::Shr, true) => Term::bv_ashr(a, &amount()),
            (BinOp::Shr, false) => Term::bv_lshr(a, &amount()),
            _ => panic!("comparisons and logical operators are conditions"),
        }
    }
}

/// `v` modulo 2^bits, brought into the type's range.
pub(crate) fn wrap(v: &Term, t: IntType) -> Term {
    if t.bits > 100 {
        return v.clone();
    }
    let low = Term::int_mod(v, &Term::int(1i128 << t.bits));
    if !t.signed {
        return low;
    }
    let above = Term::int_lt(&Term::int(t.max()), &low);
    Term::ite(&above, &Term::int_sub(&low, &Term::int(1i128 << t.bits)), &low)
}

/// Whether every value of `from` is at most one modulus outside the range of `to`.
pub(crate) fn near(from: IntType, to: IntType) -> bool {
    let modulus = 1i128 << to.bits.min(100);
    from.bits <= 64 && to.bits <= 64 && from.min() >= to.min() - modulus && from.max() <= to.max() + modulus
}

/// [`wrap`] for a value of the type `from` that is [`near`] the type: cheaper for the prover than `mod`.
pub(crate) fn wrap_once(v: &Term, from: IntType, to: IntType) -> Term {
    let modulus = Term::int(1i128 << to.bits);
    let mut out = v.clone();
    if from.min() < to.min() {
        out = Term::ite(&Term::int_lt(v, &Term::int(to.min())), &v.int_add(&modulus), &out);
    }
    if from.max() > to.max() {
        out = Term::ite(&Term::int_lt(&Term::int(to.max()), v), &v.int_sub(&modulus), &out);
    }
    out
}

/// Quotient truncated towards zero.
pub(crate) fn trunc_div(a: &Term, b: &Term) -> Term {
    of_magnitude(a, |a| Term::int_div(a, b))
}

/// Remainder with the sign of `a`.
fn trunc_rem(a: &Term, b: &Term) -> Term {
    of_magnitude(a, |a| Term::int_mod(a, b))
}

/// The result for `a`, or, where `a` is negative, that for `-a`, negated.
fn of_magnitude(a: &Term, result: impl Fn(&Term) -> Term) -> Term {
    let nonneg = Term::int_le(&Term::int(0), a);
    Term::ite(&nonneg, &result(a), &Term::int_neg(&result(&Term::int_neg(a))))
}

fn math_op(op: BinOp, a: &Term, b: &Term) -> Term {
    match op {
        BinOp::Add => Term::int_sum([a.clone(), b.clone()]),
        BinOp::Sub => Term::int_sub(a, b),
        BinOp::Mul => Term::int_mul(a, b),
        BinOp::Div => trunc_div(a, b),
        BinOp::Rem => trunc_rem(a, b),
        _ => panic!("mathematical integers have no bit operations"),
    }
}

/// `&`, `|`, `^` of two numbers that are 0 or 1.
fn bit_logic(op: BinOp, a: &Term, b: &Term) -> Term {
    let (zero, one) = (Term::int(0), Term::int(1));
    let (p, q) = (Term::equal(a, &one), Term::equal(b, &one));
    let c = match op {
        BinOp::BitAnd => Term::and([p, q]),
        BinOp::BitOr => Term::or([p, q]),
        _ => Term::not(&Term::equal(&p, &q)),
    };
    Term::ite(&c, &one, &zero)
}

/// A bit-vector of type `from` as one of `bits` bits: cut off, or extended by its sign.
pub(crate) fn resize(v: &Term, from: IntType, bits: u16) -> Term {
    let (have, want) = (u32::from(from.bits), u32::from(bits));
    if want < have {
        Term::bv_extract(v, want - 1, 0)
    } else if want == have {
        v.clone()
    } else if from.signed {
        Term::bv_sign_extend(v, want - have)
    } else {
        Term::bv_zero_extend(v, want - have)
    }
}
