//! The roots from which pointers are computed.

use crate::checks::places;
use ir::expr::{Base, BinOp, Expr};
use ir::program::{Program, VarId};
use ir::types::Type;

/// An expression at a constant distance from a pointer.
pub(crate) enum Root {
    /// The value of a variable.
    Value(VarId),
    /// The start of a variable.
    Start(VarId),
}

/// The variable that is NULL if the condition holds.
pub(crate) fn null(condition: &Expr) -> Option<VarId> {
    let Expr::Binary(BinOp::Eq, l, r, _) = condition else { return None };
    match (&**l, &**r) {
        (Expr::Load(lv), zero) if zero.is_zero() && lv.ty.is_ptr() => lv.as_var(),
        _ => None,
    }
}

/// How many bytes pointer arithmetic moves by.
pub(crate) fn distance(program: &Program, e: &Expr) -> Option<i128> {
    let Expr::Binary(BinOp::PtrAdd, pointer, i, _) = e else { return None };
    let size = match pointer.ty().pointee()? {
        Type::Void | Type::Func(_) => 1,
        to => program.size_of(to)?,
    };
    i.as_const()?.checked_mul(i128::from(size))
}

/// The root of the pointer, and its constant distance from it in bytes.
pub(crate) fn root(program: &Program, e: &Expr) -> Option<(Root, i128)> {
    match e {
        Expr::Load(lv) => Some((Root::Value(lv.as_var()?), 0)),
        Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() => root(program, inner),
        Expr::AddrOf(lv) => {
            let (root, from) = match &lv.base {
                Base::Var(v) => (Root::Start(*v), 0),
                Base::Deref(pointer) => root(program, pointer)?,
            };
            Some((root, from.checked_add(places::offset(program, lv)?)?))
        }
        Expr::Binary(BinOp::PtrAdd, pointer, ..) => {
            let (root, from) = root(program, pointer)?;
            Some((root, from.checked_add(distance(program, e)?)?))
        }
        _ => None,
    }
}
