//! Alignments of allocated objects, behind their allocation: as an assumption that executions skip
//! ([`EdgeKind::Implied`]), where the program inspects addresses as numbers.

use ir::addresses::looks_at_addresses;
use ir::edit::{Graph, Step};
use ir::expr::{BinOp, Expr, Lvalue};
use ir::faults::{self, Fault};
use ir::program::{EdgeId, EdgeKind, Op, Output, Program};
use ir::types::{DataModel, IntType, Type};

/// The program with assumptions about the addresses of allocated objects.
#[must_use]
pub fn tell_alignments(mut program: Program) -> Program {
    if !looks_at_addresses(&program) {
        return program;
    }
    for p in program.procs.ids().collect::<Vec<_>>() {
        for e in program.procs[p].edges.ids().collect::<Vec<EdgeId>>() {
            let edge = &program.procs[p].edges[e];
            let told = match &edge.op {
                Op::Alloc { dest, .. } if edge.kind == EdgeKind::Statement => {
                    told(dest, least(program.model), program.model)
                }
                Op::Output { output: Output::Aligned, args } => match &args[..] {
                    [Expr::Load(lv), Expr::Const(n, _)] if *n > 0 && n & (n - 1) == 0 => {
                        told(lv, *n, program.model)
                    }
                    [Expr::Load(lv), align @ Expr::Load(_)] => told_by(lv, align, program.model),
                    _ => None,
                },
                _ => None,
            };
            if let Some(condition) = told {
                Graph::new(&mut program, p).after(e, &[Step::Known(condition)]);
            }
        }
    }
    program
}

/// The alignment of every allocation by C libraries: enough for each type of the data model.
fn least(model: DataModel) -> i128 {
    match model {
        DataModel::Lp64 => 16,
        DataModel::Ilp32 => 8,
    }
}

/// The same for an alignment that is not a constant, as in a model that gets it: one of those that programs use.
fn told_by(dest: &Lvalue, align: &Expr, model: DataModel) -> Option<Expr> {
    let cases = (5..=12).filter_map(|power| {
        let n = 1i128 << power;
        let is = Expr::binary(BinOp::Eq, align.clone(), Expr::Const(n, align.ty()));
        Some(is.negated().or(told(dest, n, model)?))
    });
    cases.reduce(Expr::and)
}

/// The condition that the address is a multiple of `align` bytes; `None` where it is stored over a variable
/// that its own place depends on.
fn told(dest: &Lvalue, align: i128, model: DataModel) -> Option<Expr> {
    if dest.as_var().is_none() || align < 2 {
        return None;
    }
    let align = align << u32::from(faults::is_made(Fault::AllocatedTwiceAligned));
    let number = Type::Int(IntType { bits: model.pointer_bits(), signed: false });
    let address = dest.clone().load().cast(number.clone());
    let rest = Expr::binary(BinOp::Rem, address, Expr::Const(align, number.clone()));
    Some(Expr::binary(BinOp::Eq, rest, Expr::Const(0, number)))
}
