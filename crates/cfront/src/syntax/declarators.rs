//! Declarators as they are written: the name, and the parameters.

use lang_c::ast;
use lang_c::span::Node;

/// The name that a declarator declares.
pub(crate) fn declared_name(d: &Node<ast::Declarator>) -> Option<&str> {
    let mut d = d;
    loop {
        match &d.node.kind.node {
            ast::DeclaratorKind::Identifier(id) => return Some(&id.node.name),
            ast::DeclaratorKind::Declarator(inner) => d = inner,
            ast::DeclaratorKind::Abstract => return None,
        }
    }
}

/// The part of a definition's declarator that lists its parameters.
pub(crate) fn function_part(d: &Node<ast::Declarator>) -> Option<&ast::DerivedDeclarator> {
    let here =
        d.node.derived.iter().map(|p| &p.node).find(|p| {
            matches!(p, ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_))
        });
    match &d.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => function_part(inner).or(here),
        _ => here,
    }
}
