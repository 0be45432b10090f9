//! Functions that allocate, free, fill and copy memory, and the objects behind `errno` and `<ctype.h>`.

use crate::cx::Cx;
use crate::expr::{Ast, Ev, Val};
use crate::options::Res;
use crate::scope::FnId;
use crate::special::{Alloc, Special};
use crate::ty::Ty;
use base::Span;
use cmm::{BinOp, Expr, HavocKind, Lvalue, Op, Type};
use lang_c::ast;

impl Cx<'_> {
    /// The call when the expression is one of an allocation function, casts to pointers aside.
    pub(crate) fn allocation<'e>(&self, e: &'e Ast) -> Option<&'e ast::CallExpression> {
        match &e.node {
            ast::Expression::Cast(c) => {
                let pointer = c.node.type_name.node.declarator.as_ref().is_some_and(|d| {
                    d.node.derived.iter().any(|d| matches!(d.node, ast::DerivedDeclarator::Pointer(_)))
                });
                if pointer { self.allocation(&c.node.expression) } else { None }
            }
            ast::Expression::Call(c) => {
                let (name, f) = self.named_callee(&c.node)?;
                matches!(self.special(name, f), Some(Special::Alloc(_))).then_some(&c.node)
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
                crate::consts::binary(BinOp::Mul, n, each, size_ty.lower(), self.opts.signed_wrap)
            }
        };
        let may_fail = self.opts.malloc_may_fail && kind != Alloc::Stack;
        let zeroed = kind == Alloc::Zeroed;
        self.statement(Op::Alloc { dest: dest.clone(), size, zeroed, may_fail }, span);
        Ok(())
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

    /// Every library function may set `errno`: its value is havocked whenever its address is asked for.
    pub(crate) fn errno(&mut self, span: Span) -> Ev {
        let var = match self.errno {
            Some(var) => var,
            None => {
                let var = self.anonymous_global("errno__", Type::INT, span);
                if self.dry == 0 {
                    self.errno = Some(var);
                }
                var
            }
        };
        let lv = Lvalue::var(var, Type::INT);
        self.internal(Op::Havoc(lv.clone(), HavocKind::Extern("errno".into())), span);
        Ev::Val(Val { e: lv.addr(), ty: Ty::ptr_to(Ty::INT) })
    }

    /// The tables of `<ctype.h>` have entries for -128 to 255; what they hold depends on the locale.
    pub(crate) fn character_table(&mut self, f: Option<FnId>, span: Span) -> Res<Ev> {
        let declared = f.map(|f| self.functions[f].ty.ret.ty.clone());
        let Some(Ty::Ptr(pointer)) = declared else {
            return self.unsupported(span, "the table of characters is not declared as in <ctype.h>");
        };
        let Some(entry) = pointer.ty.pointee().cloned() else {
            return self.unsupported(span, "the table of characters is not declared as in <ctype.h>");
        };
        let size = self.size_of(&entry.ty, span)?;
        let size = Expr::Const(i128::from(384 * size), Type::Int(self.size_ty().lower()));
        let table = self.temp(pointer.ty.lower(), span);
        self.internal(Op::Alloc { dest: table.clone(), size, zeroed: false, may_fail: false }, span);
        let middle = Expr::binary(BinOp::PtrAdd, table.load(), Expr::int(128));
        let kept = self.temp(pointer.ty.lower(), span);
        self.internal(Op::Assign(kept.clone(), middle), span);
        Ok(Ev::Val(Val { e: kept.addr(), ty: Ty::Ptr(pointer) }))
    }
}
