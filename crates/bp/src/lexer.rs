//! The lexer: tokens with places, one at a time. A comment is not a token, but none is lost: each is remembered
//! with the number of the token that follows it, and whether it ends the line of the one before (the parser
//! attaches it to the statement that ends there).

use crate::name;
use crate::words::Word;
use base::{Diagnostic, FileId, Pos, Span};

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'t> {
    /// An identifier or a word; also `{…}`, as written.
    Word(&'t str),
    /// Digits.
    Number(&'t str),
    /// An operator or punctuation mark, as written.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// A token at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) tok: Tok<'t>,
    /// Which word it is, if it is one with a meaning.
    pub(crate) word: Word,
    pub(crate) span: Span,
}

/// A comment, without the marks that make it one.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// One line, without blanks at its ends.
    pub(crate) text: String,
    /// The number of the token after it, from 0.
    pub(crate) before: usize,
    /// Whether it ends the line of the token before it.
    pub(crate) ends_line: bool,
}

/// The tokens that may begin with a byte.
#[derive(Clone, Copy)]
enum Class {
    Word,
    Digit,
    Brace,
    /// A mark that no longer one begins with.
    Mark(&'static str),
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        if name::starts_identifier(byte) {
            classes[b] = Class::Word;
        } else if byte.is_ascii_digit() {
            classes[b] = Class::Digit;
        } else if byte == b'{' {
            classes[b] = Class::Brace;
        } else if let Some(mark) = short(byte) {
            classes[b] = Class::Mark(mark);
        }
        b += 1;
    }
    classes
};

/// Splits a text into tokens. Errors do not stop it; at most twenty are kept.
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    source: &'t str,
    file: FileId,
    at: usize,
    line: u32,
    line_start: usize,
    /// How many tokens were given, and the line of the last.
    given: usize,
    last_line: u32,
    /// Comments before the first token.
    pub(crate) header: Vec<String>,
    /// All others up to the token given last.
    pub(crate) comments: Vec<Comment>,
    pub(crate) errors: Vec<Diagnostic>,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(source: &'t str, file: FileId) -> Lexer<'t> {
        // A byte order mark is not part of the text.
        let at = if source.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { at, ..Lexer::from_line(source, file, 1) }
    }

    /// For the end of a text, which begins with a line of this number.
    pub(crate) fn from_line(source: &'t str, file: FileId, line: u32) -> Lexer<'t> {
        Lexer {
            text: source.as_bytes(),
            source,
            file,
            at: 0,
            line,
            line_start: 0,
            given: 0,
            last_line: 0,
            header: vec![],
            comments: vec![],
            errors: vec![],
        }
    }

    /// The next token; [`Tok::End`] at the end, again and again.
    pub(crate) fn token(&mut self) -> Token<'t> {
        loop {
            self.blanks();
            let rest = &self.text[self.at..];
            let from = self.pos();
            let Some(first) = rest.first() else { return self.given(Tok::End, Word::Other, from) };
            let tok = match CLASSES[usize::from(*first)] {
                Class::Word => {
                    let text = self.take(name::identifier_length(rest));
                    return self.given(Tok::Word(text), Word::of(text.as_bytes()), from);
                }
                Class::Mark(mark) => {
                    self.at += 1;
                    return self.given(Tok::Mark(mark), Word::Other, from);
                }
                Class::Digit => {
                    let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                    Tok::Number(self.take(len))
                }
                Class::Brace => match self.braced(from) {
                    Some(text) => Tok::Word(text),
                    None => continue,
                },
                Class::Other => match rest {
                    [b'/', b'/', ..] => {
                        self.line_comment();
                        continue;
                    }
                    [b'/', b'*', ..] => {
                        self.block_comment(from);
                        continue;
                    }
                    _ => match mark(rest) {
                        Some(mark) => {
                            self.at += mark.len();
                            Tok::Mark(mark)
                        }
                        None => {
                            self.stranger(from);
                            continue;
                        }
                    },
                },
            };
            return self.given(tok, Word::Other, from);
        }
    }

    fn given(&mut self, tok: Tok<'t>, word: Word, from: Pos) -> Token<'t> {
        self.given += 1;
        self.last_line = self.line;
        Token { tok, word, span: Span { file: self.file, start: from, end: self.pos() } }
    }

    /// Goes over blanks and ends of lines.
    fn blanks(&mut self) {
        let mut at = self.at;
        while let Some(b) = self.text.get(at) {
            match b {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => at += 1,
                b'\n' => {
                    at += 1;
                    self.line += 1;
                    self.line_start = at;
                }
                _ => break,
            }
        }
        self.at = at;
    }

    fn pos(&self) -> Pos {
        Pos { line: self.line, col: (self.at - self.line_start) as u32 + 1 }
    }

    /// The next bytes, in which no line ends.
    fn take(&mut self, bytes: usize) -> &'t str {
        self.at += bytes;
        &self.source[self.at - bytes..self.at]
    }

    /// Goes over bytes in which lines may end.
    fn advance(&mut self, bytes: usize) {
        for i in self.at..self.at + bytes {
            if self.text[i] == b'\n' {
                self.line += 1;
                self.line_start = i + 1;
            }
        }
        self.at += bytes;
    }

    fn error(&mut self, from: Pos, message: impl Into<String>) {
        if self.errors.len() < 20 {
            let span = Span { file: self.file, start: from, end: self.pos() };
            self.errors.push(Diagnostic::error(span, message));
        }
    }

    fn stranger(&mut self, from: Pos) {
        let c = self.source[self.at..].chars().next().unwrap_or('?');
        self.at += c.len_utf8();
        self.error(from, format!("`{}` does not belong in a boolean program", c.escape_default()));
    }

    fn line_comment(&mut self) {
        let rest = &self.source[self.at + 2..];
        let len = rest.find('\n').unwrap_or(rest.len());
        self.comment(&rest[..len], true);
        self.at += len + 2;
    }

    fn block_comment(&mut self, from: Pos) {
        let Some(len) = self.source[self.at + 2..].find("*/") else {
            self.advance(2);
            self.error(from, "this comment is not closed");
            self.advance(self.text.len() - self.at);
            return;
        };
        let text = &self.source[self.at + 2..self.at + 2 + len];
        let rest = &self.source[self.at + len + 4..];
        let ends_line = rest[..rest.find('\n').unwrap_or(rest.len())].trim().is_empty();
        let lines: Vec<&str> = text
            .lines()
            .map(|line| line.trim().trim_start_matches('*'))
            .filter(|l| !l.trim().is_empty())
            .collect();
        for line in &lines {
            self.comment(line, ends_line && lines.len() == 1);
        }
        self.advance(len + 4);
    }

    /// Remembers a comment that begins here.
    fn comment(&mut self, text: &str, ends_line: bool) {
        let text = text.replace('\r', " ").trim().to_owned();
        if self.given == 0 {
            return self.header.push(text);
        }
        let ends_line = ends_line && self.last_line == self.line;
        self.comments.push(Comment { text, before: self.given, ends_line });
    }

    fn braced(&mut self, from: Pos) -> Option<&'t str> {
        let mut open = 0usize;
        let close = self.text[self.at..].iter().position(|b| {
            match b {
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            open == 0
        });
        let Some(close) = close else {
            self.advance(1);
            self.error(from, "`{` is not closed");
            self.advance(self.text.len() - self.at);
            return None;
        };
        let start = self.at;
        self.advance(close + 1);
        Some(&self.source[start..self.at])
    }
}

/// The mark of one byte that no longer one begins with.
const fn short(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'(' => "(",
        b')' => ")",
        b'[' => "[",
        b']' => "]",
        b'>' => ">",
        b',' => ",",
        b';' => ";",
        b'*' => "*",
        b'?' => "?",
        b'~' => "~",
        b'^' => "^",
        b'\'' => "'",
        b'.' => ".",
        b'+' => "+",
        _ => return None,
    })
}

/// The longest mark that the text begins with.
fn mark(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        [b'<', b'-', b'>', ..] => "<->",
        [b'<', b'=', b'>', ..] => "<=>",
        [b':', b'=', ..] => ":=",
        [b'&', b'&', ..] => "&&",
        [b'|', b'|', ..] => "||",
        [b'=', b'=', ..] => "==",
        [b'!', b'=', ..] => "!=",
        [b'=', b'>', ..] => "=>",
        [b'-', b'>', ..] => "->",
        [b'<', ..] => "<",
        [b':', ..] => ":",
        [b'!', ..] => "!",
        [b'&', ..] => "&",
        [b'|', ..] => "|",
        [b'=', ..] => "=",
        [b'-', ..] => "-",
        [byte, ..] => return short(*byte),
        [] => return None,
    })
}
