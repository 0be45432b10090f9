//! How commands with a verdict end: work that breaks off gets a verdict too, the result goes into the file that was
//! asked for, and the verdict line comes last.

use crate::report::Answer;
use cli::process::{Sink, catching};
use cli::{Host, Session, Verdict};
use std::path::Path;

/// Where the answer of a command goes.
pub(crate) struct Ending<'a> {
    /// What the command runs in.
    pub host: Host,
    /// Its limits and its statistics.
    pub session: &'a Session,
    /// The file of `--json`.
    pub json: Option<&'a Path>,
    /// `-q`: the verdict line alone.
    pub quiet: bool,
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
        if let Some(file) = self.json {
            let text = format!("{:#}\n", answer.to_json());
            self.session.write_file(file, text.as_bytes(), stderr);
        }
        self.session.write_files(stderr);
        self.session.finish(stdout, if self.quiet { "" } else { &answer.body }, &answer.verdict)
    }
}
