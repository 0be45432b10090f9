//! Cycles of the reduced product: where all threads are explored, so that none is postponed for ever.
//!
//! At most states only the transitions of one thread are explored, since they do not interfere with the others.
//! On a cycle of such states the others would never move. So each cycle needs a state at which all threads are
//! explored (the proviso of [God96]): of the states on a cycle without one, some are *opened*, until there is
//! no such cycle. A loop that ends after a known number of iterations makes no cycle.

use super::build::Build;
use super::explore::{Explored, Whose};
use ir::components as graph;
use std::collections::BTreeMap;

impl Build {
    /// States on cycles at none of which all threads are explored, at least one on each cycle on which they
    /// could move. A cycle that does not leave an atomic section has none: no other thread can move there in
    /// any case.
    pub(super) fn closed(&self, found: &Explored) -> Vec<usize> {
        let mut out = vec![vec![]; found.moments.len()];
        let mut loops = vec![false; found.moments.len()];
        for (from, to) in found.runs.iter().map(|(from, to)| (*from as usize, *to as usize)) {
            if found.whose[from] != Whose::All && found.whose[to] != Whose::All {
                out[from].push(to);
                loops[from] |= from == to;
            }
        }
        let components = graph::components(&out);
        let mut sizes = vec![0u32; found.moments.len()];
        components.iter().for_each(|c| sizes[*c] += 1);
        let mut on_cycles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (n, c) in components.iter().enumerate() {
            if found.whose[n] == Whose::One && (sizes[*c] > 1 || loops[n]) {
                on_cycles.entry(*c).or_default().push(n);
            }
        }
        on_cycles.into_values().flat_map(|moments| self.heads_of(found, moments)).collect()
    }

    /// The states among these at which threads are at loop heads; all of them where there are none.
    fn heads_of(&self, found: &Explored, moments: Vec<usize>) -> Vec<usize> {
        let is_head = |n: &usize| self.at_heads(&found.moments[*n]).next().is_some();
        let heads: Vec<usize> = moments.iter().copied().filter(is_head).collect();
        if heads.is_empty() { moments } else { heads }
    }
}
