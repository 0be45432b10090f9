//! The search backwards: from a tuple of a ring to tuples of earlier rings from which its equation made it.
//!
//! Of threads the context is one more part of a state, and a thread that goes on after others is one more kind of step.

use super::{Bits, Hop, SummaryEdge};
use crate::eval::Evaluator;
use crate::ir::{Formula, Role};
use crate::prelude::{Model, Part};
use crate::translate::{Place, Translation};
use bdd::{Engine, Var};
use std::collections::BTreeMap;

pub(super) const U: usize = 0;
pub(super) const V: usize = 1;
pub(super) const X: usize = 2;
pub(super) const Y: usize = 3;
pub(super) const Z: usize = 4;

/// How many parts a state has without the context.
const PARTS: usize = 4;

/// What is known of a context of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pause {
    /// The thread's last context before it, if it has run before.
    pub(super) last: Option<u32>,
    /// The shared part of the state when the context begins, and when it ends.
    pub(super) begins: Vec<bool>,
    pub(super) ends: Vec<bool>,
}

pub(super) struct Back<'t, M, E: Engine> {
    pub(super) model: &'t Translation<'t>,
    /// The model that the formula was evaluated on: the translation, and perhaps more.
    whole: &'t M,
    pub(super) evaluator: Evaluator<'t, M, E>,
    rings: Vec<E::Bdd>,
    /// The variables of u, v, x, y and z, part by part.
    states: [Vec<Part>; 5],
    relations: BTreeMap<(&'static str, Vec<usize>), E::Bdd>,
    /// Of threads what is known of each context.
    pub(super) pauses: Vec<Pause>,
}

impl<'t, M: Model, E: Engine> Back<'t, M, E> {
    pub(super) fn new(
        (model, whole): (&'t Translation<'t>, &'t M),
        formula: &'t Formula,
        evaluator: Evaluator<'t, M, E>,
        rings: Vec<E::Bdd>,
    ) -> Self {
        let parts = |role: Role| -> Vec<Part> {
            formula.roles[&role].iter().map(|leaf| evaluator.vars(*leaf).to_vec()).collect()
        };
        let mut states = [Role::Entry, Role::Now, Role::Caller, Role::Callee, Role::Exit].map(parts);
        if formula.roles.contains_key(&Role::Context) {
            // The caller's context is that in which the callee is entered, the callee's that in which it is left.
            let contexts = [Role::Entered, Role::Context, Role::Called, Role::Called, Role::Context];
            for (state, role) in states.iter_mut().zip(contexts) {
                state.extend(parts(role));
            }
        }
        Back { model, whole, evaluator, rings, states, relations: BTreeMap::new(), pauses: vec![] }
    }

    /// A relation of the model over some of the states.
    pub(super) fn relation(&mut self, name: &'static str, states: &[usize]) -> E::Bdd {
        let key = (name, states.to_vec());
        if let Some(known) = self.relations.get(&key) {
            return known.clone();
        }
        let inputs = self.whole.prelude().inputs;
        let number = inputs.iter().position(|input| input.name == name).expect("the model gives it");
        let count = if inputs[number].params == ["PC"] { 1 } else { PARTS };
        let parts: Vec<Part> = states.iter().flat_map(|s| self.states[*s][..count].to_vec()).collect();
        let value = self.whole.relation(&mut self.evaluator.engine, number, &parts);
        self.relations.insert(key, value.clone());
        value
    }

    /// The part of a state.
    pub(super) fn part<'s>(&self, state: &'s Bits, part: usize) -> &'s [bool] {
        let before: usize = self.states[V][..part].iter().map(Vec::len).sum();
        &state[before..before + self.states[V][part].len()]
    }

    /// The context of a state.
    pub(super) fn context(&self, state: &Bits) -> u32 {
        if self.states[V].len() == PARTS { 0 } else { number(self.part(state, PARTS)) }
    }

    pub(super) fn place(&self, state: &Bits) -> Place {
        let pc = number(self.part(state, 0));
        self.model.place(pc).expect("found states are at program counters of the program")
    }

    fn fix(&mut self, f: &E::Bdd, at: usize, state: &Bits) -> E::Bdd {
        let vars = self.states[at].iter().flatten().copied();
        let values: Vec<(Var, bool)> = vars.zip(state.iter().copied()).collect();
        self.evaluator.engine.restrict(f, &values)
    }

    /// The function where the part of the state has this value.
    fn with(&mut self, f: &E::Bdd, at: usize, part: usize, value: &[bool]) -> E::Bdd {
        let vars = self.states[at][part].iter().copied();
        let values: bdd::Cube = vars.zip(value.iter().copied()).collect();
        let cube = self.evaluator.engine.cube(&values);
        self.evaluator.engine.and(f, &cube)
    }

    /// The function where the state's context is that of another one.
    fn same_context(&mut self, f: &E::Bdd, at: usize, like: &Bits) -> E::Bdd {
        if self.states[V].len() == PARTS {
            return f.clone();
        }
        let value = self.part(like, PARTS).to_vec();
        self.with(f, at, PARTS, &value)
    }

    /// Values of some states that the function holds of; 0 where it says nothing.
    fn pick<const N: usize>(&self, f: &E::Bdd, at: [usize; N]) -> Option<[Bits; N]> {
        let cube: BTreeMap<Var, bool> = self.evaluator.engine.witness(f)?.into_iter().collect();
        let of = |s: usize| {
            self.states[s].iter().flatten().map(|var| cube.get(var).copied().unwrap_or(false)).collect()
        };
        Some(at.map(of))
    }

    /// The same function of other states: `pairs` are the old ones with the new ones.
    fn moved(&mut self, f: &E::Bdd, pairs: &[(usize, usize)]) -> E::Bdd {
        let of = |s: &usize| self.states[*s].iter().flatten().copied().collect::<Vec<Var>>();
        let vars: Vec<(Var, Var)> = pairs.iter().flat_map(|(a, b)| of(a).into_iter().zip(of(b))).collect();
        let mut sorted = vars.clone();
        sorted.sort_unstable();
        if sorted.windows(2).all(|pair| pair[0].1 < pair[1].1) {
            let renaming = self.evaluator.engine.renaming(&vars);
            self.evaluator.engine.rename(f, renaming)
        } else {
            bdd::permute(&mut self.evaluator.engine, f, &vars)
        }
    }

    /// The first ring before the limit that meets the function, and states of a tuple in both.
    pub(super) fn first<const N: usize>(
        &mut self,
        limit: usize,
        f: &E::Bdd,
        at: [usize; N],
    ) -> Option<(usize, [Bits; N])> {
        (0..self.rings.len().min(limit)).find_map(|i| {
            let hit = self.evaluator.engine.and(&self.rings[i], f);
            self.pick(&hit, at).map(|states| (i, states))
        })
    }

    /// The first ring with a tuple in which v is at a goal, in this context.
    pub(super) fn goal(&mut self, context: u32) -> Option<(usize, [Bits; 2])> {
        let mut target = self.relation("Target", &[V]);
        if let Some(part) = self.states[V].get(PARTS) {
            let bits = bits_of(context, part.len());
            target = self.with(&target, V, PARTS, &bits);
        }
        self.first(usize::MAX, &target, [U, V])
    }

    /// A tuple with a state v that is not atomic, in this context, with what is shared as it is at its end.
    pub(super) fn paused(&mut self, context: u32) -> Option<(usize, [Bits; 2])> {
        let atomic = self.relation("Atomic", &[V]);
        let mut f = self.evaluator.engine.not(&atomic);
        let bits = self.states[V][PARTS].len();
        f = self.with(&f, V, PARTS, &bits_of(context, bits));
        let ends = self.pauses[context as usize].ends.clone();
        f = self.with(&f, V, PARTS - 1, &ends);
        self.first(usize::MAX, &f, [U, V])
    }

    /// The ring and the tuple of a caller that enters here.
    pub(super) fn caller(&mut self, entry: &Bits, limit: usize) -> Option<(usize, Bits, Bits)> {
        let into = self.relation("IntoCall", &[V, Y]);
        let into = self.fix(&into, Y, entry);
        let into = self.same_context(&into, V, entry);
        self.first(limit, &into, [U, V]).map(|(ring, [x, y])| (ring, x, y))
    }

    /// The states from an entry to a state that ring number `ring` has with it.
    pub(super) fn path(&mut self, u: &Bits, v: &Bits, ring: usize) -> Option<Vec<Hop>> {
        let own: Vec<E::Bdd> = (0..=ring)
            .map(|i| {
                let f = self.rings[i].clone();
                self.fix(&f, U, u)
            })
            .collect();
        let mut out = vec![Hop { state: v.clone(), over: None }];
        let (mut at, mut ring) = (v.clone(), ring);
        while at != *u {
            let (before, over, found) = self.before(&own, &at, ring)?;
            out.push(Hop { state: before.clone(), over });
            (at, ring) = (before, found);
        }
        out.reverse();
        Some(out)
    }

    /// A state before this one, what the call between them did, if it is one, and the ring of the state.
    fn before(
        &mut self,
        own: &[E::Bdd],
        at: &Bits,
        ring: usize,
    ) -> Option<(Bits, Option<SummaryEdge>, usize)> {
        let step = self.relation("ProgramInt", &[V, Y]);
        let step = self.fix(&step, Y, at);
        let mut step = self.same_context(&step, V, at);
        if let Some(pause) = self.resumed(at) {
            step = self.evaluator.engine.or(&step, &pause);
        }
        for (i, own) in own[..ring].iter().enumerate() {
            let hit = self.evaluator.engine.and(own, &step);
            if let Some([x]) = self.pick(&hit, [V]) {
                return Some((x, None, i));
            }
        }
        // Over a call: x is at the call, y and z are the callee's entry and exit.
        let back = self.relation("Return", &[X, Z, V]);
        let vars = self.states[V][..PARTS].iter().flatten().copied();
        let values: Vec<(Var, bool)> = vars.zip(at.iter().copied()).collect();
        let back = self.evaluator.engine.restrict(&back, &values);
        for (i, own) in own[..ring].iter().enumerate() {
            let callers = self.moved(own, &[(V, X)]);
            let callers = self.evaluator.engine.and(&callers, &back);
            if self.evaluator.engine.is_zero(&callers) {
                continue;
            }
            if let Some((x, summary)) = self.callee(&callers, at, ring) {
                return Some((x, Some(summary), i));
            }
        }
        None
    }

    /// The states in which the thread of a context stopped, from which it goes on here.
    fn resumed(&mut self, at: &Bits) -> Option<E::Bdd> {
        let pause = self.pauses.get(self.context(at) as usize)?.clone();
        let last = pause.last?;
        if pause.begins != self.part(at, PARTS - 1) {
            return None;
        }
        let atomic = self.relation("Atomic", &[V]);
        let mut f = self.evaluator.engine.not(&atomic);
        for part in 0..PARTS - 1 {
            f = self.with(&f, V, part, self.part(at, part).to_vec().as_slice());
        }
        let ends = self.pauses[last as usize].ends.clone();
        f = self.with(&f, V, PARTS - 1, &ends);
        let bits = self.states[V][PARTS].len();
        Some(self.with(&f, V, PARTS, &bits_of(last, bits)))
    }

    /// A caller's state among these (with the callee's exits), and how the call passed.
    fn callee(&mut self, callers: &E::Bdd, at: &Bits, ring: usize) -> Option<(Bits, SummaryEdge)> {
        let into = self.relation("IntoCall", &[X, Y]);
        for j in 0..ring {
            let inside = self.rings[j].clone();
            let inside = self.moved(&inside, &[(U, Y), (V, Z)]);
            let inside = self.same_context(&inside, Z, at);
            let joined = self.evaluator.engine.and(callers, &inside);
            if self.evaluator.engine.is_zero(&joined) {
                continue;
            }
            let all = self.evaluator.engine.and(&joined, &into);
            if let Some([x, entry, exit]) = self.pick(&all, [X, Y, Z]) {
                return Some((x, SummaryEdge { entry, exit, ring: j }));
            }
        }
        None
    }

    /// The diagram variable of a bit of v.
    pub(super) fn var(&self, part: usize, bit: usize) -> Var {
        self.states[V][part][bit]
    }
}

fn number(bits: &[bool]) -> u32 {
    bits.iter().enumerate().map(|(i, b)| u32::from(*b) << i).sum()
}

fn bits_of(number: u32, count: usize) -> Vec<bool> {
    (0..count).map(|i| number >> i & 1 == 1).collect()
}
