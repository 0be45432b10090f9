//! The result on standard output: why a program is safe, how a check fails, or why there is no answer.

mod advice;
pub(crate) mod basis;
pub(crate) mod error;
mod explain;
mod externs;
mod inputs;
mod invariants;
pub(crate) mod lines;
pub(crate) mod listing;
mod remark;
mod row;
mod rules;
pub(crate) mod speech;
mod stdin;
mod story;
mod table;
mod tidy;
mod turns;
mod undefined;
mod verdicts;

pub(crate) use externs::{externs, undefined_functions};
pub(crate) use inputs::address;
pub(crate) use verdicts::{listed, location, not_checked, unchecked};

use crate::observers::record::count;
use crate::options::Check as Options;
use base::Span;
use cli::terminal::fitted;
use cli::{Session, StopReason, Verdict};
use executions::random::Undefined;
use explain::Explained;
use ir::{Check, CheckKind, PathStep};
use results::Outcome;
use results::check;
use results::proof::{Certified, Invariant, Unrolled};
use speech::Foreigner;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use verify::Checks;
use verify::Decision;
use verify::Only;
use verify::Task;
use verify::cegar::{Conclusion, Evidence, Failure, Proof, Reason};
use verify::{Refusal, Refused};

/// What a command answers.
#[derive(Clone)]
pub(crate) struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The text before it.
    pub body: String,
    /// Everything else.
    pub outcome: Outcome,
}

/// A proof that was written down, and checked again where that was asked for.
#[derive(Default)]
pub(crate) struct Certificate {
    /// As results have it.
    pub written: Option<results::again::Certificate>,
    /// What its check found: as text, and as results have it.
    pub checked: Option<(String, Certified)>,
}

impl Certificate {
    /// Adds it to an answer.
    fn add_to(self, answer: &mut Answer) {
        answer.outcome.certificate = self.written;
        if let Some((text, found)) = self.checked {
            answer.body.push_str(&text);
            answer.outcome.certified = Some(found);
        }
    }
}

impl Answer {
    /// The answer about input that was refused: nothing but the verdict.
    pub(crate) fn refused(verdict: Verdict) -> Answer {
        Answer { verdict, body: String::new(), outcome: Outcome::default() }
    }

    /// The answer that nothing is decided, for this reason.
    fn unknown(reason: &str, body: String, outcome: Outcome) -> Answer {
        let outcome = Outcome { reason: Some(reason.into()), ..outcome };
        Answer { verdict: Verdict::Unknown(reason.into()), body, outcome }
    }

    /// Adds something that the user should know, for standard error.
    pub(crate) fn warn(&mut self, what: impl Into<String>) {
        self.outcome.warnings.push(what.into());
    }
}

/// The verdict as results have it.
pub(crate) fn verdict(of: &Verdict) -> check::Verdict {
    match of {
        Verdict::Safe | Verdict::SafeAssuming(_) | Verdict::Unreachable => check::Verdict::Safe,
        Verdict::Unsafe { .. } | Verdict::UnsafeAssuming { .. } | Verdict::Reachable(_) => {
            check::Verdict::Unsafe
        }
        Verdict::Confirmed => check::Verdict::Confirmed,
        Verdict::Refuted(_) => check::Verdict::Refuted,
        Verdict::Unknown(_) => check::Verdict::Unknown,
        Verdict::Error(_) | Verdict::Internal | Verdict::NotWritten => check::Verdict::Error,
    }
}

/// The answer about a program that cannot be analysed soundly; `message` has the place.
pub(crate) fn not_modelled(reason: &str, message: &str) -> Answer {
    let body = format!("UNKNOWN: the program uses something that is not modelled.\n{message}");
    Answer::unknown(reason, body, Outcome::default())
}

/// The answer about a program that was refused.
pub(crate) fn refused(refusal: &Refusal) -> Answer {
    let text = refusal.text();
    match refusal.why {
        Refused::Callee => not_modelled("function pointer", &text),
        Refused::NotModelled => not_modelled("not modelled", &text),
        Refused::Rule => Answer { body: text, ..Answer::refused(Verdict::Error("rule".into())) },
    }
}

/// The answer about a program of which an execution leaves its objects, where no check fails in the executions that do not
/// (`others`), or nobody knows.
pub(crate) fn undefined(task: &Task, access: &Undefined, others: bool, stop: &AtomicBool) -> Answer {
    let place = task.sources.short(access.place);
    let detail = undefined::detail(task, access, stop);
    let others = match others {
        true => "no execution up to such a place fails a check",
        false => "whether an execution fails a check before it reaches such a place was not decided",
    };
    let body = format!(
        "UNKNOWN: {place}: {detail}: a concrete execution does this, and what a program does from there on is not known{}.\n  {others}\n",
        undefined::advice(access)
    );
    at_undefined(place, detail, body)
}

fn at_undefined(place: String, detail: String, body: String) -> Answer {
    let outcome = Outcome { place: Some(Some(place)), detail: Some(detail), ..Outcome::default() };
    Answer::unknown("undefined behaviour", body, outcome)
}

/// The answer about a program in which every execution has undefined behaviour before it reaches a check, as one has
/// shown.
pub(crate) fn undefined_before(
    task: &Task,
    checks: &Checks,
    undefined: &Undefined,
    stop: &AtomicBool,
) -> Answer {
    let asked = asked(task, checks);
    let place = task.sources.short(undefined.place);
    let detail = undefined::detail(task, undefined, stop);
    let body = format!(
        "UNKNOWN: no defined execution reaches {asked}, and nothing is proved.\n  {place}: {detail}: a concrete execution does this before{}\n",
        undefined::advice(undefined)
    );
    at_undefined(place, detail, body)
}

/// The checks, as the object of a sentence.
fn asked(task: &Task, checks: &Checks) -> String {
    let asked: Vec<&Check> = checks.list().map(|(c, _)| &task.program.checks[c]).collect();
    match asked.as_slice() {
        [one] => format!("the check at {} ({})", task.sources.short(one.span), one.message),
        many => format!("any of the {}", kinds(many.iter().copied())),
    }
}

/// The answer about a program whose only execution ends without failing a check.
pub(crate) fn only(task: &Task, checks: &Checks, only: Only, certificate: Certificate) -> Answer {
    let asked = asked(task, checks);
    let steps = crate::observers::record::count(only.steps as usize, "step");
    let mut listed = verdicts::checks(task, checks, None, None);
    listed.iter_mut().for_each(|check| check.verdict = Some(check::Answer::Safe));
    let body = format!(
        "SAFE: no execution fails {asked}.\n  The program asks for no input, so that it has one execution, \
         which ends after {steps} and fails no check. There are no invariants.\n{}",
        externs(task)
    );
    let outcome = Outcome {
        proof: Some("only execution".into()),
        steps: Some(only.steps),
        invariants: Some(vec![]),
        undefined_functions: Some(undefined_functions(task)),
        checks: Some(listed),
        ..Outcome::default()
    };
    let mut answer = with_left_out(task, checks, Answer { verdict: Verdict::Safe, body, outcome });
    certificate.add_to(&mut answer);
    answer
}

/// The answer of a run that ends with the first answer.
pub(crate) fn answer(
    task: &Task,
    checks: &Checks,
    conclusion: &Conclusion,
    run: (&Options, &Session),
) -> Answer {
    let (mut answer, check) = match conclusion {
        Conclusion::Unsafe(witness) => (error::answer(task, witness), Some(witness.check)),
        Conclusion::Unknown(failure) | Conclusion::NoModel(failure) => {
            (unknown(task, failure, run), failure.check)
        }
        Conclusion::Safe(_)
        | Conclusion::SwitchToBits(_)
        | Conclusion::Holds(_)
        | Conclusion::Deferred(_) => {
            panic!("the caller goes on after what is no answer about the first check")
        }
    };
    if let (Some(first), Verdict::Unknown(_)) = (checks.schedule.undecided(), &answer.verdict) {
        // The run may have been stopped since then, while it looked for errors.
        answer.verdict = Verdict::Unknown(first.reason.word());
    }
    let only = check.and_then(|c| Some((c, verdicts::answer(&answer.verdict)?)));
    answer.outcome.checks = Some(verdicts::checks(task, checks, only, run.1.reason()));
    with_left_out(task, checks, answer)
}

/// The answer of a run that has decided all checks, as far as it could; with the proof, where no check fails.
pub(crate) fn all(
    task: &Task,
    checks: &Checks,
    proof: Option<(&Proof, Certificate)>,
    run: (&Options, &Session),
) -> Answer {
    let mut failures = failures(task, checks);
    let undecided: Vec<&Failure> = checks
        .list()
        .filter_map(|(_, d)| match d {
            Some(Decision::Unknown(failure)) => Some(&**failure),
            _ => None,
        })
        .collect();
    let mut answer = match undecided.first() {
        Some(first) => {
            let mut answer = unknown(task, first, run);
            for (i, other) in undecided.iter().enumerate().skip(1) {
                if undecided[..i].iter().all(|f| (f.place, &f.reason) != (other.place, &other.reason)) {
                    answer.body.push_str(&unknown(task, other, run).body);
                }
            }
            answer
        }
        None => proof.map_or_else(
            || Answer::refused(Verdict::Safe),
            |(proof, certificate)| safe(task, checks, proof, certificate),
        ),
    };
    if let Some(first) = &mut failures {
        first.body.push_str(&answer.body);
        answer = first.clone();
    }
    answer.outcome.checks = Some(verdicts::checks(task, checks, None, run.1.reason()));
    if checks.all() {
        answer.body.push_str(&fitted(&table::table(task, checks, run.1.reason())));
    }
    answer.outcome.warnings = verdicts::warnings(task, checks);
    with_left_out(task, checks, answer)
}

/// The answer, with what it is not about: checks that were not asked for, and assertions that are not checked.
fn with_left_out(task: &Task, checks: &Checks, mut answer: Answer) -> Answer {
    if !checks.left_out.is_empty() {
        answer.body.push_str(&fitted(&verdicts::assumed(checks)));
    }
    if !task.not_checked.is_empty() {
        answer.body.push_str(&fitted(&verdicts::not_checked(task)));
        answer.outcome.not_looked_at = Some(unchecked(task));
    }
    answer
}

/// The checks that fail, all of them reported; the verdict is about the first in the order of the source.
pub(crate) fn failures(task: &Task, checks: &Checks) -> Option<Answer> {
    let mut answers = checks.list().filter_map(|(_, d)| match d {
        Some(Decision::Unsafe(witness)) => Some(error::answer(task, witness)),
        _ => None,
    });
    let mut first = answers.next()?;
    first.body.push('\n');
    for answer in answers {
        first.body.push_str(&answer.body);
        first.body.push('\n');
    }
    Some(first)
}

/// How many checks there are; of which kinds, unless all are assertions and the like: `5 checks (2 null, 3 bounds)`.
pub(crate) fn kinds<'a>(checks: impl IntoIterator<Item = &'a Check>) -> String {
    let mut numbers: BTreeMap<CheckKind, usize> = BTreeMap::new();
    for check in checks {
        *numbers.entry(check.kind).or_default() += 1;
    }
    let all = count(numbers.values().sum(), "check");
    if numbers.keys().all(|k| matches!(k, CheckKind::Reach | CheckKind::Unmodelled)) {
        return all;
    }
    let each: Vec<String> = numbers.iter().map(|(k, n)| format!("{n} {}", k.name())).collect();
    format!("{all} ({})", each.join(", "))
}

fn safe(task: &Task, checks: &Checks, proof: &Proof, certificate: Certificate) -> Answer {
    let asked: Vec<&Check> = checks.list().map(|(c, _)| &task.program.checks[c]).collect();
    let nothing_met = checks.list().all(|(_, d)| matches!(d, Some(Decision::Unreachable(_))));
    let place = |check: &Check| format!("{} ({})", task.sources.short(check.span), check.message);
    let mut body = match asked.as_slice() {
        _ if asked.iter().all(|c| c.kind == CheckKind::Rule) && !task.rules.is_empty() => {
            rules::kept(task, &asked)
        }
        [] if !task.program.turns.is_empty() => {
            "SAFE: the threads fail no check, whosever turn it is.\n".to_owned()
        }
        [] => "SAFE: no check can be reached from the entry.\n".to_owned(),
        [one] if nothing_met => format!("SAFE, but no execution reaches the check at {}.\n", place(one)),
        [one] => format!("SAFE: no execution fails the check at {}.\n", place(one)),
        many if nothing_met => {
            format!("SAFE, but no execution reaches any of the {}.\n", kinds(many.iter().copied()))
        }
        many => format!("SAFE: no execution fails any of the {}.\n", kinds(many.iter().copied())),
    };
    if !checks.all() {
        body.push_str(&verdicts::unreachable(task, checks));
    }
    let invariants = invariants::sayable(task, &proof.invariants);
    for Invariant { place, invariant } in &invariants {
        let _ = writeln!(body, "  at the loop, {place}:   {invariant}");
    }
    let mut unrolled = None;
    match &proof.evidence {
        Evidence::Abstraction(_) => {}
        Evidence::Unrolled(covered) => {
            body.push_str("  found by unrolling the program: every execution was followed to its end\n");
            unrolled = Some(verdicts::loops(task, covered));
        }
        Evidence::Inductive(inductive) => {
            let over = match inductive.turns {
                1 => "each turn of a loop".to_owned(),
                turns => format!("{} of a loop", count(turns, "turn")),
            };
            let _ = writeln!(body, "  found by induction over {over}");
        }
    }
    for Unrolled { place, turns } in unrolled.iter().flatten() {
        let _ = writeln!(body, "  at the loop, {place}:   at most {}", count(*turns, "turn"));
    }
    if !proof.complete {
        body.push_str("  (the run was stopped before the other invariants were computed)\n");
    }
    body.push_str(&externs(task));
    if let Some(undefined) = &checks.undefined {
        body.push_str(&undefined::remark(task, undefined));
    }
    let outcome = Outcome {
        iterations: Some(proof.iterations),
        predicates: Some(proof.predicates),
        invariants: Some(invariants),
        undefined_functions: Some(undefined_functions(task)),
        invariants_complete: Some(proof.complete),
        unrolled,
        ..Outcome::default()
    };
    let mut answer = Answer { verdict: Verdict::Safe, body, outcome };
    certificate.add_to(&mut answer);
    answer.body = fitted(&answer.body);
    answer
}

fn unknown(task: &Task, failure: &Failure, (options, session): (&Options, &Session)) -> Answer {
    let at = failure.place.map(|s| task.sources.short(met(task, failure, s)));
    let place = at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
    let explained = Explained::new(task, (options, session), failure);
    let (word, detail) = reason(failure, session.reason());
    let mut body = format!("UNKNOWN: {place}{detail}.\n");
    body.push_str(&explained.brief());
    if options.explain_unknown {
        body.push_str(&explained.full());
    }
    body.push_str(&externs(task));
    let body = fitted(&body);
    let outcome = Outcome {
        reason: Some(word.clone()),
        detail: Some(detail),
        place: Some(at),
        explanation: Some(explained.explanation()),
        iterations: Some(failure.iterations),
        predicates: Some(failure.precision.len()),
        undefined_functions: Some(undefined_functions(task)),
        ..Outcome::default()
    };
    let verdict = match session.reason() {
        Some(_) if session.stopped() => session.stopped_verdict(),
        _ => Verdict::Unknown(word),
    };
    Answer { verdict, body, outcome }
}

/// Where the program meets what stands at a place: a check of a model at the call on the last path, or at the first.
fn met(task: &Task, failure: &Failure, place: Span) -> Span {
    let Some(check) = failure.check.map(|c| &task.program.checks[c]).filter(|c| c.span == place) else {
        return place;
    };
    let Some(foreign) = Foreigner::new(task).of(check.proc) else { return place };
    let calls = foreign.calls();
    let (path, _) = failure.history.path().unzip();
    let on_path = path.into_iter().flat_map(|path| path.steps.iter().rev()).find_map(|step| match *step {
        PathStep::Enter(p, e, _) => Some(task.program.procs[p].edges[e].span).filter(|at| calls.contains(at)),
        _ => None,
    });
    on_path.or(calls.first().copied()).unwrap_or(place)
}

/// The reason, as the verdict line has it and as a sentence.
fn reason(failure: &Failure, stop: Option<StopReason>) -> (String, String) {
    match failure.reason {
        Reason::Stopped => {
            let word = stop.map_or("interrupted", StopReason::word);
            (word.to_owned(), format!("stopped ({word}) in iteration {}", failure.iterations))
        }
        ref reason => (reason.word(), reason.detail()),
    }
}
