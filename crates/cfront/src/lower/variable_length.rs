//! Sizes of variable length arrays. A location of such a type is the place of its innermost element, and
//! pointers to it count innermost elements in C--, so an index is multiplied by the lengths of the dimensions
//! it skips.

use crate::error::{Res, unsupported};
use crate::lower::context::Emitter;
use crate::lower::expr::Val;
use crate::types::constants;
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Ty};
use base::Span;
use ir::{Access, BinOp, Expr, Lvalue, Type};

impl Emitter<'_> {
    /// The size of a type in bytes, as a `size_t`.
    pub(crate) fn size_expr(&self, types: &Types, ty: &Ty, span: Span) -> Res<Expr> {
        let size_ty = Type::Int(self.settings.size_ty().lower());
        let Some((units, inner)) = self.units(ty, span)? else {
            return Ok(Expr::Const(i128::from(types.size_of(ty, span)?), size_ty));
        };
        let each = Expr::Const(i128::from(types.size_of(&inner.ty, span)?), size_ty.clone());
        let units = units.cast(size_ty.clone());
        Ok(self.times(units, each, size_ty))
    }

    /// How many innermost elements a variable length array has, and what they are; nothing for other types.
    pub(crate) fn units(&self, ty: &Ty, span: Span) -> Res<Option<(Expr, QTy)>> {
        let Ty::Vla(elem, length) = ty else { return Ok(None) };
        let ptrdiff = Type::Int(IntTy::ptrdiff(self.settings.model).lower());
        let length = match length {
            Some(length) => length.clone(),
            None if self.dry > 0 => Expr::Const(1, ptrdiff.clone()),
            None => return unsupported(span, "the length of this array is not known here"),
        };
        Ok(Some(match self.units(&elem.ty, span)? {
            Some((units, inner)) => (self.times(length, units, ptrdiff), inner),
            None => (length, (**elem).clone()),
        }))
    }

    fn times(&self, a: Expr, b: Expr, ty: Type) -> Expr {
        match (a, b) {
            (Expr::Const(1, _), e) | (e, Expr::Const(1, _)) => e,
            (a, b) => constants::binary(BinOp::Mul, a, b, ty, self.rules()),
        }
    }

    /// `pointer + index` for a pointer to a variable length array; nothing for other pointers.
    pub(crate) fn variable_add(
        &self,
        types: &Types,
        pointer: &Val,
        index: &Val,
        back: bool,
        span: Span,
    ) -> Res<Option<Val>> {
        let pointee = pointer.ty.pointee().expect("the caller found a pointer").clone();
        let Some((units, inner)) = self.units(&pointee.ty, span)? else { return Ok(None) };
        let ptrdiff = Ty::Int(IntTy::ptrdiff(self.settings.model));
        let wide = ptrdiff.lower();
        let scaled =
            constants::binary(BinOp::Mul, index.e.clone().cast(wide.clone()), units, wide, self.rules());
        let start = Val { e: pointer.e.clone(), ty: Ty::ptr_to(inner) };
        let moved = self.pointer_add(types, start, Val { e: scaled, ty: ptrdiff }, back, span)?;
        Ok(Some(Val { e: moved.e, ty: pointer.ty.clone() }))
    }
}

/// A pointer to an array as one to the array's innermost element that has the type `to`.
pub(crate) fn into_elements(mut e: Expr, to: &Type) -> Expr {
    while e.ty() != *to
        && let Some(Type::Array(elem, _)) = e.ty().pointee()
    {
        let elem = (**elem).clone();
        e = Lvalue::deref(e).step(Access::Index(Expr::int(0)), elem).addr();
    }
    e
}
