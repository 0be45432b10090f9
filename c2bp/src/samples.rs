//! Problems about one integer: no prover is needed.
//!
//! When all that a problem says is comparisons of one integer constant with numerals, every state agrees on all
//! of them with one of finitely many sample values (each numeral and its two neighbours). Cubes and covers are
//! then decided by looking at the samples.

use crate::formula::{Cube, Lit};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use smt::{Op, Term};
use std::collections::BTreeSet;

/// The abstract states of a problem: truth values of its predicates and goals.
pub(crate) struct Samples {
    rows: Vec<Row>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    predicates: Vec<bool>,
    goals: Vec<bool>,
}

impl Samples {
    /// The samples, if the problem is of that kind.
    pub(crate) fn new(problem: &Problem) -> Option<Samples> {
        let terms = || {
            let goals = problem.goals.iter().map(|g| &g.term);
            problem.hypotheses.iter().chain(&problem.predicates).chain(goals)
        };
        let mut shape = Shape::default();
        for term in terms() {
            shape.look(term)?;
        }
        let mut points: BTreeSet<i128> = [0].into();
        for v in &shape.numerals {
            points.extend([v.checked_sub(1)?, *v, v.checked_add(1)?]);
        }
        let mut rows = BTreeSet::new();
        for point in points {
            let mut values = FxHashMap::default();
            if problem.hypotheses.iter().all(|h| holds(h, point, &mut values)) {
                let predicates = problem.predicates.iter().map(|p| holds(p, point, &mut values)).collect();
                let goals = problem.goals.iter().map(|g| holds(&g.term, point, &mut values)).collect();
                rows.insert(Row { predicates, goals });
            }
        }
        Some(Samples { rows: rows.into_iter().collect() })
    }

    /// Whether all states of the cube give the goal this value; without a goal: whether there are none.
    pub(crate) fn implies(&self, cube: &[Lit], goal: Option<(usize, bool)>) -> bool {
        let wanted = |row: &Row| goal.is_some_and(|(g, value)| row.goals[g] == value);
        self.rows.iter().filter(|row| row.is_in(cube)).all(wanted)
    }

    /// Whether all states that give the goal this value lie in the cubes.
    pub(crate) fn covers(&self, cubes: &[Cube], (goal, value): (usize, bool)) -> bool {
        let mut states = self.rows.iter().filter(|row| row.goals[goal] == value);
        states.all(|row| cubes.iter().any(|cube| row.is_in(cube)))
    }
}

impl Row {
    fn is_in(&self, cube: &[Lit]) -> bool {
        cube.iter().all(|l| self.predicates[l.predicate()] == l.is_positive())
    }
}

/// What the formulas speak of.
#[derive(Default)]
struct Shape {
    constant: Option<Term>,
    numerals: BTreeSet<i128>,
    seen: FxHashMap<Term, ()>,
}

impl Shape {
    /// Takes note of a formula; `None` if it is not of the kind that samples decide.
    fn look(&mut self, formula: &Term) -> Option<()> {
        let mut pending = vec![formula];
        while let Some(term) = pending.pop() {
            if self.seen.insert(term.clone(), ()).is_some() {
                continue;
            }
            match term.op() {
                Op::Bool(_) => {}
                Op::Not | Op::And | Op::Or => pending.extend(term.args()),
                Op::Ite if *term.sort() == smt::Sort::Bool => pending.extend(term.args()),
                Op::Equal if *term.args()[0].sort() == smt::Sort::Bool => pending.extend(term.args()),
                Op::Equal | Op::IntLe => {
                    for side in term.args() {
                        self.side(side)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn side(&mut self, term: &Term) -> Option<()> {
        if let Some(v) = term.as_int() {
            self.numerals.insert(v);
            return Some(());
        }
        if !term.is_constant() || *term.sort() != smt::Sort::Int {
            return None;
        }
        match &self.constant {
            Some(known) => (known == term).then_some(()),
            None => {
                self.constant = Some(term.clone());
                Some(())
            }
        }
    }
}

/// The truth value of a formula that [`Shape::look`] admitted, at a value of its constant.
fn holds(formula: &Term, point: i128, values: &mut FxHashMap<Term, bool>) -> bool {
    let mut pending = vec![(formula, false)];
    while let Some((term, ready)) = pending.pop() {
        if values.contains_key(term) {
            continue;
        }
        let leaf = matches!(term.op(), Op::Bool(_) | Op::IntLe)
            || (*term.op() == Op::Equal && *term.args()[0].sort() != smt::Sort::Bool);
        if !ready && !leaf {
            pending.push((term, true));
            pending.extend(term.args().iter().map(|a| (a, false)));
            continue;
        }
        let number = |i: usize| term.args()[i].as_int().unwrap_or(point);
        let truth = |i: usize| values[&term.args()[i]];
        let value = match term.op() {
            Op::Bool(b) => *b,
            Op::IntLe => number(0) <= number(1),
            Op::Equal if leaf => number(0) == number(1),
            Op::Equal => truth(0) == truth(1),
            Op::Not => !truth(0),
            Op::And => (0..term.args().len()).all(truth),
            Op::Or => (0..term.args().len()).any(truth),
            _ => truth(if truth(0) { 1 } else { 2 }),
        };
        values.insert(term.clone(), value);
    }
    values[formula]
}
