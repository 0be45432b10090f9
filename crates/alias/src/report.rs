//! Reports of objects and cells, for people to read.

use super::cells::CellId;
use super::oracle::{AliasOracle, Object, PointsTo};
use super::places::{PlaceId, Role, Step};
use super::reasons::Escape;
use base::Id;
use ir::program::{EdgeId, ProcId};
use ir::types::Type;

/// An abstract object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectReport {
    /// Which.
    pub object: Object,
    /// Declared type of a variable; for allocated objects the type at which the program uses them, `None` where it
    /// does not.
    pub ty: Option<Type>,
    /// Size in bytes, where an allocation's is constant.
    pub size: Option<u64>,
    /// How undefined functions can get at it, if they can.
    pub escape: Option<Escape>,
    /// Its address was turned into a number.
    pub is_number: bool,
    /// It is one block of bytes to the analysis.
    pub is_blob: bool,
    /// The edge whose access or copy does not fit its layout, or that of a union in it.
    pub lost: Option<(ProcId, EdgeId)>,
}

impl AliasOracle {
    /// The objects of the program, [`Object::External`] left out: variables, then allocations, then procedures whose
    /// address is used.
    pub fn objects(&self) -> Vec<ObjectReport> {
        let report = |obj: &super::places::Obj| {
            let root = &self.places().places[obj.root];
            ObjectReport {
                object: obj.what,
                ty: root.ty.clone(),
                size: obj.size,
                escape: obj.why,
                is_number: obj.exposed,
                is_blob: root.blob.is_some(),
                lost: obj.lost,
            }
        };
        let known = self.places().objs.iter().filter(|o| o.what != Object::External);
        let mut all: Vec<ObjectReport> = known.map(report).collect();
        all.sort_by_key(|o| o.object);
        all
    }

    /// The locations that hold pointers, or numbers made from them: the object, the way from there to the location, and
    /// what can be there. Memory of undefined functions is left out.
    pub fn pointers(&self) -> Vec<(Object, String, PointsTo)> {
        let mut out = vec![];
        for (id, place) in self.places().places.iter_enumerated() {
            if self.places().canon(id) != id || id == self.places().external() {
                continue;
            }
            let set = place.value.map_or_else(PointsTo::default, |value| {
                self.described(self.solution().set(value).iter().copied())
            });
            if place.ty.as_ref().is_some_and(Type::is_ptr) || !set.objects.is_empty() {
                out.push((self.places().object_of(id).what, self.path_text(id), set));
            }
        }
        out.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        out
    }

    /// For every cell the known locations in it: the object, and the way from there to the location, such as
    /// `.next` or `[].value`.
    pub fn members(&self) -> base::IndexVec<CellId, Vec<(Object, String)>> {
        let mut out = base::IndexVec::from_elem(vec![], self.cells());
        for (id, place) in self.places().places.iter_enumerated() {
            let is_leaf = self.places().canon(id) == id && !self.places().is_func(id);
            let used =
                is_leaf && (self.cell_of_place(id).index() != super::oracle::OPAQUE || self.is_used(id));
            if used && matches!(place.role, Role::Root | Role::Inside(..)) {
                out[self.cell_of_place(id)].push((self.places().object_of(id).what, self.path_text(id)));
            }
        }
        out.iter_mut().for_each(|members: &mut Vec<_>| members.sort());
        out
    }

    /// Whether it is a place of the program's, where it stores something.
    fn is_used(&self, place: PlaceId) -> bool {
        let data = &self.places().places[place];
        place != self.places().external() && data.value.is_some()
    }

    fn path_text(&self, place: PlaceId) -> String {
        let mut steps = vec![];
        let mut at = place;
        while let Role::Inside(parent, step) = self.places().places[at].role {
            steps.push((parent, step));
            at = parent;
        }
        let mut out = String::new();
        for (parent, step) in steps.into_iter().rev() {
            let record = self.places().places[parent].ty.as_ref().and_then(|t| self.places().record(t));
            match (step, record) {
                (Step::Elem, _) => out.push_str("[]"),
                (Step::Field(i), Some(record)) => {
                    out.push('.');
                    out.push_str(&record.fields[i as usize].name);
                }
                (Step::Field(_), None) => out.push_str(".?"),
            }
        }
        out
    }
}
