//! Parts of objects: members, elements, the scalars and pointers in them, and their addresses.

use crate::types::layout::Member;
use crate::types::table::Types;
use crate::types::ty::{IntTy, Ty};
use base::Id;
use ir::{Access, Base, Expr, Field, Lvalue, Op, RecordId, Type};

/// Aggregates with at most this many scalar members are copied and zeroed member by member.
pub(crate) const MAX_LEAVES: usize = 64;

/// A step to a member: record and number, for each record on the way.
pub(crate) type MemberPath = Vec<(RecordId, u32)>;

impl Types {
    /// The member of a record, through unnamed members.
    pub(crate) fn find_member(&self, record: RecordId, name: &str) -> Option<MemberPath> {
        for (n, member) in self.members[record.index()].iter().enumerate() {
            if member.name == name {
                return Some(vec![(record, n as u32)]);
            }
            if member.name.is_empty()
                && let Ty::Record(inner) = member.ty.ty
                && let Some(rest) = self.find_member(inner, name)
            {
                let mut path = vec![(record, n as u32)];
                path.extend(rest);
                return Some(path);
            }
        }
        None
    }

    /// The members of a struct, or the elements of a short array, with their types; `None` for what cannot be taken
    /// apart.
    pub(crate) fn parts_of(&self, lv: &Lvalue, ty: &Ty) -> Option<Vec<(Lvalue, Ty)>> {
        match ty {
            Ty::Record(r) if !self.records[*r].is_union => {
                let members = self.members[r.index()].iter().zip(&self.records[*r].fields).enumerate();
                let part = |(n, (member, field)): (usize, (&Member, &Field))| {
                    (lv.clone().step(Access::Field(*r, n as u32), field.ty.clone()), member.ty.ty.clone())
                };
                Some(members.map(part).collect())
            }
            Ty::Array(elem, Some(n)) if *n <= MAX_LEAVES as u64 => {
                let element = |i| lv.clone().step(Access::Index(Expr::int(i128::from(i))), elem.ty.lower());
                Some((0..*n).map(|i| (element(i), elem.ty.clone())).collect())
            }
            _ => None,
        }
    }

    /// The members of two places of the same struct, with their type.
    pub(crate) fn member_pairs(&self, dst: &Lvalue, src: &Lvalue, ty: &Ty) -> Vec<(Lvalue, Lvalue, Ty)> {
        let (to, from) = (self.parts_of(dst, ty), self.parts_of(src, ty));
        let pairs = to.into_iter().flatten().zip(from.into_iter().flatten());
        pairs.map(|((to, ty), (from, _))| (to, from, ty)).collect()
    }

    /// The scalar members of a type, in order; `None` when there are too many, or unions or arrays among them
    /// that are not taken apart.
    pub(crate) fn leaves(&self, lv: &Lvalue, ty: &Ty, arrays: bool) -> Option<Vec<(Lvalue, Ty)>> {
        let mut out = vec![];
        self.collect_leaves(lv.clone(), ty, arrays, &mut out)?;
        Some(out)
    }

    fn collect_leaves(&self, lv: Lvalue, ty: &Ty, arrays: bool, out: &mut Vec<(Lvalue, Ty)>) -> Option<()> {
        match ty {
            Ty::Array(..) if !arrays => None,
            Ty::Record(_) | Ty::Array(..) => {
                let mut parts = self.parts_of(&lv, ty)?.into_iter();
                parts.try_for_each(|(lv, ty)| self.collect_leaves(lv, &ty, arrays, out))
            }
            _ => {
                out.push((lv, ty.clone()));
                (out.len() <= MAX_LEAVES).then_some(())
            }
        }
    }

    /// All pointers inside an object, those in unions included; `None` when they are too many.
    pub(crate) fn pointers_in(&self, lv: Lvalue, ty: &Ty, out: &mut Vec<Lvalue>) -> Option<()> {
        match ty {
            _ if !self.has_pointers(ty) => Some(()),
            Ty::Record(r) => self.members[r.index()].iter().enumerate().try_for_each(|(n, member)| {
                let field = self.records[*r].fields[n].ty.clone();
                self.pointers_in(lv.clone().step(Access::Field(*r, n as u32), field), &member.ty.ty, out)
            }),
            Ty::Array(elem, n) => (0..n.unwrap_or(0)).try_for_each(|i| {
                let step = Access::Index(Expr::int(i128::from(i)));
                self.pointers_in(lv.clone().step(step, elem.ty.lower()), &elem.ty, out)
            }),
            _ => {
                out.push(lv);
                (out.len() <= MAX_LEAVES).then_some(())
            }
        }
    }

    /// The pointers inside an object; `None` when they cannot be listed.
    pub(crate) fn pointer_leaves(&self, lv: Lvalue, ty: &Ty, out: &mut Vec<(Lvalue, Ty)>) -> Option<()> {
        if matches!(ty, Ty::Array(_, None)) {
            return None;
        }
        if !self.has_pointers(ty) {
            return Some(());
        }
        match ty {
            Ty::Record(_) | Ty::Array(..) => {
                let mut parts = self.parts_of(&lv, ty)?.into_iter();
                parts.try_for_each(|(lv, ty)| self.pointer_leaves(lv, &ty, out))
            }
            _ => {
                out.push((lv, ty.clone()));
                (out.len() <= 16 * MAX_LEAVES).then_some(())
            }
        }
    }

    /// Whether values of the type contain pointers.
    pub(crate) fn has_pointers(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Ptr(_) => true,
            Ty::Array(elem, _) => self.has_pointers(&elem.ty),
            Ty::Record(r) => self.members[r.index()].iter().any(|m| self.has_pointers(&m.ty.ty)),
            _ => false,
        }
    }

    /// Whether the object is an array or has one, whose address an expression takes without `&`.
    pub(crate) fn has_array(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Array(..) | Ty::Vla(..) => true,
            Ty::Record(r) => self.members[r.index()].iter().any(|m| self.has_array(&m.ty.ty)),
            _ => false,
        }
    }

    /// How many indices lead from an array to elements that are none.
    pub(crate) fn dimensions(&self, ty: &Ty) -> usize {
        let (mut ty, mut n) = (ty, 0);
        while let Ty::Array(elem, _) = ty {
            (ty, n) = (&elem.ty, n + 1);
        }
        n + usize::from(self.vector_type_of(ty).is_some())
    }

    /// The address of a location.
    pub(crate) fn address(&self, lv: Lvalue) -> Expr {
        if let Some(offset) = self.constant_address(&lv) {
            return Expr::Const(offset, lv.ty.ptr_to());
        }
        match lv.base {
            Base::Deref(p) if lv.path.is_empty() => *p,
            _ => lv.addr(),
        }
    }

    /// The value of an address that starts at a constant pointer, as in `&((struct s *)0)->m`.
    pub(crate) fn constant_address(&self, lv: &Lvalue) -> Option<i128> {
        let Base::Deref(p) = &lv.base else { return None };
        let Expr::Const(start, t) = &**p else { return None };
        let mut ty = t.pointee()?.clone();
        let mut at = *start;
        for access in &lv.path {
            match access {
                Access::Field(r, n) => {
                    let field = &self.records[*r].fields[*n as usize];
                    at += i128::from(field.offset);
                    ty = field.ty.clone();
                }
                Access::Index(Expr::Const(i, _)) => {
                    let Type::Array(elem, _) = &ty else { return None };
                    let elem = (**elem).clone();
                    at += i * i128::from(elem.size(&self.records, self.model)?);
                    ty = elem;
                }
                Access::Index(_) => return None,
            }
        }
        Some(at)
    }

    pub(crate) fn block_copy(&self, dst: &Lvalue, src: &Lvalue, ty: &Ty) -> Op {
        let size = ty.lower().size(&self.records, self.model).unwrap_or(0);
        let len = Expr::Const(i128::from(size), Type::Int(IntTy::size(self.model).lower()));
        Op::MemCopy { dst: self.address(dst.clone()), src: self.address(src.clone()), len }
    }

    pub(crate) fn collect_copies(&self, dst: &Lvalue, src: &Lvalue, ty: &Ty, out: &mut Vec<Op>) {
        if out.len() > MAX_LEAVES {
            return;
        }
        match ty {
            Ty::Record(r) if !self.records[*r].is_union => {
                for (d, s, ty) in self.member_pairs(dst, src, ty) {
                    self.collect_copies(&d, &s, &ty, out);
                }
            }
            // A flexible member is not part of the value.
            Ty::Array(_, None) => {}
            Ty::Record(_) | Ty::Array(..) => {
                let op = self.block_copy(dst, src, ty);
                out.push(op);
            }
            _ => out.push(Op::Assign(dst.clone(), src.clone().load())),
        }
    }
}
