//! Deliberate mistakes of the oracle: a test seeds one and checks whether programs made to expose it do.
//!
//! A mistake is a layer over the oracle's answers: the analyses behind them do not know about it. Only tests
//! seed one, and no option of a tool does; until then it costs one load per answer.

use super::cells::CellSet;
use super::mod_ref::ModRef;
use super::oracle::{AliasOracle, Object};
use super::shape::{count, uncast};
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Callee, Op, ProcId, Program};
use ir::types::Type;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Lvalues that end in different members are apart, whatever their bytes.
    MembersApart,
    /// Offsets of pointers go round in the pointed-to object's first part.
    OffsetsGoRound,
    /// Copied and set blocks write nothing.
    BlocksWriteNothing,
    /// Going back from a pointer leads nowhere.
    BackwardsNowhere,
    /// Members of a union do not overlap.
    UnionsApart,
    /// A row of a matrix is never left.
    RowsApart,
    /// Pointers to blocks of one place never meet.
    BlocksApart,
    /// Functions whose address is taken write nothing that is shared.
    PointedWriteNothing,
    /// Elements of one array are one location.
    ElementsOne,
    /// A write through `char *` touches first members only.
    BytesOfFirst,
}

/// All of them.
pub const FAULTS: [Fault; 10] = [
    Fault::MembersApart,
    Fault::OffsetsGoRound,
    Fault::BlocksWriteNothing,
    Fault::BackwardsNowhere,
    Fault::UnionsApart,
    Fault::RowsApart,
    Fault::BlocksApart,
    Fault::PointedWriteNothing,
    Fault::ElementsOne,
    Fault::BytesOfFirst,
];

/// The number of the seeded mistake, from 1; 0: none.
static SEEDED: AtomicUsize = AtomicUsize::new(0);

/// Makes all oracles of this process have this mistake, and no other.
pub fn seed(fault: Option<Fault>) {
    let number = fault.and_then(|fault| FAULTS.iter().position(|f| *f == fault)).map_or(0, |k| k + 1);
    SEEDED.store(number, Ordering::SeqCst);
}

fn seeded() -> Option<Fault> {
    match SEEDED.load(Ordering::Relaxed) {
        0 => None,
        number => FAULTS.get(number - 1).copied(),
    }
}

/// Whether the mistake claims that the two are never one location, where the oracle itself decides whether they
/// can be.
pub(super) fn apart(oracle: &AliasOracle, a: &Lvalue, b: &Lvalue) -> bool {
    let Some(fault) = seeded() else { return false };
    match fault {
        Fault::MembersApart => {
            last_member(a).zip(last_member(b)).is_some_and(|(f, g)| f != g)
                || a.base != b.base && last_member(a) != last_member(b)
        }
        Fault::UnionsApart => a.path.iter().any(|f| {
            b.path.iter().any(|g| match (f, g) {
                (Access::Field(r, i), Access::Field(s, j)) => r == s && i != j && oracle.is_union(*r),
                _ => false,
            })
        }),
        Fault::RowsApart => row(a) != row(b) && (row(a).is_some() || row(b).is_some()),
        Fault::BlocksApart => match (&a.base, &b.base) {
            (Base::Deref(p), Base::Deref(q)) => p != q && (to_block(oracle, p) || to_block(oracle, q)),
            _ => false,
        },
        Fault::BytesOfFirst => by_bytes(a) && behind_first(b) || by_bytes(b) && behind_first(a),
        _ => false,
    }
}

/// Whether the mistake claims that the two are always one location.
pub(super) fn together(a: &Lvalue, b: &Lvalue) -> bool {
    seeded() == Some(Fault::ElementsOne) && {
        let at = |lv: &Lvalue| {
            let base = match &lv.base {
                Base::Deref(p) => Base::Deref(Box::new(unmoved(p).clone())),
                variable @ Base::Var(_) => variable.clone(),
            };
            let path: Vec<Access> =
                lv.path.iter().filter(|a| matches!(a, Access::Field(..))).cloned().collect();
            (base, path, lv.path.len())
        };
        at(a) == at(b)
    }
}

/// The number of elements of this size that a pointer is moved by, after the mistake.
pub(super) fn moved(size: Option<u64>, by: Option<i64>) -> Option<i64> {
    let (Some(Fault::OffsetsGoRound), Some(n), Some(size @ 1..)) = (seeded(), by, size) else { return by };
    // The first part is taken to have four bytes, or one element.
    let elements = (4 / i64::try_from(size).unwrap_or(4)).max(1);
    Some(n.rem_euclid(elements))
}

/// Whether the mistake claims that a pointer that is moved so leads to nothing.
pub(super) fn nowhere(by: Option<i64>) -> bool {
    seeded() == Some(Fault::BackwardsNowhere) && by.is_some_and(|n| n < 0)
}

/// Whether the mistake claims that members of a union have places of their own.
pub(super) fn unions_apart() -> bool {
    seeded() == Some(Fault::UnionsApart)
}

/// Takes out of the sets what the mistake leaves out.
pub(super) fn spoil(program: &Program, mod_ref: &mut ModRef) {
    let Some(fault) = seeded() else { return };
    let pointed: BTreeSet<ProcId> = if fault == Fault::PointedWriteNothing {
        program.procs.ids().filter(|p| is_pointed_to(program, *p)).collect()
    } else {
        BTreeSet::new()
    };
    let lost = |op: &Op| match op {
        Op::MemSet { .. } | Op::MemCopy { .. } => fault == Fault::BlocksWriteNothing,
        Op::Call { callee: Callee::Direct(p), .. } => pointed.contains(p),
        _ => false,
    };
    for (p, proc) in program.procs.iter_enumerated() {
        for (e, _) in proc.edges.iter_enumerated().filter(|(_, edge)| lost(&edge.op)) {
            mod_ref.edge_mods[p][e] = CellSet::new();
        }
    }
    for p in pointed {
        mod_ref.mods[p] = CellSet::new();
    }
}

fn is_pointed_to(program: &Program, p: ProcId) -> bool {
    let mut found = false;
    for edge in program.procs.iter().flat_map(|proc| proc.edges.iter()) {
        ir::visit::nodes(&edge.op, &mut |node| found |= matches!(node, Expr::Func(q, _) if *q == p));
    }
    found
}

fn last_member(lv: &Lvalue) -> Option<u32> {
    lv.path.iter().rev().find_map(|a| if let Access::Field(_, number) = a { Some(*number) } else { None })
}

/// The number of the row, when it is known and not the first one.
fn row(lv: &Lvalue) -> Option<i128> {
    lv.path.windows(2).find_map(|pair| match pair {
        [Access::Index(i), Access::Index(_)] => i.constant().filter(|i| *i != 0),
        _ => None,
    })
}

fn to_block(oracle: &AliasOracle, pointer: &Expr) -> bool {
    oracle.points_to(pointer).objects.iter().any(|o| matches!(o, Object::Heap(..)))
}

fn by_bytes(lv: &Lvalue) -> bool {
    matches!(&lv.base, Base::Deref(_)) && lv.path.is_empty() && matches!(&lv.ty, Type::Int(i) if i.bits == 8)
}

fn behind_first(lv: &Lvalue) -> bool {
    lv.path.iter().any(|a| matches!(a, Access::Field(_, number) if 0 < *number))
}

/// The pointer without what is added to it.
fn unmoved(mut pointer: &Expr) -> &Expr {
    loop {
        match uncast(pointer) {
            Expr::Binary(BinOp::PtrAdd, p, i, _) if count(i).is_some() => pointer = p,
            other => return other,
        }
    }
}
