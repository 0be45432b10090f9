//! A light tokenizer of preprocessed C: enough to rewrite the text before the parser and to bound its nesting.
//! Comments, directives and odd white space are not tokens; [`lex`] reports them as blanks to write.

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// Identifier or keyword (`$` counts as a letter).
    Ident,
    /// Number.
    Number,
    /// String literal with its prefix.
    Str,
    /// Character constant with its prefix.
    Char,
    /// Operator or punctuator; the longest that C knows.
    Punct,
}

/// A token: a range of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// Its text.
    pub(crate) fn text(self, source: &str) -> &str {
        &source[self.start..self.end]
    }
}

/// Tokens, and what stands between them that the parser must not see.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// In order.
    pub(crate) tokens: Vec<Token>,
    /// Comments and form feeds, as ranges.
    pub(crate) blanks: Vec<(usize, usize)>,
    /// Lines that begin with `#`, as ranges without the line break.
    pub(crate) directives: Vec<(usize, usize)>,
    /// The start of an unterminated literal or comment.
    pub(crate) unterminated: Option<usize>,
}

const PUNCTUATORS: [&str; 23] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
    "+=", "-=", "&=", "^=", "|=", "##",
];

/// Cuts the text into tokens; never fails (bytes it does not know are punctuators of one character).
pub(crate) fn lex(source: &str) -> Lexed {
    let mut out = Lexed::default();
    let bytes = source.as_bytes();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let b = bytes[at];
        match b {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' => {
                at += 1;
                continue;
            }
            b'\r' | 0x0b | 0x0c => {
                out.blanks.push((at, at + 1));
                at += 1;
                continue;
            }
            b'#' if line_start => {
                let end = line_end(bytes, at);
                out.directives.push((at, end));
                at = end;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = line_end(bytes, at);
                out.blanks.push((at, end));
                at = end;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let Some(len) = source[at + 2..].find("*/") else {
                    out.unterminated.get_or_insert(at);
                    return out;
                };
                out.blanks.push((at, at + len + 4));
                at += len + 4;
                continue;
            }
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => {
                out.blanks.push((at, at + 1));
                at += 2;
                continue;
            }
            _ => {}
        }
        line_start = false;
        let (kind, end) = token_at(source, at, &mut out.unterminated);
        out.tokens.push(Token { kind, start: at, end });
        at = end;
    }
    out
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n)
}

fn token_at(source: &str, at: usize, unterminated: &mut Option<usize>) -> (TokenKind, usize) {
    let bytes = source.as_bytes();
    let b = bytes[at];
    let end = at + word_length(&source[at..]);
    if end > at && !b.is_ascii_digit() {
        if matches!(&source[at..end], "L" | "u" | "U" | "u8")
            && let Some(quote @ (b'"' | b'\'')) = bytes.get(end)
        {
            return literal(bytes, at, end, *quote, unterminated);
        }
        return (TokenKind::Ident, end);
    }
    if b.is_ascii_digit() || (b == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) {
        return (TokenKind::Number, number_end(bytes, at));
    }
    if b == b'"' || b == b'\'' {
        return literal(bytes, at, at, b, unterminated);
    }
    let len = PUNCTUATORS
        .iter()
        .find(|p| source[at..].starts_with(**p))
        .map(|p| p.len())
        .or_else(|| source[at..].chars().next().map(char::len_utf8))
        .unwrap_or(1);
    (TokenKind::Punct, at + len)
}

/// The bytes of letters, digits, `_`, `$`, other alphabetic characters and `\u` escapes at the beginning.
fn word_length(text: &str) -> usize {
    let mut len = 0;
    while let Some(c) = text[len..].chars().next() {
        let escape = match &text.as_bytes()[len..] {
            [b'\\', b'u', rest @ ..] if rest.len() >= 4 && rest[..4].iter().all(u8::is_ascii_hexdigit) => 6,
            [b'\\', b'U', rest @ ..] if rest.len() >= 8 && rest[..8].iter().all(u8::is_ascii_hexdigit) => 10,
            _ => 0,
        };
        if c.is_alphanumeric() || matches!(c, '_' | '$') {
            len += c.len_utf8();
        } else if escape > 0 {
            len += escape;
        } else {
            break;
        }
    }
    len
}

fn number_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(b) = bytes.get(end) {
        let exponent = matches!(bytes[end - 1], b'e' | b'E' | b'p' | b'P') && matches!(b, b'+' | b'-');
        let hex_e = bytes[at..end].starts_with(b"0x") || bytes[at..end].starts_with(b"0X");
        let sign = exponent && !(hex_e && matches!(bytes[end - 1], b'e' | b'E'));
        let separator = *b == b'\'' && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(b.is_ascii_alphanumeric() || *b == b'.' || *b == b'_' || sign || separator) {
            break;
        }
        end += 1;
    }
    end
}

fn literal(
    bytes: &[u8],
    start: usize,
    open: usize,
    quote: u8,
    unterminated: &mut Option<usize>,
) -> (TokenKind, usize) {
    let kind = if quote == b'"' { TokenKind::Str } else { TokenKind::Char };
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            b if b == quote => return (kind, at + 1),
            _ => at += 1,
        }
    }
    unterminated.get_or_insert(start);
    (kind, at.min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_words_numbers_and_literals() {
        let source = "a$1+=0x1e+2; /* c */ L\"x\\\"y\" '\\'' // z\n# 1 \"f\"\n1.5e-3f";
        let lexed = lex(source);
        let texts: Vec<_> = lexed.tokens.iter().map(|t| t.text(source)).collect();
        assert_eq!(texts, ["a$1", "+=", "0x1e", "+", "2", ";", "L\"x\\\"y\"", "'\\''", "1.5e-3f"]);
        assert_eq!((lexed.blanks.len(), lexed.directives.len()), (2, 1));
    }
}
