//! Allocations: a fresh object is apart from everything that pointers know.

use super::{Statement, Targets};
use crate::post_state::After;
use alias::CellSet;
use encoding::SideConditions;
use ir::{Base, Expr, Lvalue, Type, UnOp};
use predicates::PredId;
use smt::Term;

impl Statement<'_> {
    /// A fresh object lies where no pointer points and behind everything that has a fixed place. What is in its
    /// memory was there before, and nobody has looked: so only `dest` changes. A `zeroed` one was zero.
    pub(super) fn alloc(&mut self, dest: &Lvalue, size: &Expr, zeroed: bool, may_fail: bool) -> Targets {
        let touched = self.touched(dest);
        if touched.is_empty() {
            return vec![];
        }
        self.evaluate(&[size], Some(dest));
        let base = &self.world.base;
        let encoder = base.encoder();
        let pointer = Type::Void.ptr_to();
        let mut facts = SideConditions::new("alloc");
        let fresh = facts.fresh_value(&pointer, base.mode, base.program.model);
        let null = encoder.literal(0, &pointer);
        let end = encoder.literal(base.addresses.end(), &pointer);
        let mut apart = vec![at_least(&fresh, &end)];
        let mut now = base.vocabulary("");
        for id in &self.world.signature(self.p).scope {
            for read in pointer_reads(&self.world.preds[*id].expr) {
                // The object that a rule follows may be one that is not there yet.
                if base.oracle.follows(&read) {
                    continue;
                }
                let value = facts.total(|facts| encoder.value(&read, &mut now, facts));
                if facts.inexact.is_empty() {
                    apart.push(fresh.different(&value));
                }
            }
        }
        let placed = Term::and(apart);
        facts.axioms.push(if may_fail { Term::or([fresh.equal(&null), placed]) } else { placed });
        self.questions.assume(facts.axioms);
        let mut after = After::new(base, CellSet::new());
        self.store(&mut after, dest, fresh.clone(), true);
        if zeroed {
            self.zero_contents(&touched, size, &fresh, &mut after);
        }
        self.update(touched, &mut after, &|e| Some(e.clone()))
    }

    /// Reads inside of the fresh object give zero.
    fn zero_contents(&mut self, touched: &[PredId], size: &Expr, fresh: &Term, after: &mut After<'_>) {
        let base = &self.world.base;
        let encoder = base.encoder();
        let mut facts = SideConditions::new("zero");
        let size = encoder.value(size, &mut base.vocabulary(""), &mut facts);
        let Some(size) = size.as_int() else { return };
        let end = fresh.int_add(&Term::int(size));
        let null = encoder.literal(0, &Type::Void.ptr_to());
        let mut zero = vec![];
        for id in touched {
            let mut reads = vec![];
            ir::visit::walk_reads(&self.world.preds[*id].expr, &mut |lv| reads.push(lv));
            for lv in reads.into_iter().filter(|lv| matches!(lv.base, Base::Deref(_))) {
                let at = encoder.address(lv, after, &mut facts);
                let value = encoder.load(lv, after, &mut facts);
                // NULL, the answer of an allocation that fails, is not an object.
                let inside = Term::and([fresh.int_le(&at), at.int_lt(&end), fresh.different(&null)]);
                zero.push(inside.implies(&value.equal(&encoder.literal(0, &lv.ty))));
            }
        }
        if facts.inexact.is_empty() {
            self.questions.assume(facts.axioms.into_iter().chain(zero));
        }
    }
}

/// `a >= b` for addresses.
fn at_least(a: &Term, b: &Term) -> Term {
    if *a.sort() == smt::Sort::Int { b.int_le(a) } else { b.bv_ule(a) }
}

/// The pointer-valued reads in an expression, `old` included, and the objects that it asks for.
fn pointer_reads(e: &Expr) -> Vec<Expr> {
    let is_read = |e: &Expr| matches!(e, Expr::Load(_) | Expr::Unary(UnOp::Start, ..)) && e.ty().is_ptr();
    let mut out = vec![];
    e.walk(&mut |e| {
        if let Expr::Old(inner) = e {
            inner.walk(&mut |r| {
                if is_read(r) {
                    out.push(Expr::Old(Box::new(r.clone())));
                }
            });
        } else if is_read(e) {
            // A read under `old` is met here also, in the present state: true of that as well.
            out.push(e.clone());
        }
    });
    out
}
