//! Slicing: removes everything that cannot matter to any check: procedures that are never called or in which
//! nothing matters, writes to cells that nothing relevant reads, directly or through other cells, and branches
//! that meet again before anything relevant.
//!
//! The slice has every execution of the program that ends or fails a check, and perhaps more: an operation that
//! ends the execution because it is undefined may be removed, and so may an infinite loop. Assumptions stay.
//! Writes to opaque cells stay: they show which memory has no model. Locations, edges and variables keep their
//! ids; removed operations become `skip`, and a removed branch is passed by one of its edges: the others become
//! `assume(0)`. An argument whose value cannot matter becomes zero where it would have to be computed from
//! values that differ from the program's: with those it could overflow or divide by zero.

mod control_dependence;
mod relevance;

use crate::slice::relevance::Relevance;
use alias::oracle::AliasOracle;
use ir::program::{Op, ProcId, Program};

/// A slice of a program.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The slice.
    pub program: Program,
    /// How many operations were taken away.
    pub skipped: usize,
    /// Procedures with a body of which nothing remains, in order.
    pub unreachable: Vec<ProcId>,
}

/// Slices the program with respect to its checks. The oracle is the program's.
pub fn slice(program: &Program, oracle: &AliasOracle) -> Slice {
    let relevance = Relevance::new(program, oracle, &alias::reachable(program, oracle));
    let mut out = Slice { program: program.clone(), skipped: 0, unreachable: vec![] };
    for (p, proc) in program.procs.iter_enumerated() {
        if proc.has_body && !relevance.is_needed(p) {
            out.unreachable.push(p);
        }
        for (e, edge) in proc.edges.iter_enumerated() {
            let left = relevance.left(p, e);
            let goes = matches!(left, Op::Skip | Op::Assume(_)) && edge.op != Op::Skip && left != edge.op;
            out.skipped += usize::from(goes);
            out.program.procs[p].edges[e].op = left;
        }
    }
    out
}
