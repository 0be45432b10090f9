//! The text of the program, with remarks beside its lines.

use super::steps;
use super::words::{State, shown, text};
use crate::content::sha256;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lines of a file that are shown at most, and bytes of all files.
const LINES: usize = 20_000;
const BYTES: usize = 3 << 20;

/// A file.
pub(super) struct File {
    pub id: String,
    pub name: String,
    /// What is to be said about the text.
    pub remark: Option<String>,
    /// What the signs and colours of its lines mean, as far as there are some: a sign, a class, and words.
    pub legend: Vec<(&'static str, &'static str, &'static str)>,
    pub lines: Vec<Line>,
}

/// A line of it.
#[derive(Default)]
pub(super) struct Line {
    pub number: usize,
    pub text: String,
    /// The sign of the most important check on it.
    pub sign: &'static str,
    pub class: &'static str,
    /// What the checks on it say.
    pub title: String,
    /// Invariants and predicates.
    pub notes: Vec<String>,
    /// `sliced`, `unreachable` or nothing.
    pub part: &'static str,
}

/// The files that a result is about, by the numbers that they have on the page.
pub(super) struct Anchors {
    names: Vec<String>,
}

impl Anchors {
    /// The program's files first, then others that the execution or a check is in.
    pub(super) fn of(result: &Value) -> Anchors {
        let list = |field: &str| result[field].as_array().map(Vec::as_slice).unwrap_or_default();
        let own = list("files").iter().map(|file| text(file, "name"));
        let mut seen = BTreeSet::new();
        let names =
            own.chain(mentioned(result)).filter(|name| !name.is_empty() && seen.insert(name.to_owned()));
        Anchors { names: names.map(str::to_owned).collect() }
    }

    /// Where a line is on the page.
    pub(super) fn anchor(&self, file: &str, line: i64) -> String {
        let n = self.names.iter().position(|name| name == file);
        n.map_or_else(|| "source".into(), |n| format!("f{n}-{line}"))
    }

    /// The same of `file.c:12`.
    pub(super) fn short(&self, place: &str) -> String {
        let parts = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        parts.map_or_else(|| "source".into(), |(file, line)| self.anchor(file, line))
    }

    /// The files, read now.
    pub(super) fn files(&mut self, result: &Value) -> Vec<File> {
        let (marks, notes, parts) = (marks(result), notes(result), parts(result));
        let hash = |name: &str| {
            let both = [&result["files"], &result["included"]];
            let mut files = both.into_iter().filter_map(Value::as_array).flatten();
            files.find(|f| text(f, "name") == name).and_then(|f| f["sha256"].as_str())
        };
        let mut left = BYTES;
        let own = result["files"].as_array().map_or(0, Vec::len);
        let mut out = vec![];
        for (n, name) in self.names.iter().enumerate() {
            let mut bytes = cli::inputs::regular(Path::new(name)).unwrap_or_default();
            let is_there = !bytes.is_empty();
            // A page may be published: it shows what was checked, and not whatever a result names.
            let is_same = hash(name).is_some_and(|then| then == sha256(&bytes));
            if !is_same {
                bytes.clear();
            }
            // Files that belong to others, such as headers, are shown where there is room.
            if n >= own && (bytes.is_empty() || bytes.len() > left) {
                continue;
            }
            let remark = match (is_there, is_same) {
                (false, _) => Some("The text of this file is not there.".to_owned()),
                (true, false) => {
                    Some("This file has changed since it was checked: its text is not shown.".to_owned())
                }
                (true, true) => None,
            };
            let text = String::from_utf8_lossy(&bytes);
            let (lines, cut) = lines(&text, &mut left, |line| {
                let at = (name.as_str(), line);
                Known {
                    marks: marks.get(&at).map(Vec::as_slice).unwrap_or_default(),
                    notes: notes.get(&at).cloned().unwrap_or_default(),
                    part: parts.get(&at).copied().unwrap_or_default(),
                }
            });
            let cut = cut.then(|| format!("Only the first {} lines are shown.", lines.len()));
            let (id, name, legend) = (format!("f{n}"), shown(name), legend(&lines));
            out.push(File { id, name, remark: remark.or(cut), legend, lines });
        }
        out
    }
}

/// The files that the execution and the checks of a result are in.
pub(crate) fn mentioned(result: &Value) -> impl Iterator<Item = &str> {
    let checks = result["checks"].as_array().into_iter().flatten();
    steps::path(result).iter().chain(checks).map(|at| text(at, "file"))
}

/// What is known of a line.
struct Known<'m> {
    marks: &'m [(State, String)],
    notes: Vec<String>,
    part: &'static str,
}

/// The signs and colours that stand at lines, in words.
fn legend(lines: &[Line]) -> Vec<(&'static str, &'static str, &'static str)> {
    let all = [
        ("\u{2713}", "safe", "a check that holds"),
        ("\u{2717}", "unsafe", "a check that fails"),
        ("?", "open", "a check that is not decided"),
        (sign("sliced"), "sliced", "left out: no check depends on what the line does"),
        (sign("unreachable"), "unreachable", "no execution comes here"),
    ];
    let is_there = |class: &str| lines.iter().any(|line| line.class == class || line.part == class);
    all.into_iter().filter(|(_, class, _)| is_there(class)).collect()
}

/// The sign of a line without a check.
fn sign(part: &str) -> &'static str {
    match part {
        "sliced" => "\u{2212}",
        "unreachable" => "\u{2205}",
        _ => "",
    }
}

/// The lines that are left out, and those that no execution reaches.
fn parts(result: &Value) -> BTreeMap<(&str, i64), &'static str> {
    let mut out = BTreeMap::new();
    for file in result["lines"].as_array().into_iter().flatten() {
        for part in ["sliced", "unreachable"] {
            for range in file[part].as_array().into_iter().flatten() {
                let (first, last) = (range[0].as_i64().unwrap_or(1), range[1].as_i64().unwrap_or(0));
                let lines = first..=last.min(LINES as i64);
                out.extend(lines.map(|line| ((text(file, "file"), line), part)));
            }
        }
    }
    out
}

/// The lines of a text, as many as there is room for, and whether some are left out.
fn lines<'m>(text: &str, left: &mut usize, known: impl Fn(i64) -> Known<'m>) -> (Vec<Line>, bool) {
    let mut out = vec![];
    for (n, line) in text.lines().enumerate() {
        if n >= LINES || line.len() > *left {
            return (out, true);
        }
        *left -= line.len();
        let Known { marks, notes, part } = known(n as i64 + 1);
        let rank = |state: &State| ["unsafe", "open", "safe"].iter().position(|c| *c == state.class);
        let worst = marks.iter().map(|(state, _)| state).min_by_key(|state| rank(state));
        let said: Vec<String> = marks.iter().map(|(s, what)| format!("{}: {what}", s.word)).collect();
        out.push(Line {
            number: n + 1,
            text: shown(line),
            sign: worst.map_or(sign(part), |s| s.sign),
            class: worst.map_or("", |s| s.class),
            title: said.join("\n"),
            notes,
            part,
        });
    }
    (out, false)
}

/// The answers about the checks of each line.
fn marks(result: &Value) -> BTreeMap<(&str, i64), Vec<(State, String)>> {
    let mut out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for check in result["checks"].as_array().into_iter().flatten() {
        let at = check["calls"].get(0).unwrap_or(check);
        let place = (text(at, "file"), at["line"].as_i64().unwrap_or(0));
        out.entry(place).or_default().push((State::of(check), shown(text(check, "message"))));
    }
    out
}

/// What holds at lines, and the predicates that were found for them.
pub(crate) fn notes(result: &Value) -> BTreeMap<(&str, i64), Vec<String>> {
    let mut out: BTreeMap<(&str, i64), Vec<String>> = BTreeMap::new();
    let mut add = |place: &'_ str, note: String| {
        if let Some((file, line)) = at(result, place) {
            let notes = out.entry((file, line)).or_default();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    };
    for invariant in result["invariants"].as_array().into_iter().flatten() {
        add(text(invariant, "place"), format!("invariant: {}", shown(text(invariant, "invariant"))));
    }
    for iteration in result["history"].as_array().into_iter().flatten() {
        for new in iteration["newton"]["new"].as_array().into_iter().flatten() {
            add(text(new, "place"), format!("predicate: {}", shown(text(new, "predicate"))));
        }
    }
    out
}

/// A place among those that the result has itself.
fn at<'v>(result: &'v Value, place: &str) -> Option<(&'v str, i64)> {
    let (file, line) = place.rsplit_once(':')?;
    let list = |field: &str| result[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = list("files").iter().map(|f| text(f, "name"));
    let known = own.chain(list("checks").iter().map(|c| text(c, "file"))).find(|name| *name == file)?;
    Some((known, line.parse().ok()?))
}
