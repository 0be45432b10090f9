//! The program of a path as Horn clauses, and their solution as conditions at its cut positions (refiner d of the
//! design's algorithms, section 4; \[BHMR07\]). Each relation speaks of all frames of its stack.

use crate::RLIMIT;
use crate::feasible::Role;
use crate::invariants::Invariants;
use crate::path_program::{PathProgram, Segment};
use crate::refuted::Refuted;
use crate::scalars::{Key, Scalars, Walk, linear};
use pred::{Addresses, Encoder, Facts};
use rustc_hash::FxHashMap;
use smt::Term;
use smt::horn::{Atom, Clause, Horn, Solution};
use std::collections::BTreeSet;

/// The resource limit for a system of clauses.
pub(crate) const HORN_RLIMIT: u64 = RLIMIT / 16;

/// Which conditions matter (all, or those of the core), and whether the ranges of types, and what makes operations
/// defined, are part of the clauses: the cheapest first.
pub(crate) const ATTEMPTS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

struct Builder<'a> {
    scalars: Scalars<'a>,
    of_path: &'a PathProgram,
    ranges: bool,
}

/// Conditions for the cut positions that refute the path, whatever the number of turns of its loops.
///
/// # Errors
/// Why there are none, in words.
pub(crate) fn invariants(refuted: &Refuted<'_>, of_path: &PathProgram) -> Result<Invariants, String> {
    let addresses = Addresses::new(refuted.program);
    let (program, oracle, mode) = (refuted.program, refuted.oracle, refuted.mode);
    let nodes: Vec<usize> =
        refuted.unfolding.steps.iter().map(|s| of_path.of_activation[s.activation]).collect();
    let steps: Vec<usize> = of_path.segments.iter().flat_map(|s| s.steps.clone()).collect();
    let (mut why, mut gave_up) = (String::new(), 0);
    for (everything, ranges) in ATTEMPTS {
        let enc = Encoder { program, oracle, addresses: &addresses, mode };
        let wanted = |i| everything || refuted.in_core(i, Role::Condition);
        let scalars = Scalars::new(enc, refuted.path, nodes.clone(), &steps, wanted);
        let (horn, keys) = Builder { scalars, of_path, ranges }.clauses();
        match horn.solve(HORN_RLIMIT, refuted.interrupt) {
            Solution::Solved(formulas) if is_inductive(&horn, &formulas, refuted) => {
                return Ok(Invariants { formulas, keys });
            }
            Solution::Solved(_) => why = "the solution found is none".into(),
            Solution::Derivable => why = "another number of turns of its loops is possible".into(),
            Solution::Unknown(reason) => {
                why = reason;
                gave_up += 1;
            }
        }
        // More conditions make no system easier that was too hard twice.
        if gave_up == 2 || refuted.interrupt.is_set() {
            break;
        }
    }
    Err(why)
}

/// Whether the formulas make every clause true.
pub(crate) fn is_inductive(horn: &Horn, formulas: &[Term], refuted: &Refuted<'_>) -> bool {
    let mut prover = smt::Z3Prover::new(smt::Config {
        rlimit: HORN_RLIMIT,
        interrupt: refuted.interrupt.clone(),
        ..smt::Config::default()
    });
    horn.is_solved_by(formulas, &mut prover)
}

impl Builder<'_> {
    /// The arguments of the relation at a cut position.
    fn params(&self, cut: usize) -> Vec<Key> {
        let stack = self.of_path.stack(self.of_path.frames[cut]);
        let visible = |k: &&Key| k.0.is_none_or(|node| stack.contains(&node));
        self.scalars.relevant.iter().filter(visible).copied().collect()
    }

    fn clauses(&self) -> (Horn, FxHashMap<Term, Key>) {
        let mut horn = Horn::default();
        for cut in 0..self.of_path.frames.len() {
            horn.relations.push(self.params(cut).into_iter().map(|k| self.scalars.constant(k)).collect());
        }
        let entry: Vec<Term> = horn.relations[0].clone();
        horn.clauses.push(Clause {
            body: vec![],
            constraint: Term::bool(true),
            head: Some(Atom { relation: 0, args: entry }),
        });
        for segment in &self.of_path.segments {
            horn.clauses.push(self.clause(segment));
        }
        let keys = self.scalars.relevant.iter().map(|k| (self.scalars.constant(*k), *k)).collect();
        (horn, keys)
    }

    fn clause(&self, segment: &Segment) -> Clause {
        let mut walk = Walk {
            scalars: &self.scalars,
            node: self.of_path.frames[segment.from],
            values: FxHashMap::default(),
            entered: BTreeSet::new(),
        };
        let mut facts = Facts::new("any");
        let mut conditions = vec![];
        for i in segment.steps.clone() {
            walk.step(i, i + 1 == self.scalars.path.steps.len(), &mut facts, &mut conditions);
        }
        let head = segment.to.map(|to| {
            let args =
                self.params(to).into_iter().map(|k| walk.value(k, self.scalars.ty(k), &mut facts)).collect();
            Atom { relation: to, args }
        });
        if self.ranges {
            conditions.append(&mut facts.axioms);
            conditions.append(&mut facts.defined);
        }
        let args = self.params(segment.from).into_iter().map(|k| self.scalars.constant(k)).collect();
        let body = vec![Atom { relation: segment.from, args }];
        linear(Clause { body, constraint: Term::and(conditions), head })
    }
}
