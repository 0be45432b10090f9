//! The state after an operation, in terms of the state before it.

use alias::{CellId, CellKind, CellSet};
use base::Id;
use encoding::{SideConditions, State, Vocabulary};
use ir::{Lvalue, Type, VarId};
use smt::Term;
use std::collections::BTreeMap;

use crate::context::Base;

/// The state that `old` refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    /// The entry of the procedure that the operation stands in.
    OfProcedure,
    /// The state before the operation: it is a call, and the speaker is the callee.
    Before,
}

/// A state that differs from the one before the operation in some cells.
pub(crate) struct After<'a> {
    before: Vocabulary<'a>,
    /// Gives values to cells of which nothing is known.
    arbitrary: Vocabulary<'a>,
    changed: CellSet,
    values: BTreeMap<CellId, Term>,
    entry: Entry,
}

impl<'a> After<'a> {
    /// The state before the operation, with these cells arbitrary.
    pub(crate) fn new(base: &'a Base<'_>, changed: CellSet) -> After<'a> {
        After {
            before: base.vocabulary(""),
            arbitrary: base.vocabulary("new!"),
            changed,
            values: BTreeMap::new(),
            entry: Entry::OfProcedure,
        }
    }

    /// The same state as the callee of a call sees it: `old` is the state before the call.
    pub(crate) fn seen_by_callee(mut self) -> After<'a> {
        self.entry = Entry::Before;
        self
    }

    /// Gives a scalar cell this value.
    pub(crate) fn set(&mut self, cell: CellId, value: Term) {
        self.values.insert(cell, value);
    }

    /// Gives the location this value. Its address is computed in this state; when it is not `fixed` another program
    /// point may be meant, and nothing is known about the location's cell afterwards.
    pub(crate) fn store(
        &mut self,
        base: &Base<'_>,
        lv: &Lvalue,
        value: Term,
        fixed: bool,
        facts: &mut SideConditions,
    ) {
        let cell = base.oracle.cell(lv);
        match base.oracle.cell_kind(cell) {
            CellKind::Scalar { .. } => self.set(cell, value),
            CellKind::Map { ty } if fixed && (*ty == lv.ty || ty.is_ptr() && lv.ty.is_ptr()) => {
                let at = facts.total(|facts| base.encoder().address(lv, self, facts));
                let map = self.map(cell, ty, facts);
                self.values.insert(cell, map.store(&at, &value));
            }
            CellKind::Map { .. } => {
                self.changed.insert(cell);
                self.values.remove(&cell);
            }
            CellKind::Opaque => {}
        }
    }
}

impl State for After<'_> {
    fn scalar(&mut self, cell: CellId, ty: &Type, facts: &mut SideConditions) -> Term {
        match self.values.get(&cell) {
            Some(value) => value.clone(),
            None if self.changed.contains(cell) => self.arbitrary.scalar(cell, ty, facts),
            None => self.before.scalar(cell, ty, facts),
        }
    }

    fn map(&mut self, cell: CellId, ty: &Type, facts: &mut SideConditions) -> Term {
        match self.values.get(&cell) {
            Some(value) => value.clone(),
            None if self.changed.contains(cell) => self.arbitrary.map(cell, ty, facts),
            None => self.before.map(cell, ty, facts),
        }
    }

    fn address(&mut self, var: VarId) -> i128 {
        self.before.address(var)
    }

    fn entry(&mut self) -> &mut dyn State {
        match self.entry {
            Entry::OfProcedure => self.before.entry(),
            Entry::Before => &mut self.before,
        }
    }
}

/// The cells of a set for which `keep` holds.
pub(crate) fn filtered(base: &Base<'_>, cells: &CellSet, keep: impl Fn(CellId) -> bool) -> CellSet {
    cells.iter().filter(|c| c.index() < base.oracle.cells() && keep(*c)).collect()
}
