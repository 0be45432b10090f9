//! Induction beside the abstraction: what bounds, the program's conditions and executions suggest for loops is proved, as far as
//! it holds, with all paths of a turn at once, and decides the checks that follow from it.
//!
//! Invariant: the effort is counted, and grows with that of the abstraction.

use crate::event::{Event, Stage};
use crate::loop_invariants::Invariant;
use crate::{Conclusion, Loop, Proof, Task, candidates, coverage};
use cmm::{CheckId, CheckKind, Expr, LocId, Op, ProcId};
use newton::unroll::Bounds;
use newton::unroll::induction::{Candidate, Proved, Step, prove};
use pred::IntMode;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::AtomicBool;

/// Turns of a loop that the program computes with constants, at most.
const UNROLLED: usize = 300;

/// Edges that are executed, for each turn at once.
const EDGES: usize = 20_000;

/// Z3's resource units for each call that the abstraction has made of the prover.
const UNITS: u64 = 50_000;

/// The effort before the loop ends without an answer, and for showing a proof again, as calls.
const LAST: u64 = 5_000;

/// What was proved by induction, to be proved again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inductive {
    /// The step of the induction.
    pub step: Step,
    /// What holds at the heads of loops, and at entries and exits of recursive procedures.
    pub invariants: Vec<Candidate>,
}

impl Inductive {
    /// What is tried, one after the other.
    pub const STEPS: [Step; 5] =
        [Step::Turns(1), Step::Turns(2), Step::ShortLoops, Step::Turns(3), Step::Turns(4)];

    /// The checks that these prove, and whether these are all that executions may reach.
    pub fn proved(
        &self,
        task: &Task<'_>,
        (stop, interrupt): (&AtomicBool, &smt::Interrupt),
    ) -> (BTreeSet<CheckId>, bool) {
        let bounds = bounds(task, self.step, 2 * LAST * UNITS, (stop, interrupt));
        let (proved, _) = prove(task.program, task.oracle, &bounds, self.step, &self.invariants);
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
    step: Step,
    rlimit: u64,
    (stop, interrupt): (&'a AtomicBool, &'a smt::Interrupt),
) -> Bounds<'a> {
    let edges = EDGES * if let Step::Turns(k) = step { k } else { 1 };
    Bounds { mode: task.mode, turns: UNROLLED, steps: edges, rlimit, stop, interrupt }
}

/// How far the induction has come.
#[derive(Default)]
pub(crate) struct Progress {
    /// For integers of this kind.
    candidates: Option<(IntMode, Vec<Candidate>)>,
    /// What need not be tried again.
    done: BTreeSet<Step>,
}

impl Progress {
    /// The candidates for the program.
    fn candidates(&mut self, task: &Task<'_>, stop: &AtomicBool) -> &[Candidate] {
        if self.candidates.as_ref().is_none_or(|(mode, _)| *mode != task.mode) {
            *self = Progress::default();
        }
        &self.candidates.get_or_insert_with(|| (task.mode, candidates::find(task, stop))).1
    }

    fn known(&self) -> &[Candidate] {
        self.candidates.as_ref().map_or(&[], |(_, candidates)| candidates)
    }
}

impl Loop<'_> {
    /// Tries to prove the checks by induction, with an effort of so many of the abstraction's calls of the prover.
    pub(crate) fn induct(&mut self, effort: u64) -> ControlFlow<Conclusion> {
        let mut units = effort * UNITS;
        for step in Inductive::STEPS {
            if !self.cx.options.unroll || self.cx.stop.is_set() {
                break;
            }
            if self.known.induction.done.contains(&step) {
                continue;
            }
            self.begins(Stage::Induction);
            let task = &self.cx.task;
            let stop = (self.cx.stop.flag, self.cx.stop.interrupt);
            let candidates = self.known.induction.candidates(task, stop.0);
            let bounds = bounds(task, step, units, stop);
            let (proved, spent) = prove(task.program, task.oracle, &bounds, step, candidates);
            let count = (candidates.len(), proved.as_ref().map_or(0, |p| p.kept.len()));
            let all = proved.as_ref().map(|p| p.all);
            self.observer.event(&Event::Inducted { step, candidates: count, proved: all });
            units = units.saturating_sub(spent);
            let Some(proved) = proved.filter(|_| !self.cx.stop.is_set()) else { break };
            if proved.all {
                return Break(self.nothing_reached(self.by_induction(step, proved)));
            }
            if proved.conclusive {
                self.known.induction.done.insert(step);
            }
            let (unmodelled, open) = checks_of(task);
            let checks: BTreeSet<CheckId> = open.intersection(&proved.checks).copied().collect();
            // Behind what is not modelled anything may happen.
            let covers = task.left_out.is_none() && unmodelled.is_subset(&proved.checks);
            if covers && !checks.is_empty() {
                let inductive = self.inductive(step, &proved);
                return Break(Conclusion::Holds(Box::new(Held { checks, inductive })));
            }
        }
        Continue(())
    }

    /// The same, instead of giving no answer.
    pub(crate) fn induct_at_last(&mut self) -> ControlFlow<Conclusion> {
        self.induct(self.known.totals.abstraction.prover_calls.max(LAST))
    }

    fn inductive(&self, step: Step, proved: &Proved) -> Inductive {
        let candidates = self.known.induction.known();
        Inductive { step, invariants: proved.kept.iter().map(|i| candidates[*i].clone()).collect() }
    }

    fn by_induction(&self, step: Step, proved: Proved) -> Proof {
        let task = &self.cx.task;
        let candidates = self.known.induction.known();
        let mut at: BTreeMap<(ProcId, LocId), Vec<Expr>> = BTreeMap::new();
        for i in &proved.needed {
            let Candidate { at: place, condition } = &candidates[*i];
            at.entry(*place).or_default().push(condition.clone());
        }
        let mut invariants: Vec<Invariant> = vec![];
        for ((p, l), conditions) in at {
            let location = &task.program.procs[p].locations[l];
            if location.loop_head
                && let Some(condition) = conditions.into_iter().reduce(Expr::and)
            {
                invariants.push(Invariant { span: location.span, condition });
            }
        }
        invariants.sort_by_key(|i| i.span);
        Proof {
            unreached: coverage::not_executed(task, &proved.covered),
            invariants,
            complete: true,
            certificate: None,
            covered: None,
            inductive: Some(self.inductive(step, &proved)),
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
