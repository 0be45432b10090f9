//! Addresses as numbers. `ptr2int` is an uninterpreted function of the address as encodings have it, in which each instance of a
//! variable and each allocation has its own place for ever. What is known of the numbers:
//!
//! - inside of an object, and at its end, distances are those of the addresses;
//! - an object begins at a multiple of its type's alignment, not in the first page, and does not reach the end of the address space;
//! - objects that live at the same time have no byte in common, string literals excepted. Numbers of objects whose lives do not meet may be equal, and so may
//!   that of the end of one and that of the start of another.
//!
//! `int2ptr` is a function of the number. It leads back into variables that live as long as the program runs, strictly inside of
//! them; of other numbers it is open where they lead.

use crate::Inexact;
use crate::IntMode;
use crate::encode::{Encoder, uninterpreted};
use crate::state::State;
use crate::{SideConditions, side_conditions::value_sort};
use ir::extent::{Moved, Root, moved};
use ir::{Expr, IntType, Type, VarId};
use smt::{Sort, Term};

/// A variable's instance that a pointer may point into.
pub(crate) struct Instance {
    var: VarId,
    start: i128,
    size: i128,
}

impl Encoder<'_> {
    fn number_type(&self) -> IntType {
        IntType { bits: self.program.model.pointer_bits(), signed: false }
    }

    /// The unsigned number of the pointer `p`, which the expression has.
    pub(crate) fn pointer_to_int(
        &self,
        e: &Expr,
        p: &Term,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let (instances, complete) = self.instances(e, st);
        let ty = Type::Int(self.number_type());
        let number = self.number(p, facts);
        facts.axioms.push(number.equal(&self.literal(0, &ty)).equal(&p.equal(&self.literal(0, &e.ty()))));
        for instance in &instances {
            let base = self.base(instance, facts);
            let (first, _, end) = self.bounds(instance);
            let distance = self.difference(p, &first);
            let inside = self.address_order(&first, p, &end);
            facts.axioms.push(inside.implies(&number.equal(&self.add_pointer(&base, &distance))));
            if self.is_found_again(instance.var) {
                self.leads_back(instance, &base, &number, facts);
            }
        }
        if !complete {
            facts.inexact(Inexact::PointerToInteger);
        }
        number
    }

    /// The pointer that the number becomes; the expression is the pointer.
    pub(crate) fn int_to_pointer(
        &self,
        e: Option<&Expr>,
        number: &Term,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) -> Term {
        let ty = Type::Void.ptr_to();
        let p = self.raw_int_to_pointer(number);
        let zero = self.literal(0, &ty);
        facts.in_range(&p, &ty, self.mode);
        facts.axioms.push(number.equal(&zero).equal(&p.equal(&zero)));
        let (instances, complete) = e.map_or((vec![], false), |e| self.instances(e, st));
        let mut lasting = true;
        for instance in &instances {
            if !self.is_found_again(instance.var) {
                lasting = false;
                continue;
            }
            let base = self.base(instance, facts);
            self.leads_back(instance, &base, number, facts);
            // Nothing else leads there.
            let (first, last, _) = self.bounds(instance);
            let there = self.address_order(&first, &p, &last);
            let from = number.equal(&self.add_pointer(&base, &self.difference(&p, &first)));
            facts.axioms.push(there.implies(&from));
        }
        if !complete || !lasting {
            facts.inexact(Inexact::IntegerToPointer);
        }
        p
    }

    /// Whether numbers inside of the variable lead back into it: it lives as long as the program runs, and nothing else lies there.
    fn is_found_again(&self, v: VarId) -> bool {
        self.addresses.is_lasting(v) && !self.is_literal(v)
    }

    /// String literals may have bytes in common (C11 6.4.5p7).
    fn is_literal(&self, v: VarId) -> bool {
        self.program.vars[v].data.is_some()
    }

    /// A pointer that is computed from another one is as far from it in numbers, where the program looks at their bits.
    pub(crate) fn moves_number(
        &self,
        from: &Expr,
        to: &Term,
        st: &mut dyn State,
        facts: &mut SideConditions,
    ) {
        let is_known =
            matches!(moved(self.program, from, &|v| v), Some(Moved { root: Root::Variable(_), .. }));
        if !self.addresses.have_numbers() || is_known {
            return;
        }
        let at = facts.total(|facts| self.value(from, st, facts));
        if at == *to {
            return;
        }
        let number = self.number(to, facts);
        let there = self.add_pointer(&self.number(&at, facts), &self.difference(to, &at));
        let same = number.equal(&there);
        facts.axioms.push(match self.mode {
            IntMode::Bits => same,
            IntMode::Math => {
                let least = self.literal(0, &Type::Int(self.number_type()));
                let most = self.literal(self.number_type().max(), &Type::Int(self.number_type()));
                self.address_order(&least, &there, &most).implies(&same)
            }
        });
    }

    fn raw_int_to_pointer(&self, v: &Term) -> Term {
        let sort = value_sort(&Type::Void.ptr_to(), self.mode, self.program.model);
        uninterpreted("int2ptr", std::slice::from_ref(v), sort)
    }

    /// A number strictly inside of the instance becomes the pointer there.
    fn leads_back(&self, instance: &Instance, base: &Term, number: &Term, facts: &mut SideConditions) {
        let (first, ..) = self.bounds(instance);
        let last = self.add_pointer(base, &self.literal(instance.size - 1, &Type::Int(self.number_type())));
        let inside = self.address_order(base, number, &last);
        let there = self.add_pointer(&first, &self.difference(number, base));
        facts.axioms.push(inside.implies(&self.raw_int_to_pointer(number).equal(&there)));
    }

    /// The instances of variables that the pointer may point into, and whether it cannot point anywhere else.
    fn instances(&self, e: &Expr, st: &mut dyn State) -> (Vec<Instance>, bool) {
        let (targets, mut complete) = self.variables(e);
        let mut out = vec![];
        for var in targets {
            let size = self.program.size_of(&self.program.vars[var].ty);
            match size.filter(|size| *size > 0 && !self.program.is_elsewhere(var)) {
                Some(size) => {
                    let one = |start| Instance { var, start, size: size.into() };
                    out.extend(st.instances(var).into_iter().map(one));
                }
                None => complete = false,
            }
        }
        (out, complete)
    }

    /// The addresses of the first and the last byte, and of the end.
    fn bounds(&self, instance: &Instance) -> (Term, Term, Term) {
        let at = |n: i128| self.literal(n, &Type::Void.ptr_to());
        let end = instance.start + instance.size;
        (at(instance.start), at(end - 1), at(end))
    }

    fn number(&self, p: &Term, facts: &mut SideConditions) -> Term {
        let ty = Type::Int(self.number_type());
        let number =
            uninterpreted("ptr2int", std::slice::from_ref(p), value_sort(&ty, self.mode, self.program.model));
        facts.in_range(&number, &ty, self.mode);
        number
    }

    /// The number where the instance begins.
    fn base(&self, instance: &Instance, facts: &mut SideConditions) -> Term {
        let number_type = Type::Int(self.number_type());
        let base = self.number(&self.bounds(instance).0, facts);
        if facts.bases.iter().any(|(_, known, _)| *known == base) {
            return base;
        }
        let least = self.literal(ir::addresses::LOWEST, &number_type);
        let most = ir::addresses::highest(self.program.model.pointer_bits()) - instance.size;
        facts.axioms.push(self.not_above(&least, &base));
        facts.axioms.push(self.not_above(&base, &self.literal(most, &number_type)));
        self.aligned(&base, instance, facts);
        let end = |base: &Term, size: i128| self.add_pointer(base, &self.literal(size, &number_type));
        for (var, other, size) in &facts.bases {
            let live_together = self.addresses.is_lasting(*var) || self.addresses.is_lasting(instance.var);
            if live_together && !(self.is_literal(*var) && self.is_literal(instance.var)) {
                facts.axioms.push(Term::or([
                    self.not_above(&end(&base, instance.size), other),
                    self.not_above(&end(other, *size), &base),
                ]));
            }
        }
        facts.bases.push((instance.var, base.clone(), instance.size));
        base
    }

    fn aligned(&self, base: &Term, instance: &Instance, facts: &mut SideConditions) {
        let align = self.program.alignment(instance.var);
        if align < 2 {
            return;
        }
        match self.mode {
            IntMode::Math => {
                let multiple = Term::int(i128::from(align)).int_mul(&facts.fresh(Sort::Int));
                facts.axioms.push(base.equal(&multiple));
            }
            IntMode::Bits => {
                let bits = align.trailing_zeros();
                facts.axioms.push(base.bv_extract(bits - 1, 0).equal(&Term::bv(bits, 0)));
            }
        }
    }
}
