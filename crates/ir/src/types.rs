//! Types of C--, with their sizes. Layouts of records are computed by the front end and stored in
//! [`RecordDef`]; every size and offset is in bytes unless its name says bits.

use base::IndexVec;
use std::sync::Arc;

base::define_id!(
    /// A struct or union type of a program.
    pub RecordId, "r"
);

/// Widths of C's types: which of the two common models the program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    Lp64,
}

impl DataModel {
    /// Width of a pointer in bits.
    pub fn pointer_bits(self) -> u16 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// The most bytes that an object can have. With 32 bits, distances of more have no number (C libraries allocate no more than
    /// `PTRDIFF_MAX` bytes); with 64 bits, no machine has addresses for more: programs have half of those of 57 bits.
    #[must_use]
    pub fn largest_object(self) -> u64 {
        match self {
            DataModel::Ilp32 => (1 << 31) - 1,
            DataModel::Lp64 => 1 << 56,
        }
    }

    /// The name that options and reports use.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// An integer type: all of C's, and bit-fields. `_Bool` is the unsigned type of 1 bit (stored in one byte);
/// a conversion to it must be written as a comparison with zero, since [`Cast`](crate::Expr::Cast) truncates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IntType {
    /// Width of the value in bits, 1 to 128.
    pub bits: u16,
    /// Two's complement when true.
    pub signed: bool,
}

impl IntType {
    /// C's `int`.
    pub const INT: IntType = IntType { bits: 32, signed: true };
    /// C's `unsigned int`.
    pub const UINT: IntType = IntType { bits: 32, signed: false };
    /// C's `_Bool`.
    pub const BOOL: IntType = IntType { bits: 1, signed: false };

    /// Smallest value.
    pub fn min(self) -> i128 {
        if !self.signed {
            0
        } else if self.bits >= 128 {
            i128::MIN
        } else {
            -(1i128 << (self.bits - 1))
        }
    }

    /// Largest value (saturates at `i128::MAX` for the unsigned type of 128 bits).
    pub fn max(self) -> i128 {
        let value_bits = if self.signed { self.bits - 1 } else { self.bits };
        if value_bits >= 127 { i128::MAX } else { (1i128 << value_bits) - 1 }
    }

    /// The value that `v` has after conversion to this type: modulo 2^bits, as gcc defines it for signed
    /// types also.
    pub fn wrap(self, v: i128) -> i128 {
        if self.bits >= 128 {
            return v;
        }
        let low = v & ((1i128 << self.bits) - 1);
        if self.signed && low > self.max() { low - (1i128 << self.bits) } else { low }
    }

    /// Whether every value of `other` is one of this type.
    pub fn includes(self, other: IntType) -> bool {
        self.min() <= other.min() && other.max() <= self.max()
    }
}

/// A floating-point type; the width in bits (32, 64, or 80 and 128, which the interpreter refuses).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FloatType {
    /// Width in bits.
    pub bits: u16,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncType {
    /// Result; `Void` for none.
    pub ret: Type,
    /// Parameters, after adjustment (no arrays, no functions).
    pub params: Vec<Type>,
    /// Takes further arguments.
    pub variadic: bool,
}

/// A type of C--. Qualifiers and typedefs are gone; enums are integers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// No value; also what `void *` points to.
    Void,
    /// An integer of C.
    Int(IntType),
    /// A mathematical integer: only in predicates, never the type of a variable.
    Math,
    /// A floating-point number.
    Float(FloatType),
    /// A pointer to the type.
    Ptr(Arc<Type>),
    /// An array; the length is `None` for incomplete and flexible arrays.
    Array(Arc<Type>, Option<u64>),
    /// A struct or union.
    Record(RecordId),
    /// A function; only behind a pointer.
    Func(Arc<FuncType>),
}

impl Type {
    /// C's `int`.
    pub const INT: Type = Type::Int(IntType::INT);

    /// A pointer to this type.
    pub fn ptr_to(self) -> Type {
        Type::Ptr(Arc::new(self))
    }

    /// Whether values of the type are integers, floats or pointers: what one assignment can copy.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Int(_) | Type::Math | Type::Float(_) | Type::Ptr(_))
    }

    /// The integer type, if it is one.
    pub fn as_int(&self) -> Option<IntType> {
        if let Type::Int(i) = self { Some(*i) } else { None }
    }

    /// The type that a pointer points to.
    pub fn pointee(&self) -> Option<&Type> {
        if let Type::Ptr(t) = self { Some(t) } else { None }
    }

    /// Whether it is a pointer.
    pub fn is_ptr(&self) -> bool {
        matches!(self, Type::Ptr(_))
    }
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name; empty for unnamed members.
    pub name: String,
    /// Type; for a bit-field the integer type of its width.
    pub ty: Type,
    /// Offset of the (storage of the) member in bytes.
    pub offset: u64,
    /// For a bit-field: its first bit, counted from bit 0 of the byte at `offset`, little endian.
    pub bit_offset: Option<u16>,
}

/// A struct or union type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordDef {
    /// The tag, made unique in the program; an invented one for unnamed records.
    pub name: String,
    /// A union: all members share their bytes.
    pub is_union: bool,
    /// Members in order; empty while incomplete.
    pub fields: Vec<Field>,
    /// Size in bytes, padding included.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// False when only declared.
    pub complete: bool,
    /// Only declared here, and yet the type of an object, which is defined elsewhere: `size` is the least that it can
    /// have.
    pub elsewhere: bool,
}

impl RecordDef {
    /// A record that is only declared.
    pub fn new(name: String, is_union: bool) -> RecordDef {
        RecordDef { name, is_union, fields: vec![], size: 0, align: 1, complete: false, elsewhere: false }
    }
}

impl Type {
    /// Size in bytes, as `sizeof` gives it; `None` for void, functions, incomplete types and `Math`.
    pub fn size(&self, records: &IndexVec<RecordId, RecordDef>, model: DataModel) -> Option<u64> {
        match self {
            Type::Void | Type::Func(_) | Type::Math | Type::Array(_, None) => None,
            Type::Int(i) => Some(u64::from(i.bits.div_ceil(8).next_power_of_two())),
            Type::Float(f) => Some(match (f.bits, model) {
                (80, DataModel::Ilp32) => 12,
                (80, DataModel::Lp64) => 16,
                (bits, _) => u64::from(bits / 8),
            }),
            Type::Ptr(_) => Some(u64::from(model.pointer_bits() / 8)),
            Type::Array(elem, Some(n)) => elem.size(records, model)?.checked_mul(*n),
            Type::Record(r) => records[*r].complete.then_some(records[*r].size),
        }
    }
}
