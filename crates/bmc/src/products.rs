//! Bounds of products, which the prover seldom finds by itself where the factors depend on much else: between numbers that the
//! formulas compare with, a product is at most the product of the numbers.

use rustc_hash::FxHashSet;
use smt::{Op, Term};
use std::collections::BTreeSet;

/// Most products, and most numbers.
const PRODUCTS: usize = 8;
const NUMBERS: usize = 8;

/// The largest number whose square is considered.
const LARGEST: i128 = 1 << 40;

/// What holds of the products of two unknown integers in these formulas.
pub(super) fn bounds<'t>(formulas: impl Iterator<Item = &'t Term>) -> Vec<Term> {
    let mut seen: FxHashSet<&Term> = FxHashSet::default();
    let mut pending: Vec<&Term> = formulas.collect();
    let (mut products, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match (term.op(), term.args()) {
            (Op::IntMul, [a, b]) if !a.is_literal() => _ = products.insert((a, b)),
            (Op::IntMul, [factor, a, b]) if factor.is_literal() => _ = products.insert((a, b)),
            (Op::IntLe, [_, number]) => numbers.extend(number.as_int().map(i128::abs)),
            _ => {}
        }
        pending.extend(term.args());
    }
    let numbers: Vec<i128> = numbers.into_iter().filter(|n| (2..LARGEST).contains(n)).collect();
    // The largest numbers are most often those of types.
    let numbers = &numbers[numbers.len().saturating_sub(NUMBERS)..];
    let mut out = vec![];
    for (a, b) in products.into_iter().take(PRODUCTS) {
        let product = a.int_mul(b);
        for x in numbers {
            for y in numbers {
                let inside = Term::and([between(a, *x), between(b, *y)]);
                out.push(inside.implies(&between(&product, x * y)));
            }
        }
    }
    out
}

/// The term lies between minus a number and the number.
fn between(term: &Term, number: i128) -> Term {
    Term::and([Term::int(-number).int_le(term), term.int_le(&Term::int(number))])
}
