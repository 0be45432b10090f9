//! Functions that allocate, free, fill and copy memory, and the object behind `errno`.

use crate::cx::{Cx, StaticInit};
use crate::expr::{Ast, Ev, Val};
use crate::options::Res;
use crate::special::{Alloc, Special};
use crate::ty::Ty;
use base::Span;
use cmm::{BinOp, EdgeKind, Expr, HavocKind, LocId, Lvalue, Op, Type, VarId};
use lang_c::ast;

impl Cx<'_> {
    /// The call when the expression is one of an allocation function, casts to pointers aside.
    pub(crate) fn allocation<'e>(&self, e: &'e Ast) -> Option<&'e ast::CallExpression> {
        match &e.node {
            _ if self.order.is_known(e) => None,
            ast::Expression::Cast(c) => {
                let pointer = c.node.type_name.node.declarator.as_ref().is_some_and(|d| {
                    d.node.derived.iter().any(|d| matches!(d.node, ast::DerivedDeclarator::Pointer(_)))
                });
                if pointer { self.allocation(&c.node.expression) } else { None }
            }
            ast::Expression::Call(c) => {
                let (name, f) = self.named_callee(&c.node)?;
                let allocates = matches!(self.special(name, f), Some(Special::Alloc(_)));
                (allocates && !self.is_marked(name)).then_some(&c.node)
            }
            _ => None,
        }
    }

    /// Emits an allocation whose address goes to `dest`.
    pub(crate) fn allocate(&mut self, c: &ast::CallExpression, dest: &Lvalue, span: Span) -> Res<()> {
        let (name, f) = self.named_callee(c).expect("allocation found a name");
        let Some(Special::Alloc(kind)) = self.special(name, f) else {
            panic!("allocation found this function")
        };
        let size_ty = Ty::Int(self.size_ty());
        let argument = |n: usize| c.arguments.get(n);
        let size = match kind {
            Alloc::Plain(n) => match argument(n) {
                Some(a) => self.value_to(a, &size_ty)?,
                None => return self.wrong_arguments(name, span),
            },
            Alloc::Stack => match argument(0) {
                Some(a) => self.value_to(a, &size_ty)?,
                None => return self.wrong_arguments(name, span),
            },
            Alloc::Zeroed => {
                let (Some(a), Some(b)) = (argument(0), argument(1)) else {
                    return self.wrong_arguments(name, span);
                };
                let n = self.value_to(a, &size_ty)?;
                let n = self.keep(n, &[b], span);
                let each = self.value_to(b, &size_ty)?;
                return self.allocate_zeroed(n, each, dest, span);
            }
        };
        let may_fail = self.opts.malloc_may_fail && kind != Alloc::Stack && !self.in_harness(span);
        // What lies on the stack is nobody's to free: such allocations are internal.
        let edge = if kind == Alloc::Stack { EdgeKind::Internal } else { EdgeKind::Statement };
        self.fun.emit(Op::Alloc { dest: dest.clone(), size, zeroed: false, may_fail }, span, edge);
        if may_fail {
            self.may_set_errno(span);
        }
        Ok(())
    }

    /// `calloc`, which answers NULL when the size of the whole is no `size_t`.
    fn allocate_zeroed(&mut self, n: Expr, each: Expr, dest: &Lvalue, span: Span) -> Res<()> {
        let ty = Ty::Int(self.size_ty()).lower();
        let most = self.size_ty().lower().max();
        let operation =
            |op, l, r| crate::consts::binary(op, l, r, ty.clone(), crate::consts::Rules::default());
        let constant = |v| Expr::Const(v, ty.clone());
        let may_fail = self.opts.malloc_may_fail;
        let known = matches!((&n, &each), (Expr::Const(..), Expr::Const(..)))
            || matches!((&n, &each), (Expr::Const(1, _), _) | (_, Expr::Const(1, _)));
        let (n, each) = if known { (n, each) } else { (self.spill(n, span), self.spill(each, span)) };
        let size = operation(BinOp::Mul, n.clone(), each.clone());
        let alloc = Op::Alloc { dest: dest.clone(), size, zeroed: true, may_fail };
        if known {
            self.statement(alloc, span);
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
        self.statement(alloc, span);
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

    fn pointer_argument(&mut self, a: &Ast, later: &[&Ast]) -> Res<Val> {
        let span = self.span(a);
        let v = self.value(a)?;
        if v.ty.pointee().is_none() {
            let e = self.convert(v, &Ty::void_ptr(), span)?;
            return Ok(Val { e: self.keep(e, later, span), ty: Ty::void_ptr() });
        }
        Ok(Val { e: self.keep(v.e, later, span), ty: v.ty })
    }

    pub(crate) fn mem_set(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let [p, byte, len, ..] = &c.arguments[..] else { return self.wrong_arguments(name, span) };
        let to = self.pointer_argument(p, &[byte, len])?;
        let b = self.value_to(byte, &Ty::INT)?;
        let b = self.keep(b, &[len], span);
        let n = self.value_to(len, &Ty::Int(self.size_ty()))?;
        self.statement(Op::MemSet { ptr: to.e.clone(), byte: b, len: n }, span);
        let e = self.convert(to, &Ty::void_ptr(), span)?;
        Ok(Ev::Val(Val { e, ty: Ty::void_ptr() }))
    }

    pub(crate) fn mem_copy(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let [dst, src, len, ..] = &c.arguments[..] else { return self.wrong_arguments(name, span) };
        let to = self.pointer_argument(dst, &[src, len])?;
        let from = self.pointer_argument(src, &[len])?;
        let n = self.value_to(len, &Ty::Int(self.size_ty()))?;
        self.statement(Op::MemCopy { dst: to.e.clone(), src: from.e, len: n }, span);
        let e = self.convert(to, &Ty::void_ptr(), span)?;
        Ok(Ev::Val(Val { e, ty: Ty::void_ptr() }))
    }

    /// The object behind `errno`, which is zero at the start. Undefined functions may write it.
    pub(crate) fn errno(&mut self, span: Span) -> Ev {
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        Ev::Val(Val { e: lv.addr(), ty: Ty::ptr_to(Ty::INT) })
    }

    fn errno_var(&mut self, span: Span) -> VarId {
        if let Some(var) = self.errno {
            return var;
        }
        let var = self.anonymous_global("errno__", Type::INT, span);
        if self.dry == 0 {
            self.errno = Some(var);
            let zero = Op::Assign(Lvalue::var(var, Type::INT), Expr::int(0));
            self.static_inits.push(StaticInit { order: 0, ops: vec![(zero, span)] });
        }
        var
    }

    /// A library function was called that has no model: it may have set `errno`, though never to zero, and it is fixed
    /// whether it has. No branch is made of it, since executions that come to both sides say nothing for certain.
    pub(crate) fn may_compute_errno(&mut self, name: &str, span: Span) {
        if !self.uses_errno {
            return;
        }
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        let new = self.havoc_temp(Type::INT, HavocKind::Unmodelled(name.into()), span);
        let set = Expr::binary(BinOp::Ne, new.clone(), Expr::int(0));
        let kept = Expr::binary(BinOp::Eq, new.clone(), lv.clone().load());
        self.internal(Op::Assume(Expr::or(set, kept)), span);
        self.internal(Op::Assign(lv, new), span);
    }

    /// A model of a library function gives `errno` a value.
    pub(crate) fn set_errno(&mut self, number: &Ast, span: Span) -> Res<()> {
        if self.uses_errno {
            let number = self.value_to(number, &Ty::INT)?;
            let lv = Lvalue::var(self.errno_var(span), Type::INT);
            self.internal(Op::Assign(lv, number), span);
        }
        Ok(())
    }

    /// A library function was called: it may have set `errno`, though never to zero.
    pub(crate) fn may_set_errno(&mut self, span: Span) {
        if !self.uses_errno {
            return;
        }
        let lv = Lvalue::var(self.errno_var(span), Type::INT);
        let new = self.havoc_temp(Type::INT, HavocKind::Extern("errno".into()), span);
        let (set, kept, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        self.fork(Expr::binary(BinOp::Eq, new.clone(), Expr::int(0)), kept, span);
        self.fun.enter(set, span);
        self.internal(Op::Assign(lv, new), span);
        self.fun.goto(join, span);
        self.fun.cur = kept;
        self.fun.enter(join, span);
    }
}
