//! Arithmetic with constants in conditions, done beforehand: operations on two constants, sums of several constants,
//! and the constant of a sum that is compared with another constant (`x + 1 == 5` is `x == 4`).
//!
//! Invariant: where C defines the original, the result is defined and has its value. Signed overflow is undefined
//! (unless it wraps), so `x + 1 < 5` is `x < 4` for signed `x`; for unsigned ones only equations are changed.

use interp::{fold_binary, fold_unary};
use ir::{Access, BinOp, Expr, IntType, Lvalue, Type};

/// Folds constants in the expression, innermost first.
pub(crate) fn fold(e: Expr, signed_wrap: bool) -> Expr {
    e.map(&mut |e| node(e, signed_wrap))
}

/// The one constant of a sum, with its sign: `x - 3` is `x` and `-3`.
fn sum(e: &Expr) -> Option<(&Expr, i128, IntType)> {
    match e {
        Expr::Binary(op @ (BinOp::Add | BinOp::Sub), x, c, Type::Int(t)) if t.bits < 128 => match **c {
            Expr::Const(c, _) => Some((x, if *op == BinOp::Add { c } else { -c }, *t)),
            _ => None,
        },
        _ => None,
    }
}

fn node(e: Expr, signed_wrap: bool) -> Expr {
    match e {
        Expr::Binary(op, l, r, _) if op.is_comparison() && l == r && !matches!(l.ty(), Type::Float(_)) => {
            Expr::truth(matches!(op, BinOp::Eq | BinOp::Le | BinOp::Ge))
        }
        Expr::Binary(op, l, r, ty) => binary(op, *l, *r, ty, signed_wrap),
        Expr::Cond(_, a, b) if a == b => *a,
        Expr::Cond(c, a, b) if a.ty() == b.ty() => match c.as_const() {
            Some(0) => *b,
            Some(_) => *a,
            None => Expr::Cond(c, a, b),
        },
        Expr::Unary(op, operand, ty) => {
            fold_unary(op, &operand, &ty, signed_wrap).unwrap_or(Expr::Unary(op, operand, ty))
        }
        Expr::Load(lv) => Expr::Load(Box::new(place(*lv))),
        Expr::AddrOf(lv) => Expr::AddrOf(Box::new(place(*lv))),
        Expr::Cast(inner, ty) => match (&*inner, &ty) {
            (Expr::Const(v, Type::Math), Type::Int(t)) => Expr::Const(t.wrap(*v), ty),
            (Expr::Const(_, Type::Int(_)), _) => inner.cast(ty),
            _ => Expr::Cast(inner, ty),
        },
        other => other,
    }
}

/// The location with its constant indices as numbers of one type, whatever they were computed from.
fn place(mut lv: Lvalue) -> Lvalue {
    for access in &mut lv.path {
        if let Access::Index(Expr::Const(c, ty @ (Type::Int(_) | Type::Math))) = access
            && IntType::INT.wrap(*c) == *c
        {
            *ty = Type::INT;
        }
    }
    lv
}

fn binary(op: BinOp, l: Expr, r: Expr, ty: Type, signed_wrap: bool) -> Expr {
    let folded = match (l.ty(), r.ty()) {
        (Type::Int(t), Type::Int(_)) if t.bits < 128 => integers(op, &l, &r, t, &ty, signed_wrap),
        (Type::Math, Type::Math) => mathematical(op, &l, &r),
        _ => None,
    };
    folded.unwrap_or_else(|| Expr::Binary(op, Box::new(l), Box::new(r), ty))
}

fn integers(op: BinOp, l: &Expr, r: &Expr, t: IntType, ty: &Type, signed_wrap: bool) -> Option<Expr> {
    match (op, l, r) {
        (BinOp::And | BinOp::Or, ..) => None,
        (_, Expr::Const(..), Expr::Const(..)) => fold_binary(op, l, r, ty, signed_wrap),
        (BinOp::Add, Expr::Const(..), _) => Some(binary(op, r.clone(), l.clone(), ty.clone(), signed_wrap)),
        (BinOp::Add | BinOp::Sub, _, Expr::Const(c, _)) => {
            let c = if op == BinOp::Add { *c } else { -*c };
            let (x, d) = sum(l).map_or((l, 0), |(x, d, _)| (x, d));
            plus(x, c + d, t)
        }
        _ if op.is_comparison() => {
            let (l, r) = shifted(op, l, r, signed_wrap)?;
            Some(Expr::Binary(op, Box::new(l), Box::new(r), ty.clone()))
        }
        _ => None,
    }
}

/// Two constants without bounds; the linear form of comparisons does the rest.
fn mathematical(op: BinOp, l: &Expr, r: &Expr) -> Option<Expr> {
    let (Expr::Const(a, _), Expr::Const(b, _)) = (l, r) else { return None };
    let value = match op {
        BinOp::Add => a.checked_add(*b),
        BinOp::Sub => a.checked_sub(*b),
        BinOp::Mul => a.checked_mul(*b),
        BinOp::Div => a.checked_div(*b),
        BinOp::Rem => a.checked_rem(*b),
        _ => None,
    };
    Some(Expr::Const(value?, Type::Math))
}

/// `x + c`; `None` where `c` has no such form in the type.
fn plus(x: &Expr, c: i128, t: IntType) -> Option<Expr> {
    let c = if t.signed {
        c
    } else {
        let c = t.wrap(c);
        if c > t.max() / 2 { c - t.max() - 1 } else { c }
    };
    let (op, amount) = if c < 0 { (BinOp::Sub, -c) } else { (BinOp::Add, c) };
    match amount {
        0 => Some(x.clone()),
        _ if amount <= t.max() => Some(Expr::binary(op, x.clone(), Expr::Const(amount, Type::Int(t)))),
        _ => None,
    }
}

/// The comparison of a sum with a constant, as one of its variable part with another constant.
fn shifted(op: BinOp, l: &Expr, r: &Expr, signed_wrap: bool) -> Option<(Expr, Expr)> {
    if let (Expr::Const(..), None) = (l, sum(l)) {
        let (r, l) = shifted(op, r, l, signed_wrap)?;
        return Some((l, r));
    }
    let (x, c, t) = sum(l)?;
    let Expr::Const(bound, _) = r else { return None };
    let exact = bound - c;
    let fits = t.wrap(exact) == exact;
    let bound = match op {
        BinOp::Eq | BinOp::Ne if !t.signed || signed_wrap => t.wrap(exact),
        _ if t.signed && !signed_wrap && fits => exact,
        _ => return None,
    };
    Some((x.clone(), Expr::Const(bound, Type::Int(t))))
}
