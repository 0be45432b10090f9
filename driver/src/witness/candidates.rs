//! Invariants of a witness as checks of the program: they are decided like the program's own, and never believed.

use super::branches::branches;
use super::conditions::defined;
use super::lex::{self, Kind};
use super::places::{Finder, Texts};
use super::scope::Scope;
use super::starts::Starts;
use super::{Invariant, Place};
use crate::report::listing::Source;
use cmm::{Check, CheckKind, Edge, EdgeKind, Expr, LocId, Location, Op, ProcId};
use std::collections::BTreeSet;

/// Adds a check for each invariant where executions come to its place. What cannot be checked comes back, with the reason.
pub(crate) fn add(front: &mut cfront::Frontend, texts: &Texts, invariants: &[Invariant]) -> Vec<String> {
    let mut problems = vec![];
    let mut found = vec![];
    for invariant in invariants {
        let source = Source { program: &front.program, sources: &front.sources, words: Some(&front.words) };
        match located(source, texts, invariant) {
            Ok(list) => found.extend(list.into_iter().map(|(p, l, condition)| (p, l, condition, invariant))),
            Err(why) => problems.push(format!("invariant `{}`: {why}", invariant.condition)),
        }
    }
    for (p, l, condition, invariant) in found {
        let message = format!("invariant `{}` of the witness fails", invariant.condition);
        insert(front, (p, l), condition, &message);
    }
    problems
}

/// Where an invariant is to be checked, and its condition there.
fn located(
    source: Source<'_>,
    texts: &Texts,
    invariant: &Invariant,
) -> Result<Vec<(ProcId, LocId, Expr)>, String> {
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
        return Err(format!("no {what} that executions may come to begins at {file}:{line}"));
    }
    let one = |(p, l, at): (ProcId, LocId, super::places::At)| {
        Ok((p, l, condition(&Scope { source, texts, proc: p, at }, &invariant.condition)?))
    };
    found.into_iter().map(one).collect()
}

/// The condition that a text means at a place.
pub(super) fn condition(scope: &Scope<'_>, text: &str) -> Result<Expr, String> {
    let renamed = renamed(scope, text);
    let read = cmm::parse::expr(&renamed, scope.source.program, Some(scope.proc));
    let e = read.map_err(|d| format!("it cannot be read: {}", d.message))?;
    defined(scope.source.program, &e).ok_or_else(|| {
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
fn insert(front: &mut cfront::Frontend, (p, l): (ProcId, LocId), condition: Expr, message: &str) {
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
}
