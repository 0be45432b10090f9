//! Cells: the classes of scalar locations that the abstraction and the path encodings treat as one store each.
//!
//! Invariant: two scalar locations that can be the same bytes of one state belong to the same cell, or to cells of
//! kind [`CellKind::Opaque`].

use base::Id;
use ir::expr::Access;
use ir::program::VarId;
use ir::types::Type;

base::define_id!(
    /// A cell of one [`AliasOracle`](super::AliasOracle); numbers of another oracle mean other cells.
    pub CellId, "m"
);

/// How the state of the scalar locations that one cell stands for is represented by the abstraction and by path
/// encodings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellKind {
    /// Exactly one location per activation (or one global): a variable or a constant field path in it, only ever
    /// accessed directly by name (no pointer ever holds its address or that of an object that contains it).
    /// Encoded as a plain constant. Its type is that of the path.
    Scalar {
        /// The variable.
        var: VarId,
        /// Fields from there, outermost first; never an index.
        path: Vec<Access>,
        /// Type of the location.
        ty: Type,
    },
    /// Many possible locations, or reachable through pointers: encoded as an array (memory map) from byte
    /// addresses to values of `ty`. All accesses in the program to these locations are at this scalar type (for
    /// pointers: at some pointer type) and at the offsets that the layout gives it, so that two different addresses
    /// in the map never overlap partly. Locations of different maps never overlap, except that bit-fields with
    /// different cells can share their address.
    Map {
        /// Type of the values.
        ty: Type,
    },
    /// Not modelled exactly (accesses at incompatible types, unions with several views, bytewise copies, targets
    /// of unknown pointers, …): every read is an arbitrary value of the read's type, two reads need not agree;
    /// writes are ignored. No predicate may mention it.
    Opaque,
}

/// A set of cells.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CellSet {
    words: Vec<u64>,
}

impl CellSet {
    /// The empty set.
    pub fn new() -> CellSet {
        CellSet::default()
    }

    /// Whether the cell is in the set.
    pub fn contains(&self, cell: CellId) -> bool {
        let i = cell.index();
        self.words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }

    /// Adds the cell; true when it is new.
    pub fn insert(&mut self, cell: CellId) -> bool {
        let i = cell.index();
        if self.words.len() <= i / 64 {
            self.words.resize(i / 64 + 1, 0);
        }
        let word = &mut self.words[i / 64];
        let old = *word;
        *word |= 1 << (i % 64);
        old != *word
    }

    /// Takes the cell out.
    pub fn remove(&mut self, cell: CellId) {
        let i = cell.index();
        if let Some(word) = self.words.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Adds all cells of `other`; true when one of them is new.
    pub fn extend_from(&mut self, other: &CellSet) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            changed |= *o & !*w != 0;
            *w |= *o;
        }
        changed
    }

    /// Whether the sets share a cell.
    pub fn intersects(&self, other: &CellSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// The cells in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = CellId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| CellId::from_index(at * 64 + bit))
        })
    }
}

impl FromIterator<CellId> for CellSet {
    fn from_iter<T: IntoIterator<Item = CellId>>(cells: T) -> Self {
        let mut set = CellSet::new();
        for c in cells {
            set.insert(c);
        }
        set
    }
}
