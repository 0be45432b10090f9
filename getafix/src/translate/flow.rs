//! The order of program counters in which a sequential program is best worked on: procedures that are called before those
//! that call them, and in a procedure what comes first.

use super::{PC, Place, Translation};
use crate::prelude::Flow;

/// The order of a sequential program's counters.
pub(super) fn flow(t: &Translation<'_>) -> Flow {
    let cfg = &t.system.codes[0].cfg;
    let procs = t.system.codes[0].bottom_up();
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
