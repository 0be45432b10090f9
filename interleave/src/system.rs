//! A concurrent boolean program made ready: the graphs that threads run, where each begins, and what edges do beside
//! what their graph says (atomic sections, starts and ends of threads, broadcast assignments).

use base::{Id, IndexVec};
use bp::{Cfg, Op, ProcId, VarId, VertexId};
use std::collections::BTreeSet;

/// A program that one or more threads run.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its graph. The first globals are shared with other threads, the others belong to a thread.
    pub cfg: Cfg,
    /// What some edges do beside what the graph says.
    pub extra: Vec<(bp::EdgeId, Extra)>,
    /// In the procedure that starts, the first vertex behind the statements of `init`, if there are some.
    pub body: Option<VertexId>,
    /// Procedures in which no other thread runs.
    pub quiet: Vec<ProcId>,
}

impl Code {
    /// The variables that edges read or set beside what the graph says.
    pub fn handed(&self) -> BTreeSet<VarId> {
        let mut out = BTreeSet::new();
        for (edge, extra) in &self.extra {
            match extra {
                Extra::Start(_, Handed::Variables) => {
                    let proc = self.cfg.vertices[self.cfg.edges[*edge].from].proc;
                    out.extend(self.cfg.scope(proc));
                }
                Extra::Start(_, Handed::Arguments(args)) => {
                    args.iter().for_each(|e| e.for_each_var(&mut |v, _| _ = out.insert(*v)));
                }
                Extra::Nested(_, var) => _ = out.insert(*var),
                Extra::Others(others) => {
                    let count = self.cfg.vars.len();
                    spoken_of(others)
                        .into_iter()
                        .for_each(|v| _ = out.insert(VarId::from_index(v.index() % count)));
                }
                Extra::Atomic(_) | Extra::End => {}
            }
        }
        out
    }

    /// The variables of a thread that others speak of.
    pub fn exposed(&self) -> BTreeSet<VarId> {
        let count = self.cfg.vars.len();
        let others = self.extra.iter().filter_map(|(_, extra)| match extra {
            Extra::Others(others) => Some(spoken_of(others)),
            _ => None,
        });
        others.flatten().filter_map(|v| Some(VarId::from_index(v.index().checked_sub(count)?))).collect()
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
        for (number, proc) in bp::cfg::bottom_up(&callees).into_iter().enumerate() {
            numbers[proc] = number as u32;
        }
        assert!(numbers.iter().all(|n| (*n as usize) < cfg.procs.len()), "every procedure has a number");
        numbers
    }

    /// Whether a procedure may be called while it runs.
    pub(crate) fn recurses(&self) -> bool {
        let number = self.bottom_up();
        self.cfg.edges.iter().any(|edge| match edge.op {
            Op::Call { callee, .. } => number[callee] >= number[self.cfg.vertices[edge.from].proc],
            _ => false,
        })
    }
}

/// The variables that are spoken of.
fn spoken_of(others: &Others) -> BTreeSet<VarId> {
    let mut out: BTreeSet<VarId> = others.targets.iter().map(|(target, _)| *target).collect();
    let values = others.targets.iter().map(|(_, value)| value).chain(&others.constrain);
    values.for_each(|e| e.for_each_var(&mut |v, _| _ = out.insert(*v)));
    out
}

/// What an edge does beside what the graph says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extra {
    /// The thread is atomic from here on, or not any more.
    Atomic(bool),
    /// The same in a procedure that may be called by an atomic thread; the variable keeps whether it was.
    Nested(bool, VarId),
    /// The thread ends.
    End,
    /// Starts one of these threads that has not been started.
    Start(Vec<usize>, Handed),
    /// Says something of the threads that do not move.
    Others(Others),
}

/// What must be so with each thread that was started, or begins by itself, and does not move. They all run the same
/// procedure. Of variables of the other thread the numbers are behind those of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Others {
    /// Its variables that are set, with their values.
    pub targets: Vec<(VarId, bp::Expr<VarId>)>,
    /// What must hold.
    pub constrain: Vec<bp::Expr<VarId>>,
}

/// What a thread gets when it is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Handed {
    /// The values of the variables of the procedure that starts it.
    Variables,
    /// Values of formals.
    Arguments(Vec<bp::Expr<VarId>>),
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

/// What is translated.
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
    /// Whether threads that never run count, too, since statements speak of them: then each thread that is started is
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
        let codes = vec![Code { cfg, extra: vec![], body: None, quiet: vec![] }];
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
