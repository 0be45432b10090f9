//! The order of gcc 12. It takes operands from left to right and arguments from right to left; of an assignment first
//! what the right side needs up to its outermost call or read, then the left side. Before that, its simplifier puts
//! variables behind other operands of commutative operators and comparisons, and turns `-x + y` into `y - x`. What else
//! it exchanges, moves out of a comma, or distributes depends on types and constants: operands of such operators have
//! an open order here.

use super::Walk;
use super::shape::{Law, Shape, law};
use crate::lower::context::Context;
use crate::lower::expr::Ast;
use crate::lower::order::bits::Bits;
use crate::lower::order::touch::Touch;
use crate::options::EvaluationOrder;
use crate::types::ty::{IntTy, Rank, Ty};
use lang_c::ast;
use std::ops::Range;

/// How the right side of an assignment is evaluated.
enum Side<'e> {
    /// A call whose value is stored as it is: its arguments, the left side, the call.
    Call(&'e Ast, &'e ast::CallExpression),
    /// An object that is stored as it is: where it lies, the left side, its value.
    Object(&'e Ast),
    /// An assignment, whose object is read again behind the left side.
    Stored(&'e Ast),
    /// A structure that is made in place, behind the left side.
    Made,
    /// Before the left side.
    Value,
    /// In no order with it.
    Open,
}

/// An argument that is a structure.
pub(super) enum Record<'e> {
    /// An object.
    Object,
    /// An assignment to an object.
    Stored(&'e Ast),
}

impl<'e> Walk<'_, '_, 'e> {
    /// The record of a structure among the arguments; `None` for other arguments, and for structures that are
    /// made for the call.
    pub(super) fn record(&mut self, e: &'e Ast) -> Option<Record<'e>> {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        let is_record = self.cx.type_of_expr(e).is_ok_and(|ty| matches!(ty.ty, Ty::Record(_)));
        if !is_record || self.is_temporary(e) {
            return None;
        }
        match &e.node {
            E::Identifier(_) | E::Member(_) => Some(Record::Object),
            E::UnaryOperator(u) if u.node.operator.node == U::Indirection => Some(Record::Object),
            E::BinaryOperator(b) if b.node.operator.node == B::Index => Some(Record::Object),
            E::BinaryOperator(b) if b.node.operator.node == B::Assign => Some(Record::Stored(&b.node.lhs)),
            _ => None,
        }
    }

    /// Whether the conversion of an argument to the parameter's type makes other operators of those that it is applied
    /// to.
    pub(super) fn is_changed_argument(&mut self, c: &'e ast::CallExpression, n: usize) -> bool {
        let Ok(callee) = self.cx.type_of_expr(&c.callee) else { return false };
        let function = match &callee.ty {
            Ty::Func(f) => f,
            Ty::Ptr(to) => match &to.ty {
                Ty::Func(f) => f,
                _ => return false,
            },
            _ => return false,
        };
        let to = function.params.get(n).map(|p| p.ty.clone());
        to.is_some_and(|to| self.cx.is_changed_by(&c.arguments[n], &to))
    }

    /// Whether the value is a pointer, or an array that stands for one.
    pub(super) fn is_pointer(&mut self, e: &Ast) -> bool {
        let known = self.cx.type_of_expr(e);
        known.is_ok_and(|ty| matches!(ty.ty, Ty::Ptr(_) | Ty::Array(..) | Ty::Vla(..) | Ty::Func(_)))
    }

    /// The class and width in bits of a scalar; nothing for integers narrower than `int`.
    pub(super) fn width(&mut self, e: &Ast) -> Option<(bool, u16)> {
        match self.cx.type_of_expr(e).ok()?.ty {
            Ty::Int(i) if i.promoted() == i => Some((false, i.bits)),
            Ty::Float(bits) => Some((true, bits)),
            Ty::Ptr(_) => Some((false, self.cx.settings.model.pointer_bits())),
            _ => None,
        }
    }

    /// Whether an operation on the two leaves the left one at its width.
    pub(super) fn keeps_type(&mut self, left: &Ast, right: &Ast) -> bool {
        let narrow = Some((false, IntTy::INT.bits));
        match (self.width(left), self.width(right).or(narrow)) {
            (Some((true, a)), Some((true, b))) | (Some((false, a)), Some((false, b))) => a >= b,
            (Some((float, _)), _) => float,
            (None, _) => false,
        }
    }

    /// Whether a value of one type is one of the other for gcc, so that a conversion does nothing.
    fn is_same(&mut self, left: &Ast, right: &Ast) -> bool {
        let (Ok(left), Ok(right)) = (self.cx.type_of_expr(left), self.cx.type_of_expr(right)) else {
            return false;
        };
        match (&left.ty, &right.ty) {
            (Ty::Int(a), Ty::Int(b)) => {
                a.bits == b.bits && a.signed == b.signed && left.ty.is_bool() == right.ty.is_bool()
            }
            (Ty::Float(a), Ty::Float(b)) => a == b,
            (Ty::Ptr(a), Ty::Ptr(b)) => !matches!(a.ty, Ty::Func(_)) && !matches!(b.ty, Ty::Func(_)),
            (Ty::Record(a), Ty::Record(b)) => a == b,
            _ => false,
        }
    }

    /// Whether an operand is a bit-field, volatile or atomic.
    pub(super) fn is_special(&mut self, e: &Ast) -> bool {
        let known = self.cx.type_of_expr(e);
        known.is_ok_and(|ty| {
            ty.atomic || ty.volatile || matches!(ty.ty, Ty::Int(IntTy { rank: Rank::Bits, .. }))
        })
    }

    fn side(&mut self, left: &Ast, right: &'e Ast) -> Side<'e> {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        if self.is_special(left) || self.is_special(right) {
            return Side::Open;
        }
        let record = self.cx.type_of_expr(left).is_ok_and(|ty| matches!(ty.ty, Ty::Record(_)));
        let mut inner = right;
        while let E::Cast(c) = &inner.node
            && self.is_same(&c.node.expression, right)
        {
            inner = &c.node.expression;
        }
        let same = self.is_same(left, inner);
        match &inner.node {
            E::Comma(_) | E::Statement(_) | E::VaArg(_) | E::GenericSelection(_) => Side::Open,
            E::CompoundLiteral(_) | E::Conditional(_) if record => Side::Made,
            E::CompoundLiteral(_) => Side::Open,
            E::Call(c) if same => Side::Call(inner, &c.node),
            E::Identifier(_) | E::Member(_) if same => Side::Object(inner),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::Indirection if same => Side::Object(inner),
                U::PreIncrement | U::PreDecrement if same => Side::Stored(&u.node.operand),
                _ => Side::Value,
            },
            E::BinaryOperator(b) => match &b.node.operator.node {
                B::Index if same => Side::Object(inner),
                op if crate::syntax::expressions::changes(op) && same => Side::Stored(&b.node.lhs),
                _ => Side::Value,
            },
            _ if record => Side::Open,
            _ => Side::Value,
        }
    }

    /// The events of an assignment up to its store: those of the left and of the right side.
    pub(super) fn sides(&mut self, b: &'e ast::BinaryOperatorExpression) -> Bits {
        let (left, right) = (&*b.lhs, &*b.rhs);
        let to = self.cx.type_of_expr(left);
        let changed = to.is_ok_and(|to| self.cx.is_changed_by(right, &to.ty));
        match self.side(left, right) {
            Side::Call(e, c) => {
                let first = self.events.len();
                self.call_operands(c);
                let operands = first..self.events.len();
                let mut done = self.place(left);
                done.join(&self.called(e, c, operands));
                done
            }
            Side::Object(e) => {
                let at = self.place(e);
                let mut done = self.place(left);
                done.join(&self.read(e, at));
                done
            }
            Side::Stored(object) => {
                let mut done = self.value(right);
                let first = self.events.len();
                done.join(&self.place(left));
                self.read_again(object, first);
                done
            }
            Side::Made => {
                let mut done = self.place(left);
                done.join(&self.value(right));
                done
            }
            Side::Value => {
                let mut done = self.changed_value(right, changed);
                done.join(&self.place(left));
                done
            }
            Side::Open => {
                let first = self.events.len();
                let mut done = self.changed_value(right, true);
                let middle = self.events.len();
                done.join(&self.place(left));
                self.open.push((first..middle, middle..self.events.len()));
                done
            }
        }
    }

    /// The object of an assignment is read once more when the events from this one on have happened.
    pub(super) fn read_again(&mut self, object: &'e Ast, first: usize) {
        let (root, _) = self.cx.owner(object);
        self.again.push((object, Touch::read(root), first..self.events.len()));
    }

    /// The value of an operand that becomes part of another operation.
    pub(super) fn changed_value(&mut self, e: &'e Ast, changed: bool) -> Bits {
        let outer = std::mem::replace(&mut self.changed, changed);
        let done = self.value(e);
        self.changed = outer;
        done
    }

    /// A unary operator that computes a value.
    pub(super) fn sign(&mut self, e: &'e Ast, u: &'e ast::UnaryOperatorExpression) -> Bits {
        let operand = &*u.operand;
        let is_minus = matches!(u.operator.node, ast::UnaryOperator::Minus | ast::UnaryOperator::Plus);
        let (changed, loose) = (self.changed || !is_minus, self.loose);
        // A sign goes over to the operands of what is under it.
        self.loose |= is_operation(operand);
        let done = self.changed_value(operand, changed);
        self.loose = loose;
        self.operation(e, done)
    }

    /// A conversion that is written.
    pub(super) fn cast(&mut self, e: &'e Ast, c: &'e ast::CastExpression) -> Bits {
        let changed = match self.cx.type_of_expr(e) {
            Ok(to) => self.cx.is_changed_by(&c.expression, &to.ty),
            Err(_) => false,
        };
        self.changed_value(&c.expression, self.changed || changed)
    }

    /// The operands of a chain of operators that lean to the left, as gcc orders them. The outermost operator comes
    /// first.
    pub(super) fn chain_of_gcc(&mut self, nodes: &[(&'e Ast, &'e Ast)], innermost: &'e Ast) -> Bits {
        use ast::BinaryOperator as B;
        let outer = (self.changed, self.loose);
        let laws = self.laws(nodes, innermost);
        let open: Vec<bool> = laws
            .iter()
            .scan(outer.1, |open, (law, _)| {
                *open |= *law == Law::Open;
                Some(*open)
            })
            .collect();
        // Right operands that come before all that is left of them.
        let (mut early, mut starts) = (vec![], vec![]);
        for (n, (_, right)) in nodes.iter().enumerate() {
            let (law, changed) = laws[n];
            self.loose = open[n];
            let is_early = law == Law::Right && !open[n];
            early.push(if is_early { Some(self.changed_value(right, changed)) } else { None });
            starts.push(self.events.len());
        }
        let below = laws.last().is_some_and(|(_, changed)| *changed);
        let mut done = self.changed_value(innermost, below);
        for (n, (node, right)) in nodes.iter().enumerate().rev() {
            self.loose = open[n];
            let shifts = matches!(operator(node), B::ShiftLeft | B::ShiftRight);
            let events = match early[n].take() {
                Some(events) => events,
                None => {
                    let middle = self.events.len();
                    let events = self.changed_value(right, laws[n].1 || shifts);
                    if open[n] {
                        self.open.push((starts[n]..middle, middle..self.events.len()));
                    }
                    events
                }
            };
            done.join(&events);
            done = self.operation(node, done);
        }
        (self.changed, self.loose) = outer;
        done
    }

    /// The laws of the operators of a chain, and whether what they compute becomes part of another operation.
    fn laws(&mut self, nodes: &[(&'e Ast, &'e Ast)], innermost: &'e Ast) -> Vec<(Law, bool)> {
        // Of each operator, from the innermost one on: what is left of it.
        let mut shapes = vec![self.shape(innermost)];
        let rights: Vec<Shape> = nodes.iter().map(|(_, right)| self.shape(right)).collect();
        for ((node, _), right) in nodes.iter().zip(&rights).rev() {
            let left = *shapes.last().expect("there is the innermost operand");
            shapes.push(Shape::joined(operator(node), left, *right));
        }
        let mut changed = self.changed;
        let mut laws = vec![];
        for (n, (node, right)) in nodes.iter().enumerate() {
            let left = nodes.get(n + 1).map_or(innermost, |(node, _)| node);
            let shape = shapes[nodes.len() - 1 - n];
            changed |= shape.fixed || rights[n].fixed;
            laws.push((law(self, operator(node), (left, shape), (right, rights[n]), changed), changed));
        }
        laws
    }

    /// Runs a part whose operands have nothing to do with the operators around it.
    pub(super) fn apart<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (std::mem::take(&mut self.changed), std::mem::take(&mut self.loose));
        let result = part(self);
        (self.changed, self.loose) = outer;
        result
    }
}

/// Ranges of events any of which may come first.
pub(in crate::lower::order) type Open = (Range<usize>, Range<usize>);

pub(super) fn operator(node: &Ast) -> &ast::BinaryOperator {
    let ast::Expression::BinaryOperator(b) = &node.node else { panic!("a chain has binary operators") };
    &b.node.operator.node
}

/// Whether what the operators around it do to an expression goes over to its operands.
pub(super) fn goes_on(e: &Ast) -> bool {
    use ast::UnaryOperator as U;
    match &e.node {
        ast::Expression::Cast(_) => true,
        ast::Expression::UnaryOperator(u) => {
            matches!(u.node.operator.node, U::Plus | U::Minus | U::Complement | U::Negate)
        }
        _ => is_operation(e),
    }
}

/// A binary operator that computes a value, or a conversion of one.
fn is_operation(e: &Ast) -> bool {
    match &e.node {
        ast::Expression::Cast(c) => is_operation(&c.node.expression),
        ast::Expression::BinaryOperator(b) => is_arithmetic(&b.node.operator.node),
        _ => false,
    }
}

/// Whether the operator computes a value from two.
pub(super) fn is_arithmetic(op: &ast::BinaryOperator) -> bool {
    use ast::BinaryOperator as B;
    !crate::syntax::expressions::changes(op) && !matches!(op, B::Index | B::LogicalAnd | B::LogicalOr)
}

impl Context<'_> {
    /// Whether a conversion to the type makes other operators of those that it is applied to: it narrows, or
    /// tests whether the value is 0.
    pub(crate) fn is_changed_by(&mut self, e: &Ast, to: &Ty) -> bool {
        if self.settings.options.evaluation_order != EvaluationOrder::Gcc {
            return false;
        }
        let Ok(from) = self.type_of_expr(e) else { return true };
        match (&from.ty, to) {
            (_, to) if to.is_bool() => true,
            (Ty::Int(from), Ty::Int(to)) => to.bits < from.bits,
            _ => false,
        }
    }
}
