//! The parts of an iteration: each calls one stage, keeps the books and turns what ends the loop into a
//! conclusion.

use super::abstract_path::{self, AbstractPath, AbstractState, AbstractStep};
use super::engines::{self, Found as Decided, Limit};
use super::{CUBES, Conclusion, Loop, Loops, MAX_STEPS, Reason, SwitchReason};
use crate::prepare::{FOUND, Task};
use crate::probe;
use crate::record::{Abstracted, Checked, Found, Record, Refined, count};
use crate::replay::{Unconfirmed, confirmed};
use crate::report::listing::{Remark, listing, shortened, text};
use crate::report::{Failure, Proof, Story};
use base::Span;
use bebop::{Answer, Query, Stopped};
use c2bp::{Abstraction, Moment};
use cli::slam::{Engine, Switch};
use cmm::interp::Limits;
use cmm::{CheckId, CheckKind, EdgeKind, Op, Path, PathStep};
use newton::{Discovered, GaveUp, Outcome, Refiner, Refuted, Replay};
use pred::{Inexact, PredId, Scope};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::time::Instant;

/// What the model checker found.
pub(super) enum Reached {
    /// A path of the abstraction to a failing check, and paths to other checks.
    Errors(AbstractPath, Vec<AbstractPath>),
    /// Nothing.
    Nothing(Proof),
}

impl<'c> Loop<'c, '_> {
    /// The abstraction with the predicates so far.
    pub(super) fn abstract_program(&mut self, record: &mut Record) -> ControlFlow<Conclusion, Abstraction> {
        self.cx.session.doing(format!("iteration {}, c2bp", record.number));
        let task = self.cx.task;
        if self.saver.is_some() {
            let text = self.predicates_text();
            self.save(record.number, "predicates.preds", || text);
        }
        let started = Instant::now();
        let options = c2bp::Options {
            max_cube: self.max_cube,
            exact: c2bp::Exact::Edges(&self.exact),
            mode: task.mode,
            sources: Some(&task.sources),
            excluded: Some(&self.excluded),
            clauses: Some(&self.clauses),
            ..c2bp::Options::new(self.cx.session.stop(), self.cx.interrupt)
        };
        let made = c2bp::abstract_program(&task.program, &task.oracle, &self.precision, &options, self.cache);
        let Ok(abstraction) = made else { return self.interrupted() };
        if self.cx.session.stopped() {
            return self.interrupted();
        }
        record.abstraction = Some(Abstracted { stats: abstraction.stats, time: started.elapsed() });
        if self.log.paths()
            && let Some(before) = self.history.abstraction()
        {
            self.log.path(&c2bp::diff::diff(before, &abstraction.program));
        }
        let program = &task.program;
        let name = |id: &pred::PredId| format!("{{{}}}", self.precision.get(*id).text(program));
        if self.ignored < abstraction.ignored.len() {
            self.ignored = abstraction.ignored.len();
            let names: Vec<String> = abstraction.ignored.iter().map(name).collect();
            self.log.note(&format!("ignored, since they read what has no model: {}", names.join(", ")));
        }
        self.save(record.number, "abstraction.bp", || bp::print(&abstraction.program));
        Continue(abstraction)
    }

    /// Decides whether the abstraction reaches a failing check.
    pub(super) fn reach(
        &mut self,
        abstraction: &Abstraction,
        record: &mut Record,
    ) -> ControlFlow<Conclusion, Reached> {
        self.cx.session.doing(format!("iteration {}, bebop", record.number));
        let started = Instant::now();
        let (cfg, _) = bp::Cfg::build(&abstraction.program, None).unwrap_or_else(|errors| {
            let first = errors.first().map_or("", |e| e.message.as_str());
            panic!("the abstraction is a well-formed boolean program: {first}")
        });
        let cfg = bebop::narrowed(&cfg);
        if let Some(path) = self.reach_otherwise(abstraction, &cfg, record)? {
            return Continue(Reached::Errors(path, vec![]));
        }
        let options = bebop::Options::new(Query::Assertions, self.cx.session.stop());
        let mut outcome = match bebop::check(&cfg, &options) {
            Ok(outcome) => outcome,
            Err(Stopped::Interrupted) => return self.interrupted(),
            Err(other) => {
                return Break(Conclusion::Unknown(self.failure(Reason::Size(other.to_string()), None)));
            }
        };
        let mut checked = Checked {
            engine: Engine::Bebop,
            steps: None,
            vertices: Some(outcome.stats.vertices),
            bdd_nodes: outcome.stats.nodes,
            time: started.elapsed(),
        };
        if let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer {
            checked.steps = Some(trace.length());
        }
        let proved = matches!(outcome.answer, Answer::Unreachable);
        let alone = self.cx.options.refinement.engine == Engine::Bebop;
        assert!(proved || alone, "both model checkers agree on what can be reached");
        record.reachability = Some(checked);
        match &outcome.answer {
            Answer::Unreachable => {
                let (invariants, complete) = super::invariants::at_loops(
                    &self.cx.task.program,
                    abstraction,
                    &self.precision,
                    &cfg,
                    &mut outcome.reached,
                );
                let task = self.cx.task;
                let unreached = super::coverage::unreached(
                    &task.program,
                    &task.conditions,
                    abstraction,
                    &cfg,
                    &outcome.reached,
                );
                let wanted = self.cx.options.certify || self.cx.options.json.is_some();
                let certificate = wanted.then(|| {
                    crate::certificate::make(task, abstraction, &self.precision, &cfg, &mut outcome.reached)
                });
                let proof = Proof {
                    unreached,
                    invariants,
                    complete,
                    certificate: certificate.and_then(Result::ok),
                    written: None,
                    certified: None,
                    iterations: record.number,
                    predicates: self.precision.len(),
                };
                Continue(Reached::Nothing(proof))
            }
            Answer::Reachable { trace, target } => {
                let trace = trace.as_ref().expect("a trace was asked for");
                self.target = trace.failed_assertion(&cfg).and_then(|stmt| self.check_of(abstraction, stmt));
                let predicates = abstract_path::predicates(abstraction, &cfg);
                let first = AbstractPath::new(abstraction, &predicates, trace, &mut BTreeSet::new());
                let Some(first) = first else {
                    return Break(Conclusion::Unknown(self.failure(Reason::PathLength(MAX_STEPS), None)));
                };
                self.save(record.number, "trace.txt", || {
                    newton::path_text::print(&self.cx.task.whole, &first.path, &[])
                });
                let others =
                    self.other_errors(abstraction, (&cfg, &predicates), *target, &mut outcome.reached);
                Continue(Reached::Errors(first, others))
            }
        }
    }

    /// The path to a failing check that the engine finds which was asked for in place of bebop; what it proves, bebop
    /// proves again.
    fn reach_otherwise(
        &mut self,
        abstraction: &Abstraction,
        cfg: &bp::Cfg,
        record: &mut Record,
    ) -> ControlFlow<Conclusion, Option<AbstractPath>> {
        let started = Instant::now();
        let engine = self.cx.options.refinement.engine;
        let gave = match engines::reach(engine, cfg, self.cx.session.stop()) {
            None => return Continue(None),
            Some(Ok(gave)) => gave,
            Some(Err(Limit::Interrupted)) => return self.interrupted(),
            Some(Err(Limit::Size(why))) => {
                return Break(Conclusion::Unknown(self.failure(Reason::Size(why), None)));
            }
        };
        let trace = match gave.found {
            Decided::Nothing => return Continue(None),
            Decided::TooLong => {
                return Break(Conclusion::Unknown(self.failure(Reason::PathLength(MAX_STEPS), None)));
            }
            Decided::Trace(trace) => trace,
        };
        let steps = Some(trace.length());
        let (vertices, bdd_nodes) = (gave.vertices, gave.bdd_nodes);
        record.reachability = Some(Checked { engine, steps, vertices, bdd_nodes, time: started.elapsed() });
        self.target = trace.failed_assertion(cfg).and_then(|stmt| self.check_of(abstraction, stmt));
        let predicates = abstract_path::predicates(abstraction, cfg);
        let Some(path) = AbstractPath::new(abstraction, &predicates, &trace, &mut BTreeSet::new()) else {
            return Break(Conclusion::Unknown(self.failure(Reason::PathLength(MAX_STEPS), None)));
        };
        self.save(record.number, "trace.txt", || {
            newton::path_text::print(&self.cx.task.whole, &path.path, &[])
        });
        Continue(Some(path))
    }

    /// The refiners to try, in order. A path that differs from an earlier one in how often it goes round its loops
    /// is refuted by invariants of these, so that it does not come back with one more turn. Recursion is refuted by
    /// summaries at once: what a path says of one depth is of no use for the next.
    pub(super) fn refiners(&mut self, refuted: &Refuted<'_>) -> Vec<Refiner> {
        match self.cx.options.refinement.refiner {
            cli::slam::Refiner::Auto => {
                let met = refuted.identity().and_then(|id| {
                    let known = self.loops.get(&id).copied();
                    let next = if known.is_none() { Loops::Met } else { Loops::Tried };
                    self.loops.insert(id, next);
                    known
                });
                let due = met == Some(Loops::Met) || met.is_none() && refuted.is_recursive();
                if due && let Some(id) = refuted.identity() {
                    self.loops.insert(id, Loops::Tried);
                }
                let loops = due.then_some(Refiner::Loops);
                loops.into_iter().chain(Refiner::ALL).collect()
            }
            cli::slam::Refiner::Wp => vec![Refiner::Wp],
            cli::slam::Refiner::Sp => vec![Refiner::Sp],
            cli::slam::Refiner::WpAll => vec![Refiner::WpAll],
            cli::slam::Refiner::Tree => vec![Refiner::Tree],
            cli::slam::Refiner::Loops => vec![Refiner::Loops],
            cli::slam::Refiner::Off => vec![],
        }
    }

    /// Ends the loop when the check at the end of the path has had its share of iterations, or when the loop stands
    /// still.
    pub(super) fn aim(&mut self, path: &Path, abstraction: bp::Program) -> ControlFlow<Conclusion> {
        let Some(check) = self.target else { return Continue(()) };
        let spent = self.spent.entry(check).or_default();
        // What is not modelled cannot wait: nothing is safe while it is left out.
        let may_wait = self.cx.task.program.checks[check].kind != CheckKind::Unmodelled;
        if may_wait && self.cx.patience.is_some_and(|most| most <= *spent) {
            return Break(Conclusion::Deferred(check));
        }
        *spent += 1;
        let place = (self.iterations, self.target);
        if self.history.met(&self.cx.task.program, place, path, abstraction) {
            return Break(Conclusion::Unknown(self.failure(Reason::StandsStill, self.end_of(path))));
        }
        Continue(())
    }

    /// Analyses a path.
    pub(super) fn analyze<'p>(&mut self, path: &'p Path, number: usize) -> Outcome<'p>
    where
        'c: 'p,
    {
        let (task, options) = self.analysis(number);
        newton::decide(&task.program, &task.oracle, path, &options)
    }

    /// Analyses a path by the prover that has analysed others.
    pub(super) fn analyze_next<'p>(&mut self, path: &'p Path, number: usize) -> Outcome<'p>
    where
        'c: 'p,
    {
        let (task, options) = self.analysis(number);
        let paths = self.paths.get_or_insert_with(|| newton::Paths::new(&options));
        paths.decide(&task.program, &task.oracle, path, &options)
    }

    fn analysis(&self, number: usize) -> (&'c Task, newton::Options<'c>) {
        self.cx.session.doing(format!("iteration {number}, newton"));
        let task: &'c Task = self.cx.task;
        let options = newton::Options {
            mode: task.mode,
            rlimit: newton::RLIMIT,
            max_steps: MAX_STEPS,
            interrupt: self.cx.interrupt,
        };
        (task, options)
    }

    /// Executes the program with inputs that lead close to the refuted path; `Break` with one that fails a check.
    pub(super) fn probe_along(
        &mut self,
        refuted: &Refuted<'_>,
        refined: &mut Refined,
    ) -> ControlFlow<Conclusion> {
        if self.cx.options.refinement.probe == Switch::Off || !self.guided.is_left() {
            return Continue(());
        }
        let guides = refuted.guides();
        if guides.is_empty() {
            return Continue(());
        }
        let probed = probe::along(self.cx.task, &guides, &mut self.guided, self.cx.session.stop());
        refined.probed = Some(probed.summary);
        match probed.failing {
            Some(witness) => Break(Conclusion::Unsafe(Box::new(witness))),
            None => Continue(()),
        }
    }

    /// Cuts off states that no state of the program has; their texts.
    pub(super) fn exclude(&mut self, states: &BTreeSet<AbstractState>) -> Vec<String> {
        let task = self.cx.task;
        let (rlimit, interrupt) = (newton::RLIMIT / 100, self.cx.interrupt);
        // The states of an iteration are over the predicates that it began with.
        let (_, possible) = self
            .possible
            .take()
            .filter(|(iteration, _)| *iteration == self.iterations)
            .unwrap_or_else(|| {
                let (program, precision) = (&task.program, &self.precision);
                let new = c2bp::States::new(program, &task.oracle, precision, task.mode, rlimit, interrupt);
                (self.iterations, new)
            });
        let mut possible = possible;
        let mut out = vec![];
        for (proc, state) in states {
            let known = self.excluded.entry(*proc).or_default();
            if known.iter().any(|c| c.iter().all(|literal| state.contains(literal))) {
                continue;
            }
            let Some(found) = possible.contradiction(state) else { continue };
            let literal = |(id, value): &(PredId, bool)| {
                let not = if *value { "" } else { "!" };
                format!("{not}{{{}}}", self.precision.get(*id).text(&task.program))
            };
            let text: Vec<String> = found.iter().map(literal).collect();
            out.push(format!("{} in {}", text.join(" "), task.program.procs[*proc].name));
            known.push(found);
        }
        self.possible = Some((self.iterations, possible));
        out
    }

    /// Forbids steps of the abstract path that no execution takes: the Das/Dill step (\[DD01\]); their texts.
    pub(super) fn constrain(&mut self, steps: &BTreeSet<AbstractStep>) -> Vec<String> {
        let task = self.cx.task;
        let (rlimit, interrupt) = (newton::RLIMIT / 100, self.cx.interrupt);
        let mut possible =
            c2bp::States::new(&task.program, &task.oracle, &self.precision, task.mode, rlimit, interrupt);
        let mut out = vec![];
        for (edge, before, after) in steps {
            let known = self.clauses.entry(*edge).or_default();
            let has = |(id, moment, value): &(PredId, Moment, bool)| match moment {
                Moment::Before => before.contains(&(*id, *value)),
                Moment::After => after.contains(&(*id, *value)),
            };
            if known.iter().any(|clause| clause.iter().all(has)) {
                continue;
            }
            let Some(found) = possible.impossible_step(*edge, before, after) else { continue };
            let literal = |(id, moment, value): &(PredId, Moment, bool)| {
                let not = if *value { "" } else { "!" };
                let next = if *moment == Moment::After { "'" } else { "" };
                format!("{not}{next}{{{}}}", self.precision.get(*id).text(&task.program))
            };
            let text: Vec<String> = found.iter().map(literal).collect();
            let place = task.sources.short(task.program.procs[edge.0].edges[edge.1].span);
            out.push(format!("{} at {place}", text.join(" ")));
            known.push(found);
        }
        out
    }

    /// Adds the predicates that are new.
    pub(super) fn learn(&mut self, path: &Path, predicates: Vec<Discovered>) -> Vec<Found> {
        let task = self.cx.task;
        let mut found = vec![];
        for d in predicates {
            let step = path.steps.get(d.step);
            let entry = Found {
                text: d.predicate.text(&task.program),
                scope: match d.predicate.scope {
                    Scope::Global => "global".into(),
                    Scope::Proc(p) => task.program.procs[p].name.clone(),
                },
                refiner: d.refiner.short_name().into(),
                step: step.map_or(String::new(), |s| {
                    format!("`{}`", shortened(&text(&task.whole, &task.sources, s), 48))
                }),
                place: step.map_or(String::new(), |s| task.sources.short(self.span(s))),
            };
            // Text is what predicates are known by in files and boolean programs; two that print alike mean the
            // same, whatever their trees.
            if self.names.insert((d.predicate.scope, entry.text.clone())) && self.precision.add(d.predicate).1
            {
                found.push(entry);
            }
        }
        if !found.is_empty() {
            self.last_found = found.clone();
        }
        found
    }

    /// Makes the abstraction more precise; `None` when nothing is left to try.
    pub(super) fn escalate(&mut self, path: &Path) -> Option<String> {
        if let Some(next) = CUBES.into_iter().find(|k| *k > self.max_cube) {
            self.max_cube = next;
            return Some(format!("no new predicate: conjunctions of up to {next} predicates from now on"));
        }
        let before = self.exact.len();
        self.exact.extend(path.steps.iter().map(|step| match step {
            PathStep::Edge(p, e) | PathStep::Enter(p, e, _) | PathStep::Leave(p, e, _) => (*p, *e),
        }));
        let more = self.exact.len() - before;
        (0 < more).then(|| {
            format!("no new predicate: {more} statements of the path are abstracted exactly from now on")
        })
    }

    /// Has the interpreter replay a path that newton calls feasible.
    pub(super) fn confirm(
        &mut self,
        path: &Path,
        inputs: &newton::Inputs,
        inexact: &[Inexact],
    ) -> Conclusion {
        self.cx.session.doing("the replay of a counterexample");
        let (task, stop) = (self.cx.task, self.cx.session.stop());
        let limits = Limits { trace: MAX_STEPS, ..Limits::default() };
        let end = match newton::replay(&task.whole, inputs, path, &limits, stop) {
            Replay::Reached(_, run) => match confirmed(*run) {
                Ok(witness) => return Conclusion::Unsafe(Box::new(witness)),
                // The check may fail in another execution, but the paths to it are not told apart any further.
                Err(Unconfirmed::NoModel(name)) => {
                    return Conclusion::NoModel(self.failure(Reason::NoModel(name), self.end_of(path)));
                }
                Err(Unconfirmed::Holds) => None,
            },
            Replay::Diverged(_) if task.may_switch && !inexact.is_empty() => {
                return Conclusion::SwitchToBits(SwitchReason::Inexact(inexact.to_vec()));
            }
            Replay::Diverged(end) => Some(end),
        };
        let reason = Reason::NotReplayed { end, inexact: inexact.to_vec() };
        Conclusion::Unknown(self.failure(reason, self.end_of(path)))
    }

    /// What follows when the path's analysis has no answer.
    pub(super) fn gave_up<T>(&mut self, path: &Path, why: GaveUp) -> ControlFlow<Conclusion, T> {
        if self.cx.session.stopped() {
            return self.interrupted();
        }
        if self.cx.task.may_switch && matches!(why, GaveUp::Prover(_)) {
            return Break(Conclusion::SwitchToBits(SwitchReason::GaveUp(why)));
        }
        Break(Conclusion::Unknown(self.failure(Reason::GaveUp(why), self.end_of(path))))
    }

    /// What follows when the abstraction reaches no failing check.
    pub(super) fn nothing_reached(&mut self, proof: Proof) -> Conclusion {
        match &self.cx.task.left_out {
            None => Conclusion::Safe(proof),
            Some(left_out) => Conclusion::Unknown(self.failure(left_out.reason.clone(), Some(left_out.span))),
        }
    }

    /// What follows when the path is refuted, but nothing keeps it from coming back.
    pub(super) fn no_progress(&mut self, path: &Path) -> Conclusion {
        Conclusion::Unknown(self.failure(Reason::NoProgress, self.end_of(path)))
    }

    /// The end of a run that was stopped.
    pub(super) fn interrupted<T>(&self) -> ControlFlow<Conclusion, T> {
        Break(Conclusion::Unknown(Failure { check: None, ..self.failure(Reason::Stopped, None) }))
    }

    /// The books of a run that has no answer.
    pub(super) fn failure(&self, reason: Reason, place: Option<Span>) -> Failure {
        Failure {
            reason,
            check: self.target,
            place,
            iterations: self.iterations,
            predicates: self.precision.len(),
            last_found: self.last_found.clone(),
            story: Arc::new(self.story()),
        }
    }

    /// What was tried, as far as it is remembered.
    fn story(&self) -> Story {
        let path = self.history.path().map(|(path, core)| self.path_text(path, core));
        Story {
            history: self.history.told(),
            path: path.unwrap_or_default(),
            max_cube: self.max_cube,
            times: self.totals.times(),
        }
    }

    /// Logs and saves an iteration that is over.
    pub(super) fn publish(&mut self, record: &Record) {
        self.log.iteration(record);
        self.history.learned(record);
        let text = record.refinement_text();
        if !text.is_empty() {
            self.save(record.number, "refinement.txt", || text);
        }
        let result = self.saver.as_mut().map_or(Ok(()), |s| s.record(record));
        if let Err(e) = result {
            self.lost(&e);
        }
        self.totals.add(record);
        self.cx.session.set_stats(self.totals.stats(record, self.precision.len()));
    }

    /// Writes one file of an iteration, if that is wanted.
    pub(super) fn save(&mut self, iteration: usize, name: &str, text: impl FnOnce() -> String) {
        if let Some(saver) = &self.saver
            && let Err(e) = saver.file(iteration, name, &text())
        {
            self.lost(&e);
        }
    }

    /// Tells that a file of `--save` cannot be written.
    fn lost(&mut self, why: &std::io::Error) {
        self.log.error(&format!("--save: {why}"));
        self.cx.session.set_lost();
    }

    fn predicates_text(&self) -> String {
        c2bp::predicates_file::print(&self.cx.task.program, &self.precision)
    }

    /// Writes the predicates at the end of the loop, if that is wanted.
    pub(super) fn dump(&mut self) {
        let Some(file) = &self.cx.options.dump_predicates else { return };
        let text = format!("{FOUND}{}", self.predicates_text());
        self.cx.session.write_later(file, text);
    }

    /// The path with the steps of the core marked.
    pub(super) fn path_text(&self, path: &Path, core: &[usize]) -> String {
        let task = self.cx.task;
        listing(&task.whole, &task.sources, path, |i| {
            let outcome = match path.steps[i] {
                PathStep::Edge(p, e) => task.program.procs[p].edges[e].kind,
                _ => EdgeKind::Internal,
            };
            let notes = match outcome {
                EdgeKind::Branch { taken } => vec![taken.to_string()],
                _ => vec![],
            };
            Remark { notes, mark: core.binary_search(&i).is_ok() }
        })
    }

    /// The check that a statement of the boolean program stands for.
    fn check_of(&self, abstraction: &Abstraction, stmt: bp::StmtId) -> Option<CheckId> {
        let origin = abstraction.origin.stmt(stmt)?;
        match self.cx.task.program.procs[origin.proc].edges[origin.edge?].op {
            Op::Check(check, _) => Some(check),
            _ => None,
        }
    }

    /// The place of a check, `file.c:12`.
    pub(super) fn place_of(&self, check: CheckId) -> String {
        self.cx.task.sources.short(self.cx.task.program.checks[check].span)
    }

    fn end_of(&self, path: &Path) -> Option<Span> {
        path.steps.last().map(|s| self.span(s))
    }

    fn span(&self, step: &PathStep) -> Span {
        let (PathStep::Edge(p, e) | PathStep::Enter(p, e, _) | PathStep::Leave(p, e, _)) = *step;
        self.cx.task.program.procs[p].edges[e].span
    }
}

/// The answer in words, for the log.
pub(super) fn answer(outcome: &Outcome<'_>, path: &Path) -> String {
    let steps = count(path.steps.len(), "step");
    match outcome {
        Outcome::Feasible { inputs, .. } => {
            format!("feasible: {steps}, {}", count(inputs.values.len(), "input"))
        }
        Outcome::Refuted(_) => format!("refuted: {steps}"),
        Outcome::GaveUp(why) => format!("gave up: {why}"),
    }
}

/// The same, of a refuted path and a refiner.
pub(super) fn refuted_answer(refiner: Refiner, core: usize, path: &Path) -> String {
    format!("refuted: {core} of {} matter ({})", count(path.steps.len(), "step"), refiner.name())
}
