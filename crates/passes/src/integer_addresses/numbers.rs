//! Pointers that may hold a number that is not an address, such as `(char *)-1`: arithmetic on the number may
//! wrap around, pointer arithmetic does not.
//!
//! Numbers come from conversions, and from bytes that were not written as a pointer: values read where the
//! program accesses its objects at several types, copied from something other than a pointer, or set to a byte
//! other than 0. Results of undefined functions, and the contents of their memory, are NULL or addresses.

use alias::cells::{CellId, CellKind, CellSet};
use alias::oracle::AliasOracle;
use ir::expr::{Expr, Lvalue};
use ir::program::{Callee, EdgeId, Op, ProcId, Program};
use ir::visit;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The places at which pointers may hold numbers.
pub(super) struct Numbers<'a> {
    program: &'a Program,
    oracle: Arc<AliasOracle>,
    /// Edges where a number becomes a pointer.
    sources: BTreeSet<(ProcId, EdgeId)>,
    cells: CellSet,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(
        program: &'a Program,
        oracle: Arc<AliasOracle>,
        sources: BTreeSet<(ProcId, EdgeId)>,
    ) -> Numbers<'a> {
        let mut numbers = Numbers { program, oracle, sources, cells: CellSet::new() };
        while program.edges().fold(false, |more, (p, e, edge)| numbers.pass(p, e, &edge.op) || more) {}
        numbers
    }

    /// Whether the value may be a number, or one that was moved.
    pub(super) fn may_be_number(&self, e: &Expr) -> bool {
        let mut found = false;
        e.loads(&mut |lv| found |= lv.ty.is_ptr() && self.may_hold_number(lv));
        found
    }

    fn may_hold_number(&self, lv: &Lvalue) -> bool {
        let cell = self.oracle.cell(lv);
        let is_opaque = matches!(self.oracle.cell_kind(cell), CellKind::Opaque);
        self.cells.contains(cell) || is_opaque && self.oracle.may_be_of_program(lv)
    }

    fn add(&mut self, lv: &Lvalue) -> bool {
        lv.ty.is_ptr() && self.cells.insert(self.oracle.cell(lv))
    }

    fn holds_pointers(&self, cell: CellId) -> bool {
        match self.oracle.cell_kind(cell) {
            CellKind::Scalar { ty, .. } | CellKind::Map { ty } => ty.is_ptr(),
            CellKind::Opaque => false,
        }
    }

    /// Passes on numbers over the operation; returns whether that was new.
    fn pass(&mut self, p: ProcId, e: EdgeId, op: &Op) -> bool {
        let is_source = self.sources.contains(&(p, e));
        let mut more = false;
        match op {
            Op::Assign(dest, value) => {
                if is_source || self.may_be_number(value) {
                    more |= self.add(dest);
                }
            }
            Op::Call { dest, callee: Callee::Direct(q), args } if self.program.procs[*q].has_body => {
                let callee = &self.program.procs[*q];
                for (formal, arg) in callee.formals.iter().zip(args) {
                    if is_source || self.may_be_number(arg) {
                        more |= self.add(&self.program.lvalue(*formal));
                    }
                }
                if let Some((dest, ret)) = dest.as_ref().zip(callee.ret)
                    && self.may_be_number(&self.program.read(ret))
                {
                    more |= self.add(dest);
                }
            }
            _ => {
                let mut found = is_source;
                visit::evaluated(op, &mut |operand| found |= self.may_be_number(operand));
                let is_copy = matches!(op, Op::MemCopy { .. });
                let mut refs = self.oracle.edge_refs(p, e).iter();
                found |= refs.any(|cell| self.cells.contains(cell) || is_copy && !self.holds_pointers(cell));
                found |= matches!(op, Op::MemSet { byte, .. } if !byte.is_zero());
                if found {
                    let written: Vec<CellId> = self.oracle.edge_mods(p, e).iter().collect();
                    for cell in written {
                        more |= self.holds_pointers(cell) && self.cells.insert(cell);
                    }
                }
            }
        }
        more
    }
}
