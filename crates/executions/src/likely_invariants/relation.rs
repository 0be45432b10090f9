//! Conditions between sums of products of places, as expressions.

use super::table::Table;
use ir::{BinOp, Expr, Type};

/// A product of places, by their columns in order; none for the number 1.
pub(super) type Monomial = Vec<usize>;

/// A sum of products with their factors.
pub(super) type Terms<'a> = Vec<(i128, &'a Monomial)>;

/// The equality of such a sum and 0. The side with fewer products stands on the left, or that with the last one.
pub(super) fn equality(table: &Table, terms: &Terms<'_>) -> Expr {
    let products = || terms.iter().filter(|(_, m)| !m.is_empty());
    let positive = products().filter(|(c, _)| *c > 0).count();
    let negative = products().count() - positive;
    let last_is_positive = products().next_back().is_none_or(|(c, _)| *c > 0);
    let left_is_positive = match (positive, negative) {
        (0, _) => false,
        (_, 0) => true,
        _ if positive == negative => last_is_positive,
        _ => positive < negative,
    };
    let sign = if left_is_positive { 1 } else { -1 };
    let (left, mut right): (Terms<'_>, Terms<'_>) =
        terms.iter().map(|(c, m)| (c * sign, *m)).partition(|(c, m)| *c > 0 && !m.is_empty());
    right.iter_mut().for_each(|(c, _)| *c = -*c);
    // Products first, then the number.
    right.sort_by_key(|(_, m)| m.is_empty());
    comparison(table, BinOp::Eq, &left, &right)
}

/// A comparison of two sums. One between two places of the same type, or of a place with a number of its type, needs no
/// mathematical integers.
pub(super) fn comparison(table: &Table, op: BinOp, left: &Terms<'_>, right: &Terms<'_>) -> Expr {
    let place = |terms: &Terms<'_>| match terms[..] {
        [(1, m)] if m.len() == 1 => Some(&table.places[m[0]].value),
        _ => None,
    };
    let number = match right[..] {
        [] => Some(0),
        [(c, m)] if m.is_empty() => Some(c),
        _ => None,
    };
    if let Some(l) = place(left) {
        if let Some(r) = place(right).filter(|r| r.ty() == l.ty()) {
            return Expr::binary(op, l.clone(), r.clone());
        }
        if let (Some(c), Type::Int(int)) = (number, l.ty())
            && (int.min()..=int.max()).contains(&c)
        {
            return Expr::binary(op, l.clone(), Expr::Const(c, l.ty()));
        }
    }
    Expr::binary(op, sum(table, left), sum(table, right))
}

/// The sum as a mathematical integer.
fn sum(table: &Table, terms: &Terms<'_>) -> Expr {
    let mut out: Option<Expr> = None;
    for (factor, monomial) in terms {
        let product = |factor: i128| {
            let number = (factor != 1 || monomial.is_empty()).then_some(Expr::Const(factor, Type::Math));
            let places = monomial.iter().map(|c| table.places[*c].value.clone().cast(Type::Math));
            number.into_iter().chain(places).reduce(|a, b| Expr::binary(BinOp::Mul, a, b))
        };
        out = match out {
            Some(before) if *factor < 0 => product(-factor).map(|p| Expr::binary(BinOp::Sub, before, p)),
            Some(before) => product(*factor).map(|p| Expr::binary(BinOp::Add, before, p)),
            None => product(*factor),
        };
    }
    out.unwrap_or(Expr::Const(0, Type::Math))
}
