//! Changes of results by an attacker who aims at another answer, or at running a command.

use serde_json::{Value, json};
use std::path::Path;
use testing::Dice;

/// All places of a result below one of its parts, as JSON pointers.
fn places(json: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match json {
        Value::Object(members) => members.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, v)| places(v, &format!("{at}/{n}"), out)),
        _ => {}
    }
}

fn remove(json: &mut Value, place: &str) {
    let Some((parent, last)) = place.rsplit_once('/') else { return };
    match json.pointer_mut(parent) {
        Some(Value::Object(members)) => _ = members.remove(last),
        Some(Value::Array(list)) => {
            if let Ok(n) = last.parse::<usize>()
                && n < list.len()
            {
                list.remove(n);
            }
        }
        _ => {}
    }
}

/// Texts that would run a command if anything took them for more than data.
pub(super) fn injections(dir: &Path) -> Vec<String> {
    let (marker, list) = (dir.join("pwned"), dir.join("evil.rsp"));
    let (marker, list) = (super::text(&marker), super::text(&list));
    vec![
        format!("@{list}"),
        format!("-fplugin={list}"),
        format!("-wrapper touch,{marker}"),
        "-wrapper".into(),
        format!("$(touch {marker})"),
        format!("`touch {marker}`"),
        format!("x; touch {marker} #"),
        format!("x\n#include \"{list}\"\n"),
        format!("x\" @{list} \""),
        format!("-B{}", super::text(dir)),
        format!("-specs={list}"),
        format!("A=1 @{list}"),
        "--help".into(),
        "-".into(),
        "\u{0}".into(),
    ]
}

/// A condition, changed.
fn condition(random: &mut Dice, old: &str) -> String {
    let pieces = [
        "==",
        "!=",
        "<",
        "<=",
        "&",
        "|",
        ">>",
        "+",
        "*",
        "x",
        "y",
        "lock",
        "n",
        "0",
        "1",
        "-1",
        "(mathint)",
        "old(x)",
        "(char)",
        "~",
        "!",
        "&&",
        "%",
        "99999999999999999999",
        "(",
        ")",
        "[0]",
        "*p",
        "&x",
        "? 1 : 0",
    ];
    match random.below(5) {
        0 => random
            .of(&["1", "0", "x == x", "old(old(x)) == 1", "(mathint)x & 3 == 1", "~(mathint)x == 0"])
            .to_string(),
        1 => format!("{}{old}{}", "(".repeat(3000), ")".repeat(3000)),
        2 => format!("{old} {} {}", random.of(&pieces), random.of(&pieces)),
        3 => {
            let (from, to) = (*random.of(&pieces), *random.of(&pieces));
            old.replacen(from, to, 1)
        }
        _ => format!("!({old})"),
    }
}

fn other_value(random: &mut Dice, old: &Value, injected: &[String]) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(2.5),
        json!(u64::MAX),
        json!("x"),
        json!(""),
        json!([]),
        json!({}),
        json!("math"),
        json!("bits"),
        json!("any"),
        json!(["none"]),
    ];
    match (old, random.below(3)) {
        (Value::Number(n), 0 | 1) => {
            let n = n.as_i64().unwrap_or(0);
            json!(*random.of(&[n + 1, n - 1, 0, 1, 2, n * 2, -n, 1 << 40]))
        }
        (Value::String(s), 0) => condition(random, s).into(),
        (Value::String(_), 1) => random.of(injected).clone().into(),
        (Value::Array(list), 0) if !list.is_empty() => {
            let mut list = list.clone();
            let again = random.of(&list).clone();
            list.push(again);
            list.into()
        }
        (Value::Array(_), 1) => json!([random.of(injected)]),
        (Value::Bool(b), 0 | 1) => json!(!b),
        _ => random.of(&values).clone(),
    }
}

/// One change.
pub(super) fn change(random: &mut Dice, json: &mut Value, injected: &[String]) {
    let parts =
        ["/options", "/options", "/certificate", "/certificate", "/certificate", "/replay", "/replay", ""];
    let part = *random.of(&parts);
    let mut all = vec![];
    json.pointer(part).into_iter().for_each(|value| places(value, part, &mut all));
    if all.is_empty() {
        return;
    }
    let place = random.of(&all).clone();
    match random.below(8) {
        0 => remove(json, &place),
        1 => {
            let other: &String = random.of(&all);
            exchange(json, &place, other);
        }
        2 => inject(random, json, injected),
        3 => one_set(json, &all, random.below(2)),
        4 => {
            let numbers: Vec<usize> = (0..random.below(4)).collect();
            set(json, "/certificate/assumed", json!(numbers));
        }
        5 => {
            if let Some(Value::Object(members)) = json.pointer_mut(part) {
                let (key, value) = (random.of(injected).clone(), random.of(injected).clone());
                members
                    .insert(random.of(&["cc".to_owned(), "need_checks".into(), key]).clone(), value.into());
            }
        }
        _ => {
            let value = json.pointer(&place).map(|old| other_value(random, old, injected));
            value.into_iter().for_each(|new| set(json, &place, new));
        }
    }
}

fn set(json: &mut Value, place: &str, value: Value) {
    if let Some(old) = json.pointer_mut(place) {
        *old = value;
    }
}

/// Two values change places.
fn exchange(json: &mut Value, a: &str, b: &str) {
    if let (Some(first), Some(second)) = (json.pointer(a).cloned(), json.pointer(b).cloned()) {
        set(json, a, second);
        set(json, b, first);
    }
}

/// An option of a compiler gets among the options.
fn inject(random: &mut Dice, json: &mut Value, injected: &[String]) {
    let known = ["includes", "defines", "undefs", "include_dirs", "models"];
    let text = random.of(injected).clone();
    if let Some(Value::Array(list)) = json.pointer_mut(&format!("/options/{}", random.of(&known))) {
        list.push(text.into());
    }
}

/// Every set is any state, or none.
fn one_set(json: &mut Value, all: &[String], leaf: usize) {
    all.iter().filter(|p| p.ends_with("/set")).for_each(|p| set(json, p, leaf.into()));
}
