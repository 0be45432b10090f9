//! The thread of each edge, in programs that were made from ones with threads.

use super::{EdgeId, ProcId};
use std::collections::BTreeMap;

/// A step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The number of the thread, from 1.
    pub thread: u32,
    /// The procedure of the source that it executes.
    pub proc: ProcId,
}

/// The thread of each edge: for reports, and not a part of the program's semantics, so that all are equal.
#[derive(Clone, Default, Debug)]
pub struct Turns(BTreeMap<(ProcId, EdgeId), Turn>);

impl Turns {
    /// The steps of edges.
    pub fn new(turns: BTreeMap<(ProcId, EdgeId), Turn>) -> Turns {
        Turns(turns)
    }

    /// The step of the edge; `None` in programs without threads.
    pub fn get(&self, edge: (ProcId, EdgeId)) -> Option<Turn> {
        self.0.get(&edge).copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for Turns {
    fn eq(&self, _: &Turns) -> bool {
        true
    }
}

impl Eq for Turns {}
