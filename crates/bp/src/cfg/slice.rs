//! Slices of a question about many variables, each about fewer: irrelevant variables are left out, and the
//! condition in front of a goal is split into its disjuncts, each of which is a question by itself.
//!
//! A slice has the vertices and edges of its graph, and a subset of its behaviour on the variables that matter.
//! A goal can be reached if and only if it can be reached in some slice, and the shortest trace to it in all
//! slices together is the shortest one of all. Variables that do not matter in a slice are neither read nor set
//! in it. A variable matters when a condition, a `constrain` or an `enforce` on a way to the goal reads it, or
//! when it is assigned to a variable that does.

use super::{Cfg, Edge, EdgeId, Op, ProcId, VarId, VertexId};
use crate::expr::{BinOp, Expr};
use base::IndexVec;
use std::collections::{BTreeMap, BTreeSet};

/// Most slices (goals, or disjuncts before one) of a question.
const MOST_SLICES: usize = 64;
/// Most edges of all slices together; they are in memory at once.
const MOST_EDGES: usize = 1_000_000;
/// Most edges followed backwards from a goal to the condition before it.
const MOST_STEPS: usize = 1000;

/// A part of a question.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The graph without what does not matter.
    pub cfg: Cfg,
    /// The goals that may be reached in it.
    pub goals: Vec<VertexId>,
    /// The variables that matter.
    pub variables: BTreeSet<VarId>,
}

/// The question whether one of the goals can be reached in parts, each about fewer variables than the graph has in some
/// scope; nothing when that is not likely to be less work than the question itself, taking it that the work doubles with
/// each variable.
pub fn slices(cfg: &Cfg, goals: &[VertexId]) -> Vec<Slice> {
    let too_many = |ways: &[Way]| ways.len() > MOST_SLICES || ways.len() * cfg.edges.len() > MOST_EDGES;
    let mut ways: Vec<Way> = goals.iter().flat_map(|goal| ways(cfg, *goal)).collect();
    if too_many(&ways) {
        ways = goals.iter().map(|goal| Way { goal: *goal, condition: None }).collect();
    }
    if too_many(&ways) {
        return vec![];
    }
    let mut parts: Vec<(Vec<Way>, BTreeSet<VarId>)> = vec![];
    let found = ways.into_iter().map(|way| {
        let matter = Part::new(cfg, std::slice::from_ref(&way)).matter();
        (vec![way], matter)
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(_, matter)| std::cmp::Reverse(matter.len()));
    for (way, matter) in found {
        match parts.iter_mut().find(|(_, more)| more.is_superset(&matter)) {
            Some((ways, _)) => ways.extend(way),
            None => parts.push((way, matter)),
        }
    }
    let most = parts.iter().map(|(_, matter)| broadest(cfg, |v| matter.contains(&v))).max();
    let doublings = parts.len().next_power_of_two().trailing_zeros() as usize;
    if most.is_none_or(|most| most + doublings >= broadest(cfg, |_| true)) {
        return vec![];
    }
    // The easiest part first.
    parts.reverse();
    parts.into_iter().map(|(ways, _)| Part::new(cfg, &ways).slice()).collect()
}

/// The most variables of a scope that have the property.
fn broadest(cfg: &Cfg, counts: impl Fn(VarId) -> bool) -> usize {
    cfg.procs.ids().map(|proc| cfg.scope(proc).filter(|v| counts(*v)).count()).max().unwrap_or(0)
}

/// The ways to a goal: those on which one disjunct holds.
#[derive(Clone)]
struct Way {
    goal: VertexId,
    /// An edge, and the disjunct in place of its condition.
    condition: Option<(EdgeId, Expr<VarId>)>,
}

fn ways(cfg: &Cfg, goal: VertexId) -> Vec<Way> {
    let mut at = goal;
    for _ in 0..MOST_STEPS {
        let vertex = &cfg.vertices[at];
        let [id] = vertex.into[..] else { break };
        let edge = &cfg.edges[id];
        if cfg.procs[vertex.proc].entry == at || matches!(edge.op, Op::Call { .. }) {
            break;
        }
        if let Op::Assume { cond, value, .. } = &edge.op {
            let mut disjuncts = vec![];
            take_apart(cond, *value, &mut disjuncts);
            if disjuncts.len() > 1 {
                let way = |e| Way { goal, condition: Some((id, e)) };
                return disjuncts.into_iter().map(way).collect();
            }
        }
        at = edge.from;
    }
    vec![Way { goal, condition: None }]
}

/// Expressions one of which can be 1 if and only if `e` can be `value`.
fn take_apart(e: &Expr<VarId>, value: bool, out: &mut Vec<Expr<VarId>>) {
    match (e, value) {
        (Expr::Not(a), _) => take_apart(a, !value, out),
        (Expr::Or(list), true) | (Expr::And(list), false) => {
            list.iter().for_each(|a| take_apart(a, value, out));
        }
        (Expr::Binary(BinOp::Implies, a, b), true) => {
            take_apart(a, false, out);
            take_apart(b, true, out);
        }
        (_, true) => out.push(e.clone()),
        (_, false) => out.push(Expr::not(e.clone())),
    }
}

/// Some ways to goals.
struct Part<'c> {
    cfg: &'c Cfg,
    goals: Vec<VertexId>,
    /// Conditions in place of those of the edges.
    conditions: BTreeMap<EdgeId, Expr<VarId>>,
    /// Whether a goal may be reached from the vertex.
    useful: IndexVec<VertexId, bool>,
}

impl<'c> Part<'c> {
    fn new(cfg: &'c Cfg, ways: &[Way]) -> Part<'c> {
        let mut conditions: BTreeMap<EdgeId, Vec<Expr<VarId>>> = BTreeMap::new();
        for (edge, e) in ways.iter().filter_map(|way| way.condition.as_ref()) {
            conditions.entry(*edge).or_default().push(e.clone());
        }
        let conditions = conditions.into_iter().map(|(edge, list)| (edge, Expr::or(list))).collect();
        let goals: BTreeSet<VertexId> = ways.iter().map(|way| way.goal).collect();
        let goals: Vec<VertexId> = goals.into_iter().collect();
        let useful = useful(cfg, &goals);
        Part { cfg, goals, conditions, useful }
    }

    /// The edge as it is in the part, if it is of any use. A call is kept even where it does not return.
    fn op(&self, id: EdgeId) -> Option<Op> {
        let edge = &self.cfg.edges[id];
        let returns = self.useful[edge.to];
        match &edge.op {
            Op::Assume { constrain, .. } if let Some(cond) = self.conditions.get(&id) => {
                returns.then(|| Op::Assume { cond: cond.clone(), value: true, constrain: constrain.clone() })
            }
            op @ Op::Call { callee, .. } => {
                (returns || self.useful[self.cfg.procs[*callee].entry]).then(|| op.clone())
            }
            op => returns.then(|| op.clone()),
        }
    }

    /// The variables that matter.
    fn matter(&self) -> BTreeSet<VarId> {
        let cfg = self.cfg;
        let mut matter = Matter::default();
        for (id, edge) in cfg.edges.iter_enumerated() {
            if let Some(op) = self.op(id) {
                matter.edge(cfg, cfg.vertices[edge.from].proc, &op);
            }
        }
        cfg.procs.iter().filter_map(|proc| proc.enforce.as_ref()).for_each(|e| matter.read(e));
        matter.close()
    }

    fn slice(self) -> Slice {
        let variables = self.matter();
        let mut cfg = self.cfg.clone();
        let counts = |v: &VarId| variables.contains(v);
        for id in self.cfg.edges.ids() {
            cfg.edges[id].op = match self.op(id) {
                None => Op::blocked(),
                Some(Op::Assign { targets, values, constrain: None }) => {
                    let kept = targets.into_iter().zip(values).filter(|(target, _)| counts(target));
                    let (targets, values): (Vec<_>, Vec<_>) = kept.unzip();
                    if targets.is_empty() {
                        Op::Skip
                    } else {
                        Op::Assign { targets, values, constrain: None }
                    }
                }
                Some(Op::Call { callee, args, results, constrain }) => {
                    let formals = &self.cfg.procs[callee].formals;
                    let args = args.into_iter().zip(formals);
                    let args = args.map(|(arg, formal)| if counts(formal) { arg } else { Expr::zero() });
                    let results = results.into_iter().map(|target| target.filter(counts));
                    Op::Call { callee, args: args.collect(), results: results.collect(), constrain }
                }
                Some(Op::Return(values)) => {
                    let all = |e: &Expr<VarId>| {
                        let mut all = true;
                        e.for_each_var(&mut |v, _| all &= counts(v));
                        all
                    };
                    Op::Return(values.into_iter().map(|e| if all(&e) { e } else { Expr::zero() }).collect())
                }
                Some(op) => op,
            };
        }
        Slice { cfg, goals: self.goals, variables }
    }
}

/// The vertices from which a goal may be reached, whatever calls them.
fn useful(cfg: &Cfg, goals: &[VertexId]) -> IndexVec<VertexId, bool> {
    let mut callers: IndexVec<ProcId, Vec<VertexId>> = IndexVec::from_elem(vec![], cfg.procs.len());
    for Edge { from, op, .. } in &cfg.edges {
        if let Op::Call { callee, .. } = op {
            callers[*callee].push(*from);
        }
    }
    let mut useful = IndexVec::from_elem(false, cfg.vertices.len());
    let mut work = goals.to_vec();
    while let Some(vertex) = work.pop() {
        if std::mem::replace(&mut useful[vertex], true) {
            continue;
        }
        let proc = cfg.vertices[vertex].proc;
        if cfg.procs[proc].entry == vertex {
            work.extend(&callers[proc]);
        }
        for edge in cfg.vertices[vertex].into.iter().map(|edge| &cfg.edges[*edge]) {
            work.push(edge.from);
            if let Op::Call { callee, .. } = edge.op {
                work.push(cfg.procs[callee].exit);
            }
        }
    }
    useful
}

/// A variable, or a value that a procedure returns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Variable(VarId),
    Returned(ProcId, usize),
}

/// The variables that matter, and what they are computed from.
#[derive(Default)]
struct Matter {
    read: BTreeSet<Value>,
    from: BTreeMap<Value, BTreeSet<Value>>,
}

impl Matter {
    fn read(&mut self, e: &Expr<VarId>) {
        e.for_each_var(&mut |v, _| _ = self.read.insert(Value::Variable(*v)));
    }

    fn given(&mut self, to: Value, e: &Expr<VarId>) {
        let from = self.from.entry(to).or_default();
        e.for_each_var(&mut |v, _| _ = from.insert(Value::Variable(*v)));
    }

    fn edge(&mut self, cfg: &Cfg, proc: ProcId, op: &Op) {
        match op {
            Op::Skip => {}
            Op::Assume { cond, constrain, .. } => {
                self.read(cond);
                constrain.iter().for_each(|e| self.read(e));
            }
            Op::Assign { targets, values, constrain } => {
                for (target, value) in targets.iter().zip(values) {
                    self.given(Value::Variable(*target), value);
                    if constrain.is_some() {
                        self.read.insert(Value::Variable(*target));
                    }
                }
                constrain.iter().for_each(|e| self.read(e));
            }
            Op::Call { callee, args, results, constrain } => {
                for (formal, arg) in cfg.procs[*callee].formals.iter().zip(args) {
                    self.given(Value::Variable(*formal), arg);
                }
                for (i, target) in results.iter().enumerate() {
                    let targets = target.iter().map(|v| Value::Variable(*v));
                    targets.for_each(|v| {
                        _ = self.from.entry(v).or_default().insert(Value::Returned(*callee, i))
                    });
                }
                constrain.iter().for_each(|e| self.read(e));
            }
            Op::Return(values) => {
                for (i, value) in values.iter().enumerate() {
                    self.given(Value::Returned(proc, i), value);
                }
            }
        }
    }

    /// Everything that what is read is computed from.
    fn close(self) -> BTreeSet<VarId> {
        let mut out = BTreeSet::new();
        let mut work: Vec<Value> = self.read.into_iter().collect();
        while let Some(value) = work.pop() {
            if out.insert(value) {
                work.extend(self.from.get(&value).into_iter().flatten());
            }
        }
        out.into_iter()
            .filter_map(|value| match value {
                Value::Variable(v) => Some(v),
                Value::Returned(..) => None,
            })
            .collect()
    }
}
