//! Candidates for invariants of loops, guessed from executions: a [`Recorder`] notes the values of scalars whenever an
//! execution is at the head of a loop, and what all of them have in common is written as conditions (as Daikon
//! \[EPGMPTX07\] and DIG \[NKWF12\] do).
//!
//! Invariant: a candidate holds in every state that was recorded and kept. Nothing else is promised: to prove it or to drop it
//! is up to who asks. Arithmetic in candidates is that of mathematical integers, so that none overflows.

mod algebra;
mod array_accesses;
mod array_sums;
mod bit_counting;
mod bounds;
mod conditional;
mod elements;
mod equalities;
mod ghost_memory;
mod non_linear;
mod places;
mod range_conditions;
mod ranges;
mod recorder;
mod relation;
mod small_samples;
mod table;

pub use recorder::Recorder;

use ir::{Expr, ForAll};
use ranges::Walk;

/// Most candidates at one loop head.
const MOST: usize = 110;

/// The kind of a candidate's condition, in the order of their worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// An equality between sums of products of at most this many places.
    Equality(u8),
    /// A pointer is NULL or not, or two are equal.
    Pointer,
    /// A place is at most or at least a constant where two pointers are equal.
    Watched,
    /// How far a watched place is behind a pointer into its object, as long as a flag has one value.
    Filled,
    /// A place is at most or at least a constant.
    Bound,
    /// An equality between two or three places, seen in few states.
    Few,
    /// All elements of an array in a range of indices.
    Range,
    /// An element of an array is as the others of it are.
    Element,
    /// The lowest or highest bits of a place are zero, where another place gives their number. About bit-vectors.
    Shift,
    /// The difference of two places is at most a constant.
    Difference,
    /// A place is at most another one, or has a certain value.
    Guarded,
    /// A place has one of a few values.
    Values,
    /// The rest of a place divided by a constant.
    Congruence,
    /// The sum of two places is at most or at least a constant or a third place.
    Sum,
    /// The product of two places is at most or at least a third one.
    Product,
    /// A place is at most a constant multiple of another one.
    Multiple,
    /// A condition on the states in which a condition of the loop holds, or on the others.
    Phase,
}

impl Kind {
    /// Most candidates of this kind at one loop head.
    fn most(self) -> usize {
        match self {
            Kind::Equality(1) => 16,
            Kind::Bound | Kind::Difference | Kind::Few => 16,
            Kind::Equality(2) | Kind::Pointer | Kind::Watched | Kind::Filled => 8,
            Kind::Range => 32,
            Kind::Shift | Kind::Phase => 12,
            Kind::Element => 48,
            Kind::Equality(_)
            | Kind::Guarded
            | Kind::Values
            | Kind::Congruence
            | Kind::Sum
            | Kind::Product
            | Kind::Multiple => 6,
        }
    }
}

/// A condition that held whenever an execution was at the head of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What it says.
    pub kind: Kind,
    /// The range of numbers for which the condition holds, if it is about such.
    pub for_all: Option<ForAll>,
    /// The condition, over what is in scope there.
    pub condition: Expr,
}

impl Candidate {
    fn new(kind: Kind, condition: Expr) -> Candidate {
        Candidate { kind, for_all: None, condition }
    }
}

/// What all rows of the table have in common, the most useful first.
fn candidates(walk: &Walk<'_>) -> Vec<Candidate> {
    let table = walk.table;
    let mut all = vec![];
    let free = equalities::find(table, &mut all);
    non_linear::pointers(table, &mut all);
    ghost_memory::objects(table, &mut all);
    ghost_memory::places(table, &mut all);
    small_samples::find(table, &mut all);
    bounds::find(table, &free, &mut all);
    ranges::find(walk, &mut all);
    elements::find(table, &mut all);
    bit_counting::find(table, &mut all);
    non_linear::values(table, &free, &mut all);
    non_linear::congruences(table, &free, &mut all);
    conditional::find(table, walk.guards, &mut all);
    all.sort_by_key(|c: &Candidate| c.kind);
    first_of(all, MOST, Kind::most)
}

/// The first different ones: at most `total` in all, and `most` of each kind.
fn first_of(all: Vec<Candidate>, total: usize, most: impl Fn(Kind) -> usize) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = vec![];
    for candidate in all {
        let same = out.iter().filter(|c| c.kind == candidate.kind).count();
        let known = out.iter().any(|c| c.condition == candidate.condition && c.for_all == candidate.for_all);
        if out.len() < total && same < most(candidate.kind) && !known {
            out.push(candidate);
        }
    }
    out
}
