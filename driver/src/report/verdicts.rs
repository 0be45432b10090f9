//! The checks one by one: their verdicts for `--json`, and why some are never reached.

use crate::observers::record::count;
use crate::report::listing::shortened;
use crate::report::speech::Foreigner;
use base::Span;
use bmc::Covered;
use cli::{StopReason, Verdict};
use ir::{Check, CheckId, EdgeId, EdgeKind, Expr, LocId, Op, Origin, ProcId};
use results::check::{self, Location, Unchecked};
use results::proof::Unrolled;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use verify::Checks;
use verify::Decision;
use verify::Task;
use verify::cegar::Unreached;

/// Checks that are named in one line at most.
const NAMED: usize = 6;

/// Longest source text in a sentence.
const QUOTED: usize = 48;

pub(super) fn decided(decision: &Decision) -> check::Answer {
    match decision {
        Decision::Safe => check::Answer::Safe,
        Decision::Unreachable(_) => check::Answer::Unreachable,
        Decision::Unsafe(_) => check::Answer::Unsafe,
        Decision::Unknown(_) => check::Answer::Unknown,
    }
}

/// What the verdict of a run says of the check that it is about; nothing where it is not about one.
pub(super) fn answer(verdict: &Verdict) -> Option<check::Answer> {
    match super::verdict(verdict) {
        check::Verdict::Safe => Some(check::Answer::Safe),
        check::Verdict::Unsafe => Some(check::Answer::Unsafe),
        check::Verdict::Unknown => Some(check::Answer::Unknown),
        _ => None,
    }
}

/// The first of the texts, and how many more there are.
pub(crate) fn listed(texts: &[String], between: &str) -> String {
    let mut shown: Vec<String> = texts.iter().take(NAMED).cloned().collect();
    if texts.len() > NAMED {
        shown.push(format!("{} more", texts.len() - NAMED));
    }
    shown.join(between)
}

/// What keeps executions off, in words.
pub(super) fn barrier(task: &Task, why: Unreached) -> String {
    let at = |p: ProcId, e: EdgeId| {
        if let Some(foreign) = Foreigner::new(task).of(p) {
            return format!("a condition in {}", foreign.name());
        }
        let span = task.program.procs[p].edges[e].span;
        let text = task.sources.snippet(span).filter(|t| !t.is_empty());
        let text = text.unwrap_or_else(|| ir::print::edge(&task.program, p, e));
        format!("`{}` at {}", shortened(&text, QUOTED), task.sources.short(span))
    };
    match why {
        Unreached::NoWay => "no way leads there".to_owned(),
        Unreached::NeverCalled(p) => format!("{} is never called", task.program.procs[p].name),
        // A check that was decided before is an assumption for those behind it.
        Unreached::Assumption(p, e) if !matches!(task.program.procs[p].edges[e].op, Op::Check(..)) => {
            format!("nothing gets past {}", at(p, e))
        }
        Unreached::Call(p, e) => format!("{} never comes back", at(p, e)),
        Unreached::Branch(p, e) => {
            let taken = matches!(task.program.procs[p].edges[e].kind, EdgeKind::Branch { taken: true });
            format!("{} is never {taken}", at(p, e))
        }
        Unreached::Assumption(p, e) | Unreached::Check(p, e) | Unreached::Other(p, e) => {
            format!("every execution ends at {}", at(p, e))
        }
    }
}

/// The checks that are never reached, in one line; nothing when there are none.
pub(super) fn unreachable(task: &Task, checks: &Checks) -> String {
    let mut by_reason: BTreeMap<Unreached, Vec<CheckId>> = BTreeMap::new();
    for (check, decision) in checks.list() {
        if let Some(Decision::Unreachable(why)) = decision {
            by_reason.entry(*why).or_default().push(check);
        }
    }
    let mut out = String::new();
    let foreigner = Foreigner::new(task);
    for (why, behind) in by_reason {
        let places = foreigner.places(&behind);
        let what = if behind.len() == 1 { "the check" } else { "the checks" };
        let _ = writeln!(
            out,
            "  never reached, and so not proved: {what} at {} ({})",
            listed(&places, ", "),
            barrier(task, why)
        );
    }
    out
}

/// Whether the answer may be about nothing: no check is reached, or an assumption cuts checks off.
pub(super) fn warnings(task: &Task, checks: &Checks) -> Vec<String> {
    let mut behind: BTreeMap<Unreached, usize> = BTreeMap::new();
    let (mut reached, mut reasons) = (false, BTreeSet::new());
    for (_, decision) in checks.list() {
        match decision {
            Some(Decision::Unreachable(why)) => {
                reasons.insert(*why);
                if is_assumption(task, *why) {
                    *behind.entry(*why).or_default() += 1;
                }
            }
            _ => reached = true,
        }
    }
    if !reached && !reasons.is_empty() {
        let reasons: Vec<String> = reasons.into_iter().map(|why| barrier(task, why)).collect();
        return vec![format!("no execution reaches any check: {}", listed(&reasons, ", "))];
    }
    let one = |(why, n): (Unreached, usize)| {
        let what = count(n, "check");
        format!(
            "{}: {what} behind it {} never reached",
            barrier(task, why),
            if n == 1 { "is" } else { "are" }
        )
    };
    behind.into_iter().map(one).collect()
}

/// Whether it is an assumption of the program that cuts off what stands behind it: an end of the program is none.
fn is_assumption(task: &Task, why: Unreached) -> bool {
    match why {
        Unreached::Assumption(p, e) => match &task.program.procs[p].edges[e].op {
            Op::Assume(c) => *c != Expr::int(0),
            _ => false,
        },
        Unreached::Call(p, e) => {
            let Op::Call { callee: ir::Callee::Direct(q), .. } = task.program.procs[p].edges[e].op else {
                return false;
            };
            task.program.procs[q].name.contains("assume")
        }
        _ => false,
    }
}

/// That checks which were not asked for are assumed to hold.
pub(super) fn assumed(checks: &Checks) -> String {
    match checks.left_out.len() {
        1 => "not asked for, and assumed to hold: 1 other check\n".to_owned(),
        n => format!("not asked for, and assumed to hold: {n} other checks\n"),
    }
}

/// That the program's own assertions are not checked.
pub(crate) fn not_checked(task: &Task) -> String {
    let mut places: Vec<String> = task.not_checked.iter().map(|c| task.sources.short(c.span)).collect();
    let all = count(places.len(), "assertion");
    places.dedup();
    format!("not decided, since reach was not asked for: {all} ({})\n", listed(&places, ", "))
}

/// The same as results have it, all of them.
pub(crate) fn unchecked(task: &Task) -> Vec<Unchecked> {
    let one = |check: &Check| Unchecked {
        place: task.sources.short(check.span),
        line: check.span.start.line,
        column: check.span.start.col,
        kind: check.kind.name().into(),
        message: check.message.to_string(),
    };
    task.not_checked.iter().map(one).collect()
}

/// The checks as results have them; `only` is what a run has found that ended with the first answer.
pub(super) fn checks(
    task: &Task,
    checks: &Checks,
    only: Option<(CheckId, check::Answer)>,
    stop: Option<StopReason>,
) -> Vec<check::Check> {
    let given = checks.given(task);
    let foreigner = Foreigner::new(task);
    let at = |span: Span| location(&task.sources.file(span.file).name, span);
    let one = |(c, decision): (CheckId, Option<&Decision>)| {
        let check = &task.program.checks[c];
        let calls = foreigner.of(check.proc).map(|foreign| foreign.calls());
        let mut out = check::Check {
            place: task.sources.short(check.span),
            at: at(check.span),
            function: task.program.procs[check.proc].name.clone(),
            kind: check.kind.name().into(),
            message: check.message.to_string(),
            condition: condition(task, c),
            verdict: decision.map(decided).or(only.filter(|(o, _)| *o == c).map(|(_, answer)| answer)),
            rule: check.rule.as_ref().map(ToString::to_string),
            called_at: calls.as_ref().map(|calls| calls.iter().map(|at| task.sources.short(*at)).collect()),
            calls: calls.map(|calls| calls.into_iter().map(at).collect()),
            ..check::Check::default()
        };
        match decision {
            Some(Decision::Unreachable(why)) => out.unreachable = Some(barrier(task, *why)),
            Some(Decision::Unknown(failure)) => {
                let (word, detail) = super::reason(failure, stop);
                (out.reason, out.detail) = (Some(word), Some(detail));
            }
            Some(Decision::Unsafe(witness)) => {
                let error = super::error::answer(task, witness).outcome;
                (out.inputs, out.steps) = (error.inputs, error.steps);
                (out.location, out.trace) = (error.location, error.trace);
            }
            Some(Decision::Safe) | None => {}
        }
        if let Some(given) = given.get(&c)
            && matches!(decision, Some(Decision::Safe | Decision::Unreachable(_)))
        {
            out.if_these_hold = Some(foreigner.places(given));
        }
        out
    };
    checks.list().map(one).collect()
}

/// A range of a file, as results have it.
pub(crate) fn location(file: &str, span: Span) -> Location {
    let (line, column) = (span.start.line, span.start.col);
    Location { file: file.into(), line, column, end_line: span.end.line, end_column: span.end.col }
}

/// What the check asks for, as C; nothing for an error that is called.
fn condition(task: &Task, check: CheckId) -> Option<String> {
    let proc = &task.program.procs[task.program.checks[check].proc];
    proc.edges.iter().find_map(|edge| match &edge.op {
        Op::Check(c, e) if *c == check && *e != Expr::int(0) => Some(ir::print::expr(&task.program, e)),
        _ => None,
    })
}

/// The most turns of the program's own loops, in the order of the source, by their places.
pub(super) fn loops(task: &Task, covered: &Covered) -> Vec<Unrolled> {
    let program = &task.program;
    let own = |(p, head): &(ProcId, LocId)| {
        program.procs[*p].origin == Origin::Program && program.procs[*p].locations[*head].loop_head
    };
    let mut all: Vec<_> = covered.turns.iter().filter(|(at, _)| own(at)).collect();
    all.sort_by_key(|((p, head), _)| program.procs[*p].locations[*head].span);
    let line = |(&(p, head), most): (&(ProcId, LocId), &usize)| {
        let place = task.sources.short(program.procs[p].locations[head].span);
        Unrolled { place, turns: *most }
    };
    all.into_iter().map(line).collect()
}
