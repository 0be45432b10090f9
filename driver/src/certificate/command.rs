//! `slam certify`: the certificate in a result, checked against the program.

use super::json;
use crate::prepare::{self, Refusal, Task};
use crate::recorded::Recorded;
use crate::report::{self, Answer};
use crate::result_file;
use cli::front;
use cli::process::{Sink, catching};
use cli::slam::{Certify, Integers};
use cli::{Host, Session, Usage, Verdict};
use serde_json::Value;
use smt::Interrupt;
use std::path::{Path, PathBuf};

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(
    host: Host,
    options: &Certify,
    stdout: &mut Sink<'_>,
    stderr: &mut Sink<'_>,
) -> Result<i32, Usage> {
    let Some((result, files)) = options.files.split_last() else {
        return Err(Usage::mistake("a program and a result are needed"));
    };
    let pool = cli::pool(options.limits.threads).map_err(Usage::mistake)?;
    let interrupt = Interrupt::new();
    let to_stop = interrupt.clone();
    let interrupter = Box::new(move || to_stop.interrupt_all());
    let session = Session::start(host, &options.limits, options.output.stats, vec![interrupter]);
    let command = Command { session: &session, interrupt: &interrupt, pool: &pool };
    let answer = catching(|| command.answer(files, result, stderr)).unwrap_or_else(|message| {
        if session.stopped() {
            return Answer::refused(session.stopped_verdict());
        }
        if host == Host::Library {
            let _ = writeln!(stderr, "internal error: {message}");
        }
        Answer::refused(Verdict::Internal)
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

struct Command<'a> {
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
}

impl Command<'_> {
    fn answer(&self, files: &[PathBuf], result: &Path, stderr: &mut Sink<'_>) -> Answer {
        let mut refuse = |why: &str| {
            let _ = writeln!(stderr, "error: {}: {why}", result.display());
            Answer::refused(Verdict::Error("result".into()))
        };
        let json = match result_file::read(result) {
            Ok(json) => json,
            Err(why) => return refuse(&why),
        };
        match json["verdict"].as_str() {
            Some("SAFE") => {}
            Some("UNSAFE") => return refuse("the program is unsafe: `slam replay` repeats the error"),
            _ => return refuse("there is no answer to certify"),
        }
        let recorded = match Recorded::from_json(&json["options"]) {
            Ok(recorded) => recorded,
            Err(why) => return refuse(&why),
        };
        let files = match result_file::programs(files) {
            Ok(files) => files,
            Err(why) => return refuse(&why),
        };
        let mut task = match self.task(&files, &recorded, &json["certificate"], stderr) {
            Ok(task) => task,
            Err(refused) => return *refused,
        };
        self.session.doing("the certificate");
        let mut refuse = |why: &str| {
            let _ = writeln!(stderr, "error: {}: {why}", result.display());
            Answer::refused(Verdict::Error("result".into()))
        };
        match json::assumed(&task, &json["certificate"]) {
            Ok(assumed) => assumed.into_iter().for_each(|check| task.mask(check)),
            Err(why) => return refuse(&why),
        }
        if json["certificate"]["program"].as_str() != Some(&json::fingerprint(&task.program)) {
            return refuse("it is about another program, or was written by another version of slam");
        }
        if task.left_out.is_some() {
            return refuse("the program does what the analysis leaves out: nothing is safe");
        }
        let certificate = match json::read(&task, &json["certificate"]) {
            Ok(certificate) => certificate,
            Err(why) => return refuse(&why),
        };
        let found = self.pool.install(|| super::check(&task, &certificate, self.interrupt));
        self.session.set_stats(super::stats(&found));
        let verdict = match (found.refuted(), found.flaws.is_empty()) {
            (Some(_), _) => Verdict::Internal,
            (None, true) => Verdict::Safe,
            (None, false) if self.session.stopped() => self.session.stopped_verdict(),
            (None, false) => Verdict::Unknown("not certified".into()),
        };
        let json = serde_json::json!({ "certified": super::report_json(&task, &found) });
        Answer { verdict, body: super::text(&task, &found), json, warnings: vec![] }
    }

    /// The program as the run that wrote the result worked on it.
    fn task(
        &self,
        files: &[PathBuf],
        recorded: &Recorded,
        certificate: &Value,
        stderr: &mut Sink<'_>,
    ) -> Result<Task, Box<Answer>> {
        self.session.doing("the front end");
        let front = front::load(files, &recorded.front, stderr)
            .map_err(|verdict| Box::new(Answer::refused(verdict)))?;
        let sources = front.sources.clone();
        let integers = match certificate["integers"].as_str() {
            Some("bits") => Integers::Bits,
            _ => Integers::Math,
        };
        let assumption = recorded.front.extern_policy.assumption();
        let (preparation, predicates) = (&recorded.preparation, &recorded.predicates);
        prepare::prepare(front, preparation, integers, assumption, predicates).map_err(
            |refusal| match refusal {
                Refusal::Unknown { reason, diagnostic } => {
                    Box::new(report::not_modelled(&reason, &diagnostic.render(&sources)))
                }
                Refusal::Internal(message) => panic!("{message}"),
            },
        )
    }
}
