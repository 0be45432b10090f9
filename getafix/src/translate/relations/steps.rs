//! Steps inside procedures. A step leads from one program counter that is kept to another one; the edges between are
//! composed by changing the state behind the step, variable after variable.

use super::super::Slot;
use super::super::layout::StartSlots;
use super::super::plan::in_order;
use super::{Builder, State};
use bdd::Engine;
use bp::{Edge, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use bp::{StartArguments, ThreadOp};
use std::collections::BTreeMap;

/// Before the step, and behind it.
pub(super) const X: State = State(0);
pub(super) const V: State = State(4);

/// A step, and the vertex it leads to.
pub(super) type To<B> = (VertexId, B);

/// A step, with the program counters from which and to which it leads.
pub(super) type Step<B> = (u32, u32, B);

impl<E: Engine> Builder<'_, '_, E> {
    pub(super) fn internal(&mut self) -> E::Bdd {
        let t = self.t;
        let mut out = vec![];
        for (c, code) in t.system.codes.iter().enumerate() {
            for proc in code.cfg.procs.ids() {
                out.extend(self.inside(c, proc));
            }
            for (number, _) in t.system.threads.iter().enumerate().filter(|(_, thread)| thread.code == c) {
                out.extend(self.starting(number));
            }
        }
        let mut out: Vec<E::Bdd> = out
            .into_iter()
            .map(|(from, to, step)| {
                let list = [self.value(0, from), self.value(4, to), step];
                self.all(&list)
            })
            .collect();
        if let Some(hit) = t.layout.hit {
            out.extend(self.goal_steps(hit));
        }
        self.engine.any(out)
    }

    /// The steps inside a procedure.
    pub(super) fn inside(&mut self, c: usize, id: ProcId) -> Vec<Step<E::Bdd>> {
        let t = self.t;
        let code = &t.system.codes[c];
        let proc = &code.cfg.procs[id];
        let step = self.enter(c, id);
        let mut out = self.follow(c, t.layout.entries[c][id], vec![(proc.entry, step)]);
        for vertex in proc.vertices().filter(|v| t.plan.keeps(c, *v)) {
            let edges = &code.cfg.vertices[vertex].out;
            let steps = edges.iter().filter_map(|edge| self.edge(c, *edge)).collect();
            let from = self.at(c, vertex);
            out.extend(self.follow(c, from, steps));
        }
        out
    }

    /// The first steps of a thread.
    pub(super) fn starting(&mut self, number: usize) -> Vec<Step<E::Bdd>> {
        let c = self.t.system.threads[number].code;
        let begin = self.beginnings(number);
        begin.into_iter().flat_map(|(from, to)| self.follow(c, from, vec![to])).collect()
    }

    /// These steps from a program counter, each with the edges behind it up to a vertex that is kept.
    fn follow(&mut self, code: usize, from: u32, steps: Vec<To<E::Bdd>>) -> Vec<Step<E::Bdd>> {
        let t = self.t;
        let cfg = &t.system.codes[code].cfg;
        let mut waiting: BTreeMap<(u32, VertexId), E::Bdd> = BTreeMap::new();
        let mut arrived: BTreeMap<VertexId, E::Bdd> = BTreeMap::new();
        let mut new = steps;
        loop {
            for (to, step) in new.drain(..) {
                let known = match t.plan.keeps(code, to) {
                    true => arrived.entry(to).or_insert_with(|| self.engine.constant(false)),
                    false => {
                        let key = (t.plan.rank(code, to), to);
                        waiting.entry(key).or_insert_with(|| self.engine.constant(false))
                    }
                };
                *known = self.engine.or(known, &step);
            }
            let Some(((_, vertex), step)) = waiting.pop_first() else { break };
            if !self.engine.is_zero(&step) {
                let edges = &cfg.vertices[vertex].out;
                new.extend(edges.iter().filter_map(|edge| self.behind(code, *edge, &step)));
            }
        }
        arrived.into_iter().map(|(to, step)| (from, self.at(code, to), step)).collect()
    }

    /// From the beginning of a procedure to its first vertex.
    fn enter(&mut self, code: usize, proc: ProcId) -> E::Bdd {
        let t = self.t;
        let proc = &t.system.codes[code].cfg.procs[proc];
        let mut kept = self.outer(code);
        kept.extend(proc.formals.iter().map(|v| t.layout.slot(code, *v)));
        let dead = self.dead(code, proc.entry);
        kept.retain(|slot| !dead.contains(slot));
        let frame = self.frame(X, V, kept);
        let enforced = self.enforced(code, proc.entry, V);
        let stay = self.others_stay();
        self.all(&[enforced, frame, stay])
    }

    /// All of these, without what does not matter at the vertex.
    pub(super) fn arriving(&mut self, code: usize, to: VertexId, list: &[E::Bdd]) -> E::Bdd {
        let step = self.all(list);
        let dead = self.dead(code, to);
        self.forget(&step, V, dead.iter().copied())
    }

    /// The step by an edge; nothing for a call, and for one that ends its thread.
    fn edge(&mut self, code: usize, id: EdgeId) -> Option<To<E::Bdd>> {
        let t = self.t;
        let cfg = &t.system.codes[code].cfg;
        let edge = &cfg.edges[id];
        if edge.threads.contains(&ThreadOp::End) || matches!(edge.op, Op::Call { .. }) {
            return None;
        }
        let proc = cfg.vertices[edge.from].proc;
        let enforce = self.enforced(code, edge.to, V);
        // Values that do not matter behind the step may take part in it.
        let all_values = self.engine.is_constant(&enforce) != Some(true)
            || matches!(&edge.op, Op::Assign { constrain: Some(_), .. });
        let dead = self.dead(code, edge.to);
        let wanted = |slot: &Slot| all_values || !dead.contains(slot);
        let mut kept = self.outer(code);
        kept.extend(self.locals(code, proc));
        kept.retain(wanted);
        let mut list = self.effect(code, edge, &wanted, &mut kept);
        for op in &edge.threads {
            let done = self.on_threads(code, proc, op, &mut kept);
            list.push(done);
        }
        if !edge.threads.iter().any(|op| matches!(op, ThreadOp::Broadcast(_))) {
            list.push(self.others_stay());
        }
        list.push(enforce);
        list.push(self.frame(X, V, kept));
        let step = if all_values { self.arriving(code, edge.to, &list) } else { self.all(&list) };
        Some((edge.to, step))
    }

    /// What the edge's operation says of the wanted slots; takes those that it changes out of those that are kept.
    fn effect(
        &mut self,
        code: usize,
        edge: &Edge,
        wanted: &dyn Fn(&Slot) -> bool,
        kept: &mut Vec<Slot>,
    ) -> Vec<E::Bdd> {
        let t = self.t;
        let mut list = vec![];
        match &edge.op {
            Op::Skip => {}
            Op::Assume { cond, value, constrain } => {
                list.push(self.can(code, cond, *value, X, X));
                list.extend(constrain.as_deref().map(|e| self.can(code, e, true, X, X)));
            }
            Op::Assign { targets, values, constrain } => {
                for (target, value) in targets.iter().zip(values) {
                    let slot = t.layout.slot(code, *target);
                    kept.retain(|s| *s != slot);
                    if *value != Expr::Star && wanted(&slot) {
                        list.push(self.becomes(code, slot, value, X, V));
                    }
                }
                list.extend(constrain.as_deref().map(|e| self.can(code, e, true, X, V)));
            }
            Op::Return(values) => {
                let proc = t.system.codes[code].cfg.vertices[edge.from].proc;
                for (slot, value) in t.layout.results(code, proc).iter().zip(values) {
                    list.push(self.becomes(code, *slot, value, X, V));
                }
            }
            Op::Call { .. } => unreachable!("calls have relations of their own"),
        }
        list
    }

    /// A step with an edge behind it, which changes one variable after the other; nothing if it ends its thread.
    fn behind(&mut self, code: usize, id: EdgeId, step: &E::Bdd) -> Option<To<E::Bdd>> {
        let t = self.t;
        let cfg = &t.system.codes[code].cfg;
        let edge = &cfg.edges[id];
        if edge.threads.contains(&ThreadOp::End) {
            return None;
        }
        let mut out = step.clone();
        let mut changed: Vec<Slot> = vec![];
        match &edge.op {
            Op::Skip => {}
            Op::Assume { cond, value, constrain } => {
                let may = self.can(code, cond, *value, V, V);
                out = self.engine.and(&out, &may);
                if let Some(e) = constrain {
                    let may = self.can(code, e, true, V, V);
                    out = self.engine.and(&out, &may);
                }
            }
            Op::Assign { targets, values, .. } => {
                let order = in_order(targets, values).expect("other assignments begin their steps");
                for i in order {
                    let slot = t.layout.slot(code, targets[i]);
                    out = self.assign(code, slot, &values[i], &out);
                    changed.push(slot);
                }
            }
            Op::Return(values) => {
                let slots = t.layout.results(code, cfg.vertices[edge.from].proc);
                for (slot, value) in slots.iter().zip(values) {
                    out = self.assign(code, *slot, value, &out);
                }
            }
            Op::Call { .. } => unreachable!("calls begin no steps"),
        }
        for op in &edge.threads {
            if let (ThreadOp::Atomic(flag), Some(slot)) = (op, t.layout.atomic) {
                out = self.assign(code, slot, &Expr::Const(*flag), &out);
            }
        }
        let enforced = self.enforced(code, edge.to, V);
        out = self.engine.and(&out, &enforced);
        let (before, dead) = (self.dead(code, edge.from), self.dead(code, edge.to));
        let dying = dead.iter().filter(|slot| !before.contains(slot) || changed.contains(slot));
        Some((edge.to, self.forget(&out, V, dying.copied())))
    }

    /// Behind the step the slot gets the value of the expression.
    fn assign(&mut self, code: usize, slot: Slot, e: &Expr<VarId>, step: &E::Bdd) -> E::Bdd {
        let var = self.slot_var(V, slot);
        let set = self.engine.var_set(&[var]);
        if *e == Expr::Star {
            return self.engine.exists(step, set);
        }
        let one = self.can(code, e, true, V, V);
        let zero = self.can(code, e, false, V, V);
        let one = self.engine.and_exists(step, &one, set);
        let zero = self.engine.and_exists(step, &zero, set);
        let bit = self.engine.var(var);
        let high = self.engine.and(&bit, &one);
        let low = self.engine.and_not(&zero, &bit);
        self.engine.or(&high, &low)
    }

    /// What an edge does to threads; takes the slots that it changes out of those that are kept.
    fn on_threads(&mut self, code: usize, proc: ProcId, op: &ThreadOp, kept: &mut Vec<Slot>) -> E::Bdd {
        let t = self.t;
        match op {
            ThreadOp::End => unreachable!("an edge that ends its thread has no relation"),
            ThreadOp::Broadcast(broadcast) => {
                let waiting = self.waiting();
                kept.retain(|slot| !waiting.contains(slot));
                self.broadcast(code, broadcast)
            }
            ThreadOp::Atomic(value) => {
                let slot = t.layout.atomic.expect("a program with atomic sections has the flag");
                kept.retain(|s| *s != slot);
                self.set(V, slot, *value)
            }
            ThreadOp::Nested(enters, var) => {
                let slot = t.layout.atomic.expect("a program with atomic sections has the flag");
                let before = t.layout.slot(code, *var);
                let (from, to) = if *enters { (slot, before) } else { (before, slot) };
                kept.retain(|s| *s != to && *s != slot);
                let (a, b) = (self.bit(X, from), self.bit(V, to));
                let same = self.engine.iff(&a, &b);
                let atomic = if *enters { self.set(V, slot, true) } else { self.engine.constant(true) };
                self.engine.and(&same, &atomic)
            }
            ThreadOp::Start(threads, arguments) => self.start(code, proc, (threads, arguments), kept),
        }
    }

    /// Starts the first of these threads that has not been started, or one that never runs.
    fn start(
        &mut self,
        code: usize,
        proc: ProcId,
        (threads, arguments): (&[usize], &StartArguments),
        kept: &mut Vec<Slot>,
    ) -> E::Bdd {
        let t = self.t;
        let all_slots: Vec<&StartSlots> =
            threads.iter().filter_map(|n| t.layout.starts[*n].as_ref()).collect();
        let all: Vec<Slot> = all_slots.iter().flat_map(|slots| slots.slots()).collect();
        kept.retain(|s| !all.contains(s));
        let vars = self.scope_locals(code, proc);
        let mut out = vec![];
        let mut before = vec![];
        for slots in &all_slots {
            let mut list = before.clone();
            list.push(self.set(X, slots.started, false));
            list.push(self.set(V, slots.started, true));
            let own = slots.slots();
            let others = all.iter().filter(|s| !own.contains(s)).copied().collect();
            list.push(self.frame(X, V, others));
            for (i, (_, slot)) in slots.values.iter().enumerate() {
                let value = match arguments {
                    StartArguments::Values(args) => args[i].clone(),
                    StartArguments::Variables => Expr::Var(vars[i]),
                };
                list.push(self.becomes(code, *slot, &value, X, V));
            }
            out.push(self.all(&list));
            before.push(self.set(X, slots.started, true));
        }
        if !t.system.all_count {
            out.push(self.frame(X, V, all));
        }
        self.engine.any(out)
    }

    fn scope_locals(&self, code: usize, proc: ProcId) -> Vec<VarId> {
        let proc = &self.t.system.codes[code].cfg.procs[proc];
        proc.formals.iter().chain(&proc.locals).copied().collect()
    }
}
