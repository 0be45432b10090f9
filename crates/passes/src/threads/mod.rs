//! Programs with threads. A thread operation is a call of a procedure without body whose origin is
//! [`Origin::Thread`](ir::Origin::Thread), which says which one it is. No other part of this crate knows about
//! threads: [`interleaved`] makes a sequential program with the same executions, in which everything else is unchanged.
//! How, and why that is sound: docs/design/threads.md.
//!
//! Semantics. The threads of a program are interleaved, one edge at a time (sequential consistency). An edge that
//! accesses shared memory more than once is split, one step per access. Between [`ThreadOp::Begin`] and
//! [`ThreadOp::End`], and in procedures whose names begin with [`ATOMIC`](ir::ATOMIC), no other thread moves. A thread
//! that reaches an end of an execution (see [`program`](ir::program)) never moves again; that is equivalent to the end
//! of the whole execution, since it changes nothing that others see.

mod access;
mod build;
mod calls;
mod constants;
mod counting;
mod cycles;
mod deadlocks;
mod effects;
mod emit;
mod explore;
mod halting;
mod inline;
mod instance;
mod known;
mod persistent;
mod pointed;
mod races;
mod simplify;
mod split;
mod transitions;
mod values;

pub use self::build::{Build, Extent};
pub use self::explore::Explored;
pub use self::known::{Known, Reader};
pub use self::pointed::pointed;
use alias::AliasMode;
use base::Span;
use ir::CheckKind;
use ir::ThreadOp;
use ir::program::{Program, VarId};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The checks that programs with threads can have.
pub(crate) const CHECKS: [CheckKind; 6] = [
    CheckKind::Reach,
    CheckKind::Overflow,
    CheckKind::Div0,
    CheckKind::Shift,
    CheckKind::Race,
    CheckKind::Deadlock,
];

/// Whether the program has thread operations.
pub fn has_threads(program: &Program) -> bool {
    program.edges().any(|(_, _, edge)| ThreadOp::at(program, &edge.op).is_some())
}

/// Bounds of [`interleaved`].
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The largest number of threads, the first one included.
    pub threads: usize,
    /// Edges of the result.
    pub edges: usize,
    /// States that are explored, distinguished by known values.
    pub moments: usize,
    /// Edges of the result where not all states are explored.
    pub part: usize,
    /// Whether loops start any number of threads, all but one of them over-approximated: the result proves, and
    /// shows no errors (`counting`).
    pub any: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { threads: 9, edges: 60_000, moments: 300_000, part: 20_000, any: false }
    }
}

/// Errors of the threads themselves that are checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Faults {
    /// Whether two threads access one object at the same time, one of them writing and one not atomically
    /// ([`CheckKind::Race`]). What is done in an atomic section is atomic.
    pub race: bool,
    /// Whether no thread can go on though not all have ended ([`CheckKind::Deadlock`]).
    pub deadlock: bool,
}

/// Why there is no sequential program with the same executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
}

/// A product with at most this many edges is taken without trying a coarser one.
const SMALL: usize = 10_000;

/// A sequential program.
#[derive(Clone, Debug)]
pub struct Interleaved {
    /// The program.
    pub program: Program,
    /// Whether it has a check that fails where a loop starts more threads than the bound.
    pub more: bool,
}

/// Makes a sequential program with the same failures of checks: its entry procedure interleaves all threads.
/// Where an execution would need something that is not modelled, such as more threads or more states than the
/// bounds allow, there is a check of the kind [`Unmodelled`](ir::CheckKind::Unmodelled). Each thread has its
/// own copy of the globals `apart`. With [`Bounds::any`], which has no effect where faults are checked, every
/// check that fails is of that kind.
///
/// # Errors
/// Where the graph of one thread is larger than the bounds.
pub fn interleaved(
    program: &Program,
    apart: &BTreeSet<VarId>,
    bounds: Bounds,
    faults: Faults,
    alias: AliasMode,
) -> Result<Interleaved, Refused> {
    let bounds = Bounds { any: bounds.any && faults == Faults::default(), ..bounds };
    let known = (pointed::pointed(program, alias), apart.clone());
    let more = Cell::new(false);
    let searched = |extent, part: usize| {
        let bounds = Bounds { moments: bounds.moments / part, ..bounds };
        let mut build = Build::new(program.clone(), known.clone(), (bounds, faults), extent);
        let found = build.search()?;
        more.set(more.get() | build.more);
        Ok((build, found))
    };
    let size = |product: &Option<Program>| product.as_ref().map_or(usize::MAX, |p| p.edges().count());
    // Unbounded counters are followed for a part of the bounds only before coarser products are tried.
    let (mut fine, mut found) = searched(Extent::Counting, 10)?;
    let mut best = fine.whole(&found)?;
    for extent in [Extent::Whole, Extent::Coarse] {
        if size(&best) <= SMALL {
            break;
        }
        let (mut build, found) = searched(extent, 3)?;
        let product = build.whole(&found)?;
        // A more precise product may be somewhat larger.
        if size(&product) < size(&best) / 4 {
            best = product;
        }
    }
    if size(&best) > SMALL && !found.is_complete() {
        (fine, found) = searched(Extent::Counting, 1)?;
        let product = fine.whole(&found)?;
        if product.is_some() && size(&product) / 4 <= size(&best) {
            best = product;
        }
    }
    let program = best.map_or_else(|| fine.part(&found), Ok)?;
    Ok(Interleaved { program, more: more.get() })
}
