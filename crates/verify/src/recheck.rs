//! Evidence of proofs, checked again. What a proof takes for granted is in the task: the checks that are assumed to hold, and
//! those of them that hold by induction.

use crate::assumptions::Assumptions;
use crate::cegar::{Held, Subject};
use crate::{Only, Task};
use bmc::{Bounds, Covered, Unrolled, unroll};
use certificate::{Certificate, Report};
use ir::CheckId;
use smt::Interrupt;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The edges and resource units that repeating a proof may cost.
const STEPS: usize = 400_000;
const RLIMIT: u64 = 16 * smt::RLIMIT;

/// Checks sets of states.
pub fn sets(subject: &Subject<'_>, certificate: &Certificate, interrupt: &Interrupt) -> Report {
    certificate::certify(subject.program, subject.oracle, certificate, subject.mode, interrupt)
}

/// How often executions turn in any loop, at most, beside the turns that the program computes with constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns(pub usize);

impl Turns {
    /// Those of a proof.
    pub fn of(covered: &Covered) -> Turns {
        Turns(covered.counted)
    }

    /// Unrolls the program so far: whether no check fails and no execution goes further.
    pub fn suffice(self, subject: &Subject<'_>, (stop, interrupt): (&AtomicBool, &Interrupt)) -> bool {
        let bounds = Bounds {
            mode: bmc::mode(subject.program, subject.mode),
            turns: self.0,
            steps: STEPS,
            rlimit: RLIMIT,
            total: RLIMIT,
            stop,
            interrupt,
        };
        matches!(unroll(subject.program, subject.oracle, &bounds, None), Unrolled::Safe(_))
    }
}

impl Only {
    /// Executes the program of a task, under assumptions, once more.
    pub fn again(task: &Task, subject: Subject<'_>, stop: &AtomicBool) -> Option<Only> {
        executions::random::only(subject.whole, stop).and_then(|run| Only::of(task, &run))
    }
}

impl Task {
    /// What a proof takes for granted: the checks that are assumed to hold, but for those that do by bounds of integers.
    pub fn granted(&self) -> Assumptions {
        let by_facts: BTreeSet<CheckId> = self.facts.held().map(|(check, _)| check).collect();
        Assumptions::of(self.assumed().difference(&by_facts).copied().collect())
    }

    /// Proves again what is assumed since induction proves it: of how many checks, and whether it was proved; `None` where there
    /// is nothing.
    pub fn held_again(&self, limits: (&AtomicBool, &Interrupt)) -> Option<(usize, bool)> {
        let checks: BTreeSet<CheckId> =
            self.inductive.iter().flat_map(|h| h.checks.iter().copied()).collect();
        let others = Assumptions::of(self.granted().checks().difference(&checks).copied().collect());
        let holds = |h: &Held| h.checks.is_subset(&h.inductive.proved(&self.under(&others), limits).0);
        (!checks.is_empty()).then(|| (checks.len(), self.inductive.iter().all(holds)))
    }
}
