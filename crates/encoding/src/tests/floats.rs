//! Floating point as terms against the machine's: on constants, every expression's term is the literal that the processor
//! computes, and what is undefined has a definedness condition that does not hold.

use crate::{Addresses, Encoder, IntMode, SideConditions, Vocabulary};
use alias::{AliasMode, AliasOracle};
use ir::{Arithmetic, BinOp, Expr, FloatOp, FloatType, IntType, Program, Rounding, Type, UnOp};
use proptest::prelude::*;
use smt::Term;

const TEXT: &str = "model LP64; entry start__; proc void start__(void) { entry L0; exit L0; L0: }";

const INTEGERS: [IntType; 4] =
    [IntType::INT, IntType::UINT, IntType { bits: 64, signed: true }, IntType { bits: 64, signed: false }];

/// What the machine computes. A `float` is kept as the `double` of the same number.
#[derive(Clone, Copy, Debug)]
enum Machine {
    Float(f64),
    Double(f64),
    Int(i128, IntType),
    Undefined,
}

/// An expression and its value.
type Pair = (Expr, Machine);

fn float_type(bits: u16) -> Type {
    Type::Float(FloatType { bits })
}

/// The number as a value of this width.
fn rounded(bits: u16, v: f64) -> Machine {
    if bits == 32 { Machine::Float(f64::from(v as f32)) } else { Machine::Double(v) }
}

fn number(v: Machine) -> Option<(u16, f64)> {
    match v {
        Machine::Float(v) => Some((32, v)),
        Machine::Double(v) => Some((64, v)),
        Machine::Int(..) | Machine::Undefined => None,
    }
}

fn constant(bits: u16) -> BoxedStrategy<Pair> {
    let special = vec![0.0, -0.0, 1.0, -1.5, 2.5, 1e-40, 3e9, -7.0, f64::INFINITY, f64::NAN, 16_777_217.0];
    let small = (-4000i32..4000).prop_map(|n| f64::from(n) / 16.0);
    prop_oneof![proptest::sample::select(special), small, any::<f64>()]
        .prop_map(move |v| {
            let v = if bits == 32 { f64::from(v as f32) } else { v };
            (Expr::Float(v.to_bits(), float_type(bits)), rounded(bits, v))
        })
        .boxed()
}

fn floating(bits: u16, depth: u32) -> BoxedStrategy<Pair> {
    if depth == 0 {
        return constant(bits);
    }
    let same = move || floating(bits, depth - 1);
    let ops = vec![BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div];
    let binary = (proptest::sample::select(ops), same(), same()).prop_map(move |(op, (l, a), (r, b))| {
        let value = match (number(a), number(b)) {
            (Some((_, a)), Some((_, b))) => rounded(
                bits,
                match op {
                    BinOp::Add => a + b,
                    BinOp::Sub => a - b,
                    BinOp::Mul => a * b,
                    _ => a / b,
                },
            ),
            _ => Machine::Undefined,
        };
        (Expr::Binary(op, Box::new(l), Box::new(r), float_type(bits)), value)
    });
    let functions = [
        FloatOp::Abs,
        FloatOp::Sqrt,
        FloatOp::Floor,
        FloatOp::Ceil,
        FloatOp::Trunc,
        FloatOp::Round,
        FloatOp::Rint,
    ];
    let unary = (proptest::sample::select(functions.to_vec()), same()).prop_map(move |(op, (e, v))| {
        let value = number(v).map_or(Machine::Undefined, |(_, v)| {
            let v = match op {
                FloatOp::Abs => v.abs(),
                FloatOp::Sqrt => v.sqrt(),
                FloatOp::Floor => v.floor(),
                FloatOp::Ceil => v.ceil(),
                FloatOp::Trunc => v.trunc(),
                FloatOp::Round => v.round(),
                _ => v.round_ties_even(),
            };
            rounded(bits, v)
        });
        (op.of(e), value)
    });
    let roundings = || proptest::sample::select(vec![Rounding::Up, Rounding::Down, Rounding::Zero]);
    let directed =
        (directed_operator(), roundings(), same(), same()).prop_map(move |(op, to, (l, a), (r, b))| {
            let value = match (of_width(bits, a), of_width(bits, b)) {
                (Some(a), Some(b)) => with_bits(bits, ieee::arithmetic(op, bits.into(), a, b, to)),
                _ => Machine::Undefined,
            };
            (Expr::binary(BinOp::Rounded(op, to), l, r), value)
        });
    let directed_root = (roundings(), same()).prop_map(move |(to, (e, v))| {
        let value = of_width(bits, v).map(|v| with_bits(bits, ieee::sqrt(bits.into(), v, to)));
        (FloatOp::RoundedSqrt(to).of(e), value.unwrap_or(Machine::Undefined))
    });
    let directed_other = (roundings(), floating(96 - bits, depth - 1)).prop_map(move |(to, (e, v))| {
        let (from, into) = (u32::from(96 - bits), bits.into());
        let value = of_width(96 - bits, v).map(|v| with_bits(bits, ieee::convert(from, into, v, to)));
        let op = if bits == 32 { FloatOp::ToSingle(to) } else { FloatOp::ToDouble(to) };
        (op.of(e), value.unwrap_or(Machine::Undefined))
    });
    let minus = same().prop_map(move |(e, v)| {
        let value = number(v).map_or(Machine::Undefined, |(_, v)| rounded(bits, -v));
        (Expr::Unary(UnOp::Neg, Box::new(e), float_type(bits)), value)
    });
    let other = floating(96 - bits, depth - 1).prop_map(move |(e, v)| {
        let value = number(v).map_or(Machine::Undefined, |(_, v)| rounded(bits, v));
        (e.cast(float_type(bits)), value)
    });
    let from_integer = integer(depth - 1).prop_map(move |(e, v)| {
        let value = match v {
            Machine::Int(n, _) if bits == 32 => Machine::Float(f64::from(n as f32)),
            Machine::Int(n, _) => Machine::Double(n as f64),
            _ => Machine::Undefined,
        };
        (e.cast(float_type(bits)), value)
    });
    let directed = prop_oneof![3 => directed, 1 => directed_root, 1 => directed_other];
    prop_oneof![3 => binary, 2 => unary, 2 => directed, 1 => minus, 1 => other, 1 => from_integer].boxed()
}

fn directed_operator() -> impl Strategy<Value = Arithmetic> {
    proptest::sample::select(vec![Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div])
}

/// The bits of a floating-point number of this width.
fn of_width(bits: u16, v: Machine) -> Option<u128> {
    number(v).map(|(_, v)| if bits == 32 { (v as f32).to_bits().into() } else { v.to_bits().into() })
}

/// The number of this width with these bits.
fn with_bits(width: u16, bits: u128) -> Machine {
    match width {
        32 => Machine::Float(f32::from_bits(bits as u32).into()),
        _ => Machine::Double(f64::from_bits(bits as u64)),
    }
}

/// Conversions and comparisons.
fn integer(depth: u32) -> BoxedStrategy<Pair> {
    let leaf = (proptest::sample::select(INTEGERS.to_vec()), any::<i64>()).prop_map(|(t, n)| {
        let n = t.wrap(n.into());
        (Expr::Const(n, Type::Int(t)), Machine::Int(n, t))
    });
    if depth == 0 {
        return leaf.boxed();
    }
    let below = || prop_oneof![floating(32, depth - 1), floating(64, depth - 1)];
    let cut = (proptest::sample::select(INTEGERS.to_vec()), below()).prop_map(|(t, (e, v))| {
        let value = number(v).map_or(Machine::Undefined, |(_, v)| {
            let n = v.trunc();
            let top = 2f64.powi(i32::from(t.bits) - i32::from(t.signed));
            let fits = n < top && if t.signed { n >= -top } else { n >= 0.0 };
            if fits { Machine::Int(n as i128, t) } else { Machine::Undefined }
        });
        (e.cast(Type::Int(t)), value)
    });
    let ops = vec![BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge];
    let compared = (proptest::sample::select(ops), floating(64, depth - 1), floating(64, depth - 1))
        .prop_map(|(op, (l, a), (r, b))| {
            let value = match (number(a), number(b)) {
                (Some((_, a)), Some((_, b))) => {
                    let holds = match op {
                        BinOp::Eq => a == b,
                        BinOp::Ne => a != b,
                        BinOp::Lt => a < b,
                        BinOp::Le => a <= b,
                        BinOp::Gt => a > b,
                        _ => a >= b,
                    };
                    Machine::Int(holds.into(), IntType::INT)
                }
                _ => Machine::Undefined,
            };
            (Expr::binary(op, l, r), value)
        });
    prop_oneof![leaf, cut, compared].boxed()
}

/// The term of a value; a NaN has bits of its own.
fn literal(v: Machine) -> Option<Term> {
    Some(match v {
        Machine::Float(v) if v.is_nan() => Term::bv(32, 0x7fc0_0000),
        Machine::Double(v) if v.is_nan() => Term::bv(64, 0x7ff8_0000_0000_0000),
        Machine::Float(v) => Term::bv(32, (v as f32).to_bits().into()),
        Machine::Double(v) => Term::bv(64, v.to_bits().into()),
        Machine::Int(v, t) => Term::bv_signed(t.bits.into(), v),
        Machine::Undefined => return None,
    })
}

/// Whether this is a number or the bits of what is none.
fn is_nan(v: &Term) -> bool {
    v.fp_equal(v).as_bool() == Some(false)
}

fn agrees(e: &Expr, expected: Machine) -> Result<(), TestCaseError> {
    let program: Program = ir::parse::program(TEXT).expect("the program parses");
    let (oracle, addresses) = (AliasOracle::new(&program, AliasMode::Das), Addresses::new(&program));
    let encoder = Encoder { program: &program, oracle: &oracle, addresses: &addresses, mode: IntMode::Bits };
    let mut state = Vocabulary::new(&program, &addresses, IntMode::Bits, "");
    let mut facts = SideConditions::new("f");
    let term = encoder.value(e, &mut state, &mut facts);
    prop_assert!(facts.inexact.is_empty());
    let defined = Term::and(facts.defined.iter().cloned());
    match literal(expected) {
        None => prop_assert_eq!(defined.as_bool(), Some(false), "{:?}", e),
        Some(literal) => {
            prop_assert_eq!(defined.as_bool(), Some(true), "{:?}", e);
            // Operators that flip or clear the sign keep the other bits of a NaN.
            let both = number(expected).is_some_and(|(_, v)| v.is_nan()) && is_nan(&term);
            prop_assert!(both || term == literal, "{:?}: {} instead of {}", e, term, literal);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn terms_have_the_machines_bits((e, expected) in prop_oneof![floating(32, 4), floating(64, 4), integer(4)]) {
        agrees(&e, expected)?;
    }
}
