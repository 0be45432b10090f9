//! Program points at which a pointer may be stale and its address reused for another object: behind a `free`
//! and then an allocation.

use alias::AliasOracle;
use base::{Id, IndexVec};
use ir::program::{Callee, EdgeId, LocId, Op, ProcId, Program};
use std::collections::BTreeSet;

/// The locations of all procedures that executions reach from some places; calls and returns are not matched.
pub(crate) struct Reached {
    locations: IndexVec<ProcId, BTreeSet<LocId>>,
}

impl Reached {
    /// The locations reached behind an allocation that comes behind a `free`.
    pub(crate) fn reused(program: &Program, oracle: &AliasOracle) -> Reached {
        let graph = Graph::new(program, oracle);
        let freed = graph.behind(|_, op| matches!(op, Op::Free(_)));
        graph.behind(|at, op| {
            (matches!(op, Op::Alloc { .. }) || op.ends().is_some()) && (freed.has(at) || op.ends().is_some())
        })
    }

    fn has(&self, (p, loc): (ProcId, LocId)) -> bool {
        self.locations[p].contains(&loc)
    }

    /// Whether the edge's operation can run there.
    pub(crate) fn at(&self, program: &Program, p: ProcId, e: EdgeId) -> bool {
        self.has((p, program.procs[p].edges[e].src))
    }
}

struct Graph<'a> {
    pub program: &'a Program,
    /// For each procedure, where it is called.
    callers: IndexVec<ProcId, Vec<(ProcId, LocId)>>,
    callees: IndexVec<ProcId, Vec<Vec<ProcId>>>,
    successors: Vec<IndexVec<LocId, Vec<EdgeId>>>,
}

impl<'a> Graph<'a> {
    fn new(program: &'a Program, oracle: &AliasOracle) -> Graph<'a> {
        let mut callers = IndexVec::from_elem(vec![], program.procs.len());
        let mut callees = IndexVec::new();
        for (p, proc) in program.procs.iter_enumerated() {
            let mut of_edges = vec![];
            for edge in proc.edges.iter() {
                let called = match &edge.op {
                    Op::Call { callee, .. } => called(program, oracle, callee),
                    _ => vec![],
                };
                for q in &called {
                    let callers: &mut Vec<(ProcId, LocId)> = &mut callers[*q];
                    callers.push((p, edge.dst));
                }
                of_edges.push(called);
            }
            callees.push(of_edges);
        }
        let successors = program.procs.iter().map(|p| p.successors()).collect();
        Graph { program, callers, callees, successors }
    }

    /// All locations behind the edges that are chosen, by where they start and their operation.
    fn behind(&self, chosen: impl Fn((ProcId, LocId), &Op) -> bool) -> Reached {
        let mut locations = IndexVec::from_elem(BTreeSet::new(), self.program.procs.len());
        let mut todo = vec![];
        for (p, proc) in self.program.procs.iter_enumerated() {
            let starts = proc.edges.iter().filter(|e| chosen((p, e.src), &e.op));
            todo.extend(starts.map(|e| (p, e.dst)));
        }
        while let Some((p, loc)) = todo.pop() {
            let seen: &mut BTreeSet<LocId> = &mut locations[p];
            if !seen.insert(loc) {
                continue;
            }
            let proc = &self.program.procs[p];
            for e in &self.successors[p.index()][loc] {
                todo.push((p, proc.edges[*e].dst));
                todo.extend(self.callees[p][e.index()].iter().map(|q| (*q, self.program.procs[*q].entry)));
            }
            if loc == proc.exit {
                todo.extend(self.callers[p].iter().copied());
            }
        }
        Reached { locations }
    }
}

/// The procedures with a body that a call may run.
fn called(program: &Program, oracle: &AliasOracle, callee: &Callee) -> Vec<ProcId> {
    let (mut procs, _) = oracle.called(callee);
    procs.retain(|q| program.procs[*q].has_body);
    procs
}
