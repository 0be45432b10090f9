//! Results as a self-contained HTML page, made from a result and from the text of the program.
//!
//! Invariants: whatever the program's text is, it is shown as text; the page loads nothing, and its policy
//! forbids it to; everything can be read without its script, which steps, folds and searches; what would hide or turn
//! text is named, on the whole page ([`words::shown`]).

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
use results::Outcome;
use results::check::{Check, Input, Location, Verdict};
use results::proof::Invariant;
use results::unknown::Advice;
use source::{Anchors, File};
use words::{State, shown};

/// The page.
#[derive(Template)]
#[template(path = "report.html")]
struct Report<'r> {
    page: Page<'r>,
}

/// What stands on it besides the result.
struct Page<'r> {
    result: &'r Outcome,
    anchors: &'r Anchors,
    /// What the verdict means.
    sentences: Vec<String>,
    /// How long the run took, if that is known.
    time: Option<String>,
    assumed: Vec<String>,
    trace: Vec<steps::Step<'r>>,
    /// The heads of the columns of threads.
    threads: Vec<String>,
    /// The state of the rule that is broken, in words.
    rule: Option<String>,
    counts: String,
    /// A picture of the iterations, in SVG.
    chart: String,
    iterations: Vec<iterations::Iteration<'r>>,
    files: Vec<File>,
}

/// The names of the programs of a result.
fn files(result: &Outcome) -> impl Iterator<Item = &str> {
    result.files.iter().flatten().map(|file| file.name.as_str())
}

/// The verdict line without its first word.
fn line(result: &Outcome) -> &str {
    result.verdict_line.trim_start_matches("VERDICT: ")
}

/// The page of a result.
pub(crate) fn page(result: &Outcome) -> String {
    let anchors = Anchors::of(result);
    let trace = steps::steps(result, &anchors);
    let iterations = iterations::iterations(result);
    let page = Page {
        result,
        anchors: &anchors,
        sentences: words::sentences(result),
        time: words::time(result),
        assumed: words::assumed(result),
        threads: steps::threads(&trace),
        trace,
        rule: words::rule(result),
        counts: words::counts(result),
        chart: chart::chart(&iterations),
        iterations,
        files: anchors.files(result),
    };
    shown(&Report { page }.render().expect("a string takes everything"))
}

/// `safe`, `unsafe` or `open`.
fn class(result: &Outcome) -> &'static str {
    match result.verdict {
        Verdict::Safe | Verdict::Confirmed => "safe",
        Verdict::Unsafe | Verdict::Refuted | Verdict::Error => "unsafe",
        Verdict::Unknown => "open",
    }
}

impl Page<'_> {
    fn class(&self) -> &'static str {
        class(self.result)
    }

    /// The verdict line.
    fn line(&self) -> &str {
        line(self.result)
    }

    fn next(&self) -> &[Advice] {
        self.result.explanation.as_ref().map(|explanation| explanation.next.as_slice()).unwrap_or_default()
    }

    fn inputs(&self) -> &[Input] {
        self.result.inputs.as_deref().unwrap_or_default()
    }

    fn invariants(&self) -> &[Invariant] {
        self.result.invariants.as_deref().unwrap_or_default()
    }

    /// The trace is a path that is not an execution.
    fn is_suspected(&self) -> bool {
        self.result.explanation.as_ref().is_some_and(|explanation| explanation.suspected.is_some())
    }

    /// The place of a check: in a library function, that of its first call.
    fn place<'c>(&self, check: &'c Check) -> &'c str {
        check.called_at.as_ref().and_then(|calls| calls.first()).unwrap_or(&check.place)
    }

    fn state(&self, check: &Check) -> State {
        State::of(check.verdict)
    }

    /// What is to be said of the answer about a check.
    fn detail<'c>(&self, check: &'c Check) -> &'c str {
        check.detail.as_ref().or(check.unreachable.as_ref()).map_or("", String::as_str)
    }

    /// Where a place is on the page.
    fn at(&self, at: &Location) -> String {
        self.anchors.anchor(at)
    }

    /// The same of `file.c:12`.
    fn short(&self, place: &str) -> String {
        self.anchors.short(place)
    }
}

#[cfg(test)]
mod tests;
