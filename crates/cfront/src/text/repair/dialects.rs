//! Words of C23 and of Microsoft's compiler, written in C11. A word is left alone when the file gives it a
//! meaning of its own (a typedef or a declaration of that name).

use super::Repairer;
use super::implicit_int::is_type_word;
use crate::error::{FailureKind, Res};
use crate::text::lex::TokenKind;
use rustc_hash::FxHashSet;

/// The enumerator that carries the underlying type of an enumeration to the type checker.
pub(crate) const ENUM_BASE: &str = "__cfront_enum_base__";

/// The replacement of a word; blanks when there is nothing to write.
fn replacement(word: &str) -> Option<&'static str> {
    Some(match word {
        "bool" => "_Bool",
        "static_assert" => "_Static_assert",
        "thread_local" => "_Thread_local",
        "__cdecl" | "_cdecl" | "__stdcall" | "_stdcall" | "__fastcall" | "__thiscall" | "__vectorcall"
        | "__w64" | "__ptr32" | "__ptr64" | "__unaligned" => "",
        "alignof" => "_Alignof",
        "typeof_unqual" | "__typeof_unqual__" => "__typeof__",
        "constexpr" => "const",
        "__forceinline" => "inline",
        "__int8" => "char",
        "__int16" => "short",
        "__int32" => "int",
        "__int64" => "long long",
        _ => return None,
    })
}

impl<'t> Repairer<'t> {
    /// Applies the rules of this file.
    pub(super) fn dialects(&mut self) -> Res<()> {
        let own = self.own_words();
        for at in 0..self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Number => self.number(at),
                TokenKind::Punct if self.word(at) == "..." => self.only_ellipsis(at),
                TokenKind::Ident if !own.contains(self.word(at)) => self.dialect_word(at)?,
                _ => {}
            }
        }
        let typedefs = self.typedef_names();
        for at in 0..self.tokens.len() {
            if self.word(at) == "enum" {
                self.enum_base(at, &typedefs);
            }
        }
        Ok(())
    }

    /// The words of this file that the text declares itself.
    fn own_words(&self) -> FxHashSet<&'t str> {
        let mut out = FxHashSet::default();
        let typedefs = self.typedef_names();
        for at in 0..self.tokens.len() {
            let word = self.word(at);
            if replacement(word).is_none() && !is_refused(word) {
                continue;
            }
            let declared = matches!(self.word(at + 1), "=" | "," | ";" | "[" | ":")
                || (self.word(at + 1) == "("
                    && !matches!(word, "static_assert" | "alignas" | "alignof" | "_BitInt"))
                || matches!(self.word_before(at), "." | "->" | "goto" | "struct" | "union" | "enum");
            let named = declared
                && (is_type_word(self.word_before(at)) || self.word_before(at) == "*")
                && !matches!(word, "typeof_unqual" | "__typeof_unqual__");
            let named = named && !super::implicit_int::is_storage_or_qualifier(self.word_before(at));
            if typedefs.contains(word) || named || matches!(self.word_before(at), "." | "->" | "goto") {
                out.insert(word);
            }
        }
        out
    }

    fn dialect_word(&mut self, at: usize) -> Res<()> {
        let word = self.word(at);
        if is_refused(word) {
            let message = match word {
                "__fp16" => "the type `__fp16` is not supported".to_owned(),
                "_BitInt" => "integers of `_BitInt` types are not supported".to_owned(),
                _ if word.starts_with("__CPROVER_") => {
                    format!("the type `{word}` of another verifier is not supported")
                }
                _ => format!("`{word}` (structured exception handling) is not supported"),
            };
            return Err(self.refuse(FailureKind::Unsupported, at, at, &message));
        }
        match replacement(word) {
            Some("") => self.blank_tokens(at, at),
            Some("_Static_assert") if self.word(at + 1) != "(" => {}
            Some("_Alignof") => {
                self.alignofs.insert(self.tokens[at].start, false);
                self.replace_token(at, "sizeof");
            }
            Some(text) => {
                self.replace_token(at, text);
                if text == "_Static_assert" {
                    self.static_assert(at);
                }
            }
            None => {}
        }
        Ok(())
    }

    /// Digit separators go; the suffixes `q` and `w` are written as the parser knows them.
    fn number(&mut self, at: usize) {
        let text = self.word(at);
        let mut out = text.replace('\'', "");
        let hex = out.starts_with("0x") || out.starts_with("0X");
        let float = if hex { out.contains(['p', 'P']) } else { out.contains(['.', 'e', 'E']) };
        if float && out.ends_with(['q', 'Q']) {
            out.truncate(out.len() - 1);
            out.push_str("f128");
        } else if float && out.ends_with(['w', 'W']) {
            out.truncate(out.len() - 1);
            out.push_str("f64x");
        }
        if out != text {
            self.replace_token(at, &out);
        }
    }

    /// Replaces `f(...)` by `f()`, which means the same.
    fn only_ellipsis(&mut self, at: usize) {
        if self.word_before(at) == "(" && self.word(at + 1) == ")" {
            self.blank_tokens(at, at);
        }
    }

    /// `enum e : T { … }` becomes `enum e { BASE = (T) 0, … }`.
    fn enum_base(&mut self, at: usize, typedefs: &FxHashSet<&str>) {
        let colon = if self.word(at + 1) == ":" { at + 1 } else { at + 2 };
        let first = self.word(colon + 1);
        if self.word(colon) != ":" || !(is_type_word(first) || typedefs.contains(first)) {
            return;
        }
        let end = (colon + 1..self.tokens.len()).find(|i| matches!(self.word(*i), "{" | ";"));
        let Some(end) = end else { return };
        let words: Vec<&str> =
            (colon + 1..end).map(|i| replacement(self.word(i)).unwrap_or_else(|| self.word(i))).collect();
        let base = words.join(" ");
        self.blank_tokens(colon, end - 1);
        if self.word(end) == "{" {
            self.insert(self.tokens[end].end, &format!(" {ENUM_BASE} = ({base}) 0, "));
        } else {
            self.insert(self.tokens[end].start, &format!(" {{ {ENUM_BASE} = ({base}) 0 }}"));
        }
    }
}

/// Words that nothing else can stand for, and that are refused.
fn is_refused(word: &str) -> bool {
    word.starts_with("__CPROVER_") && word.ends_with("bv")
        || matches!(word, "__fp16" | "_BitInt" | "__try" | "__except" | "__finally" | "__leave")
}
