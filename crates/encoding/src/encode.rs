//! C-- expressions as terms, relative to a [`State`].
//!
//! Integers are `Int` (mode `math`, every fresh constant and every load within its type's range) or bit-vectors of
//! the type's width (`bits`); pointers are byte addresses; conditions are booleans. Unsigned arithmetic and
//! conversions wrap. What a mode cannot express becomes an uninterpreted function of its operands (so equal
//! operands give equal results) or a fresh constant, and the field `inexact` of [`SideConditions`] says so: an over-approximation.
//!
//! Two kinds of side formulas are collected: *axioms*, true in every state (ranges), and *definedness* conditions,
//! true whenever the expression's evaluation has a defined meaning in C (no overflow, no division by zero, no
//! dereference of NULL, index within its array). A statement's evaluation may assume the latter (docs/guide/assumptions.md, 1); a
//! predicate's may not, and its operators are total: who encodes a predicate drops them.

use crate::Inexact;
use crate::IntMode;
use crate::arithmetic::{near, resize, trunc_div, wrap, wrap_once};
use crate::state::{Addresses, State};
use crate::{
    SideConditions,
    side_conditions::{float_width, value_sort},
};
use alias::{AliasOracle, CellKind};
use ir::{Access, Base, BinOp, Expr, IntType, Lvalue, Program, Type, UnOp};
use smt::{Function, Sort, Term};

/// Translates expressions of one program in one integer mode.
#[derive(Clone, Copy)]
pub struct Encoder<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its alias oracle.
    pub oracle: &'a AliasOracle,
    /// Where procedures are (variables' addresses come from the state).
    pub addresses: &'a Addresses,
    /// How integers are modelled.
    pub mode: IntMode,
}

impl Encoder<'_> {
    /// The condition that a scalar expression is not zero.
    pub fn cond(&self, e: &Expr, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        match e {
            Expr::Const(v, _) => Term::bool(*v != 0),
            Expr::Unary(UnOp::Not, e, _) => Term::not(&self.cond(e, st, facts)),
            Expr::Binary(BinOp::And, l, r, _) => {
                Term::and([self.cond(l, st, facts), self.cond(r, st, facts)])
            }
            Expr::Binary(BinOp::Or, l, r, _) => Term::or([self.cond(l, st, facts), self.cond(r, st, facts)]),
            Expr::Binary(op, l, r, _) if op.is_comparison() => self.comparison(*op, l, r, st, facts),
            Expr::Cond(c, a, b) => {
                let (c, a, b) = (self.cond(c, st, facts), self.cond(a, st, facts), self.cond(b, st, facts));
                Term::ite(&c, &a, &b)
            }
            Expr::Old(e) => self.cond(e, st.entry(), facts),
            _ => match e.ty() {
                ty if float_width(&ty, self.mode).is_some() => {
                    let value = self.value(e, st, facts);
                    let zero = Term::bv(value.sort().width(), 0);
                    Term::not(&value.fp_equal(&zero))
                }
                Type::Float(_) => {
                    facts.inexact(Inexact::FloatingPoint);
                    facts.fresh(Sort::Bool)
                }
                ty => Term::not(&Term::equal(&self.value(e, st, facts), &self.literal(0, &ty))),
            },
        }
    }

    /// The value of a scalar expression, of the sort of its type.
    pub fn value(&self, e: &Expr, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        match e {
            Expr::Const(v, ty @ (Type::Int(_) | Type::Math)) => self.literal(*v, ty),
            Expr::Const(v, ty) => self.constant_pointer(*v, ty, st, facts),
            Expr::Float(bits, ty) => match float_width(ty, self.mode) {
                Some(32) => Term::bv(32, (f64::from_bits(*bits) as f32).to_bits().into()),
                Some(width) => Term::bv(width, (*bits).into()),
                None => self.float(ty, facts),
            },
            Expr::Func(p, _) => self.literal(self.addresses.proc(*p), &Type::Void.ptr_to()),
            Expr::Load(lv) => self.load(lv, st, facts),
            Expr::AddrOf(lv) => self.address(lv, st, facts),
            Expr::Old(e) => self.value(e, st.entry(), facts),
            Expr::Cond(c, a, b) => {
                let (c, a, b) = (self.cond(c, st, facts), self.value(a, st, facts), self.value(b, st, facts));
                Term::ite(&c, &a, &b)
            }
            Expr::Cast(inner, to) => self.cast(inner, to, st, facts),
            Expr::Unary(UnOp::Not, ..) => self.truth(e, st, facts),
            Expr::Binary(op, ..) if op.is_comparison() || matches!(op, BinOp::And | BinOp::Or) => {
                self.truth(e, st, facts)
            }
            Expr::Unary(op @ (UnOp::Left(_) | UnOp::Before(_)), pointer, _) => {
                self.extent(*op, pointer, st, facts)
            }
            Expr::Unary(UnOp::Start, pointer, _) => self.start(pointer, st, facts),
            Expr::Unary(UnOp::Float(op), inner, ty) => {
                let v = self.value(inner, st, facts);
                self.float_function(*op, &v, &inner.ty(), ty, facts)
            }
            Expr::Unary(op, inner, ty) => self.unary(*op, inner, ty, st, facts),
            Expr::Binary(op @ (BinOp::PtrAdd | BinOp::PtrDiff), l, r, _) => {
                let value = self.pointer_op(*op, l, r, st, facts);
                if *op == BinOp::PtrAdd {
                    self.stays_inside(l, &value, st, facts);
                    self.moves_number(l, &value, st, facts);
                }
                value
            }
            Expr::Binary(op, l, r, ty) => self.arithmetic(*op, l, r, ty, st, facts),
        }
    }

    /// The byte address of a location; the one behind the last element of an array is an address too.
    pub fn address(&self, lv: &Lvalue, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        let at = self.place(lv, true, st, facts);
        if let Base::Deref(pointer) = &lv.base {
            self.stays_inside(pointer, &at, st, facts);
            self.moves_number(pointer, &at, st, facts);
        }
        at
    }

    /// The byte address of a location that is accessed, unless it is `only_address`.
    fn place(&self, lv: &Lvalue, only_address: bool, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        let ptr = Type::Void.ptr_to();
        let (mut at, mut ty) = match &lv.base {
            Base::Var(v) => (self.literal(st.address(*v), &ptr), self.program.vars[*v].ty.clone()),
            Base::Deref(p) => {
                let at = self.value(p, st, facts);
                (at, p.ty().pointee().cloned().unwrap_or(Type::Void))
            }
        };
        let mut last = true;
        for access in &lv.path {
            match access {
                Access::Field(r, f) => {
                    let record = &self.program.records[*r];
                    last &= record.is_union || record.fields.len() == *f as usize + 1;
                    let field = self.program.field(*r, *f);
                    at = self.add_pointer(&at, &self.literal(i128::from(field.offset), &ptr));
                    ty = field.ty.clone();
                }
                Access::Index(i) => {
                    let Type::Array(elem, len) = ty else {
                        panic!("an index is applied to an array");
                    };
                    let size = self.program.size_of(&elem).unwrap_or(1);
                    at = self.add_pointer(&at, &self.scaled_index(i, size, st, facts));
                    // Arrays of one element or none stand for any length at the end of old-style records.
                    if let Some(len) = len.filter(|len| *len > 1 || *len == 1 && !last) {
                        self.index_in_bounds(i, len + u64::from(only_address), st, facts);
                    }
                    ty = (*elem).clone();
                }
            }
        }
        at
    }

    /// Numeral of a type.
    pub fn literal(&self, v: i128, ty: &Type) -> Term {
        match value_sort(ty, self.mode, self.program.model) {
            Sort::BitVec(width) => Term::bv_signed(width, v),
            _ => Term::int(v),
        }
    }

    fn constant_pointer(&self, v: i128, ty: &Type, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        if v == 0 {
            return self.literal(0, ty);
        }
        let int = Type::Int(IntType { bits: self.program.model.pointer_bits(), signed: false });
        self.int_to_pointer(None, &self.literal(v, &int), st, facts)
    }

    /// Any value of the type, for one that floating point gives and the mode does not tell.
    pub(crate) fn float(&self, ty: &Type, facts: &mut SideConditions) -> Term {
        facts.inexact(Inexact::FloatingPoint);
        facts.fresh_value(ty, self.mode, self.program.model)
    }

    fn truth(&self, e: &Expr, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        let c = self.cond(e, st, facts);
        Term::ite(&c, &self.literal(1, &e.ty()), &self.literal(0, &e.ty()))
    }

    /// The value of a location: its cell's constant, or a read of its map.
    pub fn load(&self, lv: &Lvalue, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        if matches!(lv.ty, Type::Float(_)) && float_width(&lv.ty, self.mode).is_none() {
            self.access_defined(lv, st, facts);
            return self.float(&lv.ty, facts);
        }
        let cell = self.oracle.cell(lv);
        match self.oracle.cell_kind(cell) {
            CellKind::Scalar { .. } => st.scalar(cell, &lv.ty, facts),
            CellKind::Map { .. } => {
                self.access_defined(lv, st, facts);
                let at = self.address(lv, st, facts);
                let map = st.map(cell, &lv.ty, facts);
                st.loaded(&map, &at, &lv.ty);
                let value = Term::select(&map, &at);
                facts.in_range(&value, &lv.ty, self.mode);
                value
            }
            CellKind::Opaque => {
                self.access_defined(lv, st, facts);
                let fresh = facts.fresh_value(&lv.ty, self.mode, self.program.model);
                let (value, is_exact) = if st.follows_opaque() && !self.program.is_bit_field(lv) {
                    let at = self.address(lv, st, facts);
                    st.opaque(&at, &lv.ty, &fresh)
                } else {
                    (fresh, false)
                };
                if !is_exact {
                    facts.inexact(Inexact::SeveralTypes);
                }
                value
            }
        }
    }

    /// Collects the conditions under which the location can be accessed at all.
    pub fn access_defined(&self, lv: &Lvalue, st: &mut dyn State, facts: &mut SideConditions) {
        if let Base::Deref(p) = &lv.base {
            let at = self.value(p, st, facts);
            facts.defined.push(Term::not(&Term::equal(&at, &self.literal(0, &p.ty()))));
        }
        // The address computation adds the bounds of the indices.
        if lv.path.iter().any(|a| matches!(a, Access::Index(_))) {
            self.place(lv, false, st, facts);
        }
    }

    fn index_in_bounds(&self, i: &Expr, len: u64, st: &mut dyn State, facts: &mut SideConditions) {
        let index = self.value(i, st, facts);
        let bound = match i.ty() {
            Type::Math => {
                let below = Term::int_lt(&index, &Term::int(i128::from(len)));
                Term::and([Term::int_le(&Term::int(0), &index), below])
            }
            ty => {
                let t = ty.as_int().expect("an index is an integer");
                let zero = self.order(false, &self.literal(0, &ty), &index, t.signed);
                // A bound beyond the type's largest value holds of itself.
                let fits = i128::from(len) <= t.max();
                let top = if fits {
                    self.order(true, &index, &self.literal(i128::from(len), &ty), t.signed)
                } else {
                    Term::bool(true)
                };
                Term::and([zero, top])
            }
        };
        facts.defined.push(bound);
    }

    fn comparison(
        &self,
        op: BinOp,
        l: &Expr,
        r: &Expr,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let ty = l.ty();
        let (a, b) = (self.value(l, st, facts), self.value(r, st, facts));
        if float_width(&ty, self.mode).is_some() {
            return match op {
                BinOp::Eq => a.fp_equal(&b),
                BinOp::Ne => Term::not(&a.fp_equal(&b)),
                BinOp::Lt => a.fp_less(&b),
                BinOp::Le => a.fp_less_equal(&b),
                BinOp::Gt => b.fp_less(&a),
                _ => b.fp_less_equal(&a),
            };
        }
        if let Type::Float(_) = ty {
            facts.inexact(Inexact::FloatingPoint);
            return facts.fresh(Sort::Bool);
        }
        let signed = ty.as_int().is_some_and(|t| t.signed);
        match op {
            BinOp::Eq => Term::equal(&a, &b),
            BinOp::Ne => Term::not(&Term::equal(&a, &b)),
            BinOp::Lt => self.order(true, &a, &b, signed),
            BinOp::Le => self.order(false, &a, &b, signed),
            BinOp::Gt => self.order(true, &b, &a, signed),
            _ => self.order(false, &b, &a, signed),
        }
    }

    fn order(&self, strict: bool, a: &Term, b: &Term, signed: bool) -> Term {
        match (self.mode, strict, signed) {
            (IntMode::Math, true, _) => Term::int_lt(a, b),
            (IntMode::Math, false, _) => Term::int_le(a, b),
            (IntMode::Bits, true, true) => Term::bv_slt(a, b),
            (IntMode::Bits, false, true) => Term::bv_sle(a, b),
            (IntMode::Bits, true, false) => Term::bv_ult(a, b),
            (IntMode::Bits, false, false) => Term::bv_ule(a, b),
        }
    }

    pub(crate) fn add_pointer(&self, a: &Term, b: &Term) -> Term {
        match self.mode {
            IntMode::Math => Term::int_sum([a.clone(), b.clone()]),
            IntMode::Bits => Term::bv_add(a, b),
        }
    }

    /// `i * size` with the sort of addresses.
    fn scaled_index(&self, i: &Expr, size: u64, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        let index = self.value(i, st, facts);
        match self.mode {
            IntMode::Math => Term::int_mul(&Term::int(i128::from(size)), &index),
            IntMode::Bits => {
                let from = i.ty().as_int().expect("an index is an integer");
                let width = self.program.model.pointer_bits();
                let wide = resize(&index, from, width);
                Term::bv_mul(&wide, &Term::bv(u32::from(width), u128::from(size)))
            }
        }
    }

    fn pointer_op(
        &self,
        op: BinOp,
        l: &Expr,
        r: &Expr,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let size = l.ty().pointee().and_then(|t| self.program.size_of(t)).unwrap_or(1).max(1);
        let a = self.value(l, st, facts);
        if op == BinOp::PtrAdd {
            let sum = self.add_pointer(&a, &self.scaled_index(r, size, st, facts));
            if self.mode == IntMode::Math {
                facts.defined.push(Term::int_le(&Term::int(0), &sum));
            }
            return sum;
        }
        let b = self.value(r, st, facts);
        match self.mode {
            IntMode::Math => {
                let diff = Term::int_sub(&a, &b);
                if size == 1 { diff } else { trunc_div(&diff, &Term::int(i128::from(size))) }
            }
            IntMode::Bits => {
                let width = u32::from(self.program.model.pointer_bits());
                Term::bv_sdiv(&Term::bv_sub(&a, &b), &Term::bv(width, u128::from(size)))
            }
        }
    }

    fn cast(&self, e: &Expr, to: &Type, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        let from = e.ty();
        if matches!(from, Type::Float(_)) || matches!(to, Type::Float(_)) {
            let v = self.value(e, st, facts);
            return self.float_cast(&v, &from, to, facts);
        }
        let v = self.value(e, st, facts);
        match (&from, to) {
            (Type::Int(a), Type::Int(b)) => self.convert(&v, Some(*a), *b),
            (Type::Math, Type::Int(b)) => self.convert(&v, None, *b),
            (Type::Int(a), Type::Ptr(_)) => {
                let width = self.program.model.pointer_bits();
                let int = IntType { bits: width, signed: false };
                let number = self.convert(&v, Some(*a), int);
                let pointer = Expr::Cast(Box::new(e.clone()), to.clone());
                self.int_to_pointer(Some(&pointer), &number, st, facts)
            }
            (Type::Ptr(_), Type::Int(b)) => {
                let int = IntType { bits: self.program.model.pointer_bits(), signed: false };
                let number = self.pointer_to_int(e, &v, st, facts);
                self.convert(&number, Some(int), *b)
            }
            _ => v,
        }
    }

    /// Conversion modulo 2^bits; `from` is the type whose range the value is known to be in, if any.
    pub fn convert(&self, v: &Term, from: Option<IntType>, to: IntType) -> Term {
        match (self.mode, from) {
            (IntMode::Bits, Some(from)) => resize(v, from, to.bits),
            (IntMode::Bits, None) => panic!("mathematical integers do not occur with bit-vectors"),
            (IntMode::Math, Some(from)) if to.includes(from) => v.clone(),
            (IntMode::Math, Some(from)) if near(from, to) => wrap_once(v, from, to),
            (IntMode::Math, _) => wrap(v, to),
        }
    }
}

/// Application of the uninterpreted function with this name; its signature is that of the arguments given.
pub(crate) fn uninterpreted(name: &str, args: &[Term], result: Sort) -> Term {
    let function = Function::new(name, args.iter().map(|a| a.sort().clone()).collect(), result);
    Term::apply(&function, args.iter().cloned())
}
