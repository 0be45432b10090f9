//! An index page with links to the pages of many results.

use super::words::{State, counts, shown, text};
use super::{class, files};
use askama::Template;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage {
    index: Index,
}

struct Index {
    class: &'static str,
    title: String,
    counts: String,
    rows: Vec<Row>,
}

struct Row {
    class: &'static str,
    sign: &'static str,
    /// The programs.
    name: String,
    /// The verdict line.
    line: String,
    counts: String,
    link: String,
}

/// The page for results, each with the name of its own page in the same folder.
pub(crate) fn index(results: &[(Value, String)]) -> String {
    let rows: Vec<Row> = results.iter().map(|(result, link)| row(result, link)).collect();
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for (result, _) in results {
        *words.entry(text(result, "verdict")).or_default() += 1;
    }
    let worst =
        ["unsafe", "open", "safe"].into_iter().find(|class| rows.iter().any(|row| row.class == *class));
    let each: Vec<String> = words.iter().map(|(word, n)| format!("{n} {}", shown(word))).collect();
    let index = Index {
        class: worst.unwrap_or("open"),
        title: crate::observers::record::count(rows.len(), "result"),
        counts: each.join(", "),
        rows,
    };
    IndexPage { index }.render().expect("a string takes everything")
}

fn row(result: &Value, link: &str) -> Row {
    let state = match class(result) {
        "safe" => State::of(&serde_json::json!({ "verdict": "SAFE" })),
        "unsafe" => State::of(&serde_json::json!({ "verdict": "UNSAFE" })),
        _ => State::of(&Value::Null),
    };
    let names: Vec<String> = files(result).iter().map(|name| shown(name)).collect();
    Row {
        class: state.class,
        sign: state.sign,
        name: if names.is_empty() { link.to_owned() } else { names.join(" ") },
        line: shown(text(result, "verdict_line").trim_start_matches("VERDICT: ")),
        counts: match result["checks"].as_array() {
            Some(checks) if !checks.is_empty() => counts(result),
            _ => String::new(),
        },
        link: link.to_owned(),
    }
}

/// What the page that leads to a result needs of it.
pub(crate) fn short(result: &Value) -> Value {
    let checks = result["checks"].as_array().into_iter().flatten();
    let checks: Vec<Value> = checks.map(|c| serde_json::json!({ "verdict": c["verdict"] })).collect();
    serde_json::json!({
        "verdict": result["verdict"], "verdict_line": result["verdict_line"], "files": result["files"], "checks": checks,
    })
}
