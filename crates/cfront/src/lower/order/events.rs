//! The events of an expression: reads and writes of objects, calls, and the order that C defines between them
//! (C11 6.5, Annex C). Events are numbered in the order in which they happen when operands are evaluated from
//! left to right, or in gcc's order when that is requested.

mod control;
mod gcc;
mod shape;

pub(in crate::lower::order) use gcc::Open;

use super::bits::Bits;
use super::owner::{Exact, is_variable, whole};
use super::scan;
use super::touch::Touch;
use crate::lower::context::Context;
use crate::lower::expr::Ast;
use crate::lower::scope::Entity;
use crate::options::EvaluationOrder;
use crate::syntax::expressions::{changes, increments};
use crate::types::ty::Ty;
use lang_c::ast;
use lang_c::span::Node;
use std::ops::Range;

/// The kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The value of an object is read.
    Load,
    /// A function is called, after its arguments and designator.
    Call,
    /// An operation that may fail a check.
    Value,
    /// An operand that is evaluated under a condition, or item by item, as one event.
    Branch,
    /// An object is read, changed and written as one evaluation: `x++`, `x += 1`.
    Step,
    /// The old value of the left side of a compound assignment.
    Old,
    /// The value that an assignment will store.
    Compute,
    /// An assignment stores it.
    Store,
}

impl Kind {
    /// A part of this evaluation itself, not of a function or operand that is evaluated as one event.
    pub(super) fn is_direct(self) -> bool {
        matches!(self, Kind::Load | Kind::Step | Kind::Old | Kind::Store)
    }
}

/// An event.
#[derive(Debug)]
pub(super) struct Event<'e> {
    pub(super) kind: Kind,
    pub(super) node: &'e Ast,
    pub(super) touch: Touch,
    pub(super) exact: Option<Exact>,
    /// The events that are sequenced before it; of those that give a value and have a side effect as well, at least
    /// the value is.
    pub(super) before: Bits,
    /// The events among them that are complete before it, with their side effects.
    pub(super) complete: Bits,
    /// The alternatives of a branch: what each of them does, piece by piece.
    pub(super) ways: Vec<Vec<Touch>>,
    /// Events that must have happened before its node is processed again.
    pub(super) needs: Bits,
}

impl Event<'_> {
    /// Its effects, piece by piece.
    fn pieces(self) -> Vec<Touch> {
        if self.ways.is_empty() { vec![self.touch] } else { self.ways.into_iter().flatten().collect() }
    }
}

/// Collects the events of an expression.
pub(super) struct Walk<'c, 'a, 'e> {
    pub(super) cx: &'c mut Context<'a>,
    pub(super) events: Vec<Event<'e>>,
    /// The events that a comma puts before what follows.
    floor: Bits,
    /// Events that gcc may evaluate in either order.
    pub(super) open: Vec<Open>,
    /// Objects that gcc reads once more, behind these events.
    pub(super) again: Vec<(&'e Ast, Touch, Range<usize>)>,
    /// gcc may make another operator of the one that comes next.
    pub(super) changed: bool,
    /// gcc may exchange the operands of the operators that come next.
    loose: bool,
}

impl<'c, 'a, 'e> Walk<'c, 'a, 'e> {
    pub(super) fn new(cx: &'c mut Context<'a>) -> Walk<'c, 'a, 'e> {
        let (open, again) = (vec![], vec![]);
        Walk { cx, events: vec![], floor: Bits::default(), open, again, changed: false, loose: false }
    }

    pub(super) fn is_gcc(&self) -> bool {
        self.cx.settings.options.evaluation_order == EvaluationOrder::Gcc
    }

    fn event(&mut self, kind: Kind, node: &'e Ast, touch: Touch, after: &Bits) -> usize {
        let mut before = self.floor.clone();
        before.join(after);
        let mut complete = self.floor.clone();
        for n in after.iter() {
            before.join(&self.events[n].before);
            complete.join(&self.events[n].complete);
        }
        // All side effects of arguments and conditions come before what follows them.
        if matches!(kind, Kind::Call | Kind::Branch) {
            complete.join(&before);
        }
        self.events.push(Event {
            kind,
            node,
            touch,
            exact: None,
            before,
            complete,
            ways: vec![],
            needs: Bits::default(),
        });
        self.events.len() - 1
    }

    fn one(&mut self, kind: Kind, node: &'e Ast, touch: Touch, after: &Bits) -> Bits {
        Bits::one(self.event(kind, node, touch, after))
    }

    /// The events of an expression whose value is used; the answer has those that its value needs.
    pub(super) fn value(&mut self, e: &'e Ast) -> Bits {
        use ast::{Expression as E, UnaryOperator as U};
        if self.cx.order.is_known(e) {
            return Bits::default();
        }
        if (self.changed || self.loose) && !gcc::goes_on(e) {
            return self.apart(|walk| walk.value(e));
        }
        match &e.node {
            E::Constant(_) | E::StringLiteral(_) => Bits::default(),
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) | E::OffsetOf(_) => Bits::default(),
            E::Identifier(_) | E::Member(_) => self.load(e),
            E::Call(c) => self.call(e, &c.node),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::Address => self.place(&u.node.operand),
                U::Indirection => self.load(e),
                ref op if increments(op) => {
                    let place = self.place(&u.node.operand);
                    self.step(e, &u.node.operand, &place)
                }
                _ if self.is_gcc() => self.sign(e, &u.node),
                _ => {
                    let done = self.value(&u.node.operand);
                    self.operation(e, done)
                }
            },
            E::BinaryOperator(b) => self.binary(e, &b.node),
            E::Cast(c) if self.is_gcc() => self.cast(e, &c.node),
            E::Cast(c) => self.value(&c.node.expression),
            E::Conditional(c) => {
                let ways: [&'e Ast; 2] = [&c.node.then_expression, &c.node.else_expression];
                self.branch(e, &c.node.condition, &ways.map(|w| vec![w]))
            }
            E::Comma(list) => self.comma(e, list),
            E::GenericSelection(g) => {
                let ways = g.node.associations.iter().map(|a| match &a.node {
                    ast::GenericAssociation::Type(t) => vec![&*t.node.expression],
                    ast::GenericAssociation::Default(e) => vec![&**e],
                });
                let ways: Vec<Vec<&Ast>> = ways.collect();
                self.ways(e, &ways, &Bits::default())
            }
            E::CompoundLiteral(c) => self.items(&c.node.initializer_list),
            E::VaArg(v) => {
                let place = self.place(&v.node.va_list);
                self.one(Kind::Call, e, Touch::memory(), &place)
            }
            E::Statement(s) => {
                let touch =
                    self.cx.order.touch_of_block(&self.cx.types, &mut self.cx.symbols, &self.cx.emitter, s);
                let n = self.event(Kind::Branch, e, touch.clone(), &Bits::default());
                // Its statements are not distinguished.
                self.events[n].ways = vec![vec![touch.clone(), touch]];
                Bits::one(n)
            }
        }
    }

    /// The events that lead to a location.
    fn place(&mut self, e: &'e Ast) -> Bits {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        if self.cx.order.is_known(e) {
            return Bits::default();
        }
        match &e.node {
            E::Identifier(_) => Bits::default(),
            E::Member(m) if m.node.operator.node == ast::MemberOperator::Direct => {
                self.place(&m.node.expression)
            }
            E::Member(m) => self.value(&m.node.expression),
            E::UnaryOperator(u) if u.node.operator.node == U::Indirection => self.value(&u.node.operand),
            E::BinaryOperator(b) if b.node.operator.node == B::Index => {
                if self.is_gcc() && !self.is_pointer(&b.node.lhs) && !self.is_vector(&b.node.lhs) {
                    let mut done = self.value(&b.node.rhs);
                    done.join(&self.value(&b.node.lhs));
                    return done;
                }
                let mut done = if self.is_array(&b.node.lhs) || self.is_vector(&b.node.lhs) {
                    self.place(&b.node.lhs)
                } else {
                    self.value(&b.node.lhs)
                };
                let index = self.value(&b.node.rhs);
                done.join(&index);
                done
            }
            _ => self.value(e),
        }
    }

    /// Whether an expression stands for an array, which is not read but gives its address.
    fn is_array(&mut self, e: &'e Ast) -> bool {
        let known = self.cx.type_of_expr(e);
        known.is_ok_and(|ty| matches!(ty.ty, Ty::Array(..) | Ty::Vla(..) | Ty::Func(_)))
    }

    /// Whether an expression is a vector, whose lanes an index counts.
    fn is_vector(&mut self, e: &'e Ast) -> bool {
        self.cx.type_of_expr(e).is_ok_and(|ty| self.cx.types.vector_type_of(&ty.ty).is_some())
    }

    /// The value of a location.
    fn load(&mut self, e: &'e Ast) -> Bits {
        let place = self.place(e);
        self.read(e, place)
    }

    /// The read of a location, behind the events that lead there.
    fn read(&mut self, e: &'e Ast, place: Bits) -> Bits {
        if let ast::Expression::Identifier(id) = &e.node
            && !matches!(
                self.cx.symbols.scopes.lookup(&id.node.name),
                Some(Entity::Local(..) | Entity::Object(_))
            )
        {
            return place;
        }
        if self.is_array(e) || self.is_temporary(e) {
            return place;
        }
        let (root, exact) = self.cx.owner(e);
        let n = self.event(Kind::Load, e, Touch::read(root), &place);
        self.events[n].touch.fails = self.cx.settings.checks_operations() && !is_variable(e);
        self.events[n].exact = exact;
        Bits::one(n)
    }

    /// Whether the location is a member of a value that an operation made.
    fn is_temporary(&self, e: &'e Ast) -> bool {
        matches!(whole(e).node, ast::Expression::Call(_) | ast::Expression::Conditional(_))
    }

    fn step(&mut self, e: &'e Ast, target: &'e Ast, after: &Bits) -> Bits {
        let (root, exact) = self.cx.owner(target);
        let mut touch = Touch::read(root.clone());
        touch.join(&Touch::write(root));
        touch.fails = self.cx.settings.checks_operations();
        let n = self.event(Kind::Step, e, touch, after);
        self.events[n].exact = exact;
        Bits::one(n)
    }

    /// An operation on values that may be checked.
    fn operation(&mut self, e: &'e Ast, operands: Bits) -> Bits {
        if !self.cx.settings.checks_operations() {
            return operands;
        }
        let touch = Touch { fails: true, ..Touch::default() };
        self.one(Kind::Value, e, touch, &operands)
    }

    fn binary(&mut self, e: &'e Ast, b: &'e ast::BinaryOperatorExpression) -> Bits {
        use ast::BinaryOperator as B;
        match &b.operator.node {
            B::Index => self.load(e),
            B::Assign => self.assign(e, b),
            B::LogicalAnd | B::LogicalOr => self.logical(e),
            op if changes(op) => self.compound(e, b),
            _ => self.chain(e),
        }
    }

    /// Operators that lean to the left, without recursion.
    fn chain(&mut self, e: &'e Ast) -> Bits {
        let (mut nodes, mut left) = (vec![], e);
        while let ast::Expression::BinaryOperator(b) = &left.node {
            let op = &b.node.operator.node;
            let other = matches!(
                op,
                ast::BinaryOperator::Index | ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
            );
            if changes(op) || other || self.cx.order.is_known(left) {
                break;
            }
            nodes.push((left, &*b.node.rhs));
            left = &b.node.lhs;
        }
        if self.is_gcc() {
            return self.chain_of_gcc(&nodes, left);
        }
        let mut done = self.value(left);
        for (node, right) in nodes.into_iter().rev() {
            let events = self.value(right);
            done.join(&events);
            done = self.operation(node, done);
        }
        done
    }

    fn assign(&mut self, e: &'e Ast, b: &'e ast::BinaryOperatorExpression) -> Bits {
        let done = if self.is_gcc() {
            self.sides(b)
        } else {
            let mut done = self.place(&b.lhs);
            done.join(&self.value(&b.rhs));
            done
        };
        let value = self.event(Kind::Compute, e, Touch::default(), &done);
        self.store(e, &b.lhs, value);
        Bits::one(value)
    }

    fn store(&mut self, e: &'e Ast, target: &'e Ast, value: usize) {
        let (root, exact) = self.cx.owner(target);
        let store = self.event(Kind::Store, e, Touch::write(root), &Bits::one(value));
        self.events[store].exact = exact;
        self.events[store].needs = Bits::one(value);
    }

    fn compound(&mut self, e: &'e Ast, b: &'e ast::BinaryOperatorExpression) -> Bits {
        // gcc saves a right side with side effects first.
        let special = self.is_gcc() && (self.is_special(&b.lhs) || self.is_special(&b.rhs));
        let gcc = self.is_gcc() && (special || scan::has_effects(&self.cx.order, &b.rhs));
        let begin = self.events.len();
        let mut done = if gcc { self.value(&b.rhs) } else { Bits::default() };
        let first = self.events.len();
        let place = self.place(&b.lhs);
        let last = self.events.len();
        let mut effects = Bits::default();
        (first..last).filter(|n| self.events[*n].kind != Kind::Load).for_each(|n| effects.insert(n));
        done.join(&place);
        if special {
            self.open.push((begin..first, first..last));
        }
        let start = self.events.len();
        if !gcc {
            let right = self.value(&b.rhs);
            done.join(&right);
        }
        let calls = if gcc { begin..first } else { start..self.events.len() };
        let plain = !self.events[calls].iter().any(|event| matches!(event.kind, Kind::Call | Kind::Branch));
        if plain {
            return self.step(e, &b.lhs, &done);
        }
        let (root, exact) = self.cx.owner(&b.lhs);
        let old = self.event(Kind::Old, e, Touch::read(root), &place);
        self.events[old].exact = exact;
        self.events[old].needs = effects;
        done.insert(old);
        let value = self.event(Kind::Compute, e, Touch::default(), &done);
        self.events[value].needs = Bits::one(old);
        self.store(e, &b.lhs, value);
        Bits::one(value)
    }

    /// The effects of an operand that is evaluated as one event, piece by piece.
    fn pieces(&mut self, e: &'e Ast) -> Vec<Touch> {
        let mut inner = Walk::new(self.cx);
        inner.value(e);
        inner.events.into_iter().flat_map(Event::pieces).collect()
    }

    /// The items of a list are evaluated one after the other, in any order.
    fn items(&mut self, list: &'e [Node<ast::InitializerListItem>]) -> Bits {
        let mut done = Bits::default();
        // With designators gcc's order is that of the parts in the object.
        let open = self.is_gcc() && list.iter().any(|item| !item.node.designation.is_empty());
        let first = self.events.len();
        for item in list {
            let middle = self.events.len();
            let events = match &item.node.initializer.node {
                ast::Initializer::List(inner) => self.items(inner),
                ast::Initializer::Expression(e) => self.item(e),
            };
            if open {
                self.open.push((first..middle, middle..self.events.len()));
            }
            done.join(&events);
        }
        done
    }

    /// An expression that is evaluated as a whole, without anything between its events.
    pub(super) fn whole(&mut self, e: &'e Ast) {
        let first = self.events.len();
        self.value(e);
        let events = self.events.split_off(first);
        let reads = events.iter().all(|event| event.kind == Kind::Load);
        let mut touch = Touch::default();
        events.iter().for_each(|event| touch.join(&event.touch));
        let kind = if reads { Kind::Load } else { Kind::Branch };
        self.event(kind, e, touch, &Bits::default());
    }

    /// An item: one event, unless it only reads.
    fn item(&mut self, e: &'e Ast) -> Bits {
        let first = self.events.len();
        let done = self.value(e);
        if self.events[first..].iter().all(|event| event.kind == Kind::Load) {
            return done;
        }
        // Nothing else comes between its pieces but what is unsequenced with the whole list.
        let pieces = self.events.split_off(first).into_iter().flat_map(Event::pieces).collect();
        self.one_of(e, vec![pieces], &Bits::default())
    }
}

/// The number of a node, which is the same as long as the tree lives.
pub(super) fn number(e: &Ast) -> usize {
    std::ptr::from_ref(e) as usize
}
