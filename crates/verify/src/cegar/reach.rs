//! The second stage of an iteration: does the abstraction reach a failing check? bebop decides.

use crate::cegar::event::{Checked, Event, Record, Stage};
use crate::cegar::path::{self, AbstractPath};
use crate::cegar::proof::{self, Proof};
use crate::cegar::{Conclusion, Loop, MAX_STEPS, MAX_STEPS_ANSWERED, Paths, Reason};
use bebop::{Answer, Stopped};
use bp::Cfg;
use c2bp::Abstraction;
use check::Trace;
use ir::{CheckId, Op};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;

/// Graphs whose states took more nodes of decision diagrams than this are searched once only.
const NODES: usize = 50_000;

/// What is reached.
pub(crate) enum Reached {
    /// The abstraction reaches failing checks.
    Errors(Errors),
    /// Nothing.
    Nothing(Proof),
}

/// Failing checks that the abstraction reaches.
pub(crate) struct Errors {
    /// A path to one of them.
    pub(crate) first: AbstractPath,
    /// Paths to others.
    pub(crate) others: Vec<AbstractPath>,
    /// Paths to the first one by other calls.
    pub(crate) by_calls: Vec<AbstractPath>,
    /// The abstraction's graph, where further paths are looked for in it.
    pub(crate) graph: Option<Cfg>,
}

impl Loop<'_> {
    /// Decides whether the abstraction reaches a failing check.
    pub(crate) fn reach(
        &mut self,
        abstraction: &Abstraction,
        record: &mut Record,
    ) -> ControlFlow<Conclusion, Reached> {
        self.begins(Stage::Reachability);
        let started = Instant::now();
        let (cfg, _) = Cfg::build(&abstraction.program, None).unwrap_or_else(|errors| {
            let first = errors.first().map_or("", |e| e.message.as_str());
            panic!("the abstraction is a well-formed boolean program: {first}")
        });
        let mut cfg = bp::analysis::enforce_at_changes(&cfg);
        pass_checks(&mut cfg);
        let options = bebop::Options::new(cfg.failures(), self.cx.stop.flag);
        let mut outcome = match bebop::check(&cfg, &options) {
            Ok(outcome) => outcome,
            Err(Stopped::Interrupted) => return Break(self.interrupted()),
            Err(other) => return Break(self.unknown(Reason::Size(other.to_string()), None)),
        };
        let trace = match &outcome.answer {
            Answer::Reachable { trace, .. } => Some(trace.as_ref().expect("a trace was asked for")),
            Answer::Unreachable => None,
        };
        record.reachability = Some(Checked {
            checker: "bebop",
            steps: trace.map(Trace::length),
            vertices: Some(outcome.stats.vertices),
            bdd_nodes: outcome.stats.nodes,
            time: started.elapsed(),
        });
        let Some(trace) = trace else {
            let proof = proof::of(self.cx, self.known, abstraction, &cfg, &mut outcome.reached);
            return Continue(Reached::Nothing(proof));
        };
        let (first, target) = (self.path_of(abstraction, &cfg, trace)?, trace.target);
        let others = self.other_errors(abstraction, &cfg, target, &mut outcome.reached);
        let is_searched_again = Paths::Around <= self.cx.options.paths && outcome.stats.nodes <= NODES;
        let by_calls = self.errors_by_other_calls(abstraction, &cfg, trace, &mut outcome.reached);
        drop(outcome);
        Continue(Reached::Errors(Errors { first, others, by_calls, graph: is_searched_again.then_some(cfg) }))
    }

    /// The path of a trace, whose end is what the loop examines from here on.
    fn path_of(
        &mut self,
        abstraction: &Abstraction,
        cfg: &Cfg,
        trace: &Trace,
    ) -> ControlFlow<Conclusion, AbstractPath> {
        self.target = trace.failed_assertion(cfg).and_then(|stmt| self.check_of(abstraction, stmt));
        let predicates = path::predicates(&abstraction.origin, cfg);
        let most = if self.cx.options.is_answered { MAX_STEPS_ANSWERED } else { MAX_STEPS };
        let path = AbstractPath::new(&abstraction.origin, &predicates, trace, &mut BTreeSet::new());
        let Some(path) = path.filter(|found| found.path.steps.len() <= most) else {
            return Break(self.unknown(Reason::PathLength(most), None));
        };
        self.observer.event(&Event::Reached {
            iteration: self.known.iterations,
            number: 1,
            path: &path.path,
        });
        Continue(path)
    }

    /// The check that a statement of the boolean program stands for.
    fn check_of(&self, abstraction: &Abstraction, stmt: bp::StmtId) -> Option<CheckId> {
        let origin = abstraction.origin.stmt(stmt)?;
        match self.cx.task.program.procs[origin.proc].edges[origin.edge?].op {
            Op::Check(check, _) => Some(check),
            _ => None,
        }
    }
}

/// Lets executions pass a check whose condition the abstraction does not know: errors behind it are found in the same search. Where no
/// check fails each condition holds, so that the same states are reached then.
fn pass_checks(cfg: &mut Cfg) {
    for vertex in cfg.vertices.ids() {
        let (failing, passing): (Vec<_>, Vec<_>) =
            cfg.vertices[vertex].out.iter().partition(|e| cfg.vertices[cfg.edges[**e].to].kind.is_failure());
        if !failing.is_empty() {
            passing.into_iter().for_each(|edge| cfg.edges[edge].op = bp::Op::Skip);
        }
    }
}
