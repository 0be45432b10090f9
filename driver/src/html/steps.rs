//! The execution, step by step.

use super::source::Anchors;
use results::Outcome;
use results::check::{Line, Value};
use std::collections::BTreeMap;

/// A step.
pub(super) struct Step<'r> {
    pub number: usize,
    pub line: &'r Line,
    /// Open calls, counted from the least and not too far.
    pub indent: usize,
    /// Calls follow that this line makes.
    pub opens: bool,
    pub anchor: String,
    /// The line's number, behind the name of its file where that is another one than the error's.
    pub place: String,
    /// Values, and whether each was another one, or none, before.
    pub values: Vec<(&'r Value, bool)>,
    /// The thread, from 1; 0 in programs without threads.
    pub thread: u32,
    /// The column of it, from 0.
    pub column: u32,
}

/// Threads that have columns of their own.
const THREADS: u32 = 8;

/// The heads of the columns for threads; none in programs without threads.
pub(super) fn threads(steps: &[Step<'_>]) -> Vec<String> {
    let most = steps.iter().map(|step| step.thread).max().unwrap_or(0);
    let head = |n| match n == THREADS && n < most {
        true => format!("Threads {n} to {most}"),
        false => format!("Thread {n}"),
    };
    (1..=most.min(THREADS)).map(head).collect()
}

/// The steps of a result; none where it has no path.
pub(super) fn steps<'r>(result: &'r Outcome, anchors: &Anchors) -> Vec<Step<'r>> {
    let lines = result.path();
    let home = lines.last().map(|line| line.at.file.as_str()).unwrap_or_default();
    let least = lines.iter().map(|line| line.depth).min().unwrap_or(0);
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    let mut is_changed = |Value { name, value }: &'r Value| known.insert(name, value) != Some(value.as_str());
    let one = |(n, line): (usize, &'r Line)| Step {
        number: n + 1,
        line,
        indent: (line.depth - least).min(12),
        opens: lines.get(n + 1).is_some_and(|next| next.depth > line.depth),
        anchor: anchors.anchor(&line.at),
        place: match line.at.file == home {
            true => line.at.line.to_string(),
            false => format!("{}:{}", line.at.file, line.at.line),
        },
        values: line.values.iter().map(|value| (value, is_changed(value))).collect(),
        thread: line.thread.unwrap_or(0),
        column: line.thread.unwrap_or(0).saturating_sub(1).min(THREADS - 1),
    };
    lines.iter().enumerate().map(one).collect()
}
