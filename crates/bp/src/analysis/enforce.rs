//! `enforce` where it excludes something. Its condition can become false only where one of its variables
//! changes, so it need be assumed only at the procedure's entry and behind such edges. There it becomes part of
//! `constrain`; elsewhere its variables are not read, and live ranges end where the program itself reads them
//! last. Behind a call, conditions that the callee assumes at its exit need not be assumed.
//!
//! Invariant: the runs are those of the original program.

use super::mod_ref::ModRef;
use crate::cfg::{Cfg, Edge, Op, ProcId, VarId, VertexId};
use crate::expr::Expr;
use base::{Id, IndexVec};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Numbers of the parts of a condition that may be false.
type Open = BTreeSet<usize>;

/// A disjunction of literals.
type Clause = Vec<(VarId, bool)>;

/// The same program with `enforce` assumed where variables of it have changed. Procedures where that cannot be said, as
/// one that returns right behind a call, keep theirs.
pub fn enforce_at_changes(cfg: &Cfg) -> Cfg {
    let modified = ModRef::new(cfg, true);
    let parts = parts_of_procs(cfg);
    let mut out = cfg.clone();
    for (p, proc) in cfg.procs.iter_enumerated() {
        let Some(enforce) = proc.enforce.as_ref().filter(|e| !e.has_choice()) else { continue };
        let enforced = Enforced::new(enforce);
        let stale = stale(cfg, p, &enforced, &|edge| enforced.opened(cfg, edge, &modified, &parts));
        let of_proc = || proc.vertices().flat_map(|v| cfg.vertices[v].out.iter().copied());
        let conditions: Option<Vec<_>> = of_proc()
            .map(|e| enforced.behind(cfg, &cfg.edges[e], &stale).map(|condition| (e, condition)))
            .collect();
        let Some(conditions) = conditions else { continue };
        for (e, condition) in conditions {
            if condition != Expr::one() {
                let op = &mut out.edges[e].op;
                *op = constrained(op, condition);
            }
        }
        out.procs[p].enforced_at_entry_only = true;
    }
    without_what_callers_assume(cfg, &parts, &mut out);
    out
}

/// Takes out of what is assumed at entries what holds there anyway: conditions on globals that all callers have assumed
/// where they call. By induction on a run they hold, whatever the callers' own callers have assumed for them; where the
/// program starts everything is assumed. A procedure then reads nothing of globals that play no other part in it.
fn without_what_callers_assume(cfg: &Cfg, parts: &Parts<'_>, out: &mut Cfg) {
    let mut calls: IndexVec<ProcId, Vec<VertexId>> = IndexVec::from_elem(vec![], cfg.procs.len());
    for edge in &cfg.edges {
        if let Op::Call { callee, .. } = edge.op {
            calls[callee].push(edge.from);
        }
    }
    for (p, proc) in out.procs.iter_mut().enumerate().map(|(i, proc)| (ProcId::from_index(i), proc)) {
        if p == cfg.entry || !proc.enforced_at_entry_only || calls[p].is_empty() {
            continue;
        }
        let holds = |part: &Expr<VarId>| {
            let assumed = |v: &VertexId| {
                let caller = &cfg.vertices[*v];
                !caller.return_point && parts[caller.proc].contains(part)
            };
            is_global(cfg, part) && calls[p].iter().all(assumed)
        };
        if let Some(enforce) = proc.enforce.take() {
            let rest: Vec<Expr<VarId>> = self::parts(&enforce).filter(|part| !holds(part)).cloned().collect();
            proc.enforce = Some(Expr::and(rest)).filter(|e| *e != Expr::one());
        }
    }
}

/// For each procedure the conditions that it enforces.
type Parts<'a> = IndexVec<ProcId, FxHashSet<&'a Expr<VarId>>>;

fn parts_of_procs(cfg: &Cfg) -> Parts<'_> {
    let enforced = cfg.procs.iter().map(|proc| proc.enforce.iter().filter(|e| !e.has_choice()));
    enforced.map(|conditions| conditions.flat_map(parts).collect()).collect()
}

fn is_global(cfg: &Cfg, condition: &Expr<VarId>) -> bool {
    let mut global = true;
    condition.for_each_var(&mut |v, _| global &= cfg.vars[*v].owner.is_none());
    global
}

/// The conditions of which the condition is the conjunction.
fn parts(enforce: &Expr<VarId>) -> impl Iterator<Item = &Expr<VarId>> {
    match enforce {
        Expr::And(es) => es.as_slice(),
        e => std::slice::from_ref(e),
    }
    .iter()
}

/// The operation with a further condition between the states before and after it.
fn constrained(op: &Op, condition: Expr<VarId>) -> Op {
    let both = |old: &Option<Box<Expr<VarId>>>| {
        let old = old.as_deref().cloned();
        Some(Box::new(Expr::and(old.into_iter().chain([condition.clone()]))))
    };
    match op {
        Op::Skip => Op::Assume { cond: Expr::one(), value: true, constrain: Some(Box::new(condition)) },
        Op::Assume { cond, value, constrain } => {
            Op::Assume { cond: cond.clone(), value: *value, constrain: both(constrain) }
        }
        Op::Assign { targets, values, constrain } => {
            Op::Assign { targets: targets.clone(), values: values.clone(), constrain: both(constrain) }
        }
        Op::Call { .. } | Op::Return(_) => unreachable!("nothing is assumed behind these"),
    }
}

/// The condition to enforce, in parts.
struct Enforced<'a> {
    parts: Vec<&'a Expr<VarId>>,
    /// The parts that are disjunctions of literals, sorted.
    clauses: Vec<Option<Clause>>,
    known: BTreeSet<Clause>,
    /// The parts that mention a variable.
    about: BTreeMap<VarId, Vec<usize>>,
}

impl<'a> Enforced<'a> {
    fn new(enforce: &'a Expr<VarId>) -> Enforced<'a> {
        let parts: Vec<&Expr<VarId>> = parts(enforce).collect();
        let mut about: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
        for (i, part) in parts.iter().enumerate() {
            part.for_each_var(&mut |v, _| {
                let parts = about.entry(*v).or_default();
                if parts.last() != Some(&i) {
                    parts.push(i);
                }
            });
        }
        let clauses: Vec<Option<Clause>> = parts.iter().map(|part| clause(part)).collect();
        let known = clauses.iter().flatten().cloned().collect();
        Enforced { parts, clauses, known, about }
    }

    /// The condition to be assumed behind the edge; `None` when the edge cannot express it.
    fn behind(&self, cfg: &Cfg, edge: &Edge, stale: &BTreeMap<VertexId, Open>) -> Option<Expr<VarId>> {
        if cfg.vertices[edge.to].return_point {
            return Some(Expr::one());
        }
        let mut touched: Open = stale.get(&edge.from).cloned().unwrap_or_default();
        if let Op::Assign { targets, values, .. } = &edge.op {
            let values: BTreeMap<VarId, &Expr<VarId>> = targets.iter().copied().zip(values).collect();
            let all_hold = touched.is_empty();
            let open = |i: &usize| !all_hold || !self.holds_behind(*i, &values);
            touched.extend(self.parts_about(targets).filter(open));
        }
        if touched.is_empty() {
            return Some(Expr::one());
        }
        let targets: &[VarId] = match &edge.op {
            Op::Assign { targets, .. } => targets,
            Op::Skip | Op::Assume { .. } => &[],
            Op::Call { .. } | Op::Return(_) => return None,
        };
        let next = |v: &VarId, _| if targets.contains(v) { Expr::Next(*v) } else { Expr::Var(*v) };
        Some(Expr::and(touched.into_iter().map(|i| replaced(self.parts[i], &next))))
    }

    fn parts_about<'v>(
        &'v self,
        vars: impl IntoIterator<Item = &'v VarId, IntoIter: 'v>,
    ) -> impl Iterator<Item = usize> + 'v {
        vars.into_iter().filter_map(|v| self.about.get(v)).flatten().copied()
    }

    /// How the edge changes which parts may be false, when it leads to where `enforce` is not assumed: those that hold
    /// behind it whatever was before, and those that may have become false.
    fn opened(&self, cfg: &Cfg, edge: &Edge, modified: &ModRef, parts: &Parts<'_>) -> (Open, Open) {
        match &edge.op {
            Op::Assign { targets, .. } => (Open::new(), self.parts_about(targets).collect()),
            Op::Call { callee, results, .. } => {
                let results: Vec<VarId> = results.iter().flatten().copied().collect();
                let changed: Vec<VarId> = modified.modified_globals(*callee).chain(results.clone()).collect();
                let exit = &cfg.vertices[cfg.procs[*callee].exit];
                let assigned: Open = self.parts_about(&results).collect();
                let assumed = |i: &usize| {
                    let part = self.parts[*i];
                    !exit.return_point && parts[*callee].contains(part) && is_global(cfg, part)
                };
                let hold: Open =
                    (0..self.parts.len()).filter(|i| !assigned.contains(i) && assumed(i)).collect();
                let open = self.parts_about(&changed).filter(|i| !hold.contains(i)).collect();
                (hold, open)
            }
            Op::Skip | Op::Assume { .. } | Op::Return(_) => (Open::new(), Open::new()),
        }
    }

    /// Whether the part holds behind a parallel assignment since other parts hold before it.
    fn holds_behind(&self, part: usize, values: &BTreeMap<VarId, &Expr<VarId>>) -> bool {
        let Some(clause) = &self.clauses[part] else { return false };
        let mut before: BTreeSet<(VarId, bool)> = BTreeSet::new();
        for (v, sign) in clause {
            let literal = match values.get(v) {
                None => (*v, *sign),
                Some(Expr::Const(b)) if b == sign => return true,
                Some(Expr::Const(_)) => continue,
                Some(value) => match literal(value) {
                    Some((w, positive)) => (w, positive == *sign),
                    None => return false,
                },
            };
            if before.contains(&(literal.0, !literal.1)) {
                return true;
            }
            before.insert(literal);
        }
        let all: Clause = before.iter().copied().collect();
        let pairs = || all.iter().enumerate().flat_map(|(i, a)| all[i + 1..].iter().map(|b| vec![*a, *b]));
        self.known.contains(&all)
            || all.iter().any(|l| self.known.contains(&vec![*l]))
            || pairs().any(|pair| self.known.contains(&pair))
    }
}

/// The literals of a disjunction, sorted.
fn clause(e: &Expr<VarId>) -> Option<Clause> {
    let mut out: Clause = match e {
        Expr::Or(es) => es.iter().map(literal).collect::<Option<_>>()?,
        e => vec![literal(e)?],
    };
    out.sort_unstable();
    out.dedup();
    Some(out)
}

fn literal(e: &Expr<VarId>) -> Option<(VarId, bool)> {
    match e {
        Expr::Var(v) => Some((*v, true)),
        Expr::Not(e) => literal(e).map(|(v, sign)| (v, !sign)),
        _ => None,
    }
}

/// The expression with its variables replaced.
fn replaced(e: &Expr<VarId>, f: &dyn Fn(&VarId, bool) -> Expr<VarId>) -> Expr<VarId> {
    let boxed = |e: &Expr<VarId>| Box::new(replaced(e, f));
    match e {
        Expr::Const(_) | Expr::Star => e.clone(),
        Expr::Var(v) => f(v, false),
        Expr::Next(v) => f(v, true),
        Expr::Not(e) => Expr::Not(boxed(e)),
        Expr::And(es) => Expr::And(es.iter().map(|e| replaced(e, f)).collect()),
        Expr::Or(es) => Expr::Or(es.iter().map(|e| replaced(e, f)).collect()),
        Expr::Binary(op, a, b) => Expr::Binary(*op, boxed(a), boxed(b)),
        Expr::Ite(c, a, b) => Expr::Ite(boxed(c), boxed(a), boxed(b)),
        Expr::Choose(a, b) => Expr::Choose(boxed(a), boxed(b)),
    }
}

/// The conjuncts that may be false, at the vertices where `enforce` is not assumed. `opened` gives for an edge
/// the conjuncts that hold behind it and those that may have become false there.
fn stale(
    cfg: &Cfg,
    p: ProcId,
    enforced: &Enforced<'_>,
    opened: &dyn Fn(&Edge) -> (Open, Open),
) -> BTreeMap<VertexId, Open> {
    let mut out: BTreeMap<VertexId, Open> = BTreeMap::new();
    let mut work: VecDeque<VertexId> = VecDeque::new();
    for v in cfg.procs[p].vertices().filter(|v| cfg.vertices[*v].return_point) {
        let all = if v == cfg.procs[p].entry { enforced.parts.len() } else { 0 };
        out.insert(v, (0..all).collect());
        work.push_back(v);
    }
    while let Some(v) = work.pop_front() {
        let mut all = out[&v].clone();
        for e in &cfg.vertices[v].into {
            let edge = &cfg.edges[*e];
            let (hold, open) = opened(edge);
            let before = out.get(&edge.from).into_iter().flatten().copied();
            all.extend(before.filter(|i| !hold.contains(i)).chain(open));
        }
        if out[&v] != all {
            out.insert(v, all);
            let next = cfg.vertices[v].out.iter().map(|e| cfg.edges[*e].to);
            work.extend(next.filter(|to| cfg.vertices[*to].return_point));
        }
    }
    out
}
