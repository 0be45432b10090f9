//! The points-to solver: sets of places flow along edges between nodes until nothing changes.
//!
//! A node stands for the values stored at a place or the values of an expression. Rules watch a node: a dereference,
//! address arithmetic, an indirect call. In the one-level flow of \[Das00\] values flow directionally between
//! variables, while all that one dereference can reach shares one node: unification below the top level; that
//! keeps the number of nodes with large sets small. With [`AliasMode::Andersen`] each place keeps its own. With
//! [`AliasMode::None`] there is one node for all places, so that everything whose address is taken may alias.
//!
//! Undefined functions: everything that flows into an *escaping* node is reachable for them, and so is
//! everything stored there; in their stead every place of an escaped object may hold the external place, which
//! means "any escaped object". An address turned into an integer is *exposed*; as soon as the program
//! dereferences an unknown pointer at all, exposed objects count as escaped.
//!
//! DIVERGENCE from \[Das00\]: types are unified per dereference instead of per assignment, which is finer and as sound,
//! and the analysis is field-sensitive (see `places`).

pub(crate) mod block_operations;
pub(crate) mod outside;
mod rules;

pub use block_operations::BlockCell;

use super::oracle::{AliasMode, Object};
use super::places::{ObjId, PlaceId, Places};
use super::reasons::Escape;
use base::{IndexVec, UnionFind};
use ir::expr::Access;
use ir::program::{EdgeId, ProcId, Program, VarId};
use ir::types::Type;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

base::define_id!(
    /// A set of places in the solver.
    pub(super) NodeId, "n"
);
base::define_id!(
    /// A dereference of the program.
    pub(super) AccessId, "x"
);
base::define_id!(
    /// A call of the program.
    pub(super) SiteId, "s"
);
base::define_id!(
    /// A rule.
    RuleId, "u"
);

/// A rule that is applied to each place that a node gets.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// The place is dereferenced.
    Deref(AccessId),
    /// The address of a path from there flows to the node.
    Address(Type, Vec<Access>, NodeId),
    /// The pointer moves by a number of elements of the type; `None` is any.
    Shift(Type, Option<i64>, NodeId),
    /// The pointer becomes one to any byte of the object.
    Wild(NodeId),
    /// The place is called.
    Call(SiteId),
}

/// All dereferences of one form: a path from what a pointer points to, at one type.
#[derive(Clone, Debug)]
pub(super) struct DerefAccess {
    /// Values of the pointer.
    pub(super) pointer: NodeId,
    /// Its pointee type.
    pub(super) pointee: Type,
    /// Steps from there; indices are immaterial.
    pub(super) path: Vec<Access>,
    /// Type of the location.
    pub(super) ty: Type,
    /// Values read.
    pub(super) out: NodeId,
    /// Values written.
    pub(super) input: NodeId,
    /// Whether the program reads it.
    pub(super) read: bool,
    /// Whether the program writes it.
    pub(super) written: bool,
    /// The first edge that has it.
    pub(super) at: (ProcId, EdgeId),
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// Its edge.
    pub(super) at: (ProcId, EdgeId),
    /// Values of the arguments.
    pub(super) args: Vec<Option<NodeId>>,
    /// The node to which the result flows.
    pub(super) dest: Option<NodeId>,
    /// Known callees so far, sorted.
    pub(super) callees: Vec<ProcId>,
    /// Unknown procedures may be called.
    pub(super) unknown: bool,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Node {
    pub(super) all: Vec<PlaceId>,
    seen: FxHashSet<PlaceId>,
    done: usize,
    succs: Vec<NodeId>,
    rules: Vec<RuleId>,
    queued: bool,
    pub(super) escaping: Option<Escape>,
    pub(super) exposing: bool,
    stored: bool,
}

/// The state of the analysis.
#[derive(Clone, Debug)]
pub(super) struct Solver<'a> {
    pub(super) program: &'a Program,
    mode: AliasMode,
    pub(super) places: Places,
    pub(super) nodes: IndexVec<NodeId, Node>,
    merged: UnionFind<NodeId>,
    rules: IndexVec<RuleId, Rule>,
    pub(super) accesses: IndexVec<AccessId, DerefAccess>,
    pub(super) sites: IndexVec<SiteId, Site>,
    queue: VecDeque<NodeId>,
    late: VecDeque<(RuleId, PlaceId)>,
    pub(super) escapes: Vec<ObjId>,
    flows: FxHashSet<(NodeId, NodeId)>,
    /// Number of times that a set has grown or two became one.
    added: usize,
    universe: Option<NodeId>,
    /// The places that numbers which become pointers lead to.
    numbers: Option<NodeId>,
    /// An unknown pointer is dereferenced.
    pub(super) unknown_deref: bool,
    /// An unknown pointer is written through.
    pub(super) unknown_write: bool,
}

/// The solution: sets and where they were merged to.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// Places of each node, sorted, as they were found (see [`Places::canon`]).
    pub(super) sets: IndexVec<NodeId, Vec<PlaceId>>,
    merged: UnionFind<NodeId>,
    /// The places that numbers which become pointers lead to, sorted.
    pub(super) numbers: Vec<PlaceId>,
    /// Nodes that hold values of storage, that are dereferenced or that escape: their targets have their address
    /// taken.
    pub(super) takers: Vec<NodeId>,
}

impl Solution {
    /// The set of the node.
    pub(super) fn set(&self, node: NodeId) -> &[PlaceId] {
        &self.sets[self.merged.root(node)]
    }
}

impl<'a> Solver<'a> {
    /// A solver without constraints.
    pub(super) fn new(program: &'a Program, mode: AliasMode) -> Solver<'a> {
        let mut solver = Solver {
            program,
            mode,
            places: Places::new(program.records.clone(), program.model),
            nodes: IndexVec::new(),
            merged: UnionFind::default(),
            rules: IndexVec::new(),
            accesses: IndexVec::new(),
            sites: IndexVec::new(),
            queue: VecDeque::new(),
            late: VecDeque::new(),
            escapes: vec![],
            flows: FxHashSet::default(),
            added: 0,
            universe: None,
            numbers: None,
            unknown_deref: false,
            unknown_write: false,
        };
        if mode == AliasMode::None {
            solver.universe = Some(solver.node());
        }
        let external = solver.places.external();
        solver.value(external);
        solver
    }

    /// A new node.
    pub(super) fn node(&mut self) -> NodeId {
        self.merged.push();
        self.nodes.push(Node::default())
    }

    /// The node of what a number may lead to that becomes a pointer: exposed objects, and what has escaped.
    pub(super) fn numbers(&mut self) -> NodeId {
        match self.numbers {
            Some(node) => node,
            None => {
                let node = self.node();
                self.numbers = Some(node);
                node
            }
        }
    }

    /// The node of the values stored at the place.
    pub(super) fn value(&mut self, place: PlaceId) -> NodeId {
        let place = self.places.canon(place);
        if let Some(value) = self.places.places[place].value {
            return value;
        }
        let value = match self.universe {
            Some(universe) if place != self.places.external() => universe,
            _ => self.node(),
        };
        self.nodes[value].stored = true;
        self.places.places[place].value = Some(value);
        if self.places.object_of(place).escaped {
            let external = self.places.external();
            self.add(value, external);
            self.escape(value, Escape::Held(self.places.object_of(place).what));
        }
        value
    }

    /// The root place of a variable.
    pub(super) fn var(&mut self, v: VarId) -> PlaceId {
        let var = &self.program.vars[v];
        let obj = self.places.object(Object::Var(v), Some(var.ty.clone()), None);
        self.places.objs[obj].root
    }

    /// Adds a place to the node's set.
    pub(super) fn add(&mut self, node: NodeId, place: PlaceId) {
        let place = self.places.spot(place);
        let node = self.merged.find(node);
        let data = &mut self.nodes[node];
        if !data.seen.insert(place) {
            return;
        }
        data.all.push(place);
        self.added += 1;
        if !data.queued {
            data.queued = true;
            self.queue.push_back(node);
        }
        let (escaping, exposing) = (data.escaping, data.exposing);
        if let Some(why) = escaping {
            self.escape_object(place, why);
        } else if exposing {
            self.expose_object(place);
        }
    }

    /// Lets all of `from` flow to `to`; true when that is new.
    pub(super) fn flow(&mut self, from: NodeId, to: NodeId) -> bool {
        let (from, to) = (self.merged.find(from), self.merged.find(to));
        if from == to || !self.flows.insert((from, to)) {
            return false;
        }
        self.nodes[from].succs.push(to);
        for i in 0..self.nodes[from].all.len() {
            let place = self.nodes[from].all[i];
            self.add(to, place);
        }
        true
    }

    /// Lets the rule watch the node.
    pub(super) fn watch(&mut self, node: NodeId, rule: Rule) {
        let node = self.merged.find(node);
        let rule = self.rules.push(rule);
        let data = &mut self.nodes[node];
        data.rules.push(rule);
        self.late.extend(data.all[..data.done].iter().map(|place| (rule, *place)));
    }

    /// Makes two nodes one.
    fn unite(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.merged.find(a), self.merged.find(b));
        if a == b {
            return;
        }
        let (a, b) = if self.nodes[a].all.len() < self.nodes[b].all.len() { (b, a) } else { (a, b) };
        let old = std::mem::take(&mut self.nodes[b]);
        self.added += 1;
        self.merged.merge(b, a);
        let kept = &mut self.nodes[a];
        kept.stored |= old.stored;
        let applied: FxHashSet<PlaceId> = old.all[..old.done].iter().copied().collect();
        for rule in &old.rules {
            let missed = kept.all[..kept.done].iter().filter(|p| !applied.contains(p));
            self.late.extend(missed.map(|place| (*rule, *place)));
        }
        kept.rules.extend(old.rules);
        for place in old.all {
            self.add(a, place);
        }
        for succ in old.succs {
            self.flow(a, succ);
        }
        if let Some(why) = old.escaping {
            self.escape(a, why);
        }
        if old.exposing {
            self.expose(a);
        }
    }

    /// Follows up what happened to the places.
    pub(super) fn settle(&mut self) {
        while let Some((a, b)) = self.places.merges.pop() {
            self.unite(a, b);
        }
    }

    /// Has every rule applied again to everything that is known: what it did before, it did in the layouts of that
    /// time.
    pub(super) fn again(&mut self) {
        for node in self.nodes.ids() {
            let data = &mut self.nodes[node];
            data.done = 0;
            if !data.all.is_empty() && !std::mem::replace(&mut data.queued, true) {
                self.queue.push_back(node);
            }
        }
    }

    /// Runs to the fixpoint.
    pub(super) fn run(&mut self) {
        self.settle();
        loop {
            if let Some((rule, place)) = self.late.pop_front() {
                self.apply(rule, place);
            } else if let Some(obj) = self.escapes.pop() {
                self.follow_escape(obj);
            } else if let Some(node) = self.queue.pop_front() {
                self.process(node);
            } else {
                return;
            }
        }
    }

    /// The places of a node at present.
    pub(super) fn current(&mut self, node: NodeId) -> Vec<PlaceId> {
        let node = self.merged.find(node);
        self.nodes[node].all.clone()
    }

    /// Makes the place a blob, with what follows from it.
    pub(super) fn make_blob(&mut self, place: PlaceId) {
        self.places.make_blob(place);
        self.settle();
    }

    /// Numbers one of which grows whenever anything changes.
    pub(super) fn progress(&self) -> [usize; 5] {
        [self.places.places.len(), self.places.changes, self.merged.len(), self.flows.len(), self.added]
    }

    /// Whether nothing waits to be done.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.late.is_empty() && self.escapes.is_empty()
    }

    /// The solution.
    pub(super) fn finish(
        mut self,
    ) -> (Places, IndexVec<AccessId, DerefAccess>, IndexVec<SiteId, Site>, Solution) {
        // Questions about what the program does not contain end at some byte of a known object.
        for v in self.program.vars.ids() {
            self.var(v);
        }
        for obj in self.places.objs.ids() {
            self.places.wild(self.places.objs[obj].root);
        }
        let mut takers: Vec<NodeId> = vec![];
        for (id, node) in self.nodes.iter_enumerated() {
            let dereferenced = node.rules.iter().any(|r| matches!(self.rules[*r], Rule::Deref(_)));
            if self.merged.root(id) == id
                && (node.stored || node.escaping.is_some() || node.exposing || dereferenced)
            {
                takers.push(id);
            }
        }
        let numbers = self.numbers();
        let sets: IndexVec<NodeId, Vec<PlaceId>> = self
            .nodes
            .iter()
            .map(|node| {
                let mut all: Vec<PlaceId> = node.all.iter().map(|p| self.places.spot(*p)).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        let numbers = sets[self.merged.root(numbers)].clone();
        let solution = Solution { sets, merged: self.merged, numbers, takers };
        (self.places, self.accesses, self.sites, solution)
    }
}
