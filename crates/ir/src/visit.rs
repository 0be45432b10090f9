//! The expressions that an operation evaluates, reads and writes, one level down: shared by the analyses.

use crate::expr::{Base, BinOp, Expr, Lvalue};
use crate::program::{Op, Program, VarId};
use crate::types::Type;
use std::collections::BTreeSet;

/// Calls `f` on every expression that the operation evaluates, outermost only; the pointers and indices inside of
/// destinations are among them.
pub fn evaluated<'a>(op: &'a Op, f: &mut impl FnMut(&'a Expr)) {
    op.destination().into_iter().flat_map(Lvalue::children).for_each(&mut *f);
    op.operands().into_iter().for_each(f);
}

/// Calls `f` on every node of every expression that the operation evaluates, outer ones before inner ones.
pub fn nodes<'a>(op: &'a Op, f: &mut impl FnMut(&'a Expr)) {
    evaluated(op, &mut |e| e.walk(f));
}

/// Calls `f` on every location that the operation loads from.
pub fn loads<'a>(op: &'a Op, f: &mut impl FnMut(&'a Lvalue)) {
    evaluated(op, &mut |e| e.loads(f));
}

/// The variables that the program never reads, whose address it does not take and which no call returns, so
/// that their values do not matter.
pub fn unread(program: &Program) -> BTreeSet<VarId> {
    let mut out: BTreeSet<VarId> = program.vars.ids().collect();
    program.procs.iter().filter_map(|p| p.ret).for_each(|v| _ = out.remove(&v));
    for (_, _, edge) in program.edges() {
        nodes(&edge.op, &mut |e| {
            if let Expr::Load(lv) | Expr::AddrOf(lv) = e
                && let Base::Var(v) = lv.base
            {
                out.remove(&v);
            }
        });
    }
    out
}

/// Calls `f` on the variables whose address, or that of a part of them, the operation takes.
pub fn addresses(op: &Op, f: &mut impl FnMut(VarId)) {
    nodes(op, &mut |e| {
        if let Expr::AddrOf(lv) = e
            && let Base::Var(v) = lv.base
        {
            f(v);
        }
    });
}

/// An event in the evaluation of an expression.
#[derive(Clone, Debug)]
pub enum Moment<'a> {
    /// The events up to the matching [`Moment::Otherwise`] happen only where this holds.
    Provided(Expr),
    /// The last condition no longer counts.
    Otherwise,
    /// The value of a location is read.
    Read(&'a Lvalue),
    /// The address of a location is computed, and the location not accessed.
    Address(&'a Lvalue),
    /// An operator, or a conversion from floating point to an integer, is applied to operands that were evaluated before.
    Apply(&'a Expr),
}

/// Reports the events of evaluating an expression, in their order.
pub fn evaluation<'a>(e: &'a Expr, tell: &mut dyn FnMut(Moment<'a>)) {
    let provided = |guard: Expr, e: &'a Expr, tell: &mut dyn FnMut(Moment<'a>)| {
        tell(Moment::Provided(guard));
        evaluation(e, tell);
        tell(Moment::Otherwise);
    };
    match e {
        Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => {}
        Expr::Load(lv) => {
            lv.children().for_each(|e| evaluation(e, tell));
            tell(Moment::Read(lv));
        }
        Expr::AddrOf(lv) => {
            lv.children().for_each(|e| evaluation(e, tell));
            tell(Moment::Address(lv));
        }
        Expr::Cast(inner, to) => {
            evaluation(inner, tell);
            // Other conversions have a value for each operand.
            if matches!((inner.ty(), to), (Type::Float(_), Type::Int(_))) {
                tell(Moment::Apply(e));
            }
        }
        Expr::Old(inner) => evaluation(inner, tell),
        Expr::Unary(_, inner, _) => {
            evaluation(inner, tell);
            tell(Moment::Apply(e));
        }
        Expr::Binary(op @ (BinOp::And | BinOp::Or), l, r, _) => {
            evaluation(l, tell);
            let l = (**l).clone();
            provided(if *op == BinOp::And { l.truthy() } else { l.negated() }, r, tell);
        }
        Expr::Binary(_, l, r, _) => {
            evaluation(l, tell);
            evaluation(r, tell);
            tell(Moment::Apply(e));
        }
        Expr::Cond(c, a, b) => {
            evaluation(c, tell);
            provided((**c).clone().truthy(), a, tell);
            provided((**c).clone().negated(), b, tell);
        }
    }
}

/// Calls `f` on every location read by the expression, outside `old`.
pub fn walk_reads<'e>(e: &'e Expr, f: &mut impl FnMut(&'e Lvalue)) {
    match e {
        Expr::Old(_) => return,
        Expr::Load(lv) => f(lv),
        _ => {}
    }
    e.children().for_each(|e| walk_reads(e, f));
}

/// Calls `f` on every location read to find out where an lvalue is.
pub fn walk_address<'e>(lv: &'e Lvalue, f: &mut impl FnMut(&'e Lvalue)) {
    lv.children().for_each(|e| walk_reads(e, f));
}
