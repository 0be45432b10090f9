//! Generators of random expressions, for tests of several modules.

use ieee::{Arithmetic, Rounding};
use ir::expr::{BinOp, Expr, FloatOp, Lvalue, UnOp};
use ir::extent::extent_type;
use ir::parse;
use ir::program::Program;
use ir::types::{FloatType, IntType, Type};
use proptest::prelude::*;
use std::sync::OnceLock;

/// Which expressions are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forms {
    /// Everything that predicates may contain, over all variables of [`SCOPE`].
    Predicates,
    /// Expressions that a C compiler accepts: numbers only.
    Compilable,
}

/// The declarations for the expressions of the tests.
pub(crate) const SCOPE: &str = "
struct node { int value; struct node *next; unsigned _BitInt(3) flags @16:2; union u @20; char name[8] @24; };
union u { int word; unsigned char byte; };
global int x; global unsigned int u; global long l; global unsigned long ul; global char c; global short s;
global _Bool b; global float f; global double d; global int *p; global struct node *n; global struct node st;
global int a[10]; global int m[2][3]; global void *v; global int (*fp)(int);
extern int fun(int);
";

pub(crate) fn scope() -> Program {
    static PARSED: OnceLock<Program> = OnceLock::new();
    PARSED.get_or_init(|| parse::program(SCOPE).unwrap_or_else(|e| panic!("{e:?}"))).clone()
}

fn leaf(ty: Type, forms: Forms) -> BoxedStrategy<Expr> {
    let p = scope();
    let vars: Vec<Expr> = p.globals.iter().map(|v| p.read(*v)).filter(|e| e.ty() == ty).collect();
    let constant: BoxedStrategy<Expr> = match ty.clone() {
        Type::Int(i) => prop_oneof![-3i128..4, any::<i128>()]
            .prop_map(move |v| Expr::Const(i.wrap(v), Type::Int(i)))
            .boxed(),
        Type::Math => any::<i128>().prop_map(|v| Expr::Const(v, Type::Math)).boxed(),
        Type::Float(f) => any::<f64>()
            .prop_map(move |v| {
                let v = match forms {
                    _ if v.is_nan() => f64::NAN,
                    // Exact at both types, so that C's one rounding of the decimal digits agrees with two.
                    Forms::Compilable if !v.is_finite() => 0.5,
                    Forms::Compilable => f64::from(v.clamp(-1e30, 1e30) as f32),
                    Forms::Predicates => v,
                };
                Expr::Float(v.to_bits(), Type::Float(f))
            })
            .boxed(),
        ty => prop_oneof![Just(0i128), Just(8)].prop_map(move |v| Expr::Const(v, ty.clone())).boxed(),
    };
    if vars.is_empty() { constant } else { prop_oneof![constant, proptest::sample::select(vars)].boxed() }
}

fn int_types(forms: Forms) -> Vec<Type> {
    let bits =
        [(1, false), (8, true), (16, true), (32, true), (32, false), (40, false), (64, true), (64, false)];
    let admitted = bits.iter().filter(|(bits, _)| forms == Forms::Predicates || *bits != 40);
    admitted.map(|(bits, signed)| Type::Int(IntType { bits: *bits, signed: *signed })).collect()
}

/// Well-typed trees of some depth, as the front end and the predicate code build them: arithmetic at promoted types.
pub(crate) fn tree(ty: Type, depth: u32, forms: Forms) -> BoxedStrategy<Expr> {
    if depth == 0 {
        return leaf(ty, forms);
    }
    let below = move |ty: &Type| tree(ty.clone(), depth - 1, forms);
    let mut of_type = vec![leaf(ty.clone(), forms)];
    let mut casts_from = int_types(forms);
    if ty == Type::INT {
        let mut compared = int_types(forms);
        compared.push(Type::Float(FloatType { bits: 64 }));
        if forms == Forms::Predicates {
            compared.extend([Type::Math, Type::INT.ptr_to()]);
        }
        for operand in compared {
            let ops = proptest::sample::select(vec![BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Ge]);
            of_type.push(
                (ops, below(&operand), below(&operand)).prop_map(|(op, l, r)| Expr::binary(op, l, r)).boxed(),
            );
        }
        let ops = proptest::sample::select(vec![BinOp::And, BinOp::Or]);
        of_type.push((ops, below(&ty), below(&ty)).prop_map(|(op, l, r)| Expr::binary(op, l, r)).boxed());
        of_type.push(below(&ty).prop_map(|e| Expr::Unary(UnOp::Not, Box::new(e), Type::INT)).boxed());
    }
    match &ty {
        Type::Ptr(_) => {
            of_type.push(
                (below(&ty), below(&Type::INT)).prop_map(|(p, i)| Expr::binary(BinOp::PtrAdd, p, i)).boxed(),
            );
            of_type.push(below(&ty).prop_map(|p| Lvalue::deref(p).addr()).boxed());
            if forms == Forms::Predicates {
                let start = |p| Expr::Unary(UnOp::Start, Box::new(p), Type::Void.ptr_to());
                let to = ty.clone();
                of_type.push(below(&ty).prop_map(move |p| start(p).cast(to.clone())).boxed());
            }
        }
        Type::Int(i) if i.bits < 32 => {}
        _ => {
            let mut ops = vec![BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div];
            if matches!(ty, Type::Int(_)) {
                ops.extend([BinOp::Shl, BinOp::Shr, BinOp::BitAnd, BinOp::BitXor, BinOp::Rem]);
            }
            let ops = proptest::sample::select(ops);
            of_type.push((ops, below(&ty), below(&ty)).prop_map(|(op, l, r)| Expr::binary(op, l, r)).boxed());
            let t = ty.clone();
            of_type
                .push(below(&ty).prop_map(move |e| Expr::Unary(UnOp::Neg, Box::new(e), t.clone())).boxed());
        }
    }
    if forms == Forms::Predicates && matches!(ty, Type::Float(_)) {
        let ops: Vec<BinOp> = [Arithmetic::Add, Arithmetic::Div]
            .into_iter()
            .flat_map(|op| [Rounding::Up, Rounding::Down, Rounding::Zero].map(|to| BinOp::Rounded(op, to)))
            .collect();
        let ops = proptest::sample::select(ops);
        of_type.push((ops, below(&ty), below(&ty)).prop_map(|(op, l, r)| Expr::binary(op, l, r)).boxed());
        let single = ty == Type::Float(FloatType { bits: 32 });
        let converted = move |to| if single { FloatOp::ToSingle(to) } else { FloatOp::ToDouble(to) };
        let ops = proptest::sample::select(vec![
            FloatOp::Rint,
            FloatOp::RoundedSqrt(Rounding::Up),
            converted(Rounding::Down),
        ]);
        of_type.push((ops, below(&ty)).prop_map(|(op, e)| op.of(e)).boxed());
        of_type.push(below(&Type::INT).prop_map(move |e| converted(Rounding::Zero).of(e)).boxed());
    }
    if forms == Forms::Predicates {
        of_type.push(below(&ty).prop_map(|e| Expr::Old(Box::new(e))).boxed());
        if ty == extent_type() {
            let ops = vec![UnOp::Left(4), UnOp::Left(1), UnOp::Before(4), UnOp::Before(8)];
            let of_pointer = (proptest::sample::select(ops), below(&Type::INT.ptr_to()));
            let ty = ty.clone();
            of_type
                .push(of_pointer.prop_map(move |(op, p)| Expr::Unary(op, Box::new(p), ty.clone())).boxed());
        }
    }
    let conditional = (below(&Type::INT), below(&ty), below(&ty));
    of_type.push(conditional.prop_map(|(c, a, b)| Expr::Cond(Box::new(c), Box::new(a), Box::new(b))).boxed());
    if ty == Type::INT && forms == Forms::Predicates {
        of_type.push(below(&Type::INT.ptr_to()).prop_map(|p| Lvalue::deref(p).load()).boxed());
    }
    casts_from.extend([32, 64].map(|bits| Type::Float(FloatType { bits })));
    if ty != Type::Int(IntType::BOOL) && ty.as_int().is_none_or(|i| i.bits != 1) {
        for from in casts_from {
            let to = ty.clone();
            of_type.push(below(&from).prop_map(move |e| Expr::Cast(Box::new(e), to.clone())).boxed());
        }
    }
    proptest::strategy::Union::new(of_type).boxed()
}
