//! A code made ready to be run: each variable has its bit, and it is known where values do not matter any more, and which
//! edges have to do with other threads.

use crate::Unsupported;
use crate::bits::low;
use crate::values::Place;
use base::{Id, IndexVec};
use bp::analysis::LiveRanges;
use bp::system::{StartArguments, System, ThreadOp};
use bp::{Cfg, Edge, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use std::convert::Infallible;

/// An edge.
pub(crate) struct Step {
    pub(crate) to: VertexId,
    pub(crate) op: Act,
    /// What it does to threads, in order.
    pub(crate) threads: Vec<OnThreads>,
    /// The shared variables that it sets; for a call, when it returns.
    pub(crate) sets: u64,
    /// Whether other threads can tell when it is done.
    pub(crate) visible: bool,
    /// For a call: whether others can tell when it returns.
    pub(crate) visible_return: bool,
}

pub(crate) enum Act {
    Skip,
    Assume {
        cond: Expr<Place>,
        value: bool,
        constrain: Option<Expr<Place>>,
    },
    Assign {
        values: Vec<(Place, Expr<Place>)>,
        constrain: Option<Expr<Place>>,
    },
    Call {
        callee: ProcId,
        args: Vec<Expr<Place>>,
        results: Vec<Option<Place>>,
        /// The caller's variables whose values matter behind the call, unless it sets them.
        kept: u64,
    },
    Return(Vec<Expr<Place>>),
}

pub(crate) enum OnThreads {
    End,
    Atomic(bool),
    Nested(bool, Place),
    Start(Start),
}

/// Starts one of the threads that belong to this edge, or, where there may be more than are examined, perhaps none.
pub(crate) struct Start {
    pub(crate) given: Given,
    /// How many belong to the edge.
    pub(crate) most: usize,
    pub(crate) perhaps: bool,
}

/// What is handed over, from the first formal on.
pub(crate) enum Given {
    Variables(Vec<Place>),
    Arguments(Vec<Expr<Place>>),
}

/// A code.
pub(crate) struct Machine<'s> {
    pub(crate) cfg: &'s Cfg,
    pub(crate) steps: IndexVec<EdgeId, Step>,
    /// In each vertex, the variables of the frame whose values matter.
    pub(crate) live: IndexVec<VertexId, u64>,
    pub(crate) goals: IndexVec<VertexId, bool>,
    /// Vertices between which no other thread runs.
    pub(crate) quiet: IndexVec<VertexId, bool>,
    pub(crate) enforce: IndexVec<ProcId, Option<Expr<Place>>>,
    /// How many variables of a frame are the thread's own globals: the first ones.
    pub(crate) own: usize,
}

impl<'s> Machine<'s> {
    pub(crate) fn new(
        system: &'s System,
        goals_at: &[(usize, VertexId)],
        number: usize,
    ) -> Result<Machine<'s>, Unsupported> {
        let code = &system.codes[number];
        let cfg = &code.cfg;
        let (shared, globals) = (system.shared, cfg.globals.len());
        if !has_room(cfg, shared) {
            return Err(Unsupported::Variables);
        }
        let mentioned = code.mentioned();
        let ranges = LiveRanges::new(cfg, |v| v.index() < globals || mentioned.contains(&v));
        let mut live = IndexVec::from_elem(0, cfg.vertices.len());
        let mut goals = IndexVec::from_elem(false, cfg.vertices.len());
        let mut quiet = IndexVec::from_elem(false, cfg.vertices.len());
        goals_at.iter().filter(|(c, _)| *c == number).for_each(|(_, v)| goals[*v] = true);
        for proc in cfg.procs.ids() {
            for vertex in cfg.procs[proc].vertices() {
                let own = cfg.scope(proc).skip(shared).enumerate();
                let own = own.filter(|(_, v)| ranges.is_live(cfg, vertex, *v));
                live[vertex] = own.map(|(i, _)| 1 << i).sum();
                quiet[vertex] = code.quiet.contains(&proc);
            }
        }
        let first = cfg.procs[cfg.entry].entry.index();
        let behind = code.body.map_or(first, |body| body.index());
        (first..behind).for_each(|i| quiet[VertexId::from_index(i)] = true);
        let place = |proc: ProcId, v: VarId| place(cfg, shared, proc, v);
        let enforce = cfg.procs.iter_enumerated();
        let enforce = enforce.map(|(id, proc)| proc.enforce.as_ref().map(|e| placed(e, |v| place(id, v))));
        let mut machine = Machine {
            cfg,
            steps: IndexVec::new(),
            live,
            goals,
            quiet,
            enforce: enforce.collect(),
            own: globals - shared,
        };
        for edge in &cfg.edges {
            let here = |v| place(cfg.vertices[edge.from].proc, v);
            let step = machine.step(edge, system.capped, here)?;
            machine.steps.push(step);
        }
        Ok(machine)
    }

    fn step(&self, edge: &Edge, perhaps: bool, place: impl Fn(VarId) -> Place) -> Result<Step, Unsupported> {
        let here = |e: &Expr<VarId>| placed(e, &place);
        let op = match &edge.op {
            Op::Skip => Act::Skip,
            Op::Assume { cond, value, constrain } => {
                Act::Assume { cond: here(cond), value: *value, constrain: constrain.as_deref().map(here) }
            }
            Op::Assign { targets, values, constrain } => Act::Assign {
                values: targets.iter().map(|v| place(*v)).zip(values.iter().map(here)).collect(),
                constrain: constrain.as_deref().map(here),
            },
            Op::Call { constrain: Some(_), .. } => return Err(Unsupported::Constrain),
            Op::Call { callee, args, results, constrain: None } => {
                let results: Vec<Option<Place>> = results.iter().map(|r| r.map(&place)).collect();
                let set = results.iter().flatten().fold(0, |mask, place| mask | own_bit(*place));
                Act::Call {
                    callee: *callee,
                    args: args.iter().map(here).collect(),
                    results,
                    kept: self.live[edge.to] & !set,
                }
            }
            Op::Return(values) => Act::Return(values.iter().map(here).collect()),
        };
        let threads = self.thread_ops(edge, perhaps, &place)?;
        let mut sets = 0;
        match &op {
            Act::Assign { values, .. } => {
                values.iter().for_each(|(target, _)| sets |= shared_bit(*target));
            }
            Act::Call { results, .. } => results.iter().flatten().for_each(|r| sets |= shared_bit(*r)),
            _ => {}
        }
        Ok(Step { to: edge.to, op, threads, sets, visible: false, visible_return: false })
    }

    /// The thread operations of an edge.
    fn thread_ops(
        &self,
        edge: &Edge,
        perhaps: bool,
        place: &impl Fn(VarId) -> Place,
    ) -> Result<Vec<OnThreads>, Unsupported> {
        let here = |e: &Expr<VarId>| placed(e, place);
        let mut out = vec![];
        for op in &edge.threads {
            out.push(match op {
                ThreadOp::End => OnThreads::End,
                ThreadOp::Atomic(flag) => OnThreads::Atomic(*flag),
                ThreadOp::Nested(enters, var) => OnThreads::Nested(*enters, place(*var)),
                ThreadOp::Start(threads, arguments) => {
                    let given = match arguments {
                        StartArguments::Values(args) => Given::Arguments(args.iter().map(here).collect()),
                        StartArguments::Variables => {
                            let proc = &self.cfg.procs[self.cfg.vertices[edge.from].proc];
                            let own = proc.formals.iter().chain(&proc.locals);
                            Given::Variables(own.map(|v| place(*v)).collect())
                        }
                    };
                    OnThreads::Start(Start { given, most: threads.len(), perhaps })
                }
                ThreadOp::Broadcast(_) => return Err(Unsupported::Others),
            });
        }
        Ok(out)
    }

    /// The shared variables that a thread reads or sets where others may run.
    pub(crate) fn mentions(&self) -> u64 {
        let edges = self.cfg.edges.iter_enumerated().filter(|(_, edge)| !self.quiet[edge.from]);
        let enforced = self.enforce.iter().flatten().map(shared_of);
        let edges = edges.map(|(id, _)| self.reads(id) | self.steps[id].sets);
        edges.chain(enforced).fold(0, |all, one| all | one)
    }

    /// Decides which edges have to do with others, of whom these shared variables are known.
    pub(crate) fn watch(&mut self, watched: u64) {
        for (id, edge) in self.cfg.edges.iter_enumerated() {
            let step = &self.steps[id];
            let entered = match &step.op {
                Act::Call { callee, .. } => Some(*callee),
                _ if self.cfg.vertices[edge.to].return_point => None,
                _ => Some(self.cfg.vertices[edge.to].proc),
            };
            let enforced = entered.and_then(|proc| self.enforce[proc].as_ref()).map_or(0, shared_of);
            let returns = matches!(step.op, Act::Call { .. });
            let sets = step.sets & watched != 0;
            let visible = (self.reads(id) | enforced) & watched != 0 || !step.threads.is_empty();
            let step = &mut self.steps[id];
            step.visible = visible || sets && !returns;
            step.visible_return = sets && returns;
        }
    }

    /// The shared variables that an edge reads.
    fn reads(&self, id: EdgeId) -> u64 {
        let step = &self.steps[id];
        let of_list = |list: &[Expr<Place>]| list.iter().map(shared_of).fold(0, |all, one| all | one);
        let mut out = match &step.op {
            Act::Skip => 0,
            Act::Assume { cond, constrain, .. } => shared_of(cond) | constrain.as_ref().map_or(0, shared_of),
            Act::Assign { values, constrain } => {
                let values = values.iter().map(|(_, e)| shared_of(e)).fold(0, |all, one| all | one);
                values | constrain.as_ref().map_or(0, shared_of)
            }
            Act::Call { args, .. } => of_list(args),
            Act::Return(values) => of_list(values),
        };
        for op in &step.threads {
            if let OnThreads::Start(Start { given: Given::Arguments(args), .. }) = op {
                out |= of_list(args);
            }
        }
        out
    }

    /// Whether the vertex is the end of its procedure.
    pub(crate) fn is_exit(&self, vertex: VertexId) -> bool {
        self.cfg.procs[self.cfg.vertices[vertex].proc].exit == vertex
    }

    /// The bits of the thread's own globals.
    pub(crate) fn own_globals(&self) -> u64 {
        low(self.own)
    }
}

/// Whether shared variables, and those of each procedure beside them, have bits enough.
fn has_room(cfg: &Cfg, shared: usize) -> bool {
    let own = cfg.procs.ids().all(|proc| cfg.scope(proc).count() - shared <= 64);
    shared <= 64 && own && cfg.procs.iter().all(|proc| proc.returns <= 64)
}

fn place(cfg: &Cfg, shared: usize, proc: ProcId, v: VarId) -> Place {
    let globals = cfg.globals.len();
    match v.index() {
        i if i < shared => Place::Shared(i as u8),
        i if i < globals => Place::Own((i - shared) as u8),
        i => {
            let proc = &cfg.procs[proc];
            let first =
                proc.formals.first().or(proc.locals.first()).expect("the variable is the procedure's");
            Place::Own((globals - shared + i - first.index()) as u8)
        }
    }
}

fn placed(e: &Expr<VarId>, place: impl Fn(VarId) -> Place) -> Expr<Place> {
    match e.try_map(&mut |v, _| Ok::<Place, Infallible>(place(*v))) {
        Ok(out) => out,
        Err(never) => match never {},
    }
}

fn shared_of(e: &Expr<Place>) -> u64 {
    let mut out = 0;
    e.for_each_var(&mut |place, _| out |= shared_bit(*place));
    out
}

fn shared_bit(place: Place) -> u64 {
    if let Place::Shared(at) = place { 1 << at } else { 0 }
}

fn own_bit(place: Place) -> u64 {
    if let Place::Own(at) = place { 1 << at } else { 0 }
}
