//! The template relations \[LMP09 §4\], each a union over the edges of the codes.

mod begins;
mod broadcast;
mod calls;
mod steps;
pub(super) mod world;

use super::{PC, Slot, Translation};
use crate::eval::has_value;
use crate::prelude::Part;
use base::Id;
use bdd::{DualRail, Engine, Var};
use bp::Begin;
use bp::{Edge, Expr, ProcId, VarId, VertexId};
use broadcast::Around;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The relation of this name, over the parts of its arguments.
pub(super) fn build<E: Engine>(t: &Translation<'_>, engine: &mut E, name: &str, parts: &[Part]) -> E::Bdd {
    let mut b = Builder::new(t, engine, parts);
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

/// The program counters where no other thread runs, whatever the thread's flag. Before anything else runs, `init` has
/// run. And no switch comes between the beginning of a procedure or thread and its first vertex: the step there does
/// nothing of its own.
pub(super) fn quiet(t: &Translation<'_>) -> Vec<u32> {
    let entries = t.layout.entries.iter().flat_map(|of_code| of_code.iter());
    let mut pcs: Vec<u32> = t.layout.begins.iter().flatten().chain(entries).copied().collect();
    let at = |c: usize, v: VertexId| t.layout.vertex(c, v);
    for (c, thread) in t.system.threads.iter().map(|thread| (thread.code, thread)) {
        if let Begin::Procedure(proc) = thread.begin {
            let cfg = &t.system.codes[c].cfg;
            let range = cfg.procs[proc].entry.index()..t.system.body(c, proc).index();
            let kept = range.map(VertexId::from_index).filter(|v| t.plan.keeps(c, *v));
            pcs.extend(kept.map(|v| at(c, v)));
        }
    }
    for (c, code) in t.system.codes.iter().enumerate() {
        for proc in &code.quiet {
            let kept = code.cfg.procs[*proc].vertices().filter(|v| t.plan.keeps(c, *v));
            pcs.extend(kept.map(|v| at(c, v)));
        }
    }
    pcs.sort_unstable();
    pcs.dedup();
    pcs
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
    dead: BTreeMap<(usize, VertexId), Rc<BTreeSet<Slot>>>,
    /// The other threads, where states are those of all threads.
    around: Option<Around<'t, 's>>,
}

impl<'t, 's, E: Engine> Builder<'t, 's, E> {
    fn new(t: &'t Translation<'s>, engine: &'t mut E, parts: &'t [Part]) -> Self {
        Builder { t, engine, parts, frames: BTreeMap::new(), dead: BTreeMap::new(), around: None }
    }

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
        let mut out: Vec<Slot> = cfg.globals.iter().map(|v| self.t.layout.slot(code, *v)).collect();
        out.extend(self.flags());
        out
    }

    /// The slots that are not variables of the program.
    fn flags(&self) -> Vec<Slot> {
        let layout = &self.t.layout;
        let mut out: Vec<Slot> = layout.hit.into_iter().chain(layout.atomic).collect();
        for slots in layout.starts.iter().flatten() {
            out.push(slots.started);
            out.extend(slots.values.iter().map(|(_, slot)| *slot));
        }
        out
    }

    fn locals(&self, code: usize, proc: ProcId) -> Vec<Slot> {
        let proc = &self.t.system.codes[code].cfg.procs[proc];
        proc.formals.iter().chain(&proc.locals).map(|v| self.t.layout.slot(code, *v)).collect()
    }

    /// The slots of variables in scope whose values do not matter at the vertex: at the exit all locals.
    fn dead(&mut self, code: usize, vertex: VertexId) -> Rc<BTreeSet<Slot>> {
        let t = self.t;
        let cfg = &t.system.codes[code].cfg;
        let known = self.dead.entry((code, vertex)).or_insert_with(|| {
            let proc = cfg.vertices[vertex].proc;
            // Broadcast may mention the variables of a thread at its end.
            let at_exit = cfg.procs[proc].exit == vertex && !t.system.all_count;
            let matters = |v: &VarId| {
                !(at_exit && cfg.vars[*v].owner.is_some()) && t.plan.matters(code, cfg, vertex, *v)
            };
            Rc::new(cfg.scope(proc).filter(|v| !matters(v)).map(|v| t.layout.slot(code, v)).collect())
        });
        known.clone()
    }

    /// Whatever values these slots of the state have.
    fn forget(&mut self, f: &E::Bdd, state: State, slots: impl IntoIterator<Item = Slot>) -> E::Bdd {
        let vars: Vec<Var> = slots.into_iter().map(|slot| self.slot_var(state, slot)).collect();
        if vars.is_empty() {
            return f.clone();
        }
        let set = self.engine.var_set(&vars);
        self.engine.exists(f, set)
    }

    /// When the expression can have the value; current values from one state, next ones from another.
    fn can(&mut self, code: usize, e: &Expr<VarId>, value: bool, now: State, then: State) -> E::Bdd {
        self.rail(code, e, now, then).can_be(self.engine, value)
    }

    /// The expression, of these current and next values.
    fn rail(&mut self, code: usize, e: &Expr<VarId>, now: State, then: State) -> DualRail<E::Bdd> {
        let (layout, parts) = (&self.t.layout, self.parts);
        DualRail::new(self.engine, e, &mut |engine, v, next| {
            let slot = layout.slot(code, v);
            let state = if next { then } else { now };
            engine.var(parts[state.0 + slot.part][slot.bit])
        })
    }

    /// The bit gets the value of the expression.
    fn becomes(&mut self, code: usize, slot: Slot, e: &Expr<VarId>, now: State, then: State) -> E::Bdd {
        let out = self.slot_var(then, slot);
        self.rail(code, e, now, then).defines(self.engine, out)
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

    fn pcs(&mut self, part: usize, pcs: Vec<u32>) -> E::Bdd {
        let values = pcs.into_iter().map(|pc| self.value(part, pc)).collect();
        self.engine.any(values)
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
        self.engine.any(out)
    }

    /// `Started(t, v)`: the thread may run in the globals of v.
    fn started(&mut self) -> E::Bdd {
        let mut out = vec![];
        for number in 0..self.t.system.threads.len() {
            let own = self.value(0, number as u32);
            let started = match &self.t.layout.starts[number] {
                Some(slots) => self.bit(State(1), slots.started),
                None => self.engine.constant(true),
            };
            out.push(self.engine.and(&own, &started));
        }
        self.engine.any(out)
    }

    /// `Atomic(v)`: no other thread runs now.
    fn atomic(&mut self) -> E::Bdd {
        let t = self.t;
        let mut out: Vec<E::Bdd> = t.layout.atomic.map(|slot| self.bit(State(0), slot)).into_iter().collect();
        let pcs = quiet(t);
        let pcs = self.pcs(PC, pcs);
        out.push(pcs);
        self.engine.any(out)
    }

    fn targets(&mut self) -> E::Bdd {
        let goals = match self.t.layout.goal {
            Some(goal) => vec![goal],
            None => self.t.question.goals.iter().map(|(code, v)| self.at(*code, *v)).collect(),
        };
        self.pcs(0, goals)
    }
}
