//! The solution for a path program, read back as conditions in C: the atoms of the formulas, over the
//! variables of an activation.

use crate::normal::{LinearAtom, condition, from_linear, linear_atom};
use ir::{BinOp, Expr, Type};
use smt::{Sort, Term};

/// The atoms of a formula, over the locations that its constants stand for; those that no expression can say are left
/// out.
pub fn atoms(formula: &Term, location: &dyn Fn(&Term) -> Option<Expr>) -> Vec<Expr> {
    let mut out = vec![];
    let mut pending = vec![formula.clone()];
    while let Some(term) = pending.pop() {
        match (term.op(), term.args()) {
            (smt::Op::IntLe, [l, r]) => out.extend(comparison(BinOp::Le, l, r, location)),
            (smt::Op::Equal, [l, r]) if *l.sort() == Sort::Int => {
                out.extend(comparison(BinOp::Eq, l, r, location));
            }
            (_, args) => pending.extend(args.iter().filter(|a| *a.sort() == Sort::Bool).cloned()),
        }
    }
    out.reverse();
    let bounds: Vec<LinearAtom> = conjuncts(formula)
        .into_iter()
        .filter_map(|(l, r, holds)| {
            let le = comparison(BinOp::Le, &l, &r, location)?;
            linear_atom(&if holds { le } else { le.negated() })
        })
        .collect();
    let equations = equations(&bounds);
    let says_more = |e: &Expr| {
        let sides = [linear_atom(e), linear_atom(&e.clone().negated())];
        !sides.iter().flatten().any(|a| equations.iter().any(|eq| is_side(a, eq)))
    };
    let conditions = equations.iter().map(|eq| condition(&from_linear(eq.clone())));
    conditions.chain(out.iter().filter(|e| says_more(e)).cloned()).collect()
}

/// A formula as a condition; `None` where something in it has no form.
pub fn as_condition(formula: &Term, location: &dyn Fn(&Term) -> Option<Expr>) -> Option<Expr> {
    let all = |args: &[Term], join: fn(Expr, Expr) -> Expr| {
        let parts: Option<Vec<Expr>> = args.iter().map(|a| as_condition(a, location)).collect();
        parts?.into_iter().reduce(join)
    };
    match (formula.op(), formula.args()) {
        (smt::Op::And, args) => all(args, Expr::and),
        (smt::Op::Or, args) => all(args, Expr::or),
        (smt::Op::Not, [inner]) => as_condition(inner, location).map(Expr::negated),
        (smt::Op::IntLe, [l, r]) => comparison(BinOp::Le, l, r, location),
        (smt::Op::Equal, [l, r]) if *l.sort() == Sort::Int => comparison(BinOp::Eq, l, r, location),
        _ => None,
    }
}

/// The inequalities `l <= r` among the conjuncts, and whether they hold or their negation does.
fn conjuncts(formula: &Term) -> Vec<(Term, Term, bool)> {
    let parts = match formula.op() {
        smt::Op::And => formula.args().to_vec(),
        _ => vec![formula.clone()],
    };
    let inequality = |t: &Term, holds: bool| match (t.op(), t.args()) {
        (smt::Op::IntLe, [l, r]) => Some((l.clone(), r.clone(), holds)),
        _ => None,
    };
    let part = |t: &Term| match (t.op(), t.args()) {
        (smt::Op::Not, [t]) => inequality(t, false),
        _ => inequality(t, true),
    };
    parts.iter().filter_map(part).collect()
}

/// Bounds from both sides are an equation: a relation that calls and joins keep better than two inequalities.
fn equations(bounds: &[LinearAtom]) -> Vec<LinearAtom> {
    let mut out = vec![];
    for (i, a) in bounds.iter().enumerate() {
        let eq = LinearAtom { op: BinOp::Eq, ..a.clone() };
        if bounds[i + 1..].iter().any(|b| a.terms != b.terms && is_side(b, &eq)) {
            out.push(eq);
        }
    }
    out
}

/// Whether the bound is one of the two that the equation is made of.
fn is_side(bound: &LinearAtom, eq: &LinearAtom) -> bool {
    let sides = |sign: i128| {
        bound.bound == sign * eq.bound
            && bound.terms.len() == eq.terms.len()
            && eq.terms.iter().all(|(t, k)| bound.terms.contains(&(t.clone(), sign * k)))
    };
    bound.op == BinOp::Le && (sides(1) || sides(-1))
}

/// The comparison of two integer terms as an expression; `None` for what has no form or says nothing.
fn comparison(op: BinOp, l: &Term, r: &Term, location: &dyn Fn(&Term) -> Option<Expr>) -> Option<Expr> {
    let pointers =
        [l, r].iter().flat_map(|t| t.constants()).any(|c| location(&c).is_some_and(|e| e.ty().is_ptr()));
    if pointers {
        let side = |t: &Term, other: &Term| {
            let null = || location(other).map(|p| Expr::Const(0, p.ty()));
            location(t).or_else(|| null().filter(|_| t.as_int() == Some(0)))
        };
        return (op == BinOp::Eq).then(|| Some(Expr::binary(op, side(l, r)?, side(r, l)?)))?;
    }
    Some(Expr::binary(op, number(l, location)?, number(r, location)?))
}

/// An integer term as a mathematical expression.
fn number(t: &Term, location: &dyn Fn(&Term) -> Option<Expr>) -> Option<Expr> {
    let fold = |op: BinOp, args: &[Term]| {
        let parts: Option<Vec<Expr>> = args.iter().map(|a| number(a, location)).collect();
        parts?.into_iter().reduce(|a, b| Expr::Binary(op, Box::new(a), Box::new(b), Type::Math))
    };
    match (t.op(), t.args()) {
        (smt::Op::Int(v), _) => Some(Expr::Const(*v, Type::Math)),
        (smt::Op::Constant(_), _) => location(t).map(|e| e.cast(Type::Math)),
        (smt::Op::IntAdd, args) => fold(BinOp::Add, args),
        (smt::Op::IntMul, args) => fold(BinOp::Mul, args),
        (smt::Op::IntMod, [x, m]) => {
            let modulus = m.as_int().filter(|m| *m > 0)?;
            let m = || Box::new(Expr::Const(modulus, Type::Math));
            let rest = |e: Expr| Expr::Binary(BinOp::Rem, Box::new(e), m(), Type::Math);
            let rem = rest(number(x, location)?);
            // C's rest of a negative number is negative.
            let positive = |rem| rest(Expr::Binary(BinOp::Add, Box::new(rem), m(), Type::Math));
            Some(if is_natural(x, location) { rem } else { positive(rem) })
        }
        _ => None,
    }
}

/// Whether an integer term is never negative, as far as its form and the types of the locations say.
fn is_natural(t: &Term, location: &dyn Fn(&Term) -> Option<Expr>) -> bool {
    let is_unsigned = |e: Expr| e.ty().as_int().is_some_and(|int| !int.signed);
    match (t.op(), t.args()) {
        (smt::Op::Int(v), _) => *v >= 0,
        (smt::Op::Constant(_), _) => location(t).is_some_and(is_unsigned),
        (smt::Op::IntAdd | smt::Op::IntMul, args) => args.iter().all(|a| is_natural(a, location)),
        _ => false,
    }
}
