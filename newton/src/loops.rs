//! Predicates from the solution for the program of a path: the atoms of what holds at its cut positions, and their
//! weakest preconditions along the segments between these.

use crate::feasible::Role;
use crate::horn;
use crate::invariants::Invariants;
use crate::path_program::PathProgram;
use crate::refine::{Chain, collect};
use crate::refuted::Refuted;
use crate::scope::Scoper;
use crate::{Discovered, Refiner, tree};
use cmm::Expr;
use pred::IntMode;
use std::rc::Rc;

/// Finds predicates for a refuted path and for all paths that differ from it in how often they go round its loops,
/// and in how deep its recursion goes. None without a solution: only the path itself is refuted then.
pub(crate) fn refine(refuted: &Refuted<'_>) -> Vec<Discovered> {
    if refuted.mode == IntMode::Bits {
        return vec![];
    }
    let of_recursion = tree::of_program(refuted);
    if !of_recursion.is_empty() {
        return of_recursion;
    }
    let unfolding = &refuted.unfolding;
    let of_path = PathProgram::new(refuted.program, refuted.path, unfolding);
    let Ok(invariants) = horn::invariants(refuted, &of_path) else { return vec![] };
    let at_step = carry(refuted, &of_path, &invariants);
    let scoper = Scoper::new(refuted.program, refuted.oracle, unfolding, &at_step, refuted.mode);
    let mut predicates = vec![];
    for (i, step) in unfolding.steps.iter().enumerate().rev() {
        collect(&scoper, step.activation, i, &at_step[i], Refiner::Loops, &mut predicates);
    }
    predicates
}

/// For every step what must hold before it: the atoms at a cut position, and elsewhere the weakest preconditions of
/// those at the next one.
fn carry(refuted: &Refuted<'_>, of_path: &PathProgram, invariants: &Invariants) -> Vec<Rc<Vec<Expr>>> {
    let unfolding = &refuted.unfolding;
    let mut chain = Chain::new(refuted.wp(), unfolding);
    let nothing = Rc::new(vec![]);
    let mut at_step = vec![nothing; unfolding.steps.len() + 1];
    let mut in_last_segment = true;
    for (i, step) in unfolding.steps.iter().enumerate().rev() {
        let wanted = in_last_segment && refuted.in_core(i, Role::Condition);
        for action in step.actions.iter().rev() {
            chain.back(action, wanted);
        }
        if let Some(cut) = of_path.cut_before[i] {
            in_last_segment = false;
            chain.restart(invariants.atoms(cut, step.activation, refuted.oracle, unfolding, of_path));
        }
        at_step[i] = Rc::new(chain.conjuncts.clone());
    }
    at_step
}
