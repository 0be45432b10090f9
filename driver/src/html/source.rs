//! The text of the program, with remarks beside its lines.

use super::words::{State, shown};
use crate::content::sha256;
use results::Outcome;
use results::check::Location;
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
    pub(super) fn of(result: &Outcome) -> Anchors {
        let mut seen = BTreeSet::new();
        let names = super::files(result).chain(mentioned(result));
        let names = names.filter(|name| !name.is_empty() && seen.insert(name.to_owned()));
        Anchors { names: names.map(str::to_owned).collect() }
    }

    /// Where a place is on the page.
    pub(super) fn anchor(&self, at: &Location) -> String {
        self.of_line(&at.file, at.line)
    }

    /// Where a line is on the page.
    pub(super) fn of_line(&self, file: &str, line: u32) -> String {
        let n = self.names.iter().position(|name| name == file);
        n.map_or_else(|| "source".into(), |n| format!("f{n}-{line}"))
    }

    /// The same of `file.c:12`.
    pub(super) fn short(&self, place: &str) -> String {
        let parts = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        parts.map_or_else(|| "source".into(), |(file, line)| self.of_line(file, line))
    }

    /// The files, read now.
    pub(super) fn files(&self, result: &Outcome) -> Vec<File> {
        let (marks, notes, parts) = (marks(result), notes(result), parts(result));
        let hash = |name: &str| {
            let mut files = [&result.files, &result.included].into_iter().flatten().flatten();
            files.find(|f| f.name == name).map(|f| f.sha256.as_str())
        };
        let mut left = BYTES;
        let own = super::files(result).count();
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
            let (id, name, legend) = (format!("f{n}"), name.clone(), legend(&lines));
            out.push(File { id, name, remark: remark.or(cut), legend, lines });
        }
        out
    }
}

/// The files that the execution and the checks of a result are in.
pub(crate) fn mentioned(result: &Outcome) -> impl Iterator<Item = &str> {
    let checks = result.checks().iter().map(|check| &check.at);
    result.path().iter().map(|line| &line.at).chain(checks).map(|at| at.file.as_str())
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
fn parts(result: &Outcome) -> BTreeMap<(&str, u32), &'static str> {
    let mut out = BTreeMap::new();
    for file in result.lines.iter().flatten() {
        for (part, ranges) in [("sliced", &file.sliced), ("unreachable", &file.unreachable)] {
            for [first, last] in ranges {
                let lines = *first..=(*last).min(LINES as u32);
                out.extend(lines.map(|line| ((file.file.as_str(), line), part)));
            }
        }
    }
    out
}

/// The lines of a text, as many as there is room for, and whether some are left out.
fn lines<'m>(text: &str, left: &mut usize, known: impl Fn(u32) -> Known<'m>) -> (Vec<Line>, bool) {
    let mut out = vec![];
    for (n, line) in text.lines().enumerate() {
        if n >= LINES || line.len() > *left {
            return (out, true);
        }
        *left -= line.len();
        let Known { marks, notes, part } = known(n as u32 + 1);
        let rank = |state: &State| ["unsafe", "open", "safe"].iter().position(|c| *c == state.class);
        let worst = marks.iter().map(|(state, _)| state).min_by_key(|state| rank(state));
        let said: Vec<String> = marks.iter().map(|(s, what)| format!("{}: {what}", s.word)).collect();
        out.push(Line {
            number: n + 1,
            text: line.to_owned(),
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
fn marks(result: &Outcome) -> BTreeMap<(&str, u32), Vec<(State, String)>> {
    let mut out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for check in result.checks() {
        let at = check.calls.as_ref().and_then(|calls| calls.first()).unwrap_or(&check.at);
        let mark = (State::of(check.verdict), check.message.clone());
        out.entry((at.file.as_str(), at.line)).or_default().push(mark);
    }
    out
}

/// What holds at lines, and the predicates that were found for them.
pub(crate) fn notes(result: &Outcome) -> BTreeMap<(&str, u32), Vec<String>> {
    let mut out: BTreeMap<(&str, u32), Vec<String>> = BTreeMap::new();
    let mut add = |place: &str, note: String| {
        if let Some(at) = at(result, place) {
            let notes = out.entry(at).or_default();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    };
    for invariant in result.invariants.iter().flatten() {
        add(&invariant.place, format!("invariant: {}", shown(&invariant.invariant)));
    }
    for new in result.history.iter().flat_map(|iteration| &iteration.newton).flat_map(|newton| &newton.new) {
        add(&new.place, format!("predicate: {}", shown(&new.predicate)));
    }
    out
}

/// A place among those that the result has itself.
fn at<'v>(result: &'v Outcome, place: &str) -> Option<(&'v str, u32)> {
    let (file, line) = place.rsplit_once(':')?;
    let checks = result.checks().iter().map(|check| check.at.file.as_str());
    let known = super::files(result).chain(checks).find(|name| *name == file)?;
    Some((known, line.parse().ok()?))
}
