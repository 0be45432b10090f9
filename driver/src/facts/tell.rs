//! Facts, and candidates that were not shown, in results.

use super::given::{Given, GivenLine};
use super::{Places, write};
use crate::observers::record::count;
use crate::report::speech::{self, spoken};
use bmc::counterexample::{Moment, Values, Why};
use encoding::InputValue;
use ir::{Lvalue, Program};
use results::proof::{self, Broken, Candidates, Claimed, State};
use std::fmt::Write;
use verify::Task;
use verify::cegar::{Fact, NotShown, WhyNot};

/// At most this many candidates are listed by `--explain-unknown`.
const LISTED: usize = 20;

/// At most this many variables and members of a state are reported.
const VALUES: usize = 8;

/// The facts, as results have them.
pub(crate) fn all(task: &Task, facts: &[Fact]) -> Vec<proof::Fact> {
    let (places, mut writer) = (Places::of(&task.program), write::Writer::new(task));
    let with_words = |fact| {
        let mut claimed = claimed(task, &places, fact);
        let spoken = writer.spoken(fact);
        let in_source_words = spoken.is_some();
        claimed.invariant = spoken.unwrap_or(claimed.invariant);
        proof::Fact { claimed, in_source_words }
    };
    facts.iter().map(with_words).collect()
}

fn claimed(task: &Task, places: &Places<'_>, fact: &Fact) -> Claimed {
    let (kind, span) = places.place(fact.at).unzip();
    Claimed {
        place: span.map(|span| task.sources.short(span)),
        column: span.map(|span| span.start.col),
        kind,
        function: task.program.procs[fact.at.0].name.clone(),
        invariant: write::condition(&task.program, fact),
        source: fact.source.name().into(),
    }
}

/// The facts, in one line of the log each.
pub(crate) fn lines(task: &Task, facts: &[Fact]) -> Vec<String> {
    let (program, places) = (spoken(task), Places::of(&task.program));
    let line = |fact: &Fact| format!("{}  ({})", about((task, &places), &program, fact), fact.source.name());
    facts.iter().map(line).collect()
}

/// The place and the condition.
fn about((task, places): (&Task, &Places<'_>), program: &Program, fact: &Fact) -> String {
    let show = |e: &ir::Expr| speech::plain(program, e);
    let condition = show(&fact.condition);
    let condition = fact.for_all.as_ref().map_or(condition.clone(), |r| r.text(program, &condition, show));
    let at = match places.place(fact.at) {
        Some((super::Kind::Loop, span)) => task.sources.short(span),
        Some((kind, span)) => {
            let name = &task.program.procs[fact.at.0].name;
            format!("{}: {kind} of {name}", task.sources.short(span))
        }
        None => String::new(),
    };
    format!("{at}: {condition}")
}

/// Why a candidate was not shown, in words that go on after its condition.
fn reason(program: &Program, why: &WhyNot) -> String {
    match why {
        WhyNot::Broken(Why::Fails { moment, values, before }) => fails(program, *moment, values, before),
        WhyNot::Broken(Why::GaveUp) => "the prover gave up on it".into(),
        WhyNot::Broken(Why::NotReached) => {
            "nothing that is executed reaches its place: heads of loops, entries and exits of recursive procedures have candidates".into()
        }
        WhyNot::NotExpressible => "it cannot be expressed with the integers that are used (--integers)".into(),
        WhyNot::TooMuchWork => "induction was too much work".into(),
        WhyNot::NotModelled => "something that is not modelled may be reached before".into(),
        WhyNot::NotTried => "it was not tried: the run ended before, or induction is left out".into(),
    }
}

fn fails(program: &Program, moment: Moment, values: &Values, before: &Values) -> String {
    let with = |values: &Values| match state(program, values) {
        text if text.is_empty() => text,
        text => format!(" with {text}"),
    };
    match moment {
        Moment::Arrival(0) => format!("does not hold at the first arrival{}", with(values)),
        Moment::Arrival(turns) => format!("does not hold after {}{}", count(turns, "turn"), with(values)),
        Moment::Call => format!("does not hold at a call{}", with(values)),
        Moment::Return => format!("does not hold at a return{}", with(values)),
        Moment::Turn => {
            let changed: Values = values.iter().filter(|v| !before.contains(v)).cloned().collect();
            let then = match state(program, &changed) {
                text if text.is_empty() => text,
                text => format!(", after which {text}"),
            };
            format!("is not kept by a turn{}{then}", with(before))
        }
    }
}

/// `i = 3, n = 2`.
fn state(program: &Program, values: &Values) -> String {
    let mut shown: Vec<String> = values
        .iter()
        .take(VALUES)
        .map(|(lv, v)| format!("{} = {}", ir::print::lvalue(program, lv), value(*v)))
        .collect();
    if values.len() > VALUES {
        shown.push("...".into());
    }
    shown.join(", ")
}

fn value(value: InputValue) -> String {
    match value {
        InputValue::Int(n) | InputValue::Number(n) => n.to_string(),
        InputValue::Float(x) => x.to_string(),
        InputValue::Null => "NULL".into(),
        InputValue::Address(_) => "an address".into(),
    }
}

/// The candidates to report, those with the fewest variables first.
fn chosen(all: &[NotShown]) -> Vec<&NotShown> {
    let size = |not_shown: &&NotShown| {
        let fact = &not_shown.fact;
        let ends = fact.for_all.iter().flat_map(|range| [&range.from, &range.to]);
        let mut variables: Vec<_> =
            ends.chain([&fact.condition]).flat_map(predicates::predicate::variables).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.len()
    };
    let mut out: Vec<&NotShown> = all.iter().collect();
    out.sort_by_key(size);
    out.truncate(LISTED);
    out
}

/// The candidates that were not shown, for `--explain-unknown`.
pub(crate) fn not_shown(task: &Task, all: &[NotShown]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let (program, places) = (spoken(task), Places::of(&task.program));
    let mut out = String::from("  candidates for invariants that were not shown:\n");
    for NotShown { fact, why } in chosen(all) {
        let _ = writeln!(
            out,
            "    {} ({}): {}",
            about((task, &places), &program, fact),
            fact.source.name(),
            reason(&program, why)
        );
    }
    if all.len() > LISTED {
        let _ = writeln!(out, "    and {} more", all.len() - LISTED);
    }
    out
}

/// The same as results have it.
pub(crate) fn candidates(task: &Task, all: &[NotShown]) -> Candidates {
    let places = Places::of(&task.program);
    let listed = chosen(all).into_iter().map(|NotShown { fact, why }| proof::NotShown {
        claimed: claimed(task, &places, fact),
        why: reason(&task.program, why),
        broken: broken(&task.program, why),
    });
    Candidates { listed: listed.collect(), more: all.len().saturating_sub(LISTED) }
}

/// What breaks a candidate that was not shown.
fn broken(program: &Program, why: &WhyNot) -> Broken {
    let WhyNot::Broken(Why::Fails { moment, values, before }) = why else { return Broken::default() };
    let state = |state: &Values| -> State {
        let pair = |(lv, v): &(Lvalue, InputValue)| (ir::print::lvalue(program, lv), value(*v));
        state.iter().map(pair).collect()
    };
    let moment = match moment {
        Moment::Arrival(_) => proof::Moment::Arrival,
        Moment::Turn => proof::Moment::Turn,
        Moment::Call => proof::Moment::Call,
        Moment::Return => proof::Moment::Return,
    };
    Broken { moment: Some(moment), values: state(values), before: state(before) }
}

/// What became of the lines that were given, as text and as results have it; `answer` is that of a candidate.
pub(crate) fn outcome(
    task: &Task,
    given: &Given,
    answer: impl Fn(usize) -> Result<(), WhyNot>,
) -> (String, Vec<proof::Given>) {
    let program = spoken(task);
    let one = |GivenLine { place, condition, candidates, is_sliced }: &GivenLine| {
        let failed = candidates.clone().find_map(|n| answer(n).err());
        let why = match is_sliced {
            true => {
                Some("no check depends on what it reads, which is not followed (--tune slice=off)".into())
            }
            false => failed.as_ref().map(|why| reason(&program, why)),
        };
        proof::Given {
            place: place.clone(),
            invariant: condition.clone(),
            shown: why.is_none(),
            why,
            broken: failed.map(|why| broken(&task.program, &why)),
        }
    };
    let lines: Vec<proof::Given> = given.lines.iter().map(one).collect();
    let shown = lines.iter().filter(|line| line.shown).count();
    let all = count(lines.len(), "invariant");
    let mut text = format!("  {shown} of {all} given by --invariants shown\n");
    for proof::Given { place, invariant, why, .. } in &lines {
        let _ = match why {
            Some(why) => writeln!(text, "    cannot be shown: {place}: {invariant}: {why}"),
            None => writeln!(text, "    shown: {place}: {invariant}"),
        };
    }
    (text, lines)
}
