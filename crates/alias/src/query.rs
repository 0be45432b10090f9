//! Queries to the alias oracle about expressions and lvalues, those of predicates included: evaluated over the
//! points-to solution, which does not change any more. About what the program does not contain, the oracle
//! knows nothing.

use super::cells::{CellId, CellKind};
use super::classes::{Reach, agree, path_place, reached};
use super::layout::Dest;
use super::oracle::{AliasOracle, OPAQUE, Object, PointsTo};
use super::places::{PlaceId, Role, Step};
use super::shape::{count, is_address, is_function, is_narrow, normal, own_cast};
use base::Id;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use ir::program::{Callee, ProcId};
use ir::types::Type;
use std::collections::BTreeSet;

impl AliasOracle {
    /// Whether a pointer that the program does not know may point to the object: undefined functions know its address, or
    /// it was made a number.
    pub fn is_known_outside(&self, object: Object) -> bool {
        self.places().find_object(object).is_some_and(|obj| obj.escaped || obj.exposed)
    }

    /// The cell of a scalar lvalue. Works for lvalues that do not occur in the program as well (in predicates);
    /// it is an opaque cell when the oracle does not know it.
    pub fn cell(&self, lv: &Lvalue) -> CellId {
        let opaque = CellId::from_index(OPAQUE);
        let reach = self.locate(lv);
        let mut cells = reach.leaves.iter().map(|leaf| self.cell_of_place(*leaf));
        let Some(cell) = cells.next().filter(|_| !reach.is_open()) else { return opaque };
        let fits = match self.cell_kind(cell) {
            CellKind::Scalar { ty, .. } | CellKind::Map { ty } => agree(ty, &lv.ty),
            CellKind::Opaque => false,
        };
        if fits && cells.all(|c| c == cell) { cell } else { opaque }
    }

    /// Whether the two scalar lvalues, evaluated in one state and one frame, can be the same location or overlap.
    pub fn may_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        let (a, b) = (&*normal(a), &*normal(b));
        if super::faults::apart(self, a, b) || !self.regions_meet(a, b) {
            return false;
        }
        let same_base = match (&a.base, &b.base) {
            (Base::Deref(p), Base::Deref(q)) if p != q => {
                return !self.elements_differ(p, q, &a.path, &b.path);
            }
            (x, y) => x == y,
        };
        !(same_base && self.paths_differ(a, b))
    }

    fn regions_meet(&self, a: &Lvalue, b: &Lvalue) -> bool {
        if let (Base::Var(x), Base::Var(y)) = (&a.base, &b.base)
            && x != y
        {
            return false;
        }
        let (ra, rb) = (self.locate(a), self.locate(b));
        let exposed = |reach: &Reach| reach.leaves.iter().any(|leaf| self.reachable_unknown(*leaf));
        // An index outside of its array, as in predicates, can name other parts of the object in the same cell.
        let loose = !(self.is_inside(a) && self.is_inside(b));
        let meet = |x: PlaceId, y: PlaceId| x == y || loose && self.in_one_map(x, y);
        ra.untracked
            || rb.untracked
            // Both in what no member covers.
            || ra.padding && rb.padding
            || ra.leaves.iter().any(|x| rb.leaves.iter().any(|y| meet(*x, *y)))
            || ra.unknown && (rb.unknown || exposed(&rb))
            || rb.unknown && exposed(&ra)
    }

    /// Whether the two scalar lvalues, evaluated in one state and one frame, are certainly the same location.
    pub fn must_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        let (a, b) = (&*normal(a), &*normal(b));
        if super::faults::together(a, b) {
            return true;
        }
        if a.base == b.base && a.path == b.path {
            return !matches!(self.cell_kind(self.cell(a)), CellKind::Opaque);
        }
        let (ra, rb) = (self.locate(a), self.locate(b));
        let ([x], [y]) = (&ra.leaves[..], &rb.leaves[..]) else { return false };
        !ra.is_open()
            && !rb.is_open()
            && !ra.roams
            && !rb.roams
            && x == y
            && self.is_one_location(*x)
            && self.cell(a) == self.cell(b)
            && self.cell(a).index() != OPAQUE
    }

    /// The points-to set of a pointer-valued expression.
    pub fn points_to(&self, pointer: &Expr) -> PointsTo {
        self.described(self.targets(pointer))
    }

    /// The objects that the places are in.
    pub(super) fn described(&self, places: impl IntoIterator<Item = PlaceId>) -> PointsTo {
        let mut out = PointsTo::default();
        for place in places {
            out.unknown |= place == self.places().external();
            out.objects.push(self.places().object_of(place).what);
        }
        out.objects.sort_unstable();
        out.objects.dedup();
        out
    }

    /// The procedures that a function pointer can hold, sorted; true when it may hold unknown ones also.
    pub fn callees(&self, function_pointer: &Expr) -> (Vec<ProcId>, bool) {
        let PointsTo { objects, unknown } = self.points_to(function_pointer);
        let procs = objects.into_iter().filter_map(|o| if let Object::Func(p) = o { Some(p) } else { None });
        (procs.collect(), unknown)
    }

    /// The procedures that a call can run, and whether it may run unknown ones also.
    pub fn called(&self, callee: &Callee) -> (Vec<ProcId>, bool) {
        match callee {
            Callee::Direct(p) => (vec![*p], false),
            Callee::Indirect(pointer) => self.callees(pointer),
        }
    }

    /// Whether a pointer of unknown origin can point into the variable.
    pub fn may_be_found(&self, v: ir::program::VarId) -> bool {
        let place = path_place(self.places(), Object::Var(v), &[]);
        place.is_none_or(|place| self.reachable_unknown(self.places().canon(place)))
    }

    /// Whether a pointer of unknown origin can point there.
    fn reachable_unknown(&self, leaf: PlaceId) -> bool {
        let obj = self.places().object_of(leaf);
        obj.escaped || obj.exposed
    }

    /// The places where an lvalue can be.
    fn locate(&self, lv: &Lvalue) -> Reach {
        let lv = normal(lv);
        match &lv.base {
            Base::Var(v) => match path_place(self.places(), Object::Var(*v), &lv.path) {
                Some(leaf) => Reach { leaves: vec![self.places().canon(leaf)], ..Reach::default() },
                None => Reach { untracked: true, ..Reach::default() },
            },
            Base::Deref(pointer) => {
                let targets: Vec<PlaceId> = self.targets(pointer).into_iter().collect();
                let pointee = pointer.ty().pointee().cloned().unwrap_or(Type::Void);
                reached(self.places(), &targets, &pointee, &lv.path, &lv.ty)
            }
        }
    }

    /// Whether the location may be in an object of the program.
    pub fn may_be_of_program(&self, lv: &Lvalue) -> bool {
        let reach = self.locate(lv);
        !reach.leaves.is_empty() || reach.untracked
    }

    /// Whether the leaf is exactly one location while it can be named or pointed to validly.
    fn is_one_location(&self, leaf: PlaceId) -> bool {
        let mut at = leaf;
        while let Role::Inside(parent, step) = self.places().places[at].role {
            if step == Step::Elem {
                return false;
            }
            at = parent;
        }
        matches!(self.places().object_of(leaf).what, Object::Var(v) if !self.has_many_instances(v))
    }

    /// The places that the value of an expression can be or carry; the external place stands for unknown ones.
    fn targets(&self, e: &Expr) -> BTreeSet<PlaceId> {
        let places = self.places();
        let unknown = || BTreeSet::from([places.external()]);
        match e {
            Expr::Float(..) => BTreeSet::new(),
            Expr::Const(v, t) if t.is_ptr() && is_address(*v, places.model.pointer_bits()) => unknown(),
            Expr::Const(..) => BTreeSet::new(),
            Expr::Load(lv) => self.loaded(lv),
            Expr::AddrOf(lv) => self.addressed(&normal(lv)),
            Expr::Func(p, _) => match places.find_object(Object::Func(*p)) {
                Some(obj) => BTreeSet::from([obj.root]),
                None => unknown(),
            },
            Expr::Old(x) => self.targets(x),
            Expr::Cond(_, a, b) => &self.targets(a) | &self.targets(b),
            Expr::Unary(UnOp::Not | UnOp::Left(_) | UnOp::Before(_), ..)
            | Expr::Binary(BinOp::And | BinOp::Or | BinOp::PtrDiff, ..) => BTreeSet::new(),
            // Its own object: from here it is any byte of that.
            Expr::Unary(_, x, _) => self.wild(x),
            Expr::Binary(op, ..) if op.is_comparison() => BTreeSet::new(),
            Expr::Binary(BinOp::PtrAdd, p, i, t) => {
                let elem = t.pointee().cloned().unwrap_or(Type::Void);
                let from = self.targets(p);
                let moved = self.arrivals(&from, |place| places.shifted(place, &elem, count(i)));
                if is_narrow(i, places.model.pointer_bits()) { moved } else { &moved | &self.wild(i) }
            }
            Expr::Binary(_, l, r, _) => &self.wild(l) | &self.wild(r),
            Expr::Cast(x, to) => match (x.ty(), to) {
                (Type::Float(_), _) | (_, Type::Float(_)) => BTreeSet::new(),
                (Type::Int(_) | Type::Math, Type::Ptr(_)) => {
                    match (own_cast(x, places.model.pointer_bits()), x.constant()) {
                        (Some(pointer), _) => self.targets(pointer),
                        (None, Some(v)) => self.targets(&Expr::Const(v, to.clone())),
                        (None, None) => {
                            let others = self.solution().numbers.iter().copied();
                            let code = if is_function(to) { unknown() } else { BTreeSet::new() };
                            self.wild(x).into_iter().chain(others).chain(code).collect()
                        }
                    }
                }
                _ => self.targets(x),
            },
        }
    }

    fn loaded(&self, lv: &Lvalue) -> BTreeSet<PlaceId> {
        let places = self.places();
        let reach = self.locate(lv);
        let mut out = BTreeSet::new();
        if reach.is_open() {
            out.insert(places.external());
        }
        for leaf in reach.leaves {
            if let Some(value) = places.places[leaf].value {
                out.extend(self.solution().set(value).iter().copied());
            } else if places.object_of(leaf).escaped {
                out.insert(places.external());
            }
        }
        out
    }

    fn addressed(&self, lv: &Lvalue) -> BTreeSet<PlaceId> {
        let places = self.places();
        match &lv.base {
            Base::Var(v) => {
                let Some(object) = places.find_object(Object::Var(*v)) else {
                    return BTreeSet::from([places.external()]);
                };
                let root = object.root;
                let ty = places.declared(root);
                self.arrivals(&BTreeSet::from([root]), |place| places.addressed(place, &ty, &lv.path))
            }
            Base::Deref(p) if lv.path.is_empty() => self.targets(p),
            Base::Deref(p) => {
                let elem = p.ty().pointee().cloned().unwrap_or(Type::Void);
                self.arrivals(&self.targets(p), |place| places.addressed(place, &elem, &lv.path))
            }
        }
    }

    fn wild(&self, e: &Expr) -> BTreeSet<PlaceId> {
        let from = self.targets(e);
        self.arrivals(&from, |place| {
            Some(if self.places().is_func(place) {
                Dest::At(self.places().cursor(place))
            } else {
                Dest::WILD
            })
        })
    }

    fn arrivals(
        &self,
        from: &BTreeSet<PlaceId>,
        compute: impl Fn(PlaceId) -> Option<Dest>,
    ) -> BTreeSet<PlaceId> {
        let places = self.places();
        let mut out = BTreeSet::new();
        for place in from {
            if let Some(dest) = compute(*place) {
                out.insert(places.find_dest(*place, &dest));
            }
        }
        out
    }

    /// Whether the leaves are parts of one object and in one memory map.
    fn in_one_map(&self, x: PlaceId, y: PlaceId) -> bool {
        let cell = self.cell_of_place(x);
        self.places().places[x].obj == self.places().places[y].obj
            && cell == self.cell_of_place(y)
            && cell.index() != OPAQUE
    }

    /// Whether two paths from one place lead to different locations. An index outside of its array leads into what
    /// lies beside it, so that nothing is known behind the first step that is not surely inside.
    fn paths_differ(&self, a: &Lvalue, b: &Lvalue) -> bool {
        let (ia, ib) = (self.indices(a), self.indices(b));
        let inside = |indices: &[Bounded], from: usize| indices[from..].iter().all(|i| i.is_inside());
        for (k, pair) in a.path.iter().zip(&b.path).enumerate() {
            let apart = match pair {
                (Access::Index(_), Access::Index(_)) => {
                    matches!((ia[k].value, ib[k].value), (Some(i), Some(j)) if i != j)
                        && inside(&ia, k)
                        && inside(&ib, k)
                }
                (Access::Field(r, i), Access::Field(_, j)) if i != j => {
                    return !self.places().is_union(*r) && inside(&ia, k) && inside(&ib, k);
                }
                (Access::Field(..), Access::Field(..)) => false,
                _ => return false,
            };
            if apart {
                return true;
            }
        }
        false
    }

    /// Whether the locations are the same only if their paths agree step by step: behind the first difference the
    /// indices of `read` are inside of their arrays, and so are those of `target`, which the program accesses.
    pub fn agree_by_steps(&self, target: &Lvalue, read: &Lvalue) -> bool {
        if target.base != read.base || target.path.len() != read.path.len() {
            return false;
        }
        let first = target.path.iter().zip(&read.path).position(|(a, b)| a != b).unwrap_or(0);
        let (it, ir) = (self.indices(target), self.indices(read));
        let single = target.path[first + 1..] == read.path[first + 1..];
        match target.path.get(first) {
            Some(Access::Index(_)) if single => true,
            Some(Access::Index(_)) => {
                it[first + 1..].iter().all(|i| i.is_taken_inside())
                    && ir[first + 1..].iter().all(Bounded::is_inside)
            }
            _ => {
                it[first..].iter().all(|i| i.is_taken_inside()) && ir[first..].iter().all(Bounded::is_inside)
            }
        }
    }

    /// Whether all indices of the path are constants inside of their arrays.
    fn is_inside(&self, lv: &Lvalue) -> bool {
        lv.path.iter().all(|a| matches!(a, Access::Field(..)))
            || self.indices(lv).iter().all(Bounded::is_inside)
    }

    /// The indices of a path, one for each step; those of fields are inside.
    fn indices(&self, lv: &Lvalue) -> Vec<Bounded> {
        let places = self.places();
        let mut ty = match &lv.base {
            Base::Var(v) => places.find_object(Object::Var(*v)).map(|o| places.declared(o.root)),
            Base::Deref(p) => p.ty().pointee().cloned(),
        };
        let mut out = vec![];
        for access in &lv.path {
            let step = match access {
                Access::Field(_, i) => {
                    out.push(Bounded { value: Some(0), len: Some(1) });
                    Step::Field(*i)
                }
                Access::Index(i) => {
                    let len = match &ty {
                        Some(Type::Array(_, len)) => *len,
                        _ => None,
                    };
                    let value = match i {
                        Expr::Const(v, Type::Math) => Some(*v),
                        i => i.constant(),
                    };
                    out.push(Bounded { value, len });
                    Step::Elem
                }
            };
            ty = ty.and_then(|ty| places.step_type(&ty, step));
        }
        out
    }

    /// Whether `p + i` and `p + j` are different elements, for different constants, or paths in two elements of
    /// one sequence that never meet.
    fn elements_differ(&self, p: &Expr, q: &Expr, a: &[Access], b: &[Access]) -> bool {
        let (p, i) = split_offset(p);
        let (q, j) = split_offset(q);
        let sized = p.ty().pointee().and_then(|t| self.places().size(t)).is_some_and(|size| 0 < size);
        let steps = |path: &[Access]| path.iter().all(|a| matches!(a, Access::Field(..))) || path.is_empty();
        p == q && sized && matches!((i, j), (Some(i), Some(j)) if i != j) && steps(a) && steps(b)
    }
}

/// An index and the length of its array, as far as they are known.
struct Bounded {
    value: Option<i128>,
    len: Option<u64>,
}

impl Bounded {
    fn is_inside(&self) -> bool {
        matches!((self.value, self.len), (Some(i), Some(n)) if (0..i128::from(n)).contains(&i))
    }

    /// Whether an access of the program at this index is undefined unless it is inside.
    fn is_taken_inside(&self) -> bool {
        self.is_inside() || self.value.is_none() && self.len.is_some_and(|n| 1 < n)
    }
}

fn split_offset(e: &Expr) -> (&Expr, Option<i64>) {
    match e {
        Expr::Binary(BinOp::PtrAdd, p, i, _) => (p, count(i)),
        _ => (e, Some(0)),
    }
}
