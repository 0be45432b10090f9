//! Constructors of terms.
//!
//! They check sorts (a mismatch is a bug of the caller and panics with a sentence), fold literals,
//! and bring terms into a normal form, so that many facts need no prover and equal questions look
//! equal. Each rewrite is an equivalence in the logic; `tests/simplify.rs` compares them with an
//! independent evaluator and with Z3. The cost of each constructor is bounded by [`WIDE`] times the
//! number of its own arguments, so that chains of 10,000 calls stay linear.

mod array;
mod bitvec;
mod boolean;
mod float;
mod int;
mod linear;

use crate::sort::{Function, MAX_WIDTH, Sort};
use crate::term::{Op, Term};
use crate::value::{self, Value};

/// Sums, conjunctions and disjunctions with more parts than this are not flattened into others.
pub(crate) const WIDE: usize = 64;

/// How deep a chain of `ite` with literal leaves is looked through.
const ITE_DEPTH: u32 = 16;

impl Term {
    /// The named constant `name` of the given sort. Constants of one name and different sorts are
    /// different; avoid them, since they read alike.
    pub fn constant(name: &str, sort: Sort) -> Term {
        if let Sort::BitVec(width) = sort {
            check_width(width);
        }
        Term::make(Op::Constant(name.into()), Vec::new(), sort)
    }

    /// The application of an uninterpreted function.
    #[track_caller]
    pub fn apply(function: &Function, args: impl IntoIterator<Item = Term>) -> Term {
        let args: Vec<Term> = args.into_iter().collect();
        let fits = args.iter().map(Term::sort).eq(function.domain());
        assert!(fits, "the arguments of {} do not fit its domain", function.name());
        let range = function.range().clone();
        Term::make(Op::Apply(function.clone()), args, range)
    }

    /// The term with the same head symbol on other arguments, built by the constructors, so
    /// simplified anew.
    ///
    /// # Panics
    /// If the number or the sorts of the arguments do not fit.
    #[track_caller]
    pub fn with_args(&self, args: &[Term]) -> Term {
        match (self.op(), args) {
            (Op::Constant(_) | Op::Bool(_) | Op::Int(_) | Op::BitVec(_), []) => self.clone(),
            (Op::Apply(function), _) => Term::apply(function, args.iter().cloned()),
            (Op::Not, [a]) => a.not(),
            (Op::And, _) => Term::and(args.iter().cloned()),
            (Op::Or, _) => Term::or(args.iter().cloned()),
            (Op::Ite, [condition, a, b]) => Term::ite(condition, a, b),
            (Op::Equal, [a, b]) => a.equal(b),
            (Op::Select, [array, index]) => array.select(index),
            (Op::Store, [array, index, element]) => array.store(index, element),
            (Op::ConstArray, [element]) => {
                let Sort::Array(sort) = self.sort() else { panic!("a constant array has an array sort") };
                Term::const_array(sort.index.clone(), element)
            }
            (Op::IntLe, [a, b]) => a.int_le(b),
            (Op::IntAdd, _) => Term::int_sum(args.iter().cloned()),
            (Op::IntMul, [first, rest @ ..]) => {
                rest.iter().fold(first.clone(), |product, arg| product.int_mul(arg))
            }
            (Op::IntDiv, [a, b]) => a.int_div(b),
            (Op::IntMod, [a, b]) => a.int_mod(b),
            (op, _) => float::rebuild(op, args).unwrap_or_else(|| bitvec::rebuild(op, args)),
        }
    }

    /// Replaces constants (or any other subterms) and simplifies. The keys are not looked for
    /// inside the replacements.
    pub fn substitute(&self, replacements: &rustc_hash::FxHashMap<Term, Term>) -> Term {
        let mut done = replacements.clone();
        let mut pending = vec![(self, false)];
        while let Some((term, args_done)) = pending.pop() {
            if done.contains_key(term) {
                continue;
            }
            if !args_done {
                pending.push((term, true));
                pending.extend(term.args().iter().map(|arg| (arg, false)));
                continue;
            }
            let args: Vec<Term> = term.args().iter().map(|arg| done[arg].clone()).collect();
            let result = if args == term.args() { term.clone() } else { term.with_args(&args) };
            done.insert(term.clone(), result);
        }
        done[self].clone()
    }
}

#[track_caller]
fn check_width(width: u32) {
    assert!((1..=MAX_WIDTH).contains(&width), "bit-vectors have between 1 and {MAX_WIDTH} bits, not {width}");
}

#[track_caller]
fn check_same_sort(a: &Term, b: &Term) {
    assert!(a.sort() == b.sort(), "the operands have different sorts: {} and {}", a.sort(), b.sort());
}

#[track_caller]
fn check_sort(a: &Term, sort: &Sort) {
    assert!(a.sort() == sort, "an operand of sort {} was expected, not {}", sort, a.sort());
}

/// The literal that `op` gives on literal arguments, if all are literals and it has a value.
fn fold(op: &Op, args: &[&Term], sort: &Sort) -> Option<Term> {
    let values: Option<Vec<Value>> = args.iter().map(|arg| Value::of_literal(arg)).collect();
    let values = values?;
    let references: Vec<&Value> = values.iter().collect();
    value::apply(op, &references, sort)?.to_term()
}

/// If the term is an `ite` whose leaves are literals, the truth of `test` at its leaves, as a
/// condition on the `ite`'s own conditions.
fn test_literal_leaves(term: &Term, test: &dyn Fn(&Term) -> Term) -> Option<Term> {
    fn go(term: &Term, depth: u32, test: &dyn Fn(&Term) -> Term) -> Option<Term> {
        if term.is_literal() {
            return Some(test(term));
        }
        match (term.op(), term.args()) {
            (Op::Ite, [condition, a, b]) if depth > 0 => {
                Some(Term::ite(condition, &go(a, depth - 1, test)?, &go(b, depth - 1, test)?))
            }
            _ => None,
        }
    }
    if *term.op() == Op::Ite { go(term, ITE_DEPTH, test) } else { None }
}

/// Two operands of a commutative operator in the order of terms; literals come last.
fn ordered<'a>(a: &'a Term, b: &'a Term) -> (&'a Term, &'a Term) {
    if a <= b { (a, b) } else { (b, a) }
}
