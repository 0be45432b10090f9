//! Why the path of an iteration cannot be executed, for pages: the steps that matter, the condition before each of
//! them under which the path goes on, and the predicates taken from these.

use super::record::span;
use crate::report::listing::{Source, outcome, shortened, text};
use ir::Path;
use newton::{Needed, Refuted};
use results::history::{self, Matters};
use verify::Task;

/// At most this many steps are reported, conditions of each step, and characters of one condition.
const STEPS: usize = 60;
const CONDITIONS: usize = 12;
const LONGEST: usize = 300;

/// The steps of a path, as results have them: the last ones, where there are many.
pub(super) fn refuted(task: &Task, path: &Path, refuted: &Refuted<'_>) -> history::Refuted {
    let all = refuted.explained();
    let left_out = all.len().saturating_sub(STEPS);
    let one = |needed: &Needed| {
        let step = &path.steps[needed.step];
        let (span, (proc, _)) = (span(task, step), step.edge());
        let conditions = needed.conditions.as_deref();
        let shown = |c: &[String]| c.iter().take(CONDITIONS).map(|c| shortened(c, LONGEST)).collect();
        Matters {
            index: needed.step,
            file: task.sources.file(span.file).name.clone(),
            line: span.start.line,
            function: task.program.procs[proc].name.clone(),
            text: text(Source::of(task), step),
            branch: outcome(&task.program, step),
            needs: conditions.map(shown),
            more: conditions.map_or(0, |c| c.len().saturating_sub(CONDITIONS)),
            predicates: vec![],
        }
    };
    let matter = all[left_out..].iter().map(one).collect();
    history::Refuted { steps: path.steps.len(), left_out, matter }
}

/// Puts predicates to the conditions that they were taken from; `found` are their steps and their texts.
pub(super) fn add_predicates(refuted: &mut history::Refuted, found: &[(usize, String)]) {
    for (index, predicate) in found {
        // Between two steps that matter nothing changes.
        if let Some(step) = refuted.matter.iter_mut().find(|step| *index <= step.index) {
            step.predicates.push(predicate.clone());
        }
    }
}
