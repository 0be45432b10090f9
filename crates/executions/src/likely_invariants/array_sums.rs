//! What a small array is as a whole: the sum of its elements, and how many of them have some value. Counters beside an array
//! often say one of these.

use ir::visit;
use ir::{BinOp, Expr, Program, Type};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most values of which the elements are counted.
const COUNTED: usize = 4;

/// The constants of the program, by their types, those first that occur most.
pub(super) fn stored(program: &Program) -> Vec<(i128, Type)> {
    let mut counts: BTreeMap<(i128, Type), usize> = BTreeMap::new();
    for (_, _, edge) in program.edges() {
        visit::nodes(&edge.op, &mut |node| {
            if let Expr::Const(v, ty @ Type::Int(_)) = node {
                *counts.entry((*v, ty.clone())).or_default() += 1;
            }
        });
    }
    let mut out: Vec<((i128, Type), usize)> = counts.into_iter().collect();
    out.sort_by_key(|(_, count)| Reverse(*count));
    out.into_iter().map(|(constant, _)| constant).collect()
}

/// The sum of the elements, and the numbers of those with one of the constants of their type.
pub(super) fn of(elements: &[Expr], stored: &[(i128, Type)]) -> Vec<Expr> {
    let ty = elements[0].ty();
    let sum = |terms: &mut dyn Iterator<Item = Expr>| {
        terms.map(|e| e.cast(Type::Math)).reduce(|a, b| Expr::binary(BinOp::Add, a, b))
    };
    let mut out: Vec<Expr> = sum(&mut elements.iter().cloned()).into_iter().collect();
    for (value, _) in stored.iter().filter(|(_, t)| *t == ty).take(COUNTED) {
        let has = |e: &Expr| Expr::binary(BinOp::Eq, e.clone(), Expr::Const(*value, ty.clone()));
        out.extend(sum(&mut elements.iter().map(has)));
    }
    out
}
