//! The shape of a procedure's control flow: which locations are loops' heads, where branches meet again, and what lies
//! behind what. The structured text follows from it (\[Ramsey22\]: the dominator tree is the nesting).

use base::{Id, IndexVec};
use ir::{EdgeId, LocId, Proc};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;

/// The control flow of a procedure, as far as the entry reaches.
pub(crate) struct Layout<'a> {
    proc: &'a Proc,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    /// Positions in reverse post order; `None` for locations that are not reached.
    order: IndexVec<LocId, Option<usize>>,
    /// The locations that are joined by edges from several places (back edges left out) and that the location
    /// dominates directly, in reverse post order.
    joins: IndexVec<LocId, Vec<LocId>>,
    is_join: IndexVec<LocId, bool>,
    /// The locations of each loop, by its head; empty where no loop starts.
    loops: IndexVec<LocId, BTreeSet<LocId>>,
}

impl<'a> Layout<'a> {
    /// Looks at the procedure.
    pub(crate) fn new(proc: &'a Proc) -> Layout<'a> {
        let successors = proc.successors();
        let locations = proc.locations.len();
        let mut layout = Layout {
            proc,
            successors,
            order: IndexVec::from_elem(None, locations),
            joins: IndexVec::from_elem(vec![], locations),
            is_join: IndexVec::from_elem(false, locations),
            loops: IndexVec::from_elem(BTreeSet::new(), locations),
        };
        let reached = proc.reverse_post_order(&layout.successors);
        for (position, l) in reached.iter().enumerate() {
            layout.order[*l] = Some(position);
        }
        layout.find_joins(&reached);
        layout
    }

    /// The edges that are taken from a location, in order: none from the exit.
    pub(crate) fn leaving(&self, l: LocId) -> &[EdgeId] {
        leaving(self.proc, &self.successors, l)
    }

    /// The joins that belong directly behind the location.
    pub(crate) fn joins_behind(&self, l: LocId) -> &[LocId] {
        &self.joins[l]
    }

    /// Whether control that goes to the location must jump there, unless it stands next in the text: it is a join, or
    /// the head of a loop that `from` is in.
    pub(crate) fn is_target(&self, from: LocId, to: LocId) -> bool {
        self.is_join[to] || self.loops[to].contains(&from)
    }

    /// The edge into the body and the one that leaves, when the location is the head of a loop that ends there.
    pub(crate) fn while_edges(&self, l: LocId) -> Option<(EdgeId, EdgeId)> {
        let [a, b] = self.leaving(l) else { return None };
        let inside = |e: &EdgeId| self.in_loop(l, self.proc.edges[*e].dst);
        match (inside(a), inside(b)) {
            (true, false) => Some((*a, *b)),
            (false, true) => Some((*b, *a)),
            _ => None,
        }
    }

    /// Whether the location is in the loop of this head.
    pub(crate) fn in_loop(&self, head: LocId, l: LocId) -> bool {
        self.loops[head].contains(&l)
    }

    fn find_joins(&mut self, reached: &[LocId]) {
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(self.proc.locations.len(), 0);
        self.proc.locations.ids().for_each(|_| _ = graph.add_node(()));
        let node = |l: LocId| NodeIndex::new(l.index());
        let mut incoming: IndexVec<LocId, Vec<LocId>> =
            IndexVec::from_elem(vec![], self.proc.locations.len());
        for l in reached {
            for e in self.leaving(*l) {
                let dst = self.proc.edges[*e].dst;
                graph.add_edge(node(*l), node(dst), ());
                incoming[dst].push(*l);
            }
        }
        let tree = simple_fast(&graph, node(self.proc.entry));
        let dominates = |above: LocId, below: LocId| {
            tree.dominators(node(below)).is_some_and(|mut all| all.any(|n| n == node(above)))
        };
        for l in reached {
            // Only an edge against the order can close a loop.
            let (back, forward): (Vec<LocId>, Vec<LocId>) = incoming[*l]
                .iter()
                .partition(|from| self.order[*l] <= self.order[**from] && dominates(*l, **from));
            self.is_join[*l] = 1 < forward.len();
            if !back.is_empty() {
                self.loops[*l] = natural_loop(*l, back, &incoming);
            }
            if self.is_join[*l]
                && let Some(above) = tree.immediate_dominator(node(*l))
            {
                self.joins[LocId::from_index(above.index())].push(*l);
            }
        }
    }
}

/// The edges that executions can take, grouped by location.
pub(crate) fn edges(proc: &Proc) -> Vec<EdgeId> {
    let successors = proc.successors();
    let mut reached = proc.reverse_post_order(&successors);
    reached.sort_unstable();
    reached.into_iter().flat_map(|l| leaving(proc, &successors, l)).copied().collect()
}

fn leaving<'a>(proc: &Proc, successors: &'a IndexVec<LocId, Vec<EdgeId>>, l: LocId) -> &'a [EdgeId] {
    if l == proc.exit { &[] } else { &successors[l] }
}

/// The locations from which the ends of the back edges are reached without passing the head.
fn natural_loop(head: LocId, back: Vec<LocId>, incoming: &IndexVec<LocId, Vec<LocId>>) -> BTreeSet<LocId> {
    let mut inside = BTreeSet::from([head]);
    let mut pending = back;
    while let Some(l) = pending.pop() {
        if inside.insert(l) {
            pending.extend(&incoming[l]);
        }
    }
    inside
}
