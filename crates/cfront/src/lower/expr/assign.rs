//! Assignments: simple, compound, increments, copies of records.

use super::{Ast, Ev, Place, Val};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Settings, Symbols};
use crate::types::parts::MAX_LEAVES;
use crate::types::table::Types;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::ThreadOp;
use ir::{BinOp, CheckKind, EdgeKind, Expr, Lvalue, Op, Type};
use lang_c::ast;

impl Context<'_> {
    /// `lhs = rhs`
    pub(super) fn assign(&mut self, lhs: &Ast, rhs: &Ast, span: Span, want: bool) -> Res<Ev> {
        let mut place = self.place(lhs)?;
        let at = self.symbols.span(lhs);
        place.lv = self.emitter.keep_lvalue(&self.types, &self.symbols, place.lv, &[rhs], at);
        let changed = place.clone();
        let value = self.assign_to(place, rhs, span, want)?;
        self.emitter.changed_by_name(&self.types, &changed, span);
        Ok(value)
    }

    /// Assigns the value of `rhs`; the statement's text is at `span`.
    pub(crate) fn assign_to(&mut self, place: Place, rhs: &Ast, span: Span, want: bool) -> Res<Ev> {
        let changed = self.is_changed_by(rhs, &place.ty.ty);
        self.in_order_to(rhs, changed, |cx| cx.assign_settled(place, rhs, span, want))
    }

    fn assign_settled(&mut self, place: Place, rhs: &Ast, span: Span, want: bool) -> Res<Ev> {
        match &place.ty.ty {
            Ty::Record(_) if place.ty.atomic && self.settings.uses.threads => {
                return unsupported(span, "assignments of atomic structures are not supported");
            }
            Ty::Record(_) => {
                let source = self.eval(rhs)?;
                return self.emitter.assign_record(&self.types, &self.symbols, place, source, span);
            }
            ty if !ty.is_scalar() => {
                return type_error(span, format!("{} cannot be assigned", ty.describe()));
            }
            _ => {}
        }
        if !want && self.store_on_branches(&place, rhs, span)? {
            return Ok(Ev::Void);
        }
        if self.store_directly(&place, rhs, span)? {
            return Ok(if want { stored(place) } else { Ev::Void });
        }
        let e = self.value_to(rhs, &place.ty.ty)?;
        let constant = matches!(e, Expr::Const(..) | Expr::Float(..));
        Ok(self.emitter.store(place, e, constant, span, want))
    }

    /// Calls, inputs and allocations whose result has the type of a plain variable go there at once.
    fn store_directly(&mut self, place: &Place, rhs: &Ast, span: Span) -> Res<bool> {
        let is_step = place.ty.atomic && self.settings.options.wants(CheckKind::Race);
        if !place.lv.is_fixed() || place.bit_field || is_step || self.order.is_known(rhs) {
            return Ok(false);
        }
        if place.ty.ty.pointee().is_some()
            && let Some(call) = self.symbols.allocation(&self.types, &self.emitter, &self.order, rhs)
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
        let at = self.symbols.span(lhs);
        place.lv = self.emitter.keep_lvalue(&self.types, &self.symbols, place.lv, &[rhs], at);
        let mut right = self.value(rhs)?;
        let atomic = self.emitter.begin_atomic(&place, span, |cx| right.e = cx.spill(right.e.clone(), span));
        let old = self.order.old(lhs).cloned();
        let new =
            self.emitter.operated(&self.types, &mut self.symbols, op, (old, &place, at), right, span)?;
        let e = self.emitter.convert(new, &place.ty.ty, span)?;
        let changed = place.clone();
        let stored = self.emitter.store(place, e, false, span, want);
        self.emitter.end_atomic(atomic, span);
        self.emitter.changed_by_name(&self.types, &changed, span);
        Ok(stored)
    }
}

impl Types {
    /// The error that the sides of an assignment do not fit each other.
    pub(crate) fn different_sides<T>(&self, types: &[&Ty], span: Span) -> Res<T> {
        self.refuse_vector(types, span, "the sides of the assignment have different types")
    }

    fn copy_ops(&self, settings: Settings<'_>, dst: &Lvalue, src: &Lvalue, ty: &Ty) -> Vec<Op> {
        // Members that nothing wrote may be copied, but not read.
        if settings.options.wants(ir::CheckKind::Uninit) {
            return vec![self.block_copy(dst, src, ty)];
        }
        let mut out = vec![];
        self.collect_copies(dst, src, ty, &mut out);
        if out.len() > MAX_LEAVES {
            return vec![self.block_copy(dst, src, ty)];
        }
        out
    }
}

impl Emitter<'_> {
    /// `++x`, `x--` and so on.
    pub(super) fn increment(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        place: Place,
        (by, pre): (i128, bool),
        span: Span,
        want: bool,
    ) -> Res<Ev> {
        let atomic = self.begin_atomic(&place, span, |_| ());
        let mut old = self.read(types, symbols, Ev::Place(place.clone()), span)?;
        let (op, one) = if by > 0 { (BinOp::Add, 1) } else { (BinOp::Sub, 1) };
        let kept = if want && !pre {
            let kept = self.spill(old.e.clone(), span);
            if self.settings.uses.threads {
                old.e = kept.clone();
            }
            Some(Val { e: kept, ty: old.ty.clone() })
        } else {
            None
        };
        let one = Val::int(one, IntTy::INT);
        if !matches!(old.ty, Ty::Int(_) | Ty::Float(_) | Ty::Ptr(_)) {
            return type_error(span, "this cannot be incremented");
        }
        // `--` on a _Bool flips it, `++` sets it: both are the conversion of the sum.
        let new = self.operate(types, op, old, one, span)?;
        let e = self.convert(new, &place.ty.ty, span)?;
        let changed = place.clone();
        let stored = self.store(place, e, false, span, want && pre);
        self.end_atomic(atomic, span);
        self.changed_by_name(types, &changed, span);
        Ok(kept.map_or(stored, Ev::Val))
    }

    /// Copies a record into another one.
    fn assign_record(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        mut place: Place,
        source: Ev,
        span: Span,
    ) -> Res<Ev> {
        let mut source = match source {
            Ev::Place(p) if p.ty.ty == place.ty.ty => p,
            Ev::Place(p) => return types.different_sides(&[&place.ty.ty, &p.ty.ty], span),
            _ => return types.different_sides(&[&place.ty.ty], span),
        };
        place.lv = self.keep_for_copy(place.lv, span);
        source.lv = self.keep_for_copy(source.lv, span);
        if source.ty.volatile && self.may_change_itself(symbols, &source.lv) {
            self.volatile_copy(types, symbols, &place.lv, &source.lv, &place.ty.ty, span)?;
        } else {
            self.copy_record_statement(types, &place.lv, &source.lv, &place.ty.ty, span);
        }
        Ok(Ev::Place(place))
    }

    /// The value that a compound assignment stores: the operator is applied to the old value of the place and
    /// to the right side.
    pub(crate) fn operated(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        op: BinOp,
        (old, place, at): (Option<Val>, &Place, Span),
        right: Val,
        span: Span,
    ) -> Res<Val> {
        let old = match old {
            Some(old) => old,
            None => self.read(types, symbols, Ev::Place(place.clone()), at)?,
        };
        self.operate(types, op, old, right, span)
    }

    /// Writes the value; what the assignment gives is what is read back, but for constants and volatile places.
    pub(super) fn store(&mut self, place: Place, e: Expr, constant: bool, span: Span, want: bool) -> Ev {
        // A bit-field's location has the type of its width.
        let mut e = e.cast(place.lv.ty.clone());
        // Others may change the place before it is read back, and what the value is made of before it is used again.
        let seen = want && self.settings.uses.threads;
        if seen {
            e = self.spill(e, span);
        }
        let atomic = self.begin_access(&place, span, |cx| e = cx.spill(e.clone(), span));
        self.statement(Op::Assign(place.lv.clone(), e.clone()), span);
        self.end_atomic(atomic, span);
        match want {
            false => Ev::Void,
            true if constant || place.ty.volatile || seen => Ev::Val(Val { e, ty: place.ty.ty }),
            true => stored(place),
        }
    }

    /// Begins an atomic section where other threads see the change of an atomic object as one step; operands
    /// evaluated before come first. Returns whether it has.
    fn begin_atomic(&mut self, place: &Place, span: Span, before: impl FnOnce(&mut Self)) -> bool {
        let atomic = self.settings.uses.threads && place.ty.atomic;
        if atomic {
            before(self);
            self.thread_step(ThreadOp::Begin, span);
        }
        atomic
    }

    /// The same for a single access, which is one step in any case: where races are checked, so that it counts
    /// as atomic.
    pub(super) fn begin_access(&mut self, place: &Place, span: Span, before: impl FnOnce(&mut Self)) -> bool {
        self.settings.options.wants(CheckKind::Race) && self.begin_atomic(place, span, before)
    }

    pub(super) fn end_atomic(&mut self, begun: bool, span: Span) {
        if begun {
            self.thread_step(ThreadOp::End, span);
        }
    }

    fn copy_record_statement(&mut self, types: &Types, dst: &Lvalue, src: &Lvalue, ty: &Ty, span: Span) {
        let ops = types.copy_ops(self.settings, dst, src, ty);
        for (n, op) in ops.into_iter().enumerate() {
            let kind = if n == 0 { EdgeKind::Statement } else { EdgeKind::Internal };
            self.fun.emit(op, span, kind);
        }
    }

    /// Copies a struct or union: its scalar members one by one, arrays and unions as blocks.
    pub(crate) fn copy_record(&mut self, types: &Types, dst: &Lvalue, src: &Lvalue, ty: &Ty, span: Span) {
        for op in types.copy_ops(self.settings, dst, src, ty) {
            self.internal(op, span);
        }
    }

    /// Makes the contents of a local arbitrary, as its declaration without initialiser does.
    /// `again`: the declaration may run more than once in an activation.
    pub(crate) fn havoc_object(&mut self, types: &Types, place: &Place, again: bool, span: Span) -> Res<()> {
        let kind = ir::HavocKind::Uninit;
        if place.ty.ty.is_scalar() {
            self.internal(Op::Havoc(place.lv.clone(), kind), span);
            return Ok(());
        }
        // An aggregate starts arbitrary in each activation; only a declaration that runs again must say so.
        if !again {
            return Ok(());
        }
        if let Some(leaves) = types.leaves(&place.lv, &place.ty.ty, false) {
            for (lv, _) in leaves {
                self.internal(Op::Havoc(lv, kind.clone()), span);
            }
            return Ok(());
        }
        let size = types.size_of(&place.ty.ty, span)?;
        if size == 0 {
            return Ok(());
        }
        // Arbitrary bytes come from a fresh object.
        let len = Expr::Const(i128::from(size), Type::Int(self.settings.size_ty().lower()));
        let fresh = self.temp(place.lv.ty.clone().ptr_to(), span);
        self.internal(
            Op::Alloc { dest: fresh.clone(), size: len.clone(), zeroed: false, may_fail: false },
            span,
        );
        let dst = types.address(place.lv.clone());
        self.internal(Op::MemCopy { dst, src: fresh.load(), len }, span);
        Ok(())
    }
}

fn stored(place: Place) -> Ev {
    Ev::Val(Val { ty: place.ty.ty.clone(), e: place.lv.load() })
}
