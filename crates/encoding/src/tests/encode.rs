//! The translation to terms against C's meaning: with literal values for the variables, every expression's term is
//! the literal that C computes, and the definedness conditions hold exactly when C defines the result.

use crate::IntMode;
use crate::state::{Addresses, State};
use crate::{Encoder, SideConditions};
use alias::{AliasMode, AliasOracle, CellId, CellKind};
use base::Id;
use ir::{Base, BinOp, Expr, IntType, Program, Type, UnOp, VarId};
use proptest::prelude::*;
use smt::Term;

const TYPES: [IntType; 4] =
    [IntType::INT, IntType::UINT, IntType { bits: 8, signed: true }, IntType { bits: 64, signed: false }];

/// Variables 0 to 7: two of each type.
const TEXT: &str = "model LP64; entry start__;
global int a; global unsigned int b; global signed char c; global unsigned long d;
global int e; global unsigned int f; global signed char g; global unsigned long h;
proc void start__(void) { entry L0; exit L8; L0: e0: a = 1; goto L1; L1: e1: b = 1u; goto L2;
L2: e2: c = (signed char) 1; goto L3; L3: e3: d = 1ul; goto L4; L4: e4: e = 1; goto L5; L5: e5: f = 1u; goto L6;
L6: e6: g = (signed char) 1; goto L7; L7: e7: h = 1ul; goto L8; L8: }";

const BEYOND: &str = "a product is beyond 128 bits";

/// The value with C's meaning; `None` where it is undefined.
fn eval(e: &Expr, env: &[i128]) -> Option<i128> {
    let fit = |v: i128, t: IntType| match t.signed {
        true => (t.min() <= v && v <= t.max()).then_some(v),
        false => Some(t.wrap(v)),
    };
    Some(match e {
        Expr::Const(v, _) => *v,
        Expr::Load(lv) => {
            let Base::Var(v) = lv.base else { panic!("only variables occur") };
            env[v.index()]
        }
        Expr::Cast(e, Type::Int(t)) => t.wrap(eval(e, env)?),
        Expr::Unary(UnOp::Not, e, _) => i128::from(eval(e, env)? == 0),
        Expr::Unary(UnOp::Neg, e, Type::Int(t)) => fit(-eval(e, env)?, *t)?,
        Expr::Unary(UnOp::BitNot, e, Type::Int(t)) => t.wrap(!eval(e, env)?),
        Expr::Binary(op, l, r, Type::Int(t)) => {
            let (a, b) = (eval(l, env)?, eval(r, env)?);
            match op {
                BinOp::Eq => i128::from(a == b),
                BinOp::Lt => i128::from(a < b),
                BinOp::Ge => i128::from(a >= b),
                BinOp::Add => fit(a + b, *t)?,
                BinOp::Sub => fit(a - b, *t)?,
                BinOp::Mul => fit(a.checked_mul(b).expect(BEYOND), *t)?,
                BinOp::Div => fit(a.checked_div(b)?, *t)?,
                BinOp::Rem => {
                    fit(a.checked_div(b)?, *t)?;
                    a % b
                }
                BinOp::BitAnd => t.wrap(a & b),
                BinOp::BitOr => t.wrap(a | b),
                BinOp::BitXor => t.wrap(a ^ b),
                BinOp::Shl if (0..i128::from(t.bits)).contains(&b) => t.wrap(a << b),
                BinOp::Shr if (0..i128::from(t.bits)).contains(&b) => a >> b,
                BinOp::Shl | BinOp::Shr => return None,
                other => panic!("{other:?} is not generated"),
            }
        }
        other => panic!("{other:?} is not generated"),
    })
}

/// Whether products occur, whose value at 64 bits may be beyond what terms fold.
fn has_product(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |n| found |= matches!(n, Expr::Binary(BinOp::Mul, ..)));
    found
}

fn number(ty: IntType) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        (0usize..8)
            .prop_map(move |i| Expr::var(VarId::from_index(i), Type::Int(TYPES[i % 4])).cast(Type::Int(ty))),
        (-3i128..9).prop_map(move |v| Expr::Const(ty.wrap(v), Type::Int(ty))),
    ];
    leaf.prop_recursive(3, 8, 2, move |inner| {
        let op = prop::sample::select(vec![
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::Div,
            BinOp::Rem,
            BinOp::BitAnd,
            BinOp::BitOr,
            BinOp::BitXor,
            BinOp::Shl,
            BinOp::Shr,
        ]);
        let un = prop::sample::select(vec![UnOp::Neg, UnOp::BitNot]);
        let compare = prop::sample::select(vec![BinOp::Eq, BinOp::Lt, BinOp::Ge]);
        prop_oneof![
            4 => (op, inner.clone(), inner.clone()).prop_map(|(op, l, r)| Expr::binary(op, l, r)),
            1 => (un, inner.clone()).prop_map(move |(op, e)| Expr::Unary(op, Box::new(e), Type::Int(ty))),
            1 => (compare, inner.clone(), inner).prop_map(move |(op, l, r)| Expr::binary(op, l, r).cast(Type::Int(ty))),
        ]
    })
    .boxed()
}

fn state() -> impl Strategy<Value = Vec<i128>> {
    prop::collection::vec(prop_oneof![3 => -4i128..9, 1 => any::<i64>().prop_map(i128::from)], 8)
        .prop_map(|vs| vs.iter().enumerate().map(|(i, v)| TYPES[i % 4].wrap(*v)).collect())
}

/// Every variable has its literal value.
struct Literals<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    mode: IntMode,
    env: &'a [i128],
}

impl State for Literals<'_> {
    fn scalar(&mut self, cell: CellId, ty: &Type, _: &mut SideConditions) -> Term {
        let CellKind::Scalar { var, .. } = self.oracle.cell_kind(cell) else {
            panic!("a variable is a scalar cell")
        };
        let (value, bits) = (self.env[var.index()], ty.as_int().expect("all variables are integers").bits);
        match self.mode {
            IntMode::Math => Term::int(value),
            IntMode::Bits => Term::bv_signed(bits.into(), value),
        }
    }
    fn map(&mut self, _: CellId, _: &Type, _: &mut SideConditions) -> Term {
        panic!("no memory is read in {}", self.program.procs.len())
    }
    fn address(&mut self, _: VarId) -> i128 {
        panic!("no address is taken")
    }
    fn entry(&mut self) -> &mut dyn State {
        panic!("no old value occurs")
    }
}

fn agrees(e: &Expr, env: &[i128]) -> Result<(), TestCaseError> {
    let program = ir::parse::program(TEXT).expect("the text is a program");
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let addresses = Addresses::new(&program);
    let expected = eval(e, env);
    for mode in [IntMode::Math, IntMode::Bits] {
        let encoder = Encoder { program: &program, oracle: &oracle, addresses: &addresses, mode };
        let mut facts = SideConditions::new("t");
        let mut state = Literals { program: &program, oracle: &oracle, mode, env };
        let term = encoder.value(e, &mut state, &mut facts);
        let defined = Term::and(facts.defined).as_bool();
        prop_assert_eq!(defined, Some(expected.is_some()), "definedness in {:?}: {:?}", mode, e);
        if let Some(v) = expected {
            let wanted = encoder.literal(v, &e.ty());
            prop_assert_eq!(&term, &wanted, "in {:?}: {:?}", mode, e);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn ints(e in number(IntType::INT), env in state()) {
        agrees(&e, &env)?;
    }

    #[test]
    fn unsigned_longs(e in number(TYPES[3]).prop_filter(BEYOND, |e| !has_product(e)), env in state()) {
        agrees(&e, &env)?;
    }

    #[test]
    fn unsigned_ints(e in number(IntType::UINT), env in state()) {
        agrees(&e, &env)?;
    }
}

/// C and the interpreter allow the address behind an array's last element, and take an array of one element for one
/// of any length.
#[test]
fn indices_are_bounded_as_in_the_interpreter() {
    let text = "model LP64; entry start__; struct s { int n; char d[1]; };
        global int a[3]; global int x; global int *p; global struct s *q; global char c; global char *r;
        proc void start__(void) { entry L0; exit L4; L0: e0: x = a[x]; goto L1; L1: e1: p = &a[x]; goto L2;
        L2: e2: c = q->d[x]; goto L3; L3: e3: r = &q->d[x]; goto L4; L4: }";
    let program = ir::parse::program(text).expect("the text is a program");
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let addresses = Addresses::new(&program);
    let encoder = Encoder { program: &program, oracle: &oracle, addresses: &addresses, mode: IntMode::Math };
    // Whether the right side of an edge is defined when x has a value.
    let defined = |edge: usize, x: i128| {
        let ir::Op::Assign(_, e) = &program.procs[program.entry].edges.as_slice()[edge].op else {
            panic!("the edges are assignments");
        };
        let mut facts = SideConditions::new("t");
        let mut state = crate::Vocabulary::new(&program, &addresses, IntMode::Math, "");
        encoder.value(e, &mut state, &mut facts);
        let index = program.vars.ids().find(|v| program.vars[*v].name == "x").expect("there is an x");
        let cell = oracle.cell(&program.lvalue(index));
        let name = Term::constant(&cell.to_string(), smt::Sort::Int);
        let values = std::iter::once((name, Term::int(x))).collect();
        let all = Term::and(facts.defined.iter().map(|d| d.substitute(&values)));
        all.as_bool() != Some(false)
    };
    let of = |edge| [-1, 0, 2, 3, 4].map(|x| defined(edge, x));
    assert_eq!(of(0), [false, true, true, false, false], "a[x]");
    assert_eq!(of(1), [false, true, true, true, false], "&a[x]");
    assert_eq!(of(2), [true; 5], "q->d[x]");
    assert_eq!(of(3), [true; 5], "&q->d[x]");
}
