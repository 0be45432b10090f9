//! Relevance for the checks of a program: the cells whose values matter, and the operations that change these,
//! that end executions, or that decide whether an execution reaches such operations.

use super::control_dependence::Control;
use alias::cells::{CellId, CellKind, CellSet};
use alias::oracle::AliasOracle;
use base::IndexVec;
use ir::expr::{Expr, Lvalue};
use ir::program::{Callee, Edge, EdgeId, LocId, Op, ProcId, Program};
use ir::types::Type;

/// See the module's documentation.
pub(super) struct Relevance<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    procs: IndexVec<ProcId, Body>,
    cells: CellSet,
    changed: bool,
}

/// Relevance in a procedure.
#[derive(Default)]
struct Body {
    /// `None` when no execution reaches it.
    control: Option<Control>,
    /// Whether something in it matters.
    matters: bool,
    /// The locations with an edge that matters; all edges of a branch do if one does.
    places: IndexVec<LocId, bool>,
    /// The cells that edges assign themselves.
    written: IndexVec<EdgeId, Option<CellId>>,
    /// The edges that are known to matter for good, with all that they read.
    done: IndexVec<EdgeId, bool>,
}

impl<'a> Relevance<'a> {
    /// Computes relevance; executions reach only the procedures that are `reachable`.
    pub(super) fn new(
        program: &'a Program,
        oracle: &'a AliasOracle,
        reachable: &IndexVec<ProcId, bool>,
    ) -> Relevance<'a> {
        let body = |p: ProcId| if reachable[p] { Body::new(program, oracle, p) } else { Body::default() };
        let procs = program.procs.ids().map(body).collect();
        let mut all = Relevance { program, oracle, procs, cells: CellSet::new(), changed: true };
        all.cells.extend_from(oracle.escaped());
        for c in oracle.cell_ids().filter(|c| *oracle.cell_kind(*c) == CellKind::Opaque) {
            all.cells.insert(c);
        }
        while std::mem::replace(&mut all.changed, false) {
            program.procs.ids().rev().for_each(|p| all.procedure(p));
        }
        all
    }

    /// Whether something in the procedure matters.
    pub(super) fn is_needed(&self, p: ProcId) -> bool {
        self.procs[p].matters
    }

    /// The operation that remains of an edge.
    pub(super) fn left(&self, p: ProcId, e: EdgeId) -> Op {
        let edge = &self.program.procs[p].edges[e];
        let (body, is_check) = (&self.procs[p], matches!(edge.op, Op::Check(..)));
        let Some(control) = body.control.as_ref().filter(|_| body.matters) else {
            return if is_check { edge.op.clone() } else { Op::Skip };
        };
        if is_check || self.matters(p, e) {
            return self.without_useless_arguments(edge.op.clone());
        }
        let is_passed = body.passes(edge.src);
        match &edge.op {
            Op::Assume(c) if c.as_const().is_some() && !is_passed => edge.op.clone(),
            _ if is_passed && control.way_on[edge.src].is_some_and(|way| way != e) => {
                Op::Assume(Expr::truth(false))
            }
            _ => Op::Skip,
        }
    }

    fn procedure(&mut self, p: ProcId) {
        let proc = &self.program.procs[p];
        if self.procs[p].control.is_none() {
            return;
        }
        for (e, edge) in proc.edges.iter_enumerated().rev() {
            if self.procs[p].done[e] || !self.matters(p, e) {
                continue;
            }
            // Which arguments matter depends on the callee.
            let is_done = self.callee(&edge.op).is_none();
            let body = &mut self.procs[p];
            body.done[e] = is_done;
            self.changed |= !std::mem::replace(&mut body.matters, true);
            self.changed |= !std::mem::replace(&mut body.places[edge.src], true);
            self.needs(edge, || self.oracle.edge_refs(p, e).clone());
        }
        let Body { control: Some(control), places, .. } = &mut self.procs[p] else { return };
        self.changed |= control.close(proc, places);
    }

    /// The procedure with a body that is called.
    fn callee(&self, op: &Op) -> Option<ProcId> {
        op.calls().filter(|q| self.program.procs[*q].has_body)
    }

    fn matters(&self, p: ProcId, e: EdgeId) -> bool {
        let edge = &self.program.procs[p].edges[e];
        let body = &self.procs[p];
        let Some(control) = body.control.as_ref().filter(|c| c.is_reached(edge.src)) else { return false };
        let writes = |cell: &Option<CellId>| cell.is_some_and(|c| self.cells.contains(c));
        match &edge.op {
            Op::Skip | Op::Output { .. } => false,
            Op::Assume(_) => {
                let decides = control.switches.get(&e).unwrap_or(&edge.src);
                control.blocks[e] || body.places[*decides] && control.next[edge.src].contains(&e)
            }
            Op::Check(..) | Op::Free(_) => true,
            Op::Assign(..) | Op::Havoc(..) | Op::Inspect { .. } => writes(&body.written[e]),
            Op::Call { .. } => match self.callee(&edge.op) {
                Some(q) => self.procs[q].matters || writes(&body.written[e]),
                None => true,
            },
            Op::Alloc { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => {
                self.cells.intersects(self.oracle.edge_mods(p, e))
            }
        }
    }

    /// Takes note of what an operation that matters needs; `refs` is what it may read.
    fn needs(&mut self, edge: &Edge, refs: impl Fn() -> CellSet) {
        match &edge.op {
            Op::Skip | Op::Output { .. } => {}
            Op::Assign(dest, value) | Op::Inspect { dest, ptr: value, .. } => {
                self.read(value);
                self.address(dest);
            }
            Op::Havoc(dest, _) => self.address(dest),
            Op::Assume(c) | Op::Check(_, c) => self.read(c),
            Op::Call { dest, callee: Callee::Direct(q), args } if self.program.procs[*q].has_body => {
                self.call(*q, dest.as_ref(), args);
            }
            // Undefined functions, pointers and block operations: everything that they read.
            Op::Call { dest, .. } => {
                self.add_all(&refs());
                dest.iter().for_each(|lv| self.address(lv));
            }
            Op::Alloc { .. } | Op::Free(_) | Op::MemSet { .. } | Op::MemCopy { .. } => self.add_all(&refs()),
        }
    }

    fn call(&mut self, q: ProcId, dest: Option<&Lvalue>, args: &[Expr]) {
        let callee = &self.program.procs[q];
        for (i, arg) in args.iter().enumerate() {
            let formal = callee.formals.get(i).map(|f| self.program.lvalue(*f));
            if formal.is_none_or(|f| self.wanted(&f)) {
                self.read(arg);
            } else if let Expr::Load(lv) = arg {
                // The argument stays, so its pointers must lead somewhere.
                self.address(lv);
            }
        }
        if let Some(dest) = dest {
            self.address(dest);
            if self.wanted(dest)
                && let Some(ret) = callee.ret
            {
                self.add(self.oracle.cell(&self.program.lvalue(ret)));
            }
        }
    }

    /// A call with zeros for the arguments whose values cannot matter and would have to be computed.
    fn without_useless_arguments(&self, mut op: Op) -> Op {
        if let Some(q) = self.callee(&op)
            && let Op::Call { args, .. } = &mut op
        {
            for (formal, arg) in self.program.procs[q].formals.iter().zip(args) {
                if is_computed(arg) && !self.wanted(&self.program.lvalue(*formal)) {
                    *arg = zero(arg.ty());
                }
            }
        }
        op
    }

    fn wanted(&self, lv: &Lvalue) -> bool {
        self.cells.contains(self.oracle.cell(lv))
    }

    fn add(&mut self, cell: CellId) {
        self.changed |= self.cells.insert(cell);
    }

    fn add_all(&mut self, cells: &CellSet) {
        self.changed |= self.cells.extend_from(cells);
    }

    fn read(&mut self, e: &Expr) {
        e.loads(&mut |lv| self.add(self.oracle.cell(lv)));
    }

    /// Marks the values that decide the place of the location.
    fn address(&mut self, lv: &Lvalue) {
        lv.children().for_each(|e| self.read(e));
    }
}

impl Body {
    fn new(program: &Program, oracle: &AliasOracle, p: ProcId) -> Body {
        let proc = &program.procs[p];
        if !proc.has_body {
            return Body::default();
        }
        let control = Control::new(proc);
        let mut places = IndexVec::from_elem(false, proc.locations.len());
        // Whether it comes back matters where it may not.
        places[proc.exit] = control.may_stay;
        let written = |edge: &Edge| edge.op.destination().map(|lv| oracle.cell(lv));
        Body {
            matters: control.may_stay,
            control: Some(control),
            places,
            written: proc.edges.iter().map(written).collect(),
            done: IndexVec::from_elem(false, proc.edges.len()),
        }
    }

    /// Whether the location is a branch that does not matter.
    fn passes(&self, l: LocId) -> bool {
        self.control.as_ref().is_some_and(|c| c.next[l].len() > 1) && !self.places[l]
    }
}

/// Whether more is done for the value than that one is read: what depends on others that are read can be undefined.
fn is_computed(e: &Expr) -> bool {
    let mut loads = 0;
    e.loads(&mut |_| loads += 1);
    loads > 0 && !matches!(e, Expr::Load(_))
}

fn zero(ty: Type) -> Expr {
    match ty {
        Type::Float(_) => Expr::Float(0, ty),
        _ => Expr::Const(0, ty),
    }
}
