//! `slam points-to`: the points-to sets of pointers, the callees of calls through them, the partition of memory into
//! cells, and what is not known and why.

use alias::{AliasOracle, CellKind, Escape, Object, ObjectReport, PointsTo};
use base::dot::{Graph, quoted};
use base::{Id, SourceMap};
use ir::{Base, Callee, Op, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Most members of a region that are listed.
const MEMBERS: usize = 12;

/// Everything, in sections; an empty one is left out.
pub(super) fn text(program: &Program, oracle: &AliasOracle, sources: &SourceMap) -> String {
    let names = Names { program, oracle, sources };
    let mut out = names.pointers();
    for (title, lines) in [
        ("calls through pointers", names.calls()),
        ("allocations", names.allocations()),
        ("memory regions", names.regions()),
        ("pointers of unknown origin that are followed", names.unknown()),
        ("what undefined functions can get at", names.escaped()),
        ("objects without their layout", names.blobs()),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(out, "{title}");
            lines.iter().for_each(|line| _ = writeln!(out, "  {line}"));
        }
    }
    out
}

/// Pointers and their targets as a graph.
pub(super) fn dot(program: &Program, oracle: &AliasOracle) -> String {
    let sources = SourceMap::new();
    let names = Names { program, oracle, sources: &sources };
    let mut graph = Graph::new("points_to", &["rankdir=LR", "node [shape=box, fontsize=10]"]);
    for (object, path, set) in oracle.pointers() {
        let from = quoted(&format!("{}{path}", names.object(object)));
        // A member that holds pointers is shown as part of its object.
        if !path.is_empty() {
            let whole = quoted(&names.object(object));
            graph.edge(whole, &from, &["style=dotted", "arrowhead=none"]);
        }
        for target in set.objects.iter().filter(|o| **o != Object::External) {
            graph.edge(&from, quoted(&names.object(*target)), &[]);
        }
        if set.unknown {
            graph.edge(&from, quoted("(unknown)"), &[]);
        }
    }
    graph.finish()
}

struct Names<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    sources: &'a SourceMap,
}

impl Names<'_> {
    fn proc(&self, p: ProcId) -> &str {
        &self.program.procs[p].name
    }

    /// The procedure that a variable belongs to; `None` for everything that is global.
    fn owner(&self, o: Object) -> Option<ProcId> {
        if let Object::Var(v) = o { self.program.vars[v].proc() } else { None }
    }

    fn object(&self, o: Object) -> String {
        match o {
            Object::Var(v) => match self.program.vars[v].proc() {
                None => self.program.vars[v].name.clone(),
                Some(p) => format!("{}::{}", self.proc(p), self.program.vars[v].name),
            },
            Object::Heap(p, e) => format!("heap {}:{e}", self.proc(p)),
            Object::Func(p) => format!("{}()", self.proc(p)),
            Object::External => "memory of undefined functions".into(),
        }
    }

    fn set(&self, set: &PointsTo) -> String {
        let known = set.objects.iter().filter(|o| **o != Object::External).map(|o| self.object(*o));
        let mut names: Vec<String> = known.collect();
        names.extend(set.unknown.then(|| "unknown".to_owned()));
        format!("{{{}}}", names.join(", "))
    }

    fn place(&self, p: ProcId, e: ir::EdgeId) -> String {
        self.sources.short(self.program.procs[p].edges[e].span)
    }

    /// A block for the globals, one for each procedure, one for allocated memory.
    fn pointers(&self) -> String {
        let mut blocks: BTreeMap<(u8, usize), Vec<String>> = BTreeMap::new();
        for (object, path, set) in self.oracle.pointers() {
            let (block, name) = match (object, self.owner(object)) {
                (Object::Var(v), Some(p)) => ((1, p.index()), self.program.vars[v].name.clone()),
                (Object::Var(_), None) => ((0, 0), self.object(object)),
                _ => ((2, 0), self.object(object)),
            };
            blocks.entry(block).or_default().push(format!("{name}{path} -> {}", self.set(&set)));
        }
        let mut out = String::new();
        for ((kind, p), lines) in blocks {
            let _ = match kind {
                0 => writeln!(out, "globals"),
                1 => {
                    let proc = &self.program.procs[ProcId::from_index(p)];
                    writeln!(out, "{} ({})", proc.name, self.sources.short(proc.span))
                }
                _ => writeln!(out, "allocated memory"),
            };
            lines.iter().for_each(|line| _ = writeln!(out, "  {line}"));
        }
        out
    }

    fn calls(&self) -> Vec<String> {
        let mut out = vec![];
        for proc in &self.program.procs {
            for edge in &proc.edges {
                let Op::Call { callee: Callee::Indirect(pointer), .. } = &edge.op else { continue };
                let (targets, unknown) = self.oracle.callees(pointer);
                let mut names: Vec<&str> = targets.iter().map(|t| self.proc(*t)).collect();
                names.extend(unknown.then_some("unknown functions"));
                let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
                let pointer = ir::print::expr(self.program, pointer);
                let at = self.sources.short(edge.span);
                out.push(format!("{at}: {} calls {names} through {pointer}", proc.name));
            }
        }
        out
    }

    fn allocations(&self) -> Vec<String> {
        let line = |o: &ObjectReport| {
            let Object::Heap(p, e) = o.object else { return None };
            let mut text = format!("{}: {}", self.object(o.object), self.place(p, e));
            if let Some(size) = o.size {
                let _ = write!(text, ", {size} bytes");
            }
            match &o.ty {
                _ if o.is_blob => text.push_str(", bytes"),
                Some(ty) => _ = write!(text, ", used as {}", ir::print::ty(self.program, ty)),
                None => text.push_str(", never accessed"),
            }
            Some(text)
        };
        self.oracle.objects().iter().filter_map(line).collect()
    }

    /// Cells that more than one name reaches, or none exactly; the others are counted.
    fn regions(&self) -> Vec<String> {
        let members = self.oracle.members();
        let mut scalars = 0;
        let mut out = vec![];
        for (c, members) in members.iter_enumerated() {
            let kind = match self.oracle.cell_kind(c) {
                CellKind::Scalar { .. } => {
                    scalars += 1;
                    continue;
                }
                CellKind::Map { ty } => ir::print::ty(self.program, ty),
                CellKind::Opaque if members.is_empty() => continue,
                CellKind::Opaque => "not modelled".into(),
            };
            let shown: Vec<String> =
                members.iter().take(MEMBERS).map(|(o, path)| format!("{}{path}", self.object(*o))).collect();
            let rest = members.len().saturating_sub(MEMBERS);
            let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
            out.push(format!("{c} ({kind}): {}{more}", shown.join(", ")));
        }
        if 0 < scalars {
            out.push(format!("and {scalars} variables and members that no pointer reaches, each by itself"));
        }
        out
    }

    /// Dereferences whose pointer may be of unknown origin.
    fn unknown(&self) -> Vec<String> {
        let mut found: BTreeSet<(ProcId, String)> = BTreeSet::new();
        let mut out = vec![];
        for (p, proc) in self.program.procs.iter_enumerated() {
            for edge in &proc.edges {
                let mut note = |lv: &ir::Lvalue| {
                    let Base::Deref(pointer) = &lv.base else { return };
                    let text = ir::print::expr(self.program, pointer);
                    if self.oracle.points_to(pointer).unknown && found.insert((p, text.clone())) {
                        out.push(format!("{}: {text} in {}", self.sources.short(edge.span), proc.name));
                    }
                };
                edge.op.destination().into_iter().for_each(&mut note);
                ir::visit::loads(&edge.op, &mut |lv| note(lv));
            }
        }
        out
    }

    fn escaped(&self) -> Vec<String> {
        let line = |o: &ObjectReport| {
            let why = match o.escape? {
                Escape::Passed(p, e) => format!("passed at {}", self.place(p, e)),
                Escape::Held(holder) => format!("its address is in {}", self.object(holder)),
                Escape::Returned(p) => format!("its address is returned by {}", self.proc(p)),
                Escape::Written(p, e) => format!("written by undefined code at {}", self.place(p, e)),
                Escape::Number => "its address was made a number, and unknown pointers are followed".into(),
            };
            Some(format!("{}: {why}", self.object(o.object)))
        };
        self.oracle.objects().iter().filter_map(line).collect()
    }

    fn blobs(&self) -> Vec<String> {
        let line = |o: &ObjectReport| {
            let (p, e) = o.lost?;
            let part = if o.is_blob { "" } else { " (in part)" };
            Some(format!("{}{part}: since {} in {}", self.object(o.object), self.place(p, e), self.proc(p)))
        };
        self.oracle.objects().iter().filter_map(line).collect()
    }
}
