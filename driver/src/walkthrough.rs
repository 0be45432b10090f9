//! The abstraction statement by statement, for pages: for each statement of the program its weakest precondition for each
//! predicate, the cubes that were queried and their answers, the statement of the boolean program; and for each place
//! the states that the boolean program reaches there, as cubes and as a decision diagram.
//!
//! It is computed again from the final predicates of the loop, by the same functions. Escalations (exact statements,
//! blocked cubes) are left out: they are about single paths.

use crate::prepare::Task;
use crate::report;
use base::Span;
use bebop::{Graph, Reached, Sum};
use bp::{Cfg, VarId, VertexId};
use c2bp::explain::{Cubes, Explained, Explanation, How};
use c2bp::{Abstraction, Cache, Role};
use ir::{EdgeId, ProcId};
use predicates::Precision;
use serde_json::{Value, json};
use smt::Interrupt;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

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
) -> Option<Value> {
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
    let explained = c2bp::explain::explain(program, oracle, precision, &options, &mut cache, &own).ok()?;
    let made = c2bp::abstract_program(program, oracle, precision, &options, &mut cache).ok()?;
    let states = states(task, &made, &own, stop)?;
    let told = explained.iter().filter(|e| e.values.iter().any(|v| !matches!(v.how, How::Kept)));
    let mut statements: Vec<(Span, Value)> = told.map(|e| statement(task, e)).collect();
    statements.sort_by_key(|(at, _)| *at);
    let left_out = statements.len().saturating_sub(MOST);
    let statements: Vec<Value> = statements.into_iter().take(MOST).map(|(_, value)| value).collect();
    Some(json!({ "statements": statements, "states": states, "left_out": left_out }))
}

fn place(task: &Task, (p, e): (ProcId, EdgeId)) -> (Span, Value) {
    let at = task.program.procs[p].edges[e].span;
    let mut place = report::location(&task.sources.file(at.file).name, at);
    place["function"] = task.program.procs[p].name.as_str().into();
    (at, place)
}

fn statement(task: &Task, explained: &Explanation) -> (Span, Value) {
    let (at, mut out) = place(task, (explained.proc, explained.edge));
    out["statement"] = explained.statement.as_str().into();
    out["source"] = task.sources.snippet(at).map_or(Value::Null, Value::from);
    out["written"] = explained.written.clone().into();
    out["values"] = explained.values.iter().map(value).collect();
    (at, out)
}

fn value(explained: &Explained) -> Value {
    let Explained { about, label, before, how } = explained;
    let mut out = json!({ "about": about, "label": label, "before": before });
    let cubes = |found: &Cubes| json!({ "cubes": found.cubes, "complete": found.complete });
    match how {
        How::Kept => out["how"] = "kept".into(),
        How::Folded(value) => {
            out["how"] = "folded".into();
            out["value"] = value.as_str().into();
        }
        How::Searched(found) => {
            out["how"] = "searched".into();
            out["value"] = found.value.as_str().into();
            out["positive"] = cubes(&found.positive);
            out["negative"] = found.negative.as_ref().map_or(Value::Null, cubes);
            let effort = &found.effort;
            out["asked"] = json!({
                "cubes": effort.cubes, "by_syntax": effort.by_syntax, "by_models": effort.by_models,
                "prover_calls": effort.prover_calls, "gave_up": effort.gave_up,
            });
        }
    }
    out
}

/// The states at the places of the program; nothing where the work was stopped.
fn states(
    task: &Task,
    made: &Abstraction,
    own: &dyn Fn(ProcId, EdgeId) -> bool,
    stop: &AtomicBool,
) -> Option<Vec<Value>> {
    let (cfg, _) = Cfg::build(&made.program, None).ok()?;
    let cfg = bp::analysis::enforce_at_changes(&cfg);
    // All that can be reached, whatever fails.
    let options = bebop::Options::new(vec![], stop);
    let mut outcome = bebop::check(&cfg, &options).ok()?;
    let mut met = BTreeSet::new();
    let mut out: Vec<(Span, Value)> = vec![];
    for (vertex, edge) in places(made, &cfg) {
        if out.len() == MOST || !own(edge.0, edge.1) || !met.insert(place(task, edge).0) {
            continue;
        }
        let (at, mut told) = place(task, edge);
        told["reached"] = outcome.reached.is_reached(vertex).into();
        if outcome.reached.is_reached(vertex) {
            let sum = outcome.reached.states(vertex, CUBES).ok()?;
            told["cubes"] = cubes(&cfg, &sum);
            told["complete"] = sum.complete.into();
            told["diagram"] = diagram(&cfg, &mut outcome.reached, vertex)?;
        }
        out.push((at, told));
    }
    out.sort_by_key(|(at, _)| *at);
    Some(out.into_iter().map(|(_, value)| value).collect())
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

fn cubes(cfg: &Cfg, sum: &Sum<VarId>) -> Value {
    let literal = |(var, value): &(VarId, bool)| {
        let name = cfg.vars[*var].name.to_string();
        if *value { name } else { format!("!{name}") }
    };
    let cube = |cube: &Vec<(VarId, bool)>| cube.iter().map(literal).collect::<Vec<_>>();
    sum.cubes.iter().map(cube).collect()
}

/// The states as a decision diagram, if it is small enough to be drawn; nothing where the work was stopped.
fn diagram(cfg: &Cfg, reached: &mut Reached<'_>, vertex: VertexId) -> Option<Value> {
    let Graph { nodes, root } = reached.graph(vertex, &[]).ok()?;
    if nodes.len() > NODES {
        return Some(Value::Null);
    }
    let node = |node: &bebop::Node| {
        let name = cfg.vars[node.var].name.to_string();
        let name = if node.when == bebop::When::Entry { format!("old({name})") } else { name };
        json!({ "name": name, "level": node.position, "low": node.low, "high": node.high })
    };
    Some(json!({ "root": root, "nodes": nodes.iter().map(node).collect::<Vec<_>>() }))
}
