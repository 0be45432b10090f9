//! Initialisation of memory that pointers reach, by watching one place of it that each run picks
//! nondeterministically.
//!
//! Two ghost globals hold the address of the watched place, in an allocated object or a local, and whether
//! something was written there. A copy of memory may hand the watch on, nondeterministically, so that bytes
//! without a value are followed to where they are read. Any place that is read before it is written is the
//! watched place of some run, in which nothing was written there: so proofs may assume that a read finds a
//! value unless it reads the watched place and nothing was written there ([`Step::Check`]'s `known`).
//! Executions query the object itself, which is exact.
//!
//! Invariant: watched places hold scalars that are always accessed at one type and from their first byte on, so
//! two accesses meet exactly if their addresses are equal; or they are single bytes, in objects where that does
//! not hold, and in those that such objects are copied to.

use super::definite_assignment::{Initialised, is_literal};
use super::must_written::Written;
use crate::checks::places;
use alias::{AliasOracle, CellKind, Object, PointsTo};
use ir::convert::difference_type;
use ir::edit::{Step, ghost};
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::extent::simplified;
use ir::program::{EdgeId, HavocKind, Op, ProcId, Program, VarKind};
use ir::types::{IntType, Type};
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// The ghosts, and the objects whose places may be watched.
pub(crate) struct Placed {
    ghosts: Option<Ghosts>,
    /// With the size of the largest scalar in each.
    objects: BTreeMap<Object, u64>,
    bytes: Bytes,
    /// Whether everything that is copied comes from these objects, or from some that are written.
    follows_copies: bool,
}

/// The objects whose places are single bytes: all that are accessed at several types, and those that such are
/// copied to.
#[derive(Default)]
struct Bytes {
    objects: BTreeSet<Object>,
    all: bool,
}

impl Bytes {
    fn add(&mut self, targets: PointsTo) {
        self.all |= targets.unknown;
        self.objects.extend(targets.objects);
    }

    fn is(&self, o: &Object) -> bool {
        self.all || self.objects.contains(o)
    }

    /// Whether some of these may be such an object.
    fn has(&self, targets: &PointsTo) -> bool {
        self.all || targets.unknown && !self.objects.is_empty() || targets.objects.iter().any(|o| self.is(o))
    }
}

struct Ghosts {
    place: Lvalue,
    set: Lvalue,
    /// The position in its object of the place that the run may pick, in steps of the alignment of all scalars.
    distance: Lvalue,
    /// Whether a copy has taken the watch with it.
    moved: Lvalue,
}

/// The context of the analysis.
pub(crate) struct About<'a> {
    pub(crate) program: &'a Program,
    pub(crate) oracle: &'a AliasOracle,
    pub(crate) initialised: &'a Initialised,
    /// Whether everything in the object is written before anybody has its address.
    pub(crate) is_written: &'a dyn Fn(&Object) -> bool,
    /// Whether other ghosts cover the location.
    pub(crate) is_told: &'a dyn Fn(&Lvalue) -> bool,
}

const BYTE: Type = Type::Int(IntType { bits: 8, signed: true });

impl Placed {
    /// Adds the ghosts to `out`, where some read needs them; `written` only where reads of memory that nothing has written are
    /// looked for.
    pub(crate) fn new(out: &mut Program, about: &About<'_>, written: Option<&Written<'_>>) -> Placed {
        let mut this =
            Placed { ghosts: None, objects: BTreeMap::new(), bytes: Bytes::default(), follows_copies: false };
        let Some(written) = written else { return this };
        let wanted = about.wanted(written);
        let mut sources = PointsTo::default();
        for (_, _, edge) in about.program.edges() {
            if let Op::MemCopy { src, .. } = &edge.op
                && !is_literal(about.program, src)
            {
                sources.add(about.oracle.points_to(src));
            }
        }
        let candidates = wanted.iter().chain(&sources.objects).copied();
        this.objects = candidates.filter(|o| about.has_start(*o)).map(|o| (o, 1)).collect();
        about.leave_out_unfit(&mut this.objects);
        this.bytes = about.bytes();
        this.follows_copies = !sources.unknown && sources.objects.iter().all(|o| this.knows(about, o));
        if wanted.iter().any(|o| this.objects.contains_key(o)) {
            let long = difference_type(about.program.model);
            let span = about.program.procs[about.program.entry].span;
            let mut global = |wish, ty| ghost(out, wish, ty, span);
            this.ghosts = Some(Ghosts {
                place: global("place__", Type::Void.ptr_to()),
                set: global("place__set", Type::INT),
                distance: global("place__distance", long),
                moved: global("place__moved", Type::INT),
            });
        }
        this
    }

    /// The allocated objects whose places may be watched, as far as their sizes are computed.
    pub(crate) fn of_any_size(&self, program: &Program) -> Vec<Object> {
        let is_computed = |o: &&Object| match o {
            Object::Heap(p, e) => match &program.procs[*p].edges[*e].op {
                Op::Alloc { size, .. } => size.as_const().is_none(),
                _ => false,
            },
            _ => false,
        };
        self.objects.keys().filter(is_computed).copied().collect()
    }

    /// Whether the object's places may be watched, or are written.
    fn knows(&self, about: &About<'_>, o: &Object) -> bool {
        self.objects.contains_key(o) || (about.is_written)(o)
    }

    /// A condition for proofs about a read of the location: it finds a value, unless this is false. `None`
    /// where nothing is known.
    pub(crate) fn known(&self, about: &About<'_>, lv: &Lvalue, copied: bool) -> Option<Expr> {
        let ghosts = self.ghosts.as_ref()?;
        let targets = about.targets(lv);
        if targets.unknown
            || copied && !self.follows_copies
            || !targets.objects.iter().all(|o| self.knows(about, o))
        {
            return None;
        }
        let size = self.watchable(about, &targets, lv);
        Some(ghosts.is_part_of(about, lv, size).negated().or(is_set(&ghosts.set)))
    }

    /// Nothing is watched when the program starts.
    pub(crate) fn at_start(&self) -> Vec<Step> {
        let Some(Ghosts { place, set, distance, moved }) = &self.ghosts else { return vec![] };
        let zero = |lv: &Lvalue| Step::Op(Op::Assign(lv.clone(), Expr::Const(0, lv.ty.clone())));
        [place, set, distance, moved].into_iter().map(zero).collect()
    }

    /// At the start of a procedure: a place in one of its locals may become the watched one.
    pub(crate) fn at_entry(&self, (program, oracle): (&Program, &AliasOracle), p: ProcId) -> Vec<Step> {
        let locals = program.procs[p].locals.iter().filter(|v| self.objects.contains_key(&Object::Var(**v)));
        let picks = locals.flat_map(|v| {
            let size = program.size_of(&program.vars[*v].ty).unwrap_or(0);
            let size = Expr::Const(i128::from(size), difference_type(program.model));
            self.pick(program.lvalue(*v).addr(), size, self.stride(oracle, Object::Var(*v)))
        });
        picks.collect()
    }

    /// Behind an allocation: a place in it may become the watched one.
    pub(crate) fn allocated(
        &self,
        oracle: &AliasOracle,
        (p, e): (ProcId, EdgeId),
        dest: &Lvalue,
        size: &Expr,
    ) -> Vec<Step> {
        if !self.objects.contains_key(&Object::Heap(p, e)) {
            return vec![];
        }
        self.pick(dest.clone().load(), size.clone(), self.stride(oracle, Object::Heap(p, e)))
    }

    /// A number of bytes that divides the distance of each place of the object from its start.
    fn stride(&self, oracle: &AliasOracle, o: Object) -> u64 {
        if self.bytes.is(&o) { 1 } else { oracle.stride(o) }
    }

    /// A place in the object of this size that begins here may become the watched one, where scalars may begin.
    fn pick(&self, start: Expr, size: Expr, stride: u64) -> Vec<Step> {
        let Some(Ghosts { place, set, distance, .. }) = &self.ghosts else { return vec![] };
        let null = |e: &Expr| Expr::Const(0, e.ty());
        let at = distance.clone().load();
        let idle = Expr::binary(BinOp::Eq, place.clone().load(), null(&place.clone().load()));
        let given = match &start {
            Expr::AddrOf(_) => None,
            start => Some(Expr::binary(BinOp::Ne, start.clone(), null(start))),
        };
        let from_start = Expr::binary(BinOp::Ge, at.clone(), null(&at));
        let size = size.cast(at.ty());
        let in_front = |at: &Expr| Expr::binary(BinOp::Lt, at.clone(), size.clone());
        let mut inside = from_start.and(in_front(&at));
        let mut at = at;
        if stride > 1 {
            // The number of places before it is smaller than the size, so the product does not overflow.
            let bytes = Expr::Const(i128::from(stride), at.ty());
            at = Expr::binary(BinOp::Mul, at, bytes);
            inside = inside.and(in_front(&at));
        }
        let condition = given.into_iter().fold(idle, Expr::and).and(inside);
        let picked = Op::Assign(place.clone(), moved(start, at));
        let unset = Op::Assign(set.clone(), Expr::int(0));
        let choice = HavocKind::Analysis("the place in an object that is watched".into());
        vec![Step::Op(Op::Havoc(distance.clone(), choice)), Step::Maybe(condition, vec![picked, unset])]
    }

    /// The updates in front of the operation, for what it writes: addresses are those that it writes at.
    pub(crate) fn before(&self, about: &About<'_>, op: &Op) -> Vec<Step> {
        let Some(ghosts) = &self.ghosts else { return vec![] };
        match op {
            Op::Call { .. } | Op::Havoc(_, HavocKind::Uninit) => vec![],
            Op::MemSet { ptr, len, .. } => match self.largest(&about.oracle.points_to(ptr)) {
                Some(unit) => vec![Step::When(ghosts.covered(about, ptr, len, unit), set_to(&ghosts.set, 1))],
                None => vec![],
            },
            Op::MemCopy { dst, src, len } => self.copied(about, ghosts, (dst, src, len)),
            _ => op.destination().map_or(vec![], |lv| self.written(about, ghosts, lv)),
        }
    }

    /// The updates behind the operation, for what it has written.
    pub(crate) fn after(&self, about: &About<'_>, op: &Op) -> Vec<Step> {
        let Some(ghosts) = &self.ghosts else { return vec![] };
        match op {
            Op::Call { dest: Some(lv), .. } => self.written(about, ghosts, lv),
            Op::Havoc(lv, HavocKind::Uninit) => match lv.base {
                Base::Var(v) if self.objects.contains_key(&Object::Var(v)) => {
                    let start = about.program.lvalue(v).addr();
                    vec![Step::When(ghosts.is_in(about, &start), set_to(&ghosts.set, 0))]
                }
                _ => vec![],
            },
            _ => vec![],
        }
    }

    fn written(&self, about: &About<'_>, ghosts: &Ghosts, lv: &Lvalue) -> Vec<Step> {
        let targets = about.targets(lv);
        if self.largest(&targets).is_none() {
            return vec![];
        }
        let size = self.watchable(about, &targets, lv);
        vec![Step::When(ghosts.is_part_of(about, lv, size), set_to(&ghosts.set, 1))]
    }

    /// How many of the location's first bytes may be the watched place.
    fn watchable(&self, about: &About<'_>, targets: &PointsTo, lv: &Lvalue) -> u64 {
        if self.bytes.has(targets) { about.program.size_of(&lv.ty).unwrap_or(1) } else { 1 }
    }

    fn copied(
        &self,
        about: &About<'_>,
        ghosts: &Ghosts,
        (dst, src, len): (&Expr, &Expr, &Expr),
    ) -> Vec<Step> {
        let [from, to] = [src, dst].map(|e| self.largest(&about.oracle.points_to(e)));
        let mut out = vec![];
        let stays = || {
            let moved = ghosts.moved.clone().load();
            Expr::binary(BinOp::Eq, moved, Expr::int(0))
        };
        if from.is_some() {
            let there = Op::Assign(ghosts.place.clone(), moved(dst.clone(), ghosts.behind(src)));
            let goes = vec![there, set_to(&ghosts.moved, 1)];
            out.push(Step::Op(set_to(&ghosts.moved, 0)));
            out.push(Step::Maybe(ghosts.covered(about, src, len, 1), goes));
        }
        if let Some(unit) = to {
            let whole = ghosts.covered(about, dst, len, unit);
            let part = ghosts.touched(about, dst, len, unit).and(whole.clone().negated());
            let only = |condition: Expr| if from.is_some() { stays().and(condition) } else { condition };
            out.push(Step::When(only(whole), set_to(&ghosts.set, 1)));
            if unit > 1 {
                out.push(Step::When(only(part), set_to(&ghosts.set, 0)));
            }
        }
        out
    }

    /// The size of the largest place in those of the objects whose places may be watched; `None` when none may.
    fn largest(&self, targets: &PointsTo) -> Option<u64> {
        let unit = |(o, size): (&Object, &u64)| if self.bytes.is(o) { 1 } else { *size };
        let is_meant = |(o, _): &(&Object, &u64)| targets.unknown || targets.objects.contains(o);
        self.objects.iter().filter(is_meant).map(unit).max()
    }
}

impl Ghosts {
    /// The place is in the pointer's object.
    fn is_in(&self, about: &About<'_>, pointer: &Expr) -> Expr {
        let start = |e: &Expr| {
            let whole = || Expr::Unary(UnOp::Start, Box::new(e.clone()), Type::Void.ptr_to());
            simplified(about.program, UnOp::Start, e, &|v| v).unwrap_or_else(whole)
        };
        Expr::binary(BinOp::Eq, start(&self.place.clone().load()), start(pointer))
    }

    /// The condition that the place is one of the first `size` bytes of the location.
    fn is_part_of(&self, about: &About<'_>, lv: &Lvalue, size: u64) -> Expr {
        if size == 1 {
            return Expr::binary(BinOp::Eq, self.place.clone().load(), address(lv));
        }
        let size = Expr::Const(i128::from(size), self.distance.ty.clone());
        self.touched(about, &address(lv), &size, 1)
    }

    /// How many bytes behind the pointer the place is.
    fn behind(&self, pointer: &Expr) -> Expr {
        let bytes = |e: Expr| e.cast(BYTE.ptr_to());
        let (from, to) = (Box::new(bytes(pointer.clone())), Box::new(bytes(self.place.clone().load())));
        Expr::Binary(BinOp::PtrDiff, to, from, self.distance.ty.clone())
    }

    /// `unit` bytes at the place are among the `len` behind the pointer.
    fn covered(&self, about: &About<'_>, pointer: &Expr, len: &Expr, unit: u64) -> Expr {
        let at = self.behind(pointer);
        let number = |n: u64| Expr::Const(i128::from(n), at.ty());
        let last = Expr::binary(BinOp::Sub, len.clone().cast(at.ty()), number(unit));
        let from_start = Expr::binary(BinOp::Ge, at.clone(), number(0));
        self.is_in(about, pointer).and(from_start).and(Expr::binary(BinOp::Le, at, last))
    }

    /// Some of the `unit` bytes at the place are.
    fn touched(&self, about: &About<'_>, pointer: &Expr, len: &Expr, unit: u64) -> Expr {
        let at = self.behind(pointer);
        let first = Expr::Const(-i128::from(unit), at.ty());
        let behind = Expr::binary(BinOp::Gt, at.clone(), first);
        self.is_in(about, pointer).and(behind).and(Expr::binary(
            BinOp::Lt,
            at.clone(),
            len.clone().cast(at.ty()),
        ))
    }
}

impl About<'_> {
    /// The objects that reads need to know more of.
    fn wanted(&self, written: &Written<'_>) -> BTreeSet<Object> {
        let mut out = BTreeSet::new();
        for (p, proc) in self.program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
            for edge in &proc.edges {
                visit::loads(&edge.op, &mut |lv| {
                    let Base::Deref(_) = &lv.base else { return };
                    let copied = self.initialised.copied().reaches(self.oracle, lv);
                    let targets = self.targets(lv);
                    if targets.unknown || (self.is_told)(lv) || !copied && written.covers((p, edge.src), lv) {
                        return;
                    }
                    if copied || !targets.objects.iter().all(|o| (self.is_written)(o)) {
                        out.extend(targets.objects);
                    }
                });
            }
        }
        out
    }

    /// The objects that the location may be a part of.
    fn targets(&self, lv: &Lvalue) -> PointsTo {
        match &lv.base {
            Base::Var(v) => PointsTo { objects: vec![Object::Var(*v)], unknown: false },
            Base::Deref(p) => self.oracle.points_to(p),
        }
    }

    /// Whether the place where the object begins its life is known, and nothing is written there then.
    fn has_start(&self, o: Object) -> bool {
        match o {
            Object::Heap(p, e) => match &self.program.procs[p].edges[e].op {
                Op::Alloc { zeroed: false, size, dest, .. } => {
                    let mut depends = false;
                    size.loads(&mut |lv| depends |= self.oracle.may_alias(dest, lv));
                    !depends && !(self.is_written)(&o)
                }
                _ => false,
            },
            Object::Var(v) => match self.program.vars[v].kind {
                VarKind::Local(p) => {
                    self.oracle.address_taken(v)
                        && !self.initialised.is_renewed(v)
                        && !self.oracle.is_recursive(p)
                        && !(self.is_written)(&o)
                }
                _ => false,
            },
            Object::Func(_) | Object::External => false,
        }
    }

    /// Leaves out the objects that are accessed in part, or as more than scalars; notes the sizes of the others.
    fn leave_out_unfit(&self, objects: &mut BTreeMap<Object, u64>) {
        self.accesses(|lv| {
            let targets = self.targets(lv);
            let is_whole = lv.ty.is_scalar() && places::bit_field(self.program, lv).is_none();
            let size = self.program.size_of(&lv.ty).filter(|_| is_whole);
            for o in &targets.objects {
                match size {
                    Some(size) => _ = objects.entry(*o).and_modify(|most| *most = size.max(*most)),
                    None => _ = objects.remove(o),
                }
            }
            // Where it may be any of them, nothing fits.
            if targets.unknown && size.is_none() {
                objects.clear();
            }
        });
    }

    fn bytes(&self) -> Bytes {
        let mut bytes = Bytes::default();
        self.accesses(|lv| {
            if *self.oracle.cell_kind(self.oracle.cell(lv)) == CellKind::Opaque {
                bytes.add(self.targets(lv));
            }
        });
        loop {
            let before = (bytes.objects.len(), bytes.all);
            for (_, _, edge) in self.program.edges() {
                if let Op::MemCopy { dst, src, .. } = &edge.op
                    && bytes.has(&self.oracle.points_to(src))
                {
                    bytes.add(self.oracle.points_to(dst));
                }
            }
            if before == (bytes.objects.len(), bytes.all) {
                return bytes;
            }
        }
    }

    /// Everything that is read or written by name or through a pointer.
    fn accesses(&self, mut look: impl FnMut(&Lvalue)) {
        for (_, _, edge) in self.program.edges() {
            visit::loads(&edge.op, &mut look);
            edge.op.destination().into_iter().for_each(&mut look);
        }
    }
}

/// The pointer plus `by` bytes.
fn moved(pointer: Expr, by: Expr) -> Expr {
    Expr::binary(BinOp::PtrAdd, pointer.cast(BYTE.ptr_to()), by).cast(Type::Void.ptr_to())
}

/// The address of the location's first byte.
fn address(lv: &Lvalue) -> Expr {
    places::pointer_to(lv.clone()).cast(Type::Void.ptr_to())
}

fn is_set(set: &Lvalue) -> Expr {
    Expr::binary(BinOp::Ne, set.clone().load(), Expr::int(0))
}

fn set_to(ghost: &Lvalue, value: i128) -> Op {
    Op::Assign(ghost.clone(), Expr::int(value))
}
