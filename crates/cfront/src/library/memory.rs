//! Functions that allocate, free, fill and copy memory, and the object behind `errno`.

use crate::error::Res;
use crate::library::intrinsics::{Alloc, Intrinsic, wrong_arguments};
use crate::lower::context::{Context, Emitter, StaticInit, Symbols};
use crate::lower::expr::{Ast, Ev, Val};
use crate::lower::order::Order;
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::Span;
use ir::extent::at_most;
use ir::{BinOp, EdgeKind, Expr, HavocKind, LocId, Lvalue, Op, Type, VarId};
use lang_c::ast;

/// The bytes of a page.
const PAGE: i128 = 4096;

impl Context<'_> {
    /// Emits an allocation whose address goes to `dest`.
    pub(crate) fn allocate(&mut self, c: &ast::CallExpression, dest: &Lvalue, span: Span) -> Res<()> {
        let (name, f) = self.symbols.named_callee(c).expect("allocation found a name");
        let Some(Intrinsic::Alloc(kind)) = self.symbols.intrinsic(&self.types, name, f) else {
            panic!("allocation found this function")
        };
        let size_ty = Ty::Int(self.settings.size_ty());
        let (Some(first), second) = (c.arguments.first(), c.arguments.get(1)) else {
            return wrong_arguments(name, span);
        };
        let mut value = self.value_to(first, &size_ty)?;
        let mut align = (kind == Alloc::OfPages).then(|| Expr::Const(PAGE, size_ty.lower()));
        if matches!(kind, Alloc::Aligned | Alloc::Zeroed) {
            let Some(second) = second else { return wrong_arguments(name, span) };
            let before = self.emitter.keep(&self.types, &self.symbols, value, &[second], span);
            value = self.value_to(second, &size_ty)?;
            if kind == Alloc::Zeroed {
                return self.emitter.allocate_zeroed(before, value, dest, span);
            }
            align = Some(self.emitter.spill(before, span));
        }
        self.emitter.allocate_as(&self.symbols, kind, (value, align), dest, span);
        Ok(())
    }

    fn pointer_argument(&mut self, a: &Ast, later: &[&Ast]) -> Res<Val> {
        let span = self.symbols.span(a);
        let v = self.value(a)?;
        if v.ty.pointee().is_none() {
            let e = self.emitter.convert(v, &Ty::void_ptr(), span)?;
            return Ok(Val {
                e: self.emitter.keep(&self.types, &self.symbols, e, later, span),
                ty: Ty::void_ptr(),
            });
        }
        Ok(Val { e: self.emitter.keep(&self.types, &self.symbols, v.e, later, span), ty: v.ty })
    }

    pub(crate) fn mem_set(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let [p, byte, len, ..] = &c.arguments[..] else { return wrong_arguments(name, span) };
        let to = self.pointer_argument(p, &[byte, len])?;
        let b = self.value_to(byte, &Ty::INT)?;
        let b = self.emitter.keep(&self.types, &self.symbols, b, &[len], span);
        let n = self.value_to(len, &Ty::Int(self.settings.size_ty()))?;
        self.emitter.set_bytes(to, b, n, span)
    }

    pub(crate) fn mem_copy(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let [dst, src, len, ..] = &c.arguments[..] else { return wrong_arguments(name, span) };
        let to = self.pointer_argument(dst, &[src, len])?;
        let from = self.pointer_argument(src, &[len])?;
        let n = self.value_to(len, &Ty::Int(self.settings.size_ty()))?;
        self.emitter.copy_bytes(name, [to, from], n, span)
    }
}

impl Symbols<'_> {
    /// The call when the expression is one of an allocation function, casts to pointers aside.
    pub(crate) fn allocation<'e>(
        &self,
        types: &Types,
        emitter: &Emitter<'_>,
        order: &Order,
        e: &'e Ast,
    ) -> Option<&'e ast::CallExpression> {
        match &e.node {
            _ if order.is_known(e) => None,
            ast::Expression::Cast(c) => {
                let pointer = c.node.type_name.node.declarator.as_ref().is_some_and(|d| {
                    d.node.derived.iter().any(|d| matches!(d.node, ast::DerivedDeclarator::Pointer(_)))
                });
                if pointer { self.allocation(types, emitter, order, &c.node.expression) } else { None }
            }
            ast::Expression::Call(c) => {
                let (name, f) = self.named_callee(&c.node)?;
                let allocates = matches!(self.intrinsic(types, name, f), Some(Intrinsic::Alloc(_)));
                (allocates && !emitter.is_marked(self, name)).then_some(&c.node)
            }
            _ => None,
        }
    }
}

impl Emitter<'_> {
    /// Emits an allocation of `value` bytes, at a multiple of `align`.
    fn allocate_as(
        &mut self,
        symbols: &Symbols<'_>,
        kind: Alloc,
        (value, align): (Expr, Option<Expr>),
        dest: &Lvalue,
        span: Span,
    ) {
        let may_fail =
            self.settings.options.malloc_may_fail && kind != Alloc::Stack && !symbols.in_harness(span);
        if kind == Alloc::Stack || symbols.in_harness(span) {
            // Memory on the stack must not be freed: such allocations are internal.
            let edge = if kind == Alloc::Stack { EdgeKind::Internal } else { EdgeKind::Statement };
            let op = Op::Alloc { dest: dest.clone(), size: value, zeroed: false, may_fail };
            self.fun.emit(op, span, edge);
            return;
        }
        self.allocate_bytes(value, false, dest, span);
        // Fewer bytes than C libraries align everything to say nothing.
        if let Some(align) = align.filter(|e| e.as_const().is_none_or(|n| n > 16)) {
            let args = vec![dest.clone().load(), align];
            self.internal(ir::Output::Aligned.op(args), span);
        }
        if may_fail {
            self.may_set_errno(span);
        }
    }

    /// Gives bytes a value; the result is the pointer to them.
    fn set_bytes(&mut self, to: Val, b: Expr, n: Expr, span: Span) -> Res<Ev> {
        self.changed_block(&to.e, &n, span);
        self.statement(Op::MemSet { ptr: to.e.clone(), byte: b, len: n }, span);
        let e = self.convert(to, &Ty::void_ptr(), span)?;
        Ok(Ev::Val(Val { e, ty: Ty::void_ptr() }))
    }

    /// Copies bytes; the result is the pointer to the copy.
    fn copy_bytes(&mut self, name: &str, [to, from]: [Val; 2], n: Expr, span: Span) -> Res<Ev> {
        self.changed_block(&to.e, &n, span);
        let args = [to.e.clone(), from.e.clone(), n.clone()].map(Some);
        self.copies_apart(name, &args, span);
        self.statement(Op::MemCopy { dst: to.e.clone(), src: from.e, len: n }, span);
        let e = self.convert(to, &Ty::void_ptr(), span)?;
        Ok(Ev::Val(Val { e, ty: Ty::void_ptr() }))
    }

    /// A model of a library function gives `errno` a value.
    pub(crate) fn set_errno(&mut self, number: Expr, span: Span) {
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        self.internal(Op::Assign(lv, number), span);
    }

    /// An allocation of `size` bytes, which returns NULL where no object can be that large.
    fn allocate_bytes(&mut self, size: Expr, zeroed: bool, dest: &Lvalue, span: Span) {
        let most = i128::from(self.settings.model.largest_object());
        let may_fail = self.settings.options.malloc_may_fail;
        let null = Op::Assign(dest.clone(), Expr::Const(0, dest.ty.clone()));
        if size.as_const().is_some_and(|n| n > most) {
            self.statement(null, span);
            return;
        }
        // Whoever executes an allocation that may fail knows how large objects can be.
        if may_fail || at_most(&size) <= most {
            self.statement(Op::Alloc { dest: dest.clone(), size, zeroed, may_fail }, span);
            return;
        }
        let size = self.spill(size, span);
        let (fails, join) = (self.fun.new_loc(), self.fun.new_loc());
        let bound = Expr::Const(most, size.ty());
        self.fork(Expr::binary(BinOp::Gt, size.clone(), bound), fails, span);
        self.statement(Op::Alloc { dest: dest.clone(), size, zeroed, may_fail }, span);
        self.fun.goto(join, span);
        self.fun.cur = fails;
        self.internal(null, span);
        self.fun.enter(join, span);
    }

    /// `calloc`, which answers NULL where no object is so large as the product.
    fn allocate_zeroed(&mut self, n: Expr, each: Expr, dest: &Lvalue, span: Span) -> Res<()> {
        let ty = Ty::Int(self.settings.size_ty()).lower();
        let most = i128::from(self.settings.model.largest_object());
        let operation = |op, l, r| {
            crate::types::constants::binary(op, l, r, ty.clone(), crate::types::constants::Rules::default())
        };
        let constant = |v| Expr::Const(v, ty.clone());
        let known = matches!((&n, &each), (Expr::Const(..), Expr::Const(..)))
            || matches!((&n, &each), (Expr::Const(1, _), _) | (_, Expr::Const(1, _)));
        let (n, each) = if known { (n, each) } else { (self.spill(n, span), self.spill(each, span)) };
        let size = operation(BinOp::Mul, n.clone(), each.clone());
        if let (Some(n), Some(each)) = (n.as_const(), each.as_const())
            && n.saturating_mul(each) > most
        {
            self.statement(Op::Assign(dest.clone(), Expr::Const(0, dest.ty.clone())), span);
            self.may_set_errno(span);
            return Ok(());
        }
        if known {
            self.allocate_bytes(size, true, dest, span);
            self.may_set_errno(span);
            return Ok(());
        }
        let (fits, fails, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        let (divisor, other) = if n.as_const().is_some() { (n, each) } else { (each, n) };
        let zero = Expr::binary(BinOp::Eq, divisor.clone(), constant(0));
        if divisor.as_const().is_none() {
            self.fork(zero, fits, span);
        }
        if !divisor.is_zero() {
            let bound = operation(BinOp::Div, constant(most), divisor);
            self.fork(Expr::binary(BinOp::Gt, other, bound), fails, span);
        }
        self.fun.enter(fits, span);
        let may_fail = self.settings.options.malloc_may_fail;
        self.statement(Op::Alloc { dest: dest.clone(), size, zeroed: true, may_fail }, span);
        self.fun.goto(join, span);
        self.fun.cur = fails;
        self.internal(Op::Assign(dest.clone(), Expr::Const(0, dest.ty.clone())), span);
        self.fun.enter(join, span);
        self.may_set_errno(span);
        Ok(())
    }

    /// Control goes to `yes` when the condition holds, else on.
    pub(crate) fn fork(&mut self, condition: Expr, yes: LocId, span: Span) {
        let from = self.fun.cur;
        let negated = condition.clone().negated();
        self.fun.edge(from, yes, Op::Assume(condition), span, EdgeKind::Internal);
        self.internal(Op::Assume(negated), span);
    }

    /// The object behind `errno`, which is zero at the start. Undefined functions may write it.
    pub(crate) fn errno(&mut self, span: Span) -> Ev {
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        Ev::Val(Val { e: lv.addr(), ty: Ty::ptr_to(Ty::INT) })
    }

    fn errno_var(&mut self, span: Span) -> VarId {
        if let Some(var) = self.library.errno {
            return var;
        }
        let var = self.anonymous_global("errno__", Type::INT, span);
        if self.dry == 0 {
            self.library.errno = Some(var);
            let zero = Op::Assign(Lvalue::var(var, Type::INT), Expr::int(0));
            self.static_inits.push(StaticInit { order: 0, ops: vec![(zero, span)] });
        }
        var
    }

    /// A library function without a model was called: it may have set `errno`, to a positive number, and
    /// whether it has is fixed. No branch is made of it, since an execution that may take either side proves no
    /// error.
    pub(crate) fn may_compute_errno(&mut self, name: &str, span: Span) {
        if !self.settings.uses.errno {
            return;
        }
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        let new = self.havoc_temp(Type::INT, HavocKind::Unmodelled(name.into()), span);
        let set = Expr::binary(BinOp::Gt, new.clone(), Expr::int(0));
        let kept = Expr::binary(BinOp::Eq, new.clone(), lv.clone().load());
        self.internal(Op::Assume(Expr::or(set, kept)), span);
        self.internal(Op::Assign(lv, new), span);
    }

    /// A library function was called: it may have set `errno`, to a positive number.
    pub(crate) fn may_set_errno(&mut self, span: Span) {
        if !self.settings.uses.errno {
            return;
        }
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        let new = self.havoc_temp(Type::INT, HavocKind::Extern("errno".into()), span);
        let (set, kept, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        self.fork(Expr::binary(BinOp::Eq, new.clone(), Expr::int(0)), kept, span);
        self.fun.enter(set, span);
        self.internal(Op::Assume(Expr::binary(BinOp::Gt, new.clone(), Expr::int(0))), span);
        self.internal(Op::Assign(lv, new), span);
        self.fun.goto(join, span);
        self.fun.cur = kept;
        self.fun.enter(join, span);
    }
}
