//! The pointers that are tracked: variables of pointer type, and members of record variables, as long as the
//! oracle knows their memory. Pointers in arrays, in allocated memory, or in memory without a model are not
//! tracked.
//!
//! Invariant: two slots of one scope are different locations, and an operation changes a slot only if it writes the
//! slot's cell.

use alias::{AliasOracle, CellId, CellKind};
use base::IndexVec;
use bp::{Ident, Name};
use ir::{Lvalue, ProcId, Program, Type, VarId};
use std::collections::BTreeMap;

/// Variables with more pointers in them than this are not taken apart.
const MOST_MEMBERS: usize = 32;

/// A tracked pointer.
pub(crate) struct Slot {
    pub(crate) lvalue: Lvalue,
    pub(crate) cell: CellId,
    pub(crate) name: Name,
    /// The procedure whose variable it is.
    pub(crate) owner: Option<ProcId>,
}

impl Slot {
    pub(crate) fn ident(&self) -> Ident {
        self.name.clone().into()
    }
}

/// All tracked pointers.
pub(crate) struct Slots {
    slots: Vec<Slot>,
    by_lvalue: BTreeMap<Lvalue, usize>,
    by_cell: BTreeMap<CellId, Vec<usize>>,
    by_var: BTreeMap<VarId, Vec<usize>>,
}

impl Slots {
    pub(crate) fn new(program: &Program, oracle: &AliasOracle, reachable: &IndexVec<ProcId, bool>) -> Slots {
        let mut slots = Slots {
            slots: vec![],
            by_lvalue: BTreeMap::new(),
            by_cell: BTreeMap::new(),
            by_var: BTreeMap::new(),
        };
        for (v, var) in program.vars.iter_enumerated() {
            let used = var.proc().is_none_or(|p| reachable[p] && program.procs[p].has_body);
            if used && var.data.is_none() {
                let mut found = vec![];
                if collect(program, program.lvalue(v), &mut found).is_some() {
                    found.into_iter().for_each(|lv| slots.add(program, oracle, v, lv));
                }
            }
        }
        slots
    }

    fn add(&mut self, program: &Program, oracle: &AliasOracle, var: VarId, lvalue: Lvalue) {
        let cell = oracle.cell(&lvalue);
        if matches!(oracle.cell_kind(cell), CellKind::Opaque) {
            return;
        }
        let name = Name::predicate(format!("{} == NULL", ir::print::lvalue(program, &lvalue)));
        let n = self.slots.len();
        self.by_lvalue.insert(lvalue.clone(), n);
        self.by_cell.entry(cell).or_default().push(n);
        self.by_var.entry(var).or_default().push(n);
        self.slots.push(Slot { lvalue, cell, name, owner: program.vars[var].proc() });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter()
    }

    /// The slot that the lvalue names.
    pub(crate) fn named(&self, lv: &Lvalue) -> Option<&Slot> {
        self.by_lvalue.get(lv).map(|n| &self.slots[*n])
    }

    /// The slots of a variable.
    pub(crate) fn of(&self, v: VarId) -> impl Iterator<Item = &Slot> {
        self.by_var.get(&v).into_iter().flatten().map(|n| &self.slots[*n])
    }

    /// The slots of a cell that a procedure can name.
    pub(crate) fn in_cell(&self, cell: CellId, p: ProcId) -> impl Iterator<Item = &Slot> {
        let all = self.by_cell.get(&cell).into_iter().flatten().map(|n| &self.slots[*n]);
        all.filter(move |s| s.owner.is_none_or(|q| q == p))
    }

    /// All slots that a procedure can name.
    pub(crate) fn in_scope(&self, p: ProcId) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(move |s| s.owner.is_none_or(|q| q == p))
    }

    /// The variables declared in a procedure, or globally.
    pub(crate) fn declared(&self, owner: Option<ProcId>) -> Vec<Ident> {
        self.slots.iter().filter(|s| s.owner == owner).map(Slot::ident).collect()
    }
}

/// The pointers in the location, by constant paths of members.
fn collect(program: &Program, lv: Lvalue, out: &mut Vec<Lvalue>) -> Option<()> {
    match &lv.ty {
        Type::Ptr(_) => out.push(lv),
        // Members of unions are several views of the same bytes.
        Type::Record(r) if !program.records[*r].is_union => {
            for member in program.members(&lv, *r) {
                collect(program, member, out)?;
            }
        }
        _ => {}
    }
    (out.len() <= MOST_MEMBERS).then_some(())
}
