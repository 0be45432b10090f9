//! A schedule from the rings of `all-threads`: from a goal backwards, in each step to a state of an earlier ring, until
//! a state in which execution begins.

use super::{Schedule, number};
use crate::eval::{Evaluator, Found};
use crate::ir::Role;
use crate::prelude::{Model, Part};
use crate::translate::World;
use bdd::{Engine, Var};

/// A tuple: context, thread and the bits of the state.
struct Tuple {
    context: u32,
    thread: usize,
    state: Vec<bool>,
}

struct Backwards<'a, 'f, 't, E: Engine> {
    world: &'a World<'t>,
    evaluator: &'a mut Evaluator<'f, World<'t>, E>,
    rings: &'a [E::Bdd],
    /// The variables of the relation's parameters with the roles `context`, `thread` and `world`.
    formals: [Part; 3],
    /// Steps, from the parameter to scratch variables.
    step: E::Bdd,
    behind: Part,
    start: E::Bdd,
    pauses: E::Bdd,
}

pub(super) fn schedule<'t, E: Engine>(
    world: &World<'t>,
    evaluator: &mut Evaluator<'_, World<'t>, E>,
    found: &Found<E::Bdd>,
) -> Option<Schedule> {
    let (top, _) = found.top.as_ref()?;
    let formula = evaluator.formula;
    let vars = |role| Some(evaluator.vars(*formula.parameter(*top, role)?.first()?).to_vec());
    let formals = [vars(Role::Context)?, vars(Role::Thread)?, vars(Role::World)?];
    let behind = evaluator.vars(*formula.roles.get(&Role::Before)?.first()?).to_vec();
    let [_, t, w] = formals.clone();
    let relation = |evaluator: &mut Evaluator<'_, World<'t>, E>, name: &str, parts: &[Part]| {
        let number = world.prelude().inputs.iter().position(|input| input.name == name)?;
        Some(world.relation(&mut evaluator.engine, number, parts))
    };
    let here = [t.clone(), w.clone()];
    let target = relation(evaluator, "Target", &here)?;
    let step = relation(evaluator, "Step", &[t, w, behind.clone()])?;
    let start = relation(evaluator, "Start", &here)?;
    let pauses = relation(evaluator, "Pauses", &here)?;
    let mut back = Backwards { world, evaluator, rings: &found.rings, formals, step, behind, start, pauses };
    back.run(&target)
}

impl<E: Engine> Backwards<'_, '_, '_, E> {
    fn run(&mut self, target: &E::Bdd) -> Option<Schedule> {
        let (mut ring, mut tuple) = (0..self.rings.len()).find_map(|ring| {
            let hit = self.evaluator.engine.and(&self.rings[ring], target);
            Some((ring, self.tuple(&hit)?))
        })?;
        let goal = self.place(&tuple)?;
        let mut switches = vec![];
        let mut threads = vec![tuple.thread];
        while !(tuple.context == 0 && self.is_in(&self.start.clone(), &tuple)) {
            let (earlier, before) = (0..ring).rev().find_map(|ring| {
                let before = self.by_step(ring, &tuple).or_else(|| self.by_switch(ring, &tuple));
                Some((ring, before?))
            })?;
            if before.context != tuple.context {
                switches.push(self.world.globals.iter().map(|bit| tuple.state[*bit]).collect::<Vec<bool>>());
                threads.push(before.thread);
            }
            (ring, tuple) = (earlier, before);
        }
        threads.reverse();
        switches.reverse();
        let globals = switches.iter().map(|values| self.world.translation.shared(values)).collect();
        Some(Schedule { threads, globals, shared: switches, goal })
    }

    fn place(&self, tuple: &Tuple) -> Option<crate::translate::Place> {
        let node = &self.world.threads[tuple.thread].node;
        let bits: Vec<bool> = node.iter().map(|bit| tuple.state[*bit]).collect();
        self.world.place(tuple.thread, number(&bits))
    }

    /// A tuple of a set.
    fn tuple(&self, set: &E::Bdd) -> Option<Tuple> {
        let cube: std::collections::BTreeMap<Var, bool> =
            self.evaluator.engine.witness(set)?.into_iter().collect();
        let [context, thread, state] = &self.formals;
        let bits = |vars: &Part| -> Vec<bool> {
            vars.iter().map(|var| cube.get(var).copied().unwrap_or(false)).collect()
        };
        let (context, thread) = (number(&bits(context)), number(&bits(thread)) as usize);
        Some(Tuple { context, thread, state: bits(state) })
    }

    /// Values of the parameters.
    fn values(&self, context: u32, thread: usize, state: Option<&[bool]>) -> bdd::Cube {
        let [cs, t, w] = &self.formals;
        let bit = |n: usize, i: usize| n >> i & 1 == 1;
        let mut out: bdd::Cube = cs.iter().enumerate().map(|(i, v)| (*v, bit(context as usize, i))).collect();
        out.extend(t.iter().enumerate().map(|(i, v)| (*v, bit(thread, i))));
        out.extend(state.into_iter().flat_map(|bits| w.iter().copied().zip(bits.iter().copied())));
        out
    }

    fn is_in(&mut self, set: &E::Bdd, tuple: &Tuple) -> bool {
        let values = self.values(tuple.context, tuple.thread, Some(&tuple.state));
        let rest = self.evaluator.engine.restrict(set, &values);
        !self.evaluator.engine.is_zero(&rest)
    }

    /// A tuple of the ring from which a step of the thread leads here.
    fn by_step(&mut self, ring: usize, tuple: &Tuple) -> Option<Tuple> {
        let engine = &mut self.evaluator.engine;
        let behind: bdd::Cube = self.behind.iter().copied().zip(tuple.state.iter().copied()).collect();
        let before = engine.restrict(&self.step, &behind);
        let values = self.values(tuple.context, tuple.thread, None);
        let engine = &mut self.evaluator.engine;
        let same = engine.cube(&values);
        let ring = engine.and(&self.rings[ring], &same);
        let before = engine.and(&before, &ring);
        self.tuple(&before)
    }

    /// A tuple of the ring in which another thread pauses in this state.
    fn by_switch(&mut self, ring: usize, tuple: &Tuple) -> Option<Tuple> {
        let context = tuple.context.checked_sub(1)?;
        let others = (0..self.world.threads.len()).filter(|thread| *thread != tuple.thread);
        for thread in others {
            let before = Tuple { context, thread, state: tuple.state.clone() };
            if self.is_in(&self.rings[ring].clone(), &before) && self.is_in(&self.pauses.clone(), &before) {
                return Some(before);
            }
        }
        None
    }
}
