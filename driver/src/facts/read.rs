//! Reads facts: their places, and conditions in the words of these places.

use super::{Kind, Names};
use crate::witness::lex::{self, Kind as Token};
use ir::{Expr, ForAll, LocId, ProcId, Type, VarId};
use predicates::predicates_file;
use std::path::Path;

/// What is wrong with a line: the first byte of that in the line, how many bytes, and a sentence without its full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) message: String,
}

type Read<T> = Result<T, Mistake>;

fn wrong<T>(at: usize, len: usize, message: impl Into<String>) -> Read<T> {
    Err(Mistake { at, len, message: message.into() })
}

/// A line as it stands.
pub(super) struct Line<'l> {
    /// The file, and how the line calls the place.
    file: &'l str,
    place: &'l str,
    line: u32,
    column: Option<u32>,
    kind: Kind,
    /// The procedure of an entry or exit, and where that stands.
    procedure: Option<(usize, &'l str)>,
    /// Where the condition begins.
    start: usize,
    condition: &'l str,
}

impl<'l> Line<'l> {
    /// The parts of a line, which is not a comment.
    pub(super) fn of(text: &'l str) -> Read<Line<'l>> {
        let text = &text[..comment(text)];
        let indent = text.len() - text.trim_start().len();
        let Some((name_end, mut at, line)) = number_behind(text, indent) else {
            let len = text.trim().len().max(1);
            return wrong(indent, len, "a line begins with FILE:LINE:, as in sum.c:12: i <= n");
        };
        let mut column = None;
        if let Some((0, end, number)) = text.get(at - 1..).and_then(|rest| number_behind(rest, 0)) {
            (column, at) = (Some(number), at - 1 + end);
        }
        let place = &text[indent..at - 1];
        let (mut kind, mut procedure, mut start) = (Kind::Loop, None, at);
        let rest = &text[at..];
        if let Some((head, _)) = rest.split_once(':') {
            let words: Vec<&str> = head.split_whitespace().collect();
            let named = |name: &'l str| Some((at + (name.as_ptr() as usize - rest.as_ptr() as usize), name));
            let found = match words[..] {
                ["loop"] => Some((Kind::Loop, None)),
                ["entry", "of", name] => Some((Kind::Entry, named(name))),
                ["exit", "of", name] => Some((Kind::Exit, named(name))),
                _ => None,
            };
            if let Some(found) = found {
                (kind, procedure) = found;
                start = at + head.len() + 1;
            }
        }
        let condition = &text[start..];
        let start = start + condition.len() - condition.trim_start().len();
        let condition = condition.trim();
        if condition.is_empty() {
            return wrong(start.min(text.len()), 1, "a condition is missing");
        }
        Ok(Line { file: &text[indent..name_end], place, line, column, kind, procedure, start, condition })
    }

    /// The place and the condition, for reports.
    pub(super) fn told(&self) -> (String, String) {
        let kind = match (self.kind, self.procedure) {
            (Kind::Loop, _) | (_, None) => String::new(),
            (kind, Some((_, name))) => format!(": {kind} of {name}"),
        };
        (format!("{}{kind}", self.place), self.condition.to_owned())
    }

    /// The locations that the line is about, and its conditions there.
    pub(super) fn candidates(&self, names: &Names<'_>) -> Read<Vec<(ProcId, LocId, Condition)>> {
        let mut out = vec![];
        for at in self.places(names)? {
            let conditions = conditions(names, at, self.condition);
            let conditions = conditions.map_err(|m| Mistake { at: m.at + self.start, ..m })?;
            out.extend(conditions.into_iter().map(|condition| (at.0, at.1, condition)));
        }
        Ok(out)
    }

    fn places(&self, names: &Names<'_>) -> Read<Vec<(ProcId, LocId)>> {
        let (program, sources) = (names.source.program, names.source.sources);
        let is_file = |name: &str| {
            let last = |name: &str| Path::new(name).file_name().map(std::ffi::OsStr::to_owned);
            name == self.file || last(name) == last(self.file)
        };
        let mut found = vec![];
        let mut lines = vec![];
        let mut is_known = false;
        for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| !proc.is_model()) {
            for l in proc.locations.ids() {
                let Some((kind, span)) = names.places.place((p, l)) else { continue };
                let start = span.start;
                if !is_file(&sources.file(span.file).name) {
                    continue;
                }
                is_known = true;
                let own = self.procedure.is_none_or(|(_, name)| name == proc.name);
                if kind != self.kind || !own {
                    continue;
                }
                lines.push(start.line);
                if start.line == self.line && self.column.is_none_or(|column| column == start.col) {
                    found.push((p, l));
                }
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
        let len = self.place.len();
        if !is_known {
            return wrong(0, self.file.len(), format!("the program has no file `{}`", self.file));
        }
        if let (Some((at, name)), true) = (self.procedure, lines.is_empty()) {
            return wrong(at, name.len(), format!("there is no function `{name}` in this file"));
        }
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let what = match self.kind {
            Kind::Loop => "no loop",
            Kind::Entry | Kind::Exit => "no such function",
        };
        let hint = match lines.is_empty() {
            true => String::new(),
            false => format!("; there are some in {}", crate::report::listed(&lines, ", ")),
        };
        wrong(0, len, format!("{what} begins at {}{hint}", self.place))
    }
}

/// A condition, about all numbers of a range if it is about such.
pub(super) type Condition = (Option<ForAll>, Expr);

/// The conjuncts of a text at a place. Mistakes are about that text.
pub(super) fn conditions(names: &Names<'_>, at: (ProcId, LocId), text: &str) -> Read<Vec<Condition>> {
    let Some((variable, from, to, inner)) = range(text)? else {
        let condition = condition(names, at, (0, text))?;
        return Ok(condition.conjuncts().into_iter().map(|e| (None, e.clone())).collect());
    };
    let bound = named(names, at, variable)?;
    let end = |part: (usize, &str)| -> Read<Expr> {
        let e = expression(names, at, part)?;
        match e.ty() {
            Type::Math | Type::Int(_) => Ok(e),
            _ => wrong(part.0, part.1.len(), "an end of a range is an integer"),
        }
    };
    let (from, to) = (end(from)?.cast(Type::Math), end(to)?.cast(Type::Math));
    let condition = condition(names, at, inner)?;
    Ok(vec![(Some(ForAll { variable: bound, from, to }), condition)])
}

/// A part of a text, and where it begins.
type Part<'t> = (usize, &'t str);

/// The parts of `forall k in [FROM, TO): CONDITION`; `None` for a text that does not begin so.
fn range(text: &str) -> Read<Option<(Part<'_>, Part<'_>, Part<'_>, Part<'_>)>> {
    let tokens: Vec<lex::Token> = lex::tokens(text, 0).collect();
    let word = |i: usize| tokens.get(i).map_or("", |t| &text[t.start..t.end]);
    if word(0) != "forall" {
        return Ok(None);
    }
    let form = "a range has the form forall k in [FROM, TO): CONDITION";
    if word(2) != "in" || word(3) != "[" || tokens[1].kind != Token::Word {
        return wrong(0, "forall".len(), form);
    }
    let (mut depth, mut comma, mut close) = (0usize, None, None);
    for (i, token) in tokens.iter().enumerate().skip(4) {
        match token.kind {
            Token::Byte(b'(' | b'[') => depth += 1,
            Token::Byte(b',') if depth == 0 => comma = comma.or(Some(i)),
            Token::Byte(b')') if depth == 0 => {
                close = Some(i);
                break;
            }
            Token::Byte(b')' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let (Some(comma), Some(close)) = (comma, close) else { return wrong(0, text.len(), form) };
    if word(close + 1) != ":" {
        return wrong(tokens[close].start, 1, form);
    }
    let part = |from: usize, to: usize| (from, &text[from..to]);
    Ok(Some((
        part(tokens[1].start, tokens[1].end),
        part(tokens[3].end, tokens[comma].start),
        part(tokens[comma].end, tokens[close].start),
        part(tokens[close + 1].end, text.len()),
    )))
}

/// The variable of a name.
fn named(names: &Names<'_>, at: (ProcId, LocId), (start, name): Part<'_>) -> Read<VarId> {
    let e = expression(names, at, (start, name))?;
    match &e {
        Expr::Load(lv) if lv.path.is_empty() && e.ty().as_int().is_some() => {
            lv.as_var().map_or_else(|| wrong(start, name.len(), "this is no variable"), Ok)
        }
        _ => wrong(start, name.len(), "a range is about a variable of an integer type"),
    }
}

fn condition(names: &Names<'_>, at: (ProcId, LocId), part: Part<'_>) -> Read<Expr> {
    let e = expression(names, at, part)?;
    if !e.ty().is_scalar() {
        return wrong(part.0, part.1.len(), "this is no condition");
    }
    Ok(if e.ty() == Type::INT { e } else { e.truthy() })
}

/// The expression that a part of a text means at a place.
fn expression(names: &Names<'_>, at: (ProcId, LocId), (start, text): Part<'_>) -> Read<Expr> {
    let program = names.source.program;
    let scope = names.scope(at);
    // The text with the names of C--, and where each of its stretches comes from.
    let (mut renamed, mut last, mut origins) = (String::new(), 0, vec![(0, 0)]);
    for token in lex::tokens(text, 0).filter(|t| t.kind == Token::Word) {
        let before = text[..token.start].trim_end();
        let word = &text[token.start..token.end];
        if before.ends_with('.') || before.ends_with("->") {
            continue;
        }
        let Some(scope) = &scope else { continue };
        let meant = scope.variable(word).map(|v| program.vars[v].name.clone());
        let Some(meant) = meant.or_else(|| scope.enumerator(word)) else {
            let is_variable =
                program.vars.iter().any(|v| v.name == word && v.proc().is_none_or(|p| p == at.0));
            if is_variable {
                return wrong(start + token.start, word.len(), format!("`{word}` is not in scope there"));
            }
            continue;
        };
        renamed.push_str(&text[last..token.start]);
        origins.push((renamed.len(), token.start));
        renamed.push_str(&meant);
        origins.push((renamed.len(), token.end));
        last = token.end;
    }
    renamed.push_str(&text[last..]);
    let read = |text: &str, scope| ir::parse::expr(text, program, scope);
    predicates_file::expression(&renamed, program, Some(at.0), &read).map_err(|mistake| {
        let origin = origins.iter().rev().find(|(to, _)| *to <= mistake.at).copied().unwrap_or_default();
        let found = (origin.1 + (mistake.at - origin.0)).min(text.len());
        Mistake { at: start + found, len: mistake.len, message: mistake.message }
    })
}

/// Where the comment of a line begins, or its end.
fn comment(text: &str) -> usize {
    text.find("//").unwrap_or(text.len())
}

/// The first `:NUMBER:` from a place on: where its first colon stands, the byte behind its last one, and the number.
fn number_behind(text: &str, from: usize) -> Option<(usize, usize, u32)> {
    for (at, _) in text[from..].match_indices(':') {
        let at = from + at;
        let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 1 + digits;
        if digits > 0 && text[end..].starts_with(':') {
            let number = text[at + 1..end].parse().ok()?;
            return Some((at, end + 1, number));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_place_and_a_condition() {
        let parts = |text: &str| {
            Line::of(text)
                .map(|l| (l.file.to_owned(), l.line, l.column, l.kind, l.start, l.condition.to_owned()))
                .map_err(|m| (m.at, m.message))
        };
        let of = |line, column, kind, start, condition: &str| {
            Ok(("a.c".to_owned(), line, column, kind, start, condition.to_owned()))
        };
        assert_eq!(parts("a.c:7: i <= n"), of(7, None, Kind::Loop, 7, "i <= n"));
        assert_eq!(parts("a.c:7:12: loop: i <= n // observed"), of(7, Some(12), Kind::Loop, 16, "i <= n"));
        assert_eq!(parts("a.c:7: entry of f: n ? 1 : 0"), of(7, None, Kind::Entry, 19, "n ? 1 : 0"));
        assert_eq!(parts("a.c:7: n ? 1 : 0"), of(7, None, Kind::Loop, 7, "n ? 1 : 0"));
        assert_eq!(parts("a.c:7: exit  of f:x"), of(7, None, Kind::Exit, 18, "x"));
        assert_eq!(parts("a.c:7: "), Err((7, "a condition is missing".into())));
        assert!(parts("i <= n").is_err() && parts("a.c:x: i").is_err());
        assert!(parts("a.c:99999999999999: i").is_err());
    }

    #[test]
    fn ranges_have_two_ends() {
        let text = "forall k in [f(a, 0), m[i]): a[k] == 0";
        let (variable, from, to, condition) = range(text).expect("a range").expect("one");
        assert_eq!((variable.1, from.1.trim(), to.1.trim()), ("k", "f(a, 0)", "m[i]"));
        assert_eq!(&text[condition.0..], " a[k] == 0");
        assert_eq!(range("i < 3"), Ok(None));
        for bad in
            ["forall", "forall k", "forall k in [0: x", "forall k in [0, 1] x", "forall 3 in [0, 1): x"]
        {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
