//! Abstract objects and the places in them, as the points-to solver sees them.
//!
//! A place is an object and a path of fields and element steps (indices dropped). Pointers hold places. Using a
//! place at a type that its layout does not have there turns the whole object into a *blob*: one place for all
//! its bytes. Two views at the same address and of the same layout do not conflict: an array and its elements,
//! a struct and its first member, either way; constant byte offsets (`container_of`) are followed through the
//! layout. A pointer that moves by an unknown amount reaches the whole object, not only the member it began in:
//! all bytes at its distance.
//!
//! Invariant: scalars at different places that are not (in) one blob never share a byte, bit-fields excepted. A heap
//! object has no type until its first typed use; then it is a sequence of values of this type.

use super::oracle::Object;
use super::points_to::NodeId;
use super::reasons::Escape;
use crate::byte_offsets::gcd;
use base::IndexVec;
use ir::expr::Access;
use ir::program::{EdgeId, ProcId};
use ir::types::{DataModel, RecordDef, RecordId, Type};
use rustc_hash::FxHashMap;

base::define_id!(
    /// A place in an object.
    pub(super) PlaceId, "place"
);
base::define_id!(
    /// An object.
    pub(super) ObjId, "obj"
);

/// One step into an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Step {
    /// Member number of a struct or union.
    Field(u32),
    /// Some element of an array.
    Elem,
}

impl Step {
    /// The step that an access makes, whichever element it is.
    pub(super) fn of(access: &Access) -> Step {
        match access {
            Access::Field(_, i) => Step::Field(*i),
            Access::Index(_) => Step::Elem,
        }
    }
}

/// The position of a place in its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The start; for heap objects the start of any element.
    Root,
    /// One step into another place.
    Inside(PlaceId, Step),
    /// A byte whose offset is `at` modulo `step` (`at < step`), no one knows which; with `step` 1 any byte.
    Stride { at: u64, step: u64 },
    /// This many bytes from the start, outside of the object: nothing to access, but arithmetic can come back.
    Outside(i64),
}

/// A place.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) obj: ObjId,
    pub(super) role: Role,
    /// `None` for places that have no layout: untyped heap objects, functions, [`Role::Stride`], ….
    pub(super) ty: Option<Type>,
    pub(super) kids: Vec<(Step, PlaceId)>,
    /// The outermost blob that it belongs to.
    pub(super) blob: Option<PlaceId>,
    /// The solver's node for the values stored here.
    pub(super) value: Option<NodeId>,
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Obj {
    pub(super) what: Object,
    pub(super) root: PlaceId,
    /// All places with a layout, in order of creation.
    pub(super) places: Vec<PlaceId>,
    /// The wild and outside places.
    pub(super) special: Vec<PlaceId>,
    /// Size in bytes, when constant.
    pub(super) size: Option<u64>,
    /// Pointer arithmetic moves through it in steps of its type.
    pub(super) strided: bool,
    /// Undefined functions can reach it.
    pub(super) escaped: bool,
    /// Why, when it is.
    pub(super) why: Option<Escape>,
    /// The edge whose access or copy fits its layout nowhere.
    pub(super) lost: Option<(ProcId, EdgeId)>,
    /// Its address was turned into an integer.
    pub(super) exposed: bool,
}

/// All objects and places of a program.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) places: IndexVec<PlaceId, Place>,
    pub(super) objs: IndexVec<ObjId, Obj>,
    by_object: FxHashMap<Object, ObjId>,
    pub(super) records: IndexVec<RecordId, RecordDef>,
    pub(super) model: DataModel,
    /// Number of times that places have changed their meaning: objects that got a type, lost their layout, ….
    pub(super) changes: usize,
    /// The edge that is being processed, to be named as the reason of what happens.
    pub(super) now: Option<(ProcId, EdgeId)>,
    /// Nodes that must become one, because their places did; the solver empties it.
    pub(super) merges: Vec<(NodeId, NodeId)>,
}

/// Out-of-object places and residue classes kept apart in one object; more become "any byte".
const MAX_SPECIAL: usize = 16;

/// Any byte of the object.
pub(super) const WILD: Role = Role::Stride { at: 0, step: 1 };

impl Places {
    /// The places of [`Object::External`] only.
    pub(super) fn new(records: IndexVec<RecordId, RecordDef>, model: DataModel) -> Places {
        let mut places = Places {
            places: IndexVec::new(),
            objs: IndexVec::new(),
            by_object: FxHashMap::default(),
            records,
            model,
            changes: 0,
            now: None,
            merges: vec![],
        };
        let external = places.object(Object::External, None, None);
        let root = places.objs[external].root;
        places.places[root].blob = Some(root);
        places
    }

    /// The place that stands for unknown targets.
    pub(super) fn external(&self) -> PlaceId {
        self.objs[base::Id::from_index(0)].root
    }

    /// The object, made when new; `ty` is its declared type, `size` its size when constant.
    pub(super) fn object(&mut self, what: Object, ty: Option<Type>, size: Option<u64>) -> ObjId {
        if let Some(obj) = self.by_object.get(&what) {
            return *obj;
        }
        let obj = self.objs.next_id();
        let root =
            self.places.push(Place { obj, role: Role::Root, ty, kids: vec![], blob: None, value: None });
        self.objs.push(Obj {
            what,
            root,
            places: vec![root],
            special: vec![],
            size,
            strided: false,
            escaped: what == Object::External,
            why: None,
            lost: None,
            exposed: false,
        });
        self.by_object.insert(what, obj);
        obj
    }

    /// The object, when it occurs.
    pub(super) fn find_object(&self, what: Object) -> Option<&Obj> {
        self.by_object.get(&what).map(|o| &self.objs[*o])
    }

    /// The place whose storage stands for the place: the blob that has swallowed it, or itself.
    pub(super) fn canon(&self, place: PlaceId) -> PlaceId {
        self.places[place].blob.unwrap_or_else(|| self.spot(place))
    }

    /// The place as a position: itself, or the object when that has lost its layout as a whole. Inside a part that
    /// is a blob positions stay apart, since the layout around it still counts.
    pub(super) fn spot(&self, place: PlaceId) -> PlaceId {
        let root = self.object_of(place).root;
        if self.places[root].blob.is_some() { root } else { place }
    }

    /// Whether the object has lost its layout as a whole.
    pub(super) fn is_whole_blob(&self, place: PlaceId) -> bool {
        self.places[self.object_of(place).root].blob.is_some()
    }

    /// Whether the storage of the place is one for many bytes.
    pub(super) fn is_blob(&self, place: PlaceId) -> bool {
        self.places[self.canon(place)].blob.is_some()
    }

    /// The object that contains the place.
    pub(super) fn object_of(&self, place: PlaceId) -> &Obj {
        &self.objs[self.places[place].obj]
    }

    /// Size of a type in bytes.
    pub(super) fn size(&self, ty: &Type) -> Option<u64> {
        ty.size(&self.records, self.model)
    }

    pub(super) fn record(&self, ty: &Type) -> Option<&RecordDef> {
        if let Type::Record(r) = ty { self.records.get(*r) } else { None }
    }

    /// Whether the record is a union.
    pub(super) fn is_union(&self, r: RecordId) -> bool {
        self.records[r].is_union
    }

    /// The place one step further in, if it exists.
    pub(super) fn find_child(&self, place: PlaceId, step: Step) -> Option<PlaceId> {
        if self.is_whole_blob(place) {
            return Some(self.spot(place));
        }
        self.places[place].kids.iter().find(|(s, _)| *s == step).map(|(_, kid)| *kid)
    }

    /// The place one step further in. A second member of a union makes the union a blob.
    pub(super) fn child(&mut self, place: PlaceId, step: Step) -> PlaceId {
        if let Some(kid) = self.find_child(place, step) {
            return kid;
        }
        let ty = self.places[place].ty.clone();
        let is_union = ty.as_ref().and_then(|t| self.record(t)).is_some_and(|r| r.is_union);
        if is_union && !super::faults::unions_apart() && !self.places[place].kids.is_empty() {
            self.make_blob(place);
            if self.is_whole_blob(place) {
                return self.spot(place);
            }
        }
        if let (Step::Elem, Some(Type::Array(_, None | Some(0)))) = (step, &ty)
            && !self.is_last(place)
        {
            return self.collapse(place);
        }
        let kid_ty = ty.as_ref().and_then(|t| self.step_type(t, step));
        let obj = self.places[place].obj;
        let kid = self.places.push(Place {
            obj,
            role: Role::Inside(place, step),
            ty: kid_ty,
            kids: vec![],
            blob: self.places[place].blob,
            value: None,
        });
        self.places[place].kids.push((step, kid));
        self.objs[obj].places.push(kid);
        kid
    }

    /// Whether nothing lies behind the place in its object.
    fn is_last(&self, mut place: PlaceId) -> bool {
        while let Role::Inside(parent, step) = self.places[place].role {
            let last = match (&self.places[parent].ty, step) {
                (Some(ty), Step::Field(i)) => {
                    self.record(ty).is_some_and(|r| r.is_union || r.fields.len() == i as usize + 1)
                }
                _ => false,
            };
            if !last {
                return false;
            }
            place = parent;
        }
        true
    }

    /// Whether the two places have the same layout.
    pub(super) fn alike(&self, a: PlaceId, b: PlaceId) -> bool {
        match (&self.places[a].ty, &self.places[b].ty) {
            (Some(x), Some(y)) => self.same_layout(x, y, false),
            _ => false,
        }
    }

    /// The type that the object was declared with.
    pub(super) fn declared(&self, root: PlaceId) -> Type {
        self.places[root].ty.clone().unwrap_or(Type::Void)
    }

    pub(super) fn step_type(&self, ty: &Type, step: Step) -> Option<Type> {
        match (ty, step) {
            (Type::Array(elem, _), Step::Elem) => Some((**elem).clone()),
            (Type::Record(r), Step::Field(i)) => Some(self.records[*r].fields.get(i as usize)?.ty.clone()),
            _ => None,
        }
    }

    /// Makes the place and all inside of it one.
    pub(super) fn make_blob(&mut self, place: PlaceId) {
        let place = self.canon(place);
        if self.places[place].blob.is_some() {
            return;
        }
        self.changes += 1;
        let obj = self.places[place].obj;
        self.objs[obj].lost = self.objs[obj].lost.or(self.now);
        let mut todo = vec![place];
        while let Some(p) = todo.pop() {
            self.places[p].blob = Some(place);
            todo.extend(self.places[p].kids.iter().map(|(_, kid)| *kid));
            if let Some(value) = self.places[p].value.take() {
                match self.places[place].value {
                    None => self.places[place].value = Some(value),
                    Some(first) => self.merges.push((first, value)),
                }
            }
        }
    }

    /// Makes the whole object around the place a blob, and returns it.
    pub(super) fn collapse(&mut self, place: PlaceId) -> PlaceId {
        let root = self.object_of(place).root;
        self.make_blob(root);
        root
    }

    /// The pseudo-place of a pointer to an unknown byte of the object.
    pub(super) fn wild(&mut self, place: PlaceId) -> PlaceId {
        if self.is_whole_blob(place) || self.is_func(place) {
            return self.object_of(place).root;
        }
        self.special(self.places[place].obj, WILD)
    }

    /// Whether it is a procedure's address.
    pub(super) fn is_func(&self, place: PlaceId) -> bool {
        matches!(self.object_of(place).what, Object::Func(_))
    }

    pub(super) fn special(&mut self, obj: ObjId, role: Role) -> PlaceId {
        let known = &self.objs[obj].special;
        if let Some(place) = known.iter().find(|p| self.places[**p].role == role) {
            return *place;
        }
        if role != WILD && MAX_SPECIAL <= known.len() {
            return self.special(obj, WILD);
        }
        let place = Place { obj, role, ty: None, kids: vec![], blob: None, value: None };
        let place = self.places.push(place);
        self.objs[obj].special.push(place);
        place
    }

    /// The steps from a place to one inside of it, partial blobs cut short.
    pub(super) fn steps_between(&self, outer: PlaceId, inner: PlaceId) -> Vec<Step> {
        let (outer, mut place) = (self.canon(outer), self.canon(inner));
        let mut steps = vec![];
        while place != outer {
            let Role::Inside(parent, step) = self.places[place].role else { break };
            steps.push(step);
            place = parent;
        }
        steps.reverse();
        steps
    }

    /// The greatest number that divides the offsets of all scalars in a sequence of values of the type; `None` where they have
    /// no known ones of their own.
    pub(super) fn stride(&self, ty: &Type) -> Option<u64> {
        let inside = match ty {
            Type::Record(r) if self.is_union(*r) => return None,
            Type::Record(r) => {
                let fields = self.records[*r].fields.iter();
                fields
                    .map(|f| Some(gcd(f.offset, self.stride(&f.ty)?)))
                    .try_fold(0, |all, one| Some(gcd(all, one?)))?
            }
            Type::Array(elem, _) => self.stride(elem)?,
            _ => 0,
        };
        // An array without a length adds nothing.
        Some(gcd(inside, self.size(ty).unwrap_or(0))).filter(|n| *n > 0)
    }

    /// The leaves that exist at the place and below it: scalar places and blobs, in order.
    pub(super) fn leaves(&self, place: PlaceId) -> Vec<PlaceId> {
        let mut out = vec![];
        let mut todo = vec![self.canon(place)];
        while let Some(p) = todo.pop() {
            let p = self.canon(p);
            let data = &self.places[p];
            if data.blob.is_some() || data.ty.as_ref().is_some_and(Type::is_scalar) {
                out.push(p);
            } else {
                todo.extend(data.kids.iter().map(|(_, kid)| *kid));
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}
