//! Offsets and sizes of locations.

use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::Program;
use ir::types::{IntType, Type};

/// The location that the first `n` steps of the path lead to.
pub(crate) fn prefix(program: &Program, lv: &Lvalue, n: usize) -> Lvalue {
    let mut ty = match &lv.base {
        Base::Var(v) => program.vars[*v].ty.clone(),
        Base::Deref(p) => p.ty().pointee().cloned().unwrap_or(Type::Void),
    };
    for step in &lv.path[..n] {
        ty = program.part_type(&ty, step).expect("an index is applied to an array");
    }
    Lvalue { base: lv.base.clone(), path: lv.path[..n].to_vec(), ty }
}

/// How many bytes behind its base the location starts, when all indices are constants.
pub(crate) fn offset(program: &Program, lv: &Lvalue) -> Option<i128> {
    let mut at = 0;
    for (n, step) in lv.path.iter().enumerate() {
        at += match step {
            Access::Field(r, f) => i128::from(program.field(*r, *f).offset),
            Access::Index(Expr::Const(i, _)) => {
                i * i128::from(program.size_of(&prefix(program, lv, n + 1).ty)?)
            }
            Access::Index(_) => return None,
        };
    }
    Some(at)
}

/// How many bytes behind the base an access may touch, as long as the indices are inside of their arrays; `None` when
/// the type does not say.
pub(crate) fn reach(program: &Program, lv: &Lvalue) -> Option<u64> {
    let mut at = 0u64;
    for (n, step) in lv.path.iter().enumerate() {
        at = match step {
            Access::Field(r, f) => at.checked_add(program.field(*r, *f).offset)?,
            Access::Index(Expr::Const(i, _)) => {
                let size = program.size_of(&prefix(program, lv, n + 1).ty)?;
                at.checked_add(size.checked_mul(u64::try_from(*i).ok()?)?)?
            }
            Access::Index(_) => {
                // Somewhere in the array: at most at its end.
                let array = prefix(program, lv, n);
                if let Type::Array(_, Some(0 | 1) | None) = array.ty {
                    return None;
                }
                return at.checked_add(program.size_of(&array.ty)?);
            }
        };
    }
    at.checked_add(touched(program, lv))
}

/// The bytes behind the base that an access certainly writes: the first one, and the one behind the last. `None` for an
/// element whose index is not constant, and for bit-fields.
pub(crate) fn bytes(program: &Program, lv: &Lvalue) -> Option<(i128, i128)> {
    if bit_field(program, lv).is_some() {
        return None;
    }
    let start = offset(program, lv)?;
    Some((start, start + i128::from(program.size_of(&lv.ty)?)))
}

/// How many bytes an access touches.
fn touched(program: &Program, lv: &Lvalue) -> u64 {
    match bit_field(program, lv) {
        Some((bit, bits)) => u64::from((bit + bits).div_ceil(8)),
        None => program.size_of(&lv.ty).unwrap_or(1),
    }
}

/// The first bit and the number of bits of a bit-field.
pub(crate) fn bit_field(program: &Program, lv: &Lvalue) -> Option<(u16, u16)> {
    let Some(Access::Field(r, f)) = lv.path.last() else { return None };
    let field = program.field(*r, *f);
    Some((field.bit_offset?, field.ty.as_int()?.bits))
}

/// A pointer to the first byte that an access touches, and how many they are.
pub(crate) fn first_byte(program: &Program, lv: &Lvalue) -> (Expr, u64) {
    let len = touched(program, lv);
    if let (Some(_), Some(Access::Field(r, f))) = (bit_field(program, lv), lv.path.last()) {
        let field = program.field(*r, *f);
        let record = prefix(program, lv, lv.path.len() - 1);
        let byte = Type::Int(IntType { bits: 8, signed: false }).ptr_to();
        let start = pointer_to(record).cast(byte);
        let at = Expr::Const(i128::from(field.offset), ir::convert::difference_type(program.model));
        return (Expr::binary(BinOp::PtrAdd, start, at), len);
    }
    (pointer_to(lv.clone()), len)
}

/// The address of the location's first byte; not for bit-fields.
pub(crate) fn pointer_to(lv: Lvalue) -> Expr {
    match lv.base {
        Base::Deref(p) if lv.path.is_empty() => *p,
        _ => lv.addr(),
    }
}
