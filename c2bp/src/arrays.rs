//! Memory maps taken out of a statement's formulas (Ackermann's reduction).
//!
//! A read of a map at an index becomes a constant of its own; two reads of one map are equal when their indices
//! are. The result has a model exactly when the original has one. It is easier for the prover, and it shows what
//! has nothing to do with each other: `p->a` and `p->b` share the pointer p, but neither value says anything about
//! the other.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Op, Sort, Term};
use std::collections::BTreeMap;

/// A map read at more places than this stays a map.
const MAX_READS: usize = 8;

/// Longest index that a constant is named by.
const MAX_NAME: usize = 120;

/// Whether the term mentions memory maps.
pub(crate) fn mentions_maps(term: &Term) -> bool {
    term.constants().iter().any(|c| matches!(c.sort(), Sort::Array(_)))
}

/// Replaces the reads in the terms; returns what must be assumed in addition, or `None` when there is nothing to
/// replace.
pub(crate) fn eliminate(terms: &mut [Term]) -> Option<Vec<Term>> {
    if !terms.iter().any(mentions_maps) {
        return None;
    }
    let mut expanded = FxHashMap::default();
    let looked_through: Vec<Term> = terms.iter().map(|t| look_through(t, &mut expanded)).collect();
    let (reads, kept) = reads(&looked_through);
    let mut names: FxHashMap<Term, Term> = FxHashMap::default();
    let mut groups: Vec<Vec<(Term, Term)>> = vec![];
    for (map, indices) in reads {
        if kept.contains(&map) || indices.len() > MAX_READS {
            continue;
        }
        let mut group = vec![];
        for (number, index) in indices.into_iter().enumerate() {
            let read = map.select(&index);
            let constant = Term::constant(&name(&map, &index, number), read.sort().clone());
            names.insert(read, constant.clone());
            group.push((index, constant));
        }
        groups.push(group);
    }
    if names.is_empty() {
        return None;
    }
    for (term, new) in terms.iter_mut().zip(looked_through) {
        *term = new.substitute(&names);
    }
    let mut facts = vec![];
    for group in groups {
        let group: Vec<(Term, Term)> = group.into_iter().map(|(i, c)| (i.substitute(&names), c)).collect();
        for (n, (i, a)) in group.iter().enumerate() {
            for (j, b) in &group[..n] {
                facts.push(i.equal(j).implies(&a.equal(b)));
            }
        }
    }
    facts.retain(|f| f.as_bool() != Some(true));
    Some(facts)
}

fn name(map: &Term, index: &Term, number: usize) -> String {
    // The text of the index makes equal reads of different statements have one name.
    let text = if index.tree_size() < 40 { index.to_string() } else { String::new() };
    if text.is_empty() || text.len() > MAX_NAME {
        format!("{map}@{number}")
    } else {
        format!("{map}[{text}]")
    }
}

/// The term with reads of written maps as case distinctions.
fn look_through(term: &Term, done: &mut FxHashMap<Term, Term>) -> Term {
    let mut pending = vec![(term.clone(), false)];
    while let Some((t, ready)) = pending.pop() {
        if done.contains_key(&t) {
            continue;
        }
        if !ready {
            pending.push((t.clone(), true));
            pending.extend(t.args().iter().map(|a| (a.clone(), false)));
            continue;
        }
        let args: Vec<Term> = t.args().iter().map(|a| done[a].clone()).collect();
        let result = match (t.op(), args.as_slice()) {
            (Op::Select, [map, index]) => read(map, index),
            _ if args == t.args() => t.clone(),
            _ => t.with_args(&args),
        };
        done.insert(t, result);
    }
    done[term].clone()
}

fn read(map: &Term, index: &Term) -> Term {
    let mut writes = vec![];
    let mut map = map.clone();
    while let (Op::Store, [below, at, value]) = (map.op(), map.args()) {
        writes.push((at.equal(index), value.clone()));
        map = below.clone();
    }
    let bottom = map.select(index);
    writes.into_iter().rev().fold(bottom, |rest, (here, value)| Term::ite(&here, &value, &rest))
}

/// The indices at which each constant map is read, in order of occurrence, and the maps that occur otherwise.
fn reads(terms: &[Term]) -> (BTreeMap<Term, Vec<Term>>, FxHashSet<Term>) {
    let mut reads: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
    let mut kept = FxHashSet::default();
    let mut seen = FxHashSet::default();
    for term in terms {
        let mut pending = vec![term];
        while let Some(t) = pending.pop() {
            if !seen.insert(t.clone()) {
                continue;
            }
            let mut args = t.args();
            if let (Op::Select, [map, index]) = (t.op(), args)
                && map.is_constant()
            {
                let indices = reads.entry(map.clone()).or_default();
                if !indices.contains(index) {
                    indices.push(index.clone());
                }
                args = &args[1..];
            }
            if t.is_constant() && matches!(t.sort(), Sort::Array(_)) {
                kept.insert(t.clone());
            }
            pending.extend(args.iter().rev());
        }
    }
    (reads, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn reads_become_constants() {
        let ints = Sort::array(Sort::Int, Sort::Int);
        let (m, k) = (Term::constant("m", ints.clone()), Term::constant("k", ints));
        let (p, q) = (Term::constant("p", Sort::Int), Term::constant("q", Sort::Int));
        let zero = Term::int(0);
        let four = Term::int(4);
        let mut terms = vec![
            k.select(&p).equal(&zero),
            m.select(&p).equal(&zero),
            m.store(&q, &four).select(&p).int_le(&m.select(&q.int_add(&four))),
            m.select(&m.select(&p)).equal(&four),
        ];
        let facts = eliminate(&mut terms).expect("there are maps");
        let text: Vec<String> = terms.iter().chain(&facts).map(Term::to_string).collect();
        expect![[r#"
            (= |k[p]| 0)
            (= |m[p]| 0)
            (not (<= (+ |m[(+ q 4)]| (* (- 1) (ite (= p q) 4 |m[p]|))) (- 1)))
            (= |m[(select m p)]| 4)
            (or (not (= (+ p (* (- 1) q)) 4)) (= |m[(+ q 4)]| |m[p]|))
            (or (not (= |m[p]| p)) (= |m[(select m p)]| |m[p]|))
            (or (not (= (+ |m[p]| (* (- 1) q)) 4)) (= |m[(+ q 4)]| |m[(select m p)]|))"#]]
        .assert_eq(&text.join("\n"));
    }
}
