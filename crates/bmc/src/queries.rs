//! The queries of the unrolling to the prover: whether executions go on, and whether a check fails.

use super::{Arrival, Unrolled, Unroller};
use ir::{Path, PathStep};
use smt::{Answer, Model, Prover, Term};

/// Z3's resource limit for the question whether a loop goes on, and how often it may give up on it.
pub(super) const FEASIBLE: u64 = 50_000;
const PATIENCE: usize = 8;

/// How much more the last question may cost where all executions end within the bounds: it decides the program.
const ENDS: u64 = 4;

/// Edges for each such question, at least.
const EDGES: usize = 8;

/// Whether an execution is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Possible {
    Yes,
    No,
    /// The prover gave up.
    Unknown,
}

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

    /// Whether some execution has these conditions; `None` when the questions are too many, or too hard.
    pub(super) fn possible(&mut self, guard: &[Term]) -> Option<Possible> {
        self.questions += 1;
        if self.questions > self.bounds.steps / EDGES {
            return None;
        }
        self.assert_axioms();
        let answer = match self.prover.check(guard) {
            Answer::Sat => Possible::Yes,
            Answer::Unsat => Possible::No,
            Answer::Unknown(_) => Possible::Unknown,
        };
        self.unknown += usize::from(answer == Possible::Unknown);
        (self.unknown <= PATIENCE).then_some(answer)
    }

    /// Whether one of the checks fails. Where executions go further, or it is not known whether they do, that is asked with
    /// a limit of its own, and then whether they go further; where both are still open, both at once.
    pub(super) fn decide(&mut self) -> Option<Unrolled> {
        let further = std::mem::take(&mut self.further);
        let mut conditions: Vec<Term> = self.failures.iter().map(|f| f.formula.clone()).collect();
        let ends = !self.cut && further.is_empty();
        let safe = Unrolled::Safe(std::mem::take(&mut self.covered));
        if let Some(beyond) = self.beyond.filter(|_| !ends) {
            match self.ask(&conditions, beyond) {
                (Answer::Unsat, _) => {
                    let none = !self.cut && self.ask(&further, beyond).0 == Answer::Unsat;
                    return Some(if none { safe } else { Unrolled::Beyond });
                }
                (Answer::Sat, model) => return self.path(&model?).map(Unrolled::Fails),
                (Answer::Unknown(_), _) => {}
            }
        }
        if self.cut {
            return Some(Unrolled::Undecided);
        }
        conditions.extend(further);
        let rlimit = if ends { ENDS * self.bounds.rlimit } else { self.bounds.rlimit };
        match self.ask(&conditions, rlimit.min(self.bounds.total)) {
            (Answer::Unsat, _) => Some(safe),
            (Answer::Unknown(_), _) => Some(Unrolled::Hard { ends }),
            (Answer::Sat, model) => match self.path(&model?) {
                None if !ends => Some(Unrolled::Undecided),
                path => path.map(Unrolled::Fails),
            },
        }
    }

    /// Whether one of the conditions can hold, by a prover of its own, with the state in which it does.
    fn ask(&mut self, conditions: &[Term], rlimit: u64) -> (Answer, Option<Model>) {
        self.assert_axioms();
        let mut facts = self.walk.out.facts.axioms.clone();
        facts.push(Term::or(conditions.iter().cloned()));
        let interrupt = self.bounds.interrupt.clone();
        smt::solve(&facts, &smt::Config { rlimit, interrupt, ..smt::Config::default() })
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
