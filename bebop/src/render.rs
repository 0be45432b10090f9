//! Traces as text: forward, one line a statement, indented by call depth, with the values of the variables
//! that matter there [BR-SPIN00 Fig. 1].

use crate::reached::Sum;
use crate::trace::{Event, Point, Trace, Valuation};
use base::IndexVec;
use bp::{Cfg, Program, Stmt, StmtId, VarId};
use std::fmt::Write;

/// The column at which values begin: as far right as the longest statement demands, within these bounds.
const VALUES_COLUMN: std::ops::RangeInclusive<usize> = 28..=64;

/// The trace with all calls expanded, or with calls that return on one line if that has more than `limit`
/// lines. Line numbers are those of the boolean program; nothing stands there for a program that was not
/// parsed. Ends with a line break.
pub fn text(program: &Program, cfg: &Cfg, trace: &Trace, limit: usize) -> String {
    let points = trace.flatten(limit).unwrap_or_else(|_| trace.top_level());
    let stmts = program.stmts_by_id();
    let lines: Vec<Line> = points.iter().filter_map(|point| line(&stmts, cfg, trace, point)).collect();
    let width = |line: &Line| line.statement.chars().count() + 2;
    let longest = lines.iter().map(width).max().unwrap_or(0);
    let column = longest.clamp(*VALUES_COLUMN.start(), *VALUES_COLUMN.end());
    let mut out = String::new();
    for Line { statement, values, mark } in lines {
        out.push_str(&statement);
        if !values.is_empty() {
            let pad = column.saturating_sub(statement.chars().count()).max(2);
            let _ = write!(out, "{:pad$}{values}", "");
        }
        out.push_str(mark);
        out.push('\n');
    }
    out
}

struct Line {
    statement: String,
    values: String,
    mark: &'static str,
}

/// What is written for a point, if anything is.
fn line(
    stmts: &IndexVec<StmtId, Option<&Stmt>>,
    cfg: &Cfg,
    trace: &Trace,
    point: &Point<'_>,
) -> Option<Line> {
    let (stmt, values, mark) = match point.event {
        Event::Return(_) => return None,
        // The failing assertion is written when its failure is reached.
        Event::Step(step) if cfg.vertices[cfg.edges[step.edge].to].kind.is_failure() => return None,
        Event::Step(step) => (step.stmt, &step.before, ""),
        Event::Target(segment) => {
            let kind = cfg.vertices[trace.target].kind;
            (kind.stmt()?, &segment.after, if kind.is_failure() { "   <-- fails" } else { "" })
        }
    };
    let stmt = stmts.get(stmt).copied().flatten()?;
    let mut statement = match stmt.loc.0 {
        Some(span) => format!("{:>4}  ", span.start.line),
        None => " ".repeat(6),
    };
    let _ = write!(statement, "{:indent$}{}", "", bp::head(stmt), indent = 2 * point.depth.min(40));
    Some(Line { statement, values: values_text(cfg, values), mark })
}

/// `g=1 h=0`: the variables whose value matters.
pub fn values_text(cfg: &Cfg, values: &Valuation) -> String {
    let one = |(var, value)| format!("{}={}", cfg.vars[var].name, u8::from(value));
    values.constrained().map(one).collect::<Vec<_>>().join(" ")
}

/// A sum of cubes over variables as a boolean expression: `a & !b | c`.
pub fn sum_text(cfg: &Cfg, sum: &Sum<VarId>) -> String {
    let literal =
        |(v, value): &(VarId, bool)| format!("{}{}", if *value { "" } else { "!" }, cfg.vars[*v].name);
    let cube = |cube: &Vec<(VarId, bool)>| match cube.as_slice() {
        [] => "1".to_owned(),
        literals => literals.iter().map(literal).collect::<Vec<_>>().join(" & "),
    };
    let mut text = sum.cubes.iter().map(cube).collect::<Vec<_>>().join(" | ");
    if sum.cubes.is_empty() {
        text.push('0');
    }
    if !sum.complete {
        text.push_str(" | ...");
    }
    text
}
