//! The program form: declarations, and procedures as locations with their outgoing edges.

use super::expr::{converted, expr, lvalue};
use super::types::{declaration, ty};
use crate::program::{
    Callee, Edge, EdgeId, EdgeKind, HavocKind, LocId, Op, Proc, ProcId, Program, StartInput, Var, VarId,
    VarKind,
};
use crate::types::{RecordDef, Type};
use base::{Id, SourceMap, Span};
use std::fmt::Write;

/// Names that begin an operation; a call of a procedure with such a name is written with `call` before it.
pub(crate) const KEYWORDS: [&str; 11] =
    ["skip", "havoc", "assume", "check", "call", "alloc", "free", "memset", "memmove", "inspect", "output"];

/// The whole program in the form that [`parse::program`](crate::parse::program) reads. With a source map, each
/// line that stands for a place in the source ends with it as a comment.
pub fn program(program: &Program, sources: Option<&SourceMap>) -> String {
    let mut printer = Printer { program, sources, out: String::new(), next_var: 0 };
    printer.program();
    printer.out
}

/// The operation of the edge on one line: `x = y + 1;`, `assume(x > 0);`, `check(c0, x == 1);`.
pub fn edge(program: &Program, proc: ProcId, edge: EdgeId) -> String {
    op(program, &program.procs[proc].edges[edge].op)
}

fn op(program: &Program, op: &Op) -> String {
    let text = |e| expr(program, e);
    match op {
        Op::Skip => "skip;".into(),
        Op::Assign(lv, e) => format!("{} = {};", lvalue(program, lv), converted(program, e, &lv.ty)),
        Op::Havoc(lv, kind) => format!("havoc({}, {});", lvalue(program, lv), havoc_kind(kind)),
        Op::Assume(e) => format!("assume({});", text(e)),
        Op::Check(id, e) => format!("check({id}, {});", text(e)),
        Op::Call { dest, callee, args } => {
            let dest = dest.as_ref().map(|d| format!("{} = ", lvalue(program, d))).unwrap_or_default();
            format!("{dest}{}({});", callee_text(program, callee), arguments(program, callee, args))
        }
        Op::Alloc { dest, size, zeroed, may_fail } => {
            let flags = [(*zeroed, ", zeroed"), (*may_fail, ", may_fail")];
            let flags: String = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
            format!("{} = alloc({}{flags});", lvalue(program, dest), text(size))
        }
        Op::Free(e) => format!("free({});", text(e)),
        Op::Inspect { dest, query, ptr } => {
            format!("inspect({}, {}, {});", lvalue(program, dest), query.name(), text(ptr))
        }
        Op::Output { output, args } => {
            let args: String = args.iter().map(|a| format!(", {}", text(a))).collect();
            format!("output(\"{}\"{args});", output.name())
        }
        Op::MemSet { ptr, byte, len } => format!("memset({}, {}, {});", text(ptr), text(byte), text(len)),
        Op::MemCopy { dst, src, len } => format!("memmove({}, {}, {});", text(dst), text(src), text(len)),
    }
}

fn callee_text(program: &Program, callee: &Callee) -> String {
    match callee {
        Callee::Direct(p) => {
            let name = &program.procs[*p].name;
            if KEYWORDS.contains(&name.as_str()) { format!("call {name}") } else { name.clone() }
        }
        Callee::Indirect(e) => {
            let text = lvalue(program, &crate::expr::Lvalue::deref(e.clone()));
            format!("({text})")
        }
    }
}

fn arguments(program: &Program, callee: &Callee, args: &[crate::expr::Expr]) -> String {
    let params = match callee {
        Callee::Direct(p) => program.procs[*p].ty.params.clone(),
        Callee::Indirect(e) => match e.ty().pointee() {
            Some(Type::Func(f)) => f.params.clone(),
            _ => vec![],
        },
    };
    let text = |(i, e)| match params.get(i) {
        Some(ty) => converted(program, e, ty),
        None => expr(program, e),
    };
    args.iter().enumerate().map(text).collect::<Vec<_>>().join(", ")
}

fn havoc_kind(kind: &HavocKind) -> String {
    match kind {
        HavocKind::Input(name) => format!("input {}", quoted(name.as_bytes())),
        HavocKind::Uninit => "uninit".into(),
        HavocKind::Start(StartInput::Argument(n)) => format!("argument {n}"),
        HavocKind::Start(StartInput::StringLength) => "string_length".into(),
        HavocKind::Start(StartInput::StringCharacter) => "string_character".into(),
        HavocKind::Start(StartInput::EnvironmentLength) => "environment_length".into(),
        HavocKind::Outside(what) => format!("outside {}", quoted(what.as_bytes())),
        HavocKind::Extern(name) => format!("extern {}", quoted(name.as_bytes())),
        HavocKind::Unmodelled(what) => format!("unmodelled {}", quoted(what.as_bytes())),
        HavocKind::Made(part, name) => format!("{} {}", part.name(), quoted(name.as_bytes())),
        HavocKind::Followed => "followed".into(),
        HavocKind::Contents => "contents".into(),
        HavocKind::Choice(what) => format!("choice {}", quoted(what.as_bytes())),
        HavocKind::Analysis(what) => format!("analysis {}", quoted(what.as_bytes())),
    }
}

/// A string literal of C: printable characters, and octal escapes of three digits.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for b in bytes {
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b' '..=b'~' => out.push(char::from(*b)),
            other => _ = write!(out, "\\{other:03o}"),
        }
    }
    out.push('"');
    out
}

struct Printer<'a> {
    program: &'a Program,
    sources: Option<&'a SourceMap>,
    out: String,
    /// The id that the parser gives to the next variable declared without one.
    next_var: usize,
}

impl Printer<'_> {
    fn program(&mut self) {
        let p = self.program;
        _ = writeln!(self.out, "model {};", p.model.name());
        if p.signed_wrap {
            self.out.push_str("signed_wrap;\n");
        }
        if let Some(entry) = p.procs.get(p.entry) {
            _ = writeln!(self.out, "entry {};", entry.name);
        }
        for record in &p.records {
            self.record(record);
        }
        for v in &p.globals {
            self.out.push_str("global ");
            self.variable(*v);
        }
        for (id, check) in p.checks.iter_enumerated() {
            let (kind, proc) = (check.kind.name(), &p.procs[check.proc].name);
            let rule = check.rule.as_ref().map(|r| format!(" {}", quoted(r.as_bytes()))).unwrap_or_default();
            _ = write!(self.out, "check {id} {kind}{rule} in {proc} {};", quoted(check.message.as_bytes()));
            self.end_line(check.span);
        }
        for proc in &p.procs {
            self.out.push('\n');
            self.proc(proc);
        }
    }

    fn end_line(&mut self, span: Span) {
        if let Some(map) = self.sources
            && span.file.index() < map.len()
            && span.start.line > 0
        {
            _ = write!(self.out, "  // {}", map.short(span));
        }
        self.out.push('\n');
    }

    fn record(&mut self, record: &RecordDef) {
        let keyword = if record.is_union { "union" } else { "struct" };
        if !record.complete && record.fields.is_empty() {
            _ = writeln!(self.out, "{keyword} {};", record.name);
            return;
        }
        _ = writeln!(self.out, "{keyword} {} {{", record.name);
        for field in &record.fields {
            _ = write!(self.out, "  {} @{}", declaration(self.program, &field.ty, &field.name), field.offset);
            if let Some(bit) = field.bit_offset {
                _ = write!(self.out, ":{bit}");
            }
            self.out.push_str(";\n");
        }
        let elsewhere = if record.elsewhere { " elsewhere" } else { "" };
        _ = writeln!(self.out, "}} size {} align {}{elsewhere};", record.size, record.align);
    }

    /// Declares the variable, with its id where that is not the next one.
    fn variable(&mut self, v: VarId) {
        let var: &Var = &self.program.vars[v];
        self.out.push_str(&declaration(self.program, &var.ty, &var.name));
        let id = self.var_id(v);
        self.out.push_str(&id);
        if let Some(data) = &var.data {
            _ = write!(self.out, " = {}", quoted(data));
        }
        if var.align > 0 {
            _ = write!(self.out, " align {}", var.align);
        }
        for (n, (start, end)) in var.constant.iter().flat_map(|ranges| ranges.iter()).enumerate() {
            let word = if n == 0 { " const " } else { ", " };
            _ = write!(self.out, "{word}@{start} to @{end}");
        }
        self.out.push(';');
        self.end_line(var.span);
    }

    fn var_id(&mut self, v: VarId) -> String {
        let expected = std::mem::replace(&mut self.next_var, v.index() + 1);
        if v.index() == expected { String::new() } else { format!(" #{}", v.index()) }
    }

    fn proc(&mut self, proc: &Proc) {
        let p = self.program;
        let mut params: Vec<String> = vec![];
        for v in &proc.formals {
            let text = declaration(p, &p.vars[*v].ty, &p.vars[*v].name);
            params.push(text + &self.var_id(*v));
        }
        if proc.formals.is_empty() {
            params = proc.ty.params.iter().map(|t| ty(p, t)).collect();
        }
        if proc.ty.variadic {
            params.push("...".into());
        } else if params.is_empty() {
            params.push("void".into());
        }
        let keyword = if proc.has_body { "proc" } else { "extern" };
        let declarator = format!("{}({})", proc.name, params.join(", "));
        let origin = proc.origin.word().map(|w| format!("{w} ")).unwrap_or_default();
        _ = write!(self.out, "{origin}{keyword} {}", declaration(p, &proc.ty.ret, &declarator));
        let braces = proc.has_body || !proc.locals.is_empty();
        self.out.push_str(if braces { " {" } else { ";" });
        self.end_line(proc.span);
        for v in &proc.locals {
            self.out.push_str(match p.vars[*v].kind {
                VarKind::Return(_) => "  return ",
                VarKind::Temp(_) => "  temp ",
                _ => "  local ",
            });
            self.variable(*v);
        }
        if proc.has_body {
            self.graph(proc);
        }
        if braces {
            self.out.push_str("}\n");
        }
    }

    fn graph(&mut self, proc: &Proc) {
        _ = writeln!(self.out, "  entry {}; exit {};", proc.entry, proc.exit);
        let successors = proc.successors();
        for location in proc.locations.ids() {
            self.location(proc, location);
            for e in &successors[location] {
                self.edge(&proc.edges[*e], *e);
            }
        }
    }

    fn location(&mut self, proc: &Proc, id: LocId) {
        let location = &proc.locations[id];
        _ = write!(self.out, "  {id}");
        for label in &location.labels {
            _ = write!(self.out, " label {label}");
        }
        if location.loop_head {
            self.out.push_str(" loop");
        }
        self.out.push(':');
        if location.loop_head || !location.labels.is_empty() {
            self.end_line(location.span)
        } else {
            self.out.push('\n')
        }
    }

    fn edge(&mut self, edge: &Edge, id: EdgeId) {
        let kind = match edge.kind {
            EdgeKind::Statement => "",
            EdgeKind::Branch { taken: true } => " true",
            EdgeKind::Branch { taken: false } => " false",
            EdgeKind::Internal => " internal",
            EdgeKind::Implied => " implied",
        };
        _ = write!(self.out, "    {id}{kind}: {} goto {};", op(self.program, &edge.op), edge.dst);
        self.end_line(edge.span);
    }
}
