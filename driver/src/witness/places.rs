//! Places in the program's own files, found by their text: keywords, ends of calls.

use super::lex;
use crate::report::listing::Source;
use base::{Pos, SourceMap, Span};
use ir::{EdgeId, EdgeKind, HavocKind, LocId, Op, ProcId, Program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A place as witnesses name it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1; none means anywhere in the line.
    pub column: Option<u32>,
    /// The function.
    pub function: Option<String>,
}

impl Place {
    /// Whether another place, which has a column, is this one.
    pub(super) fn is(&self, other: &Place) -> bool {
        let name = |file: &str| Path::new(file).file_name().map(std::ffi::OsStr::to_owned);
        let same_column = self.column.is_none() || self.column == other.column;
        self.line == other.line && same_column && name(&self.file) == name(&other.file)
    }
}

/// A byte of a file.
pub(crate) type At = (usize, usize);

/// The texts of the program's files.
pub(crate) struct Texts {
    files: Vec<File>,
}

struct File {
    name: String,
    text: String,
    starts: Vec<usize>,
}

impl Texts {
    /// The texts of these files; one that is not UTF-8 has none.
    pub(crate) fn read(files: &[PathBuf]) -> Texts {
        let read = |path: &PathBuf| {
            let text = cli::inputs::bytes(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.unwrap_or_default();
            let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
            File { name: path.display().to_string(), text, starts }
        };
        Texts { files: files.iter().filter(|f| f.as_os_str() != "-").map(read).collect() }
    }

    /// The texts of the files.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.text.as_str())
    }

    /// The text of a file.
    pub(super) fn text(&self, file: usize) -> &str {
        &self.files[file].text
    }

    /// Where a position of the source map is, if that is in one of the files.
    fn at(&self, sources: &SourceMap, span: Span, pos: Pos) -> Option<At> {
        let name = &sources.file(span.file).name;
        let file = self.files.iter().position(|f| f.name == *name)?;
        let start = *self.files[file].starts.get((pos.line as usize).checked_sub(1)?)?;
        let at = start + (pos.col as usize).checked_sub(1)?;
        (at <= self.files[file].text.len() && self.files[file].text.is_char_boundary(at))
            .then_some((file, at))
    }

    /// Where a range begins.
    pub(crate) fn start(&self, sources: &SourceMap, span: Span) -> Option<At> {
        self.at(sources, span, span.start)
    }

    fn end(&self, sources: &SourceMap, span: Span) -> Option<At> {
        self.at(sources, span, span.end)
    }

    /// The place of a byte.
    pub(super) fn place(&self, (file, at): At, function: &str) -> Place {
        let File { name, text, starts } = &self.files[file];
        let line = starts.partition_point(|start| *start <= at);
        let column = text[starts[line - 1]..at].chars().count() as u32 + 1;
        Place {
            file: name.clone(),
            line: line as u32,
            column: Some(column),
            function: Some(function.to_owned()).filter(|f| !f.is_empty()),
        }
    }

    /// The names in front of parentheses, by the places of the parentheses that close them.
    pub(super) fn called(&self) -> BTreeMap<Place, String> {
        let mut out = BTreeMap::new();
        for (file, File { text, .. }) in self.files.iter().enumerate() {
            let (mut open, mut word) = (vec![], None);
            for token in lex::tokens(text, 0) {
                match token.kind {
                    lex::Kind::Byte(b'(') => open.push(word.take()),
                    lex::Kind::Byte(b')') => {
                        if let Some(Some(name)) = open.pop() {
                            out.insert(self.place((file, token.start), ""), name);
                        }
                    }
                    _ => {}
                }
                let is_word = token.kind == lex::Kind::Word;
                word = text.get(token.start..token.end).filter(|_| is_word).map(str::to_owned);
            }
        }
        out
    }

    /// Whether a word stands at a byte.
    pub(super) fn word(&self, (file, at): At) -> &str {
        let text = self.text(file);
        let token = lex::tokens(text, at).next().filter(|t| t.start == at && t.kind == lex::Kind::Word);
        token.and_then(|t| text.get(t.start..t.end)).unwrap_or_default()
    }

    /// Whether the text at a byte is something, and no blank.
    pub(super) fn is_text(&self, (file, at): At) -> bool {
        self.text(file)[at..].chars().next().is_some_and(|c| !c.is_whitespace())
    }
}

/// What the places in the files are in the program.
#[derive(Clone, Copy)]
pub(super) struct Finder<'t> {
    pub(super) source: Source<'t>,
    pub(super) texts: &'t Texts,
}

impl Finder<'_> {
    fn program(&self) -> &Program {
        self.source.program
    }

    /// The keyword of the loop that starts at a location.
    pub(super) fn loop_keyword(&self, p: ProcId, l: LocId) -> Option<At> {
        let location = &self.program().procs[p].locations[l];
        let at = self.texts.start(self.source.sources, location.span).filter(|_| location.loop_head)?;
        ["while", "for", "do"].contains(&self.texts.word(at)).then_some(at)
    }

    /// The range of a file that a span is.
    pub(super) fn range(&self, span: Span) -> Option<(usize, (usize, usize))> {
        let (file, start) = self.texts.start(self.source.sources, span)?;
        let (_, end) = self.texts.end(self.source.sources, span)?;
        (start <= end).then_some((file, (start, end)))
    }

    /// The closing parenthesis of the call whose result an edge takes.
    pub(super) fn call_end(&self, p: ProcId, e: EdgeId) -> Option<At> {
        let proc = &self.program().procs[p];
        let edge = &proc.edges[e];
        let name = self.called(&edge.op)?;
        let (file, start) = self.texts.start(self.source.sources, edge.span)?;
        let (_, end) = self.texts.end(self.source.sources, edge.span)?;
        let found = lex::calls(self.texts.text(file), (start, end.max(start + 1)), name);
        // Several calls in one statement are made in the order in which they are written, where there are as many edges.
        let same = |(_, other): &(EdgeId, &ir::Edge)| {
            other.span == edge.span && self.called(&other.op) == Some(name)
        };
        let edges: Vec<EdgeId> = proc.edges.iter_enumerated().filter(same).map(|(id, _)| id).collect();
        let n = match found.len() {
            1 => 0,
            n if n == edges.len() => edges.iter().position(|id| *id == e)?,
            _ => return None,
        };
        Some((file, *found.get(n)?))
    }

    /// The function that an edge calls, or whose result it takes.
    fn called<'o>(&'o self, op: &'o Op) -> Option<&'o str> {
        match op {
            Op::Havoc(_, HavocKind::Input(name) | HavocKind::Extern(name)) => Some(name),
            Op::Call { callee: ir::Callee::Direct(q), .. } => Some(self.program().procs[*q].name.as_str()),
            _ => None,
        }
    }

    /// Whether an edge takes the result of a function that is not executed.
    pub(super) fn is_input(&self, op: &Op) -> bool {
        match op {
            Op::Havoc(_, HavocKind::Input(_) | HavocKind::Extern(_)) => true,
            Op::Call { callee: ir::Callee::Direct(q), .. } => !self.program().procs[*q].has_body,
            _ => false,
        }
    }

    /// Where the statement of an edge begins: a declaration with its specifiers.
    pub(super) fn statement(&self, p: ProcId, e: EdgeId) -> Option<At> {
        let edge = &self.program().procs[p].edges[e];
        if edge.kind != EdgeKind::Statement {
            return None;
        }
        let (file, at) = self.texts.start(self.source.sources, edge.span)?;
        let begins = |at: usize| self.texts.text(file)[..at].trim_end().ends_with([';', '{', '}']);
        if begins(at) {
            return self.texts.is_text((file, at)).then_some((file, at));
        }
        let ir::Base::Var(v) = edge.op.destination()?.base else { return None };
        let specifiers = self.source.words?.specifiers.get(&v)?;
        let (other, at) = self.texts.start(self.source.sources, *specifiers)?;
        let within = self.program().vars[v].span;
        (other == file && edge.span.start <= within.start && within.end <= edge.span.end && begins(at))
            .then_some((file, at))
    }

    /// The name of the procedure as the source has it.
    pub(super) fn function(&self, p: ProcId) -> &str {
        &self.program().procs[p].name
    }
}
