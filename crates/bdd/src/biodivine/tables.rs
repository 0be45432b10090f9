//! Interned diagrams and remembered results.

use super::stop::{op_and, op_or};
use super::{Biodivine, Diagram, Inner, Key, Operation, SMALL};
use crate::{Var, VarSet};
use biodivine_lib_bdd::{Bdd, BddVariable};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The tables are emptied when the interned diagrams have this many nodes together (twelve bytes each).
const TABLE_NODES: usize = 16 << 20;
/// The tables are emptied when this many results are remembered.
const TABLE_RESULTS: usize = 4 << 20;

impl Biodivine<'_> {
    /// The diagram's handle: the one it has already when it is small and known.
    pub(super) fn intern(&mut self, bdd: Bdd) -> Diagram {
        self.nodes_made += bdd.size() as u64;
        if bdd.is_false() {
            return self.zero.clone();
        }
        if bdd.is_true() {
            return self.one.clone();
        }
        let small = bdd.size() <= SMALL;
        let hash = if small { hash_of(&bdd) } else { 0 };
        if small
            && let Some(known) = self.interned.get(&hash)
            && let Some(diagram) = known.iter().find(|d| *d.bdd() == bdd)
        {
            return diagram.clone();
        }
        let size = bdd.size();
        let diagram = Diagram(Rc::new(Inner { id: self.next_id, bdd }));
        self.next_id += 1;
        if small && !self.stop.seen.get() {
            self.interned_nodes += size;
            if self.interned_nodes > TABLE_NODES {
                self.empty_tables();
                self.interned_nodes = size;
            }
            self.interned.entry(hash).or_default().push(diagram.clone());
        }
        diagram
    }

    /// The remembered result, or the one `compute` gives. Without a key nothing is remembered.
    pub(super) fn remember(&mut self, key: Option<Key>, compute: impl FnOnce(&Self) -> Bdd) -> Diagram {
        if let Some(result) = key.and_then(|key| self.results.get(&key)) {
            return result.clone();
        }
        if self.stop.look() {
            return self.zero.clone();
        }
        let bdd = compute(self);
        let result = self.intern(bdd);
        if let Some(key) = key
            && !self.stop.seen.get()
        {
            if self.results.len() >= TABLE_RESULTS {
                self.empty_tables();
            }
            self.results.insert(key, result.clone());
        }
        result
    }

    /// Forgets diagrams that are not referenced; the others keep their ids.
    pub(super) fn empty_tables(&mut self) {
        self.interned.clear();
        self.results.clear();
        self.cube_ids.clear();
        self.interned_nodes = 0;
    }

    /// A number for these values: never one that other values have had.
    pub(super) fn cube_id(&mut self, values: &[(Var, bool)]) -> u64 {
        if let Some(known) = self.cube_ids.get(values) {
            return *known;
        }
        self.interned_nodes += values.len();
        if self.interned_nodes > TABLE_NODES {
            self.empty_tables();
        }
        let id = self.next_id;
        self.next_id += 1;
        self.cube_ids.insert(values.to_vec(), id);
        id
    }

    pub(super) fn commutative(
        &mut self,
        operation: Operation,
        f: &Diagram,
        g: &Diagram,
        op: fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Diagram {
        let (f, g) = if f.0.id <= g.0.id { (f, g) } else { (g, f) };
        self.remember(key(operation, f, g), |e| Bdd::binary_op(f.bdd(), g.bdd(), e.stop.guard(op)))
    }

    pub(super) fn product(&self, f: &Diagram, g: &Diagram, set: VarSet) -> Bdd {
        let chosen = &self.sets[set.0 as usize];
        let trigger = |var: BddVariable| chosen[var.to_index()];
        Bdd::binary_op_nested(f.bdd(), g.bdd(), trigger, self.stop.guard(op_and), self.stop.guard(op_or))
    }
}

/// The key of a cached result, if it is cached.
pub(super) fn key(operation: Operation, f: &Diagram, g: &Diagram) -> Option<Key> {
    (f.small() && g.small()).then_some((operation, f.0.id, g.0.id))
}

fn hash_of(bdd: &Bdd) -> u64 {
    let mut hasher = FxHasher::default();
    bdd.hash(&mut hasher);
    hasher.finish()
}
