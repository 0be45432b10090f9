//! Evidence that no execution fails a check: the states that the abstraction reaches.

use crate::cegar::coverage::{self, Unreached};
use crate::cegar::facts::Fact;
use crate::cegar::inductive::Inductive;
use crate::cegar::knowledge::Knowledge;
use crate::cegar::loop_invariants::{self, AtLoops, Invariant};
use crate::cegar::{Context, certificate};
use bebop::Reached;
use bmc::Covered;
use bp::Cfg;
use c2bp::Abstraction;
pub(crate) use certificate::Certificate;
use ir::{CheckId, LocId, ProcId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// See the module's documentation.
pub struct Proof {
    /// The checks that no execution reaches, and what keeps them from it.
    pub unreached: BTreeMap<CheckId, Unreached>,
    /// The reachable locations at which an operation starts.
    pub reached: BTreeSet<(ProcId, LocId)>,
    /// The invariants at the loops, in the order of the source.
    pub invariants: Vec<Invariant>,
    /// The same at each loop by itself, and where it came from, where the abstraction proves it.
    pub facts: Arc<Vec<Fact>>,
    /// False when the run was stopped before all of them were computed.
    pub complete: bool,
    /// What it depends on.
    pub evidence: Evidence,
    /// Iterations of the loop.
    pub iterations: usize,
    /// Predicates at its end.
    pub predicates: usize,
}

/// What a proof depends on.
pub enum Evidence {
    /// An abstraction: what holds everywhere, if that was asked for and the run was not stopped meanwhile.
    Abstraction(Option<Certificate>),
    /// What all executions do: the program was unrolled.
    Unrolled(Covered),
    /// What induction proves it by.
    Inductive(Inductive),
}

/// The proof by an abstraction that reaches these states.
pub(crate) fn of(
    cx: &Context<'_>,
    known: &Knowledge,
    abstraction: &Abstraction,
    cfg: &Cfg,
    reached: &mut Reached<'_>,
) -> Proof {
    let (task, precision) = (&cx.task, &known.precision);
    let AtLoops { invariants, facts, complete } =
        loop_invariants::at_loops(task, abstraction, precision, cfg, reached);
    let unreached = coverage::unreached(task, abstraction, cfg, reached);
    let made = cx.options.certificate.then(|| certificate::make(task, abstraction, precision, cfg, reached));
    Proof {
        unreached,
        reached: coverage::locations(task.program, abstraction, cfg, reached),
        invariants,
        facts: Arc::new(facts),
        complete,
        evidence: Evidence::Abstraction(made.and_then(Result::ok)),
        iterations: known.iterations,
        predicates: precision.len(),
    }
}
