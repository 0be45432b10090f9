//! The forms of expressions that the analysis recognises: constants, offsets, casts, normal forms of lvalues.

use ir::expr::{Access, Base, Expr, Lvalue, UnOp};
use ir::types::Type;
use std::borrow::Cow;

/// Addresses below this and above its negative belong to no object.
const PAGE: i128 = 4096;

/// The lvalue with `*&x` replaced by `x`.
pub fn normal(lv: &Lvalue) -> Cow<'_, Lvalue> {
    let Base::Deref(pointer) = &lv.base else { return Cow::Borrowed(lv) };
    let Expr::AddrOf(inner) = &**pointer else { return Cow::Borrowed(lv) };
    let mut whole = normal(inner).into_owned();
    whole.path.extend(lv.path.iter().cloned());
    whole.ty = lv.ty.clone();
    Cow::Owned(whole)
}

/// The path with indices as the analysis sees them: those that are not constant are alike.
pub(super) fn skeleton(path: &[Access]) -> Vec<Access> {
    let unknown = Expr::Unary(UnOp::Not, Box::new(Expr::int(0)), Type::INT);
    path.iter()
        .map(|a| match a {
            Access::Index(i) => {
                Access::Index(i.constant().map_or_else(|| unknown.clone(), |v| Expr::Const(v, Type::INT)))
            }
            field @ Access::Field(..) => field.clone(),
        })
        .collect()
}

/// A constant number of elements; huge unsigned numbers are negative ones.
pub(super) fn count(i: &Expr) -> Option<i64> {
    let v = i.constant()?;
    i64::try_from(v).ok().or_else(|| u64::try_from(v).ok().map(|v| v as i64))
}

/// Whether a number of elements that a pointer is moved by is too narrow to hold an address: whatever it was made from, it does not
/// lead from one object to another (moving out of an object is undefined, C11 6.5.6p8).
pub(super) fn is_narrow(mut i: &Expr, pointer_bits: u16) -> bool {
    while let Type::Int(t) = i.ty() {
        if t.bits < pointer_bits {
            return true;
        }
        let Expr::Cast(inner, _) = i else { return false };
        i = inner;
    }
    false
}

/// The pointer without casts between pointer types.
pub(super) fn uncast(mut e: &Expr) -> &Expr {
    while let Expr::Cast(inner, Type::Ptr(_)) = e
        && inner.ty().is_ptr()
    {
        e = inner;
    }
    e
}

/// The pointer whose unchanged cast the integer is.
pub(super) fn own_cast(e: &Expr, pointer_bits: u16) -> Option<&Expr> {
    let Expr::Cast(inner, Type::Int(i)) = e else { return None };
    if i.bits < pointer_bits {
        return None;
    }
    if inner.ty().is_ptr() { Some(inner) } else { own_cast(inner, pointer_bits) }
}

/// Whether an object can be at the constant address.
pub(super) fn is_address(v: i128, pointer_bits: u16) -> bool {
    let top = 1i128 << pointer_bits;
    !(-PAGE..PAGE).contains(&v) && !(top - PAGE..top).contains(&v)
}

/// Whether the type is that of pointers to functions. A number that becomes one may be the address of code that the program
/// does not have.
pub(super) fn is_function(ty: &Type) -> bool {
    matches!(ty.pointee(), Some(Type::Func(_)))
}
