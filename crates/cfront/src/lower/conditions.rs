//! Conditions in control position: `!`, `&&`, `||`, `,` and `?:` become branches of their own, without
//! temporaries; each branch edge carries the span of the part of the condition that it decides.

use crate::error::{Res, type_error};
use crate::lower::context::{Context, Emitter};
use crate::lower::expr::{Ast, fold_truth};
use crate::syntax::expressions::{
    is_elvis, is_logical, is_named, is_short_circuit, is_zero, may_be_constant,
};
use crate::types::ty::Ty;
use base::Span;
use ir::{EdgeKind, Expr, LocId, Op};
use lang_c::ast;

/// How a branch is called in the source: its text, and whether that is the negation of what is evaluated.
#[derive(Clone, Copy)]
struct Shown {
    span: Span,
    negated: bool,
}

impl Context<'_> {
    /// Goes on at `yes` or at `no`. What follows the call is unreachable.
    pub(crate) fn condition(&mut self, e: &Ast, yes: LocId, no: LocId) -> Res<()> {
        let shown = Shown { span: self.symbols.span(e), negated: false };
        self.condition_shown(e, yes, no, shown)
    }

    /// A part of a condition that is shown so. In a macro both may be the same text: then the part's outcome is that of
    /// the whole.
    fn condition_part(&mut self, e: &Ast, yes: LocId, no: LocId, whole: Shown) -> Res<()> {
        let span = self.symbols.span(e);
        let shown = Shown { span, negated: whole.negated && span == whole.span };
        self.condition_shown(e, yes, no, shown)
    }

    fn condition_shown(&mut self, e: &Ast, yes: LocId, no: LocId, shown: Shown) -> Res<()> {
        if self.order.is_known(e) {
            return self.plain_condition(e, yes, no, shown);
        }
        self.in_order_to(e, true, |cx| cx.condition_settled(e, yes, no, shown))
    }

    fn condition_settled(&mut self, e: &Ast, yes: LocId, no: LocId, shown: Shown) -> Res<()> {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        let span = self.symbols.span(e);
        match &e.node {
            E::UnaryOperator(u) if u.node.operator.node == U::Negate => {
                let shown = Shown { negated: !shown.negated, ..shown };
                self.condition_shown(&u.node.operand, no, yes, shown)
            }
            E::BinaryOperator(b) if is_short_circuit(&b.node) => {
                self.emitter.report.conditions.push(span);
                self.logical_condition(&b.node, yes, no, shown)
            }
            E::Comma(list) => {
                let (last, first) = list.split_last().expect("a comma expression has operands");
                for operand in first {
                    self.discard(operand)?;
                }
                self.condition_part(last, yes, no, shown)
            }
            E::Conditional(c) if !is_elvis(&c.node) => {
                self.emitter.report.conditions.push(span);
                let (then, other) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
                self.condition(&c.node.condition, then, other)?;
                self.emitter.fun.cur = then;
                self.condition_part(&c.node.then_expression, yes, no, shown)?;
                self.emitter.fun.cur = other;
                self.condition_part(&c.node.else_expression, yes, no, shown)
            }
            E::Call(c) if c.node.arguments.len() >= 2 && is_named(&c.node.callee, "__builtin_expect") => {
                self.condition_part(&c.node.arguments[0], yes, no, shown)
            }
            E::BinaryOperator(b) if matches!(b.node.operator.node, B::Equals | B::NotEquals) => {
                // `(a && b) == 0` and the like: macros and generated code write it.
                let (l, r) = (&*b.node.lhs, &*b.node.rhs);
                let inner = if is_zero(r) { l } else { r };
                if (is_zero(l) != is_zero(r)) && is_logical(inner) {
                    return if b.node.operator.node == B::Equals {
                        self.condition_part(inner, no, yes, Shown { negated: !shown.negated, ..shown })
                    } else {
                        self.condition_part(inner, yes, no, shown)
                    };
                }
                self.plain_condition(e, yes, no, shown)
            }
            _ => self.plain_condition(e, yes, no, shown),
        }
    }

    fn plain_condition(&mut self, e: &Ast, yes: LocId, no: LocId, shown: Shown) -> Res<()> {
        let v = self.value(e)?;
        if !v.ty.is_scalar() {
            let span = self.symbols.span(e);
            return type_error(span, "a condition needs a scalar");
        }
        self.emitter.branch_shown(fold_truth(v.e), yes, no, shown);
        Ok(())
    }

    /// The value of `&&` or `||`, by its branches.
    pub(crate) fn logical_value(
        &mut self,
        b: &ast::BinaryOperatorExpression,
        (yes, no): (LocId, LocId),
        span: Span,
    ) -> Res<()> {
        self.logical_condition(b, yes, no, Shown { span, negated: false })
    }

    fn logical_condition(
        &mut self,
        b: &ast::BinaryOperatorExpression,
        yes: LocId,
        no: LocId,
        shown: Shown,
    ) -> Res<()> {
        // A long `a || b || c …` leans to the left; the operands are collected without recursion.
        let op = &b.operator.node;
        let mut operands: Vec<&Ast> = vec![&b.rhs];
        let mut left: &Ast = &b.lhs;
        while let ast::Expression::BinaryOperator(inner) = &left.node {
            if inner.node.operator.node != *op {
                break;
            }
            operands.push(&inner.node.rhs);
            left = &inner.node.lhs;
        }
        operands.push(left);
        let and = *op == ast::BinaryOperator::LogicalAnd;
        while let Some(operand) = operands.pop() {
            if operands.is_empty() {
                return self.condition_part(operand, yes, no, shown);
            }
            let next = self.emitter.fun.new_loc();
            if and {
                self.condition_part(operand, next, no, shown)?;
            } else {
                self.condition_part(operand, yes, next, shown)?;
            }
            self.emitter.fun.cur = next;
        }
        Ok(())
    }

    /// The value of a condition that is constant, effects of its operands included.
    pub(crate) fn try_const_condition(&mut self, e: &Ast) -> Res<Option<i128>> {
        if !may_be_constant(e) {
            return Ok(None);
        }
        let key = self.symbols.key(e);
        if let Some(n) = self.evaluation.known.conditions.get(&key) {
            return Ok(*n);
        }
        let v = self.dry(|cx| cx.value(e))?;
        let n = match (&v.e, &v.ty) {
            (Expr::Const(n, _), Ty::Int(_) | Ty::Ptr(_)) => Some(*n),
            (Expr::Float(bits, _), _) => Some(i128::from(f64::from_bits(*bits) != 0.0)),
            _ => None,
        };
        self.evaluation.known.conditions.insert(key, n);
        Ok(n)
    }
}

impl Emitter<'_> {
    /// Two edges on a condition without effects; one when it is constant.
    pub(crate) fn branch(&mut self, condition: Expr, yes: LocId, no: LocId, span: Span) {
        self.branch_shown(condition, yes, no, Shown { span, negated: false });
    }

    fn branch_shown(&mut self, condition: Expr, yes: LocId, no: LocId, shown: Shown) {
        let Shown { span, negated: turned } = shown;
        if let Expr::Const(v, _) = condition {
            self.fun.goto(if v != 0 { yes } else { no }, span);
            return;
        }
        let from = self.fun.cur;
        let negated = condition.clone().negated();
        self.fun.edge(from, yes, Op::Assume(condition.truthy()), span, EdgeKind::Branch { taken: !turned });
        self.fun.edge(from, no, Op::Assume(negated), span, EdgeKind::Branch { taken: turned });
        self.fun.cur = self.fun.new_loc();
    }
}
