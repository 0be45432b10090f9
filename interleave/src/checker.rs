//! The search behind the interface of all checkers.

use crate::{Limits, Outcome, Search, Unsupported};
use check::{Answer, Budget, Checker, Execution, Question, Report, Unknown};

/// Visits of states after which a search without a bound on context switches goes on depth-first.
const IN_ORDER: u32 = 1 << 21;

/// See the crate's documentation. The effort is counted in visits of states.
pub struct StateByState;

impl StateByState {
    /// Searches within a bound on context switches, or without one: then in the order of switches first.
    pub fn search(search: &mut Search<'_>, switches: Option<u32>, budget: Budget<'_>) -> Outcome {
        let most = budget.effort.and_then(|most| u32::try_from(most).ok()).unwrap_or(u32::MAX);
        let visits = if switches.is_some() { most } else { IN_ORDER.min(most) };
        let found = search.by_switches(Limits { switches, visits }, budget.stop);
        match found {
            Outcome::Full if switches.is_none() => search.depth_first(most, budget.stop),
            found => found,
        }
    }
}

impl Checker for StateByState {
    fn name(&self) -> &'static str {
        "interleave"
    }

    fn check(&self, question: &Question<'_>, budget: Budget<'_>) -> Report {
        let system = question.system;
        let mut search = match Search::new(system, &question.goals) {
            Ok(search) => search,
            Err(unsupported) => return Unknown::from(unsupported).into(),
        };
        let found = StateByState::search(&mut search, question.switches, budget);
        let states = search.stats().states;
        let answer = match found {
            Outcome::Reached(execution) => {
                Answer::Reachable { goal: Some(execution.goal), execution: Execution::Contexts(execution) }
            }
            Outcome::Exhausted => Answer::Unreachable,
            Outcome::WithinBound => match question.switches {
                Some(bound) => Answer::WithinBound(bound),
                None => unreachable!("without a bound nothing is said within one"),
            },
            Outcome::Threads => Answer::Unknown(Unknown::Threads(system.threads.len())),
            Outcome::Full if budget.effort.is_some() => Answer::Unknown(Unknown::Effort),
            Outcome::Full => Answer::Unknown(Unknown::States(states)),
            Outcome::Stopped => Answer::Unknown(Unknown::Interrupted),
        };
        Report { states, ..Report::new(answer) }
    }
}

impl From<Unsupported> for Unknown {
    fn from(unsupported: Unsupported) -> Unknown {
        Unknown::Unsupported(unsupported.text())
    }
}
