//! Where the evaluation of statements and conditions begins in the program.

use super::places::{At, Finder};
use cmm::{EdgeId, LocId, ProcId};
use std::collections::BTreeSet;

/// The edges of a procedure that stand in the files, by the bytes where they begin.
pub(super) struct Starts<'t> {
    finder: Finder<'t>,
    proc: ProcId,
    /// The file, the range, and where the edge leads from and to.
    edges: Vec<((usize, usize), usize, (LocId, LocId))>,
}

impl<'t> Starts<'t> {
    /// Those of a procedure.
    pub(super) fn of(finder: Finder<'t>, proc: ProcId) -> Starts<'t> {
        let all = finder.source.program.procs[proc].edges.iter();
        let placed = all.filter_map(|edge| {
            let (file, (start, end)) = finder.range(edge.span)?;
            Some(((file, start), end, (edge.src, edge.dst)))
        });
        let mut edges: Vec<_> = placed.collect();
        edges.sort_unstable();
        Starts { finder, proc, edges }
    }

    /// Where the evaluation of a stretch of the text begins; `None` where that is not one location.
    pub(super) fn entered(&self, file: usize, (start, end): (usize, usize)) -> Option<LocId> {
        let from = self.edges.partition_point(|(at, ..)| *at < (file, start));
        let inside = || {
            let begins = self.edges[from..].iter().take_while(|(at, ..)| *at <= (file, end));
            begins.filter(|(_, e, _)| *e <= end).map(|(.., ends)| *ends)
        };
        let reached: BTreeSet<LocId> = inside().map(|(_, dst)| dst).collect();
        let first: BTreeSet<LocId> = inside().map(|(src, _)| src).filter(|l| !reached.contains(l)).collect();
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
