//! Loops.

use super::Stmt;
use crate::cx::Cx;
use crate::options::Res;
use base::{Pos, Span};
use ir::LocId;
use lang_c::ast;

impl Cx<'_> {
    /// The span of the keyword that a loop starts with.
    fn keyword(&self, s: &Stmt, word: &str) -> Span {
        let span = self.span(s);
        let end = Pos { line: span.start.line, col: span.start.col + word.len() as u32 };
        Span { end, ..span }
    }

    /// Lowers the body of a loop with its `break` and `continue`.
    fn body(&mut self, s: &Stmt, after: LocId, next: LocId) -> Res<()> {
        let outer = self.scopes.blocks.len();
        self.fun.breaks.push((after, outer));
        self.fun.continues.push((next, outer));
        self.fun.repeats += 1;
        let result = self.substatement(s);
        self.fun.repeats -= 1;
        self.fun.breaks.pop();
        self.fun.continues.pop();
        result
    }

    pub(super) fn while_loop(&mut self, w: &ast::WhileStatement, s: &Stmt) -> Res<()> {
        let keyword = self.keyword(s, "while");
        let (head, body, after) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        self.fun.mark_loop_head(head, keyword);
        self.fun.enter(head, keyword);
        self.fun.repeats += 1;
        let condition = self.test(&w.expression, body, after);
        self.fun.repeats -= 1;
        condition?;
        self.fun.cur = body;
        self.body(&w.statement, after, head)?;
        self.fun.goto(head, keyword);
        self.fun.cur = after;
        Ok(())
    }

    pub(super) fn do_loop(&mut self, d: &ast::DoWhileStatement, s: &Stmt) -> Res<()> {
        let keyword = self.keyword(s, "do");
        let (head, next, after) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        // `do … while (0)` is a block that `break` can leave.
        let once = self.try_const_condition(&d.expression)? == Some(0);
        if !once {
            self.fun.mark_loop_head(head, keyword);
        }
        self.fun.enter(head, keyword);
        self.body(&d.statement, after, next)?;
        self.fun.enter(next, keyword);
        self.fun.repeats += u32::from(!once);
        let condition = self.test(&d.expression, head, after);
        self.fun.repeats -= u32::from(!once);
        condition?;
        self.fun.cur = after;
        Ok(())
    }

    pub(super) fn for_loop(&mut self, f: &ast::ForStatement, s: &Stmt) -> Res<()> {
        let keyword = self.keyword(s, "for");
        match &f.initializer.node {
            ast::ForInitializer::Empty => {}
            ast::ForInitializer::Expression(e) => self.expression_statement(e)?,
            ast::ForInitializer::Declaration(d) => self.local_declaration(d)?,
            ast::ForInitializer::StaticAssert(a) => self.static_assert(a)?,
        }
        let (head, body) = (self.fun.new_loc(), self.fun.new_loc());
        let (next, after) = (self.fun.new_loc(), self.fun.new_loc());
        self.fun.mark_loop_head(head, keyword);
        self.fun.enter(head, keyword);
        self.fun.repeats += 1;
        let condition = match &f.condition {
            Some(e) => self.test(e, body, after),
            None => {
                self.fun.goto(body, keyword);
                Ok(())
            }
        };
        self.fun.repeats -= 1;
        condition?;
        self.fun.cur = body;
        self.body(&f.statement, after, next)?;
        self.fun.enter(next, keyword);
        if let Some(step) = &f.step {
            self.expression_statement(step)?;
        }
        self.fun.goto(head, keyword);
        self.fun.cur = after;
        Ok(())
    }
}
