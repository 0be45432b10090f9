//! Tables made once for a run: where each variable lives and which edges leave each location.
//!
//! A scalar variable whose address the program never takes is a register; the others are objects.

use crate::Fixed;
use base::IndexVec;
use ir::expr::{Base, Expr};
use ir::program::{EdgeId, LocId, Op, Proc, Program, VarId};
use ir::visit;
use std::sync::OnceLock;

/// The place of a variable; local numbers count from the start of the activation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    GlobalReg(u32),
    GlobalObject(u32),
    LocalReg(u32),
    LocalObject(u32),
}

/// How execution goes on from a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// There is no edge.
    Nothing,
    /// There is one edge.
    One(EdgeId),
    /// Two assumptions, the second the negation of the first.
    Either(EdgeId, EdgeId),
    /// Assumptions, and an edge that is the start of a chain of their negations: the labels of a `switch`, and the
    /// way to its default. The chain is a dead end where one of the labels fits.
    Switch(Vec<EdgeId>, EdgeId),
    /// Several edges.
    Any(Vec<EdgeId>),
}

/// Table for activations of a procedure.
pub(super) struct ProcTable {
    /// How many registers.
    pub(super) registers: usize,
    /// The variables that are objects.
    pub(super) objects: Vec<VarId>,
    /// For each location.
    pub(super) next: IndexVec<LocId, Next>,
}

/// The tables of a program.
pub(super) struct Layout {
    pub(super) slots: IndexVec<VarId, Slot>,
    pub(super) global_registers: usize,
    pub(super) global_objects: Vec<VarId>,
    pub(super) procs: Vec<ProcTable>,
    fixed: OnceLock<Fixed>,
}

impl Layout {
    pub(super) fn new(program: &Program) -> Layout {
        let needs_object = needs_object(program);
        let mut slots = IndexVec::from_elem(Slot::GlobalReg(0), program.vars.len());
        let mut assign = |vars: &mut dyn Iterator<Item = VarId>, global: bool| {
            let (mut registers, mut objects) = (0, vec![]);
            for v in vars {
                slots[v] = if needs_object[v] {
                    let n = objects.len() as u32;
                    objects.push(v);
                    if global { Slot::GlobalObject(n) } else { Slot::LocalObject(n) }
                } else {
                    registers += 1;
                    if global { Slot::GlobalReg(registers - 1) } else { Slot::LocalReg(registers - 1) }
                };
            }
            (registers as usize, objects)
        };
        let (global_registers, global_objects) = assign(&mut program.globals.iter().copied(), true);
        let procs = program.procs.iter().map(|proc| {
            let own = &mut proc.formals.iter().chain(&proc.locals).copied();
            let (registers, objects) = assign(own, false);
            ProcTable { registers, objects, next: next_table(proc) }
        });
        let procs = procs.collect();
        Layout { slots, global_registers, global_objects, procs, fixed: OnceLock::new() }
    }

    /// The numbers that are addresses of memory, computed when a run first needs them.
    pub(super) fn fixed(&self, program: &Program) -> &Fixed {
        self.fixed.get_or_init(|| Fixed::of(program))
    }
}

fn next_table(proc: &Proc) -> IndexVec<LocId, Next> {
    let condition = |e: EdgeId| if let Op::Assume(c) = &proc.edges[e].op { Some(c) } else { None };
    let next = |edges: &Vec<EdgeId>| match edges[..] {
        [] => Next::Nothing,
        [e] => Next::One(e),
        [a, b] => match (condition(a), condition(b)) {
            (Some(x), Some(y)) if x.clone().negated() == *y => Next::Either(a, b),
            (Some(x), Some(y)) if y.clone().negated() == *x => Next::Either(b, a),
            _ => Next::Any(edges.clone()),
        },
        [first, .., last] => match (condition(first), condition(last)) {
            (Some(x), Some(y))
                if x.clone().negated() == *y && edges.iter().all(|e| condition(*e).is_some()) =>
            {
                Next::Switch(edges[..edges.len() - 1].to_vec(), last)
            }
            _ => Next::Any(edges.clone()),
        },
    };
    proc.successors().iter().map(next).collect()
}

fn needs_object(program: &Program) -> IndexVec<VarId, bool> {
    let mut needed: IndexVec<VarId, bool> =
        program.vars.iter().map(|v| !v.ty.is_scalar() || v.data.is_some()).collect();
    let mut mark = |e: &Expr| {
        if let Expr::AddrOf(lv) = e
            && let Base::Var(v) = lv.base
        {
            needed[v] = true;
        }
    };
    for edge in program.procs.iter().flat_map(|p| &p.edges) {
        visit::nodes(&edge.op, &mut mark);
    }
    needed
}
