//! Questions that are asked once: facts about bits go to a solver for clauses and back.

use proptest::prelude::*;
use smt::{Answer, Config, Model, Sort, Term, Value, solve};

const WIDTH: u32 = 4;

fn constant(name: &str) -> Term {
    Term::constant(name, Sort::BitVec(WIDTH))
}

/// Vectors over two constants.
fn vector() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        Just(constant("x")),
        Just(constant("y")),
        (0..1u128 << WIDTH).prop_map(|value| Term::bv(WIDTH, value)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        (0..9, inner.clone(), inner.clone(), inner).prop_map(|(op, a, b, c)| match op {
            0 => a.bv_add(&b),
            1 => a.bv_sub(&b),
            2 => a.bv_mul(&b),
            3 => a.bv_udiv(&b),
            4 => a.bv_srem(&b),
            5 => a.bv_xor(&b),
            6 => a.bv_shl(&b),
            7 => a.bv_extract(1, 0).bv_sign_extend(WIDTH - 2),
            _ => Term::ite(&a.bv_sle(&b), &b, &c),
        })
    })
}

fn fact() -> impl Strategy<Value = Term> {
    (0..4, vector(), vector()).prop_map(|(op, a, b)| match op {
        0 => a.bv_ule(&b),
        1 => a.bv_slt(&b),
        2 => a.equal(&b),
        _ => a.different(&b),
    })
}

fn is_possible(facts: &[Term]) -> bool {
    (0..1u128 << (2 * WIDTH)).any(|bits| {
        let mut model = Model::new();
        for (name, value) in [("x", bits % (1 << WIDTH)), ("y", bits >> WIDTH)] {
            model.assign(&constant(name), Some(Value::BitVec { width: WIDTH, value }));
        }
        facts.iter().all(|fact| model.holds(fact) == Some(true))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn answers_are_those_of_trying_all_values(facts in prop::collection::vec(fact(), 1..5)) {
        let (answer, model) = solve(&facts, &Config::default());
        if is_possible(&facts) {
            prop_assert_eq!(answer, Answer::Sat);
            let model = model.expect("a model comes with the answer");
            for fact in &facts {
                // What the model leaves open may have any value.
                prop_assert_ne!(model.holds(fact), Some(false), "{} in\n{}", fact, model);
            }
        } else {
            prop_assert_eq!(answer, Answer::Unsat);
            prop_assert_eq!(model, None);
        }
    }
}

/// Floating-point numbers become bits, too.
#[test]
fn numbers_are_found() {
    let x = Term::constant("x", Sort::BitVec(32));
    let bits = |value: f32| Term::bv(32, value.to_bits().into());
    let product = x.fp_mul(&x);
    let facts = [product.fp_equal(&bits(2.25)), x.fp_less(&bits(0.0))];
    let (answer, model) = solve(&facts, &Config { rlimit: 20_000_000, ..Config::default() });
    assert_eq!(answer, Answer::Sat);
    let model = model.expect("a model comes with the answer");
    assert_eq!(model.eval(&x), Some(Value::BitVec { width: 32, value: (-1.5f32).to_bits().into() }));
}

/// What is not about bits alone goes to the prover for terms.
#[test]
fn integers_and_arrays_are_decided() {
    let array = Term::constant("a", Sort::array(Sort::Int, Sort::BitVec(WIDTH)));
    let i = Term::constant("i", Sort::Int);
    let one = Term::bv(WIDTH, 1);
    let written = array.store(&i, &one);
    let facts = |index: &Term| [written.select(index).different(&one), i.int_le(index), index.int_le(&i)];
    assert_eq!(solve(&facts(&i), &Config::default()).0, Answer::Unsat);
    assert_eq!(solve(&facts(&Term::constant("j", Sort::Int)), &Config::default()).0, Answer::Unsat);
    assert_eq!(solve(&[written.select(&Term::int(0)).equal(&one)], &Config::default()).0, Answer::Sat);
}

/// Answers are the same each time, models included.
#[test]
fn models_are_the_same_each_time() {
    let (x, y) = (Term::constant("x", Sort::BitVec(32)), Term::constant("y", Sort::BitVec(32)));
    let product = x.bv_mul(&y).equal(&Term::bv(32, 1_022_117));
    let facts =
        [product, Term::bv(32, 2).bv_ule(&x), x.bv_ule(&Term::bv(32, 5_000)), y.bv_ule(&Term::bv(32, 5_000))];
    let first = solve(&facts, &Config::default());
    assert_eq!(first.0, Answer::Sat);
    assert_eq!(solve(&facts, &Config::default()), first);
}
