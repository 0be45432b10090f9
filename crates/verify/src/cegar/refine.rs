//! The last stage of an iteration: refinement of the abstraction, so that an infeasible path does not come back.

use crate::cegar::event::{
    Blocked, Escalation, Event, Finder, Found, PathAnswer, Probes, Record, Refined, Stage,
};
use crate::cegar::path::{AbstractPath, AbstractState, AbstractStep};
use crate::cegar::{Conclusion, Loop, MAX_STEPS, Reason};
use crate::plan::Method;
use c2bp::Moment;
use encoding::IntMode;
use executions::{Witness, random as probe};
use ir::{EdgeId, Op, Path, PathStep, ProcId};
use newton::generalise::states::equation;
use newton::{Analysis, Discovered, Outcome, Refiner, Refuted, Sliced, Suggested, Suggestion, Suggestions};
use predicates::PredId;
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};

/// Bounds on conjunctions that are tried one after the other above the given one.
const CUBES: [usize; 2] = [5, 8];

/// For each this many nodes of decision diagrams, one more contradiction of a path is looked for.
const NODES_FOR_ONE: usize = 100_000;

/// Most further contradictions of one path.
const MOST_FURTHER: usize = 16;

/// The prover's resources for a question about one state or step.
const RLIMIT: u64 = smt::RLIMIT / 100;

/// How many contradictions more than one an iteration learns from: the more, the larger the diagrams were in which its path was
/// found.
pub(crate) fn further(record: &Record) -> usize {
    let nodes = record.reachability.as_ref().map_or(0, |checked| checked.bdd_nodes);
    (nodes / NODES_FOR_ONE).min(MOST_FURTHER)
}

/// Whether a predicate says that a variable has a certain value. Queries about such predicates are decided
/// syntactically.
fn is_value_of_variable(d: &Discovered) -> bool {
    equation(&d.predicate.expr).is_some_and(|(lv, _)| lv.as_var().is_some())
}

impl<'c> Loop<'c> {
    /// Analyses a path that was found with integers modelled so.
    pub(crate) fn analyze<'p>(&mut self, path: &'p Path, mode: IntMode) -> Outcome<'p>
    where
        'c: 'p,
    {
        let options = newton::Options { mode, ..self.analysis() };
        newton::decide(self.cx.task.program, self.cx.task.oracle, path, &options)
    }

    /// Analyses a path, its slice first. `Break`: an execution with inputs of the slice fails a check, by this path or another.
    pub(crate) fn analyze_slice<'p>(
        &mut self,
        path: &'p Path,
    ) -> ControlFlow<(Probes, Box<Witness>), Outcome<'p>>
    where
        'c: 'p,
    {
        let options = self.analysis();
        let (program, oracle) = (self.cx.task.program, self.cx.task.oracle);
        let mut prover = smt::prover(options.rlimit, options.interrupt);
        let analysis = match Analysis::new(program, oracle, path, &options, &mut prover) {
            Ok(analysis) => analysis,
            Err(why) => return Continue(Outcome::GaveUp(why)),
        };
        Continue(match analysis.slice() {
            Sliced::Refuted(refuted) => Outcome::Refuted(refuted),
            Sliced::Open(analysis) => analysis.decide(),
            Sliced::Possible(inputs, analysis) => {
                let probed = probe::along(self.cx.task.whole, &[inputs], &mut self.slices, self.cx.stop.flag);
                if let Some(witness) = probed.failing {
                    return Break((Probes { runs: probed.runs, fails: true }, Box::new(witness)));
                }
                analysis.decide()
            }
        })
    }

    /// Analyses a path by the prover that has analysed others.
    pub(crate) fn analyze_next<'p>(&mut self, path: &'p Path) -> Outcome<'p>
    where
        'c: 'p,
    {
        let options = self.analysis();
        let paths = self.paths.get_or_insert_with(|| newton::Paths::new(&options));
        paths.decide(self.cx.task.program, self.cx.task.oracle, path, &options)
    }

    fn analysis(&mut self) -> newton::Options<'c> {
        self.begins(Stage::Refinement);
        newton::Options {
            mode: self.cx.task.mode,
            rlimit: smt::RLIMIT,
            max_steps: MAX_STEPS,
            interrupt: self.cx.stop.interrupt,
        }
    }

    /// Excludes an infeasible path: by blocking its abstract states that no state of the program has; if there are
    /// none, by predicates that refute it, from one refiner after the other; without a new predicate, by blocking
    /// steps of the abstract path that no execution takes; and without those by a more precise abstraction, until
    /// nothing is left to try. Up to `further` more contradictions of the path are learned from too.
    pub(crate) fn exclude_path(
        &mut self,
        AbstractPath { path, states, steps }: &AbstractPath,
        refuted: &mut Refuted<'_>,
        refined: &mut Refined,
        further: usize,
    ) -> ControlFlow<Conclusion> {
        self.probe_along(refuted, refined)?;
        refined.blocked = self.block_states(states);
        if refined.is_progress() && self.cx.options.refiners.is_empty() {
            return Continue(());
        }
        let refiners = self.refiners(refuted);
        if !refined.is_progress() && refiners.contains(&Refiner::Wp) {
            self.past_loops(path, refuted, refined)?;
            if refined.is_progress() {
                return Continue(());
            }
        }
        for (i, refiner) in refiners.into_iter().enumerate() {
            let newton::Refinement { core, predicates } = refuted.refine(refiner, &self.known.precision);
            refined.answer = PathAnswer::Refuted(Some((core.len(), refiner)));
            refined.refutations += 1;
            self.known.history.refuted(refiner, &core);
            if i == 0 {
                self.observer.event(&Event::Refuted { path, core: &core, refuted });
            }
            // Invariants of loops come once only.
            if refined.blocked.is_empty() || refiner == Refiner::Loops {
                refined.found = self.learn(path, predicates);
            }
            if refined.is_progress() {
                if refiner == Refiner::Wp {
                    self.learn_more(path, refuted, refined, further);
                }
                return Continue(());
            }
        }
        refined.blocked = self.block_steps(steps);
        if refined.is_progress() {
            return Continue(());
        }
        refined.escalation = self.escalate(path);
        match refined.escalation {
            Some(_) => Continue(()),
            None => Break(self.unknown(Reason::NoProgress, self.end_of(path))),
        }
    }

    /// Follows the path with as many iterations of its loops as the program makes, as further iterations of the
    /// refinement would: to its end, or to what else refutes it.
    fn past_loops(
        &mut self,
        path: &Path,
        refuted: &Refuted<'_>,
        refined: &mut Refined,
    ) -> ControlFlow<Conclusion> {
        match newton::past_loops(refuted, &self.analysis(), &self.known.precision) {
            None => {}
            Some(newton::Past::Feasible { path, inputs, inexact }) => {
                (refined.answer, refined.steps) =
                    (PathAnswer::Feasible(inputs.values.len()), path.steps.len());
                return Break(self.confirm(&path, &inputs, &inexact));
            }
            Some(newton::Past::Refuted { path: longer, refinement }) => {
                refined.answer = PathAnswer::Refuted(Some((refinement.core.len(), Refiner::Wp)));
                refined.steps = longer.steps.len();
                refined.refutations += 1;
                self.known.history.refuted(Refiner::Wp, &refinement.core);
                self.observer.event(&Event::Refuted { path, core: &refuted.core_steps(), refuted });
                refined.found = self.learn(&longer, refinement.predicates);
                refined.found.iter_mut().for_each(|found| found.index = None);
            }
        }
        Continue(())
    }

    /// Learns from further contradictions of the path. Predicates that no other path needs make the abstraction dearer, so only
    /// such as cost it nothing are taken; others wait for a path of their own.
    fn learn_more(&mut self, path: &Path, refuted: &mut Refuted<'_>, refined: &mut Refined, further: usize) {
        for _ in 0..further {
            if self.cx.stop.is_set() || !refuted.another() {
                break;
            }
            let predicates = refuted.refine(Refiner::Wp, &self.known.precision).predicates;
            if predicates.iter().all(is_value_of_variable) {
                let found = self.learn(path, predicates);
                refined.found.extend(found);
            }
        }
    }

    /// The refiners to try, in order.
    fn refiners(&mut self, refuted: &Refuted<'_>) -> Vec<Refiner> {
        let refiners = &self.cx.options.refiners;
        match self.cx.options.loops_when_due {
            true => newton::in_order(refuted, refiners, &mut self.known.loops),
            false => refiners.clone(),
        }
    }

    /// Executes the program with inputs that lead close to the refuted path; `Break` with one that fails a check.
    fn probe_along(&mut self, refuted: &Refuted<'_>, refined: &mut Refined) -> ControlFlow<Conclusion> {
        if !self.cx.options.uses(Method::Executions) || !self.guided.is_left() {
            return Continue(());
        }
        let inputs = refuted.near_miss_inputs();
        if inputs.is_empty() {
            return Continue(());
        }
        let probed = probe::along(self.cx.task.whole, &inputs, &mut self.guided, self.cx.stop.flag);
        refined.probed = Some(Probes { runs: probed.runs, fails: probed.failing.is_some() });
        match probed.failing {
            Some(witness) => Break(Conclusion::Unsafe(Box::new(witness))),
            None => Continue(()),
        }
    }

    /// Blocks states that no state of the program has.
    pub(crate) fn block_states(&mut self, states: &BTreeSet<AbstractState>) -> Vec<Blocked> {
        let mut possible = self.possible_states();
        let mut out = vec![];
        for (proc, state) in states {
            let known = self.known.blocked.entry(*proc).or_default();
            if known.iter().any(|cube| cube.iter().all(|literal| state.contains(literal))) {
                continue;
            }
            let Some(cube) = possible.contradiction(state) else { continue };
            out.push(Blocked::State(*proc, cube.clone()));
            known.push(cube);
        }
        self.possible = Some((self.known.iterations, possible));
        out
    }

    /// Blocks steps of the abstract path that no execution takes: the Das/Dill step (\[DD01\]).
    fn block_steps(&mut self, steps: &BTreeSet<AbstractStep>) -> Vec<Blocked> {
        let mut possible = self.possible_states();
        let mut out = vec![];
        for AbstractStep { proc, edge, unfolded, before, after } in steps {
            let known = self.clauses.entry((*proc, *unfolded)).or_default();
            let has = |(id, moment, value): &(PredId, Moment, bool)| match moment {
                Moment::Before => before.contains(&(*id, *value)),
                Moment::After => after.contains(&(*id, *value)),
            };
            if known.iter().any(|clause| clause.iter().all(has)) {
                continue;
            }
            let Some(clause) = possible.impossible_step((*proc, *unfolded), before, after) else { continue };
            out.push(Blocked::Step((*proc, *edge), clause.clone()));
            known.push(clause);
        }
        self.possible = Some((self.known.iterations, possible));
        out
    }

    /// What is known of the states of this iteration, which are over the predicates that it began with.
    fn possible_states(&mut self) -> c2bp::States<'c> {
        match self.possible.take() {
            Some((iteration, possible)) if iteration == self.known.iterations => possible,
            _ => {
                let (task, precision) = (&self.cx.task, &self.known.precision);
                let interrupt = self.cx.stop.interrupt;
                let how = (task.mode, self.cx.options.blocks);
                c2bp::States::new(task.program, task.oracle, precision, how, RLIMIT, interrupt)
            }
        }
    }

    /// Whether a predicate is needed inside of blocks only, behind statements of these that change what it says: what they do not
    /// change is needed where the block begins.
    fn is_inside(&self, path: &Path, d: &Discovered) -> bool {
        let Some(blocks) = &self.blocks else { return false };
        let (program, oracle, mode) = (self.cx.task.program, self.cx.task.oracle, self.cx.task.mode);
        let cx = predicates::weakest_precondition::Context { program, oracle, mode };
        let changes = |p: ProcId, e: EdgeId| {
            let op = &program.procs[p].edges[e].op;
            matches!(op, Op::Assign(lv, _) | Op::Havoc(lv, _) if predicates::weakest_precondition::touches(cx, lv, &d.predicate.expr))
        };
        let is_inside = |step: usize| {
            let edge = |step: usize| match path.steps.get(step) {
                Some(PathStep::Edge(p, e)) => Some((*p, *e)),
                _ => None,
            };
            let is_behind_others =
                |(p, e): (ProcId, EdgeId)| blocks.is_inside(p, program.procs[p].edges[e].src);
            // Blocks have no calls: what is before the step in the block is before it on the path.
            let mut before = step;
            while edge(before).is_some_and(is_behind_others) {
                before -= 1;
            }
            (before..step).filter_map(edge).any(|(p, e)| changes(p, e))
        };
        d.places.iter().cloned().all(|mut steps| steps.all(is_inside))
    }

    /// Adds the predicates that are new, but those that matter inside of blocks only where there are others.
    pub(crate) fn learn(&mut self, path: &Path, predicates: Vec<Discovered>) -> Vec<Found> {
        let (inside, mut wanted): (Vec<_>, Vec<_>) =
            predicates.into_iter().partition(|d| self.is_inside(path, d));
        if wanted.iter().all(|d| self.known.precision.contains(&d.predicate)) {
            wanted.extend(inside);
        }
        let mut found = vec![];
        for d in wanted {
            if let (predicate, true) = self.known.precision.add(d.predicate) {
                let step = path.steps.get(d.step).copied();
                found.push(Found { predicate, finder: Finder::Path(d.refiner), step, index: Some(d.step) });
            }
        }
        found
    }

    /// Learns what the program suggests.
    pub(crate) fn learn_suggested(&mut self, record: &mut Record) {
        let Some(refined) = &mut record.refinement else { return };
        if !self.cx.options.refiners.contains(&Refiner::Wp) {
            return;
        }
        let (program, oracle, mode) = (self.cx.task.program, self.cx.task.oracle, self.cx.task.mode);
        let precision = &mut self.known.precision;
        let suggestions = self.suggestions.get_or_insert_with(|| Suggestions::new(program, mode));
        for why in Suggestion::ALL {
            for Suggested { predicate, step } in suggestions.missing(why, program, oracle, mode, precision) {
                let (predicate, _) = precision.add(predicate);
                let finder = Finder::Suggestion(why);
                refined.found.push(Found { predicate, finder, step: Some(step), index: None });
            }
        }
    }

    /// Makes the abstraction more precise; `None` when nothing is left to try.
    fn escalate(&mut self, path: &Path) -> Option<Escalation> {
        if let Some(next) = CUBES.into_iter().find(|k| *k > self.known.max_cube) {
            self.known.max_cube = next;
            return Some(Escalation::LongerCubes(next));
        }
        let before = self.known.exact.len();
        self.known.exact.extend(path.steps.iter().map(|step| step.edge()));
        let more = self.known.exact.len() - before;
        (0 < more).then_some(Escalation::ExactStatements(more))
    }
}
