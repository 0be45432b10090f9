//! Pointers without a value. A rule about one object at a time compares two pointers; where a program reads a
//! local pointer that was never set, C leaves everything open, and an error that depends on two such pointers
//! being equal by chance is useless. Such a pointer is NULL or points to an object of its own, like the pointer
//! arguments of an entry function.

use ir::visit;
use ir::{Edge, Expr, HavocKind, LocId, Op, Proc, ProcId, Program, VarId};
use std::collections::BTreeSet;

/// How much memory a pointer to something without a size gets.
const UNKNOWN_SIZE: u64 = 256;

/// The program with an object for each local pointer that may be read before it is set.
pub fn own_objects(program: &mut Program) {
    let mut found: Vec<(ProcId, ir::EdgeId, VarId)> = vec![];
    for (p, proc) in program.procs.iter_enumerated() {
        let mut leaving = None;
        for (e, edge) in proc.edges.iter_enumerated() {
            let Op::Havoc(lv, HavocKind::Uninit) = &edge.op else { continue };
            let Some(v) = lv.as_var().filter(|_| lv.ty.is_ptr()) else { continue };
            let leaving = leaving.get_or_insert_with(|| proc.successors());
            if is_read(proc, edge.dst, v, leaving) {
                found.push((p, e, v));
            }
        }
    }
    for (p, e, v) in found {
        let size =
            program.vars[v].ty.pointee().and_then(|t| program.size_of(t)).unwrap_or(UNKNOWN_SIZE).max(1);
        let ty = ir::Type::Int(ir::IntType { bits: program.model.pointer_bits(), signed: false });
        let size = Expr::Const(size.into(), ty);
        let dest = program.lvalue(v);
        program.procs[p].edges[e].op = Op::Alloc { dest, size, zeroed: false, may_fail: true };
    }
}

/// Whether the variable may be read from here on before it is set.
fn is_read(proc: &Proc, from: LocId, v: VarId, leaving: &base::IndexVec<LocId, Vec<ir::EdgeId>>) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::from([from]));
    while let Some(at) = open.pop() {
        for e in &leaving[at] {
            let edge = &proc.edges[*e];
            if mentions(edge, v) {
                return true;
            }
            let sets = edge.op.destination().and_then(|lv| lv.as_var()) == Some(v);
            if !sets && seen.insert(edge.dst) {
                open.push(edge.dst);
            }
        }
    }
    false
}

/// Whether the edge reads the variable or takes its address.
fn mentions(edge: &Edge, v: VarId) -> bool {
    let mut found = false;
    visit::nodes(&edge.op, &mut |node| {
        if let Expr::Load(lv) | Expr::AddrOf(lv) = node {
            // The end of its life is no use.
            found |= lv.base == ir::Base::Var(v) && edge.op.ends() != Some(v);
        }
    });
    found
}
