//! `slam check`: reads the program, tries a few concrete executions, runs the loop, writes the result.

mod certificate;
mod invariants;
mod selection;
mod witness;

use super::ending::{self, Ending, Files};
use crate::commands::Console;
use crate::earlier::recorded::Recorded;
use crate::facts::given::Text;
use crate::observers::Watcher;
use crate::observers::history::History;
use crate::observers::log::Log;
use crate::observers::progress::{Progress, limit};
use crate::observers::record::More;
use crate::observers::save::Saver;
use crate::options::{Bytes, Check, Selection};
use crate::report::basis::Basis;
use crate::report::{self, Answer};
use crate::walkthrough;
use base::styles::ERROR;
use cfront::Frontend;
use cli::front::{self, Request};
use cli::process::Sink;
use cli::{Session, Usage, Verdict, outputs};
use predicates::predicates_file;
use results::Outcome;
use smt::Interrupt;
use std::path::{Path, PathBuf};
use verify::cegar::Stop;
use verify::{Attempt, Checks, Found, Task, Variant, Variants, variants};
use witness::Validation;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Check) -> Result<i32, Usage> {
    let pool = cli::pool(options.limits.threads).map_err(Usage::mistake)?;
    let interrupt = Interrupt::new();
    let progress = Progress::new(host, options.output.quiet, limit(options.limits.time_limit));
    let line = progress.clone();
    // The verdict of a run that is stopped has its line for itself.
    let eraser = Box::new(move || line.end());
    let session =
        Session::start(host, &options.limits, options.output.stats, vec![interrupt.stopper(), eraser]);
    if options.validate_witness.is_some() {
        session.ask_something_else();
    }
    let request = match front::request(&options.files, &options.front_end) {
        Ok(request) => request,
        Err(refused) => {
            let verdict = refused.tell(stderr)?;
            return Ok(session.finish(stdout, "", &verdict));
        }
    };
    if let Some(message) = unusable_outputs(options, &request)? {
        let _ = stderr.write_all(message.as_bytes());
        return Ok(session.finish(stdout, "", &Verdict::NotWritten));
    }
    let line = progress.clone();
    session.watch(move |what| line.tell(what));
    let files = Files {
        json: options.json.as_deref(),
        sarif: options.sarif.as_deref(),
        html: options.html.as_deref(),
    };
    let ending = Ending { host, session: &session, files, quiet: options.output.quiet };
    ending.rescue(&request.files);
    let answer = ending.answer(stderr, |stderr| {
        let command =
            Command { options, session: &session, interrupt: &interrupt, pool: &pool, progress: &progress };
        let mut request = request;
        let mut answer = command.answer(&mut request, stderr);
        in_the_end(&request, &mut answer);
        answer.outcome.files = Some(ending::files(&request.files));
        answer.outcome.statistics = Some(ending::statistics(&session.stats()));
        answer
    });
    progress.end();
    Ok(ending.write(answer, stdout, stderr))
}

/// The words for each of several rules that a command line asks for; nothing where there are not several.
///
/// # Errors
/// A folder of rules that cannot be read.
pub(crate) fn rule_words(options: &Check) -> Result<Option<Vec<String>>, Usage> {
    let front = &options.front_end;
    let mut words = front.rules.clone();
    words.extend(cli::front::rules::files(&front.rule_folders)?);
    Ok((words.len() > 1).then_some(words))
}

/// The text of a file that an option names; nothing where it names none.
fn text_of(path: Option<&Path>, what: &str, stderr: &mut Sink<'_>) -> Result<String, Verdict> {
    let Some(path) = path else { return Ok(String::new()) };
    cli::inputs::text(path).map_err(|e| {
        let _ = writeln!(stderr, "{ERROR} cannot read {}: {e}", path.display());
        Verdict::Error(what.into())
    })
}

/// What keeps the outputs from being written.
///
/// # Errors
/// A usage error when one of them is an input.
fn unusable_outputs(options: &Check, request: &Request) -> Result<Option<String>, Usage> {
    let outputs = [
        ("--json", options.json.as_deref()),
        ("--html", options.html.as_deref()),
        ("--sarif", options.sarif.as_deref()),
        ("--write-witness", options.write_witness.as_deref()),
        ("--harness", options.harness.as_deref()),
        ("--dump-predicates", options.dump_predicates.as_deref()),
        ("--dump-invariants", options.dump_invariants.as_deref()),
    ];
    let inputs = options
        .files
        .iter()
        .chain(&request.files)
        .chain(&options.refinement.predicates)
        .chain(&options.refinement.invariants)
        .chain(&options.validate_witness);
    let cache = ("--query-cache", options.refinement.query_cache.as_deref());
    let all: Vec<_> = outputs.into_iter().chain([cache, ("--save", options.save.as_deref())]).collect();
    let of_witness = options.write_witness.is_some() || options.validate_witness.is_some();
    if of_witness && request.files.iter().any(|file| file.as_os_str() == "-") {
        return Err(Usage::mistake("a witness is about files with names, not about standard input"));
    }
    outputs::refuse(&all, inputs.map(PathBuf::as_path).chain(options.front_end.inputs()))?;
    Ok(outputs::unwritable(&outputs))
}

/// What the property and the task definition make of the answer.
fn in_the_end(request: &Request, answer: &mut Answer) {
    if request.only_tracked && matches!(&answer.verdict, Verdict::Unsafe { kind, .. } if kind == "leak") {
        answer.body.push_str(
            "memory that is not freed may still be pointed to at the end, which valid-memtrack allows: not decided\n",
        );
        answer.verdict = Verdict::Unknown("memory not freed".into());
    }
    let Some(expected) = request.expected else { return };
    let holds = match answer.verdict {
        Verdict::Safe => Some(true),
        Verdict::Unsafe { .. } => Some(false),
        _ => None,
    };
    let agrees = match holds {
        Some(holds) if holds == expected => "as found",
        Some(_) => "NOT AS FOUND",
        None => "not decided",
    };
    answer.body.push_str(&format!("expected by the task: {expected} ({agrees})\n"));
    answer.outcome.expected_verdict = Some(expected);
}

/// One run of the command.
struct Command<'a> {
    options: &'a Check,
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
    progress: &'a Progress,
}

/// What is asked of the program.
#[derive(Clone, Copy)]
struct Asked<'a> {
    request: &'a Request,
    /// The witness to be checked.
    validation: Option<&'a Validation>,
    /// The file of `--invariants`.
    given: Option<&'a Text<'a>>,
}

impl Command<'_> {
    fn answer(&self, request: &mut Request, stderr: &mut Sink<'_>) -> Answer {
        self.work(request, stderr).unwrap_or_else(Answer::refused)
    }

    fn work(&self, request: &mut Request, stderr: &mut Sink<'_>) -> Result<Answer, Verdict> {
        self.session.doing("the front end");
        let mut loaded = front::load_request(request, self.session, stderr)?;
        let predicates = self.predicates_text(stderr)?;
        let invariants = self.invariants_text(stderr)?;
        let mut recorded = Recorded::new(self.options, request, &predicates);
        if let Some(text) = self.given(&invariants).filter(Text::is_about_source) {
            // They are about the source: what they name is followed, though no check may depend on it.
            recorded.predicates.push_str(&text.named());
            recorded.preparation.no_slice = true;
        }
        let validation = match &self.options.validate_witness {
            None => None,
            Some(path) => {
                let read = Validation::of(path, request, &mut loaded);
                Some(read.map_err(|(message, verdict)| {
                    let _ = stderr.write_all(message.as_bytes());
                    verdict
                })?)
            }
        };
        let given = self.given(&invariants);
        let asked = Asked { request, validation: validation.as_ref(), given: given.as_ref() };
        let is_plain = validation.is_none() && given.is_none() && !recorded.front.any_threads;
        let more_threads = loaded.more_threads && is_plain;
        let mut work = Work { command: self, front: Some(loaded), recorded, more_threads, asked, stderr };
        let methods = self.options.refinement.methods();
        let mut answer = variants::answer(&mut work, &methods).expect("the program is a variant of itself");
        let is_error = matches!(answer.verdict, Verdict::Unsafe { .. });
        if self.options.harness.is_some() && is_error && answer.outcome.harness.is_none() {
            answer.warn(
                "no harness is written: a compiled program does not know of rules, and cannot show the error",
            );
        }
        let Outcome { harness, witness, .. } = &answer.outcome;
        for (text, file) in [(harness, &self.options.harness), (witness, &self.options.write_witness)] {
            if let (Some(text), Some(file)) = (text, file) {
                self.session.write_file(file, text.as_bytes(), stderr);
            }
        }
        Ok(answer)
    }

    /// The text of the file of `--predicates`; read once, as it may be a pipe.
    fn predicates_text(&self, stderr: &mut Sink<'_>) -> Result<String, Verdict> {
        text_of(self.options.refinement.predicates.as_deref(), "predicates", stderr)
    }

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
        let options = verify::Options {
            predicates,
            given: given.candidates.clone(),
            certificate: self.options.certify || self.options.json.is_some(),
            until_bytes: has_bytes,
            settings: recorded.settings(),
            ..refinement.options()
        };
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
        let run = (self.options, self.session);
        let (answer, proof) = match &end {
            verify::Answer::Safe(proof) => {
                let certificate = self.certificate(&task, proof, stderr)?;
                (report::all(&task, &checks, Some((proof, certificate)), run), Some(&**proof))
            }
            verify::Answer::Decided => (report::all(&task, &checks, None, run), None),
            verify::Answer::First(conclusion) => (report::answer(&task, &checks, conclusion, run), None),
            verify::Answer::Single(only) => {
                let certificate = self.certificate_of_execution(&task, &checks, *only);
                (report::only(&task, &checks, *only, certificate), None)
            }
            verify::Answer::Undefined { access, others } => {
                (report::undefined(&task, access, *others, self.session.stop()), None)
            }
            verify::Answer::UndefinedBefore(undefined) => {
                (report::undefined_before(&task, &checks, undefined, self.session.stop()), None)
            }
            verify::Answer::Bytes => return Ok((None, unconfirmed)),
            verify::Answer::Predicates(_) => unreachable!("the command has ended"),
        };
        task.ask_all();
        let error = witness::error(&checks, &end);
        let mut answer = Basis::new(&task, recorded, &checks.left_out).noted(answer);
        let names: Vec<String> = asked.request.files.iter().map(|f| f.display().to_string()).collect();
        answer.outcome.lines = Some(report::lines::special(&task, proof, &names));
        self.tell_facts((&task, proof), &shown, asked.given.map(|_| &given), (&mut answer, stderr));
        answer.outcome.history = history.into_iterations();
        if let Some(precision) = last.filter(|_| !self.session.stopped()) {
            self.session.doing("the walkthrough");
            let told = || {
                let work = (self.session.stop().as_ref(), self.interrupt);
                walkthrough::of(&task, (&precision, refinement.max_cube), work)
            };
            answer.outcome.walkthrough = self.pool.install(told);
            if answer.outcome.walkthrough.is_none() {
                answer.warn("the page is without the walkthrough: the run was stopped before");
            }
        }
        if self.options.write_witness.is_some() {
            witness::written((self.options, asked.request), &task, (error, proof), &mut answer);
        }
        if let Some(validation) = asked.validation {
            answer = match error.is_some_and(|e| validation.is_passed(&task, e, self.session.stop())) {
                true => validation.confirmed(answer),
                false => validation.judged(answer, error.map(|e| e.check), strayed),
            };
        }
        Ok((Some(answer), unconfirmed))
    }

    /// The log.
    fn log<'s>(&'s self, stderr: &'s mut Sink<'s>) -> Log<'s> {
        Log::new(self.options.output.verbose, self.progress, stderr)
    }

    /// The answers of earlier runs, with `--query-cache`.
    fn cache(&self, log: &mut Log<'_>) -> Result<c2bp::Cache, Verdict> {
        let Some(path) = &self.options.refinement.query_cache else { return Ok(c2bp::Cache::new()) };
        let (cache, remark) = c2bp::Cache::open(path).map_err(|why| {
            log.error(&why);
            Verdict::Error("query cache".into())
        })?;
        remark.iter().for_each(|remark| log.warning(remark));
        Ok(cache)
    }
}

/// The work on the program of a command, in each variant.
struct Work<'a, 's> {
    command: &'a Command<'a>,
    /// The program as it was read last.
    front: Option<Frontend>,
    recorded: Recorded,
    /// Any number of threads may be tried.
    more_threads: bool,
    asked: Asked<'a>,
    stderr: &'a mut Sink<'s>,
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
            Some(Attempt { answer, found, unconfirmed, has_bytes, more_threads })
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
