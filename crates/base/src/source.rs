//! Source files and positions in them. A span always names a place in a file that the user knows: for
//! preprocessed C that is the place the line markers give, not the place in the preprocessor's output.

use crate::id::{Id, IndexVec};
use std::sync::{Arc, OnceLock};

crate::define_id!(
    /// A source file of a [`SourceMap`].
    pub FileId, "f"
);

/// A place in a file: line and column, both counted from 1, the column in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pos {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub col: u32,
}

/// A range of a file; `end` is the place after the last character.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First character.
    pub start: Pos,
    /// One past the last character.
    pub end: Pos,
}

impl Span {
    /// The span of one place.
    pub fn at(file: FileId, line: u32, col: u32) -> Span {
        let pos = Pos { line, col };
        Span { file, start: pos, end: pos }
    }

    /// From the start of `self` to the end of `other`; `self` when `other` lies in another file.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && other.end >= self.start {
            Span { end: other.end, ..self }
        } else {
            self
        }
    }
}

/// A file of the map.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name as the user wrote it, or as the line markers give it.
    pub name: String,
    /// The text, when it could be read; headers named by line markers alone have none.
    pub text: Option<Arc<str>>,
    /// The starts of lines; computed when first needed, which is never for most files without errors.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let text = self.text.as_deref().unwrap_or_default();
            let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            std::iter::once(0).chain(ends.map(|(i, _)| i as u32 + 1)).collect()
        })
    }
}

/// All files that spans refer to.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IndexVec<FileId, SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: Option<Arc<str>>) -> FileId {
        self.files.push(SourceFile { name: name.into(), text, line_starts: OnceLock::new() })
    }

    /// The file with this name, if it is there.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.ids().find(|id| self.files[*id].name == name)
    }

    /// All files.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        self.files.ids()
    }

    /// The file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The position of byte `offset` in a file whose text is known (clamped to its end).
    pub fn pos(&self, file: FileId, offset: usize) -> Pos {
        let starts = self.files[file].line_starts();
        let line = starts.partition_point(|s| *s as usize <= offset).max(1);
        Pos { line: line as u32, col: (offset - starts[line - 1] as usize) as u32 + 1 }
    }

    /// The text of a line without its end, when the file's text is known.
    pub fn line(&self, file: FileId, line: u32) -> Option<&str> {
        let file = &self.files[file];
        let start = *file.line_starts().get(line.checked_sub(1)? as usize)? as usize;
        let rest = file.text.as_ref()?.get(start..)?;
        Some(rest.split('\n').next().unwrap_or("").trim_end_matches('\r'))
    }

    /// The source text of a span, when the file's text is known; line breaks become blanks, runs of blanks one.
    pub fn snippet(&self, span: Span) -> Option<String> {
        let file = &self.files[span.file];
        let offset = |p: Pos| {
            file.line_starts().get(p.line.checked_sub(1)? as usize).map(|s| *s as usize + p.col as usize - 1)
        };
        let text = file.text.as_ref()?.get(offset(span.start)?..offset(span.end)?)?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// `file.c:12`, as verdict lines and traces write it.
    pub fn short(&self, span: Span) -> String {
        format!("{}:{}", shown(&self.files[span.file].name), span.start.line)
    }

    /// `file.c:12:3`; the column counts bytes.
    pub fn long(&self, span: Span) -> String {
        format!("{}:{}:{}", shown(&self.files[span.file].name), span.start.line, span.start.col)
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the map has no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The id of the `n`-th file added.
    pub fn id(&self, n: usize) -> FileId {
        FileId::from_index(n)
    }
}

/// A name as messages show it: in one line, whatever characters it has.
pub fn shown(name: &str) -> std::borrow::Cow<'_, str> {
    let is_hidden = |c: char| c.is_control() || turns_text(c);
    if !name.contains(is_hidden) {
        return name.into();
    }
    let escaped = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(escaped).collect::<String>().into()
}

/// Whether the character has no shape and changes the direction of the text around it (the bidirectional formatting characters of
/// Unicode), so that what is read is not what is there.
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_in_one_line() {
        let mut map = SourceMap::new();
        let f = map.add("a\nVERDICT: SAFE\t\u{1b}.c", None);
        assert_eq!(map.short(Span::at(f, 1, 1)), "a\\nVERDICT: SAFE\\t\\u{1b}.c:1");
        assert_eq!(map.long(Span::at(f, 1, 2)), "a\\nVERDICT: SAFE\\t\\u{1b}.c:1:2");
        assert_eq!(shown("plain \"\u{e9}.c"), "plain \"\u{e9}.c");
        assert_eq!(shown("a\u{202e}c.b"), "a\\u{202e}c.b");
    }

    #[test]
    fn positions_and_snippets_agree() {
        let mut map = SourceMap::new();
        let f = map.add("a.c", Some("int x;\r\n  y =\n 2;\n".into()));
        assert_eq!(map.pos(f, 0), Pos { line: 1, col: 1 });
        assert_eq!(map.pos(f, 10), Pos { line: 2, col: 3 });
        assert_eq!(map.line(f, 1), Some("int x;"));
        assert_eq!(map.line(f, 9), None);
        let span = Span { file: f, start: map.pos(f, 10), end: map.pos(f, 16) };
        assert_eq!(map.snippet(span).as_deref(), Some("y = 2"));
        assert_eq!(map.long(span), "a.c:2:3");
    }
}
