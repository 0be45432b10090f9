//! Names of boolean programs. A name is the text of its token: `x`, or `{*p == *q}` with its braces, so `x`
//! and `{x}` are two names. Two names are the same exactly when their texts are.

use crate::words::Word;
use base::Span;
use std::fmt;
use std::sync::Arc;

/// The text of an identifier; cheap to copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The name with exactly this text, which must be an identifier token (`x`, `{x == y}`, or digits for a
    /// label). The checker refuses a program in which it is not.
    pub fn new(text: impl AsRef<str>) -> Name {
        Name(Arc::from(text.as_ref()))
    }

    /// The name that carries a predicate: the text in braces, with runs of blanks and line breaks made one
    /// blank. Braces that do not balance are written as `\x7b` and `\x7d`.
    pub fn predicate(text: impl AsRef<str>) -> Name {
        let text = text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        if braces_balance(&text) {
            return Name(Arc::from(format!("{{{text}}}")));
        }
        let text = text.replace('\\', "\\\\").replace('{', "\\x7b").replace('}', "\\x7d");
        Name(Arc::from(format!("{{{text}}}")))
    }

    /// The name for a plain word of another language: the word itself when it is an identifier here, else the
    /// word in braces (`end` is reserved, so it becomes `{end}`).
    pub fn word(text: impl AsRef<str>) -> Name {
        let text = text.as_ref();
        if is_plain_identifier(text) && !is_reserved(text) { Name::new(text) } else { Name::predicate(text) }
    }

    /// Whether the text is an identifier token that the parser reads back as this name.
    pub fn is_well_formed(&self) -> bool {
        match self.predicate_text() {
            Some(inner) => {
                braces_balance(inner) && inner.split_whitespace().collect::<Vec<_>>().join(" ") == inner
            }
            None => is_identifier(&self.0) && !is_reserved(&self.0),
        }
    }

    /// The text, with the braces if it has them.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The predicate's text if the name is of the form `{…}`, without the braces.
    pub fn predicate_text(&self) -> Option<&str> {
        self.0.strip_prefix('{')?.strip_suffix('}')
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::new(text)
    }
}

/// Whether the word has a meaning of its own.
pub(crate) fn is_reserved(word: &str) -> bool {
    Word::of(word.as_bytes()).is_reserved()
}

/// Characters that an identifier may begin with.
pub(crate) const fn starts_identifier(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

/// Characters that an identifier may go on with; `-` too, when one of these follows it.
pub(crate) const fn continues_identifier(b: u8) -> bool {
    starts_identifier(b) || b.is_ascii_digit() || b == b'#'
}

/// The bytes that an identifier may go on with.
const CONTINUES: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = continues_identifier(b as u8);
        b += 1;
    }
    table
};

/// Length in bytes of the identifier (without braces) that `text` begins with; 0 when there is none.
pub(crate) fn identifier_length(text: &[u8]) -> usize {
    if !text.first().is_some_and(|b| starts_identifier(*b)) {
        return 0;
    }
    let continues = |at: usize| text.get(at).is_some_and(|b| CONTINUES[usize::from(*b)]);
    let mut len = 1;
    loop {
        len += text[len..].iter().take_while(|b| CONTINUES[usize::from(**b)]).count();
        // A dash belongs to the identifier when something follows it.
        if text.get(len) != Some(&b'-') || !continues(len + 1) {
            return len;
        }
        len += 1;
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && identifier_length(text.as_bytes()) == text.len()
}

fn is_plain_identifier(text: &str) -> bool {
    is_identifier(text) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether every `}` closes a `{` and none stays open.
pub(crate) fn braces_balance(text: &str) -> bool {
    let mut open = 0usize;
    for b in text.bytes() {
        match b {
            b'{' => open += 1,
            b'}' if open == 0 => return false,
            b'}' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// A place in the program text, or none for parts that were built and not parsed. Any two places are equal,
/// so that trees compare by what they say and not by where they say it.
#[derive(Clone, Copy, Default)]
pub struct Loc(pub Option<Span>);

impl PartialEq for Loc {
    fn eq(&self, _: &Loc) -> bool {
        true
    }
}

impl Eq for Loc {}

impl std::hash::Hash for Loc {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(span) => write!(f, "@{}:{}", span.start.line, span.start.col),
            None => f.write_str("@-"),
        }
    }
}

impl From<Span> for Loc {
    fn from(span: Span) -> Loc {
        Loc(Some(span))
    }
}

/// A name at a place.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub loc: Loc,
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_str())
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_str())
    }
}

impl<T: Into<Name>> From<T> for Ident {
    fn from(name: T) -> Ident {
        Ident { name: name.into(), loc: Loc(None) }
    }
}
