//! The kinds of checks as rules, with their numbers in the Common Weakness Enumeration.

use ir::CheckKind;
use serde_json::{Value, json};

/// All rules; a kind's place among them is its index.
pub(super) fn all() -> Vec<Value> {
    CheckKind::ALL.into_iter().map(rule).collect()
}

/// The index of a kind.
pub(super) fn index(kind: &str) -> Option<i64> {
    CheckKind::ALL.into_iter().position(|k| k.name() == kind).map(|n| n as i64)
}

fn rule(kind: CheckKind) -> Value {
    let (short, weaknesses) = about(kind);
    let mut tags: Vec<String> = weaknesses.iter().map(|n| format!("external/cwe/cwe-{n}")).collect();
    if !matches!(kind, CheckKind::Reach | CheckKind::Unmodelled) {
        tags.extend(["security".to_owned(), "correctness".to_owned()]);
    }
    let name: String = kind.name()[..1].to_uppercase() + &kind.name()[1..];
    let option = match kind {
        CheckKind::Rule => "--rule RULE".to_owned(),
        _ => format!("--check {}", kind.name()),
    };
    json!({
        "id": kind.name(),
        "name": name,
        "shortDescription": { "text": short },
        "fullDescription": { "text": format!("{short}. slam check {option} decides it.") },
        "properties": { "tags": tags },
    })
}

/// What a rule says, and the numbers of the weaknesses that break it.
fn about(kind: CheckKind) -> (&'static str, &'static [u32]) {
    match kind {
        CheckKind::Reach => ("An assertion fails, or an error call or the label ERROR is reached", &[617]),
        CheckKind::Overflow => ("Signed integer arithmetic overflows", &[190]),
        CheckKind::Div0 => ("An integer is divided by zero", &[369]),
        CheckKind::Null => ("NULL is dereferenced", &[476]),
        CheckKind::Bounds => ("Memory outside of an object is read or written", &[125, 787]),
        CheckKind::Shift => ("An integer is shifted by an amount that C does not define", &[1335]),
        CheckKind::Uninit => ("A variable is read before it has a value", &[457]),
        CheckKind::Free => ("Memory is used after it was freed, or freed twice", &[415, 416]),
        CheckKind::Leak => ("Memory is never freed", &[401]),
        CheckKind::Format => ("Arguments do not fit the format of printf or scanf", &[686]),
        CheckKind::Rule => ("A rule of interface use is broken", &[573]),
        CheckKind::File => ("A stream is used that is NULL or was closed", &[910]),
        CheckKind::Readonly => ("A string literal or a const object is written", &[758]),
        CheckKind::Overlap => ("Memory is copied between objects that overlap", &[475]),
        CheckKind::Noreturn => ("A function returns that is declared not to", &[758]),
        CheckKind::Convert => {
            ("A floating-point number does not fit the integer that it is converted to", &[681])
        }
        CheckKind::Order => ("Pointers into different objects are ordered or subtracted", &[469]),
        CheckKind::Member => ("An access through an array member reaches the next member", &[806]),
        CheckKind::Race => ("Two threads access an object at once, one of them writing", &[362]),
        CheckKind::Deadlock => ("Threads wait for each other for ever", &[833]),
        CheckKind::Unmodelled => {
            ("Something is reached that is not modelled, and nothing is known behind it", &[])
        }
    }
}
