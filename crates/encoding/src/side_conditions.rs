//! What encodings say besides their terms.

use crate::{Inexact, IntMode};
use ir::{DataModel, Type, VarId};
use smt::{Sort, Term};

/// Side formulas and fresh constants of encodings.
#[derive(Clone, Debug)]
pub struct SideConditions {
    /// True in every state.
    pub axioms: Vec<Term>,
    /// True whenever the encoded expressions are defined.
    pub defined: Vec<Term>,
    /// What was over-approximated, in words ("bitwise operation", "floating point", …), without repetition.
    pub inexact: Vec<Inexact>,
    /// Variables' instances of which was said where they begin as numbers: the variable, that number, and the size in bytes.
    pub(crate) bases: Vec<(VarId, Term, i128)>,
    namespace: String,
    fresh: usize,
}

impl SideConditions {
    /// No facts; fresh constants will be called `NAMESPACE!0`, `NAMESPACE!1`, …
    pub fn new(namespace: &str) -> SideConditions {
        SideConditions {
            axioms: vec![],
            defined: vec![],
            inexact: vec![],
            bases: vec![],
            namespace: namespace.to_owned(),
            fresh: 0,
        }
    }

    /// A constant that occurs nowhere else.
    pub fn fresh(&mut self, sort: Sort) -> Term {
        self.fresh += 1;
        Term::constant(&format!("{}!{}", self.namespace, self.fresh - 1), sort)
    }

    /// A fresh constant with a value of the type.
    pub fn fresh_value(&mut self, ty: &Type, mode: IntMode, model: DataModel) -> Term {
        let term = self.fresh(value_sort(ty, mode, model));
        self.in_range(&term, ty, mode);
        term
    }

    /// Adds the axiom that a term of sort `Int` has a value of the type; nothing in `bits`, whose sorts say it.
    pub fn in_range(&mut self, term: &Term, ty: &Type, mode: IntMode) {
        if mode == IntMode::Bits || term.as_int().is_some() {
            return;
        }
        match ty {
            &Type::Int(t) => {
                self.axioms.push(Term::int_le(&Term::int(t.min()), term));
                self.axioms.push(Term::int_le(term, &Term::int(t.max())));
            }
            Type::Ptr(_) => self.axioms.push(Term::int_le(&Term::int(0), term)),
            _ => {}
        }
    }

    /// What `encode` gives, without the conditions under which it is defined: predicates are total.
    pub fn total<T>(&mut self, encode: impl FnOnce(&mut SideConditions) -> T) -> T {
        let known = self.defined.len();
        let encoded = encode(self);
        self.defined.truncate(known);
        encoded
    }

    pub(crate) fn inexact(&mut self, what: Inexact) {
        if !self.inexact.contains(&what) {
            self.inexact.push(what);
        }
    }
}

/// The width of a type's IEEE 754 numbers, if this mode has them: with bit-vectors, of 32 and 64 bits.
pub fn float_width(ty: &Type, mode: IntMode) -> Option<u32> {
    match (mode, ty) {
        (IntMode::Bits, Type::Float(f)) if matches!(f.bits, 32 | 64) => Some(u32::from(f.bits)),
        _ => None,
    }
}

/// The sort of values of a scalar type: `Int` or a bit-vector of its width. Floats that the mode does not have ([`float_width`])
/// get the sort of pointers, are never related to anything, and every use of them is inexact.
pub fn value_sort(ty: &Type, mode: IntMode, model: DataModel) -> Sort {
    if let Some(width) = float_width(ty, mode) {
        return Sort::BitVec(width);
    }
    match (mode, ty) {
        (IntMode::Math, _) => Sort::Int,
        (IntMode::Bits, Type::Int(t)) => Sort::BitVec(u32::from(t.bits)),
        (IntMode::Bits, _) => Sort::BitVec(u32::from(model.pointer_bits())),
    }
}
