//! Statements. A statement ends at its `;`, which is optional after `fi`, `od` and the `end` of `atomic`, before
//! the end of a block, and after a call that stands before a label; stray `;` are skipped.

use super::{Parser, Res};
use crate::ast::{Start, Stmt, StmtKind};
use crate::expr::Expr;
use crate::lexer::Tok;
use crate::name::{Ident, Loc};
use base::{Diagnostic, Span};

const ENDS: [&str; 5] = ["end", "fi", "od", "else", "elsif"];

impl<'t> Parser<'t> {
    /// Statements up to a word that ends a block.
    pub(super) fn stmts(&mut self) -> Res<Vec<Stmt>> {
        // Collected on one stack: a block gets exactly the room that it needs.
        let first = self.open.len();
        let (mut labels, mut above): (Vec<Ident>, Vec<String>) = (vec![], vec![]);
        loop {
            while self.take_mark(";") {}
            if self.at_label() {
                above.extend(self.comments_above());
                labels.extend(self.label_ident());
                self.advance();
                continue;
            }
            if self.at_any_word(&ENDS) || self.peek() == Tok::End {
                if let Some(label) = labels.first() {
                    // A label before the end of a block: an empty statement carries it.
                    let loc = label.loc;
                    let id = self.ids.fresh();
                    self.open.push(Stmt { labels, loc, above, ..Stmt::new(id, StmtKind::Skip) });
                }
                return Ok(self.open.split_off(first));
            }
            if self.at_word("dfs") && self.peek_second() == Tok::Mark(";") {
                self.dfs();
                continue;
            }
            above.extend(self.comments_above());
            // The id is taken before the children's, so that ids follow the order of the text.
            let head = Stmt {
                labels: std::mem::take(&mut labels),
                above: std::mem::take(&mut above),
                ..self.ids.stmt(StmtKind::Skip)
            };
            let place = self.open.len();
            self.open.push(head);
            self.nested(|p| p.stmt(place))?;
        }
    }

    /// A statement, which stands at this place of those open; its labels and id are known.
    fn stmt(&mut self, place: usize) -> Res<()> {
        let start = self.span();
        let Tok::Word(word) = self.peek() else { return Err(self.unexpected("a statement")) };
        match word {
            "if" => return self.if_stmt(place, start),
            "while" => return self.while_stmt(place, start),
            "atomic" if self.second_is_word("begin") => return self.atomic(place, start),
            _ => {}
        }
        let mut kind = match self.keyword_stmt(word)? {
            Some(kind) => kind,
            None => match self.thread_stmt(word)? {
                Some(kind) => kind,
                None => self.assign_or_call()?,
            },
        };
        if self.open[place].labels.iter().any(|l| l.name.as_str().starts_with("ASYNC_")) {
            asynchronous(&mut kind, start)?;
        }
        let call = matches!(kind, StmtKind::Call { .. } | StmtKind::StartThread(Start::Call { .. }));
        let ended = self.take_mark(";") || self.at_any_word(&ENDS) || (call && self.at_label());
        if !ended {
            return Err(self.no_semicolon());
        }
        self.open[place].kind = kind;
        self.ends_here(place, start);
        Ok(())
    }

    /// Notes where the statement, or its head, has stood, and what is written beside it.
    fn ends_here(&mut self, place: usize, start: Span) {
        let loc = Loc(Some(start.to(self.last_span())));
        let (comment, origin) = self.trailing_comment();
        let stmt = &mut self.open[place];
        stmt.loc = loc;
        stmt.comment = comment;
        stmt.origin = origin;
    }

    fn no_semicolon(&self) -> Diagnostic {
        if self.at_word("constrain") {
            let message = "`constrain` belongs to an assignment, a call or an assumption";
            return Diagnostic::error(self.span(), message);
        }
        self.unexpected("`;`")
    }

    fn second_is_word(&self, word: &str) -> bool {
        matches!(self.peek_second(), Tok::Word(w) if w == word)
    }

    fn at_label(&mut self) -> bool {
        self.peek_second() == Tok::Mark(":")
            && match self.peek() {
                Tok::Word(text) | Tok::Number(text) => self.name_of(text).is_some(),
                Tok::Mark(_) | Tok::End => false,
            }
    }

    /// A statement about threads, without its `;`.
    fn thread_stmt(&mut self, word: &str) -> Res<Option<StmtKind>> {
        let kind = match word {
            "start_thread" => {
                self.advance();
                StmtKind::StartThread(self.start()?)
            }
            "end_thread" => {
                self.advance();
                StmtKind::EndThread
            }
            "atomic_begin" => {
                self.advance();
                StmtKind::AtomicBegin
            }
            "atomic_end" => {
                self.advance();
                StmtKind::AtomicEnd
            }
            "sync" if matches!(self.peek_second(), Tok::Word(_)) => {
                return Err(Diagnostic::error(self.span(), "`sync` (Boppo, WALi) is not supported"));
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn start(&mut self) -> Res<Start> {
        if self.take_word("goto") {
            return Ok(Start::Goto(self.label_ident().ok_or_else(|| self.unexpected("a label"))?));
        }
        self.take_word("call");
        let callee = self.ident("`goto` or a procedure")?;
        self.expect_mark("(")?;
        Ok(Start::Call { callee, args: self.arguments()? })
    }

    /// `atomic begin … end`.
    fn atomic(&mut self, place: usize, start: Span) -> Res<()> {
        self.advance();
        self.advance();
        self.ends_here(place, start);
        self.open[place].kind = StmtKind::Atomic(self.stmts()?);
        self.expect_word("end")
    }

    /// A statement that begins with a keyword, without its `;`.
    fn keyword_stmt(&mut self, word: &str) -> Res<Option<StmtKind>> {
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
                let none = self.at_mark(";") || self.at_any_word(&ENDS);
                StmtKind::Return(if none { vec![] } else { self.exprs()? })
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
            "enforce" => {
                let message = "`enforce` stands in the header of a procedure or after its declarations";
                return Err(Diagnostic::error(self.span(), message));
            }
            _ => return Ok(None),
        }))
    }

    fn goto_targets(&mut self) -> Res<Vec<Ident>> {
        let mut out = Vec::new();
        loop {
            out.push(self.label_ident().ok_or_else(|| self.unexpected("a label"))?);
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
            && self.peek_second() == Tok::Mark("(")
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
            && self.peek_second() == Tok::Mark("(")
            && self.name_of(word).is_some()
        {
            let callee = self.ident("a procedure")?;
            return self.call(targets.into_iter().map(|(target, _)| target).collect(), callee);
        }
        let values = self.exprs()?;
        let constrain = self.constrain()?;
        let mut named = Vec::with_capacity(targets.len());
        for (target, span) in targets {
            let Some(target) = target else {
                return Err(Diagnostic::error(span, "`_` stands only for a result of a call"));
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

    fn if_stmt(&mut self, place: usize, start: Span) -> Res<()> {
        self.advance();
        let cond = self.condition("then")?;
        self.ends_here(place, start);
        let mut arms = vec![(cond, self.stmts()?)];
        while self.take_word("elsif") {
            let cond = self.condition("then")?;
            arms.push((cond, self.stmts()?));
        }
        let otherwise = if self.take_word("else") { self.stmts()? } else { vec![] };
        self.expect_word("fi")?;
        self.open[place].kind = StmtKind::If { arms, otherwise };
        Ok(())
    }

    fn while_stmt(&mut self, place: usize, start: Span) -> Res<()> {
        self.advance();
        let cond = self.condition("do")?;
        self.ends_here(place, start);
        let body = self.stmts()?;
        self.expect_word("od")?;
        self.open[place].kind = StmtKind::While { cond, body };
        Ok(())
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

/// A call with a label that begins with `ASYNC_` starts a thread.
fn asynchronous(kind: &mut StmtKind, start: Span) -> Res<()> {
    if let StmtKind::Call { results, callee, args, constrain } = kind {
        if !results.is_empty() || constrain.is_some() {
            return Err(Diagnostic::error(start, "an asynchronous call has no results and no `constrain`"));
        }
        let (callee, args) = (callee.clone(), std::mem::take(args));
        *kind = StmtKind::StartThread(Start::Call { callee, args });
    }
    Ok(())
}
