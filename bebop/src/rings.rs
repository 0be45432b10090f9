//! Breadth-first layers ("rings") over the states found, and paths read off them backwards
//! [BR-SPIN00 §3.2]. A summary is one step, so the path is a shortest hierarchical one.
//!
//! DIVERGENCE: the paper keeps rings of path edges; here they are of states. A path into procedures that do not
//! return never needs their entry values again, and a path through one procedure starts in one given state.
//! DIVERGENCE: the paper expands a summary step by the same rings, where the shortest path to an exit may use
//! the very summary it is to explain. Here the path inside a call uses only summaries that were found before.

use crate::Stopped;
use crate::machine::{CallStep, Transfer};
use crate::path_edges::PathEdges;
use crate::space::Slot;
use crate::summary_edges::Summaries;
use base::IndexVec;
use bdd::{Cube, Engine, LayeredUnion};
use bp::{EdgeId, Op, VertexId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A state: a value for every slot.
pub(crate) type State = Vec<bool>;

/// Where a search starts and what it may do.
pub(crate) struct Start<B> {
    pub(crate) vertex: VertexId,
    pub(crate) states: B,
    /// Whether it goes into calls; else only over them.
    pub(crate) enters: bool,
    /// It uses summaries logged before this number.
    pub(crate) before: u64,
}

/// What a search looks for.
pub(crate) enum Goal<'g, B> {
    /// Any of these vertices.
    Any(&'g IndexVec<VertexId, bool>),
    /// These states at this vertex.
    Exactly(VertexId, B),
    /// A state from which this call leads to that state of the callee.
    Entering(EdgeId, &'g State),
}

/// A point of a path: the state there, as far as it is live, and the edge by which the path goes on.
pub(crate) struct Hop {
    pub(crate) vertex: VertexId,
    pub(crate) guide: State,
    pub(crate) edge: Option<EdgeId>,
    /// Whether the path goes into the call.
    pub(crate) enters: bool,
}

/// New states at a vertex, by ring.
type Layers<B> = Vec<(u32, B)>;

/// What a search has found so far.
pub(crate) struct Search<B> {
    start: Start<B>,
    layers: BTreeMap<VertexId, Layers<B>>,
    seen: BTreeMap<VertexId, LayeredUnion<B>>,
    /// The last ring; `None` before the first.
    frontier: Option<BTreeMap<VertexId, B>>,
    ring: u32,
    /// Whether several paths will be read off.
    pub(crate) again: bool,
    /// How paths read off before reached the points on them: paths to several goals mostly begin alike.
    ways: FxHashMap<(u32, VertexId, State), Rc<Hop>>,
}

impl<B> Search<B> {
    pub(crate) fn new(start: Start<B>) -> Self {
        Search {
            start,
            layers: BTreeMap::new(),
            seen: BTreeMap::new(),
            frontier: None,
            ring: 0,
            again: false,
            ways: FxHashMap::default(),
        }
    }
}

/// A search at work. It may be asked for several goals and goes on where it was.
pub(crate) struct Rings<'r, 'a, E: Engine> {
    edges: &'r mut PathEdges<'a, E>,
    summaries: &'r mut Summaries<E::Bdd>,
    search: &'r mut Search<E::Bdd>,
}

impl<'r, 'a, E: Engine> Rings<'r, 'a, E> {
    pub(crate) fn new(
        edges: &'r mut PathEdges<'a, E>,
        summaries: &'r mut Summaries<E::Bdd>,
        search: &'r mut Search<E::Bdd>,
    ) -> Self {
        Rings { edges, summaries, search }
    }

    /// A shortest path to the goal, or `None`.
    pub(crate) fn path(&mut self, goal: &Goal<'_, E::Bdd>) -> Result<Option<Vec<Rc<Hop>>>, Stopped> {
        let mut frontier = match self.search.frontier.take() {
            Some(frontier) => {
                let met = self.met(goal);
                self.edges.machine.alive()?;
                if let Some((ring, vertex, found)) = met {
                    self.search.frontier = Some(frontier);
                    return self.read_back(vertex, &found, ring).map(Some);
                }
                frontier
            }
            None => {
                let (vertex, states) = (self.search.start.vertex, self.search.start.states.clone());
                let states = self.edges.machine.admit(vertex, &states);
                self.settle(BTreeMap::from([(vertex, states)]))
            }
        };
        loop {
            self.edges.machine.alive()?;
            let mut met = None;
            for (vertex, states) in &frontier {
                if let Some(found) = self.meets(goal, *vertex, states) {
                    met = Some((*vertex, found));
                    break;
                }
            }
            if met.is_some() || frontier.is_empty() {
                self.search.frontier = Some(frontier);
                let ring = self.search.ring;
                return met.map(|(vertex, found)| self.read_back(vertex, &found, ring)).transpose();
            }
            let next = self.advance(&frontier);
            self.search.ring += 1;
            frontier = self.settle(next);
        }
    }

    /// The first ring so far that meets the goal, and where.
    fn met(&mut self, goal: &Goal<'_, E::Bdd>) -> Option<(u32, VertexId, E::Bdd)> {
        let layers: Vec<(u32, VertexId, E::Bdd)> = match goal {
            Goal::Any(goals) => {
                let vertices = self.search.layers.iter().filter(|(v, _)| goals[**v]);
                vertices.flat_map(|(v, layers)| layers.first().map(|(r, b)| (*r, *v, b.clone()))).collect()
            }
            Goal::Exactly(at, _) => self.layers(*at),
            Goal::Entering(call, _) => self.layers(self.edges.machine.cfg.edges[*call].from),
        };
        let mut layers = layers;
        layers.sort_by_key(|(ring, vertex, _)| (*ring, *vertex));
        layers.into_iter().find_map(|(ring, vertex, states)| {
            self.meets(goal, vertex, &states).map(|found| (ring, vertex, found))
        })
    }

    /// The layers of a vertex, with their rings.
    fn layers(&self, at: VertexId) -> Vec<(u32, VertexId, E::Bdd)> {
        let layers = self.search.layers.get(&at).into_iter().flatten();
        layers.map(|(ring, states)| (*ring, at, states.clone())).collect()
    }

    fn meets(&mut self, goal: &Goal<'_, E::Bdd>, vertex: VertexId, states: &E::Bdd) -> Option<E::Bdd> {
        match goal {
            Goal::Any(goals) => goals[vertex].then(|| states.clone()),
            Goal::Exactly(at, wanted) if *at == vertex => {
                let both = self.edges.machine.engine.and(states, wanted);
                (!self.edges.machine.engine.is_zero(&both)).then_some(both)
            }
            Goal::Entering(call, inside) if self.edges.machine.cfg.edges[*call].from == vertex => {
                self.entering(*call, inside, states)
            }
            Goal::Exactly(..) | Goal::Entering(..) => None,
        }
    }

    /// Keeps what was not there before and records it as the last ring.
    fn settle(&mut self, frontier: BTreeMap<VertexId, E::Bdd>) -> BTreeMap<VertexId, E::Bdd> {
        let engine = &mut self.edges.machine.engine;
        let ring = self.search.ring;
        let mut out = BTreeMap::new();
        for (vertex, states) in frontier {
            let seen = self.search.seen.entry(vertex).or_default();
            let new = seen.news(engine, &states);
            if !engine.is_zero(&new) {
                seen.add(engine, &new, ());
                self.search.layers.entry(vertex).or_default().push((ring, new.clone()));
                out.insert(vertex, new);
            }
        }
        out
    }

    fn advance(&mut self, frontier: &BTreeMap<VertexId, E::Bdd>) -> BTreeMap<VertexId, E::Bdd> {
        let cfg = self.edges.machine.cfg;
        let mut next: BTreeMap<VertexId, E::Bdd> = BTreeMap::new();
        for (vertex, states) in frontier {
            for edge in &cfg.vertices[*vertex].out {
                let to = cfg.edges[*edge].to;
                match self.edges.machine.transfer(*edge) {
                    Transfer::Step(step) => {
                        let image = self.edges.machine.image(&step, states);
                        self.add(&mut next, to, &image);
                    }
                    Transfer::Call(call) => {
                        if self.search.start.enters {
                            let inside = self.edges.machine.enter(&call, states);
                            self.add(&mut next, cfg.procs[call.callee].entry, &inside);
                        }
                        let lifted =
                            self.summaries.lifted(self.edges, *edge, &call, self.search.start.before);
                        let image = self.edges.machine.leave(&call, &lifted, states);
                        self.add(&mut next, to, &image);
                    }
                }
            }
        }
        next
    }

    fn add(&mut self, next: &mut BTreeMap<VertexId, E::Bdd>, vertex: VertexId, states: &E::Bdd) {
        let states = self.edges.machine.admit(vertex, states);
        let engine = &mut self.edges.machine.engine;
        if !engine.is_zero(&states) {
            let zero = engine.constant(false);
            let entry = next.entry(vertex).or_insert(zero);
            *entry = engine.or(entry, &states);
        }
    }

    fn layer(&self, vertex: VertexId, ring: u32) -> Option<E::Bdd> {
        let layers = self.search.layers.get(&vertex)?;
        let i = layers.binary_search_by_key(&ring, |(r, _)| *r).ok()?;
        Some(layers[i].1.clone())
    }

    fn read_back(&mut self, vertex: VertexId, states: &E::Bdd, ring: u32) -> Result<Vec<Rc<Hop>>, Stopped> {
        let machine = &self.edges.machine;
        let cube = machine.found(machine.engine.witness(states), "states in a ring are not empty")?;
        let mut guide = vec![false; self.edges.machine.space.slots()];
        set_current(&mut guide, &cube);
        let mut after = Rc::new(Hop { vertex, guide, edge: None, enters: false });
        let mut hops = vec![after.clone()];
        for ring in (0..ring).rev() {
            let point = (ring, after.vertex, after.guide.clone());
            let before = match self.search.ways.get(&point) {
                Some(known) => known.clone(),
                None => {
                    let hop = self.hop_before(&after, ring);
                    let machine = &self.edges.machine;
                    let hop = machine.found(hop, "a state of a ring has a predecessor in the ring before")?;
                    let hop = Rc::new(hop);
                    if self.search.again {
                        self.search.ways.insert(point, hop.clone());
                    }
                    hop
                }
            };
            hops.push(before.clone());
            after = before;
        }
        hops.reverse();
        Ok(hops)
    }

    fn hop_before(&mut self, after: &Hop, ring: u32) -> Option<Hop> {
        let cfg = self.edges.machine.cfg;
        let proc = cfg.vertices[after.vertex].proc;
        for edge in &cfg.vertices[after.vertex].into {
            let from = cfg.edges[*edge].from;
            if let Some(layer) = self.layer(from, ring)
                && let Some(guide) = self.before_step(*edge, &after.guide, &layer)
            {
                return Some(Hop { vertex: from, guide, edge: Some(*edge), enters: false });
            }
        }
        if !self.search.start.enters || cfg.procs[proc].entry != after.vertex {
            return None;
        }
        for i in 0..self.edges.machine.mod_ref.callers[proc].len() {
            let edge = self.edges.machine.mod_ref.callers[proc][i];
            let from = cfg.edges[edge].from;
            if let Some(layer) = self.layer(from, ring)
                && let Some(guide) = self.before_entry(edge, &after.guide, &layer)
            {
                return Some(Hop { vertex: from, guide, edge: Some(edge), enters: true });
            }
        }
        None
    }

    /// A state of `layer` from which the edge leads to `after`.
    fn before_step(&mut self, edge: EdgeId, after: &State, layer: &E::Bdd) -> Option<State> {
        let machine = &mut self.edges.machine;
        let cfg = machine.cfg;
        let (from, to) = (cfg.edges[edge].from, cfg.edges[edge].to);
        let transfer = machine.transfer(edge);
        let proc = cfg.vertices[from].proc;
        let mut set: Vec<Slot> = match (&transfer, &cfg.edges[edge].op) {
            (Transfer::Call(call), _) => call.changed.iter().map(|v| machine.space.slot(*v)).collect(),
            (_, Op::Assign { targets, .. }) => targets.iter().map(|v| machine.space.slot(*v)).collect(),
            (_, Op::Return(_)) => machine.space.results(proc).collect(),
            _ => vec![],
        };
        set.sort_unstable();
        let mut fixed: Cube = vec![];
        for v in machine.tracked(proc).filter(|v| machine.is_live(to, *v)) {
            let slot = machine.space.slot(v);
            let var = if set.binary_search(&slot).is_ok() { slot.next() } else { slot.current() };
            fixed.push((var, after[slot.0]));
        }
        if let Op::Return(_) = cfg.edges[edge].op {
            fixed.extend(set.iter().map(|slot| (slot.next(), after[slot.0])));
        }
        match &transfer {
            Transfer::Step(step) if step.unread => self.witness_before(layer, &[], &fixed),
            Transfer::Step(step) => self.witness_before(layer, &step.relation, &fixed),
            Transfer::Call(call) => {
                let lifted = self.summaries.lifted(self.edges, edge, call, self.search.start.before);
                self.witness_before(layer, &[lifted], &fixed)
            }
        }
    }

    /// The states among these from which entering the call leads to `inside`, if there are some.
    fn entering(&mut self, edge: EdgeId, inside: &State, states: &E::Bdd) -> Option<E::Bdd> {
        let (call, fixed) = self.entered(edge, inside);
        let engine = &mut self.edges.machine.engine;
        let mut found = states.clone();
        for (var, value) in fixed.iter().filter(|(var, _)| Slot::of(*var).current() == *var) {
            let is = engine.var(*var);
            found = if *value { engine.and(&found, &is) } else { engine.and_not(&found, &is) };
        }
        for part in call.enter() {
            let part = engine.restrict(part, &fixed);
            found = engine.and(&found, &part);
        }
        (!engine.is_zero(&found)).then_some(found)
    }

    /// A state of `layer` from which entering the call leads to `inside`.
    fn before_entry(&mut self, edge: EdgeId, inside: &State, layer: &E::Bdd) -> Option<State> {
        let (call, fixed) = self.entered(edge, inside);
        self.witness_before(layer, call.enter(), &fixed)
    }

    /// A call, and what is known of the states around its beginning if it leads to `inside`.
    fn entered(&mut self, edge: EdgeId, inside: &State) -> (Rc<CallStep<E::Bdd>>, Cube) {
        let machine = &mut self.edges.machine;
        let cfg = machine.cfg;
        let Transfer::Call(call) = machine.transfer(edge) else { unreachable!("callers are call edges") };
        let entry = cfg.procs[call.callee].entry;
        let mut fixed: Cube = vec![];
        for v in &machine.mod_ref.procs[call.callee].globals {
            if machine.is_live(entry, *v) {
                let slot = machine.space.slot(*v);
                fixed.push((slot.current(), inside[slot.0]));
            }
        }
        for v in &cfg.procs[call.callee].formals {
            if machine.is_live(entry, *v) {
                let slot = machine.space.slot(*v);
                fixed.push((slot.next(), inside[slot.0]));
            }
        }
        (call, fixed)
    }

    fn witness_before(&mut self, layer: &E::Bdd, relation: &[E::Bdd], fixed: &Cube) -> Option<State> {
        let engine = &mut self.edges.machine.engine;
        let mut states = engine.restrict(layer, fixed);
        for part in relation {
            let part = engine.restrict(part, fixed);
            states = engine.and(&states, &part);
        }
        let cube = engine.witness(&states)?;
        let mut state = vec![false; self.edges.machine.space.slots()];
        set_current(&mut state, fixed);
        set_current(&mut state, &cube);
        Some(state)
    }
}

/// Sets the slots whose current value the cube fixes.
fn set_current(state: &mut State, cube: &Cube) {
    for (var, value) in cube {
        let slot = Slot::of(*var);
        if slot.current() == *var {
            state[slot.0] = *value;
        }
    }
}
