//! Calls, and operators that evaluate their operands one after the other or only one of them.

use super::{Kind, Walk};
use crate::expr::Ast;
use crate::options::EvaluationOrder;
use crate::order::bits::Bits;
use crate::order::touch::Touch;
use lang_c::ast;

impl<'e> Walk<'_, '_, 'e> {
    pub(super) fn call(&mut self, e: &'e Ast, c: &'e ast::CallExpression) -> Bits {
        let first = self.events.len();
        let named = self.cx.named_callee(c).map(|(name, f)| (name.to_owned(), f));
        if named.is_none() {
            self.value(&c.callee);
        }
        if self.cx.opts.evaluation_order == EvaluationOrder::Gcc {
            c.arguments.iter().rev().for_each(|a| _ = self.value(a));
        } else {
            c.arguments.iter().for_each(|a| _ = self.value(a));
        }
        let touch = match named {
            Some((name, f)) => self.cx.touch_of_call(&name, f),
            None => self.cx.touch_of_pointer(),
        };
        let after = Bits::range(first, self.events.len());
        self.one(Kind::Call, e, touch, &after)
    }

    /// All that the operands before the last one do comes before the value, even where that is a constant.
    pub(super) fn comma(&mut self, e: &'e Ast, list: &'e [Ast]) -> Bits {
        let Some((last, earlier)) = list.split_last() else { return Bits::default() };
        let floor = self.floor.clone();
        for operand in earlier {
            let first = self.events.len();
            self.value(operand);
            let events = Bits::range(first, self.events.len());
            self.floor.join(&events);
        }
        let done = self.value(last);
        let value = self.one(Kind::Value, e, Touch::default(), &done);
        self.floor = floor;
        value
    }

    /// `a && b && …`: the first operand, and then the others under conditions.
    pub(super) fn logical(&mut self, e: &'e Ast) -> Bits {
        let (mut others, mut left) = (vec![], e);
        while let ast::Expression::BinaryOperator(b) = &left.node
            && matches!(
                b.node.operator.node,
                ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
            )
            && !self.cx.order.is_known(left)
        {
            others.push(&*b.node.rhs);
            left = &b.node.lhs;
        }
        self.branch(e, left, &[others])
    }

    pub(super) fn branch(&mut self, e: &'e Ast, condition: &'e Ast, ways: &[Vec<&'e Ast>]) -> Bits {
        let first = self.events.len();
        self.value(condition);
        let after = Bits::range(first, self.events.len());
        self.ways(e, ways, &after)
    }

    /// One event for operands of which not all are evaluated.
    pub(super) fn ways(&mut self, e: &'e Ast, ways: &[Vec<&'e Ast>], after: &Bits) -> Bits {
        let pieces = ways.iter().map(|way| way.iter().flat_map(|e| self.pieces(e)).collect()).collect();
        self.one_of(e, pieces, after)
    }

    /// One event that does the pieces of one of the ways.
    pub(super) fn one_of(&mut self, e: &'e Ast, ways: Vec<Vec<Touch>>, after: &Bits) -> Bits {
        let mut touch = Touch::default();
        ways.iter().flatten().for_each(|t| touch.join(t));
        let n = self.event(Kind::Branch, e, touch, after);
        self.events[n].ways = ways;
        Bits::one(n)
    }
}
