//! Locations: members, dereferences, elements, addresses, and constant offsets.

use super::{Ast, Ev, Place, Val};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::types::constants;
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Ty};
use base::{Id, Span};
use ir::{Access, Base, BinOp, Expr, Lvalue, RecordId, Type};
use lang_c::ast;
use std::rc::Rc;

impl Context<'_> {
    /// The location that an expression stands for; an error when it stands for none.
    pub(crate) fn place(&mut self, e: &Ast) -> Res<Place> {
        match self.eval(e)? {
            Ev::Place(p) => Ok(p),
            _ => {
                let span = self.symbols.span(e);
                type_error(span, "this is no object that could be changed or have an address")
            }
        }
    }

    pub(super) fn member(&mut self, m: &ast::MemberExpression, span: Span) -> Res<Ev> {
        let base = if m.operator.node == ast::MemberOperator::Direct {
            match self.eval(&m.expression)? {
                Ev::Place(p) if is_copy(&m.expression) => {
                    self.emitter.temporary_record(&self.types, &mut self.symbols, p, span)
                }
                Ev::Place(p) => p,
                _ => return type_error(span, "`.` needs a struct or union on its left"),
            }
        } else {
            let v = self.value(&m.expression)?;
            let Some(pointee) = v.ty.pointee().cloned() else {
                return type_error(span, "`->` needs a pointer on its left");
            };
            deref(v.e, pointee)
        };
        Ok(Ev::Place(self.types.member_of(base, &m.identifier.node.name, span)?))
    }

    /// `&e`
    pub(super) fn address_of(&mut self, e: &Ast, span: Span) -> Res<Ev> {
        match self.eval(e)? {
            Ev::Func(f) => Ok(Ev::Val(self.emitter.function_value(&self.types, &mut self.symbols, f, span))),
            Ev::Place(p) if p.bit_field => type_error(span, "a bit-field has no address"),
            Ev::Place(p) => {
                if let (true, Base::Var(v)) = (is_in_literal(e), &p.lv.base) {
                    self.symbols.ends_with_block(&self.emitter, *v);
                }
                let ty = Ty::ptr_to(p.ty);
                let mut e = self.types.address(p.lv);
                if e.ty() != ty.lower() {
                    e = e.cast(ty.lower());
                }
                Ok(Ev::Val(Val { e, ty }))
            }
            // The address of `*f`, a function.
            Ev::Val(v) if v.ty.function().is_some() => Ok(Ev::Val(v)),
            _ => type_error(span, "this has no address"),
        }
    }

    /// `*e`
    pub(super) fn indirection(&mut self, e: &Ast, span: Span) -> Res<Ev> {
        let v = self.value(e)?;
        if v.ty.function().is_some() {
            return Ok(Ev::Val(v));
        }
        match v.ty.pointee().cloned() {
            Some(pointee) => Ok(Ev::Place(deref(v.e, pointee))),
            None => type_error(span, format!("`*` needs a pointer, not {}", v.ty.describe())),
        }
    }

    /// `a[i]`
    pub(super) fn index(&mut self, a: &Ast, i: &Ast, span: Span) -> Res<Ev> {
        let at = self.symbols.span(a);
        let left = match self.eval(a)? {
            Ev::Place(p) => Ev::Place(self.types.lanes(p)),
            left => left,
        };
        if let Ev::Place(mut array) = left.clone()
            && matches!(array.ty.ty, Ty::Array(..))
        {
            array.lv = self.emitter.keep_lvalue(&self.types, &self.symbols, array.lv, &[i], at);
            let index = self.value(i)?;
            let index = self.emitter.number_of_thread(index, span);
            if index.ty.as_int().is_none() {
                return type_error(span, "the index is no integer");
            }
            return Ok(Ev::Place(step_index(array, index.e)));
        }
        let left = self.emitter.read(&self.types, &mut self.symbols, left, at)?;
        let left = Val { e: self.emitter.keep(&self.types, &self.symbols, left.e, &[i], at), ty: left.ty };
        let right = self.value(i)?;
        self.emitter.element(&self.types, left, right, span)
    }

    pub(super) fn offset_of(&mut self, o: &ast::OffsetOfExpression, span: Span) -> Res<Ev> {
        let ty = self.type_name(&o.type_name.node)?;
        let start = Expr::Const(0, ty.ty.lower().ptr_to());
        let mut place = deref(start, ty);
        place = self.types.offset_member(place, &o.designator.node.base.node.name, span)?;
        for member in &o.designator.node.members {
            place = match &member.node {
                ast::OffsetMember::Member(id) | ast::OffsetMember::IndirectMember(id) => {
                    self.types.offset_member(place, &id.node.name, span)?
                }
                ast::OffsetMember::Index(e) => {
                    if !matches!(place.ty.ty, Ty::Array(..)) {
                        return type_error(span, "`offsetof` indexes something that is no array");
                    }
                    let index = self.value(e)?;
                    step_index(place, index.e)
                }
            };
        }
        match self.types.constant_address(&place.lv) {
            Some(offset) => Ok(Ev::Val(Val::int(offset, self.settings.size_ty()))),
            None => unsupported(span, "`offsetof` with a variable index is not supported"),
        }
    }
}

impl Types {
    /// The member of this name in a struct or union.
    fn member_of(&self, base: Place, name: &str, span: Span) -> Res<Place> {
        let Ty::Record(record) = base.ty.ty else {
            return type_error(
                span,
                format!("member `{name}` is asked of something that is no struct or union"),
            );
        };
        if !self.records[record].complete {
            return type_error(span, format!("the struct or union with member `{name}` is incomplete here"));
        }
        let Some(path) = self.find_member(record, name) else {
            return type_error(span, format!("there is no member `{name}`"));
        };
        Ok(path.into_iter().fold(base, |p, (r, n)| self.step_member(p, r, n)))
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

    /// An array as the address of its first element.
    pub(crate) fn decay(&self, array: Lvalue, elem: Rc<QTy>) -> Val {
        let lv = array.step(Access::Index(Expr::int(0)), elem.ty.lower());
        Val { e: self.address(lv), ty: Ty::Ptr(elem) }
    }

    fn offset_member(&self, place: Place, name: &str, span: Span) -> Res<Place> {
        let Ty::Record(record) = place.ty.ty else {
            return type_error(span, "`offsetof` needs a struct or union");
        };
        match self.find_member(record, name) {
            Some(path) => Ok(path.into_iter().fold(place, |p, (r, n)| self.step_member(p, r, n))),
            None => type_error(span, format!("there is no member `{name}`")),
        }
    }
}

impl Emitter<'_> {
    /// The element that a pointer and an index lead to, whichever stands first.
    fn element(&mut self, types: &Types, left: Val, right: Val, span: Span) -> Res<Ev> {
        let (pointer, index) = if left.ty.pointee().is_some() { (left, right) } else { (right, left) };
        let Some(pointee) = pointer.ty.pointee().cloned() else {
            return type_error(span, "neither the array nor the index is a pointer");
        };
        let index = self.number_of_thread(index, span);
        let moved = self.pointer_add(types, pointer, index, false, span)?;
        Ok(Ev::Place(deref(moved.e, pointee)))
    }

    /// A structure that is a value and no object: where it has an array, an object of its own for the full expression.
    fn temporary_record(&mut self, types: &Types, symbols: &mut Symbols<'_>, p: Place, span: Span) -> Place {
        if !matches!(p.ty.ty, Ty::Record(_)) || !types.has_array(&p.ty.ty) {
            return p;
        }
        let t = self.temp(p.ty.ty.lower(), span);
        self.copy_record(types, &t, &p.lv, &p.ty.ty, span);
        let place = Place { lv: t, ty: p.ty.ty.into(), bit_field: false };
        symbols.ends_with_expression(types, self, &place);
        place
    }

    /// `pointer + index`, or `pointer - index` when `back`.
    pub(crate) fn pointer_add(
        &self,
        types: &Types,
        pointer: Val,
        index: Val,
        back: bool,
        span: Span,
    ) -> Res<Val> {
        let pointee = pointer.ty.pointee().expect("the caller found a pointer").clone();
        if index.ty.as_int().is_none() {
            return type_error(span, "only integers are added to pointers");
        }
        if matches!(pointee.ty, Ty::Void | Ty::Func(_)) {
            // gcc counts bytes here.
            let bytes = Ty::ptr_to(Ty::Int(IntTy::CHAR));
            let as_bytes = Val { e: pointer.e.cast(bytes.lower()), ty: bytes };
            let moved = self.pointer_add(types, as_bytes, index, back, span)?;
            return Ok(Val { e: moved.e.cast(pointer.ty.lower()), ty: pointer.ty });
        }
        if let Some(moved) = self.variable_add(types, &pointer, &index, back, span)? {
            return Ok(moved);
        }
        let size = types.size_of(&pointee.ty, span)?;
        let mut i = index.e;
        if back {
            if let Expr::Const(v, _) = i
                && let Ok(v) = i32::try_from(-v)
            {
                i = Expr::int(i128::from(v));
                return Ok(moved(pointer, i, &pointee, size));
            }
            let wide = Type::Int(IntTy::ptrdiff(self.settings.model).lower());
            i = constants::unary(ir::UnOp::Neg, i.cast(wide.clone()), wide, self.rules());
        }
        Ok(moved(pointer, i, &pointee, size))
    }
}

/// One step into an array.
pub(crate) fn step_index(place: Place, index: Expr) -> Place {
    let Ty::Array(elem, _) = &place.ty.ty else { panic!("only arrays have elements") };
    let mut ty = (**elem).clone();
    ty.volatile |= place.ty.volatile;
    let lowered = ty.ty.lower();
    Place { lv: place.lv.step(Access::Index(index), lowered), ty, bit_field: false }
}

/// The place that a pointer points to.
pub(crate) fn deref(pointer: Expr, pointee: QTy) -> Place {
    let lowered = pointee.ty.lower();
    let lv = match pointer {
        Expr::AddrOf(lv) if lv.ty == lowered => *lv,
        pointer => Lvalue { base: Base::Deref(Box::new(pointer)), path: vec![], ty: lowered },
    };
    Place { lv, ty: pointee, bit_field: false }
}

/// A pointer plus an index that counts elements of `size` bytes.
fn moved(pointer: Val, index: Expr, pointee: &QTy, size: u64) -> Val {
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
