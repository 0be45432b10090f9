//! The report of an error: the execution that the interpreter made, in source terms, and its inputs.

use super::{Answer, externs};
use crate::harness::{self, start_input};
use crate::prepare::Task;
use crate::report::listing::{Remark, listing};
use base::SourceMap;
use cegar::Witness;
use cli::Verdict;
use cmm::interp::{InputRecord, TraceStep, Value};
use cmm::{EdgeKind, HavocKind, Op, Path, PathStep, Program};
use std::fmt::Write;

/// Inputs listed at most.
const INPUTS: usize = 100;

/// Values shown beside one step at most.
const VALUES: usize = 6;

/// The answer about a program with an error.
pub(crate) fn answer(task: &Task, witness: &Witness) -> Answer {
    let (program, sources) = (&task.whole, &task.sources);
    let check = &program.checks[witness.check];
    let place = sources.short(check.span);
    let path = Path { steps: witness.run.trace.iter().map(|t| t.step).collect() };
    let last = path.steps.len().saturating_sub(1);
    let mut body = format!("{place}: error: {}\n\n", check.message);
    body.push_str(&listing(program, sources, &path, |i| {
        let mut notes = notes(program, &witness.run.trace[i]);
        if i == last {
            notes.push("<-- here".into());
        }
        Remark { notes, mark: false }
    }));
    body.push('\n');
    let inputs: Vec<(String, String)> =
        witness.run.inputs.iter().filter_map(|r| input(program, sources, r)).collect();
    body.push_str(&input_lines(&inputs));
    let _ =
        writeln!(body, "replayed: the interpreter reaches line {} with these inputs.", check.span.start.line);
    body.push_str(&externs(task));
    let listed: Vec<_> =
        inputs.iter().map(|(what, value)| serde_json::json!({ "input": what, "value": value })).collect();
    let plan = harness::plan(task, witness);
    let json = serde_json::json!({
        "replay": harness::again::record(task, witness), "harness": harness::by_hand(&plan),
        "kind": check.kind.name(), "place": place, "message": check.message,
        "inputs": listed, "steps": witness.run.steps,
        "undefined_functions": super::externs_json(task),
    });
    let verdict = Verdict::Unsafe { kind: check.kind.name().into(), place };
    Answer { verdict, body, json, warnings: vec![] }
}

/// What the interpreter knows of a step.
fn notes(program: &Program, traced: &TraceStep) -> Vec<String> {
    let (p, e) = traced.step.edge();
    let edge = &program.procs[p].edges[e];
    let values: Vec<String> = traced
        .values
        .iter()
        .filter(|(name, _)| !is_invented(name))
        .take(VALUES)
        .map(|(name, value)| format!("{name} = {}", value.text(program)))
        .collect();
    let listed = (!values.is_empty()).then(|| format!("({})", values.join(", ")));
    match (traced.step, &edge.op) {
        (PathStep::Edge(..), Op::Havoc(_, HavocKind::Input(name))) => {
            let value = traced.values.first().map_or_else(String::new, |(_, v)| v.text(program));
            vec![format!("{name}() returned {value}")]
        }
        (PathStep::Edge(..), Op::Havoc(_, HavocKind::Uninit)) => vec![],
        (PathStep::Edge(..), Op::Assume(_)) => {
            let mut note = match edge.kind {
                EdgeKind::Branch { taken } => if taken { "true" } else { "false" }.to_owned(),
                _ => String::new(),
            };
            if let Some(listed) = listed {
                note = format!("{note} {listed}").trim().to_owned();
            }
            if note.is_empty() { vec![] } else { vec![note] }
        }
        (PathStep::Leave(..), _) => values.into_iter().map(|v| format!("then {v}")).collect(),
        _ => listed.into_iter().collect(),
    }
}

/// Names that the front end made up: temporaries and return variables.
fn is_invented(name: &str) -> bool {
    name.contains("tmp__") || name.contains("ret__")
}

/// An input with its value; `None` for one that tells nothing.
fn input(program: &Program, sources: &SourceMap, record: &InputRecord) -> Option<(String, String)> {
    let span = program.procs[record.proc].edges[record.edge].span;
    let place = sources.short(span);
    let what = match &record.kind {
        HavocKind::Input(name) => format!("{name}() at {place}"),
        HavocKind::Start(what) => start_input(program, *what),
        HavocKind::Outside(what) => format!("{what} at {place}"),
        HavocKind::Extern(name) if program.procs[record.proc].is_model() => format!("a value for {name}()"),
        HavocKind::Extern(name) => format!("undefined {name}() at {place}"),
        HavocKind::Uninit if matches!(record.value, Value::Int(0) | Value::Null) => return None,
        HavocKind::Uninit => format!("uninitialised memory at {place}"),
        HavocKind::Choice(name) => format!("{name} at {place}"),
        // Nothing rests on it.
        HavocKind::Unmodelled(_) => return None,
    };
    Some((what, record.value.text(program)))
}

fn input_lines(inputs: &[(String, String)]) -> String {
    let mut out = String::new();
    for (i, (what, value)) in inputs.iter().take(INPUTS).enumerate() {
        let head = if i == 0 { "inputs  " } else { "" };
        let _ = writeln!(out, "{head:<8} {what}: {value}");
    }
    if inputs.len() > INPUTS {
        let _ = writeln!(out, "         ... and {} more", inputs.len() - INPUTS);
    }
    if inputs.is_empty() {
        out.push_str("inputs   none\n");
    }
    out
}
