//! Expressions of programs as diagrams: when one can be 1, and when it can be 0. As every choice in an expression is
//! one of its own, both follow from those of the operands.

use bdd::Engine;
use bp::{BinOp, Expr, VarId};

/// When an expression can be 1, and when it can be 0.
pub(crate) struct Can<B> {
    pub(crate) one: B,
    pub(crate) zero: B,
}

/// The expression, with the values of variables given by `var`; the flag is set for next values.
pub(crate) fn can<E: Engine>(
    engine: &mut E,
    e: &Expr<VarId>,
    var: &mut dyn FnMut(&mut E, VarId, bool) -> E::Bdd,
) -> Can<E::Bdd> {
    match e {
        Expr::Const(b) => Can { one: engine.constant(*b), zero: engine.constant(!*b) },
        Expr::Star => Can { one: engine.constant(true), zero: engine.constant(true) },
        Expr::Var(v) => literal(engine, *v, false, var),
        Expr::Next(v) => literal(engine, *v, true, var),
        Expr::Not(a) => {
            let a = can(engine, a, var);
            Can { one: a.zero, zero: a.one }
        }
        Expr::And(list) => {
            let mut out = Can { one: engine.constant(true), zero: engine.constant(false) };
            for operand in list {
                let a = can(engine, operand, var);
                out = Can { one: engine.and(&out.one, &a.one), zero: engine.or(&out.zero, &a.zero) };
            }
            out
        }
        Expr::Or(list) => {
            let mut out = Can { one: engine.constant(false), zero: engine.constant(true) };
            for operand in list {
                let a = can(engine, operand, var);
                out = Can { one: engine.or(&out.one, &a.one), zero: engine.and(&out.zero, &a.zero) };
            }
            out
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (can(engine, a, var), can(engine, b, var));
            binary(engine, *op, &a, &b)
        }
        Expr::Ite(c, a, b) => {
            let (c, a, b) = (can(engine, c, var), can(engine, a, var), can(engine, b, var));
            Can {
                one: either(engine, (&c.one, &a.one), (&c.zero, &b.one)),
                zero: either(engine, (&c.one, &a.zero), (&c.zero, &b.zero)),
            }
        }
        Expr::Choose(a, b) => {
            let (a, b) = (can(engine, a, var), can(engine, b, var));
            // When the first side does not hold, 0 is possible in any case, and 1 when the second does not hold either.
            let free = engine.and(&a.zero, &b.zero);
            Can { one: engine.or(&a.one, &free), zero: a.zero }
        }
    }
}

fn literal<E: Engine>(
    engine: &mut E,
    v: VarId,
    next: bool,
    var: &mut dyn FnMut(&mut E, VarId, bool) -> E::Bdd,
) -> Can<E::Bdd> {
    let one = var(engine, v, next);
    let zero = engine.not(&one);
    Can { one, zero }
}

/// `a & b | c & d`
fn either<E: Engine>(engine: &mut E, (a, b): (&E::Bdd, &E::Bdd), (c, d): (&E::Bdd, &E::Bdd)) -> E::Bdd {
    let left = engine.and(a, b);
    let right = engine.and(c, d);
    engine.or(&left, &right)
}

fn binary<E: Engine>(engine: &mut E, op: BinOp, a: &Can<E::Bdd>, b: &Can<E::Bdd>) -> Can<E::Bdd> {
    let same = either(engine, (&a.one, &b.one), (&a.zero, &b.zero));
    let unlike = either(engine, (&a.one, &b.zero), (&a.zero, &b.one));
    match op {
        BinOp::Eq => Can { one: same, zero: unlike },
        BinOp::Ne | BinOp::Xor => Can { one: unlike, zero: same },
        BinOp::Implies => Can { one: engine.or(&a.zero, &b.one), zero: engine.and(&a.one, &b.zero) },
    }
}
