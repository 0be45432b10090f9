//! A question that takes long is asked slice by slice ([`bp::cfg::slices`]), each about fewer variables: one disjunct of the
//! condition before the goal, and its cone of influence. A trace of a slice shows the way for one of the program, along the
//! edges of that trace alone.

use crate::{Answer, Options, Outcome, Progress, Stopped, TooManyVariables, run};
use bdd::Engine;
use bp::cfg::slices;
use bp::{Cfg, Slice, VertexId};
use check::{Trace, along};
use std::cell::OnceCell;

/// Holds the graphs of slices, which the outcome refers to.
#[derive(Default, Debug)]
pub struct Slices {
    slices: OnceCell<Vec<Slice>>,
    along: OnceCell<Cfg>,
}

impl Slices {
    /// None yet.
    pub fn new() -> Slices {
        Slices::default()
    }
}

/// Answers as [`check_with`](crate::check_with); when that takes more than `patience` nodes, slice by slice, if that is
/// easier. The reached states of the outcome are then those of the last slice, or of the trace.
///
/// # Errors
/// As [`check`](crate::check()).
pub fn check_in_slices<'a, E: Engine>(
    cfg: &'a Cfg,
    (held, patience): (&'a Slices, u64),
    options: &Options<'a>,
    progress: &mut Progress,
    engine: impl Fn(usize) -> Result<E, TooManyVariables>,
) -> Result<Outcome<'a, E>, Stopped> {
    let mut easier = || !held.slices.get_or_init(|| slices(cfg, &options.goals)).is_empty();
    if let Some(outcome) = run(cfg, options, progress, &engine, Some((patience, &mut easier)))? {
        return Ok(outcome);
    }
    let mut search = |cfg: &'a Cfg, goals: Vec<VertexId>| -> Result<Outcome<'a, E>, Stopped> {
        let before = *progress;
        let options = Options { goals, ..options.clone() };
        let outcome = run(cfg, &options, progress, &engine, None);
        progress.add(&before);
        Ok(outcome?.expect("nothing else is tried"))
    };
    let (mut best, mut last): (Option<Trace>, _) = (None, None);
    for slice in held.slices.get().into_iter().flatten() {
        let outcome = search(&slice.cfg, slice.goals.clone())?;
        let reached = matches!(outcome.answer, Answer::Reachable { .. });
        if let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer
            && best.as_ref().is_none_or(|best| trace.length() < best.length())
        {
            best = Some(trace.clone());
        }
        last = Some(outcome);
        if reached && !(options.trace && options.exhaustive) {
            break;
        }
    }
    let outcome = match best {
        None => last.expect("there is a slice"),
        Some(trace) => search(held.along.get_or_init(|| along(cfg, &trace)), vec![trace.target])?,
    };
    Ok(Outcome { stats: progress.stats, times: progress.times, ..outcome })
}

impl Progress {
    /// Two searches one after the other.
    fn add(&mut self, other: &Progress) {
        let (own, more) = (&mut self.stats, &other.stats);
        own.vertices = own.vertices.max(more.vertices);
        own.rounds += more.rounds;
        own.summaries += more.summaries;
        own.nodes = own.nodes.max(more.nodes);
        own.nodes_made += more.nodes_made;
        own.diagram_vars = own.diagram_vars.max(more.diagram_vars);
        self.times.preparing += other.times.preparing;
        self.times.searching += other.times.searching;
        self.times.tracing += other.times.tracing;
    }
}
