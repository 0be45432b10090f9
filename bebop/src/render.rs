//! Traces as text: forward, one line a statement, indented by call depth, with the values of the variables
//! that matter there [BR-SPIN00 Fig. 1].

use crate::trace::{Event, Point, StepKind, Trace, Valuation};
use base::IndexVec;
use bp::{Cfg, Program, Stmt, StmtId, VertexKind};
use std::fmt::Write;

/// The column at which values begin, when the statement leaves room.
const VALUES_COLUMN: usize = 28;

/// The trace with all calls expanded, or with calls that return on one line if that has more than `limit`
/// lines. Line numbers are those of the boolean program; nothing stands there for a program that was not
/// parsed. Ends with a line break.
pub fn text(program: &Program, cfg: &Cfg, trace: &Trace, limit: usize) -> String {
    let points = trace.flatten(limit).unwrap_or_else(|_| trace.top_level());
    let stmts = program.stmts_by_id();
    let mut out = String::new();
    for point in &points {
        line(&mut out, &stmts, cfg, trace, point);
    }
    out
}

fn line(
    out: &mut String,
    stmts: &IndexVec<StmtId, Option<&Stmt>>,
    cfg: &Cfg,
    trace: &Trace,
    point: &Point<'_>,
) {
    let (stmt, values, mark) = match point.event {
        Event::Return(_) => return,
        Event::Step(step) => {
            let mark = match step.kind {
                StepKind::Branch(false) if cfg.vertices[cfg.edges[step.edge].to].kind.is_failure() => return,
                _ => "",
            };
            (step.stmt, &step.before, mark)
        }
        Event::Target(segment) => match cfg.vertices[trace.target].kind {
            VertexKind::Stmt(stmt) | VertexKind::Arm(stmt, _) => (stmt, &segment.after, ""),
            VertexKind::Failure(stmt) => (stmt, &segment.after, "   <-- fails"),
            VertexKind::Exit => return,
        },
    };
    let Some(Some(stmt)) = stmts.get(stmt) else { return };
    let mut text = match stmt.loc.0 {
        Some(span) => format!("{:>4}  ", span.start.line),
        None => " ".repeat(6),
    };
    let _ = write!(text, "{:indent$}{}", "", bp::head(stmt), indent = 2 * point.depth.min(40));
    let shown = values_text(cfg, values);
    if !shown.is_empty() {
        let pad = VALUES_COLUMN.saturating_sub(text.chars().count()).max(2);
        let _ = write!(text, "{:pad$}{shown}", "");
    }
    text.push_str(mark);
    out.push_str(&text);
    out.push('\n');
}

/// `g=1 h=0`: the variables whose value matters.
pub fn values_text(cfg: &Cfg, values: &Valuation) -> String {
    let one = |(var, value)| format!("{}={}", cfg.vars[var].name, u8::from(value));
    values.constrained().map(one).collect::<Vec<_>>().join(" ")
}
