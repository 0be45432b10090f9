//! What statements about threads do, from the statements to the edges of the graph in which they are empty.

use super::before_section;
use crate::system::Extra;
use bp::{Cfg, EdgeId, ProcId, Start, StmtId, VertexId, VertexKind};
use std::collections::{BTreeMap, BTreeSet};

/// What statements do beside what is left of them.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) extra: BTreeMap<StmtId, Mark>,
    /// Statements in atomic sections.
    pub(super) atomic: BTreeSet<StmtId>,
}

/// What a statement does beside what is left of it.
pub(super) enum Mark {
    End,
    Atomic(bool),
    Start(Start),
}

/// Edges, each with something.
pub(super) type OfEdges<T> = Vec<(EdgeId, T)>;

/// What edges do beside what the graph says, and the starts of threads.
pub(super) fn marked(cfg: &Cfg, marks: &Marks) -> (OfEdges<Extra>, OfEdges<Start>) {
    let kept = |proc: ProcId| {
        let mut locals = cfg.procs[proc].locals.iter().copied();
        locals.find(|v| cfg.vars[*v].name == before_section())
    };
    let mut extra = vec![];
    let mut starts = vec![];
    let atomic = |v: VertexId| match cfg.vertices[v].kind {
        VertexKind::Stmt(id) | VertexKind::Arm(id, _) | VertexKind::Failure(id) => marks.atomic.contains(&id),
        VertexKind::Exit => false,
    };
    for (id, edge) in cfg.edges.iter_enumerated() {
        match marks.extra.get(&edge.stmt) {
            Some(Mark::End) => extra.push((id, Extra::End)),
            Some(Mark::Atomic(value)) => extra.push((id, Extra::Atomic(*value))),
            Some(Mark::Start(start)) => starts.push((id, start.clone())),
            None => {}
        }
        if atomic(edge.from) != atomic(edge.to) {
            let enters = atomic(edge.to);
            extra.push((
                id,
                match kept(cfg.vertices[edge.from].proc) {
                    Some(var) => Extra::Nested(enters, var),
                    None => Extra::Atomic(enters),
                },
            ));
        }
    }
    (extra, starts)
}
