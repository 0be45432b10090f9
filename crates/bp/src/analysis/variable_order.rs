//! A static order of variables by affinity: variables that occur together in a statement should stand together
//! in the order of diagram variables. Nodes are the program's variables and the returned values of its
//! procedures; arguments and results tie callers to callees, so one line of all nodes orders every scope, and
//! globals alike in all of them.
//!
//! The start is the order of first occurrence, so that declarations play no part; then each node moves to the
//! centre of the groups it is in, as long as that makes the groups shorter \[AMS03\], and at last single nodes to their best places.

use crate::cfg::{Cfg, EdgeId, Op, ProcId, VarId, VertexId};
use crate::expr::{BinOp, Expr};
use base::{Id, IndexVec};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that occur together, and how often.
type Groups = Vec<(Vec<u32>, f64)>;

/// Most rounds of moving.
const ROUNDS: usize = 60;
/// It ends after this many rounds without a better order.
const PATIENCE: usize = 6;
/// At most this many occurrences of one group count.
const MOST_COUNTED: u32 = 4;
/// Most variables of two consecutive edges that make a group.
const MOST_NEIGHBOURS: usize = 4;
/// Most vertices between such edges.
const MOST_STEPS: usize = 16;
/// Scopes with at most this many variables have small diagrams in any order.
const SMALL_SCOPE: usize = 8;
/// Most groups measured to move single nodes.
const SIFTING: usize = 500_000;
/// How far such a node moves at most.
const WINDOW: usize = 256;
/// The least decrease in length that counts as shorter.
const LEAST: f64 = 1e-9;
/// The weight of two consecutive edges, relative to a statement.
const NEIGHBOUR: f64 = 0.5;
/// The weight of a procedure that mentions few variables, relative to a statement.
const PROCEDURE: f64 = 2.0;

/// A place on the line for every variable and returned value: no two have the same.
pub struct VariableOrder {
    places: Vec<u32>,
    first_result: IndexVec<ProcId, usize>,
}

impl VariableOrder {
    /// The line of a program's variables.
    pub fn new(cfg: &Cfg) -> VariableOrder {
        let mut nodes = cfg.vars.len();
        let mut first_result = IndexVec::new();
        for proc in &cfg.procs {
            first_result.push(nodes);
            nodes += proc.returns;
        }
        let mut order = VariableOrder { places: vec![], first_result };
        let collected = Collector::collect(cfg, &order);
        order.places = first_occurrence(nodes, &collected);
        let mut groups = merged(collected);
        let is_small = cfg.procs.ids().all(|proc| cfg.scope(proc).count() <= SMALL_SCOPE);
        if !is_small {
            groups.extend(neighbours(cfg));
            groups.extend(procedures(cfg));
        }
        improve(&mut order.places, &groups);
        if !is_small {
            let mut is_global = vec![false; nodes];
            cfg.globals.iter().for_each(|g| is_global[g.index()] = true);
            sift(&mut order.places, &groups, &is_global);
        }
        order
    }

    /// The place of a variable.
    pub fn var(&self, var: VarId) -> u32 {
        self.places[var.index()]
    }

    /// The place of the value with this number that the procedure returns.
    pub fn result(&self, proc: ProcId, k: usize) -> u32 {
        self.places[self.first_result[proc] + k]
    }
}

/// Groups in the order of the text.
struct Collector<'o> {
    order: &'o VariableOrder,
    groups: Vec<Vec<u32>>,
}

impl Collector<'_> {
    fn collect(cfg: &Cfg, order: &VariableOrder) -> Vec<Vec<u32>> {
        let mut collector = Collector { order, groups: vec![] };
        for (id, proc) in cfg.procs.iter_enumerated() {
            for vertex in proc.vertices() {
                for edge in &cfg.vertices[vertex].out {
                    collector.op(cfg, id, &cfg.edges[*edge].op);
                }
            }
            if let Some(enforce) = &proc.enforce {
                collector.condition(enforce);
            }
        }
        collector.groups
    }

    fn op(&mut self, cfg: &Cfg, proc: ProcId, op: &Op) {
        match op {
            Op::Skip => {}
            Op::Assume { cond, constrain, .. } => {
                self.condition(cond);
                constrain.iter().for_each(|e| self.condition(e));
            }
            Op::Assign { targets, values, constrain } => {
                for (target, value) in targets.iter().zip(values) {
                    self.tied(target.index(), value);
                }
                self.readers(targets, values);
                constrain.iter().for_each(|e| self.condition(e));
            }
            Op::Call { callee, args, results, constrain } => {
                for (formal, arg) in cfg.procs[*callee].formals.iter().zip(args) {
                    self.tied(formal.index(), arg);
                }
                for (k, target) in results.iter().enumerate() {
                    if let Some(target) = target {
                        let result = self.order.first_result[*callee] + k;
                        self.groups.push(vec![result as u32, target.index() as u32]);
                    }
                }
                constrain.iter().for_each(|e| self.condition(e));
            }
            Op::Return(values) => {
                for (k, value) in values.iter().enumerate() {
                    self.tied(self.order.first_result[proc] + k, value);
                }
            }
        }
    }

    /// A value that becomes that of a node.
    fn tied(&mut self, node: usize, value: &Expr<VarId>) {
        let mut group = vec![node as u32];
        value.for_each_var(&mut |v, _| group.push(v.index() as u32));
        self.groups.push(group);
    }

    /// Groups the targets that are set from the same variable at once.
    fn readers(&mut self, targets: &[VarId], values: &[Expr<VarId>]) {
        if targets.len() < 2 {
            return;
        }
        let mut readers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (target, value) in targets.iter().zip(values) {
            value.for_each_var(&mut |v, _| {
                readers.entry(v.index() as u32).or_default().push(target.index() as u32)
            });
        }
        self.groups.extend(readers.into_values().filter(|list| list.len() > 1));
    }

    /// Parts of conjunctions and disjunctions each make a group; literals side by side make one together.
    fn condition(&mut self, e: &Expr<VarId>) {
        let mut literals = vec![];
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match e {
                Expr::And(es) | Expr::Or(es) => {
                    let mut own = vec![];
                    for e in es {
                        match literal(e) {
                            Some(v) => own.push(v),
                            None => stack.push(e),
                        }
                    }
                    self.groups.push(own);
                }
                Expr::Not(a) => stack.push(a),
                Expr::Binary(BinOp::Implies, a, b) => {
                    // Kept together, however large: the sides depend on each other.
                    let mut group = vec![];
                    a.for_each_var(&mut |v, _| group.push(v.index() as u32));
                    b.for_each_var(&mut |v, _| group.push(v.index() as u32));
                    self.groups.push(group);
                }
                e => e.for_each_var(&mut |v, _| literals.push(v.index() as u32)),
            }
            self.groups.push(std::mem::take(&mut literals));
        }
    }
}

/// Variables of edges of which the second follows the first, with nothing between that mentions a variable, as weak groups:
/// what is tested and set side by side often depends on one another though no statement says so, as do the two variables of a
/// process that is "started" and "has run". A procedure that mentions few variables says more about them than one that sets all.
fn neighbours(cfg: &Cfg) -> Groups {
    let mentioned: IndexVec<EdgeId, Vec<u32>> = cfg.edges.iter().map(|edge| mentions(&edge.op)).collect();
    let mut weights: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
    let mut seen = vec![None; cfg.vertices.len()];
    for proc in &cfg.procs {
        let edges = || proc.vertices().flat_map(|vertex| cfg.vertices[vertex].out.iter().copied());
        let all: BTreeSet<u32> = edges().flat_map(|edge| mentioned[edge].iter().copied()).collect();
        let mut found = BTreeSet::new();
        for first in edges() {
            let vars = &mentioned[first];
            if vars.is_empty() || vars.len() >= MOST_NEIGHBOURS {
                continue;
            }
            let mut stack: SmallVec<[VertexId; 4]> = smallvec![cfg.edges[first].to];
            let mut steps = 0;
            while let Some(vertex) = stack.pop() {
                if seen[vertex.index()].replace(first) == Some(first) || steps == MOST_STEPS {
                    continue;
                }
                steps += 1;
                for next in &cfg.vertices[vertex].out {
                    if mentioned[*next].is_empty() {
                        stack.push(cfg.edges[*next].to);
                        continue;
                    }
                    let group: BTreeSet<u32> = vars.iter().chain(&mentioned[*next]).copied().collect();
                    if group.len() > 1 && group.len() <= MOST_NEIGHBOURS {
                        found.insert(group);
                    }
                }
            }
        }
        for group in found {
            let weight = NEIGHBOUR / ((group.len() - 1) * (all.len() - 1)) as f64;
            *weights.entry(group.into_iter().collect()).or_default() += weight;
        }
    }
    weights.into_iter().collect()
}

/// The variables of procedures that mention few, but for those of statements about many: such a procedure is the step of one
/// process, mostly, and what it mentions the state of that.
fn procedures(cfg: &Cfg) -> Groups {
    let mut groups = vec![];
    for proc in &cfg.procs {
        let edges = proc.vertices().flat_map(|vertex| cfg.vertices[vertex].out.iter().copied());
        let mentioned =
            edges.map(|edge| mentions(&cfg.edges[edge].op)).filter(|vars| vars.len() <= MOST_NEIGHBOURS);
        let all: BTreeSet<u32> = mentioned.flatten().collect();
        if 1 < all.len() && all.len() <= SMALL_SCOPE {
            let weight = PROCEDURE / (all.len() - 1) as f64;
            groups.push((all.into_iter().collect(), weight));
        }
    }
    groups
}

/// The variables that the operation mentions.
fn mentions(op: &Op) -> Vec<u32> {
    let mut found = vec![];
    let mut add = |v: &VarId| found.push(v.index() as u32);
    match op {
        Op::Skip => {}
        Op::Assume { cond, constrain, .. } => {
            cond.for_each_var(&mut |v, _| add(v));
            constrain.iter().for_each(|e| e.for_each_var(&mut |v, _| add(v)));
        }
        Op::Assign { targets, values, constrain } => {
            targets.iter().for_each(&mut add);
            values.iter().for_each(|e| e.for_each_var(&mut |v, _| add(v)));
            constrain.iter().for_each(|e| e.for_each_var(&mut |v, _| add(v)));
        }
        Op::Call { args, results, constrain, .. } => {
            args.iter().for_each(|e| e.for_each_var(&mut |v, _| add(v)));
            results.iter().flatten().for_each(&mut add);
            constrain.iter().for_each(|e| e.for_each_var(&mut |v, _| add(v)));
        }
        Op::Return(values) => values.iter().for_each(|e| e.for_each_var(&mut |v, _| add(v))),
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn literal(e: &Expr<VarId>) -> Option<u32> {
    match e {
        Expr::Var(v) | Expr::Next(v) => Some(v.index() as u32),
        Expr::Not(a) => literal(a),
        _ => None,
    }
}

/// Places by first occurrence; nodes that occur nowhere come last.
fn first_occurrence(nodes: usize, groups: &[Vec<u32>]) -> Vec<u32> {
    let mut places = vec![u32::MAX; nodes];
    let mut next = 0;
    for node in groups.iter().flatten().copied().chain(0..nodes as u32) {
        let place = &mut places[node as usize];
        if *place == u32::MAX {
            *place = next;
            next += 1;
        }
    }
    places
}

/// Equal groups made one; small groups and frequent ones weigh more.
fn merged(groups: Vec<Vec<u32>>) -> Groups {
    let mut counts: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for mut group in groups {
        group.sort_unstable();
        group.dedup();
        if group.len() > 1 {
            *counts.entry(group).or_default() += 1;
        }
    }
    let weight = |group: &[u32], count: u32| f64::from(count.min(MOST_COUNTED)) / (group.len() - 1) as f64;
    counts.into_iter().map(|(group, count)| (weight(&group, count), group)).map(|(w, g)| (g, w)).collect()
}

/// Moves nodes to the centre of their groups; keeps the places in which the groups are shortest.
fn improve(places: &mut Vec<u32>, groups: &Groups) {
    let length = |places: &[u32]| -> f64 {
        let one = |(group, weight): &(Vec<u32>, f64)| {
            let of = |node: &u32| places[*node as usize];
            let (low, high) = (group.iter().map(of).min(), group.iter().map(of).max());
            weight * f64::from(high.unwrap_or(0) - low.unwrap_or(0))
        };
        groups.iter().map(one).sum()
    };
    let mut best = length(places);
    let mut now = places.clone();
    let mut waited = 0;
    for _ in 0..ROUNDS {
        let mut pulls = vec![(0.0, 0.0); now.len()];
        for (group, weight) in groups {
            let sum: f64 = group.iter().map(|node| f64::from(now[*node as usize])).sum();
            let centre = sum / group.len() as f64;
            for node in group {
                let (pull, weights) = &mut pulls[*node as usize];
                *pull += weight * centre;
                *weights += weight;
            }
        }
        let target = |node: usize| match pulls[node] {
            (_, 0.0) => f64::from(now[node]),
            (pull, weights) => pull / weights,
        };
        let mut nodes: Vec<(f64, u32, usize)> = (0..now.len()).map(|n| (target(n), now[n], n)).collect();
        nodes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (place, (_, _, node)) in nodes.into_iter().enumerate() {
            now[node] = place as u32;
        }
        let length = length(&now);
        waited += 1;
        if length < best {
            best = length;
            places.clone_from(&now);
            waited = 0;
        }
        if waited == PATIENCE {
            break;
        }
    }
}

/// Moves one node at a time to where the groups are shortest, as long as that makes them shorter. The centre of a node's groups
/// is not always its best place: two chains side by side that should be woven into one are no better for a move to a centre.
/// What is local stays between the same globals: procedures whose locals stand in different gaps need more diagram variables.
fn sift(places: &mut [u32], groups: &Groups, is_global: &[bool]) {
    let mut sifter = Sifter { groups, is_global, member_of: vec![vec![]; places.len()], left: SIFTING };
    for (g, (group, _)) in groups.iter().enumerate() {
        group.iter().for_each(|node| sifter.member_of[*node as usize].push(g));
    }
    let mut line = vec![0; places.len()];
    places.iter().enumerate().for_each(|(node, place)| line[*place as usize] = node);
    for _ in 0..ROUNDS {
        let mut moved = false;
        for node in 0..places.len() {
            let from = places[node] as usize;
            let Some(to) = sifter.best_place(node, &line, places) else { return };
            match to.cmp(&from) {
                Ordering::Less => line[to..=from].rotate_right(1),
                Ordering::Greater => line[from..=to].rotate_left(1),
                Ordering::Equal => continue,
            }
            moved = true;
            (to.min(from)..=to.max(from)).for_each(|place| places[line[place]] = place as u32);
        }
        if !moved {
            return;
        }
    }
}

struct Sifter<'g> {
    groups: &'g Groups,
    is_global: &'g [bool],
    /// The groups of each node.
    member_of: Vec<Vec<usize>>,
    /// The number of groups that may still be measured.
    left: usize,
}

impl Sifter<'_> {
    /// The place for a node, at most [`WINDOW`] away, at which the groups are shortest; `None` when too many have been measured.
    /// A step past a neighbour changes the groups of the two alone.
    fn best_place(&mut self, node: usize, line: &[usize], places: &[u32]) -> Option<usize> {
        let from = places[node] as usize;
        let mut best = (0.0, from);
        if self.member_of[node].is_empty() {
            return Some(from);
        }
        let last = line.len().min(from + WINDOW + 1);
        let forward = (from + 1..last).map(|to| (to, to - 1));
        let backward = (from.saturating_sub(WINDOW)..from).rev().map(|to| (to, to + 1));
        for way in
            [&mut backward.into_iter() as &mut dyn Iterator<Item = (usize, usize)>, &mut forward.into_iter()]
        {
            let mut change = 0.0;
            for (to, before) in way {
                if self.is_global[line[to]] && !self.is_global[node] {
                    break;
                }
                let (own, passed) = (&self.member_of[node], &self.member_of[line[to]]);
                self.left = self.left.checked_sub(own.len() + passed.len())?;
                let both = own.iter().chain(passed.iter().filter(|g| !own.contains(g)));
                change += both
                    .map(|g| self.length(*g, places, (node, to)) - self.length(*g, places, (node, before)))
                    .sum::<f64>();
                if change < best.0 - LEAST {
                    best = (change, to);
                }
            }
        }
        Some(best.1)
    }

    /// The length of a group when the node stands at another place, and those that it passed have moved up.
    fn length(&self, group: usize, places: &[u32], (moved, to): (usize, usize)) -> f64 {
        let (group, weight) = &self.groups[group];
        let (from, to) = (places[moved], to as u32);
        let at = |node: &u32| match places[*node as usize] {
            place if place == from => to,
            place if from < place && place <= to => place - 1,
            place if to <= place && place < from => place + 1,
            place => place,
        };
        let (low, high) = (group.iter().map(at).min(), group.iter().map(at).max());
        weight * f64::from(high.unwrap_or(0) - low.unwrap_or(0))
    }
}
