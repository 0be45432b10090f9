//! Programs without inputs have one execution. Where it ends without failing a check, no check can fail: the last
//! resort when the loop finds no invariants.
//!
//! Invariant: this is said only of programs in which nothing depends on what C leaves open. Numbers of addresses, the
//! order of objects in memory and the bytes of pointers are such things: programs that could observe them are refused,
//! whatever they observe in this execution. Floating-point numbers and allocated memory are refused as well.

use crate::Task;
use interp::{Outcome, Reason, Run};
use ir::visit;
use ir::{Callee, Expr, Op, Program, Type};

/// The only execution of a program, which fails no check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Only {
    /// Its steps.
    pub steps: u64,
}

impl Only {
    /// The execution of the program, if the run of [`executions::random::only`], which drew no input that counts, is the only one.
    pub fn of(task: &Task, run: &Run) -> Option<Only> {
        let ended = match &run.outcome {
            Outcome::Finished(_) => true,
            Outcome::Stuck { reason: Reason::AssumeFalse, .. } => run.exit.is_some(),
            _ => false,
        };
        let is_only = ended && task.left_out.is_none() && is_closed(&task.whole);
        is_only.then_some(Only { steps: run.steps })
    }
}

/// Whether nothing in the program can observe what C leaves open.
fn is_closed(program: &Program) -> bool {
    // All objects are variables: nothing is allocated, and pointers keep their types.
    program.vars.iter().all(|v| is_closed_type(program, &v.ty))
        && program.procs.iter().all(|p| p.edges.iter().all(|e| is_closed_op(&e.op)))
}

fn is_closed_type(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Float(_) => false,
        Type::Array(of, _) => is_closed_type(program, of),
        Type::Record(r) => {
            let record = &program.records[*r];
            !record.is_union && record.fields.iter().all(|f| is_closed_type(program, &f.ty))
        }
        _ => true,
    }
}

fn is_closed_op(op: &Op) -> bool {
    match op {
        Op::Alloc { .. } | Op::Free(_) | Op::MemSet { .. } | Op::MemCopy { .. } => {
            return false;
        }
        Op::Call { callee: Callee::Indirect(_), .. } => return false,
        Op::Skip
        | Op::Assign(..)
        | Op::Havoc(..)
        | Op::Assume(_)
        | Op::Check(..)
        | Op::Inspect { .. }
        | Op::Call { .. }
        | Op::Output { .. } => {}
    }
    let mut closed = true;
    visit::evaluated(op, &mut |e| e.walk(&mut |e| closed &= is_closed_node(e)));
    closed
}

/// Whether an expression, given that its parts are closed.
fn is_closed_node(e: &Expr) -> bool {
    let is_null = Expr::is_zero;
    match e {
        _ if matches!(e.ty(), Type::Float(_)) => false,
        // Pointers keep their types: otherwise their bytes could be read as numbers.
        Expr::Cast(inner, ty) => is_null(inner) || (!ty.is_ptr() && !inner.ty().is_ptr()),
        Expr::Binary(op, l, r, _) if op.is_comparison() && (l.ty().is_ptr() || r.ty().is_ptr()) => {
            is_null(l) || is_null(r)
        }
        _ => true,
    }
}
