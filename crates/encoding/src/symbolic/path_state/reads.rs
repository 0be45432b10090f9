//! The state as encodings of expressions query it: the values of cells, the addresses of objects, and reads of memory.

use super::{PathState, READS, Read, Source};
use crate::state::map_sort;
use crate::symbolic::opaque::Found;
use crate::{SideConditions, State, value_sort};
use alias::{CellId, CellKind};
use ir::{Type, VarId};
use smt::Term;

impl State for PathState<'_> {
    fn scalar(&mut self, cell: CellId, ty: &Type, facts: &mut SideConditions) -> Term {
        let CellKind::Scalar { var, .. } = self.oracle.cell_kind(cell) else {
            panic!("only scalar cells are read directly");
        };
        let global = self.program.vars[*var].proc().is_none();
        let frame = self.frames.last().expect("a path is always in some activation");
        let table = if global { &self.globals } else { &frame.scalars };
        if let Some(value) = table.get(&cell) {
            return value.clone();
        }
        let value =
            Term::constant(&self.initial(cell, !global), value_sort(ty, self.mode, self.program.model));
        facts.in_range(&value, ty, self.mode);
        self.set_scalar(cell, value.clone());
        value
    }

    fn map(&mut self, cell: CellId, ty: &Type, _facts: &mut SideConditions) -> Term {
        if let Some(map) = self.maps.get(&cell) {
            return map.clone();
        }
        let map = Term::constant(&self.initial(cell, false), map_sort(ty, self.mode, self.program));
        self.maps.insert(cell, map.clone());
        map
    }

    fn address(&mut self, var: VarId) -> i128 {
        if self.program.vars[var].proc().is_none() {
            return self.addresses.var(var);
        }
        let frame = self.frames.len() - 1;
        if let Some(at) = self.frames[frame].addresses.get(&var) {
            return *at;
        }
        let size = self.program.size_of(&self.program.vars[var].ty).map(i128::from);
        let at = self.allocate(size);
        self.frames[frame].addresses.insert(var, at);
        at
    }

    fn instances(&mut self, var: VarId) -> Vec<i128> {
        if self.program.vars[var].proc().is_none() {
            return vec![self.addresses.var(var)];
        }
        self.frames.iter().filter_map(|frame| frame.addresses.get(&var).copied()).collect()
    }

    fn loaded(&mut self, map: &Term, at: &Term, ty: &Type) {
        if self.reads.len() < READS {
            let (source, at, ty) = (Source::Map(map.clone()), at.clone(), ty.clone());
            self.reads.push(Read { step: self.step, source, at, ty });
        }
    }

    fn follows_opaque(&self) -> bool {
        self.opaque.is_some()
    }

    fn opaque(&mut self, at: &Term, ty: &Type, fresh: &Term) -> (Term, bool) {
        let (Some(opaque), Some(width)) = (&mut self.opaque, self.program.size_of(ty)) else {
            return (fresh.clone(), false);
        };
        let is_exact = match opaque.read(at, width.into(), ty, fresh) {
            Found::Known(value) => return (value, true),
            Found::Unknown => false,
            Found::Initial => true,
        };
        // An execution asks for it only where nothing has written it.
        if self.reads.len() < READS {
            let (source, at, ty) = (Source::Value(fresh.clone()), at.clone(), ty.clone());
            self.reads.push(Read { step: self.step, source, at, ty });
        }
        (fresh.clone(), is_exact)
    }

    fn entry(&mut self) -> &mut dyn State {
        let entry = self.frame().entry.as_deref_mut();
        entry.expect("what mentions old(...) is asked where the entry is known")
    }
}
