//! Executions of the boolean program as paths of the C-- program.

use super::Task;
use crate::report::listing::{Remark, Source, listing, outcome};
use check::{Event, StepKind, Trace};
use dataflow::{Dereference, Origin};
use ir::{Path, PathStep};

/// Longest path that is written with what happens in calls that return.
const MAX_STEPS: usize = 20_000;

/// The path of a run that ends at a dereference.
pub(super) fn of(task: &Task, trace: &Trace, end: &Dereference) -> Path {
    let points = trace.flatten(MAX_STEPS).unwrap_or_else(|_| trace.top_level());
    let origin = |stmt| task.nullness.origins.get(stmt).copied().unwrap_or(Origin::Nothing);
    let mut steps = vec![];
    let mut calls = vec![];
    for point in points {
        match point.event {
            Event::Step(step) => {
                let origin = origin(step.stmt);
                if matches!(step.kind, StepKind::Call(Some(_)) | StepKind::Enter(_)) {
                    calls.push(origin);
                }
                steps.extend(origin.step(false));
            }
            Event::Return(_) => steps.extend(calls.pop().and_then(|o| o.step(true))),
            Event::Target(_) => {}
        }
    }
    steps.push(PathStep::Edge(end.proc, end.edge));
    Path { steps }
}

/// The path as text; `last` stands beside its end.
pub(super) fn text(task: &Task, path: &Path, last: &str) -> String {
    let end = path.steps.len() - 1;
    let source = Source { program: &task.program, sources: &task.sources, words: None };
    listing(source, path, |i| {
        if i == end {
            return Remark::note(last.to_owned());
        }
        Remark { outcome: outcome(&task.program, &path.steps[i]), ..Remark::default() }
    })
}
