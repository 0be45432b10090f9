//! Operators on bit-vectors by number: how to build them, and what they mean.

use smt::{Model, Sort, Term, Value};

use super::BITS;

pub(super) fn combine_bits(operator: usize, a: &Term, b: &Term) -> Term {
    match operator {
        0 => a.bv_add(b),
        1 => a.bv_sub(b),
        2 => a.bv_mul(b),
        3 => a.bv_udiv(b),
        4 => a.bv_sdiv(b),
        5 => a.bv_urem(b),
        6 => a.bv_srem(b),
        7 => a.bv_and(b),
        8 => a.bv_or(b),
        9 => a.bv_xor(b),
        10 => a.bv_shl(b),
        11 => a.bv_lshr(b),
        _ => a.bv_ashr(b),
    }
}

pub(super) fn compare_bits(operator: usize, a: &Term, b: &Term) -> Term {
    match operator {
        0 => a.bv_ult(b),
        1 => a.bv_ule(b),
        2 => a.bv_slt(b),
        3 => a.bv_sle(b),
        4 => a.bv_add_no_overflow(b),
        5 => a.bv_sub_no_overflow(b),
        6 => a.bv_mul_no_overflow(b),
        _ => a.equal(b),
    }
}

/// Two's complement reading.
fn to_signed(width: u32, value: u32) -> i64 {
    let value = i64::from(value);
    if value >= 1 << (width - 1) { value - (1 << width) } else { value }
}

pub(super) fn eval_bits(operator: usize, width: u32, a: u32, b: u32) -> u32 {
    let (sa, sb) = (to_signed(width, a), to_signed(width, b));
    let (ua, ub) = (i64::from(a), i64::from(b));
    let ones = (1i64 << width) - 1;
    let exact = match operator {
        0 => ua + ub,
        1 => ua - ub,
        2 => ua * ub,
        3 => {
            if ub == 0 {
                ones
            } else {
                ua / ub
            }
        }
        4 if sb == 0 => {
            if sa < 0 {
                1
            } else {
                -1
            }
        }
        4 => sa / sb,
        5 => {
            if ub == 0 {
                ua
            } else {
                ua % ub
            }
        }
        6 => {
            if sb == 0 {
                sa
            } else {
                sa % sb
            }
        }
        7 => ua & ub,
        8 => ua | ub,
        9 => ua ^ ub,
        10 => {
            if ub >= i64::from(width) {
                0
            } else {
                ua << ub
            }
        }
        11 => {
            if ub >= i64::from(width) {
                0
            } else {
                ua >> ub
            }
        }
        _ => sa >> ub.min(63),
    };
    u32::try_from(exact & ones).expect("the mask leaves few bits")
}

pub(super) fn eval_comparison(operator: usize, width: u32, a: u32, b: u32) -> bool {
    let (sa, sb) = (to_signed(width, a), to_signed(width, b));
    let half = 1i64 << (width - 1);
    let fits = |n: i64| (-half..half).contains(&n);
    match operator {
        0 => a < b,
        1 => a <= b,
        2 => sa < sb,
        3 => sa <= sb,
        4 => fits(sa + sb),
        5 => fits(sa - sb),
        6 => fits(sa * sb),
        _ => a == b,
    }
}

/// Compares an operator on two literals, and on a constant and a literal, with its definition.
pub(crate) fn check_small(operator: usize, a: u32, b: u32) {
    let [left, right] = [a, b].map(|value| Term::bv(BITS, value.into()));
    let [x, y] = ["x", "y"].map(|name| Term::constant(name, Sort::BitVec(BITS)));
    let build = |a: &Term, b: &Term| match operator.checked_sub(13) {
        None => combine_bits(operator, a, b),
        Some(comparison) => compare_bits(comparison, a, b),
    };
    let expected = match operator.checked_sub(13) {
        None => Value::BitVec { width: BITS, value: eval_bits(operator, BITS, a, b).into() },
        Some(comparison) => Value::Bool(eval_comparison(comparison, BITS, a, b)),
    };
    assert_eq!(Value::of_literal(&build(&left, &right)), Some(expected.clone()));
    let mut model = Model::new();
    model.assign(&x, Value::of_literal(&left));
    model.assign(&y, Value::of_literal(&right));
    for (a, b) in [(&x, &right), (&left, &y), (&x, &y)] {
        let term = build(a, b);
        assert_eq!(model.eval(&term), Some(expected.clone()), "{term}");
    }
    if a == b {
        let term = build(&x, &x);
        assert_eq!(model.eval(&term), Some(expected), "{term}");
    }
}
