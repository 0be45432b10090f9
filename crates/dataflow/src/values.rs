//! Expressions of C-- as expressions over the tracked pointers: whether a pointer is NULL, whether a condition holds.
//!
//! Invariant: the value in an execution is one of those that the boolean expression can have. `*` says nothing.

use crate::Context;
use crate::slots::Slot;
use bp::Expr as Bool;
use ir::{Access, Base, BinOp, Expr, Lvalue, ProcId, Type, UnOp};

/// The pointer that an access goes through, without casts, offsets and members; `None` for memory that has a name.
pub(crate) fn root(mut e: &Expr) -> Option<&Expr> {
    loop {
        e = match e {
            Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() => inner,
            Expr::Binary(BinOp::PtrAdd, p, ..) => p,
            Expr::AddrOf(lv) => match &lv.base {
                Base::Var(_) => return None,
                Base::Deref(p) => p,
            },
            Expr::Func(..) => return None,
            _ => return Some(e),
        };
    }
}

impl Context<'_> {
    /// The slot that the lvalue certainly is.
    pub(crate) fn slot(&self, p: ProcId, lv: &Lvalue) -> Option<&Slot> {
        if !lv.ty.is_ptr() {
            return None;
        }
        if let Some(slot) = self.slots.named(lv) {
            return Some(slot);
        }
        let cell = self.oracle.cell(lv);
        self.slots.in_cell(cell, p).find(|s| self.oracle.must_alias(lv, &s.lvalue))
    }

    /// Whether the pointer is NULL.
    pub(crate) fn is_null(&self, p: ProcId, e: &Expr) -> Bool {
        match e {
            Expr::Const(v, _) => Bool::Const(self.is_zero_address(*v)),
            Expr::Func(..) => Bool::zero(),
            Expr::Load(lv) => self.slot(p, lv).map_or(Bool::Star, |s| Bool::var(s.name.clone())),
            Expr::AddrOf(lv) => match &lv.base {
                Base::Var(_) => Bool::zero(),
                Base::Deref(from) => {
                    let moved = self.moves(lv);
                    shifted(self.is_null(p, from), moved)
                }
            },
            Expr::Binary(BinOp::PtrAdd, from, i, _) => {
                let size = from.ty().pointee().and_then(|t| self.program.size_of(t));
                let moved = match (i.constant(), size) {
                    (Some(0), _) | (_, Some(0)) => Some(false),
                    (Some(_), _) => Some(true),
                    (None, _) => None,
                };
                shifted(self.is_null(p, from), moved)
            }
            Expr::Cast(inner, Type::Ptr(_)) => match inner.ty() {
                Type::Ptr(_) => self.is_null(p, inner),
                _ => self.is_null_number(p, inner),
            },
            _ => Bool::Star,
        }
    }

    /// Whether the integer, made a pointer, is NULL.
    fn is_null_number(&self, p: ProcId, e: &Expr) -> Bool {
        match e {
            Expr::Const(v, _) => Bool::Const(self.is_zero_address(*v)),
            Expr::Cast(inner, Type::Int(i)) if i.bits >= self.program.model.pointer_bits() => {
                match inner.ty() {
                    Type::Ptr(_) => self.is_null(p, inner),
                    Type::Int(from) if from.bits >= self.program.model.pointer_bits() => {
                        self.is_null_number(p, inner)
                    }
                    _ => Bool::Star,
                }
            }
            _ => Bool::Star,
        }
    }

    fn is_zero_address(&self, v: i128) -> bool {
        v & ((1i128 << self.program.model.pointer_bits()) - 1) == 0
    }

    /// Whether the location lies behind the start of its base; `None` when that depends.
    fn moves(&self, lv: &Lvalue) -> Option<bool> {
        let mut moved = Some(false);
        for access in &lv.path {
            let step = match access {
                Access::Field(r, n) => Some(0 < self.program.field(*r, *n).offset),
                Access::Index(i) => i.constant().map(|i| i != 0),
            };
            moved = match (moved, step) {
                (Some(false), step) => step,
                (moved, Some(false)) => moved,
                // Indices may be negative: two steps can lead back.
                (Some(true), Some(true)) if !lv.path.iter().any(|a| matches!(a, Access::Index(_))) => {
                    Some(true)
                }
                _ => None,
            };
        }
        moved
    }

    /// Whether the scalar is not zero.
    pub(crate) fn truth(&self, p: ProcId, e: &Expr) -> Bool {
        match e {
            Expr::Const(v, Type::Int(_)) => Bool::Const(*v != 0),
            Expr::Unary(UnOp::Not, inner, _) => Bool::not(self.truth(p, inner)),
            Expr::Binary(BinOp::And, l, r, _) => Bool::and([self.truth(p, l), self.truth(p, r)]),
            Expr::Binary(BinOp::Or, l, r, _) => Bool::or([self.truth(p, l), self.truth(p, r)]),
            Expr::Binary(BinOp::Eq, l, r, _) => self.equal(p, l, r),
            Expr::Binary(BinOp::Ne, l, r, _) => Bool::not(self.equal(p, l, r)),
            Expr::Cast(inner, Type::Int(_)) if inner.is_condition() => self.truth(p, inner),
            e if e.ty().is_ptr() => Bool::not(self.is_null(p, e)),
            _ => Bool::Star,
        }
    }

    fn equal(&self, p: ProcId, l: &Expr, r: &Expr) -> Bool {
        if l.ty().is_ptr() && r.ty().is_ptr() {
            return same(self.is_null(p, l), self.is_null(p, r));
        }
        match (l.constant(), r.constant()) {
            (Some(0), _) if truth_like(r) => Bool::not(self.truth(p, r)),
            (_, Some(0)) if truth_like(l) => Bool::not(self.truth(p, l)),
            _ => Bool::Star,
        }
    }
}

/// Whether the integer is zero exactly when a condition in it fails.
fn truth_like(e: &Expr) -> bool {
    match e {
        Expr::Cast(inner, Type::Int(_)) => truth_like(inner),
        e => e.is_condition(),
    }
}

/// Whether a pointer that was moved is NULL: NULL moves nowhere, and nothing moves to NULL.
fn shifted(from: Bool, moved: Option<bool>) -> Bool {
    match moved {
        Some(true) => Bool::zero(),
        Some(false) => from,
        None => Bool::and([from, Bool::Star]),
    }
}

/// Whether two pointers are equal, of which is known whether they are NULL.
fn same(l: Bool, r: Bool) -> Bool {
    match (l, r) {
        (Bool::Star, _) | (_, Bool::Star) => Bool::Star,
        (Bool::Const(true), e) | (e, Bool::Const(true)) => e,
        (Bool::Const(false), e) | (e, Bool::Const(false)) => Bool::and([Bool::not(e), Bool::Star]),
        (l, r) => {
            let neither = Bool::and([Bool::not(l.clone()), Bool::not(r.clone()), Bool::Star]);
            Bool::or([Bool::and([l, r]), neither])
        }
    }
}
