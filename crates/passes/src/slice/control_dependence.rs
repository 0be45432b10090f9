//! Which branches of a procedure decide whether an execution reaches a location: control dependence \[FOW87\],
//! by post-dominators \[CHK01\].
//!
//! A branch whose outcomes all lead to one location, terminating loops included, can be replaced by one of its
//! edges. A location from which nothing leads to the procedure's exit is an end of its own, so that a branch
//! that leads there controls everything behind it.

use base::{Id, IndexVec};
use ir::expr::Expr;
use ir::program::{Edge, EdgeId, LocId, Op, Proc};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;

/// Control dependences in a procedure.
pub(super) struct Control {
    /// For each location its nearest proper post-dominator; the number of locations stands for the end.
    /// Locations that are unreachable from the entry have none.
    after: Vec<usize>,
    /// The locations from the ends backwards: each behind the one that stands for it in `after`.
    order: Vec<LocId>,
    /// The locations with several edges that can be taken, and those on cycles without a way out where executions end.
    branches: Vec<LocId>,
    /// For each location the edges that can be taken there.
    pub(super) next: IndexVec<LocId, Vec<EdgeId>>,
    /// For each edge whether it is an assumption at a location where an execution may find no edge that it can take.
    pub(super) blocks: IndexVec<EdgeId, bool>,
    /// The edges that exclude the further labels of a `switch` on the way to its default, with its location.
    pub(super) switches: BTreeMap<EdgeId, LocId>,
    /// For each location the edge that leads to an end by the fewest steps.
    pub(super) way_on: IndexVec<LocId, Option<EdgeId>>,
    /// Whether executions can reach a location from which nothing leads to the exit.
    pub(super) may_stay: bool,
}

impl Control {
    /// Analyses a procedure with a body.
    pub(super) fn new(proc: &Proc) -> Control {
        let next = next(proc);
        let reached = reached(proc, &next);
        let (to_end, may_stay) = ends(proc, &next, &reached);
        let (order, way_on) = backwards(proc, &next, &to_end);
        let order: Vec<LocId> = order.into_iter().filter(|l| reached[*l]).collect();
        let after = post_dominators(proc, &next, &reached, &to_end);
        let goes_on = |l: &LocId| reached[*l] && next[*l].len() + usize::from(to_end[*l]) > 1;
        let branches = next.ids().filter(goes_on).collect();
        let (blocks, switches) = blocks(proc, &next);
        Control { after, order, branches, blocks, switches, next, way_on, may_stay }
    }

    /// Whether the entry leads to the location.
    pub(super) fn is_reached(&self, l: LocId) -> bool {
        self.after[l.index()] != UNSEEN
    }

    /// Adds to the locations that matter the branches that decide about them. True when there are new ones.
    pub(super) fn close(&self, proc: &Proc, matters: &mut IndexVec<LocId, bool>) -> bool {
        let mut found = false;
        loop {
            let depths = self.depths(matters);
            let mut changed = false;
            for l in self.branches.iter().copied() {
                let decides = |e: &EdgeId| {
                    let (_, nearest) = depths[proc.edges[*e].dst.index()];
                    nearest > depths[self.after[l.index()]].0
                };
                if !matters[l] && self.next[l].iter().any(decides) {
                    matters[l] = true;
                    changed = true;
                }
            }
            if !changed {
                return found;
            }
            found = true;
        }
    }

    /// For each location and the end: how many locations post-dominate it, and the same for the first of them
    /// that matters, itself included; 0 when there is none.
    fn depths(&self, matters: &IndexVec<LocId, bool>) -> Vec<(u32, u32)> {
        let mut out = vec![(0, 0); self.after.len() + 1];
        out[self.after.len()] = (1, 0);
        for l in self.order.iter().copied() {
            let (depth, nearest) = out[self.after[l.index()]];
            let own = depth + 1;
            out[l.index()] = (own, if matters[l] { own } else { nearest });
        }
        out
    }
}

/// No location.
const UNSEEN: usize = usize::MAX;

/// The outgoing edges but for those that are never taken. An impossible outcome of a condition stays where a
/// check may be behind it: evaluating the condition shows that the check is not skipped.
fn next(proc: &Proc) -> IndexVec<LocId, Vec<EdgeId>> {
    let mut next = proc.successors();
    let to_check = to_checks(proc);
    next.iter_mut().for_each(|edges| {
        let is_choice = edges.iter().any(|e| !proc.edges[*e].op.is_never());
        edges.retain(|e| !proc.edges[*e].op.is_never() || is_choice && to_check[proc.edges[*e].dst]);
    });
    next
}

/// The locations that lead to a check or a call.
fn to_checks(proc: &Proc) -> IndexVec<LocId, bool> {
    let before = proc.predecessors();
    let mut leads = IndexVec::from_elem(false, proc.locations.len());
    let ends = proc.edges.iter().filter(|edge| matches!(edge.op, Op::Check(..) | Op::Call { .. }));
    let mut pending: Vec<LocId> = ends.map(|edge| edge.src).collect();
    while let Some(l) = pending.pop() {
        if !std::mem::replace(&mut leads[l], true) {
            pending.extend(before[l].iter().map(|e| proc.edges[*e].src));
        }
    }
    leads
}

fn reached(proc: &Proc, next: &IndexVec<LocId, Vec<EdgeId>>) -> IndexVec<LocId, bool> {
    let mut reached = IndexVec::from_elem(false, proc.locations.len());
    let mut pending = vec![proc.entry];
    while let Some(l) = pending.pop() {
        if !std::mem::replace(&mut reached[l], true) {
            pending.extend(next[l].iter().map(|e| proc.edges[*e].dst));
        }
    }
    reached
}

/// The locations where an execution ends: the exit, those without edges, and one on each cycle that leads to neither. Whether
/// there are others than the exit.
fn ends(
    proc: &Proc,
    next: &IndexVec<LocId, Vec<EdgeId>>,
    reached: &IndexVec<LocId, bool>,
) -> (IndexVec<LocId, bool>, bool) {
    let before = proc.predecessors();
    let mut ends = IndexVec::from_elem(false, proc.locations.len());
    let mut leads = ends.clone();
    let end_at = |ends: &mut IndexVec<LocId, bool>, leads: &mut IndexVec<LocId, bool>, l: LocId| {
        ends[l] = true;
        leads[l] = true;
        let mut pending = vec![l];
        while let Some(l) = pending.pop() {
            for e in &before[l] {
                let src = proc.edges[*e].src;
                if next[src].contains(e) && !std::mem::replace(&mut leads[src], true) {
                    pending.push(src);
                }
            }
        }
    };
    let stops = |l: &LocId| reached[*l] && (*l == proc.exit || next[*l].is_empty());
    next.ids().filter(stops).for_each(|l| end_at(&mut ends, &mut leads, l));
    // Heads of loops first, inner ones before outer ones.
    let heads = next.ids().rev().filter(|l| proc.locations[*l].loop_head);
    for l in heads.chain(next.ids()).filter(|l| reached[*l]) {
        if !leads[l] {
            end_at(&mut ends, &mut leads, l);
        }
    }
    let may_stay = next.ids().any(|l| ends[l] && l != proc.exit);
    (ends, may_stay)
}

/// The locations from the ends backwards, and the first edges of ways there, by edges that are taken where there is such a way.
fn backwards(
    proc: &Proc,
    next: &IndexVec<LocId, Vec<EdgeId>>,
    to_end: &IndexVec<LocId, bool>,
) -> (Vec<LocId>, IndexVec<LocId, Option<EdgeId>>) {
    let before = proc.predecessors();
    let mut way_on = IndexVec::from_elem(None, proc.locations.len());
    let mut order: Vec<LocId> = next.ids().filter(|l| to_end[*l]).collect();
    let mut seen = to_end.clone();
    // By edges that are taken first.
    for is_taken in [true, false] {
        let mut at = 0;
        while let Some(l) = order.get(at).copied() {
            at += 1;
            for e in before[l].iter().copied() {
                let src = proc.edges[e].src;
                let goes = next[src].contains(&e) && !(is_taken && proc.edges[e].op.is_never());
                if goes && !std::mem::replace(&mut seen[src], true) {
                    way_on[src] = Some(e);
                    order.push(src);
                }
            }
        }
    }
    (order, way_on)
}

/// For each location its immediate post-dominator.
fn post_dominators(
    proc: &Proc,
    next: &IndexVec<LocId, Vec<EdgeId>>,
    reached: &IndexVec<LocId, bool>,
    to_end: &IndexVec<LocId, bool>,
) -> Vec<usize> {
    let end = proc.locations.len();
    let mut graph: DiGraph<(), (), usize> = DiGraph::default();
    (0..=end).for_each(|_| _ = graph.add_node(()));
    let node = NodeIndex::new;
    for l in next.ids().filter(|l| reached[*l]) {
        if to_end[l] {
            graph.add_edge(node(end), node(l.index()), ());
        }
        for e in &next[l] {
            graph.add_edge(node(proc.edges[*e].dst.index()), node(l.index()), ());
        }
    }
    let found = simple_fast(&graph, node(end));
    (0..end).map(|l| found.immediate_dominator(node(l)).map_or(UNSEEN, NodeIndex::index)).collect()
}

/// Computes [`Control::blocks`] and [`Control::switches`].
fn blocks(
    proc: &Proc,
    next: &IndexVec<LocId, Vec<EdgeId>>,
) -> (IndexVec<EdgeId, bool>, BTreeMap<EdgeId, LocId>) {
    let is_open = |edge: &Edge| matches!(&edge.op, Op::Assume(c) if c.as_const().is_none());
    let mut blocks: IndexVec<EdgeId, bool> = proc.edges.iter().map(is_open).collect();
    let mut switches = BTreeMap::new();
    let before = proc.predecessors();
    for (l, edges) in next.iter_enumerated() {
        let edges: Vec<EdgeId> = edges.iter().copied().filter(|e| !proc.edges[*e].op.is_never()).collect();
        if edges.iter().any(|e| !is_open(&proc.edges[*e])) || is_two_sided(proc, &edges) {
            edges.iter().for_each(|e| blocks[*e] = false);
        } else if let Some(chain) = default_of(proc, next, &before, &edges) {
            edges.iter().chain(&chain).for_each(|e| blocks[*e] = false);
            switches.extend(chain.into_iter().map(|e| (e, l)));
        }
    }
    (blocks, switches)
}

fn condition(proc: &Proc, e: EdgeId) -> Option<&Expr> {
    if let Op::Assume(c) = &proc.edges[e].op { Some(c) } else { None }
}

fn negate_each_other(proc: &Proc, a: EdgeId, b: EdgeId) -> bool {
    matches!((condition(proc, a), condition(proc, b)), (Some(x), Some(y)) if x.is_opposite_of(y))
}

fn is_two_sided(proc: &Proc, edges: &[EdgeId]) -> bool {
    matches!(edges, [a, b] if negate_each_other(proc, *a, *b))
}

/// The edges behind the last one that exclude the labels of a `switch` one after the other, if these are such.
fn default_of(
    proc: &Proc,
    next: &IndexVec<LocId, Vec<EdgeId>>,
    before: &IndexVec<LocId, Vec<EdgeId>>,
    edges: &[EdgeId],
) -> Option<Vec<EdgeId>> {
    let (last, labels) = edges.split_last()?;
    let (first, others) = labels.split_first()?;
    if !negate_each_other(proc, *first, *last) {
        return None;
    }
    let (mut chain, mut at) = (vec![], *last);
    for label in others {
        let l = proc.edges[at].dst;
        let ([link], [_]) = (&next[l][..], &before[l][..]) else { return None };
        if !negate_each_other(proc, *label, *link) {
            return None;
        }
        chain.push(*link);
        at = *link;
    }
    Some(chain)
}
