//! Formulae behind the interface of all checkers: the entry-forward algorithm for sequential programs; for concurrent
//! ones states of all threads at once where no thread recurses, else the formula of bounded context switches, with no
//! switch first, then with one, and so on.

use crate::eval::{Evaluator, Options, Stop};
use crate::formulae::{ALL_THREADS, Algorithm, BOUNDED_CONTEXT_SWITCH, EF, formula};
use crate::schedule::Explained;
use crate::trace::trace;
use crate::translate::{Place, Question, Translation, World};
use ::check::{Answer, Budget, Checker, Contexts, Execution, Report, Shared, Unknown};
use base::SourceMap;
use bdd::{Biodivine, TooManyVariables};

/// See the module's documentation. The effort is counted in nodes of decision diagrams.
pub struct Formulae;

impl Checker for Formulae {
    fn name(&self) -> &'static str {
        "getafix"
    }

    fn check(&self, question: &::check::Question<'_>, budget: Budget<'_>) -> Report {
        if question.goals.is_empty() {
            return Report::new(Answer::Unreachable);
        }
        let asked = |switches| Question { goals: question.goals.clone(), moved: false, switches };
        if !question.system.concurrent {
            let model = Translation::compact(question.system, asked(0));
            return evaluate(&model, EF, question, budget);
        }
        let Some(bound) = question.switches else {
            return Unknown::Unsupported("it has threads, and there is no bound on context switches").into();
        };
        let mut last = Report::new(Answer::WithinBound(bound));
        for switches in 0..=bound {
            let model = Translation::compact_for_world(question.system, asked(switches));
            let report = match World::new(&model) {
                Some(world) => evaluate(&world, ALL_THREADS, question, budget),
                None if question.system.all_count => Unknown::Unsupported("a thread recurses").into(),
                None => {
                    let model = Translation::compact(question.system, asked(switches));
                    evaluate(&model, BOUNDED_CONTEXT_SWITCH, question, budget)
                }
            };
            match report.answer {
                Answer::WithinBound(_) => last.nodes = report.nodes,
                _ => return report,
            }
        }
        last
    }
}

fn evaluate<M: Explained>(
    model: &M,
    algorithm: Algorithm,
    question: &::check::Question<'_>,
    budget: Budget<'_>,
) -> Report {
    let prelude = model.prelude();
    let formula = formula(algorithm.text, algorithm.name, &mut SourceMap::new(), model)
        .expect("the formula files of the program are well-formed");
    let options =
        Options { rings: M::RINGS, most_nodes: budget.effort.unwrap_or(u64::MAX), ..Options::default() };
    let engine = |vars| Biodivine::new(vars, budget.stop);
    let mut evaluator = match Evaluator::new(&formula, model, &prelude, options, engine) {
        Ok(evaluator) => evaluator,
        Err(TooManyVariables { wanted }) => return Unknown::Variables(wanted).into(),
    };
    let found = match evaluator.run(&mut |_| {}) {
        Ok(found) => found,
        Err(stop) => return unknown(&stop).into(),
    };
    let nodes = evaluator.stats.nodes;
    let concurrent = question.system.concurrent;
    let answer = match found.holds {
        false if concurrent => Answer::WithinBound(0),
        false => Answer::Unreachable,
        true if concurrent => {
            let schedule = model.schedule(&mut evaluator, &found);
            let goal = schedule.as_ref().and_then(|schedule| vertex(&schedule.goal));
            let wanted = schedule.filter(|_| question.execution).zip(goal);
            let execution = wanted.map_or(Execution::None, |(schedule, goal)| {
                let values = |globals: Vec<(bp::Name, bool)>| globals.into_iter().map(|(_, b)| b).collect();
                let switch = |globals| Shared { values: values(globals), started: vec![] };
                let switches = schedule.globals.into_iter().map(switch).collect();
                Execution::Contexts(Contexts { threads: schedule.threads, switches, goal })
            });
            Answer::Reachable { goal, execution }
        }
        true => {
            let goal = model.goal(&mut evaluator, &found).as_ref().and_then(vertex);
            drop(evaluator);
            match execution(question, budget) {
                Err(stop) => Answer::Unknown(unknown(&stop)),
                Ok(execution) => Answer::Reachable { goal, execution },
            }
        }
    };
    Report { nodes, ..Report::new(answer) }
}

/// The trace of a sequential program in which a goal is reached.
fn execution(question: &::check::Question<'_>, budget: Budget<'_>) -> Result<Execution, Stop> {
    if !question.execution {
        return Ok(Execution::None);
    }
    let asked = Question { goals: question.goals.clone(), moved: false, switches: 0 };
    let found = trace(question.system, &asked, |vars| Biodivine::new(vars, budget.stop))?;
    Ok(found.map_or(Execution::TooLong, Execution::Trace))
}

fn vertex(place: &Place) -> Option<::check::Goal> {
    match place {
        Place::Vertex(code, vertex) => Some((*code, *vertex)),
        _ => None,
    }
}

fn unknown(stop: &Stop) -> Unknown {
    match stop {
        Stop::Interrupted => Unknown::Interrupted,
        Stop::Exhausted => Unknown::Nodes,
        Stop::Nodes => Unknown::Effort,
        Stop::Rounds { .. } => Unknown::Effort,
        Stop::Cycles { .. } => {
            unreachable!("the program's formulae have least fixed points")
        }
    }
}
