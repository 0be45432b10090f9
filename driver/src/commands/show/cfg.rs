//! `slam cfg`: the control-flow graphs as text and for Graphviz.

use base::SourceMap;
use base::dot::{Graph, label, quoted};
use ir::{LocId, Program};
use std::fmt::Write;

/// The control-flow graphs as text: for each location the edges that leave it.
pub(super) fn text(program: &Program, sources: &SourceMap) -> String {
    let mut out = String::new();
    for (pid, proc) in program.procs.iter_enumerated().filter(|(_, p)| p.has_body) {
        let _ = writeln!(out, "{} {}", proc.name, sources.short(proc.span));
        let successors = proc.successors();
        for (loc, location) in proc.locations.iter_enumerated() {
            let mut marks: Vec<&str> = location.labels.iter().map(String::as_str).collect();
            marks.extend((loc == proc.entry).then_some("(entry)"));
            marks.extend((loc == proc.exit).then_some("(exit)"));
            marks.extend(location.loop_head.then_some("(loop head)"));
            let _ = writeln!(out, "  {loc}: {}", marks.join(" "));
            for &e in &successors[loc] {
                let edge = &proc.edges[e];
                let text = ir::print::edge(program, pid, e);
                let _ = writeln!(out, "    {e} -> {}: {text}  // {}", edge.dst, sources.short(edge.span));
            }
        }
    }
    out
}

/// The control-flow graphs in the language of Graphviz, one cluster a procedure.
pub(super) fn dot(program: &Program) -> String {
    let mut graph = Graph::new("cfg", &["node [shape=circle, fontsize=10]", "edge [fontsize=10]"]);
    for (pid, proc) in program.procs.iter_enumerated().filter(|(_, p)| p.has_body) {
        graph.cluster(pid, &quoted(&proc.name));
        let node = |loc: LocId| format!("{pid}_{loc}");
        for (loc, location) in proc.locations.iter_enumerated() {
            let mut text = loc.to_string();
            for name in &location.labels {
                let _ = write!(text, "\n{name}:");
            }
            let shape = if location.loop_head { "shape=doublecircle" } else { "shape=circle" };
            graph.node(node(loc), &[&label(&text), shape]);
        }
        for (e, edge) in proc.edges.iter_enumerated() {
            let style = if edge.kind.is_internal() { "style=dashed" } else { "" };
            let text = ir::print::edge(program, pid, e);
            graph.edge(node(edge.src), node(edge.dst), &[&label(&text), style]);
        }
        graph.end();
    }
    graph.finish()
}
