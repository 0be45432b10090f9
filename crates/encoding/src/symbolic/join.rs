//! The join of two symbolic states at a location: differing values become `if` the first `then` … `else` ….

use crate::symbolic::path_state::PathState;
use crate::{SideConditions, State};
use alias::{CellId, CellKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Op, Term};
use std::collections::{BTreeMap, BTreeSet};

impl PathState<'_> {
    /// The state that is this one where `first` holds, and the other one elsewhere. Both are in the same activation.
    pub fn join(&mut self, other: &mut Self, first: &Term, facts: &mut SideConditions) {
        for cell in self.changed(other) {
            let CellKind::Scalar { ty, .. } = self.oracle.cell_kind(cell).clone() else {
                panic!("only scalar cells are set directly");
            };
            let (a, b) = (self.scalar(cell, &ty, facts), other.scalar(cell, &ty, facts));
            if a != b {
                self.set_scalar(cell, Term::ite(first, &a, &b));
            }
        }
        let maps: BTreeSet<CellId> = self.maps.keys().chain(other.maps.keys()).copied().collect();
        let maps = maps.into_iter().chain(differing(&self.versions, &other.versions));
        for cell in maps.collect::<BTreeSet<_>>() {
            let CellKind::Map { ty } = self.oracle.cell_kind(cell).clone() else { continue };
            let (a, b) = (self.map(cell, &ty, facts), other.map(cell, &ty, facts));
            if a != b {
                self.maps.insert(cell, joined(first, &a, &b));
            }
        }
        self.join_opaque(other, first, facts);
        self.lost_block |= other.lost_block;
    }

    /// Scalar cells that may have different values in two states in the same activation.
    fn changed(&self, other: &Self) -> BTreeSet<CellId> {
        let tables = [(&self.globals, &other.globals), (&self.top().scalars, &other.top().scalars)];
        let mut out = BTreeSet::new();
        for (a, b) in tables {
            let keys = a.keys().chain(b.keys());
            out.extend(keys.filter(|cell| a.get(cell) != b.get(cell)).copied());
        }
        let versions = differing(&self.versions, &other.versions)
            .chain(differing(&self.top().versions, &other.top().versions));
        out.extend(versions.filter(|cell| matches!(self.oracle.cell_kind(*cell), CellKind::Scalar { .. })));
        out
    }
}

fn differing<'t>(
    a: &'t FxHashMap<CellId, usize>,
    b: &'t FxHashMap<CellId, usize>,
) -> impl Iterator<Item = CellId> + 't {
    a.keys().chain(b.keys()).filter(|cell| a.get(cell) != b.get(cell)).copied()
}

/// At most this many writes are followed to join two arrays element by element.
const WRITES: usize = 2_000;

/// The array that is one or the other; element by element where both come from one array by writes to known indices.
fn joined(first: &Term, a: &Term, b: &Term) -> Term {
    let chain: Vec<&Term> = chain(a).collect();
    let places: FxHashSet<&Term> = chain.iter().copied().collect();
    let whole = || Term::ite(first, a, b);
    let Some(common) = self::chain(b).find(|array| places.contains(array)) else { return whole() };
    let (Some(writes), Some(others)) = (written(a, common), written(b, common)) else { return whole() };
    let indices: BTreeSet<&Term> = writes.keys().chain(others.keys()).copied().collect();
    indices.into_iter().fold(common.clone(), |array, index| {
        let value = |writes: &BTreeMap<&Term, &Term>| {
            writes.get(index).map_or_else(|| common.select(index), |value| (*value).clone())
        };
        array.store(index, &Term::ite(first, &value(&writes), &value(&others)))
    })
}

/// The array, the one of which it is made by its last write, and so on.
fn chain(array: &Term) -> impl Iterator<Item = &Term> {
    std::iter::successors(Some(array), |array| before(array)).take(WRITES)
}

fn before(array: &Term) -> Option<&Term> {
    if let (Op::Store, [rest, ..]) = (array.op(), array.args()) { Some(rest) } else { None }
}

/// What was written to an array since it was another one, by index; `None` where an index is not a literal.
fn written<'t>(array: &'t Term, since: &Term) -> Option<BTreeMap<&'t Term, &'t Term>> {
    let mut out = BTreeMap::new();
    for array in chain(array).take_while(|array| *array != since) {
        let [_, index, value] = array.args() else { return None };
        if !index.is_literal() {
            return None;
        }
        out.entry(index).or_insert(value);
    }
    Some(out)
}

/// The array with an element replaced, without the write that it replaces where that is easily found.
pub fn rewritten(array: &Term, index: &Term, value: &Term) -> Term {
    if !index.is_literal() {
        return array.store(index, value);
    }
    let mut kept = vec![];
    for place in chain(array) {
        let (Op::Store, [rest, at, element]) = (place.op(), place.args()) else { break };
        if at == index {
            let below = kept
                .into_iter()
                .rev()
                .fold(rest.clone(), |array: Term, (at, element): (&Term, &Term)| array.store(at, element));
            return below.store(index, value);
        }
        if !at.is_literal() {
            break;
        }
        kept.push((at, element));
    }
    array.store(index, value)
}
