//! Globals that get all their pointers before anything is read: tables with initialisers.
//!
//! The entry procedure begins with the initialisers, one after another. Up to the first operation that calls, branches or
//! reads a variable that was not written as a whole, nobody sees the zeros that were there before. (What block operations
//! copy has no shape, whatever was there.)

use crate::checks::places;
use ir::expr::{Base, Lvalue};
use ir::program::{Op, Program, VarId};
use ir::types::Type;
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// Most pointers of one variable that are examined.
const MOST: usize = 1 << 12;

/// The variables in which every pointer is assigned then.
pub(crate) fn globals(program: &Program) -> BTreeSet<VarId> {
    let assigned = assigned(program);
    let all = |(v, written): &(&VarId, &BTreeSet<i128>)| {
        let mut found = vec![];
        pointers(program, &program.vars[**v].ty, 0, &mut found).is_some()
            && found.iter().all(|at| written.contains(at))
    };
    assigned.iter().filter(all).map(|(v, _)| *v).collect()
}

/// The positions at which pointers are assigned, as distances from the start of the variable.
fn assigned(program: &Program) -> BTreeMap<VarId, BTreeSet<i128>> {
    let entry = &program.procs[program.entry];
    let successors = entry.successors();
    let mut out: BTreeMap<VarId, BTreeSet<i128>> = BTreeMap::new();
    let mut whole: BTreeSet<VarId> = BTreeSet::new();
    let mut at = entry.entry;
    // No location is passed twice.
    for _ in entry.locations.ids() {
        let [e] = successors[at][..] else { break };
        let op = &entry.edges[e].op;
        let mut reads_zeros = false;
        visit::loads(op, &mut |lv| reads_zeros |= lv.as_var().is_none_or(|v| !whole.contains(&v)));
        if reads_zeros {
            break;
        }
        whole.extend(op.destination().and_then(Lvalue::as_var));
        match op {
            Op::Skip | Op::Assume(_) | Op::MemSet { .. } | Op::MemCopy { .. } => {}
            Op::Havoc(lv, _) if matches!(lv.base, Base::Var(_)) => {}
            Op::Assign(lv, _) => {
                let Base::Var(v) = lv.base else { break };
                if lv.ty.is_ptr()
                    && let Some(by) = places::offset(program, lv)
                {
                    out.entry(v).or_default().insert(by);
                }
            }
            _ => break,
        }
        at = entry.edges[e].dst;
    }
    out
}

/// The distances of all pointers in a location of this type; `None` when they cannot be listed.
fn pointers(program: &Program, ty: &Type, start: i128, out: &mut Vec<i128>) -> Option<()> {
    match ty {
        Type::Ptr(_) => {
            out.push(start);
            (out.len() <= MOST).then_some(())
        }
        Type::Record(r) if program.records[*r].is_union => None,
        Type::Record(r) => program.records[*r]
            .fields
            .iter()
            .try_for_each(|f| pointers(program, &f.ty, start + i128::from(f.offset), out)),
        Type::Array(element, Some(n)) if !is_number(element) => {
            let size = i128::from(program.size_of(element)?);
            (0..i128::from(*n)).try_for_each(|i| pointers(program, element, start + i * size, out))
        }
        Type::Array(element, _) if is_number(element) => Some(()),
        ty if is_number(ty) => Some(()),
        _ => None,
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Float(_))
}
