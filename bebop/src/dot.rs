//! The control-flow graph with what was found, in the language of Graphviz: a cluster a procedure, at each vertex its
//! path edges [BR-SPIN00 §3.1]; what is not reached is grey, what a trace passes is filled.
//!
//! Path edges are relations between the state when the procedure was entered, `old(x)`, and the state now. A call is
//! drawn as the step over it, and as a dashed edge to the procedure called.

use crate::Stopped;
use crate::reached::{Reached, When};
use crate::render::cube_text;
use base::dot::{self, Graph, quoted};
use base::{Id, IndexVec};
use bdd::Engine;
use bp::{Cfg, Op, Program, Stmt, StmtId, VarId, VertexId};
use check::Trace;
use check::render::vertex_text;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The whole graph, with at most `cubes` cubes a vertex. Ends with a line break.
///
/// # Errors
/// When the stop flag was set.
pub fn graph<E: Engine>(
    program: &Program,
    cfg: &Cfg,
    reached: &mut Reached<'_, E>,
    trace: Option<&Trace>,
    cubes: usize,
) -> Result<String, Stopped> {
    let stmts = program.stmts_by_id();
    let passed: BTreeSet<VertexId> = trace.into_iter().flat_map(vertices).collect();
    let mut graph = Graph::new("boolean_program", &["node [shape=box, fontsize=10]", "edge [fontsize=10]"]);
    for (id, proc) in cfg.procs.iter_enumerated() {
        graph.cluster(id.index(), &quoted(proc.name.as_str()));
        for vertex in proc.vertices() {
            let label = dot::label(&text(&stmts, cfg, reached, vertex, cubes)?);
            let style = match (reached.is_reached(vertex), passed.contains(&vertex)) {
                (false, _) => "style=dashed, color=gray, fontcolor=gray",
                (true, true) => "style=filled, fillcolor=lightyellow",
                (true, false) => "",
            };
            let fails = reached.is_reached(vertex) && cfg.vertices[vertex].kind.is_failure();
            let colour = if fails { "color=red" } else { "" };
            graph.node(node(vertex), &[&label, style, colour]);
        }
        graph.end();
    }
    for edge in &cfg.edges {
        let grey = if reached.is_reached(edge.from) { "" } else { "color=gray" };
        let outcome = match &edge.op {
            Op::Assume { value, .. } if cfg.vertices[edge.from].out.len() > 1 => {
                format!("label={}", u8::from(*value))
            }
            _ => String::new(),
        };
        graph.edge(node(edge.from), node(edge.to), &[&outcome, grey]);
        if let Op::Call { callee, .. } = edge.op {
            graph.edge(node(edge.from), node(cfg.procs[callee].entry), &["style=dashed", grey]);
        }
    }
    Ok(graph.finish())
}

fn node(vertex: VertexId) -> String {
    format!("n{}", vertex.index())
}

/// Line and statement, and below them the path edges, a cube a line.
fn text<E: Engine>(
    stmts: &IndexVec<StmtId, Option<&Stmt>>,
    cfg: &Cfg,
    reached: &mut Reached<'_, E>,
    vertex: VertexId,
    cubes: usize,
) -> Result<String, Stopped> {
    let line = cfg.vertices[vertex].loc.0.map_or(String::new(), |span| format!("{}: ", span.start.line));
    let mut text = format!("{line}{}", vertex_text(stmts, cfg, vertex));
    if !reached.is_reached(vertex) {
        return Ok(text);
    }
    let sum = reached.relation(vertex, cubes)?;
    let name = |(v, when): &(VarId, When)| match when {
        When::Entry => format!("old({})", cfg.vars[*v].name),
        When::Current => cfg.vars[*v].name.to_string(),
    };
    for cube in &sum.cubes {
        let _ = write!(text, "\n{}", cube_text(cube, name));
    }
    text.push_str(if sum.complete { "" } else { "\n..." });
    Ok(text)
}

/// All vertices that the trace passes.
fn vertices(trace: &Trace) -> impl Iterator<Item = VertexId> {
    let segments = trace.own_segments().into_iter().map(|id| &trace.segments[id]);
    segments.flat_map(|s| s.steps.iter().map(|step| step.vertex).chain([s.end]))
}
