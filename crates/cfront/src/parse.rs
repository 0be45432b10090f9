//! The call of lang-c: from rewritten text to the syntax tree, and its errors in the user's terms.

use crate::input::Text;
use crate::mend::Mended;
use crate::options::{FailureKind, Res, Stop};
use base::{Diagnostic, FileId, Span};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

/// One parsed file.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) unit: TranslationUnit,
    pub(crate) source: Text,
    pub(crate) mended: Mended,
    /// The file of the harness that stands behind it.
    pub(crate) harness: Option<FileId>,
}

impl Parsed {
    /// The user's place of a node of the tree, without white space at its end.
    pub(crate) fn span(&self, span: lang_c::span::Span) -> Span {
        if span.is_none() {
            return self.source.lines.span(0, 0);
        }
        let text = &self.mended.text;
        let end = span.end.min(text.len());
        let start = span.start.min(end);
        let body = trim_end(&text[start..end]);
        let (start, end) = (self.mended.old_start(start), self.mended.old_end(start + body.len()));
        self.source.lines.span(start, end.max(start))
    }
}

/// Without blanks and semicolons at the end.
fn trim_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_whitespace() || c == ';')
}

/// Parses mended text.
pub(crate) fn parse(source: Text, mended: Mended) -> Res<Parsed> {
    let config = Config { cpp_command: String::new(), cpp_options: vec![], flavor: Flavor::GnuC11 };
    match parse_preprocessed(&config, mended.text.clone()) {
        Ok(parse) => Ok(Parsed { unit: parse.unit, source, mended, harness: None }),
        Err(error) => Err(syntax_error(&error, &source, &mended)),
    }
}

fn syntax_error(error: &SyntaxError, source: &Text, mended: &Mended) -> Box<Stop> {
    let text = &mended.text;
    let mut at = error.offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let at = at + (text[at..].len() - text[at..].trim_start().len());
    let word = first_token(&text[at..]);
    let start = mended.old_start(at);
    let span = source.lines.span(start, start + word.len());
    let message = if word.is_empty() {
        "syntax error: the file ends in the middle of a declaration".to_owned()
    } else {
        format!("syntax error before `{word}`")
    };
    let mut expected: Vec<&str> = error.expected.iter().copied().collect();
    expected.sort_unstable();
    expected.retain(|e| e.chars().any(|c| !c.is_ascii_whitespace()) && !e.starts_with('['));
    let mut diagnostic = Diagnostic::error(span, message);
    if !expected.is_empty() && expected.len() <= 6 {
        let list: Vec<String> = expected.iter().map(|e| format!("`{e}`")).collect();
        diagnostic = diagnostic.with_note(None, format!("expected {}", list.join(" or ")));
    }
    Stop::new(FailureKind::Parse, diagnostic)
}

fn first_token(text: &str) -> &str {
    let word = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let len = if word > 0 { word.min(60) } else { text.chars().next().map_or(0, char::len_utf8) };
    &text[..len]
}
