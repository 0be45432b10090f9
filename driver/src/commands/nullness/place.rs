//! The place of a dereference in the source: the statement is known, the part in it is found by its text.

use super::Task;
use base::{Pos, Span};
use dataflow::Dereference;
use ir::{Base, Expr, Lvalue, VarKind};

/// What is accessed, as C.
pub(super) fn text(task: &Task, lv: &Lvalue) -> String {
    readable(task, ir::print::lvalue(&task.program, lv), &lv.clone().addr())
}

/// The pointer, as C.
pub(super) fn pointer(task: &Task, e: &Expr) -> String {
    readable(task, ir::print::expr(&task.program, e), e)
}

/// The text with what temporaries stand for in their places.
fn readable(task: &Task, mut text: String, e: &Expr) -> String {
    e.walk(&mut |node| {
        let (Expr::Load(lv) | Expr::AddrOf(lv)) = node else { return };
        let Base::Var(v) = lv.base else { return };
        let var = &task.program.vars[v];
        if let VarKind::Temp(_) = var.kind
            && let Some(source) = task.sources.snippet(var.span).filter(|s| !s.is_empty())
        {
            text = replaced(&text, &var.name, &source);
        }
    });
    text
}

/// The text with each whole word replaced.
fn replaced(text: &str, word: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = find_word(rest, word) {
        out.push_str(&rest[..at]);
        out.push_str(by);
        rest = &rest[at + word.len()..];
    }
    out + rest
}

/// Where the text begins that is not a part of a longer word.
fn find_word(line: &str, text: &str) -> Option<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let inner = |c: Option<char>, end: Option<char>| c.is_some_and(is_word) && end.is_some_and(is_word);
    line.match_indices(text).map(|(at, _)| at).find(|at| {
        let (before, after) = (&line[..*at], &line[at + text.len()..]);
        !inner(before.chars().next_back(), text.chars().next())
            && !inner(after.chars().next(), text.chars().next_back())
    })
}

/// Its place: where its text stands in the statement, or that of the pointer, or the statement's own.
pub(super) fn of(task: &Task, found: &Dereference, text: &str) -> Span {
    let span = task.program.procs[found.proc].edges[found.edge].span;
    let part = within(task, span, text).or_else(|| within(task, span, &pointer(task, &found.pointer)));
    part.unwrap_or(span)
}

/// Where the text stands in the statement.
fn within(task: &Task, span: Span, text: &str) -> Option<Span> {
    if text.is_empty() || span.end.line.saturating_sub(span.start.line) > 100 {
        return None;
    }
    for number in span.start.line..=span.end.line {
        let Some(line) = task.sources.line(span.file, number) else { break };
        let from = if number == span.start.line { span.start.col as usize - 1 } else { 0 };
        let Some(rest) = line.get(from..) else { continue };
        if let Some(at) = find_word(rest, text) {
            let start = Pos { line: number, col: (from + at) as u32 + 1 };
            if number < span.end.line || start < span.end {
                let end = Pos { col: start.col + text.len() as u32, ..start };
                return Some(Span { file: span.file, start, end });
            }
        }
    }
    None
}
