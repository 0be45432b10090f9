//! Writes to constant memory: the bytes of objects that are defined const, and the changes to them that the
//! front end itself sees. Nothing is emitted unless that is checked.

use crate::lower::context::Emitter;
use crate::lower::expr::Place;
use crate::types::table::Types;
use crate::types::ty::{QTy, Ty};
use base::{Id, Span};
use ir::{Base, CheckKind, Expr, LibraryAccess, Type, VarId};

/// Most ranges of bytes that are noted of one variable.
const MAX_RANGES: usize = 1 << 12;

impl Emitter<'_> {
    /// Notes which bytes of the variable, which the source declares with this type, do not change.
    pub(crate) fn note_constant(&mut self, types: &Types, var: VarId, ty: &QTy) {
        if !self.settings.options.wants(CheckKind::Readonly) || self.dry > 0 {
            return;
        }
        let mut ranges = vec![];
        types.constant_bytes(ty, 0, &mut ranges);
        if !ranges.is_empty() {
            self.vars[var.index()].constant = Some(ranges.into());
        }
    }

    /// A place that an expression names is changed, other than by its initialisation.
    pub(crate) fn changed_by_name(&mut self, types: &Types, place: &Place, span: Span) {
        let Base::Var(v) = place.lv.base else { return };
        let is_constant = self.vars.get(v.index()).is_some_and(|v| v.constant.is_some());
        if is_constant && !place.bit_field {
            let size = place.lv.ty.size(&types.records, self.settings.model).unwrap_or(1);
            let len = Expr::Const(i128::from(size), Type::Int(self.settings.size_ty().lower()));
            self.access(LibraryAccess::Changes, vec![place.lv.clone().addr(), len], span);
        }
    }

    /// A library function changes `len` bytes at a pointer.
    pub(crate) fn changed_block(&mut self, at: &Expr, len: &Expr, span: Span) {
        if self.settings.options.wants(CheckKind::Readonly) {
            self.access(LibraryAccess::Changes, vec![at.clone(), len.clone()], span);
        }
    }
}

impl Types {
    fn constant_bytes(&self, ty: &QTy, at: u64, out: &mut Vec<(u64, u64)>) {
        let size = |ty: &Ty| ty.lower().size(&self.records, self.model).unwrap_or(0);
        if is_const(ty) {
            let end = at + size(&ty.ty);
            match out.last_mut().filter(|last| last.1 == at) {
                Some(last) => last.1 = end,
                None if end > at => out.push((at, end)),
                None => {}
            }
            return;
        }
        match &ty.ty {
            // One member of a union may be constant and another one not.
            Ty::Record(r) if !self.records[*r].is_union => {
                for (member, field) in self.members[r.index()].iter().zip(&self.records[*r].fields) {
                    // Bytes are shared by bit-fields.
                    if field.bit_offset.is_none() {
                        self.constant_bytes(&member.ty, at + field.offset, out);
                    }
                }
            }
            Ty::Array(elem, Some(n)) => {
                let step = size(&elem.ty);
                for i in 0..*n {
                    let known = out.len();
                    self.constant_bytes(elem, at + i * step, out);
                    if out.len() == known && i == 0 || out.len() > MAX_RANGES {
                        return;
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether an object is constant, or all of its elements are.
pub(crate) fn is_const(ty: &QTy) -> bool {
    ty.konst || matches!(&ty.ty, Ty::Array(of, _) if is_const(of))
}
