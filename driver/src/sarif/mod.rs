//! Results as SARIF 2.1.0 (OASIS standard), for editors, code hosts and other tools.
//!
//! A pure function from results: one result for each check, the execution of a failing one as a code
//! flow, messages about refused input as notifications. Nothing in it depends on the time or the machine except the
//! folder to which relative names refer.

mod places;
mod rules;

use crate::content::Content;
use places::Places;
pub(crate) use places::file_uri;
use results::Diagnostic;
use results::check::{Answer, Check, Input, Line, Location, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What a log says that it follows.
const SCHEMA: &str = "https://schemastore.azurewebsites.net/schemas/json/sarif-2.1.0.json";

/// What is known of a check, in the words of the standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An execution fails it.
    Fail,
    /// None does.
    Pass,
    /// It is not decided.
    Open,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Fail => "fail",
            Kind::Pass => "pass",
            Kind::Open => "open",
        }
    }
}

/// What became of a task.
pub(crate) enum Outcome<'a> {
    /// It has this result.
    Result(&'a results::Outcome),
    /// Its process wrote none: the task's name, and how it ended.
    Nothing(&'a str, &'a str),
}

/// The log of a run over these tasks, which ended with this exit code; relative names are meant from `folder`.
pub(crate) fn log(outcomes: &[Outcome<'_>], exit_code: i32, folder: &Path) -> Value {
    let mut places = Places::new(folder);
    let (mut findings, mut notifications, mut successful) = (vec![], vec![], true);
    let mut known = Fingerprints::default();
    for outcome in outcomes {
        match outcome {
            Outcome::Result(result) => {
                successful &= result.verdict != Verdict::Error;
                let checks = result.checks().iter();
                findings.extend(checks.map(|check| finding(result, check, &mut places, &mut known)));
                notifications.extend(told(result, &mut places));
            }
            Outcome::Nothing(task, end) => {
                successful = false;
                notifications.push(notification(&format!("{task}: {end}"), "error"));
            }
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "slam", "version": version, "semanticVersion": version, "rules": rules::all(),
            } },
            "invocations": [{
                "executionSuccessful": successful,
                "exitCode": exit_code,
                "toolExecutionNotifications": notifications,
            }],
            "originalUriBaseIds": places.base(),
            "columnKind": "unicodeCodePoints",
            "results": findings,
        }],
    })
}

fn message(text: &str) -> Value {
    json!({ "text": text })
}

fn notification(text: &str, level: &str) -> Value {
    json!({ "message": message(text), "level": level })
}

/// A result of the log for a check.
fn finding(result: &results::Outcome, check: &Check, places: &mut Places, known: &mut Fingerprints) -> Value {
    let error = Failing::of(result, check);
    let failing = check.verdict == Some(Answer::Unsafe);
    let at = error.place(check);
    let (word, said) = error.told(result, check);
    let mut location = places.location(at);
    location["logicalLocations"] = json!([{ "fullyQualifiedName": check.function, "kind": "function" }]);
    let mut finding = json!({
        "ruleId": check.kind,
        "kind": word.name(),
        "level": if failing { "error" } else { "none" },
        "message": message(&said),
        "locations": [location],
        "partialFingerprints": { "slamCheck/v1": known.of(check, &places.line(at)) },
    });
    if let Some(index) = rules::index(&check.kind) {
        finding["ruleIndex"] = index.into();
    }
    if failing && let Some(lines) = error.trace {
        finding["codeFlows"] = json!([flow(lines, places)]);
    }
    if let Some(condition) = &check.condition {
        finding["properties"] = json!({ "condition": condition });
    }
    finding
}

/// The execution that fails a check: beside the check, or at the top of the result of a run that ends with the first
/// error.
pub(crate) struct Failing<'a> {
    message: &'a str,
    inputs: &'a [Input],
    location: Option<&'a Location>,
    /// Its lines.
    pub trace: Option<&'a [Line]>,
}

impl<'a> Failing<'a> {
    /// What the result says of it.
    pub(crate) fn of(result: &'a results::Outcome, check: &'a Check) -> Failing<'a> {
        let (message, inputs, location, trace) = match check.trace {
            Some(_) => (None, &check.inputs, &check.location, &check.trace),
            None => (result.message.as_deref(), &result.inputs, &result.location, &result.trace),
        };
        Failing {
            message: message.unwrap_or(&check.message),
            inputs: inputs.as_deref().unwrap_or_default(),
            location: location.as_ref(),
            trace: trace.as_deref(),
        }
    }

    /// Where the check is shown: where the execution fails it, at a call of the library function that it is in, or at
    /// its own place.
    pub(crate) fn place(&self, check: &'a Check) -> &'a Location {
        let failing = self.location.filter(|_| check.verdict == Some(Answer::Unsafe));
        failing.or_else(|| check.calls.as_ref()?.first()).unwrap_or(&check.at)
    }

    /// What is known of the check.
    pub(crate) fn told(&self, result: &results::Outcome, check: &Check) -> (Kind, String) {
        let message = &check.message;
        match check.verdict {
            Some(Answer::Unsafe) => {
                let inputs: Vec<String> =
                    self.inputs.iter().map(|Input { input, value }| format!("{input}: {value}")).collect();
                let with = if inputs.is_empty() { "no input".into() } else { inputs.join(", ") };
                (Kind::Fail, format!("{} (inputs: {with})", self.message))
            }
            Some(Answer::Safe) => (Kind::Pass, format!("no execution fails this check ({message})")),
            Some(Answer::Unreachable) => {
                let why = check.unreachable.as_deref().unwrap_or_default();
                (Kind::Pass, format!("no execution reaches this check ({message}): {why}"))
            }
            Some(Answer::Unknown) => {
                let why = check.detail.as_deref().or(result.detail.as_deref()).unwrap_or("stopped");
                (Kind::Open, format!("not decided ({message}): {why}"))
            }
            None => {
                let why = match result.verdict {
                    Verdict::Unsafe => "the run ended with the first error",
                    _ => "the run ended before",
                };
                (Kind::Open, format!("not decided ({message}): {why}"))
            }
        }
    }
}

/// The execution, a location a line.
fn flow(lines: &[Line], places: &mut Places) -> Value {
    let least = lines.iter().map(|line| line.depth).min().unwrap_or(0);
    let step = |(n, line): (usize, &Line)| {
        let state: Map<String, Value> =
            line.values.iter().map(|v| (v.name.clone(), message(&v.value))).collect();
        let importance = match () {
            () if line.error => "essential",
            () if line.branch.is_some() || !state.is_empty() => "important",
            () => "unimportant",
        };
        let mut location = places.location(&line.at);
        location["message"] = message(&beside(line));
        let mut step = json!({
            "location": location,
            "executionOrder": n + 1,
            "nestingLevel": line.depth - least,
            "importance": importance,
        });
        if !state.is_empty() {
            step["state"] = state.into();
        }
        step
    };
    let locations: Vec<Value> = lines.iter().enumerate().map(step).collect();
    json!({ "threadFlows": [{ "locations": locations }] })
}

/// A line of the execution, with what is known of it.
pub(crate) fn beside(line: &Line) -> String {
    let mut parts = line.given.clone();
    parts.extend(line.branch.map(|taken| taken.to_string()));
    parts.extend(line.values.iter().map(|v| format!("{} = {}", v.name, v.value)));
    parts.extend_from_slice(&line.notes);
    match parts.is_empty() {
        true => line.text.clone(),
        false => format!("{}: {}", line.text, parts.join(", ")),
    }
}

/// What was said about the input, and why nothing is decided where no check says it.
fn told(result: &results::Outcome, places: &mut Places) -> Vec<Value> {
    let one = |d: &Diagnostic| {
        let mut said = notification(&d.text, &d.severity.to_string());
        if let Some(at) = &d.location {
            said["locations"] = json!([places.location(at)]);
        }
        said
    };
    let mut out: Vec<Value> = result.diagnostics.iter().map(one).collect();
    let level = match result.verdict {
        Verdict::Error => "error",
        Verdict::Unknown if result.checks().is_empty() => "warning",
        _ => return out,
    };
    out.push(notification(result.detail.as_deref().unwrap_or(&result.verdict_line), level));
    out
}

/// What findings are known by in later runs: the rule, the function and the text of the line, and a number where
/// several have the same. Lines that move keep it.
#[derive(Default)]
struct Fingerprints(BTreeMap<String, u32>);

impl Fingerprints {
    fn of(&mut self, check: &Check, line: &str) -> String {
        let mut content = Content::default();
        [&check.kind, &check.function, line].iter().for_each(|part| content.add(part.as_bytes()));
        let common = content.text()[..32].to_owned();
        let n = self.0.entry(common.clone()).or_default();
        *n += 1;
        format!("{common}:{n}")
    }
}

#[cfg(test)]
mod tests;
