//! Replay of a counterexample: the interpreter runs the program on the inputs that the model gave, and must itself
//! reach the error. No UNSAFE without it.

use encoding::Addresses;
use encoding::{InputValue, Inputs};
use interp::{self, Limits, Outcome, Reason, Run, State, UninitRead, Value};
use ir::{CheckId, EdgeId, HavocKind, LocId, Op, Path, PathStep, ProcId, Program, Type};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

/// What the replay showed.
#[derive(Debug)]
pub enum Replay {
    /// The interpreter reached this check with its condition false.
    Reached(CheckId, Box<Run>),
    /// It did not.
    Diverged {
        /// The reason.
        end: Diverged,
        /// How many steps of the path the run takes before it leaves it.
        followed: usize,
    },
}

/// How the run with the model's inputs ends instead of reaching an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Diverged {
    /// With the program.
    Ends,
    /// Inside of it.
    Stuck(Reason),
    /// Not within the limits.
    DoesNotEnd,
    /// It was interrupted.
    Interrupted,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, what): (_, Option<&dyn fmt::Display>) = match self {
            Diverged::Ends => ("the run with the model's inputs ends without an error", None),
            Diverged::Stuck(Reason::AssumeFalse) => {
                ("the run with the model's inputs fails an assumption", None)
            }
            Diverged::Stuck(Reason::Undefined(what)) => {
                ("the run with the model's inputs is undefined", Some(what))
            }
            Diverged::Stuck(Reason::Unsupported(what)) => ("the interpreter does not model this", Some(what)),
            Diverged::DoesNotEnd => ("the run with the model's inputs does not end", None),
            Diverged::Interrupted => ("interrupted", None),
        };
        f.write_str(&base::wording(text))?;
        what.map_or(Ok(()), |what| write!(f, ": {what}"))
    }
}

/// The inputs of a path in order, and the path itself for choices between edges.
#[derive(Clone)]
struct FromModel<'a> {
    program: &'a Program,
    inputs: &'a Inputs,
    next: usize,
    /// Values of memory, by step and offset.
    memory: FxHashMap<(usize, u64), InputValue>,
    path: &'a Path,
    addresses: &'a Addresses,
    /// The program that the path is one of, without what does not matter.
    sliced: &'a Program,
    /// How many steps of the path the run has taken, those that it could pass over included.
    step: usize,
    /// Pointers that are numbers in the model are numbers, which may be compared and nothing more; else they point to
    /// something, as most pointers do whose number is of no consequence.
    numbers: bool,
}

/// Bytes of an object that an input points to when its type does not say: behind them nothing is known.
const UNKNOWN_SIZE: u64 = 4096;

impl FromModel<'_> {
    /// The next input of the path, if it is the one of this edge: a run that has left the path gets none any more. Parts of
    /// texts that the run has made itself are passed over.
    fn next_at(&mut self, proc: ProcId, edge: EdgeId) -> Option<InputValue> {
        loop {
            let input = self.inputs.values.get(self.next)?;
            if (input.proc, input.edge) == (proc, edge) {
                self.next += 1;
                return Some(input.value);
            }
            let op = &self.program.procs[input.proc].edges[input.edge].op;
            if !matches!(op, Op::Havoc(_, HavocKind::Made(..))) {
                return None;
            }
            self.next += 1;
        }
    }

    /// The next step of the path that is as wanted, if none comes before that matters: between such steps the run goes its own
    /// way.
    fn next_step(&self, is_wanted: impl Fn(PathStep) -> bool) -> Option<usize> {
        let matters = |step: PathStep| match step {
            PathStep::Edge(p, e) => self.sliced.procs[p].edges[e].op != Op::Skip,
            PathStep::Enter(..) | PathStep::Leave(..) => true,
        };
        let rest = self.path.steps.get(self.step..).unwrap_or_default();
        let at = rest.iter().position(|step| is_wanted(*step) || matters(*step))?;
        is_wanted(rest[at]).then_some(self.step + at)
    }

    /// The interpreter's value for one of the model; zero where it has none.
    fn supplied(&self, value: Option<InputValue>, ty: &Type) -> Value {
        match (value, ty) {
            (Some(InputValue::Int(v)), _) => Value::Int(v),
            (Some(InputValue::Float(v)), _) => Value::Float(v),
            (Some(InputValue::Number(n)), Type::Ptr(_)) if self.numbers => Value::Int(n),
            (Some(InputValue::Address(n)), Type::Ptr(to)) if matches!(**to, Type::Func(_)) => {
                match self.addresses.proc_at(n) {
                    Some(p) => Value::Func(p),
                    None => Value::Int(n),
                }
            }
            (Some(InputValue::Address(_) | InputValue::Number(_)), Type::Ptr(to)) => {
                let size = self.program.size_of(to).unwrap_or(UNKNOWN_SIZE).max(1);
                if self.memory.is_empty() { Value::FreshObject(size) } else { Value::OpenObject(size) }
            }
            (_, Type::Ptr(_)) => Value::Null,
            (_, Type::Float(_)) => Value::Float(0.0),
            _ => Value::Int(0),
        }
    }
}

impl interp::Inputs for FromModel<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        let value = self.next_at(proc, edge);
        self.supplied(value, ty)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        let from = |(p, e): (ProcId, EdgeId)| (p, self.program.procs[p].edges[e].src);
        // The interpreter reads what a branch asks for once, whichever way it then goes.
        let place = from((read.proc, read.edge));
        let step = self.next_step(|step| from(step.edge()) == place).unwrap_or(self.step);
        self.supplied(self.memory.get(&(step, read.offset)).copied(), ty)
    }

    fn alloc_fails(&mut self, proc: ProcId, edge: EdgeId) -> bool {
        self.next_at(proc, edge) == Some(InputValue::Int(1))
    }

    fn choose_edge(&mut self, proc: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        let number = |step: PathStep| match step {
            PathStep::Edge(p, e) | PathStep::Enter(p, e, _) if p == proc => {
                enabled.iter().position(|enabled| *enabled == e)
            }
            _ => None,
        };
        let step = self.next_step(|step| number(step).is_some());
        step.and_then(|at| number(self.path.steps[at])).unwrap_or(0)
    }

    fn observe(&mut self, _: &mut State<'_, '_>, step: PathStep) {
        if let Some(at) = self.next_step(|next| next == step) {
            self.step = at + 1;
        }
    }
}

/// Runs the program on the inputs of a path of `sliced`, which is the program without what does not matter; `limits.trace` says how
/// many steps of the run are kept.
pub fn replay(
    program: &Program,
    sliced: &Program,
    inputs: &Inputs,
    path: &Path,
    limits: &Limits,
    stop: &AtomicBool,
) -> Replay {
    let memory = inputs.memory.iter().map(|m| ((m.step, m.offset), m.value)).collect();
    let addresses = &Addresses::new(sliced);
    let source =
        FromModel { program, inputs, next: 0, memory, path, addresses, sliced, step: 0, numbers: false };
    let with_numbers = FromModel { numbers: true, ..source.clone() };
    let first = replay_once(source, limits, stop);
    let is_number = |value: &InputValue| matches!(value, InputValue::Number(_));
    let mut values = inputs.values.iter().map(|i| &i.value).chain(inputs.memory.iter().map(|m| &m.value));
    match first {
        Replay::Diverged { .. } if values.any(is_number) => match replay_once(with_numbers, limits, stop) {
            reached @ Replay::Reached(..) => reached,
            Replay::Diverged { .. } => first,
        },
        first => first,
    }
}

fn replay_once(mut source: FromModel<'_>, limits: &Limits, stop: &AtomicBool) -> Replay {
    let run = interp::run(source.program, &mut source, limits, stop);
    let end = match run.outcome {
        Outcome::CheckFailed(check) => return Replay::Reached(check, Box::new(run)),
        Outcome::Finished(_) => Diverged::Ends,
        Outcome::Stuck { reason, .. } => Diverged::Stuck(reason),
        Outcome::StepLimit => Diverged::DoesNotEnd,
        Outcome::Interrupted => Diverged::Interrupted,
    };
    Replay::Diverged { end, followed: source.step }
}
