//! Layout of structs and unions as gcc computes it on x86: offsets, bit-fields, `packed`, `aligned`,
//! `#pragma pack`; alignment of types in both data models.

use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Rank, Ty};
use ir::{DataModel, Field, IntType, Type};

/// A member of a record as C sees it.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Empty for unnamed members.
    pub(crate) name: String,
    /// The declared type; of a bit-field the type with its width.
    pub(crate) ty: QTy,
    /// Width of a bit-field.
    pub(crate) bits: Option<u16>,
}

/// The declaration of one member.
#[derive(Clone, Debug)]
pub(crate) struct MemberSpec {
    pub(crate) name: String,
    pub(crate) ty: QTy,
    pub(crate) bits: Option<u16>,
    /// `aligned(n)` or `_Alignas`.
    pub(crate) align: Option<u64>,
    pub(crate) packed: bool,
}

/// Attributes of a record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordAttrs {
    pub(crate) packed: bool,
    pub(crate) align: Option<u64>,
    /// Bound by `#pragma pack`.
    pub(crate) pack: Option<u64>,
}

/// The result of a layout.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) fields: Vec<Field>,
    pub(crate) members: Vec<Member>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// The running state of a layout, in bits.
struct Cursor {
    is_union: bool,
    bit: u64,
    size_bits: u64,
    align: u64,
}

impl Types {
    /// Alignment of a type in bytes, as `_Alignof` gives it (1 for types without size).
    pub(crate) fn align_of(&self, ty: &Ty) -> u64 {
        let natural = match ty {
            Ty::Array(elem, _) | Ty::Vla(elem, _) => return self.align_of_qualified(elem),
            Ty::Record(r) => return self.records[*r].align,
            Ty::Void | Ty::Func(_) | Ty::Refused(_) => return 1,
            _ => ty.lower().size(&self.records, self.model).unwrap_or(1),
        };
        match self.model {
            DataModel::Lp64 => natural.min(16),
            DataModel::Ilp32 => natural.min(if matches!(ty, Ty::Float(128)) { 16 } else { 4 }),
        }
    }

    /// The same for a type that a typedef may have given an alignment of its own.
    pub(crate) fn align_of_qualified(&self, ty: &QTy) -> u64 {
        ty.align.unwrap_or_else(|| self.align_of(&ty.ty))
    }

    /// Alignment as `__alignof__` gives it: the preferred one, which differs for 8-byte scalars on i386.
    pub(crate) fn preferred_align_of(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Array(elem, _) | Ty::Vla(elem, _) => {
                elem.align.unwrap_or_else(|| self.preferred_align_of(&elem.ty))
            }
            Ty::Int(i) if i.bits == 64 => 8,
            Ty::Float(64) => 8,
            _ => self.align_of(ty),
        }
    }

    /// Computes the layout of a record.
    pub(crate) fn lay_out(
        &self,
        is_union: bool,
        specs: Vec<MemberSpec>,
        attrs: RecordAttrs,
    ) -> Result<Layout, String> {
        let mut cursor = Cursor { is_union, bit: 0, size_bits: 0, align: 1 };
        let (mut fields, mut members) = (vec![], vec![]);
        let count = specs.len();
        for (n, spec) in specs.into_iter().enumerate() {
            let size = match &spec.ty.ty {
                Ty::Array(_, None) if n + 1 == count || is_union => 0,
                Ty::Refused(what) => return Err(format!("{what} are not supported")),
                t => t
                    .lower()
                    .size(&self.records, self.model)
                    .ok_or_else(|| format!("member `{}` has an incomplete type", spec.name))?,
            };
            let align = match spec.bits {
                // Packing does not reach the unnamed field that begins a new unit.
                Some(0) => attrs.pack.unwrap_or(u64::MAX).min(self.align_of_qualified(&spec.ty)),
                _ => self.member_align(&spec, attrs),
            };
            let (offset, bit_offset, ty, qty) = match spec.bits {
                Some(width) => {
                    let Some(int) = spec.ty.ty.as_int() else {
                        return Err(format!("bit-field `{}` has no integer type", spec.name));
                    };
                    let Some((offset, bit)) = cursor.bit_field(width, size, align, &spec, attrs) else {
                        continue;
                    };
                    if spec.name.is_empty() {
                        continue;
                    }
                    let ty = Type::Int(IntType { bits: width, signed: int.signed });
                    (offset, Some(bit), ty, QTy { ty: Ty::Int(field_type(int, width)), ..spec.ty })
                }
                None => {
                    let offset = cursor.member(size, align).ok_or("the record is too large")?;
                    (offset, None, spec.ty.ty.lower(), spec.ty)
                }
            };
            fields.push(Field { name: spec.name.clone(), ty, offset, bit_offset });
            members.push(Member { name: spec.name, ty: qty, bits: spec.bits });
        }
        let align = cursor.align.max(attrs.align.unwrap_or(1));
        let bytes = cursor.size_bits.div_ceil(8);
        let size = bytes.checked_next_multiple_of(align).ok_or("the record is too large")?;
        Ok(Layout { fields, members, size, align })
    }

    fn member_align(&self, spec: &MemberSpec, attrs: RecordAttrs) -> u64 {
        let packed = attrs.packed || spec.packed;
        let natural = if packed { 1 } else { self.align_of_qualified(&spec.ty) };
        let wanted = natural.max(spec.align.unwrap_or(1));
        attrs.pack.map_or(wanted, |p| wanted.min(p))
    }
}

/// The type that a bit-field of this width has in expressions.
fn field_type(declared: IntTy, width: u16) -> IntTy {
    if width == declared.bits || declared.rank == Rank::Bool {
        return IntTy { bits: width.min(declared.bits), ..declared };
    }
    let rank = if width > 32 { Rank::Bits } else { Rank::ExplicitChar };
    IntTy { rank, bits: width, signed: declared.signed }
}

impl Cursor {
    fn member(&mut self, size: u64, align: u64) -> Option<u64> {
        self.align = self.align.max(align);
        if self.is_union {
            self.size_bits = self.size_bits.max(size.checked_mul(8)?);
            return Some(0);
        }
        let offset = self.bit.div_ceil(8).checked_next_multiple_of(align)?;
        self.bit = offset.checked_add(size)?.checked_mul(8)?;
        self.size_bits = self.size_bits.max(self.bit);
        Some(offset)
    }

    /// Places a bit-field: a byte offset and the first bit counted from there. `None` for width 0.
    fn bit_field(
        &mut self,
        width: u16,
        size: u64,
        align: u64,
        spec: &MemberSpec,
        attrs: RecordAttrs,
    ) -> Option<(u64, u16)> {
        let width = u64::from(width);
        let unit = size * 8;
        let packed = attrs.packed || spec.packed;
        if width == 0 {
            // A new storage unit begins; the record's own alignment is not affected on x86.
            if !self.is_union {
                self.bit = self.bit.next_multiple_of(align * 8);
            }
            return None;
        }
        if !spec.name.is_empty() {
            self.align = self.align.max(align);
        }
        if self.is_union {
            self.size_bits = self.size_bits.max(width);
            return Some((0, 0));
        }
        if let Some(wanted) = spec.align {
            self.bit = self.bit.next_multiple_of(wanted * 8);
        }
        // gcc's rule: a field may not span more alignment units than its type has.
        let align_bits = align * 8;
        let crosses = (self.bit % align_bits + width).div_ceil(align_bits) > unit / align_bits;
        if crosses && !packed {
            self.bit = self.bit.next_multiple_of(align_bits);
        }
        let at = self.bit;
        self.bit += width;
        self.size_bits = self.size_bits.max(self.bit);
        // The storage unit that holds the whole field, when there is one; else the first byte.
        let start = at / unit * unit;
        let whole = start + unit >= at + width && !packed && attrs.pack.is_none();
        let start = if whole { start } else { at / 8 * 8 };
        Some((start / 8, (at - start) as u16))
    }
}
