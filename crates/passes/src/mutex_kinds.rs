//! Kinds of mutexes: an initialiser gives a number of the C library, the models of locks know their own.

use base::Span;
use ir::{Access, Edge, Expr, Location, Lvalue, Op, Program, Type};

/// The factor of the number that encodes the kind of a mutex in the models of mutexes of several kinds.
const KIND_UNIT: i128 = 4096;
/// The record of a mutex, and its member with the kind of the mutex.
const MUTEX: &str = "__pthread_mutex_s";
const KIND_MEMBER: &str = "__kind";

/// Mutexes that get a kind by their initialisers get the number by which the models know it.
///
/// # Errors
/// The place of an initialiser whose mutex the models do not know, if these are not those of all kinds.
pub fn set_kinds(program: &mut Program, all: bool) -> Result<(), Span> {
    let lock = |program: &Program, lv: &Lvalue| {
        let at = lv.path.iter().position(|access| match access {
            Access::Field(r, n) => {
                program.records[*r].name.starts_with(MUTEX) && program.field(*r, *n).name == KIND_MEMBER
            }
            Access::Index(_) => false,
        })?;
        let Access::Field(r, _) = lv.path[at] else { return None };
        let path = lv.path[..at].iter().cloned().chain([Access::Field(r, 0)]).collect();
        Some(Lvalue { base: lv.base.clone(), path, ty: program.field(r, 0).ty.clone() })
    };
    for p in program.procs.ids() {
        for e in program.procs[p].edges.ids() {
            let edge = &program.procs[p].edges[e];
            let Op::Assign(lv, value) = &edge.op else { continue };
            let Some(lock) = lock(program, lv).filter(|_| !value.is_zero()) else { continue };
            let kind = match value {
                // One that spins before it blocks is like the default.
                Expr::Const(3, _) => continue,
                Expr::Const(kind @ 1..=2, _) if all && lock.ty == Type::INT => *kind,
                _ => return Err(edge.span),
            };
            let (dst, span) = (edge.dst, edge.span);
            let proc = &mut program.procs[p];
            let between = proc.locations.push(Location { span, labels: vec![], loop_head: false });
            proc.edges[e].dst = between;
            let op = Op::Assign(lock.clone(), Expr::Const(kind * KIND_UNIT, lock.ty));
            proc.edges.push(Edge { src: between, dst, op, ..proc.edges[e].clone() });
        }
    }
    Ok(())
}
