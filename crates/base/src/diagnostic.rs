//! Diagnostics: messages for the user about the input, with their places. Rendering returns text; printing it
//! is the business of a binary.

use crate::source::{Pos, SourceMap, Span, shown};
use crate::styles;
use crate::wording::wording;
use anstyle::Style;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is taken, with the stated consequence.
    Warning,
    /// Additional information.
    Note,
}

impl Severity {
    /// The word that messages begin with.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    /// How that word is shown.
    pub fn style(self) -> Style {
        match self {
            Severity::Error => styles::BAD,
            Severity::Warning => styles::OPEN,
            Severity::Note => styles::REMARK,
        }
    }
}

/// One message about the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Its place; `None` when the message is not about a place in a file.
    pub span: Option<Span>,
    /// Its text; a sentence without its full stop.
    pub message: String,
    /// Further places and remarks.
    pub notes: Vec<(Option<Span>, String)>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        let message = wording(&message.into()).into_owned();
        Diagnostic { severity: Severity::Error, span: span.into(), message, notes: vec![] }
    }

    /// A warning at a place.
    pub fn warning(span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// The same with one more remark.
    #[must_use]
    pub fn with_note(mut self, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        self.notes.push((span.into(), wording(&message.into()).into_owned()));
        self
    }

    /// The message as text, with the source line and a mark under the place when the text is known.
    /// Ends with a line break.
    pub fn render(&self, map: &SourceMap) -> String {
        self.rendered(map, |_| Style::new())
    }

    /// The same for a stream that knows whether it shows colours ([`styles`]).
    pub fn styled(&self, map: &SourceMap) -> String {
        self.rendered(map, Severity::style)
    }

    fn rendered(&self, map: &SourceMap, style: fn(Severity) -> Style) -> String {
        let mut out = String::new();
        let mut one = |severity: Severity, span: Option<Span>, message: &str| {
            render_one(&mut out, map, (severity.word(), style(severity)), span, message);
        };
        one(self.severity, self.span, &self.message);
        for (span, note) in &self.notes {
            one(Severity::Note, *span, note);
        }
        out
    }
}

/// The columns of a terminal that the line has before this column, which counts bytes from 1: none for a combining character, two for
/// a wide one [UAX 11].
fn columns(line: &str, col: u32) -> usize {
    let end = line.floor_char_boundary((col as usize).saturating_sub(1).min(line.len()));
    line[..end].chars().map(|c| c.width().unwrap_or(1)).sum()
}

fn render_one(
    out: &mut String,
    map: &SourceMap,
    (word, style): (&str, Style),
    span: Option<Span>,
    message: &str,
) {
    if let Some(span) = span {
        let Pos { line, col } = span.start;
        let col = map.line(span.file, line).map_or(col as usize, |text| columns(text, col) + 1);
        let _ = write!(out, "{}:{line}:{col}: ", shown(&map.file(span.file).name));
    }
    let _ = writeln!(out, "{style}{word}:{style:#} {message}");
    let Some(span) = span else { return };
    let Some(line) = map.line(span.file, span.start.line) else { return };
    if line.len() > 400 || line.trim().is_empty() {
        return;
    }
    let number = span.start.line.to_string();
    let _ = writeln!(
        out,
        " {number:>4} | {}",
        line.replace(|c: char| c.is_control() || crate::turns_text(c), " ")
    );
    let start = columns(line, span.start.col);
    let end =
        if span.end.line == span.start.line { columns(line, span.end.col) } else { columns(line, u32::MAX) };
    let (gap, mark) = (" ".repeat(start), "^".repeat(end.saturating_sub(start).clamp(1, 120)));
    let _ = writeln!(out, " {:>4} | {gap}{style}{mark}{style:#}", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column is one of the terminal, whatever bytes its characters have.
    #[test]
    fn marks_stand_under_characters() {
        let mut map = SourceMap::new();
        let line = "s = \"é 世界 e\u{301}\"; return x;";
        let f = map.add("u.c", Some(line.into()));
        let col = line.find('x').expect("it is there") as u32 + 1;
        let pos = |col| Pos { line: 1, col };
        let text =
            Diagnostic::error(Span { file: f, start: pos(col), end: pos(col + 1) }, "no x").render(&map);
        let expected = format!("u.c:1:24: error: no x\n    1 | {line}\n      | {}^\n", " ".repeat(23));
        assert_eq!(text, expected);
    }

    #[test]
    fn renders_place_line_and_mark() {
        let mut map = SourceMap::new();
        let f = map.add("b.c", Some("return x\n}".into()));
        let span = Span { file: f, start: Pos { line: 1, col: 8 }, end: Pos { line: 1, col: 9 } };
        let text = Diagnostic::error(span, "expected ';'").with_note(None, "before '}'").render(&map);
        assert_eq!(
            text,
            "b.c:1:8: error: expected ';'\n    1 | return x\n      |        ^\nnote: before '}'\n"
        );
        let styled = Diagnostic::warning(span, "no ';'").styled(&map);
        assert_eq!(
            styled,
            "b.c:1:8: \x1b[1m\x1b[33mwarning:\x1b[0m no ';'\n    1 | return x\n      |        \x1b[1m\x1b[33m^\x1b[0m\n"
        );
    }
}
