//! The conditions about ranges, as candidates.

use super::array_accesses::ELEMENTS;
use super::ranges::{End, Other, Walk};
use super::recorder::Sample;
use super::{Candidate, Kind};
use ir::{BinOp, Expr, ForAll, Lvalue, Type, VarId};

impl Walk<'_> {
    pub(super) fn candidate(
        &self,
        (from, to): (End, End),
        array_number: usize,
        op: BinOp,
        other: Other,
    ) -> Option<Candidate> {
        let array = &self.walked.arrays[array_number];
        let place = match other {
            Other::Place(p) | Other::Mirrored(_, p) | Other::At(p, _) => Some(&self.table.places[p].value),
            _ => None,
        };
        let guard = match other {
            Other::At(p, n) => self.guard(array_number, (p, n))?,
            _ => None,
        };
        let first = array.element(Expr::int(0));
        let mut mentioned: Vec<&Expr> = vec![&first];
        mentioned.extend(place);
        let second = match other {
            Other::Element(other) | Other::Mirrored(other, _) => {
                Some(self.walked.arrays[other].element(Expr::int(0)))
            }
            _ => None,
        };
        mentioned.extend(&second);
        let is_free = |v: &VarId| {
            let mut free = true;
            mentioned.iter().for_each(|e| e.loads(&mut |lv| free &= lv.as_var() != Some(*v)));
            free
        };
        // One that the range does not mention reads better.
        let ends = [from.plus, from.minus, to.plus, to.minus];
        let in_range = |v: &VarId| {
            let values = ends.iter().flatten().map(|c| &self.table.places[*c].value);
            values.filter_map(loaded).any(|lv| lv.as_var() == Some(*v))
        };
        let free = || self.variables.iter().filter(|(v, _)| is_free(v));
        let (variable, ty) = free().find(|(v, _)| !in_range(v)).or_else(|| free().next())?;
        let index = Expr::var(*variable, ty.clone());
        // Arithmetic that does not wrap around.
        let wide = match ty {
            Type::Int(int) if int.signed => index.clone(),
            _ => index.clone().cast(Type::Math),
        };
        let minus = |a: Expr, b: Expr| Expr::binary(BinOp::Sub, a, b);
        let element = array.element(index.clone());
        let right = match other {
            Other::Number(n) => number(n, array.ty())?,
            Other::Place(_) => place?.clone(),
            Other::Before => {
                let one = Expr::Const(1, wide.ty());
                array.element(minus(wide, one))
            }
            Other::Element(other) => self.walked.arrays[other].element(index),
            Other::Mirrored(other, _) => {
                let last = minus(place?.clone().cast(Type::Math), Expr::Const(1, Type::Math));
                self.walked.arrays[other].element(minus(last, index.cast(Type::Math)))
            }
            Other::At(p, n) => array.element(self.sum(End { plus: Some(p), minus: None, number: n })),
            Other::Line(1, 0) => index,
            Other::Line(slope, n) => line(index, slope, n),
        };
        let condition = match element.ty() == right.ty() {
            true => Expr::binary(op, element, right),
            false => Expr::binary(op, element.cast(Type::Math), right.cast(Type::Math)),
        };
        let condition = guard.map_or(condition.clone(), |guard: Expr| guard.or(condition));
        let [from, to] = [from, to].map(|end| self.sum(end));
        Some(Candidate {
            kind: Kind::Range,
            for_all: Some(ForAll { variable: *variable, from, to }),
            condition,
        })
    }

    /// The condition that there is no element at a place plus a number, if that is so in some states, and nothing if
    /// there always is one; `None` if that is not known.
    fn guard(&self, array: usize, (p, n): (usize, i128)) -> Option<Option<Expr>> {
        let at = End { plus: Some(p), minus: None, number: n };
        let mut missing: Vec<(bool, &Sample)> = vec![];
        for sample in self.samples {
            let index = self.end(at, &sample.row)?;
            let there = usize::try_from(index).ok().and_then(|k| sample.arrays[array].get(k)).is_some();
            if there || index < i128::from(ELEMENTS) {
                missing.push((!there, sample));
            }
        }
        if missing.iter().all(|(missing, _)| !missing) {
            return Some(None);
        }
        // A few states with one say little.
        if missing.iter().filter(|(missing, _)| !missing).count() < missing.len() / 4 {
            return None;
        }
        let zero = End { plus: None, minus: None, number: 0 };
        let is_before = |(missing, s): &(bool, &Sample)| Some(*missing == (self.end(at, &s.row)? < 0));
        if missing.iter().all(|m| is_before(m) == Some(true)) {
            return Some(Some(Expr::binary(BinOp::Lt, self.sum(at), self.sum(zero))));
        }
        let ends = self.indices().filter(|q| *q != p).map(|q| End { plus: Some(q), minus: None, number: 0 });
        for end in ends {
            let is_behind = |(missing, s): &(bool, &Sample)| {
                Some(*missing == (self.end(at, &s.row)? >= self.end(end, &s.row)?))
            };
            if missing.iter().all(|m| is_behind(m) == Some(true)) {
                return Some(Some(Expr::binary(BinOp::Ge, self.sum(at), self.sum(end))));
            }
        }
        None
    }

    fn sum(&self, end: End) -> Expr {
        let place = |c: usize| self.table.places[c].value.clone().cast(Type::Math);
        let number = |n: i128| Expr::Const(n, Type::Math);
        let Some(plus) = end.plus else { return number(end.number) };
        let mut out = place(plus);
        if let Some(minus) = end.minus {
            out = Expr::binary(BinOp::Sub, out, place(minus));
        }
        if end.number != 0 {
            let op = if end.number < 0 { BinOp::Sub } else { BinOp::Add };
            out = Expr::binary(op, out, number(end.number.abs()));
        }
        out
    }
}

/// A multiple of the index, and a number.
fn line(index: Expr, slope: i128, n: i128) -> Expr {
    let number = |n| Expr::Const(n, Type::Math);
    let index = index.cast(Type::Math);
    let multiple = if slope == 1 { index } else { Expr::binary(BinOp::Mul, number(slope), index) };
    match n {
        0 => multiple,
        n if n < 0 => Expr::binary(BinOp::Sub, multiple, number(-n)),
        n => Expr::binary(BinOp::Add, multiple, number(n)),
    }
}

fn loaded(e: &Expr) -> Option<&Lvalue> {
    if let Expr::Load(lv) = e { Some(lv) } else { None }
}

/// A number that the type has.
fn number(n: i128, ty: &Type) -> Option<Expr> {
    let int = ty.as_int()?;
    (int.min()..=int.max()).contains(&n).then(|| Expr::Const(n, ty.clone()))
}
