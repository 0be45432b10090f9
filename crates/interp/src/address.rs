//! Facts about numeric addresses: the low bits of those of allocated objects, and that all lie inside the part
//! of the address space that systems give to programs. Integers made from pointers are compared and masked as
//! far as that decides it, for instance in tests for error codes kept in pointers.

use super::arith::compare;
use super::memory::{Memory, Pointer, Target};
use super::values::{Val, address_as_number};
use super::{Halt, ObjectKind};
pub(crate) use ir::addresses::{LOWEST, highest};
use ir::expr::BinOp;
use ir::types::IntType;

/// Allocated objects are aligned to this.
pub(super) const HEAP_ALIGN: i128 = 16;

/// Operations at an integer type on pointers kept in integers, which need the address; `None` when the
/// operation is none of those.
pub(super) fn operation(
    memory: &Memory,
    op: BinOp,
    l: Val,
    r: Val,
    ty: IntType,
) -> Option<Result<Val, Halt>> {
    match (op, l, r) {
        (BinOp::BitAnd, Val::Ptr(p), Val::Int(mask)) | (BinOp::BitAnd, Val::Int(mask), Val::Ptr(p)) => {
            Some(low_bits(memory, p, mask))
        }
        (BinOp::Rem, Val::Ptr(p), Val::Int(n)) if !ty.signed && n > 0 && n & (n - 1) == 0 => {
            Some(low_bits(memory, p, n - 1))
        }
        (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, Val::Ptr(p), Val::Int(n)) => {
            Some(order(op, range(memory, p, ty), n))
        }
        (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, Val::Int(n), Val::Ptr(p)) => {
            let swapped = op.swapped().expect("the operator is a comparison");
            Some(order(swapped, range(memory, p, ty), n))
        }
        (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, Val::Ptr(p), Val::Ptr(q)) if p.target != q.target => {
            Some(Err(address_as_number()))
        }
        _ => None,
    }
}

/// `address & mask` where the mask covers only bits that the alignment of the object fixes.
fn low_bits(memory: &Memory, p: Pointer, mask: i128) -> Result<Val, Halt> {
    let align = match p.target {
        Target::Object(id) if matches!(memory.kind(id), Some(ObjectKind::Heap(..))) => memory.align(id),
        _ => None,
    };
    let known = align.is_some_and(|align| (0..align).contains(&mask));
    if known { Ok(Val::Int(i128::from(p.offset) & mask)) } else { Err(address_as_number()) }
}

/// Between which numbers the address lies, as a value of the type.
fn range(memory: &Memory, p: Pointer, ty: IntType) -> (i128, i128) {
    match (memory.is_inside(p), ty.bits, ty.signed) {
        (true, 64, _) => (LOWEST, highest(64)),
        (true, 32, false) => (LOWEST, highest(32)),
        _ => (ty.min(), ty.max()),
    }
}

/// The outcome of the comparison with `n` where all numbers of the range have the same.
fn order(op: BinOp, (low, high): (i128, i128), n: i128) -> Result<Val, Halt> {
    let (first, last) = (compare(op, &low, &n), compare(op, &high, &n));
    if first == last { Ok(Val::Int(i128::from(first))) } else { Err(address_as_number()) }
}
