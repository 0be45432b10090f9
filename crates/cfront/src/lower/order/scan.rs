//! A quick scan of an expression: most have no conflict, which shows without a list of events.

use crate::lower::context::Symbols;
use crate::lower::expr::Ast;
use crate::lower::order::Order;
use crate::syntax::expressions::{changes, increments};
use lang_c::ast;
use lang_c::span::{Node, Span as NodeSpan};
use lang_c::visit::{self, Visit};

/// Whether the operands of the outermost operator are evaluated one after the other.
pub(super) fn is_sequenced(e: &Ast) -> bool {
    use ast::{BinaryOperator as B, Expression as E};
    match &e.node {
        E::Comma(_) | E::Conditional(_) | E::Statement(_) => true,
        E::BinaryOperator(b) => matches!(b.node.operator.node, B::LogicalAnd | B::LogicalOr),
        _ => false,
    }
}

/// Whether no two events of the expression can conflict.
pub(super) fn is_harmless(order: &Order, symbols: &Symbols<'_>, e: &Ast) -> bool {
    let mut e = e;
    // An assignment to a variable comes behind all that is evaluated for it.
    while let ast::Expression::BinaryOperator(b) = &e.node
        && changes(&b.node.operator.node)
        && matches!(b.node.lhs.node, ast::Expression::Identifier(_))
    {
        if b.node.operator.node != ast::BinaryOperator::Assign {
            return !has_effects(order, &b.node.rhs);
        }
        e = &b.node.rhs;
        if changes_inside(e) {
            return false;
        }
    }
    while let ast::Expression::Cast(c) = &e.node {
        e = &c.node.expression;
    }
    match &e.node {
        // A call comes behind its arguments.
        ast::Expression::Call(c) if symbols.named_callee(&c.node).is_some() => {
            !c.node.arguments.iter().any(|a| has_effects(order, a))
        }
        ast::Expression::BinaryOperator(b) if changes(&b.node.operator.node) => {
            !has_effects(order, &b.node.lhs) && !has_effects(order, &b.node.rhs)
        }
        ast::Expression::UnaryOperator(u) if increments(&u.node.operator.node) => {
            !has_effects(order, &u.node.operand)
        }
        _ => !has_effects(order, e),
    }
}

/// Whether the outermost operator assigns.
fn changes_inside(e: &Ast) -> bool {
    matches!(&e.node, ast::Expression::BinaryOperator(b) if changes(&b.node.operator.node))
}

/// Whether evaluating the expression may change something, or end the execution.
pub(super) fn has_effects(order: &Order, e: &Ast) -> bool {
    use ast::Expression as E;
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        match &e.node {
            _ if order.is_known(e) => {}
            E::Call(_) | E::VaArg(_) | E::Statement(_) => return true,
            E::UnaryOperator(u) if increments(&u.node.operator.node) => return true,
            E::BinaryOperator(b) if changes(&b.node.operator.node) => return true,
            E::UnaryOperator(u) => todo.push(&u.node.operand),
            E::BinaryOperator(b) => todo.extend([&*b.node.lhs, &*b.node.rhs]),
            E::Cast(c) => todo.push(&c.node.expression),
            E::Member(m) => todo.push(&m.node.expression),
            E::Conditional(c) => {
                todo.extend([&*c.node.condition, &*c.node.then_expression, &*c.node.else_expression]);
            }
            E::Comma(list) => todo.extend(list.iter()),
            E::GenericSelection(g) => todo.extend(g.node.associations.iter().map(|a| match &a.node {
                ast::GenericAssociation::Type(t) => &*t.node.expression,
                ast::GenericAssociation::Default(e) => &**e,
            })),
            E::CompoundLiteral(c) => items(&c.node.initializer_list, &mut todo),
            E::Identifier(_) | E::Constant(_) | E::StringLiteral(_) => {}
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) | E::OffsetOf(_) => {}
        }
    }
    false
}

/// The expressions of a list.
fn items<'e>(list: &'e [Node<ast::InitializerListItem>], out: &mut Vec<&'e Ast>) {
    for item in list {
        match &item.node.initializer.node {
            ast::Initializer::Expression(e) => out.push(e),
            ast::Initializer::List(inner) => items(inner, out),
        }
    }
}

/// Whether blocks inside of the expression have labels or static variables, which must not be duplicated.
pub(super) fn declares(e: &Ast) -> bool {
    struct Unique(bool);
    impl<'ast> Visit<'ast> for Unique {
        fn visit_label(&mut self, label: &'ast ast::Label, _: &'ast NodeSpan) {
            self.0 |= matches!(label, ast::Label::Identifier(_));
        }

        fn visit_storage_class_specifier(&mut self, s: &'ast ast::StorageClassSpecifier, _: &'ast NodeSpan) {
            self.0 |= *s == ast::StorageClassSpecifier::Static;
        }
    }
    let mut unique = Unique(false);
    visit::visit_expression(&mut unique, &e.node, &e.span);
    unique.0
}
