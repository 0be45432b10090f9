//! One step of one thread: a node is executed on a frame and the store.
//!
//! The step is all or nothing: when it needs a decision, fails, or would do what the [`Watch`] forbids, nothing has
//! changed. Every read and write is announced to the watch before it happens.

use crate::ast::BinOp;
use crate::code::{Code, Expr, Fault, Instr, Place, ProcId};
use crate::value::{Frame, Store, Value};

/// A location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Location {
    Local(u16),
    Static(u16),
    Field(u32, u16),
}

/// What a step does besides reading and writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A thread is started.
    Async,
    /// An atomic block is entered or left.
    Atomic,
}

/// An observer of what a step does, which may forbid it.
pub(crate) trait Watch {
    /// Before a location is read.
    fn read(&mut self, at: Location) -> bool;
    /// Before a location is written.
    fn write(&mut self, at: Location) -> bool;
    /// Before something else.
    fn event(&mut self, event: Event) -> bool;
}

/// Forbids nothing.
pub(crate) struct Anything;

impl Watch for Anything {
    fn read(&mut self, _: Location) -> bool {
        true
    }

    fn write(&mut self, _: Location) -> bool {
        true
    }

    fn event(&mut self, _: Event) -> bool {
        true
    }
}

/// The result of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Done; the frame stands at the next node.
    Done,
    /// There are this many ways to go on: the step is to be executed again with one of these numbers.
    Choices(usize),
    /// A procedure is called; the frame stands at the call.
    Call(ProcId, Vec<Value>),
    /// The procedure ends with these results.
    Return(Vec<Value>),
    /// Done; a thread was started.
    Async(ProcId, Vec<Value>),
    /// Done; an atomic block was entered.
    Enter,
    /// Done; an atomic block was left.
    Leave,
    /// There is no way to go on now.
    Blocked,
    /// It fails.
    Failed(Fault),
    /// The watch forbids it.
    Forbidden,
    /// A number does not fit.
    TooLarge,
}

/// Executes the node at which the frame stands. `choice` decides what is open.
pub(crate) fn step(
    code: &Code,
    store: &mut Store,
    frame: &mut Frame,
    watch: &mut impl Watch,
    choice: Option<usize>,
) -> Step {
    let mut eval = Eval { store, frame, watch };
    match eval.run(code, choice) {
        Ok(step) => step,
        Err(Stop::Step(step)) => step,
        Err(Stop::Open(at)) => match choice {
            None => Step::Choices(2),
            Some(value) => {
                if !eval.watch.write(at) {
                    return Step::Forbidden;
                }
                eval.put(at, Value::Bool(value == 1));
                Step::Done
            }
        },
    }
}

/// Stores the results of a call and goes on after it.
pub(crate) fn resume(code: &Code, frame: &mut Frame, results: &[Value]) {
    let node = code.node(frame.pc);
    let Instr::Call(_, _, slots) = &node.instr else { unreachable!("a frame that waits stands at a call") };
    for (slot, value) in slots.iter().zip(results) {
        if let Some(slot) = slot {
            frame.locals[usize::from(*slot)] = *value;
        }
    }
    frame.pc = node.next;
}

/// Why an evaluation ends early.
enum Stop {
    Step(Step),
    /// This location must be decided first.
    Open(Location),
}

struct Eval<'e, W> {
    store: &'e mut Store,
    frame: &'e mut Frame,
    watch: &'e mut W,
}

type Evaluated<T> = Result<T, Stop>;

impl<W: Watch> Eval<'_, W> {
    fn run(&mut self, code: &Code, choice: Option<usize>) -> Evaluated<Step> {
        let node = code.node(self.frame.pc);
        let mut next = node.next;
        let mut result = Step::Done;
        match &node.instr {
            Instr::Jump => {}
            Instr::Assign(list) => self.assign(list)?,
            Instr::New(place, class) => {
                let at = self.place(place)?;
                self.writable(at)?;
                let address = self.store.heap.allocate(code, *class);
                self.put(at, Value::Ref(address));
            }
            Instr::Choose(place, values) => {
                let at = self.place(place)?;
                let Some(choice) = choice else { return Ok(Step::Choices(values.len())) };
                self.writable(at)?;
                self.put(at, values[choice]);
            }
            Instr::Branch(cond, other) => {
                if !self.truth(cond)? {
                    next = *other;
                }
            }
            Instr::Fork(targets) => match (choice, &targets[..]) {
                (_, []) => return Ok(Step::Blocked),
                (_, [only]) => next = *only,
                (None, _) => return Ok(Step::Choices(targets.len())),
                (Some(choice), _) => next = targets[choice],
            },
            Instr::Assume(cond) => {
                if !self.truth(cond)? {
                    return Ok(Step::Blocked);
                }
            }
            Instr::Assert(cond) => {
                if !self.truth(cond)? {
                    return Ok(Step::Failed(Fault::Assertion));
                }
            }
            Instr::Fail(fault) => return Ok(Step::Failed(*fault)),
            Instr::Call(proc, args, _) => return Ok(Step::Call(*proc, self.args(code, *proc, args)?)),
            Instr::Return(values) => return Ok(Step::Return(self.values(values)?)),
            Instr::Async(proc, args) => {
                self.event(Event::Async)?;
                result = Step::Async(*proc, self.args(code, *proc, args)?);
            }
            Instr::Enter => {
                self.event(Event::Atomic)?;
                result = Step::Enter;
            }
            Instr::Leave => {
                self.event(Event::Atomic)?;
                result = Step::Leave;
            }
        }
        self.frame.pc = next;
        Ok(result)
    }

    fn event(&mut self, event: Event) -> Evaluated<()> {
        if self.watch.event(event) { Ok(()) } else { Err(Stop::Step(Step::Forbidden)) }
    }

    fn assign(&mut self, list: &[(Place, Expr)]) -> Evaluated<()> {
        if let [(place, value)] = list {
            let at = self.place(place)?;
            let value = self.value(value)?;
            self.writable(at)?;
            self.put(at, value);
            return Ok(());
        }
        let mut writes = vec![];
        for (place, value) in list {
            writes.push((self.place(place)?, self.value(value)?));
        }
        for (at, _) in &writes {
            self.writable(*at)?;
        }
        for (at, value) in writes {
            self.put(at, value);
        }
        Ok(())
    }

    fn writable(&mut self, at: Location) -> Evaluated<()> {
        if self.watch.write(at) { Ok(()) } else { Err(Stop::Step(Step::Forbidden)) }
    }

    fn args(&mut self, code: &Code, proc: ProcId, args: &[Expr]) -> Evaluated<Vec<Value>> {
        let values = self.values(args)?;
        if code.procs[proc].instance && values.first() == Some(&Value::Null) {
            return Err(Stop::Step(Step::Failed(Fault::NullDereference)));
        }
        Ok(values)
    }

    fn values(&mut self, list: &[Expr]) -> Evaluated<Vec<Value>> {
        list.iter().map(|e| self.value(e)).collect()
    }

    fn place(&mut self, place: &Place) -> Evaluated<Location> {
        Ok(match place {
            Place::Local(slot) => Location::Local(*slot),
            Place::Static(i) => Location::Static(*i),
            Place::Field(object, field) => Location::Field(self.object(object)?, *field),
        })
    }

    fn object(&mut self, e: &Expr) -> Evaluated<u32> {
        match self.value(e)? {
            Value::Ref(a) => Ok(a),
            _ => Err(Stop::Step(Step::Failed(Fault::NullDereference))),
        }
    }

    fn put(&mut self, at: Location, value: Value) {
        *slot_mut(self.store, self.frame, at) = value;
    }

    /// Reads a location; what is open there must be decided first.
    fn read(&mut self, at: Location) -> Evaluated<Value> {
        if !self.watch.read(at) {
            return Err(Stop::Step(Step::Forbidden));
        }
        match *slot_mut(self.store, self.frame, at) {
            Value::Open => Err(Stop::Open(at)),
            value => Ok(value),
        }
    }

    fn truth(&mut self, e: &Expr) -> Evaluated<bool> {
        match self.value(e)? {
            Value::Bool(b) => Ok(b),
            other => unreachable!("the type checker admits truth values only, not {other:?}"),
        }
    }

    fn number(&mut self, e: &Expr) -> Evaluated<i32> {
        match self.value(e)? {
            Value::Int(n) => Ok(n),
            other => unreachable!("the type checker admits numbers only, not {other:?}"),
        }
    }

    fn value(&mut self, e: &Expr) -> Evaluated<Value> {
        Ok(match e {
            Expr::Const(v) => *v,
            Expr::Local(slot) => self.read(Location::Local(*slot))?,
            Expr::Take(slot) => {
                if !self.watch.read(Location::Local(*slot)) {
                    return Err(Stop::Step(Step::Forbidden));
                }
                self.frame.locals[usize::from(*slot)]
            }
            Expr::Static(i) => self.read(Location::Static(*i))?,
            Expr::Field(object, field) => {
                let at = Location::Field(self.object(object)?, *field);
                self.read(at)?
            }
            Expr::Not(a) => Value::Bool(!self.truth(a)?),
            Expr::Neg(a) => fitting(self.number(a)?.checked_neg())?,
            Expr::Ite(c, a, b) => {
                if self.truth(c)? {
                    self.value(a)?
                } else {
                    self.value(b)?
                }
            }
            Expr::Check(a, lo, hi) => {
                let n = self.number(a)?;
                if n < *lo || *hi < n {
                    return Err(Stop::Step(Step::Failed(Fault::OutOfRange)));
                }
                Value::Int(n)
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b)?,
        })
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Evaluated<Value> {
        match op {
            BinOp::Or => return Ok(Value::Bool(self.truth(a)? || self.truth(b)?)),
            BinOp::And => return Ok(Value::Bool(self.truth(a)? && self.truth(b)?)),
            BinOp::Eq => return Ok(Value::Bool(self.value(a)? == self.value(b)?)),
            BinOp::Ne => return Ok(Value::Bool(self.value(a)? != self.value(b)?)),
            _ => {}
        }
        let (a, b) = (self.number(a)?, self.number(b)?);
        if b == 0 && matches!(op, BinOp::Div | BinOp::Rem) {
            return Err(Stop::Step(Step::Failed(Fault::DivisionByZero)));
        }
        match op {
            BinOp::Lt => Ok(Value::Bool(a < b)),
            BinOp::Le => Ok(Value::Bool(a <= b)),
            BinOp::Gt => Ok(Value::Bool(a > b)),
            BinOp::Ge => Ok(Value::Bool(a >= b)),
            BinOp::Add => fitting(a.checked_add(b)),
            BinOp::Sub => fitting(a.checked_sub(b)),
            BinOp::Mul => fitting(a.checked_mul(b)),
            BinOp::Div => fitting(a.checked_div(b)),
            BinOp::Rem => fitting(a.checked_rem(b)),
            BinOp::Or | BinOp::And | BinOp::Eq | BinOp::Ne => {
                unreachable!("operators on other values are taken first")
            }
        }
    }
}

fn fitting(n: Option<i32>) -> Evaluated<Value> {
    n.map(Value::Int).ok_or(Stop::Step(Step::TooLarge))
}

fn slot_mut<'s>(store: &'s mut Store, frame: &'s mut Frame, at: Location) -> &'s mut Value {
    match at {
        Location::Local(slot) => &mut frame.locals[usize::from(slot)],
        Location::Static(i) => &mut store.statics[usize::from(i)],
        Location::Field(a, field) => {
            let position = store.heap.position(a, field);
            &mut store.heap.values[position]
        }
    }
}

/// The store when execution starts.
pub(crate) fn initial(code: &Code) -> Store {
    Store { statics: code.statics.iter().map(|s| s.initial).collect(), heap: Default::default() }
}
