//! The bodies that become procedures of a graph.

use super::ProcId;
use crate::ast::{Proc, Program, Stmt, StmtKind, preorder};
use base::Id;

/// Procedures that can call each other, and the statements that run before one of them.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    pub(super) procs: &'a [Proc],
    /// The one that starts.
    pub(super) entry: Option<ProcId>,
    pub(super) init: &'a [Stmt],
    /// A second copy of the procedure that starts, behind `init`: that one is called, too, or is missing.
    pub(super) again: Option<&'a Proc>,
}

/// A body that becomes a procedure of the graph.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) id: ProcId,
    pub(super) proc: &'a Proc,
    /// The statements at its head.
    pub(super) init: &'a [Stmt],
    /// Whether there is another copy of the procedure, without `init`.
    pub(super) again: bool,
}

impl<'a> Group<'a> {
    /// The procedures outside of threads. `none` stands for the one that starts, if it is missing.
    pub(super) fn new(program: &'a Program, entry: &str, none: &'a Proc) -> Group<'a> {
        let (procs, init) = (program.procs.as_slice(), program.init.as_slice());
        let first = procs.iter().position(|proc| proc.name.name.as_str() == entry);
        let start = first.map(|first| &procs[first]);
        let again = !init.is_empty() && start.is_none_or(|start| is_called(procs, init, start));
        let again = again.then(|| start.unwrap_or(none));
        Group { procs, entry: first.map(ProcId::from_index), init, again }
    }

    /// In the order of their ids.
    pub(super) fn bodies(self) -> impl Iterator<Item = Body<'a>> {
        let entry = self.entry.filter(|_| self.again.is_none());
        let here = move |(index, proc)| {
            let id = ProcId::from_index(index);
            Body { id, proc, init: if entry == Some(id) { self.init } else { &[] }, again: false }
        };
        let id = ProcId::from_index(self.procs.len());
        let last = self.again.map(|proc| Body { id, proc, init: self.init, again: true });
        self.procs.iter().enumerate().map(here).chain(last)
    }
}

/// Whether some statement calls the procedure, by its name.
pub(super) fn is_called(procs: &[Proc], init: &[Stmt], callee: &Proc) -> bool {
    let calls =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Call { callee: name, .. } if *name == callee.name);
    procs.iter().map(|proc| proc.body.as_slice()).chain([init]).any(|list| preorder(list).any(calls))
}
