//! `sizeof` and `_Alignof`, `va_arg`, and statements as expressions.

use super::{Ast, Ev, Val};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::types::table::Types;
use crate::types::ty::{QTy, Ty};
use base::Span;
use ir::HavocKind;
use lang_c::ast;
use lang_c::span::Node;

impl Context<'_> {
    pub(super) fn va_arg(&mut self, v: &ast::VaArgExpression, span: Span) -> Res<Ev> {
        let ty = self.type_name(&v.type_name.node)?;
        self.discard(&v.va_list)?;
        match ty.ty {
            Ty::Int(_) | Ty::Float(_) => {
                let kind = HavocKind::Unmodelled("va_arg".into());
                let e = self.emitter.havoc_temp(ty.ty.lower(), kind, span);
                Ok(Ev::Val(Val { e, ty: ty.ty }))
            }
            _ => unsupported(span, "variadic arguments of this type are not supported"),
        }
    }

    pub(super) fn statement_expression(&mut self, s: &Node<ast::Statement>, span: Span) -> Res<Ev> {
        let ast::Statement::Compound(items) = &s.node else {
            return type_error(span, "a statement expression needs a block");
        };
        let ev = self.in_scope(s, |cx| cx.block_with_value(items, span))?;
        if let Ev::Place(p) = &ev {
            self.symbols.ends_with_expression(&self.types, &self.emitter, p);
        }
        Ok(ev)
    }

    fn block_with_value(&mut self, items: &[Node<ast::BlockItem>], whole: Span) -> Res<Ev> {
        let last = match items.last().map(|i| &i.node) {
            Some(ast::BlockItem::Statement(Node { node: ast::Statement::Expression(Some(e)), .. })) => {
                Some(e)
            }
            _ => None,
        };
        let count = items.len() - usize::from(last.is_some());
        for item in &items[..count] {
            self.block_item(item)?;
        }
        let Some(e) = last else { return Ok(Ev::Void) };
        let span = self.symbols.span(e);
        let ev = self.full_value(e, |cx, ev| match ev {
            Ev::Place(p) if p.ty.ty.is_scalar() || matches!(p.ty.ty, Ty::Array(..)) => {
                Ok(Ev::Val(cx.emitter.read(&cx.types, &mut cx.symbols, Ev::Place(p), span)?))
            }
            ev => Ok(ev),
        })?;
        Ok(self.emitter.outlives_block(&self.types, &mut self.symbols, ev, whole))
    }
}

impl Symbols<'_> {
    /// `_Alignof` of something whose alignment is not that of its type, which is all that is known later.
    pub(super) fn refuse_aligned(&self, at: usize, operand: &Ast) -> Res<()> {
        let name = match &operand.node {
            ast::Expression::Identifier(id) => &id.node.name,
            ast::Expression::Member(m) => &m.node.identifier.node.name,
            _ => return Ok(()),
        };
        let source = &self.parsed[self.scopes.file].repaired;
        if !source.alignofs.contains_key(&source.old_start(at)) || !self.aligned_names.contains(name) {
            return Ok(());
        }
        let message = "the alignment of something that an attribute aligns is not supported";
        unsupported(self.span(operand), message)
    }
}

impl Emitter<'_> {
    pub(super) fn size_or_align(
        &self,
        types: &Types,
        symbols: &Symbols<'_>,
        at: usize,
        ty: &QTy,
        span: Span,
    ) -> Res<Ev> {
        let source = &symbols.parsed[symbols.scopes.file].repaired;
        let n = match source.alignofs.get(&source.old_start(at)) {
            Some(true) => ty.align.unwrap_or_else(|| types.preferred_align_of(&ty.ty)),
            Some(false) => types.align_of_qualified(ty),
            None => {
                let e = self.size_expr(types, &ty.ty, span)?;
                return Ok(Ev::Val(Val { e, ty: Ty::Int(self.settings.size_ty()) }));
            }
        };
        Ok(Ev::Val(Val::int(i128::from(n), self.settings.size_ty())))
    }
}
