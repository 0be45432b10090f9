//! The figures of an iteration: a line of `cegar.csv`, a line of `cegar.jsonl`, and what `--stats` prints.

use super::record::{Words, escalation, probes, refined_answer, searched};
use results::history::{Abstraction, Iteration, Reachability, Refinement};
use std::time::Duration;
use verify::cegar::{Abstracted, Checked, Record, Refined, Totals};

/// What a line of `cegar.csv` is made from.
struct Row<'a> {
    record: &'a Record,
    abstracted: Abstracted,
    checked: Checked,
    check: Option<String>,
}

impl Row<'_> {
    /// A number of the path's analysis, 0 where there was none.
    fn refined(&self, number: impl FnOnce(&Refined) -> usize) -> String {
        self.record.refinement.as_ref().map_or(0, number).to_string()
    }
}

/// A column of `cegar.csv`: its name, and its value in a row.
type Column = (&'static str, fn(&Row<'_>) -> String);

/// The columns of `cegar.csv`.
const COLUMNS: [Column; 22] = [
    ("iteration", |r| r.record.number.to_string()),
    ("predicates", |r| r.record.predicates.to_string()),
    ("edges", |r| r.abstracted.stats.abstracted.to_string()),
    ("edges_kept", |r| r.abstracted.stats.reused.to_string()),
    ("questions", |r| r.abstracted.stats.questions.to_string()),
    ("folded", |r| r.abstracted.stats.folded.to_string()),
    ("cached", |r| r.abstracted.stats.cached.to_string()),
    ("by_syntax", |r| r.abstracted.stats.by_syntax.to_string()),
    ("by_prover", |r| r.abstracted.stats.by_prover.to_string()),
    ("cubes", |r| r.abstracted.stats.cubes.to_string()),
    ("prover_calls", |r| r.abstracted.stats.prover_calls.to_string()),
    ("c2bp_ms", |r| r.abstracted.time.as_millis().to_string()),
    ("steps", |r| r.checked.steps.map_or(String::new(), |n| n.to_string())),
    ("vertices", |r| r.checked.vertices.map_or(String::new(), |n| n.to_string())),
    ("bdd_nodes", |r| r.checked.bdd_nodes.to_string()),
    ("bebop_ms", |r| r.checked.time.as_millis().to_string()),
    ("new_predicates", |r| r.refined(|n| n.found.len())),
    ("newton_ms", |r| r.refined(|n| n.time.as_millis() as usize)),
    ("refutations", |r| r.refined(|n| n.refutations)),
    ("impossible", |r| r.refined(|n| n.blocked.len())),
    ("escalated", |r| r.refined(|n| n.escalation.is_some().into())),
    ("check", |r| quoted(r.check.as_deref().unwrap_or_default())),
];

/// The head of `cegar.csv`.
pub(super) fn csv_head() -> String {
    COLUMNS.map(|(name, _)| name).join(",") + "\n"
}

/// The line of `cegar.csv`.
pub(super) fn csv(words: Words<'_>, record: &Record) -> String {
    let abstracted = record.abstraction.clone().unwrap_or_default();
    let checked = record.reachability.clone().unwrap_or_default();
    let row = Row { record, abstracted, checked, check: words.check(record) };
    COLUMNS.map(|(_, value)| value(&row)).join(",") + "\n"
}

/// The line of `cegar.jsonl`.
pub(super) fn iteration(words: Words<'_>, record: &Record) -> Iteration {
    let ms = |t: Duration| t.as_millis() as u64;
    Iteration {
        iteration: record.number,
        check: words.check(record),
        predicates: record.predicates,
        search: record.searched.map(searched),
        c2bp: record.abstraction.as_ref().map(|a| Abstraction {
            edges: a.stats.abstracted,
            edges_kept: a.stats.reused,
            questions: a.stats.questions,
            folded: a.stats.folded,
            cached: a.stats.cached,
            by_syntax: a.stats.by_syntax,
            by_prover: a.stats.by_prover,
            cubes: a.stats.cubes,
            prover_calls: a.stats.prover_calls,
            prover_gave_up: a.stats.gave_up,
            ms: ms(a.time),
        }),
        bebop: record.reachability.as_ref().map(|r| Reachability {
            steps: r.steps,
            vertices: r.vertices,
            bdd_nodes: r.bdd_nodes,
            ms: ms(r.time),
        }),
        newton: record.refinement.as_ref().map(|n| Refinement {
            answer: Some(refined_answer(n)),
            refutations: n.refutations,
            new: n.found.iter().map(|f| words.found(f)).collect(),
            impossible: n.blocked.iter().map(|b| words.blocked(b)).collect(),
            escalation: n.escalation.map(escalation),
            probe: n.probed.map(probes),
            ms: ms(n.time),
        }),
        ..Iteration::default()
    }
}

/// Names and values for `--stats`, as of the last iteration.
pub(super) fn stats(totals: &Totals, last: &Record, predicates: usize) -> [(&'static str, String); 17] {
    let ms = |t: Duration| t.as_millis().to_string();
    let s = &totals.abstraction;
    [
        ("iterations", last.number.to_string()),
        ("predicates", predicates.to_string()),
        ("statements-abstracted", s.abstracted.to_string()),
        ("statements-kept", s.reused.to_string()),
        ("questions", s.questions.to_string()),
        ("questions-folded", s.folded.to_string()),
        ("questions-cached", s.cached.to_string()),
        ("questions-by-syntax", s.by_syntax.to_string()),
        ("questions-by-prover", s.by_prover.to_string()),
        ("cubes", s.cubes.to_string()),
        ("prover-problems", s.prover_problems.to_string()),
        ("prover-calls", s.prover_calls.to_string()),
        ("prover-gave-up", s.gave_up.to_string()),
        ("bdd-nodes", totals.most_nodes.to_string()),
        ("c2bp-ms", ms(totals.c2bp)),
        ("bebop-ms", ms(totals.bebop)),
        ("newton-ms", ms(totals.newton)),
    ]
}

/// A field of a table: in quotes where it has commas or quotes.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
