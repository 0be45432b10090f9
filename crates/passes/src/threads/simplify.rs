//! Expressions in which arguments stand in the place of formals.

use ir::expr::{Access, Base, Expr, Lvalue};
use ir::program::{Op, Program};
use ir::types::Type;

/// How many steps into an object are tried.
const DEPTH: usize = 8;

/// The operation with `*&x` read as `x`, whatever the casts between, where a part of `x` at its start has the type.
pub(super) fn op(program: &Program, op: Op) -> Op {
    let mut op = op.map(&mut |e| node(program, e));
    if let Some(dest) = op.destination_mut() {
        *dest = lvalue(program, dest.clone());
    }
    op
}

pub(super) fn expr(program: &Program, e: Expr) -> Expr {
    e.map(&mut |e| node(program, e))
}

fn node(program: &Program, e: Expr) -> Expr {
    match e {
        Expr::Load(lv) => lvalue(program, *lv).load(),
        Expr::AddrOf(lv) => lvalue(program, *lv).addr(),
        e => e,
    }
}

fn lvalue(program: &Program, lv: Lvalue) -> Lvalue {
    let Base::Deref(pointer) = &lv.base else { return lv };
    let ty = pointer.ty();
    let Some(start) = ty.pointee().and_then(|wanted| start(program, pointer, wanted)) else { return lv };
    let path = start.path.into_iter().chain(lv.path).collect();
    Lvalue { base: start.base, path, ty: lv.ty }
}

/// The part of a variable, of this type, to which the address leads.
pub(super) fn start(program: &Program, address: &Expr, wanted: &Type) -> Option<Lvalue> {
    let Expr::AddrOf(object) = without_casts(address) else { return None };
    part(program, (**object).clone(), wanted, DEPTH)
}

/// The pointer before conversions to other pointer types.
pub(super) fn without_casts(mut e: &Expr) -> &Expr {
    while let Expr::Cast(inner, Type::Ptr(_)) = e
        && inner.ty().is_ptr()
    {
        e = inner;
    }
    e
}

/// The part of this type at the start of the location.
fn part(program: &Program, lv: Lvalue, wanted: &Type, depth: usize) -> Option<Lvalue> {
    if lv.ty == *wanted {
        return Some(lv);
    }
    if depth == 0 {
        return None;
    }
    match lv.ty.clone() {
        Type::Array(elem, Some(n)) if n > 0 => {
            let first = lv.step(Access::Index(Expr::int(0)), (*elem).clone());
            part(program, first, wanted, depth - 1)
        }
        Type::Record(r) => {
            let fields = program.records[r].fields.iter().enumerate();
            let at_start = fields.filter(|(_, f)| f.offset == 0 && f.bit_offset.is_none());
            let mut parts = at_start.map(|(n, f)| lv.clone().step(Access::Field(r, n as u32), f.ty.clone()));
            parts.find_map(|lv| part(program, lv, wanted, depth - 1))
        }
        _ => None,
    }
}
