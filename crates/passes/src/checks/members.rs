//! Checks that accesses through an array that is a member of a record stay in it, and do not go on into the
//! next member.
//!
//! A pointer that is computed from the member in the same expression is compared with it. For stored pointers
//! the number of bytes is used that every array member has behind the pointer
//! ([`Shapes`](super::pointer_values::Shapes)); the rest is not modelled.

use super::arithmetic as arith;
use super::demand::Demands;
use super::places;
use alias::Object;
use ir::convert::difference_type;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::extent::moved;
use ir::program::{CheckKind, HavocKind, ObjectQuery, Op, Program, VarId};
use ir::types::{IntType, Type};

/// A number of bytes, and at most one index times a size.
type Distance = (i128, Option<(Expr, u64)>);

/// How many bytes an access has from its pointer on.
pub(crate) enum Extent<'a> {
    /// This many.
    Bytes(u64),
    /// As many as a number of the program.
    Count(&'a Expr),
    /// Up to the end of a string.
    Text,
}

/// The array member that the location is, or is an element of.
fn array_member(program: &Program, lv: &Lvalue) -> Option<Lvalue> {
    let last = lv.path.iter().rposition(|step| matches!(step, Access::Field(..)))?;
    let member = places::prefix(program, lv, last + 1);
    // The last array of a record may have as many elements as there is memory for.
    matches!(member.ty, Type::Array(_, Some(n)) if n > 1).then_some(member)
}

/// How many bytes an array member has from the location on; `None` where it is in none.
pub(crate) fn room(program: &Program, lv: &Lvalue) -> Option<u64> {
    let member = array_member(program, lv)?;
    let size = program.size_of(&member.ty)?;
    let distance = places::offset(program, lv).zip(places::offset(program, &member));
    Some(distance.and_then(|(at, start)| size.checked_sub(u64::try_from(at - start).ok()?)).unwrap_or(0))
}

/// The array member that the pointer is computed from.
fn origin(program: &Program, p: &Expr) -> Option<Lvalue> {
    match p.unmoved() {
        Expr::AddrOf(lv) => array_member(program, lv).or_else(|| match &lv.base {
            Base::Deref(inner) if lv.path.is_empty() => origin(program, inner),
            _ => None,
        }),
        _ => None,
    }
}

/// The access stays in the array member that its pointer belongs to.
pub(crate) fn inside(d: &mut Demands<'_, '_>, p: &Expr, extent: &Extent<'_>) {
    let Some(shapes) = d.cx.members else { return };
    let (program, oracle) = (d.cx.program, d.cx.oracle);
    let known = match extent {
        Extent::Bytes(n) => Some(*n),
        Extent::Count(n) => n.as_const().and_then(|n| u64::try_from(n).ok()),
        Extent::Text => None,
    };
    if known.is_some_and(|n| n <= shapes.of(program, oracle, p).bytes) {
        return;
    }
    let message = format!("access outside of the array member: {}", d.text(p));
    match origin(program, p) {
        Some(member) => match distance(program, &member, p) {
            Some(distance) => {
                let (condition, questions) = stays(d, (&member, distance), p, extent);
                if let Some(condition) = condition {
                    d.check(CheckKind::Member, condition, message, questions);
                }
            }
            None => unmodelled(d, p),
        },
        None if may_be_in_member(d, p) => unmodelled(d, p),
        None => {}
    }
}

/// How far the pointer is from the start of the member.
fn distance(program: &Program, member: &Lvalue, p: &Expr) -> Option<Distance> {
    let own = |v: VarId| v;
    let start = moved(program, &member.clone().addr(), &own)?;
    let at = moved(program, p, &own)?;
    if start.root != at.root || !at.steps.starts_with(&start.steps) {
        return None;
    }
    match &at.steps[start.steps.len()..] {
        [] => Some((at.bytes - start.bytes, None)),
        [step] => Some((at.bytes - start.bytes, Some(step.clone()))),
        _ => None,
    }
}

/// The condition that the access stays in the member, if it has to be checked, and its queries.
fn stays(
    d: &mut Demands<'_, '_>,
    (member, (bytes, step)): (&Lvalue, Distance),
    p: &Expr,
    extent: &Extent<'_>,
) -> (Option<Expr>, Vec<Op>) {
    let program = d.cx.program;
    let size = i128::from(program.size_of(&member.ty).unwrap_or(0));
    if let Extent::Bytes(n) = extent {
        let last = size - i128::from(*n) - bytes;
        let condition = match &step {
            // Rounded up and down.
            Some((index, each)) => {
                let each = i128::from(*each);
                arith::within(index, -bytes.div_euclid(each), last.div_euclid(each))
            }
            None => (bytes < 0 || last < 0).then(|| Expr::truth(false)),
        };
        return (condition, vec![]);
    }
    let wide = difference_type(program.model);
    let number = |n: i128| Expr::Const(n, wide.clone());
    let from = match step {
        None => number(bytes),
        Some((index, each)) => {
            let index = Expr::binary(BinOp::Mul, index.cast(wide.clone()), number(i128::from(each)));
            Expr::binary(BinOp::Add, index, number(bytes))
        }
    };
    let starts = Expr::binary(BinOp::Ge, from.clone(), number(0));
    let begins = Expr::binary(BinOp::Le, from.clone(), number(size));
    let unsigned = Type::Int(IntType { bits: program.model.pointer_bits(), signed: false });
    let left = Expr::binary(BinOp::Sub, number(size), from).cast(unsigned.clone());
    let (fits, questions) = match extent {
        Extent::Text => {
            let (question, length) = d.ask(ObjectQuery::TextLength, p);
            (Expr::binary(BinOp::Lt, length.cast(unsigned), left), vec![question])
        }
        Extent::Count(n) => (Expr::binary(BinOp::Le, (*n).clone().cast(unsigned), left), vec![]),
        Extent::Bytes(_) => unreachable!("a known number of bytes was looked at before"),
    };
    let inside = starts.and(begins).and(fits);
    let condition = match extent {
        Extent::Count(n) => Expr::binary(BinOp::Eq, (*n).clone(), Expr::Const(0, n.ty())).or(inside),
        Extent::Bytes(_) | Extent::Text => inside,
    };
    (Some(condition), questions)
}

/// Nothing follows pointers into members through memory.
fn unmodelled(d: &mut Demands<'_, '_>, p: &Expr) {
    let message = format!("no model: which array member {} points into", d.text(p));
    let answer = d.graph.answer_of("in_member__");
    let dest = d.graph.program.lvalue(answer);
    let kind = HavocKind::Analysis("whether the pointer stays in its array member".into());
    let condition = Expr::binary(BinOp::Ne, dest.clone().load(), Expr::int(0));
    d.check(CheckKind::Unmodelled, condition, message, vec![Op::Havoc(dest, kind)]);
}

/// Whether the pointer may have been computed from an array member.
fn may_be_in_member(d: &Demands<'_, '_>, p: &Expr) -> bool {
    let program = d.cx.program;
    let ty = p.ty();
    let to = ty.pointee();
    let targets = d.cx.oracle.points_to(p);
    let may = |o: &Object| match o {
        Object::Var(v) => has_member(program, &program.vars[*v].ty, to),
        Object::Heap(q, e) => match &program.procs[*q].edges[*e].op {
            Op::Alloc { dest, .. } => match dest.ty.pointee() {
                Some(Type::Void) | None => true,
                Some(of) => has_member(program, of, to),
            },
            _ => true,
        },
        Object::Func(_) => false,
        Object::External => true,
    };
    targets.unknown || targets.objects.iter().any(may)
}

/// Whether a record in the type has an array of what the pointer points to.
fn has_member(program: &Program, ty: &Type, to: Option<&Type>) -> bool {
    match ty {
        Type::Array(elem, _) => has_member(program, elem, to),
        Type::Record(r) => program.records[*r].fields.iter().any(|f| match &f.ty {
            Type::Array(elem, _) => holds(program, elem, to) || has_member(program, elem, to),
            ty => has_member(program, ty, to),
        }),
        _ => false,
    }
}

fn holds(program: &Program, elem: &Type, to: Option<&Type>) -> bool {
    let bytes = to.is_none_or(|to| matches!(to, Type::Void | Type::Int(IntType { bits: 8, .. })));
    bytes
        || to == Some(elem)
        || match elem {
            Type::Array(inner, _) => holds(program, inner, to),
            Type::Record(r) => program.records[*r].fields.iter().any(|f| holds(program, &f.ty, to)),
            _ => false,
        }
}
