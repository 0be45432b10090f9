//! Text to tokens, with places. A comment is no token, but none is lost: one that ends the line of a token is
//! remembered with that token (the parser gives it to the statement that ends there), all with the token that
//! follows them.

use crate::name::{self, Name};
use base::{Diagnostic, FileId, Pos, Span};
use rustc_hash::FxHashMap;

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    /// An identifier or a word.
    Word(Name),
    /// Digits.
    Number(Name),
    /// An operator or punctuation mark, as written.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// A token at its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
    /// The comment that ends its line, as an index into [`Lexed::comments`].
    pub(crate) comment: Option<u32>,
}

/// A comment, without the marks that make it one.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// One line, without blanks at its ends.
    pub(crate) text: String,
    /// The index of the token after it.
    pub(crate) before: usize,
}

/// The tokens of a text, the last of which is [`Tok::End`].
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
    /// Comments before the first token.
    pub(crate) header: Vec<String>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// Longer marks come before their prefixes.
const MARKS: [&str; 30] = [
    "<->", "<=>", ":=", "&&", "||", "==", "!=", "=>", "->", "(", ")", "[", "]", "<", ">", ",", ";", ":", "*",
    "?", "!", "~", "&", "|", "^", "=", "'", ".", "+", "-",
];

/// Splits `text` into tokens. Errors do not stop it; at most twenty are kept.
pub(crate) fn lex(text: &str, file: FileId) -> Lexed {
    let mut lexer = Lexer {
        text: text.as_bytes(),
        source: text,
        file,
        // A byte order mark is no part of the text.
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        line: 1,
        line_start: 0,
        names: FxHashMap::default(),
        out: Lexed { tokens: vec![], comments: vec![], header: vec![], errors: vec![] },
    };
    while lexer.step() {}
    lexer.out
}

struct Lexer<'a> {
    text: &'a [u8],
    source: &'a str,
    file: FileId,
    at: usize,
    line: u32,
    line_start: usize,
    names: FxHashMap<&'a str, Name>,
    out: Lexed,
}

impl<'a> Lexer<'a> {
    /// Reads one token, comment or run of blanks; false at the end.
    fn step(&mut self) -> bool {
        let start = self.at;
        let from = self.pos();
        let Some(&b) = self.text.get(start) else {
            self.push(Tok::End, from);
            return false;
        };
        if b.is_ascii_whitespace() || b == 0x0b {
            self.advance(1);
        } else if self.text[start..].starts_with(b"//") {
            self.line_comment();
        } else if self.text[start..].starts_with(b"/*") {
            self.block_comment(from);
        } else if b == b'{' {
            self.braced(from);
        } else if b.is_ascii_digit() {
            let len = self.text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
            let name = self.intern(&self.source[start..start + len]);
            self.advance(len);
            self.push(Tok::Number(name), from);
        } else if name::starts_identifier(b) {
            let len = name::identifier_length(&self.text[start..]);
            let name = self.intern(&self.source[start..start + len]);
            self.advance(len);
            self.push(Tok::Word(name), from);
        } else if let Some(mark) = MARKS.iter().find(|m| self.text[start..].starts_with(m.as_bytes())) {
            self.advance(mark.len());
            self.push(Tok::Mark(mark), from);
        } else {
            let c = self.source[start..].chars().next().unwrap_or('?');
            self.advance(c.len_utf8());
            self.error(from, format!("`{}` does not belong in a boolean program", c.escape_default()));
        }
        true
    }

    fn pos(&self) -> Pos {
        Pos { line: self.line, col: (self.at - self.line_start) as u32 + 1 }
    }

    fn advance(&mut self, bytes: usize) {
        for i in self.at..self.at + bytes {
            if self.text[i] == b'\n' {
                self.line += 1;
                self.line_start = i + 1;
            }
        }
        self.at += bytes;
    }

    fn push(&mut self, tok: Tok, from: Pos) {
        let span = Span { file: self.file, start: from, end: self.pos() };
        self.out.tokens.push(Token { tok, span, comment: None });
    }

    fn error(&mut self, from: Pos, message: impl Into<String>) {
        if self.out.errors.len() < 20 {
            let span = Span { file: self.file, start: from, end: self.pos() };
            self.out.errors.push(Diagnostic::error(span, message));
        }
    }

    fn intern(&mut self, text: &'a str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::new(text)).clone()
    }

    fn line_comment(&mut self) {
        let rest = &self.source[self.at + 2..];
        let len = rest.find('\n').unwrap_or(rest.len());
        self.comment(&rest[..len], true);
        self.advance(len + 2);
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
        let before = self.out.tokens.len();
        match self.out.tokens.last_mut() {
            None => return self.out.header.push(text),
            Some(token) if ends_line && token.span.end.line == self.line => {
                token.comment = Some(self.out.comments.len() as u32);
            }
            Some(_) => {}
        }
        self.out.comments.push(Comment { text, before });
    }

    fn braced(&mut self, from: Pos) {
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
            return;
        };
        let text = &self.source[self.at..=self.at + close];
        let name = match self.names.get(text) {
            Some(name) => name.clone(),
            None => {
                let name = Name::predicate(&text[1..text.len() - 1]);
                self.names.insert(text, name.clone());
                name
            }
        };
        self.advance(close + 1);
        self.push(Tok::Word(name), from);
    }
}
