//! Object bounds: how much of its object lies from a pointer on, and before it. The operators [`UnOp::Left`]
//! and [`UnOp::Before`] are rewritten to the pointer that an address is computed from: `left(p + i)` is
//! `left(p) - i`, and for an address in a variable both are numbers and indices.
//!
//! Sizes never change: an object keeps its size for all its life, and a pointer keeps its object wherever it is
//! moved. So the values of both operators depend on the value of the pointer alone.

use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::program::{Program, VarId};
use crate::types::{IntType, Type};

/// Most units that an offset may have for it to be computed with.
const FAR: i128 = 1 << 40;

/// A pointer, and how far an address is from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Its root.
    pub root: Root,
    /// The constant part of the distance, in bytes.
    pub bytes: i128,
    /// The rest: indices, each times this many bytes.
    pub steps: Vec<(Expr, u64)>,
}

/// The root from which an address is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Root {
    /// NULL or a procedure, which are in no object.
    Nothing,
    /// The start of a variable.
    Variable(VarId),
    /// A pointer.
    Value(Expr),
}

/// The type of [`UnOp::Left`] and [`UnOp::Before`]: sums of numbers of bytes of objects and of indices into them have values in it,
/// with both data models.
#[must_use]
pub fn extent_type() -> Type {
    Type::Int(IntType { bits: 64, signed: true })
}

/// The greatest value that an unsigned expression can have, by the types of its parts.
#[must_use]
pub fn at_most(e: &Expr) -> i128 {
    let Some(ty) = e.ty().as_int() else { return i128::MAX };
    let bound = match e {
        Expr::Const(n, _) => *n,
        Expr::Cast(inner, _) if inner.ty().as_int().is_some_and(|from| !from.signed) => at_most(inner),
        Expr::Binary(BinOp::Mul, l, r, _) => at_most(l).saturating_mul(at_most(r)),
        Expr::Binary(BinOp::Add, l, r, _) => at_most(l).saturating_add(at_most(r)),
        Expr::Binary(BinOp::Div, l, r, _) if r.as_const().is_some_and(|n| n > 0) => at_most(l),
        _ => ty.max(),
    };
    if ty.signed || bound > ty.max() || bound < 0 { ty.max() } else { bound }
}

/// The pointer that an address is computed from, and the distance; `None` where sizes are not known. `declared` gives
/// the program's variable for one that stands for it in the expression.
pub fn moved(program: &Program, e: &Expr, declared: &dyn Fn(VarId) -> VarId) -> Option<Moved> {
    let at = |root| Some(Moved { root, bytes: 0, steps: vec![] });
    match e {
        Expr::Const(0, _) | Expr::Func(..) => at(Root::Nothing),
        Expr::Cast(inner, _) if inner.ty().is_ptr() => moved(program, inner, declared),
        Expr::Binary(BinOp::PtrAdd, p, i, _) => {
            let from = moved(program, p, declared)?;
            from.step(i, element_size(program, &p.ty())?)
        }
        Expr::AddrOf(lv) => {
            let (mut from, ty) = match &lv.base {
                Base::Var(v) => (at(Root::Variable(*v))?, program.vars[declared(*v)].ty.clone()),
                Base::Deref(p) => (moved(program, p, declared)?, p.ty().pointee()?.clone()),
            };
            let mut ty = ty;
            for access in &lv.path {
                let part = program.part_type(&ty, access)?;
                match access {
                    Access::Field(r, f) => from.bytes += i128::from(program.field(*r, *f).offset),
                    Access::Index(i) => from = from.step(i, program.size_of(&part)?)?,
                }
                ty = part;
            }
            Some(from)
        }
        e => at(Root::Value(e.clone())),
    }
}

/// The size of what a pointer of this type counts in: 1 for `void` and functions, as gcc has it.
pub fn element_size(program: &Program, pointer: &Type) -> Option<u64> {
    match pointer.pointee()? {
        Type::Void | Type::Func(_) => Some(1),
        to => program.size_of(to).filter(|n| *n > 0),
    }
}

impl Moved {
    fn step(mut self, i: &Expr, size: u64) -> Option<Moved> {
        match i {
            Expr::Const(n, _) => {
                let by = n.checked_mul(i128::from(size))?;
                self.bytes = self.bytes.checked_add(by).filter(|n| n.abs() < FAR)?;
            }
            i => self.steps.push((i.clone(), size)),
        }
        Some(self)
    }

    /// The greatest number of bytes that all steps, and the constant part, are multiples of; `None` when nothing moves.
    pub fn unit(&self) -> Option<u64> {
        let constant = u64::try_from(self.bytes.abs()).ok()?;
        let all = self.steps.iter().map(|(_, size)| *size).chain([constant]).reduce(gcd)?;
        (all > 0).then_some(all)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The value of one of the operators for the pointer: with the operator at most at the root of the address. Sums are
/// of [`extent_type`]; `None` where the operator does not distribute.
pub fn simplified(
    program: &Program,
    op: UnOp,
    pointer: &Expr,
    declared: &dyn Fn(VarId) -> VarId,
) -> Option<Expr> {
    if op == UnOp::Start {
        return start_of(program, pointer, declared);
    }
    let ty = extent_type();
    let (unit, back) = match op {
        UnOp::Left(unit) => (i128::from(unit), true),
        UnOp::Before(unit) => (i128::from(unit), false),
        _ => return None,
    };
    if let Expr::Cond(c, a, b) = pointer {
        let side = |e: &Expr| {
            let whole = || Expr::Unary(op, Box::new(e.clone()), ty.clone());
            Box::new(simplified(program, op, e, declared).unwrap_or_else(whole))
        };
        return Some(Expr::Cond(c.clone(), side(a), side(b)));
    }
    let Moved { root, bytes, steps } = moved(program, pointer, declared)?;
    if steps.iter().any(|(_, size)| i128::from(*size) % unit != 0) {
        return None;
    }
    let number = |n| Expr::Const(n, ty.clone());
    let sign = |n: i128| if back { -n } else { n };
    let start = match root {
        Root::Nothing if bytes == 0 && steps.is_empty() => return Some(number(0)),
        Root::Nothing => return None,
        Root::Variable(v) if program.is_elsewhere(declared(v)) => return None,
        Root::Variable(v) => {
            let size = i128::from(program.size_of(&program.vars[declared(v)].ty)?);
            number((if back { size - bytes } else { bytes }).div_euclid(unit))
        }
        Root::Value(_) if bytes % unit != 0 => return None,
        Root::Value(root) => {
            let start = match root {
                Expr::Old(inner) => Expr::Old(Box::new(Expr::Unary(op, inner, ty.clone()))),
                root => Expr::Unary(op, Box::new(root), ty.clone()),
            };
            plus(start, sign(bytes / unit))
        }
    };
    Some(steps.into_iter().fold(start, |sum, (i, size)| {
        let times = i128::from(size) / unit;
        let i = i.cast(ty.clone());
        let step = if times == 1 { i } else { Expr::binary(BinOp::Mul, i, number(times)) };
        Expr::binary(if back { BinOp::Sub } else { BinOp::Add }, sum, step)
    }))
}

/// The start of the object of an address: that of its root, wherever it was moved.
fn start_of(program: &Program, pointer: &Expr, declared: &dyn Fn(VarId) -> VarId) -> Option<Expr> {
    let ty = Type::Void.ptr_to();
    let of = |e: Expr| Expr::Unary(UnOp::Start, Box::new(e), ty.clone());
    if let Expr::Cond(c, a, b) = pointer {
        let side = |e: &Expr| Box::new(start_of(program, e, declared).unwrap_or_else(|| of(e.clone())));
        return Some(Expr::Cond(c.clone(), side(a), side(b)));
    }
    let Moved { root, bytes, steps } = moved(program, pointer, declared)?;
    match root {
        Root::Nothing if bytes == 0 && steps.is_empty() => Some(Expr::Const(0, ty)),
        Root::Nothing => None,
        Root::Variable(v) if program.is_elsewhere(declared(v)) => None,
        Root::Variable(v) => Some(Lvalue::var(v, program.vars[declared(v)].ty.clone()).addr().cast(ty)),
        Root::Value(Expr::Old(inner)) => Some(Expr::Old(Box::new(of(*inner)))),
        Root::Value(Expr::Unary(UnOp::Start, inner, ty)) => Some(Expr::Unary(UnOp::Start, inner, ty)),
        Root::Value(root) => Some(of(root)),
    }
}

fn plus(e: Expr, n: i128) -> Expr {
    let (op, by) = if n < 0 { (BinOp::Sub, -n) } else { (BinOp::Add, n) };
    if n == 0 {
        return e;
    }
    let by = Expr::Const(by, e.ty());
    Expr::binary(op, e, by)
}

/// Whether an expression mentions objects and their sizes.
fn mentions(e: &Expr) -> bool {
    e.has(|node| matches!(node, Expr::Unary(UnOp::Left(_) | UnOp::Before(_) | UnOp::Start, ..)))
}

/// Whether some operation of the program mentions them.
pub fn occurs(program: &Program) -> bool {
    program.edges().any(|(_, _, edge)| edge.op.operands().into_iter().any(mentions))
}
