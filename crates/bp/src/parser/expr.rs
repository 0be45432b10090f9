//! Expressions, by precedence climbing: one recursive call for each nesting level. Runs of `&` and of `|`
//! become one node with many operands, so a cube of ten thousand literals is not deep.

use super::precedence::Infix;
use super::{Dialect, MAX_DEPTH, Parser, Res, error};
use crate::expr::{BinOp, Expr};
use crate::lexer::Tok;
use crate::words::Word;
use base::Diagnostic;

impl Parser<'_> {
    /// An expression of any form.
    pub(super) fn expr(&mut self) -> Res<Expr> {
        self.nested(|p| {
            let cond = p.infix(1)?.0;
            if !p.take_mark("?") {
                return Ok(cond);
            }
            let a = p.expr()?;
            p.expect_mark(":")?;
            let b = p.expr()?;
            Ok(Expr::Ite(Box::new(cond), Box::new(a), Box::new(b)))
        })
    }

    /// Expressions with `,` between them.
    pub(super) fn exprs(&mut self) -> Res<Vec<Expr>> {
        let mut out = vec![self.expr()?];
        while self.take_mark(",") {
            out.push(self.expr()?);
        }
        Ok(out)
    }

    /// Arguments up to and with `)`.
    pub(super) fn arguments(&mut self) -> Res<Vec<Expr>> {
        let out = if self.at_mark(")") { vec![] } else { self.exprs()? };
        self.expect_mark(")")?;
        Ok(out)
    }

    fn at_infix(&self) -> Option<Infix> {
        Some(match self.peek() {
            Tok::Mark(mark) => match mark.as_bytes() {
                b"<->" | b"<=>" => Infix::Iff,
                b"=>" | b"->" => Infix::Implies,
                b"||" => Infix::OrElse,
                b"&&" => Infix::AndThen,
                b"|" => Infix::Or,
                b"^" => Infix::Xor,
                b"&" => Infix::And,
                b"=" | b"==" => Infix::Eq,
                b"!=" => Infix::Ne,
                _ => return None,
            },
            Tok::Word(_) => match self.now().word {
                Word::Or => Infix::OrElse,
                Word::And => Infix::AndThen,
                Word::Xor => Infix::Xor,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Operators of at least this level; with the operator at the top when no parentheses enclose it.
    fn infix(&mut self, level: u8) -> Res<(Expr, Option<Infix>)> {
        let (mut left, mut top) = self.unary().map(|e| (e, None))?;
        let mut chain = 0;
        while let Some(op) = self.at_infix().filter(|op| op.level(self.dialect) >= level) {
            let span = self.span();
            self.advance();
            chain += 1;
            if chain + self.depth > MAX_DEPTH && !matches!(left, Expr::And(_) | Expr::Or(_)) {
                return Err(error(span, format!("more than {MAX_DEPTH} operators in a row")));
            }
            let below = op.level(self.dialect) + u8::from(!op.binds_right(self.dialect));
            let (right, right_top) = self.nested(|p| p.infix(below))?;
            let disputed = [top, right_top].into_iter().flatten().find(|other| op.disputed(*other));
            if let Some(other) = disputed.filter(|_| self.dialect == Dialect::Strict) {
                let message = format!("`{}` beside `{}` needs parentheses", op.symbol(), other.symbol());
                let note = "tools disagree about which binds more tightly; --dialect says whose rules hold";
                return Err(Box::new(Diagnostic::error(span, message).with_note(None, note)));
            }
            left = join(op, left, top, right);
            top = Some(op);
        }
        Ok((left, top))
    }

    fn unary(&mut self) -> Res<Expr> {
        if self.at_mark("!") || self.at_mark("~") || self.at_word(Word::Not) {
            self.advance();
            let e = self.nested(Parser::unary)?;
            return Ok(Expr::Not(Box::new(e)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Res<Expr> {
        let constant = match self.peek() {
            Tok::Mark("*" | "?") => Some(Expr::Star),
            Tok::Number(n) => match n {
                "0" => Some(Expr::Const(false)),
                "1" => Some(Expr::Const(true)),
                _ => None,
            },
            Tok::Word(_) => match self.now().word {
                Word::T | Word::True => Some(Expr::Const(true)),
                Word::F | Word::False => Some(Expr::Const(false)),
                _ => None,
            },
            _ => None,
        };
        if let Some(constant) = constant {
            self.advance();
            return Ok(constant);
        }
        if self.take_mark("(") {
            let e = self.expr()?;
            self.expect_mark(")")?;
            return Ok(e);
        }
        if matches!(self.now().word, Word::Choose | Word::Schoose) {
            self.advance();
            self.expect_mark("[")?;
            let a = self.expr()?;
            self.expect_mark(",")?;
            let b = self.expr()?;
            self.expect_mark("]")?;
            return Ok(Expr::Choose(Box::new(a), Box::new(b)));
        }
        if self.take_mark("'") {
            return Ok(Expr::Next(self.ident("a variable")?));
        }
        Ok(Expr::Var(self.ident("an expression")?))
    }
}

/// `left op right`; `left` grows when it is a run of the same operator and not in parentheses.
fn join(op: Infix, left: Expr, top: Option<Infix>, right: Expr) -> Expr {
    let binary = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    match (op, left) {
        (Infix::And | Infix::AndThen, Expr::And(mut es)) if top == Some(op) => {
            es.push(right);
            Expr::And(es)
        }
        (Infix::Or | Infix::OrElse, Expr::Or(mut es)) if top == Some(op) => {
            es.push(right);
            Expr::Or(es)
        }
        (Infix::And | Infix::AndThen, left) => Expr::And(vec![left, right]),
        (Infix::Or | Infix::OrElse, left) => Expr::Or(vec![left, right]),
        (Infix::Iff | Infix::Eq, left) => binary(BinOp::Eq, left, right),
        (Infix::Ne, left) => binary(BinOp::Ne, left, right),
        (Infix::Xor, left) => binary(BinOp::Xor, left, right),
        (Infix::Implies, left) => binary(BinOp::Implies, left, right),
    }
}
