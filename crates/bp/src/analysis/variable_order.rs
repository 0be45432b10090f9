//! A static order of variables by affinity: what occurs together in a statement should stand together in the
//! order of diagram variables. Nodes are the program's variables and the returned values of its procedures; arguments
//! and results tie callers to callees, so one line of all nodes orders every scope, and globals alike in all of them.
//!
//! The start is the order of first occurrence, so that declarations play no part; then each node moves to the
//! centre of the groups it is in, as long as that makes the groups shorter \[AMS03\].

use crate::cfg::{Cfg, Op, ProcId, VarId};
use crate::expr::{BinOp, Expr};
use base::{Id, IndexVec};
use std::collections::BTreeMap;

/// Nodes that occur together, and how often.
type Groups = Vec<(Vec<u32>, f64)>;

/// Most rounds of moving.
const ROUNDS: usize = 60;
/// It ends after this many rounds without a better order.
const PATIENCE: usize = 6;
/// More occurrences of one group than these do not count.
const MOST_COUNTED: u32 = 4;

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
        improve(&mut order.places, &merged(collected));
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

    /// What is set from the same variable at once.
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

fn literal(e: &Expr<VarId>) -> Option<u32> {
    match e {
        Expr::Var(v) | Expr::Next(v) => Some(v.index() as u32),
        Expr::Not(a) => literal(a),
        _ => None,
    }
}

/// Places by first occurrence; what occurs nowhere comes last.
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
