//! Parts of freshly allocated memory that may be read before the program has written them.
//!
//! From the allocation on, all paths are followed until every pointer in the object is written through the variable
//! that has its address; nothing else may happen to the object or the variable on the way.

use alias::{AliasOracle, CellId, CellSet};
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{EdgeId, LocId, Op, ProcId, Program, VarId};
use ir::types::Type;
use std::collections::BTreeSet;

/// Most states visited by the search.
const MOST: usize = 200;

/// The cells of the new object that may be read before they are written, the destination's cell among them.
pub(crate) fn unwritten(
    program: &Program,
    oracle: &AliasOracle,
    p: ProcId,
    e: EdgeId,
    dest: &Lvalue,
) -> Vec<CellId> {
    let all: Vec<CellId> = oracle.edge_mods(p, e).iter().collect();
    let Some(v) = dest.as_var().filter(|v| oracle.is_private(oracle.cell(&program.lvalue(*v)))) else {
        return all;
    };
    let Some(pointers) = members(program, &dest.ty) else { return all };
    let mut cells = oracle.edge_mods(p, e).clone();
    cells.remove(oracle.cell(dest));
    let search = Search { program, oracle, p, v, cells };
    let start = program.procs[p].edges[e].dst;
    if search.all_written(start, pointers.into_iter().collect()) { vec![] } else { all }
}

/// The paths of the pointers in what the pointer points to; `None` when they cannot be listed.
fn members(program: &Program, ty: &Type) -> Option<Vec<Vec<Access>>> {
    let Type::Record(r) = ty.pointee()? else { return None };
    if program.records[*r].is_union {
        return None;
    }
    let mut out = vec![];
    for (n, field) in program.records[*r].fields.iter().enumerate() {
        match &field.ty {
            Type::Ptr(_) => out.push(vec![Access::Field(*r, n as u32)]),
            Type::Int(_) | Type::Float(_) => {}
            Type::Array(elem, Some(_)) if matches!(**elem, Type::Int(_) | Type::Float(_)) => {}
            _ => return None,
        }
    }
    Some(out)
}

struct Search<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    p: ProcId,
    v: VarId,
    cells: CellSet,
}

impl Search<'_> {
    fn all_written(&self, start: LocId, pointers: BTreeSet<Vec<Access>>) -> bool {
        let proc = &self.program.procs[self.p];
        let successors = proc.successors();
        let mut seen = BTreeSet::from([(start, pointers.clone())]);
        let mut work = vec![(start, pointers)];
        while let Some((at, left)) = work.pop() {
            if left.is_empty() {
                continue;
            }
            if at == proc.exit || seen.len() > MOST {
                return false;
            }
            for e in &successors[at] {
                let edge = &proc.edges[*e];
                if self.is_null_branch(&edge.op) {
                    continue;
                }
                let mut next = left.clone();
                match &edge.op {
                    Op::Assign(lv, value) if self.member(lv).is_some() && !self.reads(*e) => {
                        // The address itself may be stored where it is not followed.
                        let stored = self.mentions(value);
                        let path = self.member(lv).expect("the guard asked");
                        next.remove(path);
                        if stored && !next.is_empty() {
                            return false;
                        }
                    }
                    op if self.is_harmless(*e, op) => {}
                    _ => return false,
                }
                let state = (edge.dst, next);
                if seen.insert(state.clone()) {
                    work.push(state);
                }
            }
        }
        true
    }

    /// The branch on which the allocation has failed.
    fn is_null_branch(&self, op: &Op) -> bool {
        let Op::Assume(Expr::Binary(BinOp::Eq, l, r, _)) = op else { return false };
        matches!((&**l, &**r), (Expr::Load(lv), Expr::Const(0, _)) if lv.as_var() == Some(self.v))
    }

    /// The path, when the location is reached from the variable.
    fn member<'l>(&self, lv: &'l Lvalue) -> Option<&'l Vec<Access>> {
        let Base::Deref(p) = &lv.base else { return None };
        let Expr::Load(from) = &**p else { return None };
        (from.as_var() == Some(self.v)).then_some(&lv.path)
    }

    fn reads(&self, e: EdgeId) -> bool {
        self.oracle.edge_refs(self.p, e).intersects(&self.cells)
    }

    fn mentions(&self, e: &Expr) -> bool {
        e.has(|node| matches!(node, Expr::Load(lv) if lv.as_var() == Some(self.v)))
    }

    /// Whether the operation leaves the object and the variable alone and does not hand the address on.
    fn is_harmless(&self, e: EdgeId, op: &Op) -> bool {
        let local =
            matches!(op, Op::Skip | Op::Assign(..) | Op::Havoc(..) | Op::Assume(_) | Op::Output { .. });
        let changes = op.destination().is_some_and(|lv| lv.as_var() == Some(self.v));
        let mut handed = false;
        if let Op::Assign(_, value) = op {
            handed = value.ty().is_ptr() && self.mentions(value);
        }
        local && !changes && !handed && !self.reads(e)
    }
}
