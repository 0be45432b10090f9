//! The work on one variant of a program: the checks that are asked for, their decision, and the answer.

use super::witness;
use super::{Asked, Command, selection};
use crate::earlier::recorded::Recorded;
use crate::facts::given::Given;
use crate::observers::Watcher;
use crate::observers::history::History;
use crate::observers::record::More;
use crate::observers::save::Saver;
use crate::options::{Bytes, Selection};
use crate::report::basis::Basis;
use crate::report::{self, Answer};
use crate::walkthrough;
use cfront::Frontend;
use cli::Verdict;
use cli::front;
use cli::process::Sink;
use predicates::{Precision, predicates_file};
use verify::cegar::{Proof, Stop};
use verify::{Attempt, Checks, Found, Shown, Task, Variant, Variants};

/// What the work on a variant leaves behind.
struct Done<'a> {
    task: &'a Task,
    checks: &'a Checks,
    end: &'a verify::Answer,
    proof: Option<&'a Proof>,
    shown: &'a Shown,
    given: &'a Given,
    history: History,
    /// The predicates at the end of the loop, and the longest cubes, where a page is to show the abstraction.
    last: Option<(Precision, usize)>,
}

impl Command<'_> {
    /// The answer about a program that is prepared; `has_bytes`: it ends where objects as bytes may help.
    fn of_task(
        &self,
        mut task: Task,
        recorded: &Recorded,
        has_bytes: bool,
        asked: Asked<'_>,
        stderr: &mut Sink<'_>,
    ) -> Result<(Option<Answer>, bool), Verdict> {
        let mut log = self.log(stderr);
        log.task(&task, &asked.request.files);
        let saver = self.options.save.clone().map(Saver::new).transpose().map_err(|e| {
            log.error(&format!("--save: {e}"));
            Verdict::NotWritten
        })?;
        if let Some(file) = &self.options.dump_predicates {
            // What is found without the loop needs no predicates.
            self.session.write_later(file, String::new());
        }
        let given = self.given_about(&mut task, asked.given, &mut log)?;
        let mut cache = self.cache(&mut log)?;
        let Selection { only, check_all } = &self.options.selection;
        let chosen = selection::chosen(&task, &Checks::own(&task), only).map_err(|why| {
            log.error(&why);
            Verdict::Error("no such check".into())
        })?;
        let mut checks = Checks::new(&mut task, &chosen, *check_all);
        let mut strayed = None;
        if let Some(validation) = asked.validation {
            match validation.followed(&task, self.session.stop()) {
                Ok(answer) => return Ok((Some(answer), false)),
                Err(why) => strayed = why,
            }
        }
        let refinement = &self.options.refinement;
        let predicates = refinement.predicates.as_ref().map(|path| {
            let text = recorded.predicates.as_str();
            (task.sources.add(path.display().to_string(), Some(text.into())), text)
        });
        let mut options = verify::Options {
            predicates,
            until_bytes: has_bytes,
            settings: recorded.settings(),
            ..refinement.options()
        };
        options.in_loop.given.clone_from(&given.candidates);
        options.in_loop.certificate = self.options.certify || self.options.json.is_some();
        let mut watcher = Watcher {
            session: self.session,
            options: self.options,
            log,
            saver,
            ignored: 0,
            about_source: predicates_file::is_about_source(&recorded.predicates),
            more: More::default(),
            history: History::new(self.options.html.is_some()),
            last: None,
        };
        let stop = Stop { flag: self.session.stop(), interrupt: self.interrupt };
        let (end, shown) = self
            .pool
            .install(|| verify::decide(&mut task, &mut checks, &options, &mut cache, stop, &mut watcher));
        if let verify::Answer::Predicates(mistake) = &end {
            watcher.log.diagnostic(mistake, &task.sources);
            return Err(Verdict::Error("predicates".into()));
        }
        if 0 < refinement.max_iterations {
            watcher.note_unsaved();
        }
        let Watcher { history, last, .. } = watcher;
        let unconfirmed = end.is_unconfirmed(&checks);
        let found = self.reported(&task, &checks, &end, stderr)?;
        task.ask_all();
        let Some((answer, proof)) = found else { return Ok((None, unconfirmed)) };
        let last = last.map(|precision| (precision, refinement.max_cube));
        let done = Done {
            task: &task,
            checks: &checks,
            end: &end,
            proof,
            shown: &shown,
            given: &given,
            history,
            last,
        };
        Ok((Some(self.completed(answer, done, (recorded, asked, strayed), stderr)), unconfirmed))
    }

    /// The answer with its proof, if there is one; nothing where the work has ended since objects as bytes may help.
    fn reported<'e>(
        &self,
        task: &Task,
        checks: &Checks,
        end: &'e verify::Answer,
        stderr: &mut Sink<'_>,
    ) -> Result<Option<(Answer, Option<&'e Proof>)>, Verdict> {
        let run = (self.options, self.session);
        Ok(Some(match end {
            verify::Answer::Safe(proof) => {
                let certificate = self.certificate(task, proof, stderr)?;
                (report::all(task, checks, Some((proof, certificate)), run), Some(&**proof))
            }
            verify::Answer::Decided => (report::all(task, checks, None, run), None),
            verify::Answer::First(conclusion) => (report::answer(task, checks, conclusion, run), None),
            verify::Answer::Single(only) => {
                let certificate = self.certificate_of_execution(task, checks, *only);
                (report::only(task, checks, *only, certificate), None)
            }
            verify::Answer::Undefined { access, others } => {
                (report::undefined(task, access, *others, self.session.stop()), None)
            }
            verify::Answer::UndefinedBefore(undefined) => {
                (report::undefined_before(task, checks, undefined, self.session.stop()), None)
            }
            verify::Answer::Bytes => return Ok(None),
            verify::Answer::Predicates(_) => unreachable!("the command has ended"),
        }))
    }

    /// The answer with everything that is said beside it.
    fn completed(
        &self,
        answer: Answer,
        Done { task, checks, end, proof, shown, given, history, last }: Done<'_>,
        (recorded, asked, strayed): (&Recorded, Asked<'_>, Option<String>),
        stderr: &mut Sink<'_>,
    ) -> Answer {
        let error = witness::error(checks, end);
        let mut answer = Basis::new(task, recorded, &checks.left_out).noted(answer);
        let names: Vec<String> = asked.request.files.iter().map(|f| f.display().to_string()).collect();
        answer.outcome.lines = Some(report::lines::special(task, proof, &names));
        self.tell_facts((task, proof), shown, asked.given.map(|_| given), (&mut answer, stderr));
        answer.outcome.history = history.into_iterations();
        if let Some((precision, max_cube)) = last.filter(|_| !self.session.stopped()) {
            self.session.doing("the walkthrough");
            let told = || {
                let work = (self.session.stop().as_ref(), self.interrupt);
                walkthrough::of(task, (&precision, max_cube), work)
            };
            answer.outcome.walkthrough = self.pool.install(told);
            if answer.outcome.walkthrough.is_none() {
                answer.warn("the page is without the walkthrough: the run was stopped before");
            }
        }
        if self.options.write_witness.is_some() {
            witness::written((self.options, asked.request), task, (error, proof), &mut answer);
        }
        if let Some(validation) = asked.validation {
            answer = match error.is_some_and(|e| validation.is_passed(task, e, self.session.stop())) {
                true => validation.confirmed(answer),
                false => validation.judged(answer, error.map(|e| e.check), strayed),
            };
        }
        answer
    }
}

/// The work on the program of a command, in each variant.
pub(super) struct Work<'a, 's> {
    pub(super) command: &'a Command<'a>,
    /// The program as it was read last.
    pub(super) front: Option<Frontend>,
    pub(super) recorded: Recorded,
    /// Any number of threads may be tried.
    pub(super) more_threads: bool,
    pub(super) asked: Asked<'a>,
    pub(super) stderr: &'a mut Sink<'s>,
}

impl Variants for Work<'_, '_> {
    type Answer = Answer;

    fn attempt(&mut self, variant: Variant) -> Option<Attempt<Answer>> {
        let Command { options, session, .. } = *self.command;
        let is_auto = options.preparation.bytes == Bytes::Auto;
        let mut recorded = self.recorded.clone();
        if variant.any_threads {
            recorded.front.any_threads = true;
            if !variant.bytes {
                session.doing("the front end");
                self.front = front::load_again(&self.asked.request.files, &recorded.front, session);
                self.note("with any number of the threads that loops start");
            }
        }
        if variant.bytes {
            recorded.preparation.bytes = Bytes::On;
        }
        let front = if is_auto && !variant.bytes { self.front.clone() } else { self.front.take() }?;
        session.doing("points-to and slicing");
        let (written, more_threads) = (recorded.written(), self.more_threads);
        let attempt = |mut answer: Option<Answer>, unconfirmed, has_bytes| {
            let found = answer.as_ref().map_or(Found::Unknown, |answer| found(&answer.verdict));
            if let Some(answer) = &mut answer {
                answer.outcome.options = Some(written);
            }
            Some(Attempt { answer, found, unconfirmed, bytes_may_help: has_bytes, more_threads })
        };
        let task = match recorded.task(front, options.refinement.integers) {
            Ok(task) => task,
            Err(answer) => return attempt(Some(*answer), false, false),
        };
        if variant.bytes {
            self.note("with objects that are accessed at several types as their bytes");
        }
        let has_bytes = is_auto && !variant.bytes && passes::has_bytes(&task.program, &task.oracle);
        match self.command.of_task(task, &recorded, has_bytes, self.asked, self.stderr) {
            Ok((answer, unconfirmed)) => attempt(answer, unconfirmed, has_bytes),
            Err(verdict) => attempt(Some(Answer::refused(verdict)), false, false),
        }
    }

    fn is_stopped(&self) -> bool {
        self.command.session.stopped()
    }
}

/// What an answer is.
fn found(verdict: &Verdict) -> Found {
    match verdict {
        Verdict::Safe | Verdict::SafeAssuming(_) => Found::Safe,
        Verdict::Unknown(_) => Found::Unknown,
        Verdict::Unsafe { .. } | Verdict::UnsafeAssuming { .. } => Found::Unsafe,
        _ => Found::Refused,
    }
}

impl Work<'_, '_> {
    fn note(&mut self, what: &str) {
        self.command.log(self.stderr).note(&format!("once more, {what}"));
    }
}
