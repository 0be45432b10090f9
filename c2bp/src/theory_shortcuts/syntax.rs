//! Syntactic decisions, without a prover: comparisons of one term with numerals put its value into certain ranges
//! ([`Ranges`]), comparisons of two terms bound their difference, and truth values
//! spread through `and`, `or`, `not`.
//!
//! Invariant: [`Syntax::refutes`] says "contradictory" only of contradictory cubes; whatever it cannot decide it
//! leaves to the prover. So the same cubes are found with and without it, and only the number of calls differs.

use crate::cube_search::problem::Problem;
use crate::formula::{Cube, Lit};
use crate::theory_shortcuts::differences::Differences;
use crate::theory_shortcuts::ranges::Ranges;
use crate::theory_shortcuts::shapes::{Formulas, Node, Shape};

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
    /// that can be decided.
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

    /// Whether every state in which the goal has this value is certainly in one of the cubes.
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

    /// The truth value that the formula has in all remaining states, if it can be decided.
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
