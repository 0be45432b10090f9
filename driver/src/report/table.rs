//! The table of `--keep-going`: a row for each check of the program, and one for each call with preconditions of the
//! model of a library function.

use crate::observers::record::count;
use crate::report::listing::shortened;
use crate::report::speech::Foreigner;
use crate::report::verdicts::{barrier, decided, listed};
use base::Span;
use base::styles::{self, Style, styled};
use cli::StopReason;
use ir::{Check, CheckId};
use results::check::Answer;
use std::collections::BTreeMap;
use std::fmt::Write;
use verify::Checks;
use verify::Decision;
use verify::Task;

/// Longest text of a check.
const WIDTH: usize = 44;

/// A row, and by what the rows are ordered.
struct Row {
    at: Span,
    place: String,
    kind: String,
    what: String,
    verdict: String,
    style: Style,
    remark: String,
}

/// What the checks of a model that share a row agree in.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shared {
    at: Span,
    function: String,
    kind: String,
    verdict: String,
    style: Style,
    remark: String,
    further: Vec<String>,
}

/// The conditions under which verdicts hold, numbered as they come.
#[derive(Default)]
struct Conditions(Vec<Vec<String>>);

impl Conditions {
    /// The number of a list of places, from 1.
    fn number(&mut self, places: Vec<String>) -> usize {
        let known = self.0.iter().position(|p| *p == places);
        known.unwrap_or_else(|| {
            self.0.push(places);
            self.0.len() - 1
        }) + 1
    }
}

/// The table of all checks that are asked for, in the order of the source.
pub(super) fn table(task: &Task, checks: &Checks, stop: Option<StopReason>) -> String {
    if checks.list().next().is_none() {
        return "no checks: no execution can fail one of the kinds that were asked for\n".to_owned();
    }
    let given = checks.given(task);
    let foreigner = Foreigner::new(task);
    let mut conditions = Conditions::default();
    let (mut rows, mut in_models) = (vec![], BTreeMap::<Shared, Vec<CheckId>>::new());
    for (c, decision) in checks.list() {
        let check = &task.program.checks[c];
        let decision = decision.expect("every check has a decision in the end");
        let style = style(decision);
        let mut verdict = verdict(decision, stop);
        let proved = matches!(decision, Decision::Safe | Decision::Unreachable(_));
        if let Some(given) = given.get(&c).filter(|_| proved) {
            let _ = write!(verdict, " [{}]", conditions.number(foreigner.places(given)));
        }
        let remark = match decision {
            Decision::Unreachable(why) => barrier(task, *why),
            _ => String::new(),
        };
        let kind = check.title();
        match foreigner.of(check.proc) {
            None => {
                let what = shortened(subject(check), WIDTH);
                rows.push(Row {
                    at: check.span,
                    place: task.sources.short(check.span),
                    kind,
                    what,
                    verdict,
                    style,
                    remark,
                });
            }
            Some(foreign) => {
                let mut places = foreign.calls().into_iter();
                let at = match decision {
                    Decision::Unsafe(witness) => {
                        super::error::inside_model(&task.whole, witness).map(|(at, _)| at)
                    }
                    _ => None,
                };
                let at = at.or_else(|| places.next()).unwrap_or(check.span);
                let further = places.filter(|p| *p != at).map(|p| task.sources.short(p)).collect();
                let shared = Shared { at, function: foreign.name(), kind, verdict, style, remark, further };
                in_models.entry(shared).or_default().push(c);
            }
        }
    }
    for (shared, together) in in_models {
        let what = match together.as_slice() {
            [one] => shortened(subject(&task.program.checks[*one]), WIDTH),
            many => count(many.len(), "check"),
        };
        let mut remarks = vec![];
        if !shared.further.is_empty() {
            remarks.push(format!("also for {}", listed(&shared.further, ", ")));
        }
        remarks.extend((!shared.remark.is_empty()).then_some(shared.remark));
        rows.push(Row {
            at: shared.at,
            place: task.sources.short(shared.at),
            kind: shared.kind.clone(),
            what: format!("{}: {what}", shared.function),
            verdict: shared.verdict,
            style: shared.style,
            remark: remarks.join("; "),
        });
    }
    rows.sort_by_key(|row| row.at);
    let rows = merged(rows);
    let mut out = format!("{}:\n", tally(checks));
    layout(&rows, &mut out);
    if !conditions.0.is_empty() {
        out.push_str("An execution ends at the first check that fails:\n");
    } else if checks.list().any(|(_, d)| matches!(d, Some(Decision::Unsafe(_) | Decision::Unknown(_)))) {
        out.push_str(
            "Each verdict is about that check failing first: an execution ends at the first that fails.\n",
        );
    }
    for (n, places) in (1..).zip(&conditions.0) {
        let _ =
            writeln!(out, "  [{n}] of executions that pass what is not decided at {}", listed(places, ", "));
    }
    out
}

/// Rows that say the same of parts of one line are one.
fn merged(rows: Vec<Row>) -> Vec<Row> {
    let same = |a: &Row, b: &Row| {
        (&a.place, &a.kind, &a.what, &a.verdict, &a.remark)
            == (&b.place, &b.kind, &b.what, &b.verdict, &b.remark)
    };
    let mut out: Vec<(Row, usize)> = vec![];
    for row in rows {
        match out.iter_mut().find(|(known, _)| same(known, &row)) {
            Some((_, number)) => *number += 1,
            None => out.push((row, 1)),
        }
    }
    let counted = |(row, number): (Row, usize)| match number {
        1 => row,
        _ => Row { what: format!("{} ({})", row.what, count(number, "check")), ..row },
    };
    out.into_iter().map(counted).collect()
}

fn layout(rows: &[Row], out: &mut String) {
    let width = |text: &dyn Fn(&Row) -> &str| rows.iter().map(|r| text(r).chars().count()).max().unwrap_or(0);
    let place = width(&|r| &r.place);
    let kind = width(&|r| &r.kind);
    let what = width(&|r| &r.what);
    let verdict = width(&|r| &r.verdict);
    for row in rows {
        let gap = verdict - row.verdict.chars().count();
        let line = format!(
            "  {:<place$}  {:<kind$}  {:<what$}  {}{:gap$}  {}",
            row.place,
            row.kind,
            row.what,
            styled(row.style, &row.verdict),
            "",
            row.remark
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// `4 checks: 2 SAFE, 1 UNSAFE, 1 UNREACHABLE`.
fn tally(checks: &Checks) -> String {
    let answers: Vec<Answer> = checks.list().map(|(_, d)| d.map_or(Answer::Unknown, decided)).collect();
    let all = [Answer::Safe, Answer::Unsafe, Answer::Unreachable, Answer::Unknown];
    let numbers = all.map(|one| (answers.iter().filter(|answer| **answer == one).count(), one));
    let each: Vec<String> =
        numbers.iter().filter(|(n, _)| *n > 0).map(|(n, answer)| format!("{n} {answer}")).collect();
    format!("{}: {}", count(checks.list().count(), "check"), each.join(", "))
}

fn style(decision: &Decision) -> Style {
    match decision {
        Decision::Safe | Decision::Unreachable(_) => styles::GOOD,
        Decision::Unsafe(_) => styles::BAD,
        Decision::Unknown(_) => styles::OPEN,
    }
}

fn verdict(decision: &Decision, stop: Option<StopReason>) -> String {
    match decision {
        Decision::Unknown(failure) => format!("UNKNOWN({})", super::reason(failure, stop).0),
        other => decided(other).to_string(),
    }
}

/// The check without what becomes of it: "assertion `x > 0`".
fn subject(check: &Check) -> &str {
    let text = check.message.as_str();
    let cut = [" fails", " is called", " is reached"].iter().find_map(|end| text.strip_suffix(end));
    cut.unwrap_or(text)
}
