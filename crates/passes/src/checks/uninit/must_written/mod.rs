//! Bytes behind pointers that the program has written on every path to a location.
//!
//! For each pointer variable whose address is not taken, a forward analysis knows at each location bytes of its
//! object that are written; for all other pointers, the oracle's cells join the facts about everything that is
//! stored in them.
//! Calls are analysed once for all callers: formals know what all arguments know, and what the formals know at
//! the end of the callee holds for the arguments behind the call. It is a greatest fixed point: everything
//! begins as known, and sinks.
//!
//! Invariant: the bytes were written at some time since their object began its life. They still have a value
//! then, unless something was copied over them that has none; callers must check for that themselves. Pointers
//! that are read before they are written have no written bytes: a check stands before such reads.

mod roots;
mod transfer;

use super::byte_sets::Bytes;
use super::copies::record;
use super::definite_assignment::Initialised;
use crate::checks::places;
use alias::{AliasOracle, CellId, CellKind};
use base::IndexVec;
use ir::expr::{Base, BinOp, Expr, Lvalue};
use ir::program::{Callee, EdgeId, LocId, Op, ProcId, Program, VarId, VarKind};
use ir::types::Type;
use ir::visit;
use roots::{Root, distance, root};
use std::collections::{BTreeMap, BTreeSet};

/// How often what is known at one place may sink before it is forgotten.
const PATIENCE: u8 = 12;

/// Arrays of structures with more elements than this are treated as blocks.
const MOST_ELEMENTS: u64 = 64;

/// The bytes written behind variables; none behind those that are not listed.
type State = BTreeMap<VarId, Bytes>;

/// The analysis and its answers.
pub(crate) struct Written<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    initialised: &'a Initialised,
    covered: &'a BTreeSet<ProcId>,
    /// Variables whose address is taken.
    taken: BTreeSet<VarId>,
    /// Formals that keep their values.
    kept: BTreeSet<VarId>,
    /// For each location that is reached.
    states: IndexVec<ProcId, IndexVec<LocId, Option<State>>>,
    /// The states at the entries of procedures that are called.
    entries: IndexVec<ProcId, Option<State>>,
    cells: IndexVec<CellId, Bytes>,
    /// How often each of them sank.
    sunk: Sunk,
    changed: bool,
}

#[derive(Default)]
struct Sunk {
    entries: IndexVec<ProcId, u8>,
    cells: IndexVec<CellId, u8>,
}

/// Which bytes a copy may leave without a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaves {
    Nothing,
    /// Bytes that belong to no member.
    Padding,
    Much,
}

impl<'a> Written<'a> {
    /// `covered` are procedures whose allocations have contents before others see them.
    pub(crate) fn new(
        program: &'a Program,
        oracle: &'a AliasOracle,
        initialised: &'a Initialised,
        covered: &'a BTreeSet<ProcId>,
    ) -> Written<'a> {
        let mut taken = BTreeSet::new();
        let mut assigned = BTreeSet::new();
        for (_, _, edge) in program.edges() {
            visit::addresses(&edge.op, &mut |v| _ = taken.insert(v));
            assigned.extend(edge.op.destination().and_then(Lvalue::as_var));
        }
        let formals = program.procs.iter().flat_map(|proc| proc.formals.iter().copied());
        let kept = formals.filter(|v| !taken.contains(v) && !assigned.contains(v)).collect();
        let begins = |c| match oracle.cell_kind(c) {
            CellKind::Opaque => Bytes::NONE,
            _ => Bytes::All,
        };
        let states = program.procs.iter().map(|proc| IndexVec::from_elem(None, proc.locations.len()));
        let mut this = Written {
            program,
            oracle,
            initialised,
            covered,
            taken,
            kept,
            states: IndexVec::from_vec(states.collect()),
            entries: IndexVec::from_elem(None, program.procs.len()),
            cells: IndexVec::from_vec(oracle.cell_ids().map(begins).collect()),
            sunk: Sunk {
                entries: IndexVec::from_elem(0, program.procs.len()),
                cells: IndexVec::from_elem(0, oracle.cells()),
            },
            changed: false,
        };
        this.solve();
        this
    }

    /// Whether the bytes that the location takes are written when `at` is reached.
    pub(crate) fn covers(&self, (p, at): (ProcId, LocId), lv: &Lvalue) -> bool {
        let Base::Deref(pointer) = &lv.base else { return false };
        // An unreachable location reads nothing.
        let Some(state) = &self.states[p][at] else { return true };
        let bytes = self.of((p, at), state, pointer);
        let place = places::offset(self.program, lv).zip(places::reach(self.program, lv));
        bytes == Bytes::All || place.is_some_and(|(start, end)| bytes.covers(start, i128::from(end)))
    }

    /// The bytes that a call writes of variables whose addresses it gets, or a copy to one: their starts and
    /// the bytes behind them.
    pub(crate) fn by_edge(&self, (p, e): (ProcId, EdgeId)) -> Vec<(VarId, Bytes)> {
        let start = |pointer: &Expr, bytes: Bytes| match root(self.program, pointer)? {
            (Root::Start(v), by) => Some((v, bytes.moved(-by))),
            (Root::Value(_), _) => None,
        };
        match &self.program.procs[p].edges[e].op {
            Op::Call { callee, args, .. } => {
                let args = args.iter().enumerate();
                args.filter_map(|(n, arg)| start(arg, self.at_end(callee, n))).collect()
            }
            Op::MemCopy { dst, .. } => start(dst, self.by_copy((p, e)).0).into_iter().collect(),
            _ => vec![],
        }
    }

    /// The bytes that the copy of the edge writes, from its destination on, and those that it leaves without a
    /// value.
    pub(crate) fn by_copy(&self, (p, e): (ProcId, EdgeId)) -> (Bytes, Leaves) {
        let edge = &self.program.procs[p].edges[e];
        let Op::MemCopy { src, dst, len: bytes } = &edge.op else { return (Bytes::NONE, Leaves::Much) };
        // An unreachable location copies nothing.
        let Some(state) = &self.states[p][edge.src] else { return (Bytes::All, Leaves::Nothing) };
        let known = self.of((p, edge.src), state, src);
        let Some(len) = bytes.as_const() else {
            let leaves = if known == Bytes::All { Leaves::Nothing } else { Leaves::Much };
            return (Bytes::NONE, leaves);
        };
        let record = record(self.program, src, dst, bytes);
        let is_written = |start, end| known.covers(start, end);
        let leaves = match record {
            _ if is_written(0, len) => Leaves::Nothing,
            Some(r) if values(self.program, &Type::Record(r), 0, &is_written) => Leaves::Padding,
            _ => Leaves::Much,
        };
        (known.join(&Bytes::block(0, len)), leaves)
    }

    fn solve(&mut self) {
        self.enter(self.program.entry, State::new());
        for (_, _, targets) in self.oracle.callbacks() {
            targets.iter().for_each(|p| self.enter(*p, State::new()));
        }
        self.changed = true;
        while self.changed {
            self.changed = false;
            for p in self.program.procs.ids() {
                if let Some(entry) = self.entries[p].clone().filter(|_| self.program.procs[p].has_body) {
                    self.procedure(p, entry);
                }
            }
        }
    }

    fn procedure(&mut self, p: ProcId, entry: State) {
        let proc = &self.program.procs[p];
        let successors = proc.successors();
        let mut sunk: IndexVec<LocId, u8> = IndexVec::from_elem(0, proc.locations.len());
        let mut states: IndexVec<LocId, Option<State>> = IndexVec::from_elem(None, proc.locations.len());
        states[proc.entry] = Some(entry);
        let mut work = vec![proc.entry];
        while let Some(at) = work.pop() {
            let state = states[at].clone().expect("locations on the list were reached");
            for e in &successors[at] {
                let edge = &proc.edges[*e];
                let Some(next) = self.edge((p, *e), edge, state.clone()) else { continue };
                if sink(&mut states[edge.dst], next, &mut sunk[edge.dst]) {
                    work.push(edge.dst);
                }
            }
        }
        // Facts only sink, also where patience ended at another time than before.
        for (known, comes) in self.states[p].iter_mut().zip(states.into_vec()) {
            self.changed |= comes.is_some_and(|comes| sink(known, comes, &mut 0));
        }
    }

    fn enter(&mut self, p: ProcId, state: State) {
        self.changed |= sink(&mut self.entries[p], state, &mut self.sunk.entries[p]);
    }

    fn lower(&mut self, cell: CellId, bytes: Bytes) {
        let joined = self.cells[cell].join(&bytes);
        if joined != self.cells[cell] {
            self.sunk.cells[cell] = self.sunk.cells[cell].saturating_add(1);
            self.cells[cell] = if self.sunk.cells[cell] > PATIENCE { Bytes::NONE } else { joined };
            self.changed = true;
        }
    }

    /// Whether only its own procedure reads and writes the pointer variable, by its name.
    fn is_followed(&self, v: VarId) -> bool {
        let var = &self.program.vars[v];
        var.ty.is_ptr() && var.kind != VarKind::Global && !self.taken.contains(&v)
    }

    /// The bytes that the callees write behind their n-th argument.
    fn at_end(&self, callee: &Callee, n: usize) -> Bytes {
        let (targets, unknown) = self.oracle.called(callee);
        if unknown {
            return Bytes::NONE;
        }
        let of = |q: ProcId| {
            let proc = &self.program.procs[q];
            if !proc.has_body {
                return Bytes::NONE;
            }
            // A callee that never returns needs nothing.
            let Some(end) = &self.states[q][proc.exit] else { return Bytes::All };
            let formal = proc.formals.get(n).filter(|v| self.kept.contains(v));
            formal.and_then(|v| end.get(v)).cloned().unwrap_or(Bytes::NONE)
        };
        targets.into_iter().map(of).reduce(|a, b| a.join(&b)).unwrap_or(Bytes::NONE)
    }

    /// The bytes written behind the value of an expression.
    fn of(&self, at: (ProcId, LocId), state: &State, e: &Expr) -> Bytes {
        match e {
            Expr::Const(0, Type::Ptr(_)) | Expr::Func(..) => Bytes::All,
            Expr::Load(lv) if lv.ty.is_ptr() => match lv.as_var().filter(|v| self.is_followed(*v)) {
                Some(v) => state.get(&v).cloned().unwrap_or(Bytes::NONE),
                None => self.cells[self.oracle.cell(lv)].clone(),
            },
            Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() || inner.is_zero() => match inner.ty() {
                Type::Ptr(_) => self.of(at, state, inner),
                _ => Bytes::All,
            },
            Expr::AddrOf(lv) => {
                let start = match &lv.base {
                    Base::Var(v) => self.of_variable(at, *v),
                    Base::Deref(pointer) => self.of(at, state, pointer),
                };
                match places::offset(self.program, lv) {
                    Some(by) => start.moved(by),
                    None => start.somewhere(),
                }
            }
            Expr::Binary(BinOp::PtrAdd, pointer, ..) => {
                let from = self.of(at, state, pointer);
                match distance(self.program, e) {
                    Some(by) => from.moved(by),
                    None => from.somewhere(),
                }
            }
            _ => Bytes::NONE,
        }
    }

    /// The bytes written behind the start of a variable.
    fn of_variable(&self, (p, at): (ProcId, LocId), v: VarId) -> Bytes {
        match self.program.vars[v].kind {
            VarKind::Global | VarKind::Formal(_) => Bytes::All,
            VarKind::Local(_) | VarKind::Temp(_) | VarKind::Return(_) => {
                let parts = self.initialised.parts();
                let written = self.initialised.written(p, at);
                let written = parts.of(v).into_iter().filter(|part| written.contains(part));
                let bytes = written.filter_map(|part| places::bytes(self.program, parts.lvalue(part)));
                bytes.fold(Bytes::NONE, |all, (start, end)| all.and(&Bytes::block(start, end)))
            }
        }
    }
}

/// Whether all bytes of values in a location of this type are written, which starts at `start`.
fn values(program: &Program, ty: &Type, start: i128, is_written: &dyn Fn(i128, i128) -> bool) -> bool {
    let size = program.size_of(ty).map(i128::from);
    match ty {
        Type::Record(r) if !program.records[*r].is_union => program.records[*r].fields.iter().all(|field| {
            field.bit_offset.is_none()
                && values(program, &field.ty, start + i128::from(field.offset), is_written)
        }),
        Type::Array(element, Some(n)) if *n <= MOST_ELEMENTS && !element.is_scalar() => {
            let step = program.size_of(element).map_or(0, i128::from);
            (0..i128::from(*n)).all(|i| values(program, element, start + i * step, is_written))
        }
        _ => size.is_some_and(|size| is_written(start, start + size)),
    }
}

/// Meets the known bytes with the incoming ones; returns whether less is known then.
fn sink(known: &mut Option<State>, comes: State, sunk: &mut u8) -> bool {
    let Some(before) = known else {
        *known = Some(comes);
        return true;
    };
    let mut changed = false;
    before.retain(|v, bytes| {
        let joined = comes.get(v).map_or(Bytes::NONE, |other| bytes.join(other));
        if joined != *bytes {
            changed = true;
            *bytes = if *sunk > PATIENCE { Bytes::NONE } else { joined };
        }
        !bytes.is_none()
    });
    *sunk = sunk.saturating_add(u8::from(changed));
    changed
}
