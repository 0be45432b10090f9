//! The forms of operands that decide in which order gcc evaluates them.

use super::Walk;
use super::gcc::is_arithmetic;
use crate::lower::expr::Ast;
use crate::lower::order::scan;
use crate::lower::scope::Entity;
use lang_c::ast;

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
    pub(super) fixed: bool,
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

/// The order of the operands of a binary operator. `changed`: the value is compared with a constant or narrowed, so
/// that the operator may become another one.
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

impl<'e> Walk<'_, '_, 'e> {
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
                let entity = self.cx.symbols.scopes.lookup(&id.node.name);
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
                _ => Shape { moved: scan::has_effects(&self.cx.order, &b.node.rhs), ..Shape::OPAQUE },
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
        if *op == U::Indirection || crate::syntax::expressions::increments(op) {
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
}
