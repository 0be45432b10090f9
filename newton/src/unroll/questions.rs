//! What the unrolling asks the prover: whether executions go on, and whether a check fails.

use super::{Arrival, EDGES, PATIENCE, Unrolled, Unroller};
use cmm::{Path, PathStep};
use rustc_hash::FxHashSet;
use smt::{Answer, Model, Prover, Term};

impl Unroller<'_, '_> {
    /// Gives the prover the axioms that are new.
    fn assert_axioms(&mut self) {
        for axiom in &self.walk.out.facts.axioms[self.asserted..] {
            if self.known.insert(axiom.clone()) {
                self.prover.assert(axiom);
            }
        }
        self.asserted = self.walk.out.facts.axioms.len();
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
        let mut known = FxHashSet::default();
        for axiom in &self.walk.out.facts.axioms {
            if known.insert(axiom.clone()) {
                prover.assert(axiom);
            }
        }
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
