//! Conditions of arithmetic: when an operation on integers is defined.
//!
//! Invariant: the conditions are themselves defined in every state, in both integer modes: they compare at a wider
//! type, or add with wrapping, and never overflow.

use ir::expr::{BinOp, Expr, FloatOp, UnOp};
use ir::types::{FloatType, IntType, Type};

fn number(v: i128, t: IntType) -> Expr {
    Expr::Const(v, Type::Int(t))
}

fn compare(op: BinOp, l: &Expr, r: Expr) -> Expr {
    Expr::binary(op, l.clone(), r)
}

/// `low <= e <= high`, without the sides that the type decides; `None` when nothing is left.
pub(crate) fn within(e: &Expr, low: i128, high: i128) -> Option<Expr> {
    let t = e.ty().as_int().expect("a range is asked of integers");
    if let Some(v) = e.as_const() {
        return (!(low..=high).contains(&v)).then(|| Expr::truth(false));
    }
    if low > t.max() || high < t.min() {
        return Some(Expr::truth(false));
    }
    let above = (low > t.min()).then(|| compare(BinOp::Ge, e, number(low, t)));
    let below = (high < t.max()).then(|| compare(BinOp::Le, e, number(high, t)));
    match (above, below) {
        (Some(a), Some(b)) => Some(Expr::and(a, b)),
        (a, b) => a.or(b),
    }
}

/// When the integer type has the value of the floating-point number, without its fraction.
pub(crate) fn has_value(e: &Expr, t: IntType) -> Option<Expr> {
    // How many bits a number has before it is rounded.
    let Type::Float(FloatType { bits, .. }) = e.ty() else { return None };
    let e = if bits < 32 { e.clone().cast(Type::Float(FloatType { bits: 64 })) } else { e.clone() };
    let digits = match bits {
        32 => 24,
        0..=64 => 53,
        65..=80 => 64,
        _ => 113,
    };
    let ty = e.ty();
    let float = |v: f64| Expr::Float(v.to_bits(), ty.clone());
    let value_bits = i32::from(t.bits) - i32::from(t.signed);
    let below = compare(BinOp::Lt, &e, float(2f64.powi(value_bits)));
    let above = match t.signed {
        false => compare(BinOp::Gt, &e, float(-1.0)),
        // The number that is one less is representable.
        true if value_bits < digits.min(53) => compare(BinOp::Gt, &e, float(-(2f64.powi(value_bits)) - 1.0)),
        // No representable number lies between it and the smallest value.
        true if value_bits >= digits - 1 => compare(BinOp::Ge, &e, float(-(2f64.powi(value_bits)))),
        true => {
            let whole = Expr::Unary(UnOp::Float(FloatOp::Trunc), Box::new(e.clone()), ty.clone());
            compare(BinOp::Ge, &whole, float(-(2f64.powi(value_bits))))
        }
    };
    Some(Expr::and(above, below))
}

/// When `l op r` at the signed type does not overflow; `None` when it never does.
pub(crate) fn no_overflow(op: BinOp, l: &Expr, r: &Expr, t: IntType) -> Option<Expr> {
    match op {
        BinOp::Add | BinOp::Sub => sum(op, l, r, t),
        BinOp::Mul => product(l, r, t),
        BinOp::Div | BinOp::Rem => quotient(l, r, t),
        BinOp::Shl => shifted(l, r, t),
        _ => None,
    }
}

fn sum(op: BinOp, l: &Expr, r: &Expr, t: IntType) -> Option<Expr> {
    match (l.as_const(), r.as_const(), op) {
        (_, Some(0), _) => None,
        // l + c and l - c.
        (None, Some(c), _) => {
            let c = if op == BinOp::Sub { -c } else { c };
            if c > 0 { within(l, t.min(), t.max() - c) } else { within(l, t.min() - c, t.max()) }
        }
        (Some(c), None, BinOp::Add) => sum(op, r, l, t).filter(|_| c != 0),
        // c - r.
        (Some(c), None, _) => within(r, c.saturating_sub(t.max()), c.saturating_sub(t.min())),
        _ if t.bits < 64 => Some(in_range_wider(op, l, r, t, 64)),
        _ => Some(wrapped_sum(op, l, r, t)),
    }
}

/// Computed at the signed type of `bits`, the result is in the range of `t`.
fn in_range_wider(op: BinOp, l: &Expr, r: &Expr, t: IntType, bits: u16) -> Expr {
    let wide = Type::Int(IntType { bits, signed: true });
    let exact = Expr::binary(op, l.clone().cast(wide.clone()), r.clone().cast(wide));
    within(&exact, t.min(), t.max()).unwrap_or_else(|| Expr::truth(true))
}

/// The sum modulo 2^bits lies on the right side of `l`.
fn wrapped_sum(op: BinOp, l: &Expr, r: &Expr, t: IntType) -> Expr {
    let unsigned = Type::Int(IntType { signed: false, ..t });
    let modular = Expr::binary(op, l.clone().cast(unsigned.clone()), r.clone().cast(unsigned));
    let wrapped = modular.cast(Type::Int(t));
    let (up, down) = if op == BinOp::Add { (BinOp::Ge, BinOp::Lt) } else { (BinOp::Lt, BinOp::Ge) };
    let zero = number(0, t);
    let grows = Expr::and(compare(up, r, zero.clone()), Expr::binary(BinOp::Ge, wrapped.clone(), l.clone()));
    let shrinks = Expr::and(compare(down, r, zero), Expr::binary(BinOp::Le, wrapped, l.clone()));
    Expr::or(grows, shrinks)
}

fn product(l: &Expr, r: &Expr, t: IntType) -> Option<Expr> {
    match (l.as_const(), r.as_const()) {
        (_, Some(0 | 1)) | (Some(0 | 1), _) => None,
        (None, Some(-1)) => Some(compare(BinOp::Ne, l, number(t.min(), t))),
        (None, Some(c)) => {
            let (a, b) = (t.min() / c, t.max() / c);
            within(l, a.min(b), a.max(b))
        }
        (Some(_), None) => product(r, l, t),
        _ if t.bits <= 32 => Some(in_range_wider(BinOp::Mul, l, r, t, 64)),
        _ if t.bits <= 64 => Some(in_range_wider(BinOp::Mul, l, r, t, 128)),
        _ => None,
    }
}

fn quotient(l: &Expr, r: &Expr, t: IntType) -> Option<Expr> {
    let smallest = || compare(BinOp::Ne, l, number(t.min(), t));
    match (l.as_const(), r.as_const()) {
        (_, Some(-1)) => Some(smallest()),
        (_, Some(_)) => None,
        (Some(v), None) if v != t.min() => None,
        _ => Some(Expr::or(compare(BinOp::Ne, r, number(-1, t)), smallest())),
    }
}

/// C11 6.5.7: the left operand is not negative and its product with the power of two has the type.
fn shifted(l: &Expr, r: &Expr, t: IntType) -> Option<Expr> {
    let amounts = 0..i128::from(t.bits);
    match (l.as_const(), r.as_const()) {
        (_, Some(n)) if amounts.contains(&n) => within(l, 0, t.max() >> n),
        // A bad amount is the business of another kind.
        (_, Some(_)) => None,
        (Some(v), None) if v < 0 => Some(Expr::truth(false)),
        (Some(0), None) => None,
        (Some(v), None) => {
            let most = amounts.rev().find(|n| v <= t.max() >> n)?;
            let top = r.ty().as_int()?.max();
            (most < top).then(|| compare(BinOp::Le, r, Expr::Const(most, r.ty())))
        }
        _ => {
            let most = Expr::binary(BinOp::Shr, number(t.max(), t), r.clone());
            Some(Expr::and(compare(BinOp::Ge, l, number(0, t)), compare(BinOp::Le, l, most)))
        }
    }
}

/// Whether overflow of the product is beyond [`no_overflow`]; the condition is then that the factors are small,
/// which suffices.
pub(crate) fn small_factors(l: &Expr, r: &Expr, t: IntType) -> Option<Expr> {
    if t.bits <= 64 || l.as_const().is_some() || r.as_const().is_some() {
        return None;
    }
    let most = 1 << (t.bits / 2 - 1);
    let sides = [within(l, -most, most), within(r, -most, most)];
    sides.into_iter().flatten().reduce(Expr::and)
}

/// When `-e` does not overflow.
pub(crate) fn no_overflow_unary(op: UnOp, e: &Expr, t: IntType) -> Option<Expr> {
    match (op, e.as_const()) {
        (UnOp::Neg, Some(v)) if v != t.min() => None,
        (UnOp::Neg, _) => Some(compare(BinOp::Ne, e, number(t.min(), t))),
        _ => None,
    }
}

/// When the shift amount is less than the number of bits.
pub(crate) fn good_amount(amount: &Expr, t: IntType) -> Option<Expr> {
    within(amount, 0, i128::from(t.bits) - 1)
}

/// When the divisor is not zero.
pub(crate) fn nonzero(divisor: &Expr) -> Option<Expr> {
    match divisor.as_const() {
        Some(0) => Some(Expr::truth(false)),
        Some(_) => None,
        None => Some(Expr::binary(BinOp::Ne, divisor.clone(), Expr::Const(0, divisor.ty()))),
    }
}
