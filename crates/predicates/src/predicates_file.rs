//! Predicates as text: `global { lock == 1; }  main { x == y; i < n; }  main:42 { … }`, C expressions with `//`
//! comments; a line without braces is a global predicate. Those of `main:42` (or `main:42-45`) are tracked where
//! statements of these lines begin, and nowhere else. What is printed reads back as the same precision.
//!
//! `@paths 2;` and the like are notes of newton's for the next path.
//!
//! The expressions themselves are read by whoever calls, so that this crate does not know C's syntax.

mod about;
mod notes;

pub use about::{FOUND, is_about_source, named};
pub use notes::{Note, notes};

use crate::mistakes::{self, Mistake};
use crate::{Precision, PredId, Predicate, Scope, ScopeError, normal};
use base::{Diagnostic, FileId, Pos, Span};
use encoding::IntMode;
use ir::{Expr, LocId, Proc, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Reads one expression over the globals and the variables of a procedure. Spans of its errors are places in the
/// text that it is given.
pub type ReadExpression<'a> = dyn Fn(&str, Option<ProcId>) -> Result<Expr, ir::parse::Error> + 'a;

/// The predicates that the text lists, in normal form, with warnings about lines that add nothing or less than
/// they seem to. `file` is the text's number in the source map.
///
/// # Errors
/// The first mistake, at its place in the text.
pub fn parse(
    text: &str,
    file: FileId,
    program: &Program,
    mode: IntMode,
    read: &ReadExpression<'_>,
) -> Result<(Precision, Vec<Diagnostic>), Diagnostic> {
    let mut reader = Reader { file, program, mode, read, precision: Precision::new(), warnings: vec![] };
    reader.items(&pieces(&without_comments(text)), file)?;
    Ok((reader.precision, reader.warnings))
}

/// The precision as text.
pub fn print(program: &Program, precision: &Precision) -> String {
    let mut out = String::new();
    let mut block = |name: &str, ids: Vec<PredId>| {
        if !ids.is_empty() {
            let _ = writeln!(out, "{name} {{");
            for id in ids {
                let _ = writeln!(out, "  {};", precision.get(id).text(program));
            }
            out.push_str("}\n");
        }
    };
    block("global", precision.global());
    for (p, proc) in program.procs.iter_enumerated() {
        let (somewhere, everywhere): (Vec<PredId>, Vec<PredId>) =
            precision.of_proc(p).into_iter().partition(|id| precision.locations(*id).is_some());
        block(&proc.name, everywhere);
        let mut by_line: BTreeMap<u32, Vec<PredId>> = BTreeMap::new();
        for id in somewhere {
            for line in precision.locations(id).into_iter().flatten().flat_map(|l| lines(proc, *l)) {
                let listed = by_line.entry(line).or_default();
                if !listed.contains(&id) {
                    listed.push(id);
                }
            }
        }
        by_line.into_iter().for_each(|(line, ids)| block(&format!("{}:{line}", proc.name), ids));
    }
    out
}

/// The lines of the statements that begin at the location.
fn lines(proc: &Proc, l: LocId) -> impl Iterator<Item = u32> + '_ {
    proc.edges.iter().filter(move |e| e.src == l).map(|e| e.span.start.line).filter(|line| 0 < *line)
}

/// The text with blanks for comments, so that places stay what they are.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.find("//") {
            None => out.push_str(line),
            Some(start) => {
                out.push_str(&line[..start]);
                out.extend(line[start..].chars().map(|c| if c == '\n' { c } else { ' ' }));
            }
        }
    }
    out
}

/// A stretch of text between marks, and the mark behind it, with their places.
struct Piece<'a> {
    text: &'a str,
    start: Pos,
    mark: Mark,
    end: Pos,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Close,
    Semicolon,
    Line,
    End,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = vec![];
    let (mut from, mut start) = (0, Pos { line: 1, col: 1 });
    let mut here = start;
    let ends = text.char_indices().map(Some).chain([None]);
    for end in ends {
        let (at, mark) = match end {
            None => (text.len(), Mark::End),
            Some((at, '{')) => (at, Mark::Open),
            Some((at, '}')) => (at, Mark::Close),
            Some((at, ';')) => (at, Mark::Semicolon),
            Some((at, '\n')) => (at, Mark::Line),
            Some((_, c)) => {
                here.col += c.len_utf8() as u32;
                continue;
            }
        };
        let piece = &text[from..at];
        let blank = piece.len() - piece.trim_start().len();
        let start_of_text = Pos { line: start.line, col: start.col + blank as u32 };
        out.push(Piece { text: piece.trim(), start: start_of_text, mark, end: here });
        if mark == Mark::Line {
            here = Pos { line: here.line + 1, col: 1 };
        } else {
            here.col += 1;
        }
        (from, start) = (at + 1, here);
    }
    out
}

/// Where predicates are tracked: in a procedure, at some of its locations or at all.
struct Place {
    proc: ProcId,
    locations: Option<BTreeSet<LocId>>,
}

struct Reader<'a> {
    file: FileId,
    program: &'a Program,
    mode: IntMode,
    read: &'a ReadExpression<'a>,
    precision: Precision,
    warnings: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn items(&mut self, pieces: &[Piece<'_>], file: FileId) -> Result<(), Diagnostic> {
        let mut inside: Option<Option<Place>> = None;
        // Inside of braces an expression may go on over line breaks; so may the way to an opening brace.
        let mut pending: Option<Text> = None;
        for (i, piece) in pieces.iter().enumerate() {
            if !piece.text.is_empty() {
                pending.get_or_insert_default().add(piece);
            }
            let at = |pos: Pos| Span::at(file, pos.line, pos.col);
            match (piece.mark, &inside) {
                (Mark::Open, None) => {
                    let name = pending.take().unwrap_or_else(|| Text::nothing(piece.start));
                    inside = Some(self.scope(&name.text, name.span(file, 0, name.text.len()))?);
                }
                (Mark::Open, Some(_)) => {
                    return Err(Diagnostic::error(at(piece.end), "braces are not nested"));
                }
                (Mark::Close, None) => {
                    return Err(Diagnostic::error(at(piece.end), "there is no open brace"));
                }
                (Mark::Line, Some(_)) => {}
                (Mark::Line, None) if opens_next(&pieces[i + 1..]) => {}
                (Mark::End, Some(_)) => {
                    return Err(Diagnostic::error(at(piece.end), "a closing brace is missing"));
                }
                (mark, scope) => {
                    if let Some(text) = pending.take() {
                        self.predicate(&text, scope.as_ref().and_then(Option::as_ref))?;
                    }
                    if mark == Mark::Close {
                        inside = None;
                    }
                }
            }
        }
        Ok(())
    }

    /// The scope that a name before an opening brace stands for.
    fn scope(&mut self, name: &str, span: Span) -> Result<Option<Place>, Diagnostic> {
        let (name, line) = match name.split_once(':') {
            Some((name, line)) => (name.trim(), Some(line.trim())),
            None => (name, None),
        };
        if name == "global" && line.is_none() {
            return Ok(None);
        }
        let Some(p) = self.program.find_proc(name) else {
            let bodies = self.program.procs.iter().filter(|p| p.has_body).map(|p| p.name.as_str());
            let hint = mistakes::hint(mistakes::nearest(name, bodies.chain(["global"])));
            let message = format!("there is no function `{name}` in the program{hint}");
            return Err(Diagnostic::error(span, message));
        };
        let Some(text) = line else { return Ok(Some(Place { proc: p, locations: None })) };
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let (Ok(from), Ok(to)) = (from.trim().parse::<u32>(), to.trim().parse::<u32>()) else {
            let message = format!("`{text}` is no line number, and no range such as 12-20");
            return Err(Diagnostic::error(span, message));
        };
        let proc = &self.program.procs[p];
        let begins_there = |l: &LocId| lines(proc, *l).any(|line| (from..=to).contains(&line));
        let locations: BTreeSet<LocId> = proc.locations.ids().filter(begins_there).collect();
        if locations.is_empty() {
            let mut known: Vec<u32> = proc.locations.ids().flat_map(|l| lines(proc, l)).collect();
            known.sort_unstable();
            let hint = match (known.first(), known.last()) {
                (Some(first), Some(last)) => format!("; its statements stand in lines {first} to {last}"),
                _ => String::new(),
            };
            let message = format!("no statement of `{name}` begins in line {text}{hint}");
            return Err(Diagnostic::error(span, message));
        }
        Ok(Some(Place { proc: p, locations: Some(locations) }))
    }

    fn predicate(&mut self, text: &Text, place: Option<&Place>) -> Result<(), Diagnostic> {
        let scope = place.map(|p| p.proc);
        let span = text.span(self.file, 0, text.text.len());
        if text.text.starts_with('@') {
            return self.note(text, place.is_some(), span);
        }
        let expr = self.expression(text, scope)?;
        let text = text.text.as_str();
        if !expr.ty().is_scalar() {
            return Err(Diagnostic::error(span, format!("`{text}` is no condition")));
        }
        let expr = match normal::normalise(expr, self.mode, self.program.signed_wrap) {
            normal::Normal::Atom { expr, .. } => expr,
            normal::Normal::Constant(b) => {
                let message = format!("`{text}` is always {b} and says nothing");
                self.warnings.push(Diagnostic::warning(span, message));
                return Ok(());
            }
        };
        let predicate = Predicate::new(self.program, expr, scope).map_err(|e| {
            let name = |v: ir::VarId| &self.program.vars[v].name;
            Diagnostic::error(
                span,
                match e {
                    ScopeError::TwoProcedures(a, b) => {
                        format!("`{}` and `{}` belong to different functions", name(a), name(b))
                    }
                    ScopeError::OldWithoutProcedure => "`old` needs a function: `name { … }`".to_owned(),
                },
            )
        })?;
        let given_scope = scope.map_or(Scope::Global, Scope::Proc);
        let wider = predicate.scope != given_scope;
        let (_, new) = match place.and_then(|p| p.locations.clone()) {
            None => self.precision.add(predicate),
            Some(locations) => self.precision.add_at(predicate, locations),
        };
        if !new {
            self.warnings.push(Diagnostic::warning(span, format!("`{text}` was listed before")));
        } else if wider {
            let message = format!("`{text}` names globals only and is tracked everywhere");
            self.warnings
                .push(Diagnostic { severity: base::Severity::Note, ..Diagnostic::warning(span, message) });
        }
        Ok(())
    }

    /// A note; it changes no predicate.
    fn note(&self, text: &Text, inside: bool, span: Span) -> Result<(), Diagnostic> {
        let is_note = !inside && Note::parse(&text.text).is_some();
        let mistake =
            || Diagnostic::error(span, format!("`{}` is no note; there are {}", text.text, notes::FORMS));
        if is_note { Ok(()) } else { Err(mistake()) }
    }

    /// The expression, or what is wrong with it, at its place in the file.
    fn expression(&self, text: &Text, scope: Option<ProcId>) -> Result<Expr, Diagnostic> {
        let located = |m: Mistake| Diagnostic::error(text.span(self.file, m.at, m.len), m.message);
        expression(&text.text, self.program, scope, self.read).map_err(located)
    }
}

/// An expression without side effects.
///
/// # Errors
/// What is wrong with it, in words that help.
pub fn expression(
    text: &str,
    program: &Program,
    scope: Option<ProcId>,
    read: &ReadExpression<'_>,
) -> Result<Expr, Mistake> {
    if let Some(mistake) = mistakes::side_effect(text, program, scope) {
        return Err(mistake);
    }
    read(text, scope).map_err(|error| mistakes::explained(text, &error, program, scope))
}

/// A text from one or several lines, joined by blanks.
#[derive(Default)]
struct Text {
    text: String,
    /// For each line where it begins in the text and in the file.
    lines: Vec<(usize, Pos)>,
}

impl Text {
    /// An empty text at a place.
    fn nothing(pos: Pos) -> Text {
        Text { text: String::new(), lines: vec![(0, pos)] }
    }

    fn add(&mut self, piece: &Piece<'_>) {
        if !self.lines.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), piece.start));
        self.text.push_str(piece.text);
    }

    /// The part with this length, in the file; it ends at the end of the line at the latest.
    fn span(&self, file: FileId, at: usize, len: usize) -> Span {
        let line = self.lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        let (start, pos) = self.lines[line];
        let end = self.lines.get(line + 1).map_or(self.text.len(), |(next, _)| next - 1);
        let from = Pos { col: pos.col + (at - start) as u32, ..pos };
        let len = len.min(end.saturating_sub(at)) as u32;
        Span { file, start: from, end: Pos { col: from.col + len, ..from } }
    }
}

/// Whether the next thing that is not blank is an opening brace.
fn opens_next(rest: &[Piece<'_>]) -> bool {
    let next = rest.iter().find(|p| !p.text.is_empty() || p.mark != Mark::Line);
    next.is_some_and(|p| p.text.is_empty() && p.mark == Mark::Open)
}
