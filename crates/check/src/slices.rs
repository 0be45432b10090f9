//! How long a question is tried as it is, before it is answered slice by slice ([`bp::cfg::slices`]); and the
//! way back from the trace of a slice to one of the program.

use crate::trace::{SegmentId, StepKind, Trace};
use base::IndexVec;
use bp::{Cfg, Op, ProcId};

/// Nodes of intermediate results that are made before a question is taken apart: some tenths of a second.
pub const PATIENCE: u64 = 2_000_000;

/// The program without edges that the trace does not take; where a call is not shown from inside, with all edges there.
pub fn along(cfg: &Cfg, trace: &Trace) -> Cfg {
    let mut taken = IndexVec::from_elem(false, cfg.edges.len());
    let mut whole: IndexVec<ProcId, bool> = IndexVec::from_elem(false, cfg.procs.len());
    let mut work: Vec<ProcId> = vec![];
    let mut segments: Vec<SegmentId> = vec![trace.root];
    let mut seen = IndexVec::from_elem(false, trace.segments.len());
    while let Some(id) = segments.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        for step in &trace.segments[id].steps {
            taken[step.edge] = true;
            match (step.kind, &cfg.edges[step.edge].op) {
                (StepKind::Call(Some(inside)) | StepKind::Enter(inside), _) => segments.push(inside),
                (StepKind::Call(None), Op::Call { callee, .. }) => work.push(*callee),
                _ => {}
            }
        }
    }
    while let Some(proc) = work.pop() {
        if std::mem::replace(&mut whole[proc], true) {
            continue;
        }
        for edge in cfg.procs[proc].vertices().flat_map(|v| &cfg.vertices[v].out) {
            taken[*edge] = true;
            if let Op::Call { callee, .. } = cfg.edges[*edge].op {
                work.push(callee);
            }
        }
    }
    let mut out = cfg.clone();
    for id in cfg.edges.ids().filter(|id| !taken[*id]) {
        out.edges[id].op = Op::blocked();
    }
    out
}
