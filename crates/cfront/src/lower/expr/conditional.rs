//! The conditional operator.

use super::convert::common_arithmetic;
use super::{Ast, Ev, Place, Val};
use crate::error::{Res, type_error};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::syntax::expressions::{is_elvis, is_short_circuit};
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::Span;
use ir::{Expr, LocId, Op};
use lang_c::ast;

/// How `a && b` or `a || b` was evaluated.
pub(super) enum Logical {
    /// To this value, without branches.
    Value(Expr),
    /// To 1 at the first of these locations, to 0 at the second.
    Branches([LocId; 2]),
}

impl Context<'_> {
    /// `c ? a : b`; `a ?: b` comes with the identifier [`ELVIS`](crate::text::repair::ELVIS) as `a`.
    pub(crate) fn conditional(&mut self, c: &ast::ConditionalExpression, span: Span, want: bool) -> Res<Ev> {
        self.emitter.report.conditions.push(span);
        let same = is_elvis(c);
        if let Some(n) = self.try_const_condition(&c.condition)? {
            return self.constant_conditional(c, n != 0, same, want);
        }
        let join = self.emitter.fun.new_loc();
        let (operands, ends) = self.operands_on_branches(c, span, want)?;
        let (ev, [then_end, other_end]) =
            self.emitter.join_operands(&self.types, &self.symbols, operands, ends, span)?;
        self.emitter.fun.cur = then_end;
        self.emitter.fun.goto(join, span);
        self.emitter.fun.cur = other_end;
        self.emitter.fun.enter(join, span);
        Ok(ev)
    }

    /// The operands of `c ? a : b`, each evaluated on its branch, and the ends of these.
    fn operands_on_branches(
        &mut self,
        c: &ast::ConditionalExpression,
        span: Span,
        want: bool,
    ) -> Res<([Ev; 2], [LocId; 2])> {
        let (yes, no) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
        let kept = if is_elvis(c) {
            let v = self.value(&c.condition)?;
            let v = Val { e: self.emitter.spill(v.e, span), ty: v.ty };
            let at = self.symbols.span(&c.condition);
            self.emitter.branch(v.e.clone().truthy(), yes, no, at);
            Some(v)
        } else {
            self.condition(&c.condition, yes, no)?;
            None
        };
        self.emitter.fun.cur = yes;
        let then = match kept {
            Some(v) => Ev::Val(v),
            None => self.operand(&c.then_expression, want)?,
        };
        let then_end = self.emitter.fun.cur;
        self.emitter.fun.cur = no;
        let other = self.operand(&c.else_expression, want)?;
        Ok(([then, other], [then_end, self.emitter.fun.cur]))
    }

    /// Stores the value of `c ? a : b`, `a && b` or `a || b` in a plain variable, on each branch by itself: no
    /// temporary stands between, about whose values proofs would have to know. False, and nothing is done, where it is
    /// another expression.
    pub(super) fn store_on_branches(&mut self, place: &Place, rhs: &Ast, span: Span) -> Res<bool> {
        if place.ty.volatile || place.ty.atomic || !place.lv.is_fixed() || self.order.is_known(rhs) {
            return Ok(false);
        }
        let at = self.symbols.span(rhs);
        let ([then, other], [then_end, other_end]) = match &rhs.node {
            ast::Expression::Conditional(c) => {
                if self.try_const_condition(&c.node.condition)?.is_some() {
                    return Ok(false);
                }
                self.emitter.report.conditions.push(at);
                self.operands_on_branches(&c.node, at, true)?
            }
            ast::Expression::BinaryOperator(b) if is_short_circuit(&b.node) => {
                match self.logical_on_branches(&b.node, at)? {
                    Logical::Value(e) => {
                        let e = self.emitter.convert(Val { e, ty: Ty::INT }, &place.ty.ty, at)?;
                        self.emitter.store(place.clone(), e, false, span, false);
                        return Ok(true);
                    }
                    Logical::Branches(ends) => {
                        let truth = |b| Ev::Val(Val { e: Expr::truth(b), ty: Ty::INT });
                        ([truth(true), truth(false)], ends)
                    }
                }
            }
            _ => return Ok(false),
        };
        let (Ev::Val(then), Ev::Val(other)) = (then, other) else {
            return type_error(at, "the operands of `?:` do not go together");
        };
        let (join, ty) = (self.emitter.fun.new_loc(), common_operand_type(&then, &other, at)?);
        self.emitter.fun.cur = then_end;
        self.emitter.store_operand(place, then, &ty, at, span)?;
        self.emitter.fun.goto(join, span);
        self.emitter.fun.cur = other_end;
        self.emitter.store_operand(place, other, &ty, at, span)?;
        self.emitter.fun.enter(join, span);
        Ok(true)
    }

    pub(crate) fn operand(&mut self, e: &Ast, want: bool) -> Res<Ev> {
        if !want {
            self.discard(e)?;
            return Ok(Ev::Void);
        }
        let span = self.symbols.span(e);
        match self.eval(e)? {
            Ev::Place(p) if matches!(p.ty.ty, Ty::Record(_)) => Ok(Ev::Place(p)),
            Ev::Void => Ok(Ev::Void),
            ev => Ok(Ev::Val(self.emitter.read(&self.types, &mut self.symbols, ev, span)?)),
        }
    }

    fn constant_conditional(
        &mut self,
        c: &ast::ConditionalExpression,
        taken: bool,
        same: bool,
        want: bool,
    ) -> Res<Ev> {
        let (chosen, other): (&Ast, &Ast) = if taken {
            let then = if same { &c.condition } else { &c.then_expression };
            (then, &c.else_expression)
        } else {
            (&c.else_expression, if same { &c.condition } else { &c.then_expression })
        };
        let ev = self.operand(chosen, want)?;
        let Ev::Val(v) = ev else { return Ok(ev) };
        let other = self.dry(|cx| cx.operand(other, true))?;
        let span = self.symbols.span(chosen);
        let Ev::Val(other) = other else { return Ok(Ev::Val(v)) };
        let (a, b) = if taken { (&v, &other) } else { (&other, &v) };
        let ty = common_operand_type(a, b, span)?;
        let e = self.emitter.convert(v, &ty, span)?;
        Ok(Ev::Val(Val { e, ty }))
    }
}

impl Emitter<'_> {
    /// Stores one operand of `?:`, whose type is `ty`; the statement's text is at `span`.
    fn store_operand(&mut self, place: &Place, operand: Val, ty: &Ty, at: Span, span: Span) -> Res<()> {
        let e = self.convert(operand, ty, at)?;
        let e = self.convert(Val { e, ty: ty.clone() }, &place.ty.ty, at)?;
        self.store(place.clone(), e, false, span, false);
        Ok(())
    }

    /// Brings the two operands of `?:` into one result, at the ends of their branches; the ends once that is stored.
    fn join_operands(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        operands: [Ev; 2],
        mut ends: [LocId; 2],
        span: Span,
    ) -> Res<(Ev, [LocId; 2])> {
        match operands {
            [Ev::Val(a), Ev::Val(b)] => {
                let ty = common_operand_type(&a, &b, span)?;
                let t = self.temp(ty.lower(), span);
                for (end, v) in ends.iter_mut().zip([a, b]) {
                    self.fun.cur = *end;
                    let e = self.convert(v, &ty, span)?;
                    self.internal(Op::Assign(t.clone(), e), span);
                    *end = self.fun.cur;
                }
                Ok((Ev::Val(Val { e: t.load(), ty }), ends))
            }
            [Ev::Place(a), Ev::Place(b)] => {
                if a.ty.ty != b.ty.ty {
                    let message = "the operands of `?:` have different types";
                    return types.refuse_vector(&[&a.ty.ty, &b.ty.ty], span, message);
                }
                let t = self.temp(a.ty.ty.lower(), span);
                for (end, place) in ends.iter_mut().zip([&a, &b]) {
                    self.fun.cur = *end;
                    self.copy_read(types, symbols, &t, place, span)?;
                    *end = self.fun.cur;
                }
                Ok((Ev::Place(Place { lv: t, ty: a.ty.ty.into(), bit_field: false }), ends))
            }
            [Ev::Void, _] | [_, Ev::Void] => Ok((Ev::Void, ends)),
            [Ev::Place(p), _] | [_, Ev::Place(p)] => {
                types.refuse_vector(&[&p.ty.ty], span, "the operands of `?:` do not go together")
            }
            _ => type_error(span, "the operands of `?:` do not go together"),
        }
    }
}

/// The type of `?:` with two scalar operands.
fn common_operand_type(a: &Val, b: &Val, span: Span) -> Res<Ty> {
    match (&a.ty, &b.ty) {
        (x, y) if x.is_arithmetic() && y.is_arithmetic() => Ok(common_arithmetic(x, y)),
        (Ty::Ptr(_), Ty::Int(_)) => Ok(a.ty.clone()),
        (Ty::Int(_), Ty::Ptr(_)) => Ok(b.ty.clone()),
        (Ty::Ptr(x), Ty::Ptr(y)) => {
            let null = |v: &Val| v.e.is_zero();
            Ok(match (&x.ty, &y.ty) {
                (Ty::Void, _) if null(a) => b.ty.clone(),
                (_, Ty::Void) if null(b) => a.ty.clone(),
                (_, Ty::Void) => b.ty.clone(),
                _ => a.ty.clone(),
            })
        }
        _ => type_error(span, "the operands of `?:` do not go together"),
    }
}
