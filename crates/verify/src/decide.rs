//! The decision of a program's checks: concrete executions, the only execution, bounds of integers, then runs of the loop in the order
//! that the schedule of the checks gives, as [the plan](crate::plan) has it.

use crate::cegar::{self, Conclusion, Fact, Failure, Held, Knowledge, Proof, Reason, Stop, WhyNot};
use crate::options::Options;
use crate::plan::{self, Effort, Method, Point, State};
use crate::single_execution::Only;
use crate::{Checks, Concrete, Decision, Event, Found, Next, Observer, Task, defined};
use base::Diagnostic;
use encoding::{Inexact, IntMode};
use executions::Search;
use executions::random::{self, Undefined};
use ir::{CheckId, CheckKind};
use predicates::{Precision, predicates_file};
use std::collections::BTreeSet;

/// Iterations of the loop about an assertion of the program before bounds of integers are asked about it.
const BEFORE_BOUNDS: usize = 8;

/// How the work on a program has ended.
pub enum Answer {
    /// No check that was asked for fails, for this reason.
    Safe(Box<Proof>),
    /// Each check has its decision, and some are not that it holds ([`Checks::list`]).
    Decided,
    /// One check was asked about, or whether one fails: an execution fails one, or it is not decided.
    First(Box<Conclusion>),
    /// The only execution of the program fails no check.
    Single(Only),
    /// An execution leaves its objects, and no proof covers what follows.
    Undefined {
        /// What it does.
        access: Undefined,
        /// No execution up to such a place fails a check.
        others: bool,
    },
    /// No check fails, but no defined execution reaches one, as an execution has shown.
    UndefinedBefore(Undefined),
    /// Nothing yet: an error is not confirmed, and objects as their bytes may help.
    Bytes,
    /// The predicates to begin with do not fit the program.
    Predicates(Diagnostic),
}

/// What induction has shown, and what became of the candidates that were given.
#[derive(Clone, Default)]
pub struct Shown {
    /// The facts shown.
    pub facts: Vec<Fact>,
    /// What became of each candidate that was given.
    pub given: Vec<Result<(), WhyNot>>,
}

impl Shown {
    /// No facts, with this many candidates not tried.
    fn new(given: usize) -> Shown {
        Shown { facts: vec![], given: vec![Err(WhyNot::NotTried); given] }
    }

    /// The known facts, and the state of this many candidates.
    fn of(known: &Knowledge, given: usize) -> Shown {
        Shown { facts: known.facts().to_vec(), given: (0..given).map(|n| known.given(n)).collect() }
    }
}

/// Decides the checks of a task.
pub fn decide(
    task: &mut Task,
    checks: &mut Checks,
    options: &Options<'_>,
    cache: &mut c2bp::Cache,
    stop: Stop<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Shown) {
    task.may_switch &= options.in_loop.methods.contains(&Method::Bits);
    checks.schedule.looks_elsewhere = options.in_loop.methods.contains(&Method::Elsewhere);
    let shown = Shown::new(options.in_loop.given.len());
    let initial = Precision::new();
    let mut run = Run { task, checks, options, cache, stop, observer, initial, shown };
    let answer = run.decide().err().unwrap_or(Answer::Decided);
    let answer = match answer {
        Answer::Decided => run.concluded(),
        answer => answer,
    };
    (answer, run.shown)
}

/// The work on one program. An error is an answer that ends it.
struct Run<'a> {
    task: &'a mut Task,
    checks: &'a mut Checks,
    options: &'a Options<'a>,
    cache: &'a mut c2bp::Cache,
    stop: Stop<'a>,
    observer: &'a mut dyn Observer,
    /// The predicates to begin with.
    initial: Precision,
    shown: Shown,
}

/// What concrete executions have shown besides errors.
#[derive(Default)]
struct Executed {
    search: Search,
    /// One leaves its objects.
    undefined: Option<Undefined>,
    /// The only one fails no check.
    only: Option<Only>,
}

impl Run<'_> {
    /// Decides the checks; all of them, where no other answer ends the work.
    fn decide(&mut self) -> Result<(), Answer> {
        let mut executed = Executed::default();
        let (mut from, state) = (0, State::default());
        while let Some((position, step)) =
            plan::next(Point::Program, &state, &self.options.in_loop.methods, from)
        {
            let effort = step.budget.effort(&state);
            match step.method {
                Method::Executions => self.execute(effort, &mut executed)?,
                Method::SingleExecution => self.note_single(&mut executed),
                Method::Bounds => self.hold_by_bounds(effort),
                _ => {}
            }
            from = position + 1;
        }
        let concrete = Concrete { undefined: executed.undefined.is_some(), single: executed.only.is_some() };
        self.checks.schedule.note(concrete);
        self.initial = self.initial()?;
        let mut known = Knowledge::new(self.initial.clone(), self.options.max_cube);
        known.search = std::mem::take(&mut executed.search);
        loop {
            let conclusion = self.run_loop(&mut known);
            self.shown = Shown::of(&known, self.options.in_loop.given.len());
            if let Conclusion::Holds(held) = conclusion {
                self.hold_by_induction(*held);
                if self.checks.all() && self.checks.schedule.is_done() {
                    return Ok(());
                }
                continue;
            }
            if self.holds_instead(&conclusion) {
                // What was learned about it is not needed any more, and costs.
                known.restart(self.initial.clone(), self.options.max_cube);
                if self.checks.all() && self.checks.schedule.is_done() {
                    return Ok(());
                }
                continue;
            }
            if self.ends_for_bytes(&conclusion) {
                return Err(Answer::Bytes);
            }
            let next = self.checks.schedule.next(conclusion, self.stop.is_set());
            self.carry_out(next, &mut known, &executed)?;
            if self.checks.schedule.is_done() {
                return Ok(());
            }
        }
    }

    /// The answer where each check has its decision.
    fn concluded(&mut self) -> Answer {
        let holds = |d: Option<&Decision>| d.is_some_and(Decision::holds);
        let Some(proof) = self.checks.proof.take().filter(|_| self.checks.list().all(|(_, d)| holds(d)))
        else {
            return Answer::Decided;
        };
        let state = State { is_safe: true, ..State::default() };
        let defined = plan::next(Point::Answer, &state, &self.options.in_loop.methods, 0);
        if defined.is_some_and(|(_, step)| step.method == Method::Defined) {
            if self.checks.undefined.is_some() {
                // A run that is stopped meanwhile has this answer.
                self.tell(&Event::Safe(&proof));
            }
            let found =
                defined::undefined_before(self.task, self.checks, self.options, self.stop, self.observer);
            if let Some(undefined) = found {
                return Answer::UndefinedBefore(undefined);
            }
        }
        Answer::Safe(Box::new(proof))
    }

    fn tell(&mut self, event: &Event<'_>) {
        self.observer.event(event, (self.task, self.checks));
    }

    /// Decides checks by bounds of integers, without predicates: those that were added to the program. Its own assertions
    /// are what predicates are for, as long as the loop decides them.
    fn hold_by_bounds(&mut self, effort: Effort) {
        self.tell(&Event::Begins(Method::Bounds));
        let asked: BTreeSet<CheckId> = self.checks.list().map(|(c, _)| c).collect();
        self.task.facts = self.task.compute_facts(&asked, effort.bound_steps(), self.stop.flag);
        let own = |c: CheckId| self.task.whole.checks[c].kind == CheckKind::Reach;
        let held: Vec<CheckId> = self.task.facts.spare().filter(|c| !own(*c)).collect();
        if !held.is_empty() {
            let added = asked.iter().filter(|c| !own(**c)).count();
            self.tell(&Event::HoldByBounds { checks: held.len(), of: added });
        }
        held.into_iter().for_each(|check| self.hold(check));
    }

    fn hold(&mut self, check: CheckId) {
        self.task.hold(check);
        self.checks.schedule.hold(check);
    }

    /// Checks that induction proves are assumed to hold from now on.
    fn hold_by_induction(&mut self, held: Held) {
        self.tell(&Event::HoldByInduction(&held));
        for check in &held.checks {
            self.checks.schedule.hold(*check);
            self.task.assume(*check);
        }
        self.task.inductive.push(held);
    }

    /// What the loop has not decided, or not soon, bounds may decide: true when the loop is to begin anew without it.
    fn holds_instead(&mut self, conclusion: &Conclusion) -> bool {
        let check = match conclusion {
            Conclusion::Deferred(check) => Some(*check),
            Conclusion::Unknown(failure) | Conclusion::NoModel(failure) => {
                failure.check.filter(|_| !self.stop.is_set())
            }
            _ => None,
        };
        let spare: Vec<CheckId> = self.task.facts.spare().collect();
        let is_spare = check.is_some_and(|c| spare.contains(&c));
        // One that takes long is enough: the others need not be tried.
        for check in spare.into_iter().filter(|_| is_spare) {
            self.tell(&Event::HoldsByBounds(check));
            self.hold(check);
        }
        is_spare
    }

    /// Does what the schedule says.
    fn carry_out(&mut self, next: Next, known: &mut Knowledge, executed: &Executed) -> Result<(), Answer> {
        match next {
            Next::LeaveOutUnmodelled { check, reached } => {
                if reached {
                    self.tell(&Event::LeavesOutUnmodelled);
                }
                self.task.leave_out_unmodelled(check);
            }
            Next::LeaveOut(check, reason) => {
                self.tell(&Event::NotDecided(check, &reason));
                self.task.leave_out(check, reason);
                // Errors of other checks are all that can still be found.
                if let Some(first) = self.checks.schedule.undecided().cloned() {
                    self.tell(&Event::Undecided(&first));
                }
            }
            Next::Bits(why) => {
                self.tell(&Event::SwitchesToBits(&why));
                self.task.mode = IntMode::Bits;
                self.task.may_switch = false;
                self.initial = self.initial()?;
                known.restart(self.initial.clone(), self.options.max_cube);
            }
            Next::Proved { proof, ask } => {
                self.checks.proof = Some(*proof);
                ask.into_iter().for_each(|check| self.task.ask(check));
            }
            Next::Wait { check, ask } => {
                self.tell(&Event::Waits(check));
                self.task.assume(check);
                ask.into_iter().for_each(|check| self.task.ask(check));
            }
            Next::Failed(check) => self.failed(check),
            Next::NotDecided(check, reason) => {
                self.tell(&Event::NotDecided(check, &reason));
                self.task.assume(check);
            }
            Next::Stop => {}
            Next::Answer(conclusion) => return Err(Answer::First(conclusion)),
            Next::Undefined { others } => {
                let access = executed.undefined.expect("the schedule was told of it");
                return Err(Answer::Undefined { access, others });
            }
            Next::SingleExecution(reason) => {
                self.tell(&Event::NoInvariants(&reason));
                return Err(Answer::Single(executed.only.expect("the schedule was told of it")));
            }
        }
        Ok(())
    }

    /// Takes note of a check that fails, in a run that goes on.
    fn failed(&mut self, check: CheckId) {
        self.task.assume(check);
        self.tell(&Event::Fails(check));
    }

    /// The answer by the only execution counts unless the loop finds invariants.
    fn note_single(&mut self, executed: &mut Executed) {
        match executed.only.filter(|_| !self.checks.all()) {
            Some(only) => self.tell(&Event::SingleExecution(&only)),
            None => executed.only = None,
        }
    }

    /// Executes the program with a few inputs; with all checks to be decided, again and again while one fails.
    fn execute(&mut self, effort: Effort, executed: &mut Executed) -> Result<(), Answer> {
        self.tell(&Event::Begins(Method::Executions));
        let all = self.checks.all();
        while !(all && self.checks.schedule.is_done()) {
            let whole = self.task.subject().whole;
            let mut outcome = random::search(whole, self.stop.flag);
            if outcome.failing.is_none() && outcome.only.is_none() {
                outcome = outcome.and(executed.search.advance(whole, effort.steps(), self.stop.flag));
            }
            self.tell(&Event::Executed(&outcome));
            self.checks.undefined = self.checks.undefined.or(outcome.undefined);
            match (outcome.failing, outcome.out_of_object) {
                (Some(witness), _) => {
                    let failing = Conclusion::Unsafe(Box::new(witness));
                    match self.checks.schedule.next(failing, false) {
                        Next::Failed(check) => self.failed(check),
                        Next::Answer(conclusion) => return Err(Answer::First(conclusion)),
                        _ => unreachable!("an execution that fails a check decides it"),
                    }
                }
                // No other execution is left to say anything about.
                (None, Some(access)) if outcome.only.is_some() && !all => {
                    return Err(Answer::Undefined { access, others: true });
                }
                (None, access) => {
                    if let Some(access) = &access.filter(|_| !all) {
                        self.tell(&Event::Undefined(access));
                    }
                    executed.undefined = access;
                    executed.only = outcome.only.and_then(|run| Only::of(self.task, &run));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The predicates with which the loop begins, in the task's integer mode.
    fn initial(&mut self) -> Result<Precision, Answer> {
        let Some((file, text)) = self.options.predicates else { return Ok(Precision::new()) };
        let program = self.task.subject().program;
        let read = |text: &str, scope| ir::parse::expr(text, program, scope);
        let (precision, warnings) =
            predicates_file::parse(text, file, program, self.task.mode, &read).map_err(Answer::Predicates)?;
        warnings.iter().for_each(|w| self.tell(&Event::Warning(w)));
        Ok(precision)
    }

    /// Whether an error was not confirmed that depends on memory accessed at several types, and another variant is to be asked about.
    fn ends_for_bytes(&self, conclusion: &Conclusion) -> bool {
        let is_next = self.options.until_bytes && self.options.in_loop.methods.contains(&Method::Bytes);
        let Conclusion::Unknown(Failure { reason: Reason::NotReplayed { inexact, .. }, .. }) = conclusion
        else {
            return false;
        };
        is_next && inexact.contains(&Inexact::SeveralTypes)
    }

    fn run_loop(&mut self, known: &mut Knowledge) -> Conclusion {
        let given = &self.options.in_loop;
        let (patience, iterations) = self.checks.schedule.bounds(given.iterations);
        let options = cegar::Options {
            all_candidates: self.task.facts.held().next().is_some(),
            iterations,
            is_answered: self.checks.schedule.is_answered(),
            patience,
            hurried: self.task.facts.spare().map(|check| (check, BEFORE_BOUNDS)).collect(),
            ..given.clone()
        };
        let context = cegar::Context { task: self.task.subject(), options: &options, stop: self.stop };
        let mut forward = Forward { observer: &mut *self.observer, state: (self.task, self.checks) };
        let conclusion = cegar::run(&context, known, self.cache, &mut forward);
        let ended = Event::LoopEnded { precision: known.precision(), cache: self.cache };
        self.observer.event(&ended, (self.task, self.checks));
        conclusion
    }
}

/// Reports what happens in the loop to an observer.
struct Forward<'a> {
    observer: &'a mut dyn Observer,
    state: (&'a Task, &'a Checks),
}

impl cegar::Observer for Forward<'_> {
    fn event(&mut self, event: &cegar::Event<'_>) {
        self.observer.event(&Event::Loop(event), self.state);
    }
}

impl Answer {
    /// What it says of the checks.
    pub fn found(&self, checks: &Checks) -> Found {
        let fails = |d: &Decision| matches!(d, Decision::Unsafe(_));
        match self {
            Answer::Safe(_) | Answer::Single(_) => Found::Safe,
            Answer::First(conclusion) if matches!(**conclusion, Conclusion::Unsafe(_)) => Found::Unsafe,
            Answer::Decided if checks.list().any(|(_, d)| d.is_some_and(fails)) => Found::Unsafe,
            Answer::Predicates(_) => Found::Refused,
            _ => Found::Unknown,
        }
    }

    /// Whether an error was found that the interpreter could not repeat.
    pub fn is_unconfirmed(&self, checks: &Checks) -> bool {
        let not_replayed = |failure: &Failure| matches!(failure.reason, Reason::NotReplayed { .. });
        match self {
            Answer::Decided => {
                checks.list().any(|(_, d)| matches!(d, Some(Decision::Unknown(f)) if not_replayed(f)))
            }
            Answer::First(conclusion) => matches!(&**conclusion, Conclusion::Unknown(f) if not_replayed(f)),
            Answer::Bytes => true,
            _ => false,
        }
    }
}
