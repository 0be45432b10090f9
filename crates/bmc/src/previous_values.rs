//! Pointers in a state that stands for those after any number of iterations or calls: they lead to objects that are
//! older than those that the program makes from there on.
//!
//! A new object lies where no pointer points (docs/guide/trust.md). Along a path this follows from the allocation of
//! addresses; in an arbitrary state it has to be assumed. It is assumed only for pointers that lead to known objects,
//! and in programs that do not convert numbers to pointers: a number may be the address of a later object.

use super::{Flow, Unroller};
use alias::{AliasOracle, CellKind};
use encoding::IntMode;
use ir::{Expr, LocId, Lvalue, ProcId, Program, Type};
use smt::{Sort, Term};

/// The room for objects of earlier turns, in bytes.
const ROOM: i128 = 1 << 48;
const ROOM_BITS: i128 = 1 << 40;

impl<'a> Unroller<'a, '_> {
    /// The pointers that candidates at the place mention are older than what is allocated next.
    pub(super) fn older(&mut self, at: (ProcId, LocId), flow: &mut Flow<'a>) {
        let enc = self.walk.enc;
        let room = match enc.mode {
            IntMode::Math => ROOM,
            IntMode::Bits if enc.program.model.pointer_bits() < 64 => return,
            IntMode::Bits => ROOM_BITS,
        };
        let pointers = self.induction().pointers(at);
        if pointers.is_empty() {
            return;
        }
        self.next_address += room;
        let limit = enc.literal(self.next_address - 1, &Type::Void.ptr_to());
        let facts = &mut self.walk.out.facts;
        let are_older = Term::and(pointers.iter().map(|pointer| {
            let value = facts.total(|facts| enc.value(pointer, &mut flow.state, facts));
            // What lies before NULL is a large number without its sign.
            match enc.mode {
                IntMode::Math => value.int_le(&limit),
                IntMode::Bits => value.bv_sle(&limit),
            }
        }));
        flow.state.reads.clear();
        let name = facts.fresh(Sort::Bool);
        flow.guard.add(&name);
        facts.axioms.push(name.equal(&are_older));
    }
}

/// The pointers that a condition reads of which all targets are known.
pub(super) fn known_pointers(oracle: &AliasOracle, condition: &Expr, out: &mut Vec<Expr>) {
    condition.loads(&mut |lv: &Lvalue| {
        let pointer = lv.clone().load();
        if lv.ty.is_ptr()
            && !out.contains(&pointer)
            && !matches!(oracle.cell_kind(oracle.cell(lv)), CellKind::Opaque)
            && !oracle.points_to(&pointer).unknown
        {
            out.push(pointer);
        }
    });
}

/// Whether some number that is not a constant becomes a pointer.
pub(super) fn makes_pointers_of_numbers(program: &Program) -> bool {
    let is_made = |e: &Expr| matches!(e, Expr::Cast(inner, Type::Ptr(_)) if !inner.ty().is_ptr() && inner.as_const().is_none());
    program.edges().any(|(_, _, edge)| {
        let mut found = false;
        ir::visit::nodes(&edge.op, &mut |e| found |= is_made(e));
        found
    })
}
