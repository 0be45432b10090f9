//! Constructors of truth values, equality and `ite`.

use rustc_hash::FxHashSet;

use super::{WIDE, bitvec, check_same_sort, check_sort, int, ordered, test_literal_leaves};
use crate::sort::Sort;
use crate::term::{Op, Term};

impl Term {
    /// A truth value.
    pub fn bool(value: bool) -> Term {
        Term::make(Op::Bool(value), Vec::new(), Sort::Bool)
    }

    /// Negation.
    #[track_caller]
    pub fn not(&self) -> Term {
        check_sort(self, &Sort::Bool);
        match (self.op(), self.args()) {
            (Op::Bool(value), _) => Term::bool(!value),
            (Op::Not, [inner]) => inner.clone(),
            _ => Term::make(Op::Not, vec![self.clone()], Sort::Bool),
        }
    }

    /// Conjunction; of nothing, true.
    #[track_caller]
    pub fn and(parts: impl IntoIterator<Item = Term>) -> Term {
        junction(&Op::And, parts)
    }

    /// Disjunction; of nothing, false.
    #[track_caller]
    pub fn or(parts: impl IntoIterator<Item = Term>) -> Term {
        junction(&Op::Or, parts)
    }

    /// `not self or other`.
    #[track_caller]
    pub fn implies(&self, other: &Term) -> Term {
        Term::or([self.not(), other.clone()])
    }

    /// Exclusive or.
    #[track_caller]
    pub fn xor(&self, other: &Term) -> Term {
        check_sort(self, &Sort::Bool);
        self.equal(other).not()
    }

    /// `then` where the condition holds and `otherwise` elsewhere; both have one sort.
    #[track_caller]
    pub fn ite(condition: &Term, then: &Term, otherwise: &Term) -> Term {
        check_sort(condition, &Sort::Bool);
        check_same_sort(then, otherwise);
        if then == otherwise {
            return then.clone();
        }
        match (condition.op(), condition.args()) {
            (Op::Bool(true), _) => return then.clone(),
            (Op::Bool(false), _) => return otherwise.clone(),
            (Op::Not, [positive]) => return Term::ite(positive, otherwise, then),
            _ => {}
        }
        if *then.sort() == Sort::Bool
            && let Some(simple) = bool_ite(condition, then, otherwise)
        {
            return simple;
        }
        let args = vec![condition.clone(), then.clone(), otherwise.clone()];
        Term::make(Op::Ite, args, then.sort().clone())
    }

    /// Equality; on truth values, equivalence.
    #[track_caller]
    pub fn equal(&self, other: &Term) -> Term {
        check_same_sort(self, other);
        if self == other {
            return Term::bool(true);
        }
        if self.is_literal() && other.is_literal() {
            return Term::bool(false);
        }
        let (a, b) = ordered(self, other);
        if b.is_literal()
            && let Some(condition) = test_literal_leaves(a, &|leaf| Term::bool(leaf == b))
        {
            return condition;
        }
        match a.sort() {
            Sort::Bool => bool_equal(a, b),
            Sort::Int => int::equal(a, b),
            Sort::BitVec(width) => bitvec::equal(*width, a, b),
            Sort::Array(_) => match (a.op(), b.op()) {
                (Op::ConstArray, Op::ConstArray) => a.args()[0].equal(&b.args()[0]),
                _ => raw_equal(a, b),
            },
        }
    }

    /// `not (self = other)`.
    #[track_caller]
    pub fn different(&self, other: &Term) -> Term {
        self.equal(other).not()
    }
}

/// An equality that needs no more simplification.
pub(super) fn raw_equal(a: &Term, b: &Term) -> Term {
    let (a, b) = ordered(a, b);
    Term::make(Op::Equal, vec![a.clone(), b.clone()], Sort::Bool)
}

/// Flattens, drops neutral and repeated parts, and looks for a part beside its negation. Parts
/// keep the order in which they first came.
#[track_caller]
fn junction(op: &Op, parts: impl IntoIterator<Item = Term>) -> Term {
    let neutral = Term::bool(*op == Op::And);
    let mut flat = Vec::new();
    let mut seen = FxHashSet::default();
    for part in parts {
        check_sort(&part, &Sort::Bool);
        let nested = if part.op() == op && part.args().len() <= WIDE {
            part.args()
        } else {
            std::slice::from_ref(&part)
        };
        for item in nested {
            if *item == neutral || seen.contains(item) {
                continue;
            }
            if item.is_literal() || seen.contains(&item.not()) {
                return neutral.not();
            }
            seen.insert(item.clone());
            flat.push(item.clone());
        }
    }
    match flat.len() {
        0 => neutral,
        1 => flat.swap_remove(0),
        _ => Term::make(op.clone(), flat, Sort::Bool),
    }
}

/// An `ite` between truth values, where one of them is a literal or related to the condition.
fn bool_ite(condition: &Term, then: &Term, otherwise: &Term) -> Option<Term> {
    if then.as_bool() == Some(true) || then == condition {
        return Some(Term::or([condition.clone(), otherwise.clone()]));
    }
    if otherwise.as_bool() == Some(false) || otherwise == condition {
        return Some(Term::and([condition.clone(), then.clone()]));
    }
    let negated = condition.not();
    if then.as_bool() == Some(false) || *then == negated {
        return Some(Term::and([negated, otherwise.clone()]));
    }
    if otherwise.as_bool() == Some(true) || *otherwise == negated {
        return Some(Term::or([negated, then.clone()]));
    }
    if *then == otherwise.not() {
        return Some(condition.equal(then));
    }
    None
}

/// Equivalence of two different terms, of which only `b` may be a literal. Negations move outwards.
fn bool_equal(a: &Term, b: &Term) -> Term {
    if let Some(value) = b.as_bool() {
        return if value { a.clone() } else { a.not() };
    }
    match (a.op(), a.args(), b.op(), b.args()) {
        (Op::Not, [a], _, _) => a.equal(b).not(),
        (_, _, Op::Not, [b]) => a.equal(b).not(),
        _ => raw_equal(a, b),
    }
}
