//! Statements and block declarations.

mod asm;
mod lifetimes;
mod locals;
mod loops;
mod switch;

use crate::error::{Res, type_error};
use crate::library::intrinsics::Intrinsic;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Place};
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::Span;
use ir::{CheckKind, Expr, LocId, Lvalue};
use lang_c::ast;
use lang_c::span::Node;

/// A statement of the source.
type Stmt = Node<ast::Statement>;

impl Context<'_> {
    /// Lowers a statement.
    pub(crate) fn stmt(&mut self, s: &Stmt) -> Res<()> {
        use ast::Statement as S;
        match &s.node {
            S::Labeled(l) => self.labeled(&l.node),
            S::Compound(items) => self.in_scope(s, |cx| items.iter().try_for_each(|i| cx.block_item(i))),
            S::Expression(e) => e.as_ref().map_or(Ok(()), |e| self.expression_statement(e)),
            // These are blocks, and so are the statements in them (C11 6.8.4p3, 6.8.5p5).
            S::If(i) => self.in_scope(s, |cx| cx.if_statement(&i.node)),
            S::Switch(w) => self.in_scope(s, |cx| cx.switch(&w.node, s)),
            S::While(w) => self.in_scope(s, |cx| cx.while_loop(&w.node, s)),
            S::DoWhile(d) => self.in_scope(s, |cx| cx.do_loop(&d.node, s)),
            S::For(f) => self.in_scope(s, |cx| cx.for_loop(&f.node, s)),
            S::Goto(label) => {
                let span = self.symbols.span(s);
                let target = self.emitter.fun.label(&label.node.name, span).loc;
                self.emitter.jump_to_label(&self.symbols, &label.node.name);
                self.emitter.fun.goto(target, span);
                Ok(())
            }
            S::Continue => {
                self.emitter.jump(&self.symbols, self.emitter.fun.continues.last().copied(), "continue", s)
            }
            S::Break => self.emitter.jump(&self.symbols, self.emitter.fun.breaks.last().copied(), "break", s),
            S::Return(e) => {
                let span = self.symbols.span(s);
                let lower = |cx: &mut Self| cx.return_statement(e.as_deref(), s);
                self.or_unmodelled(|cx| cx.full_expression(span, lower))
            }
            S::Asm(a) => self.or_unmodelled(|cx| cx.asm(&a.node, s)),
        }
    }

    /// Lowers a declaration or statement of a block.
    pub(crate) fn block_item(&mut self, item: &Node<ast::BlockItem>) -> Res<()> {
        match &item.node {
            ast::BlockItem::Declaration(d) => self.local_declaration(d),
            ast::BlockItem::StaticAssert(a) => self.static_assert(a),
            ast::BlockItem::Statement(s) => self.stmt(s),
        }
    }

    fn if_statement(&mut self, i: &ast::IfStatement) -> Res<()> {
        let (yes, no) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
        let span = self.symbols.span(&i.condition);
        self.test(&i.condition, yes, no)?;
        self.emitter.fun.cur = yes;
        self.substatement(&i.then_statement)?;
        let Some(other) = &i.else_statement else {
            self.emitter.fun.enter(no, span);
            return Ok(());
        };
        let join = self.emitter.fun.new_loc();
        self.emitter.fun.goto(join, span);
        self.emitter.fun.cur = no;
        self.substatement(other)?;
        self.emitter.fun.enter(join, span);
        Ok(())
    }

    /// Branches on the condition of a statement.
    fn test(&mut self, e: &Ast, yes: LocId, no: LocId) -> Res<()> {
        self.or_unmodelled(|cx| cx.full_condition(e, yes, no))
    }

    fn labeled(&mut self, l: &ast::LabeledStatement) -> Res<()> {
        let span = self.symbols.span(&l.label);
        match &l.label.node {
            ast::Label::Identifier(id) => {
                let name = id.node.name.as_str();
                self.emitter.named_label(&self.types, &self.symbols, name, &l.statement, span)?;
            }
            ast::Label::Case(e) => {
                let value = self.const_int(e)?;
                self.emitter.case(value, value, span)?;
            }
            ast::Label::CaseRange(r) => {
                let (low, high) = (self.const_int(&r.node.low)?, self.const_int(&r.node.high)?);
                self.emitter.case(low, high, span)?;
            }
            ast::Label::Default => self.emitter.default_label(span)?,
        }
        self.stmt(&l.statement)
    }

    fn return_statement(&mut self, e: Option<&Ast>, s: &Stmt) -> Res<()> {
        let span = self.symbols.span(s);
        let ret_ty = self.emitter.fun.ret_ty.clone();
        match (e, &ret_ty) {
            (None, _) => {}
            (Some(e), Ty::Void) => self.discard(e)?,
            (Some(e), _) => {
                let lv = match (self.emitter.fun.ret, self.emitter.fun.ret_ptr) {
                    (Some(v), _) => Lvalue::var(v, ret_ty.lower()),
                    (None, Some(p)) => Lvalue::deref(Expr::var(p, ret_ty.lower().ptr_to())),
                    (None, None) => {
                        return type_error(span, "`return` with a value is not possible here");
                    }
                };
                let place = Place { lv, ty: ret_ty.into(), bit_field: false };
                self.assign_to(place, e, span, false)?;
            }
        }
        self.emitter.returns(span);
        let exit = self.emitter.fun.exit;
        self.emitter.fun.goto(exit, span);
        Ok(())
    }
}

impl Emitter<'_> {
    /// A label with a name stands in front of the statement.
    fn named_label(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        name: &str,
        statement: &Stmt,
        span: Span,
    ) -> Res<()> {
        let label = self.fun.label(name, span);
        let (loc, again) = (label.loc, label.defined);
        label.defined = true;
        if again {
            return type_error(span, format!("the label `{name}` is defined twice"));
        }
        self.fun.set_label(loc, name, span);
        self.fun.enter(loc, span);
        // Where it is not checked, it is an ordinary label.
        if name == "ERROR"
            && self.settings.options.wants(CheckKind::Reach)
            && !symbols.starts_with_error(types, statement)
        {
            self.check(Expr::int(0), "label ERROR is reached".into(), span);
            self.end_path(span);
        }
        Ok(())
    }

    /// `default:` in the innermost `switch`.
    fn default_label(&mut self, span: Span) -> Res<()> {
        let loc = self.fun.new_loc();
        let again = match self.fun.switches.last_mut() {
            Some(switch) => switch.default.replace((loc, span)).is_some(),
            None => return type_error(span, "`default` stands in no `switch`"),
        };
        if again {
            return type_error(span, "the `switch` has two `default` labels");
        }
        self.fun.enter(loc, span);
        Ok(())
    }

    fn jump(
        &mut self,
        symbols: &Symbols<'_>,
        target: Option<(LocId, usize)>,
        word: &str,
        s: &Stmt,
    ) -> Res<()> {
        let span = symbols.span(s);
        match target {
            Some((target, outer)) => {
                self.jump_out(symbols, outer);
                self.fun.goto(target, span);
                Ok(())
            }
            None => type_error(span, format!("`{word}` stands in no loop")),
        }
    }
}

impl Symbols<'_> {
    /// Whether the statement begins with a call that is itself the check.
    fn starts_with_error(&self, types: &Types, s: &Stmt) -> bool {
        match &s.node {
            ast::Statement::Compound(items) => match items.first().map(|i| &i.node) {
                Some(ast::BlockItem::Statement(s)) => self.starts_with_error(types, s),
                _ => false,
            },
            ast::Statement::Labeled(l) => self.starts_with_error(types, &l.node.statement),
            ast::Statement::Expression(Some(e)) => match &e.node {
                ast::Expression::Call(c) => self.named_callee(&c.node).is_some_and(|(name, f)| {
                    matches!(
                        self.intrinsic(types, name, f),
                        Some(Intrinsic::Error | Intrinsic::AssertFailed(_))
                    )
                }),
                _ => false,
            },
            _ => false,
        }
    }
}
