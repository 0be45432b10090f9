//! A value in parts, by key: each a layered union, and what of it is new.

use super::Key;
use crate::ir::NodeId;
use bdd::{Engine, Layer, LayeredUnion};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What was made of a diagram for applications in conjunctions.
pub(super) type Made<B> = FxHashMap<(NodeId, NodeId), B>;

struct Part<B> {
    key: Key,
    rank: u32,
    value: LayeredUnion<B, Made<B>>,
    fresh: B,
    queued: bool,
}

/// The parts in the order in which they were found.
pub(super) struct Parts<B> {
    parts: Vec<Part<B>>,
    index: FxHashMap<Key, usize>,
    /// For each position in keys, the parts with a value there.
    with: Vec<FxHashMap<u32, Vec<usize>>>,
    queue: BinaryHeap<Reverse<(u32, usize)>>,
    zero: B,
    /// Nodes of all diagrams.
    pub(super) nodes: usize,
}

impl<B: Clone> Parts<B> {
    pub(super) fn new<E: Engine<Bdd = B>>(engine: &E, keys: usize) -> Parts<B> {
        Parts {
            parts: vec![],
            index: FxHashMap::default(),
            with: vec![FxHashMap::default(); keys],
            queue: BinaryHeap::new(),
            zero: engine.constant(false),
            nodes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn key(&self, part: usize) -> &[u32] {
        &self.parts[part].key
    }

    pub(super) fn layers_mut(&mut self, part: usize) -> &mut [Layer<B, Made<B>>] {
        self.parts[part].value.layers_mut()
    }

    /// The diagrams of one part.
    pub(super) fn of(&self, part: usize) -> Vec<B> {
        self.parts[part].value.values().cloned().collect()
    }

    /// All diagrams.
    pub(super) fn values(&self) -> impl Iterator<Item = &B> {
        self.parts.iter().flat_map(|part| part.value.values())
    }

    /// The part that comes first of those with something new.
    pub(super) fn next(&mut self) -> Option<usize> {
        let Reverse((_, part)) = self.queue.pop()?;
        Some(part)
    }

    /// What is new in a part; from now on it is not.
    pub(super) fn take(&mut self, part: usize) -> B {
        self.parts[part].queued = false;
        std::mem::replace(&mut self.parts[part].fresh, self.zero.clone())
    }

    /// Adds tuples with this key; whether there are new ones among them.
    pub(super) fn add<E: Engine<Bdd = B>>(&mut self, engine: &mut E, key: Key, rank: u32, value: B) -> bool {
        let at = match self.index.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.parts.len();
                for (with, value) in self.with.iter_mut().zip(&key) {
                    with.entry(*value).or_default().push(at);
                }
                self.index.insert(key.clone(), at);
                let value = LayeredUnion::default();
                self.parts.push(Part { key, rank, value, fresh: self.zero.clone(), queued: false });
                at
            }
        };
        let part = &mut self.parts[at];
        let news = part.value.news(engine, &value);
        if engine.is_zero(&news) {
            return false;
        }
        part.fresh = engine.or(&part.fresh, &news);
        self.nodes -= part.value.nodes(engine);
        part.value.add(engine, &news, Made::default());
        self.nodes += part.value.nodes(engine);
        if !std::mem::replace(&mut part.queued, true) {
            self.queue.push(Reverse((part.rank, at)));
        }
        true
    }

    /// The parts whose keys have the values of one of the rows at these positions; all, when no rows are given.
    pub(super) fn fitting(&self, at: &[usize], rows: Option<&[Key]>) -> Vec<usize> {
        let (Some(rows), Some(first)) = (rows, at.first()) else { return (0..self.parts.len()).collect() };
        let mut out = vec![];
        for row in rows {
            let candidates = self.with[*first].get(&row[0]).map_or(&[][..], Vec::as_slice);
            let fits = |part: &&usize| at.iter().zip(row).all(|(i, v)| self.parts[**part].key[*i] == *v);
            out.extend(candidates.iter().filter(fits));
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}
