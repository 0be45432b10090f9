//! Induction beside the abstraction: candidate invariants of loops, suggested by bounds, the program's conditions and
//! executions, are proved as far as they hold, with all paths of an iteration at once, and decide the checks that
//! follow.
//!
//! Invariant: the effort is counted in the prover's units; an attempt that costs too much is not repeated before the loop ends.

use crate::cegar::event::{Event, Stage};
use crate::cegar::inductive::{Held, Inductive, bounds};
use crate::cegar::loop_invariants::Invariant;
use crate::cegar::shown::checks_of;
use crate::cegar::{Conclusion, Evidence, Loop, Proof, candidates, coverage};
use crate::plan::{Effort, Method};
use base::Span;
use bmc::k_induction::{Candidate, Proved, prove};
use ir::{CheckId, Expr};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The early attempt shares its effort among questions as if it had this much, the usual effort of an attempt, in questions of
/// the abstraction: a single question may take what is left.
const EARLY_SINGLE: u64 = 2_500;

/// The largest `k` of k-induction before iterations.
const FEW_TURNS: usize = 2;

/// Several iterations at once, without conditions of the program among the candidates, may cost this many times as
/// much as one. Proofs over two iterations at once mostly cost two to five times as much as over one.
const MORE_FOR_TURNS: u64 = 6;

/// The same with conditions of the program, which are many: they cost far more, and prove next to nothing. One
/// iteration with them may cost as much as without.
const MORE_WITH_CONDITIONS: u64 = 1;

/// Resource units that such an attempt may always cost.
const LEAST: u64 = 500_000;

/// The effort for a solution of the program's Horn clauses: for each call of the prover by the abstraction, and the least and the
/// most before an iteration.
const SOLVING: u64 = 4_000;
const LEAST_SOLVING: u64 = 500_000;
const MOST_SOLVING: u64 = 40_000_000;

impl Loop<'_> {
    /// Tries to prove the checks by induction over one iteration, without conditions of the program and with little effort:
    /// that is enough for many small programs.
    pub(crate) fn induct_early(&mut self, effort: Effort) -> ControlFlow<Conclusion> {
        self.find_candidates();
        if self.known.induction.is_hard || !self.known.induction.done.is_empty() {
            return Continue(());
        }
        let usual = Effort::questions(EARLY_SINGLE).units();
        let spent = self.induct_over(1..=1, (usual, effort.units()), false)?;
        let known = &mut self.known.induction;
        known.early = (!known.is_hard && spent > 0).then_some(spent);
        known.is_hard = false;
        Continue(())
    }

    /// Tries to prove the checks by induction, unless an earlier attempt was too hard: without conditions of the
    /// program, then over all candidates, then with the solutions of Horn clauses.
    pub(crate) fn induct(&mut self, effort: Effort) -> ControlFlow<Conclusion> {
        self.find_candidates();
        let units = effort.units();
        let spent = self.induct_unless_hard(units, MORE_FOR_TURNS)?;
        if self.known.induction.take_later() {
            self.induct_unless_hard(units.min(spent.max(LEAST)), MORE_WITH_CONDITIONS)?;
        }
        let calls = self.known.totals.abstraction.prover_calls;
        self.solve((SOLVING * calls).clamp(LEAST_SOLVING, MOST_SOLVING));
        self.induct_unless_hard(units, MORE_WITH_CONDITIONS).map_continue(|_| ())
    }

    /// Tries induction over one iteration of each loop, with at most `units`; then over several as long as that costs
    /// at most `more` times as much, unless more candidates have shown nothing more. Returns what one iteration has
    /// cost.
    fn induct_unless_hard(&mut self, units: u64, more: u64) -> ControlFlow<Conclusion, u64> {
        if self.known.induction.is_hard {
            return Continue(0);
        }
        let early = self.known.induction.early.take();
        let before = self.known.induction.kept.filter(|_| early.is_none());
        let spent = early.unwrap_or(0) + self.induct_over(1..=1, (units, units), false)?;
        let known = &self.known.induction;
        if known.is_hard || spent == 0 || before.is_some() && before == known.kept {
            return Continue(spent);
        }
        let left = units.saturating_sub(spent);
        let total = left.min((more * spent).max(LEAST));
        self.induct_over(2..=FEW_TURNS, (left, total), false)?;
        Continue(spent)
    }

    /// Decides the candidates that were given, before the first iteration, with as much effort as there is.
    pub(crate) fn decide_given(&mut self, effort: Effort) -> ControlFlow<Conclusion> {
        let known = &self.known.induction;
        let is_open = (0..self.cx.options.given.len()).any(|n| known.given(n).is_err());
        let is_new = known.candidates.as_ref().is_none_or(|(mode, _)| *mode != self.cx.task.mode);
        if is_open && (is_new || (1..=FEW_TURNS).any(|turns| !known.done.contains_key(&turns))) {
            self.find_all_candidates();
            return self
                .induct_over(1..=FEW_TURNS, (effort.units(), effort.units()), false)
                .map_continue(|_| ());
        }
        Continue(())
    }

    /// The same over more turns and with more effort, instead of giving no answer; not where the program is large and less effort
    /// was too little for it.
    pub(crate) fn induct_at_last(&mut self, effort: Effort) -> ControlFlow<Conclusion> {
        self.find_all_candidates();
        if self.known.induction.is_hard && self.is_large() {
            return Continue(());
        }
        let units = effort.units();
        self.solve(units);
        self.induct_over(1..=Inductive::MOST_TURNS, (units, units), true).map_continue(|_| ())
    }

    fn may_induct(&self) -> bool {
        self.cx.options.uses(Method::Induction) && !self.cx.stop.is_set()
    }

    fn find_candidates(&mut self) {
        if self.may_induct() {
            self.begins(Stage::Induction);
            self.known.induction.find(self.cx);
        }
    }

    fn find_all_candidates(&mut self) {
        self.find_candidates();
        self.known.induction.take_later();
    }

    fn solve(&mut self, effort: u64) {
        if !self.may_induct() {
            return;
        }
        self.begins(Stage::Induction);
        if let Some(solved) = self.known.induction.solve(self.cx, effort) {
            self.observer.event(&Event::Solved { solved: &solved });
        }
    }

    /// Tries induction over these numbers of iterations and returns the units spent: at most `total`; single
    /// questions get parts of `single`. `again`: also over numbers of iterations that were tried with less effort.
    fn induct_over(
        &mut self,
        turns: RangeInclusive<usize>,
        (mut single, total): (u64, u64),
        again: bool,
    ) -> ControlFlow<Conclusion, u64> {
        let mut left = total;
        for turns in turns {
            if !self.may_induct() {
                break;
            }
            let done = self.known.induction.done.get(&turns);
            if done.is_some_and(|conclusive| *conclusive || !again) {
                continue;
            }
            self.begins(Stage::Induction);
            let task = &self.cx.task;
            let stop = (self.cx.stop.flag, self.cx.stop.interrupt);
            let Some((_, tried)) = &self.known.induction.candidates else { break };
            let (candidates, wanted) = (&tried.candidates, tried.given.len());
            let bounds = bounds(task, turns, (single, left), stop);
            let (proved, spent) = prove(task.program, task.oracle, &bounds, turns, candidates, wanted);
            let count = (candidates.len(), proved.as_ref().map_or(0, |p| p.kept.len()));
            let all = proved.as_ref().map(|p| p.all);
            self.observer.event(&Event::Inducted { turns, candidates: count, proved: all });
            (single, left) = (single.saturating_sub(spent), left.saturating_sub(spent));
            let proved = proved.filter(|_| !self.cx.stop.is_set());
            let (unmodelled, open) = checks_of(task);
            // Behind what is not modelled anything may happen.
            let is_covered =
                |proved: &Proved| task.left_out.is_none() && unmodelled.is_subset(&proved.checks);
            let covers = proved.as_ref().is_some_and(is_covered);
            self.known.induction.learned(self.cx, proved.as_ref(), covers);
            let Some(proved) = proved else {
                self.known.induction.is_hard |= turns == 1;
                break;
            };
            if proved.all {
                return Break(self.nothing_reached(self.by_induction(turns, proved)));
            }
            self.known.induction.done.insert(turns, proved.conclusive);
            if turns == 1 {
                self.known.induction.kept = Some(proved.kept.len());
            }
            // The loop can show why executions do not reach a check.
            let holds =
                |check: &&CheckId| proved.checks.contains(*check) && !proved.unreached.contains(*check);
            let checks: BTreeSet<CheckId> = open.iter().filter(holds).copied().collect();
            if covers && !checks.is_empty() {
                let inductive = self.inductive(turns, &proved);
                return Break(Conclusion::Holds(Box::new(Held { checks, inductive })));
            }
        }
        Continue(total - left)
    }

    fn inductive(&self, turns: usize, proved: &Proved) -> Inductive {
        let candidates = self.known.induction.known();
        Inductive { turns, invariants: proved.kept.iter().map(|i| candidates[*i].clone()).collect() }
    }

    fn by_induction(&self, turns: usize, proved: Proved) -> Proof {
        let task = &self.cx.task;
        let candidates = self.known.induction.known();
        let mut invariants: Vec<Invariant> = vec![];
        // Those without a range are joined.
        let mut plain: BTreeMap<Span, Expr> = BTreeMap::new();
        // One of those that differ in the kind of their integers alone is enough for readers.
        let mut told: BTreeSet<(Span, Expr)> = BTreeSet::new();
        for i in &proved.needed {
            let Candidate { at: (p, l), for_all, condition } = &candidates[*i];
            let location = &task.program.procs[*p].locations[*l];
            let (span, condition) = (location.span, condition.clone());
            match for_all {
                _ if !location.loop_head => {}
                Some(_) => invariants.push(Invariant { span, for_all: for_all.clone(), condition }),
                None if !told.insert((span, candidates::without_kinds(condition.clone()))) => {}
                None => {
                    let all = match plain.remove(&span) {
                        Some(before) => before.and(condition),
                        None => condition,
                    };
                    plain.insert(span, all);
                }
            }
        }
        let plain = plain.into_iter().map(|(span, condition)| Invariant { span, for_all: None, condition });
        invariants.splice(0..0, plain);
        invariants.sort_by_key(|i| i.span);
        Proof {
            unreached: coverage::not_executed(task, &proved.covered),
            reached: coverage::covered(task.program, &proved.covered),
            invariants,
            facts: Arc::default(),
            complete: true,
            evidence: Evidence::Inductive(self.inductive(turns, &proved)),
            iterations: self.known.iterations,
            predicates: self.known.precision.len(),
        }
    }
}
