//! Addresses that are computed in integers, as pointer arithmetic: `(int *)((unsigned long)p + 8)`, in one expression or
//! over temporaries, as flattened C has it, is `&p->member` or `(int *)((char *)p + 8)`.
//!
//! The pointer analysis follows these exactly, while arithmetic on integers only keeps the object. The values
//! of the integers are known along stretches of a procedure that are entered at one location. Executions are
//! unchanged: arithmetic on integers wraps around where pointer arithmetic is undefined, so pointers that may
//! hold numbers stay, and NULL is distinguished where something is subtracted.

mod numbers;
mod sums;

use crate::Unit;
use crate::constants::dataflow::address_taken;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Edge, EdgeId, EdgeKind, LocId, Location, Op, ProcId, Program, VarId};
use ir::types::{IntType, Type};
use numbers::Numbers;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use sums::{Facts, Known, Sum, behind};

/// How often it is tried again, now that pointers are known that were read at such addresses.
const ROUNDS: usize = 4;

/// Rewrites the program; returns whether anything has changed.
pub fn as_pointers(unit: &mut Unit) -> bool {
    let mut stay = BTreeSet::new();
    let rounds = (0..ROUNDS).take_while(|_| round(unit, &mut stay));
    0 < rounds.count()
}

/// One round; edges in `stay` are left alone, and get those that are for NULL alone.
fn round(unit: &mut Unit, stay: &mut BTreeSet<(ProcId, EdgeId)>) -> bool {
    let program = &unit.program().clone();
    if !program.edges().any(|(_, _, edge)| converts(edge)) {
        return false;
    }
    let aimed = address_taken(program);
    let vars = program.vars.iter_enumerated();
    let followed = vars
        .filter(|(v, var)| var.proc().is_some() && var.ty.is_scalar() && !aimed.contains(v))
        .map(|(v, _)| v)
        .collect();
    let mut sources = BTreeSet::new();
    walk(program, &followed, &mut |p, e, known| {
        if known.makes_pointer_of_number(&program.procs[p].edges[e].op) {
            sources.insert((p, e));
        }
    });
    let numbers = LazyCell::new(|| Numbers::new(program, unit.sound_oracle(), sources));
    let mut changes = vec![];
    walk(program, &followed, &mut |p, e, known| {
        let is_number = |e: &Expr| numbers.may_be_number(e);
        let mut rewriter = Rewriter { known, may_be_number: &is_number, not_null: BTreeSet::new() };
        if !stay.contains(&(p, e))
            && let Some(op) = rewriter.op(&program.procs[p].edges[e].op)
        {
            changes.push((p, e, op, rewriter.not_null));
        }
    });
    let changed = !changes.is_empty();
    unit.edit(|program| {
        for (p, e, op, not_null) in changes {
            stay.extend(change(program, (p, e), op, not_null).map(|e| (p, e)));
        }
        changed
    });
    changed
}

/// Visits the edges of all procedures with what is known in front of each.
fn walk(program: &Program, followed: &BTreeSet<VarId>, visit: &mut impl FnMut(ProcId, EdgeId, &Known<'_>)) {
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let (successors, predecessors) = (proc.successors(), proc.predecessors());
        let enters = |at: LocId| at == proc.entry || predecessors[at].len() != 1;
        // Each stretch is a tree of locations that one edge leads to; where it begins, nothing is known.
        let mut todo: Vec<(LocId, Facts)> =
            proc.locations.ids().filter(|at| enters(*at)).map(|at| (at, Facts::new())).collect();
        while let Some((at, mut facts)) = todo.pop() {
            for (n, e) in successors[at].iter().enumerate() {
                let edge = &proc.edges[*e];
                let known = Known { program, followed, facts: &facts };
                visit(p, *e, &known);
                if !enters(edge.dst) {
                    let new = known.assigned(edge);
                    let is_last = n + 1 == successors[at].len();
                    let before = if is_last { std::mem::take(&mut facts) } else { facts.clone() };
                    todo.push((edge.dst, behind(edge, before, new)));
                }
            }
        }
    }
}

/// Whether a pointer becomes an integer there, or an integer a pointer.
fn converts(edge: &Edge) -> bool {
    let mut found = false;
    ir::visit::nodes(&edge.op, &mut |e| {
        found |= matches!(e, Expr::Cast(inner, ty) if inner.ty().is_ptr() != ty.is_ptr());
    });
    found
}

/// Gives the edge its new operation, where these pointers are not NULL; the other edge that is added else has the old one.
fn change(
    program: &mut Program,
    (p, e): (ProcId, EdgeId),
    op: Op,
    not_null: BTreeSet<Expr>,
) -> Option<EdgeId> {
    let proc = &mut program.procs[p];
    let Edge { dst, span, kind, .. } = proc.edges[e];
    let all = not_null.iter().map(|p| Expr::binary(BinOp::Ne, p.clone(), Expr::Const(0, p.ty())));
    let Some(all) = all.reduce(Expr::and) else {
        proc.edges[e].op = op;
        return None;
    };
    let mut location = || proc.locations.push(Location { span, labels: vec![], loop_head: false });
    let [fork, one, other] = [location(), location(), location()];
    let old = std::mem::replace(&mut proc.edges[e].op, Op::Skip);
    (proc.edges[e].dst, proc.edges[e].kind) = (fork, EdgeKind::Internal);
    for (to, condition) in [(one, all.clone()), (other, all.negated())] {
        let op = Op::Assume(condition);
        proc.edges.push(Edge { src: fork, dst: to, op, span, kind: EdgeKind::Internal });
    }
    proc.edges.push(Edge { src: one, dst, op, span, kind });
    Some(proc.edges.push(Edge { src: other, dst, op: old, span, kind }))
}

impl Known<'_> {
    /// Whether an integer becomes a pointer there that is not computed from one.
    fn makes_pointer_of_number(&self, op: &Op) -> bool {
        let mut found = false;
        ir::visit::nodes(op, &mut |e| {
            found |= match e {
                Expr::Const(n, Type::Ptr(_)) => *n != 0,
                Expr::Cast(inner, Type::Ptr(_)) if inner.ty().as_int().is_some() => {
                    !inner.is_zero() && self.sum(inner).is_none_or(|sum| sum.pointer.is_none())
                }
                _ => false,
            };
        });
        found
    }
}

struct Rewriter<'a> {
    known: &'a Known<'a>,
    may_be_number: &'a dyn Fn(&Expr) -> bool,
    /// Pointers that must not be NULL for the result to mean the same.
    not_null: BTreeSet<Expr>,
}

impl Rewriter<'_> {
    /// The operation, if it changes.
    fn op(&mut self, old: &Op) -> Option<Op> {
        let mut op = old.clone();
        for e in op.operands_mut() {
            *e = e.clone().map(&mut |e| self.node(e));
        }
        if let Some(dest) = op.destination_mut() {
            *dest = plain(dest.clone().map(&mut |e| self.node(e)));
        }
        // Only assignments are distinguished.
        (op != *old && (self.not_null.is_empty() || matches!(op, Op::Assign(..)))).then_some(op)
    }

    /// The node, whose operands are done.
    fn node(&mut self, e: Expr) -> Expr {
        match &e {
            Expr::Cast(inner, ty @ Type::Ptr(to)) if self.known.holds_addresses(&inner.ty()) => {
                let pointer = self.known.sum(inner).and_then(|sum| self.pointer(&sum, to));
                pointer.map_or(e.clone(), |p| p.cast(ty.clone()))
            }
            Expr::Binary(op @ (BinOp::Eq | BinOp::Ne), l, r, ty) if self.known.holds_addresses(&l.ty()) => {
                let Some((l, r)) = self.known.sum(l).zip(self.known.sum(r)) else { return e };
                let pointer = match (l.as_pointer(), r.as_number(), r.as_pointer(), l.as_number()) {
                    (Some(p), Some(0), ..) | (.., Some(p), Some(0)) => p.clone(),
                    _ => return e,
                };
                let null = Expr::Const(0, pointer.ty());
                Expr::Binary(*op, Box::new(pointer), Box::new(null), ty.clone())
            }
            Expr::Load(lv) => plain((**lv).clone()).load(),
            Expr::AddrOf(lv) => plain((**lv).clone()).addr(),
            _ => e,
        }
    }

    /// The pointer with this value, to something of type `to` if there is such a member.
    fn pointer(&mut self, sum: &Sum, to: &Type) -> Option<Expr> {
        let pointer = sum.pointer.clone()?;
        if let Some(pointer) = sum.as_pointer() {
            return Some(pointer.clone());
        }
        // Offsets from NULL are numbers.
        let is_constant = pointer.uncast().as_const().is_some();
        if is_constant || (self.may_be_number)(&pointer) {
            return None;
        }
        let long = Type::Int(IntType { bits: self.known.program.model.pointer_bits(), signed: true });
        let mut at = pointer.clone();
        if let Some((index, scale)) = &sum.scaled {
            let elements = at.ty().pointee().is_some_and(|elem| self.size(elem) == Some(*scale));
            at = if elements {
                Expr::binary(BinOp::PtrAdd, at, index.clone())
            } else {
                let scale = Expr::Const(*scale, long.clone());
                let distance = Expr::binary(BinOp::Mul, index.clone().cast(long.clone()), scale);
                Expr::binary(BinOp::PtrAdd, bytes(at), distance)
            };
        }
        if sum.may_go_back() {
            self.not_null.extend(root(&pointer).cloned());
        }
        if sum.number == 0 {
            return Some(at);
        }
        let member = self.member(&at, sum.number, to).map(Lvalue::addr);
        Some(member.unwrap_or_else(|| Expr::binary(BinOp::PtrAdd, bytes(at), Expr::Const(sum.number, long))))
    }

    fn size(&self, ty: &Type) -> Option<i128> {
        self.known.program.size_of(ty).map(i128::from)
    }

    /// The member of this type that many bytes behind the start of the structure at the pointer.
    fn member(&self, pointer: &Expr, mut offset: i128, to: &Type) -> Option<Lvalue> {
        let at = match pointer {
            Expr::AddrOf(lv) => (**lv).clone(),
            _ => Lvalue::deref(pointer.clone()),
        };
        let mut at = Some(at).filter(|at| matches!(at.ty, Type::Record(_)))?;
        while offset != 0 || at.ty != *to {
            let Type::Record(r) = at.ty else { return None };
            let record = &self.known.program.records[r];
            let holds =
                |from: i128, ty| self.size(ty).is_some_and(|size| (from..from + size).contains(&offset));
            let n =
                record.fields.iter().position(|f| f.bit_offset.is_none() && holds(f.offset.into(), &f.ty))?;
            let field = Some(&record.fields[n]).filter(|_| !record.is_union)?;
            offset -= i128::from(field.offset);
            at = at.step(Access::Field(r, n as u32), field.ty.clone());
        }
        Some(at)
    }
}

/// The pointer that an address is computed from; `None` where that is a variable's.
fn root(pointer: &Expr) -> Option<&Expr> {
    match pointer.unmoved() {
        Expr::AddrOf(lv) => match &lv.base {
            Base::Var(_) => None,
            Base::Deref(inner) => root(inner),
        },
        pointer => Some(pointer),
    }
}

/// The location with `*&x` replaced by `x`.
fn plain(lv: Lvalue) -> Lvalue {
    alias::shape::normal(&lv).into_owned()
}

/// The pointer as one to bytes.
fn bytes(pointer: Expr) -> Expr {
    pointer.cast(Type::Int(IntType { bits: 8, signed: true }).ptr_to())
}
