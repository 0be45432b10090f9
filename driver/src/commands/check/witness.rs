//! Witnesses of `slam check`: written from its answer, or checked.

use crate::options::Check;
use crate::report::{self, Answer};
use crate::witness::candidates::{self, Added};
use crate::witness::{self, About, Content, Segment, Texts, follow, product, read};
use base::Id;
use base::styles::ERROR;
use cli::Verdict;
use cli::front::Request;
use ir::{CheckId, CheckKind};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use verify::Checks;
use verify::Decision;
use verify::Task;
use verify::cegar::{Conclusion, Proof};

/// A witness to be checked.
pub(super) struct Validation {
    content: Content,
    texts: Texts,
    /// The number of the program's own checks; those of the witness come behind them.
    own: usize,
    /// What of the witness cannot be checked.
    problems: Vec<String>,
    /// The checks that an invariant of the witness is defined where it is to hold, and what to say when one fails.
    defined: BTreeMap<CheckId, String>,
    /// The program is restricted to the executions that a witness of an error means.
    is_restricted: bool,
}

impl Validation {
    /// Reads a witness about a program, and adds what it claims to the program's checks.
    ///
    /// # Errors
    /// The message, and the verdict of a witness that cannot be used.
    pub(super) fn of(
        path: &Path,
        request: &Request,
        front: &mut cfront::Frontend,
    ) -> Result<Validation, (String, Verdict)> {
        let refused = |message: String| (message, Verdict::Error("witness".into()));
        let unsupported = |message: String| (message, Verdict::Unknown("witness not supported".into()));
        let entries = read::entries(path).map_err(|mistake| match mistake {
            read::Mistake::Malformed(message) => refused(message),
            read::Mistake::Unsupported(what) => unsupported(format!("{what}: not supported\n")),
        })?;
        let name = path.display().to_string();
        let name = base::shown(&name);
        let files = witness::hashes(&request.files);
        for entry in &entries {
            if !files.iter().all(|(_, hash)| entry.hashes.contains(hash)) {
                return Err(refused(format!("{name}:1:1: {ERROR} the witness is about other files\n")));
            }
            if entry.data_model != front.program.model.name() {
                let why = format!("the witness is about {}, see --data-model", entry.data_model);
                return Err(refused(format!("{name}:1:1: {ERROR} {why}\n")));
            }
            if !witness::is_about(&entry.specification, &request.options.checks) {
                let why = format!("it is about {}, which is not checked", entry.specification.trim());
                return Err(unsupported(format!("{name}: /metadata/task/specification: {why}\n")));
            }
        }
        let content = merged(entries)
            .ok_or_else(|| unsupported(format!("{name}: an error beside other entries: not supported\n")))?;
        let texts = Texts::read(&request.files);
        let own = front.program.checks.len();
        let (Added { problems, defined }, is_restricted) = match &content {
            Content::Correctness(invariants) => (candidates::add(front, &texts, invariants), false),
            Content::Violation(segments) => match product::restrict(front, &texts, segments) {
                Ok(()) => (Added::default(), true),
                Err(why) => (Added { problems: vec![why], ..Added::default() }, false),
            },
        };
        Ok(Validation { content, texts, own, problems, defined, is_restricted })
    }

    /// The waypoints of a witness of an error.
    fn waypoints(&self) -> Option<&[Segment]> {
        match &self.content {
            Content::Violation(waypoints) => Some(waypoints),
            Content::Correctness(_) => None,
        }
    }

    /// The answer by an execution along a witness of an error, if there is one; else what keeps executions from it.
    pub(super) fn followed(&self, task: &Task, stop: &AtomicBool) -> Result<Answer, Option<String>> {
        let Some(waypoints) = self.waypoints() else { return Err(None) };
        match follow::follow(task, &self.texts, waypoints, stop) {
            Ok(Some(witness)) => Ok(self.confirmed(report::error::answer(task, &witness))),
            Ok(None) => {
                Err(Some("no execution that was tried along the witness fails the check at its end".into()))
            }
            Err(why) => Err(Some(why)),
        }
    }

    /// The answer by an execution along a witness of an error.
    pub(super) fn confirmed(&self, mut answer: Answer) -> Answer {
        answer.body.push_str("this execution passes what the witness says, in order\n");
        Answer { verdict: Verdict::Confirmed, ..answer }
    }

    /// Whether an execution that fails a check is one along a witness of an error.
    pub(super) fn is_passed(&self, task: &Task, error: &executions::Witness, stop: &AtomicBool) -> bool {
        let is_own = task.whole.checks[error.check].kind != CheckKind::Unmodelled;
        if self.is_restricted && is_own {
            return true;
        }
        let passes = |waypoints| follow::passes(task, &self.texts, waypoints, error, stop);
        self.waypoints().is_some_and(passes)
    }

    /// What an answer about the program says about the witness; `failing` is the check that fails.
    pub(super) fn judged(&self, mut answer: Answer, failing: Option<CheckId>, why: Option<String>) -> Answer {
        let is_error = self.waypoints().is_some();
        let refuted =
            if self.is_restricted { "no execution follows it" } else { "no execution fails a check" };
        if self.is_restricted && matches!(answer.verdict, Verdict::Safe | Verdict::SafeAssuming(_)) {
            answer = without_proof(answer);
        }
        answer.verdict = match (answer.verdict, failing) {
            (Verdict::Safe | Verdict::SafeAssuming(_), _) if is_error => Verdict::Refuted(refuted.into()),
            (Verdict::Safe | Verdict::SafeAssuming(_), _) => match self.problems.is_empty() {
                true => Verdict::Confirmed,
                false => Verdict::Unknown("invariant not checked".into()),
            },
            (Verdict::Unsafe { .. }, _) if is_error => Verdict::Unknown("witness not followed".into()),
            (Verdict::Unsafe { .. }, Some(check)) if self.defined.contains_key(&check) => {
                Verdict::Unknown("invariant not checked".into())
            }
            (Verdict::Unsafe { place, .. }, Some(check)) if check.index() >= self.own => {
                Verdict::Refuted(format!("invariant at {place}"))
            }
            (Verdict::Unsafe { kind, place }, _) => Verdict::Refuted(format!("{kind} at {place}")),
            (other, _) => other,
        };
        answer.outcome.warnings.extend(self.problems.iter().cloned());
        answer.outcome.warnings.extend(failing.and_then(|check| self.defined.get(&check)).cloned());
        if !self.is_restricted {
            answer.outcome.warnings.extend(why.filter(|why| !self.problems.contains(why)));
        }
        if answer.verdict == Verdict::Confirmed {
            answer.body.push_str("the invariants of the witness were checked, and hold\n");
        }
        answer
    }
}

/// The answer that no execution follows a witness: its proof is about another program than the one of the source.
fn without_proof(mut answer: Answer) -> Answer {
    (answer.outcome.invariants, answer.outcome.certificate) = (None, None);
    answer.body =
        "no execution passes what the witness says, in order, and fails the check at its end\n".into();
    answer
}

/// Entries of one kind as one.
fn merged(entries: Vec<read::Entry>) -> Option<Content> {
    let mut contents = entries.into_iter().map(|entry| entry.content);
    let first = contents.next()?;
    contents.try_fold(first, |all, more| match (all, more) {
        (Content::Correctness(mut all), Content::Correctness(more)) => {
            all.extend(more);
            Some(Content::Correctness(all))
        }
        _ => None,
    })
}

/// The error that was found first.
pub(super) fn error<'a>(checks: &'a Checks, answer: &'a verify::Answer) -> Option<&'a executions::Witness> {
    match answer {
        verify::Answer::First(conclusion) if let Conclusion::Unsafe(witness) = &**conclusion => Some(witness),
        _ => checks.list().find_map(|(_, decision)| match decision {
            Some(Decision::Unsafe(witness)) => Some(&**witness),
            _ => None,
        }),
    }
}

/// Adds the witness of an answer to it, as a text for the file of `--write-witness`.
pub(super) fn written(
    (options, request): (&Check, &Request),
    task: &Task,
    (error, proof): (Option<&executions::Witness>, Option<&Proof>),
    answer: &mut Answer,
) {
    let texts = Texts::read(&request.files);
    let is_safe = matches!(answer.verdict, Verdict::Safe | Verdict::SafeAssuming(_));
    let (content, kind) = match Content::of(task, &texts, error, proof, is_safe) {
        Some(Ok(found)) => found,
        Some(Err(why)) => return answer.warn(format!("no witness is written: {why}")),
        None => return answer.warn("no witness is written: nothing is decided"),
    };
    if content.invariants() == Some(0) {
        let why = "the witness has no invariant: none was needed, or none can be written as C over variables in scope";
        answer.warn(why);
    }
    let property = options.front_end.property.as_ref().and_then(|file| cli::inputs::text(file).ok());
    let lines =
        |text: String| text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    let asked = &request.options;
    let specification =
        property.map_or_else(|| witness::specification(kind, &asked.checks, &asked.entry), lines);
    let about = About { files: &request.files, specification, data_model: task.whole.model.name() };
    match content.text(options.witness_format, &about, &texts) {
        Ok(text) => answer.outcome.witness = Some(text),
        Err(why) => answer.warn(format!("no witness is written: {why}")),
    }
}
