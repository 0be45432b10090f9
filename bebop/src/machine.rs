//! Transfer relations of edges [BR-SPIN00 Table 3], and their images.
//!
//! A set of states is a diagram over current values (path edges: over entry values too). A relation is over
//! current and next values; only variables that the edge changes have a next value, all others keep theirs.
//! Values that are dead where an edge leads are projected away by its image. A non-deterministic expression is
//! a pair of functions, "can be 1" and "can be 0": exact, because every choice is independent of the others.

use crate::Stopped;
use crate::facts::Facts;
use crate::live::Live;
use crate::schedule::{Schedule, clustered};
use crate::space::{Slot, Space};
use base::IndexVec;
use bdd::{Engine, Renaming, Var, VarSet};
use bp::{BinOp, Cfg, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use std::rc::Rc;

/// The image of an edge: join with the relation, project values away, next becomes current.
pub(crate) struct Step<B> {
    pub(crate) relation: Vec<B>,
    schedule: Schedule<B>,
    renames: bool,
}

/// The parts of a call.
pub(crate) struct CallStep<B> {
    pub(crate) callee: ProcId,
    /// Arguments as next values of the callee's formals.
    pub(crate) enter: Vec<B>,
    enter_schedule: Schedule<B>,
    /// The callee's summary into the caller's slots.
    lift_rename: Renaming,
    /// Arguments as scratch copies of the callee's formals.
    pub(crate) arguments: Vec<B>,
    /// Arguments and results against the scratch copies, and the `constrain` clause.
    join: Vec<B>,
    /// What the call may change: result targets, and globals that the callee modifies.
    pub(crate) changed: Vec<VarId>,
    /// Joins and projects the scratch copies away, and next values that are dead after the call.
    lift_schedule: Schedule<B>,
    leave_quantify: VarSet,
}

/// What an edge does to a set of states.
pub(crate) enum Transfer<B> {
    /// A step inside the procedure.
    Step(Step<B>),
    /// A call.
    Call(CallStep<B>),
}

/// A value with its choices.
enum Rail<B> {
    Certain(B),
    Choice { one: B, zero: B },
}

/// The program with everything needed to compute images.
pub(crate) struct Machine<'a, E: Engine> {
    pub(crate) cfg: &'a Cfg,
    pub(crate) facts: Facts,
    pub(crate) live: Live,
    pub(crate) space: Space,
    pub(crate) engine: E,
    pub(crate) next_to_current: Renaming,
    transfers: IndexVec<EdgeId, Option<Rc<Transfer<E::Bdd>>>>,
    enforce: IndexVec<ProcId, Option<E::Bdd>>,
}

impl<'a, E: Engine> Machine<'a, E> {
    pub(crate) fn new(cfg: &'a Cfg, live: bool, space: Space, mut engine: E) -> Self {
        let facts = Facts::new(cfg);
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
        self.live.contains(self.cfg, vertex, var)
    }

    /// The transfer of an edge; made at its first use.
    pub(crate) fn transfer(&mut self, edge: EdgeId) -> Rc<Transfer<E::Bdd>> {
        if let Some(known) = &self.transfers[edge] {
            return known.clone();
        }
        let made = Rc::new(match &self.cfg.edges[edge].op {
            Op::Call { .. } => Transfer::Call(self.call_step(edge)),
            _ => Transfer::Step(self.step(edge)),
        });
        self.transfers[edge] = Some(made.clone());
        made
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
        if step.renames { self.engine.rename(&image, self.next_to_current) } else { image }
    }

    /// States of the callee after entering it from these, without entry values.
    pub(crate) fn enter(&mut self, call: &CallStep<E::Bdd>, states: &E::Bdd) -> E::Bdd {
        let image = call.enter_schedule.run(&mut self.engine, states);
        let image = self.engine.rename(&image, self.next_to_current);
        self.admit(self.cfg.procs[call.callee].entry, &image)
    }

    /// The relation between the caller's states before and after the call that a summary of the callee gives.
    pub(crate) fn lift(&mut self, call: &CallStep<E::Bdd>, summary: &E::Bdd) -> E::Bdd {
        let renamed = self.engine.rename(summary, call.lift_rename);
        call.lift_schedule.run(&mut self.engine, &renamed)
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
        if self.engine.interrupted() { Err(Stopped::Interrupted) } else { Ok(()) }
    }

    /// The summary in the caller's slots with the scratch copies kept, joined with arguments and results.
    pub(crate) fn joined(&mut self, call: &CallStep<E::Bdd>, summary: &E::Bdd) -> E::Bdd {
        let renamed = self.engine.rename(summary, call.lift_rename);
        call.join.iter().fold(renamed, |all, part| self.engine.and(&all, part))
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
        let image = self.engine.and_exists(states, lifted, call.leave_quantify);
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
        let own = &self.cfg.procs[proc];
        let kept = &self.facts.procs[proc].kept;
        let hidden: Vec<Var> = own
            .formals
            .iter()
            .filter(|v| !kept.contains(v))
            .chain(&own.locals)
            .map(|v| self.space.slot(*v).current())
            .collect();
        let set = self.engine.var_set(&hidden);
        self.engine.exists(exit, set)
    }

    /// The relation of a step over current and next values with nothing projected away, and the slots that
    /// it sets; `None` when it sets nothing.
    pub(crate) fn full_relation(&mut self, edge: EdgeId) -> Option<(Vec<E::Bdd>, Vec<Slot>)> {
        let cfg = self.cfg;
        let proc = cfg.vertices[cfg.edges[edge].from].proc;
        match &cfg.edges[edge].op {
            Op::Skip | Op::Assume { .. } => None,
            Op::Call { .. } => unreachable!("a call is no step"),
            Op::Assign { targets, values, constrain } => {
                let outs: Vec<Slot> = targets.iter().map(|v| self.space.slot(*v)).collect();
                Some((self.assignment(&outs, values, constrain.as_ref(), targets), outs))
            }
            Op::Return(values) => {
                let outs: Vec<Slot> = self.space.results(proc).collect();
                Some((self.assignment(&outs, values, None, &[]), outs))
            }
        }
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

    /// `out` is a value that the expression can have.
    fn defines(&mut self, out: Var, value: &Expr<VarId>) -> E::Bdd {
        let out = self.engine.var(out);
        match self.rail(value, &[]) {
            Rail::Certain(b) => self.engine.iff(&out, &b),
            Rail::Choice { one, zero } => {
                let high = self.engine.and(&one, &out);
                let low = self.engine.and_not(&zero, &out);
                self.engine.or(&high, &low)
            }
        }
    }

    /// What of the current values at `from` (plus those set) is dead at `to`, besides the targets.
    fn dying(&self, from: VertexId, to: VertexId, targets: &[VarId]) -> Vec<Var> {
        let proc = self.cfg.vertices[from].proc;
        self.tracked(proc)
            .filter(|v| self.is_live(from, *v) && !self.is_live(to, *v) && !targets.contains(v))
            .map(|v| self.space.slot(v).current())
            .collect()
    }

    fn step(&mut self, edge: EdgeId) -> Step<E::Bdd> {
        let cfg = self.cfg;
        let (from, to) = (cfg.edges[edge].from, cfg.edges[edge].to);
        let targets: &[VarId] = match &cfg.edges[edge].op {
            Op::Assign { targets, .. } => targets,
            _ => &[],
        };
        let mut quantify = self.dying(from, to, targets);
        let mut relation = match &cfg.edges[edge].op {
            Op::Assume { cond, value, constrain } => vec![self.filter(cond, *value, constrain.as_ref())],
            _ => vec![],
        };
        // What a procedure returns that nobody calls is of no use.
        let returns = matches!(cfg.edges[edge].op, Op::Return(_));
        let unused = returns && !self.facts.procs[cfg.vertices[from].proc].called;
        let full = if unused { None } else { self.full_relation(edge) };
        let renames = full.is_some();
        if let Some((full, outs)) = full {
            let dead = targets.iter().filter(|v| !self.is_live(to, **v)).map(|v| self.space.slot(*v).next());
            quantify.extend(dead);
            relation = full;
            quantify.extend(outs.iter().map(|s| s.current()));
        }
        let schedule = Schedule::new(&mut self.engine, &relation, &quantify);
        Step { relation, schedule, renames }
    }

    fn filter(&mut self, cond: &Expr<VarId>, value: bool, constrain: Option<&Expr<VarId>>) -> E::Bdd {
        let cond = match (self.rail(cond, &[]), value) {
            (Rail::Certain(b), true)
            | (Rail::Choice { one: b, .. }, true)
            | (Rail::Choice { zero: b, .. }, false) => b,
            (Rail::Certain(b), false) => self.engine.not(&b),
        };
        match constrain {
            None => cond,
            Some(e) => {
                let e = self.can_be_one(e, &[]);
                self.engine.and(&cond, &e)
            }
        }
    }

    fn call_step(&mut self, edge: EdgeId) -> CallStep<E::Bdd> {
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
        let modified: Vec<VarId> = self.facts.procs[callee]
            .globals
            .iter()
            .copied()
            .filter(|g| self.facts.procs[callee].modified.contains(*g))
            .collect();
        let mut changed: Vec<VarId> = set_by_result.iter().chain(&modified).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        let mut join: Vec<E::Bdd> =
            constrain.as_ref().map(|e| self.can_be_one(e, &changed)).into_iter().collect();
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
        let mut leave = self.dying(from, to, &changed);
        leave.extend(changed.iter().map(|v| self.space.slot(*v).current()));
        let leave_quantify = self.engine.var_set(&leave);
        CallStep {
            callee,
            enter,
            enter_schedule,
            lift_rename,
            arguments,
            join,
            changed,
            lift_schedule,
            leave_quantify,
        }
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

    /// Where some evaluation gives 1. Next-state variables stand for next values when they are among
    /// `changed`, else for current ones.
    fn can_be_one(&mut self, e: &Expr<VarId>, changed: &[VarId]) -> E::Bdd {
        match self.rail(e, changed) {
            Rail::Certain(b) => b,
            Rail::Choice { one, .. } => one,
        }
    }

    fn rail(&mut self, e: &Expr<VarId>, changed: &[VarId]) -> Rail<E::Bdd> {
        match e {
            Expr::Const(b) => Rail::Certain(self.engine.constant(*b)),
            Expr::Star => {
                let one = self.engine.constant(true);
                Rail::Choice { one: one.clone(), zero: one }
            }
            Expr::Next(v) if changed.contains(v) => {
                let var = self.space.slot(*v).next();
                Rail::Certain(self.engine.var(var))
            }
            Expr::Var(v) | Expr::Next(v) => {
                let var = self.space.slot(*v).current();
                Rail::Certain(self.engine.var(var))
            }
            Expr::Not(a) => match self.rail(a, changed) {
                Rail::Certain(b) => Rail::Certain(self.engine.not(&b)),
                Rail::Choice { one, zero } => Rail::Choice { one: zero, zero: one },
            },
            Expr::And(es) => {
                let first = Rail::Certain(self.engine.constant(true));
                es.iter().fold(first, |acc, e| {
                    let e = self.rail(e, changed);
                    self.rail_and(acc, e)
                })
            }
            Expr::Or(es) => {
                let first = Rail::Certain(self.engine.constant(true));
                let none = es.iter().fold(first, |acc, e| {
                    let e = self.rail(e, changed);
                    let e = self.rail_not(e);
                    self.rail_and(acc, e)
                });
                self.rail_not(none)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.rail(a, changed), self.rail(b, changed));
                match op {
                    BinOp::Xor | BinOp::Ne => self.rail_xor(a, b),
                    BinOp::Eq => {
                        let differ = self.rail_xor(a, b);
                        self.rail_not(differ)
                    }
                    BinOp::Implies => {
                        let b = self.rail_not(b);
                        let fails = self.rail_and(a, b);
                        self.rail_not(fails)
                    }
                }
            }
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (self.rail(c, changed), self.rail(a, changed), self.rail(b, changed));
                let (c1, c0) = self.both(&c);
                let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
                let one = self.either(&c1, &a1, &c0, &b1);
                let zero = self.either(&c1, &a0, &c0, &b0);
                Rail::Choice { one, zero }
            }
            Expr::Choose(a, b) => {
                let (a, b) = (self.rail(a, changed), self.rail(b, changed));
                let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
                let neither = self.engine.and(&a0, &b0);
                let one = self.engine.or(&a1, &neither);
                let second = self.engine.or(&b1, &b0);
                let zero = self.engine.and(&a0, &second);
                Rail::Choice { one, zero }
            }
        }
    }

    /// "Can be 1" and "can be 0".
    fn both(&mut self, rail: &Rail<E::Bdd>) -> (E::Bdd, E::Bdd) {
        match rail {
            Rail::Certain(b) => (b.clone(), self.engine.not(b)),
            Rail::Choice { one, zero } => (one.clone(), zero.clone()),
        }
    }

    fn either(&mut self, c1: &E::Bdd, a: &E::Bdd, c0: &E::Bdd, b: &E::Bdd) -> E::Bdd {
        let first = self.engine.and(c1, a);
        let second = self.engine.and(c0, b);
        self.engine.or(&first, &second)
    }

    fn rail_not(&mut self, a: Rail<E::Bdd>) -> Rail<E::Bdd> {
        match a {
            Rail::Certain(b) => Rail::Certain(self.engine.not(&b)),
            Rail::Choice { one, zero } => Rail::Choice { one: zero, zero: one },
        }
    }

    fn rail_and(&mut self, a: Rail<E::Bdd>, b: Rail<E::Bdd>) -> Rail<E::Bdd> {
        if let (Rail::Certain(a), Rail::Certain(b)) = (&a, &b) {
            return Rail::Certain(self.engine.and(a, b));
        }
        let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
        let one = self.engine.and(&a1, &b1);
        let zero = self.engine.or(&a0, &b0);
        Rail::Choice { one, zero }
    }

    fn rail_xor(&mut self, a: Rail<E::Bdd>, b: Rail<E::Bdd>) -> Rail<E::Bdd> {
        if let (Rail::Certain(a), Rail::Certain(b)) = (&a, &b) {
            return Rail::Certain(self.engine.xor(a, b));
        }
        let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
        let one = self.either(&a1, &b0, &a0, &b1);
        let zero = self.either(&a1, &b1, &a0, &b0);
        Rail::Choice { one, zero }
    }
}
