//! What each iteration of the loop did.

use super::source::Anchors;
use super::words::{shown, text, texts};
use serde_json::Value;

/// An iteration.
pub(super) struct Iteration {
    pub number: u64,
    pub predicates: u64,
    /// Milliseconds of c2bp, bebop and newton.
    pub times: [u64; 3],
    pub summary: String,
    pub facts: Vec<String>,
    pub new: Vec<New>,
    pub refuted: Option<Refuted>,
    /// Longer texts, each with its title.
    pub texts: Vec<Text>,
}

/// A predicate that was found, and why.
pub(super) struct New {
    pub text: String,
    pub scope: String,
    pub refiner: String,
    pub step: String,
    pub place: String,
    pub anchor: String,
}

/// Why the path cannot be executed.
pub(super) struct Refuted {
    pub title: String,
    /// Steps that are left out at the start.
    pub left_out: u64,
    pub steps: Vec<Step>,
}

/// A step that matters.
pub(super) struct Step {
    /// What has to hold before it; nothing where it cannot be reached at all.
    pub needs: Option<Vec<String>>,
    /// Further conditions.
    pub more: u64,
    /// The predicates that were taken from these.
    pub predicates: Vec<String>,
    pub anchor: String,
    pub line: i64,
    pub function: String,
    pub text: String,
    pub outcome: Option<&'static str>,
}

/// A text to be unfolded.
pub(super) struct Text {
    pub title: &'static str,
    pub text: String,
}

/// Bytes of longer texts on one page.
const ROOM: usize = 1 << 20;

/// The iterations of a result; none where it does not tell.
pub(super) fn iterations(result: &Value, anchors: &Anchors) -> Vec<Iteration> {
    let mut left = ROOM;
    let all = result["history"].as_array().into_iter().flatten();
    all.map(|value| iteration(value, anchors, &mut left)).collect()
}

fn iteration(value: &Value, anchors: &Anchors, left: &mut usize) -> Iteration {
    let (c2bp, bebop, newton) = (&value["c2bp"], &value["bebop"], &value["newton"]);
    let number = |of: &Value, field: &str| of[field].as_u64().unwrap_or(0);
    let predicates = number(value, "predicates");
    let reached = match bebop["steps"].as_u64() {
        Some(steps) => format!("the abstraction reaches an error in {steps} steps"),
        None if bebop.is_object() => "the abstraction reaches no error".to_owned(),
        None => "the model checker was not asked".to_owned(),
    };
    let mut facts = vec![];
    if c2bp.is_object() {
        facts.push(format!(
            "c2bp: {} statements abstracted, {} kept; {} questions, {} to the prover; {} ms",
            c2bp["edges"], c2bp["edges_kept"], c2bp["questions"], c2bp["by_prover"], c2bp["ms"]
        ));
    }
    if bebop.is_object() {
        facts.push(format!("bebop: {} BDD nodes; {} ms", bebop["bdd_nodes"], bebop["ms"]));
    }
    if let Some(answer) = newton["answer"].as_str() {
        facts.push(format!("newton: {}; {} ms", shown(answer), newton["ms"]));
    }
    facts.extend(["escalation", "probe"].iter().filter_map(|f| newton[f].as_str()).map(shown));
    facts.extend(value["search"].as_str().map(shown));
    let impossible = newton["impossible"].as_array().into_iter().flatten().filter_map(Value::as_str);
    facts.extend(impossible.map(|cube| format!("impossible: {}", shown(cube))));
    let new = newton["new"].as_array().into_iter().flatten().map(|found| New {
        text: shown(text(found, "predicate")),
        scope: shown(text(found, "scope")),
        refiner: shown(text(found, "refiner")),
        step: shown(text(found, "step")),
        place: shown(text(found, "place")),
        anchor: anchors.short(text(found, "place")),
    });
    Iteration {
        number: number(value, "iteration"),
        predicates,
        times: [number(c2bp, "ms"), number(bebop, "ms"), number(newton, "ms")],
        summary: format!("{}, {reached}", crate::observers::record::count(predicates as usize, "predicate")),
        facts,
        new: new.collect(),
        refuted: value["refuted"].is_object().then(|| refuted(&value["refuted"], anchors)),
        texts: longer(value, left),
    }
}

fn refuted(of: &Value, anchors: &Anchors) -> Refuted {
    let number = |of: &Value, field: &str| of[field].as_u64().unwrap_or(0);
    let all = of["matter"].as_array().map(Vec::as_slice).unwrap_or_default();
    let left_out = number(of, "left_out");
    let step = |step: &Value| {
        let line = step["line"].as_i64().unwrap_or(0);
        Step {
            needs: step["needs"].is_array().then(|| texts(step, "needs")),
            more: number(step, "more"),
            predicates: texts(step, "predicates"),
            anchor: anchors.anchor(text(step, "file"), line),
            line,
            function: shown(text(step, "function")),
            text: shown(text(step, "text")),
            outcome: step["branch"].as_bool().map(|taken| if taken { "true" } else { "false" }),
        }
    };
    let matter = all.len() as u64 + left_out;
    let title = format!("Why its path cannot be executed: {matter} of {} steps", number(of, "steps"));
    Refuted { title, left_out, steps: all.iter().map(step).collect() }
}

/// The longer texts that there is room for.
fn longer(value: &Value, left: &mut usize) -> Vec<Text> {
    let wanted = [
        ("path", "The path that was refuted; * marks the steps that contradict each other"),
        ("changes", "What has changed in the boolean program"),
        ("abstraction", "The boolean program"),
    ];
    let mut out = vec![];
    for (field, title) in wanted {
        let Some(text) = value[field].as_str().filter(|text| !text.is_empty()) else { continue };
        let room = text.len() <= *left;
        let text = if room { shown(text) } else { "Left out, as the page is long; --save keeps it.".into() };
        *left = left.saturating_sub(if room { text.len() } else { 0 });
        out.push(Text { title, text });
    }
    out
}
