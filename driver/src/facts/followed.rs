//! The variables that are tracked in a sliced program: writes to others were removed, so that nothing is known about
//! them.

use alias::CellSet;
use ir::visit;
use ir::{Expr, Lvalue, Op, Program};
use verify::Task;

/// The cells that something in the sliced program reads, whose writes are all there; all cells where nothing was sliced away.
pub(super) struct Followed<'t> {
    task: &'t Task,
    cells: Option<CellSet>,
}

impl<'t> Followed<'t> {
    /// Those of a task.
    pub(super) fn of(task: &'t Task) -> Followed<'t> {
        let is_sliced = task.reduction.as_ref().is_some_and(|r| 0 < r.statements + r.procedures);
        Followed { task, cells: is_sliced.then(|| read(task)) }
    }

    /// Whether all that an expression reads is followed.
    pub(super) fn covers(&self, e: &Expr) -> bool {
        let Some(cells) = &self.cells else { return true };
        let mut all = true;
        e.loads(&mut |lv| all &= cells.contains(self.task.oracle.cell(lv)));
        all
    }
}

/// The cells that operations read. An argument is read if the formal is.
fn read(task: &Task) -> CellSet {
    let (program, oracle) = (&task.program, &task.oracle);
    let mut cells = CellSet::new();
    for (p, proc) in program.procs.iter_enumerated() {
        for (e, edge) in proc.edges.iter_enumerated() {
            match &edge.op {
                Op::Call { .. } if callee(program, &edge.op).is_some() => {}
                Op::MemCopy { .. } | Op::MemSet { .. } | Op::Alloc { .. } => {
                    cells.extend_from(oracle.edge_refs(p, e));
                }
                op => visit::loads(op, &mut |lv| _ = cells.insert(oracle.cell(lv))),
            }
        }
    }
    let mut changed = true;
    while std::mem::replace(&mut changed, false) {
        for (_, _, edge) in program.edges() {
            let (Some(q), Op::Call { args, .. }) = (callee(program, &edge.op), &edge.op) else { continue };
            for (formal, arg) in program.procs[q].formals.iter().zip(args) {
                if cells.contains(oracle.cell(&program.lvalue(*formal))) {
                    arg.loads(&mut |lv: &Lvalue| changed |= cells.insert(oracle.cell(lv)));
                }
            }
        }
    }
    cells
}

/// The procedure with a body that is called.
fn callee(program: &Program, op: &Op) -> Option<ir::ProcId> {
    op.calls().filter(|q| program.procs[*q].has_body)
}
