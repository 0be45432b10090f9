//! The vertices, in the order of the text, and the edges at each of them.
//!
//! Invariant: [`lower`](super::lower) counts vertices as they are made here: a statement has [`heads`], the failures of
//! a procedure follow its statements, and its exit is last.

use super::groups::Body;
use super::{Edge, EdgeList, Op, ProcId, Vertex, VertexKind};
use crate::ast::{Stmt, StmtKind, preorder};
use crate::name::Loc;
use base::Id;

/// How many vertices a statement begins with: each further arm of an `if` has one of its own.
pub(super) fn heads(stmt: &Stmt) -> usize {
    match &stmt.kind {
        StmtKind::If { arms, .. } => arms.len().max(1),
        _ => 1,
    }
}

/// The vertices of all bodies, about `about` of them, and how many there are before the body with number `cut`.
/// No edges are known yet.
pub(super) fn vertices<'a>(
    bodies: impl Iterator<Item = Body<'a>>,
    about: usize,
    cut: usize,
) -> (Vec<Vertex>, usize) {
    let mut out = Vec::with_capacity(about);
    let mut before = 0;
    let mut failures = vec![];
    for Body { id: owner, proc, init, .. } in bodies {
        if owner.index() <= cut {
            before = out.len();
        }
        for (list, is_init) in [(init, true), (&proc.body, false)] {
            let new = |kind, loc| vertex(owner, kind, loc, is_init);
            for stmt in preorder(list) {
                let labels = stmt.labels.iter().map(|label| label.name.clone()).collect();
                out.push(Vertex { labels, ..new(VertexKind::Stmt(stmt.id), stmt.loc) });
                out.extend((1..heads(stmt)).map(|n| new(VertexKind::Arm(stmt.id, n), stmt.loc)));
                if let StmtKind::Assert(_) = &stmt.kind {
                    failures.push(new(VertexKind::Failure(stmt.id), stmt.loc));
                }
            }
        }
        out.append(&mut failures);
        out.push(vertex(owner, VertexKind::Exit, proc.name.loc, false));
    }
    (out, before)
}

fn vertex(proc: ProcId, kind: VertexKind, loc: Loc, return_point: bool) -> Vertex {
    Vertex { proc, kind, loc, labels: vec![], return_point, out: EdgeList::new(), into: EdgeList::new() }
}

/// Notes the edges at vertices, and return points. `first` are the numbers of the first vertex and the first edge; both ends
/// of an edge are among the vertices.
pub(super) fn link(vertices: &mut [Vertex], edges: &[Edge], first: (usize, usize)) {
    for (i, edge) in edges.iter().enumerate() {
        let id = Id::from_index(first.1 + i);
        vertices[edge.from.index() - first.0].out.push(id);
        let to = &mut vertices[edge.to.index() - first.0];
        to.into.push(id);
        to.return_point |= matches!(edge.op, Op::Call { .. });
    }
}
