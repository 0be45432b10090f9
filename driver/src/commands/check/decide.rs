//! The decision of a program's checks: a few concrete executions, then runs of the loop in the order given by the
//! schedule of the checks.

use super::Command;
use super::invariants::Shown;
use crate::certificate;
use crate::checks::Checks;
use crate::observers::Watcher;
use crate::observers::history::History;
use crate::observers::log::Log;
use crate::observers::record::{More, count};
use crate::observers::save::Saver;
use crate::options::Refiner;
use crate::prepare::Task;
use crate::report::{self, Answer};
use crate::single_execution::Only;
use bmc::k_induction::Candidate;
use cegar::{Conclusion, Concrete, Held, Knowledge, Next, Reason, Source};
use cli::Verdict;
use encoding::{Inexact, IntMode};
use executions::Search;
use executions::random::{self as probe, Undefined};
use ir::{CheckId, CheckKind};
use predicates::Precision;
use predicates::predicates_file::{self, FOUND};
use results::again::{self, Claim};
use std::collections::BTreeSet;

/// Iterations of the loop about an assertion of the program before bounds of integers are asked about it.
const PATIENCE: usize = 8;

/// Steps of executions that build on each other, before the loop.
const SEARCHED_STEPS: u64 = 400_000;

/// How the work ends otherwise than with a decision about every check.
pub(super) enum End {
    /// With the first answer.
    Answer(Box<Conclusion>),
    /// With the answer by concrete executions: the only one, or one of which nothing can be proved.
    Concrete(Box<Answer>),
    /// With nothing yet: an error is not confirmed, and objects as bytes may help.
    Bytes,
    /// With nothing, since some input is refused.
    Refused(Verdict),
}

impl From<Verdict> for End {
    fn from(verdict: Verdict) -> End {
        End::Refused(verdict)
    }
}

/// The work on one program.
pub(super) struct Run<'a, 'l> {
    pub(super) command: &'a Command<'a>,
    pub(super) task: &'a mut Task,
    pub(super) checks: &'a mut Checks,
    /// The text of the file of `--predicates`.
    pub(super) predicates: &'a str,
    /// The work ends where objects as bytes may help.
    pub(super) has_bytes: bool,
    pub(super) cache: c2bp::Cache,
    pub(super) saver: Option<Saver>,
    pub(super) log: Log<'l>,
    /// What the iterations did.
    pub(super) history: History,
    /// The candidates of `--invariants`.
    pub(super) given: &'a [Candidate],
    /// What induction has shown.
    pub(super) shown: Shown,
    /// The predicates at the end of the loop, and the longest cubes that were tried, where a page is to tell of them.
    pub(super) last: Option<(Precision, usize)>,
}

impl Run<'_, '_> {
    /// Decides the checks: an end by itself when they all are to be decided, else how the run ended.
    pub(super) fn decide(&mut self) -> Result<(), End> {
        let refinement = &self.command.options.refinement;
        let mut search = Search::default();
        let (undefined, only) = if refinement.probe { self.probe(&mut search)? } else { (None, None) };
        if let Some(answer) = undefined.as_ref().filter(|_| !self.checks.all()) {
            let body = answer.body.clone() + report::others(false);
            self.command.session.set_certain(body, answer.verdict.clone());
        }
        let single = only.filter(|_| !self.checks.all()).map(|only| self.single_execution(only));
        let concrete = Concrete { undefined: undefined.is_some(), single: single.is_some() };
        self.checks.schedule.note(concrete);
        self.hold_by_bounds();
        let initial = self.initial()?;
        let mut known = Knowledge::new(initial.clone(), refinement.max_cube);
        known.search = search;
        let mut shown = (undefined, single);
        let mut ignored = 0;
        loop {
            let conclusion = self.run_loop(&mut known, &mut ignored);
            self.keep_cache();
            self.dump(known.precision());
            self.shown = Shown::of(&known, self.given.len());
            if self.command.options.html_full {
                self.last = Some((known.precision().clone(), self.command.options.refinement.max_cube));
            }
            if let Conclusion::Holds(held) = conclusion {
                self.hold_by_induction(*held);
                if self.checks.all() && self.checks.schedule.is_done() {
                    return Ok(());
                }
                continue;
            }
            if self.holds_instead(&conclusion) {
                // What was learned about it is not needed any more, and costs.
                known.restart(initial.clone(), refinement.max_cube);
                if self.checks.all() && self.checks.schedule.is_done() {
                    return Ok(());
                }
                continue;
            }
            if self.has_bytes && rests_on_several_types(&conclusion) {
                return Err(End::Bytes);
            }
            let next = self.checks.schedule.next(conclusion, self.command.session.stopped());
            self.go_on(next, &mut known, &mut shown)?;
            if self.checks.schedule.is_done() {
                return Ok(());
            }
        }
    }

    /// Decides checks by bounds of integers, without predicates: those that were added to the program. Its own assertions
    /// are what predicates are for, as long as the loop decides them.
    fn hold_by_bounds(&mut self) {
        let Command { options, session, .. } = self.command;
        if !options.refinement.intervals || !options.refinement.sources().contains(&Source::Computed) {
            return;
        }
        session.doing("bounds of integers");
        let asked: BTreeSet<CheckId> = self.checks.list().map(|(c, _)| c).collect();
        self.task.facts = self.task.compute_facts(&asked, session.stop());
        let own = |c: CheckId| self.task.whole.checks[c].kind == CheckKind::Reach;
        let held: Vec<CheckId> = self.task.facts.spare().filter(|c| !own(*c)).collect();
        if !held.is_empty() {
            let added = asked.iter().filter(|c| !own(**c)).count();
            self.log.note(&format!(
                "bounds of integers: {} of {} hold",
                held.len(),
                count(added, "added check")
            ));
        }
        held.into_iter().for_each(|check| self.hold(check));
    }

    fn hold(&mut self, check: CheckId) {
        self.task.hold(check);
        self.checks.schedule.hold(check);
    }

    /// Checks that induction proves are assumed to hold from now on.
    fn hold_by_induction(&mut self, held: Held) {
        let checks = count(held.checks.len(), "check");
        self.log.note(&format!("induction over {}: {checks} more hold", count(held.inductive.turns, "turn")));
        for check in &held.checks {
            self.checks.schedule.hold(*check);
            self.task.mask(*check);
        }
        self.task.inductive.push(held);
    }

    /// What the loop has not decided, or not soon, bounds may decide: true when the loop is to begin anew without it.
    fn holds_instead(&mut self, conclusion: &Conclusion) -> bool {
        let check = match conclusion {
            Conclusion::Deferred(check) => Some(*check),
            Conclusion::Unknown(failure) | Conclusion::NoModel(failure) => {
                failure.check.filter(|_| !self.command.session.stopped())
            }
            _ => None,
        };
        let spare: Vec<CheckId> = self.task.facts.spare().collect();
        let is_spare = check.is_some_and(|c| spare.contains(&c));
        // One that takes long is enough: the others need not be tried.
        for check in spare.into_iter().filter(|_| is_spare) {
            self.note(check, "holds by bounds of integers");
            self.hold(check);
        }
        is_spare
    }

    /// Reports that `--save` has nothing to keep, and why.
    pub(super) fn note_unsaved(&mut self) {
        let Some(saver) = self.saver.as_ref().filter(|saver| saver.is_empty()) else { return };
        if let Err(why) = saver.tables() {
            self.log.error(&format!("--save: {why}"));
            self.command.session.set_lost();
        }
        let why = match self.command.session.stopped() {
            true => "the run was stopped before the first one",
            false => "concrete executions decided before the first one; --tune probe=off leaves them out",
        };
        self.log.remark(&format!("--save: no iteration to save: {why}"));
    }

    /// Does what the schedule says; `shown` is what concrete executions have shown.
    fn go_on(
        &mut self,
        next: Next,
        known: &mut Knowledge,
        (undefined, single): &mut (Option<Box<Answer>>, Option<Box<Answer>>),
    ) -> Result<(), End> {
        match next {
            Next::LeaveOutUnmodelled { check, reached } => {
                if reached {
                    self.log
                        .note("something that is not modelled is reached: again without what leads there");
                }
                self.task.leave_out_unmodelled(check);
            }
            Next::LeaveOut(check, reason) => {
                self.note_open(check, &reason);
                self.task.leave_out(check, reason);
                // Errors of other checks are all that can still be found.
                if let Some(first) = self.checks.schedule.undecided() {
                    let Command { options, session, .. } = self.command;
                    let conclusion = Conclusion::Unknown(first.clone());
                    let answer = report::answer(self.task, self.checks, &conclusion, (options, session));
                    session.set_certain(answer.body, answer.verdict);
                }
            }
            Next::Bits(why) => {
                self.log.note(&format!(
                    "the counterexample used what mathematical integers over-approximate ({why}): again with bit-vectors"
                ));
                self.task.mode = IntMode::Bits;
                self.task.may_switch = false;
                let initial = self.initial()?;
                known.restart(initial, self.command.options.refinement.max_cube);
            }
            Next::Proved { proof, ask } => {
                self.checks.proof = Some(self.certified(*proof)?);
                ask.into_iter().for_each(|check| self.task.unmask(check));
            }
            Next::Wait { check, ask } => {
                self.note(check, "has to wait for other checks");
                self.task.mask(check);
                ask.into_iter().for_each(|check| self.task.unmask(check));
            }
            Next::Failed(check) => self.failed(check),
            Next::NotDecided(check, reason) => {
                self.note_open(check, &reason);
                self.task.mask(check);
            }
            Next::Stop => {}
            Next::Answer(conclusion) => return Err(End::Answer(conclusion)),
            Next::Undefined { others } => {
                let mut answer = undefined.take().expect("the schedule was told of it");
                answer.body.push_str(report::others(others));
                return Err(End::Concrete(answer));
            }
            Next::SingleExecution(reason) => {
                self.log.note(&format!("no invariants ({}): the only execution decides", reason.word()));
                return Err(End::Concrete(single.take().expect("the schedule was told of it")));
            }
        }
        Ok(())
    }

    /// Says something of a check in the log.
    fn note(&mut self, check: CheckId, what: &str) {
        let check = &self.task.whole.checks[check];
        self.log.note(&format!("{} ({}) {what}", self.task.sources.short(check.span), check.message));
    }

    fn note_open(&mut self, check: CheckId, reason: &Reason) {
        self.note(check, &format!("is not decided ({})", reason.word()));
    }

    /// Takes note of a check that fails, in a run that goes on.
    fn failed(&mut self, check: CheckId) {
        self.note(check, "fails");
        self.task.mask(check);
        if let Some(certain) = report::failures(self.task, self.checks) {
            self.command.session.set_certain(certain.body, certain.verdict);
        }
    }

    /// The answer by the only execution, which counts unless the loop finds invariants.
    fn single_execution(&mut self, only: Only) -> Box<Answer> {
        let Command { options, session, .. } = self.command;
        self.log.note(&format!(
            "the program asks for no input: if the loop finds no invariants, its only execution ({}) decides",
            count(only.steps as usize, "step")
        ));
        let mut answer = report::only(self.task, self.checks, only);
        let claim = Claim::Execution(again::Only { steps: only.steps });
        answer.outcome.certificate = Some(certificate::write(self.task, claim));
        if options.certify {
            let (text, found) = certificate::repeated(Only::again(self.task, session.stop()) == Some(only));
            answer.body.push_str(&text);
            answer.outcome.certified = Some(found);
        }
        session.set_certain(answer.body.clone(), answer.verdict.clone());
        Box::new(answer)
    }

    /// Executes the program with a few inputs; with all checks to be decided, again and again while one fails. An
    /// execution with undefined behaviour comes back, and one that decides by itself.
    fn probe(&mut self, search: &mut Search) -> Result<(Option<Box<Answer>>, Option<Only>), End> {
        let session = self.command.session;
        session.doing("concrete executions");
        let all = self.checks.all();
        while !(all && self.checks.schedule.is_done()) {
            let mut outcome = probe::search(&self.task.whole, session.stop());
            if outcome.failing.is_none() && outcome.only.is_none() {
                outcome = outcome.and(search.advance(&self.task.whole, SEARCHED_STEPS, session.stop()));
            }
            self.log.note(&match outcome.failing {
                Some(_) => format!("probe: execution {} fails a check", outcome.runs),
                None => {
                    let (runs, steps) =
                        (count(outcome.runs, "execution"), count(outcome.steps as usize, "step"));
                    format!("probe: {runs}, {steps}, no check fails")
                }
            });
            self.checks.undefined = self.checks.undefined.or(outcome.undefined);
            match (outcome.failing, outcome.out_of_object) {
                (Some(witness), _) => {
                    let failing = Conclusion::Unsafe(Box::new(witness));
                    match self.checks.schedule.next(failing, false) {
                        Next::Failed(check) => self.failed(check),
                        Next::Answer(conclusion) => return Err(End::Answer(conclusion)),
                        _ => unreachable!("an execution that fails a check decides it"),
                    }
                }
                // No other execution is left to say anything about.
                (None, Some(access)) if outcome.only.is_some() && !all => {
                    let mut answer = self.undefined(&access);
                    answer.body.push_str(report::others(true));
                    return Err(End::Concrete(answer));
                }
                (None, access) => {
                    let answer = access.map(|access| self.undefined(&access));
                    return Ok((answer, outcome.only.and_then(|run| Only::of(self.task, &run))));
                }
            }
        }
        Ok((None, None))
    }

    /// The answer about an execution that leaves its objects, which counts unless an error is found.
    fn undefined(&self, access: &Undefined) -> Box<Answer> {
        Box::new(report::undefined(self.task, access, self.command.session.stop()))
    }

    /// Writes the prover's answers for later runs.
    fn keep_cache(&mut self) {
        if let (Some(path), Some(text)) =
            (&self.command.options.refinement.query_cache, self.cache.stored_text())
            && let Err(e) = cli::write_atomically(path, text.as_bytes())
        {
            self.log.warning(&format!("cannot write {}: {e}", path.display()));
        }
    }

    /// The predicates of `--predicates`, in the task's integer mode.
    fn initial(&mut self) -> Result<Precision, Verdict> {
        let (task, log) = (&mut *self.task, &mut self.log);
        let Some(path) = &self.command.options.refinement.predicates else { return Ok(Precision::new()) };
        let file = task.sources.add(path.display().to_string(), Some(self.predicates.into()));
        let read = |text: &str, scope| ir::parse::expr(text, &task.program, scope);
        match predicates_file::parse(self.predicates, file, &task.program, task.mode, &read) {
            Ok((precision, warnings)) => {
                warnings.iter().for_each(|w| log.diagnostic(w, &task.sources));
                Ok(precision)
            }
            Err(mistake) => {
                log.diagnostic(&mistake, &task.sources);
                Err(Verdict::Error("predicates".into()))
            }
        }
    }

    fn run_loop(&mut self, known: &mut Knowledge, ignored: &mut usize) -> Conclusion {
        let Command { options: given, session, interrupt, pool, .. } = self.command;
        let refinement = &given.refinement;
        let (refiners, loops_when_due) = match refinement.refiner {
            Refiner::Auto => (newton::Refiner::IN_TURN.to_vec(), true),
            Refiner::One(refiner) => (vec![refiner], false),
            Refiner::Off => (vec![], false),
        };
        let (patience, iterations) = self.checks.schedule.bounds(refinement.max_iterations);
        let options = cegar::Options {
            refiners,
            loops_when_due,
            blocks: refinement.blocks,
            paths: refinement.paths,
            methods: refinement.methods(),
            sources: refinement.sources(),
            given: self.given.to_vec(),
            all_candidates: self.task.facts.held().next().is_some(),
            certificate: given.certify || given.json.is_some(),
            iterations,
            is_answered: self.checks.schedule.is_answered(),
            patience,
            hurried: self.task.facts.spare().map(|check| (check, PATIENCE)).collect(),
        };
        let context = cegar::Context {
            task: self.task.for_loop(),
            options: &options,
            stop: cegar::Stop { flag: session.stop(), interrupt },
        };
        let (task, log, saver) = (&*self.task, &mut self.log, self.saver.as_mut());
        let about_source = predicates_file::is_about_source(self.predicates);
        let (more, history) = (More::default(), &mut self.history);
        let mut watcher = Watcher { task, session, log, saver, ignored, about_source, more, history };
        pool.install(|| cegar::run(&context, known, &mut self.cache, &mut watcher))
    }

    /// Writes the predicates at the end of the loop, if that is wanted.
    fn dump(&self, precision: &Precision) {
        if let Some(file) = &self.command.options.dump_predicates {
            let text = predicates_file::print(&self.task.program, precision);
            self.command.session.write_later(file, format!("{FOUND}{text}"));
        }
    }
}

/// Whether an error was not confirmed that depends on memory accessed at several types.
fn rests_on_several_types(conclusion: &Conclusion) -> bool {
    let Conclusion::Unknown(failure) = conclusion else { return false };
    matches!(&failure.reason, Reason::NotReplayed { inexact, .. } if inexact.contains(&Inexact::SeveralTypes))
}
