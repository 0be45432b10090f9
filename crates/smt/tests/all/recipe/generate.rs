//! Generators of recipes and assignments.

use proptest::prelude::*;

use super::{ArrayRecipe, Assignment, BitsRecipe, BoolRecipe, IntRecipe, Table, WIDTH};

/// Strategies for the four kinds of recipes up to some depth.
#[derive(Clone)]
struct Kinds {
    bools: BoxedStrategy<BoolRecipe>,
    ints: BoxedStrategy<IntRecipe>,
    arrays: BoxedStrategy<ArrayRecipe>,
    bits: BoxedStrategy<BitsRecipe>,
}

pub(crate) fn formula() -> BoxedStrategy<BoolRecipe> {
    kinds(false).bools
}

/// Formulas with literals near the ends of `i128`.
pub(crate) fn formula_with_large_numbers() -> BoxedStrategy<BoolRecipe> {
    kinds(true).bools
}

pub(crate) fn integer() -> BoxedStrategy<IntRecipe> {
    kinds(false).ints
}

pub(crate) fn bits() -> BoxedStrategy<BitsRecipe> {
    kinds(false).bits
}

pub(crate) fn assignment() -> BoxedStrategy<Assignment> {
    let table = || {
        let entries = prop::collection::btree_map(-4i128..5, -4i128..5, 0..3);
        (entries, -4i128..5).prop_map(|(entries, default)| Table { entries, default })
    };
    (any::<[bool; 2]>(), prop::array::uniform3(-6i128..7), any::<[u8; 2]>(), table(), table())
        .prop_map(|(bools, ints, bits, array, function)| Assignment { bools, ints, bits, array, function })
        .boxed()
}

fn kinds(large: bool) -> Kinds {
    let small = (-8i128..9).boxed();
    let literals = if large {
        let ends = prop::sample::select(vec![i128::MAX, i128::MIN, i128::MIN + 1, 1 << 100]);
        prop_oneof![small, ends].boxed()
    } else {
        small
    };
    let byte = prop_oneof![any::<u8>(), prop::sample::select(vec![0u8, 1, 2, 0x7f, 0x80, 0xff])];
    let mut kinds = Kinds {
        bools: prop_oneof![
            1 => any::<bool>().prop_map(BoolRecipe::Literal),
            4 => (0..2usize).prop_map(BoolRecipe::Var),
        ]
        .boxed(),
        ints: prop_oneof![
            2 => literals.prop_map(IntRecipe::Literal),
            3 => (0..3usize).prop_map(IntRecipe::Var),
        ]
        .boxed(),
        arrays: Just(ArrayRecipe::Var).boxed(),
        bits: prop_oneof![
            2 => byte.prop_map(BitsRecipe::Literal),
            3 => (0..2usize).prop_map(BitsRecipe::Var),
        ]
        .boxed(),
    };
    for _ in 0..4 {
        kinds = Kinds {
            bools: deeper_bools(&kinds),
            ints: deeper_ints(&kinds),
            arrays: deeper_arrays(&kinds),
            bits: deeper_bits(&kinds),
        };
    }
    kinds
}

fn deeper_bools(kinds: &Kinds) -> BoxedStrategy<BoolRecipe> {
    let Kinds { bools, ints, arrays, bits } = kinds.clone();
    let pair = (bools.clone().prop_map(Box::new), bools.clone().prop_map(Box::new));
    let triple = [bools.clone(), bools.clone(), bools.clone()];
    let several = prop::collection::vec(bools.clone(), 0..4);
    prop_oneof![
        1 => bools.clone(),
        1 => bools.prop_map(|a| BoolRecipe::Not(Box::new(a))),
        2 => several.clone().prop_map(BoolRecipe::And),
        2 => several.prop_map(BoolRecipe::Or),
        1 => pair.clone().prop_map(|(a, b)| BoolRecipe::Implies(a, b)),
        1 => pair.clone().prop_map(|(a, b)| BoolRecipe::Iff(a, b)),
        1 => pair.prop_map(|(a, b)| BoolRecipe::Xor(a, b)),
        1 => triple.prop_map(|parts| BoolRecipe::Ite(Box::new(parts))),
        5 => (0..6usize, ints.clone(), ints.clone()).prop_map(|(o, a, b)| BoolRecipe::Int(o, a, b)),
        1 => prop::collection::vec(ints, 0..4).prop_map(BoolRecipe::Distinct),
        4 => (0..8usize, bits.clone(), bits).prop_map(|(o, a, b)| BoolRecipe::Bits(o, a, b)),
        1 => (arrays.clone(), arrays).prop_map(|(a, b)| BoolRecipe::Arrays(a, b)),
    ]
    .boxed()
}

fn deeper_ints(kinds: &Kinds) -> BoxedStrategy<IntRecipe> {
    let Kinds { bools, ints, arrays, .. } = kinds.clone();
    let boxed = ints.clone().prop_map(Box::new);
    let pair = (boxed.clone(), boxed.clone());
    prop_oneof![
        1 => ints,
        3 => pair.clone().prop_map(|(a, b)| IntRecipe::Add(a, b)),
        2 => pair.clone().prop_map(|(a, b)| IntRecipe::Sub(a, b)),
        1 => boxed.clone().prop_map(IntRecipe::Neg),
        2 => pair.clone().prop_map(|(a, b)| IntRecipe::Mul(a, b)),
        1 => pair.clone().prop_map(|(a, b)| IntRecipe::Div(a, b)),
        1 => pair.clone().prop_map(|(a, b)| IntRecipe::Mod(a, b)),
        2 => (bools.prop_map(Box::new), pair).prop_map(|(c, (a, b))| IntRecipe::Ite(c, a, b)),
        2 => (arrays.prop_map(Box::new), boxed.clone()).prop_map(|(a, i)| IntRecipe::Select(a, i)),
        1 => boxed.prop_map(IntRecipe::Apply),
    ]
    .boxed()
}

fn deeper_arrays(kinds: &Kinds) -> BoxedStrategy<ArrayRecipe> {
    let Kinds { bools, ints, arrays, .. } = kinds.clone();
    let boxed = arrays.clone().prop_map(Box::new);
    prop_oneof![
        1 => arrays,
        1 => ints.clone().prop_map(ArrayRecipe::Const),
        5 => (boxed.clone(), ints.clone(), ints).prop_map(|(a, i, e)| ArrayRecipe::Store(a, i, e)),
        1 => (bools.prop_map(Box::new), boxed.clone(), boxed)
            .prop_map(|(c, a, b)| ArrayRecipe::Ite(c, a, b)),
    ]
    .boxed()
}

fn deeper_bits(kinds: &Kinds) -> BoxedStrategy<BitsRecipe> {
    let bits = kinds.bits.clone();
    let boxed = bits.clone().prop_map(Box::new);
    let pair = (boxed.clone(), boxed.clone());
    // Conditions on integers may have no value; these always have one.
    let condition =
        (0..8usize, bits.clone(), bits.clone()).prop_map(|(o, a, b)| Box::new(BoolRecipe::Bits(o, a, b)));
    prop_oneof![
        1 => bits,
        1 => boxed.clone().prop_map(BitsRecipe::Not),
        1 => boxed.clone().prop_map(BitsRecipe::Neg),
        8 => (0..13usize, pair.clone()).prop_map(|(o, (a, b))| BitsRecipe::Two(o, a, b)),
        2 => (condition, pair.clone()).prop_map(|(c, (a, b))| BitsRecipe::Ite(c, a, b)),
        2 => (any::<bool>(), 1..=WIDTH, boxed).prop_map(|(s, k, a)| BitsRecipe::Extend(s, k, a)),
        2 => (0..=WIDTH, pair).prop_map(|(low, (a, b))| BitsRecipe::Window(low, a, b)),
    ]
    .boxed()
}
