//! Observers of the loop's events: the log (`-v`), the files of `--save`, the figures of `--stats` and the progress
//! line.

mod figures;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod progress;
pub(crate) mod record;
mod refuted;
pub(crate) mod save;

use crate::prepare::Task;
use crate::report::listing::{Remark, listing, outcome};
use bmc::Unrolled;
use bmc::horn::Solved;
use cegar::{Event, Observer, Stage};
use cli::Session;
use history::History;
use ir::Path;
use log::Log;
use predicates::predicates_file::{self, FOUND};
use record::{More, Words};
use save::Saver;

/// See the module's documentation.
pub(crate) struct Watcher<'a, 'l> {
    /// The program.
    pub task: &'a Task,
    /// The run.
    pub session: &'a Session,
    /// The log.
    pub log: &'a mut Log<'l>,
    /// Where files of iterations go.
    pub saver: Option<&'a mut Saver>,
    /// How many predicates are known to be ignored.
    pub ignored: &'a mut usize,
    /// Whether the loop began with predicates that are about the source.
    pub about_source: bool,
    /// What the block of the iteration will show besides.
    pub more: More,
    /// What results tell of the iterations.
    pub history: &'a mut History,
}

impl Observer for Watcher<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Begins { iteration, stage, precision } => {
                self.session.doing(doing(iteration, stage));
                if stage == Stage::Abstraction {
                    let program = &self.task.program;
                    let head = if self.about_source { "" } else { FOUND };
                    let text = || format!("{head}{}", predicates_file::print(program, precision));
                    self.save(iteration, "predicates.preds", text);
                }
            }
            Event::Abstracted { iteration, precision, abstraction, before } => {
                if let Some(before) = before.filter(|_| self.log.paths()) {
                    self.more.changes = c2bp::diff::diff(before, &abstraction.program);
                }
                if *self.ignored < abstraction.ignored.len() {
                    *self.ignored = abstraction.ignored.len();
                    let words = Words { task: self.task, precision };
                    let names = abstraction.ignored.iter().map(|id| format!("{{{}}}", words.predicate(*id)));
                    let names: Vec<String> = names.collect();
                    self.log
                        .note(&format!("ignored, since they read what has no model: {}", names.join(", ")));
                }
                self.save(iteration, "abstraction.bp", || bp::print(&abstraction.program));
                self.history.abstracted(before, &abstraction.program);
            }
            Event::Reached { iteration, number, path } => self.save_path(iteration, number, path),
            Event::Refuted { path, core, refuted } => {
                if self.log.paths() {
                    self.more.path = path_text(self.task, path, core);
                }
                let why = || refuted::refuted(self.task, path, refuted);
                self.history.refuted(|| path_text(self.task, path, core), why);
            }
            Event::Unrolled { turns, guess, answer } => self.log.note(&unrolled(turns, guess, answer)),
            Event::Solved { solved } => self.log.note(&solution(solved)),
            Event::Inducted { turns, candidates, proved } => {
                self.log.note(&inducted(turns, candidates, proved));
            }
            Event::Iteration { record, precision, totals } => {
                let words = Words { task: self.task, precision };
                let more = std::mem::take(&mut self.more);
                self.log.iteration(|| words.block(record, &more));
                let text = words.refinement_text(record);
                if !text.is_empty() {
                    self.save(record.number, "refinement.txt", || text);
                }
                let saved = self.saver.as_mut().map_or(Ok(()), |s| s.record(words, record));
                self.kept(saved);
                self.history.iteration(figures::iteration(words, record), &words.of_path(record));
                self.session.set_stats(figures::stats(totals, record, precision.len()));
            }
        }
    }
}

impl Watcher<'_, '_> {
    /// Writes one file of an iteration, if that is wanted.
    fn save(&mut self, iteration: usize, name: &str, text: impl FnOnce() -> String) {
        let saved = self.saver.as_ref().map_or(Ok(()), |s| s.file(iteration, name, &text()));
        self.kept(saved);
    }

    /// Writes a path of an iteration.
    fn save_path(&mut self, iteration: usize, number: usize, path: &Path) {
        let task = self.task;
        let text = || newton::path_text::print(&task.whole, path, &[]);
        if number == 1 {
            self.save(iteration, "trace.txt", text);
        }
        self.save(iteration, &format!("trace-{number}.txt"), text);
    }

    /// Reports that a file of `--save` cannot be written.
    fn kept(&mut self, saved: std::io::Result<()>) {
        if let Err(why) = saved {
            self.log.error(&format!("--save: {why}"));
            self.session.set_lost();
        }
    }
}

/// What is being done, for the line on the terminal.
fn doing(iteration: usize, stage: Stage) -> String {
    match stage {
        Stage::Abstraction => format!("iteration {iteration}, c2bp"),
        Stage::Reachability => format!("iteration {iteration}, bebop"),
        Stage::Refinement => format!("iteration {iteration}, newton"),
        Stage::Unrolling => format!("iteration {iteration}, unrolling"),
        Stage::Induction => format!("iteration {iteration}, induction"),
        Stage::Replay => "the replay of a counterexample".into(),
    }
}

/// What unrolling the program gave.
fn unrolled(turns: usize, guess: bool, answer: &Unrolled) -> String {
    let what = match answer {
        Unrolled::Safe(_) => "no check fails, and no execution goes further",
        Unrolled::Fails(_) => "a check may fail",
        Unrolled::Beyond => "no check fails",
        Unrolled::Undecided => "executions go further; whether a check fails is not known",
        Unrolled::Hard { ends: true } => {
            "no execution goes further; whether a check fails is too much work for now"
        }
        Unrolled::Hard { ends: false } => {
            "whether executions go further, or a check fails, is too much work for now"
        }
        Unrolled::GaveUp => "too much work for now",
    };
    let guess = if guess { ", as in runs of the interpreter" } else { "" };
    format!("unrolled: up to {turns} turns of each loop{guess}: {what}")
}

/// What came of the program's Horn clauses.
fn solution(solved: &Solved) -> String {
    let what = match solved {
        Solved::Candidates(all) => format!("a solution of {}", record::count(all.len(), "condition")),
        Solved::GaveUp => "too much work for now".into(),
        Solved::Nothing => "no solution".into(),
    };
    format!("Horn clauses: {what}")
}

/// What induction gave.
fn inducted(turns: usize, (candidates, kept): (usize, usize), proved: Option<bool>) -> String {
    let what = match proved {
        Some(true) => "all checks hold",
        Some(false) => "some check is not implied",
        None => return format!("induction over {}: too much work", record::count(turns, "turn")),
    };
    format!(
        "induction over {}: {kept} of {} hold; {what}",
        record::count(turns, "turn"),
        record::count(candidates, "candidate")
    )
}

/// The path with the steps of the core marked.
pub(crate) fn path_text(task: &Task, path: &Path, core: &[usize]) -> String {
    listing(task.source(), path, |i| Remark {
        outcome: outcome(&task.program, &path.steps[i]),
        mark: core.binary_search(&i).is_ok(),
        ..Remark::default()
    })
}
