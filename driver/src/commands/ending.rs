//! The end of commands with a verdict: work that breaks off gets a verdict too, the result goes into the requested
//! file, and the verdict line comes last.

use crate::html;
use crate::report::{self, Answer};
use crate::sarif::{self, Outcome};
use base::styles::WARNING;
use cli::process::{Sink, catching};
use cli::session::Message;
use cli::{Host, Session, Verdict};
use results::{Diagnostic, Figure, File, Severity, Tool};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
    /// The files with their texts.
    fn texts(&self, result: &results::Outcome, exit_code: i32) -> Vec<(PathBuf, Vec<u8>)> {
        let mut out = vec![];
        let mut add = |file: Option<&Path>, text: &dyn Fn() -> String| {
            out.extend(file.map(|file| (file.to_owned(), text().into_bytes())));
        };
        add(self.html, &|| html::page(result));
        add(self.json, &|| results::text(result));
        add(self.sarif, &|| {
            let folder = std::env::current_dir().unwrap_or_default();
            format!("{:#}\n", sarif::log(&[Outcome::Result(result)], exit_code, &folder))
        });
        out
    }

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

    /// Has the files of the result written also when the work, on these programs, does not come back.
    pub(crate) fn rescue(&self, programs: &[PathBuf]) {
        if self.files.is_empty() {
            return;
        }
        let programs = programs.to_vec();
        let own = |file: Option<&Path>| file.map(Path::to_owned);
        let (json, sarif, html) = (own(self.files.json), own(self.files.sarif), own(self.files.html));
        self.session.set_rescue(move |known| {
            let mut answer = Answer::refused(known.verdict.clone());
            answer.outcome.files = Some(files(&programs));
            answer.outcome.statistics = Some(statistics(known.stats));
            let to = Files { json: json.as_deref(), sarif: sarif.as_deref(), html: html.as_deref() };
            to.texts(&result(answer, known.messages), known.verdict.exit_code())
        });
    }

    /// Writes the answer and returns the exit code.
    pub(crate) fn write(&self, answer: Answer, stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
        let (body, verdict) = (answer.body.clone(), answer.verdict.clone());
        for warning in answer.outcome.warnings.iter().filter(|_| !self.quiet) {
            let _ = writeln!(stderr, "{WARNING} {warning}");
        }
        if !self.files.is_empty() {
            let result = result(answer, &self.session.messages());
            self.write_result(&result, verdict.exit_code(), stderr);
        }
        self.session.write_files(stderr);
        self.session.finish(stdout, if self.quiet { "" } else { &body }, &verdict)
    }

    fn write_result(&self, result: &results::Outcome, exit_code: i32, stderr: &mut Sink<'_>) {
        for (file, text) in self.files.texts(result, exit_code) {
            self.session.write_file(&file, &text, stderr);
        }
    }
}

/// The result of an answer, with what was said about the input.
fn result(Answer { verdict, mut outcome, .. }: Answer, messages: &[Message]) -> results::Outcome {
    outcome.schema = results::SCHEMA;
    outcome.tool = Tool { name: "slam".into(), version: env!("CARGO_PKG_VERSION").into() };
    outcome.verdict = report::verdict(&verdict);
    outcome.verdict_line = verdict.to_string();
    outcome.exit_code = verdict.exit_code();
    let one = |message: &Message| Diagnostic {
        severity: match message.severity {
            base::Severity::Error => Severity::Error,
            base::Severity::Warning => Severity::Warning,
            base::Severity::Note => Severity::Note,
        },
        text: message.text.clone(),
        location: message.place.as_ref().map(|(file, span)| report::location(file, *span)),
    };
    outcome.diagnostics = messages.iter().map(one).collect();
    let own: BTreeSet<&str> = outcome.files.iter().flatten().map(|file| file.name.as_str()).collect();
    // What a page shows besides the program itself: headers, as they are now.
    let others: BTreeSet<PathBuf> =
        html::mentioned(&outcome).filter(|name| !own.contains(*name)).map(PathBuf::from).collect();
    let others: Vec<PathBuf> = others.into_iter().filter(|file| file.is_file()).collect();
    if !own.is_empty() && !others.is_empty() {
        outcome.included = Some(files(&others));
    }
    outcome
}

/// What every result says of the programs' files.
pub(crate) fn files(names: &[PathBuf]) -> Vec<File> {
    crate::witness::hashes(names).into_iter().map(|(name, sha256)| File { name, sha256 }).collect()
}

/// Statistics for a result: numbers where they are some.
pub(crate) fn statistics(stats: &[(String, String)]) -> BTreeMap<String, Figure> {
    let figure = |text: &str| text.parse().map_or_else(|_| Figure::Text(text.into()), Figure::Number);
    stats.iter().map(|(name, text)| (name.clone(), figure(text))).collect()
}
