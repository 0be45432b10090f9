//! Proofs as invariants of loops.

use super::places::{Finder, Texts};
use super::scope::Scope;
use super::{Invariant, conditions};
use crate::report::listing::Source;
use ir::{LocId, ProcId};
use verify::Task;

/// What holds at loops and can be written, in the order of the source.
pub(super) fn invariants(task: &Task, texts: &Texts, known: &[verify::cegar::Invariant]) -> Vec<Invariant> {
    let finder = Finder { source: Source::of(task), texts };
    let one = |known: &verify::cegar::Invariant| {
        if known.for_all.is_some() {
            return None;
        }
        let (proc, head) = head(task, known)?;
        let at = finder.loop_keyword(proc, head)?;
        let condition =
            conditions::text(&Scope { source: Source::of(task), texts, proc, at }, &known.condition)?;
        Some(Invariant { place: texts.place(at, finder.function(proc)), at_loop: true, condition })
    };
    known.iter().filter_map(one).collect()
}

/// The loop that an invariant is about, where only one is at its place.
fn head(task: &Task, known: &verify::cegar::Invariant) -> Option<(ProcId, LocId)> {
    let procs = task.program.procs.iter_enumerated();
    let mut heads = procs.flat_map(|(p, proc)| {
        let heads = proc.locations.iter_enumerated().filter(|(_, l)| l.loop_head && l.span == known.span);
        heads.map(move |(l, _)| (p, l))
    });
    let first = heads.next()?;
    heads.next().is_none().then_some(first)
}
