//! Flow-insensitive facts about the values of pointers: an analysis over the oracle's cells that joins
//! everything that is ever stored in a cell.
//!
//! Invariant: a pointer read from a cell is NULL or fits the cell's shape. Memory that is read before it is written
//! has no shape, unless a check stands before the read.

use super::places;
use super::uninit::definite_assignment::Initialised;
use alias::{AliasOracle, CellId, CellKind};
use base::IndexVec;
use interp::Fixed;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Callee, EdgeId, EdgeKind, HavocKind, Op, ProcId, Program, VarKind};
use ir::types::Type;
use std::collections::BTreeSet;

/// At most this many times the number of bytes of a cell may shrink before it becomes unknown.
const PATIENCE: u8 = 8;

/// Facts about a pointer that is not NULL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// It points inside of an object, which has at least this many bytes from there on.
    pub(crate) bytes: u64,
    /// It is the start of something that `malloc` gave.
    pub(crate) start: bool,
    /// It is the start of an object, which need not be one of those.
    pub(crate) begins: bool,
    /// It was made from an address of the program's or one from outside, perhaps by moving it.
    pub(crate) made: bool,
    /// It was made from a number that the program takes for an address: it leads to memory of a machine, which is there.
    pub(crate) fixed: bool,
    /// It is not NULL in the first place.
    pub(crate) present: bool,
    /// It may have no value at all. An access through such a pointer is undefined, but it does not reach an
    /// object whose life is over; the other fields are about the values that it may have.
    pub(crate) garbage: bool,
}

impl Shape {
    /// The shape of a cell in which nothing is stored.
    const NOTHING: Shape = Shape {
        bytes: u64::MAX,
        start: true,
        begins: true,
        made: true,
        fixed: true,
        present: true,
        garbage: false,
    };
    const NULL: Shape = Shape { present: false, ..Shape::NOTHING };
    const OBJECT: Shape = Shape { fixed: false, ..Shape::NOTHING };
    const UNKNOWN: Shape =
        Shape { bytes: 0, start: false, begins: false, made: false, fixed: false, ..Shape::NULL };
    /// Memory that holds nothing but values from outside: its reader knows their type.
    const OUTSIDE: Shape = Shape { start: false, begins: false, fixed: false, garbage: true, ..Shape::NULL };
    const GARBAGE: Shape = Shape { bytes: 0, fixed: false, garbage: true, ..Shape::NULL };

    /// An unknown pointer from outside, of this type: it points to an object of the target type, if that has a
    /// size.
    fn from_outside(program: &Program, ty: &Type) -> Shape {
        let bytes = ty.pointee().and_then(|to| program.size_of(to)).unwrap_or(0);
        Shape { bytes, made: true, ..Shape::UNKNOWN }
    }

    fn join(self, other: Shape) -> Shape {
        Shape {
            bytes: self.bytes.min(other.bytes),
            start: self.start && other.start,
            begins: self.begins && other.begins,
            made: self.made && other.made,
            fixed: self.fixed && other.fixed,
            present: self.present && other.present,
            garbage: self.garbage || other.garbage,
        }
    }

    /// Moved by an unknown distance.
    fn somewhere(self) -> Shape {
        Shape { bytes: 0, start: false, begins: false, ..self }
    }

    fn moved(self, by: i128) -> Shape {
        match u64::try_from(by) {
            Ok(0) => self,
            Ok(by) => Shape { bytes: self.bytes.saturating_sub(by), start: false, begins: false, ..self },
            Err(_) => self.somewhere(),
        }
    }
}

/// The shapes of all cells.
pub(crate) struct Shapes<'a> {
    cells: IndexVec<CellId, Shape>,
    shrunk: IndexVec<CellId, u8>,
    numbers: Fixed,
    /// Procedures whose objects have contents before others see them, so that their earlier contents are never
    /// read.
    covered: &'a BTreeSet<ProcId>,
    /// Of these, the procedures whose objects have at least one byte.
    strings: &'a BTreeSet<ProcId>,
    /// A pointer into an array that is a member of a record has no more bytes than that.
    by_member: bool,
}

impl<'a> Shapes<'a> {
    /// `made`: see [`Wanted`](super::Wanted) for procedures that are covered, and those that make strings. `by_member`:
    /// objects end with the array member that a pointer was made from.
    pub(crate) fn new(
        program: &Program,
        oracle: &AliasOracle,
        initialised: &Initialised,
        made: (&'a BTreeSet<ProcId>, &'a BTreeSet<ProcId>),
        by_member: bool,
    ) -> Shapes<'a> {
        let mut this = Shapes {
            cells: IndexVec::from_elem(Shape::NOTHING, oracle.cells()),
            shrunk: IndexVec::from_elem(0, oracle.cells()),
            numbers: Fixed::of(program),
            covered: made.0,
            strings: made.1,
            by_member,
        };
        let outside = !keeps_addresses(program, oracle);
        for c in oracle.cell_ids() {
            if matches!(oracle.cell_kind(c), CellKind::Opaque) {
                this.cells[c] = if outside { Shape::OUTSIDE } else { Shape::UNKNOWN };
            }
        }
        this.zeros(program, oracle);
        this.garbage(program, oracle, initialised);
        for (_, _, targets) in oracle.callbacks() {
            for p in targets {
                this.forget_formals(program, oracle, *p);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (p, e, edge) in program.edges() {
                changed |= this.edge(program, oracle, (p, e), &edge.op, edge.kind);
            }
        }
        this
    }

    /// Pointers in memory that begins with zeros: globals, unless all of their pointers are assigned before they are read.
    fn zeros(&mut self, program: &Program, oracle: &AliasOracle) {
        let preset = super::uninit::initialiser_prefix::globals(program);
        let globals = program.vars.iter_enumerated().filter(|(_, var)| matches!(var.kind, VarKind::Global));
        for (v, _) in globals.filter(|(v, _)| !preset.contains(v)) {
            self.lower_all(program, oracle, program.lvalue(v), Shape::NULL);
        }
    }

    /// Pointers in locals that may be read before they are written. Where reads of uninitialised memory are looked for, an
    /// execution that reads such a local ends at the check before.
    fn garbage(&mut self, program: &Program, oracle: &AliasOracle, initialised: &Initialised) {
        for (v, var) in program.vars.iter_enumerated() {
            if !matches!(var.kind, VarKind::Local(_) | VarKind::Return(_)) {
                continue;
            }
            if initialised.checks_reads() && matches!(var.kind, VarKind::Local(_)) {
                continue;
            }
            let parts = initialised.parts().of(v);
            if parts.is_empty() {
                self.lower_all(program, oracle, program.lvalue(v), Shape::GARBAGE);
            }
            for part in parts {
                let lv = initialised.parts().lvalue(part);
                if lv.ty.is_ptr() && initialised.may_be_garbage(program, v, part) {
                    let shape = &mut self.cells[oracle.cell(lv)];
                    *shape = shape.join(Shape::GARBAGE);
                }
            }
        }
    }

    /// All pointers inside of a location may have this shape.
    fn lower_all(&mut self, program: &Program, oracle: &AliasOracle, lv: Lvalue, shape: Shape) {
        let mut work = vec![lv];
        while let Some(lv) = work.pop() {
            match &lv.ty {
                Type::Ptr(_) => _ = self.lower(oracle.cell(&lv), shape),
                Type::Array(elem, _) => {
                    let elem = (**elem).clone();
                    work.push(lv.step(Access::Index(Expr::int(0)), elem));
                }
                Type::Record(r) => work.extend(program.members(&lv, *r)),
                _ => {}
            }
        }
    }

    fn forget_formals(&mut self, program: &Program, oracle: &AliasOracle, p: ProcId) -> bool {
        let mut changed = false;
        for v in &program.procs[p].formals {
            changed |= self.store(oracle, &program.lvalue(*v), Shape::UNKNOWN);
        }
        changed
    }

    fn store(&mut self, oracle: &AliasOracle, lv: &Lvalue, shape: Shape) -> bool {
        lv.ty.is_ptr() && self.lower(oracle.cell(lv), shape)
    }

    fn lower(&mut self, cell: CellId, shape: Shape) -> bool {
        let old = self.cells[cell];
        let mut new = old.join(shape);
        if new == old {
            return false;
        }
        if new.bytes != old.bytes {
            self.shrunk[cell] = self.shrunk[cell].saturating_add(1);
            if self.shrunk[cell] > PATIENCE {
                new.bytes = 0;
            }
        }
        self.cells[cell] = new;
        true
    }

    fn edge(
        &mut self,
        program: &Program,
        oracle: &AliasOracle,
        (p, e): (ProcId, EdgeId),
        op: &Op,
        kind: EdgeKind,
    ) -> bool {
        match op {
            Op::Assign(lv, value) if lv.ty.is_ptr() => {
                let shape = self.of(program, oracle, value);
                self.store(oracle, lv, shape)
            }
            // The effect of this on locals was handled before.
            Op::Havoc(lv, HavocKind::Uninit) if matches!(lv.base, Base::Var(_)) => false,
            Op::Havoc(lv, kind) if kind.may_point() || matches!(kind, HavocKind::Unmodelled(_)) => {
                self.store(oracle, lv, Shape::from_outside(program, &lv.ty))
            }
            Op::Havoc(lv, _) => self.store(oracle, lv, Shape::UNKNOWN),
            Op::Call { dest, callee, args } => {
                self.call(program, oracle, (p, e), dest.as_ref(), callee, args)
            }
            Op::Alloc { dest, size, zeroed, may_fail } => {
                let least = u64::from(self.strings.contains(&p));
                let bytes = size.as_const().and_then(|n| u64::try_from(n).ok()).unwrap_or(least);
                let shape =
                    Shape { bytes, start: kind != EdgeKind::Internal, present: !may_fail, ..Shape::OBJECT };
                let mut changed = self.store(oracle, dest, shape);
                let (contents, begins) = match zeroed {
                    true => (oracle.edge_mods(p, e).iter().collect(), Shape::NULL),
                    false if self.covered.contains(&p) => (vec![], Shape::GARBAGE),
                    false => (
                        super::uninit::fresh_allocations::unwritten(program, oracle, p, e, dest),
                        Shape::GARBAGE,
                    ),
                };
                for c in contents.into_iter().filter(|c| *c != oracle.cell(dest)) {
                    changed |= self.lower(c, begins);
                }
                changed
            }
            // Pointers that become zero as a whole are NULL.
            Op::MemSet { byte: Expr::Const(0, _), len, .. } if clears_whole(program, oracle, (p, e), len) => {
                self.written(oracle, (p, e), Shape::NULL)
            }
            Op::MemSet { .. } | Op::MemCopy { .. } => self.written(oracle, (p, e), Shape::UNKNOWN),
            Op::Assign(..)
            | Op::Skip
            | Op::Assume(_)
            | Op::Check(..)
            | Op::Free(_)
            | Op::Inspect { .. }
            | Op::Output { .. } => false,
        }
    }

    /// Joins values from outside into what the operation writes.
    fn supplied(&mut self, program: &Program, oracle: &AliasOracle, (p, e): (ProcId, EdgeId)) -> bool {
        let mut changed = false;
        for c in oracle.edge_mods(p, e).iter() {
            let shape = match oracle.cell_kind(c) {
                CellKind::Scalar { ty, .. } | CellKind::Map { ty } => Shape::from_outside(program, ty),
                CellKind::Opaque => Shape::OUTSIDE,
            };
            changed |= self.lower(c, shape);
        }
        changed
    }

    /// Joins this shape into what the operation writes.
    fn written(&mut self, oracle: &AliasOracle, (p, e): (ProcId, EdgeId), shape: Shape) -> bool {
        let mut changed = false;
        for c in oracle.edge_mods(p, e).iter() {
            changed |= self.lower(c, shape);
        }
        changed
    }

    fn call(
        &mut self,
        program: &Program,
        oracle: &AliasOracle,
        (p, e): (ProcId, EdgeId),
        dest: Option<&Lvalue>,
        callee: &Callee,
        args: &[Expr],
    ) -> bool {
        let (targets, unknown) = oracle.called(callee);
        let mut changed = false;
        if unknown {
            for f in program.procs.ids() {
                changed |= self.forget_formals(program, oracle, f);
            }
        }
        let mut result = if unknown { Shape::UNKNOWN } else { Shape::NOTHING };
        for f in targets {
            let proc = &program.procs[f];
            if !proc.has_body {
                changed |= self.supplied(program, oracle, (p, e));
                let from_outside = dest.map(|lv| Shape::from_outside(program, &lv.ty));
                result = result.join(from_outside.unwrap_or(Shape::UNKNOWN));
                continue;
            }
            for (formal, arg) in proc.formals.iter().zip(args) {
                let shape = self.of(program, oracle, arg);
                changed |= self.store(oracle, &program.lvalue(*formal), shape);
            }
            if proc.formals.len() > args.len() {
                changed |= self.forget_formals(program, oracle, f);
            }
            if let Some(ret) = proc.ret.filter(|r| program.vars[*r].ty.is_ptr()) {
                result = result.join(self.cells[oracle.cell(&program.lvalue(ret))]);
            } else {
                result = Shape::UNKNOWN;
            }
        }
        if let Some(dest) = dest {
            changed |= self.store(oracle, dest, result);
        }
        changed
    }

    /// The shape of a pointer's value.
    pub(crate) fn of(&self, program: &Program, oracle: &AliasOracle, e: &Expr) -> Shape {
        match e {
            Expr::Const(0, _) => Shape::NULL,
            Expr::Load(lv) if lv.ty.is_ptr() => {
                let cell = oracle.cell(lv);
                let shape = self.cells[cell];
                match oracle.cell_kind(cell) {
                    CellKind::Opaque => {
                        let told = Shape::from_outside(program, &lv.ty).bytes;
                        Shape { bytes: shape.bytes.min(told), ..shape }
                    }
                    CellKind::Scalar { .. } | CellKind::Map { .. } => shape,
                }
            }
            Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() => self.of(program, oracle, inner),
            Expr::AddrOf(lv) => {
                let start = match &lv.base {
                    Base::Var(v) => {
                        let bytes = program.size_of(&program.vars[*v].ty).unwrap_or(0);
                        Shape { bytes, start: false, ..Shape::OBJECT }
                    }
                    Base::Deref(p) => self.of(program, oracle, p),
                };
                let shape = match places::offset(program, lv) {
                    Some(by) => start.moved(by),
                    None => start.somewhere(),
                };
                match super::members::room(program, lv).filter(|_| self.by_member) {
                    Some(room) => Shape { bytes: shape.bytes.min(room), ..shape },
                    None => shape,
                }
            }
            Expr::Const(..) => Shape { bytes: 0, start: false, begins: false, ..Shape::NOTHING },
            Expr::Func(..) => Shape { bytes: 0, start: false, begins: false, ..Shape::OBJECT },
            Expr::Binary(BinOp::PtrAdd, p, i, _) => {
                let from = self.of(program, oracle, p);
                let size = match p.ty().pointee() {
                    Some(Type::Void | Type::Func(_)) => Some(1),
                    Some(to) => program.size_of(to),
                    None => None,
                };
                match (&**i, size) {
                    (Expr::Const(i, _), Some(size)) => from.moved(i.saturating_mul(i128::from(size))),
                    _ => from.somewhere(),
                }
            }
            // It leads to an object whose address was made a number, or to memory that has a number and nothing else.
            Expr::Cast(_, Type::Ptr(_)) if !oracle.points_to(e).unknown => {
                let fixed = oracle.points_to(e).objects.is_empty() && self.numbers.holds(e);
                Shape { bytes: 0, start: false, begins: false, fixed, ..Shape::NULL }
            }
            Expr::Cast(..) if self.numbers.holds(e) && oracle.points_to(e).objects.is_empty() => {
                Shape { bytes: 0, start: false, begins: false, ..Shape::NULL }
            }
            _ => Shape::UNKNOWN,
        }
    }
}

/// Whether memory that is accessed at several types or lies outside may get something from the program that,
/// read as a pointer, is not a pointer from outside: an address of the program's own, a number, parts of one.
fn keeps_addresses(program: &Program, oracle: &AliasOracle) -> bool {
    let opaque = |c: CellId| matches!(oracle.cell_kind(c), CellKind::Opaque);
    let stores = |lv: &Lvalue| opaque(oracle.cell(lv));
    program.edges().any(|(p, e, edge)| match &edge.op {
        Op::Assign(lv, value) => {
            stores(lv) && !(lv.ty.is_ptr() && oracle.points_to(value).objects.is_empty())
        }
        Op::Call { dest: Some(lv), .. } => {
            stores(lv) && !(lv.ty.is_ptr() && oracle.points_to(&lv.clone().load()).objects.is_empty())
        }
        Op::Havoc(lv, _) => stores(lv) && !lv.ty.is_ptr(),
        Op::MemSet { byte: Expr::Const(0, _), .. } => false,
        Op::MemCopy { .. } | Op::MemSet { .. } => oracle.edge_mods(p, e).iter().any(opaque),
        op => op.destination().is_some_and(stores),
    })
}

/// Whether a block operation of `len` bytes covers each pointer that it touches as a whole.
fn clears_whole(program: &Program, oracle: &AliasOracle, (p, e): (ProcId, EdgeId), len: &Expr) -> bool {
    let size = i128::from(program.model.pointer_bits() / 8);
    let whole = |c: CellId| match oracle.cell_kind(c) {
        CellKind::Scalar { ty, .. } | CellKind::Map { ty } if ty.is_ptr() => oracle
            .block_cell(p, e, c)
            .is_some_and(|block| block.aligned && i128::from(block.step) % size == 0),
        _ => true,
    };
    matches!(len, Expr::Const(n, _) if n % size == 0) && oracle.edge_mods(p, e).iter().all(whole)
}
