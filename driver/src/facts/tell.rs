//! Facts, and candidates that were not shown, in results.

use super::given::{Given, GivenLine};
use super::{Places, write};
use crate::observers::record::count;
use crate::prepare::Task;
use crate::report::speech::{self, spoken};
use bmc::counterexample::{Moment, Values, Why};
use cegar::{Fact, NotShown, WhyNot};
use encoding::InputValue;
use ir::{Lvalue, Program};
use serde_json::{Value, json as object};
use std::fmt::Write;

/// At most this many candidates are listed by `--explain-unknown`.
const LISTED: usize = 20;

/// At most this many variables and members of a state are reported.
const VALUES: usize = 8;

/// The facts, for `--json`.
pub(crate) fn json(task: &Task, facts: &[Fact]) -> Value {
    let (places, mut writer) = (Places::of(&task.program), write::Writer::new(task));
    let with_words = |fact| {
        let spoken = writer.spoken(fact);
        let mut out = one(task, &places, fact);
        out["in_source_words"] = spoken.is_some().into();
        if let Some(text) = spoken {
            out["invariant"] = text.into();
        }
        out
    };
    facts.iter().map(with_words).collect()
}

fn one(task: &Task, places: &Places<'_>, fact: &Fact) -> Value {
    let (kind, span) = places.place(fact.at).unzip();
    object!({
        "place": span.map(|span| task.sources.short(span)),
        "column": span.map(|span| span.start.col),
        "kind": kind.map(super::Kind::name),
        "function": task.program.procs[fact.at.0].name,
        "invariant": write::condition(&task.program, fact),
        "source": fact.source.name(),
    })
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
            format!("{}: {} of {name}", task.sources.short(span), kind.name())
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

/// The same for `--json`.
pub(crate) fn not_shown_json(task: &Task, all: &[NotShown]) -> Value {
    let places = Places::of(&task.program);
    let listed = chosen(all).into_iter().map(|NotShown { fact, why }| {
        let mut out = one(task, &places, fact);
        add(&mut out, &task.program, why);
        out
    });
    object!({ "listed": listed.collect::<Vec<_>>(), "more": all.len().saturating_sub(LISTED) })
}

/// Adds why a candidate was not shown.
fn add(out: &mut Value, program: &Program, why: &WhyNot) {
    out["why"] = reason(program, why).into();
    let (mut values, mut before, mut moment) = (object!({}), object!({}), Value::Null);
    if let WhyNot::Broken(Why::Fails { moment: when, values: at, before: earlier }) = why {
        let state = |state: &Values| -> Value {
            let pair = |(lv, v): &(Lvalue, InputValue)| (ir::print::lvalue(program, lv), value(*v).into());
            Value::Object(state.iter().map(pair).collect())
        };
        (values, before) = (state(at), state(earlier));
        moment = match when {
            Moment::Arrival(_) => "arrival",
            Moment::Turn => "turn",
            Moment::Call => "call",
            Moment::Return => "return",
        }
        .into();
    }
    out["moment"] = moment;
    out["values"] = values;
    out["before"] = before;
}

/// What became of the lines of `--invariants`.
pub(crate) struct Outcome {
    /// For the result.
    pub(crate) text: String,
    /// For `--json`.
    pub(crate) json: Value,
}

/// What became of the lines that were given; `answer` is that of a candidate.
pub(crate) fn outcome(task: &Task, given: &Given, answer: impl Fn(usize) -> Result<(), WhyNot>) -> Outcome {
    let program = spoken(task);
    let mut text = String::new();
    let mut json = vec![];
    let mut shown = 0;
    for line in &given.lines {
        let GivenLine { place, condition, candidates, is_sliced } = line;
        let failed = candidates.clone().find_map(|n| answer(n).err());
        let mut one = object!({ "place": place, "invariant": condition });
        let why = match (is_sliced, &failed) {
            (true, _) => {
                Some("no check depends on what it reads, which is not followed (--tune slice=off)".into())
            }
            (false, Some(why)) => Some(reason(&program, why)),
            (false, None) => None,
        };
        one["shown"] = why.is_none().into();
        if let Some(why) = &failed {
            add(&mut one, &task.program, why);
        }
        match why {
            Some(why) => {
                let _ = writeln!(text, "    cannot be shown: {place}: {condition}: {why}");
                one["why"] = why.into();
            }
            None => {
                shown += 1;
                let _ = writeln!(text, "    shown: {place}: {condition}");
            }
        }
        json.push(one);
    }
    let all = count(given.lines.len(), "invariant");
    Outcome { text: format!("  {shown} of {all} given by --invariants shown\n{text}"), json: json.into() }
}
