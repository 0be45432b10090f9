//! Why checks hold: conditions at each location, independent of what the loop finds out.

use crate::Computed;
use ir::visit;
use ir::{CheckId, EdgeId, Expr, LocId, Lvalue, Op, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Conditions that hold at the locations of a program, as long as none of its checks fails, and the checks that hold
/// because of them. Together they are inductive, where everything that is known can be expressed: those before an
/// edge imply those behind it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The edges of the discharged checks: they hold by the conditions, and are assumed to.
    held: BTreeMap<CheckId, Vec<(ProcId, EdgeId)>>,
    /// The edges of the checks that hold by the conditions as well, but are not assumed to so far (discharged on
    /// demand).
    spare: BTreeMap<CheckId, Vec<(ProcId, EdgeId)>>,
    /// The conditions at the locations that executions reach.
    conditions: BTreeMap<(ProcId, LocId), Vec<Expr>>,
    /// The locations about which more is known than the conditions express.
    partly_said: BTreeSet<(ProcId, LocId)>,
    /// The locations that the checks depend on, by procedure.
    relevant: BTreeMap<ProcId, BTreeSet<Lvalue>>,
}

impl Facts {
    /// Collects the checks that hold, as far as was computed, and why; none of them is assumed to hold yet.
    pub fn new(program: &Program, computed: &Computed<'_>, checks: &BTreeSet<CheckId>) -> Facts {
        let holds: BTreeSet<CheckId> =
            computed.checks_that_hold().into_iter().filter(|c| checks.contains(c)).collect();
        let mut facts = Facts::default();
        if holds.is_empty() {
            return facts;
        }
        for (p, e, edge) in program.edges() {
            if let Op::Check(check, condition) = &edge.op
                && holds.contains(check)
            {
                facts.spare.entry(*check).or_default().push((p, e));
                let relevant = facts.relevant.entry(p).or_default();
                condition.loads(&mut |lv| _ = relevant.insert(lv.clone()));
            }
        }
        for (p, proc) in program.procs.iter_enumerated() {
            for at in proc.locations.ids().filter(|at| !computed.is_unreachable(p, *at)) {
                let (conditions, whole) = computed.said(p, at);
                facts.conditions.insert((p, at), conditions);
                if !whole {
                    facts.partly_said.insert((p, at));
                }
            }
            if let Some(relevant) = facts.relevant.get_mut(&p) {
                close(proc, relevant);
            }
        }
        facts
    }

    /// Whether no check is assumed to hold by them.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The checks that hold and are not assumed to.
    pub fn spare(&self) -> impl Iterator<Item = CheckId> {
        self.spare.keys().copied()
    }

    /// Assumes from now on that the check holds; returns false if it is not one that can be discharged.
    pub fn hold(&mut self, check: CheckId) -> bool {
        let Some(edges) = self.spare.remove(&check) else { return false };
        self.held.insert(check, edges);
        true
    }

    /// The checks that are assumed to hold, with their edges.
    pub fn held(&self) -> impl Iterator<Item = (CheckId, &[(ProcId, EdgeId)])> {
        self.held.iter().map(|(check, edges)| (*check, edges.as_slice()))
    }

    /// What holds at a location; `None` where no execution comes.
    pub fn at(&self, p: ProcId, at: LocId) -> Option<&[Expr]> {
        self.conditions.get(&(p, at)).map(Vec::as_slice)
    }

    /// Whether more is known about the location than the conditions express.
    pub fn is_partly_said(&self, p: ProcId, at: LocId) -> bool {
        self.partly_said.contains(&(p, at))
    }

    /// The part of what holds at a location that is about what the checks depend on.
    pub fn relevant_at(&self, p: ProcId, at: LocId) -> Vec<&Expr> {
        let relevant = self.relevant.get(&p);
        let concerns = |e: &&Expr| {
            let mut all = true;
            e.loads(&mut |lv| all &= relevant.is_some_and(|r| r.contains(lv)));
            all
        };
        self.at(p, at).unwrap_or_default().iter().filter(concerns).collect()
    }
}

/// Adds what flows into these locations, and what they are compared with.
fn close(proc: &ir::Proc, relevant: &mut BTreeSet<Lvalue>) {
    loop {
        let before = relevant.len();
        for edge in &proc.edges {
            let reads = |relevant: &BTreeSet<Lvalue>| {
                let mut any = edge.op.destination().is_some_and(|lv| relevant.contains(lv));
                if let Op::Assume(condition) | Op::Check(_, condition) = &edge.op {
                    condition.loads(&mut |lv| any |= relevant.contains(lv));
                }
                any
            };
            if reads(relevant) {
                visit::loads(&edge.op, &mut |lv| _ = relevant.insert(lv.clone()));
            }
        }
        if relevant.len() == before {
            return;
        }
    }
}
