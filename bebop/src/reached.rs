//! The states found, for reports: as sums of cubes over program variables.

use crate::Stopped;
use crate::concrete::{Tracer, last_entered};
use crate::machine::Machine;
use crate::path_edges::PathEdges;
use crate::space::Slot;
use base::IndexVec;
use bdd::{Biodivine, Cube, Engine, Var};
use bp::{ProcId, VarId, VertexId};
use check::Trace;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A sum of cubes over variables of type `V`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum<V> {
    /// Conjunctions of literals: a variable with its value. An empty conjunction is true.
    pub cubes: Vec<Vec<(V, bool)>>,
    /// False when there would have been more cubes than the limit; then the sum is not the whole set.
    pub complete: bool,
}

/// Which value of a variable a literal mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum When {
    /// The value when the procedure was entered.
    Entry,
    /// The value now.
    Current,
}

/// What a literal of a summary mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Held {
    /// The value of a global or formal when the procedure is entered.
    Entry(VarId),
    /// The value of a global when it is left; of a variable that the procedure does not modify, its value throughout.
    Exit(VarId),
    /// The value returned with this number, from 0.
    Result(usize),
}

/// A node of a set of path edges that is shown as it is. Children are numbers: 0 and 1 are the constants, `k + 2` is
/// the `k`-th node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The variable asked.
    pub var: VarId,
    /// Which of its values.
    pub when: When,
    /// Where that stands in the order of all: it grows from a node to its children, in every set.
    pub position: usize,
    /// Where to go on when the value is 0.
    pub low: usize,
    /// Where to go on when it is 1.
    pub high: usize,
}

/// A decision graph: nodes, each behind its children, and the number of the root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The nodes that are not constants.
    pub nodes: Vec<Node>,
    /// Where to begin.
    pub root: usize,
}

/// Variables with the value that each has in all states, if it has one.
pub type ValueList = Vec<(VarId, Option<bool>)>;

/// The path edges, complete unless the search stopped at a goal.
pub struct Reached<'a, E: Engine = Biodivine<'a>> {
    edges: PathEdges<'a, E>,
}

impl<'a, E: Engine> Reached<'a, E> {
    pub(crate) fn new(edges: PathEdges<'a, E>) -> Self {
        Reached { edges }
    }

    pub(crate) fn machine(&self) -> &Machine<'a, E> {
        &self.edges.machine
    }

    /// Whether execution can reach the vertex.
    pub fn is_reached(&self, vertex: VertexId) -> bool {
        self.edges.reached(vertex)
    }

    /// How many path edges there are: pairs of valuations at the entry of a procedure and at a vertex, over the
    /// variables that matter there.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn path_edges(&mut self) -> Result<f64, Stopped> {
        let mut sum = 0.0;
        for vertex in self.edges.machine.cfg.vertices.ids() {
            let set = self.edges.at(vertex);
            sum += self.edges.machine.engine.models(&set);
        }
        self.edges.machine.alive()?;
        Ok(sum)
    }

    /// The states at the vertex, over the variables in scope. With live ranges on, dead variables are left
    /// out: the set is then the projection to live ones.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn states(&mut self, vertex: VertexId, limit: usize) -> Result<Sum<VarId>, Stopped> {
        let proc = self.edges.machine.cfg.vertices[vertex].proc;
        let current = self.current(vertex);
        let names = self.names(proc);
        let sum = bdd::cubes(&mut self.edges.machine.engine, &current, limit);
        let name = |cube: &Cube| cube.iter().map(|(var, value)| (names[&Slot::of(*var)], *value)).collect();
        self.edges.machine.alive()?;
        Ok(Sum { cubes: in_order(sum.list.iter().map(name)), complete: sum.complete })
    }

    /// The same together with the values that modified globals and formals had at the entry of the procedure.
    /// Of a variable that the procedure does not modify only the current value is mentioned. Entry values of a
    /// procedure that is never called are not known, and not mentioned.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn relation(&mut self, vertex: VertexId, limit: usize) -> Result<Sum<(VarId, When)>, Stopped> {
        let proc = self.edges.machine.cfg.vertices[vertex].proc;
        let names = self.names(proc);
        let set = self.edges.at(vertex);
        let set = self.hide_results(proc, &set);
        let sum = bdd::cubes(&mut self.edges.machine.engine, &set, limit);
        let literal = |(var, value): &(Var, bool)| {
            let slot = Slot::of(*var);
            let when = if slot.entry() == *var { When::Entry } else { When::Current };
            ((names[&slot], when), *value)
        };
        let cubes = in_order(sum.list.iter().map(|cube| cube.iter().map(literal).collect()));
        self.edges.machine.alive()?;
        Ok(Sum { cubes, complete: sum.complete })
    }

    /// The path edges at the vertex as a decision graph, these variables forgotten. Entry values are mentioned as in
    /// [`Reached::relation`].
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn graph(&mut self, vertex: VertexId, forgotten: &[VarId]) -> Result<Graph, Stopped> {
        let proc = self.edges.machine.cfg.vertices[vertex].proc;
        let names = self.names(proc);
        let set = self.edges.at(vertex);
        let set = self.hide_results(proc, &set);
        let machine = &mut self.edges.machine;
        let gone: Vec<Var> = forgotten.iter().map(|v| machine.space.slot(*v).current()).collect();
        let gone = machine.engine.var_set(&gone);
        let set = machine.engine.exists(&set, gone);
        machine.alive()?;
        let graph = machine.engine.graph(&set);
        let node = |node: &bdd::Node| {
            let slot = Slot::of(node.var);
            let when = if slot.entry() == node.var { When::Entry } else { When::Current };
            let position = usize::from(node.var.0);
            Node { var: names[&slot], when, position, low: node.low, high: node.high }
        };
        Ok(Graph { nodes: graph.nodes.iter().map(node).collect(), root: graph.root })
    }

    /// The globals and formals to which the procedure, with those that it calls, assigns nothing.
    pub fn unmodified(&self, proc: ProcId) -> Vec<VarId> {
        let machine = &self.edges.machine;
        let own = machine.cfg.globals.iter().chain(&machine.cfg.procs[proc].formals);
        own.copied().filter(|v| !machine.mod_ref.modifies(proc, *v)).collect()
    }

    /// What the procedure does: how globals and returned values after it depend on globals and formals before it.
    /// Entry values of a procedure that is never called are not known, and not mentioned.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn summary(&mut self, proc: ProcId, limit: usize) -> Result<Sum<Held>, Stopped> {
        let names = self.names(proc);
        let machine = &self.edges.machine;
        let own = &machine.cfg.procs[proc];
        let results: Vec<Slot> = machine.space.results(proc).collect();
        let kept = &machine.mod_ref.procs[proc].kept_inputs;
        let gone: Vec<Var> = own
            .locals
            .iter()
            .chain(own.formals.iter().filter(|v| !kept.contains(v)))
            .map(|v| machine.space.slot(*v).current())
            .collect();
        let at_exit = self.edges.at(own.exit);
        let engine = &mut self.edges.machine.engine;
        let gone = engine.var_set(&gone);
        let summary = engine.exists(&at_exit, gone);
        let sum = bdd::cubes(engine, &summary, limit);
        let literal = |(var, value): &(Var, bool)| {
            let slot = Slot::of(*var);
            let held = match results.iter().position(|r| *r == slot) {
                Some(k) => Held::Result(k),
                None if slot.entry() == *var => Held::Entry(names[&slot]),
                None => Held::Exit(names[&slot]),
            };
            (held, *value)
        };
        let cubes = in_order(sum.list.iter().map(|cube| cube.iter().map(literal).collect()));
        self.edges.machine.alive()?;
        Ok(Sum { cubes, complete: sum.complete })
    }

    /// The value that each variable in scope has in all states at the vertex; `None` for one that has both.
    /// Nothing when the vertex is not reached.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn values(&mut self, vertex: VertexId) -> Result<Option<ValueList>, Stopped> {
        if !self.is_reached(vertex) {
            return Ok(None);
        }
        let machine = &self.edges.machine;
        let scope: Vec<VarId> = machine.cfg.scope(machine.cfg.vertices[vertex].proc).collect();
        let current = self.current(vertex);
        let value = |v: VarId| {
            let machine = &mut self.edges.machine;
            let var = machine.space.slot(v).current();
            let literal = machine.engine.var(var);
            if machine.engine.implies(&current, &literal) {
                return (v, Some(true));
            }
            let both = machine.engine.and(&current, &literal);
            (v, machine.engine.is_zero(&both).then_some(false))
        };
        let values = scope.into_iter().map(value).collect();
        self.edges.machine.alive()?;
        Ok(Some(values))
    }

    /// A shortest hierarchical trace to the vertex, `None` if it is not reached.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn trace(&mut self, vertex: VertexId, max_steps: usize) -> Result<Option<Trace>, Stopped> {
        let mut goals = IndexVec::from_elem(false, self.edges.machine.cfg.vertices.len());
        goals[vertex] = true;
        self.trace_to(&goals, max_steps, usize::MAX)
    }

    /// Shortest hierarchical traces to those of the vertices that are reached, in their order. What they have in common
    /// is searched once; which values before the entry of the last procedure matter is given only roughly.
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn traces(&mut self, vertices: &[VertexId], max_steps: usize) -> Result<Vec<Trace>, Stopped> {
        let reached: Vec<VertexId> = vertices.iter().copied().filter(|v| self.is_reached(*v)).collect();
        Tracer::new(&mut self.edges).traces(&reached, max_steps)
    }

    /// Traces to where this one ends by other calls of the procedure there, one for each that leads there, at most `most`: the shortest
    /// way to the call, and then the shortest one. Values are given as by [`traces`](Self::traces).
    ///
    /// # Errors
    /// When the stop flag was set.
    pub fn traces_by_other_calls(
        &mut self,
        trace: &Trace,
        most: usize,
        max_steps: usize,
    ) -> Result<Vec<Trace>, Stopped> {
        let Some(first) = last_entered(trace) else { return Ok(vec![]) };
        let proc = self.edges.machine.cfg.vertices[trace.target].proc;
        let mut calls = self.edges.machine.mod_ref.callers[proc].clone();
        calls.retain(|call| *call != first && self.is_reached(self.edges.machine.cfg.edges[*call].from));
        Tracer::new(&mut self.edges).traces_by_calls(trace.target, &calls, most, max_steps)
    }

    /// The failures besides `first` that are reached: one of each other procedure first, then the others.
    pub fn other_failures(&self, first: VertexId) -> Vec<VertexId> {
        let cfg = self.edges.machine.cfg;
        let mut procedures = BTreeSet::from([cfg.vertices[first].proc]);
        let mut failures = cfg.failures();
        failures.retain(|v| *v != first && self.is_reached(*v));
        let (mut elsewhere, more): (Vec<_>, Vec<_>) =
            failures.into_iter().partition(|v| procedures.insert(cfg.vertices[*v].proc));
        elsewhere.extend(more);
        elsewhere
    }

    pub(crate) fn trace_to(
        &mut self,
        goals: &IndexVec<VertexId, bool>,
        max_steps: usize,
        max_flat_steps: usize,
    ) -> Result<Option<Trace>, Stopped> {
        if !goals.iter_enumerated().any(|(v, goal)| *goal && self.is_reached(v)) {
            return Ok(None);
        }
        Tracer::new(&mut self.edges).trace(goals, max_steps, max_flat_steps)
    }

    fn current(&mut self, vertex: VertexId) -> E::Bdd {
        let proc = self.edges.machine.cfg.vertices[vertex].proc;
        let entry: Vec<Var> = self.edges.machine.space.all().map(Slot::entry).collect();
        let set = self.edges.machine.engine.var_set(&entry);
        let current = {
            let all = self.edges.at(vertex);
            self.edges.machine.engine.exists(&all, set)
        };
        self.hide_results(proc, &current)
    }

    fn hide_results(&mut self, proc: ProcId, set: &E::Bdd) -> E::Bdd {
        let machine = &mut self.edges.machine;
        let results: Vec<Var> = machine.space.results(proc).map(Slot::current).collect();
        let hidden = machine.engine.var_set(&results);
        machine.engine.exists(set, hidden)
    }

    /// The variable in each slot of a procedure.
    fn names(&self, proc: ProcId) -> FxHashMap<Slot, VarId> {
        let machine = &self.edges.machine;
        machine.cfg.scope(proc).map(|v| (machine.space.slot(v), v)).collect()
    }
}

/// Literals in the order of declarations, and cubes by their literals, whatever the order of diagram variables.
fn in_order<V: Ord>(cubes: impl Iterator<Item = Vec<(V, bool)>>) -> Vec<Vec<(V, bool)>> {
    let mut cubes: Vec<Vec<(V, bool)>> = cubes.collect();
    cubes.iter_mut().for_each(|cube| cube.sort_unstable());
    cubes.sort_unstable();
    cubes
}
