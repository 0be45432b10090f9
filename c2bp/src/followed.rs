//! What it tells that a statement is executed without error: the pointers that it follows are not NULL. Elsewhere that
//! is an assumption of the questions; here it cuts the abstract states from which the statement has no execution.

use crate::question::{About, Image, Inquiry, Questions, Value, Want};
use crate::world::World;
use cmm::{Access, Base, BinOp, Edge, Expr, Lvalue, Op, ProcId};
use pred::Facts;

/// The pointers that every execution of the operation follows, each once.
fn followed(op: &Op) -> Vec<&Expr> {
    let mut out = vec![];
    match op {
        Op::Assign(lv, value) => {
            location(lv, true, &mut out);
            expression(value, &mut out);
        }
        Op::Havoc(lv, _) => location(lv, true, &mut out),
        Op::Assume(c) => expression(c, &mut out),
        // A check is decided, whatever else is wrong; the others are calls or what the interpreter looks into.
        _ => {}
    }
    out
}

/// `access`: the location is read or written; otherwise only its address is computed.
fn location<'a>(lv: &'a Lvalue, access: bool, out: &mut Vec<&'a Expr>) {
    if let Base::Deref(pointer) = &lv.base {
        expression(pointer, out);
        if access && !out.contains(&&**pointer) {
            out.push(pointer);
        }
    }
    for step in &lv.path {
        if let Access::Index(i) = step {
            expression(i, out);
        }
    }
}

/// What is evaluated under a condition is left out.
fn expression<'a>(e: &'a Expr, out: &mut Vec<&'a Expr>) {
    match e {
        Expr::Const(..) | Expr::Float(..) | Expr::Func(..) | Expr::Old(_) => {}
        Expr::Load(lv) => location(lv, true, out),
        Expr::AddrOf(lv) => location(lv, false, out),
        Expr::Unary(_, x, _) | Expr::Cast(x, _) => expression(x, out),
        Expr::Binary(BinOp::And | BinOp::Or, l, _, _) => expression(l, out),
        Expr::Binary(_, l, r, _) => {
            expression(l, out);
            expression(r, out);
        }
        Expr::Cond(c, _, _) => expression(c, out),
    }
}

/// Where the statement has no execution: one value for each pointer of which predicates know something.
pub(crate) fn cut(world: &World<'_>, p: ProcId, edge: &Edge, image: Image) -> (Vec<Value>, Inquiry) {
    let pointers = followed(&edge.op);
    if pointers.is_empty() {
        return (vec![], Inquiry::default());
    }
    let (base, mut values) = (&world.base, vec![]);
    let mut questions = Questions::new(world.literals(p, edge.src), image.one_by_one());
    for (i, pointer) in pointers.into_iter().enumerate() {
        let null = Expr::binary(BinOp::Eq, pointer.clone(), Expr::Const(0, pointer.ty()));
        let mut facts = Facts::new(&format!("g{i}"));
        let term = base.condition(&null, &mut base.vocabulary(""), &mut facts);
        if facts.inexact.is_empty() && term.as_bool().is_none() && questions.knows(&term) {
            let value = questions.ask(term, facts.axioms, Want::Implicants);
            questions.remark(About::Followed, Some(&null), Some(&value));
            values.push(value);
        }
    }
    (values, questions.finish())
}
