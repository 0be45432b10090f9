//! The steps of a run. Calls are kept on an explicit stack, so that recursion in the program is none here.

use super::eval::{Frame, State};
use super::layout::{Layout, Next};
use super::memory::{Contents, Memory, Pointer, Target};
use super::values::{Rules, Val};
use super::{Halt, InputRecord, Inputs, Limits, ObjectKind, Outcome, Reason, Run, TraceStep, Value};
use crate::expr::{Expr, Lvalue};
use crate::print;
use crate::program::{Callee, Edge, EdgeId, HavocKind, LocId, Op, PathStep, ProcId, Program, VarId};
use crate::types::{IntType, Type};
use base::Id;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many steps are done between two looks at the stop flag.
const POLL: u64 = 4096;

struct Machine<'a, 'i> {
    state: State<'a, 'i>,
    limits: &'a Limits,
    trace: Vec<TraceStep>,
    steps: u64,
    /// The value that the last procedure called by the entry procedure returned.
    last_result: Option<Value>,
}

/// Why the run ends here.
enum End {
    Outcome(Outcome),
    Halt(Halt),
}

impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        End::Halt(halt)
    }
}

pub(super) fn run(program: &Program, inputs: &mut dyn Inputs, limits: &Limits, stop: &AtomicBool) -> Run {
    let pointer_size = usize::from(program.model.pointer_bits() / 8);
    let entry = &program.procs[program.entry];
    let no_edge = EdgeId::from_index(0);
    let layout = Layout::new(program);
    let state = State {
        program,
        layout: &layout,
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
    };
    let mut machine = Machine { state, limits, trace: vec![], steps: 0, last_result: None };
    let outcome = machine.run(stop);
    Run { outcome, inputs: machine.state.records, trace: machine.trace, steps: machine.steps }
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
                Some(_) => return Err(Halt::unsupported("initial bytes that do not fit their variable")),
                None => Contents::Uninit,
            };
            let object = state.memory.create(size, ObjectKind::Var(*v), contents)?;
            state.global_objects.push(object);
        }
        self.push_variables(self.state.program.entry)
    }

    fn push_variables(&mut self, proc: ProcId) -> Result<(), Halt> {
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
        Ok(self.state.eval(condition)?.truth())
    }

    fn execute(&mut self, proc: ProcId, id: EdgeId) -> Result<(), End> {
        let program = self.state.program;
        let edge: &Edge = &program.procs[proc].edges[id];
        self.state.edge = id;
        match &edge.op {
            Op::Skip => self.done(edge, id, &[]),
            Op::Assign(lv, e) => {
                let value = self.state.eval(e)?;
                self.assign(lv, value, edge, id)?;
            }
            Op::Havoc(lv, kind) => {
                let value = self.havoc(kind.clone(), &lv.ty)?;
                self.assign(lv, value, edge, id)?;
            }
            Op::Assume(condition) => self.done(edge, id, &[condition]),
            Op::Check(check, condition) => {
                let holds = self.state.eval(condition)?.truth();
                self.done(edge, id, &[condition]);
                if !holds {
                    return Err(End::Outcome(Outcome::CheckFailed(*check)));
                }
            }
            Op::Call { dest, callee, args } => self.call(edge, id, dest.as_ref(), callee, args)?,
            Op::Alloc { dest, size, zeroed, may_fail } => {
                let address = self.allocate(size, *zeroed, *may_fail)?;
                self.assign(dest, Val::Ptr(address), edge, id)?;
            }
            Op::Free(e) => {
                match self.state.eval(e)? {
                    Val::Ptr(p) if p.is_null() => {}
                    Val::Ptr(p) => self.state.memory.release(p)?,
                    _ => return Err(Halt::undefined("free of an invalid pointer").into()),
                }
                self.done(edge, id, &[e]);
            }
            Op::MemSet { ptr, byte, len } => {
                let (to, len) = (self.pointer(ptr)?, self.length(len)?);
                let Val::Int(byte) = self.state.eval(byte)? else {
                    return Err(Halt::unsupported("a pointer as the byte to be set").into());
                };
                self.state.memory.set(to, byte as u8, len)?;
                self.done(edge, id, &[ptr]);
            }
            Op::MemCopy { dst, src, len } => {
                let (to, from, len) = (self.pointer(dst)?, self.pointer(src)?, self.length(len)?);
                if len > 0 {
                    self.state.initialise_bytes(from, len)?;
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
            _ => Err(Halt::unsupported("an address that is no pointer")),
        }
    }

    fn length(&mut self, e: &Expr) -> Result<u64, Halt> {
        match self.state.eval(e)? {
            Val::Int(n) => u64::try_from(n).map_err(|_| Halt::undefined("access outside of an object")),
            _ => Err(Halt::unsupported("a length that is no number")),
        }
    }

    fn havoc(&mut self, kind: HavocKind, ty: &Type) -> Result<Val, Halt> {
        let (proc, edge) = (self.state.frame.proc, self.state.edge);
        let inputs = self.state.inputs.as_mut().expect("inputs are there between steps");
        let value = inputs.havoc(proc, edge, &kind, ty);
        self.state.record(kind, value, ty)
    }

    fn allocate(&mut self, size: &Expr, zeroed: bool, may_fail: bool) -> Result<Pointer, Halt> {
        let size = match self.state.eval(size)? {
            Val::Int(n) => n,
            _ => return Err(Halt::unsupported("a size that is no number")),
        };
        let (proc, edge) = (self.state.frame.proc, self.state.edge);
        let size = u64::try_from(size).ok().filter(|n| self.state.memory.has_room(*n));
        let inputs = self.state.inputs.as_mut().expect("inputs are there between steps");
        let fails = may_fail && (size.is_none() || inputs.alloc_fails(proc, edge));
        match size {
            _ if fails => Ok(Pointer::NULL),
            None => Err(Halt::unsupported("more memory than the limit")),
            Some(size) => {
                let contents = if zeroed { Contents::Zero } else { Contents::Uninit };
                let object = self.state.memory.create(size, ObjectKind::Heap(proc, edge), contents)?;
                Ok(Pointer { target: Target::Object(object), offset: 0 })
            }
        }
    }

    /// Writes the value and finishes the edge.
    fn assign(&mut self, lv: &Lvalue, value: Val, edge: &Edge, id: EdgeId) -> Result<(), Halt> {
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
    fn done(&mut self, edge: &Edge, id: EdgeId, read: &[&Expr]) {
        let values = if self.tracing() { self.loads(read) } else { vec![] };
        self.finish(edge.dst, PathStep::Edge(self.state.frame.proc, id), values);
    }

    fn tracing(&self) -> bool {
        self.trace.len() < self.limits.trace
    }

    fn finish(&mut self, dst: LocId, step: PathStep, values: Vec<(String, Value)>) {
        self.state.frame.loc = dst;
        if self.tracing() {
            self.trace.push(TraceStep { step, values });
        }
        // Without inputs the state cannot be changed by the observer's questions.
        let inputs = self.state.inputs.take().expect("inputs are there between steps");
        inputs.observe(&mut self.state, step);
        self.state.inputs = Some(inputs);
    }

    /// The values of the scalars that the expressions read, each once; those that have none are left out.
    fn loads(&mut self, read: &[&Expr]) -> Vec<(String, Value)> {
        let mut lvalues: Vec<&Lvalue> = vec![];
        for e in read {
            collect_loads(e, &mut lvalues);
        }
        let inputs = self.state.inputs.take();
        let mut values: Vec<(String, Value)> = vec![];
        for lv in lvalues {
            let Ok(v) = self.state.load(lv) else { continue };
            let text = print::lvalue(self.state.program, lv);
            if values.iter().all(|(seen, _)| *seen != text) {
                values.push((text, self.state.show(v)));
            }
        }
        self.state.inputs = inputs;
        values
    }

    fn call(
        &mut self,
        edge: &Edge,
        id: EdgeId,
        dest: Option<&Lvalue>,
        callee: &Callee,
        args: &[Expr],
    ) -> Result<(), End> {
        let program = self.state.program;
        let callee = match callee {
            Callee::Direct(p) => *p,
            Callee::Indirect(e) => self.target(e, args)?,
        };
        let proc = &program.procs[callee];
        if !proc.has_body {
            for arg in args {
                self.state.eval(arg)?;
            }
            let Some(dest) = dest else {
                self.done(edge, id, &[]);
                return Ok(());
            };
            let value = self.havoc(HavocKind::Extern(proc.name.as_str().into()), &dest.ty)?;
            self.assign(dest, value, edge, id)?;
            return Ok(());
        }
        if self.state.frames.len() + 1 >= self.limits.call_depth {
            return Err(Halt::unsupported("more open calls than the limit").into());
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.state.eval(arg)?);
        }
        self.enter(callee, id, &values)?;
        Ok(())
    }

    /// The procedure that a function pointer holds; C leaves calls with other types undefined.
    fn target(&mut self, e: &Expr, args: &[Expr]) -> Result<ProcId, Halt> {
        let callee = match self.state.eval(e)? {
            Val::Ptr(Pointer { target: Target::Func(f), offset: 0 }) => f,
            _ => return Err(Halt::undefined("call through a pointer to no function")),
        };
        let params = &self.state.program.procs[callee].ty.params;
        let variadic = self.state.program.procs[callee].ty.variadic;
        let count = args.len() == params.len() || variadic && args.len() > params.len();
        if count && params.iter().zip(args).all(|(p, a)| same_class(p, &a.ty())) {
            Ok(callee)
        } else {
            Err(Halt::undefined("call of a function through a pointer of another type"))
        }
    }

    fn enter(&mut self, callee: ProcId, id: EdgeId, args: &[Val]) -> Result<(), Halt> {
        let program = self.state.program;
        let proc = &program.procs[callee];
        let caller = self.state.frame.proc;
        let registers = self.state.registers.len();
        let objects = self.state.objects.len();
        self.push_variables(callee)?;
        let frame = Frame { proc: callee, loc: proc.entry, call: id, registers, objects };
        let waiting = std::mem::replace(&mut self.state.frame, frame);
        self.state.frames.push(Frame { call: id, ..waiting });
        for (formal, value) in proc.formals.iter().zip(args) {
            self.set_variable(*formal, *value)?;
        }
        let mut values = vec![];
        if self.tracing() {
            for (formal, value) in proc.formals.iter().zip(args) {
                values.push((program.vars[*formal].name.clone(), self.state.show(*value)));
            }
        }
        self.finish(proc.entry, PathStep::Enter(caller, id, callee), values);
        Ok(())
    }

    fn set_variable(&mut self, v: VarId, value: Val) -> Result<(), Halt> {
        self.state.write(&self.state.program.lvalue(v), value)
    }

    /// Ends the newest call; the outcome when it was the entry procedure's.
    fn leave(&mut self) -> Result<Option<Outcome>, Halt> {
        let program = self.state.program;
        let callee = self.state.frame.proc;
        let Some(caller) = self.state.frames.last().copied() else {
            let value = self.result_if_any(callee).or(self.last_result);
            return Ok(Some(Outcome::Finished(value)));
        };
        let edge = &program.procs[caller.proc].edges[caller.call];
        let Op::Call { dest, .. } = &edge.op else { unreachable!("calls are made by call edges") };
        let result = match (program.procs[callee].ret, dest) {
            (Some(v), Some(_)) => Some(self.state.load(&program.lvalue(v))?),
            _ => None,
        };
        if self.state.frames.len() == 1 {
            self.last_result = self.result_if_any(callee);
        }
        self.state.frames.pop();
        let frame = std::mem::replace(&mut self.state.frame, caller);
        self.state.registers.truncate(frame.registers);
        while self.state.objects.len() > frame.objects
            && let Some(object) = self.state.objects.pop()
        {
            self.state.memory.destroy(object);
        }
        self.state.edge = caller.call;
        let mut values = vec![];
        if let (Some(dest), Some(value)) = (dest, result) {
            self.state.write(dest, value)?;
            if self.tracing() {
                values.push((print::lvalue(program, dest), self.state.show(value)));
            }
        }
        self.finish(edge.dst, PathStep::Leave(caller.proc, caller.call, callee), values);
        Ok(None)
    }

    /// The value of the return variable, when it has one already.
    fn result_if_any(&mut self, proc: ProcId) -> Option<Value> {
        let ret = self.state.program.procs[proc].ret?;
        let inputs = self.state.inputs.take();
        let value = self.state.value(&self.state.program.read(ret)).ok();
        self.state.inputs = inputs;
        value
    }
}

/// The lvalues whose loads occur in the expression, inner ones after outer ones.
fn collect_loads<'e>(e: &'e Expr, out: &mut Vec<&'e Lvalue>) {
    let inside = |lv: &'e Lvalue, out: &mut Vec<&'e Lvalue>| {
        if let crate::expr::Base::Deref(p) = &lv.base {
            collect_loads(p, out);
        }
        for access in &lv.path {
            if let crate::expr::Access::Index(i) = access {
                collect_loads(i, out);
            }
        }
    };
    match e {
        Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => {}
        Expr::Load(lv) => {
            out.push(lv);
            inside(lv, out);
        }
        Expr::AddrOf(lv) => inside(lv, out),
        Expr::Unary(_, e, _) | Expr::Cast(e, _) | Expr::Old(e) => collect_loads(e, out),
        Expr::Binary(_, l, r, _) => {
            collect_loads(l, out);
            collect_loads(r, out);
        }
        Expr::Cond(c, a, b) => {
            collect_loads(c, out);
            collect_loads(a, out);
            collect_loads(b, out);
        }
    }
}

/// Whether an argument of one type can be passed for a parameter of the other: pointers, or numbers of one
/// size.
fn same_class(param: &Type, arg: &Type) -> bool {
    match (param, arg) {
        (Type::Int(IntType { bits: a, .. }), Type::Int(IntType { bits: b, .. })) => a == b,
        (Type::Ptr(_), Type::Ptr(_)) => true,
        (a, b) => a == b,
    }
}
