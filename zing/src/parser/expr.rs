//! Expressions, calls, and what stands on the right of `=`.

use super::{MAX_DEPTH, Parsed, Parser};
use crate::ast::{At, BinOp, Call, Expr, ExprKind, UnOp, Value};
use crate::lexer::Token;
use base::Diagnostic;

const BINARY: [BinOp; 13] = [
    BinOp::Or,
    BinOp::And,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Lt,
    BinOp::Le,
    BinOp::Gt,
    BinOp::Ge,
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
];

impl Parser {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.binary(0))
    }

    /// An expression of operators that bind more tightly than `least`.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.place();
        let mut left = self.unary()?;
        for links in 0.. {
            let Some((op, strength)) = self.operator().filter(|(_, strength)| *strength > least) else {
                break;
            };
            // Chains are as deep in the tree as they are long.
            if links + self.depth >= MAX_DEPTH {
                let message = format!("more than {MAX_DEPTH} operators in one expression");
                return Err(Diagnostic::error(self.span(), message));
            }
            self.advance();
            let right = self.nested(|p| p.binary(strength))?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, at: self.since(start) };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(BinOp, u8)> {
        let Token::Sign(sign) = self.peek() else { return None };
        BINARY.iter().map(|op| (*op, op.text())).find(|(_, (t, _))| t == sign).map(|(op, (_, s))| (op, s))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.place();
        for (sign, op) in [("!", UnOp::Not), ("-", UnOp::Neg)] {
            if self.sign(sign) {
                let inner = self.nested(Parser::unary)?;
                let kind = match (op, inner.kind) {
                    (UnOp::Neg, ExprKind::Int(n)) if n > 0 => ExprKind::Int(-n),
                    (op, kind) => ExprKind::Unary(op, Box::new(Expr { kind, at: inner.at })),
                };
                return Ok(Expr { kind, at: self.since(start) });
            }
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.place();
        let mut e = self.primary()?;
        let mut dots = self.depth;
        while self.sign(".") {
            dots += 1;
            if dots > MAX_DEPTH {
                return Err(Diagnostic::error(self.span(), "this path is too long"));
            }
            let name = self.name()?;
            e = Expr { kind: ExprKind::Field(Box::new(e), name), at: self.since(start) };
        }
        if self.is("(") && matches!(e.kind, ExprKind::Name(_) | ExprKind::Field(..)) {
            let message = "a call stands alone, or alone on the right of `=` or after `return`";
            return Err(Diagnostic::error(self.since(start).0, message));
        }
        Ok(e)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let at = self.place();
        let kind = match self.peek() {
            Token::Number(n) => match i32::try_from(*n) {
                Ok(n) => ExprKind::Int(n),
                Err(_) => return Err(Diagnostic::error(at.0, "this number is too large")),
            },
            Token::Sign("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Word(w) => match w.as_str() {
                "null" => ExprKind::Null,
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "this" => ExprKind::This,
                "choose" | "new" => {
                    let message = format!("`{w}` stands alone on the right of `=`, or after `return`");
                    return Err(Diagnostic::error(at.0, message));
                }
                _ => return Ok(Expr { kind: ExprKind::Name(self.name()?), at }),
            },
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(Expr { kind, at })
    }

    /// What stands on the right of `=`.
    pub(super) fn value(&mut self) -> Parsed<Value> {
        let at = self.place();
        if self.word("new") {
            let class = self.name()?;
            let args = if self.is("(") { Some(self.args()?) } else { None };
            return Ok(Value::New(class, args, self.since(at)));
        }
        if self.word("choose") {
            self.expect("(")?;
            let ty = self.ty()?;
            self.expect(")")?;
            return Ok(Value::Choose(ty, self.since(at)));
        }
        match self.call()? {
            Some(call) => Ok(Value::Call(call)),
            None => self.expr().map(Value::Expr),
        }
    }

    /// A call, if what comes is one: names with dots and an opening parenthesis.
    pub(super) fn call(&mut self) -> Parsed<Option<Call>> {
        let mut n = 1;
        while matches!((self.peek_after(n), self.peek_after(n + 1)), (Token::Sign("."), Token::Word(_))) {
            n += 2;
        }
        let named = matches!(self.peek(), Token::Word(_)) && matches!(self.peek_after(n), Token::Sign("("));
        if !named {
            return Ok(None);
        }
        if n > 2 * MAX_DEPTH {
            return Err(Diagnostic::error(self.span(), "this path is too long"));
        }
        let start = self.place();
        let mut receiver: Option<Expr> = None;
        loop {
            let at = self.place();
            let this = receiver.is_none() && self.is_word("this");
            let name = if this {
                self.advance();
                String::new()
            } else {
                self.name()?
            };
            if self.is("(") {
                if this {
                    return Err(Diagnostic::error(at.0, "`this` is no procedure"));
                }
                let args = self.args()?;
                return Ok(Some(Call { receiver, name, args, at: self.since(start) }));
            }
            self.expect(".")?;
            let kind = match receiver {
                None if this => ExprKind::This,
                None => ExprKind::Name(name),
                Some(object) => ExprKind::Field(Box::new(object), name),
            };
            receiver = Some(Expr { kind, at: At(start.0.to(at.0)) });
        }
    }

    fn args(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = vec![];
        self.expect("(")?;
        while !self.sign(")") {
            if !args.is_empty() {
                self.expect(",")?;
            }
            args.push(self.expr()?);
        }
        Ok(args)
    }
}
