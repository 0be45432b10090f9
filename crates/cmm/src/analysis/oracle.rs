//! The alias oracle: the one object that answers questions about memory (c-semantics.md, Assumptions 3 to 6).
//!
//! An oracle belongs to the program it was made from; a pass that changes edges needs a new one. Every scalar lvalue
//! belongs to exactly one cell. Whoever asks may rely on: different cells never overlap (unless opaque), and
//! an edge changes no cell outside of [`AliasOracle::edge_mods`].

use super::cells::{CellId, CellKind, CellSet};
use super::visit;
use crate::expr::{Access, Base, Expr, Lvalue};
use crate::program::{Callee, EdgeId, Op, ProcId, Program, VarId};
use crate::types::Type;
use base::{Id, IndexVec};
use std::collections::BTreeMap;

/// Which points-to analysis answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum AliasMode {
    /// Everything whose address is taken may alias.
    None,
    /// One-level flow ([Das00]): directional at the top level of pointers, unification below.
    #[default]
    Das,
}

/// What a pointer can point into. One `Var` or `Heap` stands for many instances when its procedure runs often.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A variable.
    Var(VarId),
    /// What one allocation edge allocates.
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

/// Answers about the memory of one program. Immutable; share it freely between threads.
#[derive(Clone, Debug)]
pub struct AliasOracle {
    kinds: IndexVec<CellId, CellKind>,
    by_path: BTreeMap<(VarId, Vec<Access>), CellId>,
    address_taken: IndexVec<VarId, bool>,
    taken: Vec<Object>,
    funcs_taken: Vec<ProcId>,
    unions: Vec<bool>,
    edge_mods: IndexVec<ProcId, IndexVec<EdgeId, CellSet>>,
    mods: IndexVec<ProcId, CellSet>,
    refs: IndexVec<ProcId, CellSet>,
    recursive: IndexVec<ProcId, bool>,
    callbacks: Vec<(ProcId, EdgeId, Vec<ProcId>)>,
}

/// The cell of everything that is not modelled exactly.
const OPAQUE: usize = 0;

impl AliasOracle {
    /// Analyses the program.
    pub fn new(program: &Program, mode: AliasMode) -> AliasOracle {
        let _ = mode;
        let mut oracle = AliasOracle::empty(program);
        oracle.collect_addresses(program);
        oracle.make_cells(program);
        oracle.summarise(program);
        oracle
    }

    /// The cell of a scalar lvalue. Works for lvalues that do not occur in the program as well (in predicates); it
    /// is an opaque cell when the oracle cannot tell.
    pub fn cell(&self, lv: &Lvalue) -> CellId {
        let Base::Var(v) = lv.base else { return CellId::from_index(OPAQUE) };
        self.by_path.get(&(v, skeleton(&lv.path))).copied().unwrap_or(CellId::from_index(OPAQUE))
    }

    /// How the cell is represented.
    pub fn cell_kind(&self, c: CellId) -> &CellKind {
        &self.kinds[c]
    }

    /// Number of cells; their ids are 0 to this number.
    pub fn cells(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the two scalar lvalues, evaluated in one state and one frame, can be the same location or overlap.
    pub fn may_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        let (ca, cb) = (self.cell(a), self.cell(b));
        if ca != cb {
            return false;
        }
        if *self.cell_kind(ca) == CellKind::Opaque {
            return true;
        }
        !matches!((&a.base, &b.base), (Base::Var(x), Base::Var(y)) if x != y || paths_differ(&a.path, &b.path))
    }

    /// Whether the two scalar lvalues, evaluated in one state and one frame, are certainly the same location.
    pub fn must_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        a == b && !matches!(self.cell_kind(self.cell(a)), CellKind::Opaque)
    }

    /// What a pointer-valued expression can point to.
    pub fn points_to(&self, pointer: &Expr) -> PointsTo {
        match pointer {
            Expr::Const(0, _) => PointsTo::default(),
            Expr::Func(p, _) => PointsTo { objects: vec![Object::Func(*p)], unknown: false },
            Expr::AddrOf(lv) if matches!(lv.base, Base::Var(_)) => {
                let Base::Var(v) = lv.base else { unreachable!("the guard has looked") };
                PointsTo { objects: vec![Object::Var(v)], unknown: false }
            }
            _ => PointsTo { objects: self.taken.clone(), unknown: true },
        }
    }

    /// The procedures that a function pointer can hold, sorted; true when it may hold unknown ones also.
    pub fn callees(&self, function_pointer: &Expr) -> (Vec<ProcId>, bool) {
        match function_pointer {
            Expr::Func(p, _) => (vec![*p], false),
            _ => (self.funcs_taken.clone(), true),
        }
    }

    /// Cells that an execution of the procedure may write, calls included; cells of every scope: globals, locals of
    /// callers reached through pointers, its own locals.
    pub fn mods(&self, p: ProcId) -> &CellSet {
        &self.mods[p]
    }

    /// Cells that an execution of the procedure may read, calls included.
    pub fn refs(&self, p: ProcId) -> &CellSet {
        &self.refs[p]
    }

    /// Cells that this one edge may write. For a call: its destination and everything that the callees write; for
    /// a call of a procedure without body everything that its pointer arguments reach and what escaped before.
    pub fn edge_mods(&self, p: ProcId, e: EdgeId) -> &CellSet {
        &self.edge_mods[p][e]
    }

    /// Whether some pointer may hold the address of the variable or of a part of it.
    pub fn address_taken(&self, v: VarId) -> bool {
        self.address_taken[v]
    }

    /// Whether the procedure stands on a cycle of the call graph.
    pub fn is_recursive(&self, p: ProcId) -> bool {
        self.recursive[p]
    }

    /// Calls of undefined functions that procedures' addresses reach: the function may call them back. Sorted by
    /// place.
    pub fn callbacks(&self) -> &[(ProcId, EdgeId, Vec<ProcId>)] {
        &self.callbacks
    }
}

impl AliasOracle {
    fn empty(program: &Program) -> AliasOracle {
        AliasOracle {
            kinds: IndexVec::from_vec(vec![CellKind::Opaque]),
            by_path: BTreeMap::new(),
            address_taken: IndexVec::from_elem(false, program.vars.len()),
            taken: vec![],
            funcs_taken: vec![],
            unions: program.records.iter().map(|r| r.is_union).collect(),
            edge_mods: IndexVec::new(),
            mods: IndexVec::new(),
            refs: IndexVec::new(),
            recursive: IndexVec::from_elem(true, program.procs.len()),
            callbacks: vec![],
        }
    }

    fn collect_addresses(&mut self, program: &Program) {
        let mut funcs = vec![false; program.procs.len()];
        for (pid, proc) in program.procs.iter_enumerated() {
            for (eid, edge) in proc.edges.iter_enumerated() {
                if matches!(edge.op, Op::Alloc { .. }) {
                    self.taken.push(Object::Heap(pid, eid));
                }
                visit::evaluated(&edge.op, &mut |e| {
                    e.walk(&mut |node| match node {
                        Expr::AddrOf(lv) => {
                            if let Base::Var(v) = lv.base {
                                self.address_taken[v] = true;
                            }
                        }
                        Expr::Func(p, _) => funcs[p.index()] = true,
                        _ => {}
                    });
                });
            }
        }
        self.funcs_taken = program.procs.ids().filter(|p| funcs[p.index()]).collect();
        self.taken.extend(self.address_taken.ids().filter(|v| self.address_taken[*v]).map(Object::Var));
        self.taken.extend(self.funcs_taken.iter().map(|p| Object::Func(*p)));
        self.taken.sort_unstable();
        for (pid, proc) in program.procs.iter_enumerated() {
            for (eid, edge) in proc.edges.iter_enumerated() {
                if let Op::Call { callee: Callee::Direct(q), .. } = &edge.op
                    && !program.procs[*q].has_body
                    && !self.funcs_taken.is_empty()
                {
                    self.callbacks.push((pid, eid, self.funcs_taken.clone()));
                }
            }
        }
    }

    fn make_cells(&mut self, program: &Program) {
        for proc in &program.procs {
            for edge in &proc.edges {
                if let Some(lv) = visit::destination(&edge.op) {
                    self.make_cell(lv);
                }
                visit::evaluated(&edge.op, &mut |e| {
                    e.walk(&mut |node| {
                        if let Expr::Load(lv) = node {
                            self.make_cell(lv);
                        }
                    });
                });
            }
        }
    }

    fn make_cell(&mut self, lv: &Lvalue) {
        let Base::Var(v) = lv.base else { return };
        let through_union =
            lv.path.iter().any(|a| matches!(a, Access::Field(r, _) if self.unions[r.index()]));
        let key = (v, skeleton(&lv.path));
        if self.address_taken[v] || through_union || self.by_path.contains_key(&key) {
            return;
        }
        let indexed = lv.path.iter().any(|a| matches!(a, Access::Index(_)));
        let kind = if indexed {
            CellKind::Map { ty: lv.ty.clone() }
        } else {
            CellKind::Scalar { var: v, path: lv.path.clone(), ty: lv.ty.clone() }
        };
        let cell = self.kinds.push(kind);
        self.by_path.insert(key, cell);
    }

    /// Whatever is called may write everything global or opaque and all of its own: coarse and sound.
    fn summarise(&mut self, program: &Program) {
        let mut all = CellSet::new();
        self.kinds.ids().for_each(|c| {
            all.insert(c);
        });
        self.mods = IndexVec::from_elem(all.clone(), program.procs.len());
        self.refs = IndexVec::from_elem(all.clone(), program.procs.len());
        for proc in &program.procs {
            let mods = proc.edges.iter().map(|edge| match &edge.op {
                Op::Call { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => all.clone(),
                Op::Free(_) => [CellId::from_index(OPAQUE)].into_iter().collect(),
                op => visit::destination(op).map(|lv| self.cell(lv)).into_iter().collect(),
            });
            let mods = mods.collect();
            self.edge_mods.push(mods);
        }
    }
}

/// The path with every index replaced by 0.
fn skeleton(path: &[Access]) -> Vec<Access> {
    path.iter()
        .map(|a| match a {
            Access::Index(_) => Access::Index(Expr::int(0)),
            field @ Access::Field(..) => field.clone(),
        })
        .collect()
}

/// Whether two paths from one variable certainly lead to different places.
fn paths_differ(a: &[Access], b: &[Access]) -> bool {
    a.iter().zip(b).any(|pair| match pair {
        (Access::Index(Expr::Const(i, Type::Int(_))), Access::Index(Expr::Const(j, Type::Int(_)))) => i != j,
        (Access::Field(_, i), Access::Field(_, j)) => i != j,
        _ => false,
    })
}
