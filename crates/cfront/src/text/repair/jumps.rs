//! Labels that are values or local, `asm goto`, and functions inside of functions. Local labels get names of
//! their own. The others are replaced by something that the lowering refuses where an execution could reach it.

use super::Repairer;
use crate::error::{FailureKind, Res};

/// Identifiers that the lowering refuses, with what they stand for.
pub(crate) const REFUSED_NAMES: [(&str, &str); 3] = [
    ("__cfront_label_address__", "addresses of labels are not supported"),
    ("__cfront_computed_goto__", "computed `goto` is not supported"),
    ("__cfront_asm_goto__", "`asm goto` is not supported"),
];

/// The qualifiers between `asm` and its text.
pub(super) const ASM_QUALIFIERS: [&str; 6] =
    ["volatile", "__volatile__", "__volatile", "inline", "__inline__", "goto"];

/// The attribute that marks a function inside of a function.
pub(crate) const NESTED: &str = "__cfront_nested__";

impl Repairer<'_> {
    /// Applies the rules of this file.
    pub(super) fn jumps(&mut self) -> Res<()> {
        for at in 0..self.tokens.len() {
            if self.gone[at] {
                continue;
            }
            match self.word(at) {
                "goto" if self.word(at + 1) == "*" => {
                    self.replace(at, at + 1, format!("{} , ", REFUSED_NAMES[1].0));
                }
                "&&" if self.is_ident(at + 1) && self.is_prefix_position(at) => {
                    self.replace(at, at + 1, REFUSED_NAMES[0].0);
                }
                "asm" | "__asm" | "__asm__" => self.asm_goto(at),
                _ => {}
            }
        }
        self.nested_functions();
        self.local_labels()
    }

    fn asm_goto(&mut self, at: usize) {
        let mut open = at + 1;
        let mut goes = false;
        while ASM_QUALIFIERS.contains(&self.word(open)) {
            goes |= self.word(open) == "goto";
            open += 1;
        }
        if goes
            && self.word(open) == "("
            && let Some(close) = self.closing(open)
        {
            self.replace(at, close, REFUSED_NAMES[2].0);
        }
    }

    /// The body of a function inside of a function becomes a declaration with an attribute that is refused.
    fn nested_functions(&mut self) {
        let mut depth = 0usize;
        let mut at = 0;
        while at < self.tokens.len() {
            match self.word(at) {
                "{" => {
                    if depth > 0 && !self.gone[at] && self.starts_nested(at) {
                        let Some(close) = self.closing(at) else { return };
                        self.replace(at, close, format!("__attribute__(({NESTED} ));"));
                        at = close;
                    } else {
                        depth += 1;
                    }
                }
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether the brace at `at` follows `type name ( … )`.
    fn starts_nested(&self, at: usize) -> bool {
        if self.word_before(at) != ")" {
            return false;
        }
        let Some(open) = self.opening(at - 1) else { return false };
        let Some(name) = open.checked_sub(1) else { return false };
        let callee = self.word(name);
        let keyword = matches!(
            callee,
            "if" | "for"
                | "while"
                | "switch"
                | "sizeof"
                | "typeof"
                | "__typeof__"
                | "__typeof"
                | "return"
                | "__attribute__"
                | "_Alignof"
                | "__alignof__"
                | "_Alignas"
                | "_Generic"
                | "_Atomic"
        );
        if !self.is_ident(name) || keyword {
            return false;
        }
        let before = self.word_before(name);
        let type_like = before == "*" || (name > 0 && self.is_ident(name - 1));
        let statement = matches!(
            before,
            "else" | "do" | "return" | "goto" | "case" | "sizeof" | "struct" | "union" | "enum"
        );
        type_like && !statement
    }

    /// `__label__ l;` goes, and the uses of `l` in its block get another name.
    fn local_labels(&mut self) -> Res<()> {
        let mut blocks = vec![];
        let mut found = vec![];
        for at in 0..self.tokens.len() {
            match self.word(at) {
                "{" => blocks.push(at),
                "}" => {
                    blocks.pop();
                }
                "__label__" if !self.gone[at] => found.push((at, blocks.last().copied())),
                _ => {}
            }
        }
        // Inner blocks come later in the text; the first renaming of a token stands.
        for (number, (at, block)) in found.into_iter().enumerate().rev() {
            let end = (at..self.tokens.len()).find(|i| self.word(*i) == ";");
            let close = block.and_then(|b| self.closing(b));
            let (Some(end), Some(close)) = (end, close) else {
                return Err(self.refuse(FailureKind::Parse, at, at, "syntax error before `__label__`"));
            };
            let names: Vec<&str> =
                (at + 1..end).filter(|i| self.is_ident(*i)).map(|i| self.word(i)).collect();
            self.blank_tokens(at, end);
            for i in end + 1..close {
                if self.gone[i] || !names.contains(&self.word(i)) {
                    continue;
                }
                let label = self.word(i + 1) == ":"
                    && matches!(self.word_before(i), "{" | "}" | ";" | ":" | ")" | "else" | "do");
                if label || self.word_before(i) == "goto" {
                    let name = format!("{}__{}", self.word(i), number + 1);
                    self.replace_token(i, &name);
                }
            }
        }
        Ok(())
    }
}
