//! Invariants as people write them: of several bounds of one term the tightest ones, `x > -1` as `x >= 0`.
//!
//! Each step gives a condition with the same meaning over integers.

use ir::{BinOp, Expr, Type};

/// The condition without conjuncts that others imply.
pub(super) fn tidy(condition: &Expr) -> Expr {
    match condition {
        Expr::Binary(BinOp::And, ..) => {
            let mut kept: Vec<Expr> = vec![];
            for part in condition.conjuncts().into_iter().map(tidy) {
                if !kept.iter().any(|k| implies(k, &part)) {
                    kept.retain(|k| !implies(&part, k));
                    kept.push(part);
                }
            }
            kept.into_iter().reduce(Expr::and).expect("a conjunction has parts")
        }
        Expr::Binary(BinOp::Or, l, r, t) => {
            Expr::Binary(BinOp::Or, Box::new(tidy(l)), Box::new(tidy(r)), t.clone())
        }
        other => closed(other),
    }
}

/// A bound that does not contain its end as one that does: `x > -1` is `x >= 0`.
fn closed(e: &Expr) -> Expr {
    match bound(e) {
        Some((term, true, least)) => with(e, BinOp::Ge, term, least),
        Some((term, false, most)) => with(e, BinOp::Le, term, most),
        None => e.clone(),
    }
}

fn with(e: &Expr, op: BinOp, term: &Expr, limit: i128) -> Expr {
    let Expr::Binary(old, _, r, t) = e else { return e.clone() };
    // An end that the type does not have would have to be written in another one.
    let fits = matches!(r.ty(), Type::Int(i) if limit >= i.min() && limit <= i.max());
    if *old == op || !fits {
        return e.clone();
    }
    let limit = Expr::Const(limit, r.ty());
    Expr::Binary(op, Box::new(term.clone()), Box::new(limit), t.clone())
}

/// A comparison of an integer with a constant: the term, whether it is bounded from below, and the bound itself.
fn bound(e: &Expr) -> Option<(&Expr, bool, i128)> {
    let Expr::Binary(op, term, limit, _) = e else { return None };
    let (Type::Int(_), Expr::Const(limit, _)) = (term.ty(), &**limit) else { return None };
    match op {
        BinOp::Gt => Some((term, true, limit.checked_add(1)?)),
        BinOp::Ge => Some((term, true, *limit)),
        BinOp::Lt => Some((term, false, limit.checked_sub(1)?)),
        BinOp::Le => Some((term, false, *limit)),
        _ => None,
    }
}

/// Whether the first condition implies the second, as far as their form shows.
fn implies(a: &Expr, b: &Expr) -> bool {
    if a == b {
        return true;
    }
    if let Expr::Binary(BinOp::Eq, term, value, _) = a
        && let (Some((other, below, limit)), Expr::Const(value, _)) = (bound(b), &**value)
    {
        return **term == *other && if below { *value >= limit } else { *value <= limit };
    }
    match (bound(a), bound(b)) {
        (Some((s, true, m)), Some((t, true, n))) => s == t && m >= n,
        (Some((s, false, m)), Some((t, false, n))) => s == t && m <= n,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;
    use ir::VarId;

    fn x(op: BinOp, value: i128) -> Expr {
        Expr::binary(op, Expr::var(VarId::from_index(0), Type::INT), Expr::int(value))
    }

    fn holds(e: &Expr, value: i128) -> bool {
        let Expr::Binary(op, l, r, _) = e else { panic!("a condition") };
        match (op, &**l, &**r) {
            (BinOp::And, l, r) => holds(l, value) && holds(r, value),
            (BinOp::Or, l, r) => holds(l, value) || holds(r, value),
            (BinOp::Eq, _, Expr::Const(v, _)) => value == *v,
            (BinOp::Lt, _, Expr::Const(v, _)) => value < *v,
            (BinOp::Le, _, Expr::Const(v, _)) => value <= *v,
            (BinOp::Gt, _, Expr::Const(v, _)) => value > *v,
            (BinOp::Ge, _, Expr::Const(v, _)) => value >= *v,
            _ => panic!("no other form is made here"),
        }
    }

    #[test]
    fn the_tightest_bounds_stay() {
        let all = [x(BinOp::Gt, -1), x(BinOp::Le, 7), x(BinOp::Gt, 3), x(BinOp::Lt, 9), x(BinOp::Le, 5)];
        let shown = tidy(&all.into_iter().reduce(Expr::and).expect("there are some"));
        assert_eq!(shown, Expr::and(x(BinOp::Ge, 4), x(BinOp::Le, 5)));
        assert_eq!(tidy(&Expr::and(x(BinOp::Ge, 0), x(BinOp::Eq, 3))), x(BinOp::Eq, 3));
        // The smallest value has none below it.
        assert_eq!(tidy(&x(BinOp::Lt, i128::from(i32::MIN))), x(BinOp::Lt, i128::from(i32::MIN)));
    }

    #[test]
    fn the_meaning_stays() {
        let ops = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq];
        let atoms: Vec<Expr> = ops.iter().flat_map(|op| (-2..=2).map(|v| x(*op, v))).collect();
        for a in &atoms {
            for b in &atoms {
                for c in [&atoms[0], &atoms[7], &atoms[12], &atoms[21]] {
                    let forms = [
                        Expr::and(Expr::and(a.clone(), b.clone()), c.clone()),
                        Expr::and(a.clone(), Expr::or(b.clone(), c.clone())),
                    ];
                    for e in forms {
                        let shown = tidy(&e);
                        assert!((-4..=4).all(|v| holds(&e, v) == holds(&shown, v)), "{e:?}\n{shown:?}");
                    }
                }
            }
        }
    }
}
