//! Assignments: simple, compound, increments, copies of records.

use super::{Ast, Ev, Place, Val};
use crate::cx::Cx;
use crate::layout::Member;
use crate::options::Res;
use crate::ty::{IntTy, Ty};
use base::{Id, Span};
use ir::ThreadOp;
use ir::{Access, BinOp, CheckKind, EdgeKind, Expr, Field, Lvalue, Op, Type};
use lang_c::ast;

/// Aggregates with at most this many scalar members are copied and zeroed member by member.
pub(crate) const MAX_LEAVES: usize = 64;

impl Cx<'_> {
    /// `lhs = rhs`
    pub(super) fn assign(&mut self, lhs: &Ast, rhs: &Ast, span: Span, want: bool) -> Res<Ev> {
        let mut place = self.place(lhs)?;
        let at = self.span(lhs);
        place.lv = self.keep_lvalue(place.lv, &[rhs], at);
        let changed = place.clone();
        let value = self.assign_to(place, rhs, span, want)?;
        self.changed_by_name(&changed, span);
        Ok(value)
    }

    /// Assigns the value of `rhs`; the statement's text is at `span`.
    pub(crate) fn assign_to(&mut self, place: Place, rhs: &Ast, span: Span, want: bool) -> Res<Ev> {
        let changed = self.is_changed_by(rhs, &place.ty.ty);
        self.in_order_to(rhs, changed, |cx| cx.assign_settled(place, rhs, span, want))
    }

    fn assign_settled(&mut self, mut place: Place, rhs: &Ast, span: Span, want: bool) -> Res<Ev> {
        match &place.ty.ty {
            Ty::Record(_) if place.ty.atomic && self.starts_threads => {
                return self.unsupported(span, "assignments of atomic structures are not supported");
            }
            Ty::Record(_) => {
                let mut source = match self.eval(rhs)? {
                    Ev::Place(p) if p.ty.ty == place.ty.ty => p,
                    Ev::Place(p) => return self.different_sides(&[&place.ty.ty, &p.ty.ty], span),
                    _ => return self.different_sides(&[&place.ty.ty], span),
                };
                place.lv = self.keep_for_copy(place.lv, span);
                source.lv = self.keep_for_copy(source.lv, span);
                if source.ty.volatile && self.may_change_itself(&source.lv) {
                    self.volatile_copy(&place.lv, &source.lv, &place.ty.ty, span)?;
                } else {
                    self.copy_record_statement(&place.lv, &source.lv, &place.ty.ty, span);
                }
                return Ok(Ev::Place(place));
            }
            ty if !ty.is_scalar() => {
                return self.type_error(span, format!("{} cannot be assigned", ty.describe()));
            }
            _ => {}
        }
        if !want && self.store_on_branches(&place, rhs, span)? {
            return Ok(Ev::Void);
        }
        if self.store_directly(&place, rhs, span)? {
            return Ok(if want { self.stored(place) } else { Ev::Void });
        }
        let e = self.value_to(rhs, &place.ty.ty)?;
        let constant = matches!(e, Expr::Const(..) | Expr::Float(..));
        Ok(self.store(place, e, constant, span, want))
    }

    /// The error that the sides of an assignment do not fit each other.
    pub(crate) fn different_sides<T>(&self, types: &[&Ty], span: Span) -> Res<T> {
        self.refuse_bundle(types, span, "the sides of the assignment have different types")
    }

    fn stored(&self, place: Place) -> Ev {
        Ev::Val(Val { ty: place.ty.ty.clone(), e: place.lv.load() })
    }

    /// Calls, inputs and allocations whose result has the type of a plain variable go there at once.
    fn store_directly(&mut self, place: &Place, rhs: &Ast, span: Span) -> Res<bool> {
        let is_step = place.ty.atomic && self.opts.wants(CheckKind::Race);
        if !place.lv.is_fixed() || place.bit_field || is_step || self.order.is_known(rhs) {
            return Ok(false);
        }
        if place.ty.ty.pointee().is_some()
            && let Some(call) = self.allocation(rhs)
        {
            self.allocate(call, &place.lv, span)?;
            return Ok(true);
        }
        let ast::Expression::Call(call) = &rhs.node else { return Ok(false) };
        self.call_into(&call.node, place, span)
    }

    /// `lhs op= rhs`
    pub(super) fn compound_assign(
        &mut self,
        op: BinOp,
        lhs: &Ast,
        rhs: &Ast,
        span: Span,
        want: bool,
    ) -> Res<Ev> {
        let mut place = self.place(lhs)?;
        let at = self.span(lhs);
        place.lv = self.keep_lvalue(place.lv, &[rhs], at);
        let mut right = self.value(rhs)?;
        let atomic = self.begin_atomic(&place, span, |cx| right.e = cx.spill(right.e.clone(), span));
        let new = self.operated(op, (lhs, &place, at), right, span)?;
        let e = self.convert(new, &place.ty.ty, span)?;
        let changed = place.clone();
        let stored = self.store(place, e, false, span, want);
        self.end_atomic(atomic, span);
        self.changed_by_name(&changed, span);
        Ok(stored)
    }

    /// The value that a compound assignment stores: the operator is applied to the old value of the place and
    /// to the right side.
    pub(crate) fn operated(
        &mut self,
        op: BinOp,
        (lhs, place, at): (&Ast, &Place, Span),
        right: Val,
        span: Span,
    ) -> Res<Val> {
        let old = match self.order.old(lhs).cloned() {
            Some(old) => old,
            None => self.read(Ev::Place(place.clone()), at)?,
        };
        self.operate(op, old, right, span)
    }

    /// Writes the value; what the assignment gives is what is read back, but for constants and volatile places.
    pub(super) fn store(&mut self, place: Place, e: Expr, constant: bool, span: Span, want: bool) -> Ev {
        // A bit-field's location has the type of its width.
        let mut e = e.cast(place.lv.ty.clone());
        // Others may change the place before it is read back, and what the value is made of before it is used again.
        let seen = want && self.starts_threads;
        if seen {
            e = self.spill(e, span);
        }
        let atomic = self.begin_access(&place, span, |cx| e = cx.spill(e.clone(), span));
        self.statement(Op::Assign(place.lv.clone(), e.clone()), span);
        self.end_atomic(atomic, span);
        match want {
            false => Ev::Void,
            true if constant || place.ty.volatile || seen => Ev::Val(Val { e, ty: place.ty.ty }),
            true => self.stored(place),
        }
    }

    /// `++x`, `x--` and so on.
    pub(super) fn increment(&mut self, e: &Ast, by: i128, pre: bool, span: Span, want: bool) -> Res<Ev> {
        let place = self.place(e)?;
        let atomic = self.begin_atomic(&place, span, |_| ());
        let mut old = self.read(Ev::Place(place.clone()), span)?;
        let (op, one) = if by > 0 { (BinOp::Add, 1) } else { (BinOp::Sub, 1) };
        let kept = if want && !pre {
            let kept = self.spill(old.e.clone(), span);
            if self.starts_threads {
                old.e = kept.clone();
            }
            Some(Val { e: kept, ty: old.ty.clone() })
        } else {
            None
        };
        let one = Val::int(one, IntTy::INT);
        if !matches!(old.ty, Ty::Int(_) | Ty::Float(_) | Ty::Ptr(_)) {
            return self.type_error(span, "this cannot be incremented");
        }
        // `--` on a _Bool flips it, `++` sets it: both are the conversion of the sum.
        let new = self.operate(op, old, one, span)?;
        let e = self.convert(new, &place.ty.ty, span)?;
        let changed = place.clone();
        let stored = self.store(place, e, false, span, want && pre);
        self.end_atomic(atomic, span);
        self.changed_by_name(&changed, span);
        Ok(kept.map_or(stored, Ev::Val))
    }

    /// Begins an atomic section where other threads see the change of an atomic object as one step; operands
    /// evaluated before come first. Returns whether it has.
    fn begin_atomic(&mut self, place: &Place, span: Span, before: impl FnOnce(&mut Self)) -> bool {
        let atomic = self.starts_threads && place.ty.atomic;
        if atomic {
            before(self);
            self.thread_step(ThreadOp::Begin, span);
        }
        atomic
    }

    /// The same for a single access, which is one step in any case: where races are checked, so that it counts
    /// as atomic.
    pub(super) fn begin_access(&mut self, place: &Place, span: Span, before: impl FnOnce(&mut Self)) -> bool {
        self.opts.wants(CheckKind::Race) && self.begin_atomic(place, span, before)
    }

    pub(super) fn end_atomic(&mut self, begun: bool, span: Span) {
        if begun {
            self.thread_step(ThreadOp::End, span);
        }
    }

    /// The scalar members of a type, in order; `None` when there are too many, or unions or arrays among them
    /// that are not taken apart.
    pub(crate) fn leaves(&self, lv: &Lvalue, ty: &Ty, arrays: bool) -> Option<Vec<(Lvalue, Ty)>> {
        let mut out = vec![];
        self.collect_leaves(lv.clone(), ty, arrays, &mut out)?;
        Some(out)
    }

    fn collect_leaves(&self, lv: Lvalue, ty: &Ty, arrays: bool, out: &mut Vec<(Lvalue, Ty)>) -> Option<()> {
        match ty {
            Ty::Array(..) if !arrays => None,
            Ty::Record(_) | Ty::Array(..) => {
                let mut parts = self.parts_of(&lv, ty)?.into_iter();
                parts.try_for_each(|(lv, ty)| self.collect_leaves(lv, &ty, arrays, out))
            }
            _ => {
                out.push((lv, ty.clone()));
                (out.len() <= MAX_LEAVES).then_some(())
            }
        }
    }

    fn copy_record_statement(&mut self, dst: &Lvalue, src: &Lvalue, ty: &Ty, span: Span) {
        let ops = self.copy_ops(dst, src, ty);
        for (n, op) in ops.into_iter().enumerate() {
            let kind = if n == 0 { EdgeKind::Statement } else { EdgeKind::Internal };
            self.fun.emit(op, span, kind);
        }
    }

    /// Copies a struct or union: its scalar members one by one, arrays and unions as blocks.
    pub(crate) fn copy_record(&mut self, dst: &Lvalue, src: &Lvalue, ty: &Ty, span: Span) {
        for op in self.copy_ops(dst, src, ty) {
            self.internal(op, span);
        }
    }

    fn copy_ops(&mut self, dst: &Lvalue, src: &Lvalue, ty: &Ty) -> Vec<Op> {
        // Members that nothing wrote may be copied, but not read.
        if self.opts.wants(ir::CheckKind::Uninit) {
            return vec![self.block_copy(dst, src, ty)];
        }
        let mut out = vec![];
        self.collect_copies(dst, src, ty, &mut out);
        if out.len() > MAX_LEAVES {
            return vec![self.block_copy(dst, src, ty)];
        }
        out
    }

    fn collect_copies(&mut self, dst: &Lvalue, src: &Lvalue, ty: &Ty, out: &mut Vec<Op>) {
        if out.len() > MAX_LEAVES {
            return;
        }
        match ty {
            Ty::Record(r) if !self.records[*r].is_union => {
                for (d, s, ty) in self.member_pairs(dst, src, ty) {
                    self.collect_copies(&d, &s, &ty, out);
                }
            }
            // A flexible member is not part of the value.
            Ty::Array(_, None) => {}
            Ty::Record(_) | Ty::Array(..) => {
                let op = self.block_copy(dst, src, ty);
                out.push(op);
            }
            _ => out.push(Op::Assign(dst.clone(), src.clone().load())),
        }
    }

    /// The members of a struct, or the elements of a short array, with their types; `None` for what cannot be taken apart.
    pub(crate) fn parts_of(&self, lv: &Lvalue, ty: &Ty) -> Option<Vec<(Lvalue, Ty)>> {
        match ty {
            Ty::Record(r) if !self.records[*r].is_union => {
                let members = self.members[r.index()].iter().zip(&self.records[*r].fields).enumerate();
                let part = |(n, (member, field)): (usize, (&Member, &Field))| {
                    (lv.clone().step(Access::Field(*r, n as u32), field.ty.clone()), member.ty.ty.clone())
                };
                Some(members.map(part).collect())
            }
            Ty::Array(elem, Some(n)) if *n <= MAX_LEAVES as u64 => {
                let element = |i| lv.clone().step(Access::Index(Expr::int(i128::from(i))), elem.ty.lower());
                Some((0..*n).map(|i| (element(i), elem.ty.clone())).collect())
            }
            _ => None,
        }
    }

    /// The members of two places of the same struct, with their type.
    pub(super) fn member_pairs(&self, dst: &Lvalue, src: &Lvalue, ty: &Ty) -> Vec<(Lvalue, Lvalue, Ty)> {
        let (to, from) = (self.parts_of(dst, ty), self.parts_of(src, ty));
        let pairs = to.into_iter().flatten().zip(from.into_iter().flatten());
        pairs.map(|((to, ty), (from, _))| (to, from, ty)).collect()
    }

    pub(super) fn block_copy(&mut self, dst: &Lvalue, src: &Lvalue, ty: &Ty) -> Op {
        let size = ty.lower().size(&self.records, self.model).unwrap_or(0);
        let len = Expr::Const(i128::from(size), Type::Int(self.size_ty().lower()));
        Op::MemCopy { dst: self.address(dst.clone()), src: self.address(src.clone()), len }
    }

    /// Makes the contents of a local arbitrary, as its declaration without initialiser does.
    /// `again`: the declaration may run more than once in an activation.
    pub(crate) fn havoc_object(&mut self, place: &Place, again: bool, span: Span) -> Res<()> {
        let kind = ir::HavocKind::Uninit;
        if place.ty.ty.is_scalar() {
            self.internal(Op::Havoc(place.lv.clone(), kind), span);
            return Ok(());
        }
        // An aggregate starts arbitrary in each activation; only a declaration that runs again must say so.
        if !again {
            return Ok(());
        }
        if let Some(leaves) = self.leaves(&place.lv, &place.ty.ty, false) {
            for (lv, _) in leaves {
                self.internal(Op::Havoc(lv, kind.clone()), span);
            }
            return Ok(());
        }
        let size = self.size_of(&place.ty.ty, span)?;
        if size == 0 {
            return Ok(());
        }
        // Arbitrary bytes come from a fresh object.
        let len = Expr::Const(i128::from(size), Type::Int(self.size_ty().lower()));
        let fresh = self.temp(place.lv.ty.clone().ptr_to(), span);
        self.internal(
            Op::Alloc { dest: fresh.clone(), size: len.clone(), zeroed: false, may_fail: false },
            span,
        );
        let dst = self.address(place.lv.clone());
        self.internal(Op::MemCopy { dst, src: fresh.load(), len }, span);
        Ok(())
    }
}
