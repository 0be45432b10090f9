//! Conversions.

use super::arith::fold_truth;
use super::{Ast, Ev, Val};
use crate::consts;
use crate::cx::Cx;
use crate::options::Res;
use crate::ty::{IntTy, Rank, Ty};
use crate::vla::into_elements;
use base::Span;
use ir::{Expr, Type};
use lang_c::ast;

impl Cx<'_> {
    /// The usual arithmetic conversions.
    pub(crate) fn common_arithmetic(&self, a: &Ty, b: &Ty) -> Ty {
        match (a, b) {
            (Ty::Float(x), Ty::Float(y)) => Ty::Float(*x.max(y)),
            (Ty::Float(x), _) | (_, Ty::Float(x)) => Ty::Float(*x),
            (Ty::Int(x), Ty::Int(y)) => Ty::Int(x.common(*y)),
            _ => Ty::INT,
        }
    }

    /// The integer promotions.
    pub(crate) fn promote(&self, v: Val) -> Val {
        match v.ty {
            Ty::Int(i) => {
                let to = i.promoted();
                Val { e: v.e.cast(Type::Int(to.lower())), ty: Ty::Int(to) }
            }
            _ => v,
        }
    }

    /// A conversion as if by assignment or cast, to a scalar type.
    pub(crate) fn convert(&mut self, v: Val, to: &Ty, span: Span) -> Res<Expr> {
        let lowered = to.lower();
        let stays = matches!(to, Ty::Int(i) if matches!(i.rank, Rank::Thread | Rank::Bool));
        let v = if stays { v } else { self.number_of_thread(v, span) };
        match (&v.ty, to) {
            (Ty::Refused(what), _) | (_, Ty::Refused(what)) => {
                self.unsupported(span, format!("{what} are not supported"))
            }
            (Ty::Int(a), Ty::Int(b)) if b.rank == Rank::Bool && a.rank != Rank::Bool => {
                Ok(fold_truth(v.e).cast(lowered))
            }
            (Ty::Float(_) | Ty::Ptr(_), Ty::Int(b)) if b.rank == Rank::Bool => {
                Ok(fold_truth(v.e).cast(lowered))
            }
            (Ty::Ptr(_), Ty::Float(_)) | (Ty::Float(_), Ty::Ptr(_)) => {
                self.type_error(span, "a pointer and a floating-point number do not convert to each other")
            }
            (Ty::Ptr(_), Ty::Int(i)) => Ok(match v.e {
                // A constant address, as `offsetof` written by hand has it.
                Expr::Const(at, _) => Expr::Const(i.lower().wrap(at), lowered),
                e => e.cast(lowered),
            }),
            (Ty::Int(_), Ty::Ptr(_)) => Ok(match v.e {
                Expr::Const(at, _) if at >= 0 => Expr::Const(at, lowered),
                e => e.cast(Type::Int(IntTy::size(self.model).lower())).cast(lowered),
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
                Expr::Float(bits, from) => {
                    consts::convert_float(*bits, from, &lowered).unwrap_or_else(|| v.e.clone().cast(lowered))
                }
                _ => v.e.cast(lowered),
            }),
            (Ty::Int(_), Ty::Int(_)) => Ok(through_wider(v.e).cast(lowered)),
            (a, b) if a.is_scalar() && b.is_scalar() => Ok(v.e.cast(lowered)),
            _ => self.type_error(span, format!("{} does not convert to {}", v.ty.describe(), to.describe())),
        }
    }

    /// The value of an expression, converted to a scalar type. An allocation gets that type at once.
    pub(crate) fn value_to(&mut self, e: &Ast, to: &Ty) -> Res<Expr> {
        let changed = self.is_changed_by(e, to);
        self.in_order_to(e, changed, |cx| cx.value_to_unsettled(e, to))
    }

    fn value_to_unsettled(&mut self, e: &Ast, to: &Ty) -> Res<Expr> {
        let span = self.span(e);
        if to.pointee().is_some()
            && let Some(call) = self.allocation(e)
        {
            let place = self.temp(to.lower(), span);
            self.allocate(call, &place, span)?;
            return Ok(place.load());
        }
        let v = self.value(e)?;
        self.convert(v, to, span)
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
                Ev::Place(p) if let Some(cast) = self.vector_cast(&p, &ty.ty, span)? => Ok(Ev::Place(cast)),
                _ => self.unsupported(span, "a cast to a struct or union is not supported"),
            },
            Ty::Array(..) | Ty::Vla(..) | Ty::Func(_) => self.type_error(span, "a cast needs a scalar type"),
            _ => {
                let e = self.value_to(&c.expression, &ty.ty)?;
                Ok(Ev::Val(Val { e, ty: ty.ty }))
            }
        }
    }
}

/// An integer without a conversion that kept its value.
fn through_wider(e: Expr) -> Expr {
    match e {
        Expr::Cast(inner, Type::Int(wide)) if inner.ty().as_int().is_some_and(|i| wide.includes(i)) => *inner,
        e => e,
    }
}
