//! The contents of a result, in sentences.

use serde_json::Value;

/// A text of an object; the empty one where it has none.
pub(super) fn text<'v>(of: &'v Value, field: &str) -> &'v str {
    of[field].as_str().unwrap_or_default()
}

/// The texts of a list, as they are shown.
pub(super) fn texts(of: &Value, field: &str) -> Vec<String> {
    let all = of[field].as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(shown).collect()
}

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
    /// The answer about a check of a result.
    pub(super) fn of(check: &Value) -> State {
        let (sign, word, class) = match check["verdict"].as_str() {
            Some("SAFE") => ("\u{2713}", "holds", "safe"),
            Some("UNREACHABLE") => ("\u{2713}", "never reached", "safe"),
            Some("UNSAFE") => ("\u{2717}", "fails", "unsafe"),
            Some(_) | None => ("?", "not decided", "open"),
        };
        State { sign, word, class }
    }
}

/// What the verdict means.
pub(super) fn sentences(result: &Value) -> Vec<String> {
    let place = || shown(text(result, "place"));
    let mut out = vec![match text(result, "verdict") {
        "SAFE" => "No execution of the program fails a check, for any input.".to_owned(),
        "UNSAFE" => format!(
            "An execution of the program fails the check at {}: {}. The interpreter has replayed it.",
            place(),
            shown(text(result, "message"))
        ),
        "UNKNOWN" => {
            let detail = result["detail"].as_str().unwrap_or(text(result, "reason"));
            format!("It was not decided whether an execution fails a check: {}.", shown(detail))
        }
        "CONFIRMED" => "What the witness says is so.".to_owned(),
        "REFUTED" => "What the witness says is not so.".to_owned(),
        _ => "The program was not checked.".to_owned(),
    }];
    if let Some(stuck) = result["explanation"]["stuck"].as_str() {
        out.push(shown(stuck));
    }
    let diagnostics = result["diagnostics"].as_array().into_iter().flatten();
    out.extend(diagnostics.map(|d| {
        let at = &d["location"];
        let place = at["file"].as_str().map(|file| format!("{file}:{}:{}: ", at["line"], at["column"]));
        shown(&format!("{}{}: {}", place.unwrap_or_default(), text(d, "severity"), text(d, "text")))
    }));
    out
}

/// The state of the rule that an execution breaks, in the end.
pub(super) fn rule(result: &Value) -> Option<String> {
    let (rule, end) = (result["rule"].as_str()?, &result["rule_state"]);
    let object = &end["object"];
    let followed =
        object["name"].as_str().map(|name| format!(", for {name} (first at {})", text(object, "first")));
    let one = |set: &Value| {
        let since = set["since"].as_str().map_or("from the start".to_owned(), |at| format!("since {at}"));
        format!("{} is {} {since}", text(set, "name"), text(set, "value"))
    };
    let state: Vec<String> = end["state"].as_array().into_iter().flatten().map(one).collect();
    let state = if state.is_empty() { "it has no state".to_owned() } else { state.join(", ") };
    Some(shown(&format!("The rule {rule}{}: {state}.", followed.unwrap_or_default())))
}

/// The assumptions of the answer.
pub(super) fn assumed(result: &Value) -> Vec<String> {
    let all = |field: &str| result[field].as_array().cloned().unwrap_or_default();
    let mut out: Vec<String> = all("assumptions").iter().map(|a| shown(text(a, "text"))).collect();
    let undefined = all("undefined_functions");
    out.extend(undefined.iter().map(|f| {
        format!("{} is defined nowhere: {}.", shown(text(f, "function")), shown(text(f, "assumption")))
    }));
    out.extend(texts(result, "warnings"));
    let left_out = all("not_looked_at");
    out.extend(
        left_out
            .iter()
            .map(|c| format!("Not decided: {} ({}).", shown(text(c, "message")), shown(text(c, "place")))),
    );
    out
}

/// How many checks got which answer.
pub(super) fn counts(result: &Value) -> String {
    let checks = result["checks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut states: Vec<State> = checks.iter().map(State::of).collect();
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
    let is_open = |check: &Value| check["verdict"].is_null();
    match text(result, "verdict") == "UNSAFE" && checks.iter().any(is_open) {
        true => all + " The run ends with the first error; with --keep-going it decides every check.",
        false => all,
    }
}

/// How long the stages took.
pub(super) fn time(result: &Value) -> Option<String> {
    let statistics = &result["statistics"];
    let stages = ["c2bp-ms", "bebop-ms", "newton-ms"];
    let ms: Vec<u64> = stages.iter().filter_map(|s| statistics[s].as_u64()).collect();
    (!ms.is_empty()).then(|| format!("{} ms in the loop", ms.iter().sum::<u64>()))
}
