//! Abstract states that no concrete state has: the part of the constrain step of [BCDR04]
//! that is about single states. A cartesian abstraction keeps each predicate's value by itself, and
//! `enforce` begins with short combinations only; along a path that turned out infeasible longer ones are worth a
//! question.

use crate::cartesian;
use crate::context::{Pred, World};
use crate::groups::first_of_groups;
use alias::AliasOracle;
use base::IndexVec;
use encoding::IntMode;
use ir::{EdgeId, Op, ProcId, Program};
use passes::Blocks;
use predicates::{Precision, PredId};
use smt::{Answer, Prover, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Predicates with their values.
pub type Combination = Vec<(PredId, bool)>;

/// For procedures, combinations of the predicates in scope that no state has. Numbers are those of one
/// precision, or of one that it was extended to.
pub type Excluded = BTreeMap<ProcId, Vec<Combination>>;

/// When a predicate has a value, relative to a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moment {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// Values of predicates before and after a step that no step has.
pub type Clause = Vec<(PredId, Moment, bool)>;

/// For edges of the program with its blocks unfolded ([`StmtOrigin::unfolded`](crate::StmtOrigin)), steps that they do not take
/// (\[DD01\]). At a call edge the step is
/// the whole call. An edge with a check does not change the state: [`Excluded`] is for those.
pub type Clauses = BTreeMap<(ProcId, EdgeId), Vec<Clause>>;

/// Answers which combinations of predicates are possible.
///
/// Predicates about different things cannot contradict each other: a state is examined in parts, and a part
/// that was met before costs nothing.
pub struct States<'a> {
    world: World<'a>,
    prover: smt::Z3Prover,
    /// Predicates with the same number may be about the same thing.
    topics: IndexVec<PredId, usize>,
    possible: BTreeSet<Combination>,
}

impl<'a> States<'a> {
    /// For the predicates of a precision; `rlimit` bounds each question in the prover's resource units.
    pub fn new(
        program: &'a Program,
        oracle: &'a AliasOracle,
        precision: &Precision,
        (mode, blocks): (IntMode, Blocks),
        rlimit: u64,
        interrupt: &smt::Interrupt,
    ) -> States<'a> {
        let config = smt::Config { rlimit, interrupt: interrupt.clone(), ..smt::Config::default() };
        let world = World::new(program, oracle, precision, mode, blocks);
        let topics = topics(&world);
        States { world, prover: smt::Z3Prover::new(config), topics, possible: BTreeSet::new() }
    }

    /// Whether the predicate has a value in every state of its procedure.
    fn tells(&self, id: PredId) -> bool {
        self.world.preds[id].usable && self.world.preds[id].is_tracked_everywhere()
    }

    /// A part of the state, minimal, that no concrete state has; `None` when the state is possible, as far as the
    /// prover knows.
    pub fn contradiction(&mut self, state: &[(PredId, bool)]) -> Option<Combination> {
        let mut parts: BTreeMap<usize, Combination> = BTreeMap::new();
        for literal in state.iter().filter(|(id, _)| self.tells(*id)) {
            parts.entry(self.topics[literal.0]).or_default().push(*literal);
        }
        for part in parts.into_values() {
            if self.possible.contains(&part) {
                continue;
            }
            if let Some(core) = self.core(&part) {
                return Some(core);
            }
            self.possible.insert(part);
        }
        None
    }

    /// The same for a part of the state.
    fn core(&mut self, usable: &Combination) -> Option<Combination> {
        self.prover.push();
        for (id, _) in usable {
            for axiom in self.world.preds[*id].now.axioms() {
                self.prover.assert(axiom);
            }
        }
        let literal = |(id, value): &(PredId, bool)| {
            let term = &self.world.preds[*id].now.term;
            if *value { term.clone() } else { term.not() }
        };
        let literals: Vec<Term> = usable.iter().map(literal).collect();
        let core = match self.prover.check(&literals) {
            Answer::Unsat => {
                let core = self.prover.core();
                smt::shrink_core(&mut self.prover, &literals, core)
            }
            Answer::Sat | Answer::Unknown(_) => vec![],
        };
        self.prover.pop();
        (!core.is_empty()).then(|| core.into_iter().map(|i| usable[i]).collect())
    }

    /// A part of the step from one state to the next over an edge, minimal, that no execution of the edge takes;
    /// `None` when the step is possible, as far as the prover knows (\[DD01\], \[BCDR04\]). Steps over checks and
    /// over calls of procedures with body are not asked about: [`States::contradiction`] is for checks, and what a
    /// call does is in the relations that its procedure returns.
    pub fn impossible_step(
        &mut self,
        (p, e): (ProcId, EdgeId),
        before: &[(PredId, bool)],
        after: &[(PredId, bool)],
    ) -> Option<Clause> {
        let op = &self.world.base.program.procs[p].edges[e].op;
        let is_reached = self.world.signatures[p].is_some();
        if !is_reached || matches!(op, Op::Check(..)) || cartesian::call_with_body(&self.world, op).is_some()
        {
            return None;
        }
        let relation = cartesian::relation(&self.world, p, e);
        let mut literals = vec![];
        let sides = [(Moment::Before, before, &relation.before), (Moment::After, after, &relation.after)];
        for (moment, state, terms) in sides {
            for (id, value) in state {
                if let Some((_, term)) = terms.iter().find(|(known, _)| known == id) {
                    let term = if *value { term.clone() } else { term.not() };
                    literals.push(((*id, moment, *value), term));
                }
            }
        }
        self.prover.push();
        for fact in &relation.facts {
            self.prover.assert(fact);
        }
        let asked: Vec<Term> = literals.iter().map(|(_, term)| term.clone()).collect();
        let core = match self.prover.check(&asked) {
            Answer::Unsat => {
                let core = self.prover.core();
                Some(smt::shrink_core(&mut self.prover, &asked, core))
            }
            Answer::Sat | Answer::Unknown(_) => None,
        };
        self.prover.pop();
        // Without literals the edge itself would be impossible: then it has no abstraction to repair.
        core.filter(|core| !core.is_empty()).map(|core| core.into_iter().map(|i| literals[i].0).collect())
    }
}

/// Numbers for the predicates, the same for those that share a constant, directly or through others.
fn topics(world: &World<'_>) -> IndexVec<PredId, usize> {
    let terms = |pred: &Pred| -> Vec<Term> {
        std::iter::once(&pred.now.term).chain(pred.now.axioms()).flat_map(Term::constants).collect()
    };
    first_of_groups(world.preds.iter().map(terms)).into_iter().collect()
}
