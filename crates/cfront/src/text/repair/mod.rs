//! The token-level pass before the parser (repairs): rewrites what lang-c rejects but users have (comments in
//! `.i` files, attributes in odd places, `x ?: y`, implicit `int`, labels at block ends, …), refuses with a
//! place what no rewriting can express, and bounds the nesting. Every edit keeps a map back, so that spans stay
//! those of the text before.

mod attributes;
mod braces;
mod dialects;
mod implicit_int;
mod jumps;
mod labels;
mod nesting;
mod words;

use crate::error::{FailureKind, Res, Stop};
use crate::text::input::Text;
use crate::text::lex::{self, Token, TokenKind};
use base::Diagnostic;
pub(crate) use braces::NO_ITEM;
pub(crate) use dialects::ENUM_BASE;
pub(crate) use jumps::{NESTED, REFUSED_NAMES};
use rustc_hash::FxHashMap;

/// The identifier that stands between `?` and `:` where the source left the operand out.
pub(crate) const ELVIS: &str = "__cfront_same__";

/// Names that the prelude declares as types for the parser; their meaning is given by the type checker.
pub(crate) const PRELUDE_TYPES: [&str; 4] = ["__int128_t", "__uint128_t", "__auto_type", "__float128"];

/// Text for the parser, with the way back to the text before.
#[derive(Debug)]
pub(crate) struct Repaired {
    pub(crate) text: String,
    /// Pieces in order: where each starts in the new and in the old text, and whether it was copied.
    pieces: Vec<Piece>,
    /// Old offsets of `sizeof` tokens that were `_Alignof` or `__alignof__`; true for the latter.
    pub(crate) alignofs: FxHashMap<usize, bool>,
    /// `#pragma pack`: from this old offset on the bound of member alignment.
    pub(crate) packs: Vec<(usize, Option<u64>)>,
    /// Warnings about edits with a consequence: old range and message.
    pub(crate) warnings: Vec<(usize, usize, String)>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    new: usize,
    old: usize,
    copied: bool,
}

impl Repaired {
    /// The old offset of a new one, for the start of a span.
    pub(crate) fn old_start(&self, new: usize) -> usize {
        let at = self.pieces.partition_point(|p| p.new <= new).saturating_sub(1);
        let Some(piece) = self.pieces.get(at) else { return new };
        if piece.copied { piece.old + (new - piece.new) } else { piece.old }
    }

    /// The old offset of a new one, for the (exclusive) end of a span.
    pub(crate) fn old_end(&self, new: usize) -> usize {
        if new == 0 {
            return 0;
        }
        let at = self.pieces.partition_point(|p| p.new < new).saturating_sub(1);
        let Some(piece) = self.pieces.get(at) else { return new };
        if piece.copied {
            piece.old + (new - piece.new)
        } else {
            self.pieces.get(at + 1).map_or(piece.old, |next| next.old)
        }
    }

    /// The bound of `#pragma pack` at an old offset.
    pub(crate) fn pack_at(&self, old: usize) -> Option<u64> {
        self.packs.iter().take_while(|p| p.0 <= old).last().and_then(|p| p.1)
    }
}

/// A replacement of `start..end` of the old text.
#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// The state of the pass: text, tokens, edits so far.
struct Repairer<'t> {
    source: &'t Text,
    text: &'t str,
    tokens: Vec<Token>,
    /// Tokens that an edit removed; later rules do not see them.
    gone: Vec<bool>,
    /// For each bracket the one that it belongs to.
    partners: Vec<Option<usize>>,
    edits: Vec<Edit>,
    alignofs: FxHashMap<usize, bool>,
    warnings: Vec<(usize, usize, String)>,
    prelude: bool,
}

/// Repairs the text of one file.
pub(crate) fn repair(source: &Text) -> Res<Repaired> {
    let text = source.text.as_str();
    let lexed = lex::lex(text);
    if let Some(at) = lexed.unterminated {
        let end = at + text[at..].find('\n').unwrap_or(text.len() - at);
        let message = "a comment, string or character constant is not closed";
        return Err(refuse(source, FailureKind::Parse, at, end, message));
    }
    let gone = vec![false; lexed.tokens.len()];
    let mut mender = Repairer {
        source,
        text,
        tokens: lexed.tokens,
        gone,
        partners: vec![],
        edits: vec![],
        alignofs: FxHashMap::default(),
        warnings: vec![],
        prelude: false,
    };
    mender.match_brackets();
    mender.bound_nesting()?;
    mender.bound_prefixes()?;
    for (start, end) in lexed.blanks.iter().chain(&lexed.directives) {
        mender.blank(*start, *end);
    }
    let packs = packs(text, &lexed.directives);
    mender.dialects()?;
    mender.jumps()?;
    mender.nested_sizeof();
    mender.braces();
    mender.words()?;
    mender.attributes();
    mender.drop_gone();
    mender.labels();
    mender.implicit_int();
    Ok(mender.finish(packs))
}

fn refuse(source: &Text, kind: FailureKind, start: usize, end: usize, message: &str) -> Box<Stop> {
    Stop::new(kind, Diagnostic::error(source.lines.span(start, end), message))
}

impl<'t> Repairer<'t> {
    fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| t.text(self.text))
    }

    fn is_ident(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == TokenKind::Ident)
    }

    /// The word before, or nothing.
    fn word_before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |p| self.word(p))
    }

    fn refuse(&self, kind: FailureKind, from: usize, to: usize, message: &str) -> Box<Stop> {
        refuse(self.source, kind, self.tokens[from].start, self.tokens[to].end, message)
    }

    fn edit(&mut self, start: usize, end: usize, text: impl Into<String>) {
        self.edits.push(Edit { start, end, text: text.into() });
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.edit(at, at, text);
    }

    /// Writes blanks over a range; line breaks stay.
    fn blank(&mut self, start: usize, end: usize) {
        let blanks =
            self.text[start..end].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect::<String>();
        self.edit(start, end, blanks);
    }

    /// Writes blanks over tokens `from..=to`, which are gone then.
    fn blank_tokens(&mut self, from: usize, to: usize) {
        self.blank(self.tokens[from].start, self.tokens[to].end);
        self.gone[from..=to].fill(true);
    }

    /// Writes a text instead of the tokens `from..=to`, which are gone then.
    fn replace(&mut self, from: usize, to: usize, text: impl Into<String>) {
        self.edit(self.tokens[from].start, self.tokens[to].end, text);
        self.gone[from..=to].fill(true);
    }

    fn replace_token(&mut self, at: usize, text: &str) {
        let t = self.tokens[at];
        self.edit(t.start, t.end, text);
    }

    /// Forgets the tokens that are gone; indices change.
    fn drop_gone(&mut self) {
        let gone = std::mem::take(&mut self.gone);
        let mut at = 0;
        self.tokens.retain(|_| {
            at += 1;
            !gone[at - 1]
        });
        self.gone = vec![false; self.tokens.len()];
        self.match_brackets();
    }

    /// The index of the token that closes the bracket at `open`; `None` when it stays open.
    fn closing(&self, open: usize) -> Option<usize> {
        self.partners.get(open).copied().flatten().filter(|close| *close > open)
    }

    /// The index of the token that opens the bracket which closes at `close`.
    fn opening(&self, close: usize) -> Option<usize> {
        self.partners.get(close).copied().flatten().filter(|open| *open < close)
    }

    /// Finds which brackets belong together; kinds are not distinguished.
    fn match_brackets(&mut self) {
        let mut partners = vec![None; self.tokens.len()];
        let mut open = vec![];
        for at in 0..self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => open.push(at),
                ")" | "]" | "}" => {
                    if let Some(start) = open.pop() {
                        partners[start] = Some(at);
                        partners[at] = Some(start);
                    }
                }
                _ => {}
            }
        }
        self.partners = partners;
    }

    fn finish(mut self, packs: Vec<(usize, Option<u64>)>) -> Repaired {
        self.edits.sort_by_key(|e| (e.start, e.end));
        let mut text = String::with_capacity(self.text.len() + 64);
        let mut pieces = vec![];
        if self.prelude {
            pieces.push(Piece { new: 0, old: 0, copied: false });
            for name in PRELUDE_TYPES {
                text.push_str(&format!("typedef int {name}; "));
            }
        }
        let mut at = 0;
        for edit in &self.edits {
            // Edits of one range exclude each other: the first wins.
            if edit.start < at {
                continue;
            }
            if at < edit.start {
                pieces.push(Piece { new: text.len(), old: at, copied: true });
                text.push_str(&self.text[at..edit.start]);
            }
            let copied = edit.text.len() == edit.end - edit.start;
            pieces.push(Piece { new: text.len(), old: edit.start, copied });
            text.push_str(&edit.text);
            at = edit.end;
        }
        pieces.push(Piece { new: text.len(), old: at, copied: true });
        text.push_str(&self.text[at..]);
        Repaired { text, pieces, alignofs: self.alignofs, packs, warnings: self.warnings }
    }
}

/// Reads the `#pragma pack` lines.
fn packs(text: &str, directives: &[(usize, usize)]) -> Vec<(usize, Option<u64>)> {
    let mut out = vec![];
    let mut stack: Vec<Option<u64>> = vec![];
    let mut current = None;
    for (start, end) in directives {
        let words = text[start + 1..*end].trim_start();
        let Some(rest) = words.strip_prefix("pragma").map(str::trim_start) else { continue };
        let Some(rest) = rest.strip_prefix("pack") else { continue };
        let inner = rest.trim().trim_start_matches('(').trim_end_matches(')');
        let mut bare = true;
        for part in inner.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            bare = false;
            match part {
                "push" => stack.push(current),
                "pop" => current = stack.pop().unwrap_or(None),
                n => current = n.parse().ok().filter(|n| *n > 0).or(current),
            }
        }
        if bare {
            current = None;
        }
        out.push((*end, current));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines::LineTable;
    use base::SourceMap;

    fn repaired(text: &str) -> Repaired {
        let mut map = SourceMap::new();
        let file = map.add("a.c", Some(text.into()));
        let source = Text { file, text: text.into(), lines: LineTable::physical(text, file) };
        repair(&source).unwrap_or_else(|stop| panic!("{:?}", stop.diagnostics))
    }

    fn check(text: &str, expect: &str) {
        let words = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&repaired(text).text), words(expect));
    }

    #[test]
    fn rewrites() {
        check("int x = a ?: b;", "int x = a ? __cfront_same__ : b;");
        check("main() { L: }", "int main() { L:; }");
        check("extern f(); static n = 1;", "extern int f(); static int n = 1;");
        check(
            "void f(void) { switch (x) { case 1: int y; default: } }",
            "void f(void) { switch (x) { case 1:; int y; default:; } }",
        );
        check("int f(void) __attribute__((__nothrow__ , __leaf__)) __asm__ (\"\" \"g\");", "int f(void) ;");
        check(
            "struct __attribute__ (( packed )) S { int x; };",
            "struct S { int x; } __attribute__((packed ));",
        );
        check(
            "extern __attribute__((__noreturn__)) void f(void);",
            "extern __attribute__((__noreturn__ )) void f(void);",
        );
        check("int a$b, \u{e9}x, \\u00E9x;", "int a__dollar__b, __u00e9__x, __u00e9__x;");
        check("char *s = \"\\e[\\u00e9\";", "char *s = \"\\033[\\303\\251\";");
        check("_Static_assert(1); int x; // c", "_Static_assert(1, \"\"); int x;");
        check("int f() { if (c) L: x = 1; }", "int f() { if (c) L: x = 1; }");
    }

    #[test]
    fn offsets_lead_back() {
        let text = "main() { return a ?: b; }";
        let m = repaired(text);
        let new = m.text.find("b;").expect("the operand survives");
        assert_eq!(m.old_start(new), text.find("b;").expect("it is in the source"));
        assert_eq!(m.old_end(new + 1), text.find("b;").expect("it is in the source") + 1);
    }

    #[test]
    fn pragma_pack_is_read() {
        let m = repaired("#pragma pack(push, 1)\nint x;\n#pragma pack(pop)\nint y;\n");
        assert_eq!((m.pack_at(0), m.pack_at(25), m.pack_at(50)), (None, Some(1), None));
    }
}
