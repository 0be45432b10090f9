//! The execution that fails a check, as results have it, and the same execution once more.
//!
//! A result holds the inputs of the interpreter and nothing that follows from them: which check fails, its place and
//! its kind are determined again from the program.

use crate::commands::run::{parse, text};
use crate::earlier::one_line;
use base::Id;
use executions::{Witness, confirmed};
use interp::{Inputs, Limits, Run, State, TraceStep, UninitRead, Value};
use ir::{CheckKind, EdgeId, HavocKind, LocId, PathStep, ProcId, Type};
use results::again::{self, Execution};
use results::{At, Read, Wrong, each};
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use verify::Task;

/// Steps that are kept for the trace.
const MAX_STEPS: usize = 1_000_000;

/// Steps of an execution at most.
const LIMIT: u64 = 100_000_000;

/// A value that was drawn, and the edge that drew it.
pub(crate) type Drawn = (ProcId, EdgeId, Value);

/// An execution as results have it, under `replay`.
pub(crate) fn record(task: &Task, witness: &Witness) -> Execution {
    let values = values(&witness.run);
    let open = Choices::Traced { trace: &witness.run.trace, edges: vec![], failures: vec![] };
    let mut again = Again { values: &values, at: 0, step: 0, choices: open };
    let limits = Limits { steps: witness.run.steps + 1, ..Limits::default() };
    interp::run(&task.whole, &mut again, &limits, &AtomicBool::new(false));
    let (edges, failures) = match again.choices {
        Choices::Traced { edges, failures, .. } => (edges, failures),
        Choices::Given { .. } => (vec![], vec![]),
    };
    let one = |(p, e, v): &Drawn| again::Drawn { at: [p.index(), e.index()], value: text(*v) };
    Execution {
        program: fingerprint(task),
        inputs: values.iter().map(one).collect(),
        choices: edges,
        failing_allocations: failures,
    }
}

/// Executes the program as a result says, and finds the check that fails; `None` when none does.
///
/// # Errors
/// What is wrong with the result, and where.
pub(crate) fn witness(task: &Task, written: &Execution, stop: &AtomicBool) -> Read<Option<Witness>> {
    if written.program != fingerprint(task) {
        let why = "it is about another program, or was written by another version of slam";
        return Err(Wrong::new(why)).at("program");
    }
    let values = each(&written.inputs, |written| drawn(task, written)).at("inputs")?;
    let edges = written.choices.iter().copied().collect();
    let failures = written.failing_allocations.iter().copied().collect();
    let mut again = Again { values: &values, at: 0, step: 0, choices: Choices::Given { edges, failures } };
    let limits = Limits { trace: MAX_STEPS, steps: LIMIT, ..Limits::default() };
    let run: Run = interp::run(&task.whole, &mut again, &limits, stop);
    let own = |w: &Witness| task.whole.checks[w.check].kind != CheckKind::Unmodelled;
    Ok(confirmed(run).ok().filter(own))
}

/// What stands for the whole program in a result about an error.
fn fingerprint(task: &Task) -> String {
    crate::certificate::fingerprint(&task.whole, task.first_mode)
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

fn drawn(task: &Task, again::Drawn { at: [p, e], value }: &again::Drawn) -> Read<Drawn> {
    let Some(proc) = task.whole.procs.iter().nth(*p) else {
        return Err(Wrong::new("there is no such procedure")).at(0).at("at");
    };
    if *e >= proc.edges.len() {
        return Err(Wrong::new("there is no such edge")).at(1).at("at");
    }
    let read = one_line(value).and_then(|text| parse(text).ok_or_else(|| Wrong::new("this is no value")));
    Ok((ProcId::from_index(*p), EdgeId::from_index(*e), read.at("value")?))
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
