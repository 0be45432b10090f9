//! Executing a statement without error implies that the pointers which it dereferences are not NULL. Elsewhere that
//! is an assumption of the questions; here it cuts the abstract states from which the statement has no execution.

use crate::context::World;
use crate::question::{About, Image, Inquiry, Questions, Value, Want};
use encoding::SideConditions;
use ir::visit::{self, Moment};
use ir::{Base, BinOp, Edge, Expr, Lvalue, Op, ProcId};

/// The pointers that every execution of the operation dereferences, each once; what is evaluated under a condition is left
/// out.
fn dereferenced(op: &Op) -> Vec<&Expr> {
    // A check is decided, whatever else is wrong; the others are calls or what the interpreter looks into.
    if !matches!(op, Op::Assign(..) | Op::Havoc(..) | Op::Assume(_)) {
        return vec![];
    }
    let mut accessed: Vec<&Lvalue> = vec![];
    let mut conditions = 0_usize;
    visit::evaluated(op, &mut |e| {
        visit::evaluation(e, &mut |moment| match moment {
            Moment::Provided(_) => conditions += 1,
            Moment::Otherwise => conditions -= 1,
            Moment::Read(lv) if conditions == 0 => accessed.push(lv),
            Moment::Read(_) | Moment::Address(_) | Moment::Apply(_) => {}
        });
    });
    accessed.extend(op.destination());
    let mut out = vec![];
    for lv in accessed {
        if let Base::Deref(pointer) = &lv.base
            && !out.contains(&&**pointer)
        {
            out.push(&**pointer);
        }
    }
    out
}

/// Where the statement has no execution: one value for each pointer of which predicates know something.
pub(crate) fn cut(world: &World<'_>, p: ProcId, edge: &Edge, image: Image) -> (Vec<Value>, Inquiry) {
    let pointers = dereferenced(&edge.op);
    if pointers.is_empty() {
        return (vec![], Inquiry::default());
    }
    let (base, mut values) = (&world.base, vec![]);
    let mut questions = Questions::new(world.literals(p, edge.src), image.one_by_one());
    for (i, pointer) in pointers.into_iter().enumerate() {
        let null = Expr::binary(BinOp::Eq, pointer.clone(), Expr::Const(0, pointer.ty()));
        let mut facts = SideConditions::new(&format!("g{i}"));
        let term = base.condition(&null, &mut base.vocabulary(""), &mut facts);
        if facts.inexact.is_empty() && term.as_bool().is_none() && questions.knows(&term) {
            let value = questions.ask(term, facts.axioms, Want::Implicants);
            questions.remark(About::Followed, Some(&null), Some(&value));
            values.push(value);
        }
    }
    (values, questions.finish())
}
