//! Bebop behind the interface of all checkers.

use crate::{Answer, Biodivine, Options, Progress, Stopped, run};
use check::{Budget, Checker, Execution, Question, Report, Unknown};

/// See the crate's documentation.
pub struct Bebop;

impl Checker for Bebop {
    fn name(&self) -> &'static str {
        "bebop"
    }

    fn check(&self, question: &Question<'_>, budget: Budget<'_>) -> Report {
        let (cfg, goals) = match question.sequential() {
            Ok(asked) => asked,
            Err(unknown) => return unknown.into(),
        };
        let (trace, exhaustive) = (question.execution, question.execution);
        let options = Options { trace, exhaustive, ..Options::new(goals, budget.stop) };
        let engine = |vars| Biodivine::new(vars, budget.stop);
        let mut instead = || true;
        let limit = budget.effort.map(|most| (most, &mut instead as &mut dyn FnMut() -> bool));
        match run(cfg, &options, &mut Progress::default(), engine, limit) {
            Ok(None) => Unknown::Effort.into(),
            Err(stopped) => Unknown::from(stopped).into(),
            Ok(Some(outcome)) => {
                let answer = match outcome.answer {
                    Answer::Unreachable => check::Answer::Unreachable,
                    Answer::Reachable { target, trace } => check::Answer::Reachable {
                        goal: Some((0, target)),
                        execution: trace.map_or(Execution::None, Execution::Trace),
                    },
                };
                let (vertices, nodes) = (Some(outcome.stats.vertices), outcome.stats.nodes);
                Report { vertices, nodes, ..Report::new(answer) }
            }
        }
    }
}

impl From<Stopped> for Unknown {
    fn from(stopped: Stopped) -> Unknown {
        match stopped {
            Stopped::Interrupted => Unknown::Interrupted,
            Stopped::Exhausted => Unknown::Nodes,
            Stopped::TooManyVariables(e) => Unknown::Variables(e.wanted),
        }
    }
}
