//! From the question to the reply: the search, the answer in words with its traces, and the verdict.
//!
//! Invariant: what was found before a limit was reached is reported, and nothing that was found after it.

use crate::{Arguments, json, path, states};
use base::{Diagnostic, IndexVec, SourceMap};
use bebop::{
    Answer, Biodivine, Engine, Options, Outcome, Progress, Reached, Slices, Stopped, TooManyVariables,
};
use bp::{Cfg, Program, Stmt, StmtId, VertexId};
use check::{Asked, PATIENCE, Target, Trace, render, targets};
use cli::models::Asserts;
use cli::{Session, StopReason, Verdict};
use serde_json::Value;
use std::cell::OnceCell;
use std::fmt::Write;
use std::mem::ManuallyDrop;
use std::time::Duration;

/// The column after the name of what is asked.
const NAMES: usize = 40;

/// What is written in the end.
pub(crate) struct Reply {
    pub(crate) body: String,
    pub(crate) verdict: Verdict,
    /// Particulars for `--json`.
    pub(crate) json: Value,
    /// What the file of `--dot` gets.
    pub(crate) graph: Option<String>,
    /// What the file of `--path` gets, or why it gets nothing.
    pub(crate) path: Option<Result<String, Diagnostic>>,
}

impl Reply {
    /// Nothing but the verdict.
    pub(crate) fn only(verdict: Verdict) -> Reply {
        Reply { body: String::new(), verdict, json: serde_json::json!({}), graph: None, path: None }
    }
}

type Stmts<'a> = IndexVec<StmtId, Option<&'a Stmt>>;

/// What everything here examines.
pub(crate) struct Context<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) sources: &'a SourceMap,
    pub(crate) program: &'a Program,
    pub(crate) cfg: &'a Cfg,
    stmts: OnceCell<Stmts<'a>>,
}

impl<'a> Context<'a> {
    /// The statements by their ids; collected when they are first needed.
    pub(crate) fn stmts(&self) -> &Stmts<'a> {
        self.stmts.get_or_init(|| self.program.stmts_by_id())
    }

    /// Most lines of a trace with what happens inside calls.
    pub(crate) fn trace_lines(&self) -> usize {
        self.arguments.output.trace_lines
    }

    pub(crate) fn wants_json(&self) -> bool {
        self.arguments.output.json.is_some()
    }

    /// Whether nobody reads what stands above the verdict line.
    fn is_silent(&self) -> bool {
        self.arguments.output.quiet
    }
}

/// Answers.
pub(crate) fn reply(
    arguments: &Arguments,
    session: &Session,
    sources: &SourceMap,
    program: &Program,
    cfg: &Cfg,
) -> Reply {
    session.doing("bebop");
    let read = session.elapsed();
    let cx = Context { arguments, sources, program, cfg, stmts: OnceCell::new() };
    let question = &arguments.question;
    let asked = Asked {
        labels: &question.labels,
        all_labels: question.all && question.labels.is_empty(),
        assertions: question.asserts == Asserts::Check && (question.labels.is_empty() || question.assertions),
    };
    let targets = match targets(asked, sources, &[cfg]) {
        Ok(targets) => targets,
        Err(unknown) => return Reply::only(Verdict::Error(unknown.to_string())),
    };
    session.set_stats(figures(&Progress::default(), read));
    let stop = session.stop();
    search(&cx, session, &targets, read, |vars| Biodivine::new(vars, stop))
}

/// Answers with one of the decision-diagram packages.
fn search<E: Engine>(
    cx: &Context<'_>,
    session: &Session,
    targets: &[Target],
    read: Duration,
    engine: impl Fn(usize) -> Result<E, TooManyVariables>,
) -> Reply {
    let mut progress = Progress::default();
    let options = options(cx, session, targets);
    let slices = ManuallyDrop::new(Slices::new());
    // What else is reached, and in which states, is known only from the whole program.
    let answer_only =
        options.live && !cx.arguments.question.all && !cx.wants_json() && !cx.arguments.output.wants_path();
    let outcome = match answer_only {
        true => bebop::check_in_slices(cx.cfg, (&slices, PATIENCE), &options, &mut progress, engine),
        false => bebop::check_with(cx.cfg, &options, &mut progress, engine),
    };
    let mut outcome = match outcome {
        Ok(outcome) => ManuallyDrop::new(outcome),
        Err(stopped) => {
            let mut reply = Reply::only(match stopped {
                Stopped::Interrupted => session.stopped_verdict(),
                Stopped::Exhausted => StopReason::Memory.verdict(),
                other => Verdict::Unknown(other.to_string()),
            });
            note(session, &mut reply, figures(&progress, read));
            return reply;
        }
    };
    session.set_stats(figures(&progress, read));
    let (mut reply, complete) = tell(cx, &mut outcome, targets);
    if cx.arguments.output.stats || cx.wants_json() {
        let stats = stats(&progress, &mut outcome, read);
        note(session, &mut reply, stats);
    }
    if complete.is_err() {
        let _ = writeln!(reply.body, "Stopped before the report was complete.");
    }
    reply
}

fn note(session: &Session, reply: &mut Reply, stats: Vec<(String, String)>) {
    reply.json["stats"] = stats.iter().map(|(name, value)| (name.clone(), json::number(value))).collect();
    session.set_stats(stats);
}

fn options<'a>(cx: &Context<'_>, session: &'a Session, targets: &[Target]) -> Options<'a> {
    let (question, output) = (&cx.arguments.question, &cx.arguments.output);
    let unread = cx.is_silent() && !cx.wants_json() && output.dot.is_none();
    let goals = targets.iter().flat_map(|t| t.goals.iter().map(|(_, v)| *v)).collect();
    if output.wants_path() {
        // As the loop asks.
        return Options { max_trace_steps: path::MAX_STEPS, ..Options::new(goals, session.stop()) };
    }
    Options {
        live: !output.no_live && !output.reports(),
        exhaustive: !output.no_trace || question.all || output.reports(),
        trace: !output.no_trace && !question.all,
        // A trace with more steps is written without what happens in calls.
        max_trace_steps: if unread { 0 } else { cx.trace_lines() },
        max_flat_steps: cx.trace_lines(),
        count_nodes: output.stats || cx.wants_json(),
        ..Options::new(goals, session.stop())
    }
}

/// The reply about a search that ended by itself, and whether it is complete.
fn tell<E: Engine>(
    cx: &Context<'_>,
    outcome: &mut Outcome<'_, E>,
    targets: &[Target],
) -> (Reply, Result<(), Stopped>) {
    let mut reply = Reply::only(verdict(cx, outcome, targets));
    if cx.wants_json() {
        reply.json["targets"] = json::targets(cx, outcome, targets);
    }
    let Outcome { answer, reached, .. } = outcome;
    let answer = &*answer;
    let trace = match answer {
        Answer::Reachable { trace, .. } => trace.as_ref(),
        Answer::Unreachable => None,
    };
    if cx.wants_json() {
        reply.json["trace"] = trace.map(|trace| json::trace(cx, trace)).into();
    }
    let complete = match answer {
        _ if cx.arguments.question.all => table(cx, reached, targets, &mut reply),
        Answer::Unreachable => {
            let _ = writeln!(reply.body, "{}", unreachable_text(cx, targets));
            Ok(())
        }
        Answer::Reachable { target, .. } if !cx.is_silent() => {
            reply.body.push_str(&reachable_text(cx, target_of(targets, *target), trace));
            Ok(())
        }
        Answer::Reachable { .. } => Ok(()),
    };
    let complete = complete.and_then(|()| states::report(cx, reached, trace, &mut reply));
    let complete = complete.and_then(|()| path_of(cx, reached, trace, &mut reply));
    (reply, complete)
}

/// What the file of `--path` gets.
fn path_of<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    trace: Option<&Trace>,
    reply: &mut Reply,
) -> Result<(), Stopped> {
    if let Some(trace) = trace.filter(|_| cx.arguments.output.wants_path()) {
        reply.path = Some(path::texts(cx, reached, trace)?);
    }
    Ok(())
}

fn target_of(targets: &[Target], vertex: VertexId) -> &Target {
    targets.iter().find(|t| t.goals.contains(&(0, vertex))).expect("only targets are asked for")
}

/// With `--all` the verdict names an assertion that can fail, if there is one; else the first label.
fn verdict<E: Engine>(cx: &Context<'_>, outcome: &Outcome<'_, E>, targets: &[Target]) -> Verdict {
    match &outcome.answer {
        Answer::Unreachable => Verdict::Unreachable,
        Answer::Reachable { target, .. } if !cx.arguments.question.all => {
            Verdict::Reachable(target_of(targets, *target).name.clone())
        }
        Answer::Reachable { .. } => {
            let mut found = targets.iter().filter(|t| is_reached(&outcome.reached, t));
            let first = found.clone().next();
            let named = found.find(|t| t.is_assertion()).or(first).expect("one of them is reached");
            Verdict::Reachable(named.name.clone())
        }
    }
}

/// Whether it is known to be reachable.
pub(crate) fn is_reached<E: Engine>(reached: &Reached<'_, E>, target: &Target) -> bool {
    target.goals.iter().any(|(_, v)| reached.is_reached(*v))
}

fn reachable_text(cx: &Context<'_>, target: &Target, trace: Option<&Trace>) -> String {
    let verb = if target.is_assertion() { "can fail" } else { "is reachable" };
    let Some(trace) = trace else { return format!("{} {verb}.\n", target.name) };
    let reverse = cx.arguments.output.reverse;
    let mut text =
        format!("{} {verb}; a shortest trace{}:\n", target.name, if reverse { ", backwards" } else { "" });
    let write = if reverse { render::reversed } else { render::text };
    let most = cx.trace_lines();
    text.push_str(&write(cx.program, cx.cfg, trace, most));
    if most > 0 && trace.flatten(most).is_err() {
        let _ = writeln!(
            text,
            "(Calls that return are on one line: there are more than {most} lines inside; see --trace-lines.)"
        );
    }
    text
}

fn unreachable_text(cx: &Context<'_>, targets: &[Target]) -> String {
    let question = &cx.arguments.question;
    let labels: Vec<&str> = targets.iter().filter(|t| !t.is_assertion()).map(|t| t.name.as_str()).collect();
    let labels = match labels.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is unreachable")),
        several => Some(format!("{} are unreachable", several.join(", "))),
    };
    let assertions = match targets.iter().filter(|t| t.is_assertion()).count() {
        _ if question.asserts == Asserts::Assume && labels.is_some() => None,
        _ if question.asserts == Asserts::Assume => Some("nothing is asked".to_owned()),
        0 if !question.labels.is_empty() && !question.assertions => None,
        0 => Some("there is no assertion".to_owned()),
        1 => Some("the assertion cannot fail".to_owned()),
        n => Some(format!("none of the {n} assertions can fail")),
    };
    let parts: Vec<String> = labels.into_iter().chain(assertions).collect();
    format!("{}.", parts.join("; "))
}

/// A line for each label and assertion, and traces if they are asked for.
fn table<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    targets: &[Target],
    reply: &mut Reply,
) -> Result<(), Stopped> {
    let name = |t: &Target| match t.stmt.and_then(|s| cx.stmts()[s]) {
        Some(stmt) => bp::head(stmt),
        None => t.name.clone(),
    };
    let names: Vec<String> = targets.iter().map(name).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).min(NAMES);
    for (target, name) in targets.iter().zip(&names) {
        let word = if is_reached(reached, target) { "REACHABLE" } else { "UNREACHABLE" };
        let place = target.place.map_or(String::new(), |span| cx.sources.short(span));
        let _ = writeln!(reply.body, "{}", format!("{word:<11}  {name:<width$}  {place}").trim_end());
    }
    let count = targets.iter().filter(|t| is_reached(reached, t)).count();
    let _ = match targets.len() {
        0 => writeln!(reply.body, "There is no label and no assertion."),
        n => writeln!(reply.body, "{count} of {n} can be reached."),
    };
    if !cx.arguments.output.traces {
        return Ok(());
    }
    for (i, target) in targets.iter().enumerate() {
        if let Some(trace) = shortest(cx, reached, target)? {
            let _ = write!(reply.body, "\n{}", reachable_text(cx, target, Some(&trace)));
            if cx.wants_json() {
                reply.json["targets"][i]["trace"] = json::trace(cx, &trace);
            }
        }
    }
    Ok(())
}

/// The shortest of the traces to its vertices.
fn shortest<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    target: &Target,
) -> Result<Option<Trace>, Stopped> {
    let mut best: Option<Trace> = None;
    for (_, vertex) in &target.goals {
        let Some(trace) = reached.trace(*vertex, cx.trace_lines())? else { continue };
        if best.as_ref().is_none_or(|best| trace.length() < best.length()) {
            best = Some(trace);
        }
    }
    Ok(best)
}

/// All figures of a search that has ended.
fn stats<E: Engine>(
    progress: &Progress,
    outcome: &mut Outcome<'_, E>,
    read: Duration,
) -> Vec<(String, String)> {
    let mut out = vec![];
    // None after the engine was stopped in a report.
    out.extend(outcome.reached.path_edges().ok().map(|n| ("path-edges".to_owned(), count(n))));
    if let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer {
        out.push(("trace-length".to_owned(), trace.length().to_string()));
    }
    out.extend(figures(progress, read));
    out
}

/// Figures as far as a search has come.
fn figures(progress: &Progress, read: Duration) -> Vec<(String, String)> {
    let Progress { stats, times } = *progress;
    let ms = |d: Duration| format!("{:.1}", d.as_secs_f64() * 1e3);
    let mut out = vec![
        ("reachable-vertices", stats.vertices.to_string()),
        ("rounds", stats.rounds.to_string()),
        ("summaries", stats.summaries.to_string()),
        ("bdd-variables", stats.diagram_vars.to_string()),
        ("bdd-nodes", stats.nodes.to_string()),
        ("bdd-nodes-made", stats.nodes_made.to_string()),
        ("read-ms", ms(read)),
        ("prepare-ms", ms(times.preparing)),
        ("search-ms", ms(times.searching)),
        ("trace-ms", ms(times.tracing)),
    ];
    if let Some(bytes) = cli::process::peak_memory() {
        out.push(("peak-memory-mb", format!("{:.1}", bytes as f64 / 1e6)));
    }
    out.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A whole number as long as it is exact.
fn count(n: f64) -> String {
    if n < 1e15 { format!("{n:.0}") } else { format!("{n:.3e}") }
}
