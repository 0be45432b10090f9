//! Terms as they are written: generators, builders through the crate's constructors, and an
//! evaluator of its own.

mod bits;
mod generate;

use std::collections::BTreeMap;

use smt::{Function, FunctionValue, Model, Sort, Term, Value};

pub(crate) use bits::check_small;
use bits::{combine_bits, compare_bits, eval_bits, eval_comparison};
pub(crate) use generate::{assignment, bits, formula, formula_with_large_numbers, integer};

/// Bits of the bit-vectors in random recipes.
pub(crate) const WIDTH: u32 = 8;

/// Bits of the bit-vectors that are enumerated.
pub(crate) const BITS: u32 = 3;

/// How many operators on bit-vectors [`check_small`] knows.
pub(crate) const BITS_OPERATORS: usize = 21;

#[derive(Clone, Debug)]
pub(crate) enum BoolRecipe {
    Literal(bool),
    Var(usize),
    Not(Box<BoolRecipe>),
    And(Vec<BoolRecipe>),
    Or(Vec<BoolRecipe>),
    Implies(Box<BoolRecipe>, Box<BoolRecipe>),
    Iff(Box<BoolRecipe>, Box<BoolRecipe>),
    Xor(Box<BoolRecipe>, Box<BoolRecipe>),
    Ite(Box<[BoolRecipe; 3]>),
    Int(usize, IntRecipe, IntRecipe),
    Distinct(Vec<IntRecipe>),
    Bits(usize, BitsRecipe, BitsRecipe),
    Arrays(ArrayRecipe, ArrayRecipe),
}

#[derive(Clone, Debug)]
pub(crate) enum IntRecipe {
    Literal(i128),
    Var(usize),
    Add(Box<IntRecipe>, Box<IntRecipe>),
    Sub(Box<IntRecipe>, Box<IntRecipe>),
    Neg(Box<IntRecipe>),
    Mul(Box<IntRecipe>, Box<IntRecipe>),
    Div(Box<IntRecipe>, Box<IntRecipe>),
    Mod(Box<IntRecipe>, Box<IntRecipe>),
    Ite(Box<BoolRecipe>, Box<IntRecipe>, Box<IntRecipe>),
    Select(Box<ArrayRecipe>, Box<IntRecipe>),
    Apply(Box<IntRecipe>),
}

#[derive(Clone, Debug)]
pub(crate) enum ArrayRecipe {
    Var,
    Const(IntRecipe),
    Store(Box<ArrayRecipe>, IntRecipe, IntRecipe),
    Ite(Box<BoolRecipe>, Box<ArrayRecipe>, Box<ArrayRecipe>),
}

#[derive(Clone, Debug)]
pub(crate) enum BitsRecipe {
    Literal(u8),
    Var(usize),
    Not(Box<BitsRecipe>),
    Neg(Box<BitsRecipe>),
    Two(usize, Box<BitsRecipe>, Box<BitsRecipe>),
    Ite(Box<BoolRecipe>, Box<BitsRecipe>, Box<BitsRecipe>),
    /// The low bits, zero- or sign-extended to the full width again.
    Extend(bool, u32, Box<BitsRecipe>),
    /// Bits from the middle of the first beside the second.
    Window(u32, Box<BitsRecipe>, Box<BitsRecipe>),
}

/// Values of all the constants and of the function in recipes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Assignment {
    pub(crate) bools: [bool; 2],
    pub(crate) ints: [i128; 3],
    pub(crate) bits: [u8; 2],
    pub(crate) array: Table,
    pub(crate) function: Table,
}

/// A map that has one value nearly everywhere.
#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct Table {
    entries: BTreeMap<i128, i128>,
    default: i128,
}

impl Table {
    fn get(&self, index: i128) -> i128 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }

    fn normal(mut self) -> Table {
        self.entries.retain(|_, value| *value != self.default);
        self
    }
}

fn bool_var(i: usize) -> Term {
    Term::constant(["p", "q"][i], Sort::Bool)
}

fn int_var(i: usize) -> Term {
    Term::constant(["x", "y", "z"][i], Sort::Int)
}

fn bits_var(i: usize) -> Term {
    Term::constant(["a", "b"][i], Sort::BitVec(WIDTH))
}

fn array_var() -> Term {
    Term::constant("m", Sort::array(Sort::Int, Sort::Int))
}

fn function() -> Function {
    Function::new("f", vec![Sort::Int], Sort::Int)
}

impl Assignment {
    pub(crate) fn model(&self) -> Model {
        let mut model = Model::new();
        for (i, value) in self.bools.iter().enumerate() {
            model.assign(&bool_var(i), Some(Value::Bool(*value)));
        }
        for (i, value) in self.ints.iter().enumerate() {
            model.assign(&int_var(i), Some(Value::Int(*value)));
        }
        for (i, value) in self.bits.iter().enumerate() {
            let value = Value::BitVec { width: WIDTH, value: (*value).into() };
            model.assign(&bits_var(i), Some(value));
        }
        let mut array = Value::zero(array_var().sort());
        let Value::Array(array_value) = &mut array else { panic!("an array sort has array values") };
        *array_value.default = Value::Int(self.array.default);
        for (index, element) in &self.array.entries {
            array_value.set(Value::Int(*index), Value::Int(*element));
        }
        model.assign(&array_var(), Some(array));
        let entries = self.function.entries.iter();
        let entries = entries.map(|(argument, result)| (vec![Value::Int(*argument)], Value::Int(*result)));
        let table = FunctionValue { entries: entries.collect(), default: Value::Int(self.function.default) };
        model.assign_function(&function(), Some(table));
        model
    }

    /// Formulas that fix every constant; the function stays open.
    pub(crate) fn facts(&self) -> Vec<Term> {
        let mut facts = Vec::new();
        for (i, value) in self.bools.iter().enumerate() {
            facts.push(bool_var(i).equal(&Term::bool(*value)));
        }
        for (i, value) in self.ints.iter().enumerate() {
            facts.push(int_var(i).equal(&Term::int(*value)));
        }
        for (i, value) in self.bits.iter().enumerate() {
            facts.push(bits_var(i).equal(&Term::bv(WIDTH, (*value).into())));
        }
        let mut array = Term::const_array(Sort::Int, &Term::int(self.array.default));
        for (index, element) in &self.array.entries {
            array = array.store(&Term::int(*index), &Term::int(*element));
        }
        facts.push(array_var().equal(&array));
        facts
    }

    /// The values in a model, completed; `None` if one of them cannot be written down
    /// or the function matters.
    pub(crate) fn of_model(model: &Model) -> Option<Assignment> {
        let int = |term: &Term| model.eval_completed(term)?.as_int();
        if model.functions().next().is_some() {
            return None;
        }
        let Value::Array(array) = model.eval_completed(&array_var())? else {
            return None;
        };
        let entries = array.entries.iter();
        let entries: Option<BTreeMap<i128, i128>> =
            entries.map(|(index, element)| Some((index.as_int()?, element.as_int()?))).collect();
        let truth = |i| model.eval_completed(&bool_var(i))?.as_bool();
        let byte = |i| {
            let value = model.eval_completed(&bits_var(i))?.as_unsigned()?;
            u8::try_from(value).ok()
        };
        Some(Assignment {
            bools: [truth(0)?, truth(1)?],
            ints: [int(&int_var(0))?, int(&int_var(1))?, int(&int_var(2))?],
            bits: [byte(0)?, byte(1)?],
            array: Table { entries: entries?, default: array.default.as_int()? },
            function: Table { entries: BTreeMap::new(), default: 0 },
        })
    }
}

impl BoolRecipe {
    pub(crate) fn build(&self) -> Term {
        match self {
            BoolRecipe::Literal(value) => Term::bool(*value),
            BoolRecipe::Var(i) => bool_var(*i),
            BoolRecipe::Not(a) => a.build().not(),
            BoolRecipe::And(parts) => Term::and(parts.iter().map(BoolRecipe::build)),
            BoolRecipe::Or(parts) => Term::or(parts.iter().map(BoolRecipe::build)),
            BoolRecipe::Implies(a, b) => a.build().implies(&b.build()),
            BoolRecipe::Iff(a, b) => a.build().equal(&b.build()),
            BoolRecipe::Xor(a, b) => a.build().xor(&b.build()),
            BoolRecipe::Ite(parts) => {
                let [condition, a, b] = &**parts;
                Term::ite(&condition.build(), &a.build(), &b.build())
            }
            BoolRecipe::Int(operator, a, b) => {
                let (a, b) = (a.build(), b.build());
                match operator {
                    0 => a.int_le(&b),
                    1 => a.int_lt(&b),
                    2 => b.int_le(&a),
                    3 => b.int_lt(&a),
                    4 => a.equal(&b),
                    _ => a.different(&b),
                }
            }
            BoolRecipe::Distinct(parts) => {
                let parts: Vec<Term> = parts.iter().map(IntRecipe::build).collect();
                let before = |(n, a): (usize, &Term)| Term::and(parts[..n].iter().map(|b| a.different(b)));
                Term::and(parts.iter().enumerate().map(before))
            }
            BoolRecipe::Bits(operator, a, b) => compare_bits(*operator, &a.build(), &b.build()),
            BoolRecipe::Arrays(a, b) => a.build().equal(&b.build()),
        }
    }

    pub(crate) fn eval(&self, at: &Assignment) -> Option<bool> {
        Some(match self {
            BoolRecipe::Literal(value) => *value,
            BoolRecipe::Var(i) => at.bools[*i],
            BoolRecipe::Not(a) => !a.eval(at)?,
            BoolRecipe::And(parts) => {
                let parts: Option<Vec<bool>> = parts.iter().map(|part| part.eval(at)).collect();
                !parts?.contains(&false)
            }
            BoolRecipe::Or(parts) => {
                let parts: Option<Vec<bool>> = parts.iter().map(|part| part.eval(at)).collect();
                parts?.contains(&true)
            }
            BoolRecipe::Implies(a, b) => {
                let (a, b) = (a.eval(at)?, b.eval(at)?);
                !a || b
            }
            BoolRecipe::Iff(a, b) => a.eval(at)? == b.eval(at)?,
            BoolRecipe::Xor(a, b) => a.eval(at)? != b.eval(at)?,
            BoolRecipe::Ite(parts) => {
                let values: Vec<Option<bool>> = parts.iter().map(|part| part.eval(at)).collect();
                let (a, b) = (values[1]?, values[2]?);
                if values[0]? { a } else { b }
            }
            BoolRecipe::Int(operator, a, b) => {
                let (a, b) = (a.eval(at)?, b.eval(at)?);
                [a <= b, a < b, a >= b, a > b, a == b, a != b][*operator]
            }
            BoolRecipe::Distinct(parts) => {
                let parts: Option<Vec<i128>> = parts.iter().map(|part| part.eval(at)).collect();
                let mut parts = parts?;
                let all = parts.len();
                parts.sort_unstable();
                parts.dedup();
                parts.len() == all
            }
            BoolRecipe::Bits(operator, a, b) => {
                eval_comparison(*operator, WIDTH, a.eval(at).into(), b.eval(at).into())
            }
            BoolRecipe::Arrays(a, b) => a.eval(at)?.normal() == b.eval(at)?.normal(),
        })
    }
}

impl IntRecipe {
    pub(crate) fn build(&self) -> Term {
        match self {
            IntRecipe::Literal(value) => Term::int(*value),
            IntRecipe::Var(i) => int_var(*i),
            IntRecipe::Add(a, b) => a.build().int_add(&b.build()),
            IntRecipe::Sub(a, b) => a.build().int_sub(&b.build()),
            IntRecipe::Neg(a) => a.build().int_neg(),
            IntRecipe::Mul(a, b) => a.build().int_mul(&b.build()),
            IntRecipe::Div(a, b) => a.build().int_div(&b.build()),
            IntRecipe::Mod(a, b) => a.build().int_mod(&b.build()),
            IntRecipe::Ite(condition, a, b) => Term::ite(&condition.build(), &a.build(), &b.build()),
            IntRecipe::Select(array, index) => array.build().select(&index.build()),
            IntRecipe::Apply(argument) => Term::apply(&function(), [argument.build()]),
        }
    }

    /// `None` if a number leaves `i128` or a divisor is zero.
    pub(crate) fn eval(&self, at: &Assignment) -> Option<i128> {
        match self {
            IntRecipe::Literal(value) => Some(*value),
            IntRecipe::Var(i) => Some(at.ints[*i]),
            IntRecipe::Add(a, b) => a.eval(at)?.checked_add(b.eval(at)?),
            IntRecipe::Sub(a, b) => a.eval(at)?.checked_sub(b.eval(at)?),
            IntRecipe::Neg(a) => a.eval(at)?.checked_neg(),
            IntRecipe::Mul(a, b) => a.eval(at)?.checked_mul(b.eval(at)?),
            IntRecipe::Div(a, b) => Some(divide(a.eval(at)?, b.eval(at)?)?.0),
            IntRecipe::Mod(a, b) => Some(divide(a.eval(at)?, b.eval(at)?)?.1),
            IntRecipe::Ite(condition, a, b) => {
                let (a, b) = (a.eval(at)?, b.eval(at)?);
                Some(if condition.eval(at)? { a } else { b })
            }
            IntRecipe::Select(array, index) => Some(array.eval(at)?.get(index.eval(at)?)),
            IntRecipe::Apply(argument) => Some(at.function.get(argument.eval(at)?)),
        }
    }
}

/// The `q` and `r` with `a = b * q + r` and `0 <= r < |b|`, found by search from the truncating
/// division.
fn divide(a: i128, b: i128) -> Option<(i128, i128)> {
    let near = a.checked_div(b)?;
    for quotient in [near, near.checked_add(1)?, near.checked_sub(1)?] {
        let rest = b.checked_mul(quotient).and_then(|product| a.checked_sub(product));
        if let Some(rest) = rest
            && rest >= 0
            && rest.unsigned_abs() < b.unsigned_abs()
        {
            return Some((quotient, rest));
        }
    }
    None
}

impl ArrayRecipe {
    pub(crate) fn build(&self) -> Term {
        match self {
            ArrayRecipe::Var => array_var(),
            ArrayRecipe::Const(element) => Term::const_array(Sort::Int, &element.build()),
            ArrayRecipe::Store(array, index, element) => {
                array.build().store(&index.build(), &element.build())
            }
            ArrayRecipe::Ite(condition, a, b) => Term::ite(&condition.build(), &a.build(), &b.build()),
        }
    }

    fn eval(&self, at: &Assignment) -> Option<Table> {
        Some(match self {
            ArrayRecipe::Var => at.array.clone(),
            ArrayRecipe::Const(element) => Table { entries: BTreeMap::new(), default: element.eval(at)? },
            ArrayRecipe::Store(array, index, element) => {
                let mut table = array.eval(at)?;
                table.entries.insert(index.eval(at)?, element.eval(at)?);
                table
            }
            ArrayRecipe::Ite(condition, a, b) => {
                let (a, b) = (a.eval(at)?, b.eval(at)?);
                if condition.eval(at)? { a } else { b }
            }
        })
    }
}

impl BitsRecipe {
    pub(crate) fn build(&self) -> Term {
        match self {
            BitsRecipe::Literal(value) => Term::bv(WIDTH, (*value).into()),
            BitsRecipe::Var(i) => bits_var(*i),
            BitsRecipe::Not(a) => a.build().bv_not(),
            BitsRecipe::Neg(a) => a.build().bv_neg(),
            BitsRecipe::Two(operator, a, b) => combine_bits(*operator, &a.build(), &b.build()),
            BitsRecipe::Ite(condition, a, b) => Term::ite(&condition.build(), &a.build(), &b.build()),
            BitsRecipe::Extend(signed, kept, a) => {
                let low = a.build().bv_extract(kept - 1, 0);
                if *signed { low.bv_sign_extend(WIDTH - kept) } else { low.bv_zero_extend(WIDTH - kept) }
            }
            BitsRecipe::Window(low, a, b) => {
                let (high, low_half) = (a.build().bv_zero_extend(WIDTH), b.build().bv_zero_extend(WIDTH));
                let both = high.bv_shl(&Term::bv(2 * WIDTH, WIDTH.into())).bv_or(&low_half);
                both.bv_extract(low + WIDTH - 1, *low)
            }
        }
    }

    pub(crate) fn eval(&self, at: &Assignment) -> u8 {
        match self {
            BitsRecipe::Literal(value) => *value,
            BitsRecipe::Var(i) => at.bits[*i],
            BitsRecipe::Not(a) => !a.eval(at),
            BitsRecipe::Neg(a) => 0u8.wrapping_sub(a.eval(at)),
            BitsRecipe::Two(operator, a, b) => {
                let value = eval_bits(*operator, WIDTH, a.eval(at).into(), b.eval(at).into());
                u8::try_from(value).expect("results have the width of their operands")
            }
            BitsRecipe::Ite(condition, a, b) => {
                // A condition without a value has not been generated: see `bits`.
                if condition.eval(at).unwrap_or(false) { a.eval(at) } else { b.eval(at) }
            }
            BitsRecipe::Extend(signed, kept, a) => {
                let low = a.eval(at) & (0xff >> (WIDTH - kept));
                if *signed && low >> (kept - 1) & 1 == 1 { low | !(0xff >> (WIDTH - kept)) } else { low }
            }
            BitsRecipe::Window(low, a, b) => {
                let both = u16::from_be_bytes([a.eval(at), b.eval(at)]);
                let window = both.checked_shr(*low).expect("the window lies inside");
                window.to_be_bytes()[1]
            }
        }
    }
}
