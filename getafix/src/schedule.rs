//! How a concurrent program comes to its goal: which thread runs in which context, and the shared globals at each switch,
//! read off a tuple of the relation of `bounded-context-switch` (or of one with parameters of these names).

use crate::eval::Evaluator;
use crate::ir::{LeafId, RelId};
use crate::prelude::Model;
use crate::translate::{Place, Translation};
use bdd::{Engine, Var};
use bp::Name;
use std::collections::BTreeMap;

/// A schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The numbers of the threads, context by context.
    pub threads: Vec<usize>,
    /// The shared globals with their values at each switch.
    pub globals: Vec<Vec<(Name, bool)>>,
    /// The shared parts of the states at each switch.
    pub shared: Vec<Vec<bool>>,
    /// The goal.
    pub goal: Place,
}

/// A schedule to a goal, when the relation has the parameters `v`, `cs`, `g` and `t`.
pub fn schedule<E: Engine>(
    model: &Translation<'_>,
    evaluator: &mut Evaluator<'_, Translation<'_>, E>,
    (top, value): (RelId, &E::Bdd),
) -> Option<Schedule> {
    let formula = evaluator.formula;
    let find = |name: &str| -> Option<LeafId> {
        formula.relations[top].formals.iter().copied().find(|leaf| formula.leaves[*leaf].name == name)
    };
    let pc = evaluator.vars(find("v.pc")?).to_vec();
    let target = model.prelude().inputs.iter().position(|input| input.name == "Target")?;
    let target = model.relation(&mut evaluator.engine, target, std::slice::from_ref(&pc));
    let hit = evaluator.engine.and(value, &target);
    let cube: BTreeMap<Var, bool> = evaluator.engine.witness(&hit)?.into_iter().collect();
    let bits =
        |vars: &[Var]| vars.iter().map(|var| cube.get(var).copied().unwrap_or(false)).collect::<Vec<_>>();
    let number = |vars: &[Var]| bits(vars).iter().enumerate().map(|(i, b)| u32::from(*b) << i).sum::<u32>();
    let goal = model.place(number(&pc))?;
    let last = number(evaluator.vars(find("cs")?));
    let mut threads = vec![];
    let (mut globals, mut shared) = (vec![], vec![]);
    for context in 0..=last {
        let thread = find(&format!("t[{context}]"))?;
        threads.push(number(evaluator.vars(thread)) as usize);
        if context > 0 {
            let values = bits(evaluator.vars(find(&format!("g[{context}]"))?));
            globals.push(model.shared(&values));
            shared.push(values);
        }
    }
    Some(Schedule { threads, globals, shared, goal })
}
