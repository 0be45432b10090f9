//! What the unrolling asks the prover: whether executions go on, and whether a check fails.

use super::{Arrival, Unrolled, Unroller};
use crate::feasible;
use cmm::{Path, PathStep};
use smt::{Answer, Model, Prover, Term};

/// Z3's resource limit for the question whether a loop goes on, and how often it may give up on it.
pub(super) const FEASIBLE: u64 = 50_000;
const PATIENCE: usize = 8;

/// Edges for each such question, at least.
const EDGES: usize = 8;

impl Unroller<'_, '_> {
    /// Gives the prover the axioms that are new, and drops those that were there before.
    pub(super) fn assert_axioms(&mut self) {
        let axioms = &mut self.walk.out.facts.axioms;
        for axiom in axioms.split_off(self.asserted) {
            if self.known.insert(axiom.clone()) {
                self.prover.assert(&axiom);
                axioms.push(axiom);
            }
        }
        self.asserted = axioms.len();
    }

    /// Whether some execution has these conditions, as far as is known; `None` when the questions are too many, or too hard.
    pub(super) fn is_possible(&mut self, guard: &[Term]) -> Option<bool> {
        self.questions += 1;
        if self.questions > self.bounds.steps / EDGES {
            return None;
        }
        self.assert_axioms();
        let answer = self.prover.check(guard);
        self.unknown += usize::from(matches!(answer, Answer::Unknown(_)));
        (self.unknown <= PATIENCE).then_some(answer != Answer::Unsat)
    }

    /// Whether one of the checks fails.
    pub(super) fn decide(&mut self) -> Option<Unrolled> {
        let mut prover = crate::prover(self.bounds.rlimit, self.bounds.interrupt);
        self.assert_axioms();
        feasible::assert_axioms(&self.walk.out, &mut prover);
        prover.assert(&Term::or(self.failures.iter().map(|f| f.formula.clone())));
        match prover.check(&[]) {
            Answer::Unsat if self.cut => Some(Unrolled::Beyond),
            Answer::Unsat => Some(Unrolled::Safe(std::mem::take(&mut self.covered))),
            Answer::Unknown(_) => None,
            Answer::Sat => self.path(&prover.model()?).map(Unrolled::Fails),
        }
    }

    /// The path that a model takes to a check that fails.
    fn path(&self, model: &Model) -> Option<Path> {
        let failing = self.failures.iter().find(|f| model.holds(&f.formula) == Some(true))?;
        let (p, e) = failing.edge;
        let mut steps = vec![PathStep::Edge(p, e)];
        let mut place = failing.place;
        while !self.places[place].is_empty() {
            let taken = |a: &&Arrival| a.guard.terms().iter().all(|t| model.holds(t) == Some(true));
            let arrival = self.places[place].iter().find(taken)?;
            steps.push(arrival.step);
            place = arrival.place;
        }
        steps.reverse();
        Some(Path { steps })
    }
}
