//! The loop: abstract, check, analyse the path, refine (002 slide 7; \[BMMR01\], \[BR02\]).
//!
//! Invariant: every iteration makes progress, by a new predicate, by cutting an impossible combination of predicates,
//! or by an escalation, or is the last one. So the
//! same abstract path with the same predicates and the same effort is never analysed twice.

mod invariants;
mod steps;

use crate::log::Log;
use crate::prepare::Task;
use crate::record::{Found, Record, Refined, Totals};
use crate::report::{Failure, Proof, Witness};
use crate::save::Saver;
use cli::Session;
use cli::slam::Check;
use cmm::{EdgeId, Path, ProcId};
use newton::Outcome;
use pred::{Precision, Scope};
use smt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;
use steps::{AbstractState, Reached, answer};

/// What the loop works with.
pub(crate) struct Context<'a> {
    /// The program.
    pub task: &'a Task,
    /// The command line.
    pub options: &'a Check,
    /// The predicates to begin with.
    pub initial: &'a Precision,
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
    /// The counterexample depends on what mathematical integers over-approximate, in words.
    SwitchToBits(String),
}

/// Longest path that is analysed, in steps.
const MAX_STEPS: usize = 100_000;

/// Bounds on conjunctions that are tried in turn above the one given.
const CUBES: [usize; 2] = [5, 8];

/// Runs the loop to its end.
pub(crate) fn solve(
    cx: &Context<'_>,
    cache: &mut c2bp::Cache,
    log: &mut Log<'_>,
    saver: Option<&mut Saver>,
) -> Conclusion {
    let mut state = Loop {
        cx,
        log,
        saver,
        precision: cx.initial.clone(),
        cache,
        max_cube: cx.options.refinement.max_cube,
        exact: BTreeSet::new(),
        iterations: 0,
        last_found: vec![],
        loops: BTreeMap::new(),
        excluded: c2bp::Excluded::new(),
        ignored: 0,
        names: cx.initial.iter().map(|(_, p)| (p.scope, p.text(&cx.task.program))).collect(),
        totals: Totals::default(),
    };
    let conclusion = state.run();
    state.dump();
    conclusion
}

/// What is known of the program of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    last_found: Vec<Found>,
    /// The programs of the paths met so far (see [`newton::identity`]).
    loops: BTreeMap<u64, Loops>,
    /// Combinations of predicates that are cut, since no state has them.
    excluded: c2bp::Excluded,
    ignored: usize,
    names: BTreeSet<(Scope, String)>,
    totals: Totals,
}

impl Loop<'_, '_> {
    fn run(&mut self) -> Conclusion {
        for number in 1..=self.cx.options.refinement.max_iterations {
            let mut record = Record { number, predicates: self.precision.len(), ..Record::default() };
            let outcome = self.iteration(&mut record);
            self.publish(&record);
            if let Break(conclusion) = outcome {
                return conclusion;
            }
        }
        Conclusion::Unknown(self.failure("iterations", None, "the iteration limit is reached".into()))
    }

    /// One iteration; `Break` ends the loop.
    fn iteration(&mut self, record: &mut Record) -> ControlFlow<Conclusion> {
        self.iterations = record.number;
        let abstraction = self.abstract_program(record)?;
        match self.reach(&abstraction, record)? {
            Reached::Nothing(proof) => Break(self.nothing_reached(proof)),
            Reached::Error(path, states) => self.refine(&path, &states, record),
        }
    }

    /// An infeasible path is cut off where it goes through states of the abstraction that no state of the program
    /// has. Without such it needs predicates that refute it, by one refiner after the other; without a new one the
    /// abstraction is made more precise, until nothing is left to try.
    fn refine(
        &mut self,
        path: &Path,
        states: &BTreeSet<AbstractState>,
        record: &mut Record,
    ) -> ControlFlow<Conclusion> {
        let started = Instant::now();
        let mut refined = Refined::default();
        let mut end = Continue(());
        for refiner in self.refiners(path) {
            let outcome = self.analyze(path, refiner, record.number);
            refined.answer = answer(&outcome, refiner, path);
            match outcome {
                Outcome::Feasible { inputs, inexact } => end = Break(self.confirm(path, &inputs, &inexact)),
                // Later refiners may give up: that the path is infeasible is known by then.
                Outcome::GaveUp(why) if refined.refutations == 0 => end = self.gave_up(path, why),
                Outcome::GaveUp(_) => {}
                Outcome::Refuted { core, predicates } => {
                    self.log.path(&self.path_text(path, &core));
                    refined.refutations += 1;
                    if refined.refutations == 1 {
                        refined.cut = self.exclude(states);
                    }
                    // Invariants of loops come once only.
                    if refined.cut.is_empty() || refiner == newton::Refiner::Loops {
                        refined.found = self.learn(path, predicates);
                    }
                }
            }
            if end.is_break() || refined.is_progress() {
                break;
            }
        }
        if end.is_continue() && !refined.is_progress() {
            match self.escalate(path) {
                Some(how) => refined.escalation = Some(how),
                None => end = Break(self.no_progress(path)),
            }
        }
        refined.time = started.elapsed();
        record.refinement = Some(refined);
        end
    }
}
