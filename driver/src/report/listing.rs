//! A path in source terms: one line a step, the source's text, calls by indentation, what is known of the step
//! beside it. No temporaries: a step that the front end invented is shown only when it read an input.

use base::{FileId, SourceMap, Span};
use cmm::{EdgeKind, HavocKind, Op, Path, PathStep, ProcId, Program, VarKind};
use std::fmt::Write;

/// Width of the column that holds the source text.
const TEXT: usize = 40;

/// Longest source text of a line.
const LONGEST: usize = 72;

/// Steps shown from each end of a path that is too long to be shown whole.
const ENDS: usize = 150;

/// What stands beside a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remark {
    /// Text for the right column, in order.
    pub notes: Vec<String>,
    /// A sign in front of the line.
    pub mark: bool,
}

/// The outcome of a condition, as it stands beside its step.
pub(crate) fn outcome(program: &Program, step: &PathStep) -> Vec<String> {
    match *step {
        PathStep::Edge(p, e) => match program.procs[p].edges[e].kind {
            EdgeKind::Branch { taken } => vec![taken.to_string()],
            _ => vec![],
        },
        _ => vec![],
    }
}

/// A line before it is laid out.
struct Line {
    place: String,
    depth: usize,
    text: String,
    notes: Vec<String>,
    mark: bool,
    key: (Option<Span>, usize),
}

/// Lists the path; `remark` tells what is known of the step with an index.
pub(crate) fn listing(
    program: &Program,
    sources: &SourceMap,
    path: &Path,
    mut remark: impl FnMut(usize) -> Remark,
) -> String {
    let home = home_file(program, path);
    let mut lines: Vec<Line> = vec![];
    let mut pending: Vec<String> = vec![];
    let mut depth = 0usize;
    let last = path.steps.len().saturating_sub(1);
    for (i, step) in path.steps.iter().enumerate() {
        let at = depth;
        let (proc, edge) = step.edge();
        match step {
            PathStep::Edge(..) => {}
            PathStep::Enter(..) => depth += 1,
            PathStep::Leave(..) => depth = depth.saturating_sub(1),
        }
        let Remark { notes, mark } = remark(i);
        let leaving = matches!(step, PathStep::Leave(..));
        let shown = i == last || (!leaving && is_shown(program, sources, proc, step));
        if !shown {
            let reads_input = matches!(program.procs[proc].edges[edge].op, Op::Havoc(_, HavocKind::Input(_)))
                && proc != program.entry;
            if program.procs[proc].is_model() {
                continue;
            }
            if leaving && let Some(line) = lines.iter_mut().rev().find(|l| l.depth + 1 == at) {
                // The value that came back belongs to the line of the call.
                line.notes.extend(notes);
            } else if reads_input {
                pending.extend(notes);
            }
            continue;
        }
        let span = program.procs[proc].edges[edge].span;
        let mut line = Line {
            place: place(sources, home, span),
            depth: at,
            text: text(program, sources, step),
            notes: std::mem::take(&mut pending),
            mark,
            key: (Some(span), at),
        };
        line.notes.extend(notes);
        match lines.last_mut() {
            Some(before) if before.key == line.key && before.text == line.text => {
                before.notes.extend(line.notes);
                before.mark |= mark;
            }
            _ => lines.push(line),
        }
    }
    layout(lines)
}

fn layout(lines: Vec<Line>) -> String {
    let place_width = lines.iter().map(|l| l.place.chars().count()).max().unwrap_or(0).max(4);
    let base = lines.iter().map(|l| l.depth).min().unwrap_or(0);
    let total = lines.len();
    let mut out = String::new();
    for (i, line) in lines.into_iter().enumerate() {
        if total > 2 * ENDS + 1 && (ENDS..total - ENDS).contains(&i) {
            if i == ENDS {
                let _ = writeln!(out, "  {:>place_width$}  ... {} steps left out ...", "", total - 2 * ENDS);
            }
            continue;
        }
        let text = format!("{}{}", "  ".repeat((line.depth - base).min(30)), line.text);
        let sign = if line.mark { "*" } else { " " };
        let row = format!(" {sign}{:>place_width$}  {text:<TEXT$} {}", line.place, line.notes.join(", "));
        let _ = writeln!(out, "{}", row.trim_end());
    }
    out
}

/// The file that most of the report is about: lines in it need no file name.
fn home_file(program: &Program, path: &Path) -> Option<FileId> {
    let own = |s: &&PathStep| {
        let (p, _) = s.edge();
        !program.procs[p].is_model()
    };
    let last = path.steps.iter().rfind(own)?;
    let (p, e) = last.edge();
    Some(program.procs[p].edges[e].span.file)
}

fn place(sources: &SourceMap, home: Option<FileId>, span: Span) -> String {
    if Some(span.file) == home { span.start.line.to_string() } else { sources.short(span) }
}

fn is_shown(program: &Program, sources: &SourceMap, proc: ProcId, step: &PathStep) -> bool {
    let (_, e) = step.edge();
    if proc == program.entry || program.procs[proc].is_model() {
        return false;
    }
    let edge = &program.procs[proc].edges[e];
    let passed_case = edge.kind == EdgeKind::Branch { taken: false }
        && sources.snippet(edge.span).is_some_and(|s| s.starts_with("case "));
    if passed_case {
        return false;
    }
    matches!(step, PathStep::Enter(..))
        || (edge.kind != EdgeKind::Internal && !temporary_input(program, &edge.op))
}

/// An input that is a part of an expression: the line of the whole tells it.
fn temporary_input(program: &Program, op: &Op) -> bool {
    match op {
        Op::Havoc(lv, HavocKind::Input(_)) => {
            lv.as_var().is_some_and(|v| matches!(program.vars[v].kind, VarKind::Temp(_)))
        }
        _ => false,
    }
}

/// The source text of a step: the statement, or the condition with the keyword before it.
pub(crate) fn text(program: &Program, sources: &SourceMap, step: &PathStep) -> String {
    let (p, e) = step.edge();
    let edge = &program.procs[p].edges[e];
    let snippet = sources
        .snippet(edge.span)
        .filter(|s| !s.is_empty())
        .unwrap_or_else(|| cmm::print::edge(program, p, e));
    let text = match edge.kind {
        EdgeKind::Branch { .. } => match keyword(sources, edge.span) {
            Some(word) => format!("{word} ({snippet})"),
            None => snippet,
        },
        _ => snippet,
    };
    shortened(&text, LONGEST)
}

/// The text, cut off after `longest` characters.
pub(crate) fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(longest - 3).collect();
    cut.push_str("...");
    cut
}

/// The keyword before a condition, when the condition is all that its parentheses hold on its left side.
fn keyword(sources: &SourceMap, span: Span) -> Option<&'static str> {
    let line = sources.line(span.file, span.start.line)?;
    let before = line.get(..span.start.col as usize - 1)?.trim_end();
    let before = before.strip_suffix('(')?.trim_end();
    ["if", "while", "for", "switch"].into_iter().find(|word| {
        before
            .strip_suffix(word)
            .is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}
