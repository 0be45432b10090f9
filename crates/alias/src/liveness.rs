//! Liveness of cells: classic backward data flow, one procedure at a time (000 §3.3 requires live ranges of
//! boolean variables; here they are those of the C program).
//!
//! At the exit everything that outlives the activation is live. Only a write to a scalar cell ends a cell's life; a
//! call keeps alive what its callees read.

use super::cells::{CellKind, CellSet};
use super::oracle::AliasOracle;
use base::IndexVec;
use ir::program::{EdgeId, LocId, ProcId, Program};

/// For each location of the procedure the cells whose values can still matter there. The oracle is the program's.
pub fn live_cells(program: &Program, oracle: &AliasOracle, p: ProcId) -> IndexVec<LocId, CellSet> {
    let proc = &program.procs[p];
    let mut live = IndexVec::from_elem(CellSet::new(), proc.locations.len());
    if !proc.has_body {
        return live;
    }
    let at_exit = oracle.cell_ids().filter(|c| !oracle.is_private(*c));
    live[proc.exit] = at_exit.collect();
    if let Some(ret) = proc.ret {
        live[proc.exit].insert(oracle.cell(&program.lvalue(ret)));
    }
    let predecessors = proc.predecessors();
    let mut queued = IndexVec::from_elem(true, proc.locations.len());
    let mut pending: Vec<LocId> = proc.locations.ids().collect();
    while let Some(at) = pending.pop() {
        queued[at] = false;
        for e in &predecessors[at] {
            let before = before(program, oracle, p, *e, &live[at]);
            let src = proc.edges[*e].src;
            if live[src].extend_from(&before) && !std::mem::replace(&mut queued[src], true) {
                pending.push(src);
            }
        }
    }
    live
}

/// The cells live before an edge, from those live after it.
fn before(program: &Program, oracle: &AliasOracle, p: ProcId, e: EdgeId, after: &CellSet) -> CellSet {
    let mut cells = after.clone();
    if let Some(dest) = program.procs[p].edges[e].op.destination() {
        let cell = oracle.cell(dest);
        if matches!(oracle.cell_kind(cell), CellKind::Scalar { .. }) {
            cells.remove(cell);
        }
    }
    cells.extend_from(oracle.edge_refs(p, e));
    cells
}
