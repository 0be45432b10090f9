//! The choice of the integer mode (`--integers auto`): mathematical integers, unless the program works on bits in
//! a way that they can only over-approximate.
//!
//! Invariant: `exact_in_math` agrees with what the encoder of predicates (`encode`) says of itself; where
//! it is too generous, the loop notices by a counterexample that does not replay, and starts again with bit-vectors.

use crate::IntMode;
use base::{Diagnostic, Span};
use ir::{BinOp, Expr, IntType, Program, Type, UnOp};

/// Why a program needs bit-vectors, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeedsBits {
    /// The operation, in words.
    pub what: &'static str,
    /// Where it first occurs.
    pub span: Span,
}

/// The mode for a program: the one that is wished, or the better one, and, when that is bit-vectors, why.
///
/// # Errors
/// When mathematical integers are asked for and would be wrong.
pub fn choose(program: &Program, wish: Option<IntMode>) -> Result<(IntMode, Option<NeedsBits>), NeedsBits> {
    match wish {
        Some(IntMode::Bits) => Ok((IntMode::Bits, None)),
        Some(IntMode::Math) => match too_wide_for_math(program) {
            None => Ok((IntMode::Math, None)),
            Some(needs) => Err(needs),
        },
        None => match needs_bits(program) {
            None => Ok((IntMode::Math, None)),
            some => Ok((IntMode::Bits, some)),
        },
    }
}

impl NeedsBits {
    /// What to tell a user who asked for mathematical integers.
    pub fn refusal(&self) -> Diagnostic {
        Diagnostic::error(self.span, format!("--integers math does not model an {}", self.what))
    }
}

/// The first operation of the program that mathematical integers only over-approximate.
fn needs_bits(program: &Program) -> Option<NeedsBits> {
    first(program, |e| exact_in_math(e).err())
}

/// The first use of integers so wide that arithmetic on mathematical integers would not wrap them.
fn too_wide_for_math(program: &Program) -> Option<NeedsBits> {
    first(program, |e| wide(e).then_some("integer of more than 100 bits"))
}

/// Whether terms of this mode can say what the condition says: one that was written for the other mode, or by hand, may
/// mix numbers that do not mix.
///
/// # Errors
/// What it has that the mode has not.
pub fn expressible(e: &Expr, mode: IntMode) -> Result<(), &'static str> {
    let mut found = None;
    e.walk(&mut |node| {
        if found.is_none() {
            found = match mode {
                IntMode::Bits => is_mathematical(node).then_some("mathematical integers with bit-vectors"),
                IntMode::Math if wide(node) => Some("an integer of more than 100 bits"),
                IntMode::Math => {
                    (!mixes(node)).then_some("an operation that mathematical integers do not have")
                }
            };
        }
    });
    found.map_or(Ok(()), Err)
}

/// Whether the node's own type is that of mathematical integers.
fn is_mathematical(e: &Expr) -> bool {
    match e {
        Expr::Const(_, ty) | Expr::Unary(_, _, ty) | Expr::Binary(_, _, _, ty) | Expr::Cast(_, ty) => {
            *ty == Type::Math
        }
        Expr::Load(lv) => lv.ty == Type::Math,
        Expr::Float(..) | Expr::AddrOf(_) | Expr::Func(..) | Expr::Cond(..) | Expr::Old(_) => false,
    }
}

/// Whether the node's operands fit together, as far as mathematical integers are among them.
fn mixes(e: &Expr) -> bool {
    let is_number = |e: &Expr| matches!(e.ty(), Type::Int(_) | Type::Math);
    let arithmetic =
        |op: &BinOp| matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem);
    match e {
        Expr::Binary(op, l, r, Type::Math) => arithmetic(op) && is_number(l) && is_number(r),
        Expr::Binary(op, l, r, _) => {
            let mathematical = l.ty() == Type::Math || r.ty() == Type::Math;
            !mathematical
                || (op.is_comparison() || matches!(op, BinOp::And | BinOp::Or))
                    && is_number(l)
                    && is_number(r)
        }
        Expr::Unary(op, operand, Type::Math) => *op == UnOp::Neg && is_number(operand),
        Expr::Unary(op, operand, _) => *op == UnOp::Not || operand.ty() != Type::Math,
        Expr::Cast(operand, Type::Math) => is_number(operand),
        Expr::Cast(operand, ty) => operand.ty() != Type::Math || matches!(ty, Type::Int(_)),
        Expr::Cond(_, a, b) => is_number(a) == is_number(b),
        Expr::Const(..)
        | Expr::Float(..)
        | Expr::Load(_)
        | Expr::AddrOf(_)
        | Expr::Func(..)
        | Expr::Old(_) => true,
    }
}

fn first(program: &Program, mut complain: impl FnMut(&Expr) -> Option<&'static str>) -> Option<NeedsBits> {
    for (_, _, edge) in program.edges() {
        let mut found = None;
        ir::visit::nodes(&edge.op, &mut |node| {
            if found.is_none() {
                found = complain(node);
            }
        });
        if let Some(what) = found {
            return Some(NeedsBits { what, span: edge.span });
        }
    }
    None
}

/// Whether mathematical integers express this node's operation exactly; its operands are not looked into.
fn exact_in_math(e: &Expr) -> Result<(), &'static str> {
    if wide(e) {
        return Err("integer of more than 100 bits");
    }
    let Expr::Binary(op, l, r, Type::Int(_)) = e else { return Ok(()) };
    let exact = match op {
        BinOp::Shl | BinOp::Shr => r.uncast().as_const().is_some(),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
            (truth(l) && truth(r))
                || (l.uncast().as_const().is_some() && r.uncast().as_const().is_some())
                || (*op == BinOp::BitAnd
                    && [l, r].into_iter().filter_map(|e| e.uncast().as_const()).any(low_mask))
        }
        _ => true,
    };
    match op {
        _ if exact => Ok(()),
        BinOp::Shl | BinOp::Shr => Err("shift by a variable amount"),
        _ => Err("bit operation"),
    }
}

/// Whether the node's value may be so wide that arithmetic on it could wrap at another number than on mathematical integers.
/// Sums and products of signed numbers of up to 64 bits do not.
fn wide(e: &Expr) -> bool {
    // `ty` of a node copies its type: asked for arithmetic, conversions and reads only, whose types are at hand.
    match e {
        Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, l, r, Type::Int(t)) if t.signed => {
            t.bits > WIDE && !(is_widened(l) && is_widened(r))
        }
        Expr::Cast(_, Type::Int(t)) => t.bits > WIDE && !is_widened(e),
        Expr::Binary(_, _, _, Type::Int(t)) | Expr::Unary(_, _, Type::Int(t)) => t.bits > WIDE,
        Expr::Load(lv) => matches!(lv.ty, Type::Int(t) if t.bits > WIDE),
        _ => false,
    }
}

/// The most bits of integers in which mathematical integers wrap.
pub(crate) const WIDE: u16 = 100;

/// Whether it is a signed number of up to 64 bits, or one that fits such, that was converted to a wider signed type.
fn is_widened(e: &Expr) -> bool {
    let long = i128::from(i64::MIN)..=i128::from(i64::MAX);
    match e {
        Expr::Cast(inner, Type::Int(to)) => {
            let fits = |from: IntType| from.bits <= 64 && long.contains(&from.max());
            to.signed && matches!(inner.ty(), Type::Int(from) if fits(from))
        }
        Expr::Const(v, _) => long.contains(v),
        _ => false,
    }
}

/// 2^k - 1.
pub(crate) fn low_mask(m: i128) -> bool {
    (0..i128::MAX).contains(&m) && (m + 1) & m == 0
}

/// A truth value, perhaps converted.
pub(crate) fn truth(e: &Expr) -> bool {
    let e = e.uncast();
    e.as_const().is_none() && e.is_condition()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;
    use ir::VarId;

    fn var(n: usize) -> Expr {
        Expr::var(VarId::from_index(n), Type::INT)
    }

    #[test]
    fn conditions_of_one_mode_are_refused_in_the_other() {
        let math = |n| var(n).cast(Type::Math);
        let sum = |op| Expr::Binary(op, Box::new(math(0)), Box::new(math(1)), Type::Math);
        let less = |l, r| Expr::binary(BinOp::Lt, l, r);
        let good = less(sum(BinOp::Add), math(2));
        assert_eq!(expressible(&good, IntMode::Math), Ok(()));
        assert!(expressible(&good, IntMode::Bits).is_err());
        assert_eq!(expressible(&less(var(0), var(1)), IntMode::Bits), Ok(()));
        assert!(expressible(&less(sum(BinOp::BitAnd), math(2)), IntMode::Math).is_err());
        let inverted = Expr::Unary(UnOp::BitNot, Box::new(math(0)), Type::Math);
        assert!(expressible(&less(inverted, math(1)), IntMode::Math).is_err());
    }

    #[test]
    fn products_of_long_numbers_fit_mathematical_integers() {
        let number = |bits, signed| Expr::var(VarId::from_index(0), Type::Int(IntType { bits, signed }));
        let wide = |e: Expr| e.cast(Type::Int(IntType { bits: 128, signed: true }));
        let product = |a: Expr, b: Expr| Expr::binary(BinOp::Mul, wide(a), wide(b));
        let long = || number(64, true);
        let below = |e: Expr| {
            let most = wide(Expr::Const(i128::from(i64::MAX), Type::Int(IntType { bits: 64, signed: true })));
            Expr::binary(BinOp::Le, e, most)
        };
        assert_eq!(expressible(&below(product(long(), long())), IntMode::Math), Ok(()));
        assert_eq!(expressible(&below(product(long(), number(32, false))), IntMode::Math), Ok(()));
        // The largest of these products are too large for the type itself.
        assert!(expressible(&below(product(long(), number(64, false))), IntMode::Math).is_err());
        let three = Expr::binary(BinOp::Mul, product(long(), long()), wide(long()));
        assert!(expressible(&below(three), IntMode::Math).is_err());
        assert!(exact_in_math(&number(128, true)).is_err());
    }

    #[test]
    fn masks_and_conditions_are_exact() {
        let lt = |a, b| Expr::binary(BinOp::Lt, var(a), var(b));
        let exact = [
            Expr::binary(BinOp::BitAnd, var(0), Expr::int(255)),
            Expr::binary(BinOp::BitAnd, Expr::int(1), var(0)),
            Expr::binary(BinOp::Shl, var(0), Expr::int(3)),
            Expr::binary(BinOp::BitOr, lt(0, 1), lt(1, 2)),
            Expr::binary(BinOp::Add, var(0), var(1)),
        ];
        for e in exact {
            assert_eq!(exact_in_math(&e), Ok(()), "{e:?}");
        }
        let wide = Type::Int(IntType { bits: 128, signed: false });
        let inexact = [
            Expr::binary(BinOp::BitAnd, var(0), Expr::int(6)),
            Expr::binary(BinOp::BitAnd, var(0), var(1)),
            Expr::binary(BinOp::BitOr, var(0), Expr::int(1)),
            Expr::binary(BinOp::Shr, var(0), var(1)),
            Expr::var(VarId::from_index(0), wide),
        ];
        for e in inexact {
            assert!(exact_in_math(&e).is_err(), "{e:?}");
        }
    }
}
