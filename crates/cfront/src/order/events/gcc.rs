//! The order of gcc 12. It takes operands from left to right and arguments from right to left; of an assignment first what the
//! right side needs up to its outermost call or read, then the left side. Before that, its simplifier puts variables behind
//! other operands of commutative operators and comparisons, and turns `-x + y` into `y - x`. What else it exchanges, moves out
//! of a comma, or distributes depends on types and constants: operands of such operators have an open order here.

use super::Walk;
use crate::cx::Cx;
use crate::expr::Ast;
use crate::options::EvaluationOrder;
use crate::order::bits::Bits;
use crate::order::scan;
use crate::order::touch::Touch;
use crate::scope::Entity;
use crate::ty::{IntTy, Rank, Ty};
use lang_c::ast;
use std::ops::Range;

/// The order of the operands of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Law {
    /// The left one first.
    Left,
    /// The right one first.
    Right,
    /// Either, and the operations in both are in no order.
    Open,
}

/// The form of an operand for gcc's simplifier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Nothing in it happens at run time.
    fixed: bool,
    /// Operations on operands that are all opaque.
    plain: bool,
    /// A variable by itself is among the operands.
    bare: bool,
    /// It has a part that is moved out of it.
    moved: bool,
    /// It is a difference, or has one among its operands.
    minus: bool,
    /// A sign is among its operators.
    sign: bool,
    /// Its own form.
    form: Form,
    /// An operation with a constant is in it.
    scaled: bool,
}

/// The form of an operand itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Operands that the simplifier does not look into: calls, reads through pointers and of elements and members.
    Opaque,
    Variable,
    /// `-x` and `~x` of something opaque.
    Negated,
    Inverted,
    Other,
}

impl Shape {
    const OPAQUE: Shape = Shape {
        fixed: false,
        plain: true,
        bare: false,
        moved: false,
        minus: false,
        sign: false,
        form: Form::Opaque,
        scaled: false,
    };

    fn fixed() -> Shape {
        Shape { fixed: true, plain: false, form: Form::Other, ..Shape::OPAQUE }
    }

    /// An operator with the operand.
    fn over(self) -> Shape {
        Shape { plain: false, form: Form::Other, ..self }
    }

    /// A binary operator with these operands.
    pub(super) fn joined(op: &ast::BinaryOperator, left: Shape, right: Shape) -> Shape {
        let constant = left.fixed || right.fixed;
        Shape {
            fixed: left.fixed && right.fixed,
            plain: left.plain && right.plain,
            bare: left.bare || right.bare,
            moved: left.moved || right.moved,
            minus: left.minus || right.minus || *op == ast::BinaryOperator::Minus,
            sign: left.sign || right.sign,
            form: Form::Other,
            scaled: left.scaled || right.scaled || constant,
        }
    }
}

/// The order of the operands of a binary operator. `changed`: the value is compared with a constant or narrowed, so that the
/// operator may become another one.
pub(super) fn law(
    walk: &mut Walk<'_, '_, '_>,
    op: &ast::BinaryOperator,
    (left, a): (&Ast, Shape),
    (right, b): (&Ast, Shape),
    changed: bool,
) -> Law {
    use ast::BinaryOperator as B;
    if *op == B::Plus && !walk.is_pointer(left) && walk.is_pointer(right) {
        // A sum with a pointer begins with the pointer.
        return Law::Right;
    }
    if a.fixed || b.fixed {
        return Law::Left;
    }
    let commutes = matches!(op, B::Plus | B::Multiply | B::BitwiseAnd | B::BitwiseOr | B::BitwiseXor)
        || is_comparison(op);
    match () {
        () if a.moved || b.moved || *op == B::Minus && b.minus || changed && (a.bare || b.bare) => Law::Open,
        () if a.form == Form::Negated && *op == B::Plus => {
            let fits = b.form == Form::Opaque || b.form == Form::Inverted;
            if fits && !changed && walk.keeps_type(left, right) { Law::Right } else { Law::Open }
        }
        () if !b.plain => Law::Open,
        () if a.form == Form::Variable && commutes && b.form != Form::Variable => {
            match walk.width(left) {
                // Operations on what is narrower than `int` are narrowed in some cases.
                None => Law::Open,
                Some(_) if walk.keeps_type(left, right) => Law::Right,
                Some(_) => Law::Left,
            }
        }
        () if a.plain => Law::Left,
        () if a.bare || b.bare || a.minus || a.sign => Law::Open,
        // Factors are gathered, and what is added to one side of a comparison goes over to the other one.
        () if a.scaled && (*op == B::Multiply || is_comparison(op)) => Law::Open,
        () => Law::Left,
    }
}

fn is_comparison(op: &ast::BinaryOperator) -> bool {
    use ast::BinaryOperator as B;
    matches!(op, B::Equals | B::NotEquals | B::Less | B::Greater | B::LessOrEqual | B::GreaterOrEqual)
}

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

    /// Whether the conversion of an argument to the parameter's type makes other operators of those that it is applied to.
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

    /// The form of an operand for the simplifier.
    pub(super) fn shape(&mut self, e: &'e Ast) -> Shape {
        use ast::Expression as E;
        let (mut operators, mut e) = (vec![], e);
        while let E::BinaryOperator(b) = &e.node
            && is_arithmetic(&b.node.operator.node)
        {
            operators.push((&b.node.operator.node, &*b.node.rhs));
            e = &b.node.lhs;
        }
        let mut shape = self.shape_of_operand(e);
        for (op, right) in operators.into_iter().rev() {
            let right = self.shape(right);
            shape = Shape::joined(op, shape, right);
        }
        shape
    }

    fn shape_of_operand(&mut self, e: &'e Ast) -> Shape {
        use ast::{BinaryOperator as B, Expression as E};
        match &e.node {
            E::Constant(_) | E::StringLiteral(_) => Shape::fixed(),
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) | E::OffsetOf(_) => Shape::fixed(),
            E::Identifier(id) => {
                let entity = self.cx.scopes.lookup(&id.node.name);
                let is_object = matches!(entity, Some(Entity::Local(..) | Entity::Object(_)));
                match self.cx.type_of_expr(e) {
                    Ok(ty) if is_object && ty.atomic => Shape::OPAQUE.over(),
                    Ok(_) if is_object && !self.is_array(e) => {
                        Shape { bare: true, form: Form::Variable, ..Shape::OPAQUE }
                    }
                    _ => Shape::fixed(),
                }
            }
            E::Member(_) | E::Call(_) | E::Conditional(_) => Shape::OPAQUE,
            E::BinaryOperator(b) => match &b.node.operator.node {
                B::Assign | B::Index => Shape::OPAQUE,
                B::LogicalAnd | B::LogicalOr => Shape::OPAQUE.over(),
                _ => Shape { moved: scan::has_effects(self.cx, &b.node.rhs), ..Shape::OPAQUE },
            },
            E::UnaryOperator(u) => self.shape_of_unary(&u.node),
            E::Cast(c) => self.shape(&c.node.expression).over(),
            // A block, a comma, and what else is evaluated before the operator's other operands.
            _ => Shape { moved: true, ..Shape::OPAQUE.over() },
        }
    }

    fn shape_of_unary(&mut self, u: &'e ast::UnaryOperatorExpression) -> Shape {
        use ast::UnaryOperator as U;
        let op = &u.operator.node;
        if *op == U::Indirection || crate::cond::increments(op) {
            return Shape::OPAQUE;
        }
        if *op == U::Address {
            return Shape::OPAQUE.over();
        }
        let inner = self.shape(&u.operand);
        let form = match op {
            U::Minus if inner.form == Form::Opaque => Form::Negated,
            U::Complement if inner.form == Form::Opaque => Form::Inverted,
            _ => Form::Other,
        };
        let minus = inner.minus || *op == U::Minus && form != Form::Negated;
        let sign = inner.sign || matches!(op, U::Minus | U::Complement);
        Shape { form, minus, sign, ..inner.over() }
    }

    /// Whether the value is a pointer, or an array that stands for one.
    pub(super) fn is_pointer(&mut self, e: &Ast) -> bool {
        let known = self.cx.type_of_expr(e);
        known.is_ok_and(|ty| matches!(ty.ty, Ty::Ptr(_) | Ty::Array(..) | Ty::Vla(..) | Ty::Func(_)))
    }

    /// The class and width in bits of a scalar; nothing for integers narrower than `int`.
    fn width(&mut self, e: &Ast) -> Option<(bool, u16)> {
        match self.cx.type_of_expr(e).ok()?.ty {
            Ty::Int(i) if i.promoted() == i => Some((false, i.bits)),
            Ty::Float(bits) => Some((true, bits)),
            Ty::Ptr(_) => Some((false, self.cx.model.pointer_bits())),
            _ => None,
        }
    }

    /// Whether an operation on the two leaves the left one at its width.
    fn keeps_type(&mut self, left: &Ast, right: &Ast) -> bool {
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
                op if crate::cond::changes(op) && same => Side::Stored(&b.node.lhs),
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

    /// The operands of a chain of operators that lean to the left, as gcc orders them. The outermost operator comes first.
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
pub(in crate::order) type Open = (Range<usize>, Range<usize>);

fn operator(node: &Ast) -> &ast::BinaryOperator {
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
fn is_arithmetic(op: &ast::BinaryOperator) -> bool {
    use ast::BinaryOperator as B;
    !crate::cond::changes(op) && !matches!(op, B::Index | B::LogicalAnd | B::LogicalOr)
}

impl Cx<'_> {
    /// Whether a conversion to the type makes other operators of those that it is applied to: it narrows, or
    /// tests whether the value is 0.
    pub(crate) fn is_changed_by(&mut self, e: &Ast, to: &Ty) -> bool {
        if self.opts.evaluation_order != EvaluationOrder::Gcc {
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
