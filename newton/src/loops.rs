//! Predicates from the solution for the program of a path: the atoms of what holds at its cut positions, and their
//! weakest preconditions along the segments between these.

use crate::feasible::{Assumption, Role};
use crate::horn;
use crate::invariants::Invariants;
use crate::path_program::PathProgram;
use crate::refine::{Chain, collect};
use crate::scope::Scoper;
use crate::unfold::Unfolding;
use crate::{Options, Outcome};
use cmm::analysis::AliasOracle;
use cmm::{Expr, Path, Program};
use pred::IntMode;
use pred::wp::Context;
use std::rc::Rc;

/// Finds predicates for a refuted path.
pub(crate) fn refine(
    program: &Program,
    oracle: &AliasOracle,
    path: &Path,
    core: &[&Assumption],
    options: &Options<'_>,
) -> Outcome {
    let mut steps: Vec<usize> = core.iter().map(|a| a.step).collect();
    steps.dedup();
    let nothing = |core| Outcome::Refuted { core, predicates: vec![] };
    if options.mode == IntMode::Bits {
        return nothing(steps);
    }
    let unfolding = Unfolding::new(program, oracle, path);
    let of_path = PathProgram::new(program, path, &unfolding);
    let found = horn::invariants(program, oracle, path, &unfolding, &of_path, core, options);
    // Without a solution the path is refuted all the same, only not its other unrollings.
    let Ok(invariants) = found else { return nothing(steps) };
    let cx = Context { signed_wrap: program.signed_wrap, oracle: &unfolding, mode: options.mode };
    let at_step = carry(cx, &unfolding, &of_path, &invariants, oracle, core);
    let scoper = Scoper::new(program, oracle, &unfolding, &at_step, options.mode);
    let mut predicates = vec![];
    for (i, step) in unfolding.steps.iter().enumerate().rev() {
        collect(&scoper, step.activation, i, &at_step[i], options.refiner, &mut predicates);
    }
    Outcome::Refuted { core: steps, predicates }
}

/// For every step what must hold before it: the atoms at a cut position, and elsewhere the weakest preconditions of
/// those at the next one.
fn carry<'u>(
    cx: Context<'u>,
    unfolding: &'u Unfolding<'u>,
    of_path: &PathProgram,
    invariants: &Invariants,
    oracle: &AliasOracle,
    core: &[&Assumption],
) -> Vec<Rc<Vec<Expr>>> {
    let mut chain = Chain::new(cx, unfolding);
    let nothing = Rc::new(vec![]);
    let mut at_step = vec![nothing; unfolding.steps.len() + 1];
    let mut in_last_segment = true;
    for (i, step) in unfolding.steps.iter().enumerate().rev() {
        let wanted = in_last_segment && core.iter().any(|a| a.step == i && a.role == Role::Condition);
        for action in step.actions.iter().rev() {
            chain.back(action, wanted);
        }
        if let Some(cut) = of_path.cut_before[i] {
            in_last_segment = false;
            chain.restart(invariants.atoms(cut, step.activation, oracle, unfolding, of_path));
        }
        at_step[i] = Rc::new(chain.conjuncts.clone());
    }
    at_step
}
