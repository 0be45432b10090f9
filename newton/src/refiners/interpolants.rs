//! Predicates from the solution for the graph of a path: the atoms of the conditions at its cuts, and their weakest
//! preconditions along the segments between these. For the path itself the solution is a tree of interpolants; with its
//! loops and procedures folded it is an inductive invariant.

use crate::refiners::clauses::{Solved, solve};
use crate::refiners::path_program::{Fold, Graph, is_recursive};
use crate::refiners::scope::Scoper;
use crate::refiners::weakest_precondition::Chain;
use crate::refuted::Refuted;
use crate::{Discovered, Refiner};
use encoding::symbolic::walk::Role;
use encoding::{Addresses, IntMode};
use ir::Expr;
use std::rc::Rc;

/// Paths with more cuts than this are left to the other refiners, where calls are clauses.
const MOST_CUTS: usize = 400;

/// Finds predicates: by [`Refiner::Tree`] for the path, by [`Refiner::Loops`] also for all paths that differ from it in how
/// often they go round its loops, and in how deep its recursion goes. None without a solution.
pub(crate) fn refine(refuted: &Refuted<'_>, refiner: Refiner) -> Vec<Discovered> {
    let recursive = is_recursive(refuted.oracle, &refuted.unfolding);
    let folds = match refiner {
        Refiner::Loops => [recursive.then_some(Fold::Procedures), Some(Fold::Loops)],
        _ => [Some(Fold::Nothing), None],
    };
    let mut found = folds.into_iter().flatten().map(|fold| find(refuted, fold, refiner));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

fn find(refuted: &Refuted<'_>, fold: Fold, refiner: Refiner) -> Vec<Discovered> {
    let unfolding = &refuted.unfolding;
    let graph = Graph::new(refuted.program, refuted.path, unfolding, fold);
    if refuted.mode == IntMode::Bits || fold != Fold::Loops && graph.cuts.len() > MOST_CUTS {
        return vec![];
    }
    let addresses = Addresses::new(refuted.program);
    let Some(solved) = solve(refuted, &graph, &addresses) else { return vec![] };
    let at_step = carry(refuted, &graph, &solved);
    let mut found = vec![];
    Scoper::new(refuted, &at_step).collect_all(refiner, &mut found);
    found
}

/// For every step what must hold before it: the atoms at a cut, and elsewhere the weakest preconditions of those at the
/// next one.
fn carry(refuted: &Refuted<'_>, graph: &Graph, solved: &Solved<'_>) -> Vec<Rc<Vec<Expr>>> {
    let unfolding = &refuted.unfolding;
    let mut chain = Chain::new(refuted.wp(), unfolding);
    let mut at_step = vec![Rc::default(); unfolding.steps.len() + 1];
    let mut in_last_segment = true;
    for (i, step) in unfolding.steps.iter().enumerate().rev() {
        let wanted = in_last_segment && refuted.in_core(i, Role::Condition);
        for action in step.actions.iter().rev() {
            chain.back(action, wanted);
        }
        if let Some(cut) = graph.cut_before[i] {
            in_last_segment = false;
            chain.restart(solved.atoms(cut, step.activation));
        }
        at_step[i] = Rc::new(chain.conjuncts.clone());
    }
    at_step
}
