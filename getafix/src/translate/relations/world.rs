//! Relations over states of all threads at once.

use super::super::Place;
use super::super::world::{Stacks, World};
use super::broadcast::Around;
use super::{Builder, Call, State};
use crate::eval::has_value;
use crate::prelude::Part;
use bdd::{Engine, Var};
use bp::Begin;
use bp::Op;
use std::collections::BTreeMap;

/// The relation of this name: the first part is the thread.
pub(in crate::translate) fn build<E: Engine>(
    world: &World<'_>,
    engine: &mut E,
    name: &str,
    parts: &[Part],
) -> E::Bdd {
    let mut out = engine.constant(false);
    for number in 0..world.threads.len() {
        let mut b = OfThread { world, engine, parts, number };
        let value = match name {
            "Start" => b.start(),
            "Step" => b.steps(),
            "Pauses" => b.pauses(),
            "Started" => b.started(),
            "Target" => b.target(),
            other => unreachable!("the model has no relation {other}"),
        };
        let own = has_value(engine, &parts[0], number as u32);
        let value = engine.and(&own, &value);
        out = engine.or(&out, &value);
    }
    out
}

/// What a relation says of one thread.
struct OfThread<'a, 't, E: Engine> {
    world: &'a World<'t>,
    engine: &'a mut E,
    parts: &'a [Part],
    number: usize,
}

/// Which state: the first, or that behind a step.
const X: usize = 1;
const W: usize = 2;

impl<'t, E: Engine> OfThread<'_, 't, E> {
    fn stacks(&self) -> &Stacks {
        &self.world.threads[self.number]
    }

    /// A thread's node has this number.
    fn at(&mut self, state: usize, thread: usize, node: u32) -> E::Bdd {
        let bits: Vec<Var> =
            self.world.threads[thread].node.iter().map(|bit| self.parts[state][*bit]).collect();
        has_value(self.engine, &bits, node)
    }

    /// Relations of this thread, over these parts of its states.
    fn builder<'b>(&'b mut self, parts: &'b [Part]) -> Builder<'b, 't, E> {
        let states = [&self.parts[X], &self.parts[W]];
        let around = Around { world: self.world, number: self.number, states };
        Builder { around: Some(around), ..Builder::new(self.world.translation, self.engine, parts) }
    }

    /// Where execution begins: with this thread, the others at their beginnings.
    fn start(&mut self) -> E::Bdd {
        let t = self.world.translation;
        let mut out = self.engine.constant(false);
        if let Begin::Procedure(_) = t.system.threads[self.number].begin {
            out = self.engine.constant(true);
            for (thread, stacks) in self.world.threads.iter().enumerate() {
                let begin = t.layout.begins[thread][usize::from(thread == self.number)];
                let here = self.at(X, thread, stacks.number(0, begin));
                out = self.engine.and(&out, &here);
            }
        }
        out
    }

    fn pauses(&mut self) -> E::Bdd {
        let quiet = self.world.quiet_nodes(self.number);
        let mut out = self.engine.constant(false);
        for node in quiet {
            let here = self.at(X, self.number, node);
            out = self.engine.or(&out, &here);
        }
        if let Some(atomic) = self.world.translation.layout.atomic {
            let bit = self.parts[X][self.stacks().own[&atomic.bit]];
            let bit = self.engine.var(bit);
            out = self.engine.or(&out, &bit);
        }
        self.engine.not(&out)
    }

    fn started(&mut self) -> E::Bdd {
        match &self.world.translation.layout.starts[self.number] {
            Some(slots) => self.engine.var(self.parts[X][self.world.globals[slots.started.bit]]),
            None => self.engine.constant(true),
        }
    }

    fn target(&mut self) -> E::Bdd {
        let t = self.world.translation;
        let mut out = self.engine.constant(false);
        for node in 0..self.stacks().nodes.len() as u32 {
            if let Some(Place::Vertex(code, vertex)) = self.world.place(self.number, node)
                && t.question.goals.contains(&(code, vertex))
            {
                let here = self.at(X, self.number, node);
                out = self.engine.or(&out, &here);
            }
        }
        out
    }

    /// The diagram variables of a state of the thread in which the frame of this depth is the last one.
    fn state(&self, state: usize, depth: usize) -> [Part; 4] {
        let none = Var(u16::MAX);
        let layout = &self.world.translation.layout;
        let vars = &self.parts[state];
        let part = |bits: &BTreeMap<usize, usize>, count: usize| {
            let mut out = vec![none; count];
            bits.iter().for_each(|(bit, place)| out[*bit] = vars[*place]);
            out
        };
        let empty = BTreeMap::new();
        let stacks = self.stacks();
        let locals = part(stacks.locals.get(depth).unwrap_or(&empty), layout.bits[0]);
        let own = part(&stacks.own, layout.bits[1]);
        [vec![], locals, own, self.world.globals.iter().map(|place| vars[*place]).collect()]
    }

    /// These bits stay as they are.
    fn keep(&mut self, mut bits: Vec<usize>) -> E::Bdd {
        bits.sort_unstable();
        let mut out = self.engine.constant(true);
        for bit in bits.into_iter().rev() {
            let (x, w) = (self.engine.var(self.parts[X][bit]), self.engine.var(self.parts[W][bit]));
            let same = self.engine.iff(&x, &w);
            out = self.engine.and(&same, &out);
        }
        out
    }

    fn steps(&mut self) -> E::Bdd {
        let t = self.world.translation;
        let mut out = self.engine.constant(false);
        for depth in 0..self.stacks().locals.len() {
            let below: Vec<usize> =
                self.stacks().locals[..depth].iter().flat_map(|bits| bits.values().copied()).collect();
            let own: Vec<usize> = self.stacks().locals[depth].values().copied().collect();
            let inside = self.inside(depth);
            let back = self.calls(depth, false);
            let both = self.engine.or(&inside, &back);
            let kept = self.keep(below.clone());
            let both = self.engine.and(&both, &kept);
            let into = self.calls(depth, true);
            let kept = self.keep([below, own].concat());
            let into = self.engine.and(&into, &kept);
            let both = self.engine.or(&both, &into);
            out = self.engine.or(&out, &both);
        }
        let others = self.world.threads.iter().enumerate().filter(|(i, _)| *i != self.number);
        // Those of which something is said are left to the steps themselves.
        let others = others.flat_map(|(_, stacks)| {
            let left = self.world.exposed.iter().map(|v| t.layout.slot(stacks.code, *v).bit);
            let left: Vec<usize> = left.map(|bit| stacks.locals[0][&bit]).collect();
            stacks.bits().filter(move |bit| !left.contains(bit))
        });
        let kept = others.collect();
        let kept = self.keep(kept);
        self.engine.and(&out, &kept)
    }

    /// A step between two nodes.
    fn between(&mut self, from: u32, to: u32, step: &E::Bdd) -> E::Bdd {
        let from = self.at(X, self.number, from);
        let to = self.at(W, self.number, to);
        let both = self.engine.and(&from, &to);
        self.engine.and(&both, step)
    }

    /// Steps inside the procedures of frames of this depth.
    fn inside(&mut self, depth: usize) -> E::Bdd {
        let parts = [self.state(X, depth), self.state(W, depth)].concat();
        let (world, number) = (self.world, self.number);
        let stacks = &world.threads[number];
        let mut by_proc = BTreeMap::new();
        let mut out = vec![];
        for (frame, of) in stacks.frames.iter().enumerate().filter(|(_, frame)| frame.depth == depth) {
            let mut steps = match by_proc.get(&of.proc) {
                Some(known) => Vec::clone(known),
                None => {
                    let found = self.builder(&parts).inside(stacks.code, of.proc);
                    by_proc.insert(of.proc, found.clone());
                    found
                }
            };
            if frame == 0 {
                steps.extend(self.builder(&parts).starting(number));
            }
            for (from, to, step) in steps {
                out.push(self.between(stacks.number(frame, from), stacks.number(frame, to), &step));
            }
        }
        self.engine.any(out)
    }

    /// Steps into the calls of frames of this depth, or back from them.
    fn calls(&mut self, depth: usize, into: bool) -> E::Bdd {
        let (world, number) = (self.world, self.number);
        let stacks = &world.threads[number];
        let t = world.translation;
        let cfg = &t.system.codes[stacks.code].cfg;
        let parts = if into {
            [self.state(X, depth), self.state(W, depth + 1)].concat()
        } else {
            [self.state(X, depth), self.state(X, depth + 1), self.state(W, depth)].concat()
        };
        let mut out = vec![];
        for ((frame, id), callee) in &stacks.callees {
            if stacks.frames[*frame].depth != depth {
                continue;
            }
            let edge = &cfg.edges[*id];
            let Op::Call { callee: proc, args, results, .. } = &edge.op else { continue };
            let call = Call { code: stacks.code, edge, callee: *proc, args, results, constrain: None };
            let mut builder = self.builder(&parts);
            let stay = builder.others_stay();
            let (step, from, to) = if into {
                let (from, to) =
                    (t.layout.vertex(stacks.code, edge.from), t.layout.entries[stacks.code][*proc]);
                let step = builder.entering(&call, false);
                (builder.all(&[step, stay]), stacks.number(*frame, from), stacks.number(*callee, to))
            } else {
                let exit = t.layout.vertex(stacks.code, cfg.procs[*proc].exit);
                let to = t.layout.vertex(stacks.code, edge.to);
                let step = builder.returns(&call, Some(State(0)), Some(State(4)), State(8));
                (builder.all(&[step, stay]), stacks.number(*callee, exit), stacks.number(*frame, to))
            };
            out.push(self.between(from, to, &step));
        }
        self.engine.any(out)
    }
}
