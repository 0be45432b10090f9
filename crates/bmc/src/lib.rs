//! Bounded model checking \[BCCZ99\]: all paths of the program up to a bound on the iterations of each loop, as one
//! formula. Paths that meet at a location are merged, so the formula grows with the statements that are executed and
//! not with the paths. Where no execution takes more iterations, the program is decided. On the same encoding of
//! programs: k-induction, Houdini, and Horn clauses.
//!
//! The encoding is that of single paths (`newton::decide`): over-approximations there are over-approximations here
//! as well. So the answer "no check fails" covers every execution, and a path that is found is a claim which the
//! decision about that path, and its replay, have to confirm.
//!
//! Invariant: executions that are left out are noted (`cut`), and nothing is safe then; so are executions that may be
//! impossible (`further`), and nothing is safe unless all of these turn out to be impossible. The crate must not know
//! boolean programs, decision diagrams or concrete executions.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use bmc::{Bounds, Unrolled, unroll};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "three iterations";
//!     proc void main(void) { local int n; local int i; entry L0; exit L5;
//!     L0: havoc(n, input "n"); goto L1; L1: i = 0; goto L2;
//!     L2 loop: assume(i < n); goto L3; assume(i >= n); goto L4;
//!     L3: i = i + 1; goto L2;
//!     L4: check(c0, i != 3); goto L5; L5: }"#;
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let (stop, interrupt, mode) = (false.into(), smt::Interrupt::new(), encoding::IntMode::Bits);
//! let (rlimit, total) = (10_000_000, 10_000_000);
//! let bounds = Bounds { mode, turns: 3, steps: 1_000, rlimit, total, stop: &stop, interrupt: &interrupt };
//! let Unrolled::Fails(path) = unroll(&program, &oracle, &bounds, Some(rlimit)) else { panic!("n may be 3") };
//! assert_eq!(path.steps.len(), 10);
//! # Ok(())
//! # }
//! ```

mod calls;
pub mod counterexample;
mod decide;
mod guard;
pub mod horn;
mod houdini;
mod instances;
pub mod k_induction;
mod obligations;
mod previous_values;
mod products;
mod queries;
#[cfg(test)]
mod tests;
mod unroller;

pub use instances::can_bind;

use alias::AliasOracle;
use encoding::symbolic::path_state::PathState;
use encoding::{Addresses, Encoder, IntMode};
use ir::{BinOp, EdgeId, Expr, LocId, Path, ProcId, Program, visit};
use queries::FEASIBLE;
use smt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use unroller::{Arrival, COMPUTED, Cycle, Failing, Flow, Flows, Graph, Unroller};

/// How far the program is unrolled.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// How integers are modelled.
    pub mode: IntMode,
    /// The most iterations of a loop, each time it is entered.
    pub turns: usize,
    /// The most edges that are executed.
    pub steps: usize,
    /// Z3's resource limit for the question whether a check fails; the questions of an induction have parts of it.
    pub rlimit: u64,
    /// The same for all questions of an induction together, and the most for any.
    pub total: u64,
    /// Set when the work is to end.
    pub stop: &'a AtomicBool,
    /// Stops the prover.
    pub interrupt: &'a Interrupt,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unrolled {
    /// No execution fails a check, and this covers them all.
    Safe(Covered),
    /// The path to a check that fails, says the encoding.
    Fails(Path),
    /// No check fails within the bounds, but executions may go beyond them.
    Beyond,
    /// Executions may go beyond the bounds, and whether a check fails within them was too much work, or not asked.
    Undecided,
    /// Whether a check fails was too much work, and no execution is known to go beyond the bounds.
    Hard {
        /// None does.
        ends: bool,
    },
    /// No answer: the work was too much, or it was stopped.
    GaveUp,
}

/// What executions do, all of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Covered {
    /// How often they come back to the head of each loop, each time they enter it, at most.
    pub turns: BTreeMap<(ProcId, LocId), usize>,
    /// The most turns of any loop, without those that the program computes with constants: unrolled so far, it is covered again.
    pub counted: usize,
    /// The edges that they may execute.
    pub executed: BTreeSet<(ProcId, EdgeId)>,
}

/// The most activations on top of each other that are unrolled.
pub const DEPTH: usize = 32;

/// How integers are modelled in unrolling: as bit-vectors, of which a search for one state is faster; but where the loop
/// takes mathematical ones and the program multiplies or divides numbers that are not known, as there.
pub fn mode(program: &Program, mode: IntMode) -> IntMode {
    let mut multiplies = false;
    for (_, _, edge) in program.edges() {
        visit::nodes(&edge.op, &mut |e| {
            multiplies |= is_product(e);
        });
    }
    if multiplies { mode } else { IntMode::Bits }
}

/// Whether the expression multiplies or divides two numbers that are not known.
pub fn is_product(e: &Expr) -> bool {
    match e {
        Expr::Binary(BinOp::Mul | BinOp::Div | BinOp::Rem, l, r, _) => {
            l.as_const().is_none() && r.as_const().is_none()
        }
        _ => false,
    }
}

/// Unrolls a program whose calls are direct. `beyond` is Z3's resource limit for the question whether a check fails where
/// executions go beyond the bounds, so that the answer is not the last one; with `None` it is not asked then.
pub fn unroll(program: &Program, oracle: &AliasOracle, bounds: &Bounds<'_>, beyond: Option<u64>) -> Unrolled {
    unroll_by(program, oracle, bounds, beyond, FEASIBLE, None)
}

/// The same by a guess: in memory that is accessed at several types, places whose addresses have different origins are taken to be
/// different ones, as the objects from outside are in the interpreter; undefined functions write nothing, as there; and no
/// execution takes one of the edges that are to be avoided. A path is a claim as any other; that none is found says nothing of
/// the program.
pub fn guess(
    program: &Program,
    oracle: &AliasOracle,
    bounds: &Bounds<'_>,
    avoid: &BTreeSet<(ProcId, EdgeId)>,
) -> Unrolled {
    unroll_by(program, oracle, bounds, Some(bounds.rlimit), FEASIBLE, Some(avoid))
}

/// The same as [`unroll`] with this limit for the question whether executions go on, and by the guess of [`guess`] if something
/// is to be avoided.
fn unroll_by(
    program: &Program,
    oracle: &AliasOracle,
    bounds: &Bounds<'_>,
    beyond: Option<u64>,
    feasible: u64,
    guess: Option<&BTreeSet<(ProcId, EdgeId)>>,
) -> Unrolled {
    let addresses = Addresses::new(program);
    let enc = Encoder { program, oracle, addresses: &addresses, mode: bounds.mode };
    let mut state = PathState::new(&enc, program.entry);
    state.follow_opaque(guess.is_some());
    let mut unroller = Unroller::new(&enc, bounds, &state, feasible);
    unroller.beyond = beyond;
    unroller.avoid = guess.cloned().unwrap_or_default();
    match unroller.program(state) {
        None => Unrolled::GaveUp,
        Some(answer) => answer,
    }
}
