//! The trace as a path of the C-- program from which the boolean program was made, in the form that `newton` reads: one
//! step a line, `main e7 -> lock`. What the steps are stands beside the statements (see [`bp::origin`]).

use crate::answer::Context;
use base::Diagnostic;
use bebop::{Engine, Reached, Stopped};
use bp::{ProcId, Stmt, VertexId};
use check::{Event, Step, StepKind, Trace};
use std::fmt::Write;

/// Longest path, in steps.
pub(crate) const MAX_STEPS: usize = 100_000;

/// Most steps of all paths besides the first.
const OTHERS: usize = 2_000_000;

/// What stands between two paths.
const BETWEEN: &str = "---\n";

/// The column of what the C-- program has at a step.
const TEXT: usize = 40;

/// The path of a trace.
///
/// # Errors
/// Where the boolean program does not say what it stands for, or the path is too long.
pub(crate) fn text(cx: &Context<'_>, trace: &Trace) -> Result<String, Diagnostic> {
    let end = cx.cfg.vertices[trace.target].kind.stmt().and_then(|s| cx.stmts()[s]);
    let too_long = |_| {
        let message = format!("the path to here has more than {MAX_STEPS} steps");
        Diagnostic::error(end.and_then(|s| s.loc.0), message)
    };
    let points = trace.flatten(MAX_STEPS).map_err(too_long)?;
    let mut path = PathText { cx, out: String::new(), calls: vec![] };
    for point in points {
        match point.event {
            Event::Step(step) => path.step(trace.segments[point.segment].proc, step)?,
            Event::Return(_) => path.leave(),
            Event::Target(_) => {}
        }
    }
    // A path that ends elsewhere than at a check says nothing.
    end.map_or(Ok(()), |stmt| edge_of(stmt).map(|_| ()))?;
    Ok(path.out)
}

/// The same with paths to other failing assertions behind it.
///
/// # Errors
/// When the search is stopped, or as [`text`].
pub(crate) fn texts<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    first: &Trace,
) -> Result<Result<String, Diagnostic>, Stopped> {
    let vertices: Vec<VertexId> = reached.other_failures(first.target);
    let traces = reached.traces(&vertices, MAX_STEPS)?;
    let mut out = match text(cx, first) {
        Ok(text) => text,
        Err(why) => return Ok(Err(why)),
    };
    let mut steps = 0;
    for other in &traces {
        let Ok(text) = text(cx, other) else { continue };
        steps += text.lines().count();
        if OTHERS < steps {
            break;
        }
        out.push_str(BETWEEN);
        out.push_str(&text);
    }
    Ok(Ok(out))
}

/// A path that is written.
struct PathText<'c, 'a> {
    cx: &'c Context<'a>,
    out: String,
    /// The calls that are open: procedure, edge, callee.
    calls: Vec<(String, String, String)>,
}

impl PathText<'_, '_> {
    fn step(&mut self, proc: ProcId, step: &Step) -> Result<(), Diagnostic> {
        let Some(stmt) = self.cx.stmts()[step.stmt] else { return Ok(()) };
        let name = self.name(proc);
        match step.kind {
            StepKind::Plain | StepKind::Branch(_) => {
                if let Ok(edge) = edge_of(stmt) {
                    self.line(&format!("{name} {edge}"), stmt.notes.comment.as_deref());
                }
            }
            StepKind::Call(_) | StepKind::Enter(_) => {
                let edge = edge_of(stmt)?.to_owned();
                let callee = self.callee(step);
                self.line(&format!("{name} {edge} -> {callee}"), stmt.notes.comment.as_deref());
                self.calls.push((name, edge, callee));
            }
        }
        Ok(())
    }

    fn leave(&mut self) {
        let (name, edge, callee) = self.calls.pop().expect("a segment that returns was entered by a call");
        self.line(&format!("{name} {edge} <- {callee}"), None);
    }

    fn line(&mut self, step: &str, text: Option<&str>) {
        let line = format!("  {:indent$}{step}", "", indent = 2 * self.calls.len().min(40));
        let _ = match text {
            Some(text) => writeln!(self.out, "{line:<TEXT$} // {text}"),
            None => writeln!(self.out, "{line}"),
        };
    }

    /// The procedure's name in C--.
    fn name(&self, proc: ProcId) -> String {
        let name = self.cx.cfg.procs[proc].name.as_str();
        let written = self.cx.program.procs.iter().find(|p| p.name.name.as_str() == name);
        let renamed = written.and_then(|p| bp::origin::what(p.origin.as_deref()?));
        renamed.unwrap_or(name).to_owned()
    }

    fn callee(&self, step: &Step) -> String {
        match &self.cx.cfg.edges[step.edge].op {
            bp::Op::Call { callee, .. } => self.name(*callee),
            _ => unreachable!("only calls enter procedures"),
        }
    }
}

/// The edge that a statement stands for.
fn edge_of(stmt: &Stmt) -> Result<&str, Diagnostic> {
    let message =
        "nothing says which step of a C program this is: `// @ FILE:LINE eN`, as c2bp writes it, is missing";
    let missing = || Diagnostic::error(stmt.loc.0, message);
    stmt.notes.origin.as_deref().and_then(bp::origin::edge).ok_or_else(missing)
}
