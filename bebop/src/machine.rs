//! Transfer relations of edges [BR-SPIN00 Table 3], and their images.
//!
//! A set of states is a diagram over current values (path edges: over entry values too). A relation is over
//! current and next values; only variables that the edge changes have a next value, all others keep theirs.
//! Values that are dead where an edge leads are projected away by its image. Edges that do the same to the same slots
//! share what was made for them.

use crate::Stopped;
use crate::facts::Facts;
use crate::live::Live;
use crate::schedule::{Schedule, clustered};
use crate::share::{Key, Keys};
use crate::space::{Slot, Space};
use base::IndexVec;
use bdd::{Engine, Renaming, Var, VarSet};
use bp::{Cfg, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The image of an edge: join with the relation, project values away, next becomes current.
pub(crate) struct Step<B> {
    /// Over current and next values, nothing projected away.
    pub(crate) relation: Vec<B>,
    /// The slots that it sets.
    pub(crate) outs: Vec<Slot>,
    /// Whether it gives results that nobody reads: path edges do not have them.
    pub(crate) unread: bool,
    schedule: Schedule<B>,
}

/// The parts of a call.
pub(crate) struct CallStep<B> {
    pub(crate) callee: ProcId,
    /// What the call may change: result targets, and globals that the callee modifies.
    pub(crate) changed: Vec<VarId>,
    relations: Rc<CallRelations<B>>,
}

/// What a call does to slots.
struct CallRelations<B> {
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

/// What an edge does to a set of states.
pub(crate) enum Transfer<B> {
    /// A step inside the procedure.
    Step(Rc<Step<B>>),
    /// A call.
    Call(Rc<CallStep<B>>),
}

impl<B> Clone for Transfer<B> {
    fn clone(&self) -> Self {
        match self {
            Transfer::Step(step) => Transfer::Step(step.clone()),
            Transfer::Call(call) => Transfer::Call(call.clone()),
        }
    }
}

/// The program with everything needed to compute images.
pub(crate) struct Machine<'a, E: Engine> {
    pub(crate) cfg: &'a Cfg,
    pub(crate) facts: Facts,
    pub(crate) live: Live,
    pub(crate) space: Space,
    pub(crate) engine: E,
    pub(crate) next_to_current: Renaming,
    transfers: IndexVec<EdgeId, Option<Transfer<E::Bdd>>>,
    keys: Keys,
    steps: FxHashMap<Key, Rc<Step<E::Bdd>>>,
    calls: FxHashMap<Key, Rc<CallRelations<E::Bdd>>>,
    summary_hides: IndexVec<ProcId, Option<VarSet>>,
    enforce: IndexVec<ProcId, Option<E::Bdd>>,
}

impl<'a, E: Engine> Machine<'a, E> {
    pub(crate) fn new(cfg: &'a Cfg, live: bool, space: Space, mut engine: E) -> Self {
        let facts = Facts::new(cfg, live);
        let live = Live::new(cfg, &facts, live);
        let pairs: Vec<(Var, Var)> = space.all().map(|s| (s.next(), s.current())).collect();
        let next_to_current = engine.renaming(&pairs);
        let mut machine = Machine {
            cfg,
            facts,
            live,
            space,
            engine,
            next_to_current,
            transfers: IndexVec::from_elem(None, cfg.edges.len()),
            keys: Keys::new(cfg),
            steps: FxHashMap::default(),
            calls: FxHashMap::default(),
            summary_hides: IndexVec::from_elem(None, cfg.procs.len()),
            enforce: IndexVec::new(),
        };
        for proc in &cfg.procs {
            let e = proc.enforce.as_ref().map(|e| machine.can_be_one(e, &[]));
            machine.enforce.push(e);
        }
        machine
    }

    /// The variables of a procedure that play a part in it: some globals, formals, locals.
    pub(crate) fn tracked(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        let own = &self.cfg.procs[proc];
        self.facts.procs[proc].globals.iter().chain(&own.formals).chain(&own.locals).copied()
    }

    pub(crate) fn is_live(&self, vertex: VertexId, var: VarId) -> bool {
        self.live.contains(self.cfg, &self.facts, vertex, var)
    }

    /// The transfer of an edge; made at its first use.
    pub(crate) fn transfer(&mut self, edge: EdgeId) -> Transfer<E::Bdd> {
        if let Some(known) = &self.transfers[edge] {
            return known.clone();
        }
        let made = match &self.cfg.edges[edge].op {
            Op::Call { callee, .. } => Transfer::Call(Rc::new(self.call_step(edge, *callee))),
            _ => Transfer::Step(self.shared_step(edge)),
        };
        self.transfers[edge] = Some(made.clone());
        made
    }

    fn shared_step(&mut self, edge: EdgeId) -> Rc<Step<E::Bdd>> {
        let key = self.keys.of_edge(self.cfg, &self.facts, &self.live, &self.space, edge);
        if let Some(known) = self.steps.get(key) {
            return known.clone();
        }
        let key = key.into();
        let made = Rc::new(self.step(edge));
        self.steps.insert(key, made.clone());
        made
    }

    fn call_step(&mut self, edge: EdgeId, callee: ProcId) -> CallStep<E::Bdd> {
        let changed = self.changed(edge);
        let key = self.keys.of_edge(self.cfg, &self.facts, &self.live, &self.space, edge);
        if let Some(known) = self.calls.get(key) {
            return CallStep { callee, changed, relations: known.clone() };
        }
        let key = key.into();
        let relations = Rc::new(self.call_relations(edge, &changed));
        self.calls.insert(key, relations.clone());
        CallStep { callee, changed, relations }
    }

    /// The states, of those given, that may be at the vertex.
    pub(crate) fn admit(&mut self, vertex: VertexId, states: &E::Bdd) -> E::Bdd {
        let info = &self.cfg.vertices[vertex];
        match &self.enforce[info.proc] {
            Some(enforce) if !info.return_point => self.engine.and(states, enforce),
            _ => states.clone(),
        }
    }

    /// Image under a step.
    pub(crate) fn image(&mut self, step: &Step<E::Bdd>, states: &E::Bdd) -> E::Bdd {
        let image = step.schedule.run(&mut self.engine, states);
        if step.outs.is_empty() || step.unread {
            image
        } else {
            self.engine.rename(&image, self.next_to_current)
        }
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

    /// What had to be found. That it was not means nothing once the engine was stopped.
    ///
    /// # Errors
    /// When nothing was found because the engine was stopped; without that the invariant named is broken.
    pub(crate) fn found<T>(&self, found: Option<T>, invariant: &str) -> Result<T, Stopped> {
        match found {
            Some(found) => Ok(found),
            None => {
                self.alive()?;
                panic!("{invariant}")
            }
        }
    }

    /// Nothing, unless results of the engine are meaningless by now.
    pub(crate) fn alive(&self) -> Result<(), Stopped> {
        match (self.engine.exhausted(), self.engine.interrupted()) {
            (true, _) => Err(Stopped::Exhausted),
            (false, true) => Err(Stopped::Interrupted),
            (false, false) => Ok(()),
        }
    }

    /// The summary in the caller's slots with the scratch copies kept, joined with arguments and results.
    pub(crate) fn joined(&mut self, call: &CallStep<E::Bdd>, summary: &E::Bdd) -> E::Bdd {
        let renamed = self.engine.rename(summary, call.relations.lift_rename);
        call.relations.join.iter().fold(renamed, |all, part| self.engine.and(&all, part))
    }

    /// A relation with these values fixed.
    pub(crate) fn restricted(&mut self, relation: &[E::Bdd], values: &[(Var, bool)]) -> E::Bdd {
        let mut all = self.engine.constant(true);
        for part in relation {
            let part = self.engine.restrict(part, values);
            all = self.engine.and(&all, &part);
        }
        all
    }

    /// Image under a lifted summary.
    pub(crate) fn leave(&mut self, call: &CallStep<E::Bdd>, lifted: &E::Bdd, states: &E::Bdd) -> E::Bdd {
        let image = self.engine.and_exists(states, lifted, call.relations.leave_quantify);
        self.engine.rename(&image, self.next_to_current)
    }

    /// `entry = current` for the variables whose entry value is kept apart.
    pub(crate) fn identity(&mut self, proc: ProcId) -> E::Bdd {
        let entry = self.cfg.procs[proc].entry;
        let vars: Vec<VarId> =
            self.facts.procs[proc].two_copies.iter().copied().filter(|v| self.is_live(entry, *v)).collect();
        let mut slots: Vec<Slot> = vars.into_iter().map(|v| self.space.slot(v)).collect();
        slots.sort_unstable();
        let mut out = self.engine.constant(true);
        for slot in slots.into_iter().rev() {
            let (e, c) = (self.engine.var(slot.entry()), self.engine.var(slot.current()));
            let same = self.engine.iff(&e, &c);
            out = self.engine.and(&same, &out);
        }
        out
    }

    /// Path edges at the exit to a summary: only what a caller can see remains.
    pub(crate) fn summary(&mut self, proc: ProcId, exit: &E::Bdd) -> E::Bdd {
        let set = match self.summary_hides[proc] {
            Some(known) => known,
            None => {
                let own = &self.cfg.procs[proc];
                let kept = &self.facts.procs[proc].kept;
                let hidden = own.formals.iter().filter(|v| !kept.contains(v)).chain(&own.locals);
                let hidden: Vec<Var> = hidden.map(|v| self.space.slot(*v).current()).collect();
                let made = self.engine.var_set(&hidden);
                self.summary_hides[proc] = Some(made);
                made
            }
        };
        self.engine.exists(exit, set)
    }

    fn assignment(
        &mut self,
        outs: &[Slot],
        values: &[Expr<VarId>],
        constrain: Option<&Expr<VarId>>,
        changed: &[VarId],
    ) -> Vec<E::Bdd> {
        let mut pairs: Vec<(Slot, &Expr<VarId>)> = outs.iter().copied().zip(values).collect();
        // From the bottom of the order up, so that each conjunction adds above what is there.
        pairs.sort_by_key(|(slot, _)| std::cmp::Reverse(*slot));
        let mut parts: Vec<E::Bdd> = constrain.map(|e| self.can_be_one(e, changed)).into_iter().collect();
        parts.extend(pairs.into_iter().map(|(slot, value)| self.defines(slot.next(), value)));
        clustered(&mut self.engine, parts)
    }

    /// What of the current values at `from` (plus those set) is dead at `to`, besides the targets.
    fn dying(&self, from: VertexId, to: VertexId, targets: &[VarId]) -> Vec<Var> {
        let proc = self.cfg.vertices[from].proc;
        let dying = self.live.dying(proc, &self.facts.scopes, from, to);
        dying.filter(|v| !targets.contains(v)).map(|v| self.space.slot(v).current()).collect()
    }

    fn step(&mut self, edge: EdgeId) -> Step<E::Bdd> {
        let cfg = self.cfg;
        let (from, to) = (cfg.edges[edge].from, cfg.edges[edge].to);
        let proc = cfg.vertices[from].proc;
        let mut targets: &[VarId] = &[];
        let (relation, outs): (Vec<E::Bdd>, Vec<Slot>) = match &cfg.edges[edge].op {
            Op::Skip => (vec![], vec![]),
            Op::Call { .. } => unreachable!("a call is no step"),
            Op::Assume { cond, value, constrain } => {
                (vec![self.filter(cond, *value, constrain.as_ref())], vec![])
            }
            Op::Assign { targets: set, values, constrain } => {
                targets = set;
                let outs: Vec<Slot> = set.iter().map(|v| self.space.slot(*v)).collect();
                (self.assignment(&outs, values, constrain.as_ref(), set), outs)
            }
            Op::Return(values) => {
                let outs: Vec<Slot> = self.space.results(proc).collect();
                (self.assignment(&outs, values, None, &[]), outs)
            }
        };
        let mut quantify = self.dying(from, to, targets);
        // What a procedure returns that nobody calls is of no use.
        let unread = matches!(cfg.edges[edge].op, Op::Return(_)) && !self.facts.procs[proc].called;
        let schedule = if unread {
            Schedule::new(&mut self.engine, &[], &quantify)
        } else {
            let dead = targets.iter().filter(|v| !self.is_live(to, **v)).map(|v| self.space.slot(*v).next());
            quantify.extend(dead);
            quantify.extend(outs.iter().map(|s| s.current()));
            Schedule::new(&mut self.engine, &relation, &quantify)
        };
        Step { relation, outs, unread, schedule }
    }

    /// What the call may change: result targets, and globals that the callee modifies.
    fn changed(&self, edge: EdgeId) -> Vec<VarId> {
        let Op::Call { callee, results, .. } = &self.cfg.edges[edge].op else {
            unreachable!("only calls have a call step")
        };
        let globals = self.facts.procs[*callee].globals.iter();
        let modified = globals.filter(|g| self.facts.modifies(*callee, **g));
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
        let passed: Vec<Slot> = self.facts.procs[callee]
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
            constrain.as_ref().map(|e| self.can_be_one(e, changed)).into_iter().collect();
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
        let fact = &self.facts.procs[callee];
        let mut pairs: Vec<(Var, Var)> = vec![];
        for v in &fact.two_copies {
            let slot = self.space.slot(*v);
            if self.cfg.vars[*v].owner.is_some() {
                pairs.push((slot.entry(), slot.scratch()));
            } else {
                pairs.push((slot.entry(), slot.current()));
                let exit = if set_by_result.contains(v) { slot.scratch() } else { slot.next() };
                pairs.push((slot.current(), exit));
            }
        }
        for v in &fact.kept {
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
