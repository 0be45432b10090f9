//! Ends of blocks: the front end ends the life of every local of an inner block whose address is taken there.
//! Of these operations only those stay that matter: where something that lives longer may keep the address.

use crate::checks::lifetime::may_hold_address;
use alias::{AliasOracle, Object, PointsTo};
use base::Span;
use ir::expr::{Base, Lvalue};
use ir::faults::{self, Fault};
use ir::program::{Op, Program, VarId, VarKind};
use std::collections::{BTreeMap, BTreeSet};

/// The variables whose lives end at the end of a block, with the block.
pub(crate) fn mortal(program: &Program) -> BTreeMap<VarId, Span> {
    let edges = program.procs.iter().flat_map(|p| p.edges.iter());
    edges.filter_map(|e| Some((e.op.ends()?, e.span))).collect()
}

/// Removes the ends that cannot be observed.
pub(crate) fn keep_noticed(program: &mut Program, oracle: &AliasOracle, mortal: &BTreeMap<VarId, Span>) {
    let noticed = noticed(program, oracle, mortal);
    for edge in program.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        if edge.op.ends().is_some_and(|v| !noticed.contains(&v)) {
            edge.op = Op::Skip;
        }
    }
}

/// The variables whose address may be kept longer than they live.
fn noticed(program: &Program, oracle: &AliasOracle, mortal: &BTreeMap<VarId, Span>) -> BTreeSet<VarId> {
    let (mut out, mut is_copied) = (BTreeSet::new(), false);
    if faults::is_made(Fault::EndsUnnoticed) {
        return out;
    }
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
            // The contents of copies are not followed.
            Op::MemCopy { .. } => is_copied = true,
            _ => {}
        }
    }
    if is_copied {
        out.extend(in_memory(program, oracle).into_iter().filter(|v| mortal.contains_key(v)));
    }
    out
}

/// The variables whose address is where a copy of a block may find it: elsewhere than in variables that no pointer reaches.
fn in_memory(program: &Program, oracle: &AliasOracle) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    let mut note = |held: PointsTo| {
        let variable = |o: &Object| if let Object::Var(v) = o { Some(*v) } else { None };
        out.extend(held.objects.iter().filter_map(variable));
        if held.unknown {
            out.extend(program.vars.ids());
        }
    };
    for op in program.procs.iter().flat_map(|p| p.edges.iter()).map(|e| &e.op) {
        if let Op::Assign(lv, value) = op
            && may_hold_address(program, &value.ty())
            && lv.as_var().is_none_or(|h| oracle.address_taken(h))
        {
            note(oracle.points_to(value));
        }
    }
    for formal in program.procs.iter().flat_map(|p| p.formals.iter()) {
        if may_hold_address(program, &program.vars[*formal].ty) && oracle.address_taken(*formal) {
            note(oracle.points_to(&program.lvalue(*formal).load()));
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
        let within = within || faults::is_made(Fault::HoldersEnd);
        holder.proc() == owner && holder.span.file == block.file && within
    };
    match &lv.base {
        Base::Var(h) => match program.vars[*h].kind {
            VarKind::Global | VarKind::Return(_) => false,
            // Variables of procedures called in the block end in it.
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
