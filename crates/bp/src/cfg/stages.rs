//! A procedure in stages: some of its edges are closed until another one has been taken, then some others until the next has.

use super::{Cfg, Edge, EdgeId, Op, ProcId, VertexId};
use base::{Id, IndexVec};
use std::collections::BTreeSet;

/// A part of an activation.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Edges of the procedure that are not taken in this stage.
    pub closed: BTreeSet<EdgeId>,
    /// The edges with which it ends.
    pub ends: BTreeSet<EdgeId>,
}

impl Cfg {
    /// The program in which each activation of a procedure goes through these stages, one after the other, and then on without
    /// restriction. It may return or fail in any of them. There is a copy of the procedure's vertices for each stage; statements are
    /// those of the program that it is made from.
    #[must_use]
    pub fn in_stages(&self, proc: ProcId, stages: &[Stage]) -> Cfg {
        let own = &self.procs[proc];
        // The exit is the last of its vertices, and there is one of it.
        let copied = |v: VertexId| own.vertex_range().contains(&v.index()) && v != own.exit;
        let mut places: Vec<(VertexId, usize)> = vec![];
        let mut out = self.clone();
        for (p, other) in self.procs.iter_enumerated() {
            let first = places.len();
            for stage in 0..if p == proc { stages.len() } else { 0 } {
                places.extend(other.vertices().filter(|v| copied(*v)).map(|v| (v, stage)));
            }
            let last = if p == proc { stages.len() } else { 0 };
            places.extend(other.vertices().map(|v| (v, if copied(v) { last } else { 0 })));
            (out.procs[p].first, out.procs[p].end) = (first, places.len());
        }
        let mut ids = vec![IndexVec::from_elem(None, self.vertices.len()); stages.len() + 1];
        for (i, (v, stage)) in places.iter().enumerate() {
            ids[*stage][*v] = Some(VertexId::from_index(i));
        }
        let id = |v: VertexId, stage: usize| {
            ids[if copied(v) { stage } else { 0 }][v].expect("each vertex has its copies")
        };
        out.vertices = places.iter().map(|(v, _)| self.vertices[*v].clone()).collect();
        out.vertices.iter_mut().for_each(|vertex| {
            vertex.out.clear();
            vertex.into.clear();
        });
        out.edges = IndexVec::new();
        for (from, (v, stage)) in places.iter().enumerate() {
            for e in &self.vertices[*v].out {
                let edge = &self.edges[*e];
                let now = stages.get(*stage).filter(|_| copied(*v));
                let op = match now {
                    Some(now) if now.closed.contains(e) => Op::blocked(),
                    _ => edge.op.clone(),
                };
                let next = stage + usize::from(now.is_some_and(|now| now.ends.contains(e)));
                let (from, to) = (VertexId::from_index(from), id(edge.to, next));
                let new = out.edges.push(Edge { from, to, op, ..edge.clone() });
                out.vertices[from].out.push(new);
                out.vertices[to].into.push(new);
            }
        }
        for (p, other) in self.procs.iter_enumerated() {
            (out.procs[p].entry, out.procs[p].exit) = (id(other.entry, 0), id(other.exit, 0));
        }
        out
    }
}
