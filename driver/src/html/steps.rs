//! The execution, step by step.

use super::source::Anchors;
use super::words::{shown, text, texts};
use serde_json::Value;
use std::collections::BTreeMap;

/// A step.
pub(super) struct Step {
    pub number: usize,
    /// Open calls.
    pub depth: i64,
    /// The same, counted from the least and not too far.
    pub indent: i64,
    /// Calls follow that this line makes.
    pub opens: bool,
    pub anchor: String,
    /// The line's number, behind the name of its file where that is another one than the error's.
    pub line: String,
    pub text: String,
    pub outcome: Option<&'static str>,
    pub values: Vec<Known>,
    pub notes: Vec<String>,
    /// The thread, from 1; 0 in programs without threads.
    pub thread: i64,
    /// The column of it, from 0.
    pub column: i64,
    /// The variables of rules that are set, by name.
    pub rule_state: Vec<(String, String)>,
    pub error: bool,
}

/// A value at a step.
pub(super) struct Known {
    pub name: String,
    pub value: String,
    /// It was another one, or none, before.
    pub changed: bool,
}

/// Threads that have columns of their own.
const THREADS: i64 = 8;

/// The heads of the columns for threads; none in programs without threads.
pub(super) fn threads(steps: &[Step]) -> Vec<String> {
    let most = steps.iter().map(|step| step.thread).max().unwrap_or(0);
    let head = |n| match n == THREADS && n < most {
        true => format!("Threads {n} to {most}"),
        false => format!("Thread {n}"),
    };
    (1..=most.min(THREADS)).map(head).collect()
}

/// What a line sets of rules.
fn rule_state(line: &Value) -> Vec<(String, String)> {
    let all = line["rule_state"].as_array().into_iter().flatten();
    all.map(|set| {
        (shown(&format!("{}: {}", text(set, "rule"), text(set, "name"))), shown(text(set, "value")))
    })
    .collect()
}

/// The execution of a result that fails a check, or the path that is taken for one; empty where it has neither.
pub(super) fn path(result: &Value) -> &[Value] {
    let paths = [&result["trace"], &result["explanation"]["suspected"]];
    paths.into_iter().find_map(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The steps of a result; none where it has no path.
pub(super) fn steps(result: &Value, anchors: &Anchors) -> Vec<Step> {
    let lines = path(result);
    let home = lines.last().map(|line| text(line, "file")).unwrap_or_default();
    let depth = |line: &Value| line["depth"].as_i64().unwrap_or(0);
    let least = lines.iter().map(depth).min().unwrap_or(0);
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    let mut out = vec![];
    for (n, line) in lines.iter().enumerate() {
        let mut values = vec![];
        for value in line["values"].as_array().into_iter().flatten() {
            let (name, value) = (text(value, "name"), text(value, "value"));
            let changed = known.insert(name, value) != Some(value);
            values.push(Known { name: shown(name), value: shown(value), changed });
        }
        let (file, number) = (text(line, "file"), line["line"].as_i64().unwrap_or(0));
        let thread = line["thread"].as_i64().unwrap_or(0);
        let mut notes = texts(line, "given");
        notes.extend(texts(line, "notes"));
        out.push(Step {
            number: n + 1,
            depth: depth(line),
            indent: (depth(line) - least).min(12),
            opens: lines.get(n + 1).is_some_and(|next| depth(next) > depth(line)),
            anchor: anchors.anchor(file, number),
            line: if file == home { number.to_string() } else { shown(&format!("{file}:{number}")) },
            text: shown(text(line, "text")),
            outcome: line["branch"].as_bool().map(|taken| if taken { "true" } else { "false" }),
            values,
            notes,
            thread,
            column: (thread - 1).clamp(0, THREADS - 1),
            rule_state: rule_state(line),
            error: line["error"] == true,
        });
    }
    out
}
