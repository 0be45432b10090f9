//! Declarations without a type: `main() {…}`, `extern f();`, `static n;` get their `int`.

use super::Repairer;
use rustc_hash::FxHashSet;

/// Words that a declaration can begin with, typedef names aside.
pub(super) fn is_type_word(word: &str) -> bool {
    is_storage_or_qualifier(word)
        || matches!(
            word,
            "void"
                | "char"
                | "short"
                | "int"
                | "long"
                | "float"
                | "double"
                | "signed"
                | "unsigned"
                | "_Bool"
                | "_Complex"
                | "struct"
                | "union"
                | "enum"
                | "typedef"
                | "typeof"
                | "__typeof__"
                | "__typeof"
                | "__signed__"
                | "__int128"
                | "_Static_assert"
                | "_Atomic"
                | "_Alignas"
                | "_Float128"
                | "static_assert"
                | "alignas"
                | "bool"
                | "__int8"
                | "__int16"
                | "__int32"
                | "__int64"
        )
}

pub(super) fn is_storage_or_qualifier(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "extern"
            | "register"
            | "auto"
            | "const"
            | "volatile"
            | "inline"
            | "__inline"
            | "__inline__"
            | "__const"
            | "__volatile__"
            | "_Noreturn"
            | "_Thread_local"
    )
}

impl<'t> Repairer<'t> {
    /// Every name that some `typedef` may declare (rather too many than too few).
    pub(super) fn typedef_names(&self) -> FxHashSet<&'t str> {
        let mut out = FxHashSet::default();
        let mut at = 0;
        while at < self.tokens.len() {
            if self.word(at) == "typedef" {
                let mut depth = 0usize;
                while at < self.tokens.len() && !(depth == 0 && self.word(at) == ";") {
                    match self.word(at) {
                        "{" => depth += 1,
                        "}" => depth = depth.saturating_sub(1),
                        w if depth == 0
                            && self.is_ident(at)
                            && matches!(self.word(at + 1), ";" | "," | ")" | "[" | "(" | "__attribute__") =>
                        {
                            out.insert(w);
                        }
                        _ => {}
                    }
                    at += 1;
                }
            }
            at += 1;
        }
        out
    }

    /// Applies the rule wherever a declaration starts.
    pub(super) fn implicit_int(&mut self) {
        let typedefs = self.typedef_names();
        let (mut braces, mut parens) = (0usize, 0usize);
        let mut starts = true;
        let mut body = false;
        for at in 0..self.tokens.len() {
            if starts && parens == 0 {
                self.declaration_start(at, braces == 0, &typedefs);
            }
            starts = false;
            if self.word(at) == "for" && self.word(at + 1) == "(" {
                self.declaration_start(at + 2, false, &typedefs);
            }
            match self.word(at) {
                "(" | "[" => parens += 1,
                ")" | "]" => parens = parens.saturating_sub(1),
                "{" => {
                    if braces == 0 {
                        body = self.opens_function(at);
                    }
                    starts = body;
                    braces += 1;
                }
                "}" => {
                    braces = braces.saturating_sub(1);
                    starts = body;
                }
                ";" => starts = true,
                _ => {}
            }
        }
    }

    fn opens_function(&self, at: usize) -> bool {
        let tagged = |w: &str| matches!(w, "struct" | "union" | "enum");
        let before = self.word_before(at);
        let before_that = at.checked_sub(2).map_or("", |p| self.word(p));
        !(before == "=" || tagged(before) || tagged(before_that))
    }

    fn declaration_start(&mut self, at: usize, file_scope: bool, typedefs: &FxHashSet<&str>) {
        let mut name = at;
        while is_storage_or_qualifier(self.word(name)) {
            name += 1;
        }
        let word = self.word(name);
        if !self.is_ident(name)
            || is_type_word(word)
            || typedefs.contains(word)
            || word.starts_with("__builtin")
        {
            return;
        }
        let next = self.word(name + 1);
        let missing = if name > at {
            matches!(next, "(" | ";" | "=" | "," | "[")
        } else {
            file_scope && next == "(" && !matches!(word, "asm" | "__asm__" | "__asm" | "__attribute__")
        };
        if missing {
            self.insert(self.tokens[name].start, "int ");
        }
    }
}
