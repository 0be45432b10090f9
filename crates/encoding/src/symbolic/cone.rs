//! The cone of influence of a formula: the definitions of the names in it, and of the names in these, and the axioms
//! about nothing else.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Op, Sort, Term};
use std::collections::BTreeSet;

/// All axioms, by what they are about.
pub struct Cones {
    /// The axioms, the symbols in each, and what it costs to give it to a prover.
    axioms: Vec<(Term, Vec<Term>, u64)>,
    /// By the name that is defined.
    definitions: FxHashMap<Term, Vec<usize>>,
    others: Vec<usize>,
    /// The candidates, by their constants.
    candidates: FxHashMap<Term, usize>,
}

/// What concerns some formulas.
pub struct Cone<'c> {
    /// Its axioms.
    pub axioms: Vec<&'c Term>,
    /// The candidates that occur, ascending.
    pub candidates: Vec<usize>,
    /// What it costs to give the axioms to a prover, in about its resource units, which count the search alone.
    pub cost: u64,
}

impl Cones {
    /// Of axioms alone.
    pub fn of_axioms(axioms: &[Term]) -> Cones {
        Cones::new(axioms, &[], std::iter::empty())
    }

    /// Beside the axioms there are some about arrays, each with the array that it is about. `candidates`: the constants that say
    /// whether these are kept, in order.
    pub fn new(axioms: &[Term], arrays: &[(Term, Term)], candidates: impl Iterator<Item = Term>) -> Cones {
        let mut definitions: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut others = vec![];
        let mut known = FxHashSet::default();
        let mut axioms: Vec<&Term> = axioms.iter().filter(|axiom| known.insert(*axiom)).collect();
        for (i, axiom) in axioms.iter().enumerate() {
            let names = defined(axiom);
            if names.is_empty() {
                others.push(i);
            }
            names.into_iter().for_each(|name| definitions.entry(name.clone()).or_default().push(i));
        }
        for (array, axiom) in arrays {
            definitions.entry(array.clone()).or_default().push(axioms.len());
            axioms.push(axiom);
        }
        Cones {
            axioms: axioms.into_iter().map(|axiom| (axiom.clone(), symbols(axiom), cost(axiom))).collect(),
            definitions,
            others,
            candidates: candidates.zip(0..).collect(),
        }
    }

    /// What concerns the formulas.
    pub fn of<'t>(&self, formulas: impl Iterator<Item = &'t Term>) -> Cone<'_> {
        let mut pending: Vec<Term> = formulas.flat_map(symbols).collect();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let (mut axioms, mut candidates) = (BTreeSet::new(), vec![]);
        while let Some(constant) = pending.pop() {
            if !seen.insert(constant.clone()) {
                continue;
            }
            candidates.extend(self.candidates.get(&constant));
            for i in self.definitions.get(&constant).into_iter().flatten() {
                if axioms.insert(*i) {
                    pending.extend(self.axioms[*i].1.iter().cloned());
                }
            }
        }
        let about = |i: &&usize| self.axioms[**i].1.iter().all(|c| seen.contains(c));
        axioms.extend(self.others.iter().filter(about));
        candidates.sort_unstable();
        let cost = axioms.iter().map(|i| self.axioms[*i].2).sum();
        Cone { axioms: axioms.into_iter().map(|i| &self.axioms[i].0).collect(), candidates, cost }
    }
}

impl Cones {
    /// The axioms that concern the formulas: those that define something, and the others if these are wanted.
    pub fn about<'t>(&self, formulas: impl Iterator<Item = &'t Term>, others: bool) -> Vec<&Term> {
        let mut axioms = self.of(formulas).axioms;
        axioms.retain(|axiom| others || !defined(axiom).is_empty());
        axioms
    }
}

/// The names that an axiom may define: truth values that it says to be equal to something, or not.
fn defined(axiom: &Term) -> Vec<&Term> {
    match (axiom.op(), axiom.args()) {
        (Op::Not, [inner]) if *inner.op() == Op::Equal => defined(inner),
        (Op::Equal, sides) => sides.iter().filter(|t| t.is_constant() && *t.sort() == Sort::Bool).collect(),
        _ => vec![],
    }
}

/// The constants of a term, and its applications of functions to numerals, once each.
fn symbols(term: &Term) -> Vec<Term> {
    let mut seen: FxHashSet<&Term> = FxHashSet::default();
    let mut pending = vec![term];
    let mut out = vec![];
    while let Some(t) = pending.pop() {
        if t.is_literal() || !seen.insert(t) {
            continue;
        }
        let is_known = matches!(t.op(), Op::Apply(_)) && t.args().iter().all(Term::is_literal);
        if t.is_constant() || is_known {
            out.push(t.clone());
        }
        pending.extend(t.args());
    }
    out
}

/// About how many gates the term becomes: products and quotients of bit-vectors are as many as their width squared.
fn cost(term: &Term) -> u64 {
    let mut seen: FxHashSet<&Term> = FxHashSet::default();
    let mut pending = vec![term];
    let mut out = 0;
    while let Some(t) = pending.pop() {
        if t.is_literal() || !seen.insert(t) {
            continue;
        }
        let width = t.args().iter().chain([t]).map(width).max().unwrap_or(1);
        out += match t.op() {
            Op::BvMul if t.args().iter().any(Term::is_literal) => width * width / 2,
            Op::BvMul | Op::BvShl | Op::BvLshr | Op::BvAshr => width * width,
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => 3 * width * width,
            _ => width,
        };
        pending.extend(t.args());
    }
    out
}

fn width(term: &Term) -> u64 {
    if let Sort::BitVec(width) = term.sort() { u64::from(*width) } else { 1 }
}
