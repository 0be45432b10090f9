//! Replies: the answer in words, traces and figures.

use crate::answer::{Context, Task};
use bdd::Biodivine;
use check::Target;
use cli::Verdict;
use getafix::eval::Stats;
use getafix::schedule::Schedule;
use getafix::trace::{Interleaving, interleaving};
use getafix::translate::{Place, Question};
use std::fmt::Write;
use std::time::Duration;

/// Most lines of a trace; with more, calls that return are on one line.
const TRACE_LINES: usize = 1000;

/// What is written in the end.
pub(crate) struct Reply {
    pub(crate) body: String,
    pub(crate) verdict: Verdict,
}

impl Reply {
    /// Nothing but the verdict.
    pub(crate) fn only(verdict: Verdict) -> Reply {
        Reply { body: String::new(), verdict }
    }
}

impl Task<'_> {
    /// The verdict when nothing was reached.
    pub(crate) fn within_bound(&self) -> Verdict {
        match self.concurrent {
            true => Verdict::Unknown(format!("context bound {}", self.switches)),
            false => Verdict::Unreachable,
        }
    }
}

impl Context<'_> {
    /// The reply about a sequential program in which a goal is reached, this one if it is known.
    pub(crate) fn reachable(&self, question: &Question, goal: Option<Place>) -> Reply {
        let trace = if self.task.arguments.output.no_trace {
            None
        } else {
            self.task.session.doing("getafix, trace");
            self.trace(question)
        };
        let goal = match (&trace, goal) {
            (Some(trace), _) => Some((0, trace.target)),
            (None, Some(Place::Vertex(code, vertex))) => Some((code, vertex)),
            _ => None,
        };
        let name = self.name(goal);
        let verb = if self.targets.iter().any(|t| t.is_assertion()) { "can fail" } else { "is reachable" };
        let mut body = format!("{name} {verb}.\n");
        if let Some(trace) = trace {
            body = format!("{name} {verb}; a trace:\n");
            let cfg = self.part_of.unwrap_or(&self.system.codes[0].cfg);
            body.push_str(&check::render::text(self.task.program, cfg, &trace, TRACE_LINES));
        }
        Reply { body, verdict: Verdict::Reachable(name) }
    }

    /// What is reached; where it is not known which of the targets, all of them.
    fn name(&self, goal: Option<(usize, bp::VertexId)>) -> String {
        let is_goal = |t: &&Target| goal.is_some_and(|goal| t.goals.contains(&goal));
        match self.targets.iter().find(is_goal) {
            Some(target) => target.name.clone(),
            None => self.targets.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" or "),
        }
    }

    /// The reply about a concurrent program in which a goal is reached.
    pub(crate) fn scheduled(&self, question: &Question, schedule: Option<&Schedule>) -> Reply {
        let goal = schedule.and_then(|s| match s.goal {
            Place::Vertex(code, vertex) => Some((code, vertex)),
            _ => None,
        });
        let name = self.name(goal);
        let verb = if self.targets.iter().any(|t| t.is_assertion()) { "can fail" } else { "is reachable" };
        let plural = if self.task.switches == 1 { "" } else { "es" };
        let mut body = format!("{name} {verb} with {} context switch{plural}", self.task.switches);
        match schedule.filter(|_| !self.task.arguments.output.no_trace) {
            None => body.push_str(".\n"),
            Some(schedule) => {
                self.task.session.doing("getafix, trace");
                let stop = self.task.session.stop();
                let goals = goal.map_or_else(|| question.goals.clone(), |goal| vec![goal]);
                let question = Question { goals, ..question.clone() };
                let engine = |vars| Biodivine::new(vars, stop);
                // The answer stands without its trace.
                let found = match self.system.all_count {
                    // The run of a thread alone does not tell what others do to its variables.
                    true => None,
                    false => interleaving(self.system, &question, schedule, engine).unwrap_or_default(),
                };
                body.push_str(match found {
                    Some(_) => "; a trace:\n",
                    None => "; the threads that run, with the shared variables when each takes over:\n",
                });
                self.contexts(&mut body, schedule, found.as_ref());
            }
        }
        Reply { body, verdict: Verdict::Reachable(name) }
    }

    /// A line for each context, and what happens in it, if that is known.
    fn contexts(&self, body: &mut String, schedule: &Schedule, found: Option<&Interleaving>) {
        let width = schedule.threads.iter().map(|t| self.system.threads[*t].name.chars().count()).max();
        let width = width.unwrap_or(0);
        let points: Option<Vec<_>> =
            found.map(|found| found.runs.iter().map(|run| run.points(TRACE_LINES)).collect());
        for (context, thread) in schedule.threads.iter().enumerate() {
            let thread = &self.system.threads[*thread];
            let one = |(name, value): &(bp::Name, bool)| format!("{name}={}", u8::from(*value));
            let globals = context.checked_sub(1).map(|i| &schedule.globals[i]);
            let globals = globals.map_or(String::new(), |g| g.iter().map(one).collect::<Vec<_>>().join(" "));
            let line = match points {
                None => format!("{context:>4}  {:width$}  {globals}", thread.name),
                Some(_) => format!("context {context}: {:width$}  {globals}", thread.name),
            };
            let _ = writeln!(body, "{}", line.trim_end());
            if let (Some(points), Some(found)) = (&points, found) {
                let run = found.contexts[context];
                let here = points[run].iter().filter(|(at, _)| *at as usize == context);
                let here: Vec<_> = here.map(|(_, point)| *point).collect();
                let cfg = &self.system.codes[thread.code].cfg;
                body.push_str(&check::render::part(self.task.program, cfg, &found.runs[run].trace, &here));
            }
        }
    }

    /// What is not reached, as the beginning of a sentence.
    pub(crate) fn none_of(&self) -> String {
        let labels: Vec<&str> =
            self.targets.iter().filter(|t| !t.is_assertion()).map(|t| t.name.as_str()).collect();
        match (labels.as_slice(), self.targets.len()) {
            ([], 0) => "There is no assertion".to_owned(),
            ([], 1) => "The assertion cannot fail".to_owned(),
            ([], n) => format!("None of the {n} assertions can fail"),
            ([one], _) => format!("{one} is unreachable"),
            (several, _) => format!("{} are unreachable", several.join(", ")),
        }
    }

    /// The reply when nothing is reached within the bound, if there is one.
    pub(crate) fn unreachable(&self) -> Reply {
        let mut body = self.none_of();
        match self.task.concurrent {
            false => body.push_str(".\n"),
            true => {
                let switches = self.task.switches;
                let threads = match self.system.most_started {
                    Some(most) => format!(" when at most {most} threads are started"),
                    None => String::new(),
                };
                let _ = writeln!(
                    body,
                    " within {switches} context switches{threads}; with more it is not known."
                );
            }
        }
        Reply { body, verdict: self.task.within_bound() }
    }

    pub(crate) fn figures(
        &self,
        stats: &Stats,
        prepared: Duration,
        not_found: bool,
    ) -> Vec<(String, String)> {
        let ms = |d: Duration| format!("{:.1}", d.as_secs_f64() * 1e3);
        let mut out = vec![
            ("rounds".to_owned(), stats.rounds.to_string()),
            ("top-rounds".to_owned(), stats.top_rounds.to_string()),
            ("bdd-variables".to_owned(), stats.variables.to_string()),
            ("bdd-nodes".to_owned(), stats.nodes.to_string()),
            ("tuples".to_owned(), format!("{:.3e}", stats.tuples)),
            ("bdd-nodes-made".to_owned(), stats.nodes_made.to_string()),
            ("prepare-ms".to_owned(), ms(prepared)),
            ("search-ms".to_owned(), ms(self.task.session.elapsed().saturating_sub(prepared))),
        ];
        if self.task.concurrent {
            let none = if not_found { Some(self.task.switches) } else { self.task.reached_none };
            let none = none.filter(|_| self.system.most_started.is_none());
            out.push(("threads".to_owned(), self.system.threads.len().to_string()));
            out.push(("context-switches".to_owned(), self.task.switches.to_string()));
            out.extend(none.map(|none| ("unreachable-within".to_owned(), none.to_string())));
        }
        out
    }
}
