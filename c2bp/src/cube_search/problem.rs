//! Questions to the prover in canonical form: which boolean functions of these predicates imply these goals.
//!
//! A problem is closed (it names no variable of the boolean program and no statement), so that equal problems
//! of different statements and iterations are answered once.

use crate::cube_search::decide::Effort;
use crate::formula::{Cover, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Prover, Scope, Term};

/// What is asked.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Problem {
    /// Facts that may be assumed; sorted, without repetition.
    pub(crate) hypotheses: Vec<Term>,
    /// The predicates that cubes are made of.
    pub(crate) predicates: Vec<Term>,
    /// What the cubes shall imply.
    pub(crate) goals: Vec<Goal>,
    /// Longest cube.
    pub(crate) max_cube: usize,
}

/// Combinations of predicates, by their terms and truth values, that no state has.
pub(crate) type Impossible = Vec<Vec<(Term, bool)>>;

/// What the answers to questions about `false` say.
pub(crate) fn impossible<'a>(
    problems: impl IntoIterator<Item = &'a Problem>,
    answers: &[&Answers],
) -> Impossible {
    let mut out = vec![];
    for (problem, answers) in problems.into_iter().zip(answers) {
        for cube in &answers.sides[0].positive.cubes {
            let literal = |l: &Lit| (problem.predicates[l.predicate()].clone(), l.is_positive());
            out.push(cube.iter().map(literal).collect());
        }
    }
    out
}

/// A condition with the sides that are wanted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Goal {
    /// The condition. `false` asks for the cubes that contradict the hypotheses.
    pub(crate) term: Term,
    /// Cubes that imply it are wanted.
    pub(crate) positive: bool,
    /// Cubes that imply its negation are wanted.
    pub(crate) negative: bool,
}

/// The covers of one goal; a side that was not wanted is empty and incomplete.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sides {
    /// Of the condition.
    pub(crate) positive: Cover,
    /// Of its negation.
    pub(crate) negative: Cover,
}

/// Answers to the goals of a problem, and what they cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Answers {
    /// In the order of the goals.
    pub(crate) sides: Vec<Sides>,
    /// What each goal took.
    pub(crate) effort: Vec<Effort>,
}

impl Answers {
    /// Whether the prover shows them again: each cube implies its goal, or the goal's negation.
    pub(crate) fn hold(&self, problem: &Problem, prover: &mut impl Prover) -> bool {
        let literal = |l: &Lit| {
            let predicate = &problem.predicates[l.predicate()];
            if l.is_positive() { predicate.clone() } else { predicate.not() }
        };
        let of = |cover: &Cover| Term::or(cover.cubes.iter().map(|cube| Term::and(cube.iter().map(literal))));
        let mut prover = Scope::open(prover);
        problem.hypotheses.iter().for_each(|fact| prover.assert(fact));
        problem.goals.iter().zip(&self.sides).all(|(goal, sides)| {
            let goals = [(&sides.positive, goal.term.clone()), (&sides.negative, goal.term.not())];
            goals
                .into_iter()
                .filter(|(cover, _)| !cover.cubes.is_empty())
                .all(|(cover, implied)| prover.check(&[of(cover), implied.not()]) == Answer::Unsat)
        })
    }

    /// What all goals took.
    pub(crate) fn total(&self) -> Effort {
        let mut total = Effort::default();
        self.effort.iter().for_each(|e| total += *e);
        total
    }
}

impl Problem {
    /// The same problem with other names for its constants, so that problems that differ in names only become
    /// equal. (Not all do: names can decide about the order of operands.)
    pub(crate) fn canonical(&self) -> Problem {
        let mut names: FxHashMap<Term, Term> = FxHashMap::default();
        let goals = self.goals.iter().map(|g| &g.term);
        let mut seen = FxHashSet::default();
        for term in self.predicates.iter().chain(goals).chain(&self.hypotheses) {
            let mut pending = vec![term];
            while let Some(t) = pending.pop() {
                if !seen.insert(t) {
                    continue;
                }
                if t.is_constant() {
                    let number = names.len();
                    names.insert(t.clone(), Term::constant(&format!("c!{number}"), t.sort().clone()));
                }
                pending.extend(t.args().iter().rev());
            }
        }
        let renamed = |t: &Term| t.substitute(&names);
        let mut hypotheses: Vec<Term> = self.hypotheses.iter().map(renamed).collect();
        hypotheses.sort();
        Problem {
            hypotheses,
            predicates: self.predicates.iter().map(renamed).collect(),
            goals: self.goals.iter().map(|g| Goal { term: renamed(&g.term), ..g.clone() }).collect(),
            max_cube: self.max_cube,
        }
    }
}
