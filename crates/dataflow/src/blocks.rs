//! Block operations: zeroing and copying of whole records is exact for the pointers in them, everything else makes the
//! pointers in the bytes arbitrary.

use crate::Context;
use crate::slots::Slot;
use crate::statements::Values;
use bp::Expr as Bool;
use ir::{Base, EdgeId, Expr, Lvalue, Op, ProcId, Type, VarId};

/// New values behind a block operation.
pub(crate) fn written(cx: &Context<'_>, p: ProcId, e: EdgeId) -> Values {
    let known = match &cx.program.procs[p].edges[e].op {
        Op::MemSet { ptr, byte: Expr::Const(0, _), len } => {
            whole(cx, ptr, len).map(|v| cx.slots.of(v).map(|s| (s.ident(), Bool::one())).collect())
        }
        Op::MemCopy { dst, src, len } => copied(cx, dst, src, len),
        _ => None,
    };
    known.unwrap_or_else(|| {
        let cells = cx.oracle.edge_mods(p, e);
        let lost = cx.slots.in_scope(p).filter(|s| cells.contains(s.cell));
        lost.map(|s| (s.ident(), Bool::Star)).collect()
    })
}

/// The variable all of whose bytes, and no others, are meant.
fn whole(cx: &Context<'_>, ptr: &Expr, len: &Expr) -> Option<VarId> {
    let v = named(ptr)?;
    let Expr::Const(len, _) = len else { return None };
    let size = cx.program.size_of(&cx.program.vars[v].ty)?;
    (*len == i128::from(size)).then_some(v)
}

/// The variable that the pointer is the address of.
fn named(mut ptr: &Expr) -> Option<VarId> {
    while let Expr::Cast(inner, Type::Ptr(_)) = ptr {
        ptr = inner;
    }
    let Expr::AddrOf(lv) = ptr else { return None };
    match lv.base {
        Base::Var(v) if lv.path.is_empty() => Some(v),
        _ => None,
    }
}

/// A record variable becomes a copy of another one.
fn copied(cx: &Context<'_>, dst: &Expr, src: &Expr, len: &Expr) -> Option<Values> {
    let (to, from) = (whole(cx, dst, len)?, whole(cx, src, len)?);
    if cx.program.vars[to].ty != cx.program.vars[from].ty {
        return None;
    }
    let value = |s: &Slot| {
        let same = Lvalue { base: Base::Var(from), ..s.lvalue.clone() };
        cx.slots.named(&same).map_or(Bool::Star, |s| Bool::var(s.name.clone()))
    };
    Some(cx.slots.of(to).map(|s| (s.ident(), value(s))).collect())
}
