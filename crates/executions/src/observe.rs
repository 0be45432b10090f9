//! Candidates for invariants of loops from concrete executions: the program is executed with small and large inputs, and with
//! inputs that lead to different places ([`Search`]), and common properties of the states at the head of a loop are
//! guessed ([`crate::likely_invariants`]).
//!
//! Invariant: as with the executions of [`probe`](crate::random), seeds are fixed and the work is bounded in steps, so that the
//! outcome is the same on every machine.

use crate::draw::Draw;
use crate::guided::Search;
use crate::likely_invariants::{Candidate, Recorder};
use crate::random::{Drawn, LIMITS};
use interp::{Inputs, Interpreter, Limits, Outcome, State, UninitRead, Value};
use ir::{CheckId, CheckKind, EdgeId, HavocKind, LocId, PathStep, ProcId, Program, Type};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// How large the inputs of an execution are, one execution after the other.
const SCALES: [u64; 10] = [1, 2, 3, 5, 8, 12, 20, 40, 100, 1000];

/// Executions, and the first of their seeds.
const RUNS: u64 = 60;
const FIRST_SEED: u64 = 100;

/// Most steps of one execution, of all of them, and of those that build on each other.
const STEPS: u64 = 20_000;
const ALL_STEPS: u64 = 500_000;
const SEARCHED: u64 = 300_000;

/// Conditions that held in all states at the heads of loops, for each head that executions have reached. Empty when
/// the run is stopped.
pub fn candidates(program: &Program, stop: &AtomicBool) -> BTreeMap<(ProcId, LocId), Vec<Candidate>> {
    let mut recorder = Recorder::new(program);
    if recorder.is_empty() {
        return BTreeMap::new();
    }
    record(program, &mut recorder, stop);
    if stop.load(Ordering::Relaxed) { BTreeMap::new() } else { recorder.candidates() }
}

/// Executes the program and shows the states to a recorder.
pub fn record(program: &Program, recorder: &mut Recorder, stop: &AtomicBool) {
    let interpreter = Interpreter::new(program);
    let mut left = ALL_STEPS;
    let mut most = STEPS;
    for n in 0..RUNS {
        let scale = SCALES[n as usize % SCALES.len()];
        let draw = Draw::new(FIRST_SEED + n);
        recorder.begin();
        let mut inputs = Watched { inputs: Drawn::scaled(program, draw, scale), recorder };
        let limits = Limits { steps: most.min(left), ..LIMITS };
        let run = interpreter.run(&mut inputs, &limits, stop);
        left = left.saturating_sub(run.steps);
        // Nothing was asked for: all executions are the same, and this one may be followed further.
        let is_only = !inputs.inputs.was_asked();
        let is_open = run.outcome == Outcome::StepLimit && most < ALL_STEPS;
        if is_only && !is_open || run.outcome == Outcome::Interrupted {
            return;
        }
        if is_only {
            most = ALL_STEPS;
        }
        if left == 0 {
            break;
        }
    }
    Search::default().show(program, SEARCHED, recorder, stop);
}

/// Whether executions go on behind the check where it fails: what is written may have been sliced away where its value does not
/// matter, and the memory itself, which such checks ask, has no value there then.
pub(crate) fn goes_past(program: &Program, failing: CheckId) -> bool {
    program.checks[failing].kind == CheckKind::Uninit
}

/// Inputs that show the states to a recorder.
struct Watched<'a> {
    inputs: Drawn<'a>,
    recorder: &'a mut Recorder,
}

impl Inputs for Watched<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        self.inputs.havoc(proc, edge, kind, ty)
    }

    fn choose_edge(&mut self, proc: ProcId, at: LocId, enabled: &[EdgeId]) -> usize {
        self.inputs.choose_edge(proc, at, enabled)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.inputs.uninit(read, ty)
    }

    fn alloc_fails(&mut self, proc: ProcId, edge: EdgeId) -> bool {
        self.inputs.alloc_fails(proc, edge)
    }

    fn goes_past(&self, failing: CheckId) -> bool {
        goes_past(self.inputs.program, failing)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        self.recorder.observe(state, step);
    }
}
