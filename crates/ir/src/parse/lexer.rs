//! Tokens of the program form: C's, without preprocessing.

use crate::convert::{self, Suffix};
use crate::types::{DataModel, IntType};
use base::{Diagnostic, FileId, Id, Pos, Span};

/// The kinds of tokens.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// A name or keyword.
    Word(String),
    /// An integer literal: its value and how it is written.
    Integer(u128, Suffix, Radix),
    /// A floating-point literal with the width of its type in bits.
    Real(f64, u16),
    /// A string literal's bytes, without a final zero.
    Text(Vec<u8>),
    /// An operator or other mark.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// How the digits of an integer are written: C gives the unsigned types only to the second kind by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Radix {
    /// Decimal.
    Ten,
    /// Octal or hexadecimal.
    Other,
}

/// The longest first, so that the first that fits is the right one.
const MARKS: [&str; 41] = [
    "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "+", "-", "*", "/", "%", "&", "|", "^", "~",
    "!", "<", ">", "=", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "@", "#", "++", "--", "$",
    "\\", "`",
];

/// All tokens with their places; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut lexer = Lexer { text, at: 0, pos: Pos { line: 1, col: 1 } };
    let mut out = vec![];
    loop {
        lexer.skip_blanks();
        let start = lexer.pos;
        let token = lexer.token()?;
        let done = token == Token::End;
        out.push((token, lexer.span_from(start)));
        if done {
            return Ok(out);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    pos: Pos,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span_from(&self, start: Pos) -> Span {
        Span { file: FileId::from_index(0), start, end: self.pos }
    }

    fn error(&self, message: &str) -> Diagnostic {
        Diagnostic::error(self.span_from(self.pos), message)
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        for b in taken.bytes() {
            if b == b'\n' {
                self.pos = Pos { line: self.pos.line + 1, col: 1 };
            } else {
                self.pos.col += 1;
            }
        }
        self.at += bytes;
        taken
    }

    fn take_while(&mut self, f: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.advance(rest.find(|c| !f(c)).unwrap_or(rest.len()))
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            let rest = self.rest();
            if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.advance(comment.find("*/").map_or(rest.len(), |i| i + 4));
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_alphabetic() || first == '_' || first == '$' {
            return Ok(Token::Word(self.take_while(is_word).to_owned()));
        }
        if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            return self.number();
        }
        match first {
            '"' => Ok(Token::Text(self.quoted('"')?)),
            '\'' => {
                let bytes = self.quoted('\'')?;
                let [b @ 0..=127] = bytes[..] else {
                    return Err(self.error("a character literal has one ASCII character"));
                };
                Ok(Token::Integer(u128::from(b), Suffix::default(), Radix::Ten))
            }
            _ => {
                let mark = MARKS.iter().find(|m| rest.starts_with(**m));
                let mark = mark.ok_or_else(|| self.error(&format!("unexpected character {first:?}")))?;
                self.advance(mark.len());
                Ok(Token::Mark(mark))
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Vec<u8>, Diagnostic> {
        self.advance(1);
        let mut out = vec![];
        loop {
            let run = self.take_while(|c| c != quote && c != '\\' && c != '\n');
            out.extend_from_slice(run.as_bytes());
            let rest = self.rest();
            if rest.starts_with(quote) {
                self.advance(1);
                return Ok(out);
            }
            let Some(escape) = rest.strip_prefix('\\').and_then(|r| r.chars().next()) else {
                return Err(self.error("the literal is not closed on its line"));
            };
            self.advance(1);
            if escape.is_digit(8) {
                let digits = self.rest().bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let value = u32::from_str_radix(self.advance(digits), 8).expect("octal digits were counted");
                out.push(value as u8);
                continue;
            }
            out.push(match escape {
                'n' => b'\n',
                't' => b'\t',
                'r' => b'\r',
                '\\' | '"' | '\'' => escape as u8,
                _ => return Err(self.error("unknown escape sequence")),
            });
            self.advance(1);
        }
    }

    fn number(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        if rest.starts_with("0x") || rest.starts_with("0X") {
            self.advance(2);
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            return self.integer(digits, 16);
        }
        let digits = self.take_while(|c| c.is_ascii_digit());
        if !self.rest().starts_with(['.', 'e', 'E']) {
            let radix = if digits.len() > 1 && digits.starts_with('0') { 8 } else { 10 };
            return self.integer(digits, radix);
        }
        let mut text = digits.to_owned();
        if self.rest().starts_with('.') {
            text += self.advance(1);
            text += self.take_while(|c| c.is_ascii_digit());
        }
        if self.rest().starts_with(['e', 'E']) {
            text += self.advance(1);
            if self.rest().starts_with(['+', '-']) {
                text += self.advance(1);
            }
            text += self.take_while(|c| c.is_ascii_digit());
        }
        let value = text.parse().map_err(|_| self.error("malformed floating-point literal"))?;
        let bits = match self.take_while(is_word).to_ascii_lowercase().as_str() {
            "" => 64,
            "f" => 32,
            "l" => 80,
            "q" => 128,
            _ => return Err(self.error("unknown suffix of a floating-point literal")),
        };
        Ok(Token::Real(value, bits))
    }

    fn integer(&mut self, digits: &str, radix: u32) -> Result<Token, Diagnostic> {
        let value =
            u128::from_str_radix(digits, radix).map_err(|_| self.error("malformed integer literal"))?;
        let mut suffix = self.take_while(is_word).to_ascii_lowercase();
        let unsigned = suffix.contains('u');
        suffix.retain(|c| c != 'u');
        let longs = match suffix.as_str() {
            "" => 0,
            "l" => 1,
            "ll" => 2,
            _ => return Err(self.error("unknown suffix of an integer literal")),
        };
        let radix = if radix == 10 { Radix::Ten } else { Radix::Other };
        Ok(Token::Integer(value, Suffix { unsigned, longs }, radix))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The type of an integer literal, hexadecimal and octal ones included.
pub(super) fn integer_type(value: u128, suffix: Suffix, radix: Radix, model: DataModel) -> IntType {
    let plain = convert::literal_type(value, suffix, model);
    if radix == Radix::Ten || suffix.unsigned {
        return plain;
    }
    let unsigned = convert::literal_type(value, Suffix { unsigned: true, ..suffix }, model);
    if unsigned.bits < plain.bits { unsigned } else { plain }
}
