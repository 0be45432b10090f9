//! Statements. A statement ends at its `;`, which is optional after `fi` and `od`, and after a call that
//! stands before a label or the end of its block; stray `;` are skipped.

use super::{Parser, Res, concurrent, label_name};
use crate::ast::{Stmt, StmtKind};
use crate::expr::Expr;
use crate::lexer::Tok;
use crate::name::{self, Ident, Loc};
use base::Span;

const ENDS: [&str; 5] = ["end", "fi", "od", "else", "elsif"];
const THREAD_WORDS: [&str; 5] = ["start_thread", "end_thread", "atomic_begin", "atomic_end", "atomic"];

impl Parser {
    /// Statements up to a word that ends a block.
    pub(super) fn stmts(&mut self) -> Res<Vec<Stmt>> {
        let mut out = Vec::new();
        let mut labels: Vec<Ident> = Vec::new();
        loop {
            while self.take_mark(";") {}
            if let Some(label) = self.label() {
                labels.push(label);
                continue;
            }
            if self.at_any_word(&ENDS) || *self.peek() == Tok::End {
                if let Some(first) = labels.first() {
                    // A label before the end of a block: an empty statement carries it.
                    let loc = first.loc;
                    let id = self.ids.fresh();
                    out.push(Stmt { labels, loc, ..Stmt::new(id, StmtKind::Skip) });
                }
                return Ok(out);
            }
            if self.at_word("dfs") && *self.peek_second() == Tok::Mark(";") {
                self.dfs();
                continue;
            }
            let stmt = self.nested(|p| p.stmt(std::mem::take(&mut labels)))?;
            out.push(stmt);
        }
    }

    fn label(&mut self) -> Option<Ident> {
        let name = label_name(self.peek())?.clone();
        if *self.peek_second() != Tok::Mark(":") {
            return None;
        }
        let loc = Loc(Some(self.span()));
        self.advance();
        self.advance();
        Some(Ident { name, loc })
    }

    fn stmt(&mut self, labels: Vec<Ident>) -> Res<Stmt> {
        // The id is taken before the children's, so that ids follow the order of the text.
        let id = self.ids.fresh();
        let start = self.span();
        let mut stmt = Stmt { labels, ..Stmt::new(id, StmtKind::Skip) };
        let Tok::Word(word) = self.peek() else { return Err(self.unexpected("a statement")) };
        let word = word.clone();
        if stmt.labels.iter().any(|l| l.name.as_str().starts_with("ASYNC_")) {
            return Err(concurrent(start, "an asynchronous call"));
        }
        match word.as_str() {
            "if" => return self.if_stmt(stmt, start),
            "while" => return self.while_stmt(stmt, start),
            _ => {}
        }
        stmt.kind = match self.keyword_stmt(word.as_str(), start)? {
            Some(kind) => kind,
            None => self.assign_or_call()?,
        };
        let is_call = matches!(stmt.kind, StmtKind::Call { .. });
        let ended = self.take_mark(";") || (is_call && self.at_end_of_call());
        if !ended {
            return Err(self.unexpected("`;`"));
        }
        stmt.loc = Loc(Some(start.to(self.last_span())));
        (stmt.comment, stmt.origin) = self.trailing_comment();
        Ok(stmt)
    }

    /// What stands after a call whose `;` is missing: a label or the end of the block.
    fn at_end_of_call(&self) -> bool {
        self.at_any_word(&ENDS)
            || (label_name(self.peek()).is_some() && *self.peek_second() == Tok::Mark(":"))
    }

    /// A statement that begins with a keyword, without its `;`.
    fn keyword_stmt(&mut self, word: &str, start: Span) -> Res<Option<StmtKind>> {
        let is_call = *self.peek_second() == Tok::Mark("(");
        Ok(Some(match word {
            "skip" => {
                self.advance();
                StmtKind::Skip
            }
            "goto" => {
                self.advance();
                StmtKind::Goto(self.goto_targets()?)
            }
            "assume" | "constrain" => {
                self.advance();
                let cond = self.expr()?;
                let constrain = self.constrain()?;
                StmtKind::Assume { cond, constrain }
            }
            "abortif" => {
                self.advance();
                let cond = self.expr()?;
                StmtKind::Assume { cond: Expr::not(cond), constrain: None }
            }
            "assert" => {
                self.advance();
                StmtKind::Assert(self.expr()?)
            }
            "return" => {
                self.advance();
                StmtKind::Return(if self.at_mark(";") { vec![] } else { self.exprs()? })
            }
            "dead" => {
                self.advance();
                StmtKind::Dead(self.idents("a variable")?)
            }
            "print" => {
                self.advance();
                self.expect_mark("(")?;
                StmtKind::Print(self.arguments()?)
            }
            "call" if matches!(self.peek_second(), Tok::Word(_)) => {
                self.advance();
                let callee = self.ident("a procedure")?;
                self.call(vec![], callee)?
            }
            "decl" => {
                return Err(self.unexpected("a statement (declarations stand at the head of a body)"));
            }
            w if THREAD_WORDS.contains(&w) && !(w == "atomic" && is_call) => {
                return Err(concurrent(start, &format!("`{w}`")));
            }
            _ => return Ok(None),
        }))
    }

    fn goto_targets(&mut self) -> Res<Vec<Ident>> {
        let mut out = Vec::new();
        loop {
            let Some(name) = label_name(self.peek()) else { return Err(self.unexpected("a label")) };
            out.push(Ident { name: name.clone(), loc: Loc(Some(self.span())) });
            self.advance();
            if !self.take_mark(",") {
                return Ok(out);
            }
        }
    }

    fn constrain(&mut self) -> Res<Option<Expr>> {
        if self.take_word("constrain") { self.expr().map(Some) } else { Ok(None) }
    }

    fn assign_or_call(&mut self) -> Res<StmtKind> {
        if let Tok::Word(_) = self.peek()
            && *self.peek_second() == Tok::Mark("(")
        {
            let callee = self.ident("a procedure")?;
            return self.call(vec![], callee);
        }
        let mut targets = vec![self.target()?];
        while self.take_mark(",") {
            targets.push(self.target()?);
        }
        self.expect_mark(":=")?;
        self.take_word("call");
        if let Tok::Word(word) = self.peek()
            && *self.peek_second() == Tok::Mark("(")
            && !name::is_reserved(word.as_str())
        {
            let callee = self.ident("a procedure")?;
            return self.call(targets.into_iter().map(|(target, _)| target).collect(), callee);
        }
        let values = self.exprs()?;
        let constrain = self.constrain()?;
        let mut named = Vec::with_capacity(targets.len());
        for (target, span) in targets {
            let Some(target) = target else {
                return Err(base::Diagnostic::error(span, "`_` stands only for a result of a call"));
            };
            named.push(target);
        }
        Ok(StmtKind::Assign { targets: named, values, constrain })
    }

    /// A variable, or `_` as `None`.
    fn target(&mut self) -> Res<(Option<Ident>, Span)> {
        let span = self.span();
        if self.take_word("_") {
            return Ok((None, span));
        }
        Ok((Some(self.ident("a statement")?), span))
    }

    fn call(&mut self, results: Vec<Option<Ident>>, callee: Ident) -> Res<StmtKind> {
        self.expect_mark("(")?;
        let args = self.arguments()?;
        let constrain = self.constrain()?;
        Ok(StmtKind::Call { results, callee, args, constrain })
    }

    fn if_stmt(&mut self, mut stmt: Stmt, start: Span) -> Res<Stmt> {
        self.advance();
        let cond = self.condition("then")?;
        stmt.loc = Loc(Some(start.to(self.last_span())));
        (stmt.comment, stmt.origin) = self.trailing_comment();
        let mut arms = vec![(cond, self.stmts()?)];
        while self.take_word("elsif") {
            let cond = self.condition("then")?;
            arms.push((cond, self.stmts()?));
        }
        let otherwise = if self.take_word("else") { self.stmts()? } else { vec![] };
        self.expect_word("fi")?;
        stmt.kind = StmtKind::If { arms, otherwise };
        Ok(stmt)
    }

    fn while_stmt(&mut self, mut stmt: Stmt, start: Span) -> Res<Stmt> {
        self.advance();
        let cond = self.condition("do")?;
        stmt.loc = Loc(Some(start.to(self.last_span())));
        (stmt.comment, stmt.origin) = self.trailing_comment();
        let body = self.stmts()?;
        self.expect_word("od")?;
        stmt.kind = StmtKind::While { cond, body };
        Ok(stmt)
    }

    /// A decider and the word after it, which may be missing when the decider is in parentheses.
    fn condition(&mut self, word: &str) -> Res<Expr> {
        let parenthesised = self.at_mark("(");
        let cond = self.expr()?;
        if parenthesised {
            self.take_word(word);
        } else {
            self.expect_word(word)?;
        }
        Ok(cond)
    }
}
