//! Observers of the loop's events: the log (`-v`), the files of `--save`, the figures of `--stats` and the progress
//! line.

mod figures;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod progress;
pub(crate) mod record;
mod refuted;
pub(crate) mod save;

use crate::options::Check;
use crate::report::listing::{Remark, Source, listing, outcome};
use crate::report::{self, Certificate};
use bmc::Unrolled;
use bmc::horn::Solved;
use cli::Session;
use executions::random::Probed;
use history::History;
use ir::{CheckId, Path};
use log::Log;
use predicates::Precision;
use predicates::predicates_file::{self, FOUND};
use record::{More, Words, count};
use save::Saver;
use verify::cegar::{Conclusion, Event as LoopEvent, Stage};
use verify::{Checks, Event, Method, Observer, Task};

/// See the module's documentation.
pub(crate) struct Watcher<'a, 'l> {
    /// The run.
    pub session: &'a Session,
    /// Its options.
    pub options: &'a Check,
    /// The log.
    pub log: Log<'l>,
    /// Where files of iterations go.
    pub saver: Option<Saver>,
    /// How many predicates are known to be ignored.
    pub ignored: usize,
    /// Whether the loop began with predicates that are about the source.
    pub about_source: bool,
    /// What the block of the iteration will show besides.
    pub more: More,
    /// What results tell of the iterations.
    pub history: History,
    /// The predicates at the end of the loop.
    pub last: Option<Precision>,
}

impl Observer for Watcher<'_, '_> {
    fn event(&mut self, event: &Event<'_>, (task, checks): (&Task, &Checks)) {
        match *event {
            Event::Begins(method) => self.session.doing(begins(method)),
            Event::Loop(event) => self.of_loop(event, task),
            Event::LoopEnded { precision, cache } => self.loop_ended(task, precision, cache),
            Event::Warning(diagnostic) => self.log.diagnostic(diagnostic, &task.sources),
            Event::Executed(probed) => self.log.note(&executed(probed)),
            Event::Undefined(access) => {
                let answer = report::undefined(task, access, false, self.session.stop());
                self.session.set_certain(answer.body, answer.verdict);
            }
            Event::SingleExecution(only) => {
                self.log.note(&format!(
                    "the program asks for no input: if the loop finds no invariants, its only execution ({}) decides",
                    count(only.steps as usize, "step")
                ));
                let answer = report::only(task, checks, *only, Certificate::default());
                self.session.set_certain(answer.body, answer.verdict);
            }
            Event::HoldByBounds { checks, of } => self.log.note(&format!(
                "bounds of integers: {checks} of {} hold",
                count(of, "added check")
            )),
            Event::HoldsByBounds(check) => self.about(task, check, "holds by bounds of integers"),
            Event::HoldByInduction(held) => self.log.note(&format!(
                "induction over {}: {} more hold",
                count(held.inductive.turns, "turn"),
                count(held.checks.len(), "check")
            )),
            Event::Fails(check) => {
                self.about(task, check, "fails");
                if let Some(certain) = report::failures(task, checks) {
                    self.session.set_certain(certain.body, certain.verdict);
                }
            }
            Event::NotDecided(check, reason) => {
                self.about(task, check, &format!("is not decided ({})", reason.word()));
            }
            Event::Waits(check) => self.about(task, check, "has to wait for other checks"),
            Event::Undecided(failure) => {
                let conclusion = Conclusion::Unknown(failure.clone());
                let answer = report::answer(task, checks, &conclusion, (self.options, self.session));
                self.session.set_certain(answer.body, answer.verdict);
            }
            Event::LeavesOutUnmodelled => self
                .log
                .note("something that is not modelled is reached: again without what leads there"),
            Event::SwitchesToBits(why) => self.log.note(&format!(
                "the counterexample used what mathematical integers over-approximate ({why}): again with bit-vectors"
            )),
            Event::NoInvariants(reason) => {
                self.log.note(&format!("no invariants ({}): the only execution decides", reason.word()));
            }
            Event::Safe(proof) => {
                let proof = Some((proof, Certificate::default()));
                let answer = report::all(task, checks, proof, (self.options, self.session));
                self.session.set_certain(answer.body, answer.verdict);
            }
        }
    }
}

impl Watcher<'_, '_> {
    fn of_loop(&mut self, event: &LoopEvent<'_>, task: &Task) {
        match *event {
            LoopEvent::Begins { iteration, stage, precision } => {
                self.session.doing(doing(iteration, stage));
                if stage == Stage::Abstraction {
                    let program = &task.program;
                    let head = if self.about_source { "" } else { FOUND };
                    let text = || format!("{head}{}", predicates_file::print(program, precision));
                    self.save(iteration, "predicates.preds", text);
                }
            }
            LoopEvent::Takes { step, effort } => self.log.note(&match effort.as_questions() {
                0 => format!("plan: {step}"),
                questions => {
                    format!("plan: {step}, with the effort of {}", count(questions as usize, "question"))
                }
            }),
            LoopEvent::Abstracted { iteration, precision, abstraction, before } => {
                if let Some(before) = before.filter(|_| self.log.paths()) {
                    self.more.changes = c2bp::diff::diff(before, &abstraction.program);
                }
                if self.ignored < abstraction.ignored.len() {
                    self.ignored = abstraction.ignored.len();
                    let words = Words { task, precision };
                    let names = abstraction.ignored.iter().map(|id| format!("{{{}}}", words.predicate(*id)));
                    let names: Vec<String> = names.collect();
                    self.log
                        .note(&format!("ignored, since they read what has no model: {}", names.join(", ")));
                }
                self.save(iteration, "abstraction.bp", || bp::print(&abstraction.program));
                self.history.abstracted(before, &abstraction.program);
            }
            LoopEvent::Reached { iteration, number, path } => self.save_path(task, iteration, number, path),
            LoopEvent::Refuted { path, core, refuted } => {
                if self.log.paths() {
                    self.more.path = path_text(task, path, core);
                }
                let why = || refuted::refuted(task, path, refuted);
                self.history.refuted(|| path_text(task, path, core), why);
            }
            LoopEvent::Unrolled { turns, guess, answer } => self.log.note(&unrolled(turns, guess, answer)),
            LoopEvent::Solved { solved } => self.log.note(&solution(solved)),
            LoopEvent::Inducted { turns, candidates, proved } => {
                self.log.note(&inducted(turns, candidates, proved));
            }
            LoopEvent::Iteration { record, precision, totals } => {
                let words = Words { task, precision };
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

    /// Keeps what the loop leaves behind.
    fn loop_ended(&mut self, task: &Task, precision: &Precision, cache: &c2bp::Cache) {
        let options = self.options;
        if let (Some(path), Some(text)) = (&options.refinement.query_cache, cache.stored_text())
            && let Err(e) = cli::write_atomically(path, text.as_bytes())
        {
            self.log.warning(&format!("cannot write {}: {e}", path.display()));
        }
        if let Some(file) = &options.dump_predicates {
            let text = predicates_file::print(&task.program, precision);
            self.session.write_later(file, format!("{FOUND}{text}"));
        }
        if options.html_full {
            self.last = Some(precision.clone());
        }
    }

    /// Reports that `--save` has nothing to keep, and why.
    pub(crate) fn note_unsaved(&mut self) {
        let Some(saver) = self.saver.as_ref().filter(|saver| saver.is_empty()) else { return };
        if let Err(why) = saver.tables() {
            self.log.error(&format!("--save: {why}"));
            self.session.set_lost();
        }
        let why = match self.session.stopped() {
            true => "the run was stopped before the first one",
            false => {
                "concrete executions decided before the first one; --tune without=executions leaves them out"
            }
        };
        self.log.remark(&format!("--save: no iteration to save: {why}"));
    }

    /// Says something of a check in the log.
    fn about(&mut self, task: &Task, check: CheckId, what: &str) {
        let check = &task.whole.checks[check];
        self.log.note(&format!("{} ({}) {what}", task.sources.short(check.span), check.message));
    }

    /// Writes one file of an iteration, if that is wanted.
    fn save(&mut self, iteration: usize, name: &str, text: impl FnOnce() -> String) {
        let saved = self.saver.as_ref().map_or(Ok(()), |s| s.file(iteration, name, &text()));
        self.kept(saved);
    }

    /// Writes a path of an iteration.
    fn save_path(&mut self, task: &Task, iteration: usize, number: usize, path: &Path) {
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

/// What is being done before and after the loop, for the line on the terminal.
fn begins(method: Method) -> &'static str {
    match method {
        Method::Bounds => "bounds of integers",
        Method::Defined => "whether a defined execution reaches a check",
        _ => "concrete executions",
    }
}

/// What executions gave before the loop.
fn executed(probed: &Probed) -> String {
    match probed.failing {
        Some(_) => format!("probe: execution {} fails a check", probed.runs),
        None => {
            let (runs, steps) = (count(probed.runs, "execution"), count(probed.steps as usize, "step"));
            format!("probe: {runs}, {steps}, no check fails")
        }
    }
}

/// What is being done in the loop, for the line on the terminal.
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
        Solved::Candidates(all) => format!("a solution of {}", count(all.len(), "condition")),
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
        None => return format!("induction over {}: too much work", count(turns, "turn")),
    };
    format!(
        "induction over {}: {kept} of {} hold; {what}",
        count(turns, "turn"),
        count(candidates, "candidate")
    )
}

/// The path with the steps of the core marked.
pub(crate) fn path_text(task: &Task, path: &Path, core: &[usize]) -> String {
    listing(Source::of(task), path, |i| Remark {
        outcome: outcome(&task.program, &path.steps[i]),
        mark: core.binary_search(&i).is_ok(),
        ..Remark::default()
    })
}
