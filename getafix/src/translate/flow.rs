//! The order of program counters in which a sequential program is best worked on: procedures that are called before those
//! that call them, and in a procedure what comes first.

use super::{PC, Place, Translation};
use crate::prelude::Flow;
use base::IndexVec;
use bp::{Cfg, Op, ProcId};

/// The order of a sequential program's counters.
pub(super) fn flow(t: &Translation<'_>) -> Flow {
    let cfg = &t.system.codes[0].cfg;
    let procs = bottom_up(cfg);
    let mut places: Vec<((u32, u32, u32), u32)> = vec![];
    for pc in 0..1 << t.layout.pc_bits {
        let Some(place) = t.layout.place(pc) else { continue };
        let key = match place {
            Place::Begin(..) => (procs[cfg.entry], 0, 0),
            Place::Entry(_, proc) => (procs[proc], 1, 0),
            Place::Vertex(code, v) => (procs[cfg.vertices[v].proc], 2, t.plan.rank(code, v)),
            Place::Goal => (procs[cfg.entry], 3, 0),
        };
        places.push((key, pc));
    }
    places.sort_unstable();
    let mut ranks = vec![u32::MAX; 1 << t.layout.pc_bits];
    for (rank, (_, pc)) in places.iter().enumerate() {
        ranks[*pc as usize] = rank as u32;
    }
    Flow { class: PC, ranks }
}

/// A number for each procedure: less than those of its callers, but for recursion.
pub(crate) fn bottom_up(cfg: &Cfg) -> IndexVec<ProcId, u32> {
    let mut callees: IndexVec<ProcId, Vec<ProcId>> = IndexVec::from_elem(vec![], cfg.procs.len());
    for edge in &cfg.edges {
        if let Op::Call { callee, .. } = edge.op {
            callees[cfg.vertices[edge.from].proc].push(callee);
        }
    }
    let mut numbers: IndexVec<ProcId, u32> = IndexVec::from_elem(u32::MAX, cfg.procs.len());
    for (number, proc) in bp::cfg::bottom_up(&callees).into_iter().enumerate() {
        numbers[proc] = number as u32;
    }
    assert!(numbers.iter().all(|n| (*n as usize) < cfg.procs.len()), "every procedure has a number");
    numbers
}
