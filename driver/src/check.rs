//! `slam check`: reads the program, tries a few concrete executions, runs the loop, writes the result.

use crate::cegar::{self, Conclusion};
use crate::log::Log;
use crate::prepare::{self, Refusal, Task};
use crate::probe;
use crate::report::{self, Answer};
use crate::save::Saver;
use cli::front;
use cli::process::{Sink, catching};
use cli::slam::{Check, Switch};
use cli::{Host, Session, Usage, Verdict};
use cmm::CheckKind;
use pred::{IntMode, Precision};
use smt::Interrupt;

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
    let front_options = front::options(&options.front_end)?;
    let pool = cli::pool(options.limits.threads).map_err(Usage::mistake)?;
    let interrupt = Interrupt::new();
    let to_stop = interrupt.clone();
    let interrupter = Box::new(move || to_stop.interrupt_all());
    let session = Session::start(host, &options.limits, options.output.stats, vec![interrupter]);
    let work = || {
        let mut command = Command { options, session: &session, interrupt: &interrupt, pool: &pool };
        command.answer(&front_options, stderr)
    };
    let answer = catching(work).unwrap_or_else(|message| {
        // Work that was told to stop may stumble over what was left unfinished; the answer is the same.
        if session.stopped() {
            return Answer {
                verdict: session.stopped_verdict(),
                body: String::new(),
                json: serde_json::Value::Null,
            };
        }
        if host == Host::Library {
            let _ = writeln!(stderr, "internal error: {message}");
        }
        Answer { verdict: Verdict::Internal, body: String::new(), json: serde_json::Value::Null }
    });
    if let Some(file) = &options.json {
        let text = format!("{:#}\n", answer.to_json());
        if let Err(e) = cli::write_atomically(file, text.as_bytes()) {
            let _ = writeln!(stderr, "warning: cannot write {}: {e}", file.display());
        }
    }
    let body = if options.output.quiet { "" } else { &answer.body };
    Ok(session.finish(stdout, body, &answer.verdict))
}

/// One run of the command.
struct Command<'a> {
    options: &'a Check,
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
}

impl Command<'_> {
    fn answer(&mut self, front_options: &cfront::Options, stderr: &mut Sink<'_>) -> Answer {
        self.session.doing("the front end");
        let loaded = match front::load(&self.options.files, front_options, stderr) {
            Ok(front) => front,
            Err(verdict) => return Answer::refused(verdict),
        };
        let sources = loaded.sources.clone();
        self.session.doing("points-to and slicing");
        let mut task = match prepare::prepare(
            loaded,
            self.options.refinement.integers,
            front_options.extern_policy.assumption(),
        ) {
            Ok(task) => task,
            Err(Refusal::Unknown { reason, diagnostic }) => {
                return report::not_modelled(&reason, &diagnostic.render(&sources));
            }
            Err(Refusal::Internal(message)) => panic!("{message}"),
        };
        let mut log = Log::new(self.options.output.verbose, stderr);
        log.task(&task, &self.options.files);
        let mut saver = match self.options.save.clone().map(Saver::new).transpose() {
            Ok(saver) => saver,
            Err(e) => {
                log.error(&format!("--save: {e}"));
                return Answer::refused(Verdict::Error("cannot write".into()));
            }
        };
        if let Some(file) = &self.options.dump_predicates
            && let Err(e) = cli::write_atomically(file, b"")
        {
            log.error(&format!("--dump-predicates: {e}"));
            return Answer::refused(Verdict::Error("cannot write".into()));
        }
        if self.options.refinement.probe == Switch::On
            && let Some(found) = self.probe(&task, &mut log)
        {
            return found;
        }
        loop {
            let initial = match self.initial(&mut task, &mut log) {
                Ok(initial) => initial,
                Err(refused) => return refused,
            };
            let conclusion = self.solve(&task, &initial, &mut log, saver.as_mut());
            match conclusion {
                Conclusion::Unsafe(witness)
                    if task.whole.checks[witness.check].kind == CheckKind::Unmodelled =>
                {
                    log.note("something that is not modelled is reached: again without what leads there");
                    task.leave_out_unmodelled(witness.check);
                    continue;
                }
                Conclusion::SwitchToBits { .. } => {}
                conclusion => return report::answer(&task, conclusion, self.session),
            }
            log.note("the counterexample used operations that are over-approximated: again with bit-vectors");
            task.mode = IntMode::Bits;
            task.may_switch = false;
        }
    }

    fn probe(&self, task: &Task, log: &mut Log<'_>) -> Option<Answer> {
        self.session.doing("concrete executions");
        let outcome = probe::search(task, self.session.stop());
        log.note(&outcome.summary);
        let run = outcome.failing?;
        Some(report::answer(task, Conclusion::Unsafe(Box::new(run)), self.session))
    }

    /// The predicates of `--predicates`, in the task's integer mode.
    fn initial(&self, task: &mut Task, log: &mut Log<'_>) -> Result<Precision, Answer> {
        let Some(path) = &self.options.refinement.predicates else { return Ok(Precision::new()) };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) => {
                log.error(&format!("cannot read {}: {e}", path.display()));
                return Err(Answer::refused(Verdict::Error("predicates".into())));
            }
        };
        let file = task.sources.add(path.display().to_string(), Some(text.as_str().into()));
        let read = |text: &str, scope| cmm::parse::expr(text, &task.program, scope);
        match c2bp::predicates_file::parse(&text, file, &task.program, task.mode, &read) {
            Ok((precision, warnings)) => {
                warnings.iter().for_each(|w| log.diagnostic(w, &task.sources));
                Ok(precision)
            }
            Err(mistake) => {
                log.diagnostic(&mistake, &task.sources);
                Err(Answer::refused(Verdict::Error("predicates".into())))
            }
        }
    }

    fn solve(
        &self,
        task: &Task,
        initial: &Precision,
        log: &mut Log<'_>,
        saver: Option<&mut Saver>,
    ) -> Conclusion {
        let context = cegar::Context {
            task,
            options: self.options,
            initial,
            session: self.session,
            interrupt: self.interrupt,
        };
        self.pool.install(|| cegar::solve(&context, log, saver))
    }
}
