//! Padding of objects with static storage, which is zero (C11 6.7.9p10). The initialisers of the front end
//! write members; here the whole object is cleared in front of them, where the program may read its bytes.

use alias::{AliasOracle, Object, PointsTo};
use ir::edit::{Graph, Step};
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{Op, Program, VarId};
use ir::types::{IntType, Type};
use ir::visit;
use std::collections::BTreeSet;

/// Larger objects are taken to have padding, if they have members.
const LARGE: u64 = 1 << 12;

/// The objects, of these, whose padding the program may read; they get their values when it starts.
pub fn padded(program: &Program, objects: &[VarId]) -> BTreeSet<VarId> {
    let padded = |v: &VarId| has_padding(program, &program.vars[*v].ty);
    let mut padded: BTreeSet<VarId> = objects.iter().copied().filter(padded).collect();
    if !padded.is_empty() {
        let pointed = pointed(program);
        padded.retain(|v| pointed.contains(v));
    }
    if readers(program).is_empty() { BTreeSet::new() } else { padded }
}

/// Puts zeros in the padding of those of these objects that are read as bytes.
pub fn zero_padding(program: &mut Program, oracle: &AliasOracle, mut padded: BTreeSet<VarId>) {
    let readers = readers(program);
    let read: Vec<PointsTo> = readers.iter().map(|p| oracle.points_to(p)).collect();
    padded.retain(|v| read.iter().any(|set| set.unknown || set.objects.contains(&Object::Var(*v))));
    let size = Type::Int(IntType { bits: program.model.pointer_bits(), signed: false });
    let steps = padded.iter().filter_map(|v| {
        let lv = Lvalue::var(*v, program.vars[*v].ty.clone());
        let len = Expr::Const(program.size_of(&lv.ty)?.into(), size.clone());
        Some(Step::Op(Op::MemSet { ptr: lv.addr(), byte: Expr::int(0), len }))
    });
    let steps: Vec<Step> = steps.collect();
    let (entry, span) = (program.entry, program.procs[program.entry].span);
    Graph::new(program, entry).at_entry(&steps, span);
}

/// The variables whose address, or that of a part, the program computes.
fn pointed(program: &Program) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    for (_, _, edge) in program.edges() {
        visit::addresses(&edge.op, &mut |v| _ = out.insert(v));
    }
    out
}

/// The pointers that integers are read through as what they point to, and those that blocks are copied from.
fn readers(program: &Program) -> Vec<Expr> {
    let mut out: Vec<Expr> = vec![];
    for (_, _, edge) in program.edges() {
        visit::loads(&edge.op, &mut |lv| {
            if let (Base::Deref(p), Type::Int(_), true) = (&lv.base, &lv.ty, lv.path.is_empty()) {
                out.push((**p).clone());
            }
        });
        if let Op::MemCopy { src, .. } = &edge.op {
            out.push(src.clone());
        }
    }
    out
}

/// Whether objects of the type have bits that no member has; of a union the first one counts, which initialisers write.
fn has_padding(program: &Program, ty: &Type) -> bool {
    let Some(size) = program.size_of(ty) else { return false };
    if size > LARGE {
        return is_record(ty);
    }
    let mut covered = vec![false; size as usize * 8];
    cover(program, ty, 0, &mut covered);
    covered.contains(&false)
}

fn is_record(ty: &Type) -> bool {
    match ty {
        Type::Record(_) => true,
        Type::Array(elem, _) => is_record(elem),
        _ => false,
    }
}

/// Marks the bits of the members of an object that starts at the bit.
fn cover(program: &Program, ty: &Type, at: usize, covered: &mut [bool]) {
    let bits = |ty: &Type| program.size_of(ty).unwrap_or(0) as usize * 8;
    match ty {
        Type::Array(elem, Some(n)) => {
            let step = bits(elem);
            (0..*n as usize).for_each(|i| cover(program, elem, at + i * step, covered));
        }
        Type::Record(r) => {
            let record = &program.records[*r];
            let count = if record.is_union { 1 } else { record.fields.len() };
            for field in &record.fields[..count.min(record.fields.len())] {
                let start = at + field.offset as usize * 8;
                match (field.bit_offset, &field.ty) {
                    (Some(first), Type::Int(int)) => {
                        let from = start + usize::from(first);
                        covered[from..from + usize::from(int.bits)].fill(true);
                    }
                    (_, ty) => cover(program, ty, start, covered),
                }
            }
        }
        ty => covered[at..at + bits(ty)].fill(true),
    }
}
