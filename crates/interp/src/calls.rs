//! Calls and returns.

use super::eval::Frame;
use super::machine::{End, Machine};
use super::memory::{Pointer, Target};
use super::values::Val;
use super::{Halt, Outcome, Value};
use super::{UndefinedBehaviour, Unsupported};
use ir::expr::{Expr, Lvalue};
use ir::program::{Callee, Edge, EdgeId, HavocKind, Op, Origin, PathStep, ProcId, VarId};
use ir::types::{IntType, Type};

impl Machine<'_, '_> {
    pub(super) fn call(
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
            Callee::Indirect(e) => self.target(e)?,
        };
        self.fits(callee, args)?;
        let proc = &program.procs[callee];
        if !proc.has_body {
            let mut handed = vec![];
            for arg in args {
                if let Val::Ptr(p) = self.state.eval(arg)? {
                    handed.push(p);
                }
            }
            self.state.memory.share(handed.into_iter());
            self.state.inputs().undefined_called(callee);
            let Some(dest) = dest else {
                self.done(edge, id, &[]);
                return Ok(());
            };
            let name = proc.name.as_str().into();
            let kind = match proc.origin {
                Origin::Program => HavocKind::Extern(name),
                Origin::Library | Origin::Foreign | Origin::Thread(_) => HavocKind::Unmodelled(name),
            };
            let value = self.havoc(kind, &dest.ty)?;
            self.assign(dest, value, edge, id)?;
            return Ok(());
        }
        if self.state.frames.len() + 1 >= self.limits.call_depth {
            return Err(Halt::Unsupported(Unsupported::CallDepth).into());
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.state.eval(arg)?);
        }
        self.enter(callee, id, &values)?;
        Ok(())
    }

    /// The procedure that a function pointer holds.
    fn target(&mut self, e: &Expr) -> Result<ProcId, Halt> {
        match self.state.eval(e)? {
            Val::Ptr(Pointer { target: Target::Func(f), offset: 0 }) => Ok(f),
            _ => Err(Halt::Undefined(UndefinedBehaviour::CallOfNoFunction)),
        }
    }

    /// C leaves calls with other types undefined, as they happen through pointers and without prototypes.
    fn fits(&self, callee: ProcId, args: &[Expr]) -> Result<(), Halt> {
        let params = &self.state.program.procs[callee].ty.params;
        let variadic = self.state.program.procs[callee].ty.variadic;
        let count = args.len() == params.len() || variadic && args.len() > params.len();
        if count && params.iter().zip(args).all(|(p, a)| same_class(p, &a.ty())) {
            Ok(())
        } else {
            Err(Halt::Undefined(UndefinedBehaviour::CallOfAnotherType))
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
        self.follow_enter(&proc.formals);
        for (formal, value) in proc.formals.iter().zip(args) {
            self.set_variable(*formal, *value)?;
        }
        let mut values = vec![];
        if self.tracing() {
            for (formal, value) in proc.formals.iter().zip(args) {
                values.push(self.seen(&program.lvalue(*formal), *value));
            }
        }
        self.finish(proc.entry, PathStep::Enter(caller, id, callee), values);
        Ok(())
    }

    /// Passes a value; numbers of another sign are converted, as the callee sees their bits.
    fn set_variable(&mut self, v: VarId, value: Val) -> Result<(), Halt> {
        let lv = self.state.program.lvalue(v);
        self.state.write(&lv, same_bits(value, &lv.ty))
    }

    /// Ends the newest call; the outcome when it was the entry procedure's.
    pub(super) fn leave(&mut self) -> Result<Option<Outcome>, Halt> {
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
        let origin = self.follow_result(program.procs[callee].ret);
        if self.state.frames.len() == 1 {
            // A procedure that runs behind the entry, at the program's end, has no result.
            self.last_result = self.result_if_any(callee).or(self.last_result.take());
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
        self.follow_leave(dest.as_ref(), origin);
        let mut values = vec![];
        if let (Some(dest), Some(value)) = (dest, result) {
            let value = same_bits(value, &dest.ty);
            self.state.write(dest, value)?;
            if self.tracing() {
                values.push(self.seen(dest, value));
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

/// The value as one of an integer type with the same number of bits.
fn same_bits(value: Val, ty: &Type) -> Val {
    match (value, ty) {
        (Val::Int(v), Type::Int(i)) => Val::Int(i.wrap(v)),
        _ => value,
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
