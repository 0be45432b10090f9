//! The contents of a result, in sentences.

use results::check::{Answer, Followed, RuleState, Since, Unchecked, Verdict};
use results::options::UndefinedFunction;
use results::{Diagnostic, Figure, Outcome};

/// A text as a page shows it: what would turn the direction of the text around it, or is not a character, is named.
pub(super) fn shown(text: &str) -> String {
    let is_hidden = |c: char| {
        matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
            || c.is_control() && !matches!(c, '\t' | '\n')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) {
            true => out.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// The answer about a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// A sign for the margin.
    pub sign: &'static str,
    /// In a word.
    pub word: &'static str,
    /// For colours.
    pub class: &'static str,
}

impl State {
    /// The state of a check with this answer.
    pub(super) fn of(answer: Option<Answer>) -> State {
        let (sign, word, class) = match answer {
            Some(Answer::Safe) => ("\u{2713}", "holds", "safe"),
            Some(Answer::Unreachable) => ("\u{2713}", "never reached", "safe"),
            Some(Answer::Unsafe) => ("\u{2717}", "fails", "unsafe"),
            Some(Answer::Unknown) | None => ("?", "not decided", "open"),
        };
        State { sign, word, class }
    }
}

/// What the verdict means.
pub(super) fn sentences(result: &Outcome) -> Vec<String> {
    let text = |of: &Option<String>| of.clone().unwrap_or_default();
    let mut out = vec![match result.verdict {
        Verdict::Safe => "No execution of the program fails a check, for any input.".to_owned(),
        Verdict::Unsafe => format!(
            "An execution of the program fails the check at {}: {}. The interpreter has replayed it.",
            result.place.iter().flatten().next().map_or("", String::as_str),
            text(&result.message)
        ),
        Verdict::Unknown => {
            let detail = if result.detail.is_some() { &result.detail } else { &result.reason };
            format!("It was not decided whether an execution fails a check: {}.", text(detail))
        }
        Verdict::Confirmed => "What the witness says is so.".to_owned(),
        Verdict::Refuted => "What the witness says is not so.".to_owned(),
        Verdict::Error => "The program was not checked.".to_owned(),
    }];
    out.extend(result.explanation.iter().flat_map(|explanation| explanation.stuck.clone()));
    let one = |Diagnostic { severity, text, location }: &Diagnostic| {
        let place = location.as_ref().map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column));
        format!("{}{severity}: {text}", place.unwrap_or_default())
    };
    out.extend(result.diagnostics.iter().map(one));
    out
}

/// The state of the rule that an execution breaks, in the end.
pub(super) fn rule(result: &Outcome) -> Option<String> {
    let RuleState { object, state } = result.rule_state.clone().unwrap_or_default();
    let followed = object.map(|Followed { name, first }| format!(", for {name} (first at {first})"));
    let one = |Since { name, value, since }: &Since| {
        let since = since.as_ref().map_or("from the start".to_owned(), |at| format!("since {at}"));
        format!("{name} is {value} {since}")
    };
    let state: Vec<String> = state.iter().map(one).collect();
    let state = if state.is_empty() { "it has no state".to_owned() } else { state.join(", ") };
    let rule = result.rule.as_ref()?;
    Some(format!("The rule {rule}{}: {state}.", followed.unwrap_or_default()))
}

/// The assumptions of the answer.
pub(super) fn assumed(result: &Outcome) -> Vec<String> {
    let mut out: Vec<String> = result.assumptions.iter().flatten().map(|a| a.text.clone()).collect();
    let undefined = |UndefinedFunction { function, assumption }: &UndefinedFunction| {
        format!("{function} is defined nowhere: {assumption}.")
    };
    out.extend(result.undefined_functions.iter().flatten().map(undefined));
    out.extend_from_slice(&result.warnings);
    let left_out = |c: &Unchecked| format!("Not decided: {} ({}).", c.message, c.place);
    out.extend(result.not_looked_at.iter().flatten().map(left_out));
    out
}

/// How many checks got which answer.
pub(super) fn counts(result: &Outcome) -> String {
    let checks = result.checks();
    let mut states: Vec<State> = checks.iter().map(|check| State::of(check.verdict)).collect();
    states.sort_by_key(|s| ["unsafe", "open", "safe"].iter().position(|class| *class == s.class));
    let mut numbers: Vec<(&str, usize)> = vec![];
    for word in states.iter().map(|s| s.word) {
        match numbers.iter_mut().find(|(known, _)| *known == word) {
            Some((_, n)) => *n += 1,
            None => numbers.push((word, 1)),
        }
    }
    let one = |(word, n): &(&str, usize)| match (*n, *word) {
        (2.., "holds") => format!("{n} hold"),
        (2.., "fails") => format!("{n} fail"),
        _ => format!("{n} {word}"),
    };
    let each: Vec<String> = numbers.iter().map(one).collect();
    let all = format!("{}: {}.", crate::observers::record::count(checks.len(), "check"), each.join(", "));
    match result.verdict == Verdict::Unsafe && checks.iter().any(|check| check.verdict.is_none()) {
        true => all + " The run ends with the first error; with --keep-going it decides every check.",
        false => all,
    }
}

/// How long the stages took.
pub(super) fn time(result: &Outcome) -> Option<String> {
    let statistics = result.statistics.as_ref()?;
    let ms = |stage| match statistics.get(stage) {
        Some(Figure::Number(ms)) => Some(ms),
        _ => None,
    };
    let ms: Vec<&u64> = ["c2bp-ms", "bebop-ms", "newton-ms"].into_iter().filter_map(ms).collect();
    (!ms.is_empty()).then(|| format!("{} ms in the loop", ms.into_iter().sum::<u64>()))
}
