//! Formulas taken apart into comparisons of a subject with ranges, and what connects these.

use crate::theory_shortcuts::ranges::Ranges;
use rustc_hash::FxHashMap;
use smt::{Op, Sort, Term};

/// A formula, by its position.
pub(crate) type Node = usize;

/// What is compared.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Subject {
    /// The value of a term; of a formula, 0 or 1.
    Value(Term),
    /// How two bit-vectors lie to each other: equal, or in which order unsigned and signed.
    Order(Term, Term),
}

/// The five ways in which two bit-vectors can lie to each other.
mod order {
    pub(super) const EQUAL: u128 = 0;
    /// Unsigned less.
    pub(super) const BELOW: [u128; 2] = [1, 2];
    /// Signed less.
    pub(super) const LESS: [u128; 2] = [1, 3];
    pub(super) const LAST: u128 = 4;
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Known(bool),
    /// The subject, by its position, has one of these values.
    Within(usize, Ranges),
    Not(Node),
    And(Vec<Node>),
    Or(Vec<Node>),
    Same(Node, Node),
    Ite(Node, Node, Node),
}

/// Formulas taken apart.
#[derive(Default)]
pub(crate) struct Formulas {
    pub(crate) shapes: Vec<Shape>,
    known: FxHashMap<Term, Node>,
    pub(crate) subjects: Vec<Subject>,
    /// For each subject the largest number that its value can be.
    pub(crate) last: Vec<u128>,
    numbers: FxHashMap<Subject, usize>,
}

/// Larger formulas are not looked into.
const LARGE: u32 = 400;

/// Integers beyond this have no number of their own.
const FAR: i128 = i128::MAX / 2;

/// The place of an integer among all numbers.
fn place(value: i128) -> u128 {
    value.cast_unsigned() ^ (1 << 127)
}

/// The integer in a place; `None` at the ends, which stand for all beyond.
pub(crate) fn value(place: u128) -> Option<i128> {
    (place > 0 && place < u128::MAX).then(|| (place ^ (1 << 127)).cast_signed())
}

impl Formulas {
    /// The formula, taken apart.
    pub(crate) fn add(&mut self, term: &Term) -> Node {
        if let Some(node) = self.known.get(term) {
            return *node;
        }
        let shape = if term.tree_size() > LARGE { self.atom(term) } else { self.shape(term) };
        self.shapes.push(shape);
        self.known.insert(term.clone(), self.shapes.len() - 1);
        self.shapes.len() - 1
    }

    fn shape(&mut self, term: &Term) -> Shape {
        let on_truth = |t: &Term| *t.sort() == Sort::Bool;
        match (term.op(), term.args()) {
            (Op::Bool(value), _) => Shape::Known(*value),
            (Op::Not, [a]) => Shape::Not(self.add(a)),
            (Op::And, parts) => Shape::And(parts.iter().map(|p| self.add(p)).collect()),
            (Op::Or, parts) => Shape::Or(parts.iter().map(|p| self.add(p)).collect()),
            (Op::Equal, [a, b]) if on_truth(a) => Shape::Same(self.add(a), self.add(b)),
            (Op::Ite, [c, a, b]) => Shape::Ite(self.add(c), self.add(a), self.add(b)),
            _ => self.comparison(term).unwrap_or_else(|| self.atom(term)),
        }
    }

    /// A formula that is not taken apart.
    fn atom(&mut self, term: &Term) -> Shape {
        let subject = self.subject(Subject::Value(term.clone()), 1);
        Shape::Within(subject, Ranges::just(1))
    }

    fn subject(&mut self, subject: Subject, last: u128) -> usize {
        if let Some(number) = self.numbers.get(&subject) {
            return *number;
        }
        self.subjects.push(subject.clone());
        self.last.push(last);
        self.numbers.insert(subject, self.subjects.len() - 1);
        self.subjects.len() - 1
    }

    fn comparison(&mut self, term: &Term) -> Option<Shape> {
        let [a, b] = term.args() else { return None };
        match (term.op(), a.sort()) {
            (Op::IntLe | Op::Equal, Sort::Int) => self.integers(term.op() == &Op::Equal, a, b),
            (Op::BvUle | Op::BvSle | Op::Equal, Sort::BitVec(width)) => {
                Some(self.bit_vectors(term.op(), a, b, *width))
            }
            _ => None,
        }
    }

    fn integers(&mut self, equal: bool, a: &Term, b: &Term) -> Option<Shape> {
        let (subject, value) = match b.as_int() {
            Some(value) => (a.clone(), value),
            // As the constructors write `a - b = 0`.
            None if equal => (a.int_sub(b), 0),
            None => return None,
        };
        if !(-FAR..FAR).contains(&value) || subject.is_literal() {
            return None;
        }
        let subject = self.subject(Subject::Value(subject), u128::MAX);
        let low = if equal { place(value) } else { 0 };
        Some(Shape::Within(subject, Ranges::between(low, place(value))))
    }

    fn bit_vectors(&mut self, op: &Op, a: &Term, b: &Term, width: u32) -> Shape {
        let last = u128::MAX >> (128 - width);
        let half = last >> 1;
        match (a.as_bits(), b.as_bits()) {
            (None, Some(k)) => {
                let set = match op {
                    Op::Equal => Ranges::just(k),
                    Op::BvUle => Ranges::between(0, k),
                    _ if k <= half => Ranges::between(k + 1, half).complement(last),
                    _ => Ranges::between(half + 1, k),
                };
                self.of_bits(a, set, last)
            }
            (Some(k), None) => {
                let set = match op {
                    Op::Equal => Ranges::just(k),
                    Op::BvUle => Ranges::between(k, last),
                    _ if k <= half => Ranges::between(k, half),
                    _ => Ranges::between(half + 1, k - 1).complement(last),
                };
                self.of_bits(b, set, last)
            }
            _ => self.order(op, a, b),
        }
    }

    /// A statement about the value of a bit-vector as one about what it is made of.
    fn of_bits(&mut self, term: &Term, set: Ranges, last: u128) -> Shape {
        let (mut term, mut set, mut last) = (term, set, last);
        loop {
            match (term.op(), term.args()) {
                (Op::BvAdd, [x, c]) if c.is_literal() => {
                    set = set.before_adding(c.as_bits().unwrap_or_default(), last);
                    term = x;
                }
                (Op::BvZeroExtend(_) | Op::BvSignExtend(_), [x]) => {
                    let narrow = u128::MAX >> (128 - x.sort().width());
                    set = match term.op() {
                        Op::BvZeroExtend(_) => set.intersection(&Ranges::between(0, narrow)),
                        _ => set.before_sign_extension(narrow, last),
                    };
                    (term, last) = (x, narrow);
                }
                _ => break,
            }
        }
        if term.is_literal() {
            return Shape::Known(set.contains(term.as_bits().unwrap_or_default()));
        }
        Shape::Within(self.subject(Subject::Value(term.clone()), last), set)
    }

    fn order(&mut self, op: &Op, a: &Term, b: &Term) -> Shape {
        let swapped = a > b;
        let (first, second) = if swapped { (b, a) } else { (a, b) };
        let subject = self.subject(Subject::Order(first.clone(), second.clone()), order::LAST);
        let equal = Ranges::just(order::EQUAL);
        let strictly = match op {
            Op::Equal => return Shape::Within(subject, equal),
            Op::BvUle => order::BELOW,
            _ => order::LESS,
        };
        // `first < second` holds in these two; `second < first` in the two others that are not "equal".
        let holds = |n: &u128| *n == order::EQUAL || strictly.contains(n) != swapped;
        let without = |n: u128| Ranges::just(n).complement(order::LAST);
        let all = Ranges::between(0, order::LAST);
        let set = (0..=order::LAST).filter(|n| !holds(n)).fold(all, |set, n| set.intersection(&without(n)));
        Shape::Within(subject, set)
    }

    /// The truth value of a formula, where the numbers of the subjects are given.
    pub(crate) fn holds(&self, node: Node, numbers: &[u128]) -> bool {
        let holds = |n: &Node| self.holds(*n, numbers);
        match &self.shapes[node] {
            Shape::Known(value) => *value,
            Shape::Within(subject, set) => set.contains(numbers[*subject]),
            Shape::Not(a) => !holds(a),
            Shape::And(parts) => parts.iter().all(holds),
            Shape::Or(parts) => parts.iter().any(holds),
            Shape::Same(a, b) => holds(a) == holds(b),
            Shape::Ite(c, a, b) => holds(if holds(c) { a } else { b }),
        }
    }

    /// All sets that formulas compare the subject with.
    pub(crate) fn sets(&self, subject: usize) -> impl Iterator<Item = &Ranges> {
        self.shapes.iter().filter_map(move |shape| match shape {
            Shape::Within(s, set) if *s == subject => Some(set),
            _ => None,
        })
    }
}
