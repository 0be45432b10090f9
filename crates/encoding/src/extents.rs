//! Sizes of objects as terms: [`UnOp::Left`] and [`UnOp::Before`] are uninterpreted functions of the address, one for
//! each size of elements, and what is known of them are axioms about the addresses at hand.
//!
//! The axioms are true of addresses as numbers, whatever the program does with them: distinct objects, each with the
//! address behind its end, have no address in common. So they speak only of addresses inside of objects. That a
//! pointer which leaves its object is still one into it, is in how an operator is brought to the root of an address
//! ([`simplified`]).

use crate::IntMode;
use crate::arithmetic::resize;
use crate::encode::{Encoder, uninterpreted};
use crate::state::State;
use crate::{SideConditions, side_conditions::value_sort};
use alias::Object;
use ir::extent::{Root, extent_type, moved, simplified};
use ir::{Expr, IntType, UnOp, VarId};
use smt::Term;

/// Most variables that a pointer may point into for these to be distinguished one by one.
const MOST: usize = 8;

/// A program's expressions name its own variables.
fn own(v: VarId) -> VarId {
    v
}

impl Encoder<'_> {
    /// The value of one of the operators, of the signed type of pointer differences.
    pub(crate) fn extent(
        &self,
        op: UnOp,
        pointer: &Expr,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let (unit, whole) = match op {
            UnOp::Left(unit) => (unit, UnOp::Left(1)),
            UnOp::Before(unit) => (unit, UnOp::Before(1)),
            _ => panic!("the other operators are not about objects"),
        };
        let itself = Expr::Unary(op, Box::new(pointer.clone()), extent_type());
        match simplified(self.program, op, pointer, &own) {
            Some(e) if e != itself => return facts.total(|facts| self.value(&e, st, facts)),
            Some(_) => {}
            None if unit != 1 => {
                let bytes = self.extent(whole, pointer, st, facts);
                let at = facts.total(|facts| self.value(pointer, st, facts));
                let elements = self.elements(op, &at, facts);
                self.link(unit, &elements, &bytes, facts);
                return elements;
            }
            None => {}
        }
        let at = facts.total(|facts| self.value(pointer, st, facts));
        self.inside_of_variables(pointer, &at, st, facts);
        let elements = self.elements(op, &at, facts);
        if unit != 1 {
            let bytes = self.elements(whole, &at, facts);
            self.link(unit, &elements, &bytes, facts);
        }
        elements
    }

    /// The first byte of the pointer's object.
    pub(crate) fn start(&self, pointer: &Expr, st: &mut dyn State, facts: &mut SideConditions) -> Term {
        let itself = |e: &Expr| matches!(e, Expr::Unary(UnOp::Start, inner, _) if **inner == *pointer);
        if let Some(e) = simplified(self.program, UnOp::Start, pointer, &own).filter(|e| !itself(e)) {
            return facts.total(|facts| self.value(&e, st, facts));
        }
        let at = facts.total(|facts| self.value(pointer, st, facts));
        let before = self.extent(UnOp::Before(1), pointer, st, facts);
        let before = match self.mode {
            IntMode::Math => before,
            IntMode::Bits => {
                let sum = extent_type().as_int().expect("it is one of integers");
                resize(&before, sum, self.program.model.pointer_bits())
            }
        };
        self.difference(&at, &before)
    }

    /// The function's value at an address.
    fn elements(&self, op: UnOp, at: &Term, facts: &mut SideConditions) -> Term {
        let name = match op {
            UnOp::Left(unit) => format!("left{unit}"),
            UnOp::Before(unit) => format!("before{unit}"),
            _ => panic!("the other operators are not about objects"),
        };
        let ty = extent_type();
        let value =
            uninterpreted(&name, std::slice::from_ref(at), value_sort(&ty, self.mode, self.program.model));
        // No object is larger (docs/guide/assumptions.md, 3), and pointers before one are not far from it.
        let bits = if self.program.model.pointer_bits() == 32 { 33 } else { 61 };
        facts.in_range(&value, &ir::Type::Int(IntType { bits, signed: true }), self.mode);
        let null = at.equal(&self.literal(0, &ir::Type::Void.ptr_to()));
        facts.axioms.push(null.implies(&value.equal(&self.literal(0, &ty))));
        value
    }

    /// States that `elements` is `bytes` divided by `unit`, rounded down.
    fn link(&self, unit: u64, elements: &Term, bytes: &Term, facts: &mut SideConditions) {
        let ty = extent_type();
        let number = |n: i128| self.literal(n, &ty);
        let unit = i128::from(unit);
        match self.mode {
            IntMode::Math => {
                let rest = bytes.int_sub(&number(unit).int_mul(elements));
                facts.axioms.push(number(0).int_le(&rest));
                facts.axioms.push(rest.int_lt(&number(unit)));
            }
            IntMode::Bits => {
                let t = ty.as_int().expect("differences are integers");
                facts.axioms.push(number(t.min() / unit - 1).bv_sle(elements));
                facts.axioms.push(elements.bv_sle(&number(t.max() / unit)));
                let rest = bytes.bv_sub(&number(unit).bv_mul(elements));
                facts.axioms.push(rest.bv_ult(&number(unit)));
            }
        }
    }

    /// What is known where the pointer points into one of the variables that it may point into.
    fn inside_of_variables(&self, pointer: &Expr, at: &Term, st: &mut dyn State, facts: &mut SideConditions) {
        for v in self.variables(pointer).0.into_iter().filter(|v| !self.program.is_elsewhere(*v)) {
            let Some(size) = self.program.size_of(&self.program.vars[v].ty) else { continue };
            let pointer = ir::Type::Void.ptr_to();
            for start in st.instances(v) {
                let [first, end] = [start, start + i128::from(size)].map(|n| self.literal(n, &pointer));
                let [left, before] = [UnOp::Left(1), UnOp::Before(1)].map(|op| self.elements(op, at, facts));
                let known = Term::and([
                    left.equal(&self.distance(&end, at)),
                    before.equal(&self.distance(at, &first)),
                ]);
                facts.axioms.push(self.address_order(&first, at, &end).implies(&known));
            }
        }
    }

    /// The variables that a pointer may point into, none where they are too many, and whether it cannot point anywhere else.
    pub(crate) fn variables(&self, pointer: &Expr) -> (Vec<VarId>, bool) {
        if let Some(Root::Variable(v)) = moved(self.program, pointer, &own).map(|m| m.root) {
            return (vec![v], true);
        }
        let targets = self.oracle.points_to(pointer);
        let variable = |o: &Object| if let Object::Var(v) = o { Some(*v) } else { None };
        let known: Vec<VarId> = targets.objects.iter().filter_map(variable).collect();
        if known.len() > MOST {
            return (vec![], false);
        }
        let complete = !targets.unknown && known.len() == targets.objects.len();
        (known, complete)
    }

    pub(crate) fn difference(&self, a: &Term, b: &Term) -> Term {
        match self.mode {
            IntMode::Math => a.int_sub(b),
            IntMode::Bits => a.bv_sub(b),
        }
    }

    /// The difference of two addresses of one object, of [`extent_type`].
    fn distance(&self, a: &Term, b: &Term) -> Term {
        let difference = self.difference(a, b);
        match self.mode {
            IntMode::Math => difference,
            IntMode::Bits => {
                let signed = IntType { bits: self.program.model.pointer_bits(), signed: true };
                resize(&difference, signed, 64)
            }
        }
    }

    /// The address is from the first to the last of two.
    pub(crate) fn address_order(&self, first: &Term, at: &Term, last: &Term) -> Term {
        Term::and([self.not_above(first, at), self.not_above(at, last)])
    }

    /// The address, or its number, is not above the other one.
    pub(crate) fn not_above(&self, a: &Term, b: &Term) -> Term {
        match self.mode {
            IntMode::Math => a.int_le(b),
            IntMode::Bits => a.bv_ule(b),
        }
    }

    /// An address that is computed from a pointer, if it is one inside of its object: as far from the end as it was
    /// moved less.
    pub(crate) fn stays_inside(
        &self,
        from: &Expr,
        to: &Term,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) {
        if !self.addresses.have_extents() {
            return;
        }
        let at = facts.total(|facts| self.value(from, st, facts));
        if at == *to {
            return;
        }
        self.inside_of_variables(from, &at, st, facts);
        let by = self.distance(to, &at);
        let [left, before] = [UnOp::Left(1), UnOp::Before(1)].map(|op| self.elements(op, &at, facts));
        let [left_there, before_there] =
            [UnOp::Left(1), UnOp::Before(1)].map(|op| self.elements(op, to, facts));
        let (inside, known) = match self.mode {
            IntMode::Math => {
                let moved = before.int_add(&by);
                let inside = Term::and([Term::int(0).int_le(&moved), by.int_le(&left)]);
                (inside, [left_there.equal(&left.int_sub(&by)), before_there.equal(&moved)])
            }
            IntMode::Bits => {
                let zero = self.literal(0, &extent_type());
                let inside = Term::and([
                    zero.bv_sle(&before),
                    zero.bv_sle(&left),
                    before.bv_neg().bv_sle(&by),
                    by.bv_sle(&left),
                ]);
                (inside, [left_there.equal(&left.bv_sub(&by)), before_there.equal(&before.bv_add(&by))])
            }
        };
        facts.axioms.push(inside.implies(&Term::and(known)));
    }
}
