//! Checks of the objects that pointers lead into: writes to constant objects, copies between objects that
//! overlap, the order of pointers.
//!
//! Where the flow of pointers decides, no check is needed. Otherwise [`UnOp::Start`] gives the object, and
//! [`UnOp::Before`] the position in it.

use super::demand::Demands;
use alias::{AliasOracle, Object, PointsTo};
use ir::convert::difference_type;
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::extent::{Moved, Root, moved, simplified};
use ir::program::{CheckKind, ObjectQuery, Op, Program, VarId};
use ir::types::{IntType, Type};

/// Most objects that one condition names.
const MAX_NAMED: usize = 8;

/// The variables with constant bytes, and these bytes.
pub(crate) struct Constants(Vec<(VarId, Vec<(u64, u64)>)>);

impl Constants {
    pub(crate) fn new(program: &Program) -> Constants {
        let ranges = |v: VarId| match (&program.vars[v].data, &program.vars[v].constant) {
            (Some(data), _) => Some(vec![(0, data.len() as u64)]),
            (None, Some(ranges)) => Some(ranges.to_vec()),
            (None, None) => None,
        };
        Constants(program.vars.ids().filter_map(|v| Some((v, ranges(v)?))).collect())
    }

    /// The objects of these that the pointer may point into.
    fn among(&self, oracle: &AliasOracle, targets: &PointsTo) -> Vec<&(VarId, Vec<(u64, u64)>)> {
        let is_target = |v: VarId| targets.objects.binary_search(&Object::Var(v)).is_ok();
        let found = |v: VarId| is_target(v) || targets.unknown && oracle.may_be_found(v);
        self.0.iter().filter(|(v, _)| found(*v)).collect()
    }
}

fn own(v: VarId) -> VarId {
    v
}

/// A condition, where that is not known before.
enum Known {
    Holds,
    Fails,
    If(Expr),
}

impl Known {
    fn of(condition: Expr) -> Known {
        match condition.as_const() {
            Some(0) => Known::Fails,
            Some(_) => Known::Holds,
            None => Known::If(condition),
        }
    }

    fn or(self, other: Known) -> Known {
        match (self, other) {
            (Known::Holds, _) | (_, Known::Holds) => Known::Holds,
            (Known::Fails, known) | (known, Known::Fails) => known,
            (Known::If(a), Known::If(b)) => Known::If(a.or(b)),
        }
    }

    fn and(self, other: Known) -> Known {
        match (self, other) {
            (Known::Fails, _) | (_, Known::Fails) => Known::Fails,
            (Known::Holds, known) | (known, Known::Holds) => known,
            (Known::If(a), Known::If(b)) => Known::If(a.and(b)),
        }
    }

    /// The condition to be checked, if there is something to check.
    fn condition(self) -> Option<Expr> {
        match self {
            Known::Holds => None,
            Known::Fails => Some(Expr::truth(false)),
            Known::If(condition) => Some(condition),
        }
    }
}

/// The start of the object that the pointer points into.
fn start(program: &Program, p: &Expr) -> Expr {
    let plain = || Expr::Unary(UnOp::Start, Box::new(p.clone()), Type::Void.ptr_to());
    simplified(program, UnOp::Start, p, &own).unwrap_or_else(plain)
}

/// How many bytes the pointer stands behind the start of its object.
fn before(program: &Program, p: &Expr) -> Expr {
    let plain = || Expr::Unary(UnOp::Before(1), Box::new(p.clone()), difference_type(program.model));
    simplified(program, UnOp::Before(1), p, &own).unwrap_or_else(plain)
}

/// How many bytes there are from the pointer on to the end of its object.
pub(crate) fn left(program: &Program, p: &Expr) -> Expr {
    let plain = || Expr::Unary(UnOp::Left(1), Box::new(p.clone()), difference_type(program.model));
    simplified(program, UnOp::Left(1), p, &own).unwrap_or_else(plain)
}

/// The variable whose address the pointer is computed from.
fn variable(program: &Program, p: &Expr) -> Option<VarId> {
    match moved(program, p, &own)?.root {
        Root::Variable(v) => Some(v),
        Root::Nothing | Root::Value(_) => None,
    }
}

/// `l + r`, where constants are added at once.
fn plus(l: Expr, r: Expr) -> Expr {
    match (l.as_const(), r.as_const()) {
        (Some(a), Some(b)) => Expr::Const(a.saturating_add(b), l.ty()),
        (Some(0), None) => r,
        (None, Some(0)) => l,
        _ => Expr::binary(BinOp::Add, l, r),
    }
}

/// `l op r`, where constants are compared at once.
fn compared(op: BinOp, l: Expr, r: Expr) -> Known {
    match (l.as_const(), r.as_const()) {
        (Some(a), Some(b)) => Known::of(Expr::truth(op.compare(&a, &b).unwrap_or(false))),
        _ => Known::If(Expr::binary(op, l, r)),
    }
}

/// The operation changes a location.
pub(crate) fn changed_place(d: &mut Demands<'_, '_>, lv: &Lvalue) {
    // A variable may be initialised by its name; other changes by name are reported by the front end.
    if d.cx.wants(CheckKind::Readonly) && matches!(lv.base, Base::Deref(_)) {
        let (at, len) = super::places::first_byte(d.cx.program, lv);
        let len = Expr::Const(i128::from(len), difference_type(d.cx.program.model));
        changed(d, &at, &len, false);
    }
}

/// Bytes are changed. Through the address of a variable itself only where that is not an initialisation.
pub(crate) fn changed(d: &mut Demands<'_, '_>, at: &Expr, len: &Expr, by_name: bool) {
    if !d.cx.wants(CheckKind::Readonly) || len.is_zero() || d.cx.constants.0.is_empty() {
        return;
    }
    if !by_name && variable(d.cx.program, at).is_some() {
        return;
    }
    let (cx, program) = (d.cx, d.cx.program);
    let objects = cx.constants.among(cx.oracle, &cx.oracle.points_to(at));
    if objects.is_empty() {
        return;
    }
    // Here a local's name is the instance of this call.
    let has_name = |v: VarId| match program.vars[v].proc() {
        Some(p) => p == d.proc && !cx.oracle.has_many_instances(v),
        None => true,
    };
    let (mut questions, mut condition) = (vec![], Known::Holds);
    if objects.len() > MAX_NAMED || !objects.iter().all(|(v, _)| has_name(*v)) {
        let whole = objects.iter().all(|(v, ranges)| is_whole(program, *v, ranges));
        let mut asked = vec![d.ask(ObjectQuery::Constant, at)];
        if !whole && len.as_const() != Some(1) {
            asked.push(d.ask_again(ObjectQuery::Constant, &last_byte(program, at, len)));
        }
        for (question, answer) in asked {
            questions.push(question);
            let zero = Expr::Const(0, answer.ty());
            condition = condition.and(Known::If(Expr::binary(BinOp::Eq, answer, zero)));
        }
    } else {
        for (v, ranges) in objects {
            condition = condition.and(unchanged(program, at, len, (*v, ranges)));
        }
    }
    let empty = compared(BinOp::Eq, len.clone(), Expr::Const(0, len.ty()));
    if let Some(condition) = empty.or(condition).condition() {
        let message = format!("write to what is const: {}", d.text(at));
        d.check(CheckKind::Readonly, condition, message, questions);
    }
}

/// Whether these are all bytes of the variable.
fn is_whole(program: &Program, v: VarId, ranges: &[(u64, u64)]) -> bool {
    program.size_of(&program.vars[v].ty).is_some_and(|size| *ranges == [(0, size)])
}

/// A pointer to the last of `len` bytes.
fn last_byte(program: &Program, at: &Expr, len: &Expr) -> Expr {
    let byte = Type::Int(IntType { bits: 8, signed: false }).ptr_to();
    let wide = difference_type(program.model);
    let distance = plus(len.clone().cast(wide.clone()), Expr::Const(-1, wide));
    Expr::binary(BinOp::PtrAdd, at.clone().cast(byte), distance)
}

/// The condition that the bytes are none of these of the variable.
fn unchanged(program: &Program, at: &Expr, len: &Expr, (v, ranges): (VarId, &[(u64, u64)])) -> Known {
    let differs = match variable(program, at) {
        Some(named) => Known::of(Expr::truth(named != v)),
        None => {
            let address = program.lvalue(v).addr().cast(Type::Void.ptr_to());
            Known::If(Expr::binary(BinOp::Ne, start(program, at), address))
        }
    };
    if is_whole(program, v, ranges) || matches!(differs, Known::Holds) {
        return differs;
    }
    let wide = difference_type(program.model);
    let number = |n: u64| Expr::Const(i128::from(n), wide.clone());
    let from = before(program, at);
    let end = plus(from.clone(), len.clone().cast(wide.clone()));
    let outside = ranges.iter().fold(Known::Holds, |all, (first, last)| {
        let behind = compared(BinOp::Ge, from.clone(), number(*last));
        all.and(behind.or(compared(BinOp::Le, end.clone(), number(*first))))
    });
    differs.or(outside)
}

/// A number of bytes.
#[derive(Clone)]
pub(crate) struct Length {
    /// This many.
    pub(crate) count: Expr,
    /// These as well, a small number of the type of pointer differences.
    pub(crate) more: Expr,
}

/// A copy between places that must not overlap. It is as long as the least of the numbers of bytes on each side.
pub(crate) struct Copy<'a> {
    pub(crate) to: &'a Expr,
    pub(crate) written: Vec<Length>,
    pub(crate) from: &'a Expr,
    pub(crate) read: Vec<Length>,
    pub(crate) questions: Vec<Op>,
}

/// Whether one object may be what both pointers lead into.
pub(crate) fn may_meet(d: &Demands<'_, '_>, p: &Expr, q: &Expr) -> bool {
    let (oracle, program) = (d.cx.oracle, d.cx.program);
    let (a, b) = (oracle.points_to(p), oracle.points_to(q));
    let named = |o: &Object| match o {
        Object::Var(v) => oracle.may_be_found(*v),
        _ => true,
    };
    let literal = |o: &Object| matches!(o, Object::Var(v) if program.vars[*v].data.is_some());
    a.unknown && (b.unknown || b.objects.iter().any(named))
        || b.unknown && a.objects.iter().any(named)
        // Nothing is written to a literal.
        || a.objects.iter().any(|o| !literal(o) && b.objects.binary_search(o).is_ok())
}

/// The places do not overlap.
pub(crate) fn apart(d: &mut Demands<'_, '_>, copy: Copy<'_>) {
    let Copy { to, written, from, read, questions } = copy;
    let program = d.cx.program;
    let empty = written.iter().chain(&read).filter(|n| n.more.is_zero()).fold(Known::Fails, |any, n| {
        any.or(compared(BinOp::Eq, n.count.clone(), Expr::Const(0, n.count.ty())))
    });
    let (a, b) = (start(program, to), start(program, from));
    let elsewhere = if a == b { Known::Fails } else { Known::If(Expr::binary(BinOp::Ne, a, b)) };
    let (low, high) = distances(program, to, from);
    let ends_before = |start: &Expr, lengths: &[Length], end: &Expr| {
        lengths.iter().fold(Known::Fails, |any, n| {
            let bytes = plus(n.count.clone().cast(start.ty()), n.more.clone());
            let before = compared(BinOp::Le, plus(start.clone(), bytes), end.clone());
            any.or(before.and(is_small(&n.count)))
        })
    };
    let holds =
        empty.or(elsewhere).or(ends_before(&low, &written, &high)).or(ends_before(&high, &read, &low));
    if let Some(condition) = holds.condition() {
        let message = format!("copy between places that overlap: {} and {}", d.text(to), d.text(from));
        d.check(CheckKind::Overlap, condition, message, questions);
    }
}

/// No object has more bytes than half of what an unsigned number can say.
fn is_small(count: &Expr) -> Known {
    match count.ty() {
        Type::Int(IntType { bits, signed: false }) if bits >= 32 => {
            compared(BinOp::Le, count.clone(), Expr::Const(i128::MAX >> (129 - bits.min(127)), count.ty()))
        }
        _ => Known::Holds,
    }
}

/// The distances of two pointers from one place of their object: from the pointer that both are computed from,
/// or its start.
fn distances(program: &Program, p: &Expr, q: &Expr) -> (Expr, Expr) {
    let wide = difference_type(program.model);
    let fixed = |m: &Moved| m.steps.is_empty().then(|| Expr::Const(m.bytes, wide.clone()));
    if let (Some(a), Some(b)) = (moved(program, p, &own), moved(program, q, &own))
        && a.root == b.root
        && let (Some(a), Some(b)) = (fixed(&a), fixed(&b))
    {
        return (a, b);
    }
    (before(program, p), before(program, q))
}

/// Whether the expression depends on where in one object two pointers stand: what it does with them.
pub(crate) fn order(e: &Expr) -> Option<(&Expr, &Expr, &'static str)> {
    match e {
        Expr::Binary(BinOp::PtrDiff, l, r, _) => Some((l, r, "difference")),
        Expr::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, l, r, _) if l.ty().is_ptr() => {
            Some((l, r, "order"))
        }
        _ => None,
    }
}

/// Whether the operation has such an expression.
pub(crate) fn orders(op: &Op) -> bool {
    let mut found = false;
    ir::visit::nodes(op, &mut |e| found |= order(e).is_some());
    found
}

/// Pointers are compared by their order, or subtracted.
pub(crate) fn ordered(d: &mut Demands<'_, '_>, l: &Expr, r: &Expr, what: &str) {
    if !d.cx.wants(CheckKind::Order) || d.cx.program.procs[d.proc].is_model() {
        return;
    }
    let (cx, program) = (d.cx, d.cx.program);
    let (a, b) = (start(program, l), start(program, r));
    if a == b || cx.origins.is_some_and(|origins| origins.is_one(l, r)) {
        return;
    }
    let same = cx.oracle.points_to(l);
    let lone = |v: VarId| !cx.oracle.has_many_instances(v);
    if let ([Object::Var(v)], false) = (&same.objects[..], same.unknown)
        && lone(*v)
        && cx.oracle.points_to(r) == same
        && d.is_present(l.unmoved())
        && d.is_present(r.unmoved())
    {
        return;
    }
    let message = format!("{what} of pointers into different objects: {} and {}", d.text(l), d.text(r));
    d.check(CheckKind::Order, Expr::binary(BinOp::Eq, a, b), message, vec![]);
}
