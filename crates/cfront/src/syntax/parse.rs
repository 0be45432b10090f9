//! The call of lang-c: from rewritten text to the syntax tree.

use crate::error::Res;
use crate::options::Options;
use crate::syntax::errors;
use crate::text::input::{self, Text};
use crate::text::repair::{self, Repaired};
use base::{FileId, SourceMap, Span};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use std::path::PathBuf;

/// One parsed file.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) unit: TranslationUnit,
    pub(crate) source: Text,
    pub(crate) repaired: Repaired,
    /// The file of the harness that stands behind it.
    pub(crate) harness: Option<FileId>,
}

impl Parsed {
    /// The user's place of a node of the tree, without white space at its end.
    pub(crate) fn span(&self, span: lang_c::span::Span) -> Span {
        if span.is_none() {
            return self.source.lines.span(0, 0);
        }
        let text = &self.repaired.text;
        let end = span.end.min(text.len());
        let start = span.start.min(end);
        let body = trim_end(&text[start..end]);
        let (start, end) = (self.repaired.old_start(start), self.repaired.old_end(start + body.len()));
        self.source.lines.span(start, end.max(start))
    }
}

/// Without blanks and semicolons at the end.
fn trim_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_whitespace() || c == ';')
}

/// Parses repaired text.
pub(crate) fn parse(source: Text, repaired: Repaired) -> Res<Parsed> {
    let config = Config { cpp_command: String::new(), cpp_options: vec![], flavor: Flavor::GnuC11 };
    match parse_preprocessed(&config, repaired.text.clone()) {
        Ok(parse) => Ok(Parsed { unit: parse.unit, source, repaired, harness: None }),
        Err(error) => {
            let again = |text: &str| parse_preprocessed(&config, text.to_owned()).err();
            Err(errors::all(&error, again, &source, &repaired))
        }
    }
}

/// The files, and then those of the options with stubs, read and parsed.
pub(crate) fn parse_files(files: &[PathBuf], options: &Options, map: &mut SourceMap) -> Res<Vec<Parsed>> {
    let mut parsed = vec![];
    for file in files.iter().chain(&options.models) {
        let text = input::read(file, options, map)?;
        let repaired = repair::repair(&text)?;
        parsed.push(parse(text, repaired)?);
    }
    Ok(parsed)
}
