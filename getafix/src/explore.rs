//! Concurrent programs state by state: when that is done, and what is answered.

use crate::answer::{Context, Task};
use crate::reply::Reply;
use crate::{Algorithm, Arguments, Switches};
use base::SourceMap;
use bp::System;
use check::{Budget, Contexts};
use cli::Verdict;
use getafix::schedule::Schedule;
use getafix::translate::Question;
use interleave::{Outcome, Search, StateByState, Stats};

/// Rows of states after which formulae have their turn, if no algorithm is named; fewer with many threads.
const PATIENCE: u32 = 1 << 24;

/// Words of such rows.
const WORDS: u32 = 1 << 27;

/// The outcome of the search.
pub(crate) enum Explored {
    /// The answer.
    Answer(Reply),
    /// The question is left to formulae; nothing is reached within this many context switches.
    Within(Option<u32>),
}

/// Whether the command line asks for it, or at least not for something else.
pub(crate) fn is_wanted(arguments: &Arguments) -> bool {
    let search = &arguments.search;
    let plain = search.formula.is_none() && !search.no_early && !arguments.output.trace_eval;
    search.algorithm.map_or(plain, |algorithm| algorithm == Algorithm::Explicit)
}

impl Task<'_> {
    /// Examines the states of the program one by one.
    pub(crate) fn explore(
        &self,
        switches: Option<Switches>,
        sources: &SourceMap,
        tell: &mut dyn FnMut(&str),
    ) -> Explored {
        let (system, targets, question) = match self.asked(sources, tell) {
            Ok(asked) => asked,
            Err(reply) => return Explored::Answer(reply),
        };
        let cx = Context::new(self, &system, &targets);
        // Formulae answer where there is a bound, or may be one.
        let needed = self.arguments.search.algorithm.is_some() || switches == Some(Switches::Any);
        let mut search = match Search::new(&system, &question.goals) {
            Ok(search) => search,
            Err(_) if !needed => return Explored::Within(None),
            Err(reason) => {
                tell(&format!("error: states cannot be examined one by one: {}\n", reason.text()));
                return Explored::Answer(Reply::only(Verdict::Error("not supported".into())));
            }
        };
        let bound = match switches {
            Some(Switches::AtMost(bound)) => Some(bound),
            Some(Switches::Any) | None => None,
        };
        let effort = (!needed).then(|| u64::from(patience(&system)));
        let budget = Budget { stop: self.session.stop(), effort };
        let found = StateByState::search(&mut search, bound, budget);
        let stats = search.stats();
        let within = self.within(&system, &found, &stats);
        self.tell_figures(&system, &found, &stats, within);
        Explored::Answer(match found {
            Outcome::Reached(execution) => self.reached(&cx, &question, &execution),
            Outcome::Exhausted => {
                let body = format!("{}, with any number of context switches.\n", cx.none_of());
                Reply { body, verdict: Verdict::Unreachable }
            }
            Outcome::WithinBound => cx.unreachable(),
            Outcome::Stopped => Reply::only(self.session.stopped_verdict()),
            Outcome::Threads if needed => {
                let threads = system.threads.len();
                let body = format!("{} when there are at most {threads} threads.\n", cx.none_of());
                Reply { body, verdict: Verdict::Unknown("thread bound".into()) }
            }
            Outcome::Full if needed => Reply::only(Verdict::Unknown("too many states".into())),
            // Where no bound was given, it is at least the usual one.
            Outcome::Full | Outcome::Threads => match within.filter(|within| *within >= self.switches) {
                Some(switches) => Context::new(&Task { switches, ..*self }, &system, &targets).unreachable(),
                None => return Explored::Within(within),
            },
        })
    }

    /// The number of switches with which nothing is reached. Where more threads may be started, there are as many as the
    /// task's number of switches takes.
    fn within(&self, system: &System, found: &Outcome, stats: &Stats) -> Option<u32> {
        match found {
            Outcome::Threads => Some(self.switches),
            _ if system.capped => stats.unreachable_within.map(|within| within.min(self.switches)),
            _ => stats.unreachable_within,
        }
    }

    fn tell_figures(&self, system: &System, found: &Outcome, stats: &Stats, within: Option<u32>) {
        let none = match found {
            Outcome::Exhausted => Some("any".to_owned()),
            _ => within.map(|within| within.to_string()),
        };
        let mut figures = vec![
            ("states".to_owned(), stats.states.to_string()),
            ("steps".to_owned(), stats.steps.to_string()),
            ("threads".to_owned(), system.threads.len().to_string()),
        ];
        if let Outcome::Reached(execution) = found {
            figures.push(("context-switches".to_owned(), execution.switches.len().to_string()));
        }
        figures.extend(none.map(|none| ("unreachable-within".to_owned(), none)));
        self.session.set_stats(figures);
    }

    fn reached(&self, cx: &Context<'_>, question: &Question, execution: &Contexts) -> Reply {
        let task = Task { switches: execution.switches.len() as u32, ..*self };
        let schedule = Schedule::of(cx.system, question, execution);
        Context::new(&task, cx.system, cx.targets).scheduled(question, Some(&schedule))
    }
}

/// The rows after which formulae have their turn.
fn patience(system: &System) -> u32 {
    PATIENCE.min(WORDS / (system.threads.len() as u32 + 4))
}
