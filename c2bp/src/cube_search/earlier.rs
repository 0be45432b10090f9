//! Searches that were made over fewer predicates. The loop adds a predicate or two at a time, and everything is known
//! about the cubes over the others then.
//!
//! Facts that come with new predicates must be about nothing that the earlier search was about: then they cannot make a cube
//! imply the goal that did not before.

use crate::cube_search::problem::{Answers, Goal, Problem, Sides};
use crate::formula::{Cover, Cube, Lit, LitSet};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Term;
use std::collections::VecDeque;

/// What an earlier search has found about a goal, over a part of the predicates.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    /// Of the goal, and of its negation.
    sides: [Part; 2],
}

/// The same of one side of the goal.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The literals of these predicates.
    literals: LitSet,
    /// The cubes over these predicates that were found.
    cubes: FxHashSet<Cube>,
}

impl Settled {
    /// What is known of the goal, or of its negation.
    pub(crate) fn side(&self, positive: bool) -> &Part {
        &self.sides[usize::from(!positive)]
    }
}

impl Part {
    /// Whether the search covered all literals of the cube.
    pub(crate) fn is_about(&self, cube: &[Lit]) -> bool {
        cube.iter().all(|l| self.literals.contains(*l))
    }

    /// Whether the cube was found; `None` if the search did not cover its last literal.
    pub(crate) fn look_up(&self, cube: &dyn Fn() -> Cube, last: Lit) -> Option<bool> {
        self.literals.contains(last).then(|| self.cubes.contains(&cube()))
    }
}

/// A search that was completed.
struct Search {
    goal: Goal,
    predicates: Vec<Term>,
    /// Sorted.
    hypotheses: Vec<Term>,
    max_cube: usize,
    sides: Sides,
}

/// The searches for each goal, the latest last.
#[derive(Default)]
pub(crate) struct Earlier {
    searches: FxHashMap<Term, VecDeque<Search>>,
}

/// How many searches are kept for one goal; they differ in their predicates or hypotheses.
const KEPT: usize = 4;

impl Earlier {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.searches.clear();
    }

    /// What is known about the problem's goals.
    pub(crate) fn settled(&self, problem: &Problem) -> Vec<Option<Settled>> {
        let places = problem.predicates.iter().enumerate().rev().map(|(i, p)| (p, i)).collect();
        problem.goals.iter().map(|goal| self.of_goal(problem, &places, goal)).collect()
    }

    fn of_goal(&self, problem: &Problem, places: &FxHashMap<&Term, usize>, goal: &Goal) -> Option<Settled> {
        let searches = self.searches.get(&goal.term)?;
        let fits = |s: &&Search| s.is_about(goal) && s.is_part_of(problem, places);
        let search = searches.iter().filter(fits).max_by_key(|s| s.predicates.len())?;
        let place = |p: usize| places[&search.predicates[p]];
        let mut literals = LitSet::default();
        for p in 0..search.predicates.len() {
            literals.insert(Lit::new(place(p), true));
            literals.insert(Lit::new(place(p), false));
        }
        let cube = |cube: &Cube| -> Cube {
            let mut cube: Cube =
                cube.iter().map(|l| Lit::new(place(l.predicate()), l.is_positive())).collect();
            cube.sort_unstable();
            cube
        };
        let part = |cover: &Cover| Part {
            literals: literals.clone(),
            cubes: cover.cubes.iter().map(cube).collect(),
        };
        Some(Settled { sides: [part(&search.sides.positive), part(&search.sides.negative)] })
    }

    /// Keeps the searches that were completed.
    pub(crate) fn keep(&mut self, problem: &Problem, answers: &Answers) {
        for ((goal, sides), effort) in problem.goals.iter().zip(&answers.sides).zip(&answers.effort) {
            if effort.gave_up > 0 {
                continue;
            }
            let search = Search {
                goal: goal.clone(),
                predicates: problem.predicates.clone(),
                hypotheses: problem.hypotheses.clone(),
                max_cube: problem.max_cube,
                sides: sides.clone(),
            };
            let kept = self.searches.entry(goal.term.clone()).or_default();
            kept.retain(|old| !(old.hypotheses == search.hypotheses && old.predicates == search.predicates));
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back(search);
        }
    }
}

impl Search {
    /// Whether it has looked for the sides that the goal wants.
    fn is_about(&self, goal: &Goal) -> bool {
        self.goal.positive >= goal.positive && self.goal.negative >= goal.negative
    }

    /// Whether what it has found holds of the problem with more predicates.
    fn is_part_of(&self, problem: &Problem, places: &FxHashMap<&Term, usize>) -> bool {
        let has = |fact: &Term| problem.hypotheses.binary_search(fact).is_ok();
        if self.max_cube != problem.max_cube
            || !self.predicates.iter().all(|p| places.contains_key(p))
            || !self.hypotheses.iter().all(has)
        {
            return false;
        }
        if self.hypotheses.len() == problem.hypotheses.len() {
            return true;
        }
        let own = self.predicates.iter().chain(&self.hypotheses).chain([&self.goal.term]);
        let own: FxHashSet<Term> = own.flat_map(Term::constants).collect();
        let mut new = problem.hypotheses.iter().filter(|fact| self.hypotheses.binary_search(fact).is_err());
        new.all(|fact| fact.constants().iter().all(|c| !own.contains(c)))
    }
}
