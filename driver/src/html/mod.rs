//! Results as a self-contained HTML page, made from a result as `--json` has it and from the text of
//! the program.
//!
//! Invariants: whatever the program's text is, it is shown as text; the page loads nothing, and its policy
//! forbids it to; everything can be read without its script, which steps, folds and searches.

mod chart;
mod diagram;
mod index;
mod iterations;
mod source;
mod steps;
mod walkthrough;
mod words;

pub(crate) use index::{index, short};
pub(crate) use source::{mentioned, notes};

use askama::Template;
use serde_json::Value;
use source::{Anchors, File};
use words::{State, shown, text, texts};

/// The page.
#[derive(Template)]
#[template(path = "report.html")]
struct Report {
    page: Page,
}

/// What stands on it.
struct Page {
    /// `safe`, `unsafe` or `open`.
    class: &'static str,
    /// The verdict line.
    line: String,
    /// What it means.
    sentences: Vec<String>,
    version: String,
    /// How long the run took, if that is known.
    time: Option<String>,
    next: Vec<Advice>,
    assumed: Vec<String>,
    inputs: Vec<(String, String)>,
    trace: Vec<steps::Step>,
    /// The trace is a path that is not an execution.
    suspected: bool,
    /// The heads of the columns of threads.
    threads: Vec<String>,
    /// The state of the rule that is broken, in words.
    rule: Option<String>,
    /// Places, where they are on the page, and what holds there.
    invariants: Vec<(String, String, String)>,
    counts: String,
    checks: Vec<Check>,
    /// A picture of the iterations, in SVG.
    chart: String,
    walkthrough: walkthrough::Walkthrough,
    iterations: Vec<iterations::Iteration>,
    files: Vec<File>,
}

/// What the user can do.
struct Advice {
    text: String,
    options: Vec<String>,
}

/// A check with its answer.
struct Check {
    place: String,
    anchor: String,
    kind: String,
    message: String,
    state: State,
    detail: String,
}

/// The names of the programs of a result.
fn files(result: &Value) -> Vec<&str> {
    let all = result["files"].as_array().into_iter().flatten();
    all.map(|file| text(file, "name")).collect()
}

/// The page of a result.
pub(crate) fn page(result: &Value) -> String {
    let mut anchors = Anchors::of(result);
    let checks = checks(result, &anchors);
    let invariants = invariants(result, &anchors);
    let trace = steps::steps(result, &anchors);
    let history = iterations::iterations(result, &anchors);
    let page = Page {
        class: class(result),
        line: shown(text(result, "verdict_line").trim_start_matches("VERDICT: ")),
        sentences: words::sentences(result),
        version: shown(result["tool"]["version"].as_str().unwrap_or("?")),
        time: words::time(result),
        next: advice(result),
        assumed: words::assumed(result),
        inputs: inputs(result),
        threads: steps::threads(&trace),
        trace,
        suspected: result["explanation"]["suspected"].is_array(),
        rule: words::rule(result),
        counts: words::counts(result),
        chart: chart::chart(&history),
        iterations: history,
        walkthrough: walkthrough::walkthrough(result, &anchors),
        files: anchors.files(result),
        invariants,
        checks,
    };
    Report { page }.render().expect("a string takes everything")
}

fn class(result: &Value) -> &'static str {
    match text(result, "verdict") {
        "SAFE" | "CONFIRMED" => "safe",
        "UNSAFE" | "REFUTED" | "ERROR" => "unsafe",
        _ => "open",
    }
}

fn advice(result: &Value) -> Vec<Advice> {
    let next = result["explanation"]["next"].as_array().into_iter().flatten();
    next.map(|a| Advice { text: shown(text(a, "text")), options: texts(a, "options") }).collect()
}

fn inputs(result: &Value) -> Vec<(String, String)> {
    let all = result["inputs"].as_array().into_iter().flatten();
    all.map(|i| (shown(text(i, "input")), shown(text(i, "value")))).collect()
}

fn invariants(result: &Value, anchors: &Anchors) -> Vec<(String, String, String)> {
    let all = result["invariants"].as_array().into_iter().flatten();
    all.map(|i| {
        let place = text(i, "place");
        (shown(place), anchors.short(place), shown(text(i, "invariant")))
    })
    .collect()
}

fn checks(result: &Value, anchors: &Anchors) -> Vec<Check> {
    let all = result["checks"].as_array().into_iter().flatten();
    let one = |check: &Value| {
        let called = check["called_at"].get(0).and_then(Value::as_str);
        let place = called.unwrap_or(text(check, "place"));
        let detail = ["detail", "unreachable"].iter().find_map(|field| check[field].as_str());
        Check {
            place: shown(place),
            anchor: anchors.short(place),
            kind: shown(text(check, "kind")),
            message: shown(text(check, "message")),
            state: State::of(check),
            detail: shown(detail.unwrap_or_default()),
        }
    };
    all.map(one).collect()
}

#[cfg(test)]
mod tests;
