//! Statements. A statement ends at its `;`, which is optional after `fi`, `od` and the `end` of `atomic`, before
//! the end of a block, and after a call that stands before a label; stray `;` are skipped.

use super::{Dialect, Parser, Res, error};
use crate::ast::{Start, Stmt, StmtKind};
use crate::expr::Expr;
use crate::lexer::Tok;
use crate::name::{Ident, Loc, Name};
use crate::words::Word;
use base::{Diagnostic, Span};
use rustc_hash::FxHashMap;

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
            if self.at_block_end() || self.peek() == Tok::End {
                if let Some(label) = labels.first() {
                    // A label before the end of a block: an empty statement carries it.
                    let loc = label.loc;
                    self.begin(labels, above);
                    self.open.last_mut().expect("it was begun").loc = loc;
                }
                return Ok(self.open.split_off(first));
            }
            if self.at_word(Word::Dfs) && self.peek_second() == Tok::Mark(";") {
                self.dfs();
                continue;
            }
            above.extend(self.comments_above());
            // The id is taken before the children's, so that ids follow the order of the text.
            let place = self.open.len();
            self.begin(std::mem::take(&mut labels), std::mem::take(&mut above));
            self.nested(|p| p.stmt(place))?;
        }
    }

    /// A statement of which the rest is not known yet.
    fn begin(&mut self, labels: Vec<Ident>, above: Vec<String>) {
        let mut stmt = Stmt { labels, ..self.ids.stmt(StmtKind::Skip) };
        if !above.is_empty() {
            stmt.notes.above = above;
        }
        self.open.push(stmt);
    }

    #[inline]
    fn at_block_end(&self) -> bool {
        matches!(self.now().word, Word::End | Word::Fi | Word::Od | Word::Else | Word::Elsif)
    }

    /// A statement, which stands at this place of those open; its labels and id are known.
    fn stmt(&mut self, place: usize) -> Res<()> {
        let start = self.span();
        let Tok::Word(_) = self.peek() else { return Err(self.unexpected("a statement")) };
        match self.now().word {
            Word::If => return self.if_stmt(place, start),
            Word::While => return self.while_stmt(place, start),
            Word::Atomic if self.second_is_word(Word::Begin) => return self.atomic(place, start),
            _ => {}
        }
        let mut kind = match self.keyword_stmt()? {
            Some(kind) => kind,
            None => match self.thread_stmt()? {
                Some(kind) => kind,
                None => self.assign_or_call()?,
            },
        };
        if self.open[place].labels.iter().any(|l| l.name.as_str().starts_with("ASYNC_")) {
            asynchronous(&mut kind, start)?;
        }
        let call = matches!(kind, StmtKind::Call { .. } | StmtKind::StartThread(Start::Call { .. }));
        let ended = self.take_mark(";") || self.at_block_end() || (call && self.at_label());
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
        let beside = self.trailing_comment();
        let stmt = &mut self.open[place];
        stmt.loc = loc;
        if beside != (None, None) {
            (stmt.notes.comment, stmt.notes.origin) = beside;
        }
    }

    fn no_semicolon(&self) -> Box<Diagnostic> {
        if self.at_word(Word::Constrain) {
            let message = "`constrain` belongs to an assignment, a call or an assumption";
            return error(self.span(), message);
        }
        self.unexpected("`;`")
    }

    fn second_is_word(&self, word: Word) -> bool {
        self.second().word == word
    }

    fn at_label(&mut self) -> bool {
        self.peek_second() == Tok::Mark(":")
            && match self.peek() {
                Tok::Word(text) | Tok::Number(text) => self.name_of(text).is_some(),
                Tok::Mark(_) | Tok::End => false,
            }
    }

    /// A statement about threads, without its `;`.
    fn thread_stmt(&mut self) -> Res<Option<StmtKind>> {
        let kind = match self.now().word {
            Word::StartThread => {
                self.advance();
                StmtKind::StartThread(self.start()?)
            }
            Word::EndThread => {
                self.advance();
                StmtKind::EndThread
            }
            Word::AtomicBegin => {
                self.advance();
                StmtKind::AtomicBegin
            }
            Word::AtomicEnd => {
                self.advance();
                StmtKind::AtomicEnd
            }
            Word::Sync if matches!(self.peek_second(), Tok::Word(_)) => {
                return Err(error(self.span(), "`sync` (Boppo, WALi) is not supported"));
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn start(&mut self) -> Res<Start> {
        if self.take_word(Word::Goto) {
            return Ok(Start::Goto(self.label_ident().ok_or_else(|| self.unexpected("a label"))?));
        }
        self.take_word(Word::Call);
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
        self.expect_word(Word::End)
    }

    /// A statement that begins with a keyword, without its `;`.
    fn keyword_stmt(&mut self) -> Res<Option<StmtKind>> {
        Ok(Some(match self.now().word {
            Word::Skip => {
                self.advance();
                StmtKind::Skip
            }
            Word::Goto => {
                self.advance();
                StmtKind::Goto(self.goto_targets()?)
            }
            Word::Assume | Word::Constrain => {
                self.advance();
                let cond = self.expr()?;
                let constrain = self.constrain()?;
                StmtKind::Assume { cond, constrain }
            }
            Word::Abortif => {
                self.advance();
                let cond = self.expr()?;
                StmtKind::Assume { cond: Expr::not(cond), constrain: None }
            }
            Word::Assert => {
                self.advance();
                StmtKind::Assert(self.expr()?)
            }
            Word::Return => {
                self.advance();
                let none = self.at_mark(";") || self.at_block_end();
                StmtKind::Return(if none { vec![] } else { self.exprs()? })
            }
            Word::Dead => {
                self.advance();
                StmtKind::Dead(self.idents("a variable")?)
            }
            Word::Print => {
                self.advance();
                self.expect_mark("(")?;
                StmtKind::Print(self.arguments()?)
            }
            Word::Call if matches!(self.peek_second(), Tok::Word(_)) => {
                self.advance();
                let callee = self.ident("a procedure")?;
                self.call(vec![], callee)?
            }
            Word::Decl => {
                return Err(self.unexpected("a statement (declarations stand at the head of a body)"));
            }
            Word::Enforce => {
                let message = "`enforce` stands in the header of a procedure or after its declarations";
                return Err(error(self.span(), message));
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

    fn constrain(&mut self) -> Res<Option<Box<Expr>>> {
        if self.take_word(Word::Constrain) { self.expr().map(|e| Some(Box::new(e))) } else { Ok(None) }
    }

    fn assign_or_call(&mut self) -> Res<StmtKind> {
        if let Tok::Word(_) = self.peek()
            && self.peek_second() == Tok::Mark("(")
        {
            let callee = self.ident("a procedure")?;
            return self.call(vec![], callee);
        }
        // Where `_` stands.
        let mut blank = None;
        let mut targets = vec![self.target(&mut blank)?];
        while self.take_mark(",") {
            targets.push(self.target(&mut blank)?);
        }
        self.expect_mark(":=")?;
        self.take_word(Word::Call);
        if let Tok::Word(word) = self.peek()
            && self.peek_second() == Tok::Mark("(")
            && self.name_of(word).is_some()
        {
            let callee = self.ident("a procedure")?;
            return self.call(targets, callee);
        }
        let mut values = self.exprs()?;
        let constrain = self.constrain()?;
        if let Some(span) = blank {
            return Err(error(span, "`_` stands only for a result of a call"));
        }
        let mut targets: Vec<Ident> = targets.into_iter().flatten().collect();
        if self.dialect == Dialect::Boppo && targets.len() == values.len() {
            self.keep_last(&mut targets, &mut values);
        }
        Ok(StmtKind::Assign { targets, values, constrain })
    }

    /// Keeps the last value of a variable that is set twice, as Boppo does.
    fn keep_last(&mut self, targets: &mut Vec<Ident>, values: &mut Vec<Expr>) {
        let last: FxHashMap<Name, usize> =
            targets.iter().enumerate().map(|(i, target)| (target.name.clone(), i)).collect();
        if last.len() == targets.len() {
            return;
        }
        let pairs = std::mem::take(targets).into_iter().zip(std::mem::take(values)).enumerate();
        for (i, (target, value)) in pairs {
            if last[&target.name] == i {
                targets.push(target);
                values.push(value);
            } else if let Some(span) = target.loc.0 {
                let message = format!("`{target}` is set twice by one statement: the last value counts");
                self.warnings.push(Diagnostic::warning(span, message));
            }
        }
    }

    /// A variable, or `_` as `None`.
    fn target(&mut self, blank: &mut Option<Span>) -> Res<Option<Ident>> {
        let span = self.span();
        if self.take_word(Word::Blank) {
            blank.get_or_insert(span);
            return Ok(None);
        }
        self.ident("a statement").map(Some)
    }

    fn call(&mut self, results: Vec<Option<Ident>>, callee: Ident) -> Res<StmtKind> {
        self.expect_mark("(")?;
        let args = self.arguments()?;
        let constrain = self.constrain()?;
        Ok(StmtKind::Call { results, callee, args, constrain })
    }

    fn if_stmt(&mut self, place: usize, start: Span) -> Res<()> {
        self.advance();
        let cond = self.condition(Word::Then)?;
        self.ends_here(place, start);
        let mut arms = vec![(cond, self.stmts()?)];
        while self.take_word(Word::Elsif) {
            let cond = self.condition(Word::Then)?;
            arms.push((cond, self.stmts()?));
        }
        let otherwise = if self.take_word(Word::Else) { self.stmts()? } else { vec![] };
        self.expect_word(Word::Fi)?;
        self.open[place].kind = StmtKind::If { arms, otherwise };
        Ok(())
    }

    fn while_stmt(&mut self, place: usize, start: Span) -> Res<()> {
        self.advance();
        let cond = self.condition(Word::Do)?;
        self.ends_here(place, start);
        let body = self.stmts()?;
        self.expect_word(Word::Od)?;
        self.open[place].kind = StmtKind::While { cond, body };
        Ok(())
    }

    /// A decider and the word after it, which may be missing when the decider is in parentheses.
    fn condition(&mut self, word: Word) -> Res<Expr> {
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
            return Err(error(start, "an asynchronous call has no results and no `constrain`"));
        }
        let (callee, args) = (callee.clone(), std::mem::take(args));
        *kind = StmtKind::StartThread(Start::Call { callee, args });
    }
    Ok(())
}
