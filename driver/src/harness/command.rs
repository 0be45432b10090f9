//! `slam replay`: the error in a result, repeated by the compiled program.

use super::native::{self, Outcome, Setting};
use super::{Plan, text};
use crate::recorded::Recorded;
use crate::report::Answer;
use crate::result_file;
use cli::process::{Sink, catching};
use cli::slam::Replay;
use cli::{Host, Session, Usage, Verdict};
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
    let session = Session::start(host, &options.limits, options.output.stats, vec![]);
    let answer = catching(|| answer(&session, options, files, result, stderr)).unwrap_or_else(|message| {
        if host == Host::Library {
            let _ = writeln!(stderr, "internal error: {message}");
        }
        Answer::refused(Verdict::Internal)
    });
    let body = if options.output.quiet { "" } else { &answer.body };
    Ok(session.finish(stdout, body, &answer.verdict))
}

fn answer(
    session: &Session,
    options: &Replay,
    files: &[PathBuf],
    result: &Path,
    stderr: &mut Sink<'_>,
) -> Answer {
    let mut refuse = |why: &str| {
        let _ = writeln!(stderr, "error: {}: {why}", result.display());
        Answer::refused(Verdict::Error("result".into()))
    };
    let json = match result_file::read(result) {
        Ok(json) => json,
        Err(why) => return refuse(&why),
    };
    match json["verdict"].as_str() {
        Some("UNSAFE") => {}
        Some("SAFE") => return refuse("the program is safe: `slam certify` checks the proof"),
        _ => return refuse("there is no error to repeat"),
    }
    let read = Recorded::from_json(&json["options"]).and_then(|recorded| {
        Ok((recorded, Plan::from_json(&json["replay"])?, result_file::programs(files)?))
    });
    let (recorded, plan, files) = match read {
        Ok(read) => read,
        Err(why) => return refuse(&why),
    };
    if let Some(harness) = &options.harness
        && let Err(e) = cli::write_atomically(harness, text(&plan).as_bytes())
    {
        let _ = writeln!(stderr, "error: cannot write {}: {e}", harness.display());
        return Answer::refused(Verdict::Error("cannot write".into()));
    }
    session.doing("the native run");
    let setting = Setting {
        front: &recorded.front,
        limit: options.limits.time_limit.unwrap_or(LIMIT),
        stopped: &|| session.stopped(),
    };
    let (outcome, remarks) = native::replay(&plan, &files, &setting);
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
    Answer { verdict, body, json: serde_json::json!({}), warnings: vec![] }
}
