//! The abstraction checked by getafix (`--engine getafix`): the entry-forward algorithm answers, and the rings of its
//! relation give the path.

use super::engines::{Found, Gave, Limit};
use bebop::Biodivine;
use bp::Cfg;
use getafix::eval::{Options, Stop};
use getafix::formulae::EF;
use getafix::solve::{Failed, solve};
use getafix::trace::trace;
use getafix::translate::{Question, System};
use std::sync::atomic::AtomicBool;

/// Whether an assertion can fail.
pub(super) fn reach(cfg: &Cfg, stop: &AtomicBool) -> Result<Gave, Limit> {
    let goals: Vec<_> = cfg.failures().into_iter().map(|v| (0, v)).collect();
    if goals.is_empty() {
        return Ok(Gave { found: Found::Nothing, vertices: None, bdd_nodes: 0 });
    }
    let system = System::sequential(cfg.clone());
    let question = Question { goals, moved: false, switches: 0 };
    let engine = |vars| Biodivine::new(vars, stop);
    let answer = solve(&system, question.clone(), EF.text, Options::default(), engine, &mut |_| {});
    let answer = match answer {
        Ok(answer) => answer,
        Err(Failed::Stopped(stop, _)) => return Err(limit(&stop)),
        Err(Failed::TooManyVariables(e)) => return Err(Limit::Size(e.to_string())),
        Err(Failed::Formula(_)) => panic!("the formula files of the program are well-formed"),
    };
    let found = if answer.holds {
        let engine = |vars| Biodivine::new(vars, stop);
        match trace(&system, &question, engine).map_err(|stop| limit(&stop))? {
            Some(trace) => Found::Trace(trace),
            None => return Err(Limit::Size("an error is reached, but its path is too large".to_owned())),
        }
    } else {
        Found::Nothing
    };
    Ok(Gave { found, vertices: None, bdd_nodes: answer.stats.nodes })
}

fn limit(stop: &Stop) -> Limit {
    match stop {
        Stop::Interrupted => Limit::Interrupted,
        other => Limit::Size(other.to_string()),
    }
}
