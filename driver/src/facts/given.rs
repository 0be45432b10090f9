//! The candidates of `--invariants`.

use super::Names;
use super::followed::Followed;
use super::read::Line;
use base::{Diagnostic, Span};
use bmc::can_bind;
use bmc::k_induction::Candidate;
use predicates::predicates_file::is_about_source;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use verify::Task;

/// The text of a file of candidates.
pub(crate) struct Text<'a> {
    /// The file.
    pub path: &'a Path,
    /// What is in it.
    pub text: &'a str,
}

impl Text<'_> {
    /// Whether somebody has written it, about the program as its source has it.
    pub(crate) fn is_about_source(&self) -> bool {
        is_about_source(self.text)
    }

    /// The words in it that may be variables, as a comment for the text of `--predicates`: what that names is not propagated
    /// away.
    pub(crate) fn named(&self) -> String {
        let lines = self.text.lines().filter_map(|line| line.split("//").next());
        let words: BTreeSet<&str> = lines
            .flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$'))
            .filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
            .collect();
        let words: Vec<&str> = words.into_iter().collect();
        format!("\n// named by --invariants: {}\n", words.join(" "))
    }
}

/// A line of the file.
pub(crate) struct GivenLine {
    /// The place, as the line calls it.
    pub place: String,
    /// The condition, as it stands.
    pub condition: String,
    /// Its candidates, by index.
    pub candidates: Range<usize>,
    /// It reads what the program is not followed for.
    pub is_sliced: bool,
}

/// What a file has given.
#[derive(Default)]
pub(crate) struct Given {
    /// The lines, in their order.
    pub lines: Vec<GivenLine>,
    /// All candidates.
    pub candidates: Vec<Candidate>,
}

/// Reads the candidates of a file about a task.
///
/// # Errors
/// The first mistake, at its place.
pub(crate) fn read(task: &mut Task, text: &Text<'_>) -> Result<Given, Diagnostic> {
    let file = task.sources.add(text.path.display().to_string(), Some(text.text.into()));
    let names = Names::of(task);
    let followed = Followed::of(task);
    let mut out = Given::default();
    for (n, line) in text.text.lines().enumerate() {
        if line.split("//").next().unwrap_or_default().trim().is_empty() {
            continue;
        }
        let located = |at: usize, len: usize, message: String| {
            let mut span = Span::at(file, n as u32 + 1, at as u32 + 1);
            span.end.col += len as u32;
            Diagnostic::error(span, message)
        };
        let parts = Line::of(line).map_err(|m| located(m.at, m.len, m.message))?;
        let found = parts.candidates(&names).map_err(|m| located(m.at, m.len, m.message))?;
        let (place, condition) = parts.told();
        let start = out.candidates.len();
        let mut is_sliced = false;
        for (p, l, (for_all, condition)) in found {
            if let Some(range) = &for_all
                && !can_bind(&task.program, &task.oracle, range.variable)
            {
                let name = &task.whole.vars[range.variable].name;
                let at = line.find(name.as_str()).unwrap_or_default();
                let message = format!("`{name}` cannot be bound: pointers may see it");
                return Err(located(at, name.len(), message));
            }
            let ends = for_all.iter().flat_map(|range| [&range.from, &range.to]);
            is_sliced |= ends.chain([&condition]).any(|e| !followed.covers(e));
            out.candidates.push(Candidate { at: (p, l), for_all, condition });
        }
        if is_sliced {
            out.candidates.truncate(start);
        }
        out.lines.push(GivenLine { place, condition, candidates: start..out.candidates.len(), is_sliced });
    }
    Ok(out)
}
