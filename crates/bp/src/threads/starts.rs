//! The places where a program starts threads, and how many threads each needs.

use crate::system::{Begin, StartArguments};
use crate::{Cfg, EdgeId, Ident, Op, ProcId, Start, VertexId};
use base::Diagnostic;
use std::collections::BTreeSet;

/// A place where threads are started.
pub(super) struct Site {
    pub(super) edge: EdgeId,
    pub(super) begin: Begin,
    pub(super) arguments: StartArguments,
}

/// The places where threads are started, by the edges there.
///
/// # Errors
/// A label, procedure or variable that is not there.
pub(super) fn sites(cfg: &Cfg, starts: Vec<(EdgeId, Start)>) -> Result<Vec<Site>, Vec<Diagnostic>> {
    let mut out = vec![];
    for (edge, start) in starts {
        let from = &cfg.vertices[cfg.edges[edge].from];
        let refuse = |message: String| vec![Diagnostic::error(from.loc.0, message)];
        out.push(match start {
            Start::Goto(label) => {
                let here = |v: &VertexId| cfg.vertices[*v].labels.contains(&label.name);
                let Some(vertex) = cfg.procs[from.proc].vertices().find(here) else {
                    return Err(refuse(format!("there is no label `{label}` here")));
                };
                Site { edge, begin: Begin::Vertex(vertex), arguments: StartArguments::Variables }
            }
            Start::Call { callee, args } => {
                let found = cfg.procs.iter_enumerated().find(|(_, proc)| proc.name == callee.name);
                let Some((proc, _)) = found else {
                    return Err(refuse(format!("procedure `{callee}` is not defined")));
                };
                let mut unknown = None;
                let args = args.iter().map(|e| {
                    e.try_map(&mut |ident: &Ident, _| {
                        let own = cfg.scope(from.proc).filter(|v| cfg.vars[*v].name == ident.name).last();
                        own.ok_or_else(|| unknown = Some(ident.clone()))
                    })
                });
                let Ok(args) = args.collect::<Result<Vec<_>, ()>>() else {
                    let name = unknown.map_or(String::new(), |ident| ident.to_string());
                    return Err(refuse(format!("variable `{name}` is not declared")));
                };
                Site { edge, begin: Begin::Called(proc), arguments: StartArguments::Values(args) }
            }
        });
    }
    Ok(out)
}

/// Where a thread begins.
pub(super) fn begin_vertex(cfg: &Cfg, begin: &Begin) -> VertexId {
    match begin {
        Begin::Procedure(proc) | Begin::Called(proc) => cfg.procs[*proc].entry,
        Begin::Vertex(vertex) => *vertex,
    }
}

/// The vertices that can be reached from this one, with it unless a step is needed.
fn reach(cfg: &Cfg, from: VertexId, strictly: bool) -> BTreeSet<VertexId> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![from];
    if !strictly {
        seen.insert(from);
    }
    while let Some(vertex) = stack.pop() {
        for edge in &cfg.vertices[vertex].out {
            let edge = &cfg.edges[*edge];
            let callee = match edge.op {
                Op::Call { callee, .. } => Some(cfg.procs[callee].entry),
                _ => None,
            };
            stack.extend([Some(edge.to), callee].into_iter().flatten().filter(|v| seen.insert(*v)));
        }
    }
    seen
}

/// How many threads each place may start, at most `most`.
pub(super) fn instances(cfg: &Cfg, firsts: Vec<VertexId>, sites: &[Site], most: usize) -> Vec<usize> {
    // A procedure's end leads back to its callers; a place in a procedure that is called is counted as one in a loop.
    let called: BTreeSet<ProcId> = cfg
        .edges
        .iter()
        .filter_map(|edge| match edge.op {
            Op::Call { callee, .. } => Some(callee),
            _ => None,
        })
        .collect();
    let at = |site: &Site| cfg.edges[site.edge].from;
    let again: Vec<bool> = sites
        .iter()
        .map(|site| {
            called.contains(&cfg.vertices[at(site)].proc) || reach(cfg, at(site), true).contains(&at(site))
        })
        .collect();
    let from_firsts: Vec<BTreeSet<VertexId>> = firsts.iter().map(|v| reach(cfg, *v, false)).collect();
    let from_sites: Vec<BTreeSet<VertexId>> =
        sites.iter().map(|site| reach(cfg, begin_vertex(cfg, &site.begin), false)).collect();
    let mut counts = vec![0usize; sites.len()];
    loop {
        let next: Vec<usize> = sites
            .iter()
            .enumerate()
            .map(|(i, site)| {
                let first = from_firsts.iter().filter(|seen| seen.contains(&at(site))).count();
                let others = from_sites.iter().zip(&counts).filter(|(seen, _)| seen.contains(&at(site)));
                let times = first + others.map(|(_, count)| *count).sum::<usize>();
                if again[i] && times > 0 { most } else { times.min(most) }
            })
            .collect();
        if next == counts {
            return counts;
        }
        counts = next;
    }
}
