//! Tokens of formula files, each with its place.

use base::{Diagnostic, FileId, Pos, Span};

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tok<'t> {
    Word(&'t str),
    Number(u32),
    Mark(&'static str),
    End,
}

/// Longer marks stand before those that they begin with.
const MARKS: [&str; 26] = [
    "<->", "->", "<=", ">=", "!=", "..", "&&", "||", "==", "(", ")", "{", "}", "[", "]", ",", ";", ".", "=",
    "<", ">", "!", "&", "|", "+", "@",
];

/// The tokens of a text; the last one is the end.
pub(super) fn tokens(text: &str, file: FileId) -> Result<Vec<(Tok<'_>, Span)>, Diagnostic> {
    let mut lexer = Lexer { text, at: 0, line: 1, start_of_line: 0, file };
    let mut out = vec![];
    loop {
        lexer.blanks()?;
        let start = lexer.pos();
        let tok = lexer.token()?;
        out.push((tok, Span { file, start, end: lexer.pos() }));
        if tok == Tok::End {
            return Ok(out);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    start_of_line: usize,
    file: FileId,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn pos(&self) -> Pos {
        Pos { line: self.line, col: (self.at - self.start_of_line) as u32 + 1 }
    }

    fn advance(&mut self, bytes: usize) {
        for (i, b) in self.text.as_bytes()[self.at..self.at + bytes].iter().enumerate() {
            if *b == b'\n' {
                self.line += 1;
                self.start_of_line = self.at + i + 1;
            }
        }
        self.at += bytes;
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let pos = self.pos();
        Diagnostic::error(Span::at(self.file, pos.line, pos.col), message)
    }

    /// Passes blanks and comments.
    fn blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.advance(blank);
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else { return Err(self.error("the comment has no end")) };
                self.advance(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Tok<'t>, Diagnostic> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Tok::End) };
        let length = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        if first.is_ascii_digit() {
            let end = length(|c| c.is_ascii_digit());
            let Ok(number) = rest[..end].parse() else {
                return Err(self.error(format!("the number {} is too large", &rest[..end.min(40)])));
            };
            self.advance(end);
            return Ok(Tok::Number(number));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let end = length(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
            self.advance(end);
            return Ok(Tok::Word(&rest[..end]));
        }
        match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => {
                self.advance(mark.len());
                Ok(Tok::Mark(mark))
            }
            None => Err(self.error(format!("`{first}` begins no token"))),
        }
    }
}
