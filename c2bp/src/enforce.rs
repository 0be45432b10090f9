//! Combinations of predicates that no state of the program has: `enforce ¬F(false)` ([BMMR01 §4.6]).
//!
//! Only predicates that share cells are compared. Every predicate of a procedure is tracked everywhere in it, so the
//! clauses may be assumed wherever the language assumes them (everywhere but behind a call, where the caller's
//! variables are stale).

use crate::cache::Impossible;
use crate::formula::{self, Lit};
use crate::problem::{Answers, Goal, Problem};
use crate::world::World;
use bp::{Expr, Ident};
use cmm::ProcId;
use smt::Term;

/// Longest cubes that are cut, for groups of at most this many predicates.
const TRIPLES: usize = 8;

/// The combinations of one procedure as problems, one for each group of predicates that share constants.
pub(crate) struct Combinations {
    pub(crate) problems: Vec<Problem>,
    vars: Vec<Vec<Ident>>,
}

impl Combinations {
    /// None when they are not `wanted`.
    pub(crate) fn new(world: &World<'_>, p: ProcId, wanted: bool) -> Combinations {
        let mut out = Combinations { problems: vec![], vars: vec![] };
        if !wanted {
            return out;
        }
        let literals = world.literals(p);
        for group in groups(&literals.iter().map(|l| l.term.constants()).collect::<Vec<_>>()) {
            if group.len() < 2 {
                continue;
            }
            let members = || group.iter().map(|i| &literals[*i]);
            let mut hypotheses: Vec<Term> = members().flat_map(|l| l.axioms().iter().cloned()).collect();
            hypotheses.retain(|f| f.as_bool() != Some(true));
            hypotheses.sort();
            hypotheses.dedup();
            out.problems.push(Problem {
                hypotheses,
                predicates: members().map(|l| l.term.clone()).collect(),
                goals: vec![Goal { term: Term::bool(false), positive: true, negative: false }],
                max_cube: if group.len() <= TRIPLES { 3 } else { 2 },
            });
            out.vars.push(members().map(|l| l.var.clone()).collect());
        }
        out
    }

    /// The same combinations by terms, as hints for the searches in the procedure. (A search that has one of a
    /// group's predicates has them all, so its hypotheses suffice.)
    pub(crate) fn impossible(&self, answers: &[&Answers]) -> Impossible {
        let mut out = vec![];
        for (problem, answers) in self.problems.iter().zip(answers) {
            for cube in &answers.sides[0].positive.cubes {
                let literal = |l: &Lit| (problem.predicates[l.predicate()].clone(), l.is_positive());
                out.push(cube.iter().map(literal).collect());
            }
        }
        out
    }

    /// The condition to enforce, if there is something to cut.
    pub(crate) fn resolve(&self, answers: &[&Answers]) -> Option<Expr> {
        let clauses = answers
            .iter()
            .zip(&self.vars)
            .map(|(a, vars)| formula::negated_disjunction(&a.sides[0].positive.cubes, vars));
        Some(Expr::and(clauses)).filter(|e| *e != Expr::one())
    }
}

/// The classes of sets that are connected by common members.
fn groups(sets: &[Vec<Term>]) -> Vec<Vec<usize>> {
    let mut owner: rustc_hash::FxHashMap<&Term, usize> = rustc_hash::FxHashMap::default();
    let mut parent: Vec<usize> = (0..sets.len()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for (i, set) in sets.iter().enumerate() {
        for member in set {
            let other = *owner.entry(member).or_insert(i);
            let (a, b) = (root(&mut parent, i), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut classes: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for i in 0..sets.len() {
        classes.entry(root(&mut parent, i)).or_default().push(i);
    }
    classes.into_values().collect()
}
