//! Expressions as they are written: operators that change something, what may be constant.

use super::Ast;
use crate::text::repair::ELVIS;
use lang_c::ast;

/// Whether the operator assigns.
pub(crate) fn changes(op: &ast::BinaryOperator) -> bool {
    use ast::BinaryOperator as B;
    matches!(
        op,
        B::Assign
            | B::AssignMultiply
            | B::AssignDivide
            | B::AssignModulo
            | B::AssignPlus
            | B::AssignMinus
            | B::AssignShiftLeft
            | B::AssignShiftRight
            | B::AssignBitwiseAnd
            | B::AssignBitwiseXor
            | B::AssignBitwiseOr
    )
}

/// Whether the operator is `++` or `--`.
pub(crate) fn increments(op: &ast::UnaryOperator) -> bool {
    use ast::UnaryOperator as U;
    matches!(op, U::PreIncrement | U::PreDecrement | U::PostIncrement | U::PostDecrement)
}

/// A quick syntactic check: whether the expression can be constant at all (and has no effects).
pub(crate) fn may_be_constant(e: &Ast) -> bool {
    use ast::Expression as E;
    match &e.node {
        E::Constant(_)
        | E::SizeOfTy(_)
        | E::SizeOfVal(_)
        | E::AlignOf(_)
        | E::OffsetOf(_)
        | E::Identifier(_) => true,
        E::UnaryOperator(u) => {
            use ast::UnaryOperator as U;
            matches!(u.node.operator.node, U::Plus | U::Minus | U::Complement | U::Negate | U::Address)
                && may_be_constant(&u.node.operand)
        }
        E::Cast(c) => may_be_constant(&c.node.expression),
        E::BinaryOperator(b) => {
            !changes(&b.node.operator.node) && may_be_constant(&b.node.lhs) && may_be_constant(&b.node.rhs)
        }
        E::Member(m) => may_be_constant(&m.node.expression),
        E::Conditional(c) => {
            may_be_constant(&c.node.condition)
                && may_be_constant(&c.node.then_expression)
                && may_be_constant(&c.node.else_expression)
        }
        E::Call(c) => {
            matches!(&c.node.callee.node, E::Identifier(id) if
                id.node.name == "__builtin_constant_p" || id.node.name == "__builtin_types_compatible_p")
        }
        _ => false,
    }
}

/// Whether this is `a ?: b`.
pub(crate) fn is_elvis(c: &ast::ConditionalExpression) -> bool {
    matches!(&c.then_expression.node, ast::Expression::Identifier(id) if id.node.name == ELVIS)
}

pub(crate) fn is_named(e: &Ast, name: &str) -> bool {
    matches!(&e.node, ast::Expression::Identifier(id) if id.node.name == name)
}

pub(crate) fn is_zero(e: &Ast) -> bool {
    match &e.node {
        ast::Expression::Constant(c) => {
            matches!(&c.node, ast::Constant::Integer(i) if i.number.bytes().all(|b| b == b'0'))
        }
        _ => false,
    }
}

/// Whether this is `a && b` or `a || b`.
pub(crate) fn is_short_circuit(b: &ast::BinaryOperatorExpression) -> bool {
    matches!(b.operator.node, ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr)
}

/// Whether the expression is a logical operation, whose value is 0 or 1.
pub(crate) fn is_logical(e: &Ast) -> bool {
    use ast::{Expression as E, UnaryOperator as U};
    match &e.node {
        E::BinaryOperator(b) => is_short_circuit(&b.node),
        E::UnaryOperator(u) => u.node.operator.node == U::Negate,
        _ => false,
    }
}
