//! Loops.

use super::Stmt;
use crate::error::Res;
use crate::lower::context::{Context, Symbols};
use base::{Pos, Span};
use ir::LocId;
use lang_c::ast;

impl Context<'_> {
    /// Lowers the body of a loop with its `break` and `continue`.
    fn body(&mut self, s: &Stmt, after: LocId, next: LocId) -> Res<()> {
        let outer = self.symbols.scopes.blocks.len();
        self.emitter.fun.breaks.push((after, outer));
        self.emitter.fun.continues.push((next, outer));
        self.emitter.fun.repeats += 1;
        let result = self.substatement(s);
        self.emitter.fun.repeats -= 1;
        self.emitter.fun.breaks.pop();
        self.emitter.fun.continues.pop();
        result
    }

    pub(super) fn while_loop(&mut self, w: &ast::WhileStatement, s: &Stmt) -> Res<()> {
        let keyword = self.symbols.keyword(s, "while");
        let (head, body, after) =
            (self.emitter.fun.new_loc(), self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
        self.emitter.fun.mark_loop_head(head, keyword);
        self.emitter.fun.enter(head, keyword);
        self.emitter.fun.repeats += 1;
        let condition = self.test(&w.expression, body, after);
        self.emitter.fun.repeats -= 1;
        condition?;
        self.emitter.fun.cur = body;
        self.body(&w.statement, after, head)?;
        self.emitter.fun.goto(head, keyword);
        self.emitter.fun.cur = after;
        Ok(())
    }

    pub(super) fn do_loop(&mut self, d: &ast::DoWhileStatement, s: &Stmt) -> Res<()> {
        let keyword = self.symbols.keyword(s, "do");
        let (head, next, after) =
            (self.emitter.fun.new_loc(), self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
        // `do … while (0)` is a block that `break` can leave.
        let once = self.try_const_condition(&d.expression)? == Some(0);
        if !once {
            self.emitter.fun.mark_loop_head(head, keyword);
        }
        self.emitter.fun.enter(head, keyword);
        self.body(&d.statement, after, next)?;
        self.emitter.fun.enter(next, keyword);
        self.emitter.fun.repeats += u32::from(!once);
        let condition = self.test(&d.expression, head, after);
        self.emitter.fun.repeats -= u32::from(!once);
        condition?;
        self.emitter.fun.cur = after;
        Ok(())
    }

    pub(super) fn for_loop(&mut self, f: &ast::ForStatement, s: &Stmt) -> Res<()> {
        let keyword = self.symbols.keyword(s, "for");
        match &f.initializer.node {
            ast::ForInitializer::Empty => {}
            ast::ForInitializer::Expression(e) => self.expression_statement(e)?,
            ast::ForInitializer::Declaration(d) => self.local_declaration(d)?,
            ast::ForInitializer::StaticAssert(a) => self.static_assert(a)?,
        }
        let (head, body) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
        let (next, after) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
        self.emitter.fun.mark_loop_head(head, keyword);
        self.emitter.fun.enter(head, keyword);
        self.emitter.fun.repeats += 1;
        let condition = match &f.condition {
            Some(e) => self.test(e, body, after),
            None => {
                self.emitter.fun.goto(body, keyword);
                Ok(())
            }
        };
        self.emitter.fun.repeats -= 1;
        condition?;
        self.emitter.fun.cur = body;
        self.body(&f.statement, after, next)?;
        self.emitter.fun.enter(next, keyword);
        if let Some(step) = &f.step {
            self.expression_statement(step)?;
        }
        self.emitter.fun.goto(head, keyword);
        self.emitter.fun.cur = after;
        Ok(())
    }
}

impl Symbols<'_> {
    /// The span of the keyword that a loop starts with.
    fn keyword(&self, s: &Stmt, word: &str) -> Span {
        let span = self.span(s);
        let end = Pos { line: span.start.line, col: span.start.col + word.len() as u32 };
        Span { end, ..span }
    }
}
