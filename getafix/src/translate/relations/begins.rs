//! Where steps begin and end that are not statements: the first steps of threads, and those to a moved goal.

use super::super::layout::StartSlots;
use super::super::{GLOBAL, Slot};
use super::Builder;
use super::steps::{To, V, X};
use bdd::Engine;
use bp::Begin;
use bp::{Op, ProcId, VertexId};

impl<E: Engine> Builder<'_, '_, E> {
    /// The first steps of a thread, with the program counters where it begins.
    pub(super) fn beginnings(&mut self, number: usize) -> Vec<(u32, To<E::Bdd>)> {
        let t = self.t;
        let thread = &t.system.threads[number];
        let [later, first] = t.layout.begins[number];
        match thread.begin {
            Begin::Procedure(proc) => {
                let body = t.system.body(thread.code, proc);
                let entry = t.system.codes[thread.code].cfg.procs[proc].entry;
                [(later, body, false), (first, entry, true)]
                    .map(|(from, to, fresh)| {
                        (from, (to, self.begin_of_itself((thread.code, proc), to, fresh)))
                    })
                    .into()
            }
            Begin::Called(proc) => {
                let entry = t.system.codes[thread.code].cfg.procs[proc].entry;
                vec![(later, (entry, self.begin_started(number, entry)))]
            }
            Begin::Vertex(vertex) => vec![(later, (vertex, self.begin_started(number, vertex)))],
        }
    }

    /// The first step of a thread that nobody starts; `fresh` if it is the first step of all.
    fn begin_of_itself(&mut self, (code, proc): (usize, ProcId), to: VertexId, fresh: bool) -> E::Bdd {
        let t = self.t;
        let cfg = &t.system.codes[code].cfg;
        let started = t.layout.starts.iter().flatten().map(|slots| slots.started);
        let flags: Vec<Slot> = t.layout.hit.into_iter().chain(started).collect();
        // Nothing was started, and the goal not reached, before the first step of all.
        let reset = |slot: &Slot| (fresh && flags.contains(slot)) || t.layout.atomic == Some(*slot);
        let (cleared, outer): (Vec<Slot>, Vec<Slot>) = self.outer(code).into_iter().partition(reset);
        let formals = cfg.procs[proc].formals.iter().map(|v| t.layout.slot(code, *v));
        let mut kept: Vec<Slot> = formals.chain(outer).collect();
        // A program begins with any values, and which these were need not be known later, unless the run may be
        // taken for one of a call.
        let is_called = cfg.edges.iter().any(|e| matches!(e.op, Op::Call { callee, .. } if callee == proc));
        if fresh && !is_called && !t.system.concurrent && !t.plan.is_whole() {
            kept.clear();
        }
        let mut list = vec![self.enforced(code, to, V), self.frame(X, V, kept), self.others_stay()];
        for slot in cleared {
            list.push(self.set(V, slot, false));
        }
        self.arriving(code, to, &list)
    }

    /// The first step of a thread that was started: it gets what was handed to it.
    fn begin_started(&mut self, number: usize, to: VertexId) -> E::Bdd {
        let t = self.t;
        let code = t.system.threads[number].code;
        let none = StartSlots { started: Slot { part: GLOBAL, bit: 0 }, values: vec![] };
        let slots = t.layout.starts[number].as_ref().unwrap_or(&none);
        let mut kept = self.outer(code);
        kept.retain(|slot| t.layout.atomic != Some(*slot));
        let mut list = vec![self.frame(X, V, kept), self.others_stay()];
        if let Some(atomic) = t.layout.atomic {
            list.push(self.set(V, atomic, false));
        }
        for (var, waiting) in &slots.values {
            let slot = t.layout.slot(code, *var);
            let (x, y) = (self.bit(X, *waiting), self.bit(V, slot));
            list.push(self.engine.iff(&x, &y));
        }
        list.push(self.enforced(code, to, V));
        self.arriving(code, to, &list)
    }

    /// With a moved goal: from the goals out of all calls, to the goal in the procedure that starts.
    pub(super) fn goal_steps(&mut self, hit: Slot) -> Vec<E::Bdd> {
        let t = self.t;
        let mut out = vec![];
        let goal = t.layout.goal.expect("a moved goal has a program counter");
        for (c, code) in t.system.codes.iter().enumerate() {
            for (id, vertex) in code.cfg.vertices.iter_enumerated() {
                let is_goal = t.question.goals.contains(&(c, id));
                let leaves_a_call = vertex.return_point && t.plan.keeps(c, id);
                if !is_goal && !leaves_a_call {
                    continue;
                }
                let from = self.at(c, id);
                let home =
                    t.system.threads.iter().any(|thread| thread.begin == Begin::Procedure(vertex.proc));
                let exit = self.at(c, code.cfg.procs[vertex.proc].exit);
                let kept: Vec<Slot> = self.outer(c).into_iter().filter(|slot| *slot != hit).collect();
                let frame = self.frame(X, V, kept);
                for to in [Some(exit), home.then_some(goal)].into_iter().flatten() {
                    let mut list = vec![self.value(0, from), self.value(4, to), frame.clone()];
                    list.push(self.set(V, hit, true));
                    if !is_goal {
                        list.push(self.set(X, hit, true));
                    }
                    out.push(self.all(&list));
                }
            }
        }
        out
    }
}
