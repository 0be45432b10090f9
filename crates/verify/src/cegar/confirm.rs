//! The end of the loop: a path that newton finds feasible is replayed, and a run without an answer gets its reason.

use crate::cegar::event::{PathAnswer, Stage};
use crate::cegar::{Conclusion, Failure, Loop, MAX_STEPS, Proof, Reason, SwitchReason};
use base::Span;
use encoding::Inexact;
use executions::Replay;
use executions::{Unconfirmed, confirmed};
use interp::Limits;
use ir::{CheckKind, Path};
use newton::{GaveUp, Outcome};
use std::ops::ControlFlow::{self, Break, Continue};

impl Loop<'_> {
    /// Ends the loop when the check at the end of the path has had its share of iterations, or when the loop stands
    /// still.
    pub(crate) fn aim(&mut self, path: &Path, abstraction: bp::Program) -> ControlFlow<Conclusion> {
        let Some(check) = self.target else { return Continue(()) };
        let spent = self.known.spent.entry(check).or_default();
        // What is not modelled cannot wait: nothing is safe while it is left out.
        let may_wait = self.cx.task.program.checks[check].kind != CheckKind::Unmodelled;
        let options = self.cx.options;
        let mut most = options.patience.into_iter().chain(options.hurried.get(&check).copied());
        if may_wait && most.any(|most| most <= *spent) {
            return Break(Conclusion::Deferred(check));
        }
        *spent += 1;
        let place = (self.known.iterations, self.target);
        if self.known.history.met(self.cx.task.program, place, path, abstraction) {
            return Break(self.unknown(Reason::StandsStill, self.end_of(path)));
        }
        Continue(())
    }

    /// Has the interpreter replay a path that newton calls feasible.
    pub(crate) fn confirm(
        &mut self,
        path: &Path,
        inputs: &encoding::Inputs,
        inexact: &[Inexact],
    ) -> Conclusion {
        self.begins(Stage::Replay);
        let task = &self.cx.task;
        let limits = Limits { trace: MAX_STEPS, ..Limits::default() };
        let replay = executions::replay(task.whole, task.program, inputs, path, &limits, self.cx.stop.flag);
        let (end, followed) = match replay {
            Replay::Reached(_, run) => match confirmed(*run) {
                Ok(witness) => return Conclusion::Unsafe(Box::new(witness)),
                // The check may fail in another execution, but the paths to it are not distinguished any further.
                Err(Unconfirmed::NoModel(name)) => {
                    return Conclusion::NoModel(self.failure(Reason::NoModel(name), self.end_of(path)));
                }
                Err(Unconfirmed::Holds) => (None, path.steps.len()),
            },
            // Bit-vectors know no more than mathematical integers of what is in memory.
            Replay::Diverged { .. }
                if task.may_switch && inexact.iter().any(|what| *what != Inexact::SeveralTypes) =>
            {
                return Conclusion::SwitchToBits(SwitchReason::Inexact(inexact.to_vec()));
            }
            Replay::Diverged { end, followed } => (Some(end), followed),
        };
        self.unknown(Reason::NotReplayed { end, followed, inexact: inexact.to_vec() }, self.end_of(path))
    }

    /// What follows when the path's analysis has no answer.
    pub(crate) fn gave_up(&self, path: &Path, why: GaveUp) -> Conclusion {
        if self.cx.stop.is_set() {
            return self.interrupted();
        }
        if self.cx.task.may_switch && matches!(why, GaveUp::Prover(_)) {
            return Conclusion::SwitchToBits(SwitchReason::GaveUp(why));
        }
        self.unknown(Reason::GaveUp(why), self.end_of(path))
    }

    /// What follows when the abstraction reaches no failing check.
    pub(crate) fn nothing_reached(&self, proof: Proof) -> Conclusion {
        match self.cx.task.left_out {
            None => Conclusion::Safe(proof),
            Some(left_out) => self.unknown(left_out.reason.clone(), Some(left_out.span)),
        }
    }

    /// The end of a run that was stopped.
    pub(crate) fn interrupted(&self) -> Conclusion {
        Conclusion::Unknown(Failure { check: None, ..self.failure(Reason::Stopped, None) })
    }

    /// No answer.
    pub(crate) fn unknown(&self, reason: Reason, place: Option<Span>) -> Conclusion {
        Conclusion::Unknown(self.failure(reason, place))
    }

    /// The books of a run that has no answer.
    pub(crate) fn failure(&self, reason: Reason, place: Option<Span>) -> Failure {
        let known = &self.known;
        Failure {
            reason,
            check: self.target,
            place,
            iterations: known.iterations,
            precision: known.precision.clone(),
            history: known.history.without_abstraction(),
            max_cube: known.max_cube,
            candidates: known.induction.not_shown(),
            times: known.totals.times(),
        }
    }

    pub(crate) fn end_of(&self, path: &Path) -> Option<Span> {
        let (p, e) = path.steps.last()?.edge();
        Some(self.cx.task.program.procs[p].edges[e].span)
    }
}

/// The answer as the books have it.
pub(crate) fn answer(outcome: &Outcome<'_>) -> PathAnswer {
    match outcome {
        Outcome::Feasible { inputs, .. } => PathAnswer::Feasible(inputs.values.len()),
        Outcome::Refuted(_) => PathAnswer::Refuted(None),
        Outcome::GaveUp(why) => PathAnswer::GaveUp(why.clone()),
    }
}
