//! Native replay of errors: the inputs with which a compiled program runs into the error that slam found.
//!
//! A plan lists the values that the execution drew, by the functions that return them, and how the error shows itself
//! in a compiled program. It is taken from the interpreter's run and becomes a C file. Results hold no plan, only the
//! values (`again`): readers of a result run the interpreter once more, so that everything else comes from the
//! program.
//! Values that no C function can supply (uninitialised memory that is not zero, results of library functions, choices
//! of the encoding) are listed as missing: a replay without them may end differently.

pub(crate) mod again;
mod guard;
pub(crate) mod native;
mod text;
mod workshop;

pub(crate) use text::by_hand;

use crate::report::error::inside_model;
use executions::Witness;
use interp::{InputRecord, Value};
use ir::{Callee, CheckKind, HavocKind, Lvalue, Op, PathStep, Proc, Program, StartInput, Type};
use verify::Task;

/// What stands in an object that an undefined function gave.
pub(crate) const CONTENTS: &str = "contents of an object from outside";

/// How the error shows itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    /// This function is called.
    Call(String),
    /// The assertion handler of the C library is called, or `assert` with 0.
    Assertion,
    /// Control reaches the label in this file, at this line.
    Label(String, String, u32),
    /// The process traps: the compiler puts checks in.
    Trap,
    /// In no way that the harness could see.
    None,
}

/// A value that is drawn.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Drawn {
    /// The function that returns it, the object that holds it, or nothing for an argument.
    pub name: String,
    /// Its type in C.
    pub ty: String,
    /// The value: a number, or `new 16` for the address of an object of 16 bytes.
    pub value: String,
}

/// What the execution needs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    /// Where the error is.
    pub place: String,
    /// What it is.
    pub message: String,
    /// The kind of the check.
    pub kind: CheckKind,
    /// How it shows itself.
    pub sign: Sign,
    /// The function where execution starts.
    pub entry: String,
    /// What is added to the files to call the function of `--entry`.
    pub caller: Option<cfront::Harness>,
    /// What that is given.
    pub arguments: Vec<Drawn>,
    /// The strings that `main` is given behind that, each without its NUL: the arguments, then the environment.
    pub strings: Vec<String>,
    /// How many lists of strings it takes.
    pub lists: u8,
    /// Results of functions, in the order of the calls.
    pub results: Vec<Drawn>,
    /// Contents of objects that are declared and not defined.
    pub objects: Vec<Drawn>,
    /// For each allocation that may fail, in order, whether it does.
    pub failures: Vec<bool>,
    /// What cannot be supplied.
    pub missing: Vec<String>,
}

/// The plan of an execution that fails a check.
pub(crate) fn plan(task: &Task, witness: &Witness) -> Plan {
    let check = &task.whole.checks[witness.check];
    let name = task.sources.file(check.span.file).name.clone();
    let mut plan = Plan {
        place: task.sources.short(inside_model(&task.whole, witness).map_or(check.span, |(call, _)| call)),
        message: check.message.clone(),
        kind: check.kind,
        sign: sign(check.kind, &check.message, &name, check.span.start.line),
        entry: entry(&task.whole).to_owned(),
        caller: task.caller.clone(),
        arguments: vec![],
        strings: vec![],
        lists: lists(&task.whole),
        results: vec![],
        objects: vec![],
        failures: failures(task, witness),
        missing: vec![],
    };
    witness.run.inputs.iter().for_each(|record| plan.supply(task, record));
    // The linker and the system settle these.
    let addresses = witness.run.located.iter();
    plan.missing
        .extend(addresses.map(|l| format!("{} is {:#x}", crate::report::address(task, l), l.address)));
    plan
}

fn sign(kind: CheckKind, message: &str, file: &str, line: u32) -> Sign {
    match kind {
        CheckKind::Reach => {
            let called = message.strip_suffix("() is called").map(str::to_owned).or_else(|| {
                let rest = message.strip_prefix("the undefined function `")?;
                rest.strip_suffix("` is called").map(str::to_owned)
            });
            let label = || message.strip_prefix("label ")?.strip_suffix(" is reached").map(str::to_owned);
            match (called, label()) {
                (Some(function), _) => Sign::Call(function),
                (None, Some(label)) => Sign::Label(label, file.to_owned(), line),
                (None, None) => Sign::Assertion,
            }
        }
        _ if guard::trap(kind).is_some() => Sign::Trap,
        _ => Sign::None,
    }
}

/// The procedures that the start procedure calls, in order.
fn called_at_start(program: &Program) -> impl Iterator<Item = &Proc> {
    program.procs[program.entry].edges.iter().filter_map(|edge| match edge.op {
        Op::Call { callee: Callee::Direct(q), .. } => Some(&program.procs[q]).filter(|q| q.has_body),
        _ => None,
    })
}

/// How many lists of strings `main` is given.
fn lists(program: &Program) -> u8 {
    called_at_start(program).filter(|q| q.name == cfront::ARGUMENTS).count().min(2) as u8
}

/// The function of the program that is called first.
fn entry(program: &Program) -> &str {
    let called = called_at_start(program).find(|q| q.name != cfront::ARGUMENTS);
    called.map_or("main", |q| &q.name)
}

/// What the entry function is started with, in words.
pub(crate) fn start_input(program: &Program, what: StartInput) -> String {
    match what {
        StartInput::Argument(_) => format!("{what} of {}", entry(program)),
        _ => what.to_string(),
    }
}

/// For each allocation that may fail whether it did.
fn failures(task: &Task, witness: &Witness) -> Vec<bool> {
    let mut out = vec![];
    for traced in &witness.run.trace {
        if let PathStep::Edge(p, e) = traced.step
            && let Op::Alloc { may_fail: true, .. } = &task.whole.procs[p].edges[e].op
        {
            out.push(traced.values.first().is_some_and(|seen| seen.value == Value::Null));
        }
    }
    out
}

impl Plan {
    fn supply(&mut self, task: &Task, record: &InputRecord) {
        let edge = &task.whole.procs[record.proc].edges[record.edge];
        let place = task.sources.short(edge.span);
        let dest = match &edge.op {
            Op::Havoc(lv, _) => Some(lv),
            Op::Call { dest, .. } => dest.as_ref(),
            _ => None,
        };
        let drawn = |name: &str| {
            let ty = dest.and_then(|lv| c_type(&lv.ty))?;
            Some(Drawn { name: name.into(), ty, value: c_value(record.value)? })
        };
        let zero = matches!(record.value, Value::Int(0) | Value::Null) || record.value == Value::Float(0.0);
        let text = record.value.text(&task.whole);
        match &record.kind {
            HavocKind::Input(name) => match drawn(name) {
                Some(drawn) => self.results.push(drawn),
                None => self.missing.push(format!("{name}() at {place} returned {text}")),
            },
            HavocKind::Start(StartInput::StringLength) => self.strings.push(String::new()),
            HavocKind::Start(StartInput::StringCharacter) => {
                let byte = if let Value::Int(v) = record.value { v as u8 } else { 0 };
                // As the model has it: only the end is 0.
                let character = char::from(if byte == 0 { b' ' } else { byte });
                self.strings.last_mut().into_iter().for_each(|s| s.push(character));
            }
            HavocKind::Start(StartInput::EnvironmentLength) => {}
            HavocKind::Start(what @ StartInput::Argument(_)) => match drawn("") {
                Some(drawn) => self.arguments.push(drawn),
                None => self.missing.push(format!("{} is {text}", start_input(&task.whole, *what))),
            },
            // A failed call of the library leaves it; nobody has asked yet.
            HavocKind::Extern(name) if &**name == "errno" => {}
            HavocKind::Outside(what) => self.missing.push(format!("{what} at {place} is {text}")),
            HavocKind::Extern(name) if task.whole.procs[record.proc].is_model() => {
                self.missing.push(format!("the library's {name}() gets {text}"));
            }
            HavocKind::Extern(name) => match (drawn(name), dest.and_then(|lv| global(task, lv))) {
                (Some(drawn), None) => self.results.push(drawn),
                (Some(drawn), Some(whole)) if whole == &**name => self.objects.push(drawn),
                _ => self.missing.push(format!("{name} at {place} is {text}")),
            },
            // An option of the compiler makes memory begin with zeros.
            HavocKind::Uninit | HavocKind::Contents if zero => {}
            HavocKind::Contents => self.missing.push(format!("{CONTENTS} at {place} is {text}")),
            HavocKind::Uninit => self.missing.push(format!("uninitialised memory at {place} is {text}")),
            // The compiler has settled it, perhaps in another way.
            HavocKind::Choice(what) => self.missing.push(format!("{what} at {place} is {text}")),
            // The compiled program computes it; the error does not rest on it.
            HavocKind::Unmodelled(_) | HavocKind::Made(..) | HavocKind::Followed | HavocKind::Analysis(_) => {
            }
        }
    }
}

/// The whole global that a location is.
fn global<'t>(task: &'t Task, lv: &Lvalue) -> Option<&'t str> {
    let v = lv.as_var()?;
    let var = &task.whole.vars[v];
    (var.proc().is_none() && lv.path.is_empty()).then_some(var.name.as_str())
}

/// Integers by their bits: signed, unsigned.
const INTEGERS: [(u16, &str, &str); 5] = [
    (1, "_Bool", "_Bool"),
    (8, "signed char", "unsigned char"),
    (16, "short", "unsigned short"),
    (32, "int", "unsigned int"),
    (64, "long long", "unsigned long long"),
];

/// A type of C with the representation of this one; `None` for one that functions do not return in a register.
fn c_type(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Int(t) => {
            let (_, signed, unsigned) = INTEGERS.iter().find(|(bits, ..)| *bits == t.bits)?;
            (if t.signed { signed } else { unsigned }).to_string()
        }
        Type::Ptr(_) => "void *".into(),
        Type::Float(f) if f.bits == 32 => "float".into(),
        Type::Float(f) if f.bits == 64 => "double".into(),
        _ => return None,
    })
}

fn c_value(value: Value) -> Option<String> {
    match value {
        Value::Int(v) => Some(v.to_string()),
        Value::Float(v) if v.is_finite() => Some(format!("{v:?}")),
        Value::Null => Some("0".into()),
        Value::FreshObject(size) | Value::OpenObject(size) => Some(format!("new {size}")),
        Value::Ptr { kind: interp::ObjectKind::Fresh, offset: 0, .. } => Some("new 4096".into()),
        _ => None,
    }
}
