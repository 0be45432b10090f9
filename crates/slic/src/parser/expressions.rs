//! Expressions: operators by precedence.

use super::{Parser, Res};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::lexer::Token;

impl Parser {
    pub(super) fn expression(&mut self) -> Res<Expr> {
        self.deeper(|p| p.binary(1))
    }

    fn binary(&mut self, least: u8) -> Res<Expr> {
        let start = self.span();
        let mut left = self.unary()?;
        let mut length = 0;
        while let Some(op) = self.operator().filter(|op| op.binds() >= least) {
            self.next();
            let right = self.deeper(|p| p.binary(op.binds() + 1))?;
            length += 1;
            if length > super::DEPTH {
                return self.expected("the end of the expression: it is too long");
            }
            let span = self.since(start);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<BinaryOp> {
        let Token::Mark(mark) = self.token() else { return None };
        BinaryOp::ALL.into_iter().find(|op| op.symbol() == *mark)
    }

    fn unary(&mut self) -> Res<Expr> {
        let start = self.span();
        for (mark, op) in [("-", UnaryOp::Neg), ("~", UnaryOp::BitNot), ("!", UnaryOp::Not)] {
            if self.accept(mark) {
                let operand = self.deeper(Parser::unary)?;
                return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span: self.since(start) });
            }
        }
        if self.accept("(") {
            if let Some(ty) = self.ty()? {
                self.mark(")")?;
                let operand = self.deeper(Parser::unary)?;
                return Ok(Expr { kind: ExprKind::Cast(ty, Box::new(operand)), span: self.since(start) });
            }
            let inner = self.expression()?;
            self.mark(")")?;
            return Ok(inner);
        }
        self.primary()
    }

    fn primary(&mut self) -> Res<Expr> {
        let kind = match self.token() {
            Token::Number(n) => ExprKind::Number(*n),
            Token::Operand(operand) => ExprKind::Operand(*operand),
            Token::Word(w) if w == "watched" => ExprKind::Watched,
            Token::Word(_) => {
                let name = self.name("an expression")?;
                return Ok(Expr { kind: ExprKind::Name(name.text), span: name.span });
            }
            _ => return self.expected("an expression"),
        };
        let (_, span) = self.next();
        Ok(Expr { kind, span })
    }
}
