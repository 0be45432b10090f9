//! C's implicit conversions: integer promotion, the usual arithmetic conversions, the types of literals.
//!
//! The printer leaves out exactly the casts that these rules restore, and the parser of the printed form
//! restores them; both use this module, so that text keeps the types of the tree (C11 6.3.1, 6.4.4.1).

use crate::types::{DataModel, IntType, Type};

/// The type after integer promotion; other types are returned as they are. A bit-field wider than `int` keeps
/// its own type, as in gcc.
pub fn promoted(ty: &Type) -> Type {
    match ty {
        Type::Int(i) if i.bits < IntType::INT.bits => Type::INT,
        other => other.clone(),
    }
}

/// The common type of two arithmetic operands; `None` when one of them is not arithmetic, or when a
/// mathematical integer meets a floating-point number. A mathematical integer wins over C's integers.
pub fn common(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (Type::Math, Type::Math | Type::Int(_)) | (Type::Int(_), Type::Math) => Some(Type::Math),
        (Type::Float(l), Type::Float(r)) => Some(Type::Float(*l.max(r))),
        (Type::Float(f), Type::Int(_)) | (Type::Int(_), Type::Float(f)) => Some(Type::Float(*f)),
        (Type::Int(_), Type::Int(_)) => {
            let (l, r) = (promoted(left).as_int()?, promoted(right).as_int()?);
            Some(Type::Int(common_int(l, r)))
        }
        _ => None,
    }
}

fn common_int(l: IntType, r: IntType) -> IntType {
    if l.signed == r.signed {
        return if l.bits >= r.bits { l } else { r };
    }
    let (unsigned, signed) = if l.signed { (r, l) } else { (l, r) };
    if unsigned.bits >= signed.bits { unsigned } else { signed }
}

/// The type to which the operands of a comparison are converted. Operands of one type stay as they are, also
/// when they are narrower than `int`: promotion would not change the outcome.
pub fn compared(left: &Type, right: &Type) -> Option<Type> {
    if left == right { Some(left.clone()) } else { common(left, right) }
}

/// The suffix of an integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Suffix {
    /// `u`.
    pub unsigned: bool,
    /// How many `l`: 0, 1 or 2.
    pub longs: u8,
}

/// The type of a decimal literal: the first of C's list that holds the value, then gcc's `__int128`.
pub fn literal_type(magnitude: u128, suffix: Suffix, model: DataModel) -> IntType {
    let least = match (suffix.longs, model) {
        (0, _) | (1, DataModel::Ilp32) => 32,
        _ => 64,
    };
    let fits = |bits: u16| {
        let value_bits = if suffix.unsigned { bits } else { bits - 1 };
        value_bits >= 128 || magnitude >> value_bits == 0
    };
    let bits = [32, 64].into_iter().find(|bits| *bits >= least && fits(*bits)).unwrap_or(128);
    IntType { bits, signed: !suffix.unsigned && (bits < 128 || fits(128)) }
}

/// The signed type of the difference of two pointers.
pub fn difference_type(model: DataModel) -> Type {
    Type::Int(IntType { bits: model.pointer_bits(), signed: true })
}
