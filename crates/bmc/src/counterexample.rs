//! Why candidates are not invariants: the program point at which one does not hold, and a state there.

use super::Unroller;
use super::instances::any_number;
use crate::k_induction::Candidate;
use alias::{AliasOracle, CellKind};
use encoding::Encoder;
use encoding::InputValue;
use encoding::symbolic::path_state::PathState;
use encoding::symbolic::walk::input_value;
use ir::{Expr, LocId, Lvalue, ProcId, Type};
use smt::{Model, Term};
use std::rc::Rc;

/// The event with which executions arrive at a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    /// At the head of a loop, after this many iterations since it was entered.
    Arrival(usize),
    /// Back at the head of a loop, after an iteration that began in any state that satisfies the remaining candidates.
    Turn,
    /// At the entry of a recursive procedure, by a call.
    Call,
    /// At the exit of a recursive procedure.
    Return,
}

/// Values of what a candidate mentions: of variables, members and elements at fixed places, and of a bound variable. The first
/// are in the order in which the candidate mentions them.
pub type Values = Vec<(Lvalue, InputValue)>;

/// Why a candidate was left out.
#[derive(Clone, PartialEq, Debug)]
pub enum Why {
    /// It does not hold at this event.
    Fails {
        /// The event.
        moment: Moment,
        /// A state at that event in which it does not hold.
        values: Values,
        /// The state before the iteration; empty at other events.
        before: Values,
    },
    /// The prover gave up on it.
    GaveUp,
    /// No execution in the unrolling reaches its place.
    NotReached,
}

/// A candidate that was not shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Broken {
    /// Its index.
    pub candidate: usize,
    /// Why.
    pub why: Why,
}

/// What stands at a place when it is visited: the terms of what its candidates mention.
pub(super) struct Seen {
    moment: Moment,
    mentioned: Rc<Vec<Lvalue>>,
    values: Rc<Vec<Term>>,
    /// The same before the turn.
    before: Option<Rc<Vec<Term>>>,
}

/// What of a condition's operands has a term by itself.
pub(super) fn mentioned(oracle: &AliasOracle, candidate: &Candidate) -> Vec<Lvalue> {
    let mut out: Vec<Lvalue> = vec![];
    let mut note = |lv: &Lvalue| {
        let is_scalar = matches!(lv.ty, Type::Int(_) | Type::Ptr(_))
            && matches!(oracle.cell_kind(oracle.cell(lv)), CellKind::Scalar { .. });
        let is_bound = candidate.for_all.as_ref().is_some_and(|f| lv.as_var() == Some(f.variable));
        if is_scalar && !is_bound && !out.contains(lv) {
            out.push(lv.clone());
        }
    };
    let ends = candidate.for_all.iter().flat_map(|f| [&f.from, &f.to]);
    ends.chain([&candidate.condition]).for_each(|e: &Expr| e.loads(&mut note));
    out
}

impl Seen {
    /// Why a candidate does not hold here, in a model of that.
    pub(super) fn fails(&self, enc: &Encoder<'_>, candidate: &Candidate, model: &Model) -> Why {
        let mut own = mentioned(enc.oracle, candidate);
        let of = |terms: &[Term]| -> Values {
            let find = |lv: &Lvalue| {
                let term = terms.get(self.mentioned.iter().position(|other| other == lv)?)?;
                Some((lv.clone(), input_value(&lv.ty, model.eval_completed(term))))
            };
            own.iter().filter_map(find).collect()
        };
        let before = self.before.as_ref().map(|terms| of(terms)).unwrap_or_default();
        let mut values = of(&self.values);
        if let Some(for_all) = &candidate.for_all {
            own = vec![enc.program.lvalue(for_all.variable)];
            let number = model.eval_completed(&any_number(enc, for_all));
            values.extend(own.drain(..).map(|lv| {
                let value = input_value(&lv.ty, number.clone());
                (lv, value)
            }));
        }
        Why::Fails { moment: self.moment, values, before }
    }
}

impl<'a> Unroller<'a, '_> {
    /// The terms of what the candidates at a place mention.
    pub(super) fn terms_at(&mut self, at: (ProcId, LocId), state: &mut PathState<'a>) -> Rc<Vec<Term>> {
        let enc = self.walk.enc;
        let mentioned = self.induction().mentioned.get(&at).cloned().unwrap_or_default();
        let facts = &mut self.walk.out.facts;
        Rc::new(mentioned.iter().map(|lv| facts.total(|facts| enc.load(lv, state, facts))).collect())
    }

    /// What stands at a place.
    pub(super) fn seen(
        &mut self,
        at: (ProcId, LocId),
        state: &mut PathState<'a>,
        moment: Moment,
        before: Option<&Rc<Vec<Term>>>,
    ) -> Rc<Seen> {
        let values = self.terms_at(at, state);
        let mentioned = self.induction().mentioned.get(&at).cloned().unwrap_or_default();
        Rc::new(Seen { moment, mentioned, values, before: before.cloned() })
    }
}
