//! Values of integers from which addresses are computed: sums of a pointer, a number and a scaled index.

use ir::expr::{BinOp, Expr, Lvalue};
use ir::program::{Edge, Op, Program, VarId};
use ir::types::{IntType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Most variables with a known sum at one location; with more, all are forgotten. Each assignment visits all.
const MOST_FACTS: usize = 500;

/// A number of as many bits as an address has: `pointer + number + index * scale`, modulo those bits.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Sum {
    pub(super) pointer: Option<Expr>,
    /// As a signed number.
    pub(super) number: i128,
    /// An integer of a narrower type, whose product with the scale does not leave the bits.
    pub(super) scaled: Option<(Expr, i128)>,
}

impl Sum {
    pub(super) fn number(number: i128) -> Sum {
        Sum { number, ..Sum::default() }
    }

    pub(super) fn as_number(&self) -> Option<i128> {
        (self.pointer.is_none() && self.scaled.is_none()).then_some(self.number)
    }

    pub(super) fn as_pointer(&self) -> Option<&Expr> {
        self.pointer.as_ref().filter(|_| self.number == 0 && self.scaled.is_none())
    }

    /// Whether the value may lie before the pointer.
    pub(super) fn may_go_back(&self) -> bool {
        let scaled = self.scaled.as_ref();
        let goes_back = |(index, scale): &(Expr, i128)| {
            index.ty().as_int().is_none_or(|t| t.min() * scale < 0 || t.max() * scale < 0)
        };
        self.number < 0 || scaled.is_some_and(goes_back)
    }

    fn mentions(&self, v: VarId) -> bool {
        let scaled = self.scaled.as_ref().map(|(index, _)| index);
        let mut found = false;
        for e in self.pointer.iter().chain(scaled) {
            e.loads(&mut |lv| found |= lv.as_var() == Some(v));
        }
        found
    }
}

/// The known sums in integer variables.
pub(super) type Facts = BTreeMap<VarId, Sum>;

/// The known sums in front of an edge.
pub(super) struct Known<'a> {
    pub(super) program: &'a Program,
    /// Scalar locals that are only assigned by name.
    pub(super) followed: &'a BTreeSet<VarId>,
    pub(super) facts: &'a Facts,
}

impl Known<'_> {
    /// The sum that the assigned variable holds behind the edge.
    pub(super) fn assigned(&self, edge: &Edge) -> Option<Sum> {
        let Op::Assign(dest, value) = &edge.op else { return None };
        let v = dest.as_var().filter(|v| self.followed.contains(v))?;
        self.holds_addresses(&dest.ty).then(|| self.sum(value))?.filter(|sum| !sum.mentions(v))
    }

    pub(super) fn holds_addresses(&self, ty: &Type) -> bool {
        ty.as_int().is_some_and(|t| t.bits == self.program.model.pointer_bits())
    }

    /// The value of an integer expression as wide as an address.
    pub(super) fn sum(&self, e: &Expr) -> Option<Sum> {
        let int = e.ty().as_int().filter(|t| t.bits == self.program.model.pointer_bits())?;
        match e {
            Expr::Const(n, _) => Some(Sum::number(IntType { signed: true, ..int }.wrap(*n))),
            Expr::Load(lv) => self.facts.get(&lv.as_var()?).cloned(),
            Expr::Cast(inner, _) => {
                let known = (**inner).clone();
                match inner.ty() {
                    Type::Ptr(_) if inner.uncast().is_zero() => Some(Sum::number(0)),
                    Type::Int(from) if from.bits == int.bits => self.sum(inner),
                    _ if !self.is_fixed(inner) => None,
                    Type::Ptr(_) => Some(Sum { pointer: Some(known), ..Sum::default() }),
                    Type::Int(from) if from.bits < int.bits => {
                        Some(Sum { scaled: Some((known, 1)), ..Sum::default() })
                    }
                    _ => None,
                }
            }
            Expr::Binary(op, l, r, _) => self.binary(*op, &self.sum(l)?, &self.sum(r)?, int),
            _ => None,
        }
    }

    /// Overflow of signed numbers may be undefined, so what overflows is not known.
    fn binary(&self, op: BinOp, l: &Sum, r: &Sum, int: IntType) -> Option<Sum> {
        let sum = match op {
            BinOp::Add => Sum {
                number: l.number + r.number,
                pointer: at_most_one(&l.pointer, &r.pointer)?,
                scaled: at_most_one(&l.scaled, &r.scaled)?,
            },
            BinOp::Sub => Sum { number: l.number - r.as_number()?, ..l.clone() },
            BinOp::Mul => match (l.as_number(), r.as_number()) {
                (Some(l), Some(r)) => Sum::number(l.checked_mul(r)?),
                (None, Some(by)) => self.times(l, by)?,
                (Some(by), None) => self.times(r, by)?,
                (None, None) => return None,
            },
            _ => return None,
        };
        let signed = IntType { signed: true, ..int };
        let stays = signed.min() <= sum.number && sum.number <= signed.max();
        (stays || !int.signed).then(|| Sum { number: signed.wrap(sum.number), ..sum })
    }

    /// A product that does not leave the bits.
    fn times(&self, sum: &Sum, by: i128) -> Option<Sum> {
        let (index, scale) = sum.scaled.clone().filter(|_| sum.pointer.is_none())?;
        let from = index.ty().as_int()?;
        let signed = IntType { bits: self.program.model.pointer_bits(), signed: true };
        let stays = |n: i128| signed.min() <= n && n <= signed.max();
        let scale = scale.checked_mul(by)?;
        let most = from.min().checked_mul(scale).zip(from.max().checked_mul(scale));
        let number = sum.number.checked_mul(by).filter(|n| stays(*n))?;
        most.filter(|(a, b)| stays(*a) && stays(*b))?;
        Some(Sum { pointer: None, number, scaled: Some((index, scale)) })
    }

    /// Whether the value changes only when a variable that is read is assigned by name.
    fn is_fixed(&self, e: &Expr) -> bool {
        let mut fixed = true;
        e.loads(&mut |lv| fixed &= lv.as_var().is_some_and(|v| self.followed.contains(&v)));
        fixed
    }
}

/// The facts behind the edge, which gives its destination this value.
pub(super) fn behind(edge: &Edge, mut facts: Facts, new: Option<Sum>) -> Facts {
    let Some(v) = edge.op.destination().and_then(Lvalue::as_var) else { return facts };
    if MOST_FACTS <= facts.len() {
        facts.clear();
    }
    facts.remove(&v);
    facts.retain(|_, sum| !sum.mentions(v));
    facts.extend(new.map(|sum| (v, sum)));
    facts
}

/// The one that is there; `None` when both are.
fn at_most_one<T: Clone>(a: &Option<T>, b: &Option<T>) -> Option<Option<T>> {
    match (a, b) {
        (Some(_), Some(_)) => None,
        (a, b) => Some(a.clone().or_else(|| b.clone())),
    }
}
