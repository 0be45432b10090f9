//! What can be told from the look of formulas, without a prover: comparisons of one term with numerals say that its
//! value lies in certain ranges ([`Ranges`]), comparisons of two terms say so of their difference, and truth values
//! spread through `and`, `or`, `not`.
//!
//! Invariant: [`Syntax::refutes`] says "contradictory" only of what is; whatever it cannot tell it leaves to the
//! prover. So with it and without it the same cubes are found, and only the number of calls differs.

use crate::differences::Differences;
use crate::formula::{Cube, Lit};
use crate::problem::Problem;
use crate::ranges::Ranges;
use rustc_hash::FxHashMap;
use smt::{Op, Sort, Term};

/// The formulas of a problem, and what its hypotheses say by themselves.
pub(crate) struct Syntax {
    pub(crate) formulas: Formulas,
    predicates: Vec<Node>,
    goals: Vec<Node>,
    hypotheses: Vec<Node>,
    differences: Differences,
    /// `None`: the hypotheses contradict each other.
    start: Option<Known>,
}

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
    shapes: Vec<Shape>,
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

/// A formula with a truth value.
type Fact = (Node, bool);

/// What follows from some facts.
#[derive(Clone)]
struct Known {
    /// For each subject the numbers that are left; `None`: all.
    left: Vec<Option<Ranges>>,
    /// Of each list one holds.
    open: Vec<Vec<Fact>>,
    /// Equivalences and case distinctions with the value that they have.
    other: Vec<Fact>,
}

/// There is no state.
struct Contradiction;

impl Syntax {
    /// For the predicates, goals and hypotheses of the problem.
    pub(crate) fn new(problem: &Problem) -> Syntax {
        let mut formulas = Formulas::default();
        let hypotheses: Vec<Node> = problem.hypotheses.iter().map(|h| formulas.add(h)).collect();
        let predicates = problem.predicates.iter().map(|p| formulas.add(p)).collect();
        let goals = problem.goals.iter().map(|g| formulas.add(&g.term)).collect();
        let mut start = Known { left: vec![None; formulas.subjects.len()], open: vec![], other: vec![] };
        let facts = hypotheses.iter().map(|h| (*h, true)).collect();
        let consistent = start.learn(&formulas, facts).is_ok();
        let differences = Differences::new(&formulas.subjects);
        Syntax { formulas, predicates, goals, hypotheses, differences, start: consistent.then_some(start) }
    }

    /// The formulas of the predicates, the goals and the hypotheses.
    pub(crate) fn parts(&self) -> (&[Node], &[Node], &[Node]) {
        (&self.predicates, &self.goals, &self.hypotheses)
    }

    /// A part of the cube that no state has in which the goal has this value (without one: no state at all), when
    /// that can be told.
    pub(crate) fn refutes(&self, cube: &[Lit], goal: Option<(usize, bool)>) -> Option<Cube> {
        let goal = goal.map(|(number, value)| (self.goals[number], value));
        if !self.contradicts(cube.iter().copied(), &[], goal) {
            return None;
        }
        let mut core: Cube = cube.to_vec();
        for literal in cube {
            if self.contradicts(core.iter().copied().filter(|l| l != literal), &[], goal) {
                core.retain(|l| l != literal);
            }
        }
        Some(core)
    }

    /// Whether it can be told that every state in which the goal has this value is in one of the cubes.
    pub(crate) fn covers(&self, cubes: &[Cube], (goal, value): (usize, bool)) -> bool {
        self.contradicts(std::iter::empty(), cubes, Some((self.goals[goal], value)))
    }

    fn contradicts(&self, cube: impl Iterator<Item = Lit>, outside: &[Cube], goal: Option<Fact>) -> bool {
        let Some(mut known) = self.start.clone() else { return true };
        let fact = |l: Lit| (self.predicates[l.predicate()], l.is_positive());
        for cube in outside {
            known.open.push(cube.iter().map(|l| fact(*l)).map(|(n, value)| (n, !value)).collect());
        }
        let facts = cube.map(fact).chain(goal).collect();
        known.learn(&self.formulas, facts).is_err() || self.differences.contradict(&known.left)
    }
}

impl Known {
    /// Adds facts and what follows from them.
    fn learn(&mut self, formulas: &Formulas, mut facts: Vec<Fact>) -> Result<(), Contradiction> {
        loop {
            while let Some(fact) = facts.pop() {
                self.take(formulas, fact, &mut facts)?;
            }
            for list in std::mem::take(&mut self.open) {
                match self.remaining(formulas, list) {
                    None => {}
                    Some(rest) if rest.is_empty() => return Err(Contradiction),
                    Some(rest) if rest.len() == 1 => facts.extend(rest),
                    Some(rest) => self.open.push(rest),
                }
            }
            for fact in std::mem::take(&mut self.other) {
                self.case(formulas, fact, &mut facts);
            }
            if facts.is_empty() {
                return Ok(());
            }
        }
    }

    /// Takes one fact apart.
    fn take(
        &mut self,
        formulas: &Formulas,
        (node, value): Fact,
        facts: &mut Vec<Fact>,
    ) -> Result<(), Contradiction> {
        match &formulas.shapes[node] {
            Shape::Known(known) if *known != value => return Err(Contradiction),
            Shape::Known(_) => {}
            Shape::Within(subject, set) => {
                let last = formulas.last[*subject];
                let set = if value { set.clone() } else { set.complement(last) };
                let left = match &self.left[*subject] {
                    Some(left) => left.intersection(&set),
                    None => set,
                };
                if left.is_empty() {
                    return Err(Contradiction);
                }
                self.left[*subject] = Some(left);
            }
            Shape::Not(a) => facts.push((*a, !value)),
            Shape::And(parts) if value => facts.extend(parts.iter().map(|p| (*p, true))),
            Shape::Or(parts) if !value => facts.extend(parts.iter().map(|p| (*p, false))),
            Shape::And(parts) | Shape::Or(parts) => {
                self.open.push(parts.iter().map(|p| (*p, value)).collect());
            }
            Shape::Same(..) | Shape::Ite(..) => self.other.push((node, value)),
        }
        Ok(())
    }

    /// What is left of a disjunction; `None` when it holds.
    fn remaining(&self, formulas: &Formulas, list: Vec<Fact>) -> Option<Vec<Fact>> {
        let mut rest = vec![];
        for (node, wanted) in list {
            match self.truth(formulas, node) {
                Some(value) if value == wanted => return None,
                Some(_) => {}
                None => rest.push((node, wanted)),
            }
        }
        Some(rest)
    }

    /// What follows from an equivalence or case distinction; it is kept when nothing does yet.
    fn case(&mut self, formulas: &Formulas, (node, value): Fact, facts: &mut Vec<Fact>) {
        let truth = |n: Node| self.truth(formulas, n);
        match formulas.shapes[node] {
            Shape::Same(a, b) => match (truth(a), truth(b)) {
                (Some(known), _) => facts.push((b, known == value)),
                (None, Some(known)) => facts.push((a, known == value)),
                (None, None) => self.other.push((node, value)),
            },
            Shape::Ite(c, a, b) => match (truth(c), truth(a), truth(b)) {
                (Some(true), ..) => facts.push((a, value)),
                (Some(false), ..) => facts.push((b, value)),
                (None, Some(x), _) if x != value => facts.extend([(c, false), (b, value)]),
                (None, _, Some(x)) if x != value => facts.extend([(c, true), (a, value)]),
                _ => self.other.push((node, value)),
            },
            _ => panic!("only equivalences and case distinctions are kept as such"),
        }
    }

    /// The truth value that the formula has in all states that are left, if it can be told.
    fn truth(&self, formulas: &Formulas, node: Node) -> Option<bool> {
        let truth = |n: &Node| self.truth(formulas, *n);
        match &formulas.shapes[node] {
            Shape::Known(value) => Some(*value),
            Shape::Within(subject, set) => {
                let all;
                let left = match &self.left[*subject] {
                    Some(left) => left,
                    None => {
                        all = Ranges::between(0, formulas.last[*subject]);
                        &all
                    }
                };
                if left.is_subset(set) {
                    return Some(true);
                }
                left.intersection(set).is_empty().then_some(false)
            }
            Shape::Not(a) => truth(a).map(|value| !value),
            Shape::And(parts) => junction(parts.iter().map(truth), false),
            Shape::Or(parts) => junction(parts.iter().map(truth), true),
            Shape::Same(a, b) => Some(truth(a)? == truth(b)?),
            Shape::Ite(c, a, b) => match truth(c) {
                Some(true) => truth(a),
                Some(false) => truth(b),
                None => truth(a).filter(|value| truth(b) == Some(*value)),
            },
        }
    }
}

/// The value of a conjunction (`deciding` is false) or disjunction (it is true) of these.
fn junction(parts: impl Iterator<Item = Option<bool>>, deciding: bool) -> Option<bool> {
    let mut all_known = true;
    for part in parts {
        match part {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(!deciding)
}
