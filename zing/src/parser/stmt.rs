//! Statements.

use super::{KEYWORDS, Parsed, Parser};
use crate::ast::{At, Cond, ExprKind, Stmt, StmtKind};
use crate::lexer::Token;
use base::Diagnostic;

impl Parser {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        self.nested(|p| {
            let mut stmts = vec![];
            while !p.sign("}") {
                stmts.push(p.stmt()?);
            }
            Ok(stmts)
        })
    }

    /// A block, or one statement.
    fn body(&mut self) -> Parsed<Vec<Stmt>> {
        if self.is("{") { self.block() } else { self.nested(|p| Ok(vec![p.stmt()?])) }
    }

    fn is_name(&self) -> bool {
        matches!(self.peek(), Token::Word(w) if !KEYWORDS.contains(&w.as_str()))
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let mut labels = vec![];
        while self.is_name() && *self.peek_after(1) == Token::Sign(":") {
            labels.push(self.name()?);
            self.advance();
        }
        if !labels.is_empty() && self.is("}") {
            return Ok(Stmt { labels, kind: StmtKind::Skip, at: self.place() });
        }
        let start = self.place();
        if let Some(structured) = self.structured(start)? {
            let (kind, at) = structured;
            return Ok(Stmt { labels, kind, at });
        }
        let kind = self.simple()?;
        let at = self.since(start);
        if kind != StmtKind::Skip {
            self.expect(";")?;
        }
        Ok(Stmt { labels, kind, at })
    }

    /// A statement that holds others, and the place of its head.
    fn structured(&mut self, start: At) -> Parsed<Option<(StmtKind, At)>> {
        if self.is("{") {
            return Ok(Some((StmtKind::Block(self.block()?), start)));
        }
        if self.word("atomic") {
            return Ok(Some((StmtKind::Atomic(self.block()?), start)));
        }
        if self.word("if") {
            let cond = self.cond()?;
            let at = self.since(start);
            let then = self.body()?;
            let otherwise = if self.word("else") { Some(self.body()?) } else { None };
            return Ok(Some((StmtKind::If(cond, then, otherwise), at)));
        }
        if self.word("while") {
            let cond = self.cond()?;
            let at = self.since(start);
            return Ok(Some((StmtKind::While(cond, self.body()?), at)));
        }
        Ok(None)
    }

    fn cond(&mut self) -> Parsed<Cond> {
        self.expect("(")?;
        let cond = if self.sign("*") {
            Cond::Choose
        } else if self.is_word("choose") {
            self.advance();
            self.expect("(")?;
            self.expect_word("bool")?;
            self.expect(")")?;
            Cond::Choose
        } else {
            Cond::Is(self.expr()?)
        };
        self.expect(")")?;
        Ok(cond)
    }

    /// A statement that ends with a semicolon, which is not taken.
    fn simple(&mut self) -> Parsed<StmtKind> {
        if self.sign(";") {
            return Ok(StmtKind::Skip);
        }
        if self.word("return") {
            let value = if self.is(";") { None } else { Some(self.value()?) };
            return Ok(StmtKind::Return(value));
        }
        for (word, kind) in [("assume", StmtKind::Assume as fn(_) -> _), ("assert", StmtKind::Assert)] {
            if self.word(word) {
                self.expect("(")?;
                let e = self.expr()?;
                self.expect(")")?;
                return Ok(kind(e));
            }
        }
        if self.word("async") {
            return match self.call()? {
                Some(call) => Ok(StmtKind::Async(call)),
                None => Err(self.unexpected("a call")),
            };
        }
        let builtin = self.is_word("bool") || self.is_word("int");
        let declares = self.is_name() && matches!(self.peek_after(1), Token::Word(_));
        if builtin || declares {
            let (ty, name) = (self.ty()?, self.name()?);
            let value = if self.sign("=") { Some(self.value()?) } else { None };
            return Ok(StmtKind::Declare(ty, name, value));
        }
        if let Some(call) = self.call()? {
            return Ok(StmtKind::Call(call));
        }
        if !self.is_name() && !self.is_word("this") {
            return Err(self.unexpected("a statement"));
        }
        let target = self.expr()?;
        if !matches!(target.kind, ExprKind::Name(_) | ExprKind::Field(..)) {
            return Err(Diagnostic::error(target.at.0, "this cannot be assigned to"));
        }
        self.expect("=")?;
        Ok(StmtKind::Assign(target, self.value()?))
    }
}
