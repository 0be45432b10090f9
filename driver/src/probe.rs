//! Concrete executions: a few before the loop, which find shallow errors at once. A program that asks for nothing (no
//! input, no choice, no memory that nobody wrote) has one execution only, which is followed much further.
//!
//! Invariant: the inputs are drawn from fixed seeds and the work is bounded in steps, not in time, so that the
//! outcome is the same on every machine.

use crate::draw::Draw;
use crate::prepare::Task;
use crate::replay::confirmed;
use crate::report::Witness;
use cmm::interp::{Inputs, Limits, Outcome, Run, UninitRead, Value};
use cmm::{CheckKind, EdgeId, HavocKind, LocId, ProcId, Program, Type};
use std::sync::atomic::AtomicBool;

/// Most executions.
const RUNS: u64 = 200;

/// Most steps of one execution.
const STEPS: u64 = 20_000;

/// Most steps of the only execution of a program.
const ONLY_STEPS: u64 = 10_000_000;

/// Most bytes that it may use.
const ONLY_MEMORY: u64 = 256 << 20;

/// Most steps of all executions together.
const ALL_STEPS: u64 = 600_000;

/// What the executions gave.
pub(crate) struct Probed {
    /// For the log.
    pub summary: String,
    /// An execution that fails a check.
    pub failing: Option<Witness>,
}

/// Executes the program with a few inputs.
pub(crate) fn search(task: &Task, stop: &AtomicBool) -> Probed {
    let limits = Limits { steps: STEPS, memory: 16 << 20, call_depth: 10_000, trace: 0 };
    let longer = Limits { steps: ONLY_STEPS, memory: ONLY_MEMORY, ..limits };
    let mut first = only(task, &[limits, longer], stop);
    // One execution is enough where all are the same.
    let only = first.is_some();
    let limits = if only { longer } else { limits };
    let (mut steps, mut runs) = (0, 0);
    for seed in 0..RUNS {
        let run = first.take().unwrap_or_else(|| execute(&task.whole, seed, &limits, stop));
        runs += 1;
        steps += run.steps;
        if let Outcome::CheckFailed(check) = run.outcome
            && task.whole.checks[check].kind != CheckKind::Unmodelled
        {
            let traced = Limits { trace: STEPS as usize, ..limits };
            let run = execute(&task.whole, seed, &traced, stop);
            if let Some(witness) = confirmed(&task.whole, run, stop) {
                let summary = format!("probe: execution {runs} of {RUNS} fails a check");
                return Probed { summary, failing: Some(witness) };
            }
        }
        if only || steps >= ALL_STEPS || run.outcome == Outcome::Interrupted {
            break;
        }
    }
    let summary = format!("probe: {runs} executions, {steps} steps, no check fails");
    Probed { summary, failing: None }
}

/// The execution of a program that asks for nothing; the next limits are tried as long as the steps do not suffice.
fn only(task: &Task, limits: &[Limits], stop: &AtomicBool) -> Option<Run> {
    let mut last = None;
    for limits in limits {
        let draw = Draw::new(0);
        let mut inputs = Drawn { program: &task.whole, draw, leaves_uninitialised: true, asked: false };
        let run = cmm::interp::run(&task.whole, &mut inputs, limits, stop);
        let ended = run.outcome != Outcome::StepLimit;
        last = (!inputs.asked).then_some(run);
        if ended || last.is_none() {
            break;
        }
    }
    last
}

fn execute(program: &Program, seed: u64, limits: &Limits, stop: &AtomicBool) -> Run {
    let mut inputs = Drawn { program, draw: Draw::new(seed), leaves_uninitialised: false, asked: false };
    cmm::interp::run(program, &mut inputs, limits, stop)
}

/// Inputs from a seed.
struct Drawn<'a> {
    program: &'a Program,
    draw: Draw,
    /// Variables get values when they are read first.
    leaves_uninitialised: bool,
    /// Something was asked for that can be different in other executions.
    asked: bool,
}

impl Drawn<'_> {
    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Int(t) => Value::Int(self.draw.int(*t)),
            Type::Ptr(_) => Value::Null,
            _ => Value::Int(self.draw.below(16).into()),
        }
    }
}

impl Inputs for Drawn<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        self.asked = true;
        // What an undefined function returns may well point to something.
        if let (Type::Ptr(to), HavocKind::Extern(_)) = (ty, kind)
            && self.draw.below(2) == 1
        {
            return Value::FreshObject(self.program.size_of(to).unwrap_or(64).max(1));
        }
        self.value(ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.asked = true;
        self.draw.below(enabled.len() as u64) as usize
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.asked = true;
        self.value(ty)
    }

    fn undefined_called(&mut self, _: ProcId) {
        self.asked = true;
    }

    fn leaves_uninitialised(&self) -> bool {
        self.leaves_uninitialised
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.asked = true;
        false
    }
}
