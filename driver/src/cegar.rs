//! The loop: abstract, check, analyse the path, refine (002 slide 7; \[BMMR01\], \[BR02\]).
//!
//! Invariant: every iteration makes progress, by a new predicate, by cutting an impossible combination of predicates,
//! or by an escalation, or is the last one. So the
//! same abstract path with the same predicates and the same effort is never analysed twice.

mod abstract_path;
mod coverage;
mod engines;
mod explicit;
mod formulae;
mod history;
mod invariants;
mod known;
mod others;
mod reason;
mod steps;

pub(crate) use coverage::Unreached;
pub(crate) use history::{Attempt, Cycle, History};
pub(crate) use invariants::first_vertices;
pub(crate) use known::Known;
pub(crate) use reason::Reason;

use crate::log::Log;
use crate::prepare::Task;
use crate::probe;
use crate::record::{Found, Record, Refined, Totals};
use crate::report::{Failure, Proof, Witness};
use crate::save::Saver;
use abstract_path::AbstractPath;
use cli::Session;
use cli::slam::Check;
use cmm::{CheckId, EdgeId, ProcId};
use newton::{GaveUp, Outcome, Refuted};
use pred::{Inexact, Precision, Scope};
use smt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;
use steps::{Reached, answer, refuted_answer};

/// What the loop works with.
pub(crate) struct Context<'a> {
    /// The program.
    pub task: &'a Task,
    /// The command line.
    pub options: &'a Check,
    /// How many iterations a check gets before it has to wait for others; `None` for any number.
    pub patience: Option<usize>,
    /// Most iterations.
    pub iterations: usize,
    /// The run's limits.
    pub session: &'a Session,
    /// Stops the provers.
    pub interrupt: &'a Interrupt,
}

/// How the loop ended.
pub(crate) enum Conclusion {
    /// No execution fails a check.
    Safe(Proof),
    /// The interpreter has failed a check.
    Unsafe(Box<Witness>),
    /// Not decided.
    Unknown(Failure),
    /// An execution fails a check, but only with what it has drawn for something that has no model. Other checks, and
    /// executions that pass this one, are not looked at yet.
    NoModel(Failure),
    /// Bit-vectors may decide what mathematical integers do not.
    SwitchToBits(SwitchReason),
    /// This check has had its share of iterations; others are to be decided first.
    Deferred(CheckId),
}

/// Why bit-vectors are to be tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SwitchReason {
    /// The counterexample depends on what mathematical integers over-approximate.
    Inexact(Vec<Inexact>),
    /// The prover gave up on a path.
    GaveUp(GaveUp),
}

impl std::fmt::Display for SwitchReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SwitchReason::Inexact(what) => f.write_str(&Inexact::listed(what)),
            SwitchReason::GaveUp(why) => why.fmt(f),
        }
    }
}

/// Longest path that is analysed, in steps.
const MAX_STEPS: usize = 100_000;

/// Bounds on conjunctions that are tried in turn above the one given.
const CUBES: [usize; 2] = [5, 8];

/// Runs the loop to its end; `known` is what earlier runs about the same program have left, and what this one leaves.
pub(crate) fn solve(
    cx: &Context<'_>,
    known: &mut Known,
    cache: &mut c2bp::Cache,
    log: &mut Log<'_>,
    saver: Option<&mut Saver>,
) -> Conclusion {
    let mut state = known.take().start(cx, cache, log, saver);
    let conclusion = state.run();
    state.dump();
    *known = Known::left_by(state);
    conclusion
}

/// What is known of the program of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loops {
    /// One of its paths was refuted by itself.
    Met,
    /// Invariants of its loops were looked for.
    Tried,
}

/// The state of the loop.
struct Loop<'c, 'l> {
    cx: &'c Context<'c>,
    log: &'c mut Log<'l>,
    saver: Option<&'c mut Saver>,
    precision: Precision,
    cache: &'c mut c2bp::Cache,
    max_cube: usize,
    /// Edges with exact abstractions.
    exact: BTreeSet<(ProcId, EdgeId)>,
    iterations: usize,
    /// The check at the end of the path that is looked at.
    target: Option<CheckId>,
    /// Iterations spent on each check.
    spent: BTreeMap<CheckId, usize>,
    last_found: Vec<Found>,
    history: History,
    /// The programs of the paths met so far (see [`newton::identity`]).
    loops: BTreeMap<u64, Loops>,
    /// Combinations of predicates that are cut, since no state has them.
    excluded: c2bp::Excluded,
    /// Steps of edges that are cut, since no execution takes them.
    clauses: c2bp::Clauses,
    ignored: usize,
    /// What executions guided by refuted paths may still cost.
    guided: probe::Budget,
    names: BTreeSet<(Scope, String)>,
    /// What is known of the states of an iteration, by its number.
    possible: Option<(usize, c2bp::States<'c>)>,
    /// How many paths besides the first an iteration looks at.
    others: usize,
    /// Decides about these.
    paths: Option<newton::Paths>,
    totals: Totals,
}

impl Loop<'_, '_> {
    fn run(&mut self) -> Conclusion {
        for number in self.iterations + 1..=self.cx.iterations {
            let mut record = Record { number, predicates: self.precision.len(), ..Record::default() };
            let outcome = self.iteration(&mut record);
            record.check = self.target.map(|c| self.place_of(c));
            self.publish(&record);
            if let Break(conclusion) = outcome {
                return conclusion;
            }
        }
        self.target = None;
        Conclusion::Unknown(self.failure(Reason::Iterations, None))
    }

    /// One iteration; `Break` ends the loop.
    fn iteration(&mut self, record: &mut Record) -> ControlFlow<Conclusion> {
        self.iterations = record.number;
        self.target = None;
        let abstraction = self.abstract_program(record)?;
        match self.reach(&abstraction, record)? {
            Reached::Nothing(proof) => Break(self.nothing_reached(proof)),
            Reached::Errors(first, others) => {
                self.aim(&first.path, abstraction.program)?;
                self.refine(&first, record)?;
                self.refine_others(&others, record)
            }
        }
    }

    /// Decides whether the path can be executed.
    fn refine(&mut self, found: &AbstractPath, record: &mut Record) -> ControlFlow<Conclusion> {
        let (started, path) = (Instant::now(), &found.path);
        let mut refined = Refined::default();
        let outcome = self.analyze(path, record.number);
        refined.answer = answer(&outcome, path);
        let end = match outcome {
            Outcome::Feasible { inputs, inexact } => Break(self.confirm(path, &inputs, &inexact)),
            Outcome::GaveUp(why) => self.gave_up(path, why),
            Outcome::Refuted(refuted) => self.exclude_path(found, &refuted, &mut refined),
        };
        refined.time = started.elapsed();
        record.refinement = Some(refined);
        end
    }

    /// An infeasible path is cut off where it goes through states of the abstraction that no state of the program
    /// has. Without such it needs predicates that refute it, by one refiner after the other; without a new one steps
    /// of the abstract path that no execution takes are forbidden, and without those the abstraction is made more
    /// precise, until nothing is left to try.
    fn exclude_path(
        &mut self,
        AbstractPath { path, states, steps }: &AbstractPath,
        refuted: &Refuted<'_>,
        refined: &mut Refined,
    ) -> ControlFlow<Conclusion> {
        self.probe_along(refuted, refined)?;
        refined.cut = self.exclude(states);
        if refined.is_progress() && self.cx.options.refinement.refiner == cli::slam::Refiner::Off {
            return Continue(());
        }
        for (i, refiner) in self.refiners(refuted).into_iter().enumerate() {
            let newton::Refinement { core, predicates } = refuted.refine(refiner, &self.precision);
            refined.answer = refuted_answer(refiner, core.len(), path);
            refined.refutations += 1;
            self.history.tries(refiner);
            self.history.refuted(&core);
            if i == 0 {
                self.log.path(&self.path_text(path, &core));
            }
            // Invariants of loops come once only.
            if refined.cut.is_empty() || refiner == newton::Refiner::Loops {
                refined.found = self.learn(path, predicates);
            }
            if refined.is_progress() {
                return Continue(());
            }
        }
        refined.cut = self.constrain(steps);
        if refined.is_progress() {
            return Continue(());
        }
        match self.escalate(path) {
            Some(how) => refined.escalation = Some(how),
            None => return Break(self.no_progress(path)),
        }
        Continue(())
    }
}
