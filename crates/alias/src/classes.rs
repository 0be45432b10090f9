//! Cells from places: the leaves that one dereference of the program can reach are one cell, and a cell is a
//! map only when all agree on the type (docs/guide/assumptions.md, 4).

use super::cells::{CellId, CellKind};
use super::layout::Touched;
use super::oracle::{OPAQUE, Object};
use super::places::{PlaceId, Places, Role, Step};
use super::points_to::{AccessId, DerefAccess, Solution};
use super::shape::normal;
use base::{Id, IndexVec, UnionFind};
use ir::expr::{Access, Base, Lvalue};
use ir::program::Program;
use ir::types::Type;
use ir::visit;

/// The cells of a program.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    pub(super) kinds: IndexVec<CellId, CellKind>,
    /// The cell of each leaf; the opaque one where the program accesses nothing.
    pub(super) cell_of: IndexVec<PlaceId, CellId>,
    /// Whether pointers may hold the place or something around it.
    pub(super) taken: IndexVec<PlaceId, bool>,
    /// Cells of locals that no pointer reaches: each activation has its own.
    pub(super) private: IndexVec<CellId, bool>,
}

#[derive(Clone)]
struct Class {
    ty: Option<Type>,
    opaque: bool,
    accessed: bool,
}

struct Builder<'a> {
    program: &'a Program,
    places: &'a Places,
    sets: UnionFind<PlaceId>,
    classes: IndexVec<PlaceId, Class>,
}

/// Makes the cells. Leaves that are `together` are in one.
pub(super) fn build(
    program: &Program,
    places: &Places,
    accesses: &IndexVec<AccessId, DerefAccess>,
    solution: &Solution,
    together: &[(PlaceId, PlaceId)],
    unknown_write: bool,
) -> Classes {
    let class = Class { ty: None, opaque: false, accessed: false };
    let mut builder = Builder {
        program,
        places,
        sets: UnionFind::new(places.places.len()),
        classes: IndexVec::from_elem(class, places.places.len()),
    };
    builder.direct();
    for access in accesses {
        builder.dereference(access, solution.set(access.pointer));
    }
    for (a, b) in together {
        builder.unite(*a, *b);
    }
    if unknown_write {
        for obj in places.objs.iter().filter(|o| o.escaped) {
            for place in &obj.places {
                builder.classes[places.canon(*place)].opaque = true;
            }
        }
    }
    let taken = taken(places, solution);
    builder.finish(taken)
}

/// The places where an lvalue can be.
#[derive(Clone, Default, Debug)]
pub(super) struct Reach {
    /// Known leaves, sorted.
    pub(super) leaves: Vec<PlaceId>,
    /// Where unknown pointers lead.
    pub(super) unknown: bool,
    /// Somewhere else: at a place or type that the program never uses.
    pub(super) untracked: bool,
    /// Between the members of a structure.
    pub(super) padding: bool,
    /// Some pointer may be at other bytes than those of the leaves: between them, or outside.
    pub(super) roams: bool,
}

impl Reach {
    /// Whether the leaves are not all.
    pub(super) fn is_open(&self) -> bool {
        self.unknown || self.untracked || self.padding
    }
}

/// The leaves that an access reaches from the targets of its pointer.
pub(super) fn reached(
    places: &Places,
    targets: &[PlaceId],
    pointee: &Type,
    path: &[Access],
    ty: &Type,
) -> Reach {
    let mut reach = Reach::default();
    for target in targets {
        reach.roams |= matches!(places.places[*target].role, Role::Stride { .. } | Role::Outside(_));
        match places.accessed(*target, pointee, path, ty) {
            _ if *target == places.external() => reach.unknown = true,
            None => {}
            Some(Touched::Leaves(leaves)) => {
                for at in &leaves {
                    match places.look_up(at) {
                        Some(leaf) => reach.leaves.push(places.canon(leaf)),
                        None => reach.untracked = true,
                    }
                }
            }
            Some(Touched::Unfit) => reach.untracked = true,
            Some(Touched::Padding) => reach.padding = true,
        }
    }
    reach.leaves.sort_unstable();
    reach.leaves.dedup();
    reach
}

/// Whether values of the two types can be in one map.
pub(super) fn agree(a: &Type, b: &Type) -> bool {
    a == b || a.is_ptr() && b.is_ptr()
}

/// Which places pointers may hold, or are inside of such.
fn taken(places: &Places, solution: &Solution) -> IndexVec<PlaceId, bool> {
    let mut taken = IndexVec::from_elem(false, places.places.len());
    for node in &solution.takers {
        for place in solution.set(*node) {
            match places.places[*place].role {
                Role::Stride { .. } | Role::Outside(_) => taken[places.object_of(*place).root] = true,
                Role::Root | Role::Inside(..) => {
                    taken[*place] = true;
                    taken[places.canon(*place)] = true;
                }
            }
        }
    }
    for obj in places.objs.iter().filter(|o| o.escaped || matches!(o.what, Object::Heap(..))) {
        taken[obj.root] = true;
    }
    let mut out = taken.clone();
    for id in places.places.ids() {
        let mut at = id;
        while let Role::Inside(parent, _) = places.places[at].role {
            out[id] = out[id] || taken[parent];
            at = parent;
        }
        out[id] = out[id] || taken[places.canon(id)];
    }
    out
}

impl Builder<'_> {
    fn unite(&mut self, a: PlaceId, b: PlaceId) -> PlaceId {
        let (a, b) = (self.sets.find(a), self.sets.find(b));
        if a == b {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        self.sets.merge(b, a);
        let other = self.classes[b].clone();
        let class = &mut self.classes[a];
        class.opaque |= other.opaque;
        class.accessed |= other.accessed;
        if let Some(ty) = other.ty {
            self.typed(a, &ty);
        }
        a
    }

    fn typed(&mut self, place: PlaceId, ty: &Type) {
        let root = self.sets.find(place);
        let class = &mut self.classes[root];
        match &class.ty {
            None => class.ty = Some(ty.clone()),
            Some(known) => class.opaque |= !agree(known, ty),
        }
    }

    /// Notes an access at the leaf.
    fn accessed(&mut self, leaf: PlaceId, ty: &Type) {
        let root = self.sets.find(leaf);
        self.classes[root].accessed = true;
        self.typed(leaf, ty);
        let place = &self.places.places[leaf];
        if self.places.is_blob(leaf) {
            self.classes[root].opaque = true;
        } else if let (Object::Var(_), Some(declared)) = (self.places.object_of(leaf).what, &place.ty) {
            self.typed(leaf, declared);
        }
    }

    fn dereference(&mut self, access: &DerefAccess, targets: &[PlaceId]) {
        if !access.read && !access.written {
            return;
        }
        let reach = reached(self.places, targets, &access.pointee, &access.path, &access.ty);
        for leaf in &reach.leaves {
            self.accessed(*leaf, &access.ty);
            self.unite(reach.leaves[0], *leaf);
        }
        if let (Some(first), true) = (reach.leaves.first(), reach.is_open()) {
            let root = self.sets.find(*first);
            self.classes[root].opaque = true;
        }
    }

    /// Accesses of variables by name.
    fn direct(&mut self) {
        let program = self.program;
        // Calls write the formals.
        for formal in program.procs.iter().flat_map(|p| &p.formals) {
            if program.vars[*formal].ty.is_scalar() {
                self.named(&program.lvalue(*formal));
            }
        }
        for edge in program.procs.iter().flat_map(|p| &p.edges) {
            if let Some(dest) = edge.op.destination() {
                self.named(dest);
            }
            visit::loads(&edge.op, &mut |lv| self.named(lv));
        }
    }

    fn named(&mut self, lv: &Lvalue) {
        let lv = normal(lv);
        let Base::Var(v) = lv.base else { return };
        if let Some(leaf) = path_place(self.places, Object::Var(v), &lv.path) {
            let leaf = self.places.canon(leaf);
            self.accessed(leaf, &lv.ty);
        }
    }

    fn finish(mut self, taken: IndexVec<PlaceId, bool>) -> Classes {
        let opaque = CellId::from_index(OPAQUE);
        let mut kinds = IndexVec::from_vec(vec![CellKind::Opaque]);
        let mut private = IndexVec::from_vec(vec![false]);
        let mut cell_of = IndexVec::from_elem(opaque, self.places.places.len());
        let mut members: IndexVec<PlaceId, u32> = IndexVec::from_elem(0, self.places.places.len());
        for id in self.places.places.ids() {
            let root = self.sets.find(id);
            members[root] += 1;
        }
        for id in self.places.places.ids() {
            let root = self.sets.find(id);
            let class = &self.classes[root];
            let Some(ty) = class.ty.clone().filter(|_| class.accessed && !class.opaque) else { continue };
            let local = |v| self.program.vars[v].proc().is_some();
            let owned = matches!(self.places.object_of(id).what, Object::Var(v) if local(v)) && !taken[id];
            if cell_of[root] == opaque {
                let kind = if members[root] == 1 { self.scalar(id, &ty, &taken) } else { None };
                cell_of[root] = kinds.push(kind.unwrap_or(CellKind::Map { ty }));
                private.push(owned);
            }
            cell_of[id] = cell_of[root];
            private[cell_of[id]] = private[cell_of[id]] && owned;
        }
        Classes { kinds, cell_of, taken, private }
    }

    /// The cell of a leaf that is one location of each activation.
    fn scalar(&self, leaf: PlaceId, ty: &Type, taken: &IndexVec<PlaceId, bool>) -> Option<CellKind> {
        let Object::Var(var) = self.places.object_of(leaf).what else { return None };
        if taken[leaf] {
            return None;
        }
        let mut path = vec![];
        let mut at = leaf;
        while let Role::Inside(parent, step) = self.places.places[at].role {
            let (Step::Field(i), Some(Type::Record(r))) = (step, &self.places.places[parent].ty) else {
                return None;
            };
            path.push(Access::Field(*r, i));
            at = parent;
        }
        path.reverse();
        Some(CellKind::Scalar { var, path, ty: ty.clone() })
    }
}

/// The place at the end of a path from an object, if it occurs.
pub(super) fn path_place(places: &Places, object: Object, path: &[Access]) -> Option<PlaceId> {
    let root = places.spot(places.find_object(object)?.root);
    path.iter().try_fold(root, |place, access| places.find_child(place, Step::of(access)))
}
