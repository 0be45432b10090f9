//! Places in texts and files as editors name them: URIs, and columns counted in the units that were agreed upon.

use crate::witness::lex::{Kind, Token, closing, tokens};
use lsp_types::{Position, Range, Uri};
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// In which units columns are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Pairs of bytes, as every client knows.
    Utf16,
}

impl Encoding {
    /// The length of a text in these units.
    fn length(self, text: &str) -> u32 {
        let units = match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

/// The file that a URI names, if it names one of this machine.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let text = uri.as_str().strip_prefix("file://")?;
    let path = text.strip_prefix("localhost").unwrap_or(text);
    path.starts_with('/').then(|| PathBuf::from(percent_decode_str(path).decode_utf8_lossy().into_owned()))
}

/// The URI of a file.
pub(super) fn uri(path: &Path) -> Option<Uri> {
    Uri::from_str(&crate::sarif::file_uri(&std::path::absolute(path).ok()?)).ok()
}

/// Files that places are in, read once each.
pub(super) struct Files {
    encoding: Encoding,
    texts: BTreeMap<PathBuf, Vec<String>>,
}

impl Files {
    pub(super) fn new(encoding: Encoding) -> Files {
        Files { encoding, texts: BTreeMap::new() }
    }

    /// The position of a line and a column in bytes, both from 1.
    fn position(&mut self, file: &Path, line: u32, column: u32) -> Position {
        let lines = self.texts.entry(file.to_owned()).or_insert_with(|| {
            let bytes = cli::inputs::regular(file).unwrap_or_default();
            String::from_utf8_lossy(&bytes).split('\n').map(str::to_owned).collect()
        });
        let (line, column) = (line.saturating_sub(1) as usize, column.saturating_sub(1) as usize);
        let text = lines.get(line).map_or("", String::as_str);
        let before = text.get(..column.min(text.len())).unwrap_or(text);
        Position::new(u32::try_from(line).unwrap_or(u32::MAX), self.encoding.length(before))
    }

    /// The range of a stretch of a file, given by lines and columns in bytes, all from 1; of a line where there is no end.
    pub(super) fn range(&mut self, file: &Path, start: (u32, u32), end: (u32, u32)) -> Range {
        let from = self.position(file, start.0, start.1.max(1));
        let to = match end >= start {
            true => self.position(file, end.0, end.1),
            false => self.position(file, start.0, u32::MAX),
        };
        Range::new(from, to.max(from))
    }
}

/// The functions that a text defines, with the ranges of their names. The text need not be right.
pub(super) fn functions(text: &str, encoding: Encoding) -> Vec<(String, Range)> {
    let text_without = without_directives(text);
    let all: Vec<Token> = tokens(&text_without, 0).collect();
    let (mut depth, mut out, mut skip_to) = (0usize, vec![], 0);
    for (k, token) in all.iter().enumerate() {
        match token.kind {
            Kind::Byte(b'{') => depth += 1,
            Kind::Byte(b'}') => depth = depth.saturating_sub(1),
            Kind::Word if depth == 0 && token.start >= skip_to => {
                let Some(open) = all.get(k + 1).filter(|next| next.kind == Kind::Byte(b'(')) else {
                    continue;
                };
                let Some(close) = closing(&text_without, open.start) else { continue };
                let name = &text[token.start..token.end];
                let body = tokens(&text_without, close + 1).next();
                if body.is_some_and(|t| t.kind == Kind::Byte(b'{')) && !KEYWORDS.contains(&name) {
                    out.push((name.to_owned(), range(text, (token.start, token.end), encoding)));
                    skip_to = close;
                }
            }
            _ => {}
        }
    }
    out
}

/// Words before parentheses that name no function.
const KEYWORDS: [&str; 8] =
    ["if", "while", "for", "switch", "__attribute__", "__declspec", "_Alignas", "_Static_assert"];

/// The text with the lines of the preprocessor blank, so that places stay.
fn without_directives(text: &str) -> String {
    let mut continued = false;
    let line = |line: &str| {
        let is_directive = continued || line.trim_start().starts_with('#');
        continued = is_directive && line.trim_end_matches(['\n', '\r']).ends_with('\\');
        match is_directive {
            true => line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect(),
            false => line.to_owned(),
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The range of some bytes of one line.
fn range(text: &str, (start, end): (usize, usize), encoding: Encoding) -> Range {
    let line = text[..start].matches('\n').count();
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let at =
        |to: usize| Position::new(u32::try_from(line).unwrap_or(u32::MAX), encoding.length(&text[begin..to]));
    Range::new(at(start), at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_uris() {
        for name in ["/tmp/a b.c", "/tmp/\u{e9}\u{1f600}#?%.c", "/a:b/[x].c"] {
            let uri = uri(Path::new(name)).expect("a URI");
            assert_eq!(path(&uri), Some(PathBuf::from(name)), "{}", uri.as_str());
        }
        for other in ["untitled:Untitled-1", "http://a/b.c", "file://server/a.c"] {
            assert_eq!(path(&Uri::from_str(other).expect("a URI")), None);
        }
    }

    #[test]
    fn functions_are_found_in_any_text() {
        let text = "#define F(x) { x }\n#define G \\\n  int no(void) {\nstatic int *f(int (*g)(void), char c) {\n  if (c) { h(); }\n\
                    return 0; }\n/* int no(void) { } */ char *s = \"int no() {\";\nint g(void);\n\u{1f600} struct s k() { } int l(";
        let names = |encoding| {
            functions(text, encoding).into_iter().map(|(name, r)| (name, r.start.line, r.start.character))
        };
        let expected = |column| vec![("f".to_owned(), 3, 12), ("k".to_owned(), 8, column)];
        assert_eq!(names(Encoding::Utf16).collect::<Vec<_>>(), expected(12));
        assert_eq!(names(Encoding::Utf8).collect::<Vec<_>>(), expected(14));
        assert!(functions("}}}} int f(", Encoding::Utf8).is_empty());
    }
}
