//! Attributes and `asm`: those without an effect on the analysis are blanked wherever they stand, the others
//! are written in the form and at the place that the parser accepts.

use super::Repairer;
use super::implicit_int::is_type_word;
use super::jumps::ASM_QUALIFIERS;
use rustc_hash::FxHashSet;

/// Attributes that change layout, types or what runs; the others only advise the compiler.
const MEANINGFUL: [&str; 16] = [
    "noreturn",
    "weak",
    "packed",
    "aligned",
    "mode",
    "vector_size",
    "transparent_union",
    "cleanup",
    "constructor",
    "destructor",
    "alias",
    "ifunc",
    "weakref",
    "scalar_storage_order",
    "ms_struct",
    "ms_abi",
];

impl Repairer<'_> {
    /// Applies the rules of this file.
    pub(super) fn attributes(&mut self) {
        let aligns = self.tokens.iter().any(|t| matches!(t.text(self.text), "_Alignas" | "alignas"));
        let typedefs = if aligns { self.typedef_names() } else { FxHashSet::default() };
        let mut depth = 0usize;
        let mut at = 0;
        while at < self.tokens.len() {
            if self.gone[at] {
                at += 1;
                continue;
            }
            match self.word(at) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "__attribute__" | "__attribute" if self.word(at + 1) == "(" => at = self.attribute(at),
                "asm" | "__asm" | "__asm__" => at = self.asm(at, depth),
                "_Alignas" | "alignas" if self.word(at + 1) == "(" => self.align_as(at, &typedefs),
                "__declspec" if self.word(at + 1) == "(" => {
                    if let Some(close) = self.closing(at + 1) {
                        self.blank_tokens(at, close);
                        at = close;
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// The parser does not know `_Alignas` of members: it becomes an attribute.
    fn align_as(&mut self, at: usize, typedefs: &FxHashSet<&str>) {
        let Some(close) = self.closing(at + 1) else { return };
        let first = self.word(at + 2);
        let of_type = is_type_word(first) || typedefs.contains(first);
        let open = if of_type { "__attribute__((aligned(_Alignof(" } else { "__attribute__((aligned(" };
        self.edit(self.tokens[at].start, self.tokens[at + 1].end, open);
        self.edit(self.tokens[close].start, self.tokens[close].end, if of_type { "))))" } else { ")))" });
    }

    /// Handles the attribute that starts at `at`; the index of its last token.
    fn attribute(&mut self, at: usize) -> usize {
        let Some(close) = self.closing(at + 1) else { return at };
        if self.word(at + 2) != "(" || close < at + 4 {
            return close;
        }
        let mut depth = 0;
        let meaningful = (at + 3..close - 1).any(|i| {
            match self.word(i) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0 && self.is_ident(i) && MEANINGFUL.contains(&self.word(i).trim_matches('_'))
        });
        if !meaningful {
            self.blank_tokens(at, close);
            return close;
        }
        let after_keyword = matches!(self.word_before(at), "struct" | "union");
        let body = if self.word(close + 1) == "{" { close + 1 } else { close + 2 };
        if after_keyword
            && self.word(body) == "{"
            && let Some(end) = self.closing(body)
        {
            let inner = &self.text[self.tokens[at + 2].end..self.tokens[close - 1].start];
            self.insert(self.tokens[end].end, &format!(" __attribute__(({} ))", inner.trim()));
            self.blank_tokens(at, close);
        } else {
            // The parser wants the double brackets in one piece, and a blank before those that close.
            self.edit(self.tokens[at].start, self.tokens[at + 2].end, "__attribute__((");
            self.edit(self.tokens[close - 1].start, self.tokens[close].end, " ))");
            self.gone[at..=close].fill(true);
        }
        close
    }

    /// Labels of declarations and file-scope `asm` are blanked; statements only lose `inline`.
    fn asm(&mut self, at: usize, depth: usize) -> usize {
        let mut open = at + 1;
        while ASM_QUALIFIERS.contains(&self.word(open)) {
            if matches!(self.word(open), "inline" | "__inline__") {
                self.blank_tokens(open, open);
            }
            open += 1;
        }
        if self.word(open) != "(" {
            return at;
        }
        let Some(close) = self.closing(open) else { return at };
        let before = self.previous(at);
        if depth == 0 && matches!(before, "" | ";" | "}") {
            let last = if self.word(close + 1) == ";" { close + 1 } else { close };
            let message = "`asm` outside of functions is ignored".to_owned();
            self.warnings.push((self.tokens[at].start, self.tokens[close].end, message));
            self.blank_tokens(at, last);
            return last;
        }
        let label = open == at + 1 && !matches!(before, ";" | "{" | "}" | ":" | "else" | "do");
        if label
            && matches!(self.word(close + 1), ";" | "," | "=" | "__attribute__")
            && (depth == 0 || before != ")")
        {
            self.blank_tokens(at, close);
        }
        close
    }

    /// The last word before `at` that is not gone.
    fn previous(&self, at: usize) -> &str {
        (0..at).rev().find(|i| !self.gone[*i]).map_or("", |i| self.word(i))
    }
}
