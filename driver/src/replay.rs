//! The last word on an error: the recorded execution is repeated by the interpreter.
//!
//! Where the front end does not model something exactly, the value that an execution got for it may be one that no
//! real execution has. Such an execution counts only if it fails the same check with other values there as well.

use crate::report::Witness;
use cmm::interp::{InputRecord, Inputs, Limits, Outcome, Run, State, UninitRead, Value};
use cmm::{EdgeId, HavocKind, LocId, PathStep, ProcId, Program, Type};
use std::sync::atomic::AtomicBool;

/// Values that take the place of what is not modelled exactly.
const OTHERS: [i128; 4] = [0, 1, -1, 77];

/// The witness made of a run that fails a check; `None` if it fails none, or if that depends on values of things that
/// are not modelled exactly. The run must have its whole trace.
pub(crate) fn confirmed(program: &Program, run: Run, stop: &AtomicBool) -> Option<Witness> {
    let Outcome::CheckFailed(check) = run.outcome else { return None };
    if run.inputs.iter().any(|r| is_uncertain(&r.kind)) {
        for other in OTHERS {
            let again = repeat(program, &run, other, stop);
            if again.outcome != run.outcome {
                return None;
            }
        }
    }
    Some(Witness { check, run })
}

/// Whether the value stands for one that the real program would compute: something not modelled, or the result of
/// a function whose meaning the C standard fixes.
fn is_uncertain(kind: &HavocKind) -> bool {
    match kind {
        HavocKind::Unmodelled(_) => true,
        HavocKind::Extern(name) => {
            let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
            MATHEMATICS.contains(&&**name) || MATHEMATICS.contains(&base)
        }
        HavocKind::Input(_) | HavocKind::Uninit | HavocKind::Choice(_) => false,
    }
}

/// The functions of `<math.h>` (C11 7.12), which also exist with the suffixes `f` and `l`.
const MATHEMATICS: [&str; 52] = [
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "sin",
    "tan",
    "acosh",
    "asinh",
    "atanh",
    "cosh",
    "sinh",
    "tanh",
    "exp",
    "exp2",
    "expm1",
    "frexp",
    "ilogb",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "modf",
    "scalbn",
    "scalbln",
    "cbrt",
    "fabs",
    "hypot",
    "pow",
    "sqrt",
    "erf",
    "erfc",
    "lgamma",
    "tgamma",
    "ceil",
    "floor",
    "nearbyint",
    "rint",
    "lrint",
    "round",
    "lround",
    "trunc",
    "fmod",
    "remainder",
    "copysign",
    "nan",
    "nextafter",
    "fdim",
    "fmax",
    "fmin",
];

fn repeat(program: &Program, run: &Run, other: i128, stop: &AtomicBool) -> Run {
    let mut inputs = Recorded { records: &run.inputs, trace: run, at: 0, step: 0, other };
    let limits = Limits { steps: 2 * run.steps + 1000, ..Limits::default() };
    cmm::interp::run(program, &mut inputs, &limits, stop)
}

/// The inputs of a run, in order, with another value for each that is not modelled exactly.
struct Recorded<'a> {
    records: &'a [InputRecord],
    trace: &'a Run,
    at: usize,
    step: usize,
    other: i128,
}

impl Recorded<'_> {
    fn next(&mut self, proc: ProcId, edge: EdgeId, ty: &Type) -> Value {
        let zero = if ty.is_ptr() { Value::Null } else { Value::Int(0) };
        let Some(record) = self.records.get(self.at) else { return zero };
        if (record.proc, record.edge) != (proc, edge) {
            return zero;
        }
        self.at += 1;
        match (&record.kind, record.value) {
            (kind, _) if is_uncertain(kind) && ty.is_ptr() => Value::Null,
            (kind, _) if is_uncertain(kind) => Value::Int(self.other),
            (_, Value::Ptr { .. } | Value::Dangling) => {
                // Objects supplied from outside have no identity in another run: the same pointee anew.
                let size = ty.pointee().and(Some(64));
                size.map_or(Value::Null, Value::FreshObject)
            }
            (_, value) => value,
        }
    }
}

impl Inputs for Recorded<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        self.next(proc, edge, ty)
    }

    fn choose_edge(&mut self, proc: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        let Some(traced) = self.trace.trace.get(self.step) else { return 0 };
        let (PathStep::Edge(p, e) | PathStep::Enter(p, e, _) | PathStep::Leave(p, e, _)) = traced.step;
        enabled.iter().position(|x| p == proc && *x == e).unwrap_or(0)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.next(read.proc, read.edge, ty)
    }

    fn observe(&mut self, _: &mut State<'_, '_>, _: PathStep) {
        self.step += 1;
    }
}
