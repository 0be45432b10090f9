//! The only place that creates decision-diagram variables and knows their order.
//!
//! Every program variable has a slot, and every slot four diagram variables next to each other: the value at
//! the procedure's entry, the current value, the value after a step, and a scratch copy in which a callee's
//! formals and results meet the caller's expressions. Slots are numbered per procedure: globals first (the
//! same in all procedures), then formals, locals and returned values; so there are as many as one scope needs,
//! not as many as the program has variables. Every renaming stays inside the slots and thus keeps the order.

use base::IndexVec;
use bdd::Var;
use bp::{Cfg, ProcId, VarId};

/// A position in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Slot(pub(crate) usize);

impl Slot {
    pub(crate) fn entry(self) -> Var {
        self.copy(0)
    }

    pub(crate) fn current(self) -> Var {
        self.copy(1)
    }

    pub(crate) fn next(self) -> Var {
        self.copy(2)
    }

    pub(crate) fn scratch(self) -> Var {
        self.copy(3)
    }

    fn copy(self, which: usize) -> Var {
        Var((4 * self.0 + which) as u16)
    }

    /// The slot of a diagram variable.
    pub(crate) fn of(var: Var) -> Slot {
        Slot(var.0 as usize / 4)
    }
}

/// Which slot each variable has.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    vars: IndexVec<VarId, Slot>,
    first_result: IndexVec<ProcId, usize>,
    slots: usize,
}

impl Space {
    pub(crate) fn new(cfg: &Cfg) -> Space {
        let mut vars = IndexVec::from_elem(Slot(0), cfg.vars.len());
        for (i, g) in cfg.globals.iter().enumerate() {
            vars[*g] = Slot(i);
        }
        let mut slots = cfg.globals.len();
        let mut first_result = IndexVec::new();
        for proc in &cfg.procs {
            let mut next = cfg.globals.len();
            for v in proc.formals.iter().chain(&proc.locals) {
                vars[*v] = Slot(next);
                next += 1;
            }
            first_result.push(next);
            slots = slots.max(next + proc.returns);
        }
        Space { vars, first_result, slots }
    }

    pub(crate) fn slot(&self, var: VarId) -> Slot {
        self.vars[var]
    }

    /// The slot of the `k`-th returned value.
    pub(crate) fn result(&self, proc: ProcId, k: usize) -> Slot {
        Slot(self.first_result[proc] + k)
    }

    /// The slots of all returned values.
    pub(crate) fn results(&self, cfg: &Cfg, proc: ProcId) -> impl Iterator<Item = Slot> + use<> {
        let first = self.first_result[proc];
        (first..first + cfg.procs[proc].returns).map(Slot)
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// How many diagram variables that makes.
    pub(crate) fn diagram_vars(&self) -> usize {
        4 * self.slots
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.slots).map(Slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    #[test]
    fn slots_are_those_of_one_scope() {
        let program = bp::random::template(50);
        let (cfg, _) = Cfg::build(&program, None).expect("the template is well-formed");
        let space = Space::new(&cfg);
        assert_eq!(space.slots(), 4);
        assert_eq!(space.slot(VarId::from_index(0)), Slot(0));
    }
}
