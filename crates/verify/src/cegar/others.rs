//! Errors besides the first one: an iteration that has found a path to one check has also found whether the others
//! are reached, and analyses some of these paths as well. So a program of many procedures that do the same, each with a
//! state of its own, or of many checks one after the other, needs only as many iterations as one of them.
//!
//! Invariant: what is learned here comes on top of what the first path gives; it does not count as progress, and ends
//! the loop only with an error that was replayed.

use crate::cegar::event::{Event, Record};
use crate::cegar::path::{self, AbstractPath};
use crate::cegar::{Conclusion, Loop, Paths, around, confirm};
use c2bp::Abstraction;
use check::Trace;
use ir::{EdgeId, Path, ProcId};
use newton::{Outcome, Refiner, Refuted};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;

/// Most steps of all further paths of an iteration together.
const STEPS: usize = 2_000_000;

/// Most steps of one of them, calls taken once.
const MOST_STEPS: usize = 100_000;

/// What came of a further path.
pub(crate) struct Another {
    /// Something was learned from it.
    pub(crate) is_new: bool,
    /// The conditions that contradict each other on it, the last one first.
    pub(crate) needed: Vec<(ProcId, EdgeId)>,
}

/// The paths of traces, as many of them as have few enough steps together.
fn paths(abstraction: &Abstraction, cfg: &bp::Cfg, traces: &[Trace]) -> Vec<AbstractPath> {
    let predicates = path::predicates(&abstraction.origin, cfg);
    let (mut met, mut steps) = (BTreeSet::new(), 0);
    let mut paths = traces
        .iter()
        .filter_map(|trace| AbstractPath::new(&abstraction.origin, &predicates, trace, &mut met));
    let within = |error: &AbstractPath| {
        let before = steps;
        steps += error.path.steps.len();
        before <= STEPS
    };
    paths.by_ref().take_while(within).collect()
}

impl Loop<'_> {
    /// Paths to other failing checks than that of the first path, those in other procedures first.
    pub(crate) fn other_errors(
        &mut self,
        abstraction: &Abstraction,
        cfg: &bp::Cfg,
        first: bp::VertexId,
        reached: &mut bebop::Reached<'_>,
    ) -> Vec<AbstractPath> {
        if self.refiner_of_others().is_none() || self.cx.options.paths < Paths::Checks {
            return vec![];
        }
        let mut vertices = reached.other_failures(first);
        vertices.truncate(self.others);
        // Nothing is lost when it was stopped: the loop sees that, too.
        let traces = reached.traces(&vertices, MOST_STEPS).unwrap_or_default();
        paths(abstraction, cfg, &traces)
    }

    /// Paths to the failing check of the first one by other calls of its procedure.
    pub(crate) fn errors_by_other_calls(
        &mut self,
        abstraction: &Abstraction,
        cfg: &bp::Cfg,
        first: &Trace,
        reached: &mut bebop::Reached<'_>,
    ) -> Vec<AbstractPath> {
        if self.refiner_of_others().is_none() || self.cx.options.paths < Paths::Around {
            return vec![];
        }
        let traces = reached.traces_by_other_calls(first, self.by_calls, MOST_STEPS).unwrap_or_default();
        paths(abstraction, cfg, &traces)
    }

    /// The refiner that analyses further paths, if any does.
    pub(crate) fn refiner_of_others(&self) -> Option<Refiner> {
        self.cx.options.refiners.first().copied().filter(|refiner| *refiner == Refiner::Wp)
    }

    /// Learns from further paths, to other checks and by other calls. More of them are analysed the next time if all of these gave
    /// something new, fewer if one did not.
    pub(crate) fn refine_others(
        &mut self,
        others: &[AbstractPath],
        by_calls: &[AbstractPath],
        record: &mut Record,
    ) -> ControlFlow<Conclusion> {
        let Some(refiner) = self.refiner_of_others() else { return Continue(()) };
        let started = Instant::now();
        if !others.is_empty() {
            let idle = self.refine_all(others, 2, refiner, record)?;
            self.others = newton::next_paths(self.others, idle);
        }
        if !by_calls.is_empty() {
            let idle = self.refine_all(by_calls, 2 + others.len(), refiner, record)?;
            self.by_calls = newton::next_paths(self.by_calls, idle);
        }
        if let Some(refined) = &mut record.refinement {
            (refined.others, refined.by_calls) = (others.len(), by_calls.len());
            refined.time += started.elapsed();
        }
        Continue(())
    }

    /// Learns from each of these, numbered from here on; how many gave nothing new.
    fn refine_all(
        &mut self,
        errors: &[AbstractPath],
        first: usize,
        refiner: Refiner,
        record: &mut Record,
    ) -> ControlFlow<Conclusion, usize> {
        let mut idle = 0;
        for (number, error) in (first..).zip(errors) {
            if self.cx.stop.is_set() {
                break;
            }
            idle += usize::from(!self.refine_another(error, number, refiner, record)?.is_new);
        }
        Continue(idle)
    }

    /// Analyses one further path.
    pub(crate) fn refine_another(
        &mut self,
        error: &AbstractPath,
        number: usize,
        refiner: Refiner,
        record: &mut Record,
    ) -> ControlFlow<Conclusion, Another> {
        let iteration = self.known.iterations;
        self.observer.event(&Event::Reached { iteration, number, path: &error.path });
        let program = self.cx.task.program;
        let short = newton::shorten(program, self.cx.task.oracle, &error.path);
        if let Some(path) = &short
            && let Outcome::Refuted(refuted) = self.analyze_next(path)
        {
            let needed = around::needed(program, path, &refuted);
            let is_new = self.take(error, path, &refuted, refiner, record);
            return Continue(Another { is_new, needed });
        }
        let outcome = self.analyze_next(&error.path);
        let said = confirm::answer(&outcome);
        match outcome {
            Outcome::Feasible { inputs, inexact } => {
                if let found @ Conclusion::Unsafe(_) = self.confirm(&error.path, &inputs, &inexact) {
                    if let Some(refined) = &mut record.refinement {
                        (refined.answer, refined.steps) = (said, error.path.steps.len());
                    }
                    return Break(found);
                }
                Continue(Another { is_new: false, needed: vec![] })
            }
            Outcome::Refuted(refuted) => {
                let needed = around::needed(program, &error.path, &refuted);
                let is_new = self.take(error, &error.path, &refuted, refiner, record);
                Continue(Another { is_new, needed })
            }
            Outcome::GaveUp(_) => Continue(Another { is_new: false, needed: vec![] }),
        }
    }

    /// Blocks states, or else learns from the path, which may be shorter than the whole; whether there was anything new.
    fn take(
        &mut self,
        error: &AbstractPath,
        path: &Path,
        refuted: &Refuted<'_>,
        refiner: Refiner,
        record: &mut Record,
    ) -> bool {
        let blocked = self.block_states(&error.states);
        let found = if blocked.is_empty() {
            let predicates = refuted.refine(refiner, &self.known.precision).predicates;
            let mut found = self.learn(path, predicates);
            found.iter_mut().for_each(|f| f.index = None);
            found
        } else {
            vec![]
        };
        let is_new = !blocked.is_empty() || !found.is_empty();
        if let Some(refined) = &mut record.refinement {
            refined.blocked.extend(blocked);
            refined.found.extend(found);
        }
        is_new
    }
}
