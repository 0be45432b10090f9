//! Calls, and operators that evaluate their operands one after the other or only one of them.

use super::gcc::Record;
use super::{Kind, Walk};
use crate::lower::expr::Ast;
use crate::lower::order::bits::Bits;
use crate::lower::order::touch::Touch;
use lang_c::ast;
use std::ops::Range;

impl<'e> Walk<'_, '_, 'e> {
    pub(super) fn call(&mut self, e: &'e Ast, c: &'e ast::CallExpression) -> Bits {
        let first = self.events.len();
        self.call_operands(c);
        self.called(e, c, first..self.events.len())
    }

    /// The events of the designator and the arguments.
    pub(super) fn call_operands(&mut self, c: &'e ast::CallExpression) {
        if self.cx.symbols.named_callee(c).is_none() {
            self.value(&c.callee);
        }
        if !self.is_gcc() {
            c.arguments.iter().for_each(|a| _ = self.value(a));
            return;
        }
        // Structures are read when all arguments have been evaluated.
        let (mut late, mut stored) = (vec![], vec![]);
        for (n, argument) in c.arguments.iter().enumerate().rev() {
            match self.record(argument) {
                Some(Record::Object) => late.push((argument, self.place(argument))),
                Some(Record::Stored(object)) => {
                    self.value(argument);
                    stored.push((object, self.events.len()));
                }
                None => {
                    let changed = self.is_changed_argument(c, n);
                    self.changed_value(argument, changed);
                }
            }
        }
        stored.into_iter().for_each(|(object, first)| self.read_again(object, first));
        late.into_iter().for_each(|(argument, place)| _ = self.read(argument, place));
    }

    /// The call behind these operands.
    pub(super) fn called(&mut self, e: &'e Ast, c: &'e ast::CallExpression, operands: Range<usize>) -> Bits {
        let named = self.cx.symbols.named_callee(c).map(|(name, f)| (name.to_owned(), f));
        let touch = match named {
            Some((name, f)) => {
                self.cx.order.touch_of_call(&self.cx.types, &mut self.cx.symbols, &self.cx.emitter, &name, f)
            }
            None => self.cx.order.touch_of_pointer(&self.cx.types, &mut self.cx.symbols, &self.cx.emitter),
        };
        self.one(Kind::Call, e, touch, &Bits::range(operands.start, operands.end))
    }

    /// All effects of the operands before the last one come before the value, even where that is a constant.
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
        let changed = self.is_gcc();
        self.changed_value(condition, changed);
        let after = Bits::range(first, self.events.len());
        self.ways(e, ways, &after)
    }

    /// One event for operands not all of which are evaluated.
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
