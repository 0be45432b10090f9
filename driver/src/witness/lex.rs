//! The tokens of C text, as far as places need them: comments and literals hide what looks like code.

/// A token with its first and last byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    /// Where it begins.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// Kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A number, string or character.
    Literal,
    /// Anything else, a byte.
    Byte(u8),
}

/// The tokens of the text from a place on, without comments and blanks.
pub(crate) fn tokens(text: &str, from: usize) -> Tokens<'_> {
    Tokens { bytes: text.as_bytes(), at: from }
}

/// See [`tokens`].
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Tokens<'_> {
    fn is(&self, at: usize, text: &[u8]) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(text))
    }

    /// Passes over blanks and comments.
    fn pass(&mut self) {
        loop {
            while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            let end: &[u8] = match () {
                () if self.is(self.at, b"//") => b"\n",
                () if self.is(self.at, b"/*") => b"*/",
                () => return,
            };
            self.at += 2;
            while self.at < self.bytes.len() && !self.is(self.at, end) {
                self.at += 1;
            }
            self.at = (self.at + end.len()).min(self.bytes.len());
        }
    }

    /// The end of a string or character that begins here.
    fn quoted(&self, quote: u8) -> usize {
        let mut at = self.at + 1;
        while let Some(byte) = self.bytes.get(at) {
            match *byte {
                b'\\' => at += 2,
                b'\n' => break,
                byte if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        at.min(self.bytes.len())
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.pass();
        let start = self.at;
        let first = *self.bytes.get(start)?;
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(*b, b'_' | b'$') || !b.is_ascii();
        let (end, kind) = match first {
            b'"' | b'\'' => (self.quoted(first), Kind::Literal),
            _ if is_word(&first) => {
                let length = self.bytes[start..].iter().take_while(|b| is_word(b)).count();
                (start + length, if first.is_ascii_digit() { Kind::Literal } else { Kind::Word })
            }
            byte => (start + 1, Kind::Byte(byte)),
        };
        self.at = end;
        Some(Token { start, end, kind })
    }
}

/// The parenthesis that closes the one which begins at a place.
pub(crate) fn closing(text: &str, open: usize) -> Option<usize> {
    closing_one(text, open, (b'(', b')'))
}

/// The brace that closes the one which begins at a place.
pub(crate) fn closing_brace(text: &str, open: usize) -> Option<usize> {
    closing_one(text, open, (b'{', b'}'))
}

fn closing_one(text: &str, open: usize, (opens, closes): (u8, u8)) -> Option<usize> {
    let mut depth = 0usize;
    for token in tokens(text, open) {
        match token.kind {
            Kind::Byte(b) if b == opens => depth += 1,
            Kind::Byte(b) if b == closes => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (token.kind == Kind::Byte(closes)).then_some(token.start);
        }
    }
    None
}

/// The calls of a function in a stretch of the text, by their closing parentheses.
pub(crate) fn calls(text: &str, (from, to): (usize, usize), name: &str) -> Vec<usize> {
    let all: Vec<Token> = tokens(text, from).take_while(|t| t.start < to).collect();
    let is_call = |pair: &&[Token]| {
        pair[0].kind == Kind::Word
            && text.get(pair[0].start..pair[0].end) == Some(name)
            && pair[1].kind == Kind::Byte(b'(')
    };
    all.windows(2).filter(is_call).filter_map(|pair| closing(text, pair[1].start)).collect()
}
