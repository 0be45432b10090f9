//! Ends of blocks: the front end ends the life of every local of an inner block whose address is taken there. Here
//! those stay that matter: where something that lives longer may keep the address.

use crate::analysis::{AliasOracle, Object};
use crate::expr::{Base, Lvalue};
use crate::instrument::lifetime::may_hold_address;
use crate::program::{Op, Program, VarId, VarKind};
use base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The variables whose lives end at the end of a block, with the block.
pub(super) fn mortal(program: &Program) -> BTreeMap<VarId, Span> {
    let edges = program.procs.iter().flat_map(|p| p.edges.iter());
    edges.filter_map(|e| Some((e.op.ends()?, e.span))).collect()
}

/// Takes the ends away that nobody can notice.
pub(super) fn keep_noticed(program: &mut Program, oracle: &AliasOracle, mortal: &BTreeMap<VarId, Span>) {
    let noticed = noticed(program, oracle, mortal);
    for edge in program.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        if edge.op.ends().is_some_and(|v| !noticed.contains(&v)) {
            edge.op = Op::Skip;
        }
    }
}

/// The variables whose address may be kept longer than they live.
fn noticed(program: &Program, oracle: &AliasOracle, mortal: &BTreeMap<VarId, Span>) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    for op in program.procs.iter().flat_map(|p| p.edges.iter()).map(|e| &e.op) {
        match op {
            Op::Assign(lv, value) if may_hold_address(program, &value.ty()) => {
                let held = oracle.points_to(value);
                let kept = mortal.iter().filter(|(v, block)| {
                    (held.unknown || held.objects.contains(&Object::Var(**v)))
                        && !dies_before(program, oracle, lv, **v, **block)
                });
                out.extend(kept.map(|(v, _)| *v));
            }
            // What is copied is not looked into.
            Op::MemCopy { .. } => out.extend(mortal.keys()),
            _ => {}
        }
    }
    out
}

/// Whether what is stored at the location is gone when the block is left.
fn dies_before(program: &Program, oracle: &AliasOracle, lv: &Lvalue, v: VarId, block: Span) -> bool {
    let owner = program.vars[v].proc();
    let inside = |h: VarId| {
        let holder = &program.vars[h];
        let (at, from, to) = (holder.span.start, block.start, block.end);
        // In lines with macros all have one column.
        let within = (from.line, from.col) < (at.line, at.col) && (at.line, at.col) < (to.line, to.col);
        holder.proc() == owner && holder.span.file == block.file && within
    };
    match &lv.base {
        Base::Var(h) => match program.vars[*h].kind {
            VarKind::Global | VarKind::Return(_) => false,
            // What is called in the block ends in it.
            VarKind::Formal(_) | VarKind::Local(_) | VarKind::Temp(_) => {
                inside(*h) || program.vars[*h].proc() != owner && !oracle.address_taken(*h)
            }
        },
        Base::Deref(p) => {
            let set = oracle.points_to(p);
            !set.unknown && set.objects.iter().all(|o| matches!(o, Object::Var(h) if inside(*h)))
        }
    }
}
