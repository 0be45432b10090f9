//! Single steps of a run: the choices that lead to the live values which the path found demands.

use super::{Movement, SummaryEdge, Tracer, current};
use crate::Stopped;
use crate::machine::{CallStep, Step};
use crate::rings::{Hop, State};
use crate::space::Slot;
use bdd::{Cube, Engine};
use bp::{EdgeId, Op, VarId};

const IS_A_PATH: &str = "the path found is a path of the program";

impl<E: Engine> Tracer<'_, '_, E> {
    /// Takes a step that is not a call: `next` says which live values to arrive at.
    pub(super) fn take_step(
        &mut self,
        edge: EdgeId,
        step: &Step<E::Bdd>,
        state: &mut State,
        next: &Hop,
    ) -> Result<(), Stopped> {
        if step.outs.is_empty() {
            return Ok(());
        }
        let mut values: Cube = self.current_values(state);
        self.add_targets(edge, next, &mut values);
        let machine = &mut self.edges.machine;
        let rest = machine.restricted(&step.relation, &values);
        values.extend(machine.found(machine.engine.witness(&rest), IS_A_PATH)?);
        for slot in &step.outs {
            state[slot.0] = value_of(&values, slot.next());
        }
        Ok(())
    }

    /// The values that the path demands after the edge, of what the edge sets.
    fn add_targets(&self, edge: EdgeId, next: &Hop, values: &mut Cube) {
        let machine = &self.edges.machine;
        let cfg = machine.cfg;
        let to = cfg.edges[edge].to;
        let mut demand = |slot: Slot| values.push((slot.next(), next.guide[slot.0]));
        match &cfg.edges[edge].op {
            Op::Assign { targets, .. } => {
                targets
                    .iter()
                    .filter(|v| machine.is_live(to, **v))
                    .for_each(|v| demand(machine.space.slot(*v)));
            }
            Op::Return(_) => {
                let proc = cfg.vertices[to].proc;
                if machine.mod_ref.procs[proc].called && next.edge.is_none() {
                    machine.space.results(proc).for_each(demand);
                }
            }
            Op::Skip | Op::Assume { .. } | Op::Call { .. } => {}
        }
    }

    fn current_values(&self, state: &State) -> Cube {
        self.edges.machine.space.all().map(|slot| current(slot, state)).collect()
    }

    /// Goes into a call: `state` becomes the callee's.
    pub(super) fn enter(
        &mut self,
        call: &CallStep<E::Bdd>,
        state: &mut State,
        next: &Hop,
    ) -> Result<(), Stopped> {
        let cfg = self.edges.machine.cfg;
        let own = &cfg.procs[call.callee];
        let mut values = self.current_values(state);
        let machine = &mut self.edges.machine;
        for v in own.formals.iter().filter(|v| machine.is_live(own.entry, **v)) {
            let slot = machine.space.slot(*v);
            values.push((slot.scratch(), next.guide[slot.0]));
        }
        let rest = machine.restricted(call.arguments(), &values);
        values.extend(machine.found(machine.engine.witness(&rest), IS_A_PATH)?);
        let mut inside = next.guide.clone();
        for g in &cfg.globals {
            let slot = machine.space.slot(*g).0;
            inside[slot] = state[slot];
        }
        for v in &own.formals {
            let slot = machine.space.slot(*v);
            inside[slot.0] = value_of(&values, slot.scratch());
        }
        *state = inside;
        Ok(())
    }

    /// Steps over a call, and asks for the run inside it.
    pub(super) fn step_over(
        &mut self,
        edge: EdgeId,
        call: &CallStep<E::Bdd>,
        state: &mut State,
        next: &Hop,
        before: u64,
    ) -> Result<Movement<E::Bdd>, Stopped> {
        let cfg = self.edges.machine.cfg;
        let to = cfg.edges[edge].to;
        let summary = self.summaries.total(self.edges, call.callee, before);
        let relation = self.edges.machine.joined(call, &summary);
        let mut values = self.current_values(state);
        let machine = &mut self.edges.machine;
        for v in call.changed.iter().filter(|v| machine.is_live(to, **v)) {
            let slot = machine.space.slot(*v);
            values.push((slot.next(), next.guide[slot.0]));
        }
        let rest = machine.engine.restrict(&relation, &values);
        values.extend(machine.found(machine.engine.witness(&rest), IS_A_PATH)?);
        let space = &machine.space;
        let own = &cfg.procs[call.callee];
        let entering = cfg.globals.iter().map(|g| state[space.slot(*g).0]);
        let formals = own.formals.iter().map(|v| value_of(&values, space.slot(*v).scratch()));
        let passed_before: Vec<bool> = entering.chain(formals).collect();
        let results = result_targets(&cfg.edges[edge].op);
        let leaving = cfg.globals.iter().map(|g| {
            let slot = space.slot(*g);
            if !machine.mod_ref.modifies(call.callee, *g) {
                state[slot.0]
            } else if results.contains(&Some(*g)) {
                value_of(&values, slot.scratch())
            } else {
                value_of(&values, slot.next())
            }
        });
        let returned = space.results(call.callee).map(|slot| value_of(&values, slot.scratch()));
        let passed_after: Vec<bool> = leaving.chain(returned).collect();
        for v in &call.changed {
            let slot = space.slot(*v);
            state[slot.0] = value_of(&values, slot.next());
        }
        let summary = SummaryEdge { proc: call.callee, before: passed_before, after: passed_after };
        let inside = match self.summary_edges.get(&summary) {
            Some(known) => *known,
            None => {
                let inside = self.reserve();
                self.summary_edges.insert(summary.clone(), inside);
                self.jobs.push_back((inside, summary));
                inside
            }
        };
        Ok(Movement::Over { edge, inside, relation, values })
    }
}

fn result_targets(op: &Op) -> &[Option<VarId>] {
    match op {
        Op::Call { results, .. } => results,
        _ => &[],
    }
}

/// The value in the cube; 0 for a variable that may have any.
fn value_of(cube: &Cube, var: bdd::Var) -> bool {
    cube.iter().any(|(v, value)| *v == var && *value)
}
