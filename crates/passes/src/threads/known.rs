//! Partial evaluation of expressions with the known values of locations.

use super::simplify;
use super::values::{extent, index};
use base::IndexVec;
use interp::int_binary;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use ir::program::{Op, Program, Var, VarId};
use ir::types::{IntType, Type};

/// A known value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Known {
    /// This number; of a pointer the number that it was made from, NULL is 0.
    Number(i128),
    /// The address of a part of a variable, in which each index is a constant inside of its array, or that of a procedure.
    Address(Expr),
}

impl Known {
    pub(super) fn number(self) -> Option<i128> {
        match self {
            Known::Number(n) => Some(n),
            Known::Address(_) => None,
        }
    }

    /// An expression of this type with this value; nothing for a number that is not a pointer by itself.
    pub(super) fn expression(self, program: &Program, ty: &Type) -> Expr {
        match (self, ty) {
            (Known::Number(n), Type::Ptr(_)) if n != 0 => {
                Expr::Const(n, Type::Int(pointer_number(program))).cast(ty.clone())
            }
            (Known::Number(n), _) => Expr::Const(n, ty.clone()),
            (Known::Address(e), _) => e.cast(ty.clone()),
        }
    }
}

fn pointer_number(program: &Program) -> IntType {
    IntType { bits: program.model.pointer_bits(), signed: false }
}

/// Evaluates expressions.
pub struct Reader<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its variables, and those that are added for its threads.
    pub vars: &'a IndexVec<VarId, Var>,
    /// The value of a location, each index of which is a constant.
    pub holds: &'a dyn Fn(&Lvalue) -> Option<Known>,
}

impl Reader<'_> {
    /// The number that the expression evaluates to.
    pub(super) fn number(&self, e: &Expr) -> Option<i128> {
        self.value(e)?.number()
    }

    /// The value of the expression.
    pub fn value(&self, e: &Expr) -> Option<Known> {
        let number = |e: &Expr| self.number(e);
        let n = match e {
            Expr::Load(lv) => return (self.holds)(&self.place(lv)?),
            Expr::AddrOf(lv) => return Some(Known::Address(self.place(lv)?.addr())),
            Expr::Func(..) => return Some(Known::Address(e.clone())),
            Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() => return self.value(inner),
            Expr::Cast(inner, Type::Ptr(_)) if inner.ty().as_int().is_some() => {
                pointer_number(self.program).wrap(number(inner)?)
            }
            Expr::Cast(inner, Type::Int(to)) if inner.ty().is_ptr() || inner.ty().as_int().is_some() => {
                to.wrap(number(inner)?)
            }
            Expr::Binary(BinOp::PtrAdd, pointer, by, _) => {
                return self.moved(self.value(pointer)?, number(by)?, &pointer.ty());
            }
            Expr::Const(v, Type::Int(_)) => *v,
            Expr::Const(0, Type::Ptr(_)) => 0,
            Expr::Unary(UnOp::Not, inner, _) => i128::from(!self.truth(inner)?),
            Expr::Binary(BinOp::And, l, r, _) => match (self.truth(l), self.truth(r)) {
                (Some(false), _) | (_, Some(false)) => 0,
                (Some(true), Some(true)) => 1,
                _ => return None,
            },
            Expr::Binary(BinOp::Or, l, r, _) => match (self.truth(l), self.truth(r)) {
                (Some(true), _) | (_, Some(true)) => 1,
                (Some(false), Some(false)) => 0,
                _ => return None,
            },
            Expr::Binary(op @ (BinOp::Eq | BinOp::Ne), l, r, _) => {
                let same = self.same(&self.value(l)?, &self.value(r)?)?;
                i128::from(same == (*op == BinOp::Eq))
            }
            Expr::Binary(op, l, r, _) if op.is_comparison() && !l.ty().is_ptr() => {
                i128::from(op.compare(&number(l)?, &number(r)?)?)
            }
            Expr::Binary(op, l, r, Type::Int(ty)) if l.ty() == r.ty() && !l.ty().is_ptr() => {
                int_binary(*op, number(l)?, number(r)?, *ty, self.program.signed_wrap).ok()?
            }
            _ => return None,
        };
        Some(Known::Number(n))
    }

    /// Whether the scalar is not zero.
    pub fn truth(&self, e: &Expr) -> Option<bool> {
        self.same(&self.value(e)?, &Known::Number(0)).map(|same| !same)
    }

    /// Whether two scalars of one type are equal.
    fn same(&self, one: &Known, other: &Known) -> Option<bool> {
        match (one, other) {
            (Known::Number(a), Known::Number(b)) => Some(a == b),
            (Known::Address(Expr::AddrOf(_)), Known::Number(0))
            | (Known::Number(0), Known::Address(Expr::AddrOf(_))) => Some(false),
            (Known::Address(Expr::Func(p, _)), Known::Address(Expr::Func(q, _))) => Some(p == q),
            (Known::Address(Expr::AddrOf(a)), Known::Address(Expr::AddrOf(b))) => self.same_place(a, b),
            _ => None,
        }
    }

    fn same_place(&self, a: &Lvalue, b: &Lvalue) -> Option<bool> {
        let start = |lv: &Lvalue| extent(self.program, self.vars, lv).map(|(from, _)| from);
        if a.base == b.base {
            return Some(start(a)? == start(b)?);
        }
        // Literals may be at one place.
        let object = |lv: &Lvalue| match lv.base {
            Base::Var(v) => {
                self.vars[v].data.is_none() && self.program.size_of(&lv.ty).is_some_and(|n| n > 0)
            }
            Base::Deref(_) => false,
        };
        (object(a) && object(b)).then_some(false)
    }

    /// The pointer moved by `by` elements, inside of one array.
    fn moved(&self, pointer: Known, by: i128, ty: &Type) -> Option<Known> {
        if by == 0 {
            return Some(pointer);
        }
        let Known::Address(Expr::AddrOf(mut lv)) = pointer else { return None };
        if Some(&lv.ty) != ty.pointee() {
            return None;
        }
        let Some(Access::Index(Expr::Const(n, _))) = lv.path.pop() else { return None };
        let moved = Access::Index(index(n + by));
        let Lvalue { base, path, ty } = *lv;
        let path = path.into_iter().chain([moved]).collect();
        Some(Known::Address(self.inside(Lvalue { base, path, ty })?.addr()))
    }

    /// The part of a variable that the location is, each index of it a constant inside of its array.
    pub fn place(&self, lv: &Lvalue) -> Option<Lvalue> {
        if lv.is_fixed() {
            return Some(lv.clone());
        }
        let start = match &lv.base {
            Base::Var(_) => Lvalue { path: vec![], ..lv.clone() },
            Base::Deref(pointer) => {
                let Known::Address(address) = self.value(pointer)? else { return None };
                simplify::start(self.program, &address, pointer.ty().pointee()?)?
            }
        };
        let mut path = start.path;
        for access in &lv.path {
            path.push(match access {
                Access::Index(e) => Access::Index(index(self.number(e)?)),
                field @ Access::Field(..) => field.clone(),
            });
        }
        self.inside(Lvalue { base: start.base, path, ty: lv.ty.clone() })
    }

    /// The part, if each index is inside of its array.
    fn inside(&self, lv: Lvalue) -> Option<Lvalue> {
        let Base::Var(v) = lv.base else { return None };
        let mut ty = &self.vars[v].ty;
        for access in &lv.path {
            ty = match (access, ty) {
                (Access::Field(r, n), _) => &self.program.field(*r, *n).ty,
                (Access::Index(Expr::Const(n, _)), Type::Array(elem, Some(length)))
                    if *n >= 0 && *n < i128::from(*length) =>
                {
                    elem
                }
                _ => return None,
            };
        }
        Some(lv)
    }

    /// The expression with known pointers and indices replaced by what they lead to.
    pub(super) fn named(&self, e: Expr) -> Expr {
        e.map(&mut |e| match e {
            Expr::Load(lv) if !lv.is_fixed() => self.place(&lv).unwrap_or(*lv).load(),
            Expr::AddrOf(lv) if !lv.is_fixed() => self.place(&lv).unwrap_or(*lv).addr(),
            e => e,
        })
    }

    /// The same for a location.
    pub(super) fn named_place(&self, lv: Lvalue) -> Lvalue {
        self.place(&lv).unwrap_or_else(|| lv.rebuilt(&mut |e| self.named(e)))
    }

    /// The same for an operation.
    pub(super) fn named_op(&self, op: &Op) -> Op {
        let mut op = op.clone();
        if let Some(dest) = op.destination_mut() {
            *dest = self.named_place(dest.clone());
        }
        for e in op.operands_mut() {
            *e = self.named(e.clone());
        }
        op
    }
}
