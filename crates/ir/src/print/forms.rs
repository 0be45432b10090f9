//! The printed forms of constants and casts.

use crate::convert::{self, Suffix};
use crate::expr::{Access, Expr, Lvalue};
use crate::program::Program;
use crate::types::{IntType, Type};
use std::sync::Arc;

pub(super) fn suffixes() -> impl Iterator<Item = Suffix> {
    [(false, 0), (true, 0), (false, 1), (true, 1), (false, 2), (true, 2)]
        .into_iter()
        .map(|(unsigned, longs)| Suffix { unsigned, longs })
}

pub(super) fn suffix_text(s: Suffix) -> &'static str {
    match (s.unsigned, s.longs) {
        (false, 0) => "",
        (true, 0) => "u",
        (false, 1) => "l",
        (true, 1) => "ul",
        (false, _) => "ll",
        (true, _) => "ull",
    }
}

pub(super) fn literal_is(program: &Program, v: i128, ty: &Type) -> bool {
    matches!(ty, Type::Int(i) if suffixes()
        .any(|s| !s.unsigned && convert::literal_type(v.unsigned_abs(), s, program.model) == *i))
}

/// The type of the constant written without suffix, if converting that literal gives the constant.
pub(super) fn bare_literal(program: &Program, e: &Expr) -> Option<Type> {
    let Expr::Const(v, ty) = e else { return None };
    let literal = Type::Int(convert::literal_type(v.unsigned_abs(), Suffix::default(), program.model));
    match ty {
        Type::Math => Some(literal),
        Type::Int(i) => (i.wrap(*v) == *v).then_some(literal),
        _ => None,
    }
}

/// The operand of a cast that [`Expr::cast`] would make again.
pub(super) fn strip_cast(e: &Expr) -> Option<&Expr> {
    let Expr::Cast(inner, to) = e else { return None };
    let folds = matches!((&**inner, to), (Expr::Const(_, Type::Int(_)), Type::Int(_) | Type::Math));
    let bool_truncates = matches!(to, Type::Int(i) if i.bits == 1);
    (!folds && !bool_truncates && inner.ty() != *to && !to.is_ptr()).then_some(inner)
}

/// The array whose first element's address this is the address of.
pub(super) fn without_decay(lv: &Lvalue) -> Option<Lvalue> {
    let (Access::Index(Expr::Const(0, Type::Int(i))), path) = lv.path.split_last()? else { return None };
    (*i == IntType::INT).then(|| Lvalue {
        base: lv.base.clone(),
        path: path.to_vec(),
        ty: Type::Array(Arc::new(lv.ty.clone()), None),
    })
}

/// Whether the pointer prints as an array's name, so that an index behind it would be taken as the array's.
pub(super) fn is_decayed(pointer: &Expr) -> bool {
    matches!(pointer, Expr::AddrOf(lv) if without_decay(lv).is_some())
}
