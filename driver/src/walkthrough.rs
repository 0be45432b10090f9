//! The abstraction statement by statement, for pages: for each statement of the program its weakest precondition for each
//! predicate, the cubes that were queried and their answers, the statement of the boolean program; and for each place
//! the states that the boolean program reaches there, as cubes and as a decision diagram.
//!
//! It is computed again from the final predicates of the loop, by the same functions. Escalations (exact statements,
//! blocked cubes) are left out: they are about single paths.

use crate::report;
use base::Span;
use bebop::{Graph, Reached, Sum};
use bp::{Cfg, VarId, VertexId};
use c2bp::explain::{self, Cubes, Explained, Explanation};
use c2bp::{Abstraction, Cache, Role};
use ir::{EdgeId, ProcId};
use predicates::Precision;
use results::check::Location;
use results::walkthrough as written;
use results::walkthrough::{Asked, Assigned, Diagram, How, Node, Statement, States, Walkthrough};
use smt::Interrupt;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use verify::Task;

/// At most this many statements, and as many places, are reported.
const MOST: usize = 400;

/// Cubes of one set of states.
const CUBES: usize = 24;

/// Nodes of a diagram that is drawn.
const NODES: usize = 60;

/// The walkthrough of a program with these predicates; nothing where the work was stopped.
pub(crate) fn of(
    task: &Task,
    (precision, max_cube): (&Precision, usize),
    (stop, interrupt): (&AtomicBool, &Interrupt),
) -> Option<Walkthrough> {
    let options = c2bp::Options {
        max_cube,
        mode: task.mode,
        sources: Some(&task.sources),
        ..c2bp::Options::new(stop, interrupt)
    };
    let mut cache = Cache::new();
    let (program, oracle) = (&task.program, &task.oracle);
    let own = |p: ProcId, e: EdgeId| {
        let proc = &program.procs[p];
        p != program.entry && !proc.is_model() && !proc.edges[e].kind.is_internal()
    };
    let explained = explain::explain(program, oracle, precision, &options, &mut cache, &own).ok()?;
    let made = c2bp::abstract_program(program, oracle, precision, &options, &mut cache).ok()?;
    let states = states(task, &made, &own, stop)?;
    let told = explained.iter().filter(|e| e.values.iter().any(|v| !matches!(v.how, explain::How::Kept)));
    let mut statements: Vec<(Span, Statement)> = told.map(|e| statement(task, e)).collect();
    statements.sort_by_key(|(at, _)| *at);
    let left_out = statements.len().saturating_sub(MOST);
    let statements = statements.into_iter().take(MOST).map(|(_, statement)| statement).collect();
    Some(Walkthrough { statements, states, left_out })
}

/// The place of an edge, as results have it too, and the function.
fn place(task: &Task, (p, e): (ProcId, EdgeId)) -> (Span, Location, String) {
    let proc = &task.program.procs[p];
    let at = proc.edges[e].span;
    (at, report::location(&task.sources.file(at.file).name, at), proc.name.clone())
}

fn statement(task: &Task, explained: &Explanation) -> (Span, Statement) {
    let (span, at, function) = place(task, (explained.proc, explained.edge));
    let statement = Statement {
        at,
        function,
        statement: explained.statement.clone(),
        source: task.sources.snippet(span),
        written: explained.written.clone(),
        values: explained.values.iter().map(assigned).collect(),
    };
    (span, statement)
}

fn assigned(explained: &Explained) -> Assigned {
    let Explained { about, label, before, how } = explained;
    let (about, label, before) = (about.clone(), (*label).to_owned(), before.clone());
    let cubes =
        |Cubes { cubes, complete }: &Cubes| written::Cubes { cubes: cubes.clone(), complete: *complete };
    let out = Assigned { about, label, before, ..Assigned::default() };
    match how {
        explain::How::Kept => Assigned { how: How::Kept, ..out },
        explain::How::Folded(value) => Assigned { how: How::Folded, value: Some(value.clone()), ..out },
        explain::How::Searched(found) => {
            let c2bp::Effort { cubes: tried, by_models, by_syntax, prover_calls, gave_up } = found.effort;
            Assigned {
                how: How::Searched,
                value: Some(found.value.clone()),
                positive: Some(cubes(&found.positive)),
                negative: Some(found.negative.as_ref().map(cubes)),
                asked: Some(Asked { cubes: tried, by_syntax, by_models, prover_calls, gave_up }),
                ..out
            }
        }
    }
}

/// The states at the places of the program; nothing where the work was stopped.
fn states(
    task: &Task,
    made: &Abstraction,
    own: &dyn Fn(ProcId, EdgeId) -> bool,
    stop: &AtomicBool,
) -> Option<Vec<States>> {
    let (cfg, _) = Cfg::build(&made.program, None).ok()?;
    let cfg = bp::analysis::enforce_at_changes(&cfg);
    // All that can be reached, whatever fails.
    let options = bebop::Options::new(vec![], stop);
    let mut outcome = bebop::check(&cfg, &options).ok()?;
    let mut met = BTreeSet::new();
    let mut out: Vec<(Span, States)> = vec![];
    for (vertex, edge) in places(made, &cfg) {
        if out.len() == MOST || !own(edge.0, edge.1) || !met.insert(place(task, edge).0) {
            continue;
        }
        let (span, at, function) = place(task, edge);
        let reached = outcome.reached.is_reached(vertex);
        let mut told = States { at, function, reached, ..States::default() };
        if reached {
            let sum = outcome.reached.states(vertex, CUBES).ok()?;
            told.cubes = Some(cubes(&cfg, &sum));
            told.complete = Some(sum.complete);
            told.diagram = Some(diagram(&cfg, &mut outcome.reached, vertex)?);
        }
        out.push((span, told));
    }
    out.sort_by_key(|(at, _)| *at);
    Some(out.into_iter().map(|(_, states)| states).collect())
}

/// Where statements of the program begin.
fn places(made: &Abstraction, cfg: &Cfg) -> Vec<(VertexId, (ProcId, EdgeId))> {
    let of = |vertex: VertexId| {
        let bp::VertexKind::Stmt(stmt) = cfg.vertices[vertex].kind else { return None };
        let origin = made.origin.stmt(stmt)?;
        let edge = match &origin.role {
            Role::Edge | Role::Call { .. } => origin.edge,
            Role::Branch(edges) => edges.first().copied(),
            _ => None,
        };
        Some((vertex, (origin.proc, edge?)))
    };
    cfg.vertices.ids().filter_map(of).collect()
}

fn cubes(cfg: &Cfg, sum: &Sum<VarId>) -> Vec<Vec<String>> {
    let literal = |(var, value): &(VarId, bool)| {
        let name = cfg.vars[*var].name.to_string();
        if *value { name } else { format!("!{name}") }
    };
    let cube = |cube: &Vec<(VarId, bool)>| cube.iter().map(literal).collect();
    sum.cubes.iter().map(cube).collect()
}

/// The states as a decision diagram, if it is small enough to be drawn; nothing where the work was stopped.
fn diagram(cfg: &Cfg, reached: &mut Reached<'_>, vertex: VertexId) -> Option<Option<Diagram>> {
    let Graph { nodes, root } = reached.graph(vertex, &[]).ok()?;
    if nodes.len() > NODES {
        return Some(None);
    }
    let node = |node: &bebop::Node| {
        let name = cfg.vars[node.var].name.to_string();
        let name = if node.when == bebop::When::Entry { format!("old({name})") } else { name };
        Node { name, level: node.position, low: node.low, high: node.high }
    };
    Some(Some(Diagram { root, nodes: nodes.iter().map(node).collect() }))
}
