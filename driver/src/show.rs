//! `slam cfg` and `slam points-to`: intermediate results as text and for Graphviz.

use base::SourceMap;
use cmm::analysis::{AliasOracle, CellKind, Object};
use cmm::{Access, EdgeKind, Expr, ProcId, Program, Type, VarId};
use std::fmt::Write;

/// The control-flow graphs as text: for each location the edges that leave it.
pub(crate) fn cfg_text(program: &Program, sources: &SourceMap) -> String {
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
                let text = cmm::print::edge(program, pid, e);
                let _ = writeln!(out, "    {e} -> {}: {text}  // {}", edge.dst, sources.short(edge.span));
            }
        }
    }
    out
}

/// The control-flow graphs in the language of Graphviz, one cluster a procedure.
pub(crate) fn cfg_dot(program: &Program) -> String {
    let mut out = String::from("digraph cfg {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=10];\n");
    for (pid, proc) in program.procs.iter_enumerated().filter(|(_, p)| p.has_body) {
        let _ = writeln!(out, "  subgraph cluster_{pid} {{\n    label={};", quoted(&proc.name));
        for (loc, location) in proc.locations.iter_enumerated() {
            let mut label = loc.to_string();
            for name in &location.labels {
                let _ = write!(label, "\n{name}:");
            }
            let shape = if location.loop_head { "doublecircle" } else { "circle" };
            let _ = writeln!(out, "    {pid}_{loc} [label={}, shape={shape}];", quoted(&label));
        }
        for (e, edge) in proc.edges.iter_enumerated() {
            let text = cmm::print::edge(program, pid, e);
            let style = if edge.kind == EdgeKind::Internal { ", style=dashed" } else { "" };
            let _ = writeln!(
                out,
                "    {pid}_{} -> {pid}_{} [label={}{style}];",
                edge.src,
                edge.dst,
                quoted(&text)
            );
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// What the pointers among the variables and their members can point to, and how memory is divided into cells.
pub(crate) fn points_to(program: &Program, oracle: &AliasOracle) -> String {
    let mut out = String::new();
    for (v, var) in program.vars.iter_enumerated() {
        let owner = var.proc().map_or(String::new(), |p| format!("{}::", program.procs[p].name));
        for (suffix, pointer) in pointers(program, v) {
            let set = oracle.points_to(&pointer);
            let mut names: Vec<String> = set.objects.iter().map(|o| object(program, *o)).collect();
            names.extend(set.unknown.then(|| "unknown".to_owned()));
            let _ = writeln!(out, "{owner}{}{suffix} -> {{{}}}", var.name, names.join(", "));
        }
    }
    let _ = writeln!(out, "{} cells", oracle.cells());
    for c in 0..oracle.cells() {
        let c = base::Id::from_index(c);
        let kind = match oracle.cell_kind(c) {
            CellKind::Scalar { var, path, .. } => {
                let mut text = program.vars[*var].name.clone();
                for access in path {
                    if let Access::Field(r, f) = access {
                        let _ = write!(text, ".{}", program.records[*r].fields[*f as usize].name);
                    }
                }
                format!("scalar {text}")
            }
            CellKind::Map { ty, .. } => format!("map to {}", cmm::print::ty(program, ty)),
            CellKind::Opaque => "opaque".into(),
        };
        let _ = writeln!(out, "  {c}: {kind}");
    }
    out
}

/// The same as [`points_to`], pointers only, in the language of Graphviz.
pub(crate) fn points_to_dot(program: &Program, oracle: &AliasOracle) -> String {
    let mut out = String::from("digraph points_to {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n");
    for (v, var) in program.vars.iter_enumerated() {
        let owner = var.proc().map_or(String::new(), |p| format!("{}::", program.procs[p].name));
        for (suffix, pointer) in pointers(program, v) {
            let from = quoted(&format!("{owner}{}{suffix}", var.name));
            let set = oracle.points_to(&pointer);
            for o in &set.objects {
                let _ = writeln!(out, "  {from} -> {};", quoted(&object(program, *o)));
            }
            if set.unknown {
                let _ = writeln!(out, "  {from} -> unknown;");
            }
        }
    }
    out.push_str("}\n");
    out
}

/// Reads of the pointers in a variable: itself, or its members that are pointers (not inside of arrays).
fn pointers(program: &Program, v: VarId) -> Vec<(String, Expr)> {
    let mut out = vec![];
    let mut work = vec![(String::new(), program.lvalue(v))];
    while let Some((suffix, lv)) = work.pop() {
        match &lv.ty {
            Type::Ptr(_) => out.push((suffix, lv.load())),
            Type::Record(r) => {
                let record = &program.records[*r];
                for (i, field) in record.fields.iter().enumerate().rev() {
                    let inner = lv.clone().step(Access::Field(*r, i as u32), field.ty.clone());
                    work.push((format!("{suffix}.{}", field.name), inner));
                }
            }
            _ => {}
        }
    }
    out
}

fn object(program: &Program, o: Object) -> String {
    match o {
        Object::Var(v) => match program.vars[v].proc() {
            None => program.vars[v].name.clone(),
            Some(p) => format!("{}::{}", program.procs[p].name, program.vars[v].name),
        },
        Object::Heap(p, e) => format!("heap {}:{e}", name_of(program, p)),
        Object::Func(p) => format!("{}()", name_of(program, p)),
        _ => "external".into(),
    }
}

fn name_of(program: &Program, p: ProcId) -> &str {
    &program.procs[p].name
}
