//! How commands with a verdict end: work that breaks off gets a verdict too, the result goes into the file that was
//! asked for, and the verdict line comes last.

use crate::html;
use crate::report::{self, Answer};
use crate::sarif::{self, Outcome};
use cli::process::{Sink, catching};
use cli::session::Message;
use cli::{Host, Session, Verdict};
use serde_json::{Value, json};
use std::path::Path;

/// Where the answer of a command goes.
pub(crate) struct Ending<'a> {
    /// What the command runs in.
    pub host: Host,
    /// Its limits and its statistics.
    pub session: &'a Session,
    /// The files of the result.
    pub files: Files<'a>,
    /// `-q`: the verdict line alone.
    pub quiet: bool,
}

/// The files that the result goes to, by the options that name them.
#[derive(Default)]
pub(crate) struct Files<'a> {
    /// `--json`.
    pub json: Option<&'a Path>,
    /// `--sarif`.
    pub sarif: Option<&'a Path>,
    /// `--html`.
    pub html: Option<&'a Path>,
}

impl Files<'_> {
    fn is_empty(&self) -> bool {
        let Files { json, sarif, html } = self;
        json.is_none() && sarif.is_none() && html.is_none()
    }
}

impl Ending<'_> {
    /// Does the work. Where it panics after the session was stopped, it stumbled over what was left unfinished, and the
    /// answer is that of a stopped run; any other panic is an internal error.
    pub(crate) fn answer(&self, stderr: &mut Sink<'_>, work: impl FnOnce(&mut Sink<'_>) -> Answer) -> Answer {
        catching(|| work(stderr)).unwrap_or_else(|message| {
            if self.session.stopped() {
                let nothing = || (String::new(), self.session.stopped_verdict());
                let (body, verdict) = self.session.certain().unwrap_or_else(nothing);
                return Answer { body, ..Answer::refused(verdict) };
            }
            if self.host == Host::Library {
                let _ = writeln!(stderr, "internal error: {message}");
            }
            Answer::refused(Verdict::Internal)
        })
    }

    /// Writes the answer and returns the exit code.
    pub(crate) fn write(&self, answer: &Answer, stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
        for warning in answer.warnings.iter().filter(|_| !self.quiet) {
            let _ = writeln!(stderr, "warning: {warning}");
        }
        if !self.files.is_empty() {
            self.write_result(&self.result(answer), answer.verdict.exit_code(), stderr);
        }
        self.session.write_files(stderr);
        self.session.finish(stdout, if self.quiet { "" } else { &answer.body }, &answer.verdict)
    }

    /// The answer for other programs, with what was said about the input.
    fn result(&self, answer: &Answer) -> Value {
        let mut result = answer.to_json();
        let messages = self.session.messages();
        if !messages.is_empty() {
            let one = |message: &Message| {
                let place = message.place.as_ref().map(|(file, span)| report::location(file, *span));
                json!({ "severity": message.severity.word(), "text": message.text, "location": place })
            };
            result["diagnostics"] = messages.iter().map(one).collect();
        }
        result
    }

    fn write_result(&self, result: &Value, exit_code: i32, stderr: &mut Sink<'_>) {
        if let Some(file) = self.files.html {
            self.session.write_file(file, html::page(result).as_bytes(), stderr);
        }
        if let Some(file) = self.files.json {
            self.session.write_file(file, format!("{result:#}\n").as_bytes(), stderr);
        }
        if let Some(file) = self.files.sarif {
            let folder = std::env::current_dir().unwrap_or_default();
            let log = sarif::log(&[Outcome::Result(result)], exit_code, &folder);
            self.session.write_file(file, format!("{log:#}\n").as_bytes(), stderr);
        }
    }
}
