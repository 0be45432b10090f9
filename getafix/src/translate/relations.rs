//! The template relations \[LMP09 §4\], each a union over the edges of the codes.

use super::expr::can;
use super::layout::Mail;
use super::{Begin, Code, Extra, GLOBAL, Handed, LOCAL, PC, Slot, Translation};
use crate::eval::has_value;
use crate::prelude::Part;
use base::Id;
use bdd::{Engine, Var};
use bp::{Edge, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use std::collections::BTreeMap;

/// The relation of this name, over the parts of its arguments.
pub(super) fn build<E: Engine>(t: &Translation<'_>, engine: &mut E, name: &str, parts: &[Part]) -> E::Bdd {
    let mut b = Builder { t, engine, parts, frames: BTreeMap::new() };
    match name {
        "ProgramInt" => b.internal(),
        "IntoCall" => b.calls(|b, call| b.entering(call, false)),
        "IntoCall1" => b.calls(|b, call| b.entering(call, true)),
        "Entry" => b.entries(),
        "Exit" => b.exits(),
        "Init" => b.begins(false),
        "Begin" => b.begins(true),
        "Started" => b.started(),
        "Atomic" => b.atomic(),
        "Across" => b.calls(|b, call| {
            let (x, v) = (b.at(call.code, call.edge.from), b.at(call.code, call.edge.to));
            let (x, v) = (b.value(0, x), b.value(1, v));
            b.engine.and(&x, &v)
        }),
        "Return" => b.calls(|b, call| b.returns(call, Some(State(0)), Some(State(4)), State(8))),
        "ReturnA" => b.calls(|b, call| b.returns(call, Some(State(0)), None, State(5))),
        "ReturnB" => b.calls(|b, call| b.returns(call, None, Some(State(4)), State(9))),
        "Target" => b.targets(),
        other => unreachable!("the model has no relation {other}"),
    }
}

/// A state among the parts: where its program counter is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State(usize);

/// A call.
struct Call<'c> {
    code: usize,
    edge: &'c Edge,
    callee: ProcId,
    args: &'c [Expr<VarId>],
    results: &'c [Option<VarId>],
    constrain: Option<&'c Expr<VarId>>,
}

/// The parts of the state that keep their values, by slots.
type Frame = (State, State, Vec<Slot>);

struct Builder<'t, 's, E: Engine> {
    t: &'t Translation<'s>,
    engine: &'t mut E,
    parts: &'t [Part],
    frames: BTreeMap<Frame, E::Bdd>,
}

impl<E: Engine> Builder<'_, '_, E> {
    fn at(&self, code: usize, vertex: VertexId) -> u32 {
        self.t.layout.vertex(code, vertex)
    }

    /// The part at this position has this value.
    fn value(&mut self, part: usize, value: u32) -> E::Bdd {
        has_value(self.engine, &self.parts[part], value)
    }

    fn slot_var(&self, state: State, slot: Slot) -> Var {
        self.parts[state.0 + slot.part][slot.bit]
    }

    fn bit(&mut self, state: State, slot: Slot) -> E::Bdd {
        let var = self.slot_var(state, slot);
        self.engine.var(var)
    }

    fn set(&mut self, state: State, slot: Slot, value: bool) -> E::Bdd {
        let bit = self.bit(state, slot);
        if value { bit } else { self.engine.not(&bit) }
    }

    fn union(&mut self, mut list: Vec<E::Bdd>) -> E::Bdd {
        while list.len() > 1 {
            list = list
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => self.engine.or(a, b),
                    other => other[0].clone(),
                })
                .collect();
        }
        list.pop().unwrap_or_else(|| self.engine.constant(false))
    }

    fn all(&mut self, list: &[E::Bdd]) -> E::Bdd {
        let mut out = self.engine.constant(true);
        for f in list {
            out = self.engine.and(&out, f);
        }
        out
    }

    /// The slots keep their values.
    fn frame(&mut self, from: State, to: State, mut slots: Vec<Slot>) -> E::Bdd {
        slots.sort_unstable();
        let key = (from, to, slots);
        if let Some(known) = self.frames.get(&key) {
            return known.clone();
        }
        let pairs = key.2.iter().map(|slot| (self.slot_var(from, *slot), self.slot_var(to, *slot)));
        let mut pairs: Vec<(Var, Var)> = pairs.collect();
        pairs.sort_unstable_by(|a, b| b.cmp(a));
        let mut out = self.engine.constant(true);
        for (x, y) in pairs {
            let (x, y) = (self.engine.var(x), self.engine.var(y));
            let same = self.engine.iff(&x, &y);
            out = self.engine.and(&same, &out);
        }
        self.frames.insert(key, out.clone());
        out
    }

    /// Slots that are not local: those of globals, and flags.
    fn outer(&self, code: usize) -> Vec<Slot> {
        let cfg = &self.t.system.codes[code].cfg;
        let layout = &self.t.layout;
        let mut out: Vec<Slot> = cfg.globals.iter().map(|v| layout.slot(code, *v)).collect();
        out.extend(layout.hit);
        out.extend(layout.atomic);
        for mail in layout.mail.iter().flatten() {
            out.push(mail.started);
            out.extend(mail.values.iter().map(|(_, slot)| *slot));
        }
        out
    }

    fn locals(&self, code: usize, proc: ProcId) -> Vec<Slot> {
        let proc = &self.t.system.codes[code].cfg.procs[proc];
        proc.formals.iter().chain(&proc.locals).map(|v| self.t.layout.slot(code, *v)).collect()
    }

    /// When the expression can have the value; current values from one state, next ones from another.
    fn can(&mut self, code: usize, e: &Expr<VarId>, value: bool, now: State, then: State) -> E::Bdd {
        let (layout, parts) = (&self.t.layout, self.parts);
        let mut var = |engine: &mut E, v: VarId, next: bool| {
            let slot = layout.slot(code, v);
            let state = if next { then } else { now };
            engine.var(parts[state.0 + slot.part][slot.bit])
        };
        let can = can(self.engine, e, &mut var);
        if value { can.one } else { can.zero }
    }

    /// The bit gets the value of the expression.
    fn becomes(&mut self, code: usize, slot: Slot, e: &Expr<VarId>, now: State, then: State) -> E::Bdd {
        let one = self.can(code, e, true, now, then);
        let zero = self.can(code, e, false, now, then);
        let bit = self.bit(then, slot);
        let high = self.engine.and(&bit, &one);
        let low = self.engine.and_not(&zero, &bit);
        self.engine.or(&high, &low)
    }

    /// What `enforce` asks of a state at the vertex.
    fn enforced(&mut self, code: usize, vertex: VertexId, state: State) -> E::Bdd {
        let cfg = &self.t.system.codes[code].cfg;
        let info = &cfg.vertices[vertex];
        match &cfg.procs[info.proc].enforce {
            Some(e) if !info.return_point => self.can(code, e, true, state, state),
            _ => self.engine.constant(true),
        }
    }

    fn internal(&mut self) -> E::Bdd {
        let t = self.t;
        let mut out = vec![];
        for (c, code) in t.system.codes.iter().enumerate() {
            let mut extra: BTreeMap<EdgeId, Vec<&Extra>> = BTreeMap::new();
            code.extra.iter().for_each(|(edge, more)| extra.entry(*edge).or_default().push(more));
            for (id, edge) in code.cfg.edges.iter_enumerated() {
                if !matches!(edge.op, Op::Call { .. }) {
                    out.extend(self.edge(c, edge, extra.get(&id).map_or(&[], Vec::as_slice)));
                }
            }
            for (id, proc) in code.cfg.procs.iter_enumerated() {
                let from = t.layout.entries[c][id];
                let formals = proc.formals.iter().map(|v| t.layout.slot(c, *v)).collect();
                let step = self.enter(c, from, proc.entry, formals);
                out.push(step);
            }
        }
        out.extend((0..t.system.threads.len()).flat_map(|thread| self.beginnings(thread)));
        if let Some(hit) = t.layout.hit {
            out.extend(self.goal_steps(hit));
        }
        self.union(out)
    }

    /// From the beginning of a procedure to a vertex; these local slots and all others keep their values.
    fn enter(&mut self, code: usize, from: u32, to: VertexId, mut kept: Vec<Slot>) -> E::Bdd {
        kept.extend(self.outer(code));
        let at = self.at(code, to);
        let frame = self.frame(State(0), State(4), kept);
        let list = [self.value(0, from), self.value(4, at), self.enforced(code, to, State(4)), frame];
        self.all(&list)
    }

    /// The first steps of a thread.
    fn beginnings(&mut self, number: usize) -> Vec<E::Bdd> {
        let t = self.t;
        let thread = &t.system.threads[number];
        let cfg = &t.system.codes[thread.code].cfg;
        let [later, first] = t.layout.begins[number];
        let flags: Vec<Slot> =
            t.layout.hit.into_iter().chain(t.layout.mail.iter().flatten().map(|m| m.started)).collect();
        let outer = self.outer(thread.code);
        let mut out = vec![];
        if let Begin::Procedure(proc) = thread.begin {
            let formals: Vec<Slot> =
                cfg.procs[proc].formals.iter().map(|v| t.layout.slot(thread.code, *v)).collect();
            let body = t.system.body(thread.code, proc);
            for (from, to, fresh) in [(later, body, false), (first, cfg.procs[proc].entry, true)] {
                let mut kept = formals.clone();
                // Nothing was started, and the goal not reached, before the first step of all.
                let reset = |slot: &Slot| (fresh && flags.contains(slot)) || t.layout.atomic == Some(*slot);
                kept.extend(outer.iter().filter(|slot| !reset(slot)));
                let mut list = vec![self.value(0, from)];
                let at = self.at(thread.code, to);
                list.push(self.value(4, at));
                list.push(self.enforced(thread.code, to, State(4)));
                list.push(self.frame(State(0), State(4), kept));
                for slot in outer.iter().filter(|slot| reset(slot)) {
                    list.push(self.set(State(4), *slot, false));
                }
                out.push(self.all(&list));
            }
            return out;
        }
        let to = match thread.begin {
            Begin::Procedure(proc) | Begin::Called(proc) => cfg.procs[proc].entry,
            Begin::Vertex(vertex) => vertex,
        };
        let none = Mail { started: Slot { part: GLOBAL, bit: 0 }, values: vec![] };
        let mail = t.layout.mail[number].as_ref().unwrap_or(&none);
        let at = self.at(thread.code, to);
        let kept = outer.iter().filter(|slot| t.layout.atomic != Some(**slot)).copied().collect();
        let mut list = vec![self.value(0, later), self.value(4, at)];
        list.push(self.frame(State(0), State(4), kept));
        if let Some(atomic) = t.layout.atomic {
            list.push(self.set(State(4), atomic, false));
        }
        for (var, waiting) in &mail.values {
            let slot = t.layout.slot(thread.code, *var);
            let (x, y) = (self.bit(State(0), *waiting), self.bit(State(4), slot));
            list.push(self.engine.iff(&x, &y));
        }
        list.push(self.enforced(thread.code, to, State(4)));
        out.push(self.all(&list));
        out
    }

    /// An edge that is not a call; nothing for one that ends its thread.
    fn edge(&mut self, code: usize, edge: &Edge, extra: &[&Extra]) -> Option<E::Bdd> {
        if extra.contains(&&Extra::End) {
            return None;
        }
        let t = self.t;
        let cfg = &t.system.codes[code].cfg;
        let proc = cfg.vertices[edge.from].proc;
        let (x, v) = (State(0), State(4));
        let (from, to) = (self.at(code, edge.from), self.at(code, edge.to));
        let to_exit = cfg.procs[proc].exit == edge.to;
        let mut list = vec![self.value(0, from), self.value(4, to)];
        let enforce = self.enforced(code, edge.to, v);
        let enforces = self.engine.is_constant(&enforce) != Some(true);
        let mut kept = self.outer(code);
        // At the exit the values of locals do not matter.
        if !to_exit || enforces || matches!(&edge.op, Op::Assign { constrain: Some(_), .. }) {
            kept.extend(self.locals(code, proc));
        }
        match &edge.op {
            Op::Skip => {}
            Op::Assume { cond, value, constrain } => {
                list.push(self.can(code, cond, *value, x, x));
                if let Some(e) = constrain {
                    list.push(self.can(code, e, true, x, x));
                }
            }
            Op::Assign { targets, values, constrain } => {
                for (target, value) in targets.iter().zip(values) {
                    let slot = t.layout.slot(code, *target);
                    kept.retain(|s| *s != slot);
                    if *value != Expr::Star {
                        list.push(self.becomes(code, slot, value, x, v));
                    }
                }
                if let Some(e) = constrain {
                    list.push(self.can(code, e, true, x, v));
                }
            }
            Op::Return(values) => {
                for (k, value) in values.iter().enumerate() {
                    let slot = t.layout.results(code, proc)[k];
                    list.push(self.becomes(code, slot, value, x, v));
                }
            }
            Op::Call { .. } => unreachable!("calls have relations of their own"),
        }
        for extra in extra {
            let starts = self.beside(code, proc, extra, &mut kept);
            list.push(starts);
        }
        list.push(enforce);
        list.push(self.frame(x, v, kept));
        let step = self.all(&list);
        if !to_exit {
            return Some(step);
        }
        let locals: Vec<Var> = self.locals(code, proc).iter().map(|slot| self.slot_var(v, *slot)).collect();
        let locals = self.engine.var_set(&locals);
        Some(self.engine.exists(&step, locals))
    }

    /// What an edge does beside what the graph says; takes the slots that it changes out of those that are kept.
    fn beside(&mut self, code: usize, proc: ProcId, extra: &Extra, kept: &mut Vec<Slot>) -> E::Bdd {
        let t = self.t;
        let (x, v) = (State(0), State(4));
        match extra {
            Extra::End => unreachable!("an edge that ends its thread has no relation"),
            Extra::Atomic(value) => {
                let slot = t.layout.atomic.expect("a program with atomic sections has the flag");
                kept.retain(|s| *s != slot);
                self.set(v, slot, *value)
            }
            Extra::Nested(enters, var) => {
                let slot = t.layout.atomic.expect("a program with atomic sections has the flag");
                let before = t.layout.slot(code, *var);
                let (from, to) = if *enters { (slot, before) } else { (before, slot) };
                kept.retain(|s| *s != to && *s != slot);
                let (a, b) = (self.bit(x, from), self.bit(v, to));
                let same = self.engine.iff(&a, &b);
                let atomic = if *enters { self.set(v, slot, true) } else { self.engine.constant(true) };
                self.engine.and(&same, &atomic)
            }
            Extra::Start(threads, handed) => {
                let mails: Vec<&Mail> = threads.iter().filter_map(|n| t.layout.mail[*n].as_ref()).collect();
                let slots = |mail: &Mail| -> Vec<Slot> {
                    std::iter::once(mail.started).chain(mail.values.iter().map(|(_, slot)| *slot)).collect()
                };
                let all: Vec<Slot> = mails.iter().flat_map(|m| slots(m)).collect();
                kept.retain(|s| !all.contains(s));
                let vars = self.scope_locals(code, proc);
                let mut out = vec![];
                let mut before = vec![];
                for mail in &mails {
                    // The first one that has not been started.
                    let mut list = before.clone();
                    list.push(self.set(x, mail.started, false));
                    list.push(self.set(v, mail.started, true));
                    let own = slots(mail);
                    let others = all.iter().filter(|s| !own.contains(s)).copied().collect();
                    list.push(self.frame(x, v, others));
                    for (i, (_, slot)) in mail.values.iter().enumerate() {
                        let value = match handed {
                            Handed::Arguments(args) => args[i].clone(),
                            Handed::Variables => Expr::Var(vars[i]),
                        };
                        list.push(self.becomes(code, *slot, &value, x, v));
                    }
                    out.push(self.all(&list));
                    before.push(self.set(x, mail.started, true));
                }
                // Or it is a thread that never runs.
                out.push(self.frame(x, v, all));
                self.union(out)
            }
        }
    }

    fn scope_locals(&self, code: usize, proc: ProcId) -> Vec<VarId> {
        let proc = &self.t.system.codes[code].cfg.procs[proc];
        proc.formals.iter().chain(&proc.locals).copied().collect()
    }

    /// With a moved goal: from the goals out of all calls, to the goal in the procedure that starts.
    fn goal_steps(&mut self, hit: Slot) -> Vec<E::Bdd> {
        let t = self.t;
        let (x, v) = (State(0), State(4));
        let mut out = vec![];
        let goal = t.layout.goal.expect("a moved goal has a program counter");
        for (c, code) in t.system.codes.iter().enumerate() {
            for (id, vertex) in code.cfg.vertices.iter_enumerated() {
                let is_goal = t.question.goals.contains(&(c, id));
                if !is_goal && !vertex.return_point {
                    continue;
                }
                let from = self.at(c, id);
                let home =
                    t.system.threads.iter().any(|thread| thread.begin == Begin::Procedure(vertex.proc));
                let exit = self.at(c, code.cfg.procs[vertex.proc].exit);
                let kept: Vec<Slot> = self.outer(c).into_iter().filter(|slot| *slot != hit).collect();
                let frame = self.frame(x, v, kept);
                for to in [Some(exit), home.then_some(goal)].into_iter().flatten() {
                    let mut list = vec![self.value(0, from), self.value(4, to), frame.clone()];
                    list.push(self.set(v, hit, true));
                    if !is_goal {
                        list.push(self.set(x, hit, true));
                    }
                    out.push(self.all(&list));
                }
            }
        }
        out
    }

    /// A relation over the calls of all codes.
    fn calls(&mut self, mut one: impl FnMut(&mut Self, &Call<'_>) -> E::Bdd) -> E::Bdd {
        let t = self.t;
        let mut out = vec![];
        for (code, Code { cfg, .. }) in t.system.codes.iter().enumerate() {
            for edge in cfg.edges.iter() {
                if let Op::Call { callee, args, results, constrain } = &edge.op {
                    let constrain = constrain.as_ref();
                    out.push(one(self, &Call { code, edge, callee: *callee, args, results, constrain }));
                }
            }
        }
        self.union(out)
    }

    /// `IntoCall(x, y)`, and `IntoCall1(x, pc, Local, Global)`, which has the parts of y but for its own globals, and
    /// any program counter of its procedure.
    fn entering(&mut self, call: &Call<'_>, split: bool) -> E::Bdd {
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
        for slot in self.outer(call.code).into_iter().filter(|slot| !split || slot.part == GLOBAL) {
            let (a, b) = (self.slot_var(State(0), slot), self.parts[y(slot.part)][slot.bit]);
            let (a, b) = (self.engine.var(a), self.engine.var(b));
            list.push(self.engine.iff(&a, &b));
        }
        for (formal, arg) in cfg.procs[call.callee].formals.iter().zip(call.args) {
            let slot = t.layout.slot(call.code, *formal);
            let one = self.can(call.code, arg, true, State(0), State(0));
            let zero = self.can(call.code, arg, false, State(0), State(0));
            let bit = self.engine.var(self.parts[y(LOCAL)][slot.bit]);
            let high = self.engine.and(&bit, &one);
            let low = self.engine.and_not(&zero, &bit);
            list.push(self.engine.or(&high, &low));
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
    fn returns(&mut self, call: &Call<'_>, x: Option<State>, z: Option<State>, v: State) -> E::Bdd {
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
        let unset = |slot: &Slot| !set.iter().any(|(target, _)| target == slot);
        if let Some(x) = x {
            let kept =
                self.locals(call.code, cfg.vertices[call.edge.from].proc).into_iter().filter(unset).collect();
            list.push(self.frame(x, v, kept));
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
            let kept = self.outer(call.code).into_iter().filter(unset).collect();
            list.push(self.frame(z, v, kept));
            for (target, result) in &set {
                let (a, b) = (self.bit(z, *result), self.bit(v, *target));
                list.push(self.engine.iff(&a, &b));
            }
        }
        self.all(&list)
    }

    fn pcs(&mut self, part: usize, pcs: Vec<u32>) -> E::Bdd {
        let values = pcs.into_iter().map(|pc| self.value(part, pc)).collect();
        self.union(values)
    }

    fn entries(&mut self) -> E::Bdd {
        let layout = &self.t.layout;
        let procs = layout.entries.iter().flat_map(|of_code| of_code.iter());
        self.pcs(0, procs.chain(layout.begins.iter().flatten()).copied().collect())
    }

    fn exits(&mut self) -> E::Bdd {
        let codes = self.t.system.codes.iter().enumerate();
        let exits = codes.flat_map(|(c, code)| code.cfg.procs.iter().map(move |p| (c, p.exit)));
        let pcs = exits.map(|(c, exit)| self.at(c, exit)).collect();
        self.pcs(0, pcs)
    }

    /// `Init(pc)`; of threads `Init(t, pc)`, or `Begin(t, pc)` for the first one that runs.
    fn begins(&mut self, first: bool) -> E::Bdd {
        let t = self.t;
        if !t.system.concurrent {
            return self.value(0, t.layout.begins[0][1]);
        }
        let mut out = vec![];
        for (number, thread) in t.system.threads.iter().enumerate() {
            if first && !matches!(thread.begin, Begin::Procedure(_)) {
                continue;
            }
            let list =
                [self.value(0, number as u32), self.value(1, t.layout.begins[number][usize::from(first)])];
            out.push(self.all(&list));
        }
        self.union(out)
    }

    /// `Started(t, v)`: the thread may run in the globals of v.
    fn started(&mut self) -> E::Bdd {
        let mut out = vec![];
        for number in 0..self.t.system.threads.len() {
            let own = self.value(0, number as u32);
            let started = match &self.t.layout.mail[number] {
                Some(mail) => self.bit(State(1), mail.started),
                None => self.engine.constant(true),
            };
            out.push(self.engine.and(&own, &started));
        }
        self.union(out)
    }

    /// `Atomic(v)`: no other thread runs now.
    fn atomic(&mut self) -> E::Bdd {
        let t = self.t;
        let mut out: Vec<E::Bdd> = t.layout.atomic.map(|slot| self.bit(State(0), slot)).into_iter().collect();
        // Before anything else runs, `init` has run. And no switch comes between the beginning of a procedure or thread
        // and its first vertex: the step there does nothing of its own.
        let entries = t.layout.entries.iter().flat_map(|of_code| of_code.iter());
        let mut pcs: Vec<u32> = t.layout.begins.iter().flatten().chain(entries).copied().collect();
        for (c, thread) in t.system.threads.iter().map(|thread| (thread.code, thread)) {
            if let Begin::Procedure(proc) = thread.begin {
                let cfg = &t.system.codes[c].cfg;
                let range = cfg.procs[proc].entry.index()..t.system.body(c, proc).index();
                pcs.extend(range.map(|i| self.at(c, VertexId::from_index(i))));
            }
        }
        for (c, code) in t.system.codes.iter().enumerate() {
            for proc in &code.quiet {
                pcs.extend(code.cfg.procs[*proc].vertices().map(|v| self.at(c, v)));
            }
        }
        pcs.sort_unstable();
        pcs.dedup();
        let pcs = self.pcs(PC, pcs);
        out.push(pcs);
        self.union(out)
    }

    fn targets(&mut self) -> E::Bdd {
        let goals = match self.t.layout.goal {
            Some(goal) => vec![goal],
            None => self.t.question.goals.iter().map(|(code, v)| self.at(*code, *v)).collect(),
        };
        self.pcs(0, goals)
    }
}
