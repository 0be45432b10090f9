//! Reports about states: sets, values, path edges, invariants, the graph.

use crate::answer::{Context, Reply};
use crate::{Where, json};
use base::{Id, IndexVec};
use bebop::{Engine, Reached, Stopped, Sum, dot};
use bp::{Cfg, ProcId, StmtKind, VarId, VertexId, VertexKind};
use check::Trace;
use check::render::vertex_text;
use serde_json::{Value, json};
use std::fmt::Write;

/// Between these columns the second column begins.
const COLUMN: std::ops::RangeInclusive<usize> = 16..=64;
/// Most cubes at a vertex of a drawing.
const DRAWN: usize = 8;

/// Writes the reports asked for. What was written when it is stopped is right.
pub(crate) fn report<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    trace: Option<&Trace>,
    reply: &mut Reply,
) -> Result<(), Stopped> {
    let output = &cx.arguments.output;
    let cubes = output.max_cubes.get();
    if let Some(places) = output.states {
        let one = |reached: &mut Reached<'_, E>, v| {
            let sum = reached.states(v, cubes)?;
            Ok((
                bebop::render::sum_text(cx.cfg, &sum),
                json!({ "complete": sum.complete, "cubes": cubes_json(cx.cfg, &sum) }),
            ))
        };
        section(cx, reached, reply, ("states", "reachable states:", places), one)?;
    }
    if let Some(places) = output.tri {
        let one = |reached: &mut Reached<'_, E>, v| {
            let values = reached.values(v)?.unwrap_or_default();
            let word = |value: &Option<bool>| value.map_or("*", |b| if b { "1" } else { "0" });
            let name = |v: &VarId| cx.cfg.vars[*v].name.to_string();
            let text = values.iter().map(|(v, value)| format!("{}={}", name(v), word(value)));
            let object: Value = values.iter().map(|(v, value)| (name(v), word(value))).collect();
            Ok((text.collect::<Vec<_>>().join(" "), json!({ "values": object })))
        };
        section(cx, reached, reply, ("tri", "values (* is both):", places), one)?;
    }
    if let Some(places) = output.path_edges {
        let one = |reached: &mut Reached<'_, E>, v| {
            let sum = reached.relation(v, cubes)?;
            Ok((bebop::render::relation_text(cx.cfg, &sum), json!({ "complete": sum.complete })))
        };
        let title = "path edges (old(x) is the value when the procedure was entered):";
        section(cx, reached, reply, ("path_edges", title, places), one)?;
    }
    if output.invariants {
        invariants(cx, reached, reply)?;
    }
    if let Some(path) = &output.dot {
        let graph = dot::graph(cx.program, cx.cfg, reached, trace, DRAWN.min(cubes))?;
        if path.as_os_str() == "-" {
            reply.body = graph;
        } else {
            reply.graph = Some(graph);
        }
    }
    Ok(())
}

/// The report on one vertex: its text, and particulars.
type Told = Result<(String, Value), Stopped>;

fn section<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    reply: &mut Reply,
    (key, title, places): (&str, &str, Where),
    mut one: impl FnMut(&mut Reached<'_, E>, VertexId) -> Told,
) -> Result<(), Stopped> {
    let mut rows = vec![];
    let mut objects = vec![];
    let mut result = Ok(());
    for vertex in vertices(cx, places) {
        let (text, mut object) = if reached.is_reached(vertex) {
            match one(reached, vertex) {
                Ok(told) => told,
                Err(stopped) => {
                    result = Err(stopped);
                    break;
                }
            }
        } else {
            ("unreachable".to_owned(), json!({}))
        };
        object["at"] = json::vertex(cx, vertex);
        object["reachable"] = reached.is_reached(vertex).into();
        object["text"] = text.clone().into();
        objects.push(object);
        rows.push((place(cx, vertex), text));
    }
    let _ = writeln!(reply.body, "{title}");
    columns(&mut reply.body, &rows);
    reply.json[key] = objects.into();
    result
}

/// The labels, loops and ends of procedures, or all vertices but failures.
fn vertices(cx: &Context<'_>, places: Where) -> Vec<VertexId> {
    let heads = loop_heads(cx.cfg);
    let is_shown = |id: &VertexId| {
        let vertex = &cx.cfg.vertices[*id];
        match vertex.kind {
            VertexKind::Exit => true,
            VertexKind::Failure(_) => false,
            VertexKind::Stmt(_) | VertexKind::Arm(..) if places == Where::All => true,
            VertexKind::Stmt(stmt) => {
                let is_loop = cx.stmts()[stmt].is_some_and(|s| matches!(s.kind, StmtKind::While { .. }));
                is_loop || !vertex.labels.is_empty() || heads[*id]
            }
            VertexKind::Arm(..) => false,
        }
    };
    cx.cfg.vertices.ids().filter(is_shown).collect()
}

/// Line and statement, as in traces.
fn place(cx: &Context<'_>, vertex: VertexId) -> String {
    let line = cx.cfg.vertices[vertex].loc.0.map_or(String::new(), |span| span.start.line.to_string());
    format!("{line:>4}  {}", vertex_text(cx.stmts(), cx.cfg, vertex))
}

fn columns(body: &mut String, rows: &[(String, String)]) {
    let longest = rows.iter().map(|(left, _)| left.chars().count() + 2).max().unwrap_or(0);
    let column = longest.clamp(*COLUMN.start(), *COLUMN.end());
    for (left, right) in rows {
        let pad = column.saturating_sub(left.chars().count()).max(2);
        let _ = writeln!(body, "{}", format!("{left}{:pad$}{right}", "").trim_end());
    }
}

/// What holds at loops that can be reached, and what procedures that return do.
fn invariants<E: Engine>(
    cx: &Context<'_>,
    reached: &mut Reached<'_, E>,
    reply: &mut Reply,
) -> Result<(), Stopped> {
    let cubes = cx.arguments.output.max_cubes.get();
    let mut rows = vec![];
    let mut loops = vec![];
    for vertex in loop_heads(cx.cfg).iter_enumerated().filter(|(_, head)| **head).map(|(id, _)| id) {
        if reached.is_reached(vertex) {
            let text = bebop::render::sum_text(cx.cfg, &reached.states(vertex, cubes)?);
            loops.push(json!({ "at": json::vertex(cx, vertex), "text": text }));
            rows.push((place(cx, vertex), text));
        }
    }
    let mut procedures = vec![];
    let mut summaries = vec![];
    for (id, proc) in cx.cfg.procs.iter_enumerated() {
        if reached.is_reached(proc.exit) {
            let text = bebop::render::summary_text(cx.cfg, &reached.summary(id, cubes)?, proc.returns);
            summaries.push(json!({ "procedure": proc.name.as_str(), "text": text }));
            procedures.push((heading(cx.cfg, id), text));
        }
    }
    reply.body.push_str(if rows.is_empty() { "no loop can be reached.\n" } else { "invariants at loops:\n" });
    columns(&mut reply.body, &rows);
    reply.body.push_str("what procedures do (old(x) is the value before):\n");
    columns(&mut reply.body, &procedures);
    reply.json["invariants"] = json!({ "loops": loops, "procedures": summaries });
    Ok(())
}

/// `f(a, b)`, indented.
fn heading(cfg: &Cfg, proc: ProcId) -> String {
    let own = &cfg.procs[proc];
    let formals: Vec<&str> = own.formals.iter().map(|v| cfg.vars[*v].name.as_str()).collect();
    format!("  {}({})", own.name, formals.join(", "))
}

fn cubes_json(cfg: &Cfg, sum: &Sum<VarId>) -> Value {
    let cube = |cube: &Vec<(VarId, bool)>| -> Value {
        cube.iter().map(|(v, value)| (cfg.vars[*v].name.to_string(), *value)).collect()
    };
    sum.cubes.iter().map(cube).collect()
}

/// The vertices to which an edge leads back that a search in depth, first branches first, finds.
fn loop_heads(cfg: &Cfg) -> IndexVec<VertexId, bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut heads = IndexVec::from_elem(false, cfg.vertices.len());
    let mut seen = IndexVec::from_elem(Seen::No, cfg.vertices.len());
    for proc in &cfg.procs {
        let mut stack = vec![(proc.entry, 0)];
        seen[proc.entry] = Seen::Open;
        while let Some((vertex, next)) = stack.last_mut() {
            let Some(edge) = cfg.vertices[*vertex].out.get(*next) else {
                seen[*vertex] = Seen::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = cfg.edges[*edge].to;
            match seen[to] {
                Seen::Open => heads[to] = true,
                Seen::No => {
                    seen[to] = Seen::Open;
                    stack.push((to, 0));
                }
                Seen::Done => {}
            }
        }
    }
    assert!(heads.len() == cfg.vertices.len() && heads.ids().all(|v| v.index() < heads.len()));
    heads
}
