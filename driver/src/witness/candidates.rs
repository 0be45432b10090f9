//! Invariants of a witness as checks of the program: they are decided like the program's own, and never believed.

use super::branches::branches;
use super::conditions::{Written, written_by_others};
use super::lex::{self, Kind};
use super::places::{Finder, Texts};
use super::scope::Scope;
use super::starts::Starts;
use super::{Invariant, Place};
use crate::report::listing::Source;
use ir::{Check, CheckId, CheckKind, Edge, EdgeKind, Expr, LocId, Location, Op, ProcId};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What became of the invariants of a witness.
#[derive(Default)]
pub(crate) struct Added {
    /// What cannot be checked, with the reason.
    pub(crate) problems: Vec<String>,
    /// The checks that an invariant is defined where it is to hold, and what to say when one fails.
    pub(crate) defined: BTreeMap<CheckId, String>,
}

/// Adds a check for each invariant where executions reach its place, and before it one that it is defined there.
pub(crate) fn add(front: &mut cfront::Frontend, texts: &Texts, invariants: &[Invariant]) -> Added {
    let (mut problems, mut defined) = (vec![], BTreeMap::new());
    let mut found = vec![];
    for invariant in invariants {
        let source = Source { program: &front.program, sources: &front.sources, words: Some(&front.words) };
        match located(source, texts, invariant) {
            Ok(list) => found.extend(list.into_iter().map(|(p, l, condition)| (p, l, condition, invariant))),
            Err(why) => problems.push(format!("invariant `{}`: {why}", shortened(&invariant.condition))),
        }
    }
    for (p, l, written, invariant) in found {
        let text = shortened(&invariant.condition);
        // In front of what is there, so the one about the value comes first.
        insert(front, (p, l), written.condition, &format!("invariant `{text}` of the witness fails"));
        if let Some(condition) = written.defined {
            let message = format!("invariant `{text}` of the witness overflows");
            let why = format!("invariant `{text}`: its arithmetic overflows, which C leaves undefined");
            defined.insert(insert(front, (p, l), condition, &message), why);
        }
    }
    Added { problems, defined }
}

/// The beginning of a text that is too long for a message.
fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} ...", &text[..end]).into(),
        None => text.into(),
    }
}

/// Where an invariant is to be checked, and its condition there.
fn located(
    source: Source<'_>,
    texts: &Texts,
    invariant: &Invariant,
) -> Result<Vec<(ProcId, LocId, Written)>, String> {
    let finder = Finder { source, texts };
    let conditions = if invariant.at_loop { vec![] } else { branches(finder).starts };
    let mut found = BTreeSet::new();
    for (p, proc) in source.program.procs.iter_enumerated().filter(|(_, proc)| !proc.is_model()) {
        let is = |at: super::places::At| invariant.place.is(&texts.place(at, ""));
        if invariant.at_loop {
            let heads = proc.locations.ids().filter_map(|l| Some((l, finder.loop_keyword(p, l)?)));
            found.extend(heads.filter(|(_, at)| is(*at)).map(|(l, at)| (p, l, at)));
        } else {
            let starts = Starts::of(finder, p);
            let conditions = conditions.iter().filter(|(_, (q, _))| *q == p).map(|(at, (_, l))| (*at, *l));
            let starts = starts.statements().chain(conditions).map(|(at, l)| (l, at));
            found.extend(starts.filter(|(_, at)| is(*at)).map(|(l, at)| (p, l, at)));
        }
    }
    if found.is_empty() {
        let what = if invariant.at_loop { "loop" } else { "statement" };
        let Place { file, line, .. } = &invariant.place;
        return Err(format!("no {what} that executions may reach begins at {file}:{line}"));
    }
    let one = |(p, l, at): (ProcId, LocId, super::places::At)| {
        Ok((p, l, condition(&Scope { source, texts, proc: p, at }, &invariant.condition)?))
    };
    found.into_iter().map(one).collect()
}

/// The condition that a text means at a place.
pub(super) fn condition(scope: &Scope<'_>, text: &str) -> Result<Written, String> {
    let renamed = renamed(scope, text);
    let read = ir::parse::expr(&renamed, scope.source.program, Some(scope.proc));
    let e = read.map_err(|d| format!("it cannot be read: {}", d.message))?;
    written_by_others(scope.source.program, &e).ok_or_else(|| {
        "it reads memory behind pointers, or has operations that may be undefined, which is not checked"
            .into()
    })
}

/// The text with the names of C--.
fn renamed(scope: &Scope<'_>, text: &str) -> String {
    let (mut out, mut last) = (String::new(), 0);
    for token in lex::tokens(text, 0).filter(|t| t.kind == Kind::Word) {
        let before = text[..token.start].trim_end();
        let word = &text[token.start..token.end];
        if before.ends_with('.') || before.ends_with("->") {
            continue;
        }
        let meant = scope.variable(word).map(|v| scope.source.program.vars[v].name.clone());
        let meant = meant.or_else(|| scope.enumerator(word));
        if let Some(meant) = meant {
            out.push_str(&text[last..token.start]);
            out.push_str(&meant);
            last = token.end;
        }
    }
    out + &text[last..]
}

/// Puts a check before everything that leads on from a location.
fn insert(front: &mut cfront::Frontend, (p, l): (ProcId, LocId), condition: Expr, message: &str) -> CheckId {
    let program = &mut front.program;
    let span = program.procs[p].locations[l].span;
    let check = program.checks.push(Check::new(CheckKind::Reach, span, message, p));
    let proc = &mut program.procs[p];
    let behind = proc.locations.push(Location { span, labels: vec![], loop_head: false });
    for edge in proc.edges.iter_mut().filter(|edge| edge.src == l) {
        edge.src = behind;
    }
    let op = Op::Check(check, condition);
    proc.edges.push(Edge { src: l, dst: behind, op, span, kind: EdgeKind::Statement });
    if proc.exit == l {
        proc.exit = behind;
    }
    check
}
