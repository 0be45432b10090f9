//! Ghosts for what is written of the locals whose address goes elsewhere, by name and through pointers that can
//! only be their start.
//!
//! A member, or the whole of a scalar, has a ghost number that is 1 once it is written. An array, or one that
//! is a member, has a ghost that counts its elements written from the first on: it grows where the program
//! writes the element behind them. A small array of arrays has a flag for each element as well, since it is
//! often filled in another order. So memory that callees and loops fill needs no query to the object.
//!
//! Behind a formal that may point to several such scalars, a ghost of the procedure's own is 1 once the
//! procedure has written there. After the call its value is that of the scalar whose address the argument is.
//!
//! Invariant: the ghosts never claim more than what is written.

mod complete;

use super::definite_assignment::Initialised;
use crate::checks::places;
use crate::checks::pointer_values::Shapes;
use alias::{AliasOracle, Object, stable_formals};
use ir::convert::difference_type;
use ir::edit::{self as graph, Step};
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Callee, HavocKind, Op, ProcId, Program, VarId, VarKind};
use ir::types::{IntType, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The ghost numbers, by variable and path to the scalar or array.
pub(crate) struct Filled {
    marks: BTreeMap<(VarId, Vec<Access>), Mark>,
    /// The ghosts of formals.
    formals: BTreeMap<VarId, Lvalue>,
}

struct Mark {
    /// The ghost.
    number: Lvalue,
    /// The variable.
    variable: VarId,
    /// The procedure whose variable it is.
    owner: ProcId,
    /// How many elements the array has in each dimension; none for a scalar.
    dimensions: Vec<u64>,
    /// The flags of the elements, an array.
    flags: Option<Lvalue>,
    /// The size of the scalar, or of an element, in bytes.
    bytes: u64,
}

/// Most ghosts for one variable.
const MOST: usize = 16;

/// Most elements of an array of arrays that have flags.
const MOST_FLAGS: u64 = 16;

/// Facts about pointers.
#[derive(Clone, Copy)]
pub(crate) struct Pointers<'a> {
    pub(crate) program: &'a Program,
    pub(crate) oracle: &'a AliasOracle,
    pub(crate) shapes: &'a Shapes<'a>,
}

impl Filled {
    /// Adds the ghosts to `out`, if reads of memory that nothing has written are looked for.
    pub(crate) fn new(
        out: &mut Program,
        pointers: Pointers<'_>,
        initialised: &Initialised,
        wanted: bool,
    ) -> Filled {
        let Pointers { program, oracle, .. } = pointers;
        let mut marks = BTreeMap::new();
        if !wanted {
            return Filled { marks, formals: BTreeMap::new() };
        }
        for (v, var) in program.vars.iter_enumerated() {
            let VarKind::Local(owner) = var.kind else { continue };
            let wanted = initialised.is_open(program, v)
                && !oracle.is_recursive(owner)
                && !is_copied(program, oracle, v);
            let mut found = vec![];
            if !wanted || collect(program, program.lvalue(v), &mut found).is_none() {
                continue;
            }
            for (lv, dimensions, bytes) in found {
                let ty = difference_type(program.model);
                let number = ghost(out, program, v, "filled", ty);
                let count: u64 = dimensions.iter().product();
                let has_flags = dimensions.len() > 1 && count <= MOST_FLAGS;
                let array = Type::Array(Arc::new(FLAG), Some(count));
                let flags = has_flags.then(|| ghost(out, program, v, "set", array));
                marks.insert((v, lv.path), Mark { number, variable: v, owner, dimensions, flags, bytes });
            }
        }
        let marked: BTreeSet<VarId> = marks.keys().map(|(v, _)| *v).collect();
        let formals = out_parameters(program, oracle, &marked);
        let formals = formals
            .into_iter()
            .map(|v| (v, ghost(out, program, v, "set", difference_type(program.model))))
            .collect();
        Filled { marks, formals }
    }

    /// Nothing is written when the procedure starts.
    pub(crate) fn at_entry(&self, program: &Program, p: ProcId) -> Vec<Step> {
        let marks = self.marks.values().filter(|mark| mark.owner == p).flat_map(|mark| mark.is(0));
        let formals = program.procs[p].formals.iter().filter_map(|v| self.formals.get(v));
        marks.chain(formals.map(|number| set(number, 0))).collect()
    }

    /// The ghost of the formal behind which the location is.
    fn behind(&self, program: &Program, lv: &Lvalue) -> Option<&Lvalue> {
        let Base::Deref(pointer) = &lv.base else { return None };
        let Expr::Load(formal) = &**pointer else { return None };
        let v = formal.as_var().filter(|_| lv.path.is_empty())?;
        let fits =
            program.vars[v].ty.pointee().is_some_and(|ty| program.size_of(ty) == program.size_of(&lv.ty));
        self.formals.get(&v).filter(|_| fits)
    }

    /// The updates behind a call, for what it has written behind its arguments.
    fn returned(&self, pointers: Pointers<'_>, q: ProcId, args: &[Expr]) -> Vec<Step> {
        let program = pointers.program;
        let mut out = vec![];
        for (formal, arg) in program.procs[q].formals.iter().zip(args) {
            let Some(number) = self.formals.get(formal) else { continue };
            let bytes = program.vars[*formal].ty.pointee().and_then(|ty| program.size_of(ty));
            let known = match arg.uncast() {
                Expr::AddrOf(lv) => {
                    let part = self
                        .part(pointers, lv)
                        .filter(|(mark, index)| index.is_none() && Some(mark.bytes) == bytes);
                    part.map(|(mark, _)| &mark.number)
                }
                pointer if pointer.ty().pointee().is_some() => {
                    let target = Lvalue::deref(pointer.clone());
                    self.behind(program, &target).filter(|_| program.size_of(&target.ty) == bytes)
                }
                _ => None,
            };
            if let Some(known) = known {
                let zero = Expr::Const(0, number.ty.clone());
                let was_set = Expr::binary(BinOp::Ne, number.clone().load(), zero);
                let one = Expr::Const(1, known.ty.clone());
                out.push(Step::When(was_set, Op::Assign(known.clone(), one)));
            }
        }
        out
    }

    /// The updates of the numbers in front of an operation: indices are those that it writes at.
    pub(crate) fn before(&self, pointers: Pointers<'_>, op: &Op) -> Vec<Step> {
        if matches!(op, Op::Havoc(_, HavocKind::Uninit) | Op::Call { .. }) {
            return vec![];
        }
        let written = op.destination().and_then(|lv| self.part(pointers, lv));
        let Some((mark, index)) = written else {
            let behind = op.destination().and_then(|lv| self.behind(pointers.program, lv));
            return behind.map(|number| set(number, 1)).into_iter().collect();
        };
        let Some(index) = index else { return mark.is(1) };
        let is_next = Expr::binary(BinOp::Eq, index.clone(), mark.number.clone().load());
        let one = Expr::Const(1, mark.number.ty.clone());
        let more = Expr::binary(BinOp::Add, mark.number.clone().load(), one);
        let flag = mark.flag(index).map(|flag| set(&flag, 1));
        flag.into_iter().chain([Step::When(is_next, Op::Assign(mark.number.clone(), more))]).collect()
    }

    /// The updates of the numbers by an operation on the whole variable.
    pub(crate) fn after(&self, pointers: Pointers<'_>, op: &Op) -> Vec<Step> {
        let program = pointers.program;
        let (at, len) = match op {
            Op::Call { dest, callee, args } => {
                let mut out = match callee {
                    Callee::Direct(q) => self.returned(pointers, *q, args),
                    _ => vec![],
                };
                if let Some(lv) = dest {
                    let part = self.part(pointers, lv).filter(|(_, index)| index.is_none());
                    let number = part.map(|(mark, _)| &mark.number);
                    out.extend(number.or_else(|| self.behind(program, lv)).map(|number| set(number, 1)));
                }
                return out;
            }
            Op::MemSet { ptr, len, .. } => (ptr, len.as_const()),
            // The source of a copy may itself not be written.
            Op::MemCopy { dst, .. } => (dst, None),
            Op::Free(ptr) if op.ends().is_some() => (ptr, None),
            Op::Havoc(lv, HavocKind::Uninit) => {
                let Base::Var(v) = lv.base else { return vec![] };
                return self.of(v).flat_map(|mark| mark.is(0)).collect();
            }
            _ => return vec![],
        };
        let Some((v, is_start)) = variable(program, at) else { return vec![] };
        let whole = program.size_of(&program.vars[v].ty).map(i128::from);
        match (op, len) {
            (Op::MemSet { .. }, len) if is_start && len.is_some() && whole <= len => {
                self.of(v).flat_map(|mark| mark.is(mark.count())).collect()
            }
            (Op::MemSet { .. }, _) => vec![],
            _ => self.of(v).flat_map(|mark| mark.is(0)).collect(),
        }
    }

    /// The numbers of a variable.
    fn of(&self, v: VarId) -> impl Iterator<Item = &Mark> {
        self.marks.range((v, vec![])..).take_while(move |((w, _), _)| *w == v).map(|(_, mark)| mark)
    }

    /// The condition that the location is written; `None` when nothing is known about it.
    pub(crate) fn includes(&self, pointers: Pointers<'_>, lv: &Lvalue) -> Option<Expr> {
        let Some((mark, index)) = self.part(pointers, lv) else {
            let number = self.behind(pointers.program, lv)?;
            let zero = Expr::Const(0, number.ty.clone());
            return Some(Expr::binary(BinOp::Ne, number.clone().load(), zero));
        };
        let number = || mark.number.clone().load();
        let zero = Expr::Const(0, mark.number.ty.clone());
        let Some(index) = index else { return Some(Expr::binary(BinOp::Ne, number(), zero)) };
        let from_start = || Expr::binary(BinOp::Ge, index.clone(), zero.clone());
        let first = from_start().and(Expr::binary(BinOp::Lt, index.clone(), number()));
        let Some(flag) = mark.flag(index.clone()) else { return Some(first) };
        let end = Expr::Const(i128::from(mark.count()), mark.number.ty.clone());
        let inside = from_start().and(Expr::binary(BinOp::Lt, index.clone(), end));
        let zero = Expr::Const(0, flag.ty.clone());
        Some(first.or(inside.and(Expr::binary(BinOp::Ne, flag.load(), zero))))
    }

    /// The condition that the whole variable, an array or a scalar, is written.
    pub(crate) fn whole(&self, v: VarId) -> Option<Expr> {
        let mark = self.marks.get(&(v, vec![]))?;
        let all = Expr::Const(mark.count().into(), mark.number.ty.clone());
        Some(Expr::binary(BinOp::Ge, mark.number.clone().load(), all))
    }

    /// The ghost of the location, and for an element of an array its index.
    fn part(&self, pointers: Pointers<'_>, lv: &Lvalue) -> Option<(&Mark, Option<Expr>)> {
        let Pointers { program, .. } = pointers;
        let (v, moved) = match &lv.base {
            Base::Var(v) => (*v, None),
            Base::Deref(p) => match &**p {
                Expr::Binary(BinOp::PtrAdd, start, i, _) => (pointers.start_of(start)?, Some(&**i)),
                start => (pointers.start_of(start)?, None),
            },
        };
        let is_index = |access: &&Access| matches!(access, Access::Index(_));
        let last = lv.path.iter().rev().take_while(is_index).count();
        let (path, inner) = lv.path.split_at(lv.path.len() - last);
        if moved.is_some() && !path.is_empty() {
            return None;
        }
        let mark = self.marks.get(&(v, path.to_vec()))?;
        let inner = inner.iter().filter_map(|access| match access {
            Access::Index(i) => Some(i),
            Access::Field(..) => None,
        });
        let indices: Vec<&Expr> = moved.into_iter().chain(inner).collect();
        // The first element of an array by a pointer to it.
        let missing = mark.dimensions.len().checked_sub(indices.len())?;
        let is_start = missing == 0 || matches!(lv.base, Base::Deref(_)) && path.is_empty();
        let fits = program.size_of(&lv.ty) == Some(mark.bytes)
            && is_start
            && indices.iter().all(|i| i.ty().as_int().is_some());
        fits.then(|| (mark, mark.index(missing, &indices)))
    }
}

impl Pointers<'_> {
    /// The variable to whose start the pointer must point: all of its bytes are behind it.
    fn start_of(self, pointer: &Expr) -> Option<VarId> {
        let Pointers { program, oracle, shapes } = self;
        let targets = oracle.points_to(pointer);
        let [Object::Var(v)] = targets.objects[..] else { return None };
        let whole = program.size_of(&program.vars[v].ty)?;
        let is_start = !targets.unknown && shapes.of(program, oracle, pointer).bytes == whole;
        is_start.then_some(v)
    }
}

/// The scalars and the arrays of scalars in a location, with the numbers of elements in each dimension, and the sizes of the
/// scalars; `None` when they are too many, or share bytes.
fn collect(program: &Program, lv: Lvalue, out: &mut Vec<(Lvalue, Vec<u64>, u64)>) -> Option<()> {
    match lv.ty.clone() {
        Type::Record(r) if program.records[r].is_union => return None,
        Type::Record(r) => {
            for member in program.members(&lv, r).collect::<Vec<_>>() {
                if let Some(Access::Field(r, f)) = member.path.last()
                    && program.field(*r, *f).bit_offset.is_some()
                {
                    return None;
                }
                collect(program, member, out)?;
            }
        }
        Type::Array(..) => {
            let (mut ty, mut dimensions) = (&lv.ty, vec![]);
            while let Type::Array(element, Some(elements)) = ty {
                dimensions.push(*elements);
                ty = element;
            }
            // Elements that are records stay with the questions.
            let count = dimensions.iter().try_fold(1, |all: u64, n| all.checked_mul(*n))?;
            if ty.is_scalar() && count > 1 {
                let bytes = program.size_of(ty)?;
                out.push((lv, dimensions, bytes));
            }
        }
        ty if ty.is_scalar() => {
            let bytes = program.size_of(&ty)?;
            out.push((lv, vec![], bytes));
        }
        _ => return None,
    }
    (out.len() <= MOST).then_some(())
}

/// The type of a flag.
const FLAG: Type = Type::Int(IntType { bits: 8, signed: true });

impl Mark {
    /// How many scalars there are.
    fn count(&self) -> u64 {
        self.dimensions.iter().product()
    }

    /// Steps after which this many of the first elements are written.
    fn is(&self, elements: u64) -> Vec<Step> {
        let place = |i: u64| self.flag(Expr::Const(i.into(), self.number.ty.clone()));
        let flags = (0..self.count()).filter_map(place);
        let value = u64::from(elements > 0);
        flags.map(|flag| set(&flag, value)).chain([set(&self.number, elements)]).collect()
    }

    /// The flag of an element.
    fn flag(&self, index: Expr) -> Option<Lvalue> {
        Some(self.flags.clone()?.step(Access::Index(index), FLAG))
    }

    /// The number of an element among all, by its last indices; none for a scalar.
    fn index(&self, missing: usize, indices: &[&Expr]) -> Option<Expr> {
        let ty = &self.number.ty;
        let number = |n: u64| Expr::Const(n.into(), ty.clone());
        let zeros = (0..missing).map(|_| number(0));
        let all = zeros.chain(indices.iter().map(|i| Expr::clone(i).cast(ty.clone())));
        let pairs = all.zip(&self.dimensions);
        pairs.fold(None, |sum: Option<Expr>, (i, length)| match sum {
            None => Some(i),
            Some(sum) if sum.is_zero() => Some(i),
            Some(sum) => {
                let rows = Expr::binary(BinOp::Mul, sum, number(*length));
                Some(Expr::binary(BinOp::Add, rows, i))
            }
        })
    }
}

fn set(number: &Lvalue, value: u64) -> Step {
    Step::Op(Op::Assign(number.clone(), Expr::Const(i128::from(value), number.ty.clone())))
}

/// A new number about a variable.
fn ghost(out: &mut Program, program: &Program, v: VarId, about: &str, ty: Type) -> Lvalue {
    let var = &program.vars[v];
    graph::ghost(out, &format!("{}__{about}", var.name), ty, var.span)
}

/// The formals behind which procedures write a scalar, or pass them on to such, that keep their value and may
/// point to several variables, some of which are marked.
fn out_parameters(program: &Program, oracle: &AliasOracle, marked: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let is_candidate = |v: &VarId| {
        let targets = oracle.points_to(&program.read(*v));
        let among = targets.objects.iter().any(|o| matches!(o, Object::Var(v) if marked.contains(v)));
        let scalar = program.vars[*v].ty.pointee().is_some_and(Type::is_scalar);
        scalar && among && (targets.objects.len() > 1 || targets.unknown)
    };
    let procs = program.procs.iter_enumerated().filter(|(p, proc)| proc.has_body && !oracle.is_recursive(*p));
    let candidates: BTreeSet<VarId> =
        procs.flat_map(|(p, _)| stable_formals(program, oracle, p)).filter(is_candidate).collect();
    let formal = |e: &Expr| match e.uncast() {
        Expr::Load(lv) => lv.as_var().filter(|v| candidates.contains(v)),
        _ => None,
    };
    let mut out: BTreeSet<VarId> = BTreeSet::new();
    loop {
        let known = out.len();
        for (_, _, edge) in program.edges() {
            if let Some(lv) = edge.op.destination()
                && let Base::Deref(pointer) = &lv.base
                && lv.path.is_empty()
            {
                out.extend(formal(pointer));
            }
            if let Op::Call { callee: Callee::Direct(q), args, .. } = &edge.op {
                let handed_on = program.procs[*q].formals.iter().zip(args).filter(|(f, _)| out.contains(f));
                let more: Vec<VarId> = handed_on.filter_map(|(_, arg)| formal(arg)).collect();
                out.extend(more);
            }
        }
        if out.len() == known {
            return out;
        }
    }
}

/// Whether memory is copied into the variable otherwise than by its name.
fn is_copied(program: &Program, oracle: &AliasOracle, v: VarId) -> bool {
    program.edges().any(|(_, _, edge)| {
        let Op::MemCopy { dst, .. } = &edge.op else { return false };
        let targets = oracle.points_to(dst);
        let reaches = targets.objects.contains(&Object::Var(v)) || targets.unknown && oracle.address_taken(v);
        reaches && variable(program, dst).is_none_or(|(named, _)| named != v)
    })
}

/// The variable that the pointer is made from, and whether it is its start.
fn variable(program: &Program, pointer: &Expr) -> Option<(VarId, bool)> {
    let Expr::AddrOf(lv) = pointer.unmoved() else { return None };
    let Base::Var(v) = lv.base else { return None };
    let unmoved = !pointer.has(|e| matches!(e, Expr::Binary(BinOp::PtrAdd, ..)));
    Some((v, unmoved && places::offset(program, lv) == Some(0)))
}
