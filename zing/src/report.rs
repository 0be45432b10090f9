//! The answer in words, with the trace, the figures, and what goes into files.

use crate::Arguments;
use base::SourceMap;
use cli::{Session, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use zing::code::{Code, Fault, Instr};
use zing::{Answer, Limit, Note, Options, Outcome, Trace, render};

/// Most statements whose heaps are drawn.
const MOST_PICTURES: usize = 200;

/// What is written in the end.
pub(crate) struct Reply {
    pub(crate) body: String,
    pub(crate) verdict: Verdict,
    json: Value,
    dot: Option<String>,
}

impl Reply {
    /// Nothing but the verdict.
    pub(crate) fn only(verdict: Verdict) -> Reply {
        Reply { body: String::new(), verdict, json: json!({}), dot: None }
    }
}

/// Searches, and reports what was found.
pub(crate) fn reply(arguments: &Arguments, session: &Session, sources: &SourceMap, code: &Code) -> Reply {
    session.doing("zing");
    let (search, output) = (&arguments.search, &arguments.output);
    let options = Options {
        summaries: search.summaries.into(),
        transactions: !search.no_transactions,
        max_states: search.max_states.unwrap_or(usize::MAX),
        snapshots: !output.no_trace || output.dot.is_some(),
        ..Options::new(session.stop())
    };
    let outcome = zing::check(code, &options);
    let figures = figures(code, &outcome);
    let mut reply = match &outcome.answer {
        Ok(Answer::Holds) => {
            let mut reply = Reply::only(Verdict::Unreachable);
            reply.body.push_str("No execution fails.\n");
            reply
        }
        Ok(Answer::Fails { fault, pc, trace }) => {
            let name = render::place(code, sources, *fault, *pc);
            let mut reply = Reply::only(Verdict::Reachable(name.clone()));
            if !output.no_trace {
                failing(&mut reply.body, code, sources, &name, trace.as_ref());
            }
            if let Some(trace) = trace {
                reply.json["trace"] = steps(code, sources, trace);
                reply.dot = Some(render::dot(code, sources, trace, MOST_PICTURES));
            }
            reply
        }
        Err(Limit::Interrupted) => Reply::only(session.stopped_verdict()),
        Err(limit) => Reply::only(Verdict::Unknown(limit.to_string())),
    };
    if code.terminates() {
        reply.json["bounded"] = json!(true);
        if outcome.answer.is_err() {
            reply.body.push_str("With summaries the search ends in the end: values and paths are bounded.\n");
        }
    }
    reply.json["stats"] = figures.iter().map(|(name, value)| (name.clone(), number(value))).collect();
    reply.json["summaries"] = outcome
        .per_procedure
        .iter()
        .map(|(name, summaries, effects)| json!({"procedure": name, "summaries": summaries, "effects": effects}))
        .collect();
    reply.json["unreached"] = unreached(code, sources, &outcome);
    session.set_stats(figures);
    reply
}

/// Places of statements that no execution reaches. Ends of procedures are added by the compiler, and do not count.
fn unreached(code: &Code, sources: &SourceMap, outcome: &Outcome) -> Value {
    let counts = |instr: &Instr| !matches!(instr, Instr::Return(_) | Instr::Fail(_) | Instr::Jump);
    let never =
        code.nodes.iter_enumerated().filter(|(pc, node)| !outcome.reached[*pc] && counts(&node.instr));
    let mut never: Vec<_> = never.filter_map(|(_, node)| node.span).collect();
    never.sort_unstable_by_key(|span| span.start);
    never.dedup();
    never.iter().map(|span| json!(sources.long(*span))).collect()
}

fn failing(body: &mut String, code: &Code, sources: &SourceMap, name: &str, trace: Option<&Trace>) {
    let _ = match trace.map(|t| t.fault) {
        Some(Fault::Label) => writeln!(body, "{name} can be reached:"),
        _ => writeln!(body, "An execution fails, {name}:"),
    };
    let Some(trace) = trace else {
        body.push_str("it is too long to be shown.\n");
        return;
    };
    body.push_str(&render::trace(code, sources, trace));
    if let Some(before) = trace.steps.last().and_then(|s| s.before.as_ref()) {
        body.push_str("      where\n");
        body.push_str(&render::snapshot(code, before));
    }
}

fn figures(code: &Code, outcome: &Outcome) -> Vec<(String, String)> {
    let stats = &outcome.stats;
    let (allocations, reached) = outcome.allocations(code);
    let reuse = if stats.summaries == 0 { 0.0 } else { stats.lookups as f64 / stats.summaries as f64 };
    vec![
        ("states".into(), stats.states.to_string()),
        ("threads".into(), stats.threads.to_string()),
        ("summaries".into(), stats.summaries.to_string()),
        ("effects".into(), stats.effects.to_string()),
        ("lookups".into(), stats.lookups.to_string()),
        ("reuse".into(), format!("{reuse:.1}")),
        ("allocations".into(), allocations.to_string()),
        ("allocations-reached".into(), reached.to_string()),
    ]
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn steps(code: &Code, sources: &SourceMap, trace: &Trace) -> Value {
    let step = |s: &zing::TraceStep| {
        let node = code.node(s.pc);
        let mut step = json!({
            "thread": s.thread,
            "depth": s.depth,
            "procedure": code.procs[node.proc].name,
            "place": node.span.map(|span| sources.long(span)),
            "text": render::statement(code, sources, s.pc),
        });
        match s.note {
            Note::Chose(value) => step["chosen"] = json!(render::plain(value)),
            Note::Decided(value) => step["decided"] = json!(value),
            Note::Failed(fault) => step["fails"] = json!(fault.word()),
            Note::To(_) | Note::Plain => {}
        }
        step
    };
    trace.steps.iter().take(render::MOST_LINES).map(step).collect()
}

/// Files asked for, with what goes into them.
pub(crate) fn files(arguments: &Arguments, reply: &Reply) -> Vec<(PathBuf, String)> {
    let mut files = vec![];
    if let Some(path) = &arguments.output.json {
        let mut whole = reply.json.clone();
        whole["file"] = json!(arguments.file.as_ref().map(|f| f.display().to_string()));
        whole["verdict"] = json!(reply.verdict.word());
        whole["line"] = json!(reply.verdict.to_string());
        files.push((path.clone(), format!("{whole:#}\n")));
    }
    if let (Some(path), Some(dot)) = (&arguments.output.dot, &reply.dot) {
        files.push((path.clone(), dot.clone()));
    }
    files
}
