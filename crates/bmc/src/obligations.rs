//! Obligations and assumptions from the candidates at the places that executions reach.

use super::instances::{self, Deferred};
use super::{Flow, Unroller};
use crate::counterexample::{Moment, Seen};
use crate::k_induction::{Candidate, Induction};
use ir::{LocId, ProcId};
use smt::{Sort, Term};
use std::rc::Rc;

/// That a candidate holds at a place.
pub(super) struct Obligation {
    /// The number of the visit to the place.
    pub(super) visit: usize,
    pub(super) candidate: usize,
    /// The formula of its failure.
    pub(super) formula: Term,
    /// What stands at the place.
    pub(super) seen: Rc<Seen>,
}

impl<'a> Unroller<'a, '_> {
    /// The candidates at a place are to hold there; after a turn, with what stood there before it.
    pub(super) fn oblige(
        &mut self,
        at: (ProcId, LocId),
        flow: &mut Flow<'a>,
        (moment, before): (Moment, Option<&Rc<Vec<Term>>>),
    ) {
        if self.is_assuming() {
            return;
        }
        self.induction().met.insert(at);
        if !self.induction().at.contains_key(&at) {
            return;
        }
        self.induction().visits += 1;
        let visit = self.induction().visits;
        let conditions = self.conditions(at, flow);
        let seen = self.seen(at, &mut flow.state, moment, before);
        for (candidate, holds) in conditions {
            let kept = Induction::is_kept(candidate);
            let formula = flow.guard.with(Term::and([kept, holds.not()]));
            if formula.as_bool() != Some(false) {
                self.induction().obligations.push(Obligation {
                    visit,
                    candidate,
                    formula,
                    seen: seen.clone(),
                });
            }
        }
    }

    /// The candidates at a place hold there, as far as they are kept.
    pub(super) fn assume(&mut self, at: (ProcId, LocId), flow: &mut Flow<'a>) {
        let conditions = self.conditions(at, flow);
        if conditions.is_empty() {
            return;
        }
        let candidates = self.induction().candidates;
        self.induction().assumed.extend(conditions.iter().map(|(i, _)| *i));
        let (ranges, plain): (Vec<_>, Vec<_>) =
            conditions.into_iter().partition(|(i, _)| candidates[*i].for_all.is_some());
        let plain = Term::and(plain.into_iter().map(|(i, holds)| Induction::is_kept(i).implies(&holds)));
        let facts = &mut self.walk.out.facts;
        let name = facts.fresh(Sort::Bool);
        flow.guard.add(&name);
        if ranges.is_empty() {
            facts.axioms.push(name.equal(&plain));
            return;
        }
        let ranges = ranges.into_iter().map(|(i, _)| i).collect();
        self.induction().deferred.push(Deferred { name, plain, ranges, state: flow.state.clone() });
    }

    /// The candidates at a place, in a state.
    fn conditions(&mut self, at: (ProcId, LocId), flow: &mut Flow<'a>) -> Vec<(usize, Term)> {
        let enc = self.walk.enc;
        let induction = self.induction.as_ref().expect("there are candidates in inductions only");
        let facts = &mut self.walk.out.facts;
        let term = |i: &usize| {
            let Candidate { condition, for_all, .. } = &induction.candidates[*i];
            let holds = match for_all {
                None => facts.total(|facts| enc.cond(condition, &mut flow.state, facts)),
                Some(for_all) => instances::arbitrary(enc, (for_all, condition), &mut flow.state, facts),
            };
            (*i, holds)
        };
        let all = induction.at.get(&at).into_iter().flatten().map(term).collect();
        flow.state.reads.clear();
        all
    }
}
