//! Operators.

use super::conditional::Logical;
use super::convert::{common_arithmetic, promote};
use super::{Ast, Ev, MAX_DEPTH, Val};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::syntax::expressions::{changes, may_be_constant};
use crate::types::constants;
use crate::types::table::Types;
use crate::types::ty::{IntTy, Rank, Ty};
use base::Span;
use ir::{BinOp, Expr, LocId, Op, Type, UnOp};
use lang_c::ast;

impl Context<'_> {
    pub(super) fn unary(&mut self, u: &ast::UnaryOperatorExpression, span: Span, want: bool) -> Res<Ev> {
        use ast::UnaryOperator as U;
        match u.operator.node {
            U::Address => return self.address_of(&u.operand, span),
            U::Indirection => return self.indirection(&u.operand, span),
            U::PreIncrement | U::PreDecrement | U::PostIncrement | U::PostDecrement => {
                let by = if matches!(u.operator.node, U::PreIncrement | U::PostIncrement) { 1 } else { -1 };
                let pre = matches!(u.operator.node, U::PreIncrement | U::PreDecrement);
                let place = self.place(&u.operand)?;
                return self.emitter.increment(&self.types, &mut self.symbols, place, (by, pre), span, want);
            }
            _ => {}
        }
        let v = self.value(&u.operand)?;
        if u.operator.node == U::Negate {
            if !v.ty.is_scalar() {
                return type_error(span, "`!` needs a scalar");
            }
            return Ok(Ev::Val(Val { e: fold_not(v.e), ty: Ty::INT }));
        }
        let v = self.emitter.number_of_thread(v, span);
        let v = promote(v);
        let wrap = self.emitter.rules();
        let e = match (&u.operator.node, &v.ty) {
            (U::Plus, Ty::Int(_) | Ty::Float(_)) => v.e,
            (U::Minus, Ty::Int(_) | Ty::Float(_)) => constants::unary(UnOp::Neg, v.e, v.ty.lower(), wrap),
            (U::Complement, Ty::Int(_)) => constants::unary(UnOp::BitNot, v.e, v.ty.lower(), wrap),
            _ => return type_error(span, format!("the operator does not apply to {}", v.ty.describe())),
        };
        Ok(Ev::Val(Val { e, ty: v.ty }))
    }

    pub(super) fn binary(&mut self, b: &ast::BinaryOperatorExpression, span: Span, want: bool) -> Res<Ev> {
        use ast::BinaryOperator as B;
        match &b.operator.node {
            B::Index => self.index(&b.lhs, &b.rhs, span),
            B::Assign => self.assign(&b.lhs, &b.rhs, span, want),
            B::LogicalAnd | B::LogicalOr => self.logical(b, span, want),
            op => match compound(op) {
                Some(op) => self.compound_assign(op, &b.lhs, &b.rhs, span, want),
                None => {
                    // A long sum leans to the left: its operands are walked without recursion.
                    self.operator_chain(b, span)
                }
            },
        }
    }

    /// A binary operator whose left operand may be a long chain of the same kind.
    fn operator_chain(&mut self, b: &ast::BinaryOperatorExpression, span: Span) -> Res<Ev> {
        let mut chain = vec![(b, span)];
        let mut left: &Ast = &b.lhs;
        while let ast::Expression::BinaryOperator(inner) = &left.node {
            if plain(&inner.node.operator.node).is_none() || self.order.is_known(left) {
                break;
            }
            chain.push((&inner.node, self.symbols.span(left)));
            left = &inner.node.lhs;
        }
        let mut value = self.value(left)?;
        let mut at = self.symbols.span(left);
        for (n, (b, span)) in chain.into_iter().rev().enumerate() {
            if n > 0 && n.is_multiple_of(MAX_DEPTH) && self.emitter.dry == 0 {
                value.e = self.emitter.spill(value.e, at);
            }
            value.e = self.emitter.keep(&self.types, &self.symbols, value.e, &[&b.rhs], at);
            let right = self.value(&b.rhs)?;
            let op = plain(&b.operator.node).expect("the chain holds only such operators");
            value = self.emitter.operate(&self.types, op, value, right, span)?;
            at = span;
        }
        Ok(Ev::Val(value))
    }

    /// `&&` and `||` as a value.
    fn logical(&mut self, b: &ast::BinaryOperatorExpression, span: Span, want: bool) -> Res<Ev> {
        let (yes, no) = match self.logical_on_branches(b, span)? {
            Logical::Value(e) => return Ok(Ev::Val(Val { e, ty: Ty::INT })),
            Logical::Branches([yes, no]) => (yes, no),
        };
        let join = self.emitter.fun.new_loc();
        if !want {
            self.emitter.fun.cur = yes;
            self.emitter.fun.goto(join, span);
            self.emitter.fun.cur = no;
            self.emitter.fun.enter(join, span);
            return Ok(Ev::Void);
        }
        let truth = [Expr::int(1), Expr::int(0)];
        Ok(Ev::Val(self.emitter.value_of_branches((yes, no, join), truth, Ty::INT, span)))
    }

    /// Evaluates `&&` or `||`, with branches where an operand is evaluated only sometimes.
    pub(super) fn logical_on_branches(
        &mut self,
        b: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Res<Logical> {
        self.emitter.report.conditions.push(span);
        let and = b.operator.node == ast::BinaryOperator::LogicalAnd;
        let plain = self.symbols.is_plain(&b.rhs);
        if !plain && !may_be_constant(&b.lhs) {
            let (yes, no) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
            self.logical_value(b, (yes, no), span)?;
            return Ok(Logical::Branches([yes, no]));
        }
        let left = self.value(&b.lhs)?;
        let left = fold_truth(left.e);
        if let Expr::Const(n, _) = left {
            if (n != 0) != and {
                self.dry(|cx| cx.value(&b.rhs))?;
                return Ok(Logical::Value(Expr::truth(!and)));
            }
            let right = self.value(&b.rhs)?;
            return Ok(Logical::Value(fold_truth(right.e)));
        }
        if !plain {
            let (yes, no) = self.emitter.short_circuit(and, left, span);
            self.condition(&b.rhs, yes, no)?;
            return Ok(Logical::Branches([yes, no]));
        }
        let right = self.value(&b.rhs)?;
        let right = fold_truth(right.e);
        if constants::is_total(&right, self.settings.options.signed_wrap) {
            let op = if and { BinOp::And } else { BinOp::Or };
            return Ok(Logical::Value(constants::binary(op, left, right, Type::INT, self.emitter.rules())));
        }
        let (yes, no) = self.emitter.short_circuit(and, left, span);
        self.emitter.branch(right, yes, no, span);
        Ok(Logical::Branches([yes, no]))
    }
}

impl Emitter<'_> {
    /// A binary operator on values.
    pub(crate) fn operate(&mut self, types: &Types, op: BinOp, l: Val, r: Val, span: Span) -> Res<Val> {
        if let (Ty::Refused(what), _) | (_, Ty::Refused(what)) = (&l.ty, &r.ty) {
            return unsupported(span, format!("{what} are not supported"));
        }
        let is_name = |v: &Val| matches!(v.ty, Ty::Int(i) if i.rank == Rank::Thread) || v.e.is_zero();
        let (l, r) = match matches!(op, BinOp::Eq | BinOp::Ne) && is_name(&l) && is_name(&r) {
            true => (l, r),
            false => (self.number_of_thread(l, span), self.number_of_thread(r, span)),
        };
        if op.is_comparison() {
            return self.compare(op, l, r, span);
        }
        let wrap = self.rules();
        match (op, &l.ty, &r.ty) {
            (BinOp::Add, Ty::Ptr(_), Ty::Int(_)) => self.pointer_add(types, l, r, false, span),
            (BinOp::Add, Ty::Int(_), Ty::Ptr(_)) => self.pointer_add(types, r, l, false, span),
            (BinOp::Sub, Ty::Ptr(_), Ty::Int(_)) => self.pointer_add(types, l, r, true, span),
            (BinOp::Sub, Ty::Ptr(_), Ty::Ptr(_)) => self.pointer_difference(types, l, r, span),
            (BinOp::Shl | BinOp::Shr, Ty::Int(_), Ty::Int(_)) => {
                let (l, r) = (promote(l), promote(r));
                let e = constants::binary(op, l.e, r.e, l.ty.lower(), wrap);
                Ok(Val { e, ty: l.ty })
            }
            (BinOp::Rem | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor, Ty::Int(_), Ty::Int(_))
            | (
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div,
                Ty::Int(_) | Ty::Float(_),
                Ty::Int(_) | Ty::Float(_),
            ) => {
                let ty = common_arithmetic(&l.ty, &r.ty);
                let (l, r) = (self.convert(l, &ty, span)?, self.convert(r, &ty, span)?);
                Ok(Val { e: constants::binary(op, l, r, ty.lower(), wrap), ty })
            }
            _ => does_not_apply(op, &l, &r, span),
        }
    }

    fn compare(&mut self, op: BinOp, l: Val, r: Val, span: Span) -> Res<Val> {
        let (l, r) = match (&l.ty, &r.ty) {
            (Ty::Ptr(_), Ty::Ptr(_)) => {
                // The operands of a comparison with NULL have one type.
                let null = |v: &Val| v.e.is_zero();
                match (null(&l), null(&r)) {
                    (_, true) => (l.e.clone(), Expr::Const(0, l.e.ty())),
                    (true, false) => (Expr::Const(0, r.e.ty()), r.e),
                    (false, false) => (l.e, r.e),
                }
            }
            (Ty::Ptr(_), Ty::Int(_)) => {
                let to = l.ty.clone();
                (l.e, self.convert(r, &to, span)?)
            }
            (Ty::Int(_), Ty::Ptr(_)) => {
                let to = r.ty.clone();
                (self.convert(l, &to, span)?, r.e)
            }
            (a, b) if a.is_arithmetic() && b.is_arithmetic() => {
                let ty = common_arithmetic(a, b);
                (self.convert(l, &ty, span)?, self.convert(r, &ty, span)?)
            }
            _ => return does_not_apply(op, &l, &r, span),
        };
        Ok(Val { e: constants::binary(op, l, r, Type::INT, self.rules()), ty: Ty::INT })
    }

    fn pointer_difference(&self, types: &Types, l: Val, r: Val, span: Span) -> Res<Val> {
        let pointee = l.ty.pointee().expect("the caller found a pointer").clone();
        let ty = Ty::Int(IntTy::ptrdiff(self.settings.model));
        let (mut l, mut r) = (l.e, r.e);
        let units = self.units(&pointee.ty, span)?;
        let mut size = types.size_of(units.as_ref().map_or(&pointee.ty, |(_, inner)| &inner.ty), span)?;
        if matches!(pointee.ty, Ty::Void | Ty::Func(_)) {
            let bytes = Ty::ptr_to(Ty::Int(IntTy::CHAR)).lower();
            (l, r) = (l.cast(bytes.clone()), r.cast(bytes));
            size = 1;
        }
        if size == 0 {
            return unsupported(span, "the difference of pointers to objects of size 0 is not supported");
        }
        if l.ty() != r.ty() {
            let is_scalar = |e: &Expr| e.ty().pointee().is_some_and(Type::is_scalar);
            if is_scalar(&l) || is_scalar(&r) {
                return type_error(span, "the difference of pointers to different types");
            }
            r = r.cast(l.ty());
        }
        let e = match (&l, &r) {
            (Expr::Const(a, _), Expr::Const(b, _)) => Expr::Const((a - b) / i128::from(size), ty.lower()),
            _ => Expr::Binary(BinOp::PtrDiff, Box::new(l), Box::new(r), ty.lower()),
        };
        let e = match units {
            Some((units, _)) => Expr::binary(BinOp::Div, e, units),
            None => e,
        };
        Ok(Val { e, ty })
    }

    /// The first value where `yes` was reached, the second where `no` was; both go on at `join`.
    pub(crate) fn value_of_branches(
        &mut self,
        (yes, no, join): (LocId, LocId, LocId),
        [then, other]: [Expr; 2],
        ty: Ty,
        span: Span,
    ) -> Val {
        let t = self.temp(ty.lower(), span);
        self.fun.cur = yes;
        self.internal(Op::Assign(t.clone(), then), span);
        self.fun.goto(join, span);
        self.fun.cur = no;
        self.internal(Op::Assign(t.clone(), other), span);
        self.fun.enter(join, span);
        Val { e: t.load(), ty }
    }

    /// Branches on the left operand of `&&` or `||`, and goes on where the right one counts; where the operation is 1,
    /// and where it is 0.
    fn short_circuit(&mut self, and: bool, left: Expr, span: Span) -> (LocId, LocId) {
        let (yes, no) = (self.fun.new_loc(), self.fun.new_loc());
        let rest = self.fun.new_loc();
        if and {
            self.branch(left, rest, no, span);
        } else {
            self.branch(left, yes, rest, span);
        }
        self.fun.cur = rest;
        (yes, no)
    }
}

impl Symbols<'_> {
    /// Whether an operand is so simple that evaluating it emits nothing and is defined in every state (its
    /// value is checked again by `is_total`).
    fn is_plain(&self, e: &Ast) -> bool {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        match &e.node {
            E::Constant(_) => true,
            E::Identifier(id) => {
                matches!(
                    self.scopes.lookup(&id.node.name),
                    Some(crate::lower::scope::Entity::Local(..) | crate::lower::scope::Entity::EnumConst(..))
                ) || self.is_quiet_object(&id.node.name)
            }
            E::Member(m) => {
                m.node.operator.node == ast::MemberOperator::Direct && self.is_plain(&m.node.expression)
            }
            E::UnaryOperator(u) => u.node.operator.node == U::Negate && self.is_plain(&u.node.operand),
            E::BinaryOperator(b) => {
                matches!(
                    b.node.operator.node,
                    B::Equals | B::NotEquals | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual
                ) && self.is_plain(&b.node.lhs)
                    && self.is_plain(&b.node.rhs)
            }
            _ => false,
        }
    }

    fn is_quiet_object(&self, name: &str) -> bool {
        match self.scopes.lookup(name) {
            Some(crate::lower::scope::Entity::Object(o)) => {
                let ty = &self.objects[*o].ty;
                !ty.volatile && ty.ty.is_scalar()
            }
            _ => false,
        }
    }
}

fn does_not_apply<T>(op: BinOp, l: &Val, r: &Val, span: Span) -> Res<T> {
    let (left, right) = (l.ty.describe(), r.ty.describe());
    type_error(span, format!("`{}` does not apply to {left} and {right}", op.symbol()))
}

/// The operator of a compound assignment.
pub(crate) fn compound(op: &ast::BinaryOperator) -> Option<BinOp> {
    if changes(op) { operator(op) } else { None }
}

/// An operator that evaluates both operands and changes nothing.
fn plain(op: &ast::BinaryOperator) -> Option<BinOp> {
    if changes(op) { None } else { operator(op) }
}

/// The operator on the values of both operands, also for the assignments.
fn operator(op: &ast::BinaryOperator) -> Option<BinOp> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::Multiply | B::AssignMultiply => BinOp::Mul,
        B::Divide | B::AssignDivide => BinOp::Div,
        B::Modulo | B::AssignModulo => BinOp::Rem,
        B::Plus | B::AssignPlus => BinOp::Add,
        B::Minus | B::AssignMinus => BinOp::Sub,
        B::ShiftLeft | B::AssignShiftLeft => BinOp::Shl,
        B::ShiftRight | B::AssignShiftRight => BinOp::Shr,
        B::Less => BinOp::Lt,
        B::Greater => BinOp::Gt,
        B::LessOrEqual => BinOp::Le,
        B::GreaterOrEqual => BinOp::Ge,
        B::Equals => BinOp::Eq,
        B::NotEquals => BinOp::Ne,
        B::BitwiseAnd | B::AssignBitwiseAnd => BinOp::BitAnd,
        B::BitwiseXor | B::AssignBitwiseXor => BinOp::BitXor,
        B::BitwiseOr | B::AssignBitwiseOr => BinOp::BitOr,
        _ => return None,
    })
}

/// Not zero, as 0 or 1; constants at once.
pub(crate) fn fold_truth(e: Expr) -> Expr {
    match e {
        Expr::Const(v, _) => Expr::truth(v != 0),
        Expr::Float(bits, _) => Expr::truth(f64::from_bits(bits) != 0.0),
        // A function's address is never NULL.
        Expr::Func(..) => Expr::truth(true),
        e => e.truthy(),
    }
}

/// Zero, as 0 or 1; constants at once.
fn fold_not(e: Expr) -> Expr {
    match fold_truth(e) {
        Expr::Const(v, _) => Expr::truth(v == 0),
        e => e.negated(),
    }
}
