//! Certificates: invariants at every location of a safe program, and the check that they hold
//! (docs/guide/trust.md).
//!
//! A certificate gives for each procedure and location a set of pairs of states, the one in which the procedure was
//! entered and the present one, as a decision graph over predicates. It is checked edge by edge with the encoding that
//! decides paths, which shares no code with the abstraction's weakest preconditions: initial states are in the set of
//! the entry, each edge leads from one set into the next, calls lead into the callee's entry set and come back through
//! the set at its exit, and no check fails in the set before it. The alias oracle is trusted on the sets of cells that
//! procedures and edges write, and on which locations are distinct.
//!
//! Invariant: an obligation counts as proved only when the graphs say so or the prover answers "unsatisfiable". The
//! crate must not know how a proof was found.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use certificate::{Certificate, Literal, Node, Sets, certify};
//!
//! let text = r#"entry main; global int x; check c0 reach in main "x is not 1";
//!     proc void main(void) { entry L0; exit L2; L0: x = 1; goto L1; L1: check(c0, x == 1); goto L2; L2: }"#;
//! let program = ir::parse::program(text).expect("it is a program");
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let main = &program.procs[program.entry];
//! let middle = main.edges.as_slice()[0].dst;
//! let expr = ir::parse::expr("x == 1", &program, None).expect("it is an expression");
//! let mut sets = Sets { literals: vec![Literal { expr, at_entry: false }], ..Sets::default() };
//! let holds = sets.nodes.add(Node { literal: 0, low: 0, high: 1 }).expect("its children are constants");
//! sets.roots = [(main.entry, 1), (middle, holds), (main.exit, 1)].into();
//! let certificate = Certificate { procs: [(program.entry, sets)].into() };
//! let report = certify(&program, &oracle, &certificate, encoding::IntMode::Math, &smt::Interrupt::new());
//! assert_eq!((report.proved(), report.flaws), (report.obligations, vec![]));
//! ```

mod graph;
mod prove;

pub use graph::{Node, Nodes};

use alias::AliasOracle;
use encoding::{Addresses, Encoder, IntMode};
use ir::{Callee, EdgeId, Expr, LocId, Op, ProcId, Program};
use rayon::prelude::*;
use smt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};

/// A condition on a pair of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Literal {
    /// The condition, over variables of the procedure and globals.
    pub expr: Expr,
    /// It is meant of the state in which the procedure was entered, where `old(x)` is `x`.
    pub at_entry: bool,
}

/// What holds in a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sets {
    /// The conditions that nodes ask.
    pub literals: Vec<Literal>,
    /// The decision graphs of all locations.
    pub nodes: Nodes,
    /// For each location the root of its set. A location that is left out is not reached, unless it is passed.
    pub roots: BTreeMap<LocId, usize>,
    /// Locations without a set, inside of blocks: edges to them are followed on to the end of the block.
    pub passed: BTreeSet<LocId>,
    /// Locations of which more was known than the set says: steps from there that are not shown are not mistakes.
    pub partial: BTreeSet<LocId>,
    /// Conditions whose value is everywhere what it was at the entry.
    pub unchanged: Vec<Expr>,
}

/// What holds in a program, by procedure. A procedure that is left out is not entered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// The procedures.
    pub procs: BTreeMap<ProcId, Sets>,
}

/// One thing to be shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Obligation {
    /// The program starts in the set at its entry.
    Start,
    /// The check on the edge does not fail.
    Check(ProcId, EdgeId),
    /// The edge, or the call on it when it has come back, leads into the set behind it.
    Edge(ProcId, EdgeId),
    /// The call on the edge leads into the callee's set at the entry.
    Enter(ProcId, EdgeId),
}

/// How it stands with an obligation that is not proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It does not hold: the encoding has a counterexample in which nothing was over-approximated.
    Refuted,
    /// Not known, for this reason.
    Open(String),
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many obligations there are.
    pub obligations: usize,
    /// How many of them the decision graphs showed by themselves.
    pub by_graph: usize,
    /// Those that are not proved, in the order of the program.
    pub flaws: Vec<(Obligation, Flaw)>,
}

impl Report {
    /// How many obligations are proved.
    pub fn proved(&self) -> usize {
        self.obligations - self.flaws.len()
    }

    /// The first obligation that does not hold.
    pub fn refuted(&self) -> Option<Obligation> {
        self.flaws.iter().find(|(_, flaw)| *flaw == Flaw::Refuted).map(|(o, _)| *o)
    }
}

/// Obligations that share a prover.
const CHUNK: usize = 32;

/// Checks a certificate, integers modelled as the mode says. Calls of the program are direct, and the oracle is that of the program.
pub fn certify(
    program: &Program,
    oracle: &AliasOracle,
    certificate: &Certificate,
    mode: IntMode,
    interrupt: &Interrupt,
) -> Report {
    let addresses = Addresses::new(program);
    let encoder = Encoder { program, oracle, addresses: &addresses, mode };
    let checker = prove::Checker { enc: &encoder, certificate, interrupt };
    let all = obligations(program, certificate);
    let outcomes: Vec<Vec<prove::Outcome>> = all
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut prover = None;
            chunk.iter().map(|o| checker.outcome(*o, &mut prover)).collect()
        })
        .collect();
    let mut report = Report { obligations: all.len(), ..Report::default() };
    for (obligation, outcome) in all.into_iter().zip(outcomes.into_iter().flatten()) {
        match outcome {
            prove::Outcome::ByGraph => report.by_graph += 1,
            prove::Outcome::ByProver => {}
            prove::Outcome::Flaw(flaw) => report.flaws.push((obligation, checker.excused(obligation, flaw))),
        }
    }
    report
}

/// All obligations: of edges, those that start at locations that are reached.
fn obligations(program: &Program, certificate: &Certificate) -> Vec<Obligation> {
    let mut all = vec![Obligation::Start];
    for (p, sets) in &certificate.procs {
        let proc = &program.procs[*p];
        let goes_on: BTreeSet<LocId> = proc.edges.iter().map(|e| e.src).chain([proc.exit]).collect();
        for (e, edge) in proc.edges.iter_enumerated() {
            let is_passed = sets.passed.contains(&edge.src);
            if sets.root(edge.src) == graph::FALSE && !is_passed {
                continue;
            }
            match &edge.op {
                Op::Check(..) => all.push(Obligation::Check(*p, e)),
                Op::Call { callee: Callee::Direct(q), .. } if program.procs[*q].has_body => {
                    all.push(Obligation::Enter(*p, e));
                }
                _ => {}
            }
            // Where the execution ends for good any state will do.
            if goes_on.contains(&edge.dst) && !is_passed {
                all.push(Obligation::Edge(*p, e));
            }
        }
    }
    all
}

impl Sets {
    /// The root of the set at a location.
    fn root(&self, l: LocId) -> usize {
        self.roots.get(&l).copied().unwrap_or(graph::FALSE)
    }
}
