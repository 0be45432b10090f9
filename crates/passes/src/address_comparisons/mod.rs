//! Comparisons of addresses that C leaves open. Two pointers into different objects are unequal when both point
//! into their objects; but one past the end of an object may equal the start of another one, a pointer whose
//! object is dead may equal anything, and two string literals with equal texts or ends may share bytes (C11
//! 6.5.9, 6.2.4p2, 6.4.5p7).
//! The order of pointers is only defined within one object (6.5.8p5).
//!
//! Where the analysis cannot exclude these cases, the comparison's value is computed in front of it: from the
//! addresses of the model, or, where a run queries the objects and finds such a case, from a
//! [`HavocKind::Choice`]. Abstraction and paths know nothing about the result, so that nothing is derived from
//! where objects lie; comparisons with NULL, within one object, and of pointers that are never moved stay as
//! they are.

pub(crate) mod blocks;
pub(crate) mod moves;
mod origins;
mod reach;

use alias::AliasOracle;
use base::Span;
use ir::convert::difference_type;
use ir::edit::Graph;
use ir::edit::Step;
use ir::expr::{BinOp, Expr, Lvalue, UnOp};
use ir::program::{
    CheckId, CheckKind, Edge, EdgeId, EdgeKind, HavocKind, ObjectQuery, Op, ProcId, Program, VarId,
};
use ir::types::{IntType, Type};
use origins::Doubt;
pub(crate) use origins::Origins;

/// The name of the choice in reports.
const CHOICE: &str = "the addresses of different objects";

/// A comparison whose value is computed in front: without negation.
#[derive(Clone, PartialEq, Debug)]
struct Compared {
    op: BinOp,
    left: Expr,
    right: Expr,
    doubt: Doubt,
}

/// Whether the program compares addresses.
pub(crate) fn has_comparisons(program: &Program) -> bool {
    program.edges().any(|(_, _, edge)| compares(&edge.op))
}

/// The program with every comparison that C leaves open made so. Where the `order` of pointers is checked, the program's own
/// comparisons of it are defined behind their checks.
pub(crate) fn open_comparisons(program: &Program, oracle: &AliasOracle, order: bool) -> Program {
    let origins = Origins::new(program, oracle);
    let mut out = program.clone();
    for p in program.procs.ids().filter(|p| program.procs[*p].has_body) {
        let checked = order && !program.procs[p].is_model();
        procedure(program, (&origins, checked), &mut out, p);
    }
    out
}

/// Whether the operation compares two pointers, neither of which is a constant.
fn compares(op: &Op) -> bool {
    let mut found = false;
    visit_op(op, &mut |e| found |= comparison(e).is_some());
    found
}

fn visit_op(op: &Op, f: &mut impl FnMut(&Expr)) {
    ir::visit::evaluated(op, &mut |e: &Expr| e.walk(f));
}

/// The comparison without negation, and whether it was negated.
fn comparison(e: &Expr) -> Option<(BinOp, &Expr, &Expr, bool)> {
    let Expr::Binary(op, l, r, _) = e else { return None };
    let object = |e: &Expr| matches!(e.ty(), Type::Ptr(to) if !matches!(*to, Type::Func(_)));
    let constant = |e: &Expr| e.uncast().as_const().is_some();
    if !op.is_comparison() || !object(l) || !object(r) || constant(l) || constant(r) {
        return None;
    }
    let (op, negated) = match op {
        BinOp::Ne => (BinOp::Eq, true),
        BinOp::Ge => (BinOp::Lt, true),
        BinOp::Gt => (BinOp::Le, true),
        op => (*op, false),
    };
    Some((op, l, r, negated))
}

/// `checked`: only comparisons for equality are opened, none of order.
fn procedure(program: &Program, (origins, checked): (&Origins<'_>, bool), out: &mut Program, p: ProcId) {
    let proc = &program.procs[p];
    for (loc, edges) in proc.successors().iter_enumerated() {
        let mut found = open_at(program, origins, p, edges);
        found.retain(|compared| !checked || compared.op == BinOp::Eq);
        if found.is_empty() {
            continue;
        }
        let span = proc.edges[edges[0]].span;
        let mut graph = Graph::new(out, p);
        let (mut steps, mut values) = (vec![], vec![]);
        for compared in found {
            let value = settle(&mut graph, &compared, span, &mut steps);
            values.push((compared, value));
        }
        graph.split(loc, &steps, span);
        for e in edges {
            let op = out.procs[p].edges[*e].op.clone();
            out.procs[p].edges[*e].op = replaced(op, &values);
        }
    }
}

/// The open comparisons of the edges that leave a location.
fn open_at(program: &Program, origins: &Origins<'_>, p: ProcId, edges: &[EdgeId]) -> Vec<Compared> {
    let mut found: Vec<Compared> = vec![];
    for e in edges.iter().filter(|e| !compares_streams(program, &program.procs[p].edges[**e])) {
        visit_op(&program.procs[p].edges[*e].op, &mut |expr| {
            let Some((op, left, right, _)) = comparison(expr) else { return };
            let known = found.iter().any(|c| c.op == op && c.left == *left && c.right == *right);
            if !known && let Some(doubt) = origins.doubt(p, *e, op, left, right) {
                found.push(Compared { op, left: left.clone(), right: right.clone(), doubt });
            }
        });
    }
    found
}

/// Whether the comparison is one of the front end's own, with the stream that it watches: that is about which object a pointer
/// was made for, and not about addresses.
fn compares_streams(program: &Program, edge: &Edge) -> bool {
    let is_check = |check: CheckId| program.checks[check].kind == CheckKind::File;
    edge.kind == EdgeKind::Internal || matches!(edge.op, Op::Check(check, _) if is_check(check))
}

/// The operation with the values in place of the comparisons.
fn replaced(op: Op, values: &[(Compared, VarId)]) -> Op {
    let mut value = |e: Expr| {
        let Some((op, left, right, negated)) = comparison(&e) else { return e };
        let known = values.iter().find(|(c, _)| c.op == op && c.left == *left && c.right == *right);
        let Some((_, v)) = known else { return e };
        let is = if negated { BinOp::Eq } else { BinOp::Ne };
        Expr::binary(is, Expr::var(*v, Type::INT), Expr::int(0))
    };
    op.map(&mut value)
}

/// Computes the comparison; the variable has its value.
fn settle(graph: &mut Graph<'_>, compared: &Compared, span: Span, steps: &mut Vec<Step>) -> VarId {
    let fresh = |graph: &mut Graph<'_>, wish: &str, ty: Type| {
        let v = graph.temp(wish, ty.clone(), span);
        Lvalue::var(v, ty)
    };
    let value = fresh(graph, "compared__", Type::INT);
    let choice = fresh(graph, "choice__", Type::INT);
    let left = fresh(graph, "left__", compared.left.ty());
    let right = fresh(graph, "right__", compared.right.ty());
    let long = difference_type(graph.program.model);
    let mut asked = vec![];
    steps.push(Step::Op(Op::Assign(left.clone(), compared.left.clone())));
    steps.push(Step::Op(Op::Assign(right.clone(), compared.right.clone())));
    steps.push(Step::Op(Op::Havoc(choice.clone(), HavocKind::Choice(CHOICE.into()))));
    for side in [&left, &right] {
        for query in [ObjectQuery::Offset, ObjectQuery::Size, ObjectQuery::Live] {
            let answer = fresh(graph, &format!("{}__", query.name()), long.clone());
            let ptr = side.clone().load();
            steps.push(Step::Op(Op::Inspect { dest: answer.clone(), query, ptr }));
            asked.push(answer.load());
        }
    }
    let exact = Expr::binary(compared.op, left.clone().load(), right.clone().load());
    let sides = Sides { left: left.load(), right: right.load(), asked };
    let set = |e: Expr| Op::Assign(value.clone(), e);
    if compared.op == BinOp::Eq {
        steps.push(Step::Op(set(exact)));
        let chosen = ne(choice.load(), Expr::int(0));
        let open =
            Expr::and(chosen, Expr::and(sides.apart(), sides.may_meet(&compared.doubt, graph.program)));
        steps.push(Step::When(open, set(Expr::int(1))));
    } else {
        steps.push(Step::Op(set(ne(choice.load(), Expr::int(0)))));
        steps.push(Step::When(sides.apart().negated(), set(exact)));
    }
    value.as_var().expect("it is a variable")
}

fn eq(l: Expr, r: Expr) -> Expr {
    Expr::binary(BinOp::Eq, l, r)
}

fn ne(l: Expr, r: Expr) -> Expr {
    Expr::binary(BinOp::Ne, l, r)
}

/// The two pointers, and offset, size and life of their objects.
struct Sides {
    left: Expr,
    right: Expr,
    asked: Vec<Expr>,
}

impl Sides {
    /// The start of a pointer's object.
    fn start(pointer: &Expr, offset: &Expr) -> Expr {
        let bytes = Type::Int(IntType { bits: 8, signed: true }).ptr_to();
        let back = Expr::Unary(UnOp::Neg, Box::new(offset.clone()), offset.ty());
        let pointer = pointer.clone().cast(bytes.clone());
        Expr::Binary(BinOp::PtrAdd, Box::new(pointer), Box::new(back), bytes)
    }

    /// Neither is NULL, and they point into different objects.
    fn apart(&self) -> Expr {
        let given = |e: &Expr| ne(e.clone(), Expr::Const(0, e.ty()));
        let starts = ne(Sides::start(&self.left, &self.asked[0]), Sides::start(&self.right, &self.asked[3]));
        Expr::and(Expr::and(given(&self.left), given(&self.right)), starts)
    }

    /// Their addresses may be equal all the same.
    fn may_meet(&self, doubt: &Doubt, program: &Program) -> Expr {
        let [left_at, left_size, left_lives, right_at, right_size, right_lives] = &self.asked[..] else {
            panic!("three questions are asked about each side")
        };
        let zero = || Expr::Const(0, left_at.ty());
        let behind = |at: &Expr, size: &Expr, other: &Expr| {
            Expr::and(eq(at.clone(), size.clone()), eq(other.clone(), zero()))
        };
        let past = Expr::or(behind(left_at, left_size, right_at), behind(right_at, right_size, left_at));
        let dead = Expr::or(eq(left_lives.clone(), zero()), eq(right_lives.clone(), zero()));
        doubt.literals.iter().fold(Expr::or(past, dead), |open, shared| {
            let shift = Expr::Const(shared.shift.into(), left_at.ty());
            let same_place = match shared.shift {
                0 => eq(left_at.clone(), right_at.clone()),
                _ => eq(left_at.clone(), Expr::binary(BinOp::Add, right_at.clone(), shift)),
            };
            let is = |pointer: &Expr, at: &Expr, v: VarId| {
                let whole = program.lvalue(v).addr();
                let start = Sides::start(pointer, at);
                let ty = start.ty();
                eq(start, whole.cast(ty))
            };
            let pair =
                Expr::and(is(&self.left, left_at, shared.left), is(&self.right, right_at, shared.right));
            Expr::or(open, Expr::and(same_place, pair))
        })
    }
}
