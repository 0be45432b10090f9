//! An index page with links to the pages of many results.

use super::words::{State, counts, shown};
use super::{class, files};
use askama::Template;
use results::Outcome;
use results::check::{Answer, Check};
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
pub(crate) fn index(results: &[(Outcome, String)]) -> String {
    let rows: Vec<Row> = results.iter().map(|(result, link)| row(result, link)).collect();
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for (result, _) in results {
        *words.entry(result.verdict.to_string()).or_default() += 1;
    }
    let worst =
        ["unsafe", "open", "safe"].into_iter().find(|class| rows.iter().any(|row| row.class == *class));
    let each: Vec<String> = words.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let index = Index {
        class: worst.unwrap_or("open"),
        title: crate::observers::record::count(rows.len(), "result"),
        counts: each.join(", "),
        rows,
    };
    shown(&IndexPage { index }.render().expect("a string takes everything"))
}

fn row(result: &Outcome, link: &str) -> Row {
    let state = State::of(match class(result) {
        "safe" => Some(Answer::Safe),
        "unsafe" => Some(Answer::Unsafe),
        _ => None,
    });
    let names: Vec<&str> = files(result).collect();
    Row {
        class: state.class,
        sign: state.sign,
        name: if names.is_empty() { link.to_owned() } else { names.join(" ") },
        line: super::line(result).to_owned(),
        counts: if result.checks().is_empty() { String::new() } else { counts(result) },
        link: link.to_owned(),
    }
}

/// What the page that leads to a result needs of it.
pub(crate) fn short(result: &Outcome) -> Outcome {
    let short = |check: &Check| Check { verdict: check.verdict, ..Check::default() };
    Outcome {
        verdict: result.verdict,
        verdict_line: result.verdict_line.clone(),
        files: result.files.clone(),
        checks: result.checks.as_ref().map(|checks| checks.iter().map(short).collect()),
        ..Outcome::default()
    }
}
