//! Proofs by induction, as evidence: they can be shown again.

use crate::cegar::Subject;
use bmc::Bounds;
use bmc::k_induction::{Candidate, prove};
use ir::CheckId;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Turns of a loop that the program computes with constants, at most.
const UNROLLED: usize = 300;

/// At most this many edges are executed, for each iteration of `k`.
const STEPS: usize = 40_000;

/// Z3's resource units for showing a proof again.
const AGAIN_UNITS: u64 = 200_000_000;

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

/// The limits of a question over this many iterations at once.
pub(crate) fn bounds<'a>(
    task: &Subject<'_>,
    turns: usize,
    (rlimit, total): (u64, u64),
    (stop, interrupt): (&'a AtomicBool, &'a smt::Interrupt),
) -> Bounds<'a> {
    Bounds { mode: task.mode, turns: UNROLLED, steps: STEPS * turns, rlimit, total, stop, interrupt }
}
