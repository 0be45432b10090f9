//! The table of a batch, its sums, and the verdict of the whole.

use super::results::Record;
use base::styles::{self, Style, styled};
use cli::Verdict;
use cli::verdict::{EXIT_SAFE, EXIT_UNKNOWN};
use std::fmt::Write;

/// The results so far, in the order of the tasks.
pub(super) struct Table<'r> {
    tasks: usize,
    records: Vec<&'r Record>,
    /// What the tasks are.
    what: What,
}

/// What the tasks of a table are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// Programs.
    Tasks,
    /// Functions of one program.
    Functions,
    /// Rules for one program.
    Rules,
}

impl What {
    fn one(self) -> &'static str {
        match self {
            What::Tasks => "task",
            What::Functions => "function",
            What::Rules => "rule",
        }
    }
}

/// The line on standard error when a task has ended.
pub(super) fn progress(record: &Record, number: usize, of: usize) -> String {
    let kept = if record.kept { " (kept)" } else { "" };
    format!(
        "[{number}/{of}] {}: {}{kept}{}\n",
        base::shown(&record.row.task),
        styled(style(record), record.verdict()),
        remark(record)
    )
}

fn remark(record: &Record) -> &'static str {
    if record.right() == Some(false) { " WRONG" } else { "" }
}

fn expected(record: &Record) -> &'static str {
    match record.row.expected {
        Some(true) => "true",
        Some(false) => "false",
        None => "-",
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}"))
}

impl<'r> Table<'r> {
    /// The table of these results; tasks without one have not ended.
    pub(super) fn new(done: &'r [Option<Record>], what: What) -> Table<'r> {
        Table { tasks: done.len(), records: done.iter().flatten().collect(), what }
    }

    fn count(&self, word: &str) -> usize {
        self.records.iter().filter(|r| r.word() == word && !self.is_empty(r)).count()
    }

    /// Whether it is a function in which nothing is to be checked, which is not an error.
    fn is_empty(&self, record: &Record) -> bool {
        self.what == What::Functions && record.nothing_to_check()
    }

    /// The verdict as a line of the table has it.
    fn shown(&self, record: &Record) -> String {
        match record.verdict() {
            _ if self.is_empty(record) => "nothing to check".into(),
            verdict => format!("{}{}", verdict.split(" at ").next().unwrap_or(""), remark(record)),
        }
    }

    /// The task; of a function also where its error is.
    fn named(&self, record: &Record) -> String {
        let place = record.verdict().split_once(" at ").map(|(_, place)| place);
        match place.filter(|_| self.what != What::Tasks) {
            Some(place) => format!("{} (error at {place})", base::shown(&record.row.task)),
            None => base::shown(&record.row.task).to_string(),
        }
    }

    /// How many functions have nothing to check.
    fn empty(&self) -> usize {
        self.records.iter().filter(|r| self.is_empty(r)).count()
    }

    fn answers(&self, right: Option<bool>) -> usize {
        self.records.iter().filter(|r| r.row.expected.is_some() && r.right() == right).count()
    }

    /// The points of the competition on software verification, and the most that these tasks can give.
    fn score(&self) -> (i64, i64) {
        let points = |r: &&Record| match (r.right(), r.word()) {
            (Some(true), "SAFE") => 2,
            (Some(true), _) => 1,
            (Some(false), "SAFE") => -32,
            (Some(false), _) => -16,
            (None, _) => 0,
        };
        let best = |r: &&Record| r.row.expected.map_or(0, |holds| if holds { 2 } else { 1 });
        (self.records.iter().map(points).sum(), self.records.iter().map(best).sum())
    }

    fn cpu(&self) -> f64 {
        self.records.iter().filter_map(|r| r.row.cpu_s).fold(0.0, |sum, cpu| sum + cpu)
    }

    /// For `STAT` lines.
    pub(super) fn stats(&self) -> Vec<(String, String)> {
        let mut stats: Vec<(String, String)> = vec![("tasks".into(), self.tasks.to_string())];
        for word in ["SAFE", "UNSAFE", "UNKNOWN", "ERROR"] {
            stats.push((word.to_lowercase(), self.count(word).to_string()));
        }
        stats.push(("right".into(), self.answers(Some(true)).to_string()));
        stats.push(("wrong".into(), self.answers(Some(false)).to_string()));
        stats.push(("score".into(), self.score().0.to_string()));
        stats.push(("tasks-cpu-ms".into(), format!("{:.0}", 1000.0 * self.cpu())));
        stats
    }

    /// The table with its sums.
    pub(super) fn text(&self) -> String {
        let width = self.records.iter().map(|r| self.shown(r).len()).max().unwrap_or(0).max(7);
        let mut out = String::new();
        let what = self.what.one();
        let _ = writeln!(out, "{:width$}  expected    CPU s  elapsed s      MB  {what}", "verdict");
        for r in &self.records {
            let shown = self.shown(r);
            let gap = width.saturating_sub(shown.len());
            let _ = writeln!(
                out,
                "{}{:gap$}  {:8} {:>8} {:>10} {:>7}  {}",
                styled(style(r), &shown),
                "",
                expected(r),
                number(r.row.cpu_s, 2),
                number(Some(r.row.wall_s), 2),
                number(r.row.memory_mb, 0),
                self.named(r)
            );
        }
        out.push_str(&self.sums());
        out
    }

    fn sums(&self) -> String {
        let ended = self.records.len();
        let words = ["SAFE", "UNSAFE", "UNKNOWN", "ERROR"].map(|w| format!("{} {w}", self.count(w)));
        let mut out = format!(
            "{ended} of {} {}s: {}; {:.1} s CPU",
            self.tasks,
            self.what.one(),
            words.join(", "),
            self.cpu()
        );
        let empty = self.empty();
        if empty > 0 {
            let _ = write!(out, "; {empty} with nothing to check");
        }
        let kept = self.records.iter().filter(|r| r.kept).count();
        if kept > 0 {
            let _ = write!(out, "; {kept} kept from before");
        }
        out.push('\n');
        let known = self.records.iter().filter(|r| r.row.expected.is_some()).count();
        if known > 0 {
            let (score, best) = self.score();
            let _ = writeln!(
                out,
                "{known} with an expected verdict: {} right, {} wrong, {} not decided; score {score} of {best}",
                self.answers(Some(true)),
                self.answers(Some(false)),
                self.answers(None)
            );
        }
        out
    }

    /// The verdict of all: the first that is worse than the others, in the order error of ours, result that cannot be
    /// written, unsafe, refused input, unknown, safe. It is safe only where each task is.
    pub(super) fn verdict(&self) -> Verdict {
        let number = |count: usize| format!("{count} of {} {}s", self.tasks, self.what.one());
        let ended_with =
            |verdict: &Verdict| self.records.iter().any(|r| r.row.exit_code == verdict.exit_code());
        if let Some(worst) = [Verdict::Internal, Verdict::NotWritten].into_iter().find(ended_with) {
            return worst;
        }
        if let Some(found) = self.records.iter().find(|r| r.word() == "UNSAFE") {
            let text = found.verdict().trim_start_matches("UNSAFE(");
            let (kind, place) = text.split_once(") at ").unwrap_or((text, &found.row.task));
            return Verdict::Unsafe { kind: kind.into(), place: place.into() };
        }
        if self.what == What::Functions && !self.records.is_empty() && self.empty() == self.records.len() {
            return Verdict::Error(cfront::FailureKind::NoChecks.words().into());
        }
        if self.count("ERROR") > 0 {
            return Verdict::Error(number(self.count("ERROR")));
        }
        match self.tasks - self.count("SAFE") - self.empty() {
            0 => Verdict::Safe,
            open => Verdict::Unknown(number(open)),
        }
    }
}

/// How a verdict is shown.
fn style(record: &Record) -> Style {
    match record.row.exit_code {
        EXIT_SAFE => styles::GOOD,
        EXIT_UNKNOWN => styles::OPEN,
        _ => styles::BAD,
    }
}
