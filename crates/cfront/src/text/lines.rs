//! The line table of one translation unit: from offsets of the preprocessor's output to places in the user's
//! files, through line markers. Where the preprocessor changed a line (macros, comments), columns in the
//! unchanged beginning and end of the line stay exact, and everything between stands for the whole changed
//! part, which is the macro call as the user wrote it.

use base::{FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

/// One line of the preprocessor's output.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: u32,
    file: FileId,
    number: u32,
    /// Columns (from 0) below this are the user's.
    prefix: u32,
    /// From this column on the user's column is the column plus `tail_shift`.
    tail: u32,
    tail_shift: i64,
    /// The user's columns that everything between stands for.
    middle: (u32, u32),
}

/// Offsets to places, by binary search.
#[derive(Debug)]
pub(crate) struct LineTable {
    lines: Vec<Line>,
    /// Headers of the system, by their markers.
    system: FxHashSet<FileId>,
}

impl LineTable {
    /// The table for text that the user wrote himself: every place is exact.
    pub(crate) fn physical(text: &str, file: FileId) -> LineTable {
        let mut number = 0;
        let lines = line_starts(text)
            .map(|(start, _)| {
                number += 1;
                exact(start, file, number)
            })
            .collect();
        LineTable { lines, system: FxHashSet::default() }
    }

    /// Whether the file is a header of the system.
    pub(crate) fn is_of_system(&self, file: FileId) -> bool {
        self.system.contains(&file)
    }

    /// The table for the preprocessor's output. `read` gives the text of the files that markers name.
    pub(crate) fn from_markers(
        text: &str,
        main: FileId,
        main_name: &str,
        map: &mut SourceMap,
        read: &dyn Fn(&str) -> Option<Arc<str>>,
    ) -> LineTable {
        let mut files: FxHashMap<String, FileId> = FxHashMap::default();
        files.insert(main_name.to_owned(), main);
        let (mut file, mut number) = (main, 1);
        let (mut lines, mut system) = (vec![], FxHashSet::default());
        for (start, line) in line_starts(text) {
            if let Some((n, name, of_system)) = marker(line) {
                file = *files.entry(name).or_insert_with_key(|name| {
                    map.find(name).unwrap_or_else(|| {
                        let text = read(name);
                        same_file(map, name, text.as_deref()).unwrap_or_else(|| map.add(name.clone(), text))
                    })
                });
                number = n;
                if of_system && file != main {
                    system.insert(file);
                }
                continue;
            }
            lines.push(exact(start, file, number));
            number += 1;
        }
        fit_columns(&mut lines, text, map);
        LineTable { lines, system }
    }

    /// Adds the lines of a text that stands behind the one the table was made for, from this offset on.
    pub(crate) fn append(&mut self, offset: usize, text: &str, file: FileId) {
        let lines = LineTable::physical(text, file).lines;
        self.lines.extend(lines.into_iter().map(|l| Line { start: l.start + offset as u32, ..l }));
    }

    /// The span from `start` to `end` (exclusive); both are offsets of the text the table was made for.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let (file, line, col) = self.place(start, false);
        let begin = Span::at(file, line, col);
        if end <= start {
            return begin;
        }
        let (end_file, end_line, end_col) = self.place(end - 1, true);
        begin.to(Span::at(end_file, end_line, end_col))
    }

    fn place(&self, offset: usize, end: bool) -> (FileId, u32, u32) {
        let at = self.lines.partition_point(|l| l.start as usize <= offset).saturating_sub(1);
        let line = &self.lines[at];
        let col = (offset - (line.start as usize).min(offset)) as u32;
        let col = if col < line.prefix {
            col + u32::from(end)
        } else if col >= line.tail {
            (i64::from(col) + line.tail_shift).max(0) as u32 + u32::from(end)
        } else if end {
            line.middle.1
        } else {
            line.middle.0
        };
        (line.file, line.number, col + 1)
    }
}

fn exact(start: usize, file: FileId, number: u32) -> Line {
    let start = start as u32;
    Line { start, file, number, prefix: u32::MAX, tail: u32::MAX, tail_shift: 0, middle: (0, 0) }
}

fn line_starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

/// `# 12 "file.c" 1 3` or `#line 12 "file.c"`: line and name, and whether a header of the system begins. The flag 3
/// without the 1 also stands before macros of such headers in the user's own text.
fn marker(line: &str) -> Option<(u32, String, bool)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    let (name, flags) = unquoted(name)?;
    let flags: Vec<&str> = flags.split_ascii_whitespace().collect();
    Some((number, name, flags.contains(&"1") && flags.contains(&"3")))
}

/// The name up to the closing quote, and what follows, as compilers write it: octal numbers and letters behind
/// backslashes.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut out = vec![];
    let mut bytes = text.bytes().peekable();
    loop {
        match bytes.next()? {
            b'"' => {
                let rest = &text[text.len() - bytes.len()..];
                return Some((String::from_utf8_lossy(&out).into_owned(), rest));
            }
            b'\\' => match bytes.next()? {
                digit @ b'0'..=b'7' => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(next) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                        value = value * 8 + u32::from(next - b'0');
                    }
                    out.push(value as u8);
                }
                letter => {
                    let escape = ESCAPES.iter().find(|(name, _)| *name == letter);
                    out.push(escape.map_or(letter, |(_, meaning)| *meaning));
                }
            },
            byte => out.push(byte),
        }
    }
}

/// Letters behind a backslash and what they mean.
const ESCAPES: [(u8, u8); 7] =
    [(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r'), (b'a', 7), (b'b', 8), (b'v', 11), (b'f', 12)];

/// A name in quotes, as line markers have it.
pub(crate) fn quoted(name: &str) -> String {
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Whether a line sets the line number, with or without a file name.
pub(crate) fn is_line_directive(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('#') else { return false };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Compares the output's lines with the user's, and keeps what agrees at both ends.
fn fit_columns(lines: &mut [Line], text: &str, map: &SourceMap) {
    let mut from = 0;
    while from < lines.len() {
        let key = (lines[from].file, lines[from].number);
        let run = lines[from..].iter().take_while(|l| (l.file, l.number) == key).count();
        let to = from + run;
        if let Some(original) = map.line(key.0, key.1) {
            let output: Vec<&str> = lines[from..to].iter().map(|l| line_text(text, l.start)).collect();
            if run > 1 || output[0].trim_end_matches('\r') != original {
                fit_run(&mut lines[from..to], &output, original);
            }
        }
        from = to;
    }
}

fn line_text(text: &str, start: u32) -> &str {
    let rest = text.get(start as usize..).unwrap_or("");
    rest.split('\n').next().unwrap_or("")
}

fn fit_run(lines: &mut [Line], output: &[&str], original: &str) {
    let first = code(output[0]);
    let last = code(output[output.len() - 1]);
    let original = code(original);
    let mut prefix = first.iter().zip(original).take_while(|(a, b)| a == b).count();
    while prefix > 0 && splits_word(first, prefix) | splits_word(original, prefix) {
        prefix -= 1;
    }
    let room = original.len() - prefix;
    let limit = if output.len() == 1 { room.min(last.len() - prefix) } else { room.min(last.len()) };
    let mut suffix =
        last.iter().rev().zip(original.iter().rev()).take(limit).take_while(|(a, b)| a == b).count();
    while suffix > 0
        && splits_word(last, last.len() - suffix) | splits_word(original, original.len() - suffix)
    {
        suffix -= 1;
    }
    let middle = trim(original, prefix, original.len() - suffix);
    let count = lines.len();
    for (n, line) in lines.iter_mut().enumerate() {
        line.prefix = if n == 0 { prefix as u32 } else { 0 };
        line.middle = middle;
        if n + 1 == count {
            line.tail = (last.len() - suffix) as u32;
            line.tail_shift = original.len() as i64 - last.len() as i64;
        }
    }
}

/// A line without the comment and the blanks at its end.
fn code(line: &str) -> &[u8] {
    let end = crate::text::lex::lex(line).tokens.last().map_or(0, |t| t.end);
    &line.as_bytes()[..end]
}

fn splits_word(text: &[u8], at: usize) -> bool {
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    at > 0 && text.get(at - 1).is_some_and(word) && text.get(at).is_some_and(word)
}

fn trim(text: &[u8], mut from: usize, mut to: usize) -> (u32, u32) {
    while from < to && text[from].is_ascii_whitespace() {
        from += 1;
    }
    while to > from && text[to - 1].is_ascii_whitespace() {
        to -= 1;
    }
    (from as u32, to as u32)
}

/// The file that is known by another path (`lib/a.h`, `test/../lib/a.h`): its last part and the text are the same. What
/// a header defines in several files of the program is recognised by its place.
fn same_file(map: &SourceMap, name: &str, text: Option<&str>) -> Option<FileId> {
    let last = Path::new(name).file_name()?;
    let text = text?;
    map.ids().find(|id| {
        let file = map.file(*id);
        file.text.as_deref() == Some(text) && Path::new(&file.name).file_name() == Some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(user: &str, output: &str, find: &str, expect: &str) {
        let mut map = SourceMap::new();
        let f = map.add("a.c", Some(user.into()));
        let table = LineTable::from_markers(output, f, "a.c", &mut map, &|_| None);
        let at = output.find(find).expect("the test's text occurs");
        let span = table.span(at, at + find.len());
        assert_eq!(map.snippet(span).as_deref(), Some(expect), "{span:?}");
    }

    #[test]
    fn macros_stand_for_their_calls() {
        let user = "#define M(x) ((x)+1)\ny = M(z) + w; /* c */ u++;\n";
        let output = "# 1 \"a.c\"\n\ny = ((z)+1) + w; u++;\n";
        check(user, output, "y", "y");
        check(user, output, "((z)+1)", "M(z) + w; /* c */");
        check("#define M 7\nx = M;  // c\n", "# 1 \"a.c\"\n\nx = 7;  \n", "x", "x");
        check("y = 7;\t/* c */ \n", "# 1 \"a.c\"\ny = 7;\t   \n", "7", "7");
        check("#define M 7\nx = M; // c\n", "# 1 \"a.c\"\n\nx = 7;\n", "7", "M");
        check(user, output, "u++", "u++");
        check(user, output, "y = ((z)+1) + w", "y = M(z) + w; /* c */");
    }

    #[test]
    fn names_in_markers_are_quoted_both_ways() {
        for name in
            ["a.c", "a b.c", "a\"b\\c.c", "two\nlines.c", "tab\t.c", "\u{1}9.c", "\u{e9}.c", "\\n.c", ""]
        {
            assert_eq!(marker(&format!("# 7 {} 1 3", quoted(name))), Some((7, name.to_owned(), true)));
        }
        assert_eq!(marker("# 1 \"a\\nb\\\"c\\303\\251\""), Some((1, "a\nb\"c\u{e9}".to_owned(), false)));
        for bad in ["# 1 \"open", "# 1 \"open\\", "# 1", "# x \"a\""] {
            assert_eq!(marker(bad), None, "{bad}");
        }
    }

    #[test]
    fn split_lines_join() {
        let user = "a; assert(x > 0); b;\n";
        let output = "# 1 \"a.c\"\na; \n# 1 \"a.c\" 3 4\n  (x\n# 1 \"a.c\"\n  > 0)\n# 1 \"a.c\" 3 4\n  )\n# 1 \"a.c\"\n  ; b;\n";
        check(user, output, "(x", "assert(x > 0)");
        check(user, output, "b", "b");
        check(user, output, "a", "a");
    }
}
