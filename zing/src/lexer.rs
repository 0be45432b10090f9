//! Words and signs of the modelling language, with their places.

use base::{Diagnostic, FileId, Pos, Span};

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Word(String),
    Number(i64),
    Sign(&'static str),
    End,
}

impl Token {
    /// As messages name it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(w) => format!("`{w}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Sign(s) => format!("`{s}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// Longer signs first, so that the first that fits is the right one.
const SIGNS: [&str; 28] = [
    "||", "&&", "==", "!=", "<=", ">=", "..", "<", ">", "+", "-", "*", "/", "%", "!", "=", "(", ")", "{",
    "}", "[", "]", ";", ",", ".", ":", "|", "&",
];

/// The tokens of a text; the last one is the end.
pub(crate) fn tokens(text: &str, file: FileId) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut out = vec![];
    let mut cursor = Cursor { rest: text, pos: Pos { line: 1, col: 1 }, file };
    loop {
        cursor.skip_blanks()?;
        let start = cursor.pos;
        let token = cursor.token()?;
        let last = token == Token::End;
        out.push((token, Span { file, start, end: cursor.pos }));
        if last {
            return Ok(out);
        }
    }
}

struct Cursor<'a> {
    rest: &'a str,
    pos: Pos,
    file: FileId,
}

impl<'a> Cursor<'a> {
    /// Takes the next `bytes` bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.bytes() {
            if c == b'\n' {
                self.pos = Pos { line: self.pos.line + 1, col: 1 };
            } else {
                self.pos.col += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn error(&self, message: &str) -> Diagnostic {
        Diagnostic::error(Span { file: self.file, start: self.pos, end: self.pos }, message)
    }

    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.take(blanks);
            if self.rest.starts_with("//") {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let Some(end) = self.rest.find("*/") else {
                    return Err(self.error("this comment does not end"));
                };
                self.take(end + 2);
            } else if blanks == 0 {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        let length = |fits: fn(char) -> bool| self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        if first.is_ascii_alphabetic() || first == '_' {
            let n = length(|c| c.is_ascii_alphanumeric() || c == '_');
            return Ok(Token::Word(self.take(n).to_owned()));
        }
        if first.is_ascii_digit() {
            let n = length(|c| c.is_ascii_digit());
            let Ok(number) = self.rest[..n].parse() else {
                return Err(self.error("this number is too large"));
            };
            self.take(n);
            return Ok(Token::Number(number));
        }
        match SIGNS.iter().find(|s| self.rest.starts_with(**s)) {
            Some(sign) => {
                self.take(sign.len());
                Ok(Token::Sign(sign))
            }
            None => Err(self.error(&format!("unexpected character {first:?}"))),
        }
    }
}
