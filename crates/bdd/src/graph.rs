//! Diagrams as plain data, for clients that store them or work on them by themselves.

use crate::Var;

/// A node other than a constant. Children are numbers: 0 and 1 are the constants, `k + 2` is the `k`-th node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    /// Its variable.
    pub var: Var,
    /// The child when it is false.
    pub low: usize,
    /// The child when it is true.
    pub high: usize,
}

/// A diagram: nodes, each behind its children, and the number of the root, as in [`Node`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The nodes other than constants.
    pub nodes: Vec<Node>,
    /// The root.
    pub root: usize,
}

impl Graph {
    /// The value under a valuation.
    pub fn value(&self, valuation: impl Fn(Var) -> bool) -> bool {
        let mut at = self.root;
        while let Some(node) = at.checked_sub(2).and_then(|k| self.nodes.get(k)) {
            at = if valuation(node.var) { node.high } else { node.low };
        }
        at == 1
    }
}
