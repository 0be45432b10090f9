//! `slam check`: reads the program, tries a few concrete executions, runs the loop, writes the result.

use crate::certificate;
use crate::checks::Checks;
use crate::commands::ending::Ending;
use crate::engines;
use crate::observers::Watcher;
use crate::observers::log::Log;
use crate::observers::progress::Progress;
use crate::observers::record::count;
use crate::observers::save::Saver;
use crate::prepare::{self, FOUND, Refusal, Task};
use crate::report::basis::Basis;
use crate::report::{self, Answer, Proved};
use crate::results::recorded::Recorded;
use crate::single_execution::{self, Only};
use cegar::probe::{self, Astray};
use cegar::{Conclusion, Knowledge, Witness};
use cli::front::{self, Request};
use cli::process::Sink;
use cli::slam::{Check, Refiner, Switch};
use cli::{Host, Session, Usage, Verdict, outputs};
use cmm::{CheckId, CheckKind};
use pred::{IntMode, Precision};
use serde_json::Value;
use smt::Interrupt;
use std::path::PathBuf;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(
    host: Host,
    options: &Check,
    stdout: &mut Sink<'_>,
    stderr: &mut Sink<'_>,
) -> Result<i32, Usage> {
    let pool = cli::pool(options.limits.threads).map_err(Usage::mistake)?;
    let interrupt = Interrupt::new();
    let progress = Progress::new(host, options.output.quiet);
    let line = progress.clone();
    // The verdict of a run that is stopped has its line for itself.
    let eraser = Box::new(move || line.end());
    let session =
        Session::start(host, &options.limits, options.output.stats, vec![interrupt.stopper(), eraser]);
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
    let (json, quiet) = (options.json.as_deref(), options.output.quiet);
    let ending = Ending { host, session: &session, json, quiet };
    let answer = ending.answer(stderr, |stderr| {
        let mut command =
            Command { options, session: &session, interrupt: &interrupt, pool: &pool, progress: &progress };
        let mut answer = command.answer(&request, stderr);
        in_the_end(&request, &mut answer);
        answer
    });
    progress.end();
    Ok(ending.write(&answer, stdout, stderr))
}

/// What keeps the outputs from being written.
///
/// # Errors
/// A usage error when one of them is an input.
fn unusable_outputs(options: &Check, request: &Request) -> Result<Option<String>, Usage> {
    let outputs = [
        ("--json", options.json.as_deref()),
        ("--harness", options.harness.as_deref()),
        ("--dump-predicates", options.dump_predicates.as_deref()),
    ];
    let front = &options.front_end;
    let inputs = options.files.iter().chain(&request.files).chain(&front.property);
    let inputs = inputs.chain(&front.includes).chain(&front.models).chain(&options.refinement.predicates);
    let cache = ("--query-cache", options.refinement.query_cache.as_deref());
    let all: Vec<_> = outputs.into_iter().chain([cache, ("--save", options.save.as_deref())]).collect();
    outputs::refuse(&all, inputs.map(PathBuf::as_path))?;
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
    answer.json["expected_verdict"] = expected.into();
}

/// How the work ends otherwise than with a decision about every check.
enum End {
    /// With the first answer.
    One(Box<Conclusion>),
    /// With no answer, since proofs are about defined executions and the program has others.
    Astray(Astray),
    /// With the answer by the only execution.
    Only(Box<Answer>),
    /// With nothing, since some input is refused.
    Refused(Verdict),
}

impl From<Verdict> for End {
    fn from(verdict: Verdict) -> End {
        End::Refused(verdict)
    }
}

/// One run of the command.
struct Command<'a> {
    options: &'a Check,
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
    progress: &'a Progress,
}

impl Command<'_> {
    fn answer(&mut self, request: &Request, stderr: &mut Sink<'_>) -> Answer {
        self.session.doing("the front end");
        let loaded = match front::load(&request.files, &request.options, self.session, stderr) {
            Ok(front) => front,
            Err(verdict) => return Answer::refused(verdict),
        };
        let predicates = match self.predicates_text(stderr) {
            Ok(text) => text,
            Err(refused) => return Answer::refused(refused),
        };
        let recorded = Recorded::new(self.options, &request.options, &predicates);
        let mut answer = self.of_program(loaded, &recorded, request, stderr);
        if answer.json.is_object() {
            answer.json["options"] = recorded.to_json();
        }
        self.write_harness(&mut answer, stderr);
        answer
    }

    /// Writes the C file with the inputs of an error, if that is wanted.
    fn write_harness(&self, answer: &mut Answer, stderr: &mut Sink<'_>) {
        let text = answer.json.as_object_mut().and_then(|json| json.remove("harness"));
        if let (Some(file), Some(Value::String(text))) = (&self.options.harness, text) {
            self.session.write_file(file, text.as_bytes(), stderr);
        }
    }

    /// The answer about a program that was read.
    fn of_program(
        &mut self,
        loaded: cfront::Frontend,
        recorded: &Recorded,
        request: &Request,
        stderr: &mut Sink<'_>,
    ) -> Answer {
        let (sources, predicates) = (loaded.sources.clone(), recorded.predicates.as_str());
        self.session.doing("points-to and slicing");
        let mut task = match prepare::prepare(
            loaded,
            &self.options.preparation,
            self.options.refinement.integers,
            request.options.extern_policy.assumption(),
            predicates,
        ) {
            Ok(task) => task,
            Err(Refusal::Unknown { reason, diagnostic }) => {
                return report::not_modelled(&reason, &diagnostic.render(&sources));
            }
            Err(Refusal::Internal(message)) => panic!("{message}"),
        };
        let mut log = Log::new(self.options.output.verbose, self.progress, stderr);
        log.task(&task, &request.files);
        let mut saver = match self.options.save.clone().map(Saver::new).transpose() {
            Ok(saver) => saver,
            Err(e) => {
                log.error(&format!("--save: {e}"));
                return Answer::refused(Verdict::NotWritten);
            }
        };
        if let Some(file) = &self.options.dump_predicates {
            // What is found without the loop needs no predicates.
            self.session.write_later(file, String::new());
        }
        let mut cache = match self.cache(&mut log) {
            Ok(cache) => cache,
            Err(refused) => return Answer::refused(refused),
        };
        let mut checks = match Checks::choose(&mut task, &self.options.selection) {
            Ok(checks) => checks,
            Err(why) => {
                log.error(&why);
                return Answer::refused(Verdict::Error("no such check".into()));
            }
        };
        let end = self.decide(&mut task, &mut checks, predicates, (&mut cache, &mut log, saver.as_mut()));
        checks.unmask(&mut task);
        let answer = match end {
            Ok(()) => report::all(&task, &checks, (self.options, self.session)),
            Err(End::One(conclusion)) => {
                report::answer(&task, &checks, *conclusion, (self.options, self.session))
            }
            Err(End::Astray(astray)) => report::astray(&task, &astray),
            Err(End::Only(answer)) => *answer,
            Err(End::Refused(refused)) => return Answer::refused(refused),
        };
        Basis::new(&task, recorded, checks.left_out()).noted(answer)
    }

    /// Decides the checks: an end by itself when they all are to be decided, else how the run ended.
    fn decide(
        &mut self,
        task: &mut Task,
        checks: &mut Checks,
        predicates: &str,
        (cache, log, mut saver): (&mut c2bp::Cache, &mut Log<'_>, Option<&mut Saver>),
    ) -> Result<(), End> {
        let (mut astray, mut only) = (None, None);
        if self.options.refinement.probe == Switch::On {
            (astray, only) = self.probe(task, checks, log)?;
        }
        let mut only = only.filter(|_| !checks.all()).map(|only| self.only(task, checks, only, log));
        let cube = self.options.refinement.max_cube;
        let initial = self.initial(task, predicates, log)?;
        let mut known = Knowledge::new(&task.program, initial, cube);
        let mut ignored = 0;
        loop {
            let given = self.options.refinement.max_iterations;
            let iterations = if only.is_some() { given.min(single_execution::ITERATIONS) } else { given };
            let bounds = (checks.patience(), iterations);
            let (saver, ignored) = (saver.as_deref_mut(), &mut ignored);
            let session = self.session;
            let mut watcher = Watcher { task, session, log, saver, ignored };
            let conclusion = self.run_loop(task, bounds, &mut known, cache, &mut watcher);
            self.keep(cache, log);
            self.dump(task, known.precision());
            match conclusion {
                Conclusion::Unsafe(witness)
                    if task.whole.checks[witness.check].kind == CheckKind::Unmodelled =>
                {
                    log.note("something that is not modelled is reached: again without what leads there");
                    task.leave_out_unmodelled(witness.check);
                }
                Conclusion::NoModel(failure) if !checks.all() => match failure.check {
                    Some(check) => {
                        log.note(&format!(
                            "{} is not decided ({})",
                            place(task, check),
                            failure.reason.word()
                        ));
                        task.leave_out(check, failure.reason);
                    }
                    None => return Err(End::One(Box::new(Conclusion::Unknown(failure)))),
                },
                Conclusion::SwitchToBits(why) => {
                    log.note(&format!(
                        "the counterexample used what mathematical integers over-approximate ({why}): again with bit-vectors"
                    ));
                    task.mode = IntMode::Bits;
                    task.may_switch = false;
                    let initial = self.initial(task, predicates, log)?;
                    known.restart(&task.program, initial, cube);
                }
                Conclusion::Safe(_) if astray.is_some() => {
                    return Err(End::Astray(astray.take().expect("it was looked at just now")));
                }
                Conclusion::Safe(proof) => {
                    let proved = self.certified(task, proof, log)?;
                    checks.hold(task, proved);
                }
                Conclusion::Unknown(failure) if let Some(answer) = only.take() => {
                    log.note(&format!(
                        "no invariants ({}): the only execution decides",
                        failure.reason.word()
                    ));
                    return Err(End::Only(answer));
                }
                conclusion if !checks.all() || checks.is_empty() => {
                    return Err(End::One(Box::new(conclusion)));
                }
                Conclusion::Deferred(check) => {
                    log.note(&format!("{} has to wait for other checks", place(task, check)));
                    checks.wait(task, check);
                }
                Conclusion::Unsafe(witness) => self.failed(task, checks, witness, log),
                Conclusion::Unknown(failure) | Conclusion::NoModel(failure) => {
                    match failure.check.filter(|_| !self.session.stopped()) {
                        None => checks.end(&failure),
                        Some(check) if task.whole.checks[check].kind == CheckKind::Unmodelled => {
                            task.leave_out_unmodelled(check);
                        }
                        Some(check) => {
                            log.note(&format!(
                                "{} is not decided ({})",
                                place(task, check),
                                failure.reason.word()
                            ));
                            checks.not_decided(task, check, failure);
                        }
                    }
                }
            }
            if checks.is_done() {
                return Ok(());
            }
        }
    }

    /// Writes the certificate down, and checks it if that is wanted.
    fn certified(&self, task: &Task, proof: cegar::Proof, log: &mut Log<'_>) -> Result<Proved, End> {
        let mut proved = Proved { proof, written: None, certified: None };
        let Some(made) = &proved.proof.certificate else { return Ok(proved) };
        proved.written = Some(certificate::write(task, made));
        if self.options.certify {
            self.session.doing("the certificate");
            let found = self.pool.install(|| certificate::check(task, made, self.interrupt));
            self.session.add_stats(certificate::stats(&found));
            let text = certificate::text(task, &found);
            if found.refuted().is_some() {
                // What follows from a wrong proof is not told.
                log.error(text.trim_end());
                return Err(End::Refused(Verdict::Internal));
            }
            proved.certified = Some((text, certificate::report_json(task, &found)));
        }
        Ok(proved)
    }

    /// Takes note of a check that fails, in a run that goes on.
    fn failed(&self, task: &mut Task, checks: &mut Checks, witness: Box<Witness>, log: &mut Log<'_>) {
        log.note(&format!("{} fails", place(task, witness.check)));
        checks.failed(task, witness);
        if let Some(certain) = report::failures(task, checks) {
            self.session.set_certain(certain.body, certain.verdict);
        }
    }

    /// The answer by the only execution, which counts unless the loop finds invariants.
    fn only(&self, task: &Task, checks: &Checks, only: Only, log: &mut Log<'_>) -> Box<Answer> {
        log.note(&format!(
            "the program asks for no input: if the loop finds no invariants, its only execution ({}) decides",
            count(only.steps as usize, "step")
        ));
        let mut answer = report::only(task, checks, only);
        answer.json["certificate"] = certificate::write_only(task, only);
        if self.options.certify {
            let repeated = Only::again(task, self.session.stop());
            let (text, json) = certificate::repeated(only, repeated);
            answer.body.push_str(&text);
            answer.json["certified"] = json;
        }
        self.session.set_certain(answer.body.clone(), answer.verdict.clone());
        Box::new(answer)
    }

    /// Executes the program with a few inputs; with all checks to be decided, again and again while one fails. An
    /// execution that goes astray comes back, and one that decides by itself.
    fn probe(
        &self,
        task: &mut Task,
        checks: &mut Checks,
        log: &mut Log<'_>,
    ) -> Result<(Option<Astray>, Option<Only>), End> {
        self.session.doing("concrete executions");
        while !(checks.all() && checks.is_done()) {
            let outcome = probe::search(&task.whole, self.session.stop());
            log.note(&match outcome.failing {
                Some(_) => format!("probe: execution {} of {} fails a check", outcome.runs, probe::RUNS),
                None => {
                    format!("probe: {} executions, {} steps, no check fails", outcome.runs, outcome.steps)
                }
            });
            match outcome.failing.map(Box::new) {
                None => match outcome.astray {
                    // No other execution is left to say anything about.
                    Some(astray) if outcome.only.is_some() && !checks.all() => {
                        return Err(End::Astray(astray));
                    }
                    astray => return Ok((astray, outcome.only.and_then(|run| Only::of(task, &run)))),
                },
                Some(witness) if checks.all() => self.failed(task, checks, witness, log),
                Some(witness) => return Err(End::One(Box::new(Conclusion::Unsafe(witness)))),
            }
        }
        Ok((None, None))
    }

    /// The text of the file of `--predicates`; read once, as it may be a pipe.
    fn predicates_text(&self, stderr: &mut Sink<'_>) -> Result<String, Verdict> {
        let Some(path) = &self.options.refinement.predicates else { return Ok(String::new()) };
        cli::inputs::text(path).map_err(|e| {
            let _ = writeln!(stderr, "error: cannot read {}: {e}", path.display());
            Verdict::Error("predicates".into())
        })
    }

    /// The answers of earlier runs, with `--query-cache`.
    fn cache(&self, log: &mut Log<'_>) -> Result<c2bp::Cache, Verdict> {
        let Some(path) = &self.options.refinement.query_cache else { return Ok(c2bp::Cache::new()) };
        match c2bp::Cache::open(path) {
            Ok((cache, remark)) => {
                remark.iter().for_each(|remark| log.warning(remark));
                Ok(cache)
            }
            Err(why) => {
                log.error(&why);
                Err(Verdict::Error("query cache".into()))
            }
        }
    }

    /// Writes the answers for later runs.
    fn keep(&self, cache: &c2bp::Cache, log: &mut Log<'_>) {
        if let (Some(path), Some(text)) = (&self.options.refinement.query_cache, cache.stored_text())
            && let Err(e) = cli::write_atomically(path, text.as_bytes())
        {
            log.warning(&format!("cannot write {}: {e}", path.display()));
        }
    }

    /// The predicates of `--predicates`, in the task's integer mode.
    fn initial(&self, task: &mut Task, text: &str, log: &mut Log<'_>) -> Result<Precision, Verdict> {
        let Some(path) = &self.options.refinement.predicates else { return Ok(Precision::new()) };
        let file = task.sources.add(path.display().to_string(), Some(text.into()));
        let read = |text: &str, scope| cmm::parse::expr(text, &task.program, scope);
        match c2bp::predicates_file::parse(text, file, &task.program, task.mode, &read) {
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

    fn run_loop(
        &self,
        task: &Task,
        (patience, iterations): (Option<usize>, usize),
        known: &mut Knowledge,
        cache: &mut c2bp::Cache,
        watcher: &mut Watcher<'_, '_>,
    ) -> Conclusion {
        let refinement = &self.options.refinement;
        let (refiners, loops_when_due) = refiners(refinement.refiner);
        let options = cegar::Options {
            refiners,
            loops_when_due,
            probe: refinement.probe == Switch::On,
            certificate: self.options.certify || self.options.json.is_some(),
            iterations,
            patience,
        };
        let context = cegar::Context {
            task: task.for_loop(),
            options: &options,
            stop: cegar::Stop { flag: self.session.stop(), interrupt: self.interrupt },
            checker: engines::checker(refinement.engine),
        };
        self.pool.install(|| cegar::run(&context, known, cache, watcher))
    }

    /// Writes the predicates at the end of the loop, if that is wanted.
    fn dump(&self, task: &Task, precision: &Precision) {
        if let Some(file) = &self.options.dump_predicates {
            let text = c2bp::predicates_file::print(&task.program, precision);
            self.session.write_later(file, format!("{FOUND}{text}"));
        }
    }
}

/// The refiners to try, and whether invariants of loops come first where they are due.
fn refiners(asked: Refiner) -> (Vec<newton::Refiner>, bool) {
    let one = match asked {
        Refiner::Auto => return (newton::Refiner::ALL.to_vec(), true),
        Refiner::Wp => newton::Refiner::Wp,
        Refiner::Sp => newton::Refiner::Sp,
        Refiner::WpAll => newton::Refiner::WpAll,
        Refiner::Tree => newton::Refiner::Tree,
        Refiner::Loops => newton::Refiner::Loops,
        Refiner::Off => return (vec![], false),
    };
    (vec![one], false)
}

/// The place of a check, as logs write it.
fn place(task: &Task, check: CheckId) -> String {
    let check = &task.whole.checks[check];
    format!("{} ({})", task.sources.short(check.span), check.message)
}
