//! Which variables C text at a place may name.

use super::lex::{self, Kind};
use super::places::{At, Texts};
use crate::report::listing::Source;
use ir::{ProcId, VarId, VarKind};

/// A place in a procedure, whose variables are in scope.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'t> {
    /// The program, and the source's names for its variables.
    pub source: Source<'t>,
    /// The texts of its files.
    pub texts: &'t Texts,
    /// The procedure.
    pub proc: ProcId,
    /// The place.
    pub at: At,
}

impl Scope<'_> {
    /// The name by which the text at the place means this variable; `None` when it does not see it.
    pub(crate) fn name(&self, v: VarId) -> Option<&str> {
        let (declared, name) = (self.declared(v)?, self.source_name(v)?);
        let hides = |(other, _): (VarId, &ir::Var)| {
            other != v
                && self.source_name(other) == Some(name)
                && self.declared(other).is_some_and(|d| d > declared || declared.0 != self.at.0)
        };
        (!self.source.program.vars.iter_enumerated().any(hides)).then_some(name)
    }

    /// The variable that a name means at the place.
    pub(crate) fn variable(&self, name: &str) -> Option<VarId> {
        let vars = self.source.program.vars.iter_enumerated();
        let own = vars.filter(|(v, _)| self.source_name(*v) == Some(name));
        own.map(|(v, _)| v).find(|v| self.name(*v).is_some())
    }

    /// The number that a name of an enumeration means.
    pub(crate) fn enumerator(&self, name: &str) -> Option<String> {
        let enumerators = self.source.words.map(|w| w.enumerations.as_slice()).unwrap_or_default();
        let mut all = enumerators.iter().flatten();
        all.find(|(_, other)| *other == name).map(|(value, _)| value.to_string())
    }

    fn source_name(&self, v: VarId) -> Option<&str> {
        let var = &self.source.program.vars[v];
        let is_named = match var.kind {
            VarKind::Global => var.data.is_none(),
            VarKind::Formal(p) | VarKind::Local(p) => p == self.proc,
            VarKind::Temp(_) | VarKind::Return(_) => false,
        };
        if self.source.words.is_some_and(|w| w.ghosts.contains(&v)) {
            return None;
        }
        let name = self.source.words.and_then(|w| w.names.get(&v)).map_or(var.name.as_str(), String::as_str);
        is_named.then_some(name)
    }

    /// Where a variable is declared whose scope the place is in; globals of other files come before everything.
    fn declared(&self, v: VarId) -> Option<At> {
        let var = &self.source.program.vars[v];
        let declared = self.texts.start(self.source.sources, var.span);
        match declared {
            Some((file, at)) if file == self.at.0 => {
                reaches(self.texts.text(file), at, self.at.1).then_some((file, at))
            }
            _ if var.kind == VarKind::Global => Some((usize::MAX, 0)),
            _ => None,
        }
    }
}

/// Whether the scope of what is declared at `from` reaches to `to`. What is declared in the head of a `for` loop is known in
/// the loop, its invariants included, and parameters in the body of their function.
fn reaches(text: &str, from: usize, to: usize) -> bool {
    if to < from {
        return in_head(text, to, from);
    }
    let (mut braces, mut parentheses) = (0i64, 0i64);
    // The declaration stands in parentheses that are closed: it reaches as far as the block behind them.
    let (mut head_closed, mut inside) = (false, false);
    for token in lex::tokens(text, from).take_while(|t| t.start < to) {
        if head_closed && !inside {
            if token.kind != Kind::Byte(b'{') {
                return false;
            }
            inside = true;
        }
        match token.kind {
            Kind::Byte(b'{') => braces += 1,
            Kind::Byte(b'}') => braces -= 1,
            Kind::Byte(b'(') => parentheses += 1,
            Kind::Byte(b')') => parentheses -= 1,
            _ => {}
        }
        if parentheses < 0 {
            if head_closed {
                return false;
            }
            (parentheses, head_closed) = (0, true);
        }
        if braces < 0 || head_closed && inside && braces == 0 {
            return false;
        }
    }
    // In the head itself, or in what it is the head of.
    !head_closed || inside
}

/// Whether the loop whose keyword stands at `keyword` has `declared` in its head.
fn in_head(text: &str, keyword: usize, declared: usize) -> bool {
    let mut tokens = lex::tokens(text, keyword);
    let is_for = tokens.next().is_some_and(|t| text.get(t.start..t.end) == Some("for"));
    let open = tokens.next().filter(|t| is_for && t.kind == Kind::Byte(b'('));
    open.and_then(|open| lex::closing(text, open.start)).is_some_and(|close| declared < close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_end_with_their_blocks() {
        let text = "int g; int f(int a) { int b; { int c; while (1) { int d; } } for (int i = 0; i < a; i++) { while (2); } while (3); } \
            int h(void) { while (4); } /* } */";
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}"));
        let seen = |name: &str, place: &str| reaches(text, at(name), at(place));
        assert!(seen("g;", "while (1)") && seen("g;", "while (4)"));
        assert!(seen("a)", "while (1)") && seen("a)", "while (3)") && !seen("a)", "while (4)"));
        assert!(seen("b;", "while (3)") && !seen("b;", "while (4)"));
        assert!(seen("c;", "while (1)") && !seen("c;", "for"));
        assert!(!seen("d;", "while (3)") && !seen("d;", "while (1)"));
        assert!(seen("i = 0", "for") && seen("i = 0", "while (2)") && !seen("i = 0", "while (3)"));
        assert!(!seen("i = 0", "while (1)"));
    }
}
