//! The abstraction checked by getafix (`--engine getafix`): the entry-forward algorithm answers, and the rings of its
//! relation give the path.

use bebop::Biodivine;
use bp::Cfg;
use cegar::{Checker, ErrorTrace, Search, SearchLimit};
use getafix::eval::{Options, Stop};
use getafix::formulae::EF;
use getafix::solve::{Failed, solve};
use getafix::trace::trace;
use getafix::translate::{Question, System};
use std::sync::atomic::AtomicBool;

/// See the module's documentation.
pub(super) struct Getafix;

impl Checker for Getafix {
    fn name(&self) -> &'static str {
        "getafix"
    }

    fn search(&self, cfg: &Cfg, stop: &AtomicBool) -> Result<Search, SearchLimit> {
        let goals: Vec<_> = cfg.failures().into_iter().map(|v| (0, v)).collect();
        if goals.is_empty() {
            return Ok(Search { error: ErrorTrace::None, vertices: None, bdd_nodes: 0 });
        }
        let system = System::sequential(cfg.clone());
        let question = Question { goals, moved: false, switches: 0 };
        let engine = |vars| Biodivine::new(vars, stop);
        let answer = solve(&system, question.clone(), EF.text, Options::default(), engine, &mut |_| {});
        let answer = answer.map_err(|failed| match failed {
            Failed::Stopped(stop, _) => limit(&stop),
            Failed::TooManyVariables(e) => SearchLimit::Size(e.to_string()),
            Failed::Formula(_) => panic!("the formula files of the program are well-formed"),
        })?;
        let error = if answer.holds {
            let trace = trace(&system, &question, engine).map_err(|stop| limit(&stop))?;
            trace.map_or(ErrorTrace::TooLong, ErrorTrace::Trace)
        } else {
            ErrorTrace::None
        };
        Ok(Search { error, vertices: None, bdd_nodes: answer.stats.nodes })
    }
}

fn limit(stop: &Stop) -> SearchLimit {
    match stop {
        Stop::Interrupted => SearchLimit::Interrupted,
        other => SearchLimit::Size(other.to_string()),
    }
}
