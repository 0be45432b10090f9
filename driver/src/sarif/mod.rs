//! Results as SARIF 2.1.0 (OASIS standard), for editors, code hosts and other tools.
//!
//! A pure function from results as `--json` has them: one result for each check, the execution of a failing one as a code
//! flow, what was said about refused input as notifications. Nothing in it depends on the time or the machine but the folder
//! that relative names are meant from.

mod places;
mod rules;

use crate::content::Content;
use places::Places;
pub(crate) use places::{file_uri, number, text};
use serde_json::Value;
use serde_sarif::sarif::{
    CodeFlow, Invocation, Location, Message, MultiformatMessageString, Notification, PropertyBag,
    Result as Finding, ResultKind, ResultLevel, Run, SCHEMA_URL, Sarif, ThreadFlow, ThreadFlowLocation, Tool,
    ToolComponent,
};
use std::collections::BTreeMap;
use std::path::Path;

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
                let told = Message::builder().text(format!("{task}: {end}")).build();
                notifications.push(Notification::builder().message(told).level("error").build());
            }
        }
    }
    with_fingerprints(&mut findings, &mut places);
    let invocation = Invocation::builder()
        .execution_successful(successful)
        .exit_code(i64::from(exit_code))
        .tool_execution_notifications(notifications)
        .build();
    let version = env!("CARGO_PKG_VERSION");
    let driver = ToolComponent::builder()
        .name("slam")
        .version(version)
        .semantic_version(version)
        .rules(rules::all())
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .original_uri_base_ids(places.base())
        .column_kind("unicodeCodePoints")
        .results(findings)
        .build();
    let log = Sarif::builder().schema(SCHEMA_URL).version("2.1.0").runs(vec![run]).build();
    serde_json::to_value(log).expect("strings, numbers and lists are JSON")
}

/// A result for each check.
fn of_result(result: &Value, places: &mut Places) -> Vec<Finding> {
    let checks = result["checks"].as_array().into_iter().flatten();
    checks.map(|check| finding(result, check, places)).collect()
}

fn finding(result: &Value, check: &Value, places: &mut Places) -> Finding {
    let kind = text(check, "kind");
    let failing = check["verdict"] == "UNSAFE";
    // A run that ends with the first error tells of it at the top.
    let error = if check["trace"].is_array() { check } else { result };
    let at = match (failing, check["calls"].get(0)) {
        (true, _) if error["location"].is_object() => &error["location"],
        (_, Some(call)) => call,
        _ => check,
    };
    let (word, said) = told_of(result, check, error);
    let level = if failing { ResultLevel::Error } else { ResultLevel::None };
    let location = Location { logical_locations: Some(vec![places::function(check)]), ..places.location(at) };
    let mut finding = Finding::builder()
        .rule_id(kind)
        .kind(word)
        .level(level)
        .message(&said)
        .locations(vec![location])
        .build();
    finding.rule_index = rules::index(kind);
    if failing && let Some(lines) = error["trace"].as_array() {
        finding.code_flows = Some(vec![flow(lines, places)]);
    }
    if let Some(condition) = check["condition"].as_str() {
        let condition = BTreeMap::from([("condition".to_owned(), condition.into())]);
        finding.properties = Some(PropertyBag::builder().additional_properties(condition).build());
    }
    finding
}

/// What is known of a check.
pub(crate) fn told_of(result: &Value, check: &Value, error: &Value) -> (ResultKind, String) {
    let message = text(check, "message");
    match check["verdict"].as_str() {
        Some("UNSAFE") => {
            let message = error["message"].as_str().unwrap_or(message);
            let inputs = error["inputs"].as_array().into_iter().flatten();
            let inputs: Vec<String> =
                inputs.map(|i| format!("{}: {}", text(i, "input"), text(i, "value"))).collect();
            let with = if inputs.is_empty() { "no input".into() } else { inputs.join(", ") };
            (ResultKind::Fail, format!("{message} (inputs: {with})"))
        }
        Some("SAFE") => (ResultKind::Pass, format!("no execution fails this check ({message})")),
        Some("UNREACHABLE") => {
            let why = text(check, "unreachable");
            (ResultKind::Pass, format!("no execution comes to this check ({message}): {why}"))
        }
        Some(_) => {
            let why = check["detail"].as_str().or(result["detail"].as_str()).unwrap_or("stopped");
            (ResultKind::Open, format!("not decided ({message}): {why}"))
        }
        None => {
            let why = match text(result, "verdict") {
                "UNSAFE" => "the run ended with the first error",
                _ => "the run ended before",
            };
            (ResultKind::Open, format!("not decided ({message}): {why}"))
        }
    }
}

/// The execution, a location a line.
fn flow(lines: &[Value], places: &mut Places) -> CodeFlow {
    let least = lines.iter().map(|line| number(line, "depth")).min().unwrap_or(0);
    let step = |(n, line): (usize, &Value)| {
        let values = line["values"].as_array().into_iter().flatten();
        let state: BTreeMap<String, MultiformatMessageString> = values
            .map(|v| {
                let value = MultiformatMessageString::builder().text(text(v, "value")).build();
                (text(v, "name").to_owned(), value)
            })
            .collect();
        let importance = match () {
            () if line["error"] == true => "essential",
            () if line["branch"].is_boolean() || !state.is_empty() => "important",
            () => "unimportant",
        };
        let location = Location { message: Some((&beside(line)).into()), ..places.location(line) };
        let mut step = ThreadFlowLocation::builder()
            .location(location)
            .execution_order(n as i64 + 1)
            .nesting_level(number(line, "depth") - least)
            .importance(importance)
            .build();
        step.state = (!state.is_empty()).then_some(state);
        step
    };
    let locations: Vec<ThreadFlowLocation> = lines.iter().enumerate().map(step).collect();
    CodeFlow::builder().thread_flows(vec![ThreadFlow::builder().locations(locations).build()]).build()
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
fn told(result: &Value, places: &mut Places) -> Vec<Notification> {
    let diagnostics = result["diagnostics"].as_array().into_iter().flatten();
    let mut out: Vec<Notification> = diagnostics
        .map(|d| {
            let mut said = Notification::builder()
                .message(Message::from(text(d, "text")))
                .level(text(d, "severity"))
                .build();
            said.locations = d["location"].is_object().then(|| vec![places.location(&d["location"])]);
            said
        })
        .collect();
    let has_checks = result["checks"].as_array().is_some_and(|checks| !checks.is_empty());
    let verdict = text(result, "verdict");
    if verdict == "ERROR" || verdict == "UNKNOWN" && !has_checks {
        let why = result["detail"].as_str().unwrap_or(text(result, "verdict_line"));
        let level = if verdict == "ERROR" { "error" } else { "warning" };
        out.push(Notification::builder().message(Message::from(why)).level(level).build());
    }
    out
}

/// Gives each finding what it is known by in later runs: its rule, its function and the text of its line, and a number where
/// several have the same. Lines that move keep it.
fn with_fingerprints(findings: &mut [Finding], places: &mut Places) {
    let mut met: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let mut content = Content::default();
        content.add(finding.rule_id.as_deref().unwrap_or_default().as_bytes());
        let location = finding.locations.iter().flatten().next();
        let function = location
            .and_then(|l| l.logical_locations.as_ref()?.first()?.fully_qualified_name.as_deref())
            .unwrap_or_default();
        content.add(function.as_bytes());
        content.add(location.map(|l| places.line(l)).unwrap_or_default().as_bytes());
        let common = content.text()[..32].to_owned();
        let n = met.entry(common.clone()).or_default();
        *n += 1;
        let print = BTreeMap::from([("slamCheck/v1".to_owned(), format!("{common}:{n}"))]);
        finding.partial_fingerprints = Some(print);
    }
}

#[cfg(test)]
mod tests;
