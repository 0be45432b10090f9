//! Statements and block declarations.

mod asm;
mod locals;
mod loops;
mod switch;

use crate::cx::Cx;
use crate::expr::{Ast, Place};
use crate::options::Res;
use crate::scope::Scope;
use crate::special::Special;
use crate::ty::Ty;
use base::Id;
use cmm::{Expr, LocId, Lvalue, Op};
use lang_c::ast;
use lang_c::span::Node;

/// A statement of the source.
type Stmt = Node<ast::Statement>;

impl Cx<'_> {
    /// Lowers a statement.
    pub(crate) fn stmt(&mut self, s: &Stmt) -> Res<()> {
        use ast::Statement as S;
        match &s.node {
            S::Labeled(l) => self.labeled(&l.node),
            S::Compound(items) => self.in_scope(s, |cx| items.iter().try_for_each(|i| cx.block_item(i))),
            S::Expression(e) => e.as_ref().map_or(Ok(()), |e| self.or_unmodelled(|cx| cx.discard(e))),
            S::If(i) => self.if_statement(&i.node),
            S::Switch(w) => self.switch(&w.node, s),
            S::While(w) => self.while_loop(&w.node, s),
            S::DoWhile(d) => self.do_loop(&d.node, s),
            S::For(f) => self.in_scope(s, |cx| cx.for_loop(&f.node, s)),
            S::Goto(label) => {
                let span = self.span(s);
                let target = self.fun.label(&label.node.name, span).loc;
                self.leave_for(&label.node.name);
                self.fun.goto(target, span);
                Ok(())
            }
            S::Continue => self.jump(self.fun.continues.last().copied(), "continue", s),
            S::Break => self.jump(self.fun.breaks.last().copied(), "break", s),
            S::Return(e) => self.or_unmodelled(|cx| cx.return_statement(e.as_deref(), s)),
            S::Asm(a) => self.or_unmodelled(|cx| cx.asm(&a.node, s)),
        }
    }

    fn in_scope(&mut self, s: &Stmt, f: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let outer = self.scopes.blocks.len();
        self.scopes.blocks.push(Scope { range: Some((s.span.start, s.span.end)), ..Scope::default() });
        let result = f(self);
        self.leave(outer);
        self.scopes.blocks.pop();
        result
    }

    /// The blocks above this number of open ones are left: the lives of their variables end.
    fn leave(&mut self, outer: usize) {
        let mut ends = vec![];
        for scope in self.scopes.blocks.iter().skip(outer).rev() {
            let Some((start, end)) = scope.range.filter(|_| !scope.mortal.is_empty()) else { continue };
            let span = self.at(lang_c::span::Span::span(start, end));
            ends.extend(scope.mortal.iter().map(|v| (*v, span)));
        }
        for (v, span) in ends {
            let ty = self.vars[v.index()].ty.clone();
            self.internal(Op::Free(Expr::AddrOf(Box::new(Lvalue::var(v, ty)))), span);
        }
    }

    /// A `goto` leaves the blocks in which its label does not stand.
    fn leave_for(&mut self, label: &str) {
        let Some(at) = self.fun.label_places.get(label).copied() else { return };
        let stays = |scope: &Scope| scope.range.is_none_or(|(start, end)| start <= at && at < end);
        let outer = self.scopes.blocks.iter().take_while(|scope| stays(scope)).count();
        self.leave(outer);
    }

    /// Lowers a declaration or statement of a block.
    pub(crate) fn block_item(&mut self, item: &Node<ast::BlockItem>) -> Res<()> {
        match &item.node {
            ast::BlockItem::Declaration(d) => self.local_declaration(d),
            ast::BlockItem::StaticAssert(a) => self.static_assert(a),
            ast::BlockItem::Statement(s) => self.stmt(s),
        }
    }

    fn jump(&mut self, target: Option<(LocId, usize)>, word: &str, s: &Stmt) -> Res<()> {
        let span = self.span(s);
        match target {
            Some((target, outer)) => {
                self.leave(outer);
                self.fun.goto(target, span);
                Ok(())
            }
            None => self.type_error(span, format!("`{word}` stands in no loop")),
        }
    }

    fn if_statement(&mut self, i: &ast::IfStatement) -> Res<()> {
        let (yes, no) = (self.fun.new_loc(), self.fun.new_loc());
        let span = self.span(&i.condition);
        self.test(&i.condition, yes, no)?;
        self.fun.cur = yes;
        self.stmt(&i.then_statement)?;
        let Some(other) = &i.else_statement else {
            self.fun.enter(no, span);
            return Ok(());
        };
        let join = self.fun.new_loc();
        self.fun.goto(join, span);
        self.fun.cur = no;
        self.stmt(other)?;
        self.fun.enter(join, span);
        Ok(())
    }

    /// Branches on the condition of a statement.
    fn test(&mut self, e: &Ast, yes: LocId, no: LocId) -> Res<()> {
        self.or_unmodelled(|cx| cx.condition(e, yes, no))
    }

    fn labeled(&mut self, l: &ast::LabeledStatement) -> Res<()> {
        let span = self.span(&l.label);
        match &l.label.node {
            ast::Label::Identifier(id) => {
                let name = id.node.name.as_str();
                let label = self.fun.label(name, span);
                let (loc, again) = (label.loc, label.defined);
                label.defined = true;
                if again {
                    return self.type_error(span, format!("the label `{name}` is defined twice"));
                }
                self.fun.set_label(loc, name, span);
                self.fun.enter(loc, span);
                if name == "ERROR" && !self.starts_with_error(&l.statement) {
                    self.check(Expr::int(0), "label ERROR is reached".into(), span);
                    self.end_path(span);
                }
            }
            ast::Label::Case(e) => {
                let value = self.const_int(e)?;
                self.case(value, value, span)?;
            }
            ast::Label::CaseRange(r) => {
                let (low, high) = (self.const_int(&r.node.low)?, self.const_int(&r.node.high)?);
                self.case(low, high, span)?;
            }
            ast::Label::Default => {
                let loc = self.fun.new_loc();
                let again = match self.fun.switches.last_mut() {
                    Some(switch) => switch.default.replace((loc, span)).is_some(),
                    None => return self.type_error(span, "`default` stands in no `switch`"),
                };
                if again {
                    return self.type_error(span, "the `switch` has two `default` labels");
                }
                self.fun.enter(loc, span);
            }
        }
        self.stmt(&l.statement)
    }

    /// Whether the statement begins with a call that is itself the check.
    fn starts_with_error(&self, s: &Stmt) -> bool {
        match &s.node {
            ast::Statement::Compound(items) => match items.first().map(|i| &i.node) {
                Some(ast::BlockItem::Statement(s)) => self.starts_with_error(s),
                _ => false,
            },
            ast::Statement::Labeled(l) => self.starts_with_error(&l.node.statement),
            ast::Statement::Expression(Some(e)) => match &e.node {
                ast::Expression::Call(c) => self.named_callee(&c.node).is_some_and(|(name, f)| {
                    matches!(self.special(name, f), Some(Special::Error | Special::AssertFailed(_)))
                }),
                _ => false,
            },
            _ => false,
        }
    }

    fn return_statement(&mut self, e: Option<&Ast>, s: &Stmt) -> Res<()> {
        let span = self.span(s);
        let ret_ty = self.fun.ret_ty.clone();
        match (e, &ret_ty) {
            (None, _) => {}
            (Some(e), Ty::Void) => self.discard(e)?,
            (Some(e), _) => {
                let lv = match (self.fun.ret, self.fun.ret_ptr) {
                    (Some(v), _) => Lvalue::var(v, ret_ty.lower()),
                    (None, Some(p)) => Lvalue::deref(Expr::var(p, ret_ty.lower().ptr_to())),
                    (None, None) => {
                        return self.type_error(span, "`return` with a value is not possible here");
                    }
                };
                let place = Place { lv, ty: ret_ty.into(), bit_field: false };
                self.assign_to(place, e, span, false)?;
            }
        }
        let exit = self.fun.exit;
        self.fun.goto(exit, span);
        Ok(())
    }
}
