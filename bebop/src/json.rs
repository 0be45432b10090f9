//! The reply as JSON: everything that the text says, and the places by file and line.

use crate::Arguments;
use crate::answer::{Context, Reply, is_reached};
use base::Span;
use bebop::{Engine, Outcome};
use bp::{Loc, VertexId};
use check::{Event, Point, Segment, StepKind, Target, Trace, Valuation, render};
use serde_json::{Value, json};

/// The whole document; ends with a line break.
pub(crate) fn whole(arguments: &Arguments, reply: &Reply) -> String {
    let mut json = reply.json.clone();
    json["tool"] = "bebop".into();
    json["version"] = env!("CARGO_PKG_VERSION").into();
    json["file"] = arguments.file.as_ref().map(|f| f.display().to_string()).into();
    json["verdict"] = reply.verdict.word().into();
    json["verdict_line"] = reply.verdict.to_string().into();
    json["exit_code"] = reply.verdict.exit_code().into();
    format!("{json:#}\n")
}

/// What was asked, each with its answer: `null` where the search stopped before it was known.
pub(crate) fn targets<E: Engine>(cx: &Context<'_>, outcome: &Outcome<'_, E>, targets: &[Target]) -> Value {
    let arguments = cx.arguments;
    let complete = !arguments.output.no_trace || arguments.question.all || arguments.output.reports();
    let one = |target: &Target| {
        let reached = is_reached(&outcome.reached, target);
        let nothing_reached = matches!(outcome.answer, bebop::Answer::Unreachable);
        json!({
            "kind": if target.is_assertion() { "assertion" } else { "label" },
            "name": target.name,
            "label": target.label,
            "procedure": target.procedure,
            "place": place(cx, target.place),
            "reachable": (reached || complete || nothing_reached).then_some(reached),
        })
    };
    targets.iter().map(one).collect()
}

fn place(cx: &Context<'_>, span: Option<Span>) -> Value {
    span.map_or(Value::Null, |span| {
        json!({ "file": cx.sources.file(span.file).name, "line": span.start.line, "column": span.start.col })
    })
}

/// A vertex.
pub(crate) fn vertex(cx: &Context<'_>, id: VertexId) -> Value {
    let vertex = &cx.cfg.vertices[id];
    let Loc(span) = vertex.loc;
    json!({
        "procedure": cx.cfg.procs[vertex.proc].name.as_str(),
        "place": place(cx, span),
        "text": render::vertex_text(cx.stmts(), cx.cfg, id),
        "labels": vertex.labels.iter().map(|l| l.as_str()).collect::<Vec<_>>(),
    })
}

/// The steps of a trace in the order of execution, with every call expanded if there are not too many.
pub(crate) fn trace(cx: &Context<'_>, trace: &Trace) -> Value {
    let flat = trace.flatten(cx.trace_lines());
    let expanded = flat.is_ok();
    let points = flat.unwrap_or_else(|_| trace.top_level());
    let steps: Vec<Value> = points.iter().filter_map(|point| step(cx, trace, point)).collect();
    json!({ "length": trace.length(), "expanded": expanded, "steps": steps })
}

fn step(cx: &Context<'_>, trace: &Trace, point: &Point<'_>) -> Option<Value> {
    let (id, values) = render::shown(cx.cfg, trace, point)?;
    let stmt = cx.stmts()[id]?;
    let (kind, outcome) = match point.event {
        Event::Step(step) => match step.kind {
            StepKind::Plain => ("step", None),
            StepKind::Branch(value) => ("branch", Some(value)),
            StepKind::Call(_) => ("call", None),
            StepKind::Enter(_) => ("enter", None),
        },
        Event::Target(_) if cx.cfg.vertices[trace.target].kind.is_failure() => ("failure", None),
        Event::Target(_) | Event::Return(_) => ("target", None),
    };
    let Segment { proc, .. } = trace.segments[point.segment];
    Some(json!({
        "depth": point.depth,
        "procedure": cx.cfg.procs[proc].name.as_str(),
        "place": place(cx, stmt.loc.0),
        "statement": bp::head(stmt),
        "origin": stmt.notes.origin,
        "comment": stmt.notes.comment,
        "kind": kind,
        "outcome": outcome,
        "state": state(cx, values),
    }))
}

/// The variables whose value matters.
fn state(cx: &Context<'_>, values: &Valuation) -> Value {
    values.constrained().map(|(v, value)| (cx.cfg.vars[v].name.to_string(), value)).collect()
}

/// A number as such, where it is one.
pub(crate) fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
