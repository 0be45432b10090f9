//! Path edges and summaries [BR-SPIN00 §3.1, Fig. 3], as a worklist over differences: a vertex is worked on
//! with what is new there. Callees come before callers, and vertices of a procedure in reverse post-order.
//!
//! What is new at an exit is logged with a number. A path edge found before an entry of the log depends on
//! earlier entries only; traces expand calls along that order, which is why the expansion ends.

use crate::Stopped;
use crate::machine::{CallStep, Machine, Transfer};
use base::IndexVec;
use bdd::{Engine, LayeredUnion};
use bp::{EdgeId, ProcId, VertexId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// New summaries of a procedure: when, and which.
pub(crate) struct Logged<B> {
    pub(crate) number: u64,
    pub(crate) summary: B,
}

/// What is known about a call edge's summary.
struct Lifted<B> {
    relation: B,
    /// How many entries of the callee's log are in it.
    entries: usize,
}

/// The path edges of a program, complete or not.
pub(crate) struct PathEdges<'a, E: Engine> {
    pub(crate) machine: Machine<'a, E>,
    edges: IndexVec<VertexId, LayeredUnion<E::Bdd>>,
    pub(crate) log: IndexVec<ProcId, Vec<Logged<E::Bdd>>>,
    fresh: IndexVec<VertexId, E::Bdd>,
    lifted: FxHashMap<EdgeId, Lifted<E::Bdd>>,
    identity: IndexVec<ProcId, Option<E::Bdd>>,
    next_number: u64,
    queue: BinaryHeap<Reverse<u32>>,
    queued: IndexVec<VertexId, bool>,
    goals: IndexVec<VertexId, bool>,
    goal_reached: bool,
    /// How many vertices were taken from the worklist.
    pub(crate) rounds: u64,
}

impl<'a, E: Engine> PathEdges<'a, E> {
    /// No path edges yet; `goals` marks the vertices asked for.
    pub(crate) fn new(machine: Machine<'a, E>, goals: IndexVec<VertexId, bool>) -> Self {
        let cfg = machine.cfg;
        let zero = machine.engine.constant(false);
        PathEdges {
            edges: IndexVec::from_elem(LayeredUnion::default(), cfg.vertices.len()),
            log: cfg.procs.iter().map(|_| vec![]).collect(),
            fresh: IndexVec::from_elem(zero, cfg.vertices.len()),
            lifted: FxHashMap::default(),
            identity: IndexVec::from_elem(None, cfg.procs.len()),
            next_number: 0,
            queue: BinaryHeap::new(),
            queued: IndexVec::from_elem(false, cfg.vertices.len()),
            goals,
            goal_reached: false,
            rounds: 0,
            machine,
        }
    }

    /// Computes until nothing is new, or until a goal is reached if `stop_early`; false when it was left before, since more
    /// than `most` nodes were made. It can go on then.
    pub(crate) fn solve(&mut self, stop_early: bool, most: u64) -> Result<bool, Stopped> {
        let cfg = self.machine.cfg;
        let entry = cfg.procs[cfg.entry].entry;
        let start = self.identity(cfg.entry);
        self.propagate(entry, &start);
        while let Some(Reverse(rank)) = self.queue.pop() {
            self.machine.alive()?;
            if stop_early && self.goal_reached {
                return Ok(true);
            }
            if self.machine.engine.nodes_made() > most {
                self.queue.push(Reverse(rank));
                return Ok(false);
            }
            let vertex = self.machine.order.by_rank[rank as usize];
            self.queued[vertex] = false;
            self.rounds += 1;
            let zero = self.machine.engine.constant(false);
            let fresh = std::mem::replace(&mut self.fresh[vertex], zero);
            self.visit(vertex, &fresh);
        }
        self.machine.alive()?;
        Ok(true)
    }

    /// Whether the vertex is known to be reachable.
    pub(crate) fn reached(&self, vertex: VertexId) -> bool {
        !self.edges[vertex].is_empty()
    }

    /// All path edges at the vertex.
    pub(crate) fn at(&mut self, vertex: VertexId) -> E::Bdd {
        self.edges[vertex].united(&mut self.machine.engine)
    }

    /// The nodes of all diagrams at the vertex.
    pub(crate) fn nodes(&self, vertex: VertexId) -> usize {
        self.edges[vertex].nodes(&self.machine.engine)
    }

    fn visit(&mut self, vertex: VertexId, fresh: &E::Bdd) {
        let cfg = self.machine.cfg;
        let proc = cfg.vertices[vertex].proc;
        if cfg.procs[proc].exit == vertex && self.machine.mod_ref.procs[proc].called {
            self.leave(proc, fresh);
        }
        for edge in &cfg.vertices[vertex].out {
            let to = cfg.edges[*edge].to;
            match self.machine.transfer(*edge) {
                Transfer::Step(step) => {
                    let image = self.machine.image(&step, fresh);
                    self.propagate(to, &image);
                }
                Transfer::Call(call) => {
                    let inside = self.machine.enter(&call, fresh);
                    let identity = self.identity(call.callee);
                    let inside = self.machine.engine.and(&inside, &identity);
                    self.propagate(cfg.procs[call.callee].entry, &inside);
                    self.catch_up(*edge, &call);
                    if let Some(lifted) = self.lifted.get(edge) {
                        let relation = lifted.relation.clone();
                        let image = self.machine.leave(&call, &relation, fresh);
                        self.propagate(to, &image);
                    }
                }
            }
        }
    }

    /// New path edges at an exit become summaries at the calls that were reached.
    fn leave(&mut self, proc: ProcId, fresh: &E::Bdd) {
        let summary = self.machine.summary(proc, fresh);
        let number = self.next_number;
        self.next_number += 1;
        self.log[proc].push(Logged { number, summary });
        for i in 0..self.machine.mod_ref.callers[proc].len() {
            let edge = self.machine.mod_ref.callers[proc][i];
            if self.reached(self.machine.cfg.edges[edge].from)
                && let Transfer::Call(call) = self.machine.transfer(edge)
            {
                self.catch_up(edge, &call);
            }
        }
    }

    /// Lifts the summaries that the call has not seen, and applies them to all states at the call.
    fn catch_up(&mut self, edge: EdgeId, call: &CallStep<E::Bdd>) {
        let seen = self.lifted.get(&edge).map_or(0, |l| l.entries);
        let log = &self.log[call.callee];
        if seen == log.len() {
            return;
        }
        let entries = log.len();
        let mut summaries = self.machine.engine.constant(false);
        for logged in &log[seen..] {
            summaries = self.machine.engine.or(&summaries, &logged.summary);
        }
        let lifted = self.machine.lift(call, &summaries);
        let zero = self.machine.engine.constant(false);
        let before = self.lifted.remove(&edge).map_or(zero, |l| l.relation);
        let new = self.machine.engine.and_not(&lifted, &before);
        let relation = self.machine.engine.or(&before, &new);
        self.lifted.insert(edge, Lifted { relation, entries });
        let (from, to) = (self.machine.cfg.edges[edge].from, self.machine.cfg.edges[edge].to);
        let states = self.at(from);
        let image = self.machine.leave(call, &new, &states);
        self.propagate(to, &image);
    }

    fn identity(&mut self, proc: ProcId) -> E::Bdd {
        if let Some(known) = &self.identity[proc] {
            return known.clone();
        }
        let made = self.machine.identity(proc);
        self.identity[proc] = Some(made.clone());
        made
    }

    fn propagate(&mut self, vertex: VertexId, states: &E::Bdd) {
        if self.machine.engine.is_zero(states) {
            return;
        }
        let states = self.machine.admit(vertex, states);
        let engine = &mut self.machine.engine;
        let new = self.edges[vertex].news(engine, &states);
        if engine.is_zero(&new) {
            return;
        }
        self.goal_reached |= self.goals[vertex];
        self.edges[vertex].add(engine, &new, ());
        self.fresh[vertex] = engine.or(&self.fresh[vertex], &new);
        if !std::mem::replace(&mut self.queued[vertex], true) {
            self.queue.push(Reverse(self.machine.order.rank[vertex]));
        }
    }
}
