//! Bounds of nesting. The parser and the lowering recurse over brackets, and the parser's time grows with the
//! square of their depth (it copies what it has parsed at each level), with a higher power where types contain
//! expressions. Deeper text than the bounds is refused with its place.

use super::Repairer;
use crate::error::{FailureKind, Res};

/// Brackets may nest this deep.
pub(crate) const MAX_NESTING: usize = 1_000;

/// `typeof`, `sizeof` and their relatives may nest this deep.
const MAX_TYPE_NESTING: usize = 100;

/// At most this many prefix operators, `else` and the like may follow each other in one statement.
const MAX_CHAIN: usize = 20_000;

/// At most this many `++`, `--` and `&&` may stand in one chain of prefix operators: where the text is wrong,
/// the parser tries each of them as one and as two operators.
const MAX_DOUBLE_PREFIXES: usize = 10;

/// Words whose bracket may contain a type.
fn takes_type(word: &str) -> bool {
    takes_size(word)
        || matches!(
            word,
            "typeof" | "__typeof__" | "__typeof" | "__builtin_offsetof" | "__builtin_va_arg" | "_Generic"
        )
}

/// Words whose bracket may contain a type or an expression.
fn takes_size(word: &str) -> bool {
    matches!(word, "sizeof" | "_Alignof" | "__alignof__" | "__alignof")
}

impl Repairer<'_> {
    /// Refuses text that nests too deep.
    pub(super) fn bound_nesting(&self) -> Res<()> {
        let (mut depth, mut chain) = (0usize, 0usize);
        // The depths at which a bracket of a type opened.
        let mut types: Vec<usize> = vec![];
        for at in 0..self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => {
                    depth += 1;
                    if takes_type(self.word_before(at)) {
                        types.push(depth);
                    }
                }
                ")" | "]" | "}" => {
                    if types.last() == Some(&depth) {
                        types.pop();
                    }
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            // Chains of prefix operators and of `else if` nest in the tree without any bracket.
            match self.word(at) {
                "-" | "!" | "~" | "*" | "&" | "+" | "++" | "--" | "&&" | "sizeof" | "else" | "if" | "?"
                | "=" => {
                    chain += 1;
                }
                ";" | "}" if self.word(at + 1) != "else" => chain = 0,
                _ => {}
            }
            let refused = if depth > MAX_NESTING {
                format!("brackets nest deeper than {MAX_NESTING} levels")
            } else if types.len() > MAX_TYPE_NESTING {
                format!("types inside of expressions nest deeper than {MAX_TYPE_NESTING} levels")
            } else if chain > MAX_CHAIN {
                format!("a statement chains more than {MAX_CHAIN} operators")
            } else {
                continue;
            };
            return Err(self.refuse(FailureKind::Unsupported, at, at, &refused));
        }
        Ok(())
    }

    /// Refuses long chains of prefix operators.
    pub(super) fn bound_prefixes(&self) -> Res<()> {
        let mut doubles = 0;
        let mut at = 0;
        while at < self.tokens.len() {
            match self.word(at) {
                "++" | "--" | "&&" => doubles += 1,
                "+" | "-" | "*" | "&" | "!" | "~" => {}
                "(" => match self.closing(at).filter(|close| self.may_be_cast(at, *close)) {
                    Some(close) => at = close,
                    None => doubles = 0,
                },
                _ => doubles = 0,
            }
            if doubles > MAX_DOUBLE_PREFIXES {
                let message =
                    format!("more than {MAX_DOUBLE_PREFIXES} of `++`, `--` and `&&` follow each other");
                return Err(self.refuse(FailureKind::Unsupported, at, at, &message));
            }
            at += 1;
        }
        Ok(())
    }

    /// Whether brackets hold nothing but words and stars, as those of a cast do.
    fn may_be_cast(&self, open: usize, close: usize) -> bool {
        close - open <= 12 && (open + 1..close).all(|i| self.is_ident(i) || matches!(self.word(i), "*"))
    }

    /// `sizeof(…)` inside the brackets of another one gets brackets around it: the parser remembers what is in
    /// brackets, and would otherwise parse the inner one twice for each level above.
    pub(super) fn nested_sizeof(&mut self) {
        let mut open: Vec<usize> = vec![];
        for at in 0..self.tokens.len() {
            while open.last().is_some_and(|close| *close < at) {
                open.pop();
            }
            if !takes_size(self.word(at)) || self.word(at + 1) != "(" {
                continue;
            }
            let Some(close) = self.closing(at + 1) else { continue };
            let goes_on = matches!(self.word(close + 1), "." | "->" | "[" | "(" | "{" | "++" | "--");
            // The operand may be a compound literal, where the parser sees a type alone.
            if self.word(close + 1) == "{"
                && let Some(end) = self.closing(close + 1)
            {
                self.insert(self.tokens[at + 1].start, "(");
                self.insert(self.tokens[end].end, ")");
            }
            if !open.is_empty() && !goes_on {
                self.insert(self.tokens[at].start, "(");
                self.insert(self.tokens[close].end, ")");
            }
            open.push(close);
        }
    }
}
