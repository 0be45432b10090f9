//! C's types in the type checker. They keep what C-- drops: qualifiers, the ranks that decide conversions,
//! prototypes. [`Ty::lower`] gives the C-- type.

use ir::{DataModel, FloatType, FuncType, IntType, RecordId, Type};
use std::rc::Rc;
use std::sync::Arc;

/// Conversion ranks of integer types, lowest first. `Bits` is a bit-field wider than `int`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rank {
    Bool,
    /// Plain `char`.
    Char,
    /// `signed char` and `unsigned char`.
    ExplicitChar,
    Short,
    Int,
    Bits,
    Long,
    /// A `long` that names a thread: which number that is, no program knows.
    Thread,
    LongLong,
    Int128,
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IntTy {
    pub(crate) rank: Rank,
    pub(crate) bits: u16,
    pub(crate) signed: bool,
}

impl IntTy {
    pub(crate) const BOOL: IntTy = IntTy { rank: Rank::Bool, bits: 1, signed: false };
    pub(crate) const CHAR: IntTy = IntTy { rank: Rank::Char, bits: 8, signed: true };
    pub(crate) const UCHAR: IntTy = IntTy { rank: Rank::ExplicitChar, bits: 8, signed: false };
    pub(crate) const INT: IntTy = IntTy { rank: Rank::Int, bits: 32, signed: true };
    pub(crate) const UINT: IntTy = IntTy { rank: Rank::Int, bits: 32, signed: false };
    pub(crate) const LLONG: IntTy = IntTy { rank: Rank::LongLong, bits: 64, signed: true };

    pub(crate) fn with_sign(self, signed: bool) -> IntTy {
        IntTy { signed, ..self }
    }

    pub(crate) fn long(model: DataModel) -> IntTy {
        IntTy { rank: Rank::Long, bits: model.pointer_bits(), signed: true }
    }

    /// `size_t`.
    pub(crate) fn size(model: DataModel) -> IntTy {
        match model {
            DataModel::Lp64 => IntTy::long(model).with_sign(false),
            DataModel::Ilp32 => IntTy::UINT,
        }
    }

    /// `ptrdiff_t`.
    pub(crate) fn ptrdiff(model: DataModel) -> IntTy {
        IntTy::size(model).with_sign(true)
    }

    /// The type of numbers that is the same to C.
    pub(crate) fn as_number(self) -> IntTy {
        if self.rank == Rank::Thread { IntTy { rank: Rank::Long, ..self } } else { self }
    }

    pub(crate) fn lower(self) -> IntType {
        IntType { bits: self.bits, signed: self.signed }
    }

    /// The integer promotions; bit-fields come with the bits of their width.
    pub(crate) fn promoted(self) -> IntTy {
        if self.bits < 32 || self.rank < Rank::Int && self.bits == 32 && self.signed {
            IntTy::INT
        } else if self.rank < Rank::Int {
            IntTy::UINT
        } else {
            self
        }
    }

    /// The usual arithmetic conversions of two promoted types.
    pub(crate) fn common(self, other: IntTy) -> IntTy {
        let (a, b) = (self.promoted(), other.promoted());
        if a.bits != b.bits {
            return if a.bits > b.bits { a } else { b };
        }
        let rank = a.rank.max(b.rank);
        IntTy { rank, bits: a.bits, signed: a.signed && b.signed }
    }
}

/// A function type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FuncTy {
    pub(crate) ret: QTy,
    /// After adjustment.
    pub(crate) params: Vec<QTy>,
    pub(crate) variadic: bool,
    /// Declared with parameters; `f()` has none.
    pub(crate) proto: bool,
}

/// A type with its qualifiers.
#[derive(Clone, Debug)]
pub(crate) struct QTy {
    pub(crate) ty: Ty,
    pub(crate) volatile: bool,
    pub(crate) konst: bool,
    /// Each access is one step for other threads; the type is the same all the same.
    pub(crate) atomic: bool,
    /// The alignment that a typedef's attribute gives; the type is the same all the same.
    pub(crate) align: Option<u64>,
    /// The enumeration among [`Words::enumerations`](crate::Words::enumerations) that it was declared as: for reports
    /// alone.
    pub(crate) enumeration: Option<usize>,
}

impl PartialEq for QTy {
    fn eq(&self, other: &QTy) -> bool {
        self.ty == other.ty && self.volatile == other.volatile && self.konst == other.konst
    }
}

impl From<Ty> for QTy {
    fn from(ty: Ty) -> QTy {
        QTy { ty, volatile: false, konst: false, atomic: false, align: None, enumeration: None }
    }
}

/// A type without qualifiers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    Void,
    Int(IntTy),
    /// The width in bits: 16, 32, 64, 80, 128.
    Float(u16),
    Ptr(Rc<QTy>),
    /// Element and length; `None` while incomplete.
    Array(Rc<QTy>, Option<u64>),
    /// An array whose length is an expression: element and length (as a `ptrdiff_t`; `None` where it is not
    /// evaluated). A location of this type starts at its innermost element and has that element's C-- type.
    Vla(Rc<QTy>, Option<ir::Expr>),
    Func(Rc<FuncTy>),
    Record(RecordId),
    /// Something that may be declared but not used, with its description.
    Refused(&'static str),
}

impl Ty {
    pub(crate) const INT: Ty = Ty::Int(IntTy::INT);
    pub(crate) const DOUBLE: Ty = Ty::Float(64);

    pub(crate) fn ptr_to(to: impl Into<QTy>) -> Ty {
        Ty::Ptr(Rc::new(to.into()))
    }

    pub(crate) fn void_ptr() -> Ty {
        Ty::ptr_to(Ty::Void)
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float(_) | Ty::Ptr(_))
    }

    pub(crate) fn is_bool(&self) -> bool {
        matches!(self, Ty::Int(IntTy { rank: Rank::Bool, .. }))
    }

    pub(crate) fn is_arithmetic(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float(_))
    }

    pub(crate) fn as_int(&self) -> Option<IntTy> {
        if let Ty::Int(i) = self { Some(*i) } else { None }
    }

    pub(crate) fn pointee(&self) -> Option<&QTy> {
        if let Ty::Ptr(t) = self { Some(t) } else { None }
    }

    /// The function type behind a function or a pointer to one.
    pub(crate) fn function(&self) -> Option<&Rc<FuncTy>> {
        match self {
            Ty::Func(f) => Some(f),
            Ty::Ptr(t) => match &t.ty {
                Ty::Func(f) => Some(f),
                _ => None,
            },
            _ => None,
        }
    }

    /// The C-- type.
    pub(crate) fn lower(&self) -> Type {
        match self {
            Ty::Void | Ty::Refused(_) => Type::Void,
            Ty::Int(i) => Type::Int(i.lower()),
            Ty::Float(bits) => Type::Float(FloatType { bits: *bits }),
            Ty::Ptr(t) => t.ty.lower().ptr_to(),
            Ty::Array(t, n) => Type::Array(Arc::new(t.ty.lower()), *n),
            Ty::Vla(t, _) => t.ty.lower(),
            Ty::Func(f) => Type::Func(Arc::new(f.lower())),
            Ty::Record(r) => Type::Record(*r),
        }
    }

    /// Whether a length inside the type is an expression.
    pub(crate) fn is_variable(&self) -> bool {
        match self {
            Ty::Vla(..) => true,
            Ty::Ptr(t) | Ty::Array(t, _) => t.ty.is_variable(),
            _ => false,
        }
    }

    /// Whether two types are compatible, qualifiers of what pointers point to aside.
    pub(crate) fn compatible(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Ptr(a), Ty::Ptr(b)) => a.ty.compatible(&b.ty),
            (Ty::Array(a, n), Ty::Array(b, m)) => {
                a.ty.compatible(&b.ty) && (n == m || n.is_none() || m.is_none())
            }
            (Ty::Vla(a, _), Ty::Vla(b, _) | Ty::Array(b, _)) | (Ty::Array(a, _), Ty::Vla(b, _)) => {
                a.ty.compatible(&b.ty)
            }
            (Ty::Func(a), Ty::Func(b)) => a.compatible(b),
            (Ty::Int(a), Ty::Int(b)) => a.as_number() == b.as_number(),
            (a, b) => a == b,
        }
    }

    /// How C writes it, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Ty::Void => "void".into(),
            Ty::Int(i) => describe_int(*i),
            Ty::Float(32) => "float".into(),
            Ty::Float(64) => "double".into(),
            Ty::Float(_) => "long double".into(),
            Ty::Ptr(t) => match &t.ty {
                Ty::Func(_) => "a function pointer".into(),
                t => format!("{} *", t.describe()),
            },
            Ty::Array(..) | Ty::Vla(..) => "an array".into(),
            Ty::Func(_) => "a function".into(),
            Ty::Record(_) => "a struct or union".into(),
            Ty::Refused(what) => (*what).into(),
        }
    }
}

fn describe_int(i: IntTy) -> String {
    let name = match i.rank {
        Rank::Bool => return "_Bool".into(),
        Rank::Char => return "char".into(),
        Rank::ExplicitChar => "char",
        Rank::Short => "short",
        Rank::Int => "int",
        Rank::Bits => return format!("a bit-field of {} bits", i.bits),
        Rank::Long | Rank::Thread => "long",
        Rank::LongLong => "long long",
        Rank::Int128 => "__int128",
    };
    match (i.signed, i.rank) {
        (false, _) => format!("unsigned {name}"),
        (true, Rank::ExplicitChar) => "signed char".into(),
        (true, _) => name.into(),
    }
}

impl FuncTy {
    /// The function type that a call without declaration implies: `int f()`.
    pub(crate) fn implicit() -> FuncTy {
        FuncTy { ret: Ty::INT.into(), params: vec![], variadic: false, proto: false }
    }

    /// Whether the result is a struct or union: the caller passes the address for it as first argument.
    pub(crate) fn returns_record(&self) -> bool {
        matches!(self.ret.ty, Ty::Record(_))
    }

    /// The C-- type. Structs and unions travel by address: a parameter is a pointer to an object that the
    /// callee copies at its entry and never writes; a result is written through an additional first parameter.
    pub(crate) fn lower(&self) -> FuncType {
        let by_address = |t: &Ty| match t {
            Ty::Record(_) => t.lower().ptr_to(),
            t => t.lower(),
        };
        let mut params: Vec<Type> = vec![];
        let ret = if self.returns_record() {
            params.push(by_address(&self.ret.ty));
            Type::Void
        } else {
            self.ret.ty.lower()
        };
        params.extend(self.params.iter().map(|p| by_address(&p.ty)));
        FuncType { ret, params, variadic: self.variadic || !self.proto }
    }

    fn compatible(&self, other: &FuncTy) -> bool {
        self.ret.ty.compatible(&other.ret.ty)
            && (!self.proto
                || !other.proto
                || (self.variadic == other.variadic
                    && self.params.len() == other.params.len()
                    && self.params.iter().zip(&other.params).all(|(a, b)| a.ty.compatible(&b.ty))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotions_and_common_types() {
        let long = IntTy::long(DataModel::Lp64);
        let field = |bits, signed| IntTy { rank: Rank::ExplicitChar, bits, signed };
        assert_eq!(IntTy::CHAR.promoted(), IntTy::INT);
        assert_eq!(IntTy::BOOL.promoted(), IntTy::INT);
        assert_eq!(field(31, false).promoted(), IntTy::INT);
        assert_eq!(field(32, false).promoted(), IntTy::UINT);
        assert_eq!(IntTy::UINT.common(long), long);
        assert_eq!(long.common(IntTy::LLONG.with_sign(false)), IntTy::LLONG.with_sign(false));
        assert_eq!(long.with_sign(false).common(IntTy::LLONG), IntTy::LLONG.with_sign(false));
        assert_eq!(IntTy::INT.common(IntTy::UINT), IntTy::UINT);
    }
}
