//! Tokens of rules: C's, and `$1`, `$return`.

use crate::ast::{Literal, Operand};
use base::{Diagnostic, FileId, Pos, Span};

/// The kinds of tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Word(String),
    Number(Literal),
    Text(String),
    Operand(Operand),
    Mark(&'static str),
    End,
}

/// The longest first, so that the first that fits is the right one.
const MARKS: [&str; 42] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "++", "--", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", ";", ",", ".", "(",
    ")", "{", "}", ":", "?",
];

/// All tokens with their places; the last is [`Token::End`].
pub(crate) fn tokens(text: &str, file: FileId) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut lexer = Lexer { text, at: 0, pos: Pos { line: 1, col: 1 }, file };
    let mut out = vec![];
    loop {
        lexer.skip_blanks()?;
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
    file: FileId,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span_from(&self, start: Pos) -> Span {
        Span { file: self.file, start, end: self.pos }
    }

    fn error<T>(&self, start: Pos, message: &str) -> Result<T, Diagnostic> {
        Err(Diagnostic::error(self.span_from(start), message))
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

    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.take_while(char::is_whitespace);
            let (rest, start) = (self.rest(), self.pos);
            if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    self.advance(2);
                    return self.error(start, "the comment is not closed");
                };
                self.advance(end + 4);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let (rest, start) = (self.rest(), self.pos);
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        match first {
            '$' => self.operand(),
            '"' => self.quoted(),
            _ if first.is_ascii_alphabetic() || first == '_' => {
                Ok(Token::Word(self.take_while(is_word).to_owned()))
            }
            _ if first.is_ascii_digit() => self.number(),
            _ => match MARKS.iter().find(|m| rest.starts_with(**m)) {
                Some(mark) => {
                    self.advance(mark.len());
                    Ok(Token::Mark(mark))
                }
                None => {
                    self.advance(first.len_utf8());
                    self.error(start, &format!("unexpected character {first:?}"))
                }
            },
        }
    }

    fn operand(&mut self) -> Result<Token, Diagnostic> {
        let start = self.pos;
        self.advance(1);
        let word = self.take_while(is_word);
        match (word, word.parse::<u32>()) {
            ("return", _) => Ok(Token::Operand(Operand::Return)),
            (_, Ok(n @ 1..=127)) => Ok(Token::Operand(Operand::Argument(n))),
            _ => self.error(start, "arguments are $1, $2, ..., and the result is $return"),
        }
    }

    fn quoted(&mut self) -> Result<Token, Diagnostic> {
        let start = self.pos;
        self.advance(1);
        let mut out = String::new();
        loop {
            out += self.take_while(|c| c != '"' && c != '\\' && c != '\n');
            let mut rest = self.rest().chars();
            match (rest.next(), rest.next()) {
                (Some('"'), _) => {
                    self.advance(1);
                    return Ok(Token::Text(out));
                }
                (Some('\\'), Some(c @ ('"' | '\\'))) => {
                    self.advance(2);
                    out.push(c);
                }
                (Some('\\'), Some(_)) => {
                    return self.error(start, "a text has no other escapes than \\\" and \\\\");
                }
                _ => return self.error(start, "the text is not closed on its line"),
            }
        }
    }

    fn number(&mut self) -> Result<Token, Diagnostic> {
        let start = self.pos;
        let word = self.take_while(is_word).to_ascii_lowercase();
        let hexadecimal = word.starts_with("0x");
        let body = word.trim_start_matches("0x");
        let digits =
            body.find(|c: char| !c.is_digit(if hexadecimal { 16 } else { 10 })).unwrap_or(body.len());
        let (digits, suffix) = body.split_at(digits);
        if !hexadecimal && digits.len() > 1 && digits.starts_with('0') {
            return self.error(start, "octal numbers are not written in rules");
        }
        let radix = if hexadecimal { 16 } else { 10 };
        let Ok(value) = u64::from_str_radix(digits, radix) else {
            return self.error(start, "the number is malformed, or too large");
        };
        let (unsigned, long) = match suffix {
            "" => (false, false),
            "u" => (true, false),
            "l" | "ll" => (false, true),
            "ul" | "lu" | "ull" | "llu" => (true, true),
            _ => return self.error(start, "a number has no other suffixes than u, l, ul"),
        };
        Ok(Token::Number(Literal { value, hexadecimal, unsigned, long }))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
