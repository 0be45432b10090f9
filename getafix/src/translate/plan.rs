//! What a compact translation leaves out: program counters of vertices that nobody has to stop at, and the values of
//! variables that do not matter any more.
//!
//! A run between two program counters that are kept is one step, composed of its edges. Kept are the goals, both ends of
//! calls, exits, a vertex of every cycle, and vertices before which too many variables took part. In a concurrent
//! program a vertex is left out only where a switch could as well have come before the step that leads to it, or where no
//! switch is possible. Invariant: the vertices left out have no cycle, and none of their edges calls.

use super::Question;
use base::{Id, IndexVec};
use bp::analysis::LiveRanges;
use bp::{Begin, Code, System, ThreadOp};
use bp::{Cfg, Edge, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that may take part in the steps that are composed.
const MOST_VARIABLES: usize = 12;
/// Steps that may lead to a vertex that is left out.
const MOST_SOURCES: usize = 4;

/// What is left out, code by code.
pub(crate) struct Plan {
    codes: Vec<CodePlan>,
}

struct CodePlan {
    /// Without them every value matters.
    ranges: Option<LiveRanges>,
    /// Variables that are mentioned to threads, or keep a flag: they matter everywhere.
    mentioned: BTreeSet<VarId>,
    kept: IndexVec<VertexId, bool>,
    /// Edges between vertices that are left out lead to larger numbers.
    rank: IndexVec<VertexId, u32>,
    /// The first variables are shared with other threads, or globals that are kept: they matter everywhere.
    shared: usize,
}

impl Plan {
    /// Nothing is left out.
    pub(crate) fn whole(system: &System) -> Plan {
        let codes = system.codes.iter().map(|code| CodePlan {
            ranges: None,
            mentioned: BTreeSet::new(),
            kept: IndexVec::from_elem(true, code.cfg.vertices.len()),
            rank: IndexVec::from_elem(0, code.cfg.vertices.len()),
            shared: 0,
        });
        Plan { codes: codes.collect() }
    }

    /// What does not matter is left out; with `globals` no value of one.
    pub(crate) fn compact(system: &System, question: &Question, globals: bool) -> Plan {
        let codes = system.codes.iter().enumerate();
        let plan = |(number, code)| CodePlan::compact(system, question, (number, code), globals);
        Plan { codes: codes.map(plan).collect() }
    }

    /// Whether nothing is left out.
    pub(crate) fn is_whole(&self) -> bool {
        self.codes.iter().all(|plan| plan.ranges.is_none())
    }

    /// Whether the vertex has a program counter.
    pub(crate) fn keeps(&self, code: usize, vertex: VertexId) -> bool {
        self.codes[code].kept[vertex]
    }

    /// Steps are composed in the order of these numbers.
    pub(crate) fn rank(&self, code: usize, vertex: VertexId) -> u32 {
        self.codes[code].rank[vertex]
    }

    /// Whether the value that the variable, which is in scope, has at the vertex can matter later.
    pub(crate) fn matters(&self, code: usize, cfg: &Cfg, vertex: VertexId, var: VarId) -> bool {
        let plan = &self.codes[code];
        plan.is_always(var) || plan.ranges.as_ref().is_none_or(|ranges| ranges.is_live(cfg, vertex, var))
    }

    /// Whether the value that a global has behind a call is that from the end of the procedure called, and not from
    /// before the call.
    pub(crate) fn comes_from_callee(&self, code: usize, callee: ProcId, global: VarId) -> bool {
        let plan = &self.codes[code];
        plan.is_always(global) || plan.ranges.as_ref().is_none_or(|ranges| ranges.modifies(callee, global))
    }
}

impl CodePlan {
    fn is_always(&self, var: VarId) -> bool {
        var.index() < self.shared || self.mentioned.contains(&var)
    }

    fn compact(
        system: &System,
        question: &Question,
        (number, code): (usize, &Code),
        globals: bool,
    ) -> CodePlan {
        let cfg = &code.cfg;
        let shared = if system.concurrent { system.shared } else { 0 };
        let mut chooser = Chooser::new(system, question, number, shared);
        let shared = if globals { cfg.globals.len() } else { shared };
        for proc in cfg.procs.ids() {
            chooser.choose(proc);
        }
        let Chooser { kept, rank, .. } = chooser;
        let mentioned = code.mentioned();
        let ranges = LiveRanges::new(cfg, |v| v.index() < shared || mentioned.contains(&v));
        CodePlan { ranges: Some(ranges), mentioned, kept, rank, shared }
    }
}

/// Whether the edge's effect can be had by changing one variable after the other. The order is that of
/// [`in_order`].
fn is_simple(edge: &Edge) -> bool {
    let one_by_one = match &edge.op {
        Op::Skip | Op::Assume { .. } | Op::Return(_) => true,
        Op::Assign { constrain: Some(_), .. } | Op::Call { .. } => false,
        Op::Assign { targets, values, .. } => in_order(targets, values).is_some(),
    };
    one_by_one && edge.threads.iter().all(|op| matches!(op, ThreadOp::Atomic(_) | ThreadOp::End))
}

/// The positions of targets in an order in which none is changed before another one is computed from it, if there is one.
pub(crate) fn in_order(targets: &[VarId], values: &[Expr<VarId>]) -> Option<Vec<usize>> {
    let at: BTreeMap<VarId, usize> = targets.iter().enumerate().map(|(i, v)| (*v, i)).collect();
    // How many values still to be computed read each target, but for its own.
    let mut readers = vec![0usize; targets.len()];
    let mut reads: Vec<BTreeSet<usize>> = vec![];
    for (i, value) in values.iter().enumerate() {
        let mut own = BTreeSet::new();
        value.for_each_var(&mut |v, _| own.extend(at.get(v).filter(|j| **j != i)));
        own.iter().for_each(|j| readers[*j] += 1);
        reads.push(own);
    }
    let mut ready: Vec<usize> = (0..targets.len()).filter(|i| readers[*i] == 0).collect();
    let mut out = vec![];
    while let Some(i) = ready.pop() {
        out.push(i);
        for j in &reads[i] {
            readers[*j] -= 1;
            if readers[*j] == 0 {
                ready.push(*j);
            }
        }
    }
    (out.len() == targets.len()).then_some(out)
}

/// Chooses the vertices to keep.
struct Chooser<'s> {
    code: &'s Code,
    concurrent: bool,
    shared: usize,
    /// Variables that other threads mention.
    exposed: BTreeSet<VarId>,
    kept: IndexVec<VertexId, bool>,
    rank: IndexVec<VertexId, u32>,
}

impl<'s> Chooser<'s> {
    fn new(system: &'s System, question: &Question, number: usize, shared: usize) -> Chooser<'s> {
        let code = &system.codes[number];
        let cfg = &code.cfg;
        let mut kept = IndexVec::from_elem(false, cfg.vertices.len());
        question.goals.iter().filter(|(c, _)| *c == number).for_each(|(_, v)| kept[*v] = true);
        cfg.procs.iter().for_each(|proc| kept[proc.exit] = true);
        for edge in &cfg.edges {
            if !is_simple(edge) {
                kept[edge.from] = true;
            }
            if matches!(edge.op, Op::Call { .. }) {
                kept[edge.to] = true;
            }
        }
        if system.concurrent {
            // Broadcast may run before the first statement, but not before the step to it.
            cfg.procs.iter().for_each(|proc| kept[proc.entry] = true);
            for thread in system.threads.iter().filter(|thread| thread.code == number) {
                kept[match thread.begin {
                    Begin::Procedure(proc) => system.body(number, proc),
                    Begin::Called(proc) => cfg.procs[proc].entry,
                    Begin::Vertex(vertex) => vertex,
                }] = true;
            }
        }
        let rank = IndexVec::from_elem(0, cfg.vertices.len());
        let exposed = code.exposed();
        Chooser { code, concurrent: system.concurrent, shared, exposed, kept, rank }
    }

    fn choose(&mut self, proc: ProcId) {
        let cfg = &self.code.cfg;
        let order = self.rank_and_cut(proc);
        if self.concurrent && !self.code.quiet.contains(&proc) {
            let sections = self.sections(proc);
            for vertex in cfg.procs[proc].vertices() {
                let visible = cfg.vertices[vertex].into.iter().any(|edge| !self.is_private(*edge));
                self.kept[vertex] |= visible && !sections.contains(&vertex);
            }
        }
        // What leads to each vertex, and the variables that take part on the way.
        let mut ways: BTreeMap<VertexId, (BTreeSet<VertexId>, BTreeSet<VarId>)> = BTreeMap::new();
        for vertex in order {
            if self.kept[vertex] {
                continue;
            }
            let (mut sources, mut vars) = (BTreeSet::new(), BTreeSet::new());
            for edge in cfg.vertices[vertex].into.iter().map(|edge| &cfg.edges[*edge]) {
                match ways.get(&edge.from) {
                    Some((from, before)) => {
                        sources.extend(from);
                        vars.extend(before);
                    }
                    None => _ = sources.insert(edge.from),
                }
                taking_part(&edge.op, &mut vars);
            }
            if sources.len() > MOST_SOURCES || vars.len() > MOST_VARIABLES {
                self.kept[vertex] = true;
            } else {
                ways.insert(vertex, (sources, vars));
            }
        }
    }

    /// Numbers the procedure's vertices in reverse post-order, and keeps those to which edges lead back; the vertices
    /// in this order.
    fn rank_and_cut(&mut self, proc: ProcId) -> Vec<VertexId> {
        let cfg = &self.code.cfg;
        let own = &cfg.procs[proc];
        let first = own.vertex_range().start;
        // 0 not seen, 1 on the path, 2 done.
        let mut state = vec![0u8; own.vertices().len()];
        let mut order = vec![];
        for root in std::iter::once(own.entry).chain(own.vertices()) {
            if state[root.index() - first] != 0 {
                continue;
            }
            state[root.index() - first] = 1;
            let mut stack = vec![(root, 0)];
            while let Some((vertex, next)) = stack.last_mut() {
                let at = *vertex;
                let Some(edge) = cfg.vertices[at].out.get(*next) else {
                    state[at.index() - first] = 2;
                    order.push(at);
                    stack.pop();
                    continue;
                };
                *next += 1;
                let to = cfg.edges[*edge].to;
                match state[to.index() - first] {
                    0 => {
                        state[to.index() - first] = 1;
                        stack.push((to, 0));
                    }
                    1 => self.kept[to] = true,
                    _ => {}
                }
            }
        }
        order.reverse();
        for (i, vertex) in order.iter().enumerate() {
            self.rank[*vertex] = i as u32;
        }
        order
    }

    /// Whether neither the edge nor what is assumed behind it has to do with other threads.
    fn is_private(&self, id: EdgeId) -> bool {
        let cfg = &self.code.cfg;
        let edge = &cfg.edges[id];
        let mut vars = BTreeSet::new();
        taking_part(&edge.op, &mut vars);
        let private = edge.threads.is_empty() && vars.iter().all(|v| self.is_own(*v));
        private && self.enforces_privately(cfg.vertices[edge.from].proc)
    }

    /// Whether other threads have nothing to do with the variable.
    fn is_own(&self, var: VarId) -> bool {
        var.index() >= self.shared && !self.exposed.contains(&var)
    }

    fn enforces_privately(&self, proc: ProcId) -> bool {
        let mut out = true;
        if let Some(e) = &self.code.cfg.procs[proc].enforce {
            e.for_each_var(&mut |v, _| out &= self.is_own(*v));
        }
        out
    }

    /// The vertices that are inside atomic sections, whatever the way to them inside the procedure was.
    fn sections(&self, proc: ProcId) -> BTreeSet<VertexId> {
        let cfg = &self.code.cfg;
        let own = &cfg.procs[proc];
        if self.code.thread_ops().next().is_none() {
            return BTreeSet::new();
        }
        let mut inside: BTreeSet<VertexId> = own.vertices().filter(|v| *v != own.entry).collect();
        let mut work: Vec<VertexId> = own.vertices().collect();
        while let Some(vertex) = work.pop() {
            let after = |edge: &EdgeId| {
                let flag = cfg.edges[*edge].threads.iter().rev().find_map(|op| match op {
                    ThreadOp::Atomic(flag) | ThreadOp::Nested(flag, _) => Some(*flag),
                    _ => None,
                });
                flag.unwrap_or_else(|| inside.contains(&cfg.edges[*edge].from))
            };
            if inside.contains(&vertex) && !cfg.vertices[vertex].into.iter().all(after) {
                inside.remove(&vertex);
                work.extend(cfg.vertices[vertex].out.iter().map(|edge| cfg.edges[*edge].to));
            }
        }
        inside
    }
}

/// The variables that take part in what the operation does.
fn taking_part(op: &Op, vars: &mut BTreeSet<VarId>) {
    let mut read = |e: &Expr<VarId>| e.for_each_var(&mut |v, _| _ = vars.insert(*v));
    match op {
        Op::Skip => {}
        Op::Assume { cond, constrain, .. } => {
            read(cond);
            constrain.as_deref().into_iter().for_each(read);
        }
        Op::Assign { targets, values, constrain } => {
            values.iter().chain(constrain.as_deref()).for_each(read);
            vars.extend(targets);
        }
        Op::Call { args, results, constrain, .. } => {
            args.iter().chain(constrain.as_deref()).for_each(read);
            vars.extend(results.iter().flatten());
        }
        Op::Return(values) => values.iter().for_each(read),
    }
}
