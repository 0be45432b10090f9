//! Ends of objects: locals and compound literals end with their block (C11 6.2.4p6, 6.5.2.5p5), results of
//! calls with the full expression (6.2.4p8). An end is `free` of the bare address; jumps end the objects of the
//! blocks they leave.

use super::Stmt;
use crate::error::Res;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Ev, Place};
use crate::lower::scope::Scope;
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::{Id, Span};
use ir::{Expr, LocId, Lvalue, Op, VarId, VarKind};
use lang_c::ast;

/// The block's state when a full expression began there.
struct Before {
    depth: usize,
    expression: Option<Span>,
    passing: Vec<VarId>,
}

impl Context<'_> {
    /// Lowers what is a block by itself.
    pub(crate) fn in_scope<T>(&mut self, s: &Stmt, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = self.symbols.scopes.blocks.len();
        self.symbols
            .scopes
            .blocks
            .push(Scope { range: Some((s.span.start, s.span.end)), ..Scope::default() });
        let result = f(self);
        self.emitter.leave(&self.symbols, outer);
        self.symbols.scopes.blocks.truncate(outer);
        result
    }

    /// Lowers a statement that is a part of another one, and a block by itself.
    pub(super) fn substatement(&mut self, s: &Stmt) -> Res<()> {
        match &s.node {
            ast::Statement::Expression(_) | ast::Statement::Labeled(_) => self.in_scope(s, |cx| cx.stmt(s)),
            // The others are blocks, or nothing begins to live in them.
            _ => self.stmt(s),
        }
    }

    /// Lowers a full expression (C11 6.8p4).
    pub(super) fn full_expression(
        &mut self,
        span: Span,
        lower: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        let before = self.symbols.begin_expression(span);
        let result = lower(self);
        let ended = self.symbols.end_expression(before);
        self.emitter.end_lives(ended);
        result
    }

    /// A full expression that is run for its effects.
    pub(super) fn expression_statement(&mut self, e: &Ast) -> Res<()> {
        let span = self.symbols.span(e);
        self.or_unmodelled(|cx| cx.full_expression(span, |cx| cx.discard(e)))
    }

    /// Branches on a full expression.
    pub(super) fn full_condition(&mut self, e: &Ast, yes: LocId, no: LocId) -> Res<()> {
        let span = self.symbols.span(e);
        let before = self.symbols.begin_expression(span);
        let mark = self.emitter.fun.mark();
        let result = self.condition(e, yes, no);
        let ended = self.symbols.end_expression(before);
        result?;
        if ended.is_empty() {
            return Ok(());
        }
        for target in [yes, no] {
            let between = self.emitter.fun.new_loc();
            self.emitter.fun.redirect(mark, target, between);
            self.emitter.fun.cur = between;
            self.emitter.end_lives(ended.clone());
            self.emitter.fun.goto(target, span);
        }
        Ok(())
    }

    /// The value of a full expression, which `read` takes before anything ends.
    pub(crate) fn full_value<T: Kept>(
        &mut self,
        e: &Ast,
        read: impl FnOnce(&mut Self, Ev) -> Res<T>,
    ) -> Res<T> {
        let span = self.symbols.span(e);
        let before = self.symbols.begin_expression(span);
        let value = self.eval(e).and_then(|ev| read(self, ev));
        let ended = self.symbols.end_expression(before);
        let mut value = value?;
        if !ended.is_empty() {
            value.keep(&self.types, &mut self.emitter, span);
        }
        self.emitter.end_lives(ended);
        Ok(value)
    }
}

impl Symbols<'_> {
    /// The variable ends with the block that is being lowered. Those of the outermost one end with their function.
    pub(crate) fn ends_with_block(&mut self, emitter: &Emitter<'_>, v: VarId) {
        if emitter.dry > 0 || !matches!(emitter.vars[v.index()].kind, VarKind::Local(_) | VarKind::Temp(_)) {
            return;
        }
        let innermost = self.scopes.innermost();
        if innermost.range.is_some() && !innermost.mortal.contains(&v) {
            innermost.mortal.push(v);
        }
    }

    /// A structure that no variable of the program holds ends with the full expression, where it has an array: pointers
    /// to others there are none.
    pub(crate) fn ends_with_expression(&mut self, types: &Types, emitter: &Emitter<'_>, place: &Place) {
        let Some(v) = place.lv.as_var().filter(|_| emitter.dry == 0 && types.has_array(&place.ty.ty)) else {
            return;
        };
        let innermost = self.scopes.innermost();
        match innermost.expression {
            Some(_) => innermost.passing.push(v),
            None => self.ends_with_block(emitter, v),
        }
    }

    fn begin_expression(&mut self, span: Span) -> Before {
        let depth = self.scopes.blocks.len();
        let innermost = self.scopes.innermost();
        let expression = innermost.expression.replace(span);
        Before { depth, expression, passing: std::mem::take(&mut innermost.passing) }
    }

    /// The variables that end now.
    fn end_expression(&mut self, before: Before) -> Vec<(VarId, Span)> {
        // An error may have left blocks open.
        self.scopes.blocks.truncate(before.depth);
        let innermost = self.scopes.innermost();
        let span = std::mem::replace(&mut innermost.expression, before.expression);
        let ended = std::mem::replace(&mut innermost.passing, before.passing);
        span.into_iter().flat_map(|span| ended.iter().map(move |v| (*v, span)).collect::<Vec<_>>()).collect()
    }
}

impl Emitter<'_> {
    /// The value of a block that is an expression, kept from the variables that end with the block; `span` is that of
    /// the block, since what keeps the value does not end with it.
    pub(crate) fn outlives_block(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        mut ev: Ev,
        span: Span,
    ) -> Ev {
        let arrays = matches!(&ev, Ev::Place(p) if types.has_array(&p.ty.ty));
        if arrays || !symbols.scopes.innermost().mortal.is_empty() {
            ev.keep(types, self, span);
        }
        ev
    }

    /// The blocks above this number of open ones are left: the lives of their variables end.
    fn leave(&mut self, symbols: &Symbols<'_>, outer: usize) {
        let mut ends = vec![];
        for scope in symbols.scopes.blocks.iter().skip(outer).rev() {
            ends.extend(scope.expression.iter().flat_map(|span| scope.passing.iter().map(|v| (*v, *span))));
            let Some((start, end)) = scope.range.filter(|_| !scope.mortal.is_empty()) else { continue };
            let span = symbols.at(lang_c::span::Span::span(start, end));
            ends.extend(scope.mortal.iter().map(|v| (*v, span)));
        }
        self.end_lives(ends);
    }

    fn end_lives(&mut self, ends: Vec<(VarId, Span)>) {
        for (v, span) in ends {
            let ty = self.vars[v.index()].ty.clone();
            self.internal(Op::Free(Expr::AddrOf(Box::new(Lvalue::var(v, ty)))), span);
        }
    }

    /// A jump leaves these blocks, and the expression around it in the one that it goes on in.
    pub(super) fn jump_out(&mut self, symbols: &Symbols<'_>, outer: usize) {
        self.leave(symbols, outer);
        let Some(scope) = outer.checked_sub(1).and_then(|n| symbols.scopes.blocks.get(n)) else { return };
        let ends = scope.expression.iter().flat_map(|span| scope.passing.iter().map(|v| (*v, *span)));
        let ends = ends.collect();
        self.end_lives(ends);
    }

    /// A `goto` leaves the blocks in which its label does not stand.
    pub(super) fn jump_to_label(&mut self, symbols: &Symbols<'_>, label: &str) {
        let Some(at) = self.fun.label_places.get(label).copied() else { return };
        let stays = |scope: &Scope| scope.range.is_none_or(|(start, end)| start <= at && at < end);
        let outer = symbols.scopes.blocks.iter().take_while(|scope| stays(scope)).count();
        self.jump_out(symbols, outer);
    }
}

/// A value that can be put where no end of a life reaches it.
pub(crate) trait Kept {
    /// Puts it there.
    fn keep(&mut self, types: &Types, emitter: &mut Emitter<'_>, span: Span);
}

impl Kept for Ev {
    fn keep(&mut self, types: &Types, emitter: &mut Emitter<'_>, span: Span) {
        match self {
            Ev::Val(v) => v.keep(types, emitter, span),
            Ev::Place(p) if matches!(p.ty.ty, Ty::Record(_)) => {
                let t = emitter.temp(p.ty.ty.lower(), span);
                emitter.copy_record(types, &t, &p.lv, &p.ty.ty, span);
                *p = Place { lv: t, ty: p.ty.ty.clone().into(), bit_field: false };
            }
            Ev::Place(_) | Ev::Void | Ev::Func(_) => {}
        }
    }
}

impl Kept for crate::lower::expr::Val {
    fn keep(&mut self, _: &Types, emitter: &mut Emitter<'_>, span: Span) {
        // Even an address must be taken while the object lives: behind its end the name stands for the next one.
        self.e = emitter.spill(self.e.clone(), span);
    }
}

impl<T> Kept for (crate::lower::expr::Val, T) {
    fn keep(&mut self, types: &Types, emitter: &mut Emitter<'_>, span: Span) {
        self.0.keep(types, emitter, span);
    }
}
