//! How a program reaches its goal: for a concurrent one, which thread runs in which context, and the shared globals
//! at each switch: read off a tuple of the relation of `bounded-context-switch` (or of one with parameters of these
//! roles), or followed backwards through the rings of `all-threads`.

mod backwards;

use crate::eval::{Evaluator, Found};
use crate::ir::{RelId, Role};
use crate::prelude::Model;
use crate::translate::{Place, Question, System, Translation, World};
use bdd::{Engine, Var};
use bp::Name;
use check::Contexts;
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

impl Schedule {
    /// The schedule of an execution that was found state by state.
    pub fn of(system: &System, question: &Question, execution: &Contexts) -> Schedule {
        let translation = Translation::new(system, question.clone());
        let switches = execution.switches.iter();
        let shared: Vec<Vec<bool>> = switches.map(|s| translation.global(&s.values, &s.started)).collect();
        let (code, goal) = execution.goal;
        Schedule {
            threads: execution.threads.clone(),
            globals: shared.iter().map(|bits| translation.shared(bits)).collect(),
            shared,
            goal: Place::Vertex(code, goal),
        }
    }
}

/// A model whose answers can be explained.
pub trait Explained: Model + Sized {
    /// Whether the schedule is read off the rings.
    const RINGS: bool;

    /// How the goal is reached, when the formula is one of which that can be said.
    fn schedule<E: Engine>(
        &self,
        evaluator: &mut Evaluator<'_, Self, E>,
        found: &Found<E::Bdd>,
    ) -> Option<Schedule>;

    /// A goal that is reached, when that can be said.
    fn goal<E: Engine>(&self, evaluator: &mut Evaluator<'_, Self, E>, found: &Found<E::Bdd>)
    -> Option<Place>;
}

impl Explained for Translation<'_> {
    const RINGS: bool = false;

    fn schedule<E: Engine>(
        &self,
        evaluator: &mut Evaluator<'_, Self, E>,
        found: &Found<E::Bdd>,
    ) -> Option<Schedule> {
        found.top.as_ref().and_then(|(rel, value)| schedule(self, evaluator, (*rel, value)))
    }

    fn goal<E: Engine>(
        &self,
        evaluator: &mut Evaluator<'_, Self, E>,
        found: &Found<E::Bdd>,
    ) -> Option<Place> {
        found.top.as_ref().and_then(|(rel, value)| goal(self, evaluator, (*rel, value)))
    }
}

impl Explained for World<'_> {
    const RINGS: bool = true;

    fn schedule<E: Engine>(
        &self,
        evaluator: &mut Evaluator<'_, Self, E>,
        found: &Found<E::Bdd>,
    ) -> Option<Schedule> {
        backwards::schedule(self, evaluator, found)
    }

    fn goal<E: Engine>(
        &self,
        evaluator: &mut Evaluator<'_, Self, E>,
        found: &Found<E::Bdd>,
    ) -> Option<Place> {
        self.schedule(evaluator, found).map(|schedule| schedule.goal)
    }
}

/// A schedule to a goal, when parameters of the relation have the roles `now`, `context`, `threads` and `switches`.
pub fn schedule<E: Engine>(
    model: &Translation<'_>,
    evaluator: &mut Evaluator<'_, Translation<'_>, E>,
    top: (RelId, &E::Bdd),
) -> Option<Schedule> {
    let (cube, goal) = tuple(model, evaluator, top)?;
    let find = |role: Role| evaluator.formula.parameter(top.0, role);
    let bits =
        |vars: &[Var]| vars.iter().map(|var| cube.get(var).copied().unwrap_or(false)).collect::<Vec<_>>();
    let number = |vars: &[Var]| number(&bits(vars));
    let last = number(evaluator.vars(*find(Role::Context)?.first()?)) as usize;
    let mut threads = vec![];
    let (mut globals, mut shared) = (vec![], vec![]);
    for context in 0..=last {
        let thread = find(Role::Threads)?.get(context)?;
        threads.push(number(evaluator.vars(*thread)) as usize);
        if let Some(switch) = context.checked_sub(1) {
            let values = bits(evaluator.vars(*find(Role::Switches)?.get(switch)?));
            globals.push(model.shared(&values));
            shared.push(values);
        }
    }
    Some(Schedule { threads, globals, shared, goal })
}

/// A goal that is reached, when a parameter of the relation has the role `now`.
pub fn goal<E: Engine>(
    model: &Translation<'_>,
    evaluator: &mut Evaluator<'_, Translation<'_>, E>,
    top: (RelId, &E::Bdd),
) -> Option<Place> {
    tuple(model, evaluator, top).map(|(_, goal)| goal)
}

/// A tuple in which the state that is reached is a goal, and the goal.
fn tuple<E: Engine>(
    model: &Translation<'_>,
    evaluator: &mut Evaluator<'_, Translation<'_>, E>,
    (top, value): (RelId, &E::Bdd),
) -> Option<(BTreeMap<Var, bool>, Place)> {
    let pc = evaluator.vars(*evaluator.formula.parameter(top, Role::Now)?.first()?).to_vec();
    let target = model.prelude().inputs.iter().position(|input| input.name == "Target")?;
    let target = model.relation(&mut evaluator.engine, target, std::slice::from_ref(&pc));
    let hit = evaluator.engine.and(value, &target);
    let cube: BTreeMap<Var, bool> = evaluator.engine.witness(&hit)?.into_iter().collect();
    let bits: Vec<bool> = pc.iter().map(|var| cube.get(var).copied().unwrap_or(false)).collect();
    let goal = model.place(number(&bits))?;
    Some((cube, goal))
}

fn number(bits: &[bool]) -> u32 {
    bits.iter().enumerate().map(|(i, b)| u32::from(*b) << i).sum()
}
