//! The steps of a run. Calls are kept on an explicit stack, so that recursion in the program is none here.

use super::bytes::Contents;
use super::eval::{Frame, State};
use super::layout::{Layout, Next, Slot};
use super::memory::{Memory, Pointer, Target};
use super::origins::Name;
use super::output::{Answer, answer_for};
use super::values::{Rules, Val};
use super::{Exit, Halt, InputRecord, Inputs, Limits, ObjectKind, Outcome, Reason, Run, TraceStep, Value};
use super::{UndefinedBehaviour, Unsupported};
use crate::expr::{Expr, Lvalue};
use crate::print;
use crate::program::{Edge, EdgeId, HavocKind, LocId, ObjectQuery, Op, PathStep, ProcId, Program, VarId};
use crate::types::Type;
use base::Id;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many steps are done between two looks at the stop flag.
const POLL: u64 = 4096;

pub(super) struct Machine<'a, 'i> {
    pub(super) state: State<'a, 'i>,
    pub(super) limits: &'a Limits,
    pub(super) trace: Vec<TraceStep>,
    steps: u64,
    /// How the program ended its process.
    pub(super) exit: Option<Exit>,
    /// What the last output function answers.
    pub(super) answer: Answer,
    /// The value that the last procedure called by the entry procedure returned.
    pub(super) last_result: Option<Value>,
    /// What the failure of a check depends on.
    rests_on: Option<Name>,
}

/// Why the run ends here.
pub(super) enum End {
    Outcome(Outcome),
    Halt(Halt),
}

impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        End::Halt(halt)
    }
}

/// Runs the program from its entry.
pub(super) fn run(
    program: &Program,
    layout: &Layout,
    inputs: &mut dyn Inputs,
    limits: &Limits,
    stop: &AtomicBool,
) -> Run {
    let pointer_size = usize::from(program.model.pointer_bits() / 8);
    let entry = &program.procs[program.entry];
    let no_edge = EdgeId::from_index(0);
    let state = State {
        program,
        layout,
        rules: Rules::of(program),
        memory: Memory::new(limits.memory, pointer_size),
        global_registers: vec![],
        global_objects: vec![],
        registers: vec![],
        objects: vec![],
        frames: vec![],
        frame: Frame { proc: program.entry, loc: entry.entry, call: no_edge, registers: 0, objects: 0 },
        edge: no_edge,
        inputs: Some(inputs),
        records: Vec::<InputRecord>::new(),
        origins: (limits.trace > 0).then(Box::default),
    };
    let mut machine = Machine {
        state,
        limits,
        trace: vec![],
        steps: 0,
        exit: None,
        answer: None,
        last_result: None,
        rests_on: None,
    };
    let outcome = machine.run(stop);
    Run {
        outcome,
        inputs: machine.state.records,
        trace: machine.trace,
        steps: machine.steps,
        exit: machine.exit,
        rests_on: machine.rests_on,
    }
}

impl Machine<'_, '_> {
    fn run(&mut self, stop: &AtomicBool) -> Outcome {
        if let Err(halt) = self.start() {
            return self.stuck(halt.reason(), None);
        }
        let mut last = None;
        loop {
            if self.steps >= self.limits.steps {
                return Outcome::StepLimit;
            }
            if self.steps.is_multiple_of(POLL) && stop.load(Ordering::Relaxed) {
                return Outcome::Interrupted;
            }
            let frame = self.state.frame;
            if frame.loc == self.state.program.procs[frame.proc].exit {
                match self.leave() {
                    Ok(None) => continue,
                    Ok(Some(outcome)) => return outcome,
                    Err(halt) => return self.stuck(halt.reason(), Some(self.state.edge)),
                }
            }
            let edge = match self.choose(frame.proc, frame.loc) {
                Ok(Some(edge)) => edge,
                Ok(None) => return self.stuck(Reason::AssumeFalse, last),
                Err((edge, reason)) => return self.stuck(reason, Some(edge)),
            };
            self.steps += 1;
            last = Some(edge);
            self.follow_choice(frame.proc, frame.loc);
            match self.execute(frame.proc, edge) {
                Ok(()) => {}
                Err(End::Outcome(outcome)) => return outcome,
                Err(End::Halt(halt)) => return self.stuck(halt.reason(), Some(edge)),
            }
        }
    }

    fn stuck(&self, reason: Reason, edge: Option<EdgeId>) -> Outcome {
        Outcome::Stuck { reason, proc: self.state.frame.proc, edge }
    }

    /// Makes the globals and the entry procedure's variables.
    fn start(&mut self) -> Result<(), Halt> {
        let state = &mut self.state;
        state.global_registers = vec![Val::Uninit; state.layout.global_registers];
        for v in &state.layout.global_objects {
            let var = &state.program.vars[*v];
            let size = state.size(&var.ty)?;
            let contents = match &var.data {
                Some(data) if data.len() as u64 == size => Contents::Literal(data),
                Some(_) => return Err(Halt::Unsupported(Unsupported::InitialBytes)),
                None => Contents::Uninit,
            };
            let object = state.memory.create(size, ObjectKind::Var(*v), contents)?;
            if state.program.is_elsewhere(*v) {
                state.memory.may_be_larger(object);
            }
            state.global_objects.push(object);
        }
        self.push_variables(self.state.program.entry)
    }

    pub(super) fn push_variables(&mut self, proc: ProcId) -> Result<(), Halt> {
        let state = &mut self.state;
        let table = &state.layout.procs[proc.index()];
        state.registers.resize(state.registers.len() + table.registers, Val::Uninit);
        for v in &table.objects {
            let size = state.size(&state.program.vars[*v].ty)?;
            let object = state.memory.create(size, ObjectKind::Var(*v), Contents::Uninit)?;
            state.objects.push(object);
        }
        Ok(())
    }

    /// The edge to take; `None` when the location has none, an error with its edge when none can be taken.
    fn choose(&mut self, proc: ProcId, loc: LocId) -> Result<Option<EdgeId>, (EdgeId, Reason)> {
        let (program, layout) = (self.state.program, self.state.layout);
        let edges = &program.procs[proc].edges;
        match &layout.procs[proc.index()].next[loc] {
            Next::Nothing => Ok(None),
            Next::One(e) => {
                let e = *e;
                let Op::Assume(condition) = &edges[e].op else { return Ok(Some(e)) };
                match self.holds(e, condition) {
                    Ok(true) => Ok(Some(e)),
                    Ok(false) => Err((e, Reason::AssumeFalse)),
                    Err(halt) => Err((e, halt.reason())),
                }
            }
            Next::Either(yes, no) => {
                let (yes, no) = (*yes, *no);
                let Op::Assume(condition) = &edges[yes].op else {
                    unreachable!("both edges of a branch are assumptions")
                };
                match self.holds(yes, condition) {
                    Ok(true) => Ok(Some(yes)),
                    Ok(false) => Ok(Some(no)),
                    Err(halt) => Err((yes, halt.reason())),
                }
            }
            Next::Switch(labels, otherwise) => match self.choose_any(proc, loc, labels) {
                Err((_, Reason::AssumeFalse)) => Ok(Some(*otherwise)),
                chosen => chosen,
            },
            Next::Any(candidates) => self.choose_any(proc, loc, candidates),
        }
    }

    fn choose_any(
        &mut self,
        proc: ProcId,
        loc: LocId,
        candidates: &[EdgeId],
    ) -> Result<Option<EdgeId>, (EdgeId, Reason)> {
        let edges = &self.state.program.procs[proc].edges;
        let (mut enabled, mut halted) = (vec![], None);
        for e in candidates {
            match &edges[*e].op {
                Op::Assume(condition) => match self.holds(*e, condition) {
                    Ok(true) => enabled.push(*e),
                    Ok(false) => {}
                    Err(halt) => halted = halted.or(Some((*e, halt.reason()))),
                },
                _ => enabled.push(*e),
            }
        }
        match (&enabled[..], halted) {
            ([], Some(halted)) => Err(halted),
            ([], None) => Err((candidates[0], Reason::AssumeFalse)),
            ([e], _) => Ok(Some(*e)),
            (several, _) => {
                let inputs = self.state.inputs.as_mut().expect("inputs are there between steps");
                let n = inputs.choose_edge(proc, loc, several);
                Ok(Some(several[n.min(several.len() - 1)]))
            }
        }
    }

    fn holds(&mut self, edge: EdgeId, condition: &Expr) -> Result<bool, Halt> {
        self.state.edge = edge;
        self.state.eval(condition)?.truth()
    }

    fn execute(&mut self, proc: ProcId, id: EdgeId) -> Result<(), End> {
        let program = self.state.program;
        let edge: &Edge = &program.procs[proc].edges[id];
        self.state.edge = id;
        self.follow(&edge.op);
        match &edge.op {
            Op::Skip => self.done(edge, id, &[]),
            Op::Assign(lv, e) => {
                let value = self.state.eval(e)?;
                self.assign(lv, value, edge, id)?;
            }
            Op::Havoc(lv, HavocKind::Uninit) if self.leaves_uninitialised() && self.state.forget(lv)? => {
                self.done(edge, id, &[]);
            }
            Op::Havoc(lv, kind) => {
                let value = match kind {
                    HavocKind::Extern(function) | HavocKind::Unmodelled(function) => {
                        answer_for(&mut self.answer, function, &lv.ty)
                    }
                    _ => None,
                };
                let value = match value {
                    Some(value) => value,
                    None => self.havoc(kind.clone(), &lv.ty)?,
                };
                self.assign(lv, value, edge, id)?;
            }
            Op::Assume(condition) => self.done(edge, id, &[condition]),
            Op::Check(check, condition) => {
                let holds = self.state.eval(condition)?.truth()?;
                self.state.inputs.as_mut().expect("inputs are there between steps").checked(*check, holds);
                self.done(edge, id, &[condition]);
                if !holds {
                    self.rests_on = self.failure_rests_on(condition);
                    return Err(End::Outcome(Outcome::CheckFailed(*check)));
                }
            }
            Op::Call { dest, callee, args } => self.call(edge, id, dest.as_ref(), callee, args)?,
            Op::Alloc { dest, size, zeroed, may_fail } => {
                let address = self.allocate(size, *zeroed, *may_fail)?;
                self.assign(dest, Val::Ptr(address), edge, id)?;
            }
            Op::Free(_) if edge.op.ends().is_some() => {
                let v = edge.op.ends().expect("the guard asked");
                self.end_life(v)?;
                self.done(edge, id, &[]);
            }
            Op::Free(e) => {
                match self.state.eval(e)? {
                    Val::Ptr(p) if p.is_null() => {}
                    Val::Ptr(p) => self.state.memory.release(p)?,
                    _ => return Err(Halt::Undefined(UndefinedBehaviour::FreeOfInvalidPointer).into()),
                }
                self.done(edge, id, &[e]);
            }
            Op::Inspect { dest, query, ptr } => {
                let answer = match self.state.eval(ptr)? {
                    Val::Ptr(p) if *query == ObjectQuery::Initialised => {
                        let len = ptr.ty().pointee().and_then(|t| program.size_of(t)).unwrap_or(1);
                        i128::from(self.state.memory.initialised(p, len))
                    }
                    Val::Ptr(p) => self.state.memory.inspect(*query, p),
                    Val::Int(0) if *query == ObjectQuery::Freeable => 1,
                    _ => 0,
                };
                self.assign(dest, Val::Int(answer), edge, id)?;
            }
            Op::Output { function, args } => {
                self.output(function, args)?;
                self.done(edge, id, &args.iter().collect::<Vec<_>>());
            }
            Op::MemSet { ptr, byte, len } => {
                let (to, len) = (self.pointer(ptr)?, self.length(len)?);
                let Val::Int(byte) = self.state.eval(byte)? else {
                    return Err(Halt::Unsupported(Unsupported::PointerAsByte).into());
                };
                self.state.memory.set(to, byte as u8, len)?;
                self.done(edge, id, &[ptr]);
            }
            Op::MemCopy { dst, src, len } => {
                let (to, from, len) = (self.pointer(dst)?, self.pointer(src)?, self.length(len)?);
                if len > 0 {
                    self.state.initialise_bytes(from, len, true)?;
                    self.state.memory.copy(to, from, len)?;
                }
                self.done(edge, id, &[dst, src]);
            }
        }
        Ok(())
    }

    fn pointer(&mut self, e: &Expr) -> Result<Pointer, Halt> {
        match self.state.eval(e)? {
            Val::Ptr(p) => Ok(p),
            _ => Err(Halt::Unsupported(Unsupported::AddressNoPointer)),
        }
    }

    /// The variable's block is left: its object is dead, and the next turn has another.
    fn end_life(&mut self, v: VarId) -> Result<(), Halt> {
        if self.state.program.vars[v].proc().is_none() {
            return Err(Halt::Undefined(UndefinedBehaviour::FreeOfUnallocated));
        }
        let Slot::LocalObject(n) = self.state.layout.slots[v] else { return Ok(()) };
        let at = self.state.frame.objects + n as usize;
        let size = self.state.program.size_of(&self.state.program.vars[v].ty).unwrap_or(0);
        self.state.memory.destroy(self.state.objects[at]);
        self.state.objects[at] = self.state.memory.create(size, ObjectKind::Var(v), Contents::Uninit)?;
        Ok(())
    }

    fn length(&mut self, e: &Expr) -> Result<u64, Halt> {
        match self.state.eval(e)? {
            Val::Int(n) => u64::try_from(n).map_err(|_| Halt::Undefined(UndefinedBehaviour::OutsideObject)),
            _ => Err(Halt::Unsupported(Unsupported::LengthNoNumber)),
        }
    }

    fn leaves_uninitialised(&self) -> bool {
        self.state.inputs.as_ref().expect("inputs are there between steps").leaves_uninitialised()
    }

    pub(super) fn havoc(&mut self, kind: HavocKind, ty: &Type) -> Result<Val, Halt> {
        let (proc, edge) = (self.state.frame.proc, self.state.edge);
        let inputs = self.state.inputs.as_mut().expect("inputs are there between steps");
        let value = inputs.havoc(proc, edge, &kind, ty);
        self.state.record(kind, value, ty)
    }

    fn allocate(&mut self, size: &Expr, zeroed: bool, may_fail: bool) -> Result<Pointer, Halt> {
        let size = match self.state.eval(size)? {
            Val::Int(n) => n,
            _ => return Err(Halt::Unsupported(Unsupported::SizeNoNumber)),
        };
        let (proc, edge) = (self.state.frame.proc, self.state.edge);
        let size = u64::try_from(size).ok().filter(|n| self.state.memory.has_room(*n));
        let inputs = self.state.inputs.as_mut().expect("inputs are there between steps");
        let fails = may_fail && (size.is_none() || inputs.alloc_fails(proc, edge));
        match size {
            _ if fails => Ok(Pointer::NULL),
            None => Err(Halt::Unsupported(Unsupported::Memory)),
            Some(size) => {
                let contents = if zeroed { Contents::Zero } else { Contents::Uninit };
                let object = self.state.memory.create(size, ObjectKind::Heap(proc, edge), contents)?;
                Ok(Pointer { target: Target::Object(object), offset: 0 })
            }
        }
    }

    /// Writes the value and finishes the edge.
    pub(super) fn assign(&mut self, lv: &Lvalue, value: Val, edge: &Edge, id: EdgeId) -> Result<(), Halt> {
        self.state.write(lv, value)?;
        if self.tracing() {
            let written = vec![(print::lvalue(self.state.program, lv), self.state.show(value))];
            self.finish(edge.dst, PathStep::Edge(self.state.frame.proc, id), written);
        } else {
            self.finish(edge.dst, PathStep::Edge(self.state.frame.proc, id), vec![]);
        }
        Ok(())
    }

    /// Finishes an edge whose trace shows what the expressions read.
    pub(super) fn done(&mut self, edge: &Edge, id: EdgeId, read: &[&Expr]) {
        let values = if self.tracing() { self.loads(read) } else { vec![] };
        self.finish(edge.dst, PathStep::Edge(self.state.frame.proc, id), values);
    }

    pub(super) fn finish(&mut self, dst: LocId, step: PathStep, values: Vec<(String, Value)>) {
        self.state.frame.loc = dst;
        self.keep(step, values);
        // Without inputs the state cannot be changed by the observer's questions.
        let inputs = self.state.inputs.take().expect("inputs are there between steps");
        inputs.observe(&mut self.state, step);
        self.state.inputs = Some(inputs);
    }
}
