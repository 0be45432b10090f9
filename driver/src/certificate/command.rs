//! `slam certify`: the certificate in a result, checked against the program.

use super::json;
use crate::ending::Ending;
use crate::only::Only;
use crate::prepare::{self, Refusal, Task};
use crate::report::{self, Answer};
use crate::result_file::{self, Earlier};
use cli::front;
use cli::process::Sink;
use cli::slam::{Certify, Integers};
use cli::{Host, Session, Usage, Verdict};
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
    let (json, quiet) = (options.json.as_deref(), options.output.quiet);
    let ending = Ending { host, session: &session, json, quiet };
    let answer = ending.answer(stderr, |stderr| {
        let found = command.answer(files, result, stderr);
        found.unwrap_or_else(|why| result_file::refused(result, &why, stderr))
    });
    Ok(ending.write(&answer, stdout, stderr))
}

struct Command<'a> {
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
}

impl Command<'_> {
    /// The answer; an error says what is wrong with the result.
    fn answer(&self, files: &[PathBuf], result: &Path, stderr: &mut Sink<'_>) -> Result<Answer, String> {
        let earlier = Earlier::read(result, files, "SAFE", |verdict| match verdict {
            "UNSAFE" => "the program is unsafe: `slam replay` repeats the error",
            _ => "there is no answer to certify",
        })?;
        let json = &earlier.json["certificate"];
        let mut task = match self.task(&earlier, stderr) {
            Ok(task) => task,
            Err(refused) => return Ok(*refused),
        };
        self.session.doing("the certificate");
        json::assumed(&task, json)?.into_iter().for_each(|check| task.mask(check));
        if json["program"].as_str() != Some(&json::fingerprint(&task.program)) {
            return Err("it is about another program, or was written by another version of slam".into());
        }
        if task.left_out.is_some() {
            return Err("the program does what the analysis leaves out: nothing is safe".into());
        }
        if let Some(only) = json::read_only(json) {
            let again = Only::again(&task, self.session.stop());
            let verdict = match again {
                Some(again) if again == only => Verdict::Safe,
                _ if self.session.stopped() => self.session.stopped_verdict(),
                _ => Verdict::Unknown("not certified".into()),
            };
            let (body, json) = super::repeated(only, again);
            let json = serde_json::json!({ "certified": json });
            return Ok(Answer { body, json, ..Answer::refused(verdict) });
        }
        let certificate = json::read(&task, json)?;
        let found = self.pool.install(|| super::check(&task, &certificate, self.interrupt));
        self.session.set_stats(super::stats(&found));
        let verdict = match (found.refuted(), found.flaws.is_empty()) {
            (Some(_), _) => Verdict::Internal,
            (None, true) => Verdict::Safe,
            (None, false) if self.session.stopped() => self.session.stopped_verdict(),
            (None, false) => Verdict::Unknown("not certified".into()),
        };
        let json = serde_json::json!({ "certified": super::report_json(&task, &found) });
        Ok(Answer { verdict, body: super::text(&task, &found), json, warnings: vec![] })
    }

    /// The program as the run that wrote the result worked on it.
    fn task(&self, earlier: &Earlier, stderr: &mut Sink<'_>) -> Result<Task, Box<Answer>> {
        let recorded = &earlier.recorded;
        self.session.doing("the front end");
        let front = front::load(&earlier.programs, &recorded.front, self.session, stderr)
            .map_err(|verdict| Box::new(Answer::refused(verdict)))?;
        let sources = front.sources.clone();
        let integers = match earlier.json["certificate"]["integers"].as_str() {
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
