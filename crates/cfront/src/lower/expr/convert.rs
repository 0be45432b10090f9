//! Conversions.

use super::arith::fold_truth;
use super::{Ast, Ev, Place, Val};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter};
use crate::lower::variable_length::into_elements;
use crate::types::constants;
use crate::types::table::Types;
use crate::types::ty::{IntTy, Rank, Ty};
use crate::types::vector_types::VectorType;
use base::Span;
use ir::{Expr, Type};
use lang_c::ast;

impl Context<'_> {
    /// The value of an expression, converted to a scalar type. An allocation gets that type at once.
    pub(crate) fn value_to(&mut self, e: &Ast, to: &Ty) -> Res<Expr> {
        let changed = self.is_changed_by(e, to);
        self.in_order_to(e, changed, |cx| cx.value_to_unsettled(e, to))
    }

    fn value_to_unsettled(&mut self, e: &Ast, to: &Ty) -> Res<Expr> {
        let span = self.symbols.span(e);
        if to.pointee().is_some()
            && let Some(call) = self.symbols.allocation(&self.types, &self.emitter, &self.order, e)
        {
            let place = self.emitter.temp(to.lower(), span);
            self.allocate(call, &place, span)?;
            return Ok(place.load());
        }
        let v = self.value(e)?;
        self.emitter.convert(v, to, span)
    }

    pub(super) fn cast(&mut self, c: &ast::CastExpression, span: Span) -> Res<Ev> {
        let ty = self.type_name(&c.type_name.node)?;
        match ty.ty {
            Ty::Void => {
                self.discard(&c.expression)?;
                Ok(Ev::Void)
            }
            Ty::Record(_) => match self.eval(&c.expression)? {
                Ev::Place(p) if p.ty.ty == ty.ty => Ok(Ev::Place(p)),
                Ev::Place(p)
                    if let Some(cast) = self.emitter.vector_cast(&self.types, &p, &ty.ty, span)? =>
                {
                    Ok(Ev::Place(cast))
                }
                _ => unsupported(span, "a cast to a struct or union is not supported"),
            },
            Ty::Array(..) | Ty::Vla(..) | Ty::Func(_) => type_error(span, "a cast needs a scalar type"),
            _ => {
                let e = self.value_to(&c.expression, &ty.ty)?;
                Ok(Ev::Val(Val { e, ty: ty.ty }))
            }
        }
    }
}

impl Emitter<'_> {
    /// A cast of a vector to another one of its size: the same bytes. Nothing for other casts.
    pub(crate) fn vector_cast(
        &mut self,
        types: &Types,
        place: &Place,
        to: &Ty,
        span: Span,
    ) -> Res<Option<Place>> {
        let vector = |ty: &Ty| matches!(types.vector_type_of(ty), Some(VectorType::Vector(_)));
        if !vector(&place.ty.ty) || !vector(to) {
            return Ok(None);
        }
        let size = types.size_of(to, span)?;
        if size != types.size_of(&place.ty.ty, span)? {
            return type_error(span, "a vector does not convert to one of another size");
        }
        let t = self.temp(to.lower(), span);
        let len = Expr::Const(i128::from(size), Ty::Int(self.settings.size_ty()).lower());
        let (dst, src) = (t.clone().addr(), types.address(place.lv.clone()));
        self.internal(ir::Op::MemCopy { dst, src, len }, span);
        Ok(Some(Place { lv: t, ty: to.clone().into(), bit_field: false }))
    }

    /// A conversion as if by assignment or cast, to a scalar type.
    pub(crate) fn convert(&mut self, v: Val, to: &Ty, span: Span) -> Res<Expr> {
        let lowered = to.lower();
        let stays = matches!(to, Ty::Int(i) if matches!(i.rank, Rank::Thread | Rank::Bool));
        let v = if stays { v } else { self.number_of_thread(v, span) };
        match (&v.ty, to) {
            (Ty::Refused(what), _) | (_, Ty::Refused(what)) => {
                unsupported(span, format!("{what} are not supported"))
            }
            (Ty::Int(a), Ty::Int(b)) if b.rank == Rank::Bool && a.rank != Rank::Bool => {
                Ok(fold_truth(v.e).cast(lowered))
            }
            (Ty::Float(_) | Ty::Ptr(_), Ty::Int(b)) if b.rank == Rank::Bool => {
                Ok(fold_truth(v.e).cast(lowered))
            }
            (Ty::Ptr(_), Ty::Float(_)) | (Ty::Float(_), Ty::Ptr(_)) => {
                type_error(span, "a pointer and a floating-point number do not convert to each other")
            }
            (Ty::Ptr(_), Ty::Int(i)) => Ok(match v.e {
                // A constant address, as `offsetof` written by hand has it.
                Expr::Const(at, _) => Expr::Const(i.lower().wrap(at), lowered),
                e => e.cast(lowered),
            }),
            (Ty::Int(_), Ty::Ptr(_)) => Ok(match v.e {
                Expr::Const(at, _) if at >= 0 => Expr::Const(at, lowered),
                e => e.cast(Type::Int(IntTy::size(self.settings.model).lower())).cast(lowered),
            }),
            (Ty::Ptr(_), Ty::Ptr(to)) => Ok(match v.e {
                Expr::Const(at, _) => Expr::Const(at, lowered),
                e if matches!(to.ty, Ty::Vla(..)) => into_elements(e, &lowered).cast(lowered),
                e => e.cast(lowered),
            }),
            (Ty::Int(_), Ty::Float(bits)) => Ok(match v.e {
                Expr::Const(n, _) if n.unsigned_abs() <= 1 << 24 && *bits >= 32 => {
                    Expr::Float((n as f64).to_bits(), lowered)
                }
                e => e.cast(lowered),
            }),
            (Ty::Float(_), _) if matches!(v.e, Expr::Float(..)) && to.is_arithmetic() => Ok(match &v.e {
                Expr::Float(bits, from) => constants::convert_float(*bits, from, &lowered)
                    .unwrap_or_else(|| v.e.clone().cast(lowered)),
                _ => v.e.cast(lowered),
            }),
            (Ty::Int(_), Ty::Int(_)) => Ok(through_wider(v.e).cast(lowered)),
            (a, b) if a.is_scalar() && b.is_scalar() => Ok(v.e.cast(lowered)),
            _ => type_error(span, format!("{} does not convert to {}", v.ty.describe(), to.describe())),
        }
    }
}

/// The usual arithmetic conversions.
pub(crate) fn common_arithmetic(a: &Ty, b: &Ty) -> Ty {
    match (a, b) {
        (Ty::Float(x), Ty::Float(y)) => Ty::Float(*x.max(y)),
        (Ty::Float(x), _) | (_, Ty::Float(x)) => Ty::Float(*x),
        (Ty::Int(x), Ty::Int(y)) => Ty::Int(x.common(*y)),
        _ => Ty::INT,
    }
}

/// The integer promotions.
pub(crate) fn promote(v: Val) -> Val {
    match v.ty {
        Ty::Int(i) => {
            let to = i.promoted();
            Val { e: v.e.cast(Type::Int(to.lower())), ty: Ty::Int(to) }
        }
        _ => v,
    }
}

/// An integer without a conversion that kept its value.
fn through_wider(e: Expr) -> Expr {
    match e {
        Expr::Cast(inner, Type::Int(wide)) if inner.ty().as_int().is_some_and(|i| wide.includes(i)) => *inner,
        e => e,
    }
}

impl Types {
    /// The lanes of a vector as the array that `v[i]` indexes; other places as they are.
    pub(crate) fn lanes(&self, place: Place) -> Place {
        match (self.vector_type_of(&place.ty.ty), &place.ty.ty) {
            (Some(VectorType::Vector(_)), Ty::Record(record)) => {
                let record = *record;
                self.step_member(place, record, 0)
            }
            _ => place,
        }
    }
}
