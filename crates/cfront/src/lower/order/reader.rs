//! Reads the bodies of functions: the names in them, and how they are used.

use super::summary::{Callee, Facts};
use super::touch::{Named, Root, Touch};
use crate::lower::context::{Emitter, Symbols};
use crate::lower::order::Order;
use crate::lower::scope::Entity;
use crate::syntax::expressions::{changes, increments};
use crate::syntax::names::Declared;
use crate::types::table::Types;
use lang_c::ast;
use lang_c::span::Span as NodeSpan;
use lang_c::visit::{self, Visit};

/// Reads what a body does.
pub(super) struct Reader<'c, 'a, 'd> {
    pub(super) types: &'c Types,
    pub(super) symbols: &'c Symbols<'a>,
    pub(super) emitter: &'c Emitter<'a>,
    pub(super) order: &'c Order,
    pub(super) declared: &'d Declared,
    /// The function; `None` when its own variables are in scope.
    pub(super) inside: Option<&'d str>,
    pub(super) facts: Facts,
}

impl Reader<'_, '_, '_> {
    /// The meaning of a name outside of the body.
    fn entity(&self, name: &str) -> Option<&Entity> {
        match self.inside {
            None => self.symbols.scopes.lookup(name),
            Some(_) => self.symbols.scopes.files[self.symbols.scopes.file].names.get(name),
        }
    }

    /// The objects outside of the body that a name may stand for.
    fn roots(&self, name: &str) -> Vec<Root> {
        let mut out = vec![];
        if let Some(entity) = self.entity(name) {
            out.extend(self.order.root_of_entity(self.types, self.symbols, self.emitter, name, entity));
        }
        let linked = self.declared.linked.contains(name);
        if let Some(o) = self.symbols.extern_objects.get(name).copied().filter(|_| linked) {
            let open = self.order.is_open(self.types, name, &self.symbols.objects[o].ty.ty);
            out.push(Root { named: Named::Object(o), open });
        }
        if let Some(function) = self.inside.filter(|_| self.declared.fixed.contains(name)) {
            out.push(Root { named: Named::Static(function.into(), name.into()), open: true });
        }
        out
    }

    /// Whether the location lies in an object with a name.
    fn owner<'e>(&self, e: &'e ast::Expression) -> Option<&'e str> {
        let (mut e, mut depth) = (e, 0);
        loop {
            match e {
                ast::Expression::Identifier(id) => {
                    let name = id.node.name.as_str();
                    return (depth <= self.dimensions(name)).then_some(name);
                }
                ast::Expression::Member(m)
                    if depth == 0 && m.node.operator.node == ast::MemberOperator::Direct =>
                {
                    e = &m.node.expression.node;
                }
                ast::Expression::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                    (e, depth) = (&b.node.lhs.node, depth + 1);
                }
                _ => return None,
            }
        }
    }

    /// How many indices lead from an array to its elements.
    fn dimensions(&self, name: &str) -> usize {
        let mut least = self.declared.arrays.get(name).copied();
        let own = self.declared.automatic.contains(name) || self.declared.fixed.contains(name);
        if own && least.is_none() {
            return 0;
        }
        if let Some(entity) = self.symbols.scopes.files[self.symbols.scopes.file].names.get(name)
            && let Entity::Object(o) = entity
        {
            let outer = self.types.dimensions(&self.symbols.objects[*o].ty.ty);
            least = Some(least.map_or(outer, |n| n.min(outer)));
        }
        least.unwrap_or(0)
    }

    fn place(&mut self, e: &ast::Expression, writes: bool) {
        let touch = &mut Touch::default();
        let set = if writes { &mut touch.writes } else { &mut touch.reads };
        match self.owner(e) {
            Some(name) => self.roots(name).into_iter().for_each(|r| set.add(r)),
            None => set.add_place(None),
        }
        self.facts.touch.join(touch);
    }

    fn call(&mut self, c: &ast::CallExpression) {
        let ast::Expression::Identifier(id) = &c.callee.node else {
            self.facts.indirect = true;
            return;
        };
        let name = id.node.name.as_str();
        let own = self.declared.automatic.contains(name) || self.declared.fixed.contains(name);
        let f = match self.entity(name) {
            Some(Entity::Function(f)) => Some(*f),
            Some(_) => {
                self.facts.indirect = true;
                return;
            }
            None => self.symbols.extern_functions.get(name).copied(),
        };
        self.facts.indirect |= own;
        if own && f.is_none() {
            return;
        }
        match self.symbols.callee(self.types, name, f) {
            Callee::Known(touch) => self.facts.touch.join(&touch),
            Callee::Defined(f) => self.facts.calls.push(f),
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_, '_, '_> {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast NodeSpan) {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        match e {
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) | E::OffsetOf(_) => return,
            E::Identifier(_) | E::Member(_) => self.place(e, false),
            E::Call(c) => self.call(&c.node),
            E::UnaryOperator(u) if increments(&u.node.operator.node) => {
                self.place(&u.node.operand.node, true);
            }
            E::UnaryOperator(u) if u.node.operator.node == U::Indirection => self.place(e, false),
            E::BinaryOperator(b) if changes(&b.node.operator.node) => self.place(&b.node.lhs.node, true),
            E::BinaryOperator(b) if b.node.operator.node == B::Index => self.place(e, false),
            E::VaArg(_) => self.facts.touch.join(&Touch::memory()),
            _ => {}
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_statement(&mut self, s: &'ast ast::Statement, span: &'ast NodeSpan) {
        use ast::Statement as S;
        match s {
            S::While(_) | S::DoWhile(_) | S::For(_) | S::Goto(_) => self.facts.touch.stops = true,
            S::Asm(_) => self.facts.touch.join(&Touch::anything()),
            S::Labeled(l) => {
                let error =
                    matches!(&l.node.label.node, ast::Label::Identifier(id) if id.node.name == "ERROR");
                self.facts.touch.fails |= error;
                self.facts.touch.stops |= error;
            }
            _ => {}
        }
        visit::visit_statement(self, s, span);
    }
}
