//! Linear forms: sums of integer terms with literal coefficients.
//!
//! Invariant of [`Linear`]: the monomials are strictly ordered by their terms, no coefficient is
//! zero, and no term is a sum or a multiple itself unless flattening it would overflow or exceed
//! [`WIDE`] parts. All arithmetic is checked; `None` means that a number left `i128`.

use super::WIDE;
use crate::sort::Sort;
use crate::term::{Op, Term};

/// `sum of coefficient * term, plus constant`.
#[derive(Clone)]
pub(super) struct Linear {
    pub(super) monomials: Vec<(Term, i128)>,
    pub(super) constant: i128,
}

impl Linear {
    /// The linear form of an integer term.
    pub(super) fn of(term: &Term) -> Linear {
        Linear::flatten(term).unwrap_or_else(|| Linear::atom(term))
    }

    fn atom(term: &Term) -> Linear {
        Linear { monomials: vec![(term.clone(), 1)], constant: 0 }
    }

    fn flatten(term: &Term) -> Option<Linear> {
        let parts = match term.op() {
            Op::IntAdd if term.args().len() <= WIDE => term.args(),
            _ => std::slice::from_ref(term),
        };
        let mut constant = 0i128;
        let mut monomials = Vec::with_capacity(parts.len());
        for part in parts {
            match part.op() {
                Op::Int(value) => constant = constant.checked_add(*value)?,
                _ => monomials.push(coefficient_and_rest(part)),
            }
        }
        Linear { monomials, constant }.sorted()
    }

    fn sorted(mut self) -> Option<Linear> {
        self.monomials.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut merged: Vec<(Term, i128)> = Vec::with_capacity(self.monomials.len());
        for (term, coefficient) in self.monomials {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.checked_add(coefficient)?,
                _ => merged.push((term, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| *coefficient != 0);
        Some(Linear { monomials: merged, constant: self.constant })
    }

    /// The sum.
    pub(super) fn plus(mut self, other: Linear) -> Option<Linear> {
        self.monomials.extend(other.monomials);
        self.constant = self.constant.checked_add(other.constant)?;
        self.sorted()
    }

    /// The multiple.
    pub(super) fn times(mut self, factor: i128) -> Option<Linear> {
        if factor == 0 {
            return Some(Linear { monomials: Vec::new(), constant: 0 });
        }
        for (_, coefficient) in &mut self.monomials {
            *coefficient = coefficient.checked_mul(factor)?;
        }
        self.constant = self.constant.checked_mul(factor)?;
        Some(self)
    }

    /// `a - b`.
    pub(super) fn difference(a: &Term, b: &Term) -> Option<Linear> {
        Linear::of(a).plus(Linear::of(b).times(-1)?)
    }

    /// The greatest common divisor of the coefficients; 0 if there are none.
    pub(super) fn divisor(&self) -> Option<i128> {
        let gcd = self
            .monomials
            .iter()
            .fold(0u128, |gcd, (_, coefficient)| greatest(gcd, coefficient.unsigned_abs()));
        i128::try_from(gcd).ok()
    }

    /// The monomials alone, divided by a number that divides every coefficient.
    pub(super) fn variable_part(&self, divisor: i128) -> Option<Linear> {
        let divide =
            |(term, coefficient): &(Term, i128)| Some((term.clone(), coefficient.checked_div(divisor)?));
        Some(Linear { monomials: self.monomials.iter().map(divide).collect::<Option<_>>()?, constant: 0 })
    }

    /// The term: monomials in their order, the constant last.
    pub(super) fn into_term(self) -> Term {
        let mut parts: Vec<Term> =
            self.monomials.into_iter().map(|(term, coefficient)| multiple(coefficient, term)).collect();
        if self.constant != 0 || parts.is_empty() {
            parts.push(Term::int(self.constant));
        }
        if parts.len() == 1 { parts.swap_remove(0) } else { Term::make(Op::IntAdd, parts, Sort::Int) }
    }
}

/// Splits a product with a literal first factor.
pub(super) fn coefficient_and_rest(term: &Term) -> (Term, i128) {
    if let (Op::IntMul, [first, rest @ ..]) = (term.op(), term.args())
        && let Some(coefficient) = first.as_int()
        && coefficient != 0
    {
        let rest = match rest {
            [single] => single.clone(),
            _ => Term::make(Op::IntMul, rest.to_vec(), Sort::Int),
        };
        return (rest, coefficient);
    }
    (term.clone(), 1)
}

/// `coefficient * term`, where the term is neither a literal nor such a product itself.
fn multiple(coefficient: i128, term: Term) -> Term {
    if coefficient == 1 {
        return term;
    }
    let mut factors = vec![Term::int(coefficient)];
    match term.op() {
        Op::IntMul => factors.extend(term.args().iter().cloned()),
        _ => factors.push(term),
    }
    Term::make(Op::IntMul, factors, Sort::Int)
}

fn greatest(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
