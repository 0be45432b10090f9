//! Syntax errors in the user's terms: several of them, each with what was expected and, where something was not closed
//! or ended, with the place where it began.
//!
//! lang-c stops at the first error. The top-level item with the error is blanked, and the rest is parsed again, so that
//! the next one is an error of its own and no consequence of the first. Where the item may have declared a type,
//! nothing further is reported.

use crate::error::{FailureKind, Stop};
use crate::text::input::Text;
use crate::text::lex::{self, Token, TokenKind};
use crate::text::repair::Repaired;
use base::{Diagnostic, Span};
use lang_c::driver::SyntaxError;

/// At most this many errors of a file are reported.
const MOST: usize = 10;

/// At most this many times a file is parsed again.
const ROUNDS: usize = 2 * MOST;

/// Longer texts, in bytes, are not parsed again.
const LONGEST: usize = 1 << 19;

/// At most this many expected tokens are listed.
const EXPECTED: usize = 6;

/// Keywords that can stand before a name, and are no unknown types.
const KEYWORDS: [&str; 29] = [
    "else", "return", "goto", "case", "sizeof", "do", "struct", "union", "enum", "typedef", "const",
    "volatile", "int", "char", "short", "long", "float", "double", "void", "signed", "unsigned", "_Bool",
    "auto", "register", "static", "extern", "inline", "if", "while",
];

/// All errors: the first one, and those that `parse` finds in the text without the items that have errors.
pub(super) fn all(
    first: &SyntaxError,
    parse: impl Fn(&str) -> Option<SyntaxError>,
    source: &Text,
    repaired: &Repaired,
) -> Box<Stop> {
    let mut text = repaired.text.clone();
    let mut found = vec![];
    let mut unknown: Vec<String> = vec![];
    let mut next = Some((first.offset, None));
    let mut rounds = 0;
    while let Some((offset, error)) = next.take() {
        rounds += 1;
        let error: &SyntaxError = error.as_ref().unwrap_or(first);
        let place = Place::of(error, &text);
        // A type that is not known is reported once.
        let name = place.unknown_type().map(|token| token.text(&text).to_owned());
        if !name.as_ref().is_some_and(|name| unknown.contains(name)) {
            found.push(place.diagnostic(error, source, repaired));
        }
        let (start, end) = place.item();
        let words = || text[start..end].split(|c: char| !c.is_alphanumeric());
        let may_declare = name.is_none() && words().any(|word| word == "typedef");
        let ended =
            place.unended(error).map(|token| token.end).filter(|end| text[*end..].starts_with([' ', '\n']));
        unknown.extend(name);
        if found.len() >= MOST || rounds >= ROUNDS || text.len() > LONGEST || may_declare {
            break;
        }
        // With the `;` that is missing, or else without the item.
        if let Some(at) = ended {
            text.replace_range(at..=at, ";");
            next = parse(&text).map(|error| (error.offset, Some(error)));
            if next.as_ref().is_none_or(|(further, _)| *further > offset) {
                continue;
            }
        }
        let blank = |c: char| std::iter::repeat_n(if c == '\n' { c } else { ' ' }, c.len_utf8());
        let blanks: String = text[start..end].chars().flat_map(blank).collect();
        if blanks == text[start..end] {
            break;
        }
        text.replace_range(start..end, &blanks);
        next = parse(&text).map(|error| (error.offset, Some(error)));
    }
    Box::new(Stop { kind: FailureKind::Parse, diagnostics: found })
}

/// Where an error is.
struct Place<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The number of the token that was not expected; that behind the last one at the end of the text.
    at: usize,
}

impl<'t> Place<'t> {
    fn of(error: &SyntaxError, text: &'t str) -> Place<'t> {
        let tokens = lex::lex(text).tokens;
        let at = tokens.partition_point(|token| token.end <= error.offset);
        Place { text, tokens, at }
    }

    fn word(&self, n: usize) -> &'t str {
        self.tokens.get(n).map_or("", |token| token.text(self.text))
    }

    /// The name at the error, or before it, that stands like the type of a declaration.
    fn unknown_type(&self) -> Option<Token> {
        let declares = |n: usize| {
            let is_name = |n: usize| {
                self.tokens.get(n).is_some_and(|t| t.kind == TokenKind::Ident)
                    && !KEYWORDS.contains(&self.word(n))
            };
            let begins = n == 0
                || matches!(
                    self.word(n - 1),
                    ";" | "{" | "}" | "(" | "," | "const" | "static" | "extern" | "inline" | "volatile"
                );
            is_name(n) && begins && (is_name(n + 1) || self.word(n + 1) == "*" && is_name(n + 2))
        };
        let found = self.at.checked_sub(1).into_iter().chain([self.at]).find(|n| declares(*n))?;
        Some(self.tokens[found])
    }

    /// The bracket that is open at the error, if there is one: the innermost, or the one that was closed by a `}` that
    /// is less indented than its line.
    fn open(&self) -> Option<Token> {
        let mut open = vec![];
        let mut astray = None;
        for token in &self.tokens[..self.at] {
            match token.text(self.text) {
                "(" | "[" | "{" => open.push(*token),
                closing @ (")" | "]" | "}") => {
                    let opened = open.pop();
                    let column =
                        closing == "}" && self.text[self.line(token.start)..token.start].trim().is_empty();
                    if let Some(opened) = opened.filter(|_| column && astray.is_none())
                        && token.start - self.line(token.start) < self.indentation(opened.start)
                    {
                        astray = Some(opened);
                    }
                }
                _ => {}
            }
        }
        let innermost = open.pop();
        astray.filter(|_| innermost.is_some_and(|token| token.text(self.text) == "{")).or(innermost)
    }

    /// Where the line begins in which this stands.
    fn line(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |n| n + 1)
    }

    /// The blanks at the beginning of that line.
    fn indentation(&self, at: usize) -> usize {
        let line = &self.text[self.line(at)..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    /// The token behind which a `;` may be missing: the last one of the line before, where `;` may follow, or the end
    /// of a record in whose declaration the error is.
    fn unended(&self, error: &SyntaxError) -> Option<Token> {
        let last = self.tokens[self.at.checked_sub(1)?];
        let next = self.tokens.get(self.at);
        let gap = &self.text[last.end..next.map_or(self.text.len(), |t| t.start)];
        let closes = next.is_some_and(|t| t.text(self.text) == "}");
        let follows = error.expected.contains(&";") && (closes || gap.contains('\n'));
        if follows && !matches!(last.text(self.text), ";" | "{" | "}") {
            return Some(last);
        }
        let (mut depth, mut record, mut begins) = (0_usize, false, true);
        let mut found = None;
        for (n, token) in self.tokens[..self.at].iter().enumerate() {
            let word = token.text(self.text);
            record |= depth == 0 && begins && matches!(word, "struct" | "union" | "enum");
            begins = false;
            match word {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    let behind = &self.text[token.end..self.tokens.get(n + 1).map_or(token.end, |t| t.start)];
                    let is_end = depth == 0 && record && behind.contains('\n');
                    found = if is_end { Some(*token) } else { found };
                    begins = depth == 0 && !record;
                }
                ";" if depth == 0 => (record, begins, found) = (false, true, None),
                _ => {}
            }
        }
        found.filter(|_| depth == 0)
    }

    fn diagnostic(&self, error: &SyntaxError, source: &Text, repaired: &Repaired) -> Diagnostic {
        let place = |start: usize, len: usize| -> Span {
            let old = repaired.old_start(start);
            source.lines.span(old, old + len)
        };
        let of = |token: &Token| place(token.start, token.end - token.start);
        let end = self.text.trim_end().len();
        let (span, word) = match self.tokens.get(self.at) {
            Some(token) => (of(token), token.text(self.text)),
            None => (place(end, 0), ""),
        };
        let cut: String = word.chars().take(60).collect();
        let mut diagnostic = Diagnostic::error(
            span,
            match word {
                "" => "syntax error: the file ends in the middle of a declaration".to_owned(),
                _ => format!("syntax error before `{cut}`"),
            },
        );
        let mut expected: Vec<&str> = error.expected.iter().copied().collect();
        expected.sort_unstable();
        expected.retain(|e| e.chars().any(|c| !c.is_ascii_whitespace()) && !e.starts_with('['));
        let opened = self.open();
        let closes = |token: &Token| match token.text(self.text) {
            "(" => ")",
            "[" => "]",
            _ => "}",
        };
        if let Some(token) = self.unknown_type() {
            let name = token.text(self.text);
            let text = format!("`{name}` is not known as a type: a #include or a typedef may be missing");
            return diagnostic.with_note(of(&token), text);
        }
        match (opened, self.unended(error)) {
            // What begins a line, or ends a block, hardly goes on with the line before.
            (_, Some(last)) => diagnostic = diagnostic.with_note(place(last.end, 0), "expected `;` here"),
            (Some(open), _) if word.is_empty() || open.text(self.text) != "{" => {
                let text = format!("expected `{}` for the `{}` here", closes(&open), open.text(self.text));
                diagnostic = diagnostic.with_note(of(&open), text);
            }
            _ if !expected.is_empty() && expected.len() <= EXPECTED => {
                let list: Vec<String> = expected.iter().map(|e| format!("`{e}`")).collect();
                diagnostic = diagnostic.with_note(None, format!("expected {}", list.join(" or ")));
            }
            _ => {}
        }
        diagnostic
    }

    /// The range of the top-level item with the error: from the end of the one before to a `;` outside of braces, or to
    /// a `}` that begins a line, as that of a function does.
    fn item(&self) -> (usize, usize) {
        let mut depth = 0_usize;
        let mut start = 0;
        for (n, token) in self.tokens.iter().enumerate() {
            let ends = match token.text(self.text) {
                "{" => {
                    depth += 1;
                    false
                }
                "}" => {
                    depth = if self.line(token.start) == token.start { 0 } else { depth.saturating_sub(1) };
                    depth == 0 && !matches!(self.word(n + 1), ";" | "," | "=")
                }
                ";" => depth == 0,
                _ => false,
            };
            if ends && n < self.at {
                start = token.end;
            } else if ends {
                return (start, token.end);
            }
        }
        (start, self.text.len())
    }
}
