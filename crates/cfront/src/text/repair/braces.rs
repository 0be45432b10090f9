//! Rules about what stands around braces: compound literals without items, qualifiers behind the body of a struct.

use super::Repairer;
use crate::text::lex::TokenKind;

/// The only item of a compound literal that has none in the source.
pub(crate) const NO_ITEM: &str = "__cfront_none__";

impl Repairer<'_> {
    /// Applies the rules of this file.
    pub(super) fn braces(&mut self) {
        for at in 0..self.tokens.len() {
            if self.gone[at] {
                continue;
            }
            match self.word(at) {
                "{" => self.empty_literal(at),
                "struct" | "union" | "enum" => self.late_qualifiers(at),
                _ => {}
            }
        }
    }

    /// `(T){}` gets an item for the parser. Bodies of functions and statements have a word before their parenthesis.
    fn empty_literal(&mut self, open: usize) {
        if self.word(open + 1) != "}" || self.word_before(open) != ")" {
            return;
        }
        let Some(before) = self.opening(open - 1).and_then(|paren| paren.checked_sub(1)) else { return };
        let value = match self.tokens[before].kind {
            TokenKind::Punct => !matches!(self.word(before), ")" | "]" | "}" | "{" | ";"),
            TokenKind::Ident => matches!(self.word(before), "return" | "sizeof"),
            _ => false,
        };
        if value {
            self.insert(self.tokens[open].end, NO_ITEM);
        }
    }

    /// `struct s { … } const x` has its qualifiers in front.
    fn late_qualifiers(&mut self, at: usize) {
        let open = if self.word(at + 1) == "{" { at + 1 } else { at + 2 };
        if self.word(open) != "{" || !(open == at + 1 || self.is_ident(at + 1)) {
            return;
        }
        let Some(close) = self.closing(open) else { return };
        let mut last = close;
        while matches!(self.word(last + 1), "const" | "volatile" | "__const" | "__volatile__") {
            last += 1;
        }
        if last == close {
            return;
        }
        let words: Vec<&str> = (close + 1..=last).map(|n| self.word(n)).collect();
        let words = words.join(" ") + " ";
        self.insert(self.tokens[at].start, &words);
        self.blank_tokens(close + 1, last);
    }
}
