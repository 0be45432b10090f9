//! Models: assignments of values to constants and functions, as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use rustc_hash::FxHashMap;

use crate::sort::Function;
use crate::term::{Op, Term};
use crate::value::{self, Value};

/// The table of a function: its value where it is listed, and everywhere else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    /// Arguments and results.
    pub entries: BTreeMap<Vec<Value>, Value>,
    /// The result for all other arguments.
    pub default: Value,
}

/// An assignment. It belongs to no prover: it can be kept, sent, and asked about any term.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Model {
    constants: BTreeMap<Term, Option<Value>>,
    functions: BTreeMap<Function, Option<FunctionValue>>,
}

impl Model {
    /// The model that assigns nothing.
    pub fn new() -> Model {
        Model::default()
    }

    /// Gives a constant a value. `None` says that it has one that cannot be written down here,
    /// such as an integer beyond `i128`; terms that need it then have no value.
    pub fn assign(&mut self, constant: &Term, value: Option<Value>) {
        assert!(constant.is_constant(), "only constants are assigned values, not {constant}");
        self.constants.insert(constant.clone(), value);
    }

    /// Gives a function a table; `None` as for [`Model::assign`].
    pub fn assign_function(&mut self, function: &Function, value: Option<FunctionValue>) {
        self.functions.insert(function.clone(), value);
    }

    /// The constants that have a value, in the order of terms.
    pub fn constants(&self) -> impl Iterator<Item = (&Term, &Value)> {
        self.constants.iter().filter_map(|(term, value)| Some((term, value.as_ref()?)))
    }

    /// The functions that have a table, in their order.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, &FunctionValue)> {
        self.functions.iter().filter_map(|(function, table)| Some((function, table.as_ref()?)))
    }

    /// The value of a term. Constants and functions that the model leaves open may have any value
    /// in the formula that it satisfies; here the term has no value if it depends on them, except
    /// where `and`, `or` and `ite` decide without.
    pub fn eval(&self, term: &Term) -> Option<Value> {
        self.eval_with(term, false)
    }

    /// The value of a term, where constants and functions that the model leaves open are `0`,
    /// `false`, or an array of these. `None` only if a value is out of range or the term divides
    /// an integer by zero.
    pub fn eval_completed(&self, term: &Term) -> Option<Value> {
        self.eval_with(term, true)
    }

    /// The truth value of a formula in the completed model.
    pub fn holds(&self, formula: &Term) -> Option<bool> {
        self.eval_completed(formula)?.as_bool()
    }

    fn eval_with(&self, term: &Term, complete: bool) -> Option<Value> {
        if term.args().is_empty() {
            return self.leaf(term, complete);
        }
        let mut done = FxHashMap::default();
        self.fill(term, complete, &mut done);
        done.remove(&term.address()).flatten()
    }

    /// Evaluates the term and what it is made of, without what is known already; by addresses of terms.
    fn fill(&self, term: &Term, complete: bool, done: &mut FxHashMap<usize, Option<Value>>) {
        let mut pending = vec![(term, false)];
        while let Some((term, args_done)) = pending.pop() {
            if done.contains_key(&term.address()) {
                continue;
            }
            if !args_done && !term.args().is_empty() {
                pending.push((term, true));
                pending.extend(term.args().iter().map(|arg| (arg, false)));
                continue;
            }
            let value = if term.args().is_empty() {
                self.leaf(term, complete)
            } else {
                let args: Vec<Option<&Value>> =
                    term.args().iter().map(|arg| done[&arg.address()].as_ref()).collect();
                self.node(term, &args, complete)
            };
            done.insert(term.address(), value);
        }
    }

    fn leaf(&self, term: &Term, complete: bool) -> Option<Value> {
        match self.constants.get(term) {
            Some(value) => value.clone(),
            None if term.is_literal() => Value::of_literal(term),
            None if complete => Some(Value::zero(term.sort())),
            None => None,
        }
    }

    fn node(&self, term: &Term, args: &[Option<&Value>], complete: bool) -> Option<Value> {
        let known = |value: bool| args.contains(&Some(&Value::Bool(value)));
        match term.op() {
            Op::And if known(false) => return Some(Value::Bool(false)),
            Op::Or if known(true) => return Some(Value::Bool(true)),
            Op::Ite => {
                let chosen = if args[0]?.as_bool()? { args[1] } else { args[2] };
                return chosen.cloned();
            }
            _ => {}
        }
        let args: Vec<&Value> = args.iter().copied().collect::<Option<_>>()?;
        let Op::Apply(function) = term.op() else {
            return value::apply(term.op(), &args, term.sort());
        };
        match self.functions.get(function) {
            Some(table) => {
                let table = table.as_ref()?;
                let key: Vec<Value> = args.into_iter().cloned().collect();
                Some(table.entries.get(&key).unwrap_or(&table.default).clone())
            }
            None if complete => Some(Value::zero(term.sort())),
            None => None,
        }
    }
}

/// The values of many terms in one completed model; what they share is evaluated once.
pub struct Evaluation<'m, 't> {
    model: &'m Model,
    done: FxHashMap<usize, Option<Value>>,
    /// The terms stay alive, since their addresses are what the table goes by.
    terms: PhantomData<&'t Term>,
}

impl<'m, 't> Evaluation<'m, 't> {
    /// Nothing is evaluated yet.
    pub fn new(model: &'m Model) -> Evaluation<'m, 't> {
        Evaluation { model, done: FxHashMap::default(), terms: PhantomData }
    }

    /// As [`Model::eval_completed`].
    pub fn value(&mut self, term: &'t Term) -> Option<&Value> {
        self.model.fill(term, true, &mut self.done);
        self.done.get(&term.address())?.as_ref()
    }
}

impl fmt::Display for Model {
    /// One line a constant, then one line a function, in the order of terms.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (constant, value) in &self.constants {
            match value {
                Some(value) => writeln!(f, "{constant} = {value}")?,
                None => writeln!(f, "{constant} = ?")?,
            }
        }
        for (function, table) in &self.functions {
            let name = function.name();
            let Some(table) = table else {
                writeln!(f, "{name} = ?")?;
                continue;
            };
            for (args, result) in &table.entries {
                let args: Vec<String> = args.iter().map(Value::to_string).collect();
                write!(f, "{name}({}) = {result}, ", args.join(", "))?;
            }
            writeln!(f, "{name}(..) = {}", table.default)?;
        }
        Ok(())
    }
}
