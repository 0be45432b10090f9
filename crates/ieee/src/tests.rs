//! Against the processor, rounded to nearest, and against what the directions mean: of all numbers on one side of the exact
//! result, the nearest one.

use super::*;
use proptest::prelude::*;

const DIRECTIONS: [Rounding; 3] = [Rounding::Up, Rounding::Down, Rounding::Zero];
const OPERATIONS: [Arithmetic; 4] = [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div];

/// Numbers near the borders of everything, and any bits.
fn single() -> impl Strategy<Value = f32> {
    let special =
        [0.0, -0.0, 1.0, -1.5, 1e-40, f32::MAX, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN, 3.0, 0.1];
    prop_oneof![
        proptest::sample::select(special.to_vec()),
        any::<u32>().prop_map(f32::from_bits),
        (-1000i32..1000).prop_map(|n| n as f32 / 8.0)
    ]
}

fn of(op: Arithmetic, a: f64, b: f64) -> f64 {
    match op {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a / b,
    }
}

fn single_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

/// Whether `result` is what the exact number rounds to, given as a number and what was lost in it: below zero if the number
/// is too large.
fn is_rounded(result: f32, near: f64, lost: f64, rounding: Rounding) -> bool {
    let result_wide = f64::from(result);
    let up = || {
        let below = f64::from(result.next_down());
        (result_wide > near || result_wide == near && lost <= 0.0)
            && (below < near || below == near && lost > 0.0)
    };
    let down = || {
        let above = f64::from(result.next_up());
        (result_wide < near || result_wide == near && lost >= 0.0)
            && (above > near || above == near && lost < 0.0)
    };
    let is_positive = near > 0.0 || near == 0.0 && lost > 0.0;
    match rounding {
        _ if near == 0.0 && lost == 0.0 => result == 0.0,
        Rounding::Up => up(),
        Rounding::Down => down(),
        _ if is_positive => down(),
        _ => up(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn nearest_is_the_processors(a in any::<u64>(), b in any::<u64>(), x in single(), y in single()) {
        let nearest = Rounding::NearestEven;
        for op in OPERATIONS {
            let wide = of(op, f64::from_bits(a), f64::from_bits(b));
            let expected = if wide.is_nan() { not_a_number(64) } else { wide.to_bits().into() };
            prop_assert_eq!(arithmetic(op, 64, a.into(), b.into(), nearest), expected);
            let narrow = of(op, x.into(), y.into()) as f32;
            let expected = if narrow.is_nan() { not_a_number(32) } else { narrow.to_bits().into() };
            prop_assert_eq!(arithmetic(op, 32, x.to_bits().into(), y.to_bits().into(), nearest), expected);
        }
        let narrow = f64::from_bits(a) as f32;
        let expected = if narrow.is_nan() { not_a_number(32) } else { narrow.to_bits().into() };
        prop_assert_eq!(convert(64, 32, a.into(), nearest), expected);
        prop_assert_eq!(from_signed(32, i128::from(a.cast_signed()), nearest), u128::from((a.cast_signed() as f32).to_bits()));
        prop_assert_eq!(from_unsigned(64, a.into(), nearest), u128::from((a as f64).to_bits()));
    }

    /// Sums and products of numbers of 32 bits are exact in 64 bits together with what is lost there.
    #[test]
    fn directions_are_kept(x in single(), y in single()) {
        let (a, b) = (f64::from(x), f64::from(y));
        let sum = a + b;
        let part = sum - a;
        let lost = (a - (sum - part)) + (b - part);
        for rounding in DIRECTIONS {
            let bits = [x, y].map(|v| u128::from(v.to_bits()));
            if sum.is_finite() {
                let result = single_of(arithmetic(Arithmetic::Add, 32, bits[0], bits[1], rounding));
                prop_assert!(is_rounded(result, sum, lost, rounding), "{x:e} + {y:e} = {result:e} {rounding:?}");
            }
            if (a * b).is_finite() {
                let result = single_of(arithmetic(Arithmetic::Mul, 32, bits[0], bits[1], rounding));
                prop_assert!(is_rounded(result, a * b, 0.0, rounding), "{x:e} * {y:e} = {result:e} {rounding:?}");
            }
            let quotient = a / b;
            if quotient.is_finite() && quotient != 0.0 {
                let lost = (-quotient).mul_add(b, a) / b;
                let result = single_of(arithmetic(Arithmetic::Div, 32, bits[0], bits[1], rounding));
                prop_assert!(is_rounded(result, quotient, lost, rounding), "{x:e} / {y:e} = {result:e} {rounding:?}");
            }
            if x > 0.0 && x.is_finite() {
                let root = a.sqrt();
                let lost = (-root).mul_add(root, a);
                let result = single_of(sqrt(32, bits[0], rounding));
                prop_assert!(is_rounded(result, root, lost, rounding), "sqrt({x:e}) = {result:e} {rounding:?}");
            }
        }
    }

    #[test]
    fn conversions_keep_the_direction(a in any::<u64>(), n in any::<i64>()) {
        let wide = f64::from_bits(a);
        for rounding in DIRECTIONS {
            if wide.is_finite() {
                let result = single_of(convert(64, 32, a.into(), rounding));
                prop_assert!(is_rounded(result, wide, 0.0, rounding), "{wide:e} as {result:e} {rounding:?}");
            }
            let (near, result) = (n as f64, single_of(from_signed(32, n.into(), rounding)));
            let lost = (i128::from(n) - near as i128) as f64;
            prop_assert!(is_rounded(result, near, lost, rounding), "{n} as {result:e} {rounding:?}");
        }
    }

    /// The root of a number of 64 bits lies between its two roots in the directions, and no two numbers are nearer.
    #[test]
    fn wide_roots_enclose_the_root(a in any::<u64>()) {
        let a = a & !(1 << 63);
        let wide = f64::from_bits(a);
        prop_assume!(wide.is_finite());
        let [up, down, zero] = DIRECTIONS.map(|to| f64::from_bits(sqrt(64, a.into(), to) as u64));
        let nearest = wide.sqrt();
        prop_assert_eq!(down, zero);
        prop_assert!(nearest == up || nearest == down);
        prop_assert!(up == down || up == down.next_up());
        let (of_up, of_down) = (up.mul_add(up, -wide), down.mul_add(down, -wide));
        prop_assert!(of_up >= 0.0 && of_down <= 0.0);
        prop_assert!((up == down) == (of_up == 0.0 && of_down == 0.0) || wide < 1e-290);
    }
}

#[test]
fn hexadecimal_digits_are_rounded_once() {
    let double = |text| f64::from_bits(hexadecimal(64, text).expect("it is well formed") as u64);
    assert_eq!(double("0x1.8p3"), 12.0);
    assert_eq!(double("0x1.fffffffffffffp+1023"), f64::MAX);
    assert_eq!(double("0x1p-1074"), 5e-324);
    assert_eq!(double("0x1.00000000000008p0"), 1.0);
    assert_eq!(double("0x1.000000000000081p0"), 1.0f64.next_up());
    assert_eq!(hexadecimal(32, "0x1.000001000000001p0"), Some(1.0f32.next_up().to_bits().into()));
    assert_eq!(hexadecimal(64, "0x1.8"), None);
}

#[test]
fn exact_constants_are_told_from_others() {
    assert!(["1.25", "0x1.8p3", "1e22", "0.0"].iter().all(|text| is_exact(text)));
    assert!(!["0.1", "1e23", "0x1.00000000000008p0", "1e400", "x"].iter().any(|text| is_exact(text)));
}
