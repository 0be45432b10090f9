//! The alias oracle: the one object that answers questions about memory (docs/guide/assumptions.md, 3-6).
//!
//! An oracle belongs to the program it was made from; a pass that changes edges needs a new one. Every scalar
//! lvalue belongs to exactly one cell. Guarantees: different cells never overlap (unless opaque), and an edge
//! changes no cell outside of [`AliasOracle::edge_mods`]. The answers depend on the points-to analysis of
//! `points_to`; places and layouts are those of `places`.

use super::cells::{CellId, CellKind, CellSet};
use super::classes::{self, Classes};
use super::constraints::Constraints;
use super::mod_ref::{self, ModRef};
use super::places::{PlaceId, Places};
use super::points_to::Solution;
use crate::points_to::block_operations::BlockCell;
use base::IndexVec;
use ir::expr::Expr;
use ir::program::{EdgeId, HavocKind, Op, ProcId, Program, VarId};
use ir::types::RecordId;
use std::collections::BTreeSet;

/// Which points-to analysis answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum AliasMode {
    /// Everything whose address is taken may alias, as far as types let it.
    None,
    /// One-level flow (\[Das00\]): directional at the top level of pointers, unification below.
    #[default]
    Das,
    /// Inclusion at all levels.
    Andersen,
}

/// A target of pointers. One `Var` or `Heap` stands for many instances when its procedure runs often.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A variable.
    Var(VarId),
    /// The memory of one allocation edge.
    Heap(ProcId, EdgeId),
    /// A procedure.
    Func(ProcId),
    /// Something that only undefined functions allocate.
    External,
}

/// The possible targets of a pointer, NULL left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PointsTo {
    /// Known targets, sorted.
    pub objects: Vec<Object>,
    /// It may also point to every object that escaped to undefined functions or into integers, to
    /// [`Object::External`], or nowhere valid.
    pub unknown: bool,
}

impl PointsTo {
    /// Adds what another pointer may point to, in no order.
    pub fn add(&mut self, other: PointsTo) {
        self.unknown |= other.unknown;
        self.objects.extend(other.objects);
    }
}

/// Answers about the memory of one program. Immutable; share it freely between threads.
#[derive(Clone, Debug)]
pub struct AliasOracle {
    places: Places,
    solution: Solution,
    classes: Classes,
    mod_ref: ModRef,
    followed: BTreeSet<VarId>,
}

/// The number of the cell of everything that is not modelled exactly.
pub(super) const OPAQUE: usize = 0;

impl AliasOracle {
    /// Analyses the program.
    pub fn new(program: &Program, mode: AliasMode) -> AliasOracle {
        let constraints = Constraints::solve(program, mode);
        let unknown_write = constraints.solver.unknown_write;
        let edges = constraints.edges;
        let (places, accesses, sites, solution) = constraints.solver.finish();
        let together = crate::points_to::block_operations::copied_alike(program, &places, &solution, &edges);
        let classes = classes::build(program, &places, &accesses, &solution, &together, unknown_write);
        let followed = followed(program);
        let mut oracle = AliasOracle { places, solution, classes, mod_ref: ModRef::default(), followed };
        oracle.mod_ref = mod_ref::compute(program, &oracle, &edges, &sites);
        super::faults::spoil(program, &mut oracle.mod_ref);
        let reachable = reachable(program, &oracle);
        oracle.mod_ref.callbacks.retain(|(p, ..)| reachable[*p]);
        oracle
    }

    /// Whether the expression reads the object that a rule follows ([`HavocKind::Followed`]), which may not be there yet: a
    /// new object is not apart from it.
    pub fn follows(&self, e: &Expr) -> bool {
        match e {
            Expr::Old(e) => self.follows(e),
            Expr::Load(lv) => lv.as_var().is_some_and(|v| self.followed.contains(&v)),
            _ => false,
        }
    }

    /// A number of bytes, at least 1, that divides the distance of each scalar of the object from its start.
    pub fn stride(&self, object: Object) -> u64 {
        let Some(known) = self.places.find_object(object).filter(|o| !self.places.is_blob(o.root)) else {
            return 1;
        };
        let ty = &self.places.places[known.root].ty;
        ty.as_ref().and_then(|ty| self.places.stride(ty)).unwrap_or(1)
    }

    /// How the cell is represented.
    pub fn cell_kind(&self, c: CellId) -> &CellKind {
        &self.classes.kinds[c]
    }

    /// Number of cells; their ids are 0 to this number.
    pub fn cells(&self) -> usize {
        self.classes.kinds.len()
    }

    /// All cells in order.
    pub fn cell_ids(&self) -> impl DoubleEndedIterator<Item = CellId> + ExactSizeIterator + use<> {
        self.classes.kinds.ids()
    }

    /// Cells that undefined functions can read and write.
    pub fn escaped(&self) -> &CellSet {
        &self.mod_ref.escaped
    }

    /// Whether the cell holds locals that no pointer reaches, so that each activation has its own instance and
    /// calls cannot change it.
    pub fn is_private(&self, c: CellId) -> bool {
        self.classes.private[c]
    }

    /// Cells that an execution of the procedure may write, calls included; cells of every scope: globals, locals of
    /// callers reached through pointers, its own locals (but not its callees' private ones).
    pub fn mods(&self, p: ProcId) -> &CellSet {
        &self.mod_ref.mods[p]
    }

    /// Cells that an execution of the procedure may read, calls included.
    pub fn refs(&self, p: ProcId) -> &CellSet {
        &self.mod_ref.refs[p]
    }

    /// Cells that this one edge may write. For a call: its destination and everything that the callees write that
    /// the caller can name or reach; for a call of a procedure without body everything that escaped to undefined
    /// functions anywhere (its pointer arguments did). For block operations all cells of the bytes that the
    /// pointer can lead to: a written byte range need not agree with the layout, so these become arbitrary unless
    /// the asker knows better.
    pub fn edge_mods(&self, p: ProcId, e: EdgeId) -> &CellSet {
        &self.mod_ref.edge_mods[p][e]
    }

    /// For an allocation or block operation the cells in the bytes that it writes, with their places in them. A cell of
    /// [`edge_mods`](Self::edge_mods) that is not here can lie anywhere.
    pub fn block_cell(&self, p: ProcId, e: EdgeId, cell: CellId) -> Option<BlockCell> {
        self.mod_ref.block_cells.get(&(p, e))?.get(&cell).copied()
    }

    /// Cells that this one edge may read, callees included.
    pub fn edge_refs(&self, p: ProcId, e: EdgeId) -> &CellSet {
        &self.mod_ref.edge_refs[p][e]
    }

    /// Whether some pointer may hold the address of the variable or of a part of it.
    pub fn address_taken(&self, v: VarId) -> bool {
        let obj = self.places.find_object(Object::Var(v));
        obj.is_some_and(|o| o.places.iter().any(|p| self.classes.taken[*p]))
    }

    /// Whether the procedure stands on a cycle of the call graph; undefined functions call what escaped to them.
    pub fn is_recursive(&self, p: ProcId) -> bool {
        self.mod_ref.recursive[p]
    }

    /// The procedures with body that the procedure calls itself, sorted.
    pub fn called_by(&self, p: ProcId) -> &[ProcId] {
        &self.mod_ref.callees[p]
    }

    /// Calls of undefined functions that executions can reach, in order, when procedures' addresses escape to such:
    /// with the procedures that they may call back.
    pub fn callbacks(&self) -> &[(ProcId, EdgeId, Vec<ProcId>)] {
        &self.mod_ref.callbacks
    }

    /// Whether several instances of the variable can exist at a time: locals of recursive procedures.
    pub fn has_many_instances(&self, v: VarId) -> bool {
        self.mod_ref.many[v]
    }

    pub(super) fn is_union(&self, r: RecordId) -> bool {
        self.places.is_union(r)
    }

    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    pub(super) fn solution(&self) -> &Solution {
        &self.solution
    }

    pub(super) fn cell_of_place(&self, place: PlaceId) -> CellId {
        self.classes.cell_of[place]
    }
}

/// The variables with the objects that rules follow.
fn followed(program: &Program) -> BTreeSet<VarId> {
    let is_followed = |op: &Op| matches!(op, Op::Havoc(_, HavocKind::Followed));
    let edges = program.edges().filter(|(_, _, edge)| is_followed(&edge.op));
    edges.filter_map(|(_, _, edge)| edge.op.destination()?.as_var()).collect()
}

/// The procedures with a body that executions can enter, callbacks from undefined functions included.
pub fn reachable(program: &Program, oracle: &AliasOracle) -> IndexVec<ProcId, bool> {
    let mut seen = IndexVec::from_elem(false, program.procs.len());
    let mut pending = vec![program.entry];
    while let Some(p) = pending.pop() {
        if std::mem::replace(&mut seen[p], true) {
            continue;
        }
        pending.extend_from_slice(oracle.called_by(p));
        for (_, _, targets) in oracle.callbacks().iter().filter(|(caller, ..)| *caller == p) {
            pending.extend_from_slice(targets);
        }
    }
    seen
}
