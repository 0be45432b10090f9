//! Induction beside the abstraction: candidate invariants of loops, suggested by bounds, the program's conditions and
//! executions, are proved as far as they hold, with all paths of an iteration at once, and decide the checks that
//! follow.
//!
//! Invariant: the effort is counted in the prover's units; an attempt that costs too much is not repeated before the loop ends.

use crate::cegar::event::{Event, Stage};
use crate::cegar::facts::{Fact, NotShown, Source, WhyNot};
use crate::cegar::loop_invariants::Invariant;
use crate::cegar::{Conclusion, Context, Evidence, Loop, Proof, Subject, candidates, coverage};
use crate::plan::{Effort, Method};
use base::Span;
use bmc::Bounds;
use bmc::counterexample as broken;
use bmc::horn::Solved;
use bmc::k_induction::{Candidate, Proved, prove};
use encoding::IntMode;
use ir::{CheckId, CheckKind, Expr, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Turns of a loop that the program computes with constants, at most.
const UNROLLED: usize = 300;

/// At most this many edges are executed, for each iteration of `k`.
const STEPS: usize = 40_000;

/// Z3's resource units for showing a proof again.
const AGAIN_UNITS: u64 = 200_000_000;

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

/// A proof by induction, to be checked again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inductive {
    /// The `k` of k-induction: iterations at once.
    pub turns: usize,
    /// The invariants at the heads of loops, and at entries and exits of recursive procedures.
    pub invariants: Vec<Candidate>,
}

impl Inductive {
    /// The largest `k`.
    pub const MOST_TURNS: usize = 4;

    /// The checks that these prove, and whether these are all that executions may reach.
    pub fn proved(
        &self,
        task: &Subject<'_>,
        (stop, interrupt): (&AtomicBool, &smt::Interrupt),
    ) -> (BTreeSet<CheckId>, bool) {
        let bounds = bounds(task, self.turns, (AGAIN_UNITS, AGAIN_UNITS), (stop, interrupt));
        let (proved, _) = prove(task.program, task.oracle, &bounds, self.turns, &self.invariants, 0);
        proved.map(|p| (p.checks, p.all)).unwrap_or_default()
    }
}

/// Checks that are proved by induction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// The checks.
    pub checks: BTreeSet<CheckId>,
    /// Why they hold.
    pub inductive: Inductive,
}

fn bounds<'a>(
    task: &Subject<'_>,
    turns: usize,
    (rlimit, total): (u64, u64),
    (stop, interrupt): (&'a AtomicBool, &'a smt::Interrupt),
) -> Bounds<'a> {
    Bounds { mode: task.mode, turns: UNROLLED, steps: STEPS * turns, rlimit, total, stop, interrupt }
}

/// The effort for a solution of the program's Horn clauses: for each call of the prover by the abstraction, and the least and the
/// most before an iteration. After a failure, the next attempt gets `MORE_SOLVING` times as much.
const SOLVING: u64 = 4_000;
const LEAST_SOLVING: u64 = 500_000;
const MOST_SOLVING: u64 = 40_000_000;
const MORE_SOLVING: u64 = 4;

/// How far the induction has come.
#[derive(Default)]
pub(crate) struct Progress {
    /// For integers of this kind.
    candidates: Option<(IntMode, Tried)>,
    /// Those that are tried where the others are not enough.
    later: Vec<(Candidate, Source)>,
    /// The effort for solving Horn clauses that is worth trying next; `None` where there is nothing more to find.
    solving: Option<u64>,
    /// Numbers of turns at once that were tried, and whether more effort gives nothing more.
    done: BTreeMap<usize, bool>,
    /// An attempt was too much work.
    is_hard: bool,
    /// Units spent by the early attempt, if it was completed and nothing else was tried since.
    early: Option<u64>,
    /// How many candidates the last attempt over one turn has kept.
    kept: Option<usize>,
    /// What was shown, with whatever integers.
    facts: Vec<Fact>,
    /// What was not, by the last attempt.
    not_shown: Arc<Vec<NotShown>>,
    /// What became of those that were given, by their number.
    given: BTreeMap<usize, Result<(), WhyNot>>,
}

/// Candidates that are tried together.
#[derive(Default)]
struct Tried {
    candidates: Vec<Candidate>,
    /// Where each comes from.
    sources: Vec<Source>,
    /// Those at the beginning were given: their numbers.
    given: Vec<usize>,
}

impl Tried {
    /// Those to begin with, and the others: what executions show and what is computed is often enough, and conditions of the
    /// program, of which there are many, make it cost much more.
    fn find(cx: &Context<'_>) -> (Tried, Vec<(Candidate, Source)>) {
        let task = &cx.task;
        let given = cx.options.given.iter().enumerate();
        let given = given.filter_map(|(n, candidate)| Some((n, candidates::given(task, candidate)?)));
        let (given, first): (Vec<usize>, Vec<Candidate>) = given.unzip();
        let first = first.into_iter().map(|candidate| (candidate, Source::Given));
        let found = candidates::find(task, &cx.options.sources, cx.stop.flag);
        let is_first = |(_, source): &(Candidate, Source)| *source != Source::Conditions;
        let in_turn = !cx.options.all_candidates && found.iter().any(is_first);
        let (found, later) = match in_turn {
            true => found.into_iter().partition(is_first),
            false => (found, vec![]),
        };
        let (candidates, sources) = first.chain(found).unzip();
        (Tried { candidates, sources, given }, later)
    }

    /// Adds candidates, before all that were not given.
    fn add(&mut self, found: &[Candidate], source: Source) {
        let first = self.given.len();
        let new: Vec<Candidate> =
            found.iter().filter(|c| !self.candidates[..first].contains(c)).cloned().collect();
        let rest = self.candidates.split_off(first).into_iter().zip(self.sources.split_off(first));
        let rest: Vec<_> = rest.filter(|(candidate, _)| !new.contains(candidate)).collect();
        let all = new.into_iter().map(|candidate| (candidate, source)).chain(rest);
        let (candidates, sources): (Vec<Candidate>, Vec<Source>) = all.unzip();
        self.candidates.extend(candidates);
        self.sources.extend(sources);
    }

    fn fact(&self, i: usize) -> Fact {
        Fact::of(&self.candidates[i], self.sources[i])
    }
}

impl Progress {
    /// Finds candidates for the program, once for each kind of integers, but for those that solving gives.
    fn find(&mut self, cx: &Context<'_>) {
        if self.candidates.as_ref().is_none_or(|(mode, _)| *mode != cx.task.mode) {
            let (facts, given) = (std::mem::take(&mut self.facts), std::mem::take(&mut self.given));
            let (first, later) = Tried::find(cx);
            let candidates = Some((cx.task.mode, first));
            let solving = cx.options.sources.contains(&Source::Solved).then_some(0);
            *self = Progress { candidates, later, solving, facts, given, ..Progress::default() };
        }
    }

    /// The others are tried as well from now on: whether there are some.
    fn take_later(&mut self) -> bool {
        let later = std::mem::take(&mut self.later);
        let (false, Some((_, tried))) = (later.is_empty(), &mut self.candidates) else { return false };
        let (candidates, sources): (Vec<Candidate>, Vec<Source>) = later.into_iter().unzip();
        tried.candidates.extend(candidates);
        tried.sources.extend(sources);
        self.done.clear();
        self.is_hard = false;
        true
    }

    /// Finds candidates by solving, whenever so much effort is more than before: what came of that.
    fn solve(&mut self, cx: &Context<'_>, effort: u64) -> Option<Solved> {
        if self.solving.is_none_or(|least| effort < least) {
            return None;
        }
        let solved = candidates::solved(&cx.task, effort, (cx.stop.flag, cx.stop.interrupt));
        self.solving = (solved == Solved::GaveUp).then_some(MORE_SOLVING * effort);
        if let (Solved::Candidates(found), Some((_, tried))) = (&solved, &mut self.candidates) {
            tried.add(found, Source::Solved);
            self.done.clear();
            self.is_hard = false;
        }
        Some(solved)
    }

    fn known(&self) -> &[Candidate] {
        self.candidates.as_ref().map_or(&[], |(_, tried)| &tried.candidates)
    }

    /// What was shown.
    pub(crate) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// What was not.
    pub(crate) fn not_shown(&self) -> Arc<Vec<NotShown>> {
        self.not_shown.clone()
    }

    /// What became of a candidate that was given.
    pub(crate) fn given(&self, n: usize) -> Result<(), WhyNot> {
        self.given.get(&n).cloned().unwrap_or(Err(WhyNot::NotTried))
    }

    /// Takes note of an attempt; `covers`: what it shows is true of all executions.
    fn learned(&mut self, cx: &Context<'_>, proved: Option<&Proved>, covers: bool) {
        let Some((_, tried)) = self.candidates.take() else { return };
        let mut answers: BTreeMap<usize, Result<(), WhyNot>> = BTreeMap::new();
        match proved {
            None => answers.extend((0..tried.given.len()).map(|i| (i, Err(WhyNot::TooMuchWork)))),
            Some(proved) => {
                let why = |why: &broken::Why| Err(WhyNot::Broken(why.clone()));
                answers.extend(proved.broken.iter().map(|b| (b.candidate, why(&b.why))));
                let kept = proved.kept.iter().filter(|i| covers || **i < tried.given.len());
                let answer = || if covers { Ok(()) } else { Err(WhyNot::NotModelled) };
                answers.extend(kept.map(|i| (*i, answer())));
            }
        }
        let mut not_shown = vec![];
        for (i, answer) in &answers {
            let fact = tried.fact(*i);
            let is_known = self.facts.iter().any(|known| known.is_same(&fact));
            match answer {
                Ok(()) if !is_known => self.facts.push(fact),
                Err(why) if !is_known => not_shown.push(NotShown { fact, why: why.clone() }),
                _ => {}
            }
        }
        if proved.is_some() {
            self.not_shown = Arc::new(not_shown);
        }
        for n in 0..cx.options.given.len() {
            if self.given.get(&n).is_some_and(Result::is_ok) {
                continue;
            }
            let answer = match tried.given.iter().position(|other| *other == n) {
                None => Some(Err(WhyNot::NotExpressible)),
                Some(i) => answers.remove(&i),
            };
            let is_told = proved.is_some() || !self.given.contains_key(&n);
            if let Some(answer) = answer.filter(|_| is_told) {
                self.given.insert(n, answer);
            }
        }
        self.candidates = Some((cx.task.mode, tried));
    }
}

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

/// The checks on the program's edges: those that stand for what is not modelled, and the others.
fn checks_of(task: &Subject<'_>) -> (BTreeSet<CheckId>, BTreeSet<CheckId>) {
    let check = |op: &Op| match op {
        Op::Check(check, _) => Some(*check),
        _ => None,
    };
    let all = task.program.edges().filter_map(|(_, _, edge)| check(&edge.op));
    all.partition(|c| task.program.checks[*c].kind == CheckKind::Unmodelled)
}
