//! Small integer programs and the values of their expressions.

use ir::{BinOp, Expr, Program, Type, UnOp, VarId};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Values of variables.
pub(crate) type State = BTreeMap<VarId, i128>;

/// All states of the variables.
pub(crate) fn states(program: &Program, vars: &[VarId]) -> Vec<State> {
    let mut out = vec![State::new()];
    for v in vars {
        let t = program.vars[*v].ty.as_int().expect("all variables are integers");
        let extended = |s: &State| {
            let s = s.clone();
            (t.min()..=t.max()).map(move |k| s.iter().map(|(a, b)| (*a, *b)).chain([(*v, k)]).collect())
        };
        out = out.iter().flat_map(extended).collect();
    }
    out
}

/// The value of an expression over integer variables; `None` where C leaves it undefined, unless it is a
/// predicate's.
pub(crate) fn eval(e: &Expr, state: &State) -> Option<i128> {
    let truth = |b: bool| Some(i128::from(b));
    match e {
        Expr::Const(v, _) => Some(*v),
        Expr::Load(lv) => Some(state[&lv.as_var().expect("only whole variables occur")]),
        Expr::Cast(e, Type::Int(t)) => Some(t.wrap(eval(e, state)?)),
        Expr::Cast(e, Type::Math) => eval(e, state),
        // Formals keep their values.
        Expr::Old(e) => eval(e, state),
        Expr::Unary(UnOp::Not, e, _) => truth(eval(e, state)? == 0),
        Expr::Unary(UnOp::Neg, e, _) => Some(-eval(e, state)?),
        Expr::Binary(op, l, r, ty) => {
            let (l, r) = (eval(l, state)?, eval(r, state)?);
            let exact = match op {
                BinOp::Add => l + r,
                BinOp::Sub => l - r,
                BinOp::Mul => l * r,
                BinOp::Div | BinOp::Rem if r == 0 => return None,
                BinOp::Div => l / r,
                BinOp::Rem => l % r,
                BinOp::And => return truth(l != 0 && r != 0),
                BinOp::Or => return truth(l != 0 || r != 0),
                BinOp::Eq => return truth(l == r),
                BinOp::Ne => return truth(l != r),
                BinOp::Lt => return truth(l < r),
                BinOp::Le => return truth(l <= r),
                BinOp::Gt => return truth(l > r),
                BinOp::Ge => return truth(l >= r),
                other => panic!("{other:?} is not generated"),
            };
            Some(ty.as_int().map_or(exact, |t| if t.signed { exact } else { t.wrap(exact) }))
        }
        other => panic!("{other:?} is not generated"),
    }
}

/// The variables of the generated programs.
pub(crate) const VARS: &str =
    "local signed _BitInt(3) x; local unsigned _BitInt(2) u; local signed _BitInt(3) y;";

/// A term over them.
pub(crate) fn term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("y".to_owned()),
        Just("u".to_owned()),
        (-4i32..5).prop_map(|c| c.to_string()),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        (
            inner.clone(),
            prop_oneof![4 => Just("+"), 3 => Just("-"), 1 => Just("%"), 1 => Just("/")],
            inner,
            1i32..4,
        )
            .prop_map(|(l, op, r, c)| match op {
                "%" | "/" => format!("(({l}) {op} {c})"),
                _ => format!("(({l}) {op} ({r}))"),
            })
    })
}

fn atom() -> impl Strategy<Value = String> {
    (term(), prop_oneof![Just("=="), Just("<"), Just("<="), Just("!=")], term())
        .prop_map(|(l, op, r)| format!("{l} {op} {r}"))
}

/// A condition over them.
pub(crate) fn condition() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => atom(),
        1 => (atom(), prop_oneof![Just("&&"), Just("||")], atom()).prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
    ]
}
