//! The object in which a location lies.

use super::touch::{Named, Root};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::Ast;
use crate::lower::order::Order;
use crate::lower::scope::Entity;
use crate::types::table::Types;
use crate::types::ty::Ty;
use lang_c::ast;

/// A way from a named object to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Field(String),
    Element(i128),
}

/// Exactly one scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Exact {
    named: Named,
    path: Vec<Step>,
}

/// The object that the expression denotes, or is a member of.
pub(super) fn whole(mut e: &Ast) -> &Ast {
    while let ast::Expression::Member(m) = &e.node
        && m.node.operator.node == ast::MemberOperator::Direct
    {
        e = &m.node.expression;
    }
    e
}

/// A variable, or a member of one.
pub(super) fn is_variable(e: &Ast) -> bool {
    matches!(whole(e).node, ast::Expression::Identifier(_))
}

impl Context<'_> {
    /// The named object that a location lies in (nothing when it lies behind a pointer), and which scalar it is.
    pub(super) fn owner(&mut self, e: &Ast) -> (Option<Root>, Option<Exact>) {
        let mut steps = vec![];
        let mut e = e;
        let name = loop {
            match &e.node {
                ast::Expression::Identifier(id) => break id.node.name.as_str(),
                ast::Expression::Member(m) if m.node.operator.node == ast::MemberOperator::Direct => {
                    steps.push(Some(Step::Field(m.node.identifier.node.name.clone())));
                    e = &m.node.expression;
                }
                ast::Expression::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                    let index = &b.node.rhs;
                    let constant = matches!(index.node, ast::Expression::Constant(_));
                    let n = if constant { self.try_const_int(index).ok().flatten() } else { None };
                    steps.push(n.map(Step::Element));
                    e = &b.node.lhs;
                    let inside = |cx: &Self, ty: &Ty| {
                        matches!(ty, Ty::Array(..)) || cx.types.vector_type_of(ty).is_some()
                    };
                    if !self.type_of_expr(e).is_ok_and(|ty| inside(self, &ty.ty)) {
                        return (None, None);
                    }
                }
                _ => return (None, None),
            }
        };
        let Some(entity) = self.symbols.scopes.lookup(name).cloned() else { return (None, None) };
        let root = self.order.root_of_entity(&self.types, &self.symbols, &self.emitter, name, &entity);
        let path: Option<Vec<Step>> = steps.into_iter().rev().collect();
        let exact = path.zip(root.clone()).map(|(path, root)| Exact { named: root.named, path });
        (root, exact)
    }
}

impl Order {
    /// The object of that name.
    pub(super) fn root_of_entity(
        &self,
        types: &Types,
        symbols: &Symbols<'_>,
        emitter: &Emitter<'_>,
        name: &str,
        entity: &Entity,
    ) -> Option<Root> {
        match entity {
            Entity::Local(v, ty) => {
                let open = types.has_array(&ty.ty) || emitter.fun.addressed.contains(name);
                Some(Root { named: Named::Local(*v), open })
            }
            Entity::Variable(v, _) => Some(Root { named: Named::Local(*v), open: true }),
            Entity::Object(o) => {
                let object = &symbols.objects[*o];
                let outer = matches!(
                    symbols.scopes.files[symbols.scopes.file].names.get(name),
                    Some(Entity::Object(p)) if p == o
                ) || symbols.extern_objects.get(&object.name) == Some(o);
                let open = self.is_open(types, name, &object.ty.ty);
                let named = if outer {
                    Named::Object(*o)
                } else {
                    Named::Static(emitter.fun.name.clone(), name.to_owned())
                };
                Some(Root { named, open })
            }
            Entity::Typedef(_) | Entity::EnumConst(..) | Entity::Function(_) => None,
        }
    }
}
