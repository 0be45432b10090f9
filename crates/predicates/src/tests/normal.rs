//! Normal forms keep the meaning: each normalised condition has the truth value of the original in every state.

use crate::normal::{Normal, atoms, condition, normalise};
use crate::weakest_precondition::{Aliasing, Context, assign};
use base::Id;
use encoding::IntMode;
use ir::{Base, BinOp, Expr, IntType, Lvalue, Type, UnOp, VarId};
use proptest::prelude::*;

const TYPES: [IntType; 4] =
    [IntType::INT, IntType::UINT, IntType { bits: 8, signed: true }, IntType { bits: 16, signed: false }];

/// A program without sizes of interest.
const NOTHING: &str = "model LP64; entry start__; proc void start__(void) { entry L0; exit L0; L0: }";

/// Variables 0 to 7: two of each type.
fn var(i: usize) -> Expr {
    Expr::var(VarId::from_index(i), Type::Int(TYPES[i % 4]))
}

/// The value with C's meaning; `None` where it is undefined (signed overflow). Arithmetic at `Math` is exact.
fn eval(e: &Expr, env: &[i128]) -> Option<i128> {
    Some(match e {
        Expr::Const(v, _) => *v,
        Expr::Load(lv) => {
            let Base::Var(v) = lv.base else { panic!("only variables occur") };
            env[v.index()]
        }
        Expr::Cast(e, Type::Int(t)) => t.wrap(eval(e, env)?),
        Expr::Cast(e, _) => eval(e, env)?,
        Expr::Unary(UnOp::Not, e, _) => i128::from(eval(e, env)? == 0),
        Expr::Unary(UnOp::Neg, e, ty) => fit(-eval(e, env)?, ty)?,
        Expr::Cond(c, a, b) => eval(if eval(c, env)? != 0 { a } else { b }, env)?,
        Expr::Binary(op, l, r, ty) => {
            let (a, b) = (eval(l, env), eval(r, env));
            match op {
                BinOp::And if a == Some(0) || b == Some(0) => 0,
                BinOp::Or if a.is_some_and(|a| a != 0) || b.is_some_and(|b| b != 0) => 1,
                BinOp::And => i128::from(a? != 0 && b? != 0),
                BinOp::Or => i128::from(a? != 0 || b? != 0),
                BinOp::Eq => i128::from(a? == b?),
                BinOp::Ne => i128::from(a? != b?),
                BinOp::Lt => i128::from(a? < b?),
                BinOp::Le => i128::from(a? <= b?),
                BinOp::Gt => i128::from(a? > b?),
                BinOp::Ge => i128::from(a? >= b?),
                BinOp::Add => fit(a? + b?, ty)?,
                BinOp::Sub => fit(a? - b?, ty)?,
                BinOp::Mul => fit(a? * b?, ty)?,
                BinOp::Div => fit(a?.checked_div(b?)?, ty)?,
                BinOp::Rem => fit(a?.checked_rem(b?)?, ty)?,
                other => panic!("{other:?} is not generated"),
            }
        }
        other => panic!("{other:?} is not generated"),
    })
}

fn fit(v: i128, ty: &Type) -> Option<i128> {
    match ty {
        &Type::Int(t) if t.signed => (t.min() <= v && v <= t.max()).then_some(v),
        Type::Int(t) => Some(t.wrap(v)),
        _ => Some(v),
    }
}

/// An arithmetic expression of type `ty`.
fn number(ty: IntType) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        (0usize..8).prop_map(move |i| var(i).cast(Type::Int(ty))),
        (-3i128..4).prop_map(move |v| Expr::Const(ty.wrap(v), Type::Int(ty))),
    ];
    leaf.prop_recursive(3, 8, 2, move |inner| {
        let op = prop_oneof![
            2 => prop::sample::select(vec![BinOp::Add, BinOp::Sub, BinOp::Mul]),
            1 => prop::sample::select(vec![BinOp::Div, BinOp::Rem]),
        ];
        prop_oneof![
            (op, inner.clone(), inner.clone()).prop_map(|(op, l, r)| Expr::binary(op, l, r)),
            inner.prop_map(move |e| Expr::Unary(UnOp::Neg, Box::new(e), Type::Int(ty))),
        ]
    })
    .boxed()
}

fn comparison() -> BoxedStrategy<Expr> {
    let op = prop_oneof![
        Just(BinOp::Eq),
        Just(BinOp::Ne),
        Just(BinOp::Lt),
        Just(BinOp::Le),
        Just(BinOp::Gt),
        Just(BinOp::Ge)
    ];
    prop_oneof![Just(IntType::INT), Just(IntType::UINT)]
        .prop_flat_map(move |ty| (op.clone(), number(ty), number(ty)))
        .prop_map(|(op, l, r)| Expr::binary(op, l, r))
        .boxed()
}

fn boolean() -> BoxedStrategy<Expr> {
    comparison()
        .prop_recursive(2, 6, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|e| Expr::Unary(UnOp::Not, Box::new(e), Type::INT)),
                (inner.clone(), inner.clone()).prop_map(|(l, r)| Expr::and(l, r)),
                (inner.clone(), inner).prop_map(|(l, r)| Expr::or(l, r)),
            ]
        })
        .boxed()
}

fn state() -> impl Strategy<Value = Vec<i128>> {
    prop::collection::vec(prop_oneof![-4i128..5, any::<i32>().prop_map(i128::from)], 8)
        .prop_map(|vs| vs.iter().enumerate().map(|(i, v)| TYPES[i % 4].wrap(*v)).collect())
}

fn truth(n: &Normal, env: &[i128]) -> Option<bool> {
    eval(&condition(n), env).map(|v| v != 0)
}

/// Distinct variables never alias, equal ones always do.
struct Names;

impl Aliasing for Names {
    fn same_cell(&self, _: &Lvalue, _: &Lvalue) -> bool {
        true
    }
    fn agree_by_steps(&self, target: &Lvalue, read: &Lvalue) -> bool {
        target.base == read.base && target.path.len() == read.path.len()
    }
    fn may_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        a == b
    }
    fn must_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        a == b
    }
}

proptest! {
    #[test]
    fn normal_forms_keep_the_meaning(e in boolean(), env in state()) {
        if let Some(v) = eval(&e, &env) {
            for mode in [IntMode::Math, IntMode::Bits] {
                let n = normalise(e.clone(), mode, false);
                prop_assert_eq!(truth(&n, &env), Some(v != 0), "{:?} became {:?}", e, n);
            }
        }
    }

    #[test]
    fn normalising_twice_changes_nothing(e in boolean()) {
        for mode in [IntMode::Math, IntMode::Bits] {
            for atom in atoms(&e, mode, false) {
                let again = normalise(atom.clone(), mode, false);
                prop_assert_eq!(again, Normal::Atom { expr: atom, negated: false });
            }
        }
    }

    #[test]
    fn a_condition_and_its_negation_are_one_predicate(e in comparison()) {
        let (a, b) = (normalise(e.clone(), IntMode::Math, false), normalise(e.negated(), IntMode::Math, false));
        match (a, b) {
            (Normal::Constant(a), Normal::Constant(b)) => prop_assert_ne!(a, b),
            (Normal::Atom { expr: x, negated: a }, Normal::Atom { expr: y, negated: b }) => {
                prop_assert_eq!(x, y);
                prop_assert_ne!(a, b);
            }
            (a, b) => prop_assert!(false, "{:?} and {:?}", a, b),
        }
    }

    #[test]
    fn weakest_preconditions_predict_the_state_after(e in boolean(), i in 0usize..8, n in number(IntType::INT), env in state()) {
        let target = Lvalue::var(VarId::from_index(i), Type::Int(TYPES[i % 4]));
        let value = n.cast(target.ty.clone());
        let Some(v) = eval(&value, &env) else { return Ok(()) };
        let mut after = env.clone();
        after[i] = v;
        let Some(expected) = eval(&e, &after) else { return Ok(()) };
        let program = ir::parse::program(NOTHING).expect("the text is a program");
        for mode in [IntMode::Math, IntMode::Bits] {
            let cx = Context { program: &program, oracle: &Names, mode };
            // Predicates are in normal form before their precondition is taken.
            let post = condition(&normalise(e.clone(), mode, false));
            let pre = assign(cx, &target, &value, &post);
            let got = eval(&pre, &env).map(|v| v != 0);
            prop_assert_eq!(got, Some(expected != 0), "{:?}", pre);
        }
    }
}

#[test]
fn quotients_of_mathematical_constants_are_numbers() {
    let math = |v: i128| Expr::Const(v, Type::Math);
    let zero = Expr::Const(0, Type::INT);
    for (op, value) in [(BinOp::Div, -3), (BinOp::Rem, -1)] {
        let quotient = Expr::Binary(op, Box::new(math(-7)), Box::new(math(2)), Type::Math);
        let is = |v| normalise(Expr::binary(BinOp::Eq, quotient.clone(), math(v)), IntMode::Math, false);
        assert_eq!((is(value), is(value - 1)), (Normal::Constant(true), Normal::Constant(false)));
    }
    // What C does not define stays as it is.
    let by_zero = Expr::Binary(BinOp::Rem, Box::new(math(7)), Box::new(math(0)), Type::Math);
    let equation = Expr::binary(BinOp::Eq, by_zero, zero.cast(Type::Math));
    assert!(matches!(normalise(equation, IntMode::Math, false), Normal::Atom { .. }));
}

#[test]
fn constants_meet() {
    let shown = |ty: IntType, steps: &[(BinOp, i128)], op: BinOp, bound: i128| {
        let constant = |c| Expr::Const(c, Type::Int(ty));
        let x = Expr::var(VarId::from_index(0), Type::Int(ty));
        let sum = steps.iter().fold(x, |e, (op, c)| Expr::binary(*op, e, constant(*c)));
        let Normal::Atom { expr, negated } =
            normalise(Expr::binary(op, sum, constant(bound)), IntMode::Bits, false)
        else {
            return "constant".to_owned();
        };
        let Expr::Binary(op, l, r, _) = expr else { panic!("a comparison stays one") };
        let Expr::Const(bound, _) = *r else { panic!("the constant stands on the right") };
        let left = if matches!(*l, Expr::Load(_)) { "x" } else { "sum" };
        format!("{}{left} {} {bound}", if negated { "!" } else { "" }, op.symbol())
    };
    let (less, equal) = (BinOp::Lt, BinOp::Eq);
    let twice = [(BinOp::Sub, 1), (BinOp::Sub, 1)];
    assert_eq!(shown(IntType::INT, &twice, less, 0), "x < 2");
    // Unsigned sums wrap: equations may be moved, orders may not.
    assert_eq!(shown(IntType::UINT, &twice, less, 2), "sum < 2");
    assert_eq!(shown(IntType::UINT, &twice, equal, 4_294_967_295), "x == 1");
    // The constant that the type does not have stays where it is.
    assert_eq!(shown(IntType::INT, &[(BinOp::Sub, 1)], less, 2_147_483_647), "sum < 2147483647");
}
