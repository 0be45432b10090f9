//! Vectors and complex numbers. Each such type is a record of its lanes, or of its two parts, with the
//! compiler's size and alignment: objects of it are declared, copied, passed, returned and initialised like
//! structs, and their bytes can be accessed through unions and pointers. Arithmetic on their values is refused
//! where it stands.

use crate::error::{Res, type_error, unsupported};
use crate::types::layout::{Layout, Member};
use crate::types::table::Types;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::Field;
use std::rc::Rc;

/// Types whose values are several numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VectorType {
    /// A vector with this many lanes.
    Vector(u64),
    /// A complex number: its real and its imaginary part.
    Complex,
}

impl VectorType {
    /// Its name in messages.
    pub(crate) fn words(self) -> &'static str {
        match self {
            VectorType::Vector(_) => "vector types",
            VectorType::Complex => "complex numbers",
        }
    }
}

impl Types {
    /// The vector type of `bytes` bytes; an error unless that is a power of two and a multiple of the element's
    /// size.
    pub(crate) fn vector_type(&mut self, file: usize, elem: &Ty, bytes: u64, span: Span) -> Res<Ty> {
        // Arithmetic on numbers of 16 bits with a fraction is nowhere: their bytes count.
        let lane = match elem {
            Ty::Float(16) => Ty::Int(IntTy { rank: crate::types::ty::Rank::Short, bits: 16, signed: false }),
            elem => elem.clone(),
        };
        let size = self.size_of(&lane, span)?;
        if !lane.is_scalar() || !bytes.is_power_of_two() || bytes > 1 << 20 || !bytes.is_multiple_of(size) {
            return type_error(span, "there is no vector of this type and size");
        }
        Ok(self.new_vector_type(file, elem, &lane, VectorType::Vector(bytes / size)))
    }

    /// The complex type with these parts.
    pub(crate) fn complex_type(&mut self, file: usize, part: &Ty) -> Ty {
        self.new_vector_type(file, part, part, VectorType::Complex)
    }

    fn new_vector_type(&mut self, file: usize, elem: &Ty, lane: &Ty, kind: VectorType) -> Ty {
        if let Some((_, _, record)) = self.vectors.iter().find(|(e, k, _)| e == elem && *k == kind) {
            return Ty::Record(*record);
        }
        let size = lane.lower().size(&self.records, self.model).unwrap_or(0);
        let (name, names, ty, lanes) = match kind {
            VectorType::Vector(n) => {
                ("vector__", &["lanes"][..], Ty::Array(Rc::new(lane.clone().into()), Some(n)), n)
            }
            VectorType::Complex => ("complex__", &["real", "imaginary"][..], lane.clone(), 2),
        };
        let align = match kind {
            VectorType::Vector(n) => size * n,
            VectorType::Complex => self.align_of(lane),
        };
        let (mut fields, mut members) = (vec![], vec![]);
        for (n, name) in (0..).zip(names) {
            let (name, offset) = ((*name).to_owned(), n * size);
            fields.push(Field { name: name.clone(), ty: ty.lower(), offset, bit_offset: None });
            members.push(Member { name, ty: ty.clone().into(), bits: None });
        }
        let record = self.new_record(name, false);
        self.complete(file, record, Layout { fields, members, size: size * lanes, align });
        self.vectors.push((elem.clone(), kind, record));
        Ty::Record(record)
    }

    /// The kind of vector that the type is, if it is one.
    pub(crate) fn vector_type_of(&self, ty: &Ty) -> Option<VectorType> {
        let Ty::Record(record) = ty else { return None };
        self.vectors.iter().find(|(_, _, r)| r == record).map(|(_, kind, _)| *kind)
    }

    /// The refusal of a computation with a vector, or the other error where there is none.
    pub(crate) fn refuse_vector<T>(&self, types: &[&Ty], span: Span, otherwise: &str) -> Res<T> {
        match types.iter().find_map(|ty| self.vector_type_of(ty)) {
            Some(kind) => unsupported(span, format!("operations on {} are not supported", kind.words())),
            None => type_error(span, otherwise),
        }
    }
}
