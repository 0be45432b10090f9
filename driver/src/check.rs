//! `slam check`: reads the program, tries a few concrete executions, runs the loop, writes the result.

use crate::cegar::{self, Conclusion};
use crate::log::Log;
use crate::prepare::{self, Refusal, Task};
use crate::report::{self, Answer};
use crate::save::Saver;
use crate::{front, probe};
use cli::process::{Sink, catching};
use cli::slam::{Check, Switch};
use cli::{Host, Session, Usage, Verdict};
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
        let mut task = match prepare::prepare(loaded, self.options.refinement.integers) {
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
        if self.options.refinement.probe == Switch::On
            && let Some(found) = self.probe(&task, &mut log)
        {
            return found;
        }
        loop {
            let conclusion = self.solve(&task, &mut log, saver.as_mut());
            if !matches!(conclusion, Conclusion::SwitchToBits { .. }) {
                return report::answer(&task, conclusion, self.session);
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

    fn solve(&self, task: &Task, log: &mut Log<'_>, saver: Option<&mut Saver>) -> Conclusion {
        let context = cegar::Context {
            task,
            options: self.options,
            initial: &Precision::new(),
            session: self.session,
            interrupt: self.interrupt,
        };
        self.pool.install(|| cegar::solve(&context, log, saver))
    }
}
