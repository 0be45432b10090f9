//! `slam replay`: the error in a result, repeated by the compiled program.

use super::native::{self, Outcome, Setting};
use super::{Plan, text};
use crate::ending::Ending;
use crate::report::Answer;
use crate::result_file::{self, Earlier};
use cli::process::Sink;
use cli::slam::Replay;
use cli::{Host, Session, Usage, Verdict, outputs};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest run when no limit is given.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(
    host: Host,
    options: &Replay,
    stdout: &mut Sink<'_>,
    stderr: &mut Sink<'_>,
) -> Result<i32, Usage> {
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
    let ending = Ending { host, session: &session, json: None, quiet: options.output.quiet };
    let answer = ending.answer(stderr, |stderr| {
        let replayed = answer(&session, options, files, result, stderr);
        replayed.unwrap_or_else(|why| result_file::refused(result, &why, stderr))
    });
    Ok(ending.write(&answer, stdout, stderr))
}

/// The answer; an error says what is wrong with the result.
fn answer(
    session: &Session,
    options: &Replay,
    files: &[PathBuf],
    result: &Path,
    stderr: &mut Sink<'_>,
) -> Result<Answer, String> {
    let earlier = Earlier::read(result, files, "UNSAFE", |verdict| match verdict {
        "SAFE" => "the program is safe: `slam certify` checks the proof",
        _ => "there is no error to repeat",
    })?;
    let plan = Plan::from_json(&earlier.json["replay"])?;
    if let Some(harness) = &options.harness {
        session.write_file(harness, text(&plan).as_bytes(), stderr);
    }
    session.doing("the native run");
    let setting = Setting {
        front: &earlier.recorded.front,
        limit: options.limits.time_limit.unwrap_or(LIMIT),
        stopped: &|| session.stopped(),
    };
    let (outcome, remarks) = native::replay(&plan, &earlier.programs, &setting);
    let mut body: String = remarks.iter().map(|r| format!("note: {r}\n")).collect();
    let missing: String = plan.missing.iter().map(|m| format!("  not supplied: {m}\n")).collect();
    let verdict = match outcome {
        Outcome::Reached => {
            let how = if plan.kind == "reach" { "reaches" } else { "runs into" };
            body.push_str(&format!(
                "replayed: the compiled program {how} the error at {} ({})\n",
                plan.place, plan.message
            ));
            Verdict::Unsafe { kind: plan.kind, place: plan.place }
        }
        Outcome::Not(why) => {
            body.push_str(&format!(
                "not replayed: the compiled program does not show the error: {why}\n{missing}"
            ));
            Verdict::Unknown("not replayed".into())
        }
        Outcome::NotRun(why) => {
            body.push_str(&format!("not replayed: {why}\n{missing}"));
            Verdict::Unknown("not replayed".into())
        }
    };
    Ok(Answer { body, ..Answer::refused(verdict) })
}
