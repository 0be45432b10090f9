//! Operands that must be kept in temporaries: those whose value a later operand's effects could change. The
//! evaluation order is left to right, one of those that C allows.

use super::Ast;
use crate::lower::context::{Emitter, Symbols};
use crate::syntax::expressions::{changes, increments};
use crate::types::table::Types;
use base::{Id, Span};
use ir::{Base, Expr, Lvalue, VarId, VarKind};
use lang_c::ast;
use lang_c::span::Span as NodeSpan;
use lang_c::visit::{self, Visit};

/// The effects of evaluating an expression.
#[derive(Debug, Default)]
struct Effects {
    /// Objects behind pointers, globals, locals whose address is taken: by calls, asm, statement expressions.
    memory: bool,
    /// Variables assigned by name.
    assigned: Vec<String>,
    /// Every variable (statement expressions).
    everything: bool,
}

impl Effects {
    fn none(&self) -> bool {
        !self.memory && !self.everything && self.assigned.is_empty()
    }

    fn assign(&mut self, target: &Ast) {
        match root_name(target) {
            Some(name) => self.assigned.push(name.to_owned()),
            None => self.memory = true,
        }
    }
}

/// The variable that a location of the source lies in; `None` when it lies behind a pointer.
fn root_name(e: &Ast) -> Option<&str> {
    use ast::Expression as E;
    let mut e = e;
    loop {
        match &e.node {
            E::Identifier(id) => return Some(&id.node.name),
            E::Member(m) if m.node.operator.node == ast::MemberOperator::Direct => e = &m.node.expression,
            // `a[i]` may go through a pointer variable.
            _ => return None,
        }
    }
}

/// Collects the effects of expressions.
struct Collector<'c, 'a> {
    types: &'c Types,
    symbols: &'c Symbols<'a>,
    effects: Effects,
}

impl<'ast> Visit<'ast> for Collector<'_, '_> {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast NodeSpan) {
        use ast::Expression as E;
        match e {
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) | E::OffsetOf(_) => return,
            E::Call(c) => {
                let pure = matches!(&c.node.callee.node, E::Identifier(id) if self.symbols.is_pure(self.types, &id.node.name));
                self.effects.memory |= !pure;
            }
            E::UnaryOperator(u) if increments(&u.node.operator.node) => self.effects.assign(&u.node.operand),
            E::BinaryOperator(b) if changes(&b.node.operator.node) => self.effects.assign(&b.node.lhs),
            E::Statement(_) => {
                self.effects.everything = true;
                return;
            }
            E::VaArg(_) => self.effects.memory = true,
            _ => {}
        }
        visit::visit_expression(self, e, span);
    }
}

impl Emitter<'_> {
    /// The expression, or a temporary with its value when evaluating `later` could change it.
    pub(crate) fn keep(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        e: Expr,
        later: &[&Ast],
        span: Span,
    ) -> Expr {
        let effects = symbols.effects_of(types, later);
        if effects.none() || self.is_stable(&e, &effects) { e } else { self.spill(e, span) }
    }

    /// The location, with the pointers and indices that lead to it kept as [`Emitter::keep`] does.
    pub(crate) fn keep_lvalue(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        lv: Lvalue,
        later: &[&Ast],
        span: Span,
    ) -> Lvalue {
        let effects = symbols.effects_of(types, later);
        if effects.none() { lv } else { self.keep_under(lv, &effects, span) }
    }

    /// The location of one side of a copy that takes several steps: the first ones may write the pointers and
    /// indices that lead there.
    pub(super) fn keep_for_copy(&mut self, lv: Lvalue, span: Span) -> Lvalue {
        self.keep_under(lv, &Effects { memory: true, ..Effects::default() }, span)
    }

    fn keep_under(&mut self, lv: Lvalue, effects: &Effects, span: Span) -> Lvalue {
        lv.rebuilt(&mut |e| if self.is_stable(&e, effects) { e } else { self.spill(e, span) })
    }

    fn is_stable(&self, e: &Expr, effects: &Effects) -> bool {
        let mut stable = true;
        e.walk(&mut |node| {
            if let Expr::Load(lv) = node {
                stable &= match lv.base {
                    Base::Var(v) => self.is_stable_variable(v, effects),
                    Base::Deref(_) => !effects.memory && !effects.everything && effects.assigned.is_empty(),
                };
            }
        });
        stable
    }

    /// Temporaries never change once they are read; a local changes by its own assignments, and behind its back
    /// when its address is taken; everything else may change with memory.
    fn is_stable_variable(&self, v: VarId, effects: &Effects) -> bool {
        let Some(var) = self.vars.get(v.index()) else { return true };
        match var.kind {
            VarKind::Temp(_) => true,
            _ if effects.everything => false,
            VarKind::Local(_) | VarKind::Formal(_) => {
                let names = [var.name.as_str(), source_name(&var.name)];
                let assigned = effects.assigned.iter().any(|a| names.contains(&a.as_str()));
                // Only scalars: an array can be changed through a pointer without any `&`.
                let hidden = var.ty.is_scalar() && !names.iter().any(|n| self.fun.addressed.contains(*n));
                !assigned && (hidden || !effects.memory)
            }
            VarKind::Global | VarKind::Return(_) => {
                let names = [var.name.as_str(), source_name(&var.name)];
                !effects.memory && !effects.assigned.iter().any(|a| names.contains(&a.as_str()))
            }
        }
    }
}

impl Symbols<'_> {
    /// Whether evaluating the expression changes anything.
    pub(crate) fn has_effects(&self, types: &Types, e: &Ast) -> bool {
        !self.effects_of(types, &[e]).none()
    }

    fn effects_of(&self, types: &Types, later: &[&Ast]) -> Effects {
        let mut collector = Collector { types, symbols: self, effects: Effects::default() };
        for e in later {
            collector.visit_expression(&e.node, &e.span);
        }
        collector.effects
    }
}

/// The C name of a variable: without the number that makes it unique.
fn source_name(name: &str) -> &str {
    match name.rsplit_once("__") {
        Some((front, number)) if !front.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => front,
        _ => name,
    }
}
