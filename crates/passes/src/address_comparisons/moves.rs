//! Blocks of memory that are resized may stay where they are or move. Where nothing compares their addresses,
//! only following a pointer to the old block can show which: there they always move, so that the facts about
//! the sizes of blocks stay as simple as without them.

use super::{comparison, visit_op};
use alias::{AliasOracle, PointsTo};
use ir::expr::{BinOp, Expr};
use ir::program::{HavocKind, Op, Output, ProcId, Program};
use ir::types::Type;

/// The pointer to the block that an operation resizes in place.
fn resized(op: &Op) -> Option<&Expr> {
    match op {
        Op::Output { output: Output::Resizes, args } => args.first(),
        _ => None,
    }
}

/// The procedures that may leave a block where it is.
pub(crate) fn resizing(program: &Program) -> Vec<ProcId> {
    let resizes = |p: &ProcId| program.procs[*p].edges.iter().any(|e| resized(&e.op).is_some());
    program.procs.ids().filter(resizes).collect()
}

/// In the procedures that may leave a block where it is, it moves, unless the program compares addresses of
/// such blocks.
pub(crate) fn move_unnoticed(program: &mut Program, oracle: &AliasOracle, resizing: &[ProcId]) {
    let mut blocks = PointsTo::default();
    for block in program.edges().filter_map(|(_, _, edge)| resized(&edge.op)) {
        blocks.add(oracle.points_to(block));
    }
    let may_be = |e: &Expr| {
        let targets = oracle.points_to(e);
        targets.unknown || blocks.unknown || targets.objects.iter().any(|o| blocks.objects.contains(o))
    };
    let mut noticed = false;
    for (_, _, edge) in program.edges() {
        visit_op(&edge.op, &mut |e| {
            noticed |= match e {
                Expr::Cast(inner, Type::Int(_)) if inner.ty().is_ptr() => may_be(inner),
                Expr::Binary(BinOp::PtrDiff, l, r, _) => may_be(l) && may_be(r),
                e => comparison(e).is_some_and(|(_, l, r, _)| may_be(l) && may_be(r)),
            };
        });
    }
    if noticed {
        return;
    }
    for p in resizing {
        for edge in program.procs[*p].edges.iter_mut() {
            if resized(&edge.op).is_some() {
                edge.op = Op::Assume(Expr::int(0));
            } else if let Op::Havoc(choice, HavocKind::Choice(_)) = &edge.op {
                edge.op = Op::Assign(choice.clone(), Expr::Const(0, choice.ty.clone()));
            }
        }
    }
}
