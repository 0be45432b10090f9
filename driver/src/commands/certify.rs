//! `slam certify`: the certificate in a result, checked against the program.

use super::ending::{Ending, Files};
use crate::certificate::{self, Claim};
use crate::commands::Console;
use crate::earlier::{self, Earlier};
use crate::options::Certify;
use crate::report::Answer;
use crate::report::basis::Basis;
pub(crate) use certificate::Certificate;
use cli::process::Sink;
use cli::{Session, Usage, Verdict};
use ir::CheckId;
use results::proof::Certified;
use results::{At, Outcome, check};
use smt::Interrupt;
use std::path::{Path, PathBuf};
use verify::Only;
use verify::Task;
use verify::Turns;
use verify::cegar::Inductive;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Certify) -> Result<i32, Usage> {
    let Some((result, files)) = options.files.split_last() else {
        return Err(Usage::mistake("a program and a result are needed"));
    };
    let pool = cli::pool(options.limits.threads).map_err(Usage::mistake)?;
    let interrupt = Interrupt::new();
    let session = Session::start(host, &options.limits, options.output.stats, vec![interrupt.stopper()]);
    let command = Command { session: &session, interrupt: &interrupt, pool: &pool };
    let (json, quiet) = (options.json.as_deref(), options.output.quiet);
    let ending = Ending { host, session: &session, files: Files { json, ..Files::default() }, quiet };
    let answer = ending.answer(stderr, |stderr| {
        let found = command.answer(files, result, stderr);
        found.unwrap_or_else(|why| earlier::refused(result, &why, stderr))
    });
    Ok(ending.write(answer, stdout, stderr))
}

struct Command<'a> {
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
}

impl Command<'_> {
    /// The answer; an error says what is wrong with the result.
    fn answer(&self, files: &[PathBuf], result: &Path, stderr: &mut Sink<'_>) -> Result<Answer, String> {
        let mut earlier = Earlier::read(result, files, check::Verdict::Safe, |verdict| match verdict {
            check::Verdict::Unsafe => "the program is unsafe: `slam replay` repeats the error",
            _ => "there is no answer to certify",
        })?;
        let written = earlier.again.certificate.take().ok_or("/: there is no `certificate`")?;
        let integers = certificate::integers(written.integers);
        let mut task = match earlier.task(self.session, integers, stderr) {
            Ok(task) => task,
            Err(refused) => return Ok(*refused),
        };
        self.session.doing("the certificate");
        let read = certificate::read(&mut task, written).at("certificate");
        let (left_out, claim) = read.map_err(|e| e.to_string())?;
        if task.left_out.is_some() {
            return Err("the program does what the analysis leaves out: nothing is safe".into());
        }
        let held = task.held_again((self.session.stop(), self.interrupt));
        let mut answer = match claim {
            Claim::Only(only) => self.repeat(&task, only),
            Claim::Turns(turns) => self.follow(&task, turns),
            Claim::Inductive(inductive) => self.induct(&task, &inductive),
            Claim::Sets(certificate) => self.check(&task, &certificate),
        };
        let by_induction = |check: &CheckId| task.inductive.iter().any(|h| h.checks.contains(check));
        let left_out: Vec<CheckId> = left_out.into_iter().filter(|check| !by_induction(check)).collect();
        if let Some((checks, same)) = held {
            answer.body.push_str(&certificate::held(checks, same));
            answer.outcome.certified.iter_mut().for_each(|found| found.held = Some(same));
            if !same && answer.verdict == Verdict::Safe {
                answer.verdict = Verdict::Unknown("not certified".into());
            }
        }
        Ok(Basis::new(&task, &earlier.recorded, &left_out).reported(answer))
    }

    /// Executes a program with one execution again.
    fn repeat(&self, task: &Task, only: Only) -> Answer {
        let same = Only::again(task, task.subject(), self.session.stop()) == Some(only);
        self.repeated(same, certificate::repeated(same))
    }

    /// Follows all executions of a program again.
    fn follow(&self, task: &Task, turns: Turns) -> Answer {
        let same = turns.suffice(&task.subject(), (self.session.stop(), self.interrupt));
        self.repeated(same, certificate::followed(same))
    }

    /// Shows the invariants again.
    fn induct(&self, task: &Task, inductive: &Inductive) -> Answer {
        let same = inductive.proved(&task.subject(), (self.session.stop(), self.interrupt)).1;
        self.repeated(same, certificate::inductive_again(inductive, same))
    }

    /// The answer where a proof was repeated, with what that gave.
    fn repeated(&self, same: bool, (body, found): (String, Certified)) -> Answer {
        let verdict = match same {
            true => Verdict::Safe,
            false if self.session.stopped() => self.session.stopped_verdict(),
            false => Verdict::Unknown("not certified".into()),
        };
        certified(verdict, body, found)
    }

    /// Checks a certificate that is about this program.
    fn check(&self, task: &Task, certificate: &Certificate) -> Answer {
        let found = self.pool.install(|| verify::recheck::sets(&task.subject(), certificate, self.interrupt));
        self.session.set_stats(certificate::stats(&found));
        let verdict = match (found.refuted(), found.flaws.is_empty()) {
            (Some(_), _) => Verdict::Internal,
            (None, true) => Verdict::Safe,
            (None, false) if self.session.stopped() => self.session.stopped_verdict(),
            (None, false) => Verdict::Unknown("not certified".into()),
        };
        certified(verdict, certificate::text(task, &found), certificate::found(task, &found))
    }
}

/// The answer with what the check of a certificate found.
fn certified(verdict: Verdict, body: String, found: Certified) -> Answer {
    Answer { verdict, body, outcome: Outcome { certified: Some(found), ..Outcome::default() } }
}
