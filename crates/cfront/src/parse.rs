//! The call of lang-c: from rewritten text to the syntax tree.

use crate::input::Text;
use crate::mend::Mended;
use crate::options::Res;
use crate::syntax_errors;
use base::{FileId, Span};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, parse_preprocessed};

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
        Err(error) => {
            let again = |text: &str| parse_preprocessed(&config, text.to_owned()).err();
            Err(syntax_errors::all(&error, again, &source, &mended))
        }
    }
}
