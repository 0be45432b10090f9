//! Where the evaluation of statements and conditions begins in the program.

use super::places::{At, Finder};
use ir::{EdgeId, LocId, ProcId};
use std::collections::BTreeSet;

/// The edges of a procedure that stand in the files, by the bytes where they begin.
pub(super) struct Starts<'t> {
    finder: Finder<'t>,
    proc: ProcId,
    edges: Vec<Stretch>,
}

/// An edge by its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    /// The first byte.
    at: At,
    /// The end in that file.
    end: usize,
    src: LocId,
    dst: LocId,
}

impl<'t> Starts<'t> {
    /// Those of a procedure.
    pub(super) fn of(finder: Finder<'t>, proc: ProcId) -> Starts<'t> {
        let all = finder.source.program.procs[proc].edges.iter();
        let placed = all.filter_map(|edge| {
            let (file, (start, end)) = finder.range(edge.span)?;
            Some(Stretch { at: (file, start), end, src: edge.src, dst: edge.dst })
        });
        let mut edges: Vec<_> = placed.collect();
        edges.sort_unstable();
        Starts { finder, proc, edges }
    }

    /// Where the evaluation of a stretch of the text begins; `None` where that is not one location.
    pub(super) fn entered(&self, file: usize, (start, end): (usize, usize)) -> Option<LocId> {
        let from = self.edges.partition_point(|edge| edge.at < (file, start));
        let inside = || {
            let begins = self.edges[from..].iter().take_while(|edge| edge.at <= (file, end));
            begins.filter(|edge| edge.end <= end)
        };
        let reached: BTreeSet<LocId> = inside().map(|edge| edge.dst).collect();
        let first: BTreeSet<LocId> = inside().map(|edge| edge.src).filter(|l| !reached.contains(l)).collect();
        if first.len() == 1 { first.first().copied() } else { None }
    }

    /// Where a statement begins, in the text and in the procedure, if the edge is one.
    pub(super) fn statement(&self, e: EdgeId) -> Option<(At, LocId)> {
        let at = self.finder.statement(self.proc, e)?;
        let (file, range) = self.finder.range(self.finder.source.program.procs[self.proc].edges[e].span)?;
        Some((at, self.entered(file, range)?))
    }

    /// All statements of the procedure.
    pub(super) fn statements(&self) -> impl Iterator<Item = (At, LocId)> {
        let edges = self.finder.source.program.procs[self.proc].edges.ids();
        edges.filter_map(|e| self.statement(e))
    }
}
