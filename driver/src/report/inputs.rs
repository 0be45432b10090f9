//! The inputs of an execution, as the user could supply them.

use super::speech::{Speech, quoted};
use super::stdin::stdin;
use super::story::is_zero;
use crate::harness::{self, CONTENTS, Plan};
use executions::Witness;
use interp::{InputRecord, Located, ObjectKind, Seen, Value};
use ir::{Base, Expr, HavocKind, Op, ProcId, StartInput, VarId};
use results::check::Input;
use std::fmt::Write;
use verify::Task;

/// Inputs listed at most.
const INPUTS: usize = 40;

/// The inputs that the execution depends on.
pub(crate) fn inputs(task: &Task, witness: &Witness, plan: &Plan, speech: &mut Speech<'_>) -> Vec<Input> {
    let mut out = vec![];
    let entry = task.whole.find_proc(&plan.entry);
    let mut strings = plan.strings.iter();
    let mut numbers = [0usize; 2];
    let arguments = plan.arguments.first().and_then(|a| a.value.parse::<usize>().ok()).unwrap_or(0);
    let stdin = stdin(task, &witness.run.inputs);
    let read = |n: usize| stdin.as_ref().is_some_and(|s| s.inputs.contains(&n));
    for (_, record) in witness.run.inputs.iter().enumerate().filter(|(n, _)| !read(*n)) {
        match &record.kind {
            HavocKind::Start(StartInput::Argument(n)) => {
                let formal =
                    entry.and_then(|p| task.whole.procs[p].formals.get(*n as usize - 1).map(|v| (p, *v)));
                let Some((p, v)) = formal else { continue };
                if is_mentioned(task, p, v) {
                    let place = task.whole.lvalue(v);
                    let what = speech.program().vars[v].name.clone();
                    let value = speech.value(&Seen { place, value: record.value, text: None });
                    out.push(Input { input: what, value });
                }
            }
            HavocKind::Start(StartInput::StringLength) => {
                let Some(text) = strings.next() else { continue };
                let bytes: Vec<u8> = text.chars().map(|c| u32::from(c) as u8).collect();
                let of_environment = usize::from(numbers[0] >= arguments);
                let n = numbers[of_environment];
                numbers[of_environment] += 1;
                let list = ["argv", "envp"][of_environment];
                out.push(Input { input: format!("{list}[{n}]"), value: quoted(&bytes) });
            }
            HavocKind::Start(StartInput::StringCharacter) => {}
            HavocKind::Start(StartInput::EnvironmentLength)
            | HavocKind::Input(_)
            | HavocKind::Uninit
            | HavocKind::Contents
            | HavocKind::Extern(_)
            | HavocKind::Outside(_)
            | HavocKind::Unmodelled(_)
            | HavocKind::Made(..)
            | HavocKind::Followed
            | HavocKind::Analysis(_)
            | HavocKind::Choice(_) => out.extend(input(task, record)),
        }
    }
    for located in &witness.run.located {
        out.push(Input { input: address(task, located), value: format!("{:#x}", located.address) });
    }
    if let Some(stdin) = &stdin {
        out.push(Input { input: "standard input".into(), value: quoted(&stdin.text) });
    }
    out
}

/// What is said of an object whose address the execution uses as a number.
pub(crate) fn address(task: &Task, located: &Located) -> String {
    let name = match located.what {
        Value::Ptr { kind: ObjectKind::Var(v), .. } => task.words.names.get(&v).cloned(),
        Value::Func(p) => Some(task.whole.procs[p].name.clone()),
        _ => None,
    };
    match name {
        Some(name) => format!("the address of {name}"),
        None => "the address of allocated memory".into(),
    }
}

/// An input other than the arguments; `None` for one that does not matter to the reader.
fn input(task: &Task, record: &InputRecord) -> Option<Input> {
    let program = &task.whole;
    let proc = &program.procs[record.proc];
    let place = task.sources.short(proc.edges[record.edge].span);
    let what = match &record.kind {
        HavocKind::Input(name) => format!("{name}() at {place}"),
        HavocKind::Start(what) => harness::start_input(program, *what),
        HavocKind::Outside(what) => format!("{what} at {place}"),
        HavocKind::Extern(name) if proc.is_model() => format!("a value for {name}()"),
        HavocKind::Extern(name) => format!("{name}() at {place}"),
        HavocKind::Uninit | HavocKind::Contents if is_zero(record.value) || !record.read => return None,
        HavocKind::Contents => format!("{CONTENTS} at {place}"),
        HavocKind::Uninit => match uninitialised(task, record) {
            Some(name) => format!("uninitialised memory ({name}) at {place}"),
            None => format!("uninitialised memory at {place}"),
        },
        HavocKind::Choice(name) => format!("{name} at {place}"),
        // Nothing depends on it.
        HavocKind::Unmodelled(_) | HavocKind::Made(..) | HavocKind::Followed | HavocKind::Analysis(_) => {
            return None;
        }
    };
    Some(Input { input: what, value: record.value.text(program) })
}

/// The variable that begins its life without a value.
fn uninitialised<'t>(task: &'t Task, record: &InputRecord) -> Option<&'t str> {
    let edge = &task.whole.procs[record.proc].edges[record.edge];
    let Op::Havoc(lv, HavocKind::Uninit) = &edge.op else { return None };
    let Base::Var(v) = lv.base else { return None };
    task.words.names.get(&v).map(String::as_str)
}

/// Whether the procedure mentions its parameter.
fn is_mentioned(task: &Task, p: ProcId, v: VarId) -> bool {
    let is = |e: &Expr| matches!(e, Expr::Load(lv) | Expr::AddrOf(lv) if matches!(lv.base, Base::Var(x) if x == v));
    task.whole.procs[p].edges.iter().any(|edge| {
        let own = edge.op.destination().is_some_and(|lv| lv.children().any(|e| e.has(is)));
        own || edge.op.operands().iter().any(|e| e.has(is))
    })
}

/// The inputs as lines.
pub(crate) fn text(inputs: &[Input]) -> String {
    let mut out = String::new();
    for (i, Input { input, value }) in inputs.iter().take(INPUTS).enumerate() {
        let head = if i == 0 { "inputs  " } else { "" };
        let _ = writeln!(out, "{head:<8} {input}: {value}");
    }
    if inputs.len() > INPUTS {
        let _ = writeln!(out, "         ... and {} more", inputs.len() - INPUTS);
    }
    if inputs.is_empty() {
        out.push_str("inputs   none\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_inputs_are_counted() {
        let one = Input { input: "f() at a.c:1".into(), value: "1".into() };
        assert_eq!(text(&[]), "inputs   none\n");
        assert_eq!(text(std::slice::from_ref(&one)), "inputs   f() at a.c:1: 1\n");
        assert!(text(&vec![one; 43]).ends_with("         ... and 3 more\n"));
    }
}
