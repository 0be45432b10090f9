//! Origins of pointers: which may point behind the end of their object, and which certainly share one.

use super::reach::Reached;
use alias::{AliasOracle, CellId, CellSet, Object, PointsTo};
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Callee, EdgeId, HavocKind, LocId, Op, ProcId, Program, VarId, VarKind};
use ir::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// In longer procedures every location counts as one that is reached again.
const MAX_LOCATIONS: usize = 2000;

/// Why the value of a comparison is open.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Doubt {
    /// Pairs of string literals that compilers put at one place, one that the left and one that the right side may point into.
    pub(crate) literals: Vec<Shared>,
}

/// Two literals one of which is the end of the other one, or both are equal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Shared {
    pub(crate) left: VarId,
    pub(crate) right: VarId,
    /// How many bytes the right one starts behind the left one.
    pub(crate) shift: i64,
}

/// The origins of the pointers of a program.
pub(crate) struct Origins<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    /// Cells that may hold a pointer that is not the address of something inside an object.
    moved: CellSet,
    /// The objects that may be freed.
    freed: PointsTo,
    /// String literals that the program names a later element of.
    entered: BTreeSet<VarId>,
    reused: Reached,
    /// The values assigned to variables that no pointer reaches.
    values: BTreeMap<VarId, Vec<Value>>,
}

/// One value that a variable gets.
#[derive(Clone)]
enum Value {
    /// An expression, assigned once in an execution of the procedure, or more often.
    Expr(Expr, bool),
    /// Something else, in the same way.
    Other(bool),
}

/// The object from which a pointer is certainly derived.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Origin {
    /// A variable's own storage.
    Storage(VarId),
    /// The one value that this variable ever has in an execution of its procedure.
    Value(VarId),
}

impl<'a> Origins<'a> {
    pub(crate) fn new(program: &'a Program, oracle: &'a AliasOracle) -> Origins<'a> {
        let mut freed = PointsTo::default();
        for op in program.procs.iter().flat_map(|p| p.edges.iter()).map(|e| &e.op) {
            if let Op::Free(pointer) = op {
                let set = oracle.points_to(pointer);
                freed.unknown |= set.unknown;
                freed.objects.extend(set.objects);
            }
        }
        let mut this = Origins {
            program,
            oracle,
            moved: CellSet::new(),
            freed,
            entered: entered(program),
            reused: Reached::reused(program, oracle),
            values: BTreeMap::new(),
        };
        this.collect_values();
        while this.spread() {}
        this
    }

    /// Why the comparison is open; `None` when it is not.
    pub(crate) fn doubt(&self, p: ProcId, e: EdgeId, op: BinOp, left: &Expr, right: &Expr) -> Option<Doubt> {
        if self.is_one(left, right) {
            return None;
        }
        let (l, r) = (self.oracle.points_to(left), self.oracle.points_to(right));
        if self.share_one_object(&l, &r) {
            return None;
        }
        let moved = self.is_moved(left) || self.is_moved(right);
        let (literals, overlap) = self.shared_literals(&l, &r, moved);
        let stale = self.reused.at(self.program, p, e) && (self.may_be_freed(&l) || self.may_be_freed(&r));
        (op != BinOp::Eq || moved || stale || overlap).then_some(Doubt { literals })
    }

    /// Whether the pointers are certainly derived from the same.
    pub(crate) fn is_one(&self, left: &Expr, right: &Expr) -> bool {
        let base = self.base(left, 0);
        base.is_some() && base == self.base(right, 0)
    }

    fn share_one_object(&self, l: &PointsTo, r: &PointsTo) -> bool {
        let objects: BTreeSet<&Object> = l.objects.iter().chain(&r.objects).collect();
        let one = objects
            .iter()
            .all(|o| matches!(o, Object::Var(v) if !self.oracle.has_many_instances(*v) && !self.ends(*v)));
        !l.unknown && !r.unknown && objects.len() <= 1 && one
    }

    fn ends(&self, v: VarId) -> bool {
        self.freed.objects.contains(&Object::Var(v))
    }

    fn may_be_freed(&self, set: &PointsTo) -> bool {
        set.unknown || self.freed.unknown || set.objects.iter().any(|o| self.freed.objects.contains(o))
    }

    /// String literals that compilers put at one place, one on each side; and whether some may have bytes in common so that pointers
    /// into them are equal (C11 6.4.5p7). Pointers that are not moved stand at the start, unless the program names a later element.
    fn shared_literals(&self, l: &PointsTo, r: &PointsTo, moved: bool) -> (Vec<Shared>, bool) {
        let text = |o: &Object| match o {
            Object::Var(v) => self.program.vars[*v].data.as_ref().map(|data| (*v, data.clone())),
            _ => None,
        };
        let right: Vec<_> = r.objects.iter().filter_map(text).collect();
        let (mut shared, mut overlap) = (vec![], false);
        for (a, data) in l.objects.iter().filter_map(text) {
            for (b, other) in right.iter().filter(|(b, _)| a != *b) {
                let at_start = !moved && !self.entered.contains(&a) && !self.entered.contains(b);
                let ends =
                    if data.len() >= other.len() { data.ends_with(other) } else { other.ends_with(&data) };
                let shift = data.len() as i64 - other.len() as i64;
                if ends && (shift == 0 || !at_start) {
                    shared.push(Shared { left: a, right: *b, shift });
                }
                overlap |= ends && (shift == 0 || !at_start);
                overlap |= if at_start { begin_alike(&data, other) } else { may_overlap(&data, other) };
            }
        }
        (shared, overlap)
    }

    /// Whether the pointer may stand elsewhere than inside of an object.
    fn is_moved(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(..) | Expr::Func(..) => false,
            Expr::AddrOf(lv) => self.leaves(lv),
            Expr::Load(lv) => self.moved.contains(self.oracle.cell(lv)) || self.is_unclear(lv),
            Expr::Cast(inner, _) => !inner.ty().is_ptr() || self.is_moved(inner),
            Expr::Cond(_, a, b) => self.is_moved(a) || self.is_moved(b),
            _ => true,
        }
    }

    fn is_unclear(&self, lv: &Lvalue) -> bool {
        matches!(self.oracle.cell_kind(self.oracle.cell(lv)), alias::CellKind::Opaque)
    }

    /// Whether the address of the location may be that behind an object.
    fn leaves(&self, lv: &Lvalue) -> bool {
        let (start, mut ty) = match &lv.base {
            Base::Var(v) => (false, self.program.vars[*v].ty.clone()),
            Base::Deref(p) => (self.is_moved(p), p.ty().pointee().cloned().unwrap_or(Type::Void)),
        };
        let mut moved = start;
        for access in &lv.path {
            ty = match (access, ty) {
                (Access::Field(r, n), _) => self.program.field(*r, *n).ty.clone(),
                (Access::Index(i), Type::Array(elem, len)) => {
                    let inside =
                        matches!((i, len), (Expr::Const(i, _), Some(n)) if *i >= 0 && *i < i128::from(n));
                    moved |= !inside && !i.is_zero();
                    (*elem).clone()
                }
                (Access::Index(_), other) => other,
            };
        }
        moved
    }

    /// One round over all edges: where moved pointers are stored. Whether that was news.
    fn spread(&mut self) -> bool {
        let before = self.moved.iter().count();
        for (p, e, edge) in self.program.edges() {
            self.note(p, e, &edge.op);
        }
        self.moved.iter().count() > before
    }

    fn note(&mut self, p: ProcId, e: EdgeId, op: &Op) {
        match op {
            Op::Assign(lv, value) if lv.ty.is_ptr() && self.is_moved(value) => self.mark(lv),
            Op::Havoc(lv, kind) if lv.ty.is_ptr() && *kind != HavocKind::Uninit => self.mark(lv),
            Op::MemCopy { .. } if self.oracle.edge_refs(p, e).intersects(&self.moved) => self.mark_all(p, e),
            Op::Call { dest, callee, args } => self.note_call(p, e, dest.as_ref(), callee, args),
            _ => {}
        }
    }

    fn note_call(&mut self, p: ProcId, e: EdgeId, dest: Option<&Lvalue>, callee: &Callee, args: &[Expr]) {
        let (procs, unknown) = self.oracle.called(callee);
        for q in &procs {
            let proc = &self.program.procs[*q];
            if !proc.has_body {
                self.mark_all(p, e);
                continue;
            }
            for (formal, arg) in proc.formals.iter().zip(args) {
                if self.program.vars[*formal].ty.is_ptr() && self.is_moved(arg) {
                    self.mark(&self.program.lvalue(*formal));
                }
            }
            if let (Some(dest), Some(ret)) = (dest, proc.ret)
                && dest.ty.is_ptr()
                && self.moved.contains(self.oracle.cell(&self.program.lvalue(ret)))
            {
                self.mark(dest);
            }
        }
        if unknown {
            self.mark_all(p, e);
        }
    }

    fn mark(&mut self, lv: &Lvalue) {
        self.moved.insert(self.oracle.cell(lv));
    }

    fn mark_all(&mut self, p: ProcId, e: EdgeId) {
        let written: Vec<CellId> = self.oracle.edge_mods(p, e).iter().collect();
        written.into_iter().for_each(|c| _ = self.moved.insert(c));
    }

    /// Collects what variables get that only their own procedure can name.
    fn collect_values(&mut self) {
        for proc in self.program.procs.iter() {
            let cyclic = cyclic(proc);
            for edge in proc.edges.iter() {
                let once = !cyclic.contains(&edge.src);
                let (lv, value) = match &edge.op {
                    Op::Assign(lv, e) => (lv, Value::Expr(e.clone(), once)),
                    // Uninitialised values are not used.
                    Op::Havoc(_, HavocKind::Uninit) => continue,
                    op => match op.destination() {
                        Some(lv) => (lv, Value::Other(once)),
                        None => continue,
                    },
                };
                if let Base::Var(v) = lv.base {
                    self.values.entry(v).or_default().push(value);
                }
            }
        }
    }

    /// The object from which the pointer is derived, if that is certainly one.
    fn base(&self, e: &Expr, depth: u32) -> Option<Origin> {
        if depth > 8 {
            return None;
        }
        match e.uncast() {
            Expr::Binary(BinOp::PtrAdd, p, ..) => self.base(p, depth),
            Expr::AddrOf(lv) => match &lv.base {
                // Each iteration of a block has its own.
                Base::Var(v) => (!self.ends(*v)).then_some(Origin::Storage(*v)),
                Base::Deref(p) => self.base(p, depth),
            },
            Expr::Load(lv) if lv.ty.is_ptr() => self.base_of(lv.as_var()?, depth),
            _ => None,
        }
    }

    fn base_of(&self, v: VarId, depth: u32) -> Option<Origin> {
        if self.oracle.address_taken(v) || !self.program.vars[v].ty.is_ptr() {
            return None;
        }
        let given = self.values.get(&v).map_or(&[][..], Vec::as_slice);
        let formal = match self.program.vars[v].kind {
            VarKind::Formal(_) => true,
            VarKind::Local(_) | VarKind::Temp(_) => false,
            VarKind::Global | VarKind::Return(_) => return None,
        };
        // Its own value moved on stays in the object.
        let steps = |e: &Expr| self.is_step_of(e, v);
        let others: Vec<&Value> =
            given.iter().filter(|g| !matches!(g, Value::Expr(e, _) if steps(e))).collect();
        match others[..] {
            [] if formal => Some(Origin::Value(v)),
            _ if formal => None,
            [] => None,
            [Value::Other(once)] => once.then_some(Origin::Value(v)),
            [Value::Expr(e, once)] => self.base(e, depth + 1).or(once.then_some(Origin::Value(v))),
            _ => {
                let bases = others.iter().map(|g| match g {
                    Value::Expr(e, _) => self.base(e, depth + 1),
                    Value::Other(_) => None,
                });
                let bases: Vec<Option<Origin>> = bases.collect();
                bases[0].clone().filter(|first| bases.iter().all(|b| b.as_ref() == Some(first)))
            }
        }
    }

    /// `v + n`, `v - n`, the address of a part of what `v` points to: the same object as before.
    fn is_step_of(&self, e: &Expr, v: VarId) -> bool {
        match e.uncast() {
            Expr::Binary(BinOp::PtrAdd, p, ..) => self.is_step_of(p, v),
            Expr::AddrOf(lv) => matches!(&lv.base, Base::Deref(p) if self.is_step_of(p, v)),
            Expr::Load(lv) => lv.as_var() == Some(v) || self.is_copy_of(lv, v),
            _ => false,
        }
    }

    /// A temporary that only ever has a value derived from `v`, as `v++` makes it.
    fn is_copy_of(&self, lv: &Lvalue, v: VarId) -> bool {
        let Some(t) = lv.as_var() else { return false };
        let is_temp = matches!(self.program.vars[t].kind, VarKind::Temp(_));
        let given = self.values.get(&t).map_or(&[][..], Vec::as_slice);
        let derived = |g: &Value| match g {
            Value::Expr(e, _) => matches!(e.uncast(), Expr::Load(from) if from.as_var() == Some(v)),
            Value::Other(_) => false,
        };
        is_temp && !given.is_empty() && given.iter().all(derived)
    }
}

/// The locations that are on a cycle of the procedure.
fn cyclic(proc: &ir::program::Proc) -> BTreeSet<LocId> {
    if proc.locations.len() > MAX_LOCATIONS {
        return proc.locations.ids().collect();
    }
    let mut out = BTreeSet::new();
    let successors = proc.successors();
    for start in proc.locations.ids() {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<LocId> = successors[start].iter().map(|e| proc.edges[*e].dst).collect();
        while let Some(at) = todo.pop() {
            if at == start {
                out.insert(start);
                break;
            }
            if seen.insert(at) {
                todo.extend(successors[at].iter().map(|e| proc.edges[*e].dst));
            }
        }
    }
    out
}

/// The string literals for which the program names an element behind the first.
fn entered(program: &Program) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    for (_, _, edge) in program.edges() {
        ir::visit::nodes(&edge.op, &mut |node| {
            if let Expr::AddrOf(lv) = node
                && let Base::Var(v) = lv.base
                && program.vars[v].data.is_some()
                && lv.path.iter().any(|access| !matches!(access, Access::Index(i) if i.is_zero()))
            {
                out.insert(v);
            }
        });
    }
    out
}

/// Whether the bytes of the shorter one are those that the other one begins with.
fn begin_alike(a: &[u8], b: &[u8]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Whether the bytes that two literals have in common agree for some place of the one in the other.
fn may_overlap(a: &[u8], b: &[u8]) -> bool {
    // Without a NUL inside, only ends fit.
    let plain = |text: &[u8]| text.iter().rposition(|byte| *byte != 0) == text.len().checked_sub(2);
    let inside = |text: &[u8]| text[..text.len().saturating_sub(1)].contains(&0);
    if plain(a) && plain(b) && !inside(a) && !inside(b) {
        return a.ends_with(b) || b.ends_with(a);
    }
    let fits = |a: &[u8], b: &[u8]| (0..a.len()).any(|at| begin_alike(&a[at..], b));
    fits(a, b) || fits(b, a)
}
