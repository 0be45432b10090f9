//! Values of boolean expressions, choices included, written apart from every engine.

use bp::{Expr, Name};

/// The values that an expression can take: whether 0 is one, whether 1 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Values {
    pub(crate) zero: bool,
    pub(crate) one: bool,
}

impl Values {
    /// One value only.
    pub(crate) fn just(b: bool) -> Values {
        Values { zero: !b, one: b }
    }

    /// Whether the value is among them.
    pub(crate) fn admit(self, b: bool) -> bool {
        if b { self.one } else { self.zero }
    }
}

/// The values of an expression in a valuation. Exact when no choice occurs twice, which is how c2bp writes.
pub(crate) fn values(e: &Expr, valuation: &dyn Fn(&Name) -> bool) -> Values {
    values_of_step(e, valuation, &|v| panic!("'{v} stands outside of constrain"))
}

/// The same for the condition of a `constrain`, between two valuations.
pub(crate) fn values_of_step(
    e: &Expr,
    valuation: &dyn Fn(&Name) -> bool,
    next: &dyn Fn(&Name) -> bool,
) -> Values {
    let of = |e: &Expr| values_of_step(e, valuation, next);
    match e {
        Expr::Const(b) => Values::just(*b),
        Expr::Star => Values { zero: true, one: true },
        Expr::Var(v) => Values::just(valuation(&v.name)),
        Expr::Next(v) => Values::just(next(&v.name)),
        Expr::Not(e) => {
            let v = of(e);
            Values { zero: v.one, one: v.zero }
        }
        Expr::And(es) => es
            .iter()
            .map(of)
            .fold(Values::just(true), |a, b| Values { zero: a.zero || b.zero, one: a.one && b.one }),
        Expr::Or(es) => es
            .iter()
            .map(of)
            .fold(Values::just(false), |a, b| Values { zero: a.zero && b.zero, one: a.one || b.one }),
        Expr::Choose(a, b) => {
            let (a, b) = (of(a), of(b));
            assert!(a.zero != a.one && b.zero != b.one, "c2bp writes no choices inside of choose");
            match (a.one, b.one) {
                (true, _) => Values::just(true),
                (false, true) => Values::just(false),
                (false, false) => Values { zero: true, one: true },
            }
        }
        Expr::Binary(bp::BinOp::Eq, a, b) => {
            let (a, b) = (of(a), of(b));
            assert!(a.zero != a.one && b.zero != b.one, "c2bp writes no choices inside of equations");
            Values::just(a.one == b.one)
        }
        other => panic!("c2bp does not write {other:?}"),
    }
}
