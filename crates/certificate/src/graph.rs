//! Decision graphs: nodes that several sets share.
//!
//! Invariant: children stand before their parents and test later literals, so that there are no cycles and that two
//! graphs can be walked side by side.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::Term;
use std::collections::{BTreeMap, BTreeSet};

/// The number of the constant "no state".
pub(crate) const FALSE: usize = 0;
/// The number of the constant "any state".
pub(crate) const TRUE: usize = 1;

/// A node. Children are numbers: 0 is false, 1 is true, `k + 2` is the `k`-th node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    /// The literal that is asked, by its number.
    pub literal: usize,
    /// Where to go on when it does not hold.
    pub low: usize,
    /// Where to go on when it holds.
    pub high: usize,
}

/// Nodes, no two alike.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Nodes {
    list: Vec<Node>,
    numbers: FxHashMap<Node, usize>,
}

/// Pairs of nodes that are examined before an implication is left to the prover.
const PAIRS: usize = 100_000;

impl Nodes {
    /// The number of a node, which is made if there is none like it. `None` when it breaks the order: its children do
    /// not exist or ask literals that are not behind its own.
    pub fn add(&mut self, node: Node) -> Option<usize> {
        for child in [node.low, node.high] {
            let fits = match child {
                FALSE | TRUE => true,
                k => self.list.get(k - 2).is_some_and(|c| node.literal < c.literal),
            };
            if !fits {
                return None;
            }
        }
        if node.low == node.high {
            return Some(node.low);
        }
        let next = self.list.len() + 2;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.list.push(node);
        }
        Some(number)
    }

    /// All nodes in the order of their numbers, from 2.
    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn node(&self, number: usize) -> Option<&Node> {
        self.list.get(number.checked_sub(2)?)
    }

    /// The numbers of all nodes of a graph, children first.
    fn below(&self, root: usize) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let mut pending = vec![root];
        let mut out = vec![];
        while let Some(number) = pending.pop() {
            if let Some(node) = self.node(number)
                && seen.insert(number)
            {
                out.push(number);
                pending.extend([node.low, node.high]);
            }
        }
        out.sort_unstable();
        out
    }

    /// The literals that a graph asks.
    pub(crate) fn support(&self, root: usize) -> BTreeSet<usize> {
        self.below(root).into_iter().filter_map(|k| self.node(k)).map(|n| n.literal).collect()
    }

    /// The graph as a formula over formulas for its literals.
    pub(crate) fn formula(&self, root: usize, literals: &BTreeMap<usize, Term>) -> Term {
        let mut made: FxHashMap<usize, Term> = FxHashMap::default();
        made.insert(FALSE, Term::bool(false));
        made.insert(TRUE, Term::bool(true));
        for number in self.below(root) {
            let Some(node) = self.node(number) else { continue };
            let term = Term::ite(&literals[&node.literal], &made[&node.high], &made[&node.low]);
            made.insert(number, term);
        }
        made[&root].clone()
    }

    /// Whether every valuation in the first set is in the second; false also when that takes too long.
    pub(crate) fn implies(&self, from: usize, to: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![(from, to)];
        while let Some((a, b)) = pending.pop() {
            if a == FALSE || b == TRUE || a == b || !seen.insert((a, b)) {
                continue;
            }
            if seen.len() > PAIRS {
                return false;
            }
            let (x, y) = (self.node(a), self.node(b));
            let first = match (x, y) {
                (None, None) => return false,
                (Some(x), None) => x.literal,
                (None, Some(y)) => y.literal,
                (Some(x), Some(y)) => x.literal.min(y.literal),
            };
            let split = |number: usize, node: Option<&Node>| match node {
                Some(n) if n.literal == first => (n.low, n.high),
                _ => (number, number),
            };
            let ((a0, a1), (b0, b1)) = (split(a, x), split(b, y));
            pending.extend([(a0, b0), (a1, b1)]);
        }
        true
    }
}
