//! Rules and environments as results record them.

use crate::results::fields::{Field, Read};
use ir::CheckKind;
use serde_json::{Value, json};

/// An environment as results have it.
pub(super) fn environment_json(e: &cfront::Environment) -> Value {
    json!({ "init": e.init, "any": e.any, "exit": e.exit })
}

/// A recorded environment, as the text of an assumption.
pub(super) fn environment_text(value: &Value) -> String {
    let part = |key: &str| -> Vec<&str> {
        value[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let all = ["init", "any", "exit"].map(|key| (key, part(key)));
    let told = all.iter().filter(|(_, names)| !names.is_empty());
    let told: Vec<String> = told.map(|(key, names)| format!("{key}: {}", names.join(", "))).collect();
    format!("--environment ({})", told.join("; "))
}

/// A rule as results have it: whole, so that it need not be there any more.
pub(super) fn rule_json(rule: &slic::Source) -> Value {
    json!({ "name": rule.name, "file": rule.file, "text": rule.text, "may_be_unused": rule.may_be_unused })
}

/// A recorded rule, as the text of an assumption: its name alone where it is the library's rule of this name.
pub(super) fn rule_text(rule: &Value) -> String {
    let word = |key: &str| rule[key].as_str().unwrap_or_default();
    let is_known = slic::LIBRARY.iter().any(|entry| entry.name == word("name") && entry.text == word("text"));
    let name = super::recorded::shown(word("name"));
    if is_known { name } else { format!("{name} (whose text is the result's)") }
}

/// Reads an environment back.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn environment(field: &Field<'_>) -> Read<cfront::Environment> {
    field.has_only(&["init", "any", "exit"])?;
    let names = |key: &str| -> Read<Vec<String>> {
        let list = field.member(key)?;
        list.list()?.iter().map(|name| name.identifier().map(str::to_owned)).collect()
    };
    Ok(cfront::Environment { init: names("init")?, any: names("any")?, exit: names("exit")? })
}

/// Reads a rule back.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn rule(field: &Field<'_>) -> Read<slic::Source> {
    field.has_only(&["name", "file", "text", "may_be_unused"])?;
    Ok(slic::Source {
        name: field.member("name")?.line()?.to_owned(),
        file: field.member("file")?.line()?.to_owned(),
        text: field.member("text")?.text()?.to_owned(),
        may_be_unused: field.member("may_be_unused")?.flag()?,
    })
}

/// The kinds as `--check` has them.
pub(super) fn asked(kinds: &[&str]) -> String {
    let reach = CheckKind::Reach.name();
    let others: Vec<&str> = kinds.iter().copied().filter(|kind| *kind != reach).collect();
    let only = if kinds.contains(&reach) { "" } else { "only:" };
    format!("--check {only}{}", others.join(","))
}
