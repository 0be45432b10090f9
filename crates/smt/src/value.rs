//! Values of terms, and what each operator computes on them.
//!
//! [`apply`] is the one definition of the operators' meaning inside this crate: the constructors
//! fold literals with it and models evaluate with it. It follows SMT-LIB, and answers `None` where
//! SMT-LIB leaves the value open (division by zero) or where an integer leaves `i128`.

use std::collections::BTreeMap;
use std::fmt;

use crate::sort::Sort;
use crate::term::{Op, Term};

/// The value of a term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A bit-vector.
    BitVec {
        /// In bits.
        width: u32,
        /// Zero-extended.
        value: u128,
    },
    /// An array. Two that differ here may be the same map if the index sort is finite:
    /// compare with [`ArrayValue::same_map`].
    Array(ArrayValue),
}

/// A total map that has one value nearly everywhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    /// The sort of the array.
    pub sort: Sort,
    /// Where the map is not `default`.
    pub entries: BTreeMap<Value, Value>,
    /// The value everywhere else.
    pub default: Box<Value>,
}

impl Value {
    /// The value `0`, `false`, or the array of these, that models use for what they leave open.
    pub fn zero(sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(0),
            Sort::BitVec(width) => Value::BitVec { width: *width, value: 0 },
            Sort::Array(array) => Value::Array(ArrayValue {
                sort: sort.clone(),
                entries: BTreeMap::new(),
                default: Box::new(Value::zero(&array.element)),
            }),
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The bit-vector as an unsigned number, if it is one.
    pub fn as_unsigned(&self) -> Option<u128> {
        match self {
            Value::BitVec { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The bit-vector as a two's complement number, if it is one.
    pub fn as_signed(&self) -> Option<i128> {
        match self {
            Value::BitVec { width, value } => Some(signed(*width, *value)),
            _ => None,
        }
    }

    /// The literal term with this value; `None` for arrays.
    pub fn to_term(&self) -> Option<Term> {
        match self {
            Value::Bool(value) => Some(Term::bool(*value)),
            Value::Int(value) => Some(Term::int(*value)),
            Value::BitVec { width, value } => Some(Term::bv(*width, *value)),
            Value::Array(_) => None,
        }
    }

    /// The value of a literal term.
    pub fn of_literal(term: &Term) -> Option<Value> {
        match term.op() {
            Op::Bool(value) => Some(Value::Bool(*value)),
            Op::Int(value) => Some(Value::Int(*value)),
            Op::BitVec(value) => Some(Value::BitVec { width: term.sort().width(), value: *value }),
            _ => None,
        }
    }

    /// Whether two values of one sort are equal in the logic; `None` if that is not easy to tell.
    pub fn same(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) => a.same_map(b),
            _ => Some(self == other),
        }
    }
}

impl ArrayValue {
    /// The element at `index`.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Changes the element at `index`.
    pub fn set(&mut self, index: Value, element: Value) {
        if element == *self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }

    /// Whether both are the same map; `None` for nested arrays where that is not easy to tell.
    pub fn same_map(&self, other: &ArrayValue) -> Option<bool> {
        let Sort::Array(sort) = &self.sort else { panic!("an array value has an array sort") };
        if self == other {
            return Some(true);
        }
        if matches!(sort.index, Sort::Array(_)) || matches!(sort.element, Sort::Array(_)) {
            return None;
        }
        let mut named = 0u128;
        let mut keys: Vec<&Value> = self.entries.keys().chain(other.entries.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            if self.get(key) != other.get(key) {
                return Some(false);
            }
            named += 1;
        }
        // The keys agree; the rest is empty if the keys are the whole index sort.
        let everywhere = sort.index.cardinality() == Some(named);
        Some(everywhere || self.default == other.default)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Array(array) => {
                for _ in &array.entries {
                    f.write_str("(store ")?;
                }
                write!(f, "((as const {}) {})", array.sort, array.default)?;
                for (index, element) in &array.entries {
                    write!(f, " {index} {element})")?;
                }
                Ok(())
            }
            scalar => {
                let term = scalar.to_term().expect("scalars have literals");
                fmt::Display::fmt(&term, f)
            }
        }
    }
}

/// All bits of a width set.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// A bit-vector as a two's complement number.
pub(crate) fn signed(width: u32, value: u128) -> i128 {
    let unused = 128 - width;
    (value << unused).cast_signed() >> unused
}

/// The value of `op` on `args`, for every operator but constants and uninterpreted functions.
/// `sort` is the sort of the result. `None` where the value is open or out of range.
pub(crate) fn apply(op: &Op, args: &[&Value], sort: &Sort) -> Option<Value> {
    match (op, args) {
        (Op::Bool(value), []) => Some(Value::Bool(*value)),
        (Op::Int(value), []) => Some(Value::Int(*value)),
        (Op::BitVec(value), []) => Some(bits(sort.width(), *value)),
        (Op::Constant(_) | Op::Apply(_), _) => None,
        (Op::Not, [Value::Bool(a)]) => Some(Value::Bool(!a)),
        (Op::And, _) => Some(Value::Bool(args.iter().all(|arg| is_true(arg)))),
        (Op::Or, _) => Some(Value::Bool(args.iter().any(|arg| is_true(arg)))),
        (Op::Ite, [Value::Bool(condition), a, b]) => Some(if *condition { *a } else { *b }.clone()),
        (Op::Equal, [a, b]) => a.same(b).map(Value::Bool),
        (Op::Select, [Value::Array(array), index]) => Some(array.get(index).clone()),
        (Op::Store, [Value::Array(array), index, element]) => {
            let mut array = array.clone();
            array.set((*index).clone(), (*element).clone());
            Some(Value::Array(array))
        }
        (Op::ConstArray, [element]) => Some(Value::Array(ArrayValue {
            sort: sort.clone(),
            entries: BTreeMap::new(),
            default: Box::new((*element).clone()),
        })),
        (_, [Value::Int(_), ..]) => apply_int(op, args),
        (_, [Value::BitVec { width, value }]) => apply_bits1(op, *width, *value),
        (_, [Value::BitVec { width, value: a }, Value::BitVec { value: b, .. }]) => {
            apply_bits2(op, *width, *a, *b)
        }
        _ => panic!("the constructors only build well-sorted terms, not {op:?} of {args:?}"),
    }
}

fn is_true(value: &Value) -> bool {
    *value == Value::Bool(true)
}

fn apply_int(op: &Op, args: &[&Value]) -> Option<Value> {
    let numbers: Option<Vec<i128>> = args.iter().map(|arg| arg.as_int()).collect();
    let numbers = numbers?;
    let value = match (op, numbers.as_slice()) {
        (Op::IntLe, [a, b]) => return Some(Value::Bool(a <= b)),
        (Op::IntAdd, all) => all.iter().try_fold(0i128, |sum, n| sum.checked_add(*n))?,
        (Op::IntMul, all) => all.iter().try_fold(1i128, |product, n| product.checked_mul(*n))?,
        (Op::IntDiv, [a, b]) => a.checked_div_euclid(*b)?,
        (Op::IntMod, [a, b]) => a.checked_rem_euclid(*b)?,
        _ => panic!("{op:?} is no operator on integers"),
    };
    Some(Value::Int(value))
}

/// A bit-vector value; bits above the width are cut off.
pub(crate) fn bits(width: u32, value: u128) -> Value {
    Value::BitVec { width, value: value & mask(width) }
}

fn apply_bits1(op: &Op, width: u32, a: u128) -> Option<Value> {
    Some(match op {
        Op::BvNot => bits(width, !a),
        Op::BvNeg => bits(width, a.wrapping_neg()),
        Op::BvExtract { high, low } => bits(high - low + 1, a >> low),
        Op::BvZeroExtend(extra) => bits(width + extra, a),
        Op::BvSignExtend(extra) => bits(width + extra, signed(width, a).cast_unsigned()),
        _ => return crate::float::apply1(op, width, a),
    })
}

fn apply_bits2(op: &Op, width: u32, a: u128, b: u128) -> Option<Value> {
    let (signed_a, signed_b) = (signed(width, a), signed(width, b));
    let in_range = |n: i128| signed(width, n.cast_unsigned() & mask(width)) == n;
    let overflows = |exact: Option<i128>| Some(Value::Bool(!exact.is_some_and(in_range)));
    let shift = u32::try_from(b).ok().filter(|by| *by < width);
    let result = match op {
        Op::BvUle => return Some(Value::Bool(a <= b)),
        Op::BvSle => return Some(Value::Bool(signed_a <= signed_b)),
        Op::BvAddOverflows => return overflows(signed_a.checked_add(signed_b)),
        Op::BvSubOverflows => return overflows(signed_a.checked_sub(signed_b)),
        Op::BvMulOverflows => return overflows(signed_a.checked_mul(signed_b)),
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvAdd => a.wrapping_add(b),
        Op::BvSub => a.wrapping_sub(b),
        Op::BvMul => a.wrapping_mul(b),
        Op::BvUdiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvSdiv if b == 0 => {
            if signed_a < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::BvSdiv => signed_a.wrapping_div(signed_b).cast_unsigned(),
        Op::BvSrem if b == 0 => a,
        Op::BvSrem => signed_a.wrapping_rem(signed_b).cast_unsigned(),
        Op::BvShl => shift.map_or(0, |by| a << by),
        Op::BvLshr => shift.map_or(0, |by| a >> by),
        Op::BvAshr => (signed_a >> shift.unwrap_or(width - 1)).cast_unsigned(),
        _ => return Some(crate::float::apply2(op, width, a, b)),
    };
    Some(bits(width, result))
}
