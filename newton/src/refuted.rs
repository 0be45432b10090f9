//! A path that cannot be executed, with everything that its refiners share: its formulas, the core of its
//! conditions, its unfolding. One analysis, any number of refiners.

use crate::core::{MINIMISE, assert_axioms};
use crate::refiners::unfold::Unfolding;
use crate::refiners::weakest_precondition::{self, Carried};
use crate::{
    Discovered, Needed, Options, Refiner, explained,
    refiners::{interpolants as inductive_invariants, near_miss_inputs, path_program as graph},
};
use alias::AliasOracle;
use encoding::Input;
use encoding::symbolic::walk::{Assumption, Encoded, Role};
use encoding::{Addresses, Encoder, IntMode};
use ir::{Path, Program};
use predicates::Precision;
use smt::{Answer, Interrupt, Prover, Term};
use std::cell::OnceCell;

/// The prover's resources for another contradiction.
const FURTHER_RLIMIT: u64 = smt::RLIMIT / 100;

/// An infeasible path.
pub struct Refuted<'a> {
    pub(crate) program: &'a Program,
    pub(crate) oracle: &'a AliasOracle,
    pub(crate) path: &'a Path,
    pub(crate) mode: IntMode,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) encoded: Encoded,
    /// Indices of the assumptions that contradict each other.
    core: Vec<usize>,
    pub(crate) unfolding: Unfolding<'a>,
    carried: OnceCell<Carried>,
    /// Conditions with which no core so far ended, and a prover that knows the path's axioms.
    further: Option<(Vec<usize>, smt::Z3Prover)>,
}

/// What a refiner made of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refinement {
    /// Steps whose conditions contradict each other, and steps that compute what those conditions read.
    pub core: Vec<usize>,
    /// Predicates that refute the path, the most wanted first.
    pub predicates: Vec<Discovered>,
}

impl<'a> Refuted<'a> {
    pub(crate) fn new(
        program: &'a Program,
        oracle: &'a AliasOracle,
        path: &'a Path,
        options: &Options<'a>,
        encoded: Encoded,
        core: Vec<usize>,
    ) -> Refuted<'a> {
        Refuted {
            program,
            oracle,
            path,
            mode: options.mode,
            interrupt: options.interrupt,
            encoded,
            core,
            unfolding: Unfolding::new(program, oracle, path),
            carried: OnceCell::new(),
            further: None,
        }
    }

    /// Turns to another contradiction between the conditions of the path, which does without the last condition of each core that
    /// there was so far. `false` when there is none, or it is hard to tell.
    pub fn another(&mut self) -> bool {
        let Refuted { encoded, further, core, interrupt, .. } = self;
        let (left, prover) = further.get_or_insert_with(|| {
            let left: Vec<usize> = crate::core::conditions(encoded).collect();
            let mut prover = smt::prover(FURTHER_RLIMIT, interrupt);
            assert_axioms(encoded, &mut prover);
            (left, prover)
        });
        let last = core.iter().copied().max();
        left.retain(|i| Some(*i) != last);
        let formulas: Vec<Term> = encoded.assumptions.iter().map(|a| a.formula.clone()).collect();
        let asked: Vec<Term> = left.iter().map(|i| formulas[*i].clone()).collect();
        if prover.check(&asked) != Answer::Unsat {
            return false;
        }
        let found: Vec<usize> = prover.core().into_iter().map(|i| left[i]).collect();
        *core = if found.len() > MINIMISE { found } else { smt::shrink_core(prover, &formulas, found) };
        self.carried = OnceCell::new();
        true
    }

    /// Looks for predicates; `known` are those that the loop has already.
    pub fn refine(&self, refiner: Refiner, known: &Precision) -> Refinement {
        let predicates = match refiner {
            Refiner::Loops | Refiner::Tree => inductive_invariants::refine(self, refiner),
            Refiner::Wp | Refiner::Sp | Refiner::WpAll => {
                return weakest_precondition::refine(self, refiner, known);
            }
        };
        Refinement { core: self.core_steps(), predicates }
    }

    /// The steps that matter by weakest preconditions, in order, with what has to hold before each.
    pub fn explained(&self) -> Vec<Needed> {
        explained::explained(self)
    }

    /// Names the program of the path (see [`crate::identity`]).
    pub fn identity(&self) -> Option<u64> {
        graph::identity_of(self.program, self.oracle, self.path, &self.unfolding)
    }

    /// Whether a procedure on the path can call itself.
    pub fn is_recursive(&self) -> bool {
        graph::is_recursive(self.oracle, &self.unfolding)
    }

    /// Inputs of executions that come close to the path's end; in the order of what is likeliest to get there.
    pub fn near_miss_inputs(&self) -> Vec<Vec<Input>> {
        near_miss_inputs::of(self, &self.core)
    }

    /// The assumptions that contradict each other.
    pub(crate) fn core(&self) -> impl Iterator<Item = &Assumption> {
        self.core.iter().map(|i| &self.encoded.assumptions[*i])
    }

    /// Whether the core needs this of a step.
    pub(crate) fn in_core(&self, step: usize, role: Role) -> bool {
        self.core().any(|a| a.step == step && a.role == role)
    }

    /// The steps of the core, in order.
    pub fn core_steps(&self) -> Vec<usize> {
        let mut steps: Vec<usize> = self.core().map(|a| a.step).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// The encoding of the program's expressions.
    pub(crate) fn encoder<'b>(&'b self, addresses: &'b Addresses) -> Encoder<'b> {
        Encoder { program: self.program, oracle: self.oracle, addresses, mode: self.mode }
    }

    /// A prover with this limit for one check.
    pub(crate) fn prover(&self, rlimit: u64) -> smt::Z3Prover {
        smt::prover(rlimit, self.interrupt)
    }

    /// How the expressions of the path are read.
    pub(crate) fn wp(&self) -> predicates::weakest_precondition::Context<'_> {
        predicates::weakest_precondition::Context {
            program: self.program,
            oracle: &self.unfolding,
            mode: self.mode,
        }
    }

    /// What the core's conditions need before each step, by weakest preconditions.
    pub(crate) fn carried(&self) -> &Carried {
        self.carried.get_or_init(|| {
            weakest_precondition::carry(self.wp(), &self.unfolding, |step, role| self.in_core(step, role))
        })
    }
}
