//! The order in which vertices are processed: callees before callers; in a procedure, reverse post-order,
//! unreachable vertices last.

use super::mod_ref::ModRef;
use crate::cfg::{Cfg, VertexId};
use base::{Id, IndexVec};

/// The vertices in order, and the place of each.
pub struct VertexOrder {
    /// The vertices.
    pub by_rank: Vec<VertexId>,
    /// The place of each.
    pub rank: IndexVec<VertexId, u32>,
}

impl VertexOrder {
    /// The order of a program's vertices.
    pub fn new(cfg: &Cfg, mod_ref: &ModRef) -> VertexOrder {
        let by_rank = order(cfg, mod_ref);
        let mut rank = IndexVec::from_elem(0, cfg.vertices.len());
        for (i, v) in by_rank.iter().enumerate() {
            rank[*v] = i as u32;
        }
        VertexOrder { by_rank, rank }
    }
}

fn order(cfg: &Cfg, mod_ref: &ModRef) -> Vec<VertexId> {
    let mut seen: IndexVec<VertexId, bool> = IndexVec::from_elem(false, cfg.vertices.len());
    let mut out = Vec::with_capacity(cfg.vertices.len());
    let (mut post, mut stack) = (vec![], vec![]);
    for proc in &mod_ref.bottom_up {
        let own = &cfg.procs[*proc];
        stack.push((own.entry, 0));
        seen[own.entry] = true;
        while let Some((vertex, next)) = stack.last_mut() {
            // Later edges first, so that the first branch comes first in the reversed order.
            let edges = &cfg.vertices[*vertex].out;
            if *next < edges.len() {
                let to = cfg.edges[edges[edges.len() - 1 - *next]].to;
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            } else {
                post.push(*vertex);
                stack.pop();
            }
        }
        out.extend(post.drain(..).rev());
        out.extend(own.vertices().filter(|v| !seen[*v]));
    }
    assert_eq!(out.len(), cfg.vertices.len());
    assert!(out.iter().all(|v| v.index() < cfg.vertices.len()));
    out
}
