//! Induction beside the abstraction: what bounds, the program's conditions and executions suggest for loops is proved, as far as
//! it holds, with all paths of a turn at once, and decides the checks that follow from it.
//!
//! Invariant: the effort is counted in the prover's units; an attempt that costs too much is not repeated before the loop ends.

use crate::event::{Event, Stage};
use crate::loop_invariants::Invariant;
use crate::{Conclusion, Loop, Proof, Task, candidates, coverage};
use base::Span;
use cmm::{CheckId, CheckKind, Expr, Op};
use newton::unroll::Bounds;
use newton::unroll::clauses::Solved;
use newton::unroll::induction::{Candidate, Proved, prove};
use pred::IntMode;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::AtomicBool;

/// Turns of a loop that the program computes with constants, at most.
const UNROLLED: usize = 300;

/// Edges that are executed, for each turn at once.
const STEPS: usize = 20_000;

/// Z3's resource units for all questions of an attempt before an iteration, of one before the loop ends without an answer, and
/// for showing a proof again.
const UNITS: u64 = 20_000_000;
const LAST_UNITS: u64 = 100_000_000;
const AGAIN_UNITS: u64 = 200_000_000;

/// The most turns at once before iterations.
const FEW_TURNS: usize = 2;

/// What was proved by induction, to be proved again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inductive {
    /// So many turns at once.
    pub turns: usize,
    /// What holds at the heads of loops, and at entries and exits of recursive procedures.
    pub invariants: Vec<Candidate>,
}

impl Inductive {
    /// The most turns at once.
    pub const MOST_TURNS: usize = 4;

    /// The checks that these prove, and whether these are all that executions may reach.
    pub fn proved(
        &self,
        task: &Task<'_>,
        (stop, interrupt): (&AtomicBool, &smt::Interrupt),
    ) -> (BTreeSet<CheckId>, bool) {
        let bounds = bounds(task, self.turns, AGAIN_UNITS, (stop, interrupt));
        let (proved, _) = prove(task.program, task.oracle, &bounds, self.turns, &self.invariants);
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
    task: &Task<'_>,
    turns: usize,
    rlimit: u64,
    (stop, interrupt): (&'a AtomicBool, &'a smt::Interrupt),
) -> Bounds<'a> {
    Bounds { mode: task.mode, turns: UNROLLED, steps: STEPS * turns, rlimit, stop, interrupt }
}

/// The effort for a solution of the program's Horn clauses: for each call of the prover by the abstraction, and the least and the
/// most before an iteration. What failed is tried again with so many times as much.
const SOLVING: u64 = 4_000;
const LEAST_SOLVING: u64 = 2_000_000;
const MOST_SOLVING: u64 = 40_000_000;
const MORE_SOLVING: u64 = 4;

/// How far the induction has come.
#[derive(Default)]
pub(crate) struct Progress {
    /// For integers of this kind.
    candidates: Option<(IntMode, Vec<Candidate>)>,
    /// The effort for solving Horn clauses that is worth trying next; `None` where there is nothing more to find.
    solving: Option<u64>,
    /// Numbers of turns at once that were tried, and whether more effort gives nothing more.
    done: BTreeMap<usize, bool>,
    /// An attempt was too much work.
    is_hard: bool,
}

impl Progress {
    /// Finds candidates for the program, once for each kind of integers, and by solving whenever so much effort is more than before.
    fn find(&mut self, task: &Task<'_>, effort: u64, stop: (&AtomicBool, &smt::Interrupt)) {
        if self.candidates.as_ref().is_none_or(|(mode, _)| *mode != task.mode) {
            let candidates = Some((task.mode, candidates::find(task, stop.0)));
            *self = Progress { candidates, solving: Some(0), ..Progress::default() };
        }
        if self.solving.is_none_or(|least| effort < least) {
            return;
        }
        self.solving = None;
        match candidates::solved(task, effort, stop) {
            Solved::GaveUp => self.solving = Some(MORE_SOLVING * effort),
            Solved::Nothing => {}
            Solved::Candidates(mut found) => {
                if let Some((_, candidates)) = &mut self.candidates {
                    candidates.retain(|candidate| !found.contains(candidate));
                    found.append(candidates);
                    *candidates = found;
                }
                self.done.clear();
                self.is_hard = false;
            }
        }
    }

    fn known(&self) -> &[Candidate] {
        self.candidates.as_ref().map_or(&[], |(_, candidates)| candidates)
    }
}

impl Loop<'_> {
    /// Tries to prove the checks by induction, as long as that was no work in vain.
    pub(crate) fn induct(&mut self) -> ControlFlow<Conclusion> {
        let calls = self.known.totals.abstraction.prover_calls;
        let effort = (SOLVING * calls).clamp(LEAST_SOLVING, MOST_SOLVING);
        self.find_candidates(effort);
        if self.known.induction.is_hard {
            return Continue(());
        }
        self.induct_over(FEW_TURNS, UNITS, false)
    }

    /// The same over more turns and with more effort, instead of giving no answer.
    pub(crate) fn induct_at_last(&mut self) -> ControlFlow<Conclusion> {
        self.find_candidates(LAST_UNITS);
        self.induct_over(Inductive::MOST_TURNS, LAST_UNITS, true)
    }

    fn find_candidates(&mut self, effort: u64) {
        if self.cx.options.induction && !self.cx.stop.is_set() {
            self.begins(Stage::Induction);
            let stop = (self.cx.stop.flag, self.cx.stop.interrupt);
            self.known.induction.find(&self.cx.task, effort, stop);
        }
    }

    /// `again`: also over so many turns as were tried with less effort.
    fn induct_over(&mut self, most: usize, mut units: u64, again: bool) -> ControlFlow<Conclusion> {
        for turns in 1..=most {
            if !self.cx.options.induction || self.cx.stop.is_set() {
                break;
            }
            let done = self.known.induction.done.get(&turns);
            if done.is_some_and(|conclusive| *conclusive || !again) {
                continue;
            }
            self.begins(Stage::Induction);
            let task = &self.cx.task;
            let stop = (self.cx.stop.flag, self.cx.stop.interrupt);
            let candidates = self.known.induction.known();
            let bounds = bounds(task, turns, units, stop);
            let (proved, spent) = prove(task.program, task.oracle, &bounds, turns, candidates);
            let count = (candidates.len(), proved.as_ref().map_or(0, |p| p.kept.len()));
            let all = proved.as_ref().map(|p| p.all);
            self.observer.event(&Event::Inducted { turns, candidates: count, proved: all });
            units = units.saturating_sub(spent);
            let Some(proved) = proved.filter(|_| !self.cx.stop.is_set()) else {
                self.known.induction.is_hard = true;
                break;
            };
            if proved.all {
                return Break(self.nothing_reached(self.by_induction(turns, proved)));
            }
            self.known.induction.done.insert(turns, proved.conclusive);
            let (unmodelled, open) = checks_of(task);
            // Why executions do not come to a check the loop can tell.
            let holds =
                |check: &&CheckId| proved.checks.contains(*check) && !proved.unreached.contains(*check);
            let checks: BTreeSet<CheckId> = open.iter().filter(holds).copied().collect();
            // Behind what is not modelled anything may happen.
            let covers = task.left_out.is_none() && unmodelled.is_subset(&proved.checks);
            if covers && !checks.is_empty() {
                let inductive = self.inductive(turns, &proved);
                return Break(Conclusion::Holds(Box::new(Held { checks, inductive })));
            }
        }
        Continue(())
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
        for i in &proved.needed {
            let Candidate { at: (p, l), for_all, condition } = &candidates[*i];
            let location = &task.program.procs[*p].locations[*l];
            let (span, condition) = (location.span, condition.clone());
            match for_all {
                _ if !location.loop_head => {}
                Some(_) => invariants.push(Invariant { span, for_all: for_all.clone(), condition }),
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
            complete: true,
            certificate: None,
            covered: None,
            inductive: Some(self.inductive(turns, &proved)),
            iterations: self.known.iterations,
            predicates: self.known.precision.len(),
        }
    }
}

/// The checks on the program's edges: those that stand for what is not modelled, and the others.
fn checks_of(task: &Task<'_>) -> (BTreeSet<CheckId>, BTreeSet<CheckId>) {
    let check = |op: &Op| match op {
        Op::Check(check, _) => Some(*check),
        _ => None,
    };
    let all = task.program.edges().filter_map(|(_, _, edge)| check(&edge.op));
    all.partition(|c| task.program.checks[*c].kind == CheckKind::Unmodelled)
}
