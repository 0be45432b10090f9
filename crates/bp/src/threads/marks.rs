//! The effects of statements about threads, moved to the edges of the graph in which these statements are empty.

use super::before_section;
use crate::system::ThreadOp;
use crate::{Cfg, EdgeId, Start, StmtId, Vertex};
use std::collections::{BTreeMap, BTreeSet};

/// The effects on threads of statements, beside the part that stays in the graph.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) statements: BTreeMap<StmtId, Mark>,
    /// Statements in atomic sections.
    pub(super) atomic: BTreeSet<StmtId>,
}

/// An effect on threads of a statement.
pub(super) enum Mark {
    End,
    Atomic(bool),
    Start(Start),
}

/// Edges, each with something.
pub(super) type OfEdges<T> = Vec<(EdgeId, T)>;

/// Adds to the edges what they do to threads; the starts of threads, which need the threads first.
pub(super) fn mark_edges(cfg: &mut Cfg, marks: &Marks) -> OfEdges<Start> {
    let mut starts = vec![];
    let atomic = |vertex: &Vertex| vertex.kind.stmt().is_some_and(|stmt| marks.atomic.contains(&stmt));
    for id in cfg.edges.ids() {
        let edge = &mut cfg.edges[id];
        match marks.statements.get(&edge.stmt) {
            Some(Mark::End) => edge.threads.push(ThreadOp::End),
            Some(Mark::Atomic(value)) => edge.threads.push(ThreadOp::Atomic(*value)),
            Some(Mark::Start(start)) => starts.push((id, start.clone())),
            None => {}
        }
        let (from, to) = (&cfg.vertices[edge.from], &cfg.vertices[edge.to]);
        if atomic(from) != atomic(to) {
            let mut locals = cfg.procs[from.proc].locals.iter().copied();
            edge.threads.push(match locals.find(|v| cfg.vars[*v].name == before_section()) {
                Some(var) => ThreadOp::Nested(atomic(to), var),
                None => ThreadOp::Atomic(atomic(to)),
            });
        }
    }
    starts
}
