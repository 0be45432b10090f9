//! Vectors and complex numbers. Each such type is a record of its lanes, or of its two parts, with the
//! compiler's size and alignment: objects of it are declared, copied, passed, returned and initialised like
//! structs, and their bytes can be accessed through unions and pointers. Arithmetic on their values is refused
//! where it stands.

use crate::cx::Cx;
use crate::expr::Place;
use crate::layout::{Layout, Member};
use crate::options::Res;
use crate::ty::{IntTy, Ty};
use base::Span;
use ir::{Expr, Field, RecordId};
use std::rc::Rc;

/// Two kinds of numbers that are bundles of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bundle {
    /// A vector with this many lanes.
    Vector(u64),
    Complex,
}

impl Bundle {
    /// Its name in messages.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Bundle::Vector(_) => "vector types",
            Bundle::Complex => "complex numbers",
        }
    }
}

impl Cx<'_> {
    /// The vector type of `bytes` bytes; an error unless that is a power of two and a multiple of the element's
    /// size.
    pub(crate) fn vector_type(&mut self, elem: &Ty, bytes: u64, span: Span) -> Res<Ty> {
        // Arithmetic on numbers of 16 bits with a fraction is nowhere: their bytes count.
        let lane = match elem {
            Ty::Float(16) => Ty::Int(IntTy { rank: crate::ty::Rank::Short, bits: 16, signed: false }),
            elem => elem.clone(),
        };
        let size = self.size_of(&lane, span)?;
        if !lane.is_scalar() || !bytes.is_power_of_two() || bytes > 1 << 20 || !bytes.is_multiple_of(size) {
            return self.type_error(span, "there is no vector of this type and size");
        }
        Ok(self.bundle_type(elem, &lane, Bundle::Vector(bytes / size)))
    }

    /// The complex type with these parts.
    pub(crate) fn complex_type(&mut self, part: &Ty) -> Ty {
        self.bundle_type(part, part, Bundle::Complex)
    }

    fn bundle_type(&mut self, elem: &Ty, lane: &Ty, kind: Bundle) -> Ty {
        if let Some((_, _, record)) = self.bundles.iter().find(|(e, k, _)| e == elem && *k == kind) {
            return Ty::Record(*record);
        }
        let size = lane.lower().size(&self.records, self.model).unwrap_or(0);
        let (name, names, ty, lanes) = match kind {
            Bundle::Vector(n) => {
                ("vector__", &["lanes"][..], Ty::Array(Rc::new(lane.clone().into()), Some(n)), n)
            }
            Bundle::Complex => ("complex__", &["real", "imaginary"][..], lane.clone(), 2),
        };
        let align = match kind {
            Bundle::Vector(n) => size * n,
            Bundle::Complex => self.align_of(lane),
        };
        let (mut fields, mut members) = (vec![], vec![]);
        for (n, name) in (0..).zip(names) {
            let (name, offset) = ((*name).to_owned(), n * size);
            fields.push(Field { name: name.clone(), ty: ty.lower(), offset, bit_offset: None });
            members.push(Member { name, ty: ty.clone().into(), bits: None });
        }
        let record = self.new_record(name, false);
        self.complete(record, Layout { fields, members, size: size * lanes, align });
        self.bundles.push((elem.clone(), kind, record));
        Ty::Record(record)
    }

    /// The kind of bundle that the type is, if it is one.
    pub(crate) fn bundle(&self, ty: &Ty) -> Option<Bundle> {
        let Ty::Record(record) = ty else { return None };
        self.bundles.iter().find(|(_, _, r)| r == record).map(|(_, kind, _)| *kind)
    }

    /// The refusal of a computation with a bundle, or the other error where there is none.
    pub(crate) fn refuse_bundle<T>(&self, types: &[&Ty], span: Span, otherwise: &str) -> Res<T> {
        match types.iter().find_map(|ty| self.bundle(ty)) {
            Some(kind) => self.unsupported(span, format!("operations on {} are not supported", kind.words())),
            None => self.type_error(span, otherwise),
        }
    }

    /// The lanes of a vector as the array that `v[i]` indexes; other places as they are.
    pub(crate) fn lanes(&self, place: Place) -> Place {
        match (self.bundle(&place.ty.ty), &place.ty.ty) {
            (Some(Bundle::Vector(_)), Ty::Record(record)) => {
                let record: RecordId = *record;
                self.step_member(place, record, 0)
            }
            _ => place,
        }
    }

    /// A cast of a vector to another one of its size: the same bytes. Nothing for other casts.
    pub(crate) fn vector_cast(&mut self, place: &Place, to: &Ty, span: Span) -> Res<Option<Place>> {
        let vector = |cx: &Self, ty: &Ty| matches!(cx.bundle(ty), Some(Bundle::Vector(_)));
        if !vector(self, &place.ty.ty) || !vector(self, to) {
            return Ok(None);
        }
        let size = self.size_of(to, span)?;
        if size != self.size_of(&place.ty.ty, span)? {
            return self.type_error(span, "a vector does not convert to one of another size");
        }
        let t = self.temp(to.lower(), span);
        let len = Expr::Const(i128::from(size), Ty::Int(self.size_ty()).lower());
        let (dst, src) = (t.clone().addr(), self.address(place.lv.clone()));
        self.internal(ir::Op::MemCopy { dst, src, len }, span);
        Ok(Some(Place { lv: t, ty: to.clone().into(), bit_field: false }))
    }
}
