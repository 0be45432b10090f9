//! In which order locations are visited, and where loops are cut.

use alias::AliasOracle;
use base::IndexVec;
use ir::visit;
use ir::{EdgeId, Expr, LocId, ProcId, Program};
use std::collections::BTreeSet;

/// Most thresholds of a procedure.
const THRESHOLDS: usize = 80;

/// The graph of a procedure.
pub(crate) struct Order {
    pub(crate) successors: IndexVec<LocId, Vec<EdgeId>>,
    pub(crate) predecessors: IndexVec<LocId, Vec<EdgeId>>,
    /// Locations in reverse postorder.
    pub(crate) order: Vec<LocId>,
    /// For each location its place in that order.
    pub(crate) numbers: IndexVec<LocId, usize>,
    /// Locations such that each cycle has one of them.
    pub(crate) heads: BTreeSet<LocId>,
    /// Where bounds that grow stop first, sorted.
    pub(crate) thresholds: Vec<i128>,
}

impl Order {
    /// The graph of a procedure; where it calls itself, its entry and exit are on cycles too.
    pub(crate) fn new(program: &Program, p: ProcId, recursive: bool) -> Order {
        let proc = &program.procs[p];
        let successors = proc.successors();
        let mut out = Order {
            predecessors: proc.predecessors(),
            order: vec![],
            numbers: IndexVec::from_elem(usize::MAX, proc.locations.len()),
            heads: BTreeSet::new(),
            thresholds: thresholds(program, p),
            successors,
        };
        if !proc.has_body {
            return out;
        }
        if recursive {
            out.heads.extend([proc.entry, proc.exit]);
        }
        // Depth-first, without recursion; a location stays open until all behind it was seen.
        let mut open = IndexVec::from_elem(false, proc.locations.len());
        let mut seen = IndexVec::from_elem(false, proc.locations.len());
        let mut stack = vec![(proc.entry, 0)];
        (seen[proc.entry], open[proc.entry]) = (true, true);
        while let Some((at, next)) = stack.pop() {
            let Some(e) = out.successors[at].get(next) else {
                open[at] = false;
                out.order.push(at);
                continue;
            };
            stack.push((at, next + 1));
            let to = proc.edges[*e].dst;
            if open[to] {
                out.heads.insert(to);
            } else if !seen[to] {
                (seen[to], open[to]) = (true, true);
                stack.push((to, 0));
            }
        }
        out.order.reverse();
        for (i, at) in out.order.iter().enumerate() {
            out.numbers[*at] = i;
        }
        out
    }
}

/// The constants of a procedure and their neighbours.
fn thresholds(program: &Program, p: ProcId) -> Vec<i128> {
    let mut found = BTreeSet::new();
    for edge in &program.procs[p].edges {
        visit::nodes(&edge.op, &mut |e| {
            if let Expr::Const(c, ty) = e
                && c.unsigned_abs() < 1 << 64
                && !ty.is_ptr()
            {
                found.insert(*c);
            }
        });
    }
    let mut near: Vec<i128> = found.iter().flat_map(|c| [-c - 1, -c, 1 - c, c - 1, *c, c + 1]).collect();
    near.sort_by_key(|c| c.unsigned_abs());
    near.dedup();
    near.truncate(THRESHOLDS);
    near.extend([-1, 0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536]);
    near.extend([31, 32, 63, 64].into_iter().flat_map(|bits| [(1i128 << bits) - 1, 1 << bits]));
    near.sort_unstable();
    near.dedup();
    near
}

/// Numbers of procedures such that callees have smaller ones, where they do not call each other.
pub(crate) fn ranks(program: &Program, oracle: &AliasOracle) -> IndexVec<ProcId, usize> {
    let mut ranks = IndexVec::from_elem(usize::MAX, program.procs.len());
    let mut next = 0;
    for start in program.procs.ids() {
        let mut stack = vec![(start, 0)];
        let mut path = BTreeSet::from([start]);
        while let Some((p, at)) = stack.pop() {
            if ranks[p] != usize::MAX {
                continue;
            }
            match oracle.called_by(p).get(at) {
                None => {
                    ranks[p] = next;
                    next += 1;
                }
                Some(q) => {
                    stack.push((p, at + 1));
                    if path.insert(*q) {
                        stack.push((*q, 0));
                    }
                }
            }
        }
    }
    ranks
}
