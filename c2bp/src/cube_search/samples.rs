//! Problems that a few sample states decide: no prover is needed.
//!
//! When all that a problem says is comparisons of single constants with numerals, every state agrees on all of them
//! with one of finitely many samples: of each constant one value between any two values that the comparisons tell
//! apart. Cubes and covers are then decided by looking at the samples.

use crate::formula::{Cube, Lit, LitSet};
use crate::theory_shortcuts::shapes::{Formulas, Node, Subject};
use crate::theory_shortcuts::syntax::Syntax;
use std::collections::BTreeSet;

/// The abstract states of a problem: truth values of its predicates and goals.
pub(crate) struct Samples {
    rows: Vec<Row>,
}

struct Row {
    predicates: Vec<bool>,
    goals: Vec<bool>,
    /// What is true of the predicates.
    literals: LitSet,
}

/// Problems with more samples are left to the prover.
const MAX_SAMPLES: usize = 1000;

impl Samples {
    /// The samples, if the problem is of that kind.
    pub(crate) fn new(syntax: &Syntax) -> Option<Samples> {
        let formulas = &syntax.formulas;
        let constant = |s: &Subject| matches!(s, Subject::Value(t) if t.is_constant());
        if !formulas.subjects.iter().all(constant) {
            return None;
        }
        let (predicates, goals, hypotheses) = syntax.parts();
        let mut rows = BTreeSet::new();
        for numbers in combinations(formulas)? {
            let truth = |node: &Node| formulas.holds(*node, &numbers);
            if hypotheses.iter().all(truth) {
                let predicates: Vec<bool> = predicates.iter().map(truth).collect();
                let goals: Vec<bool> = goals.iter().map(truth).collect();
                rows.insert((predicates, goals));
            }
        }
        Some(Samples { rows: rows.into_iter().map(Row::new).collect() })
    }

    /// Whether all states of the cube give the goal this value; without a goal: whether there are none.
    pub(crate) fn implies(&self, cube: &[Lit], goal: Option<(usize, bool)>) -> bool {
        let wanted = |row: &Row| goal.is_some_and(|(g, value)| row.goals[g] == value);
        self.rows.iter().filter(|row| row.is_in(cube)).all(wanted)
    }

    /// Takes the literals away that some state has, in the cube, that gives the goal this value.
    pub(crate) fn take_away(&self, from: &mut LitSet, cube: &[Lit], goal: Option<(usize, bool)>) {
        let wanted = |row: &&Row| goal.is_none_or(|(g, value)| row.goals[g] == value) && row.is_in(cube);
        for row in self.rows.iter().filter(wanted) {
            from.remove_all(&row.literals);
            if from.is_empty() {
                break;
            }
        }
    }

    /// Whether all states that give the goal this value lie in the cubes.
    pub(crate) fn covers(&self, cubes: &[Cube], (goal, value): (usize, bool)) -> bool {
        let mut states = self.rows.iter().filter(|row| row.goals[goal] == value);
        states.all(|row| cubes.iter().any(|cube| row.is_in(cube)))
    }
}

impl Row {
    fn new((predicates, goals): (Vec<bool>, Vec<bool>)) -> Row {
        let mut literals = LitSet::default();
        predicates.iter().enumerate().for_each(|(p, value)| literals.insert(Lit::new(p, *value)));
        Row { predicates, goals, literals }
    }

    fn is_in(&self, cube: &[Lit]) -> bool {
        cube.iter().all(|l| self.predicates[l.predicate()] == l.is_positive())
    }
}

/// Numbers for the subjects, in all combinations; `None` when there are too many.
fn combinations(formulas: &Formulas) -> Option<Vec<Vec<u128>>> {
    let mut out = vec![vec![]];
    for (subject, last) in formulas.last.iter().enumerate() {
        let mut values: BTreeSet<u128> = [0].into();
        for set in formulas.sets(subject) {
            values.extend(set.starts());
            values.extend(set.complement(*last).starts());
        }
        if out.len() * values.len() > MAX_SAMPLES {
            return None;
        }
        let longer = |numbers: &Vec<u128>| -> Vec<Vec<u128>> {
            values.iter().map(|v| numbers.iter().copied().chain([*v]).collect()).collect()
        };
        out = out.iter().flat_map(longer).collect();
    }
    Some(out)
}
