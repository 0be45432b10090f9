//! Why a run has no answer: where it got stuck, and what was tried.

use super::Options;
use crate::facts;
use crate::observers::path_text;
use crate::observers::record::{Words, count, escalation, refined_answer, time};
use crate::report::listing::{Lines, Remark, Source, lines, outcome};
use crate::report::speech::{Foreign, Foreigner, is_named, plain, spoken};
use cli::{Session, StopReason};
use ir::{LocId, ProcId};
use predicates::Scope;
use results::unknown::{self, Advice, Explanation};
use std::fmt::Write;
use std::time::Duration;
use verify::Task;
use verify::cegar::{Attempt, Cycle, Failure, Found, History, Reason};

/// Predicates named in one line at most.
const PREDICATES: usize = 6;

/// Steps of a suspected path that are shown from each end.
const SUSPECTED: usize = 12;

/// Iterations listed at most.
const ATTEMPTS: usize = 12;

/// Where the run got stuck.
pub(super) struct Stuck {
    /// A sentence without its full stop.
    what: String,
    /// What the last paths go through more and more often.
    pub(super) cycle: Option<Cycle>,
    /// How often the last paths went through it.
    turns: Vec<usize>,
    /// The predicates that these gave.
    predicates: Vec<String>,
}

/// See the module's documentation.
pub(super) struct Explained<'a> {
    pub(super) task: &'a Task,
    pub(super) options: &'a Options,
    pub(super) failure: &'a Failure,
    pub(super) stop: Option<StopReason>,
    pub(super) stuck: Option<Stuck>,
    next: Vec<Advice>,
}

impl<'a> Explained<'a> {
    pub(super) fn new(
        task: &'a Task,
        (options, session): (&'a Options, &Session),
        failure: &'a Failure,
    ) -> Explained<'a> {
        let mut out = Explained { task, options, failure, stop: session.reason(), stuck: None, next: vec![] };
        out.stuck = out.stuck();
        out.next = out.advice();
        out
    }

    /// A few lines that every such answer has.
    pub(super) fn brief(&self) -> String {
        let failure = self.failure;
        let mut out = String::new();
        if let Some(lines) = self.suspected("<-- ") {
            out.push_str("  suspected, but not confirmed, is this path:\n");
            out.push_str(&lines.layout(&self.task.sources, SUSPECTED));
        }
        if let Some(stuck) = &self.stuck {
            let _ = writeln!(out, "  stuck: {}", stuck.what);
            if let Some(cycle) = stuck.cycle {
                let turns: Vec<String> = stuck.turns.iter().map(ToString::to_string).collect();
                let _ =
                    writeln!(out, "  last refuted paths: {} times {}", turns.join(", "), self.place(cycle));
            }
        }
        let refiners: Vec<&str> = failure.history.refiners().map(newton::Refiner::name).collect();
        let refiners = if refiners.is_empty() { String::new() } else { format!("; {}", refiners.join(", ")) };
        let _ = writeln!(
            out,
            "  tried: {}, {}{refiners}",
            count(failure.iterations, "iteration"),
            count(failure.precision.len(), "predicate")
        );
        let last: Vec<String> = match &self.stuck {
            Some(stuck) if !stuck.predicates.is_empty() => stuck.predicates.clone(),
            _ => self.named(failure.history.last_found()),
        };
        if !last.is_empty() {
            let _ = writeln!(out, "  predicates added last: {}", listed(&last));
        }
        for (i, advice) in self.next.iter().enumerate() {
            let _ = writeln!(out, "  {} {text}", if i == 0 { "next:" } else { "     " }, text = advice.text);
        }
        out
    }

    /// The path that was taken for an execution, and where the execution with its inputs leaves it; none where there is no
    /// such path. `sign` comes before what is said of a step.
    fn suspected(&self, sign: &str) -> Option<Lines> {
        let (Reason::NotReplayed { followed, .. }, Some((path, _))) =
            (&self.failure.reason, self.failure.history.path())
        else {
            return None;
        };
        let last = path.steps.len().saturating_sub(1);
        Some(lines(Source::of(self.task), path, |i| {
            let leaves = i == *followed && i < last;
            let note = match i {
                _ if leaves => Some("the execution goes on differently"),
                _ if i == last => Some("suspected"),
                _ => None,
            };
            Remark {
                outcome: outcome(&self.task.program, &path.steps[i]),
                notes: note.map(|note| format!("{sign}{note}")).into_iter().collect(),
                keep: leaves,
                ..Remark::default()
            }
        }))
    }

    /// What `--explain-unknown` adds.
    pub(super) fn full(&self) -> String {
        let history = &self.failure.history;
        let mut out = String::new();
        if let Some(check) = self.failure.check {
            let check = &self.task.program.checks[check];
            let place = self.task.sources.short(check.span);
            let _ = writeln!(out, "  the check: {place} ({})", check.message);
        }
        let _ = writeln!(out, "  time: {}", self.shares());
        let escalations = history.escalations();
        if !escalations.is_empty() {
            out.push_str("  for lack of new predicates:\n");
            escalations.into_iter().for_each(|e| _ = writeln!(out, "    {}", escalation(e)));
        }
        out.push_str(&plan(history));
        let attempts: Vec<&Attempt> = history.attempts().collect();
        let shown = &attempts[attempts.len().saturating_sub(ATTEMPTS)..];
        if !shown.is_empty() {
            out.push_str("  the last iterations:\n");
        }
        for attempt in shown {
            out.push_str(&self.attempt(attempt));
        }
        out.push_str(&facts::not_shown(self.task, &self.failure.candidates));
        if let Some((path, core)) = history.path() {
            out.push_str("  the last path (* marks steps that contradict each other):\n");
            out.push_str(&path_text(self.task, path, core));
        }
        out
    }

    /// As results have it.
    pub(super) fn explanation(&self) -> Explanation {
        let history = &self.failure.history;
        let attempt = |a: &Attempt| unknown::Attempt {
            iteration: a.iteration,
            steps: a.steps,
            answer: answer(a),
            repeated: a.repeated,
            new: a.found().iter().map(|f| self.words().predicate(f.predicate)).collect(),
            impossible: blocked(a),
            escalation: a.refined.as_ref().and_then(|r| r.escalation).map(escalation),
            turns: a.turns.iter().map(|(c, n)| (self.place(*c), *n)).collect(),
        };
        Explanation {
            stuck: self.stuck.as_ref().map(|s| s.what.clone()),
            refiners: history.refiners().map(|refiner| refiner.name().into()).collect(),
            suspected: self.suspected("").map(|lines| lines.all(Source::of(self.task))),
            next: self.next.clone(),
            last_iterations: history.attempts().map(attempt).collect(),
            candidates: facts::candidates(self.task, &self.failure.candidates),
        }
    }

    fn attempt(&self, a: &Attempt) -> String {
        let answer = answer(a);
        let answer = if answer.is_empty() { "path" } else { &answer };
        let mut line = format!("    {:<4} {answer}", a.iteration);
        for (cycle, turns) in &a.turns {
            let often = match turns {
                1 => "once".to_owned(),
                n => format!("{n} times"),
            };
            let _ = write!(line, "; {often} {}", self.place(*cycle));
        }
        if a.repeated {
            line.push_str("; the path of the iteration before");
        }
        line.push('\n');
        let found = self.named(a.found());
        if !found.is_empty() {
            let _ = writeln!(line, "         + {}", listed(&found));
        }
        if blocked(a) > 0 {
            let _ = writeln!(line, "         - {}", count(blocked(a), "blocked cube"));
        }
        line
    }

    fn shares(&self) -> String {
        let times = &self.failure.times;
        let all: Duration = times.iter().map(|(_, t)| *t).sum();
        let percent = |t: Duration| (100.0 * t.as_secs_f64() / all.as_secs_f64().max(1e-9)).round();
        let each: Vec<String> =
            times.iter().map(|(stage, t)| format!("{stage} {} ({} %)", time(*t), percent(*t))).collect();
        each.join(", ")
    }

    fn words(&self) -> Words<'_> {
        Words { task: self.task, precision: &self.failure.precision }
    }

    fn named(&self, found: &[Found]) -> Vec<String> {
        if found.is_empty() {
            return vec![];
        }
        let spoken = spoken(self.task);
        let one = |found: &Found| {
            let predicate = self.failure.precision.get(found.predicate);
            let scope = match predicate.scope {
                Scope::Global => "global",
                Scope::Proc(p) if spoken.procs[p].is_model() || p == spoken.entry => return None,
                Scope::Proc(p) => &spoken.procs[p].name,
            };
            let named = is_named(self.task, &predicate.expr);
            named.then(|| format!("{{{}}} in {scope}", plain(&spoken, &predicate.expr)))
        };
        found.iter().filter_map(one).collect()
    }

    /// Where the loop with this head stands.
    pub(super) fn head(&self, p: ProcId, l: LocId) -> String {
        self.task.sources.short(self.task.program.procs[p].locations[l].span)
    }

    /// A loop, as the subject of a sentence.
    fn one_loop(&self, p: ProcId, l: LocId) -> String {
        match Foreigner::new(self.task).of(p) {
            None => format!("the loop at {}", self.head(p, l)),
            Some(Foreign::Models { functions, .. }) => {
                let functions: Vec<String> = functions.into_iter().collect();
                format!("a loop in the model of {}", functions.join(" and "))
            }
            Some(Foreign::Arguments { .. }) => "a loop over the arguments of main".to_owned(),
        }
    }

    fn place(&self, cycle: Cycle) -> String {
        match cycle {
            Cycle::Loop(p, l) => format!("round {}", self.one_loop(p, l)),
            Cycle::Recursion(p) => format!("{} inside of itself", self.task.program.procs[p].name),
        }
    }

    fn stuck(&self) -> Option<Stuck> {
        let history = &self.failure.history;
        if let Some((cycle, turns)) = history.unrolled() {
            let what = match cycle {
                Cycle::Loop(p, l) => format!("{} asks for one more iteration each time", self.one_loop(p, l)),
                Cycle::Recursion(p) => {
                    let name = &self.task.program.procs[p].name;
                    format!("{name} asks for one more call of itself each time")
                }
            };
            let mut found: Vec<Found> =
                history.attempts().rev().take(turns.len()).flat_map(|a| a.found()).copied().collect();
            found.reverse();
            let turns = turns[turns.len().saturating_sub(4)..].to_vec();
            return Some(Stuck { what, cycle: Some(cycle), turns, predicates: self.named(&found) });
        }
        let repetitions = history.repetitions();
        (repetitions >= 3).then(|| Stuck {
            what: format!(
                "the same path has come {repetitions} times, though new predicates were to refute it"
            ),
            cycle: None,
            turns: vec![],
            predicates: vec![],
        })
    }
}

/// The result of the analysis of an attempt's paths; empty when there was none.
fn answer(a: &Attempt) -> String {
    a.refined.as_ref().map_or(String::new(), refined_answer)
}

/// How many cubes it has blocked.
fn blocked(a: &Attempt) -> usize {
    a.refined.as_ref().map_or(0, |refined| refined.blocked.len())
}

pub(super) fn listed(texts: &[String]) -> String {
    let more = texts.len().saturating_sub(PREDICATES);
    let shown = texts[more..].join(", ");
    if more > 0 { format!("{shown} (and {more} earlier)") } else { shown }
}

/// The steps of the plan that were taken beside the iterations, and when.
fn plan(history: &History) -> String {
    let mut out = String::new();
    for (step, times) in history.taken() {
        if out.is_empty() {
            out.push_str("  steps of the plan that were taken beside the iterations:\n");
        }
        let when: Vec<String> = step.when.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "    {step} ({}): {}", when.join("; "), count(times, "time"));
    }
    out
}
