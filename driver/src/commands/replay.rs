//! `slam replay`: the error in a result, repeated by the compiled program.

use super::ending::{Ending, Files};
use crate::commands::Console;
use crate::earlier::{self, Earlier};
use crate::harness::native::{self, Outcome, Setting};
use crate::harness::{self, Plan, again, by_hand};
use crate::options::{Integers, Replay};
use crate::report::Answer;
use crate::report::basis::Basis;
use base::styles::NOTE;
use cli::process::Sink;
use cli::{Session, Usage, Verdict, outputs};
use ir::CheckKind;
use results::{At, check};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest run when no limit is given.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Replay) -> Result<i32, Usage> {
    let Some((result, files)) = options.files.split_last() else {
        return Err(Usage::mistake("a program and a result are needed"));
    };
    let outputs = [("--harness", options.harness.as_deref())];
    outputs::refuse(&outputs, options.files.iter().map(PathBuf::as_path))?;
    let session = Session::start(host, &options.limits, options.output.stats, vec![]);
    if let Some(message) = outputs::unwritable(&outputs) {
        let _ = stderr.write_all(message.as_bytes());
        return Ok(session.finish(stdout, "", &Verdict::NotWritten));
    }
    let ending = Ending { host, session: &session, files: Files::default(), quiet: options.output.quiet };
    let command = Command { session: &session, options };
    let answer = ending.answer(stderr, |stderr| {
        let replayed = command.answer(files, result, stderr);
        replayed.unwrap_or_else(|why| earlier::refused(result, &why, stderr))
    });
    Ok(ending.write(answer, stdout, stderr))
}

struct Command<'a> {
    session: &'a Session,
    options: &'a Replay,
}

impl Command<'_> {
    /// The answer; an error says what is wrong with the result.
    fn answer(&self, files: &[PathBuf], result: &Path, stderr: &mut Sink<'_>) -> Result<Answer, String> {
        let earlier = Earlier::read(result, files, check::Verdict::Unsafe, |verdict| match verdict {
            check::Verdict::Safe => "the program is safe: `slam certify` checks the proof",
            _ => "there is no error to repeat",
        })?;
        let execution = earlier.again.replay.as_ref().ok_or("/: there is no `replay`")?;
        let task = match earlier.task(self.session, Integers::Auto, stderr) {
            Ok(task) => task,
            Err(refused) => return Ok(*refused),
        };
        self.session.doing("the interpreter's run");
        let witness = again::witness(&task, execution, self.session.stop()).at("replay");
        let Some(witness) = witness.map_err(|e| e.to_string())? else {
            let body = "not replayed: the interpreter runs into no error with the recorded inputs\n".into();
            return Ok(Answer { body, ..Answer::refused(self.unknown()) });
        };
        let plan = harness::plan(&task, &witness);
        if let Some(harness) = &self.options.harness {
            self.session.write_file(harness, by_hand(&plan).as_bytes(), stderr);
        }
        let mut answer = self.natively(&plan, &earlier, stderr);
        let basis = Basis::new(&task, &earlier.recorded, &[]);
        answer.body.push_str(&basis.text());
        answer.verdict = basis.qualified(answer.verdict);
        Ok(answer)
    }

    /// What the compiled program does.
    fn natively(&self, plan: &Plan, earlier: &Earlier, stderr: &mut Sink<'_>) -> Answer {
        self.session.doing("the native run");
        let limits = &self.options.limits;
        let setting = Setting {
            front: &earlier.recorded.front,
            limit: limits.time_limit.unwrap_or(LIMIT),
            memory: limits.memory_limit,
            children: self.session.children(),
        };
        let _ = writeln!(
            stderr,
            "note: the program is compiled and executed on this machine, for at most {} s",
            setting.limit.as_secs()
        );
        let (outcome, remarks) = native::replay(plan, &earlier.programs, &setting);
        let mut body: String = remarks.iter().map(|r| format!("{NOTE} {r}\n")).collect();
        let missing: String = plan.missing.iter().map(|m| format!("  not supplied: {m}\n")).collect();
        let verdict = match outcome {
            Outcome::Reached => {
                let how = if plan.kind == CheckKind::Reach { "reaches" } else { "runs into" };
                body.push_str(&format!(
                    "replayed: the compiled program {how} the error at {} ({})\n",
                    plan.place, plan.message
                ));
                Verdict::Unsafe { kind: plan.kind.name().into(), place: plan.place.clone() }
            }
            Outcome::Not(why) => {
                body.push_str(&format!(
                    "not replayed: the compiled program does not show the error: {why}\n{missing}"
                ));
                self.unknown()
            }
            Outcome::NotRun(why) => {
                body.push_str(&format!("not replayed: {why}\n{missing}"));
                self.unknown()
            }
        };
        Answer { body, ..Answer::refused(verdict) }
    }

    /// The verdict where the error does not show itself.
    fn unknown(&self) -> Verdict {
        match self.session.stopped() {
            true => self.session.stopped_verdict(),
            false => Verdict::Unknown("not replayed".into()),
        }
    }
}
