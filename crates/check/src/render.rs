//! Traces as text, forward or backwards: one line a statement, indented by call depth, with the values of the
//! variables that matter there [BR-SPIN00 Fig. 1].

use crate::trace::{Event, Point, Trace, Valuation};
use base::IndexVec;
use bp::{Cfg, Program, Stmt, StmtId, StmtKind, VertexId, VertexKind};
use std::fmt::Write;

/// The column at which the right-hand side begins: as far right as the longest left-hand side demands, within these
/// bounds.
const VALUES_COLUMN: std::ops::RangeInclusive<usize> = 28..=64;

/// The trace with all calls expanded, or with calls that return on one line if that has more than `limit`
/// lines. Line numbers are those of the boolean program; nothing stands there for a program that was not
/// parsed. Ends with a line break.
pub fn text(program: &Program, cfg: &Cfg, trace: &Trace, limit: usize) -> String {
    forward(lines(program, cfg, trace, limit))
}

/// Some points of a trace, in the same form.
pub fn part(program: &Program, cfg: &Cfg, trace: &Trace, points: &[Point<'_>]) -> String {
    forward(lines_of(program, cfg, trace, points))
}

fn forward(lines: Vec<Line>) -> String {
    let rows = lines.into_iter().map(|line| {
        let number = line.number.map_or(String::new(), |n| n.to_string());
        let left = format!("{number:>4}  {:indent$}{}", "", line.statement, indent = indent(line.depth));
        (left, line.values, line.mark)
    });
    table(rows.collect())
}

/// The trace from its end to its start, as [BR-SPIN00 Fig. 1] has it: line and state, indented by call depth. The
/// statement stands beside them.
pub fn reversed(program: &Program, cfg: &Cfg, trace: &Trace, limit: usize) -> String {
    let rows = lines(program, cfg, trace, limit).into_iter().rev().map(|line| {
        let number = line.number.map_or_else(|| "?".to_owned(), |n| n.to_string());
        let left = format!("{:indent$}Line {number}  State {}", "", line.values, indent = indent(line.depth));
        (left.trim_end().to_owned(), line.statement, line.mark)
    });
    table(rows.collect())
}

/// Deep recursion must not make the text quadratic.
fn indent(depth: usize) -> usize {
    2 * depth.min(40)
}

/// Two columns, and a remark at the end.
fn table(rows: Vec<(String, String, &str)>) -> String {
    let longest = rows.iter().map(|(left, ..)| left.chars().count() + 2).max().unwrap_or(0);
    let column = longest.clamp(*VALUES_COLUMN.start(), *VALUES_COLUMN.end());
    let mut out = String::new();
    for (left, right, mark) in rows {
        out.push_str(&left);
        if !right.is_empty() {
            let pad = column.saturating_sub(left.chars().count()).max(2);
            let _ = write!(out, "{:pad$}{right}", "");
        }
        out.push_str(mark);
        out.push('\n');
    }
    out
}

struct Line {
    depth: usize,
    number: Option<u32>,
    statement: String,
    values: String,
    mark: &'static str,
}

fn lines(program: &Program, cfg: &Cfg, trace: &Trace, limit: usize) -> Vec<Line> {
    let points = trace.flatten(limit).unwrap_or_else(|_| trace.top_level());
    lines_of(program, cfg, trace, &points)
}

fn lines_of(program: &Program, cfg: &Cfg, trace: &Trace, points: &[Point<'_>]) -> Vec<Line> {
    let stmts = program.stmts_by_id();
    points.iter().filter_map(|point| line(&stmts, cfg, trace, point)).collect()
}

/// The line for a point, if there is one.
fn line(
    stmts: &IndexVec<StmtId, Option<&Stmt>>,
    cfg: &Cfg,
    trace: &Trace,
    point: &Point<'_>,
) -> Option<Line> {
    let (stmt, values) = shown(cfg, trace, point)?;
    let fails = matches!(point.event, Event::Target(_)) && cfg.vertices[trace.target].kind.is_failure();
    let stmt = stmts.get(stmt).copied().flatten()?;
    Some(Line {
        depth: point.depth,
        number: stmt.loc.0.map(|span| span.start.line),
        statement: bp::head(stmt),
        values: values_text(cfg, values),
        mark: if fails { "   <-- fails" } else { "" },
    })
}

/// The statement of a point and the state before it; `None` for a point that is not shown: a return, the end of a
/// procedure, and the step of a failing assertion, which is shown when its failure is reached.
pub fn shown<'t>(cfg: &Cfg, trace: &Trace, point: &Point<'t>) -> Option<(StmtId, &'t Valuation)> {
    match point.event {
        Event::Return(_) => None,
        Event::Step(step) if cfg.vertices[cfg.edges[step.edge].to].kind.is_failure() => None,
        Event::Step(step) => Some((step.stmt, &step.before)),
        Event::Target(segment) => Some((cfg.vertices[trace.target].kind.stmt()?, &segment.after)),
    }
}

/// The text of a vertex, in the words of the program: a statement without the statements inside it, `elsif (c)
/// then`, `assert(c) fails`, `end of f`.
pub fn vertex_text(stmts: &IndexVec<StmtId, Option<&Stmt>>, cfg: &Cfg, vertex: VertexId) -> String {
    let vertex = &cfg.vertices[vertex];
    let stmt = vertex.kind.stmt().and_then(|id| stmts.get(id).copied().flatten());
    match (vertex.kind, stmt) {
        (VertexKind::Arm(_, n), Some(Stmt { kind: StmtKind::If { arms, .. }, .. })) if n < arms.len() => {
            format!("elsif ({}) then", arms[n].0)
        }
        (VertexKind::Failure(_), Some(stmt)) => match &stmt.kind {
            StmtKind::Assert(condition) => format!("assert({condition}) fails"),
            _ => format!("{} fails", bp::head(stmt)),
        },
        (_, Some(stmt)) => bp::head(stmt),
        (VertexKind::Exit, None) => format!("end of {}", cfg.procs[vertex.proc].name),
        (_, None) => "?".to_owned(),
    }
}

/// `g=1 h=0`: the variables whose value matters.
pub fn values_text(cfg: &Cfg, values: &Valuation) -> String {
    let one = |(var, value)| format!("{}={}", cfg.vars[var].name, u8::from(value));
    values.constrained().map(one).collect::<Vec<_>>().join(" ")
}
