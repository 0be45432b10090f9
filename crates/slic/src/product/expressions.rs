//! Expressions of rules as expressions of C--, with C's conversions.

use super::{Site, Work, converted, wide};
use crate::ast::{BinaryOp, Expr, ExprKind, Literal, Operand, UnaryOp};
use base::Span;
use ir::convert::{self, Suffix};
use ir::{BinOp, Type, UnOp};

impl Work<'_> {
    /// The value of an expression of constants, which the checker has seen to be one.
    pub(super) fn constant(&mut self, e: &Expr) -> i128 {
        match self.folded(e) {
            Some(value) => value,
            None => {
                self.found.push(base::Diagnostic::error(e.span, "the constant has no value"));
                0
            }
        }
    }

    fn folded(&self, e: &Expr) -> Option<i128> {
        Some(match &e.kind {
            ExprKind::Number(n) => i128::from(n.value),
            ExprKind::Name(name) => *self.constants.get(name)?,
            ExprKind::Unary(op, operand) => {
                let v = self.folded(operand)?;
                match op {
                    UnaryOp::Neg => -v,
                    UnaryOp::BitNot => !v,
                    UnaryOp::Not => i128::from(v == 0),
                }
            }
            ExprKind::Cast(ty, operand) => {
                let v = self.folded(operand)?;
                match self.ty(*ty) {
                    Type::Int(ir::IntType::BOOL) => i128::from(v != 0),
                    Type::Int(i) => i.wrap(v),
                    _ => v,
                }
            }
            ExprKind::Binary(op, left, right) => computed(*op, self.folded(left)?, self.folded(right)?)?,
            ExprKind::Operand(_) | ExprKind::Watched => return None,
        })
    }

    /// The value of an expression at a place; nothing where a mistake was found.
    pub(super) fn value(&mut self, e: &Expr, site: &Site) -> Option<ir::Expr> {
        match &e.kind {
            ExprKind::Number(n) => Some(self.number(*n)),
            ExprKind::Name(name) => match self.constants.get(name) {
                Some(v) if Type::INT.as_int().is_some_and(|i| i.wrap(*v) == *v) => Some(ir::Expr::int(*v)),
                Some(v) => Some(ir::Expr::Const(*v, long())),
                None => self.variables.get(name).map(|v| self.out.read(*v)),
            },
            ExprKind::Operand(operand) => self.operand(*operand, e.span, site),
            ExprKind::Watched => None,
            ExprKind::Cast(ty, operand) => {
                let (value, ty) = (self.value(operand, site)?, self.ty(*ty));
                if value.ty().is_ptr() && matches!(ty, Type::Float(_))
                    || matches!(value.ty(), Type::Float(_)) && ty.is_ptr()
                {
                    return self.mistake(e.span, "the conversion is not possible", site);
                }
                Some(converted(value, &ty))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Some(self.value(operand, site)?.negated()),
            ExprKind::Unary(op, operand) => {
                let value = self.value(operand, site)?;
                let ty = convert::promoted(&value.ty());
                let floats = *op == UnaryOp::Neg && matches!(ty, Type::Float(_));
                if !matches!(ty, Type::Int(_)) && !floats {
                    return self.mistake(e.span, "the operator needs a number", site);
                }
                let op = if *op == UnaryOp::Neg { UnOp::Neg } else { UnOp::BitNot };
                Some(ir::Expr::Unary(op, Box::new(value.cast(ty.clone())), ty))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left, site)?, self.value(right, site)?);
                self.operation(*op, left, right, (e.span, site))
            }
        }
    }

    fn number(&self, n: Literal) -> ir::Expr {
        let longs = u8::from(n.long);
        let of = |unsigned| convert::literal_type(n.value.into(), Suffix { unsigned, longs }, self.out.model);
        let mut ty = of(n.unsigned);
        if n.hexadecimal && of(true).bits < ty.bits || ty.bits > 64 {
            ty = of(true);
        }
        ir::Expr::Const(n.value.into(), Type::Int(ty))
    }

    fn operand(&mut self, operand: Operand, span: Span, site: &Site) -> Option<ir::Expr> {
        match operand {
            Operand::Return => match &site.result {
                Some(result) => Some(result.clone()),
                None => self.mistake(span, format!("`{}` has no result", site.function), site),
            },
            Operand::Argument(n) => match site.args.get(n as usize - 1) {
                Some(arg) => Some(arg.clone()),
                None => {
                    let (have, s) = (site.args.len(), if site.args.len() == 1 { "" } else { "s" });
                    let message = format!(
                        "there is no argument ${n}: `{}` is called with {have} argument{s}",
                        site.function
                    );
                    self.mistake(span, message, site)
                }
            },
        }
    }

    fn mistake<T>(&mut self, span: Span, message: impl Into<String>, site: &Site) -> Option<T> {
        self.complain(span, message, site.span);
        None
    }

    /// The value that an assignment stores.
    pub(super) fn assigned(
        &mut self,
        value: ir::Expr,
        ty: &Type,
        span: Span,
        site: &Site,
    ) -> Option<ir::Expr> {
        let fits =
            value.ty().is_ptr() == ty.is_ptr() || value.is_zero() || *ty == Type::Int(ir::IntType::BOOL);
        if !fits || matches!(value.ty(), Type::Float(_)) && ty.is_ptr() {
            let message = "a pointer and a number are not assigned to each other without a conversion";
            return self.mistake(span, message, site);
        }
        Some(converted(value, ty))
    }

    /// An operation on two values.
    pub(super) fn operation(
        &mut self,
        op: BinaryOp,
        left: ir::Expr,
        right: ir::Expr,
        (span, site): (Span, &Site),
    ) -> Option<ir::Expr> {
        let (op, kind) = lowered(op);
        if kind == Kind::Logical {
            return Some(ir::Expr::binary(op, left.truthy(), right.truthy()));
        }
        let (lt, rt) = (left.ty(), right.ty());
        if lt.is_ptr() || rt.is_ptr() {
            let pointer = Type::Void.ptr_to();
            let fits = |e: &ir::Expr| e.ty().is_ptr() || e.is_zero();
            if kind != Kind::Comparison {
                return self.mistake(span, "rules do not count with pointers", site);
            }
            if !fits(&left) || !fits(&right) {
                let message = "a pointer is compared with a number: a conversion such as (unsigned long)$1 makes it one";
                return self.mistake(span, message, site);
            }
            return Some(ir::Expr::binary(op, left.cast(pointer.clone()), right.cast(pointer)));
        }
        if kind == Kind::Shift {
            let ty = convert::promoted(&lt);
            let integers = matches!((&ty, &rt), (Type::Int(_), Type::Int(_)));
            return match integers {
                true => Some(ir::Expr::Binary(op, Box::new(left.cast(ty.clone())), Box::new(right), ty)),
                false => self.mistake(span, "the operator needs integers", site),
            };
        }
        let Some(ty) = convert::common(&lt, &rt) else {
            return self.mistake(span, "the operator needs numbers", site);
        };
        if kind == Kind::Integers && !matches!(ty, Type::Int(_)) {
            return self.mistake(span, "the operator needs integers", site);
        }
        Some(ir::Expr::binary(op, left.cast(ty.clone()), right.cast(ty)))
    }
}

fn long() -> Type {
    match wide() {
        Type::Int(i) => Type::Int(ir::IntType { bits: 64, ..i }),
        other => other,
    }
}

/// The operands that operators need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Numbers,
    Integers,
    Shift,
    Comparison,
    Logical,
}

fn lowered(op: BinaryOp) -> (BinOp, Kind) {
    match op {
        BinaryOp::Mul => (BinOp::Mul, Kind::Numbers),
        BinaryOp::Div => (BinOp::Div, Kind::Numbers),
        BinaryOp::Rem => (BinOp::Rem, Kind::Integers),
        BinaryOp::Add => (BinOp::Add, Kind::Numbers),
        BinaryOp::Sub => (BinOp::Sub, Kind::Numbers),
        BinaryOp::Shl => (BinOp::Shl, Kind::Shift),
        BinaryOp::Shr => (BinOp::Shr, Kind::Shift),
        BinaryOp::Lt => (BinOp::Lt, Kind::Comparison),
        BinaryOp::Le => (BinOp::Le, Kind::Comparison),
        BinaryOp::Gt => (BinOp::Gt, Kind::Comparison),
        BinaryOp::Ge => (BinOp::Ge, Kind::Comparison),
        BinaryOp::Eq => (BinOp::Eq, Kind::Comparison),
        BinaryOp::Ne => (BinOp::Ne, Kind::Comparison),
        BinaryOp::BitAnd => (BinOp::BitAnd, Kind::Integers),
        BinaryOp::BitXor => (BinOp::BitXor, Kind::Integers),
        BinaryOp::BitOr => (BinOp::BitOr, Kind::Integers),
        BinaryOp::And => (BinOp::And, Kind::Logical),
        BinaryOp::Or => (BinOp::Or, Kind::Logical),
    }
}

/// The operation on numbers without bounds; nothing where it has no result.
fn computed(op: BinaryOp, l: i128, r: i128) -> Option<i128> {
    let shift = || u32::try_from(r).ok().filter(|n| *n < 64);
    Some(match op {
        BinaryOp::Mul => l.checked_mul(r)?,
        BinaryOp::Div => l.checked_div(r)?,
        BinaryOp::Rem => l.checked_rem(r)?,
        BinaryOp::Add => l.checked_add(r)?,
        BinaryOp::Sub => l.checked_sub(r)?,
        BinaryOp::Shl => l.checked_mul(1i128 << shift()?)?,
        BinaryOp::Shr => l >> shift()?,
        BinaryOp::Lt => i128::from(l < r),
        BinaryOp::Le => i128::from(l <= r),
        BinaryOp::Gt => i128::from(l > r),
        BinaryOp::Ge => i128::from(l >= r),
        BinaryOp::Eq => i128::from(l == r),
        BinaryOp::Ne => i128::from(l != r),
        BinaryOp::BitAnd => l & r,
        BinaryOp::BitXor => l ^ r,
        BinaryOp::BitOr => l | r,
        BinaryOp::And => i128::from(l != 0 && r != 0),
        BinaryOp::Or => i128::from(l != 0 || r != 0),
    })
}
