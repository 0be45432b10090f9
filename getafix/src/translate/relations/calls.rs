//! Relations of calls: into them, and over them. A global that the callee does not change has the caller's value
//! afterwards.

use super::super::{GLOBAL, LOCAL, Slot};
use super::{Builder, Call, State, has_value};
use bdd::Engine;
use bp::Code;
use bp::{Op, ProcId, VarId};

impl<E: Engine> Builder<'_, '_, E> {
    /// A relation over the calls of all codes.
    pub(super) fn calls(&mut self, mut one: impl FnMut(&mut Self, &Call<'_>) -> E::Bdd) -> E::Bdd {
        let t = self.t;
        let mut out = vec![];
        for (code, Code { cfg, .. }) in t.system.codes.iter().enumerate() {
            for edge in cfg.edges.iter() {
                if let Op::Call { callee, args, results, constrain } = &edge.op {
                    let constrain = constrain.as_deref();
                    out.push(one(self, &Call { code, edge, callee: *callee, args, results, constrain }));
                }
            }
        }
        self.engine.any(out)
    }

    /// `IntoCall(x, y)`, and `IntoCall1(x, pc, Local, Global)`, which has the parts of y but for its own globals, and
    /// any program counter of its procedure.
    pub(super) fn entering(&mut self, call: &Call<'_>, split: bool) -> E::Bdd {
        let t = self.t;
        let cfg = &t.system.codes[call.code].cfg;
        let from = self.at(call.code, call.edge.from);
        let mut list = vec![self.value(0, from)];
        list.push(if split {
            self.in_block(4, call.code, call.callee)
        } else {
            self.value(4, t.layout.entries[call.code][call.callee])
        });
        // Where a part of y stands.
        let y = |part: usize| if split { [0, 5, 0, 6][part] } else { 4 + part };
        let dead = self.dead(call.code, cfg.procs[call.callee].entry);
        let outer = self.outer(call.code);
        for slot in outer.into_iter().filter(|s| !dead.contains(s) && (!split || s.part == GLOBAL)) {
            let (a, b) = (self.slot_var(State(0), slot), self.parts[y(slot.part)][slot.bit]);
            let (a, b) = (self.engine.var(a), self.engine.var(b));
            list.push(self.engine.iff(&a, &b));
        }
        for (formal, arg) in cfg.procs[call.callee].formals.iter().zip(call.args) {
            let slot = t.layout.slot(call.code, *formal);
            if dead.contains(&slot) {
                continue;
            }
            let out = self.parts[y(LOCAL)][slot.bit];
            list.push(self.rail(call.code, arg, State(0), State(0)).defines(self.engine, out));
        }
        self.all(&list)
    }

    /// Any program counter of the procedure.
    fn in_block(&mut self, part: usize, code: usize, proc: ProcId) -> E::Bdd {
        let block = self.t.layout.blocks[code][proc];
        let bits = &self.parts[part][block.low_bits as usize..];
        has_value(self.engine, bits, block.first >> block.low_bits)
    }

    /// `Return(x, z, v)`; without z, what it says of x and v (`ReturnA(x, pc, v)`); without x, what it says of z and v
    /// (`ReturnB(y, z, pc, v)`).
    pub(super) fn returns(
        &mut self,
        call: &Call<'_>,
        x: Option<State>,
        z: Option<State>,
        v: State,
    ) -> E::Bdd {
        let t = self.t;
        let cfg = &t.system.codes[call.code].cfg;
        let exit = self.at(call.code, cfg.procs[call.callee].exit);
        let (from, to) = (self.at(call.code, call.edge.from), self.at(call.code, call.edge.to));
        // Without the state its program counter is a part of its own.
        let (xpc, zpc) = (x.map_or(8, |x| x.0), z.map_or(4, |z| z.0));
        let mut list = vec![self.value(xpc, from), self.value(zpc, exit), self.value(v.0, to)];
        let results = t.layout.results(call.code, call.callee);
        let set: Vec<(Slot, Slot)> = call
            .results
            .iter()
            .zip(results)
            .filter_map(|(var, result)| Some((t.layout.slot(call.code, (*var)?), *result)))
            .collect();
        // With a `constrain` all values take part before those that do not matter are forgotten.
        let dead = self.dead(call.code, call.edge.to);
        let wanted = |slot: &Slot| call.constrain.is_some() || !dead.contains(slot);
        let kept = |slot: &Slot| wanted(slot) && !set.iter().any(|(target, _)| target == slot);
        let [ours, theirs] = self.globals_after(call);
        if let Some(x) = x {
            let mut slots = self.locals(call.code, cfg.vertices[call.edge.from].proc);
            slots.extend(ours);
            slots.retain(kept);
            list.push(self.frame(x, v, slots));
            if let Some(e) = call.constrain {
                let mut may = self.can(call.code, e, true, x, v);
                // Where the goal was reached, nothing that comes later must stand in the way.
                if let Some(hit) = t.layout.hit {
                    let hit = self.bit(v, hit);
                    may = self.engine.or(&may, &hit);
                }
                list.push(may);
            }
        }
        if let Some(z) = z {
            list.push(self.frame(z, v, theirs.into_iter().filter(kept).collect()));
            for (target, result) in set.iter().filter(|(target, _)| wanted(target)) {
                let (a, b) = (self.bit(z, *result), self.bit(v, *target));
                list.push(self.engine.iff(&a, &b));
            }
        }
        self.all(&list)
    }

    /// The slots that are not local: those that have the caller's value behind the call, and those that have the
    /// callee's.
    fn globals_after(&self, call: &Call<'_>) -> [Vec<Slot>; 2] {
        let t = self.t;
        let globals = t.system.codes[call.code].cfg.globals.iter().copied();
        let (theirs, ours): (Vec<VarId>, Vec<VarId>) =
            globals.partition(|v| t.plan.comes_from_callee(call.code, call.callee, *v));
        let slots = |vars: Vec<VarId>| vars.into_iter().map(|v| t.layout.slot(call.code, v));
        [slots(ours).collect(), slots(theirs).chain(self.flags()).collect()]
    }
}
