//! Transfer relations of edges [BR-SPIN00 Table 3], and their images.
//!
//! A set of states is a diagram over current values (path edges: over entry values too). A relation is over
//! current and next values; only variables that the edge changes have a next value, all others keep theirs.
//! Values that are dead where an edge leads are projected away by its image. Edges that do the same to the same slots
//! share what was made for them.

mod calls;

pub(crate) use calls::CallStep;

use crate::Stopped;
use crate::schedule::{Schedule, clustered};
use crate::share::{Key, Keys};
use crate::space::{Slot, Space};
use base::IndexVec;
use bdd::{DualRail, Engine, Renaming, Var, VarSet};
use bp::analysis::Liveness;
use bp::analysis::ModRef;
use bp::analysis::VertexOrder;
use bp::{Cfg, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;
use std::thread;

/// The image of an edge: join with the relation, project values away, next becomes current.
pub(crate) struct Step<B> {
    /// Over current and next values, nothing projected away.
    pub(crate) relation: Vec<B>,
    /// The slots that it sets.
    pub(crate) outs: Vec<Slot>,
    /// Whether it gives results that nobody reads: path edges do not have them.
    pub(crate) unread: bool,
    schedule: Schedule<B>,
    lanes: OnceCell<Lanes<B>>,
}

/// What it takes to follow a step in both directions with all values kept.
pub(crate) struct Lanes<B> {
    pub(crate) current_to_next: Renaming,
    pub(crate) back: Schedule<B>,
    pub(crate) forth: Schedule<B>,
}

impl<B: Clone> Step<B> {
    /// Made at their first use: traces need them, searches do not.
    pub(crate) fn lanes<E: Engine<Bdd = B>>(&self, engine: &mut E) -> &Lanes<B> {
        self.lanes.get_or_init(|| {
            let pairs: Vec<(Var, Var)> = self.outs.iter().map(|s| (s.current(), s.next())).collect();
            let (currents, nexts): (Vec<Var>, Vec<Var>) = pairs.iter().copied().unzip();
            Lanes {
                current_to_next: engine.renaming(&pairs),
                back: Schedule::new(engine, &self.relation, &nexts),
                forth: Schedule::new(engine, &self.relation, &currents),
            }
        })
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

/// More are worth a second thread.
const MANY_VERTICES: usize = 10_000;

/// Whether `enforce` is assumed at the vertex.
fn assumed(cfg: &Cfg, vertex: VertexId) -> bool {
    let info = &cfg.vertices[vertex];
    let proc = &cfg.procs[info.proc];
    !info.return_point && (!proc.enforced_at_entry_only || proc.entry == vertex)
}

/// The program with everything needed to compute images.
pub(crate) struct Machine<'a, E: Engine> {
    pub(crate) cfg: &'a Cfg,
    pub(crate) mod_ref: ModRef,
    pub(crate) live: Liveness,
    pub(crate) order: VertexOrder,
    pub(crate) space: Space,
    pub(crate) engine: E,
    pub(crate) next_to_current: Renaming,
    transfers: IndexVec<EdgeId, Option<Transfer<E::Bdd>>>,
    keys: Keys,
    steps: FxHashMap<Key, Rc<Step<E::Bdd>>>,
    calls: FxHashMap<Key, Rc<calls::CallRelations<E::Bdd>>>,
    summary_hides: IndexVec<ProcId, Option<VarSet>>,
    enforce: IndexVec<ProcId, Option<E::Bdd>>,
}

impl<'a, E: Engine> Machine<'a, E> {
    pub(crate) fn new(cfg: &'a Cfg, live: bool, space: Space, mut engine: E) -> Self {
        let mod_ref = ModRef::new(cfg, live);
        let rank = || VertexOrder::new(cfg, &mod_ref);
        let (live, order) = thread::scope(|scope| {
            // Neither needs the other.
            let many = cfg.vertices.len() > MANY_VERTICES;
            let order = many.then(|| thread::Builder::new().spawn_scoped(scope, rank).ok()).flatten();
            let live = Liveness::new(cfg, &mod_ref, live);
            (live, order.map_or_else(rank, |order| order.join().expect("it gives a result")))
        });
        let pairs: Vec<(Var, Var)> = space.all().map(|s| (s.next(), s.current())).collect();
        let next_to_current = engine.renaming(&pairs);
        let mut machine = Machine {
            cfg,
            mod_ref,
            live,
            order,
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
            let e = proc.enforce.as_ref().map(|e| machine.can_be(e, true, &[]));
            machine.enforce.push(e);
        }
        machine
    }

    /// The variables of a procedure that play a part in it: some globals, formals, locals.
    pub(crate) fn tracked(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        let own = &self.cfg.procs[proc];
        self.mod_ref.procs[proc].globals.iter().chain(&own.formals).chain(&own.locals).copied()
    }

    pub(crate) fn is_live(&self, vertex: VertexId, var: VarId) -> bool {
        self.live.contains(self.cfg, &self.mod_ref, vertex, var)
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
        let key = self.keys.of_edge(self.cfg, &self.mod_ref, &self.live, &self.space, edge);
        if let Some(known) = self.steps.get(key) {
            return known.clone();
        }
        let key = key.into();
        let made = Rc::new(self.step(edge));
        self.steps.insert(key, made.clone());
        made
    }

    /// The states, of those given, that may be at the vertex.
    pub(crate) fn admit(&mut self, vertex: VertexId, states: &E::Bdd) -> E::Bdd {
        match &self.enforce[self.cfg.vertices[vertex].proc] {
            Some(enforce) if assumed(self.cfg, vertex) => self.engine.and(states, enforce),
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

    /// A relation with these values fixed.
    pub(crate) fn restricted(&mut self, relation: &[E::Bdd], values: &[(Var, bool)]) -> E::Bdd {
        let mut all = self.engine.constant(true);
        for part in relation {
            let part = self.engine.restrict(part, values);
            all = self.engine.and(&all, &part);
        }
        all
    }

    /// `entry = current` for the variables whose entry value is kept apart.
    pub(crate) fn identity(&mut self, proc: ProcId) -> E::Bdd {
        let entry = self.cfg.procs[proc].entry;
        let vars: Vec<VarId> = self.mod_ref.procs[proc]
            .changed_inputs
            .iter()
            .copied()
            .filter(|v| self.is_live(entry, *v))
            .collect();
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
                let kept = &self.mod_ref.procs[proc].kept_inputs;
                let hidden = own.formals.iter().filter(|v| !kept.contains(v)).chain(&own.locals);
                let hidden: Vec<Var> = hidden.map(|v| self.space.slot(*v).current()).collect();
                let made = self.engine.var_set(&hidden);
                self.summary_hides[proc] = Some(made);
                made
            }
        };
        self.engine.exists(exit, set)
    }

    /// The expression. Next-state variables stand for next values when they are among `changed`, else for current ones.
    fn rail(&mut self, e: &Expr<VarId>, changed: &[VarId]) -> DualRail<E::Bdd> {
        let space = &self.space;
        DualRail::new(&mut self.engine, e, &mut |engine, v, next| {
            let slot = space.slot(v);
            engine.var(if next && changed.contains(&v) { slot.next() } else { slot.current() })
        })
    }

    /// Where some evaluation gives the value.
    fn can_be(&mut self, e: &Expr<VarId>, value: bool, changed: &[VarId]) -> E::Bdd {
        self.rail(e, changed).can_be(&mut self.engine, value)
    }

    /// `out` is a value that the expression can have.
    fn defines(&mut self, out: Var, e: &Expr<VarId>) -> E::Bdd {
        self.rail(e, &[]).defines(&mut self.engine, out)
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
        let mut parts: Vec<E::Bdd> = constrain.map(|e| self.can_be(e, true, changed)).into_iter().collect();
        parts.extend(pairs.into_iter().map(|(slot, value)| self.defines(slot.next(), value)));
        clustered(&mut self.engine, parts)
    }

    /// What of the current values at `from` (plus those set) is dead at `to`, besides the targets.
    fn dying(&self, from: VertexId, to: VertexId, targets: &[VarId]) -> Vec<Var> {
        let proc = self.cfg.vertices[from].proc;
        let dying = self.live.dying(proc, &self.mod_ref.scopes, from, to);
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
                let cond = self.can_be(cond, *value, &[]);
                let condition = match constrain {
                    None => cond,
                    Some(e) => {
                        let e = self.can_be(e, true, &[]);
                        self.engine.and(&cond, &e)
                    }
                };
                (vec![condition], vec![])
            }
            Op::Assign { targets: set, values, constrain } => {
                targets = set;
                let outs: Vec<Slot> = set.iter().map(|v| self.space.slot(*v)).collect();
                (self.assignment(&outs, values, constrain.as_deref(), set), outs)
            }
            Op::Return(values) => {
                let outs: Vec<Slot> = self.space.results(proc).collect();
                (self.assignment(&outs, values, None, &[]), outs)
            }
        };
        let mut quantify = self.dying(from, to, targets);
        // What a procedure returns that nobody calls is of no use.
        let unread = matches!(cfg.edges[edge].op, Op::Return(_)) && !self.mod_ref.procs[proc].called;
        let schedule = if unread {
            Schedule::new(&mut self.engine, &[], &quantify)
        } else {
            let dead = targets.iter().filter(|v| !self.is_live(to, **v)).map(|v| self.space.slot(*v).next());
            quantify.extend(dead);
            quantify.extend(outs.iter().map(|s| s.current()));
            Schedule::new(&mut self.engine, &relation, &quantify)
        };
        Step { relation, outs, unread, schedule, lanes: OnceCell::new() }
    }
}
