//! Why a run has no answer: where it got stuck, what was tried, and what the user may try next.
//!
//! Advice names options that exist and places of the program; what cannot help in this run is not mentioned.

use super::Options;
use crate::observers::path_text;
use crate::observers::record::{Words, count, escalation, refined_answer, time};
use crate::options::Refiner;
use crate::prepare::Task;
use crate::report::listing::shortened;
use crate::report::speech::{is_named, loop_place, plain, spoken};
use cegar::{Attempt, Cycle, Failure, Found, Reason};
use cli::{Session, StopReason};
use cmm::{Base, BinOp, Expr, LocId, Op, Path, PathStep, ProcId};
use newton::GaveUp;
use pred::{IntMode, Scope};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// Predicates named in one line at most.
const PREDICATES: usize = 6;

/// Iterations listed at most.
const ATTEMPTS: usize = 12;

/// Where the run got stuck.
struct Stuck {
    /// A sentence without its full stop.
    what: String,
    /// What the last paths go through more and more often.
    cycle: Option<Cycle>,
    /// How often the last paths went through it.
    turns: Vec<usize>,
    /// The predicates that these gave.
    predicates: Vec<String>,
}

/// See the module's documentation.
pub(super) struct Explained<'a> {
    task: &'a Task,
    options: &'a Options,
    failure: &'a Failure,
    stop: Option<StopReason>,
    stuck: Option<Stuck>,
    next: Vec<String>,
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
            let _ = writeln!(out, "  {} {advice}", if i == 0 { "next:" } else { "     " });
        }
        out
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
        let attempts: Vec<&Attempt> = history.attempts().collect();
        let shown = &attempts[attempts.len().saturating_sub(ATTEMPTS)..];
        if !shown.is_empty() {
            out.push_str("  the last iterations:\n");
        }
        for attempt in shown {
            out.push_str(&self.attempt(attempt));
        }
        if let Some((path, core)) = history.path() {
            out.push_str("  the last path (* marks steps that contradict each other):\n");
            out.push_str(&path_text(self.task, path, core));
        }
        out
    }

    /// For `--json`.
    pub(super) fn json(&self) -> serde_json::Value {
        let history = &self.failure.history;
        let attempt = |a: &Attempt| {
            serde_json::json!({
                "iteration": a.iteration, "steps": a.steps, "answer": answer(a), "repeated": a.repeated,
                "new": a.found().iter().map(|f| self.words().found(f).text).collect::<Vec<_>>(),
                "impossible": blocked(a),
                "escalation": a.refined.as_ref().and_then(|r| r.escalation).map(escalation),
                "turns": a.turns.iter().map(|(c, n)| (self.place(*c), (*n).into()))
                    .collect::<serde_json::Map<_, _>>(),
            })
        };
        serde_json::json!({
            "stuck": self.stuck.as_ref().map(|s| s.what.clone()),
            "refiners": history.refiners().map(newton::Refiner::name).collect::<Vec<_>>(),
            "next": self.next,
            "last_iterations": history.attempts().map(attempt).collect::<Vec<_>>(),
        })
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
    fn head(&self, p: ProcId, l: LocId) -> String {
        loop_place(self.task, p, l)
    }

    fn place(&self, cycle: Cycle) -> String {
        let program = &self.task.program;
        match cycle {
            Cycle::Loop(p, l) => format!("round the loop at {}", self.head(p, l)),
            Cycle::Recursion(p) => format!("{} inside of itself", program.procs[p].name),
        }
    }

    fn stuck(&self) -> Option<Stuck> {
        let history = &self.failure.history;
        if let Some((cycle, turns)) = history.unrolled() {
            let what = match cycle {
                Cycle::Loop(p, l) => {
                    format!("the loop at {} asks for one more turn each time", self.head(p, l))
                }
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

    /// What may help, the most likely first.
    fn advice(&self) -> Vec<String> {
        let mut out = vec![];
        let refinement = &self.options.refinement;
        let reason = &self.failure.reason;
        let is_limit = matches!(reason, Reason::Stopped | Reason::Iterations);
        let no_progress = matches!(reason, Reason::NoProgress | Reason::StandsStill);
        let not_replayed = matches!(reason, Reason::NotReplayed { .. });
        let gave_up = matches!(reason, Reason::GaveUp(GaveUp::Prover(_)));
        let lacks_predicates = (is_limit && self.stuck.is_some()) || no_progress;
        if lacks_predicates {
            out.push(format!(
                "give a predicate{} (--predicates FILE; --dump-predicates FILE writes what was found)",
                self.wanted()
            ));
            if refinement.refiner != Refiner::Auto {
                out.push("let all refiners try: --refiner auto".to_owned());
            }
        }
        if no_progress {
            let cube = self.failure.max_cube;
            out.push(format!("longer conjunctions: --max-cube {} (now {cube})", cube + 4));
        }
        let product = self.product();
        if let Some(product) = product.as_ref().filter(|_| gave_up || lacks_predicates) {
            out.push(format!("{product} multiplies variables, which provers are weak at: bound one of them"));
        }
        let no_bits = self.task.mode == IntMode::Math;
        if no_bits && (no_progress || not_replayed || gave_up) {
            out.push("integers as bit-vectors: --integers bits".to_owned());
        }
        if not_replayed && !self.task.externs.is_empty() {
            out.push(format!("say what {} do: --model FILE.c", listed(&self.task.externs)));
        }
        if matches!(reason, Reason::Callback(_) | Reason::NotModelled(_)) {
            out.push(
                "take the place of the function that is not modelled by one of your own: --model FILE.c"
                    .into(),
            );
        }
        self.more_of(reason, &mut out);
        let others = self.task.program.checks.len() > 1;
        if let Some(check) = self.failure.check.filter(|_| others && !self.options.selection.check_all) {
            let line = self.task.program.checks[check].span.start.line;
            out.push(format!("the other checks: --check-all; this one alone: --only {line}"));
        }
        if !self.options.explain_unknown && self.failure.history.path().is_some() {
            out.push("--explain-unknown shows the last path and what was learned from each".to_owned());
        }
        out
    }

    /// More of what has run out, and how to need less.
    fn more_of(&self, reason: &Reason, out: &mut Vec<String>) {
        let (limits, refinement) = (&self.options.limits, &self.options.refinement);
        match reason {
            Reason::Stopped if self.stop == Some(StopReason::Time) => {
                let now =
                    limits.time_limit.map_or(String::new(), |t| format!(" (now {} s)", t.as_secs_f64()));
                out.push(format!("more time: --time-limit TIME{now}"));
                let [(_, c2bp), (_, bebop), (_, newton)] = self.failure.times;
                if c2bp > 2 * (bebop + newton) {
                    if refinement.max_cube > 1 {
                        out.push(format!(
                            "most of it went to the abstraction: --max-cube {} is coarser and faster",
                            refinement.max_cube - 1
                        ));
                    }
                    if refinement.query_cache.is_none() {
                        out.push("keep what was worked out for the next run: --query-cache FILE".to_owned());
                    }
                }
            }
            Reason::Stopped if self.stop == Some(StopReason::Memory) => {
                out.push("more memory: --memory-limit SIZE".to_owned())
            }
            Reason::Iterations => {
                out.push(format!("more iterations: --max-iterations N (now {})", refinement.max_iterations));
            }
            Reason::PathLength(_) | Reason::GaveUp(GaveUp::PathLength { .. }) | Reason::Size(_) => {
                out.push("smaller bounds of loops and arrays, where the program allows them".to_owned());
            }
            _ => {}
        }
    }

    /// The variables that a predicate should relate: those of the predicates found last.
    fn wanted(&self) -> String {
        let attempts = self.failure.history.attempts().rev().take(3);
        let (program, mut names) = (&self.task.program, BTreeSet::new());
        for found in attempts.flat_map(Attempt::found) {
            pred::wp::walk_reads(&self.failure.precision.get(found.predicate).expr, &mut |lv| {
                if let Base::Var(v) = lv.base
                    && let Some(name) = self.task.words.names.get(&v)
                    && program.vars[v].proc().is_none_or(|p| !program.procs[p].is_model())
                {
                    names.insert(name.as_str());
                }
            });
        }
        let names: Vec<&str> = names.into_iter().take(4).collect();
        let at = match self.stuck.as_ref().and_then(|stuck| stuck.cycle) {
            Some(Cycle::Loop(p, l)) => format!(" that holds whenever control comes to {}", self.head(p, l)),
            _ => String::new(),
        };
        match names.as_slice() {
            [] => at,
            [one] => format!("{at}, about {one}"),
            [first @ .., last] => format!("{at}, about {} and {last}", first.join(", ")),
        }
    }

    /// A product of two variables on the last path, with its place.
    fn product(&self) -> Option<String> {
        let (path, _) = self.failure.history.path()?;
        let Path { steps } = path;
        for step in steps {
            let PathStep::Edge(p, e) = *step else { continue };
            let edge = &self.task.program.procs[p].edges[e];
            let (Op::Assign(_, value) | Op::Assume(value) | Op::Check(_, value)) = &edge.op else { continue };
            let mut product = false;
            value.walk(&mut |node| {
                if let Expr::Binary(BinOp::Mul, l, r, _) = node {
                    product |= reads(l) && reads(r);
                }
            });
            if product {
                let text = self.task.sources.snippet(edge.span).unwrap_or_default();
                let text = shortened(&text, 40);
                return Some(format!("`{text}` at {}", self.task.sources.short(edge.span)));
            }
        }
        None
    }
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |node| found |= matches!(node, Expr::Load(_)));
    found
}

/// What the analysis of an attempt's paths says; empty when it has not come to that.
fn answer(a: &Attempt) -> String {
    a.refined.as_ref().map_or(String::new(), refined_answer)
}

/// How many cubes it has blocked.
fn blocked(a: &Attempt) -> usize {
    a.refined.as_ref().map_or(0, |refined| refined.blocked.len())
}

fn listed(texts: &[String]) -> String {
    let more = texts.len().saturating_sub(PREDICATES);
    let shown = texts[more..].join(", ");
    if more > 0 { format!("{shown} (and {more} earlier)") } else { shown }
}
