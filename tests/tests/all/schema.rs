//! The schema of results against their types: every member that a type has is in the schema, and the other way round.

use results::check::{
    Answer, Check, Followed, Input, Line, Location, Object, RuleState, Set, Since, Unchecked, Value as Seen,
    Verdict,
};
use results::options::{Assumption, UndefinedFunction};
use results::proof::{
    Broken, Candidates, Certified, Claimed, Fact, Given, Invariant, Kind, Moment, NotShown, Unrolled,
};
use results::unknown::{Advice, Attempt, Explanation, Topic};
use results::walkthrough::{Statement, States, Walkthrough};
use results::{Diagnostic, Figure, File, Lines, Outcome, Severity, Tool, history};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Some text.
fn t() -> String {
    "text".to_owned()
}

fn location() -> Location {
    Location { file: t(), line: 1, column: 1, end_line: 1, end_column: 2 }
}

fn line() -> Line {
    Line {
        at: location(),
        function: t(),
        depth: 1,
        thread: Some(1),
        text: t(),
        branch: Some(true),
        values: vec![Seen { name: t(), value: t() }],
        given: vec![t()],
        notes: vec![t()],
        rule_state: vec![Set { rule: t(), name: t(), value: t() }],
        error: true,
    }
}

fn inputs() -> Vec<Input> {
    vec![Input { input: t(), value: t() }]
}

fn check() -> Check {
    Check {
        place: t(),
        at: location(),
        function: t(),
        kind: t(),
        rule: Some(t()),
        message: t(),
        condition: Some(t()),
        verdict: Some(Answer::Unsafe),
        called_at: Some(vec![t()]),
        calls: Some(vec![location()]),
        unreachable: Some(t()),
        reason: Some(t()),
        detail: Some(t()),
        inputs: Some(inputs()),
        steps: Some(1),
        location: Some(location()),
        trace: Some(vec![line()]),
        if_these_hold: Some(vec![t()]),
    }
}

fn claimed() -> Claimed {
    let (place, column, kind) = (Some(t()), Some(1), Some(Kind::Loop));
    Claimed { place, column, kind, function: t(), invariant: t(), source: "observed".into() }
}

fn broken() -> Broken {
    let state = BTreeMap::from([(t(), t())]);
    Broken { moment: Some(Moment::Turn), values: state.clone(), before: state }
}

fn explanation() -> Explanation {
    let attempt = Attempt {
        iteration: 1,
        steps: 1,
        answer: t(),
        repeated: true,
        new: vec![t()],
        impossible: 1,
        escalation: Some(t()),
        turns: BTreeMap::from([(t(), 1)]),
    };
    Explanation {
        stuck: Some(t()),
        refiners: vec![t()],
        suspected: Some(vec![line()]),
        next: vec![Advice { kind: Topic::Time, options: vec![t()], text: t() }],
        last_iterations: vec![attempt],
        candidates: Candidates {
            listed: vec![NotShown { claimed: claimed(), why: t(), broken: broken() }],
            more: 1,
        },
    }
}

/// A result with all members that `slam check` writes. The three that other commands read strictly are open in the
/// schema.
fn full() -> Outcome {
    let state = vec![Since { name: t(), value: t(), since: Some(t()) }];
    let file = || vec![File { name: t(), sha256: t() }];
    let diagnostic = Diagnostic { severity: Severity::Note, text: t(), location: Some(location()) };
    let (statements, states) = (vec![Statement::default()], vec![States::default()]);
    Outcome {
        schema: results::SCHEMA,
        tool: Tool { name: "slam".into(), version: t() },
        verdict: Verdict::Unsafe,
        verdict_line: t(),
        exit_code: 10,
        expected_verdict: Some(true),
        statistics: Some(BTreeMap::from([(t(), Figure::Number(1)), ("other".into(), Figure::Text(t()))])),
        files: Some(file()),
        included: Some(file()),
        diagnostics: vec![diagnostic],
        warnings: vec![t()],
        options: None,
        assumptions: Some(vec![Assumption { option: t(), value: json!(1), text: t() }]),
        undefined_functions: Some(vec![UndefinedFunction { function: t(), assumption: t() }]),
        kinds: None,
        checks: Some(vec![check()]),
        not_looked_at: Some(vec![Unchecked { place: t(), line: 1, column: 1, kind: t(), message: t() }]),
        lines: Some(vec![Lines { file: t(), sliced: vec![[1, 2]], unreachable: vec![[1, 2]] }]),
        kind: Some(t()),
        rule: Some(t()),
        rule_state: Some(RuleState { object: Some(Followed { name: t(), first: t() }), state }),
        place: Some(Some(t())),
        message: Some(t()),
        location: Some(location()),
        trace: Some(vec![line()]),
        objects: Some(vec![Object { number: 1, function: t(), allocated: t(), freed: Some(t()) }]),
        inputs: Some(inputs()),
        steps: Some(1),
        replay: None,
        proof: Some(t()),
        iterations: Some(1),
        predicates: Some(1),
        invariants: Some(vec![Invariant { place: t(), invariant: t() }]),
        invariants_complete: Some(true),
        facts: Some(vec![Fact { claimed: claimed(), in_source_words: true }]),
        given_invariants: Some(vec![Given {
            place: t(),
            invariant: t(),
            shown: true,
            why: Some(t()),
            broken: Some(broken()),
        }]),
        unrolled: Some(vec![Unrolled { place: t(), turns: 1 }]),
        certificate: None,
        certified: Some(Certified::repeated(true)),
        reason: Some(t()),
        detail: Some(t()),
        explanation: Some(explanation()),
        history: vec![history::Iteration::default()],
        walkthrough: Some(Walkthrough { statements, states, left_out: 1 }),
        nullness: None,
        harness: None,
        witness: None,
    }
}

/// Marks the members of the schema that a value has, by their places in the schema.
fn mark(root: &Value, place: &str, value: &Value, met: &mut BTreeSet<String>) {
    let schema = root.pointer(place).expect("a place of the schema");
    if let Some(other) = schema["$ref"].as_str() {
        return mark(root, other.trim_start_matches('#'), value, met);
    }
    for n in 0..schema["anyOf"].as_array().map_or(0, Vec::len) {
        mark(root, &format!("{place}/anyOf/{n}"), value, met);
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let member = format!("{place}/properties/{name}");
        if root.pointer(&member).is_some() {
            mark(root, &member, value, met);
            met.insert(member);
        }
    }
    if schema["items"].is_object() {
        value
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|one| mark(root, &format!("{place}/items"), one, met));
    }
}

/// The places of all members in a schema.
fn members(schema: &Value, place: &str, out: &mut BTreeSet<String>) {
    for (name, inner) in schema.as_object().into_iter().flatten() {
        let at = format!("{place}/{name}");
        if name == "properties" {
            for (member, inner) in inner.as_object().into_iter().flatten() {
                out.insert(format!("{at}/{member}"));
                members(inner, &format!("{at}/{member}"), out);
            }
        } else if let Some(list) = inner.as_array() {
            list.iter().enumerate().for_each(|(n, inner)| members(inner, &format!("{at}/{n}"), out));
        } else {
            members(inner, &at, out);
        }
    }
}

#[test]
fn the_schema_has_the_members_of_the_types() {
    let schema = std::fs::read_to_string(tests::root().join("docs/result.schema.json")).expect("it is there");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let full = serde_json::to_value(full()).expect("results are JSON");
    assert_eq!(tests::mistakes(&schema, &full), <[String; 0]>::default());
    let (mut all, mut met) = (BTreeSet::new(), BTreeSet::new());
    members(&schema, "", &mut all);
    mark(&schema, "", &full, &mut met);
    let unmet: Vec<&String> = all.difference(&met).collect();
    assert_eq!(unmet, ["/properties/certificate", "/properties/options", "/properties/replay"]);

    let read = |place: &str, is_one: fn(Value) -> bool| {
        let words = schema.pointer(place).and_then(Value::as_array).expect("a list of words");
        let other = words.iter().find(|word| !word.is_null() && !is_one((*word).clone()));
        assert_eq!(other, None, "{place}");
    };
    fn is<T: DeserializeOwned>(word: Value) -> bool {
        serde_json::from_value::<T>(word).is_ok()
    }
    read("/properties/verdict/enum", is::<Verdict>);
    read("/$defs/check/properties/verdict/enum", is::<Answer>);
    read("/$defs/fact/properties/kind/enum", is::<Kind>);
    read("/$defs/moment/enum", is::<Moment>);
    read("/$defs/advice/properties/kind/enum", is::<Topic>);
    read("/$defs/diagnostic/properties/severity/enum", is::<Severity>);
}
