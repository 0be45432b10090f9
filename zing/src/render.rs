//! Traces as text: a line for each statement, indented by the depth of calls, with what was decided; and the state in
//! which the last one fails.

use crate::code::{Code, Fault, Instr, Pc, VarInfo};
use crate::replay::{Note, Snapshot, Trace, TraceStep};
use crate::value::{Renumbering, Value};
use base::SourceMap;
use base::dot::Graph;
use std::fmt::Write;

/// A trace of more lines is shortened in its middle.
pub const MOST_LINES: usize = 2_000;

/// `assertion at FILE:LINE`
pub fn place(code: &Code, sources: &SourceMap, fault: Fault, pc: Pc) -> String {
    let node = code.node(pc);
    if fault == Fault::Label
        && let Some(label) = node.labels.first()
    {
        return label.clone();
    }
    match node.span {
        Some(span) => format!("{} at {}", fault.word(), sources.short(span)),
        None => fault.word().to_owned(),
    }
}

/// The lines of a trace.
pub fn trace(code: &Code, sources: &SourceMap, trace: &Trace) -> String {
    let mut out = String::new();
    let several = trace.steps.iter().any(|s| s.thread > 1);
    let count = trace.steps.len();
    let mut thread = 0;
    for (i, step) in trace.steps.iter().enumerate() {
        if count > MOST_LINES && i == MOST_LINES / 2 {
            let _ = writeln!(out, "        ... {} statements are left out ...", count - MOST_LINES);
        }
        if count > MOST_LINES && i >= MOST_LINES / 2 && i < count - MOST_LINES / 2 {
            continue;
        }
        if several && step.thread != thread {
            let _ = writeln!(out, "      thread {}", step.thread);
        }
        thread = step.thread;
        if !is_silent(code, step) {
            line(&mut out, code, sources, step);
        }
    }
    out
}

/// What there is nothing to see of.
fn is_silent(code: &Code, step: &TraceStep) -> bool {
    let node = code.node(step.pc);
    node.span.is_none() || matches!(node.instr, Instr::Jump | Instr::Leave)
}

fn line(out: &mut String, code: &Code, sources: &SourceMap, step: &TraceStep) {
    let number = code.node(step.pc).span.map_or(0, |span| span.start.line);
    let text = statement(code, sources, step.pc);
    let indent = "  ".repeat(step.depth.min(40));
    let note = note(code, step);
    let gap = 44usize.saturating_sub(indent.len() + text.chars().count()).max(2);
    let line =
        format!("{number:>6}  {indent}{text}{}{note}", " ".repeat(if note.is_empty() { 0 } else { gap }));
    let _ = writeln!(out, "{}", line.trim_end());
}

/// The statement as it is written, with its labels.
pub fn statement(code: &Code, sources: &SourceMap, pc: Pc) -> String {
    let node = code.node(pc);
    let mut text: String = node.labels.iter().map(|l| format!("{l}: ")).collect();
    match &node.instr {
        // The place is that of the whole procedure.
        Instr::Return(values) if values.is_empty() => text.push_str("return"),
        Instr::Fail(Fault::NoReturn) => text.push_str("end of the procedure"),
        Instr::Enter => text.push_str("atomic"),
        _ => text.push_str(&node.span.and_then(|span| sources.snippet(span)).unwrap_or_default()),
    }
    text
}

fn note(code: &Code, step: &TraceStep) -> String {
    match step.note {
        Note::Plain => String::new(),
        Note::To(pc) => match &code.node(step.pc).instr {
            Instr::Branch(_, other) if pc == *other => "no".to_owned(),
            Instr::Branch(..) => "yes".to_owned(),
            Instr::Fork(targets) if targets.len() == 2 => {
                if pc == targets[0] {
                    "yes".to_owned()
                } else {
                    "no".to_owned()
                }
            }
            _ => String::new(),
        },
        Note::Chose(value) => format!("chosen: {}", plain(value)),
        Note::Decided(value) => format!("decided: {}", u8::from(value)),
        Note::Failed(fault) => format!("<-- {}", fault.word()),
    }
}

/// A value that is not a reference.
pub fn plain(value: Value) -> String {
    match value {
        Value::Open => "*".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Ref(a) => format!("#{}", a + 1),
    }
}

/// The state of a thread: variables, static fields, and the objects that they lead to, by numbers.
pub fn snapshot(code: &Code, snapshot: &Snapshot) -> String {
    let mut out = String::new();
    let Snapshot { store, frame } = tidy(snapshot);
    let proc = &code.procs[code.node(frame.pc).proc];
    let mut variables = |infos: &[VarInfo], values: &[Value]| {
        let named = infos.iter().zip(values).filter(|(info, _)| !info.name.is_empty());
        for (info, value) in named {
            let _ = writeln!(out, "        {} = {}", info.name, plain(*value));
        }
    };
    variables(&proc.locals, &frame.locals);
    variables(&code.statics, &store.statics);
    for (a, cell) in store.heap.cells.iter().enumerate() {
        let class = &code.classes[cell.class];
        let fields = class.fields.iter().zip(store.heap.fields(a as u32));
        let fields: Vec<String> = fields.map(|(f, v)| format!("{}: {}", f.name, plain(*v))).collect();
        let _ = writeln!(out, "        #{} = {} {{ {} }}", a + 1, class.name, fields.join(", "));
    }
    out
}

/// What the frame and the static fields lead to, in canonical numbers.
fn tidy(snapshot: &Snapshot) -> Snapshot {
    let Snapshot { store, frame } = snapshot;
    let mut walk = Renumbering::new(&store.heap, 0, &[]);
    frame.locals.iter().chain(&store.statics).for_each(|v| walk.root(*v));
    let mut tidied = snapshot.clone();
    tidied.frame.locals = walk.values(&frame.locals);
    tidied.store.statics = walk.values(&store.statics);
    tidied.store.heap = walk.heap();
    tidied
}

/// Heap pictures for Graphviz: for each statement of the trace what its thread sees before it, up to the last
/// `most` statements. The picture after a statement is the one before the next statement of its thread.
pub fn dot(code: &Code, sources: &SourceMap, trace: &Trace, most: usize) -> String {
    let mut graph = Graph::new("trace", &["rankdir=LR", "node [shape=record, fontname=monospace]"]);
    let first = trace.steps.len().saturating_sub(most);
    for (i, step) in trace.steps.iter().enumerate().skip(first) {
        let Some(before) = &step.before else { continue };
        let label = format!("{}. thread {}: {}", i + 1, step.thread, statement(code, sources, step.pc));
        graph.cluster(i, &format!("\"{}\"", escaped(&label)));
        picture(&mut graph, code, &tidy(before), i);
        graph.end();
    }
    graph.finish()
}

fn picture(graph: &mut Graph, code: &Code, snapshot: &Snapshot, step: usize) {
    let Snapshot { store, frame } = snapshot;
    let proc = &code.procs[code.node(frame.pc).proc];
    let mut edges = vec![];
    let mut record = |graph: &mut Graph, id: String, title: &str, infos: &[VarInfo], values: &[Value]| {
        let mut rows = vec![escaped(title)];
        for (i, (info, value)) in
            infos.iter().zip(values).enumerate().filter(|(_, (f, _))| !f.name.is_empty())
        {
            match value {
                Value::Ref(a) => {
                    edges.push((format!("{id}:f{i}"), format!("s{step}_o{a}")));
                    rows.push(format!("<f{i}> {}", escaped(&info.name)));
                }
                other => rows.push(format!("<f{i}> {} = {}", escaped(&info.name), plain(*other))),
            }
        }
        graph.node(id, &[&format!("label=\"{}\"", rows.join("|"))]);
    };
    record(graph, format!("s{step}_frame"), &proc.name, &proc.locals, &frame.locals);
    if !store.statics.is_empty() {
        record(graph, format!("s{step}_static"), "static", &code.statics, &store.statics);
    }
    for (a, cell) in store.heap.cells.iter().enumerate() {
        let class = &code.classes[cell.class];
        record(graph, format!("s{step}_o{a}"), &class.name, &class.fields, store.heap.fields(a as u32));
    }
    for (from, to) in edges {
        graph.edge(from, to, &[]);
    }
}

/// A text in a record of Graphviz.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| if "\"\\{}|<>".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}
