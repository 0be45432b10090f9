//! The effect of single operations.

use super::bytes::Contents;
use super::layout::Slot;
use super::machine::{End, Machine};
use super::memory::{Pointer, Target};
use super::output::answer_for;
use super::values::Val;
use super::{Halt, ObjectKind, Outcome, UndefinedBehaviour, Unsupported, Value};
use ir::expr::{Expr, Lvalue};
use ir::program::{Edge, EdgeId, EdgeKind, HavocKind, ObjectQuery, Op, PathStep, ProcId, VarId};
use ir::types::Type;

/// The library's streams that are open when a program starts: they are never NULL, whatever the inputs.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

impl Machine<'_, '_> {
    pub(super) fn execute(&mut self, proc: ProcId, id: EdgeId) -> Result<(), End> {
        let edge: &Edge = &self.state.program.procs[proc].edges[id];
        self.state.edge = id;
        if edge.kind == EdgeKind::Implied {
            self.done(edge, id, &[]);
            return Ok(());
        }
        self.follow(&edge.op);
        match &edge.op {
            Op::Skip => self.done(edge, id, &[]),
            Op::Assign(lv, e) => {
                let value = self.state.eval(e)?;
                self.assign(lv, value, edge, id)?;
            }
            Op::Havoc(lv, HavocKind::Uninit) if self.state.keeps_garbage() && self.state.forget(lv)? => {
                self.done(edge, id, &[]);
            }
            Op::Havoc(lv, HavocKind::Followed) => {
                let value = self.follow_any(lv, id);
                self.assign(lv, value, edge, id)?;
            }
            Op::Havoc(lv, kind) => {
                let value = self.havoc_or_answer(kind, &lv.ty)?;
                self.assign(lv, value, edge, id)?;
                if *kind == HavocKind::Uninit {
                    self.state.not_read_yet(lv);
                }
            }
            Op::Assume(condition) => self.done(edge, id, &[condition]),
            Op::Check(check, condition) => {
                let holds = self.state.eval(condition)?.truth()?;
                self.state.inputs().checked(*check, holds);
                let values = self.seen_by_check(edge, condition, holds);
                self.finish(edge.dst, PathStep::Edge(proc, id), values);
                if !holds && !self.state.inputs().goes_past(*check) {
                    self.rests_on = self.failure_rests_on(condition);
                    return Err(End::Outcome(Outcome::CheckFailed(*check)));
                }
            }
            Op::Call { dest, callee, args } => self.call(edge, id, dest.as_ref(), callee, args)?,
            Op::Alloc { dest, size, zeroed, may_fail } => {
                let address = self.allocate(size, *zeroed, *may_fail)?;
                // Memory of the stack ends with the call, as locals do. What models make so is the library's, and stays.
                if edge.kind == EdgeKind::Internal
                    && !self.state.program.procs[proc].is_model()
                    && let Target::Object(object) = address.target
                {
                    self.state.objects.push(object);
                }
                self.assign(dest, Val::Ptr(address), edge, id)?;
            }
            Op::Free(_) if edge.op.ends().is_some() => {
                let v = edge.op.ends().expect("the guard asked");
                self.end_life(v)?;
                self.done(edge, id, &[]);
            }
            Op::Free(e) => {
                let values = if self.tracing() { self.loads(&[e]) } else { vec![] };
                self.free(e)?;
                self.finish(edge.dst, PathStep::Edge(proc, id), values);
            }
            Op::Inspect { dest, query, ptr } => {
                let answer = self.inspect(*query, ptr)?;
                self.assign(dest, Val::Int(answer), edge, id)?;
            }
            Op::Output { output, args } => {
                self.output(output, args)?;
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
                    self.state.memory_read(from, len);
                    if !self.state.keeps_garbage() {
                        self.state.initialise_bytes(from, len, true)?;
                    }
                    self.state.memory.copy(to, from, len)?;
                }
                self.done(edge, id, &[dst, src]);
            }
        }
        Ok(())
    }

    /// The value that a `havoc` writes: what an output function answers, a part of a text that was made, or one that the run takes as an input.
    fn havoc_or_answer(&mut self, kind: &HavocKind, ty: &Type) -> Result<Val, Halt> {
        if let HavocKind::Extern(function) | HavocKind::Unmodelled(function) = kind
            && let Some(value) = answer_for(&mut self.answer, function, ty)
        {
            return Ok(value);
        }
        if let (HavocKind::Made(part, _), Type::Int(i)) = (kind, ty)
            && let Some(value) = self.made.take(*part)
        {
            return Ok(Val::Int(i.wrap(value)));
        }
        self.havoc(kind.clone(), ty)
    }

    fn free(&mut self, e: &Expr) -> Result<(), Halt> {
        match self.state.eval(e)? {
            Val::Ptr(p) if p.is_null() => Ok(()),
            Val::Ptr(p) if !self.is_nobodys(p) => self.state.memory.release(p),
            _ => Err(Halt::Undefined(UndefinedBehaviour::FreeOfInvalidPointer)),
        }
    }

    /// The answer to a question about the object that the pointer points into.
    fn inspect(&mut self, query: ObjectQuery, ptr: &Expr) -> Result<i128, Halt> {
        Ok(match self.state.eval(ptr)? {
            Val::Ptr(p) if query == ObjectQuery::Initialised => {
                let len = ptr.ty().pointee().and_then(|t| self.state.program.size_of(t)).unwrap_or(1);
                i128::from(self.state.memory.initialised(p, len))
            }
            Val::Ptr(p) if query == ObjectQuery::Constant => i128::from(self.is_constant(p)),
            Val::Ptr(p) if query == ObjectQuery::Freeable && self.is_nobodys(p) => 0,
            Val::Ptr(p) => self.state.memory.inspect(query, p),
            Val::Int(0) if query == ObjectQuery::Freeable => 1,
            _ => 0,
        })
    }

    /// Whether it leads to memory of the stack, or of the library, which must not be freed.
    fn is_nobodys(&self, p: Pointer) -> bool {
        let Target::Object(id) = p.target else { return false };
        let procs = &self.state.program.procs;
        matches!(self.state.memory.kind(id), Some(ObjectKind::Heap(proc, e)) if procs[proc].edges[e].kind == EdgeKind::Internal)
    }

    /// Whether the byte must not be changed.
    fn is_constant(&self, p: Pointer) -> bool {
        let Target::Object(id) = p.target else { return false };
        let own = |v: VarId| {
            let mut ranges = self.state.program.vars[v].constant.iter().flat_map(|ranges| ranges.iter());
            u64::try_from(p.offset).is_ok_and(|at| ranges.any(|(start, end)| (*start..*end).contains(&at)))
        };
        match self.state.memory.kind(id) {
            Some(ObjectKind::Var(v)) => own(v) || self.state.memory.is_read_only(id),
            _ => false,
        }
    }

    fn pointer(&mut self, e: &Expr) -> Result<Pointer, Halt> {
        match self.state.eval(e)? {
            Val::Ptr(p) => Ok(p),
            _ => Err(Halt::Unsupported(Unsupported::AddressNoPointer)),
        }
    }

    /// The variable's block is left: its object is dead, and the next iteration has another.
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

    pub(super) fn havoc(&mut self, kind: HavocKind, ty: &Type) -> Result<Val, Halt> {
        let (proc, edge) = (self.state.frame.proc, self.state.edge);
        let mut value = self.state.inputs().havoc(proc, edge, &kind, ty);
        if let (HavocKind::Unmodelled(name), Type::Ptr(to), Value::Null) = (&kind, ty, value)
            && STREAMS.contains(&&**name)
        {
            value = Value::FreshObject(self.state.program.size_of(to).unwrap_or(64).max(1));
        }
        self.state.record(kind, value, ty)
    }

    fn allocate(&mut self, size: &Expr, zeroed: bool, may_fail: bool) -> Result<Pointer, Halt> {
        let size = match self.state.eval(size)? {
            Val::Int(n) => n,
            _ => return Err(Halt::Unsupported(Unsupported::SizeNoNumber)),
        };
        let (proc, edge) = (self.state.frame.proc, self.state.edge);
        let size = u64::try_from(size).ok().filter(|n| self.state.memory.has_room(*n));
        let fails = may_fail && (size.is_none() || self.state.inputs().alloc_fails(proc, edge));
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
        let written = if self.tracing() { vec![self.seen(lv, value)] } else { vec![] };
        self.finish(edge.dst, PathStep::Edge(self.state.frame.proc, id), written);
        Ok(())
    }
}
