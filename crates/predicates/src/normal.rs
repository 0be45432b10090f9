//! Normal forms of conditions, so that one property is one predicate.
//!
//! An atom is a comparison. In normal form it is `==`, `<` or `<=` (a condition that needs `!=`, `>=`, `>` is the
//! negation of one that does not). With mathematical integers the two sides are one linear form: terms with
//! positive coefficients on the left, the others on the right, the constant on the right; the first variable
//! stands on the left. With bit-vectors only the orientation is normalised, since `x + 1 < y` and `x < y - 1` differ.

mod linear;

pub use linear::{LinearAtom, from_linear, linear_atom};

use crate::fold::fold;
use encoding::IntMode;
use ir::{BinOp, Expr, Type, UnOp};
use linear::linear;

/// A normalised condition: the predicate, and whether the original was its negation. `Constant` when the
/// condition does not depend on the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Normal {
    /// Always this truth value.
    Constant(bool),
    /// The atom or boolean combination, negated or not.
    Atom {
        /// In normal form.
        expr: Expr,
        /// The original condition is the negation of `expr`.
        negated: bool,
    },
}

/// Turns arithmetic of statements into arithmetic of predicates: with mathematical integers, signed operations
/// are done on [`Type::Math`] (the statement that computes them assumes that they do not overflow), and
/// conversions that cannot change the value disappear.
#[must_use]
pub fn mathify(expr: Expr, mode: IntMode, signed_wrap: bool) -> Expr {
    if mode == IntMode::Bits {
        return expr;
    }
    expr.map(&mut |e| mathify_node(e, signed_wrap))
}

/// One node of [`mathify`], its operands done already.
pub(crate) fn mathify_node(e: Expr, signed_wrap: bool) -> Expr {
    match e {
        Expr::Binary(
            op @ (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem),
            l,
            r,
            Type::Int(t),
        ) if t.signed && !signed_wrap => {
            let (l, r) = (l.cast(Type::Math), r.cast(Type::Math));
            Expr::Binary(op, Box::new(l), Box::new(r), Type::Math)
        }
        Expr::Unary(UnOp::Neg, e, Type::Int(t)) if t.signed && !signed_wrap => {
            Expr::Unary(UnOp::Neg, Box::new(e.cast(Type::Math)), Type::Math)
        }
        Expr::Binary(op, l, r, ty) if op.is_comparison() => {
            let (l, r) = match (l.ty(), r.ty()) {
                (Type::Math, Type::Int(_)) => (*l, r.cast(Type::Math)),
                (Type::Int(_), Type::Math) => (l.cast(Type::Math), *r),
                _ => (*l, *r),
            };
            Expr::Binary(op, Box::new(l), Box::new(r), ty)
        }
        Expr::Binary(op @ (BinOp::And | BinOp::Or | BinOp::PtrAdd | BinOp::PtrDiff), l, r, ty) => {
            Expr::Binary(op, l, r, ty)
        }
        // Wrapping and bitwise operations keep their type; operands that became mathematical are brought back.
        Expr::Binary(op, l, r, Type::Int(t)) => {
            let back = |e: Expr| if e.ty() == Type::Math { e.cast(Type::Int(t)) } else { e };
            Expr::Binary(op, Box::new(back(*l)), Box::new(back(*r)), Type::Int(t))
        }
        Expr::Unary(op @ (UnOp::Neg | UnOp::BitNot), e, Type::Int(t)) if e.ty() == Type::Math => {
            Expr::Unary(op, Box::new(e.cast(Type::Int(t))), Type::Int(t))
        }
        Expr::Cond(c, a, b) if a.ty() != b.ty() && (a.ty() == Type::Math || b.ty() == Type::Math) => {
            Expr::Cond(c, Box::new(a.cast(Type::Math)), Box::new(b.cast(Type::Math)))
        }
        other => other,
    }
}

/// Normalises a condition.
pub fn normalise(expr: Expr, mode: IntMode, signed_wrap: bool) -> Normal {
    let expr = mathify(fold(expr.truthy(), signed_wrap), mode, signed_wrap);
    normal(expr, mode)
}

fn normal(expr: Expr, mode: IntMode) -> Normal {
    match expr {
        Expr::Const(v, _) => Normal::Constant(v != 0),
        Expr::Unary(UnOp::Not, e, _) => negate(normal(e.truthy(), mode)),
        Expr::Binary(op @ (BinOp::And | BinOp::Or), l, r, _) => {
            combine(op, normal(l.truthy(), mode), normal(r.truthy(), mode))
        }
        Expr::Binary(op, l, r, _) if op.is_comparison() => comparison(op, *l, *r, mode),
        Expr::Cond(c, a, b) => {
            let pair = Expr::and;
            let (n, c) = ((*c).clone().negated(), c.truthy());
            normal(Expr::or(pair(c, a.truthy()), pair(n, b.truthy())), mode)
        }
        Expr::Old(e) => match normal(e.truthy(), mode) {
            Normal::Atom { expr, negated } => Normal::Atom { expr: push_old(expr), negated },
            constant => constant,
        },
        other => comparison(BinOp::Ne, other.clone(), Expr::Const(0, other.ty()), mode),
    }
}

/// `old` around a condition becomes `old` around the loads in it.
fn push_old(expr: Expr) -> Expr {
    match expr {
        e @ (Expr::Binary(..) | Expr::Unary(..) | Expr::Cast(..)) => e.rebuilt(&mut push_old),
        e @ Expr::Load(_) => Expr::Old(Box::new(e)),
        other => other,
    }
}

fn negate(n: Normal) -> Normal {
    match n {
        Normal::Constant(b) => Normal::Constant(!b),
        Normal::Atom { expr, negated } => Normal::Atom { expr, negated: !negated },
    }
}

/// The condition that a normal form stands for.
pub fn condition(n: &Normal) -> Expr {
    match n {
        Normal::Constant(b) => Expr::truth(*b),
        Normal::Atom { expr, negated: false } => expr.clone(),
        Normal::Atom { expr, negated: true } => expr.clone().negated(),
    }
}

fn combine(op: BinOp, l: Normal, r: Normal) -> Normal {
    let neutral = op == BinOp::And;
    match (l, r) {
        (Normal::Constant(b), other) | (other, Normal::Constant(b)) => {
            if b == neutral {
                other
            } else {
                Normal::Constant(b)
            }
        }
        (l, r) if l == r => l,
        (l, r) if l == negate(r.clone()) => Normal::Constant(!neutral),
        (l, r) => {
            let expr = Expr::binary(op, condition(&l), condition(&r));
            Normal::Atom { expr, negated: false }
        }
    }
}

fn comparison(op: BinOp, l: Expr, r: Expr, mode: IntMode) -> Normal {
    // A comparison of a truth value with a constant is that truth value or its negation.
    if let (BinOp::Eq | BinOp::Ne, Some(c)) = (op, r.as_const())
        && truth_valued(&l)
        && (0..=1).contains(&c)
    {
        let n = normal(l.uncast().clone().truthy(), mode);
        return if (c == 1) == (op == BinOp::Eq) { n } else { negate(n) };
    }
    if let (BinOp::Eq | BinOp::Ne, Some(_)) = (op, l.as_const())
        && r.as_const().is_none()
        && truth_valued(&r)
    {
        return comparison(op, r, l, mode);
    }
    if let Expr::Cond(c, a, b) = l {
        let side = |x: Expr| Expr::binary(op, x, r.clone());
        return normal(Expr::Cond(c, Box::new(side(*a)), Box::new(side(*b))), mode);
    }
    if let Expr::Cond(c, a, b) = r {
        let side = |x: Expr| Expr::binary(op, l.clone(), x);
        return normal(Expr::Cond(c, Box::new(side(*a)), Box::new(side(*b))), mode);
    }
    let integers = matches!(l.ty(), Type::Int(_) | Type::Math) && matches!(r.ty(), Type::Int(_) | Type::Math);
    if mode == IntMode::Math && integers { linear(op, l, r) } else { oriented(op, l, r) }
}

/// Whether the value can only be 0 or 1: a condition, perhaps converted.
fn truth_valued(e: &Expr) -> bool {
    match e {
        Expr::Cast(inner, Type::Int(_) | Type::Math) => truth_valued(inner),
        Expr::Const(..) => false,
        _ => e.is_condition(),
    }
}

/// Orientation without arithmetic: `==`, `<`, `<=` with constants on the right where the operator allows it.
fn oriented(op: BinOp, l: Expr, r: Expr) -> Normal {
    let (l, r) = match (op, l, r) {
        (BinOp::Eq | BinOp::Ne, Expr::AddrOf(a), Expr::AddrOf(b)) => {
            crate::weakest_precondition::strip_common(*a, *b)
        }
        (_, l, r) => (l, r),
    };
    let float = matches!(l.ty(), Type::Float(_));
    if let (Some(a), Some(b)) = (l.as_const(), r.as_const()) {
        return Normal::Constant(compare(op, a, b));
    }
    if let (Some(same), BinOp::Eq | BinOp::Ne) = (same_address(&l, &r), op) {
        return Normal::Constant(same == (op == BinOp::Eq));
    }
    if l == r && !float {
        return Normal::Constant(matches!(op, BinOp::Eq | BinOp::Le | BinOp::Ge));
    }
    if float {
        return Normal::Atom { expr: Expr::binary(op, l, r), negated: false };
    }
    let swap = match op {
        BinOp::Eq | BinOp::Ne => l.as_const().is_some() || (r.as_const().is_none() && r < l),
        _ => false,
    };
    let (l, r) = if swap { (r, l) } else { (l, r) };
    let (expr, negated) = match op {
        BinOp::Ne => (Expr::binary(BinOp::Eq, l, r), true),
        BinOp::Ge => (Expr::binary(BinOp::Lt, l, r), true),
        BinOp::Gt => (Expr::binary(BinOp::Le, l, r), true),
        _ => (Expr::binary(op, l, r), false),
    };
    // `c < x` and `x <= c` say the same up to negation when c is a constant.
    match expr {
        Expr::Binary(o @ (BinOp::Lt | BinOp::Le), l, r, _) if l.as_const().is_some() => {
            let flipped = if o == BinOp::Lt { BinOp::Le } else { BinOp::Lt };
            Normal::Atom { expr: Expr::binary(flipped, *r, *l), negated: !negated }
        }
        expr => Normal::Atom { expr, negated },
    }
}

/// Whether two addresses are equal, where their form decides: objects that are named differently are apart, and
/// none is at NULL.
fn same_address(l: &Expr, r: &Expr) -> Option<bool> {
    match (l, r) {
        (Expr::AddrOf(a), Expr::AddrOf(b)) => match (&a.base, &b.base) {
            (ir::Base::Var(x), ir::Base::Var(y)) if x != y => Some(false),
            _ => (a == b).then_some(true),
        },
        (Expr::AddrOf(a), Expr::Const(0, _)) | (Expr::Const(0, _), Expr::AddrOf(a)) => {
            matches!(a.base, ir::Base::Var(_)).then_some(false)
        }
        (Expr::Func(p, _), Expr::Func(q, _)) => Some(p == q),
        (Expr::Func(..), Expr::Const(0, _)) | (Expr::Const(0, _), Expr::Func(..)) => Some(false),
        _ => None,
    }
}

fn compare(op: BinOp, a: i128, b: i128) -> bool {
    op.compare(&a, &b).expect("it is a comparison")
}

/// The atoms of a condition, each in normal form, in order of occurrence, without repetition.
pub fn atoms(expr: &Expr, mode: IntMode, signed_wrap: bool) -> Vec<Expr> {
    let mut out = vec![];
    if let Normal::Atom { expr, .. } = normalise(expr.clone(), mode, signed_wrap) {
        collect_atoms(&expr, mode, signed_wrap, &mut out);
    }
    out
}

fn collect_atoms(expr: &Expr, mode: IntMode, signed_wrap: bool, out: &mut Vec<Expr>) {
    match expr {
        Expr::Binary(BinOp::And | BinOp::Or, l, r, _) => {
            collect_atoms(l, mode, signed_wrap, out);
            collect_atoms(r, mode, signed_wrap, out);
        }
        Expr::Unary(UnOp::Not, e, _) => collect_atoms(e, mode, signed_wrap, out),
        _ => {
            if let Normal::Atom { expr, .. } = normalise(expr.clone(), mode, signed_wrap)
                && !out.contains(&expr)
            {
                out.push(expr);
            }
        }
    }
}
