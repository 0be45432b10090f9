//! A label before `}` or before a declaration gets an empty statement to stand at.

use super::Repairer;
use super::implicit_int::is_type_word;
use rustc_hash::FxHashSet;

impl Repairer<'_> {
    /// Applies the rule to every label.
    pub(super) fn labels(&mut self) {
        let typedefs = self.typedef_names();
        for at in 0..self.tokens.len() {
            let Some(colon) = self.label_colon(at) else { continue };
            let next = colon + 1;
            let at_block = matches!(self.word_before(at), "{" | "}" | ";" | ":");
            if self.word(next) == "}" || (at_block && self.starts_declaration(next, &typedefs)) {
                self.insert(self.tokens[colon].end, ";");
            }
        }
    }

    /// When a label starts at token `at`: the index of its colon.
    fn label_colon(&self, at: usize) -> Option<usize> {
        match self.word(at) {
            "case" => {
                let (mut depth, mut questions) = (0usize, 0usize);
                for i in at + 1..self.tokens.len() {
                    match self.word(i) {
                        "(" | "[" | "{" => depth += 1,
                        ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                        "?" if depth == 0 => questions += 1,
                        ":" if depth == 0 && questions > 0 => questions -= 1,
                        ":" if depth == 0 => return Some(i),
                        ";" => return None,
                        _ => {}
                    }
                }
                None
            }
            "default" if matches!(self.word_before(at), "," | "(") => None,
            _ if self.is_ident(at) && self.word(at + 1) == ":" => {
                let label = matches!(self.word_before(at), "{" | "}" | ";" | ":" | ")" | "else" | "do");
                label.then_some(at + 1)
            }
            _ => None,
        }
    }

    fn starts_declaration(&self, at: usize, typedefs: &FxHashSet<&str>) -> bool {
        let word = self.word(at);
        if is_type_word(word) {
            return true;
        }
        let declared = self.is_ident(at + 1) || (self.word(at + 1) == "*" && self.is_ident(at + 2));
        typedefs.contains(word) && declared
    }
}
