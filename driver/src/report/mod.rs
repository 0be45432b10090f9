//! The result on standard output: why a program is safe, how a check fails, or why there is no answer.

mod advice;
pub(crate) mod basis;
pub(crate) mod error;
mod explain;
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

pub(crate) use inputs::address;
pub(crate) use verdicts::{listed, location, not_checked, not_checked_json};

use crate::checks::Checks;
use crate::observers::record::count;
use crate::options::Check as Options;
use crate::prepare::Task;
use crate::single_execution::Only;
use base::Span;
use cegar::{Conclusion, Decision, Failure, Reason};
use cli::terminal::fitted;
use cli::{Session, StopReason, Verdict};
use executions::random::Undefined;
use explain::Explained;
use ir::{Check, CheckKind, PathStep};
use speech::Foreigner;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// The version of the form of results, `docs/result.schema.json`: it grows when a field changes its meaning or goes.
const SCHEMA: u32 = 1;

/// What is written in the end.
#[derive(Clone)]
pub(crate) struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The text before it.
    pub body: String,
    /// Particulars for `--json`.
    pub json: serde_json::Value,
    /// What the user should know besides, for standard error.
    pub warnings: Vec<String>,
}

/// Why no execution fails a check, and what was made of that.
pub(crate) struct Proved {
    /// Why.
    pub proof: cegar::Proof,
    /// The certificate as results have it.
    pub written: Option<serde_json::Value>,
    /// What its check found, if it was asked for: as text, and as results have it.
    pub certified: Option<(String, serde_json::Value)>,
}

impl Answer {
    /// The answer about input that was refused: nothing but the verdict.
    pub(crate) fn refused(verdict: Verdict) -> Answer {
        Answer { verdict, body: String::new(), json: serde_json::json!({}), warnings: vec![] }
    }

    /// The whole answer for `--json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let mut json = self.json.clone();
        if !json.is_object() {
            json = serde_json::json!({});
        }
        json["schema"] = SCHEMA.into();
        json["tool"] = serde_json::json!({ "name": "slam", "version": env!("CARGO_PKG_VERSION") });
        json["verdict"] = self.verdict.word().into();
        json["verdict_line"] = self.verdict.to_string().into();
        json["exit_code"] = self.verdict.exit_code().into();
        if !self.warnings.is_empty() {
            json["warnings"] = self.warnings.clone().into();
        }
        json
    }
}

/// The answer about a program that cannot be analysed soundly; `message` has the place.
pub(crate) fn not_modelled(reason: &str, message: &str) -> Answer {
    let body = format!("UNKNOWN: the program uses something that is not modelled.\n{message}");
    let verdict = Verdict::Unknown(reason.into());
    Answer { verdict, body, json: serde_json::json!({ "reason": reason }), warnings: vec![] }
}

/// The answer about a program of which an execution leaves its objects; [`others`] says the rest.
pub(crate) fn undefined(task: &Task, access: &Undefined, stop: &AtomicBool) -> Answer {
    let place = task.sources.short(access.place);
    let detail = undefined::detail(task, access, stop);
    let body = format!(
        "UNKNOWN: {place}: {detail}: a concrete execution does this, and what a program does from there on is not known{}.\n",
        undefined::advice(access)
    );
    let verdict = Verdict::Unknown("undefined behaviour".into());
    let json = serde_json::json!({ "reason": "undefined behaviour", "place": place, "detail": detail });
    Answer { verdict, body, json, warnings: vec![] }
}

/// The answer about a program in which every execution has undefined behaviour before it reaches a check, as one has
/// shown.
pub(crate) fn undefined_before(
    task: &Task,
    checks: &Checks,
    undefined: &Undefined,
    stop: &AtomicBool,
) -> Answer {
    let asked: Vec<&Check> = checks.list().map(|(c, _)| &task.program.checks[c]).collect();
    let asked = match asked.as_slice() {
        [one] => format!("the check at {} ({})", task.sources.short(one.span), one.message),
        many => format!("any of the {}", kinds(many.iter().copied())),
    };
    let place = task.sources.short(undefined.place);
    let detail = undefined::detail(task, undefined, stop);
    let body = format!(
        "UNKNOWN: no defined execution reaches {asked}, and nothing is proved.\n  {place}: {detail}: a concrete execution does this before{}\n",
        undefined::advice(undefined)
    );
    let verdict = Verdict::Unknown("undefined behaviour".into());
    let json = serde_json::json!({ "reason": "undefined behaviour", "place": place, "detail": detail });
    Answer { verdict, body, json, warnings: vec![] }
}

/// What is known of the executions that do not leave their objects, behind an answer about one that does.
pub(crate) fn others(hold: bool) -> &'static str {
    match hold {
        true => "  no execution up to such a place fails a check\n",
        false => "  whether an execution fails a check before it reaches such a place was not decided\n",
    }
}

/// The answer about a program whose only execution ends without failing a check.
pub(crate) fn only(task: &Task, checks: &Checks, only: Only) -> Answer {
    let asked: Vec<&Check> = checks.list().map(|(c, _)| &task.program.checks[c]).collect();
    let asked = match asked.as_slice() {
        [one] => format!("the check at {} ({})", task.sources.short(one.span), one.message),
        many => format!("any of the {}", kinds(many.iter().copied())),
    };
    let steps = crate::observers::record::count(only.steps as usize, "step");
    let mut listed = verdicts::json(task, checks, None, None);
    for check in listed.as_array_mut().into_iter().flatten() {
        check["verdict"] = Verdict::Safe.word().into();
    }
    let body = format!(
        "SAFE: no execution fails {asked}.\n  The program asks for no input, so that it has one execution, \
         which ends after {steps} and fails no check. There are no invariants.\n{}",
        externs(task)
    );
    let json = serde_json::json!({
        "proof": "only execution", "steps": only.steps, "invariants": [], "undefined_functions": externs_json(task),
        "checks": listed,
    });
    let answer = Answer { verdict: Verdict::Safe, body, json, warnings: vec![] };
    with_left_out(task, checks, answer)
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
    let verdict = answer.verdict.clone();
    answer.json["checks"] = verdicts::json(task, checks, check.map(|c| (c, &verdict)), run.1.reason());
    with_left_out(task, checks, answer)
}

/// The answer of a run that has decided all checks, as far as it could.
pub(crate) fn all(task: &Task, checks: &Checks, run: (&Options, &Session)) -> Answer {
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
        None if failures.is_none() => safe(task, checks),
        None => Answer::refused(Verdict::Safe),
    };
    if let Some(first) = &mut failures {
        first.body.push_str(&answer.body);
        answer = Answer { json: std::mem::take(&mut first.json), ..first.clone() };
    }
    answer.json["checks"] = verdicts::json(task, checks, None, run.1.reason());
    if checks.all() {
        answer.body.push_str(&fitted(&table::table(task, checks, run.1.reason())));
    }
    answer.warnings = verdicts::warnings(task, checks);
    with_left_out(task, checks, answer)
}

/// The answer, with what it is not about: checks that were not asked for, and assertions that are not checked.
fn with_left_out(task: &Task, checks: &Checks, mut answer: Answer) -> Answer {
    if !checks.left_out.is_empty() {
        answer.body.push_str(&fitted(&verdicts::assumed(checks)));
    }
    if !task.not_checked.is_empty() {
        answer.body.push_str(&fitted(&verdicts::not_checked(task)));
        answer.json["not_looked_at"] = verdicts::not_checked_json(task);
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

fn safe(task: &Task, checks: &Checks) -> Answer {
    let proved = checks.proof.as_ref().expect("nothing is safe without a proof");
    let proof = &proved.proof;
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
    for (place, text) in &invariants {
        let _ = writeln!(body, "  at the loop, {place}:   {text}");
    }
    let turns = proof.covered.as_ref().map(|covered| verdicts::loops(task, covered)).unwrap_or_default();
    if proof.covered.is_some() {
        body.push_str("  found by unrolling the program: every execution was followed to its end\n");
    }
    if let Some(inductive) = &proof.inductive {
        let over = match inductive.turns {
            1 => "each turn of a loop".to_owned(),
            turns => format!("{} of a loop", count(turns, "turn")),
        };
        let _ = writeln!(body, "  found by induction over {over}");
    }
    for (place, most) in &turns {
        let _ = writeln!(body, "  at the loop, {place}:   at most {}", count(*most, "turn"));
    }
    if !proof.complete {
        body.push_str("  (the run was stopped before the other invariants were computed)\n");
    }
    body.push_str(&externs(task));
    if let Some(undefined) = &checks.undefined {
        body.push_str(&undefined::remark(task, undefined));
    }
    let invariants: Vec<_> = invariants
        .iter()
        .map(|(place, text)| serde_json::json!({ "place": place, "invariant": text }))
        .collect();
    let mut json = serde_json::json!({
        "iterations": proof.iterations, "predicates": proof.predicates, "invariants": invariants,
        "undefined_functions": externs_json(task),
        "invariants-complete": proof.complete,
    });
    if proof.covered.is_some() {
        let turns = turns.iter().map(|(place, most)| serde_json::json!({ "place": place, "turns": most }));
        json["unrolled"] = turns.collect();
    }
    if let Some(certificate) = &proved.written {
        json["certificate"] = certificate.clone();
    }
    if let Some((text, found)) = &proved.certified {
        body.push_str(text);
        json["certified"] = found.clone();
    }
    Answer { verdict: Verdict::Safe, body: fitted(&body), json, warnings: vec![] }
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
    let json = serde_json::json!({
        "reason": word,
        "detail": detail,
        "place": at,
        "explanation": explained.json(),
        "iterations": failure.iterations,
        "predicates": failure.precision.len(),
        "undefined_functions": externs_json(task),
    });
    let verdict = match session.reason() {
        Some(_) if session.stopped() => session.stopped_verdict(),
        _ => Verdict::Unknown(word),
    };
    Answer { verdict, body, json, warnings: vec![] }
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

/// What was assumed of undefined functions.
pub(crate) fn externs(task: &Task) -> String {
    let mut out = String::new();
    if !task.externs.is_empty() {
        let names = task.externs.join(", ");
        out += &format!("  assumed of undefined functions: {}: {names}\n", task.assumption);
    }
    if !task.unknown_callees.is_empty() {
        out += &format!(
            "  assumed of pointers to unknown functions: they hold a function of their type whose address is taken, or an \
             undefined one: {}\n",
            task.unknown_callees.join(", ")
        );
    }
    out
}

/// The same for `--json`.
pub(crate) fn externs_json(task: &Task) -> serde_json::Value {
    let one = |name: &String| serde_json::json!({ "function": name, "assumption": task.assumption });
    task.externs.iter().chain(&task.unknown_callees).map(one).collect()
}
