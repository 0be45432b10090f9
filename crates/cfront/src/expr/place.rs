//! Locations: members, dereferences, elements, addresses, and constant offsets.

use super::{Ast, Ev, Place, Val};
use crate::consts;
use crate::cx::Cx;
use crate::options::Res;
use crate::ty::{IntTy, QTy, Ty};
use base::{Id, Span};
use ir::{Access, Base, BinOp, Expr, Lvalue, RecordId, Type};
use lang_c::ast;
use std::rc::Rc;

/// A step to a member: record and number, for each record on the way.
pub(crate) type MemberPath = Vec<(RecordId, u32)>;

impl Cx<'_> {
    /// The location that an expression stands for; an error when it stands for none.
    pub(crate) fn place(&mut self, e: &Ast) -> Res<Place> {
        match self.eval(e)? {
            Ev::Place(p) => Ok(p),
            _ => {
                let span = self.span(e);
                self.type_error(span, "this is no object that could be changed or have an address")
            }
        }
    }

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

    /// One step into a record.
    pub(crate) fn step_member(&self, place: Place, record: RecordId, n: u32) -> Place {
        let member = &self.members[record.index()][n as usize];
        let mut ty = member.ty.clone();
        ty.volatile |= place.ty.volatile;
        ty.konst |= place.ty.konst;
        let lowered = self.records[record].fields[n as usize].ty.clone();
        let lv = place.lv.step(Access::Field(record, n), lowered);
        Place { lv, ty, bit_field: member.bits.is_some() }
    }

    /// One step into an array.
    pub(crate) fn step_index(&self, place: Place, index: Expr) -> Place {
        let Ty::Array(elem, _) = &place.ty.ty else { panic!("only arrays have elements") };
        let mut ty = (**elem).clone();
        ty.volatile |= place.ty.volatile;
        let lowered = ty.ty.lower();
        Place { lv: place.lv.step(Access::Index(index), lowered), ty, bit_field: false }
    }

    pub(super) fn member(&mut self, m: &ast::MemberExpression, span: Span) -> Res<Ev> {
        let base = if m.operator.node == ast::MemberOperator::Direct {
            match self.eval(&m.expression)? {
                Ev::Place(p) if is_copy(&m.expression) => self.temporary_record(p, span),
                Ev::Place(p) => p,
                _ => return self.type_error(span, "`.` needs a struct or union on its left"),
            }
        } else {
            let v = self.value(&m.expression)?;
            let Some(pointee) = v.ty.pointee().cloned() else {
                return self.type_error(span, "`->` needs a pointer on its left");
            };
            self.deref(v.e, pointee)
        };
        let name = &m.identifier.node.name;
        let Ty::Record(record) = base.ty.ty else {
            return self.type_error(
                span,
                format!("member `{name}` is asked of something that is no struct or union"),
            );
        };
        if !self.records[record].complete {
            return self
                .type_error(span, format!("the struct or union with member `{name}` is incomplete here"));
        }
        let Some(path) = self.find_member(record, name) else {
            return self.type_error(span, format!("there is no member `{name}`"));
        };
        Ok(Ev::Place(path.into_iter().fold(base, |p, (r, n)| self.step_member(p, r, n))))
    }

    /// A structure that is a value and no object: where it has an array, an object of its own for the full expression.
    fn temporary_record(&mut self, p: Place, span: Span) -> Place {
        if !matches!(p.ty.ty, Ty::Record(_)) || !self.has_array(&p.ty.ty) {
            return p;
        }
        let t = self.temp(p.ty.ty.lower(), span);
        self.copy_record(&t, &p.lv, &p.ty.ty, span);
        let place = Place { lv: t, ty: p.ty.ty.into(), bit_field: false };
        self.ends_with_expression(&place);
        place
    }

    /// The place that a pointer points to.
    pub(crate) fn deref(&mut self, pointer: Expr, pointee: QTy) -> Place {
        let lowered = pointee.ty.lower();
        let lv = match pointer {
            Expr::AddrOf(lv) if lv.ty == lowered => *lv,
            pointer => Lvalue { base: Base::Deref(Box::new(pointer)), path: vec![], ty: lowered },
        };
        Place { lv, ty: pointee, bit_field: false }
    }

    /// The address of a location.
    pub(crate) fn address(&mut self, lv: Lvalue) -> Expr {
        if let Some(offset) = self.constant_address(&lv) {
            return Expr::Const(offset, lv.ty.ptr_to());
        }
        match lv.base {
            Base::Deref(p) if lv.path.is_empty() => *p,
            _ => lv.addr(),
        }
    }

    /// The value of an address that starts at a constant pointer, as in `&((struct s *)0)->m`.
    fn constant_address(&self, lv: &Lvalue) -> Option<i128> {
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

    /// An array as the address of its first element.
    pub(crate) fn decay(&mut self, array: Lvalue, elem: Rc<QTy>) -> Val {
        let lv = array.step(Access::Index(Expr::int(0)), elem.ty.lower());
        Val { e: self.address(lv), ty: Ty::Ptr(elem) }
    }

    /// `&e`
    pub(super) fn address_of(&mut self, e: &Ast, span: Span) -> Res<Ev> {
        match self.eval(e)? {
            Ev::Func(f) => Ok(Ev::Val(self.function_value(f, span))),
            Ev::Place(p) if p.bit_field => self.type_error(span, "a bit-field has no address"),
            Ev::Place(p) => {
                if let (true, Base::Var(v)) = (is_in_literal(e), &p.lv.base) {
                    self.ends_with_block(*v);
                }
                let ty = Ty::ptr_to(p.ty);
                let mut e = self.address(p.lv);
                if e.ty() != ty.lower() {
                    e = e.cast(ty.lower());
                }
                Ok(Ev::Val(Val { e, ty }))
            }
            // The address of `*f`, a function.
            Ev::Val(v) if v.ty.function().is_some() => Ok(Ev::Val(v)),
            _ => self.type_error(span, "this has no address"),
        }
    }

    /// `*e`
    pub(super) fn indirection(&mut self, e: &Ast, span: Span) -> Res<Ev> {
        let v = self.value(e)?;
        if v.ty.function().is_some() {
            return Ok(Ev::Val(v));
        }
        match v.ty.pointee().cloned() {
            Some(pointee) => Ok(Ev::Place(self.deref(v.e, pointee))),
            None => self.type_error(span, format!("`*` needs a pointer, not {}", v.ty.describe())),
        }
    }

    /// `a[i]`
    pub(super) fn index(&mut self, a: &Ast, i: &Ast, span: Span) -> Res<Ev> {
        let at = self.span(a);
        let left = match self.eval(a)? {
            Ev::Place(p) => Ev::Place(self.lanes(p)),
            left => left,
        };
        if let Ev::Place(mut array) = left.clone()
            && matches!(array.ty.ty, Ty::Array(..))
        {
            array.lv = self.keep_lvalue(array.lv, &[i], at);
            let index = self.value(i)?;
            let index = self.number_of_thread(index, span);
            if index.ty.as_int().is_none() {
                return self.type_error(span, "the index is no integer");
            }
            return Ok(Ev::Place(self.step_index(array, index.e)));
        }
        let left = self.read(left, at)?;
        let left = Val { e: self.keep(left.e, &[i], at), ty: left.ty };
        let right = self.value(i)?;
        let (pointer, index) = if left.ty.pointee().is_some() { (left, right) } else { (right, left) };
        let Some(pointee) = pointer.ty.pointee().cloned() else {
            return self.type_error(span, "neither the array nor the index is a pointer");
        };
        let index = self.number_of_thread(index, span);
        let moved = self.pointer_add(pointer, index, false, span)?;
        Ok(Ev::Place(self.deref(moved.e, pointee)))
    }

    /// `pointer + index`, or `pointer - index` when `back`.
    pub(crate) fn pointer_add(&mut self, pointer: Val, index: Val, back: bool, span: Span) -> Res<Val> {
        let pointee = pointer.ty.pointee().expect("the caller found a pointer").clone();
        if index.ty.as_int().is_none() {
            return self.type_error(span, "only integers are added to pointers");
        }
        if matches!(pointee.ty, Ty::Void | Ty::Func(_)) {
            // gcc counts bytes here.
            let bytes = Ty::ptr_to(Ty::Int(IntTy::CHAR));
            let as_bytes = Val { e: pointer.e.cast(bytes.lower()), ty: bytes };
            let moved = self.pointer_add(as_bytes, index, back, span)?;
            return Ok(Val { e: moved.e.cast(pointer.ty.lower()), ty: pointer.ty });
        }
        if let Some(moved) = self.variable_add(&pointer, &index, back, span)? {
            return Ok(moved);
        }
        let size = self.size_of(&pointee.ty, span)?;
        let mut i = index.e;
        if back {
            if let Expr::Const(v, _) = i
                && let Ok(v) = i32::try_from(-v)
            {
                i = Expr::int(i128::from(v));
                return Ok(self.moved(pointer, i, &pointee, size));
            }
            let wide = Type::Int(IntTy::ptrdiff(self.model).lower());
            i = consts::unary(ir::UnOp::Neg, i.cast(wide.clone()), wide, self.rules());
        }
        Ok(self.moved(pointer, i, &pointee, size))
    }

    /// A pointer plus an index that counts elements of `size` bytes.
    fn moved(&self, pointer: Val, index: Expr, pointee: &QTy, size: u64) -> Val {
        let ty = pointer.ty.lower();
        let e = match (pointer.e, index) {
            (p, Expr::Const(0, _)) => p,
            (Expr::Const(at, t), Expr::Const(i, _)) => Expr::Const(at + i * i128::from(size), t),
            (Expr::AddrOf(lv), i) if ends_in_zero(&lv) => {
                let mut lv = *lv;
                lv.path.pop();
                lv.step(Access::Index(i), pointee.ty.lower()).addr()
            }
            (p, i) => Expr::Binary(BinOp::PtrAdd, Box::new(p), Box::new(i), ty),
        };
        Val { e, ty: pointer.ty }
    }

    pub(super) fn offset_of(&mut self, o: &ast::OffsetOfExpression, span: Span) -> Res<Ev> {
        let ty = self.type_name(&o.type_name.node)?;
        let start = Expr::Const(0, ty.ty.lower().ptr_to());
        let mut place = self.deref(start, ty);
        place = self.offset_member(place, &o.designator.node.base.node.name, span)?;
        for member in &o.designator.node.members {
            place = match &member.node {
                ast::OffsetMember::Member(id) | ast::OffsetMember::IndirectMember(id) => {
                    self.offset_member(place, &id.node.name, span)?
                }
                ast::OffsetMember::Index(e) => {
                    if !matches!(place.ty.ty, Ty::Array(..)) {
                        return self.type_error(span, "`offsetof` indexes something that is no array");
                    }
                    let index = self.value(e)?;
                    self.step_index(place, index.e)
                }
            };
        }
        match self.constant_address(&place.lv) {
            Some(offset) => Ok(Ev::Val(Val::int(offset, self.size_ty()))),
            None => self.unsupported(span, "`offsetof` with a variable index is not supported"),
        }
    }

    fn offset_member(&mut self, place: Place, name: &str, span: Span) -> Res<Place> {
        let Ty::Record(record) = place.ty.ty else {
            return self.type_error(span, "`offsetof` needs a struct or union");
        };
        match self.find_member(record, name) {
            Some(path) => Ok(path.into_iter().fold(place, |p, (r, n)| self.step_member(p, r, n))),
            None => self.type_error(span, format!("there is no member `{name}`")),
        }
    }
}

/// Whether the location is element 0 of an array.
fn ends_in_zero(lv: &Lvalue) -> bool {
    matches!(lv.path.last(), Some(Access::Index(Expr::Const(0, _))))
}

/// Whether the expression is not an lvalue, though it denotes the contents of an object.
fn is_copy(e: &Ast) -> bool {
    match &e.node {
        ast::Expression::Conditional(_) | ast::Expression::Comma(_) => true,
        ast::Expression::BinaryOperator(b) => b.node.operator.node == ast::BinaryOperator::Assign,
        _ => false,
    }
}

/// Whether the expression is a compound literal or a part of one.
fn is_in_literal(mut e: &Ast) -> bool {
    loop {
        e = match &e.node {
            ast::Expression::CompoundLiteral(_) => return true,
            ast::Expression::Member(m) if m.node.operator.node == ast::MemberOperator::Direct => {
                &m.node.expression
            }
            ast::Expression::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                &b.node.lhs
            }
            _ => return false,
        }
    }
}
