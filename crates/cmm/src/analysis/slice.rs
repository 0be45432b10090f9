//! Takes away what cannot matter to any check: procedures that are never called, and writes to cells that no
//! condition, address, block operation or undefined function ever reads, directly or through other cells.
//!
//! The slice has every execution of the program, and perhaps more: an operation that ends the execution because it
//! is undefined may be gone. Conditions all stay. Writes to opaque cells stay: they say which memory has no model.
//! Locations, edges and variables keep their ids; what goes becomes `skip`. An argument whose value cannot matter
//! becomes zero where it would have to be computed from values that are no longer those of the program: with others
//! it could overflow or divide by zero.

use super::cells::{CellId, CellKind, CellSet};
use super::oracle::AliasOracle;
use crate::expr::{Expr, Lvalue};
use crate::program::{Callee, Edge, Op, ProcId, Program};
use crate::types::Type;
use base::IndexVec;

/// A slice of a program.
#[derive(Clone, Debug)]
pub struct Slice {
    /// What is left.
    pub program: Program,
    /// How many operations became `skip`.
    pub skipped: usize,
    /// Procedures with a body that are never called, in order.
    pub unreachable: Vec<ProcId>,
}

/// Slices the program with respect to its checks. The oracle is the program's.
pub fn slice(program: &Program, oracle: &AliasOracle) -> Slice {
    let reachable = reachable(program, oracle);
    let relevant = relevant(program, oracle, &reachable);
    let mut out = Slice { program: program.clone(), skipped: 0, unreachable: vec![] };
    for (p, proc) in program.procs.iter_enumerated() {
        if !reachable[p] && proc.has_body {
            out.unreachable.push(p);
        }
        for (e, edge) in proc.edges.iter_enumerated() {
            let dead = match &edge.op {
                Op::Skip | Op::Check(..) => false,
                Op::Output { .. } => true,
                Op::Assign(dest, _) | Op::Havoc(dest, _) | Op::Inspect { dest, .. } => {
                    !reachable[p] || !relevant.contains(oracle.cell(dest))
                }
                _ => !reachable[p],
            };
            if dead {
                out.program.procs[p].edges[e].op = Op::Skip;
                out.skipped += 1;
            } else if let Op::Call { callee: Callee::Direct(q), args, .. } =
                &mut out.program.procs[p].edges[e].op
                && program.procs[*q].has_body
            {
                for (formal, arg) in program.procs[*q].formals.iter().zip(args) {
                    if is_computed(arg) && !relevant.contains(oracle.cell(&program.lvalue(*formal))) {
                        *arg = zero(arg.ty());
                    }
                }
            }
        }
    }
    out
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

/// The procedures with a body that executions can enter, callbacks from undefined functions included.
pub fn reachable(program: &Program, oracle: &AliasOracle) -> IndexVec<ProcId, bool> {
    let mut seen = IndexVec::from_elem(false, program.procs.len());
    let mut pending = vec![program.entry];
    while let Some(p) = pending.pop() {
        if std::mem::replace(&mut seen[p], true) {
            continue;
        }
        pending.extend_from_slice(oracle.called_by(p));
        for (_, _, targets) in oracle.callbacks().iter().filter(|(caller, ..)| *caller == p) {
            pending.extend_from_slice(targets);
        }
    }
    seen
}

/// Cells whose values can matter.
fn relevant(program: &Program, oracle: &AliasOracle, reachable: &IndexVec<ProcId, bool>) -> CellSet {
    let mut relevance = Relevance { program, oracle, cells: CellSet::new(), changed: true };
    relevance.cells.extend_from(oracle.escaped());
    for c in oracle.cell_ids().filter(|c| *oracle.cell_kind(*c) == CellKind::Opaque) {
        relevance.cells.insert(c);
    }
    while std::mem::replace(&mut relevance.changed, false) {
        for (p, proc) in program.procs.iter_enumerated().rev().filter(|(p, _)| reachable[*p]) {
            for (e, edge) in proc.edges.iter_enumerated().rev() {
                relevance.edge(edge, || oracle.edge_refs(p, e).clone());
            }
        }
    }
    relevance.cells
}

struct Relevance<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    cells: CellSet,
    changed: bool,
}

impl Relevance<'_> {
    fn edge(&mut self, edge: &Edge, refs: impl Fn() -> CellSet) {
        match &edge.op {
            Op::Skip | Op::Output { .. } => {}
            Op::Assign(dest, value) | Op::Inspect { dest, ptr: value, .. } => {
                if self.wanted(dest) {
                    self.read(value);
                    self.address(dest);
                }
            }
            Op::Havoc(dest, _) => {
                if self.wanted(dest) {
                    self.address(dest);
                }
            }
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

    /// What decides where the location is.
    fn address(&mut self, lv: &Lvalue) {
        lv.children().for_each(|e| self.read(e));
    }
}
