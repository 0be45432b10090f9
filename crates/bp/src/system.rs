//! A boolean program as threads: the graphs that threads run, where each thread begins, and the effects of
//! their edges on threads (atomic sections, starts and ends of threads, broadcast assignments). A sequential
//! program has one thread.

use crate::{Cfg, EdgeId, Op, ProcId, VarId, VertexId};
use base::{Id, IndexVec};
use std::collections::BTreeSet;

/// A program that one or more threads run.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its graph. The first globals are shared with other threads, the others belong to a thread.
    pub cfg: Cfg,
    /// In the procedure that starts, the first vertex behind the statements of `init`, if there are some.
    pub body: Option<VertexId>,
    /// Procedures in which no other thread runs.
    pub quiet: Vec<ProcId>,
}

impl Code {
    /// Its thread operations, each with its edge.
    pub fn thread_ops(&self) -> impl Iterator<Item = (EdgeId, &ThreadOp)> {
        self.cfg.edges.iter_enumerated().flat_map(|(id, edge)| edge.threads.iter().map(move |op| (id, op)))
    }

    /// The variables that thread operations mention.
    pub fn mentioned(&self) -> BTreeSet<VarId> {
        let mut out = BTreeSet::new();
        for (edge, op) in self.thread_ops() {
            match op {
                ThreadOp::Start(_, StartArguments::Variables) => {
                    let proc = self.cfg.vertices[self.cfg.edges[edge].from].proc;
                    out.extend(self.cfg.scope(proc));
                }
                ThreadOp::Start(_, StartArguments::Values(args)) => {
                    args.iter().for_each(|e| e.for_each_var(&mut |v, _| _ = out.insert(*v)));
                }
                ThreadOp::Nested(_, var) => _ = out.insert(*var),
                ThreadOp::Broadcast(broadcast) => {
                    let count = self.cfg.vars.len();
                    out.extend(broadcast.variables().iter().map(|v| VarId::from_index(v.index() % count)));
                }
                ThreadOp::Atomic(_) | ThreadOp::End => {}
            }
        }
        out
    }

    /// The variables of a thread that other threads' broadcasts mention.
    pub fn exposed(&self) -> BTreeSet<VarId> {
        let count = self.cfg.vars.len();
        let broadcasts = self.thread_ops().filter_map(|(_, op)| match op {
            ThreadOp::Broadcast(broadcast) => Some(broadcast.variables()),
            _ => None,
        });
        broadcasts.flatten().filter_map(|v| Some(VarId::from_index(v.index().checked_sub(count)?))).collect()
    }

    /// A number for each procedure: less than those of its callers, but for recursion.
    pub fn bottom_up(&self) -> IndexVec<ProcId, u32> {
        let cfg = &self.cfg;
        let mut callees: IndexVec<ProcId, Vec<ProcId>> = IndexVec::from_elem(vec![], cfg.procs.len());
        for edge in &cfg.edges {
            if let Op::Call { callee, .. } = edge.op {
                callees[cfg.vertices[edge.from].proc].push(callee);
            }
        }
        let mut numbers: IndexVec<ProcId, u32> = IndexVec::from_elem(u32::MAX, cfg.procs.len());
        for (number, proc) in crate::cfg::bottom_up(&callees).into_iter().enumerate() {
            numbers[proc] = number as u32;
        }
        assert!(numbers.iter().all(|n| (*n as usize) < cfg.procs.len()), "every procedure has a number");
        numbers
    }

    /// Whether a procedure may be called while it runs.
    pub fn recurses(&self) -> bool {
        let number = self.bottom_up();
        self.cfg.edges.iter().any(|edge| match edge.op {
            Op::Call { callee, .. } => number[callee] >= number[self.cfg.vertices[edge.from].proc],
            _ => false,
        })
    }
}

/// The effect of an edge on threads, beside its [`Op`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ThreadOp {
    /// The thread is atomic from here on, or not any more.
    Atomic(bool),
    /// The same in a procedure that may be called by an atomic thread; the variable keeps whether it was.
    Nested(bool, VarId),
    /// The thread ends.
    End,
    /// Starts one of these threads that has not been started.
    Start(Vec<usize>, StartArguments),
    /// Reads and sets variables of the threads that do not move.
    Broadcast(Broadcast),
}

/// A broadcast assignment \[DKKW11\]: what must be so with each thread that was started, or begins by itself, and does not
/// move. They all run the same procedure. Variables of the other thread have numbers behind those of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broadcast {
    /// Its variables that are set, with their values.
    pub targets: Vec<(VarId, crate::Expr<VarId>)>,
    /// Relations that must hold.
    pub constrain: Vec<crate::Expr<VarId>>,
}

impl Broadcast {
    /// The variables that are mentioned, of this thread and of the other.
    fn variables(&self) -> BTreeSet<VarId> {
        let mut out: BTreeSet<VarId> = self.targets.iter().map(|(target, _)| *target).collect();
        let values = self.targets.iter().map(|(_, value)| value).chain(&self.constrain);
        values.for_each(|e| e.for_each_var(&mut |v, _| _ = out.insert(*v)));
        out
    }
}

/// The arguments that a thread gets when it is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartArguments {
    /// The values of the variables of the procedure that starts it.
    Variables,
    /// Values of formals.
    Values(Vec<crate::Expr<VarId>>),
}

/// Where a thread begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Begin {
    /// With a procedure; before it, the statements of `init` if it is the first thread that runs.
    Procedure(ProcId),
    /// With a procedure, once it was started; its formals were handed over.
    Called(ProcId),
    /// At a vertex, once it was started; the variables of the procedure were handed over.
    Vertex(VertexId),
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// The number of its code.
    pub code: usize,
    /// Where it begins.
    pub begin: Begin,
}

/// The threads of a program.
#[derive(Clone, Debug)]
pub struct System {
    /// Codes.
    pub codes: Vec<Code>,
    /// Threads. A sequential program has one.
    pub threads: Vec<Thread>,
    /// How many of the globals of each code are shared.
    pub shared: usize,
    /// Whether it is to be taken as a concurrent program.
    pub concurrent: bool,
    /// Whether threads that never run count, too, since statements mention them: then each thread that is started is
    /// one of those here.
    pub all_count: bool,
    /// Executions in which more threads are started are left out, if there can be some.
    pub most_started: Option<usize>,
    /// Whether there may be more threads with more context switches.
    pub capped: bool,
}

impl System {
    /// A sequential program.
    pub fn sequential(cfg: Cfg) -> System {
        let thread = Thread { name: "main".to_owned(), code: 0, begin: Begin::Procedure(cfg.entry) };
        let shared = cfg.globals.len();
        let codes = vec![Code { cfg, body: None, quiet: vec![] }];
        System {
            codes,
            threads: vec![thread],
            shared,
            concurrent: false,
            all_count: false,
            most_started: None,
            capped: false,
        }
    }

    /// The first vertex of a procedure behind the statements of `init`.
    pub fn body(&self, code: usize, proc: ProcId) -> VertexId {
        let entry = self.codes[code].cfg.procs[proc].entry;
        self.codes[code].body.filter(|_| proc == self.codes[code].cfg.entry).unwrap_or(entry)
    }
}
