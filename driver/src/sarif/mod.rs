//! Results as SARIF 2.1.0 (OASIS standard), for editors, code hosts and other tools.
//!
//! A pure function from results as `--json` has them: one result for each check, the execution of a failing one as a code
//! flow, messages about refused input as notifications. Nothing in it depends on the time or the machine except the
//! folder to which relative names refer.

mod places;
mod rules;

use crate::content::Content;
use places::Places;
pub(crate) use places::{file_uri, number, text};
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
    Result(&'a Value),
    /// Its process wrote none: the task's name, and how it ended.
    Nothing(&'a str, &'a str),
}

/// The log of a run over these tasks, which ended with this exit code; relative names are meant from `folder`.
pub(crate) fn log(outcomes: &[Outcome<'_>], exit_code: i32, folder: &Path) -> Value {
    let mut places = Places::new(folder);
    let (mut findings, mut notifications, mut successful) = (vec![], vec![], true);
    for outcome in outcomes {
        match outcome {
            Outcome::Result(result) => {
                successful &= result["verdict"] != "ERROR";
                findings.extend(of_result(result, &mut places));
                notifications.extend(told(result, &mut places));
            }
            Outcome::Nothing(task, end) => {
                successful = false;
                notifications.push(notification(&format!("{task}: {end}"), "error"));
            }
        }
    }
    with_fingerprints(&mut findings, &mut places);
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

/// A result for each check.
fn of_result(result: &Value, places: &mut Places) -> Vec<Value> {
    let checks = result["checks"].as_array().into_iter().flatten();
    checks.map(|check| finding(result, check, places)).collect()
}

fn finding(result: &Value, check: &Value, places: &mut Places) -> Value {
    let kind = text(check, "kind");
    let failing = check["verdict"] == "UNSAFE";
    // A run that ends with the first error reports it at the top.
    let error = if check["trace"].is_array() { check } else { result };
    let at = match (failing, check["calls"].get(0)) {
        (true, _) if error["location"].is_object() => &error["location"],
        (_, Some(call)) => call,
        _ => check,
    };
    let (word, said) = told_of(result, check, error);
    let mut location = places.location(at);
    location["logicalLocations"] = json!([places::function(check)]);
    let mut finding = json!({
        "ruleId": kind,
        "kind": word.name(),
        "level": if failing { "error" } else { "none" },
        "message": message(&said),
        "locations": [location],
    });
    if let Some(index) = rules::index(kind) {
        finding["ruleIndex"] = index.into();
    }
    if failing && let Some(lines) = error["trace"].as_array() {
        finding["codeFlows"] = json!([flow(lines, places)]);
    }
    if let Some(condition) = check["condition"].as_str() {
        finding["properties"] = json!({ "condition": condition });
    }
    finding
}

/// What is known of a check.
pub(crate) fn told_of(result: &Value, check: &Value, error: &Value) -> (Kind, String) {
    let message = text(check, "message");
    match check["verdict"].as_str() {
        Some("UNSAFE") => {
            let message = error["message"].as_str().unwrap_or(message);
            let inputs = error["inputs"].as_array().into_iter().flatten();
            let inputs: Vec<String> =
                inputs.map(|i| format!("{}: {}", text(i, "input"), text(i, "value"))).collect();
            let with = if inputs.is_empty() { "no input".into() } else { inputs.join(", ") };
            (Kind::Fail, format!("{message} (inputs: {with})"))
        }
        Some("SAFE") => (Kind::Pass, format!("no execution fails this check ({message})")),
        Some("UNREACHABLE") => {
            let why = text(check, "unreachable");
            (Kind::Pass, format!("no execution reaches this check ({message}): {why}"))
        }
        Some(_) => {
            let why = check["detail"].as_str().or(result["detail"].as_str()).unwrap_or("stopped");
            (Kind::Open, format!("not decided ({message}): {why}"))
        }
        None => {
            let why = match text(result, "verdict") {
                "UNSAFE" => "the run ended with the first error",
                _ => "the run ended before",
            };
            (Kind::Open, format!("not decided ({message}): {why}"))
        }
    }
}

/// The execution, a location a line.
fn flow(lines: &[Value], places: &mut Places) -> Value {
    let least = lines.iter().map(|line| number(line, "depth")).min().unwrap_or(0);
    let step = |(n, line): (usize, &Value)| {
        let values = line["values"].as_array().into_iter().flatten();
        let state: Map<String, Value> =
            values.map(|v| (text(v, "name").to_owned(), message(text(v, "value")))).collect();
        let importance = match () {
            () if line["error"] == true => "essential",
            () if line["branch"].is_boolean() || !state.is_empty() => "important",
            () => "unimportant",
        };
        let mut location = places.location(line);
        location["message"] = message(&beside(line));
        let mut step = json!({
            "location": location,
            "executionOrder": n + 1,
            "nestingLevel": number(line, "depth") - least,
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
pub(crate) fn beside(line: &Value) -> String {
    let texts = |field: &str| {
        let all = line[field].as_array().into_iter().flatten();
        all.filter_map(|v| v.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let mut parts = texts("given");
    parts.extend(line["branch"].as_bool().map(|taken| taken.to_string()));
    let values = line["values"].as_array().into_iter().flatten();
    parts.extend(values.map(|v| format!("{} = {}", text(v, "name"), text(v, "value"))));
    parts.extend(texts("notes"));
    match parts.is_empty() {
        true => text(line, "text").to_owned(),
        false => format!("{}: {}", text(line, "text"), parts.join(", ")),
    }
}

/// What was said about the input, and why nothing is decided where no check says it.
fn told(result: &Value, places: &mut Places) -> Vec<Value> {
    let diagnostics = result["diagnostics"].as_array().into_iter().flatten();
    let mut out: Vec<Value> = diagnostics
        .map(|d| {
            let mut said = notification(text(d, "text"), text(d, "severity"));
            if d["location"].is_object() {
                said["locations"] = json!([places.location(&d["location"])]);
            }
            said
        })
        .collect();
    let has_checks = result["checks"].as_array().is_some_and(|checks| !checks.is_empty());
    let verdict = text(result, "verdict");
    if verdict == "ERROR" || verdict == "UNKNOWN" && !has_checks {
        let why = result["detail"].as_str().unwrap_or(text(result, "verdict_line"));
        let level = if verdict == "ERROR" { "error" } else { "warning" };
        out.push(notification(why, level));
    }
    out
}

/// Gives each finding what it is known by in later runs: its rule, its function and the text of its line, and a number where
/// several have the same. Lines that move keep it.
fn with_fingerprints(findings: &mut [Value], places: &mut Places) {
    let mut met: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let mut content = Content::default();
        content.add(text(finding, "ruleId").as_bytes());
        let location = &finding["locations"][0];
        content.add(text(&location["logicalLocations"][0], "fullyQualifiedName").as_bytes());
        content.add(places.line(location).as_bytes());
        let common = content.text()[..32].to_owned();
        let n = met.entry(common.clone()).or_default();
        *n += 1;
        finding["partialFingerprints"] = json!({ "slamCheck/v1": format!("{common}:{n}") });
    }
}

#[cfg(test)]
mod tests;
