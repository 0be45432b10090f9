//! What a change of the predicates did to an abstraction: two boolean programs of one C file, compared procedure by
//! procedure and statement by statement.
//!
//! Statements belong together by the places beside them (`// @ file.c:12 e37`), whatever their labels and the order of
//! the text. What stands without a place belongs to its neighbour: values saved before a call to the call, other
//! assignments to the statement before them.

use crate::calls::is_saved;
use bp::{Expr, Ident, Proc, Program, Stmt, StmtKind};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The differences as text: `-` is the old program's, `+` the new one's. Empty when there are none.
pub fn diff(old: &Program, new: &Program) -> String {
    let mut out = String::new();
    let globals = names(&old.globals, &new.globals);
    if !globals.is_empty() {
        let _ = write!(out, "global\n{globals}");
    }
    let mut unchanged = 0;
    for proc in &new.procs {
        let name = proc.name.name.as_str();
        let text = match old.proc(name) {
            Some(before) => procedure(before, proc),
            None => "  + the procedure is new\n".to_owned(),
        };
        if text.is_empty() {
            unchanged += 1;
        } else {
            let place = proc.origin.as_ref().map(|o| format!("  ({o})")).unwrap_or_default();
            let _ = write!(out, "{name}{place}\n{text}");
        }
    }
    for proc in old.procs.iter().filter(|p| new.proc(p.name.name.as_str()).is_none()) {
        let _ = writeln!(out, "{}\n  - the procedure is gone", proc.name);
    }
    if unchanged > 0 && !out.is_empty() {
        let _ = writeln!(out, "unchanged: {unchanged} of {} procedures", new.procs.len());
    }
    out
}

/// Lines for the names that only one of the lists has.
fn names(old: &[Ident], new: &[Ident]) -> String {
    let mut out = String::new();
    for (sign, here, there) in [('-', old, new), ('+', new, old)] {
        for name in here.iter().filter(|n| !there.iter().any(|m| m.name == n.name)) {
            let _ = writeln!(out, "  {sign} {name}");
        }
    }
    out
}

fn procedure(old: &Proc, new: &Proc) -> String {
    let variables = |p: &Proc| p.formals.iter().chain(&p.locals).cloned().collect::<Vec<Ident>>();
    let mut out = names(&variables(old), &variables(new));
    let moved = |of: &Proc, name: &Ident| of.formals.iter().any(|n| n.name == name.name);
    for name in variables(new).iter().filter(|n| variables(old).iter().any(|m| m.name == n.name)) {
        match (moved(old, name), moved(new, name)) {
            (true, false) => _ = writeln!(out, "  ! {name} is no parameter any more"),
            (false, true) => _ = writeln!(out, "  ! {name} is a parameter now"),
            _ => {}
        }
    }
    let enforced = |e: &Option<Expr>| match e {
        Some(Expr::And(parts)) => parts.iter().map(Expr::to_string).collect(),
        Some(e) => vec![e.to_string()],
        None => vec![],
    };
    out.push_str(&changes("enforce", &enforced(&old.enforce), &enforced(&new.enforce)));
    let (before, after) = (statements(old), statements(new));
    for (place, Written { comment, lines }) in &after.list {
        let empty = vec![];
        let known = before.find(place);
        let old_lines = known.map_or(&empty, |w| &w.lines);
        let remark = if known.is_some() { comment.clone() } else { format!("{comment}  (new)") };
        out.push_str(&changes(format!("{place}  {remark}").trim_end(), old_lines, lines));
    }
    for (place, Written { comment, lines }) in before.list.iter().filter(|(p, _)| after.find(p).is_none()) {
        out.push_str(&changes(&format!("{place}  {comment}  (gone)"), lines, &[]));
    }
    out
}

/// The lines that only one side has, below a title.
fn changes(title: &str, old: &[String], new: &[String]) -> String {
    let mut out = String::new();
    for (sign, here, there) in [('-', old, new), ('+', new, old)] {
        for line in here.iter().filter(|l| !there.contains(l)) {
            let _ = writeln!(out, "    {sign} {line}");
        }
    }
    if out.is_empty() { out } else { format!("  {title}\n{out}") }
}

/// What stands at one place.
#[derive(Default)]
struct Written {
    comment: String,
    /// The statements; of a parallel assignment each target by itself.
    lines: Vec<String>,
}

/// The statements by their places, in the order of the text.
#[derive(Default)]
struct Statements {
    list: Vec<(String, Written)>,
    index: BTreeMap<String, usize>,
}

impl Statements {
    fn find(&self, place: &str) -> Option<&Written> {
        self.index.get(place).map(|i| &self.list[*i].1)
    }

    fn at(&mut self, place: &str) -> &mut Written {
        let next = self.list.len();
        let i = *self.index.entry(place.to_owned()).or_insert(next);
        if i == next {
            self.list.push((place.to_owned(), Written::default()));
        }
        &mut self.list[i].1
    }
}

fn statements(proc: &Proc) -> Statements {
    let mut out = Statements::default();
    let mut stack: Vec<&Stmt> = proc.body.iter().rev().collect();
    // Values saved before a call, and the place that was last.
    let mut saved: Vec<&Stmt> = vec![];
    let mut last: Option<&str> = None;
    while let Some(stmt) = stack.pop() {
        stack.extend(stmt.children().rev());
        let is_update = matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Assume { .. });
        match (&stmt.notes.origin, last) {
            (Some(place), _) => {
                let is_call = matches!(stmt.kind, StmtKind::Call { .. });
                let written = out.at(place);
                written.comment = stmt.notes.comment.clone().unwrap_or_default();
                if is_call {
                    written.lines.extend(saved.iter().flat_map(|s| lines(s)));
                }
                written.lines.extend(lines(stmt));
                last = Some(place);
                saved.clear();
            }
            (None, _) if saves(stmt) => saved.push(stmt),
            (None, Some(place)) if is_update => out.at(place).lines.extend(lines(stmt)),
            (None, _) => last = None,
        }
    }
    out
}

/// Whether the statement keeps values of before a call.
fn saves(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Assign { targets, .. } if targets.iter().all(is_saved))
}

/// The statement without its labels.
fn lines(stmt: &Stmt) -> Vec<String> {
    let alone = |kind: StmtKind| bp::head(&Stmt::new(stmt.id, kind));
    match &stmt.kind {
        StmtKind::Skip => vec![],
        StmtKind::Assign { targets, values, constrain } => {
            let pairs = targets.iter().zip(values);
            let mut out: Vec<String> =
                pairs.map(|(t, v)| alone(StmtKind::assign([(t.clone(), v.clone())]))).collect();
            out.extend(constrain.as_ref().map(|c| format!("constrain {c}")));
            out
        }
        kind => vec![alone(kind.clone())],
    }
}
