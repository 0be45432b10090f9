//! `slam check`: reads the program, tries a few concrete executions, runs the loop, writes the result.

mod certificate;
mod invariants;
mod selection;
mod variant;
mod witness;

use super::ending::{self, Ending, Files};
use crate::commands::Console;
use crate::earlier::recorded::Recorded;
use crate::facts::given::Text;
use crate::observers::log::Log;
use crate::observers::progress::{Progress, limit};
use crate::options::Check;
use crate::report::Answer;
use base::styles::ERROR;
use cli::front::{self, Request};
use cli::process::Sink;
use cli::{Session, Usage, Verdict, outputs};
use results::Outcome;
use smt::Interrupt;
use std::path::{Path, PathBuf};
use variant::Work;
use verify::variants;
use witness::Validation;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Check) -> Result<i32, Usage> {
    let pool = cli::pool(options.limits.threads).map_err(Usage::mistake)?;
    let interrupt = Interrupt::new();
    let progress = Progress::new(host, options.output.quiet, limit(options.limits.time_limit));
    let line = progress.clone();
    // The verdict of a run that is stopped has its line for itself.
    let eraser = Box::new(move || line.end());
    let session =
        Session::start(host, &options.limits, options.output.stats, vec![interrupt.stopper(), eraser]);
    if options.validate_witness.is_some() {
        session.ask_something_else();
    }
    let request = match front::request(&options.files, &options.front_end) {
        Ok(request) => request,
        Err(refused) => {
            let verdict = refused.tell(stderr)?;
            return Ok(session.finish(stdout, "", &verdict));
        }
    };
    if let Some(message) = unusable_outputs(options, &request)? {
        let _ = stderr.write_all(message.as_bytes());
        return Ok(session.finish(stdout, "", &Verdict::NotWritten));
    }
    let line = progress.clone();
    session.watch(move |what| line.tell(what));
    let files = Files {
        json: options.json.as_deref(),
        sarif: options.sarif.as_deref(),
        html: options.html.as_deref(),
    };
    let ending = Ending { host, session: &session, files, quiet: options.output.quiet };
    ending.rescue(&request.files);
    let answer = ending.answer(stderr, |stderr| {
        let command =
            Command { options, session: &session, interrupt: &interrupt, pool: &pool, progress: &progress };
        let mut request = request;
        let mut answer = command.answer(&mut request, stderr);
        in_the_end(&request, &mut answer);
        answer.outcome.files = Some(ending::files(&request.files));
        answer.outcome.statistics = Some(ending::statistics(&session.stats()));
        answer
    });
    progress.end();
    Ok(ending.write(answer, stdout, stderr))
}

/// The words for each of several rules that a command line asks for; nothing where there are not several.
///
/// # Errors
/// A folder of rules that cannot be read.
pub(crate) fn rule_words(options: &Check) -> Result<Option<Vec<String>>, Usage> {
    let front = &options.front_end;
    let mut words = front.rules.clone();
    words.extend(cli::front::rules::files(&front.rule_folders)?);
    Ok((words.len() > 1).then_some(words))
}

/// The text of a file that an option names; nothing where it names none.
fn text_of(path: Option<&Path>, what: &str, stderr: &mut Sink<'_>) -> Result<String, Verdict> {
    let Some(path) = path else { return Ok(String::new()) };
    cli::inputs::text(path).map_err(|e| {
        let _ = writeln!(stderr, "{ERROR} cannot read {}: {e}", path.display());
        Verdict::Error(what.into())
    })
}

/// What keeps the outputs from being written.
///
/// # Errors
/// A usage error when one of them is an input.
fn unusable_outputs(options: &Check, request: &Request) -> Result<Option<String>, Usage> {
    let outputs = [
        ("--json", options.json.as_deref()),
        ("--html", options.html.as_deref()),
        ("--sarif", options.sarif.as_deref()),
        ("--write-witness", options.write_witness.as_deref()),
        ("--harness", options.harness.as_deref()),
        ("--dump-predicates", options.dump_predicates.as_deref()),
        ("--dump-invariants", options.dump_invariants.as_deref()),
    ];
    let inputs = options
        .files
        .iter()
        .chain(&request.files)
        .chain(&options.refinement.predicates)
        .chain(&options.refinement.invariants)
        .chain(&options.validate_witness);
    let cache = ("--query-cache", options.refinement.query_cache.as_deref());
    let all: Vec<_> = outputs.into_iter().chain([cache, ("--save", options.save.as_deref())]).collect();
    let of_witness = options.write_witness.is_some() || options.validate_witness.is_some();
    if of_witness && request.files.iter().any(|file| file.as_os_str() == "-") {
        return Err(Usage::mistake("a witness is about files with names, not about standard input"));
    }
    outputs::refuse(&all, inputs.map(PathBuf::as_path).chain(options.front_end.inputs()))?;
    Ok(outputs::unwritable(&outputs))
}

/// What the property and the task definition make of the answer.
fn in_the_end(request: &Request, answer: &mut Answer) {
    if request.only_tracked && matches!(&answer.verdict, Verdict::Unsafe { kind, .. } if kind == "leak") {
        answer.body.push_str(
            "memory that is not freed may still be pointed to at the end, which valid-memtrack allows: not decided\n",
        );
        answer.verdict = Verdict::Unknown("memory not freed".into());
    }
    let Some(expected) = request.expected else { return };
    let holds = match answer.verdict {
        Verdict::Safe => Some(true),
        Verdict::Unsafe { .. } => Some(false),
        _ => None,
    };
    let agrees = match holds {
        Some(holds) if holds == expected => "as found",
        Some(_) => "NOT AS FOUND",
        None => "not decided",
    };
    answer.body.push_str(&format!("expected by the task: {expected} ({agrees})\n"));
    answer.outcome.expected_verdict = Some(expected);
}

/// One run of the command.
struct Command<'a> {
    options: &'a Check,
    session: &'a Session,
    interrupt: &'a Interrupt,
    pool: &'a rayon::ThreadPool,
    progress: &'a Progress,
}

/// What is asked of the program.
#[derive(Clone, Copy)]
struct Asked<'a> {
    request: &'a Request,
    /// The witness to be checked.
    validation: Option<&'a Validation>,
    /// The file of `--invariants`.
    given: Option<&'a Text<'a>>,
}

impl Command<'_> {
    fn answer(&self, request: &mut Request, stderr: &mut Sink<'_>) -> Answer {
        self.work(request, stderr).unwrap_or_else(Answer::refused)
    }

    fn work(&self, request: &mut Request, stderr: &mut Sink<'_>) -> Result<Answer, Verdict> {
        self.session.doing("the front end");
        let mut loaded = front::load_request(request, self.session, stderr)?;
        let predicates = self.predicates_text(stderr)?;
        let invariants = self.invariants_text(stderr)?;
        let mut recorded = Recorded::new(self.options, request, &predicates);
        if let Some(text) = self.given(&invariants).filter(Text::is_about_source) {
            // They are about the source: what they name is followed, though no check may depend on it.
            recorded.predicates.push_str(&text.named());
            recorded.preparation.no_slice = true;
        }
        let validation = match &self.options.validate_witness {
            None => None,
            Some(path) => {
                let read = Validation::of(path, request, &mut loaded);
                Some(read.map_err(|(message, verdict)| {
                    let _ = stderr.write_all(message.as_bytes());
                    verdict
                })?)
            }
        };
        let given = self.given(&invariants);
        let asked = Asked { request, validation: validation.as_ref(), given: given.as_ref() };
        let is_plain = validation.is_none() && given.is_none() && !recorded.front.any_threads;
        let more_threads = loaded.more_threads && is_plain;
        let mut work = Work { command: self, front: Some(loaded), recorded, more_threads, asked, stderr };
        let methods = self.options.refinement.methods();
        let mut answer = variants::answer(&mut work, &methods).expect("the program is a variant of itself");
        let is_error = matches!(answer.verdict, Verdict::Unsafe { .. });
        if self.options.harness.is_some() && is_error && answer.outcome.harness.is_none() {
            answer.warn(
                "no harness is written: a compiled program does not know of rules, and cannot show the error",
            );
        }
        let Outcome { harness, witness, .. } = &answer.outcome;
        for (text, file) in [(harness, &self.options.harness), (witness, &self.options.write_witness)] {
            if let (Some(text), Some(file)) = (text, file) {
                self.session.write_file(file, text.as_bytes(), stderr);
            }
        }
        Ok(answer)
    }

    /// The text of the file of `--predicates`; read once, as it may be a pipe.
    fn predicates_text(&self, stderr: &mut Sink<'_>) -> Result<String, Verdict> {
        text_of(self.options.refinement.predicates.as_deref(), "predicates", stderr)
    }

    /// The log.
    fn log<'s>(&'s self, stderr: &'s mut Sink<'s>) -> Log<'s> {
        Log::new(self.options.output.verbose, self.progress, stderr)
    }

    /// The answers of earlier runs, with `--query-cache`.
    fn cache(&self, log: &mut Log<'_>) -> Result<c2bp::Cache, Verdict> {
        let Some(path) = &self.options.refinement.query_cache else { return Ok(c2bp::Cache::new()) };
        let (cache, remark) = c2bp::Cache::open(path).map_err(|why| {
            log.error(&why);
            Verdict::Error("query cache".into())
        })?;
        remark.iter().for_each(|remark| log.warning(remark));
        Ok(cache)
    }
}
