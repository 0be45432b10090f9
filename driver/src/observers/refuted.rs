//! Why the path of an iteration cannot be executed, for pages: the steps that matter, the condition before each of
//! them under which the path goes on, and the predicates taken from these.

use super::record::span;
use crate::prepare::Task;
use crate::report::listing::{outcome, shortened, text};
use ir::Path;
use newton::{Needed, Refuted};
use serde_json::{Value, json};

/// At most this many steps are reported, conditions of each step, and characters of one condition.
const STEPS: usize = 60;
const CONDITIONS: usize = 12;
const LONGEST: usize = 300;

/// The steps of a path, as results have them: the last ones, where there are many.
pub(super) fn refuted(task: &Task, path: &Path, refuted: &Refuted<'_>) -> Value {
    let all = refuted.explained();
    let left_out = all.len().saturating_sub(STEPS);
    let one = |needed: &Needed| {
        let step = &path.steps[needed.step];
        let (span, (proc, _)) = (span(task, step), step.edge());
        let conditions = needed.conditions.as_deref();
        let shown = conditions.map(|c| {
            let shown = c.iter().take(CONDITIONS).map(|c| shortened(c, LONGEST));
            shown.collect::<Vec<_>>()
        });
        json!({
            "index": needed.step, "file": task.sources.file(span.file).name, "line": span.start.line,
            "function": task.program.procs[proc].name, "text": text(task.source(), step),
            "branch": outcome(&task.program, step), "needs": shown,
            "more": conditions.map_or(0, |c| c.len().saturating_sub(CONDITIONS)), "predicates": [],
        })
    };
    let steps: Vec<Value> = all[left_out..].iter().map(one).collect();
    json!({ "steps": path.steps.len(), "left_out": left_out, "matter": steps })
}

/// Puts predicates to the conditions that they were taken from; `found` are their steps and their texts.
pub(super) fn with_predicates(mut refuted: Value, found: &[(usize, String)]) -> Value {
    let Some(steps) = refuted["matter"].as_array_mut() else { return refuted };
    for (index, predicate) in found {
        // Between two steps that matter nothing changes.
        let behind = |step: &&mut Value| step["index"].as_u64().is_some_and(|n| *index as u64 <= n);
        if let Some(step) = steps.iter_mut().find(behind)
            && let Some(list) = step["predicates"].as_array_mut()
        {
            list.push(predicate.as_str().into());
        }
    }
    refuted
}
