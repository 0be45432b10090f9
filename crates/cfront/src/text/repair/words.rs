//! Rules about single words and operators.

use super::{ELVIS, Repairer};
use crate::error::{FailureKind, Res};
use crate::text::lex::TokenKind;
use rustc_hash::FxHashSet;

impl Repairer<'_> {
    /// Applies every rule of this file to every token.
    pub(super) fn words(&mut self) -> Res<()> {
        let odd = self.tokens.iter().any(|t| t.kind == TokenKind::Ident && !is_plain(t.text(self.text)));
        let known: FxHashSet<&str> =
            if odd { self.tokens.iter().map(|t| t.text(self.text)).collect() } else { FxHashSet::default() };
        for at in 0..self.tokens.len() {
            if self.gone[at] {
                continue;
            }
            match self.tokens[at].kind {
                TokenKind::Ident => self.identifier(at, &known)?,
                TokenKind::Punct => self.operator(at),
                TokenKind::Str | TokenKind::Char => self.escapes(at),
                TokenKind::Number => {}
            }
        }
        Ok(())
    }

    fn identifier(&mut self, at: usize, known: &FxHashSet<&str>) -> Res<()> {
        match self.word(at) {
            "__extension__" => self.blank_tokens(at, at),
            "__thread" => self.replace_token(at, "_Thread_local"),
            "__const__" => self.replace_token(at, "const"),
            "__alignof__" | "__alignof" | "_Alignof" => {
                let preferred = self.word(at) != "_Alignof";
                self.alignofs.insert(self.tokens[at].start, preferred);
                self.replace_token(at, "sizeof");
            }
            "__auto_type" | "__float128" | "__int128_t" | "__uint128_t" => self.prelude = true,
            "__int128" => self.int128(at),
            "_Static_assert" => self.static_assert(at),
            "__builtin_types_compatible_p" => self.types_compatible(at),
            "__real__" | "__imag__" | "__real" | "__imag" => {
                return Err(self.refuse(
                    FailureKind::Unsupported,
                    at,
                    at,
                    "complex numbers are not supported",
                ));
            }
            word if !is_plain(word) => {
                let plain = plain_name(word);
                if known.contains(plain.as_str()) {
                    let message = format!("`{word}` cannot be distinguished from `{plain}` here");
                    return Err(self.refuse(FailureKind::Unsupported, at, at, &message));
                }
                self.replace_token(at, &plain);
            }
            _ => {}
        }
        Ok(())
    }

    fn int128(&mut self, at: usize) {
        self.prelude = true;
        let neighbour = if matches!(self.word(at + 1), "unsigned" | "signed") {
            Some(at + 1)
        } else if matches!(self.word_before(at), "unsigned" | "signed") {
            Some(at - 1)
        } else {
            None
        };
        let unsigned = neighbour.is_some_and(|n| self.word(n) == "unsigned");
        if let Some(n) = neighbour {
            self.blank_tokens(n, n);
        }
        self.replace_token(at, if unsigned { "__uint128_t" } else { "__int128_t" });
    }

    pub(super) fn static_assert(&mut self, at: usize) {
        if self.word(at + 1) != "(" {
            return;
        }
        let Some(close) = self.closing(at + 1) else { return };
        if self.tokens[close - 1].kind != TokenKind::Str {
            self.insert(self.tokens[close].start, ", \"\"");
        }
    }

    /// `__builtin_types_compatible_p(A, B)` becomes a call with `sizeof(A), sizeof(B)` as arguments.
    fn types_compatible(&mut self, at: usize) {
        if self.word(at + 1) != "(" {
            return;
        }
        let Some(close) = self.closing(at + 1) else { return };
        let mut depth = 0;
        let comma = (at + 2..close).find(|i| {
            match self.word(*i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            depth == 0 && self.word(*i) == ","
        });
        let Some(comma) = comma else { return };
        self.insert(self.tokens[at + 1].end, "sizeof(");
        self.edit(self.tokens[comma].start, self.tokens[comma].end, "), sizeof(");
        self.insert(self.tokens[close].start, ")");
    }

    fn operator(&mut self, at: usize) {
        let token = self.tokens[at];
        let touches = self.tokens.get(at + 1).is_some_and(|n| n.start == token.end);
        match (self.word(at), self.word(at + 1)) {
            ("?", ":") => self.insert(token.end, &format!(" {ELVIS} ")),
            ("<", ":") if touches => self.digraph(at, "[ "),
            (":", ">") if touches => self.digraph(at, "] "),
            ("<", "%") if touches => self.digraph(at, "{ "),
            ("%", ">") if touches => self.digraph(at, "} "),
            ("[", "[") if touches => {
                if let Some(close) = self.closing(at) {
                    self.blank_tokens(at, close);
                }
            }
            _ => {}
        }
    }

    fn digraph(&mut self, at: usize, text: &str) {
        self.edit(self.tokens[at].start, self.tokens[at + 1].end, text);
    }

    /// Whether an operator at `at` has no left operand.
    pub(super) fn is_prefix_position(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        match self.tokens[before].kind {
            TokenKind::Punct => !matches!(self.word(before), ")" | "]" | "}" | "++" | "--"),
            TokenKind::Ident => matches!(self.word(before), "return" | "case"),
            _ => false,
        }
    }

    /// Escapes that gcc knows and the parser does not: `\e`, `\uXXXX`, `\UXXXXXXXX`, and needless backslashes.
    fn escapes(&mut self, at: usize) {
        let token = self.tokens[at];
        let text = token.text(self.text);
        if !text.contains('\\') {
            return;
        }
        let wide =
            matches!(text.as_bytes()[0], b'L' | b'U') || (text.starts_with('u') && !text.starts_with("u8"));
        let mut out = String::with_capacity(text.len());
        let mut chars = text.char_indices();
        while let Some((_, c)) = chars.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            let Some((i, e)) = chars.next() else { break };
            match e {
                'e' | 'E' => out.push_str("\\033"),
                'u' | 'U' => {
                    let digits = if e == 'u' { 4 } else { 8 };
                    let code = text.get(i + 1..i + 1 + digits).and_then(|h| u32::from_str_radix(h, 16).ok());
                    let Some(c) = code.and_then(char::from_u32) else { return };
                    if wide {
                        out.push(c);
                        chars.nth(digits - 1);
                        continue;
                    }
                    let mut buffer = [0; 4];
                    for b in c.encode_utf8(&mut buffer).bytes() {
                        out.push_str(&format!("\\{b:03o}"));
                    }
                    chars.nth(digits - 1);
                }
                '\'' | '"' | '?' | '\\' | 'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | 'x' | '0'..='7' => {
                    out.push('\\');
                    out.push(e);
                }
                '\n' => {}
                other => out.push(other),
            }
        }
        if out != text {
            self.edit(token.start, token.end, out);
        }
    }
}

/// Whether the parser knows the identifier as such.
fn is_plain(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A name of letters, digits and underscores for an identifier with `$` or characters beyond ASCII, whether they
/// are written as such or as `\u….`: the same in every file.
fn plain_name(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '$' => out.push_str("__dollar__"),
            '\\' => {
                let digits = if rest.starts_with('u') { 4 } else { 8 };
                let code = rest.get(1..1 + digits).and_then(|h| u32::from_str_radix(h, 16).ok()).unwrap_or(0);
                out.push_str(&format!("__u{code:04x}__"));
                rest = rest.get(1 + digits..).unwrap_or("");
            }
            c if c.is_ascii() => out.push(c),
            c => out.push_str(&format!("__u{:04x}__", u32::from(c))),
        }
    }
    out
}
