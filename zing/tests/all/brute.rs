//! The semantics written down once more, as plainly as possible, as an oracle for tests: all interleavings of all
//! statements, whole states with their stacks, every decision tried. It shares no code with the engines but the
//! compiled form.
//!
//! States are compared after their objects have been named in the order in which a breadth-first walk meets them;
//! nothing else is done to keep them few.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use zing::ast::BinOp;
use zing::code::{ClassId, Code, Expr, Fault, Instr, Pc, Place, ProcId};
use zing::value::Value;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Behaviour {
    /// All failures that some execution reaches.
    pub(crate) failures: BTreeSet<(Fault, Pc)>,
    /// Whether all states were examined.
    pub(crate) complete: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Activation {
    pc: Pc,
    slots: Vec<Value>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    statics: Vec<Value>,
    objects: BTreeMap<u32, (ClassId, Vec<Value>)>,
    threads: Vec<Vec<Activation>>,
    /// The thread in atomic blocks, and in how many.
    atomic: Option<(usize, u32)>,
}

/// Explores at most `most_states` states of the program.
pub(crate) fn explore(code: &Code, most_states: usize) -> Behaviour {
    let mut failures = BTreeSet::new();
    let first = State {
        statics: code.statics.iter().map(|s| s.initial).collect(),
        objects: BTreeMap::new(),
        threads: code.threads.iter().map(|p| vec![activation(code, *p, vec![])]).collect(),
        atomic: None,
    };
    let mut seen = BTreeSet::from([first.clone()]);
    let mut work = VecDeque::from([first]);
    while let Some(state) = work.pop_front() {
        if seen.len() > most_states {
            return Behaviour { failures, complete: false };
        }
        for thread in 0..state.threads.len() {
            if state.atomic.is_some_and(|(owner, _)| owner != thread) {
                continue;
            }
            for outcome in outcomes(code, &state, thread) {
                match outcome {
                    Ok(next) => {
                        let next = named(&next);
                        if seen.insert(next.clone()) {
                            work.push_back(next);
                        }
                    }
                    Err(Halt::Fault(fault, pc)) => {
                        failures.insert((fault, pc));
                    }
                    Err(Halt::Blocked) => {}
                    Err(Halt::TooLarge) => return Behaviour { failures, complete: false },
                }
            }
        }
    }
    Behaviour { failures, complete: true }
}

enum Halt {
    Fault(Fault, Pc),
    Blocked,
    TooLarge,
}

fn activation(code: &Code, proc: ProcId, args: Vec<Value>) -> Activation {
    let info = &code.procs[proc];
    let mut slots = args;
    for local in &info.locals[slots.len()..] {
        slots.push(local.initial);
    }
    Activation { pc: info.entry, slots }
}

/// All ways in which a thread can execute its next statement.
fn outcomes(code: &Code, state: &State, thread: usize) -> Vec<Result<State, Halt>> {
    let mut all = vec![];
    // Decisions with the number of ways for each, counted like the digits of a number.
    let mut decisions: Vec<(usize, usize)> = vec![];
    loop {
        let mut run = Run { code, state: state.clone(), thread, decisions: &mut decisions, used: 0 };
        let result = run.statement();
        let used = run.used;
        all.push(result.map(|()| run.state));
        decisions.truncate(used);
        while decisions.last().is_some_and(|(chosen, ways)| chosen + 1 == *ways) {
            decisions.pop();
        }
        match decisions.last_mut() {
            None => return all,
            Some((chosen, _)) => *chosen += 1,
        }
    }
}

struct Run<'r> {
    code: &'r Code,
    state: State,
    thread: usize,
    decisions: &'r mut Vec<(usize, usize)>,
    used: usize,
}

impl Run<'_> {
    fn decide(&mut self, ways: usize) -> usize {
        if self.used == self.decisions.len() {
            self.decisions.push((0, ways));
        }
        self.used += 1;
        self.decisions[self.used - 1].0
    }

    fn top(&mut self) -> &mut Activation {
        self.state.threads[self.thread].last_mut().expect("a thread that has not ended is in a procedure")
    }

    fn fault(&mut self, fault: Fault) -> Halt {
        Halt::Fault(fault, self.top().pc)
    }

    fn statement(&mut self) -> Result<(), Halt> {
        let pc = self.top().pc;
        let node = &self.code.nodes[pc];
        let mut next = node.next;
        match &node.instr {
            Instr::Jump => {}
            Instr::Assign(list) => {
                let mut done = vec![];
                for (place, e) in list {
                    let object = self.holder(place)?;
                    done.push((place, object, self.eval(e)?));
                }
                for (place, object, v) in done {
                    self.set(place, object, v);
                }
            }
            Instr::New(place, class) => {
                let object = self.holder(place)?;
                let name = self.state.objects.keys().last().map_or(0, |last| last + 1);
                let fields = self.code.classes[*class].fields.iter().map(|f| f.initial).collect();
                self.state.objects.insert(name, (*class, fields));
                self.set(place, object, Value::Ref(name));
            }
            Instr::Choose(place, values) => {
                let object = self.holder(place)?;
                let chosen = self.decide(values.len());
                self.set(place, object, values[chosen]);
            }
            Instr::Branch(e, other) => {
                if self.eval(e)? == Value::Bool(false) {
                    next = *other;
                }
            }
            Instr::Fork(targets) => {
                if targets.is_empty() {
                    return Err(Halt::Blocked);
                }
                next = targets[self.decide(targets.len())];
            }
            Instr::Assume(e) => {
                if self.eval(e)? == Value::Bool(false) {
                    return Err(Halt::Blocked);
                }
            }
            Instr::Assert(e) => {
                if self.eval(e)? == Value::Bool(false) {
                    return Err(self.fault(Fault::Assertion));
                }
            }
            Instr::Fail(fault) => return Err(self.fault(*fault)),
            Instr::Call(proc, args, _) => {
                let args = self.args(*proc, args)?;
                let inner = activation(self.code, *proc, args);
                self.state.threads[self.thread].push(inner);
                return Ok(());
            }
            Instr::Return(values) => return self.leave(values),
            Instr::Async(proc, args) => {
                let args = self.args(*proc, args)?;
                self.state.threads.push(vec![activation(self.code, *proc, args)]);
            }
            Instr::Enter => {
                let depth = self.state.atomic.map_or(0, |(_, depth)| depth);
                self.state.atomic = Some((self.thread, depth + 1));
            }
            Instr::Leave => {
                let (_, depth) = self.state.atomic.expect("blocks are left as often as they are entered");
                self.state.atomic = (depth > 1).then_some((self.thread, depth - 1));
            }
        }
        self.top().pc = next;
        Ok(())
    }

    fn leave(&mut self, values: &[Expr]) -> Result<(), Halt> {
        let values = values.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
        self.state.threads[self.thread].pop();
        if self.state.threads[self.thread].is_empty() {
            self.state.threads.remove(self.thread);
            self.state.atomic = None;
            return Ok(());
        }
        let node = &self.code.nodes[self.top().pc];
        let Instr::Call(_, _, results) = &node.instr else { unreachable!("callers stand at calls") };
        for (slot, v) in results.iter().zip(values) {
            if let Some(slot) = slot {
                self.top().slots[*slot as usize] = v;
            }
        }
        self.top().pc = node.next;
        Ok(())
    }

    fn args(&mut self, proc: ProcId, args: &[Expr]) -> Result<Vec<Value>, Halt> {
        let args = args.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
        if self.code.procs[proc].instance && args[0] == Value::Null {
            return Err(self.fault(Fault::NullDereference));
        }
        Ok(args)
    }

    /// The object whose field the place is.
    fn holder(&mut self, place: &Place) -> Result<Option<u32>, Halt> {
        match place {
            Place::Local(_) | Place::Static(_) => Ok(None),
            Place::Field(e, _) => match self.eval(e)? {
                Value::Ref(a) => Ok(Some(a)),
                _ => Err(self.fault(Fault::NullDereference)),
            },
        }
    }

    fn set(&mut self, place: &Place, object: Option<u32>, v: Value) {
        match (place, object) {
            (Place::Local(slot), _) => self.top().slots[*slot as usize] = v,
            (Place::Static(i), _) => self.state.statics[*i as usize] = v,
            (Place::Field(_, field), Some(a)) => {
                let object = self.state.objects.get_mut(&a).expect("references lead to objects");
                object.1[*field as usize] = v;
            }
            (Place::Field(..), None) => unreachable!("fields belong to objects"),
        }
    }

    /// Decides what is open, for good.
    fn settled(&mut self, v: Value, store: impl FnOnce(&mut Self, Value)) -> Value {
        if v != Value::Open {
            return v;
        }
        let v = Value::Bool(self.decide(2) == 1);
        store(self, v);
        v
    }

    fn eval(&mut self, e: &Expr) -> Result<Value, Halt> {
        Ok(match e {
            Expr::Const(v) => *v,
            Expr::Take(slot) => self.top().slots[*slot as usize],
            Expr::Local(slot) => {
                let v = self.top().slots[*slot as usize];
                self.settled(v, |run, v| run.top().slots[*slot as usize] = v)
            }
            Expr::Static(i) => {
                let v = self.state.statics[*i as usize];
                self.settled(v, |run, v| run.state.statics[*i as usize] = v)
            }
            Expr::Field(object, field) => {
                let Value::Ref(a) = self.eval(object)? else {
                    return Err(self.fault(Fault::NullDereference));
                };
                let v = self.state.objects[&a].1[*field as usize];
                let place = Place::Field((**object).clone(), *field);
                self.settled(v, |run, v| run.set(&place, Some(a), v))
            }
            Expr::Not(a) => Value::Bool(self.eval(a)? == Value::Bool(false)),
            Expr::Neg(a) => {
                let n = self.int(a)?;
                Value::Int(n.checked_neg().ok_or(Halt::TooLarge)?)
            }
            Expr::Ite(c, a, b) => {
                if self.eval(c)? == Value::Bool(true) {
                    self.eval(a)?
                } else {
                    self.eval(b)?
                }
            }
            Expr::Check(a, lo, hi) => {
                let n = self.int(a)?;
                if !(*lo..=*hi).contains(&n) {
                    return Err(self.fault(Fault::OutOfRange));
                }
                Value::Int(n)
            }
            Expr::Binary(BinOp::And, a, b) => {
                if self.eval(a)? == Value::Bool(true) {
                    self.eval(b)?
                } else {
                    Value::Bool(false)
                }
            }
            Expr::Binary(BinOp::Or, a, b) => {
                if self.eval(a)? == Value::Bool(true) {
                    Value::Bool(true)
                } else {
                    self.eval(b)?
                }
            }
            Expr::Binary(BinOp::Eq, a, b) => Value::Bool(self.eval(a)? == self.eval(b)?),
            Expr::Binary(BinOp::Ne, a, b) => Value::Bool(self.eval(a)? != self.eval(b)?),
            Expr::Binary(op, a, b) => {
                let (a, b) = (i64::from(self.int(a)?), i64::from(self.int(b)?));
                if b == 0 && (*op == BinOp::Div || *op == BinOp::Rem) {
                    return Err(self.fault(Fault::DivisionByZero));
                }
                arithmetic(*op, a, b)?
            }
        })
    }

    fn int(&mut self, e: &Expr) -> Result<i32, Halt> {
        match self.eval(e)? {
            Value::Int(n) => Ok(n),
            other => unreachable!("numbers are counted with, not {other:?}"),
        }
    }
}

fn arithmetic(op: BinOp, a: i64, b: i64) -> Result<Value, Halt> {
    let number = |n: i64| i32::try_from(n).map(Value::Int).map_err(|_| Halt::TooLarge);
    match op {
        BinOp::Lt => Ok(Value::Bool(a < b)),
        BinOp::Le => Ok(Value::Bool(a <= b)),
        BinOp::Gt => Ok(Value::Bool(a > b)),
        BinOp::Ge => Ok(Value::Bool(a >= b)),
        BinOp::Add => number(a + b),
        BinOp::Sub => number(a - b),
        BinOp::Mul => number(a * b),
        BinOp::Div => number(a / b),
        BinOp::Rem if b == -1 && a == i64::from(i32::MIN) => Err(Halt::TooLarge),
        BinOp::Rem => number(a % b),
        BinOp::And | BinOp::Or | BinOp::Eq | BinOp::Ne => unreachable!("these are taken before"),
    }
}

/// The state with objects named in the order in which a breadth-first walk meets them.
fn named(state: &State) -> State {
    let mut names: BTreeMap<u32, u32> = BTreeMap::new();
    let mut queue: VecDeque<u32> = VecDeque::new();
    let frames = state.threads.iter().flatten();
    for v in state.statics.iter().chain(frames.flat_map(|f| &f.slots)) {
        meet(*v, &mut names, &mut queue);
    }
    while let Some(a) = queue.pop_front() {
        for v in &state.objects[&a].1 {
            meet(*v, &mut names, &mut queue);
        }
    }
    let rename = |v: &Value| match v {
        Value::Ref(a) => Value::Ref(names[a]),
        other => *other,
    };
    let mut next = state.clone();
    next.statics.iter_mut().for_each(|v| *v = rename(v));
    for frame in next.threads.iter_mut().flatten() {
        frame.slots.iter_mut().for_each(|v| *v = rename(v));
    }
    next.objects.clear();
    for (old, new) in &names {
        let (class, fields) = &state.objects[old];
        next.objects.insert(*new, (*class, fields.iter().map(rename).collect()));
    }
    next
}

fn meet(v: Value, names: &mut BTreeMap<u32, u32>, queue: &mut VecDeque<u32>) {
    if let Value::Ref(a) = v {
        let name = names.len() as u32;
        names.entry(a).or_insert_with(|| {
            queue.push_back(a);
            name
        });
    }
}
