//! Traces of concurrent programs. The schedule that reaches the goal is known; along it, for each thread a run from its
//! beginning to where it stops at last. Together they are an execution: each context begins with the shared values
//! with which the one before ends.

use super::back::{Back, Pause};
use super::forth::{Contexts, Writer, Written};
use crate::eval::{Evaluator, Options, Stop};
use crate::formulae::{self, SCHEDULE};
use crate::prelude::{Input, Model, Part, Prelude};
use crate::schedule::Schedule;
use crate::translate::{Question, System, Translation};
use base::{IndexVec, SourceMap};
use bdd::{Engine, TooManyVariables};
use check::{Point, SegmentId, Trace};

/// The run of a thread, whatever others do between its contexts.
#[derive(Clone, Debug)]
pub struct Run {
    /// The number of the thread.
    pub thread: usize,
    /// Its steps. Where a context begins, shared variables may have other values than the step before leaves them with.
    pub trace: Trace,
    contexts: IndexVec<SegmentId, Contexts>,
}

impl Run {
    /// The points of the run with their contexts, with every call expanded; with calls that return as one step when
    /// that gives more than `limit`.
    pub fn points(&self, limit: usize) -> Vec<(u32, Point<'_>)> {
        let points = self.trace.flatten(limit).unwrap_or_else(|_| self.trace.top_level());
        let context = |point: &Point<'_>| {
            let all = &self.contexts[point.segment];
            all[all.partition_point(|(from, _)| *from <= point.position) - 1].1
        };
        points.into_iter().map(|point| (context(&point), point)).collect()
    }
}

/// An execution of a concurrent program.
#[derive(Clone, Debug)]
pub struct Interleaving {
    /// The runs of the threads that take part, in the order in which they begin.
    pub runs: Vec<Run>,
    /// For each context the number of its run.
    pub contexts: Vec<usize>,
}

/// An execution to one of the goals along the schedule; `None` when there is none, or when it needs more diagram variables
/// than there are.
///
/// # Errors
/// When the engine is stopped.
pub fn interleaving<E: Engine>(
    system: &System,
    question: &Question,
    schedule: &Schedule,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
) -> Result<Option<Interleaving>, Stop> {
    let switches = schedule.threads.len() as u32 - 1;
    let translation = Translation::new(system, Question { moved: false, switches, ..question.clone() });
    let model = Scheduled { translation: &translation, schedule };
    let formula = formulae::formula(SCHEDULE.text, "schedule.fp", &mut SourceMap::new(), &model)
        .expect("the formula files of the program are well-formed");
    let prelude = model.prelude();
    // Every context has to be completed, not only the last one to the goal.
    let options = Options { rings: true, early: false, ..Options::default() };
    let Ok(mut evaluator) = Evaluator::new(&formula, &model, &prelude, options, engine) else {
        return Ok(None);
    };
    let found = evaluator.run(&mut |_| {})?;
    if !found.holds {
        return Ok(None);
    }
    let mut back = Back::new((&translation, &model), &formula, evaluator, found.rings);
    back.pauses = pauses(schedule);
    let out = runs(&mut back, system, schedule);
    if back.evaluator.engine.interrupted() { Err(Stop::Interrupted) } else { Ok(out) }
}

/// The run of each thread.
fn runs<M: Model, E: Engine>(
    back: &mut Back<'_, M, E>,
    system: &System,
    schedule: &Schedule,
) -> Option<Interleaving> {
    let last = schedule.threads.len() - 1;
    let mut out = Interleaving { runs: vec![], contexts: vec![] };
    for (context, thread) in schedule.threads.iter().enumerate() {
        if let Some(known) = out.runs.iter().position(|run| run.thread == *thread) {
            out.contexts.push(known);
            continue;
        }
        let end = schedule.threads.iter().rposition(|t| t == thread).unwrap_or(context);
        let (ring, [u, v]) = if end == last { back.goal(end as u32)? } else { back.paused(end as u32)? };
        let paths = back.run(u, &v, ring)?;
        let Written { trace, contexts } = Writer::new(back, system.threads[*thread].code).write(&paths)?;
        out.contexts.push(out.runs.len());
        out.runs.push(Run { thread: *thread, trace, contexts });
    }
    Some(out)
}

fn last_before(schedule: &Schedule, context: usize) -> Option<usize> {
    schedule.threads[..context].iter().rposition(|thread| *thread == schedule.threads[context])
}

fn pauses(schedule: &Schedule) -> Vec<Pause> {
    let shared = |context: usize| schedule.shared.get(context).cloned().unwrap_or_default();
    let contexts = 0..schedule.threads.len();
    contexts
        .map(|context| Pause {
            last: last_before(schedule, context).map(|r| r as u32),
            begins: context.checked_sub(1).map(shared).unwrap_or_default(),
            ends: shared(context),
        })
        .collect()
}

/// A translation with a schedule.
struct Scheduled<'s> {
    translation: &'s Translation<'s>,
    schedule: &'s Schedule,
}

/// What the model gives beside the translation's relations.
const SCHEDULED: [(&str, [&str; 2]); 4] = [
    ("Runs", ["Context", "Thread"]),
    ("Last", ["Context", "Context"]),
    ("Begins", ["Context", "Global"]),
    ("Ends", ["Context", "Global"]),
];

impl Model for Scheduled<'_> {
    fn prelude(&self) -> Prelude {
        let mut prelude = self.translation.prelude();
        let own = SCHEDULED.iter().map(|(name, params)| Input { name, params: params.to_vec() });
        prelude.inputs.extend(own);
        prelude
    }

    fn relation<E: Engine>(&self, engine: &mut E, relation: usize, parts: &[Part]) -> E::Bdd {
        let Some(own) = relation.checked_sub(self.translation.prelude().inputs.len()) else {
            return self.translation.relation(engine, relation, parts);
        };
        let number = |n: usize, part: &Part| (0..part.len()).map(|i| n >> i & 1 == 1).collect::<Vec<bool>>();
        let mut out = engine.constant(false);
        for context in 0..self.schedule.threads.len() {
            let value = match SCHEDULED[own].0 {
                "Runs" => Some(number(self.schedule.threads[context], &parts[1])),
                "Last" => Some(number(context, &parts[1])),
                "Begins" => context.checked_sub(1).map(|i| self.schedule.shared[i].clone()),
                _ => self.schedule.shared.get(context).cloned(),
            };
            let first = match SCHEDULED[own].0 {
                "Last" => last_before(self.schedule, context),
                _ => Some(context),
            };
            let (Some(first), Some(value)) = (first, value) else { continue };
            let first = number(first, &parts[0]);
            let vars = parts.iter().flatten().copied();
            let values: bdd::Cube = vars.zip(first.into_iter().chain(value)).collect();
            let one = engine.cube(&values);
            out = engine.or(&out, &one);
        }
        out
    }
}
