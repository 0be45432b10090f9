//! The loop: abstract, check, analyse the path, refine (002 slide 7; \[BMMR01\], \[BR02\]).
//!
//! [`run`] goes round until the program is safe, an execution fails a check, or nothing is left to try. What it knows
//! ([`Knowledge`]) survives runs; what happens is reported to an [`Observer`].
//!
//! Invariant: every iteration makes progress, by a new predicate, by a blocked cube, or by an escalation, or is the last
//! one: the same abstract path with the same predicates and the same effort is never analysed twice.
//!
//! A C file, read by `cfront`, is checked like this:
//!
//! ```
//! use verify::cegar::{self, Conclusion, Context, Knowledge, Options, Stop, Subject};
//! use alias::{AliasMode, AliasOracle};
//! use passes::resolve_indirect;
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/spinlock_safe.c");
//! let front = cfront::load(&[file.into()], &cfront::Options::default()).expect("C that is taken");
//! let first = AliasOracle::new(&front.program, AliasMode::Das);
//! let program = resolve_indirect(&front.program, &first).expect("function pointers are known");
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let (flag, interrupt) = (false.into(), smt::Interrupt::new());
//! let stop = Stop { flag: &flag, interrupt: &interrupt };
//! let options = Options::default();
//! let context = Context { task: Subject::new(&program, &oracle), options: &options, stop };
//! let conclusion = cegar::run(&context, &mut Knowledge::default(), &mut c2bp::Cache::new(), &mut ());
//! let Conclusion::Safe(proof) = conclusion else { panic!("the lock is used as it should be") };
//! let invariant = &proof.invariants[0];
//! assert_eq!(ir::print::expr(&program, &invariant.condition), "locked == 0");
//! ```
//!
//! Architecture invariant: the loop does not know how its program came about: it runs no front end and no pass, of which it uses
//! the partition into blocks only.

mod abstraction;
mod around;
mod candidates;
mod certificate;
mod confirm;
mod context;
mod coverage;
mod event;
mod facts;
mod history;
mod induction;
mod inductive;
mod knowledge;
mod loop_invariants;
mod others;
mod path;
mod proof;
mod reach;
mod reason;
mod refine;
mod shown;
mod unroll;

pub use context::{Context, Options, Paths, Stop, Subject};
pub use coverage::{Meetings, Unreached};
pub use event::{
    Abstracted, Blocked, Checked, Escalation, Event, Finder, Found, Observer, PathAnswer, Probes, Record,
    Refined, Stage, Totals,
};
pub use facts::{Fact, NotShown, Source, WhyNot};
pub use history::{Attempt, Cycle, History};
pub use inductive::{Held, Inductive};
pub use knowledge::Knowledge;
pub use loop_invariants::Invariant;
pub use proof::{Evidence, Proof};
pub use reason::{Failure, LeftOut, Reason, SwitchReason};

use crate::plan::{self, Effort, Method, Point, Variant};
pub use bmc::k_induction::Candidate;
use c2bp::Abstraction;
use executions::{Witness, random};
use ir::{CheckId, EdgeId, Expr, ProcId};
use newton::Outcome;
pub use passes::Blocks;
use passes::Partition;
use path::AbstractPath;
use reach::{Errors, Reached};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;

/// How the loop ended.
pub enum Conclusion {
    /// No execution fails a check.
    Safe(Proof),
    /// The interpreter has failed a check.
    Unsafe(Box<Witness>),
    /// Not decided.
    Unknown(Failure),
    /// An execution fails a check, but only with what it has drawn for something that has no model. Other checks, and
    /// executions that pass this one, are not examined yet.
    NoModel(Failure),
    /// Bit-vectors may decide what mathematical integers do not.
    SwitchToBits(SwitchReason),
    /// Induction shows that no execution fails these checks, if it fails none before; there are others. Who runs the loop takes
    /// these for assumptions and runs it again.
    Holds(Box<Held>),
    /// This check has had its share of iterations; others are to be decided first.
    Deferred(CheckId),
}

/// Longest path that is analysed, in steps.
const MAX_STEPS: usize = 100_000;

/// The same where there is an answer already ([`Options::is_answered`]).
const MAX_STEPS_ANSWERED: usize = 1_000;

/// Runs the loop to its end.
pub fn run(
    cx: &Context<'_>,
    known: &mut Knowledge,
    cache: &mut c2bp::Cache,
    observer: &mut dyn Observer,
) -> Conclusion {
    let calls = known.totals.abstraction.prover_calls;
    Loop {
        cx,
        known,
        cache,
        observer,
        target: None,
        blocks: None,
        clauses: c2bp::Clauses::new(),
        guided: random::Budget::default(),
        slices: random::Budget::default(),
        possible: None,
        others: newton::FIRST_PATHS,
        by_calls: newton::FIRST_PATHS,
        around: around::FIRST,
        turns: BTreeSet::new(),
        paths: None,
        suggestions: None,
        due: calls + plan::FIRST_QUESTIONS,
        early: Some(calls + plan::EARLY_QUESTIONS),
        unrolling: unroll::Progress::default(),
    }
    .run()
}

/// A run of the loop.
struct Loop<'c> {
    cx: &'c Context<'c>,
    known: &'c mut Knowledge,
    cache: &'c mut c2bp::Cache,
    observer: &'c mut dyn Observer,
    /// The check at the end of the path that is analysed.
    target: Option<CheckId>,
    /// What the last abstraction has taken as one.
    blocks: Option<Partition>,
    /// Steps of edges that are blocked, since no execution takes them. The next program may be sliced in another way:
    /// they are known of this one only.
    clauses: c2bp::Clauses,
    /// What executions guided by refuted paths may still cost.
    guided: random::Budget,
    /// What executions with inputs of path slices may still cost.
    slices: random::Budget,
    /// Questions about states and steps with the predicates of the iteration of this number.
    possible: Option<(usize, c2bp::States<'c>)>,
    /// How many paths besides the first an iteration analyses.
    others: usize,
    /// How many to the check of the first one by other calls.
    by_calls: usize,
    /// How many paths around what contradicts the first.
    around: usize,
    /// Identities of the paths that were found around single conditions; iterations of loops do not count, so that this ends.
    turns: BTreeSet<u64>,
    /// The prover for all paths of this run.
    paths: Option<newton::Paths>,
    /// Predicates suggested by the program's text, once it was examined.
    suggestions: Option<newton::Suggestions>,
    /// The number of questions of the abstraction at which [`plan::When::Questions`] holds next.
    due: u64,
    /// The same for [`plan::When::Once`]; `None` once its turn has come.
    early: Option<u64>,
    unrolling: unroll::Progress,
}

impl Loop<'_> {
    fn run(&mut self) -> Conclusion {
        for number in self.known.iterations + 1..=self.cx.options.iterations {
            let mut record = Record { number, predicates: self.known.precision.len(), ..Record::default() };
            let outcome = self.iteration(&mut record);
            if matches!(outcome, Break(Conclusion::Holds(_))) && record.abstraction.is_none() {
                // The iteration begins anew with fewer checks.
                self.known.iterations -= 1;
            } else {
                self.finish(&mut record);
            }
            if let Break(conclusion) = outcome {
                return self.ended(conclusion);
            }
        }
        self.target = None;
        Conclusion::Unknown(self.failure(Reason::Iterations, None))
    }

    /// Takes note of an iteration.
    fn finish(&mut self, record: &mut Record) {
        record.check = self.target;
        self.known.learned(record);
        let (precision, totals) = (&self.known.precision, &self.known.totals);
        self.observer.event(&Event::Iteration { record, precision, totals });
    }

    /// The loop has ended so; where that is not an answer, unrolling the program may give one.
    fn ended(&mut self, conclusion: Conclusion) -> Conclusion {
        let is_open = |f: &Failure| f.reason.is_about_one_check();
        if self.cx.options.is_answered
            || !matches!(&conclusion, Conclusion::Unknown(failure) if is_open(failure))
        {
            return conclusion;
        }
        let not_replayed =
            matches!(&conclusion, Conclusion::Unknown(Failure { reason: Reason::NotReplayed { .. }, .. }));
        let tried = self.take_steps(Point::Open, not_replayed, &mut Record::default());
        match (tried, conclusion) {
            (Break(answer), _) => answer,
            (Continue(()), Conclusion::Unknown(failure)) => {
                // There are more by now.
                Conclusion::Unknown(Failure { candidates: self.known.induction.not_shown(), ..failure })
            }
            (Continue(()), conclusion) => conclusion,
        }
    }

    /// One iteration; `Break` ends the loop.
    fn iteration(&mut self, record: &mut Record) -> ControlFlow<Conclusion> {
        self.known.iterations = record.number;
        self.target = None;
        self.take_steps(Point::Iteration, false, record)?;
        let abstraction = self.abstract_program(record)?;
        match self.reach(&abstraction, record)? {
            Reached::Nothing(proof) => Break(self.nothing_reached(proof)),
            Reached::Errors(Errors { first, others, by_calls, graph }) => {
                let Abstraction { program, origin, blocks, .. } = abstraction;
                self.blocks = Some(blocks);
                self.aim(&first.path, program)?;
                let needed = self.refine(&first, record)?;
                self.refine_others(&others, &by_calls, record)?;
                if let Some(graph) = graph {
                    self.refine_around(&origin, graph, needed, record)?;
                }
                self.learn_suggested(record);
                Continue(())
            }
        }
    }

    /// Takes the steps of the plan at this point, one after the other.
    fn take_steps(&mut self, at: Point, not_replayed: bool, record: &mut Record) -> ControlFlow<Conclusion> {
        let state = self.state(not_replayed);
        if state.due <= state.questions && at == Point::Iteration {
            self.due = 2 * state.questions;
        }
        let mut from = 0;
        while let Some((position, step)) = plan::next(at, &state, &self.cx.options.methods, from) {
            let effort = step.budget.effort(&state);
            if self.has_something_to_do(step) {
                self.known.history.takes(position);
                self.observer.event(&Event::Takes { step, effort });
            }
            self.perform(step, effort, record)?;
            from = position + 1;
        }
        Continue(())
    }

    /// Whether a step is more than the iteration itself.
    fn has_something_to_do(&self, step: &plan::Step) -> bool {
        let options = self.cx.options;
        match (step.method, step.variant) {
            (Method::Abstraction, _) => false,
            (Method::Executions, Variant::Usual) => self.known.search.is_open(),
            (Method::Induction, Variant::Given) => !options.given.is_empty(),
            _ => options.uses(step.method),
        }
    }

    /// What the plan needs to know.
    fn state(&self, not_replayed: bool) -> plan::State {
        let (iteration, program) = (self.known.iterations, self.cx.task.program);
        let edges = self.edges();
        // Nothing but the early attempt at induction depends on predicates.
        let may_be_early = self.early.is_some() && edges <= plan::SMALL;
        plan::State {
            iteration,
            questions: self.known.totals.abstraction.prover_calls,
            due: self.due,
            early: self.early,
            predicate_parts: if may_be_early { self.predicate_parts() } else { 0 },
            hard_values: iteration == 2 && unroll::is_hard_for_predicates(program),
            edges,
            not_replayed,
            unrolling_given_up: self.unrolling.is_given_up(),
            ..plan::State::default()
        }
    }

    /// Takes a step with this effort.
    fn perform(&mut self, step: &plan::Step, effort: Effort, record: &mut Record) -> ControlFlow<Conclusion> {
        match (step.method, step.variant) {
            (Method::Induction, Variant::Given) => self.decide_given(effort),
            (Method::Executions, Variant::Longer) => {
                match random::late(self.cx.task.whole, self.cx.stop.flag) {
                    Some(witness) => Break(Conclusion::Unsafe(Box::new(witness))),
                    None => Continue(()),
                }
            }
            (Method::Executions, _) => self.search(effort.steps(), record),
            (Method::Induction, Variant::Early) => {
                self.early = None;
                self.induct_early(effort)
            }
            (Method::Induction, Variant::Last) => self.induct_at_last(effort),
            (Method::Induction, _) => self.induct(effort),
            (Method::Unrolling, Variant::Suspected) => self.unroll_suspected(effort),
            (Method::Unrolling, _) => self.unroll_further(effort),
            // The iteration itself; and steps that are taken by those who run the loop.
            _ => Continue(()),
        }
    }

    fn predicate_parts(&self) -> usize {
        let parts = |e: &Expr| {
            let mut parts = 0;
            e.walk(&mut |_| parts += 1);
            parts
        };
        self.known.precision.iter().map(|(_, predicate)| parts(&predicate.expr)).max().unwrap_or(0)
    }

    /// Executes the program further, with inputs that lead to new places.
    fn search(&mut self, steps: u64, record: &mut Record) -> ControlFlow<Conclusion> {
        if !self.known.search.is_open() {
            return Continue(());
        }
        let cx = self.cx;
        let probed = self.known.search.advance(cx.task.whole, steps, cx.stop.flag);
        record.searched = Some(Probes { runs: probed.runs, fails: probed.failing.is_some() });
        match probed.failing {
            Some(witness) => Break(Conclusion::Unsafe(Box::new(witness))),
            None => Continue(()),
        }
    }

    /// Decides whether the path can be executed, and learns from it if not. Gives the conditions that contradict each other on it.
    fn refine(
        &mut self,
        found: &AbstractPath,
        record: &mut Record,
    ) -> ControlFlow<Conclusion, Vec<(ProcId, EdgeId)>> {
        let (started, path) = (Instant::now(), &found.path);
        let outcome = match self.analyze_slice(path) {
            Continue(outcome) => outcome,
            Break((probed, witness)) => {
                let mut refined =
                    Refined::new(path.steps.len(), PathAnswer::Feasible(witness.run.inputs.len()));
                (refined.probed, refined.time) = (Some(probed), started.elapsed());
                record.refinement = Some(refined);
                return Break(Conclusion::Unsafe(witness));
            }
        };
        let mut refined = Refined::new(path.steps.len(), confirm::answer(&outcome));
        let end = match outcome {
            Outcome::Feasible { inputs, inexact } => Break(self.confirm(path, &inputs, &inexact)),
            Outcome::GaveUp(why) => Break(self.gave_up(path, why)),
            Outcome::Refuted(mut refuted) => {
                let needed = around::needed(self.cx.task.program, path, &refuted);
                self.exclude_path(found, &mut refuted, &mut refined, refine::further(record))
                    .map_continue(|()| needed)
            }
        };
        refined.time = started.elapsed();
        record.refinement = Some(refined);
        end
    }

    fn is_large(&self) -> bool {
        self.edges() > plan::LARGE
    }

    fn edges(&self) -> usize {
        self.cx.task.program.edges().count()
    }

    fn begins(&mut self, stage: Stage) {
        let (iteration, precision) = (self.known.iterations, &self.known.precision);
        self.observer.event(&Event::Begins { iteration, stage, precision });
    }

    /// Goes on, unless the run was stopped.
    fn unless_stopped(&self) -> ControlFlow<Conclusion> {
        if self.cx.stop.is_set() { Break(self.interrupted()) } else { Continue(()) }
    }
}
