//! Invariants at the loops of a safe program: the states that the model checker reached at each loop head, as a
//! condition in C.

use crate::cegar::Subject;
use crate::cegar::facts::{Fact, Source};
use base::Span;
use bebop::{Reached, Stopped};
use bp::{Cfg, VertexId};
use c2bp::{Abstraction, Role, VarRole};
use ir::{BinOp, Expr, ForAll, LocId, ProcId, Program};
use predicates::Precision;
use std::collections::{BTreeMap, BTreeSet};

/// What holds at one loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// The loop's keyword.
    pub span: Span,
    /// The range of numbers for which the condition holds, if it is about such.
    pub for_all: Option<ForAll>,
    /// What holds: of the loop's proof the reachable set over the predicates.
    pub condition: Expr,
}

/// Longest disjunction printed; a larger set is weakened to the literals that all its states share.
const CUBES: usize = 6;

/// What holds at loop heads that were reached.
pub(crate) struct AtLoops {
    /// One for each, in the order of the source; those that say nothing are left out.
    pub(crate) invariants: Vec<Invariant>,
    /// What they are made of.
    pub(crate) facts: Vec<Fact>,
    /// False when the run was stopped, and there are fewer.
    pub(crate) complete: bool,
}

/// What holds at loop heads that were reached.
pub(crate) fn at_loops(
    task: &Subject<'_>,
    abstraction: &Abstraction,
    precision: &Precision,
    cfg: &Cfg,
    reached: &mut Reached<'_>,
) -> AtLoops {
    let program = task.program;
    let (mut out, mut facts) = (vec![], vec![]);
    let mut complete = true;
    for ((p, l), vertex) in first_vertices(program, abstraction, cfg) {
        let location = &program.procs[p].locations[l];
        if !location.loop_head || !reached.is_reached(vertex) {
            continue;
        }
        let names = Names { abstraction, precision, cfg, p };
        let Ok(found) = names.condition(reached, vertex) else {
            complete = false;
            break;
        };
        let known = task.facts.map(|facts| facts.relevant_at(p, l)).unwrap_or_default();
        let one = |source| {
            move |condition: &Expr| Fact { at: (p, l), for_all: None, condition: condition.clone(), source }
        };
        facts.extend(known.iter().copied().map(one(Source::Computed)));
        facts.extend(found.iter().map(one(Source::Abstraction)));
        if let Some(condition) = joined(BinOp::And, known.into_iter().cloned().chain(found).collect()) {
            out.push(Invariant { span: location.span, for_all: None, condition });
        }
    }
    out.sort_by_key(|i| i.span);
    AtLoops { invariants: out, facts, complete }
}

/// For each location, where the first statement that was written for it starts.
pub(crate) fn first_vertices(
    program: &Program,
    abstraction: &Abstraction,
    cfg: &Cfg,
) -> BTreeMap<(ProcId, LocId), VertexId> {
    let starts = cfg.stmt_vertices();
    let mut seen = BTreeSet::new();
    let mut out = BTreeMap::new();
    abstraction.program.for_each_stmt(|stmt| {
        let Some(origin) = abstraction.origin.stmt(stmt.id) else { return };
        let proc = &program.procs[origin.proc];
        let location = match &origin.role {
            Role::Return => Some(proc.exit),
            Role::Branch(edges) => edges.first().map(|e| proc.edges[*e].src),
            Role::Edge | Role::Save | Role::Call { .. } => origin.edge.map(|e| proc.edges[e].src),
            Role::AfterCall | Role::Track | Role::Jump | Role::Stop => None,
        };
        if let Some(l) = location
            && seen.insert((origin.proc, l))
            && let Some(vertex) = starts.get(&stmt.id)
        {
            out.insert((origin.proc, l), *vertex);
        }
    });
    out
}

/// What the variables of a procedure's abstraction stand for.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) abstraction: &'a Abstraction,
    pub(crate) precision: &'a Precision,
    pub(crate) cfg: &'a Cfg,
    pub(crate) p: ProcId,
}

impl Names<'_> {
    /// The predicate that a variable stands for; `None` for variables that stand for something else.
    pub(crate) fn predicate(&self, v: bp::VarId) -> Option<&Expr> {
        match self.abstraction.origin.var(self.p, &self.cfg.vars[v].name)? {
            VarRole::Predicate(id) => Some(&self.precision.get(*id).expr),
            VarRole::Returned(..) | VarRole::Saved(_) => None,
        }
    }

    /// The predicate, or its negation. To leave out variables that stand for none only weakens a conjunction.
    fn literal(&self, v: bp::VarId, value: bool) -> Option<Expr> {
        let expr = self.predicate(v)?.clone();
        Some(if value { expr } else { expr.negated() })
    }

    /// A condition that holds in all states at the vertex; `None` when it would be true.
    fn condition(&self, reached: &mut Reached<'_>, vertex: VertexId) -> Result<Option<Expr>, Stopped> {
        let sum = reached.states(vertex, CUBES)?;
        if sum.complete && !sum.cubes.is_empty() {
            let cubes: Vec<Vec<Expr>> = sum
                .cubes
                .iter()
                .map(|cube| cube.iter().filter_map(|(v, value)| self.literal(*v, *value)).collect())
                .map(without_implied)
                .collect();
            return Ok(disjunction(cubes));
        }
        let Some(values) = reached.values(vertex)? else { return Ok(None) };
        let shared: Vec<Expr> = values.into_iter().filter_map(|(v, value)| self.literal(v, value?)).collect();
        Ok(disjunction(vec![without_implied(shared)]))
    }
}

/// The disjunction of conjunctions, what all share written once; `None` when it is true.
fn disjunction(mut cubes: Vec<Vec<Expr>>) -> Option<Expr> {
    let first = cubes.first()?.clone();
    let shared: Vec<Expr> = first.into_iter().filter(|e| cubes.iter().all(|c| c.contains(e))).collect();
    for cube in &mut cubes {
        cube.retain(|e| !shared.contains(e));
    }
    cubes.dedup();
    let rest = if cubes.iter().any(Vec::is_empty) {
        None
    } else {
        joined(BinOp::Or, cubes.into_iter().filter_map(|c| joined(BinOp::And, c)).collect())
    };
    let all: Vec<Expr> = shared.into_iter().chain(rest).collect();
    joined(BinOp::And, all)
}

/// The conjunction without `x != 1` where `x == 0` stands.
fn without_implied(cube: Vec<Expr>) -> Vec<Expr> {
    fn constant(e: &Expr, op: BinOp) -> Option<(&Expr, i128)> {
        match e {
            Expr::Binary(o, l, r, _) if *o == op => match **r {
                Expr::Const(c, _) => Some((&**l, c)),
                _ => None,
            },
            _ => None,
        }
    }
    let implied = |e: &Expr| {
        let Some((l, c)) = constant(e, BinOp::Ne) else { return false };
        cube.iter().any(|other| constant(other, BinOp::Eq).is_some_and(|(m, d)| m == l && c != d))
    };
    cube.iter().filter(|e| !implied(e)).cloned().collect()
}

fn joined(op: BinOp, list: Vec<Expr>) -> Option<Expr> {
    list.into_iter().reduce(|a, b| Expr::binary(op, a, b))
}
