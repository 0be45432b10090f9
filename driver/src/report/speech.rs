//! The names of variables, objects and values in reports: those of the source, or a description where it has no name.

use base::{Id, Span};
use cfront::ARGUMENTS;
use interp::{ObjectId, ObjectKind, Seen, TraceStep, Value};
use ir::{
    Access, CheckId, EdgeId, Expr, IntType, Lvalue, Op, PathStep, ProcId, Program, Type, VarId, VarKind,
};
use std::collections::{BTreeMap, BTreeSet};
use verify::Task;

/// Longest string that is shown beside a step, in characters.
const STRING: usize = 24;

/// An object that the program was given by the library, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Its number, from 1 in the order of the allocations.
    pub number: usize,
    /// The function that gave it.
    pub by: String,
    /// The call of that.
    pub made: Span,
    /// The call that ended its life.
    pub freed: Option<Span>,
    /// It has been introduced to the reader.
    told: bool,
}

/// What is called how in one run.
pub(crate) struct Speech<'t> {
    task: &'t Task,
    /// The whole program, with the names that the source uses.
    spoken: Program,
    allocated: BTreeMap<ObjectId, Object>,
    /// Objects that are called by a text: strings among the arguments, variables.
    named: BTreeMap<ObjectId, (String, Option<VarId>)>,
}

impl<'t> Speech<'t> {
    /// The names after a run of the task's whole program, or of one that was made of it and has more variables and edges.
    pub(crate) fn of_run(task: &'t Task, program: &Program, trace: &[TraceStep]) -> Speech<'t> {
        let mut speech =
            Speech { task, spoken: spoken(task), allocated: BTreeMap::new(), named: BTreeMap::new() };
        speech.learn(program, trace);
        speech
    }

    /// The program with the names that the source uses: for texts that people read.
    pub(crate) fn program(&self) -> &Program {
        &self.spoken
    }

    /// The objects that the program allocated, by number.
    pub(crate) fn objects(&self) -> Vec<&Object> {
        let mut out: Vec<&Object> = self.allocated.values().collect();
        out.sort_by_key(|o| o.number);
        out
    }

    /// The allocated object that a value points into, dead or alive.
    pub(crate) fn object(&self, value: Value) -> Option<&Object> {
        match value {
            Value::Ptr { object, .. } | Value::Dangling(object) => self.allocated.get(&object),
            _ => None,
        }
    }

    /// The variable whose life has ended that a value points to.
    pub(crate) fn gone(&self, value: Value) -> Option<VarId> {
        let Value::Dangling(object) = value else { return None };
        self.named.get(&object).and_then(|(_, v)| *v)
    }

    /// What objects there are, from the whole run.
    fn learn(&mut self, program: &Program, trace: &[TraceStep]) {
        // The calls that are open, by their callee and their place.
        let mut open = vec![];
        let mut strings = 0;
        for traced in trace {
            let (p, e) = traced.step.edge();
            let edge = &program.procs[p].edges[e];
            match traced.step {
                PathStep::Enter(.., callee) => {
                    if program.procs[callee].name == ARGUMENTS && program.procs[callee].is_model() {
                        strings = 0;
                    }
                    open.push((p, callee, edge.span));
                }
                PathStep::Leave(..) => _ = open.pop(),
                PathStep::Edge(..) => {}
            }
            // The outermost model at work; its call stands in the program.
            let model = open.iter().find(|(_, callee, _)| program.procs[*callee].is_model());
            let place = model.map_or(edge.span, |(.., span)| *span);
            for seen in &traced.values {
                if let Value::Ptr { kind: ObjectKind::Var(v), object, .. } = seen.value
                    && let Some(var) = self.spoken.vars.get(v)
                {
                    self.named.entry(object).or_insert((var.name.clone(), Some(v)));
                }
            }
            let value = traced.values.first().map(|seen| seen.value);
            match (&edge.op, value) {
                (Op::Alloc { zeroed, .. }, Some(Value::Ptr { object, .. })) => match model {
                    Some((caller, ..)) if *caller == program.entry => {
                        let list = if program.procs[p].name == ARGUMENTS { None } else { Some(strings) };
                        strings += usize::from(list.is_some());
                        let name = list.map_or("argv".into(), |n| format!("argv[{n}]"));
                        self.named.insert(object, (name, None));
                    }
                    _ => {
                        let plain = if *zeroed { "calloc" } else { "malloc" };
                        let by = model.map_or(plain, |(_, callee, _)| &program.procs[*callee].name);
                        let number = self.allocated.len() + 1;
                        let new = Object { number, by: by.into(), made: place, freed: None, told: false };
                        self.allocated.entry(object).or_insert(new);
                    }
                },
                (Op::Free(_), Some(Value::Ptr { object, .. })) => {
                    if let Some(object) = self.allocated.get_mut(&object) {
                        object.freed = Some(place);
                    }
                }
                _ => {}
            }
        }
    }

    /// A location as the source names it; `None` for what the front end has invented.
    pub(crate) fn place(&self, place: &Lvalue) -> Option<String> {
        let invented = |v: VarId| {
            matches!(self.spoken.vars[v].kind, VarKind::Temp(_) | VarKind::Return(_))
                || (self.spoken.vars[v].kind == VarKind::Global && !self.task.words.names.contains_key(&v))
        };
        let mut own = true;
        place.clone().load().walk(&mut |e| {
            if let ir::Expr::Load(lv) | ir::Expr::AddrOf(lv) = e
                && let ir::Base::Var(v) = lv.base
            {
                own &= !invented(v);
            }
        });
        if let (ir::Base::Var(v), [Access::Index(at)]) = (&place.base, &place.path[..])
            && self.task.bytes.contains(v)
        {
            let at = ir::print::expr(&self.spoken, &plain_index(at));
            return own.then(|| format!("byte {at} of {}", self.spoken.vars[*v].name));
        }
        own.then(|| ir::print::lvalue(&self.spoken, place))
    }

    /// A value that was seen somewhere.
    pub(crate) fn value(&mut self, seen: &Seen) -> String {
        let mut out = self.plain(seen.value, &seen.place);
        if let Some(text) = &seen.text
            && !matches!(seen.value, Value::Ptr { kind: ObjectKind::Var(v), offset: 0, .. }
                if self.spoken.vars[v].data.is_some())
        {
            out.push(' ');
            out.push_str(&quoted_start(text, STRING));
        }
        out
    }

    fn plain(&mut self, value: Value, place: &Lvalue) -> String {
        match value {
            Value::Int(v) if matches!(&place.ty, Type::Int(t) if t.bits == 8) => character(v),
            Value::Int(v) => match self.task.words.enumerator(place, v) {
                Some(name) => format!("{name} ({v})"),
                None => v.to_string(),
            },
            Value::Float(v) => format!("{v:?}"),
            Value::Null => "NULL".into(),
            Value::Func(p) => self.spoken.procs[p].name.clone(),
            Value::FreshObject(size) | Value::OpenObject(size) => format!("a new object of {size} bytes"),
            Value::Ptr { kind, object, offset } => self.pointer(kind, object, offset, place.ty.pointee()),
            Value::Dangling(object) => match (self.allocated.get(&object), self.named.get(&object)) {
                (Some(o), _) => match o.freed {
                    Some(at) => format!("object #{}, freed at line {}", o.number, at.start.line),
                    None => format!("object #{}, which is gone", o.number),
                },
                (None, Some((name, _))) => format!("&{name}, which is gone"),
                (None, None) => "a pointer to an object that is gone".into(),
            },
        }
    }

    fn pointer(&mut self, kind: ObjectKind, object: ObjectId, offset: i64, to: Option<&Type>) -> String {
        let size = to.and_then(|t| self.spoken.size_of(t)).and_then(|n| i64::try_from(n).ok()).unwrap_or(1);
        let elements = if size > 0 && offset % size == 0 { Some(offset / size) } else { None };
        let moved = || match elements {
            _ if offset == 0 => String::new(),
            Some(n) => format!(" {} {}", if n < 0 { '-' } else { '+' }, n.abs()),
            None => format!(" {offset:+} bytes"),
        };
        if let Some(o) = self.allocated.get_mut(&object) {
            let first = !std::mem::replace(&mut o.told, true);
            let number = o.number;
            return match first {
                true => format!("object #{number} ({}, line {}){}", o.by, o.made.start.line, moved()),
                false => format!("object #{number}{}", moved()),
            };
        }
        match kind {
            ObjectKind::Var(v) => {
                let var = &self.spoken.vars[v];
                let is_array = matches!(var.ty, Type::Array(..));
                match elements {
                    _ if var.data.is_some() => format!("{}{}", var.name, moved()),
                    Some(n) if is_array => format!("&{}[{n}]", var.name),
                    _ => format!("&{}{}", var.name, moved()),
                }
            }
            ObjectKind::Heap(..) | ObjectKind::Fresh => match self.named.get(&object) {
                Some((name, _)) => format!("{name}{}", moved()),
                None if matches!(kind, ObjectKind::Heap(..)) => format!("an allocated object{}", moved()),
                None => format!("an object from outside{}", moved()),
            },
        }
    }
}

/// The number of a byte, for people.
fn plain_index(at: &Expr) -> Expr {
    match at {
        Expr::Const(n, _) => Expr::int(*n),
        other => other.uncast().clone(),
    }
}

/// The whole program with the source's names: variables that C-- calls otherwise, literals and temporaries as the texts
/// that they stand for.
pub(crate) fn spoken(task: &Task) -> Program {
    let mut out = task.whole.clone();
    for n in 0..out.vars.len() {
        let v = VarId::from_index(n);
        if let Some(name) = task.words.variable(&task.whole, &task.sources, v) {
            out.vars[v].name = name;
        }
    }
    for (name, v) in task.rules.iter().flat_map(|rule| &rule.variables) {
        out.vars[*v].name.clone_from(name);
    }
    out
}

/// How the program reaches code that is not its own: the models of library functions.
pub(crate) struct Foreigner<'t> {
    task: &'t Task,
    callers: BTreeMap<ProcId, Vec<(ProcId, EdgeId)>>,
}

/// The program's calls through which control reaches a procedure of the models.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Foreign {
    /// Models of functions.
    Models {
        /// Their names; one at least.
        functions: BTreeSet<String>,
        /// The program's calls of them, in the order of the source; one at least.
        calls: BTreeSet<Span>,
    },
    /// Nothing but what makes the arguments of `main`, or gives addresses of models away.
    Arguments {
        /// Where `main` is defined, if it has arguments.
        calls: BTreeSet<Span>,
    },
}

impl<'t> Foreigner<'t> {
    /// All calls of the program.
    pub(crate) fn new(task: &'t Task) -> Foreigner<'t> {
        Foreigner { task, callers: task.whole.callers() }
    }

    /// What leads to this procedure; nothing if it is one of the program's.
    pub(crate) fn of(&self, p: ProcId) -> Option<Foreign> {
        let program = &self.task.whole;
        if !program.procs[p].is_model() {
            return None;
        }
        let (mut functions, mut calls, mut arguments) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut seen, mut open) = (BTreeSet::from([p]), vec![p]);
        while let Some(model) = open.pop() {
            for (caller, edge) in self.callers.get(&model).into_iter().flatten() {
                let calling = &program.procs[*caller];
                if calling.is_model() {
                    if seen.insert(*caller) {
                        open.push(*caller);
                    }
                } else if *caller == program.entry {
                    arguments.insert(calling.edges[*edge].span);
                } else {
                    functions.insert(program.procs[model].library_name().to_owned());
                    calls.insert(calling.edges[*edge].span);
                }
            }
        }
        Some(if calls.is_empty() {
            Foreign::Arguments { calls: arguments }
        } else {
            Foreign::Models { functions, calls }
        })
    }

    /// Where checks are met, in the order of the source, each line once: those in models at the program's first call.
    pub(crate) fn places(&self, checks: &[CheckId]) -> Vec<String> {
        let at = |c: &CheckId| {
            let check = &self.task.program.checks[*c];
            self.of(check.proc).and_then(|f| f.calls().first().copied()).unwrap_or(check.span)
        };
        let spans: BTreeSet<Span> = checks.iter().map(at).collect();
        let mut places: Vec<String> = spans.into_iter().map(|at| self.task.sources.short(at)).collect();
        places.dedup();
        places
    }
}

impl Foreign {
    /// The function that is called, as the subject of a sentence.
    pub(crate) fn name(&self) -> String {
        match self {
            Foreign::Models { functions, .. } => {
                functions.iter().map(|name| format!("{name}()")).collect::<Vec<_>>().join(", ")
            }
            Foreign::Arguments { .. } => "arguments of main".to_owned(),
        }
    }

    /// The program's calls, in the order of the source.
    pub(crate) fn calls(&self) -> Vec<Span> {
        let (Foreign::Models { calls, .. } | Foreign::Arguments { calls }) = self;
        calls.iter().copied().collect()
    }
}

/// Whether the source has words for all variables of the expression.
pub(crate) fn is_named(task: &Task, e: &Expr) -> bool {
    let known = |v: VarId| task.words.variable(&task.whole, &task.sources, v).is_some();
    !e.has(|node| match node {
        Expr::Load(lv) | Expr::AddrOf(lv) => matches!(lv.base, ir::Base::Var(v) if !known(v)),
        _ => false,
    })
}

/// A condition for people: mathematical integers, which C has not, are written like others.
pub(crate) fn plain(program: &Program, condition: &Expr) -> String {
    let without = condition.clone().map(&mut |e| match e {
        Expr::Cast(inner, Type::Math) if inner.ty().as_int().is_some() => *inner,
        Expr::Const(v, Type::Math) => {
            let long = IntType { bits: 64, signed: true };
            let fitting =
                [IntType::INT, long].into_iter().find(|t| IntType::min(*t) <= v && v <= IntType::max(*t));
            Expr::Const(v, fitting.map_or(Type::Math, Type::Int))
        }
        Expr::Unary(op, operand, Type::Math) => {
            let ty = ir::convert::promoted(&operand.ty());
            Expr::Unary(op, operand, ty)
        }
        Expr::Binary(op, l, r, Type::Math) => {
            let ty = ir::convert::common(&l.ty(), &r.ty()).unwrap_or(Type::Math);
            Expr::Binary(op, l, r, ty)
        }
        e => e,
    });
    ir::print::expr(program, &without)
}

/// A character with its number: `'c' (99)`.
fn character(v: i128) -> String {
    let byte = [v as u8];
    let text = match v as u8 {
        b'\'' => "\\'".into(),
        b'"' => "\"".into(),
        _ => escaped(&byte),
    };
    format!("'{text}' ({v})")
}

/// A string as C writes it; of one that is longer than this many characters the beginning.
pub(crate) fn quoted_start(text: &[u8], longest: usize) -> String {
    let fits = |n: &usize| escaped(&text[..*n]).len() <= longest;
    match (0..=text.len()).rev().find(fits) {
        Some(n) if n < text.len() => format!("\"{}\"...", escaped(&text[..n])),
        _ => quoted(text),
    }
}

/// A string as C writes it.
pub(crate) fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", escaped(text))
}

/// Bytes as they stand in a string of C: octal escapes have three digits, so that nothing behind them is taken in.
fn escaped(text: &[u8]) -> String {
    let mut out = String::new();
    for (i, b) in text.iter().enumerate() {
        match b {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\\""),
            0 if !text.get(i + 1).is_some_and(u8::is_ascii_digit) => out.push_str("\\0"),
            0x20..0x7f => out.push(char::from(*b)),
            _ => out.push_str(&format!("\\{b:03o}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_characters_are_written_as_in_c() {
        assert_eq!(quoted(b"a\"b\\\n\0"), r#""a\"b\\\n\0""#);
        assert_eq!(quoted(b"\x011\x007"), r#""\0011\0007""#);
        assert_eq!(quoted_start(b"abcdef", 3), r#""abc"..."#);
        assert_eq!(quoted_start(b"abc", 3), r#""abc""#);
        assert_eq!(quoted_start(b"a\x01\x01", 6), r#""a\001"..."#);
        assert_eq!(character(99), "'c' (99)");
        assert_eq!(character(0), r"'\0' (0)");
        assert_eq!(character(-7), r"'\371' (-7)");
        assert_eq!(character(39), r"'\'' (39)");
    }
}
