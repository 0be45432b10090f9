//! What a step of a thread does to the threads that do not move.

use super::super::Slot;
use super::super::world::World;
use super::Builder;
use crate::eval::has_value;
use crate::prelude::Part;
use base::Id;
use bdd::{DualRail, Engine, Var};
use bp::{Begin, Broadcast};
use bp::{Expr, VarId};

/// The other threads.
#[derive(Clone, Copy)]
pub(super) struct Around<'t, 's> {
    pub(super) world: &'t World<'s>,
    /// The thread that moves.
    pub(super) number: usize,
    /// The states before and behind.
    pub(super) states: [&'t Part; 2],
}

/// Where a variable of another thread has its value before the step, and behind it.
type Places = [Var; 2];

impl<E: Engine> Builder<'_, '_, E> {
    /// The variables of other threads of which something is said keep their values.
    pub(super) fn others_stay(&mut self) -> E::Bdd {
        let mut out = self.engine.constant(true);
        let Some(Around { world, number, .. }) = self.around else { return out };
        for other in (0..world.threads.len()).filter(|other| *other != number) {
            let kept = self.stays(&self.exposed(other));
            out = self.engine.and(&out, &kept);
        }
        out
    }

    /// The slots where values wait for threads that have not begun.
    pub(super) fn waiting(&self) -> Vec<Slot> {
        let Some(Around { world, number, .. }) = self.around else { return vec![] };
        let others = (0..world.threads.len()).filter(|other| *other != number);
        others.flat_map(|other| self.slots(other)).map(|(_, slot)| slot).collect()
    }

    /// The variables of the thread of which something is said, each with the slot where its value waits.
    fn slots(&self, thread: usize) -> Vec<(VarId, Slot)> {
        let Some(Around { world, .. }) = self.around else { return vec![] };
        let slots = self.t.layout.starts[thread].iter().flat_map(|slots| &slots.values);
        slots.filter(|(v, _)| world.exposed.contains(v)).copied().collect()
    }

    /// Where the variables are in the thread's frame.
    fn exposed(&self, thread: usize) -> Vec<(VarId, Places)> {
        let Some(Around { world, states, .. }) = self.around else { return vec![] };
        let stacks = &world.threads[thread];
        let place = |v: &VarId| {
            let bit = stacks.locals[0][&self.t.layout.slot(stacks.code, *v).bit];
            (*v, states.map(|vars| vars[bit]))
        };
        world.exposed.iter().map(place).collect()
    }

    fn stays(&mut self, places: &[(VarId, Places)]) -> E::Bdd {
        let mut out = self.engine.constant(true);
        for (_, [before, behind]) in places.iter().rev() {
            let (a, b) = (self.engine.var(*before), self.engine.var(*behind));
            let same = self.engine.iff(&a, &b);
            out = self.engine.and(&same, &out);
        }
        out
    }

    /// What is said is so with each other thread; those that have not been started stay as they are.
    pub(super) fn broadcast(&mut self, code: usize, others: &Broadcast) -> E::Bdd {
        let mut out = self.engine.constant(true);
        let Some(Around { world, number, states }) = self.around else {
            unreachable!("other threads are spoken of where states are those of all threads")
        };
        for other in (0..world.threads.len()).filter(|other| *other != number) {
            let frame = self.exposed(other);
            let waiting: Vec<(VarId, Places)> = self
                .slots(other)
                .into_iter()
                .map(|(v, slot)| (v, states.map(|vars| vars[world.globals[slot.bit]])))
                .collect();
            let frame_stays = self.stays(&frame);
            let waiting_stays = self.stays(&waiting);
            let in_frame = self.with(code, others, &frame);
            let in_frame = self.engine.and(&in_frame, &waiting_stays);
            let both = if let Begin::Procedure(_) = self.t.system.threads[other].begin {
                in_frame
            } else {
                let while_waiting = self.with(code, others, &waiting);
                let while_waiting = self.engine.and(&while_waiting, &frame_stays);
                let stacks = &world.threads[other];
                let begin = stacks.number(0, self.t.layout.begins[other][0]);
                let node: Vec<Var> = stacks.node.iter().map(|bit| states[0][*bit]).collect();
                let waits = has_value(self.engine, &node, begin);
                let started = self.t.layout.starts[other].as_ref().map(|slots| slots.started);
                let started = started.map(|slot| self.engine.var(states[0][world.globals[slot.bit]]));
                let started = started.unwrap_or_else(|| self.engine.constant(false));
                let stays = self.engine.and(&frame_stays, &waiting_stays);
                let begun = self.choose(&waits, &while_waiting, &in_frame);
                self.choose(&started, &begun, &stays)
            };
            out = self.engine.and(&out, &both);
        }
        out
    }

    fn choose(&mut self, c: &E::Bdd, yes: &E::Bdd, no: &E::Bdd) -> E::Bdd {
        let yes = self.engine.and(c, yes);
        let no = self.engine.and_not(no, c);
        self.engine.or(&yes, &no)
    }

    /// What is said is so with a thread whose variables are at these places.
    fn with(&mut self, code: usize, others: &Broadcast, places: &[(VarId, Places)]) -> E::Bdd {
        let count = self.t.system.codes[code].cfg.vars.len();
        let mut out = self.engine.constant(true);
        for (v, [before, behind]) in places {
            let target = others.targets.iter().find(|(target, _)| target.index() == v.index() + count);
            let bit = self.engine.var(*behind);
            let one = match target {
                Some((_, value)) => {
                    let one = self.can_with(code, value, true, places);
                    let zero = self.can_with(code, value, false, places);
                    self.choose(&bit, &one, &zero)
                }
                None => {
                    let same = self.engine.var(*before);
                    self.engine.iff(&same, &bit)
                }
            };
            out = self.engine.and(&out, &one);
        }
        for e in &others.constrain {
            let holds = self.can_with(code, e, true, places);
            out = self.engine.and(&out, &holds);
        }
        out
    }

    /// When the expression can have the value.
    fn can_with(&mut self, code: usize, e: &Expr<VarId>, value: bool, places: &[(VarId, Places)]) -> E::Bdd {
        let count = self.t.system.codes[code].cfg.vars.len();
        let (layout, parts) = (&self.t.layout, self.parts);
        let mut var = |engine: &mut E, v: VarId, next: bool| {
            let var = match v.index().checked_sub(count) {
                Some(own) => {
                    let place = places.iter().find(|(other, _)| other.index() == own);
                    place.expect("what is said of has a place").1[usize::from(next)]
                }
                None => {
                    let slot = layout.slot(code, v);
                    parts[slot.part + if next { 4 } else { 0 }][slot.bit]
                }
            };
            engine.var(var)
        };
        DualRail::new(self.engine, e, &mut var).can_be(self.engine, value)
    }
}
