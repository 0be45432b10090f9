//! Floating point against the machine's arithmetic: the constructors' folding and Z3 give the bits that the processor does, and in
//! other directions of rounding those that software computes.

use proptest::prelude::*;
use smt::{Answer, Arithmetic, Config, Model, Prover, Rounding, Sort, Term, Value, Z3Prover};

const NEAREST: Rounding = Rounding::NearestEven;

/// Numbers near the borders of everything, and any bits.
fn double() -> impl Strategy<Value = u64> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.5,
        2.5,
        -2.5,
        1e-310,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        4_503_599_627_370_497.5,
        2_147_483_647.0,
        -9_223_372_036_854_775_808.0,
    ];
    prop_oneof![
        proptest::sample::select(special.map(f64::to_bits).to_vec()),
        any::<u64>(),
        (-1000i32..1000).prop_map(|n| (f64::from(n) / 8.0).to_bits())
    ]
}

fn single() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), double().prop_map(|b| (f64::from_bits(b) as f32).to_bits())]
}

/// The bits of a result; those of a result that is not a number are the constructors' own.
fn bits32(v: f32) -> Value {
    Value::BitVec { width: 32, value: if v.is_nan() { 0x7fc0_0000 } else { v.to_bits().into() } }
}

fn bits64(v: f64) -> Value {
    let value = if v.is_nan() { 0x7ff8_0000_0000_0000 } else { v.to_bits().into() };
    Value::BitVec { width: 64, value }
}

/// The terms over the constants `a` and `b`, and the values that they have to have.
fn doubles(a: f64, b: f64) -> Vec<(Term, Value)> {
    let [x, y] = ["a", "b"].map(|name| Term::constant(name, Sort::BitVec(64)));
    let mut out = vec![
        (x.fp_add(&y), bits64(a + b)),
        (x.fp_sub(&y), bits64(a - b)),
        (x.fp_equal(&y), Value::Bool(a == b)),
        (x.fp_less(&y), Value::Bool(a < b)),
        (x.fp_less_equal(&y), Value::Bool(a <= b)),
        (x.fp_convert(32, NEAREST), bits32(a as f32)),
        (x.fp_round(Rounding::NearestEven), bits64(a.round_ties_even())),
        (x.fp_round(Rounding::NearestAway), bits64(a.round())),
        (x.fp_round(Rounding::Up), bits64(a.ceil())),
        (x.fp_round(Rounding::Down), bits64(a.floor())),
        (x.fp_round(Rounding::Zero), bits64(a.trunc())),
        (x.fp_from_signed(64, NEAREST), bits64(a.to_bits().cast_signed() as f64)),
        (x.fp_from_unsigned(64, NEAREST), bits64(a.to_bits() as f64)),
        (x.fp_from_signed(32, NEAREST), bits32(a.to_bits().cast_signed() as f32)),
    ];
    if a.trunc() >= -2_147_483_648.0 && a.trunc() <= 2_147_483_647.0 {
        let value = u128::from((a.trunc() as i32).cast_unsigned());
        out.push((x.fp_to_signed(32), Value::BitVec { width: 32, value }));
    }
    if a.trunc() >= 0.0 && a.trunc() < 4_294_967_296.0 {
        out.push((x.fp_to_unsigned(32), Value::BitVec { width: 32, value: u128::from(a as u32) }));
    }
    out
}

fn singles(a: f32, b: f32) -> Vec<(Term, Value)> {
    let [x, y] = ["a", "b"].map(|name| Term::constant(name, Sort::BitVec(32)));
    vec![
        (x.fp_add(&y), bits32(a + b)),
        (x.fp_mul(&y), bits32(a * b)),
        (x.fp_div(&y), bits32(a / b)),
        (x.fp_sqrt(NEAREST), bits32(a.sqrt())),
        (x.fp_less(&y), Value::Bool(a < b)),
        (x.fp_convert(64, NEAREST), bits64(f64::from(a))),
        (x.fp_round(Rounding::NearestEven), bits32(a.round_ties_even())),
    ]
}

/// What is rounded otherwise than to nearest, with numbers of 64 bits where that is not too much for the prover.
fn directed(a: u32, b: u32, wide: u64) -> [Vec<(Term, Value)>; 2] {
    let [x, y] = ["a", "b"].map(|name| Term::constant(name, Sort::BitVec(32)));
    let z = Term::constant("a", Sort::BitVec(64));
    let bits = |width, value| Value::BitVec { width, value };
    let (mut narrow, mut of_wide) = (vec![], vec![]);
    for to in [Rounding::Up, Rounding::Down, Rounding::Zero] {
        for op in [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div] {
            let expected = ieee::arithmetic(op, 32, a.into(), b.into(), to);
            narrow.push((x.fp_arithmetic(op, &y, to), bits(32, expected)));
        }
        narrow.push((x.fp_sqrt(to), bits(32, ieee::sqrt(32, a.into(), to))));
        of_wide.push((z.fp_convert(32, to), bits(32, ieee::convert(64, 32, wide.into(), to))));
        let signed = i128::from(wide.cast_signed());
        of_wide.push((z.fp_from_signed(64, to), bits(64, ieee::from_signed(64, signed, to))));
        of_wide.push((z.fp_from_unsigned(32, to), bits(32, ieee::from_unsigned(32, wide.into(), to))));
    }
    [narrow, of_wide]
}

fn literal(width: u32, value: u128) -> (Value, Term) {
    (Value::BitVec { width, value }, Term::bv(width, value))
}

/// The model evaluator and Z3 agree with what is expected of each term.
fn agree(terms: &[(Term, Value)], width: u32, a: u128, b: u128) -> Result<(), TestCaseError> {
    let mut model = Model::new();
    let mut prover = Z3Prover::new(Config::default());
    for (name, value) in [("a", a), ("b", b)] {
        let constant = Term::constant(name, Sort::BitVec(width));
        let (value, term) = literal(width, value);
        prover.assert(&constant.equal(&term));
        model.assign(&constant, Some(value));
    }
    for (term, expected) in terms {
        let value = model.eval(term);
        prop_assert_eq!(value.as_ref(), Some(expected), "{} of {:x} and {:x}", term, a, b);
        let goal = term.equal(&expected.to_term().expect("scalars have literals"));
        prop_assert_eq!(prover.check(&[goal.not()]), Answer::Unsat, "{} of {:x} and {:x}", goal, a, b);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn doubles_are_the_machines(a in double(), b in double()) {
        agree(&doubles(f64::from_bits(a), f64::from_bits(b)), 64, a.into(), b.into())?;
    }

    #[test]
    fn singles_are_the_machines(a in single(), b in single()) {
        agree(&singles(f32::from_bits(a), f32::from_bits(b)), 32, a.into(), b.into())?;
    }

    #[test]
    fn directions_are_those_of_software(a in single(), b in single(), wide in double()) {
        let [narrow, of_wide] = directed(a, b, wide);
        agree(&narrow, 32, a.into(), b.into())?;
        agree(&of_wide, 64, wide.into(), 0)?;
    }
}
