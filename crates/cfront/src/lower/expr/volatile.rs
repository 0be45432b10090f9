//! Reads of objects that may change by themselves: each gives the value stored last, or anything else. The
//! program has an edge for either, the stored value's first; analyses follow both, a concrete run may keep to
//! the first.
//!
//! A volatile object that the program defines only changes by the program's own doing, as threads, signals and
//! `longjmp` are refused: it is an ordinary object. A value read at a fixed address or from an object that is
//! defined nowhere is an input. A pointer may lead to either, so that the value read may be anything, and no
//! error depends on it.

use super::Place;
use crate::error::{Res, unsupported};
use crate::lower::context::{Emitter, Symbols};
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::{Id, Span};
use ir::{BinOp, EdgeKind, Expr, HavocKind, LocId, Lvalue, Op, Type, VarKind};

/// The name of the value in traces.
const CHANGED: &str = "a read of volatile memory";

impl Emitter<'_> {
    /// Whether a read of the volatile location may give something else than what was stored there.
    pub(crate) fn may_change_itself(&self, symbols: &Symbols<'_>, lv: &Lvalue) -> bool {
        self.changes(symbols, lv).is_some()
    }

    /// The source of another value; `None` where there is none.
    fn changes(&self, symbols: &Symbols<'_>, lv: &Lvalue) -> Option<HavocKind> {
        let everywhere = self.settings.options.volatile_havoc;
        let input = match &lv.base {
            ir::Base::Var(v) => {
                let global = self.vars.get(v.index()).is_some_and(|v| v.kind == VarKind::Global);
                let outside = || symbols.objects.iter().any(|o| o.var == Some(*v) && !o.defined);
                if !global || !(everywhere || outside()) {
                    return None;
                }
                true
            }
            ir::Base::Deref(e) => everywhere || is_number(e),
        };
        let kind = if input { HavocKind::Outside } else { HavocKind::Unmodelled };
        Some(kind(CHANGED.into()))
    }

    /// The value of a volatile scalar.
    pub(super) fn volatile_read(&mut self, symbols: &Symbols<'_>, lv: Lvalue, ty: Type, span: Span) -> Expr {
        let t = self.temp(ty, span);
        let (from, to) = (self.fun.cur, self.fun.new_loc());
        let kind = self.changes(symbols, &lv).unwrap_or(HavocKind::Outside(CHANGED.into()));
        let stored = Op::Assign(t.clone(), lv.load());
        let changed = Op::Havoc(t.clone(), kind);
        self.fun.edge(from, to, stored, span, EdgeKind::Internal);
        self.fun.edge(from, to, changed, span, EdgeKind::Internal);
        self.fun.cur = to;
        t.load()
    }

    /// Copies a struct or union that is read as a value.
    pub(crate) fn copy_read(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        dst: &Lvalue,
        src: &Place,
        span: Span,
    ) -> Res<()> {
        if src.ty.volatile && self.may_change_itself(symbols, &src.lv) {
            return self.volatile_copy(types, symbols, dst, &src.lv, &src.ty.ty, span);
        }
        self.copy_record(types, dst, &src.lv, &src.ty.ty, span);
        Ok(())
    }

    /// Copies an object that may change by itself, scalar by scalar; unions and arrays as blocks.
    pub(super) fn volatile_copy(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        dst: &Lvalue,
        src: &Lvalue,
        ty: &Ty,
        span: Span,
    ) -> Res<()> {
        match ty {
            Ty::Record(r) if !types.records[*r].is_union => {
                let mut members = types.member_pairs(dst, src, ty).into_iter();
                members.try_for_each(|(d, s, ty)| self.volatile_copy(types, symbols, &d, &s, &ty, span))
            }
            // A flexible member is not part of the value.
            Ty::Array(_, None) => Ok(()),
            Ty::Record(_) | Ty::Array(..) => self.volatile_block(types, symbols, dst, src, ty, span),
            _ => {
                let e = self.volatile_read(symbols, src.clone(), dst.ty.clone(), span);
                self.statement(Op::Assign(dst.clone(), e), span);
                Ok(())
            }
        }
    }

    /// Bytes are copied, or arbitrary ones from a fresh object are.
    fn volatile_block(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        dst: &Lvalue,
        src: &Lvalue,
        ty: &Ty,
        span: Span,
    ) -> Res<()> {
        let size = types.size_of(ty, span)?;
        let kind = self.changes(symbols, src).unwrap_or(HavocKind::Outside(CHANGED.into()));
        let to = self.fun.new_loc();
        let from = self.block_branch(&kind, span);
        let stored = types.block_copy(dst, src, ty);
        self.fun.edge(from, to, stored, span, EdgeKind::Statement);
        let fresh = self.temp(dst.ty.clone().ptr_to(), span);
        let size = Expr::Const(i128::from(size), Type::Int(self.settings.size_ty().lower()));
        self.internal(Op::Alloc { dest: fresh.clone(), size, zeroed: false, may_fail: false }, span);
        let fresh = Lvalue::deref(fresh.load());
        let mut pointers = vec![];
        if types.pointers_in(fresh.clone(), ty, &mut pointers).is_none() {
            return unsupported(span, "copies of volatile arrays with that many pointers are not supported");
        }
        for pointer in pointers {
            self.internal(Op::Havoc(pointer, kind.clone()), span);
        }
        let changed = types.block_copy(dst, &fresh, ty);
        let last = self.fun.cur;
        self.fun.edge(last, to, changed, span, EdgeKind::Internal);
        self.fun.cur = to;
        Ok(())
    }

    /// The location where the copy of the stored bytes begins; the other one begins here. Bytes have no kind of
    /// their own, so that the choice names their source.
    fn block_branch(&mut self, kind: &HavocKind, span: Span) -> LocId {
        if !matches!(kind, HavocKind::Unmodelled(_)) {
            return self.fun.cur;
        }
        let changed = self.havoc_temp(Type::INT, kind.clone(), span);
        let (stored, other) = (self.fun.new_loc(), self.fun.new_loc());
        self.branch(Expr::binary(BinOp::Ne, changed, Expr::int(0)), other, stored, span);
        self.fun.cur = other;
        stored
    }
}

/// Whether a pointer is made of a number.
fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Const(..) => true,
        Expr::Cast(inner, _) => !inner.ty().is_ptr() || is_number(inner),
        _ => false,
    }
}
