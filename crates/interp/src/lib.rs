//! Concrete interpreter of C--: runs a program byte-accurately on values that the caller supplies.
//!
//! It is the judge of counterexamples: an error is reported only after this interpreter has reached it. So its
//! invariant is that every run it completes is an execution of the program (see the semantics in
//! [`program`](ir::program)): undefined behaviour ends the run as [`Reason::Undefined`], and what is not
//! modelled ends it as [`Reason::Unsupported`]; neither is passed over. Objects have no numeric addresses: a
//! pointer kept in an integer works as long as it is only moved, compared and converted back. The crate must not know
//! analyses or provers.
//!
//! ```
//! use interp::{Limits, Outcome, Value, ZeroInputs};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "an input is 0";
//!     proc void main(void) { local int x; entry L0; exit L2;
//!     L0: havoc(x, input "x"); goto L1;
//!     L1: check(c0, x != 0); goto L2;
//!     L2: }"#;
//! let program = ir::parse::program(text)?;
//! let run = interp::run(&program, &mut ZeroInputs, &Limits::default(), &false.into());
//! assert!(matches!(run.outcome, Outcome::CheckFailed(_)));
//! assert_eq!(run.inputs[0].value, Value::Int(0));
//! # Ok(())
//! # }
//! ```

mod access;
mod address;
mod arith;
mod bytes;
mod calls;
mod eval;
mod fixed;
mod follow;
mod format;
mod layout;
mod machine;
mod memory;
mod numbers;
mod operations;
mod origins;
mod output;
mod pointers;
mod reason;
mod settle;
mod trace;
mod unread;
mod values;

pub use arith::{
    float_binary, float_to_int, fold_binary, fold_unary, int_binary, int_to_float, int_unary, round,
};
pub use eval::State;
pub use fixed::Fixed;
pub use memory::ObjectId;
pub use numbers::Located;
pub use reason::{UndefinedBehaviour, Unsupported};

use ir::expr::Lvalue;
use ir::program::{CheckId, EdgeId, HavocKind, LocId, PathStep, ProcId, Program, VarId};
use ir::types::Type;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ObjectKind {
    /// A variable: the global, or one activation's.
    Var(VarId),
    /// Allocated by this edge.
    Heap(ProcId, EdgeId),
    /// Supplied by the caller as [`Value::FreshObject`] or [`Value::OpenObject`].
    Fresh,
}

/// A value, as callers supply and see it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// An integer; also a pointer made from a number other than 0.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// The null pointer.
    Null,
    /// A pointer into an object.
    Ptr {
        /// The kind of the object.
        kind: ObjectKind,
        /// Which instance.
        object: ObjectId,
        /// Bytes from its start.
        offset: i64,
    },
    /// A pointer to this object, whose life has ended.
    Dangling(ObjectId),
    /// The address of a procedure.
    Func(ProcId),
    /// Input only: a pointer to a new object of that many zero bytes.
    FreshObject(u64),
    /// Input only: a pointer to a new object of this many bytes, whose contents are requested where they are
    /// first read ([`HavocKind::Contents`]).
    OpenObject(u64),
}

impl Value {
    /// The value as text: numbers as C writes them, pointers by the object they point into.
    pub fn text(&self, program: &Program) -> String {
        let moved = |offset: i64| if offset == 0 { String::new() } else { format!(" {offset:+} bytes") };
        match self {
            Value::Int(v) => v.to_string(),
            Value::Float(v) => format!("{v:?}"),
            Value::Null => "NULL".into(),
            Value::Ptr { kind: ObjectKind::Var(v), offset, .. } => {
                format!("&{}{}", program.vars[*v].name, moved(*offset))
            }
            Value::Ptr { kind: ObjectKind::Heap(p, e), offset, .. } => {
                format!("object allocated at {} {e}{}", program.procs[*p].name, moved(*offset))
            }
            Value::Ptr { kind: ObjectKind::Fresh, offset, .. } => format!("new object{}", moved(*offset)),
            Value::Dangling(_) => "dangling pointer".into(),
            Value::Func(p) => format!("&{}", program.procs[*p].name),
            Value::FreshObject(size) | Value::OpenObject(size) => format!("new object of {size} bytes"),
        }
    }
}

/// An uninitialised scalar that is read for the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UninitRead {
    /// The procedure that reads.
    pub proc: ProcId,
    /// The edge that reads.
    pub edge: EdgeId,
    /// The object.
    pub object: ObjectKind,
    /// Bytes from its start.
    pub offset: u64,
    /// The value is not inspected: it is copied as part of an aggregate, or shares a byte with a bit-field that
    /// is written.
    pub whole: bool,
}

/// The source of a run's nondeterminism. A value is converted to the requested type: integers modulo 2^bits, to
/// pointers as numbers.
pub trait Inputs {
    /// The value of a `Havoc` edge; also the result of a call of a procedure without body, as
    /// [`HavocKind::Extern`] with its name.
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value;

    /// Which of the edges to take, as an index into `enabled`, which has two or more.
    fn choose_edge(&mut self, proc: ProcId, loc: LocId, enabled: &[EdgeId]) -> usize {
        _ = (proc, loc, enabled);
        0
    }

    /// The value of uninitialised memory at its first read; it keeps that value.
    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        _ = read;
        if ty.is_ptr() { Value::Null } else { Value::Int(0) }
    }

    /// Whether a variable that begins its life is left uninitialised, so that its first read requests a value,
    /// instead of its `Havoc` edge. Copies of memory then leave bytes without a value, too. Programs that check
    /// such reads are always run this way.
    fn leaves_uninitialised(&self) -> bool {
        false
    }

    /// The program calls this procedure without body. What it may do besides returning a value (writing what it can
    /// reach, calling back) is not executed.
    fn undefined_called(&mut self, callee: ProcId) {
        _ = callee;
    }

    /// Whether an allocation that may fail does.
    fn alloc_fails(&mut self, proc: ProcId, edge: EdgeId) -> bool {
        _ = (proc, edge);
        false
    }

    /// Whether [`output`](Self::output) is called: formatting costs time, and a program whose output cannot be
    /// formatted as C defines it ends there.
    fn wants_output(&self) -> bool {
        false
    }

    /// The program writes these bytes.
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        _ = (stream, bytes);
    }

    /// The program calls this function, which writes something that is not known.
    fn output_lost(&mut self, function: &str) {
        _ = function;
    }

    /// The program has reached a check, and its condition holds or does not.
    fn checked(&mut self, check: CheckId, holds: bool) {
        _ = (check, holds);
    }

    /// Whether the execution goes on behind a check that does not hold, instead of ending there.
    fn goes_past(&self, failing: CheckId) -> bool {
        _ = failing;
        false
    }

    /// Called after every step with the state that it has led to: behind the edge, at the callee's entry, or
    /// behind the call.
    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        _ = (state, step);
    }
}

/// Inputs that are all zero or null.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroInputs;

impl Inputs for ZeroInputs {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        if ty.is_ptr() { Value::Null } else { Value::Int(0) }
    }
}

/// The destination of the program's output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// How the program itself ended its process, other than by returning from `main`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// `exit` and its relatives, with the low byte of the status.
    Status(u8),
    /// `abort`.
    Abort,
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Edges executed.
    pub steps: u64,
    /// Bytes of all live objects, each counted 16 more than its size (of objects over 1 MiB only the pages that
    /// were written count); also bounds [`Run::inputs`].
    pub memory: u64,
    /// Open calls.
    pub call_depth: usize,
    /// Steps kept in [`Run::trace`], from the start; 0 for none. With a trace the run also reports what a
    /// failure depends on ([`Run::rests_on`]).
    pub trace: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 100_000_000, memory: 256 << 20, call_depth: 100_000, trace: 0 }
    }
}

/// Why a run ended without reaching an error or the end of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No edge could be taken: an assumption was false, or the location has no edges.
    AssumeFalse,
    /// The program did what C leaves undefined.
    Undefined(UndefinedBehaviour),
    /// The program did what the interpreter does not model, or went over the memory or call-depth limit.
    Unsupported(Unsupported),
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The condition of this check was zero.
    CheckFailed(CheckId),
    /// The entry procedure has ended; the value that it returned or, when it is `void`, that the last procedure
    /// which it called returned (C's `main`).
    Finished(Option<Value>),
    /// The run ended inside the program.
    Stuck {
        /// Why.
        reason: Reason,
        /// Where.
        proc: ProcId,
        /// The edge that could not be taken; the last one taken when the location has no edges.
        edge: Option<EdgeId>,
    },
    /// [`Limits::steps`] edges were executed.
    StepLimit,
    /// The stop flag was set.
    Interrupted,
}

/// A value that the inputs supplied.
#[derive(Clone, PartialEq, Debug)]
pub struct InputRecord {
    /// The procedure.
    pub proc: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// The request; uninitialised memory is [`HavocKind::Uninit`], contents of objects from outside
    /// [`HavocKind::Contents`].
    pub kind: HavocKind,
    /// The value after conversion to its type; a new object as it was supplied.
    pub value: Value,
    /// The program has read it: false for an uninitialised variable that got another value first. Without a
    /// trace it counts as read.
    pub read: bool,
}

/// A step of a run with the values that explain it.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The step.
    pub step: PathStep,
    /// The location written and its new value, or the locations that a condition read and their values; for
    /// calls the formals. A `free` shows its argument as it was before. A check that instrumentation has put in shows
    /// what the operation reads that it guards.
    pub values: Vec<Seen>,
}

/// A location with its value at a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    /// The location.
    pub place: Lvalue,
    /// Its value.
    pub value: Value,
    /// The string that starts where the value points to, without its NUL and cut off after [`Seen::LONGEST`] bytes.
    pub text: Option<Vec<u8>>,
}

impl Seen {
    /// How much of a string is kept.
    pub const LONGEST: usize = 200;
}

/// A finished run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// All values supplied, in order.
    pub inputs: Vec<InputRecord>,
    /// The objects whose addresses were used as numbers, with those that they were given here, in that order.
    pub located: Vec<Located>,
    /// The first [`Limits::trace`] steps.
    pub trace: Vec<TraceStep>,
    /// Edges executed.
    pub steps: u64,
    /// In a run with a trace that fails a check: the failure depends on what this computes or does, which is not
    /// modelled, by name. Real executions need not fail.
    pub rests_on: Option<Arc<str>>,
    /// The program ended its process itself; the outcome is then [`Outcome::Stuck`] by [`Reason::AssumeFalse`].
    pub exit: Option<Exit>,
}

/// Runs the program from its entry. Looks at `stop` every few thousand steps.
pub fn run(program: &Program, inputs: &mut dyn Inputs, limits: &Limits, stop: &AtomicBool) -> Run {
    Interpreter::new(program).run(inputs, limits, stop)
}

/// A program made ready for many runs.
pub struct Interpreter<'p> {
    program: &'p Program,
    layout: layout::Layout,
}

impl<'p> Interpreter<'p> {
    /// Makes the tables that all runs share.
    pub fn new(program: &'p Program) -> Interpreter<'p> {
        Interpreter { program, layout: layout::Layout::new(program) }
    }

    /// Runs the program from its entry, as [`run`] does.
    pub fn run(&self, inputs: &mut dyn Inputs, limits: &Limits, stop: &AtomicBool) -> Run {
        machine::run(self.program, &self.layout, inputs, limits, stop)
    }
}

/// Why an evaluation cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// C leaves it undefined.
    Undefined(UndefinedBehaviour),
    /// It is not modelled.
    Unsupported(Unsupported),
}

impl Halt {
    fn reason(self) -> Reason {
        match self {
            Halt::Undefined(what) => Reason::Undefined(what),
            Halt::Unsupported(what) => Reason::Unsupported(what),
        }
    }
}
