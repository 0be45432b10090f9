//! The constructors' rewrites against an evaluator that shares no code with the crate, and
//! against Z3.
//!
//! A recipe is a term as it is written, before any constructor sees it. It is evaluated here, by
//! straightforward definitions on wide numbers, and built with the crate's constructors; the built
//! term must have the same value in the crate's model evaluator, and Z3 must agree that it is
//! nothing else.

use crate::recipe::{self};
use crate::recipe::{Assignment, BITS, BoolRecipe, IntRecipe, WIDTH};
use proptest::prelude::*;
use smt::{Answer, Config, Model, Prover, Sort, Term, Value, Z3Prover};

fn check_bool(recipe: &BoolRecipe, assignment: &Assignment) -> Result<(), TestCaseError> {
    let term = recipe.build();
    let Some(expected) = recipe.eval(assignment) else {
        return Ok(());
    };
    let model = assignment.model();
    prop_assert_eq!(model.eval(&term), Some(Value::Bool(expected)), "{} in\n{}", term, model);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn formulas_keep_their_value(recipe in recipe::formula(), assignment in recipe::assignment()) {
        check_bool(&recipe, &assignment)?;
    }

    #[test]
    fn integers_keep_their_value(recipe in recipe::integer(), assignment in recipe::assignment()) {
        let term = recipe.build();
        if let Some(expected) = recipe.eval(&assignment) {
            prop_assert_eq!(assignment.model().eval(&term), Some(Value::Int(expected)), "{}", term);
        }
    }

    #[test]
    fn bit_vectors_keep_their_value(recipe in recipe::bits(), assignment in recipe::assignment()) {
        let term = recipe.build();
        let expected = Value::BitVec { width: WIDTH, value: recipe.eval(&assignment).into() };
        prop_assert_eq!(assignment.model().eval(&term), Some(expected), "{}", term);
    }

    /// Numbers that leave `i128` may cost the built term its value, but not change it.
    #[test]
    fn large_numbers_do_not_wrap(
        recipe in recipe::formula_with_large_numbers(),
        assignment in recipe::assignment(),
    ) {
        let term = recipe.build();
        if let (Some(expected), Some(value)) =
            (recipe.eval(&assignment), assignment.model().eval(&term))
        {
            prop_assert_eq!(value, Value::Bool(expected), "{}", term);
        }
    }

    #[test]
    fn a_comparison_and_its_negation_share_an_atom(a in recipe::integer(), b in recipe::integer()) {
        let (a, b) = (a.build(), b.build());
        prop_assert_eq!(a.int_lt(&b).not(), b.int_le(&a));
        prop_assert_eq!(a.int_le(&b).not(), b.int_lt(&a));
        prop_assert_eq!(a.equal(&b), b.equal(&a));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// With every constant fixed, Z3 must refute the opposite of the expected value: this checks
    /// the translation, and the evaluators' reading of SMT-LIB.
    #[test]
    fn z3_agrees_with_the_evaluators(recipe in recipe::formula(), assignment in recipe::assignment()) {
        let Some(expected) = recipe.eval(&assignment) else { return Ok(()); };
        let term = recipe.build();
        let uses_function = term.to_string().contains("(f ");
        prop_assume!(!uses_function);
        let mut prover = Z3Prover::new(Config::default());
        for fact in assignment.facts() {
            prover.assert(&fact);
        }
        let claim = term.equal(&Term::bool(!expected));
        prop_assert_eq!(prover.check(&[claim]), Answer::Unsat);
    }

    /// A model that Z3 finds satisfies the formula in the crate's evaluator, and in the
    /// independent one.
    #[test]
    fn models_satisfy_what_was_asserted(recipe in recipe::formula()) {
        let term = recipe.build();
        let mut prover = Z3Prover::new(Config { rlimit: 2_000_000, ..Config::default() });
        prover.assert(&term);
        if prover.check(&[]) == Answer::Sat {
            let model = prover.model().expect("the answer was sat");
            if let Some(value) = model.holds(&term) {
                prop_assert!(value, "{} in\n{}", term, model);
            }
            if let Some(assignment) = Assignment::of_model(&model) {
                prop_assert!(recipe.eval(&assignment) != Some(false), "{} in\n{}", term, model);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Comparisons between linear sums, where the coefficients have common divisors often.
    #[test]
    fn linear_comparisons_keep_their_value(
        operator in 0..6usize,
        left in prop::array::uniform3(-6i128..7),
        right in prop::array::uniform3(-6i128..7),
    ) {
        let [x, y] = [0, 1].map(IntRecipe::Var);
        let scaled = |factor, term: &IntRecipe| {
            IntRecipe::Mul(Box::new(IntRecipe::Literal(factor)), Box::new(term.clone()))
        };
        let add = |a, b| IntRecipe::Add(Box::new(a), Box::new(b));
        let sum = |[a, b, c]: [i128; 3]| {
            add(add(scaled(2 * a, &x), scaled(3 * b, &y)), IntRecipe::Literal(c))
        };
        let recipe = BoolRecipe::Int(operator, sum(left), sum(right));
        let term = recipe.build();
        for x in -4..5 {
            for y in -4..5 {
                let at = Assignment { ints: [x, y, 0], ..Assignment::default() };
                let value = at.model().eval(&term).and_then(|value| value.as_bool());
                prop_assert_eq!(value, recipe.eval(&at), "{} at {}, {}", term, x, y);
            }
        }
    }
}

#[test]
fn numbers_near_the_limit_stay_exact() {
    let max = IntRecipe::Literal(i128::MAX);
    let one = IntRecipe::Literal(1);
    let sum = IntRecipe::Add(Box::new(max.clone()), Box::new(one));
    let term = sum.build().int_le(&max.build());
    assert_eq!(term.as_bool(), None);
    let mut prover = Z3Prover::new(Config::default());
    assert_eq!(prover.check(&[term]), Answer::Unsat);
    let x = Term::constant("x", Sort::Int);
    let huge = x.int_mul(&Term::int(i128::MIN)).int_neg();
    let claim = Term::int(0).int_lt(&x).implies(&Term::int(i128::MAX).int_lt(&huge));
    assert!(prover.entails(&claim), "{claim}");
}

#[test]
fn every_operator_on_every_small_bit_vector() {
    for a in 0..1u32 << BITS {
        for b in 0..1u32 << BITS {
            for operator in 0..recipe::BITS_OPERATORS {
                recipe::check_small(operator, a, b);
            }
        }
    }
}

/// Comparisons of extended vectors of four bits, with each other and with literals, for all values of what is extended.
#[test]
fn comparisons_of_extended_vectors_keep_their_value() {
    const WIDTH: u32 = 4;
    let mut sides = vec![];
    for value in 0..1 << WIDTH {
        sides.push(Term::bv(WIDTH, value));
    }
    for (name, inner) in [("x", 1), ("x", 2), ("x", 3), ("x", 4), ("y", 2), ("y", 3)] {
        let constant = Term::constant(name, Sort::BitVec(inner));
        sides.push(constant.bv_zero_extend(WIDTH - inner));
        sides.push(constant.bv_sign_extend(WIDTH - inner));
        // A vector that is extended twice.
        sides.push(
            constant
                .bv_zero_extend(u32::from(inner < 3))
                .bv_sign_extend(WIDTH - inner - u32::from(inner < 3)),
        );
    }
    let signed = |value: u128| if value >= 8 { value.cast_signed() - 16 } else { value.cast_signed() };
    for (a, b) in sides.iter().flat_map(|a| sides.iter().map(move |b| (a, b))) {
        let mut constants = a.constants();
        constants.extend(b.constants());
        for bits in 0..1u128 << (2 * WIDTH) {
            let mut model = Model::new();
            for constant in &constants {
                let width = constant.sort().width();
                let value = if constant.to_string().starts_with('x') { bits } else { bits >> WIDTH };
                model.assign(constant, Some(Value::BitVec { width, value: value & ((1 << width) - 1) }));
            }
            let value = |term: &Term| match model.eval(term) {
                Some(Value::BitVec { value, .. }) => value,
                other => panic!("{term} is {other:?}"),
            };
            let (left, right) = (value(a), value(b));
            let holds = |term: Term, expected: bool| {
                assert_eq!(model.holds(&term), Some(expected), "{a} {b}\n{model}")
            };
            holds(a.bv_ule(b), left <= right);
            holds(a.bv_sle(b), signed(left) <= signed(right));
            holds(a.equal(b), left == right);
        }
    }
    let x = Term::constant("x", Sort::BitVec(2));
    assert_eq!(x.bv_sign_extend(2).bv_sle(&Term::bv(WIDTH, 1)), x.bv_sle(&Term::bv(2, 1)));
    assert_eq!(x.bv_zero_extend(2).bv_sle(&Term::bv(WIDTH, 2)), x.bv_ule(&Term::bv(2, 2)));
}
