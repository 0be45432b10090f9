//! The execution that fails a check, as results have it, and the same execution once more.
//!
//! A result holds the inputs of the interpreter and nothing that follows from them: which check fails, its place and
//! its kind are determined again from the program.

use crate::commands::run::{parse, text};
use crate::prepare::Task;
use crate::results::fields::{Field, Read};
use base::Id;
use executions::{Witness, confirmed};
use interp::{Inputs, Limits, Run, State, TraceStep, UninitRead, Value};
use ir::{CheckKind, EdgeId, HavocKind, LocId, PathStep, ProcId, Type};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

/// Steps that are kept for the trace.
const MAX_STEPS: usize = 1_000_000;

/// Steps of an execution at most.
const LIMIT: u64 = 100_000_000;

/// A value that was drawn, and the edge that drew it.
pub(crate) type Drawn = (ProcId, EdgeId, Value);

/// An execution as results have it, under `replay`.
pub(crate) fn record(task: &Task, witness: &Witness) -> serde_json::Value {
    let values = values(&witness.run);
    let open = Choices::Traced { trace: &witness.run.trace, edges: vec![], failures: vec![] };
    let mut again = Again { values: &values, at: 0, step: 0, choices: open };
    let limits = Limits { steps: witness.run.steps + 1, ..Limits::default() };
    interp::run(&task.whole, &mut again, &limits, &AtomicBool::new(false));
    let (edges, failures) = match again.choices {
        Choices::Traced { edges, failures, .. } => (edges, failures),
        Choices::Given { .. } => (vec![], vec![]),
    };
    let one = |(p, e, v): &Drawn| json!({ "at": [p.index(), e.index()], "value": text(*v) });
    let inputs: Vec<_> = values.iter().map(one).collect();
    json!({ "program": task.fingerprint, "inputs": inputs, "choices": edges, "failing_allocations": failures })
}

/// Executes the program as a result says, and finds the check that fails; `None` when none does.
///
/// # Errors
/// What is wrong with the result, and where.
pub(crate) fn witness(task: &Task, json: &Field<'_>, stop: &AtomicBool) -> Read<Option<Witness>> {
    json.has_only(&["program", "inputs", "choices", "failing_allocations"])?;
    let program = json.member("program")?;
    if program.text()? != task.fingerprint {
        return Err(program.wrong("it is about another program, or was written by another version of slam"));
    }
    let inputs = json.member("inputs")?.list()?;
    let values = inputs.iter().map(|field| drawn(task, field)).collect::<Read<Vec<_>>>()?;
    let choices = json.member("choices")?.list()?;
    let edges = choices.iter().map(Field::number).collect::<Read<_>>()?;
    let allocations = json.member("failing_allocations")?.list()?;
    let failures = allocations.iter().map(Field::flag).collect::<Read<_>>()?;
    let mut again = Again { values: &values, at: 0, step: 0, choices: Choices::Given { edges, failures } };
    let limits = Limits { trace: MAX_STEPS, steps: LIMIT, ..Limits::default() };
    let run: Run = interp::run(&task.whole, &mut again, &limits, stop);
    let own = |w: &Witness| task.whole.checks[w.check].kind != CheckKind::Unmodelled;
    Ok(confirmed(run).ok().filter(own))
}

/// The values that an execution was given, in order.
pub(crate) fn values(run: &Run) -> Vec<Drawn> {
    run.inputs.iter().map(|r| (r.proc, r.edge, r.value)).collect()
}

/// Inputs that make the execution with these values and this trace once more.
pub(crate) fn inputs<'w>(values: &'w [Drawn], trace: &'w [TraceStep]) -> impl Inputs + 'w {
    let choices = Choices::Traced { trace, edges: vec![], failures: vec![] };
    Again { values, at: 0, step: 0, choices }
}

fn drawn(task: &Task, json: &Field<'_>) -> Read<Drawn> {
    json.has_only(&["at", "value"])?;
    let at = json.member("at")?;
    let parts = at.list()?;
    let [p, e] = &parts[..] else { return Err(at.wrong("this is no edge of a procedure")) };
    let (p_number, e_number) = (p.number()?, e.number()?);
    let Some(proc) = task.whole.procs.iter().nth(p_number) else {
        return Err(p.wrong("there is no such procedure"));
    };
    if e_number >= proc.edges.len() {
        return Err(e.wrong("there is no such edge"));
    }
    let value = json.member("value")?;
    let read = parse(value.line()?).ok_or_else(|| value.wrong("this is no value"))?;
    Ok((ProcId::from_index(p_number), EdgeId::from_index(e_number), read))
}

/// Where the decisions come from: between several edges, and whether an allocation fails.
enum Choices<'a> {
    /// From an earlier run; those that were made are noted.
    Traced { trace: &'a [TraceStep], edges: Vec<usize>, failures: Vec<bool> },
    /// From lists, in order.
    Given { edges: VecDeque<usize>, failures: VecDeque<bool> },
}

/// The inputs of an earlier execution, in order.
struct Again<'a> {
    values: &'a [Drawn],
    at: usize,
    step: usize,
    choices: Choices<'a>,
}

impl Again<'_> {
    fn next(&mut self, proc: ProcId, edge: EdgeId, ty: &Type) -> Value {
        match self.values.get(self.at) {
            Some((p, e, value)) if (*p, *e) == (proc, edge) => {
                self.at += 1;
                *value
            }
            _ if ty.is_ptr() => Value::Null,
            _ => Value::Int(0),
        }
    }
}

impl Inputs for Again<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        self.next(proc, edge, ty)
    }

    fn choose_edge(&mut self, proc: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        let step = self.step;
        match &mut self.choices {
            Choices::Traced { trace, edges, .. } => {
                let taken = |p: ProcId, e: EdgeId| enabled.iter().position(|x| p == proc && *x == e);
                let chosen = trace.get(step).and_then(|traced| {
                    let (p, e) = traced.step.edge();
                    taken(p, e)
                });
                edges.push(chosen.unwrap_or(0));
                chosen.unwrap_or(0)
            }
            Choices::Given { edges, .. } => edges.pop_front().unwrap_or(0),
        }
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        let step = self.step;
        match &mut self.choices {
            Choices::Traced { trace, failures, .. } => {
                let written = trace.get(step).and_then(|traced| traced.values.first());
                failures.push(written.is_some_and(|seen| seen.value == Value::Null));
                failures.last().copied().unwrap_or(false)
            }
            Choices::Given { failures, .. } => failures.pop_front().unwrap_or(false),
        }
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.next(read.proc, read.edge, ty)
    }

    fn observe(&mut self, _: &mut State<'_, '_>, _: PathStep) {
        self.step += 1;
    }
}
