//! What a root is about: the state in which a procedure is entered, the locations of it that matter, and what an execution
//! does to a state that has the same values there.

use super::root::Mode;
use crate::code::{ClassId, ProcId};
use crate::value::{Key, Store, Value};

/// A location of the state at the entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Spot {
    Static(u16),
    Formal(u16),
    Field(u32, u16),
    /// Whether other threads can reach the object.
    Shared(u32),
}

/// The state in which a procedure is entered: what it can reach, in canonical numbers.
pub(crate) struct Entry {
    pub(crate) store: Store,
    pub(crate) formals: Vec<Value>,
    /// Objects that other threads can reach; their fields are not kept.
    pub(crate) shared: Vec<bool>,
}

impl Entry {
    /// How many objects are there.
    pub(crate) fn cells(&self) -> usize {
        self.store.heap.cells.len()
    }

    /// A number for each location.
    pub(super) fn index(&self, spot: Spot) -> usize {
        let (statics, formals) = (self.store.statics.len(), self.formals.len());
        match spot {
            Spot::Static(i) => usize::from(i),
            Spot::Formal(i) => statics + usize::from(i),
            Spot::Field(a, f) => statics + formals + self.store.heap.position(a, f),
            Spot::Shared(a) => statics + formals + self.store.heap.values.len() + a as usize,
        }
    }

    pub(super) fn spots(&self) -> usize {
        self.store.statics.len() + self.formals.len() + self.store.heap.values.len() + self.cells()
    }

    /// What stood there at the entry.
    pub(crate) fn value(&self, spot: Spot) -> Value {
        match spot {
            Spot::Static(i) => self.store.statics[usize::from(i)],
            Spot::Formal(i) => self.formals[usize::from(i)],
            Spot::Field(a, f) => self.store.heap.fields(a)[usize::from(f)],
            Spot::Shared(a) => Value::Bool(self.shared[a as usize]),
        }
    }

    /// Static fields and fields of objects, in a fixed order.
    pub(super) fn writable(&self) -> impl Iterator<Item = Spot> + '_ {
        let statics = (0..self.store.statics.len()).map(|i| Spot::Static(i as u16));
        let fields = self
            .store
            .heap
            .cells
            .iter()
            .enumerate()
            .flat_map(|(a, cell)| (0..cell.len).map(move |f| Spot::Field(a as u32, f)));
        statics.chain(fields)
    }

    pub(crate) fn key(&self, proc: ProcId, mode: Mode) -> Box<[u8]> {
        let mut key = Key::default();
        key.number(base::Id::index(proc) as u64 * 2 + u64::from(mode == Mode::Local));
        key.values(&self.formals);
        key.values(&self.store.statics);
        key.heap(&self.store.heap, 0);
        key.0.extend(self.shared.iter().map(|b| u8::from(*b)));
        key.0.into_boxed_slice()
    }
}

/// The locations that were examined while they still held what they held at the entry, in the order of the first look: a
/// field of an object comes after a location that leads to the object.
#[derive(Default)]
pub(crate) struct Pattern {
    pub(crate) spots: Vec<Spot>,
    has: Vec<bool>,
}

impl Pattern {
    pub(super) fn add(&mut self, entry: &Entry, spot: Spot) {
        if self.has.is_empty() {
            self.has = vec![false; entry.spots()];
        }
        if !std::mem::replace(&mut self.has[entry.index(spot)], true) {
            self.spots.push(spot);
        }
    }
}

/// What an execution of the procedure does to a state that the pattern fits. Objects that were there at the entry have
/// their numbers of the entry; new ones have the numbers after those.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Effect {
    /// The new objects: their classes, and how many fields they have.
    pub(crate) classes: Vec<(ClassId, u16)>,
    /// The fields of the new objects, one after the other.
    pub(crate) contents: Vec<Value>,
    pub(crate) writes: Vec<(Spot, Value)>,
    pub(crate) results: Vec<Value>,
}
