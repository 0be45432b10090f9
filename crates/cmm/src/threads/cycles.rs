//! Where all threads get their turns, so that none is passed over for ever.
//!
//! At most moments only one thread's turns are looked at, as they do not matter to the others. On a cycle of such moments the
//! others would never get theirs. So each cycle is to have a moment at which all get them [God96]: of those moments that are on a cycle without
//! one, some are *opened*, until there is no such cycle. A loop that ends after a known number of rounds makes no cycle.

use super::build::Build;
use super::explore::{Explored, Whose};
use crate::analysis::graph;
use std::collections::BTreeMap;

impl Build {
    /// Moments on cycles at none of which all threads get their turns, at least one on each cycle on which they could. A cycle
    /// that does not leave an atomic section has none: nobody else has a turn there in any case.
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

    /// Those of the moments at which threads are at heads of their loops; all where there are none.
    fn heads_of(&self, found: &Explored, moments: Vec<usize>) -> Vec<usize> {
        let is_head = |n: &usize| self.at_heads(&found.moments[*n]).next().is_some();
        let heads: Vec<usize> = moments.iter().copied().filter(is_head).collect();
        if heads.is_empty() { moments } else { heads }
    }
}
