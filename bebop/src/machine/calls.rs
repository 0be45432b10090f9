//! Calls: arguments into the callee, its summary into the caller's slots, and the step over the call that this makes.

use super::Machine;
use crate::schedule::{Schedule, clustered};
use crate::space::Slot;
use bdd::{Engine, Renaming, Var, VarSet};
use bp::{EdgeId, Op, ProcId, VarId};
use std::rc::Rc;

/// The parts of a call.
pub(crate) struct CallStep<B> {
    pub(crate) callee: ProcId,
    /// What the call may change: result targets, and globals that the callee modifies.
    pub(crate) changed: Vec<VarId>,
    relations: Rc<CallRelations<B>>,
}

/// What a call does to slots.
pub(super) struct CallRelations<B> {
    /// Arguments as next values of the callee's formals.
    enter: Vec<B>,
    enter_schedule: Schedule<B>,
    /// The callee's summary into the caller's slots.
    lift_rename: Renaming,
    /// Arguments as scratch copies of the callee's formals.
    arguments: Vec<B>,
    /// Arguments and results against the scratch copies, and the `constrain` clause.
    join: Vec<B>,
    /// Joins and projects the scratch copies away, and next values that are dead after the call.
    lift_schedule: Schedule<B>,
    leave_quantify: VarSet,
}

impl<B> CallStep<B> {
    /// Arguments as next values of the callee's formals.
    pub(crate) fn enter(&self) -> &[B] {
        &self.relations.enter
    }

    /// Arguments as scratch copies of the callee's formals.
    pub(crate) fn arguments(&self) -> &[B] {
        &self.relations.arguments
    }
}

impl<E: Engine> Machine<'_, E> {
    pub(super) fn call_step(&mut self, edge: EdgeId, callee: ProcId) -> CallStep<E::Bdd> {
        let changed = self.changed(edge);
        let key = self.keys.of_edge(self.cfg, &self.mod_ref, &self.live, &self.space, edge);
        if let Some(known) = self.calls.get(key) {
            return CallStep { callee, changed, relations: known.clone() };
        }
        let key = key.into();
        let relations = Rc::new(self.call_relations(edge, &changed));
        self.calls.insert(key, relations.clone());
        CallStep { callee, changed, relations }
    }

    /// States of the callee after entering it from these, without entry values.
    pub(crate) fn enter(&mut self, call: &CallStep<E::Bdd>, states: &E::Bdd) -> E::Bdd {
        let image = call.relations.enter_schedule.run(&mut self.engine, states);
        let image = self.engine.rename(&image, self.next_to_current);
        self.admit(self.cfg.procs[call.callee].entry, &image)
    }

    /// The relation between the caller's states before and after the call that a summary of the callee gives.
    pub(crate) fn lift(&mut self, call: &CallStep<E::Bdd>, summary: &E::Bdd) -> E::Bdd {
        let renamed = self.engine.rename(summary, call.relations.lift_rename);
        call.relations.lift_schedule.run(&mut self.engine, &renamed)
    }

    /// The summary in the caller's slots with the scratch copies kept, joined with arguments and results.
    pub(crate) fn joined(&mut self, call: &CallStep<E::Bdd>, summary: &E::Bdd) -> E::Bdd {
        let renamed = self.engine.rename(summary, call.relations.lift_rename);
        call.relations.join.iter().fold(renamed, |all, part| self.engine.and(&all, part))
    }

    /// Image under a lifted summary.
    pub(crate) fn leave(&mut self, call: &CallStep<E::Bdd>, lifted: &E::Bdd, states: &E::Bdd) -> E::Bdd {
        let image = self.engine.and_exists(states, lifted, call.relations.leave_quantify);
        self.engine.rename(&image, self.next_to_current)
    }

    /// What the call may change: result targets, and globals that the callee modifies.
    fn changed(&self, edge: EdgeId) -> Vec<VarId> {
        let Op::Call { callee, results, .. } = &self.cfg.edges[edge].op else {
            unreachable!("only calls have a call step")
        };
        let globals = self.mod_ref.procs[*callee].globals.iter();
        let modified = globals.filter(|g| self.mod_ref.modifies(*callee, **g));
        let mut changed: Vec<VarId> = results.iter().flatten().chain(modified).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    fn call_relations(&mut self, edge: EdgeId, changed: &[VarId]) -> CallRelations<E::Bdd> {
        let cfg = self.cfg;
        let (from, to) = (cfg.edges[edge].from, cfg.edges[edge].to);
        let Op::Call { callee, args, results, constrain } = &cfg.edges[edge].op else {
            unreachable!("only calls have a call step")
        };
        let callee = *callee;
        let formals: Vec<Slot> = cfg.procs[callee].formals.iter().map(|v| self.space.slot(*v)).collect();
        let entry = cfg.procs[callee].entry;
        let passed: Vec<Slot> = self.mod_ref.procs[callee]
            .globals
            .iter()
            .filter(|g| self.is_live(entry, **g))
            .map(|g| self.space.slot(*g))
            .collect();
        let mut enter = vec![];
        for (k, arg) in args.iter().enumerate().rev() {
            if self.is_live(entry, cfg.procs[callee].formals[k]) {
                enter.push(self.defines(formals[k].next(), arg));
            }
        }
        let enter = clustered(&mut self.engine, enter);
        let gone: Vec<Var> = self
            .space
            .all()
            .flat_map(|s| if passed.contains(&s) { vec![s.entry()] } else { vec![s.entry(), s.current()] })
            .collect();
        let enter_schedule = Schedule::new(&mut self.engine, &enter, &gone);

        let set_by_result: Vec<VarId> = results.iter().flatten().copied().collect();
        let lift_rename = self.lift_renaming(callee, &set_by_result);
        let mut join: Vec<E::Bdd> =
            constrain.as_ref().map(|e| self.can_be(e, true, changed)).into_iter().collect();
        for (k, result) in results.iter().enumerate().rev() {
            if let Some(v) = result {
                let value = self.engine.var(self.space.result(callee, k).scratch());
                let next = self.engine.var(self.space.slot(*v).next());
                join.push(self.engine.iff(&next, &value));
            }
        }
        let mut arguments = vec![];
        for (k, arg) in args.iter().enumerate().rev() {
            arguments.push(self.defines(formals[k].scratch(), arg));
        }
        join.extend(arguments.iter().cloned());
        let join = clustered(&mut self.engine, join);
        let arguments = clustered(&mut self.engine, arguments);
        let scratch: Vec<Var> = self.space.all().map(Slot::scratch).collect();
        let dead = changed.iter().filter(|v| !self.is_live(to, **v)).map(|v| self.space.slot(*v).next());
        let scratch_and_dead: Vec<Var> = scratch.iter().copied().chain(dead).collect();
        let lift_schedule = Schedule::new(&mut self.engine, &join, &scratch_and_dead);
        let mut leave = self.dying(from, to, changed);
        leave.extend(changed.iter().map(|v| self.space.slot(*v).current()));
        let leave_quantify = self.engine.var_set(&leave);
        CallRelations { enter, enter_schedule, lift_rename, arguments, join, lift_schedule, leave_quantify }
    }

    /// From the callee's copies to the caller's: a global's entry value is the caller's current one, its exit
    /// value the caller's next one (the scratch one when a result overwrites it); formals and results go to
    /// the scratch copies.
    fn lift_renaming(&mut self, callee: ProcId, set_by_result: &[VarId]) -> Renaming {
        let fact = &self.mod_ref.procs[callee];
        let mut pairs: Vec<(Var, Var)> = vec![];
        for v in &fact.changed_inputs {
            let slot = self.space.slot(*v);
            if self.cfg.vars[*v].owner.is_some() {
                pairs.push((slot.entry(), slot.scratch()));
            } else {
                pairs.push((slot.entry(), slot.current()));
                let exit = if set_by_result.contains(v) { slot.scratch() } else { slot.next() };
                pairs.push((slot.current(), exit));
            }
        }
        for v in &fact.kept_inputs {
            if self.cfg.vars[*v].owner.is_some() {
                pairs.push((self.space.slot(*v).current(), self.space.slot(*v).scratch()));
            }
        }
        for slot in self.space.results(callee) {
            pairs.push((slot.current(), slot.scratch()));
        }
        self.engine.renaming(&pairs)
    }
}
