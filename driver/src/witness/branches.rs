//! Where executions branch, as witnesses name it: the keyword of an `if`, a loop or a `switch`, or the `?` of a conditional
//! expression, and the edges that decide which way it goes.
//!
//! Invariant: only edges after which nothing else of the condition is evaluated have a way. Conditions in which that
//! is not plain from the text, such as those with a conditional expression inside, have none.

use super::Branch;
use super::lex::{self, Kind, Token};
use super::places::{At, Finder};
use super::starts::Starts;
use ir::{BinOp, Edge, EdgeId, EdgeKind, Expr, LocId, Op, ProcId};

/// An edge that settles a branching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub(super) edge: (ProcId, EdgeId),
    /// The keyword.
    pub(super) at: At,
    pub(super) way: Branch,
}

/// A condition with its keyword, by bytes of a file.
#[derive(Clone, Copy, Debug)]
struct Head {
    keyword: usize,
    /// Where the parentheses behind it end.
    close: usize,
    /// The condition of `if`, `while` and `for`; the body of `switch`.
    range: (usize, usize),
    is_switch: bool,
}

/// The branchings of a program.
#[derive(Default)]
pub(super) struct Branches {
    /// The edges that settle them.
    pub(super) ways: Vec<Way>,
    /// The keywords of statements, and where their conditions begin to be evaluated.
    pub(super) starts: Vec<(At, (ProcId, LocId))>,
}

/// All branchings of a program.
pub(super) fn branches(finder: Finder<'_>) -> Branches {
    let heads: Vec<Vec<Head>> = finder.texts.all().map(heads).collect();
    let mut out = Branches::default();
    for (p, proc) in finder.source.program.procs.iter_enumerated().filter(|(_, proc)| !proc.is_model()) {
        let starts = Starts::of(finder, p);
        let edges: Vec<Place<'_>> = proc
            .edges
            .iter_enumerated()
            .filter(|(_, edge)| matches!(edge.kind, EdgeKind::Branch { .. }))
            .filter_map(|(e, edge)| Some(Place { id: (p, e), edge, at: finder.range(edge.span)? }))
            .collect();
        out.ways.extend(edges.iter().filter_map(|place| case(finder, place, &heads)));
        out.ways.extend(edges.iter().filter_map(|place| conditional(finder, place)));
        for (file, heads) in heads.iter().enumerate() {
            let text = finder.texts.text(file);
            for head in heads.iter().filter(|head| !text[head.keyword..].starts_with("for")) {
                let start = starts.entered(file, (head.keyword, head.close));
                out.starts.extend(start.map(|l| ((file, head.keyword), (p, l))));
            }
            for head in
                heads.iter().filter(|head| !head.is_switch && is_there(finder, p, (file, head.keyword)))
            {
                let inside = |place: &&Place<'_>| {
                    place.at.0 == file && head.range.0 <= place.at.1.0 && place.at.1.1 <= head.range.1
                };
                let own: Vec<&Place<'_>> = edges.iter().filter(inside).collect();
                let mut found = vec![];
                let way = |to: bool| if to { Branch::True } else { Branch::False };
                if !own.is_empty()
                    && settle(text, head.range, &own, [Next::End(true), Next::End(false)], &mut found)
                        .is_some()
                {
                    let at = (file, head.keyword);
                    out.ways.extend(found.into_iter().map(|(edge, to)| Way { edge, at, way: way(to) }));
                }
            }
        }
    }
    out
}

/// An edge with its range in a file.
struct Place<'p> {
    id: (ProcId, EdgeId),
    edge: &'p Edge,
    at: (usize, (usize, usize)),
}

/// Whether the keyword is an `if`, or the start of a loop of the procedure.
fn is_there(finder: Finder<'_>, p: ProcId, at: At) -> bool {
    let locations = || finder.source.program.procs[p].locations.ids();
    finder.texts.word(at) == "if" || locations().any(|l| finder.loop_keyword(p, l) == Some(at))
}

/// The conditions and the bodies of `switch` in a text.
fn heads(text: &str) -> Vec<Head> {
    let tokens: Vec<Token> = lex::tokens(text, 0).collect();
    let mut out = vec![];
    for pair in
        tokens.windows(2).filter(|pair| pair[0].kind == Kind::Word && pair[1].kind == Kind::Byte(b'('))
    {
        let (keyword, open) = (pair[0].start, pair[1].start);
        let Some(close) = lex::closing(text, open) else { continue };
        let head = |range, is_switch| Head { keyword, close, range, is_switch };
        match &text[keyword..pair[0].end] {
            "if" | "while" => out.push(head((open + 1, close), false)),
            "for" => out.extend(between_semicolons(text, open + 1, close).map(|range| head(range, false))),
            "switch" => {
                let body = lex::tokens(text, close + 1).next().filter(|t| t.kind == Kind::Byte(b'{'));
                let end = body.and_then(|body| lex::closing_brace(text, body.start));
                out.extend(end.map(|end| head((close, end), true)));
            }
            _ => {}
        }
    }
    out
}

/// What stands between the first two semicolons that are in no inner parentheses.
fn between_semicolons(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let mut found = vec![];
    let mut depth = 0;
    for token in lex::tokens(text, from).take_while(|t| t.start < to) {
        match token.kind {
            Kind::Byte(b'(' | b'[' | b'{') => depth += 1,
            Kind::Byte(b')' | b']' | b'}') => depth -= 1,
            Kind::Byte(b';') if depth == 0 => found.push(token.start),
            _ => {}
        }
    }
    match found[..] {
        [first, second] => Some((first + 1, second)),
        _ => None,
    }
}

/// The way of a `switch` that ends at a label.
fn case(finder: Finder<'_>, place: &Place<'_>, heads: &[Vec<Head>]) -> Option<Way> {
    let (file, (start, _)) = place.at;
    let way = match (finder.texts.word((file, start)), &place.edge.op) {
        ("case", Op::Assume(Expr::Binary(BinOp::Eq, l, r, _))) => Branch::Case(r.as_const().or(l.as_const())),
        ("default", _) => Branch::Case(None),
        _ => return None,
    };
    let around = heads[file].iter().filter(|h| h.is_switch && h.range.0 < start && start < h.range.1);
    let innermost = around.min_by_key(|h| h.range.1 - h.range.0)?;
    Some(Way { edge: place.id, at: (file, innermost.keyword), way })
}

/// The way of a conditional expression whose condition is one edge's.
fn conditional(finder: Finder<'_>, place: &Place<'_>) -> Option<Way> {
    let EdgeKind::Branch { taken } = place.edge.kind else { return None };
    let (file, (start, end)) = place.at;
    let text = finder.texts.text(file);
    let mut before = text[..start].trim_end();
    for token in lex::tokens(text, end) {
        match token.kind {
            Kind::Byte(b'?') => {
                let way = if taken { Branch::True } else { Branch::False };
                // The whole condition is this one: an operator before it would make it a part of another.
                let begins = before.ends_with(['=', '(', ',', '?', ':', ';', '{', '}', '['])
                    || before.ends_with("return");
                return begins.then_some(Way { edge: place.id, at: (file, token.start), way });
            }
            Kind::Byte(b')') => before = before.strip_suffix('(')?.trim_end(),
            _ => return None,
        }
    }
    None
}

/// Where evaluation goes on behind a part of a condition.
#[derive(Clone, Copy)]
enum Next {
    /// The whole has this value.
    End(bool),
    /// Another part is evaluated.
    More,
}

/// Collects the edges that settle a condition, with its value; `None` where something of it is not understood. `next` is what
/// follows when this part is true, and when it is false.
fn settle(
    text: &str,
    range: (usize, usize),
    edges: &[&Place<'_>],
    next: [Next; 2],
    out: &mut Vec<((ProcId, EdgeId), bool)>,
) -> Option<()> {
    let range = bare(text, range);
    let own: Vec<&&Place<'_>> = edges.iter().filter(|place| bare(text, place.at.1) == range).collect();
    if !own.is_empty() {
        for place in own {
            let EdgeKind::Branch { taken } = place.edge.kind else { return None };
            if let Next::End(value) = next[usize::from(!taken)] {
                out.push((place.id, value));
            }
        }
        return Some(());
    }
    let [on_true, on_false] = next;
    if let Some((left, right)) = split(text, range, b'|') {
        settle(text, left, edges, [on_true, Next::More], out)?;
        return settle(text, right, edges, next, out);
    }
    if let Some((left, right)) = split(text, range, b'&') {
        settle(text, left, edges, [Next::More, on_false], out)?;
        return settle(text, right, edges, next, out);
    }
    let first = lex::tokens(text, range.0).next().filter(|t| t.kind == Kind::Byte(b'!'))?;
    settle(text, (first.end, range.1), edges, [on_false, on_true], out)
}

/// The range without blanks and parentheses around it.
fn bare(text: &str, (mut from, mut to): (usize, usize)) -> (usize, usize) {
    loop {
        let inner = &text[from..to];
        from += inner.len() - inner.trim_start().len();
        to = from + inner.trim().len();
        if !text[from..to].starts_with('(') || lex::closing(text, from) != to.checked_sub(1) {
            return (from, to);
        }
        (from, to) = (from + 1, to - 1);
    }
}

/// The two sides of the first `||` or `&&` that is in no inner parentheses; `None` where there is none, or something else that
/// binds weaker.
fn split(text: &str, (from, to): (usize, usize), sign: u8) -> Option<((usize, usize), (usize, usize))> {
    let tokens: Vec<Token> = lex::tokens(text, from).take_while(|t| t.start < to).collect();
    let (mut depth, mut found) = (0, None);
    for (n, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Byte(b'(' | b'[' | b'{') => depth += 1,
            Kind::Byte(b')' | b']' | b'}') => depth -= 1,
            Kind::Byte(b'?' | b',') if depth == 0 => return None,
            Kind::Byte(b) if b == sign && depth == 0 && found.is_none() => {
                let doubled = tokens.get(n + 1).is_some_and(|t| t.kind == token.kind && t.start == token.end);
                found = doubled.then_some(token.start);
            }
            _ => {}
        }
    }
    found.map(|at| ((from, at), (at + 2, to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions of a text, each with its keyword.
    fn conditions(text: &str) -> Vec<(&str, &str)> {
        let word =
            |at: usize| text[at..].split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        heads(text).iter().map(|h| (word(h.keyword), text[h.range.0..h.range.1].trim())).collect()
    }

    #[test]
    fn conditions_stand_behind_their_keywords() {
        let text = "if (a) x; while ((b) && c(\")\")) { for (i = f(1, 2); i < 3; i++) ; for (;;) ; } switch (d) { case 1: ; } // if (e)\n";
        let expected = [
            ("if", "a"),
            ("while", "(b) && c(\")\")"),
            ("for", "i < 3"),
            ("for", ""),
            ("switch", ") { case 1: ;"),
        ];
        assert_eq!(conditions(text), expected);
    }

    #[test]
    fn conditions_are_split_where_c_splits_them() {
        let parts = |text: &'static str, sign| {
            split(text, (0, text.len()), sign).map(|(l, r)| (text[l.0..l.1].trim(), text[r.0..r.1].trim()))
        };
        assert_eq!(parts("a && b || c && d", b'|'), Some(("a && b", "c && d")));
        assert_eq!(parts("a && (b || c)", b'|'), None);
        assert_eq!(parts("a && b && c", b'&'), Some(("a", "b && c")));
        assert_eq!(parts("a | b", b'|'), None);
        assert_eq!(parts("a || b ? c : d", b'|'), None);
        let inner = |text: &'static str| {
            let (from, to) = bare(text, (0, text.len()));
            &text[from..to]
        };
        assert_eq!((inner(" ((a) )"), inner("(a) && (b)"), inner("( )")), ("a", "(a) && (b)", ""));
    }
}
