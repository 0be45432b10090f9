//! Transfer functions of operations on the written bytes.

use super::roots::{Root, null, root};
use super::{State, Written};
use crate::checks::places;
use crate::checks::uninit::byte_sets::Bytes;
use alias::Object;
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{Callee, Edge, EdgeId, HavocKind, Op, ProcId, VarId};

impl Written<'_> {
    /// The state behind the edge; `None` when it is not reached.
    pub(crate) fn edge(&mut self, (p, e): (ProcId, EdgeId), edge: &Edge, mut state: State) -> Option<State> {
        let at = (p, edge.src);
        match &edge.op {
            Op::Assign(lv, value) => {
                let bytes = self.of(at, &state, value);
                self.write(&mut state, lv);
                self.store(&mut state, lv, bytes, Some(value));
            }
            Op::Havoc(lv, HavocKind::Uninit) => {
                if let Base::Var(v) = lv.base {
                    self.forget(&mut state, v);
                }
                match lv.as_var().filter(|v| self.is_followed(*v)) {
                    Some(v) => _ = state.remove(&v),
                    // A check stands before reads of it.
                    None if matches!(lv.base, Base::Var(_)) => {}
                    None => self.store(&mut state, lv, Bytes::NONE, None),
                }
            }
            Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => {
                self.write(&mut state, lv);
                self.store(&mut state, lv, Bytes::NONE, None);
            }
            Op::Alloc { dest, zeroed, .. } => {
                self.write(&mut state, dest);
                let bytes = if *zeroed || self.covered.contains(&p) { Bytes::All } else { Bytes::NONE };
                self.store(&mut state, dest, bytes, None);
            }
            Op::Call { dest, callee, args } => {
                let result = self.call((p, e), &mut state, callee, args)?;
                if let Some(dest) = dest {
                    self.write(&mut state, dest);
                    self.store(&mut state, dest, result, None);
                }
            }
            Op::Assume(condition) => {
                if let Some(v) = null(condition).filter(|v| self.is_followed(*v)) {
                    state.insert(v, Bytes::All);
                }
            }
            Op::MemSet { ptr, byte, len } => {
                // Pointers of zeros are NULL.
                if !byte.is_zero() {
                    self.spoil((p, e));
                }
                if let Some(len) = len.as_const() {
                    self.gain(&mut state, ptr, &Bytes::block(0, len));
                }
            }
            Op::MemCopy { dst, src, len } => {
                // Where what is read is of the same cell, nothing new gets there.
                let cells = self.oracle.edge_mods(p, e).iter();
                let stays = |c| self.oracle.block_cell(p, e, c).is_some_and(|block| block.copied);
                cells.filter(|c| !stays(*c)).for_each(|c| self.lower(c, Bytes::NONE));
                if let Some(len) = len.as_const() {
                    let known = self.of(at, &state, src);
                    self.gain(&mut state, dst, &known.join(&Bytes::block(0, len)));
                }
            }
            Op::Free(_) => {
                if let Some(v) = edge.op.ends() {
                    self.forget(&mut state, v);
                }
            }
            Op::Skip | Op::Check(..) | Op::Output { .. } => {}
        }
        Some(state)
    }

    /// Forgets pointers that the edge writes as bytes, or that others write.
    fn spoil(&mut self, (p, e): (ProcId, EdgeId)) {
        let cells = self.oracle.edge_mods(p, e);
        cells.iter().for_each(|c| self.lower(c, Bytes::NONE));
    }

    /// The variable begins a new life.
    fn forget(&self, state: &mut State, v: VarId) {
        state.retain(|pointer, _| {
            let targets = self.oracle.points_to(&self.program.read(*pointer));
            !targets.unknown && !targets.objects.contains(&Object::Var(v))
        });
    }

    /// The location is written.
    fn write(&self, state: &mut State, lv: &Lvalue) {
        let Base::Deref(pointer) = &lv.base else { return };
        if let Some((start, end)) = places::bytes(self.program, lv) {
            self.gain(state, pointer, &Bytes::block(start, end));
        }
    }

    /// More bytes behind a pointer are written.
    fn gain(&self, state: &mut State, pointer: &Expr, bytes: &Bytes) {
        if let Some((Root::Value(v), by)) = root(self.program, pointer)
            && self.is_followed(v)
        {
            let known = state.entry(v).or_insert(Bytes::NONE);
            *known = known.and(&bytes.moved(-by));
        }
    }

    /// A location gets a value behind which so much is known.
    fn store(&mut self, state: &mut State, lv: &Lvalue, bytes: Bytes, value: Option<&Expr>) {
        if !lv.ty.is_ptr() {
            return;
        }
        if let Some(v) = lv.as_var().filter(|v| self.is_followed(*v)) {
            if bytes.is_none() {
                state.remove(&v)
            } else {
                state.insert(v, bytes)
            };
            return;
        }
        let outlives = |value: &Expr| {
            let targets = self.oracle.points_to(value);
            let may_be = |o: &Object| matches!(o, Object::Var(v) if self.initialised.is_renewed(*v));
            targets.unknown || targets.objects.iter().any(may_be)
        };
        let forgets = value.is_none_or(outlives) && bytes != Bytes::NONE;
        let cell = self.oracle.cell(lv);
        self.lower(cell, if forgets { Bytes::NONE } else { bytes });
    }

    /// Applies a call to the state; returns the bytes written behind its result.
    fn call(
        &mut self,
        edge: (ProcId, EdgeId),
        state: &mut State,
        callee: &Callee,
        args: &[Expr],
    ) -> Option<Bytes> {
        let (p, e) = edge;
        let at = (p, self.program.procs[p].edges[e].src);
        let (targets, unknown) = self.oracle.called(callee);
        let known: Vec<Bytes> = args.iter().map(|arg| self.of(at, state, arg)).collect();
        if unknown {
            self.program.procs.ids().for_each(|q| self.enter(q, State::new()));
        }
        let mut outside = unknown;
        let mut result: Option<Bytes> = None;
        for q in targets {
            let proc = &self.program.procs[q];
            if !proc.has_body {
                outside = true;
                continue;
            }
            let mut entry = State::new();
            for (v, bytes) in proc.formals.iter().zip(&known) {
                let formal = self.program.lvalue(*v);
                if self.is_followed(*v) {
                    entry.insert(*v, bytes.clone());
                } else if formal.ty.is_ptr() {
                    self.lower(self.oracle.cell(&formal), bytes.clone());
                }
            }
            self.enter(q, entry);
            if let Some(end) = &self.states[q][proc.exit] {
                let bytes = proc.ret.and_then(|v| end.get(&v)).cloned().unwrap_or(Bytes::NONE);
                result = Some(result.map_or(bytes.clone(), |other| other.join(&bytes)));
            }
        }
        if outside {
            self.spoil(edge);
            return Some(Bytes::NONE);
        }
        for (n, arg) in args.iter().enumerate() {
            self.gain(state, arg, &self.at_end(callee, n));
        }
        result
    }
}
