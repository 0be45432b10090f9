//! Combinations of predicates that no state of the program has: `enforce ¬F(false)` ([BMMR01 §4.6]).
//!
//! Only predicates that share cells are compared, and only those that are tracked in all of their procedure: so the
//! clauses may be assumed wherever the language assumes them (everywhere but behind a call, where the caller's
//! variables are stale).

use crate::constrain::Combination;
use crate::context::World;
use crate::cube_search::cache::Hints;
use crate::cube_search::problem::{Answers, Problem, impossible};
use crate::formula;
use crate::question::{Image, Inquiry, Questions};
use bp::{Expr, Ident};
use ir::ProcId;

/// Groups of at most this many predicates have combinations of [`LONGEST`] predicates cut; larger ones only pairs.
const SMALL: usize = 8;

/// The longest combinations that are looked for.
const LONGEST: usize = 3;

/// The combinations of one procedure as problems, one for each group of predicates that share constants.
pub(crate) struct Combinations {
    pub(crate) inquiry: Inquiry,
    /// The same about longer combinations of the groups of which only pairs are cut.
    longer: Vec<Problem>,
}

impl Combinations {
    /// None when they are not `wanted`.
    pub(crate) fn new(world: &World<'_>, p: ProcId, wanted: bool) -> Combinations {
        let literals = if wanted { world.literals_everywhere(p) } else { vec![] };
        let longest = |group: usize| if group <= SMALL { LONGEST } else { 2 };
        let inquiry = Questions::new(literals, Image::Exact).contradictions(&longest);
        let larger = inquiry.problems.iter().filter(|p| p.max_cube < LONGEST);
        let longer = larger.map(|p| Problem { max_cube: LONGEST, ..p.clone() }).collect();
        Combinations { inquiry, longer }
    }

    /// What searches in the procedure may know of its predicates: what no state has contradicts the hypotheses of every statement.
    pub(crate) fn hints(&self, answers: &[&Answers]) -> Hints {
        Hints { impossible: impossible(&self.inquiry.problems, answers), longer: self.longer.clone() }
    }

    /// The same combinations by variables.
    pub(crate) fn cut(&self, answers: &[&Answers]) -> Vec<Vec<(Ident, bool)>> {
        let mut out = vec![];
        for (vars, answers) in self.inquiry.variables().iter().zip(answers) {
            for cube in &answers.sides[0].positive.cubes {
                out.push(cube.iter().map(|l| (vars[l.predicate()].clone(), l.is_positive())).collect());
            }
        }
        out
    }

    /// The condition to enforce, if there is something to cut: the combinations found, and those given.
    pub(crate) fn resolve(
        &self,
        answers: &[&Answers],
        world: &World<'_>,
        excluded: &[Combination],
    ) -> Option<Expr> {
        let clauses = answers
            .iter()
            .zip(self.inquiry.variables())
            .map(|(a, vars)| formula::negated_disjunction(&a.sides[0].positive.cubes, vars));
        // What is not tracked everywhere has any value elsewhere: nothing may be assumed of it there.
        let everywhere = |c: &&Combination| c.iter().all(|(id, _)| world.preds[*id].is_tracked_everywhere());
        let given = excluded.iter().filter(everywhere).map(|combination| {
            Expr::or(combination.iter().map(|(id, value)| {
                let var = Expr::Var(world.preds[*id].now.var.clone());
                if *value { Expr::not(var) } else { var }
            }))
        });
        Some(Expr::and(clauses.chain(given))).filter(|e| *e != Expr::one())
    }
}
