//! Constructors of integer terms.
//!
//! Sums are linear forms. A comparison becomes `L <= k` or `not (L <= k)`, where `L` has no
//! constant, coefficients without a common divisor, and a positive leading coefficient, and `k` is
//! a literal; so a comparison and its negation share one atom. Where a number would leave `i128`
//! the term is built as it is written.

use super::boolean::raw_equal;
use super::linear::{Linear, coefficient_and_rest};
use super::{WIDE, check_sort, fold, test_literal_leaves};
use crate::sort::Sort;
use crate::term::{Op, Term};

impl Term {
    /// An integer.
    pub fn int(value: i128) -> Term {
        Term::make(Op::Int(value), Vec::new(), Sort::Int)
    }

    /// `self + other`.
    #[track_caller]
    pub fn int_add(&self, other: &Term) -> Term {
        check_ints(self, other);
        let sum = Linear::of(self).plus(Linear::of(other));
        sum.filter(|sum| sum.monomials.len() < WIDE)
            .map_or_else(|| raw(Op::IntAdd, Sort::Int, self, other), Linear::into_term)
    }

    /// The sum; of nothing, 0.
    #[track_caller]
    pub fn int_sum(parts: impl IntoIterator<Item = Term>) -> Term {
        parts.into_iter().reduce(|sum, part| sum.int_add(&part)).unwrap_or_else(|| Term::int(0))
    }

    /// `self - other`.
    #[track_caller]
    pub fn int_sub(&self, other: &Term) -> Term {
        self.int_add(&other.int_neg())
    }

    /// `- self`.
    #[track_caller]
    pub fn int_neg(&self) -> Term {
        self.int_mul(&Term::int(-1))
    }

    /// `self * other`.
    #[track_caller]
    pub fn int_mul(&self, other: &Term) -> Term {
        check_ints(self, other);
        let scaled = match (self.as_int(), other.as_int()) {
            (Some(factor), _) => Linear::of(other).times(factor),
            (_, Some(factor)) => Linear::of(self).times(factor),
            (None, None) => return product(self, other),
        };
        scaled.map_or_else(|| raw(Op::IntMul, Sort::Int, self, other), Linear::into_term)
    }

    /// SMT-LIB's `div`, whose remainder is never negative (C's `/` truncates; build that with
    /// `ite`). Division by zero is an unknown function of `self`.
    #[track_caller]
    pub fn int_div(&self, other: &Term) -> Term {
        check_ints(self, other);
        if let Some(value) = fold(&Op::IntDiv, &[self, other], &Sort::Int) {
            return value;
        }
        match other.as_int() {
            Some(1) => self.clone(),
            Some(-1) => self.int_neg(),
            _ => raw(Op::IntDiv, Sort::Int, self, other),
        }
    }

    /// SMT-LIB's `mod`, never negative (C's `%` has the dividend's sign). By zero it is an unknown
    /// function of `self`.
    #[track_caller]
    pub fn int_mod(&self, other: &Term) -> Term {
        check_ints(self, other);
        if let Some(value) = fold(&Op::IntMod, &[self, other], &Sort::Int) {
            return value;
        }
        match (other.as_int(), self.op(), self.args()) {
            (Some(1 | -1), _, _) => Term::int(0),
            (Some(modulus), Op::IntMod, [_, inner]) if modulus != 0 && inner.as_int() == Some(modulus) => {
                self.clone()
            }
            _ => raw(Op::IntMod, Sort::Int, self, other),
        }
    }

    /// `self <= other`.
    #[track_caller]
    pub fn int_le(&self, other: &Term) -> Term {
        check_ints(self, other);
        let difference = Linear::difference(self, other);
        difference
            .and_then(|difference| at_most_zero(&difference))
            .unwrap_or_else(|| raw(Op::IntLe, Sort::Bool, self, other))
    }

    /// `self < other`.
    #[track_caller]
    pub fn int_lt(&self, other: &Term) -> Term {
        other.int_le(self).not()
    }
}

#[track_caller]
fn check_ints(a: &Term, b: &Term) {
    check_sort(a, &Sort::Int);
    check_sort(b, &Sort::Int);
}

fn raw(op: Op, sort: Sort, a: &Term, b: &Term) -> Term {
    Term::make(op, vec![a.clone(), b.clone()], sort)
}

/// The product of two terms of which neither is a literal: one coefficient, then the factors in
/// their order.
fn product(a: &Term, b: &Term) -> Term {
    let (a, coefficient_a) = coefficient_and_rest(a);
    let (b, coefficient_b) = coefficient_and_rest(b);
    let mut factors = Vec::new();
    for factor in [&a, &b] {
        match factor.op() {
            Op::IntMul if factor.args().len() <= WIDE => {
                factors.extend(factor.args().iter().cloned());
            }
            _ => factors.push(factor.clone()),
        }
    }
    factors.sort();
    let product = Term::make(Op::IntMul, factors, Sort::Int);
    match coefficient_a.checked_mul(coefficient_b) {
        Some(coefficient) => product.int_mul(&Term::int(coefficient)),
        None => raw(
            Op::IntMul,
            Sort::Int,
            &Term::int(coefficient_a),
            &raw(Op::IntMul, Sort::Int, &Term::int(coefficient_b), &product),
        ),
    }
}

/// The normal form of `sum <= 0`; `None` if a number leaves `i128`.
fn at_most_zero(sum: &Linear) -> Option<Term> {
    let Some((_, leading)) = sum.monomials.first() else {
        return Some(Term::bool(sum.constant <= 0));
    };
    let divisor = sum.divisor()?;
    // `divisor * L + constant <= 0` iff `L <= floor(-constant / divisor)`.
    let bound = sum.constant.checked_neg()?.div_euclid(divisor);
    if *leading > 0 {
        let part = sum.variable_part(divisor)?;
        Some(at_most(part, bound))
    } else {
        // `L <= k` iff not `-L <= -k - 1`.
        let part = sum.variable_part(divisor.checked_neg()?)?;
        let bound = bound.checked_neg()?.checked_sub(1)?;
        Some(at_most(part, bound).not())
    }
}

/// The atom `part <= bound`.
fn at_most(part: Linear, bound: i128) -> Term {
    let part = part.into_term();
    let within = |leaf: &Term| Term::bool(leaf.as_int().is_some_and(|value| value <= bound));
    test_literal_leaves(&part, &within)
        .unwrap_or_else(|| raw(Op::IntLe, Sort::Bool, &part, &Term::int(bound)))
}

/// Equality of two different integer terms.
pub(super) fn equal(a: &Term, b: &Term) -> Term {
    Linear::difference(a, b).and_then(|difference| equal_zero(&difference)).unwrap_or_else(|| raw_equal(a, b))
}

/// The normal form of `sum = 0`: `x = y` if that is all, else `L = k` as for comparisons.
fn equal_zero(sum: &Linear) -> Option<Term> {
    let Some((_, leading)) = sum.monomials.first() else {
        return Some(Term::bool(sum.constant == 0));
    };
    let divisor = sum.divisor()?;
    if sum.constant % divisor != 0 {
        return Some(Term::bool(false));
    }
    let divisor = divisor * leading.signum();
    let right = sum.constant.checked_neg()?.checked_div(divisor)?;
    let part = sum.variable_part(divisor)?;
    if let ([(x, 1), (y, -1)], 0) = (part.monomials.as_slice(), right) {
        return Some(raw_equal(x, y));
    }
    let part = part.into_term();
    let right = Term::int(right);
    let is_right = |leaf: &Term| Term::bool(*leaf == right);
    Some(test_literal_leaves(&part, &is_right).unwrap_or_else(|| raw_equal(&part, &right)))
}

/// Whether two integer terms differ by a literal other than 0, whatever the constants are.
pub(super) fn surely_different(a: &Term, b: &Term) -> bool {
    Linear::difference(a, b).is_some_and(|d| d.monomials.is_empty() && d.constant != 0)
}
