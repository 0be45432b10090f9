//! Loops with phases: what holds only of the states in which a condition of the loop holds, or only of the others, as
//! `x < 100 || x % 2 == 0` (conditional invariants, as Daikon's splitters find them \[EPGMPTX07\]).

use super::table::Table;
use super::{Candidate, Kind, bounds, equalities, first_of, non_linear as shapes, small_samples as few};
use ir::visit;
use ir::{BinOp, Expr, LocId, Op, Proc};
use std::collections::BTreeSet;

/// At most this many conditions split the states.
const GUARDS: usize = 8;

/// Fewest states of a phase.
const STATES: usize = 4;

/// Most candidates of a phase, and most of one kind.
const OF_A_PHASE: usize = 6;
const OF_A_KIND: usize = 3;

/// A comparison of the loop, between two places, or a place and a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Guard {
    op: BinOp,
    left: Expr,
    right: Expr,
}

/// The comparisons in the conditions of a loop with these locations, each with its negation once.
pub(super) fn guards(proc: &Proc, inside: &BTreeSet<LocId>) -> Vec<Guard> {
    let mut out: Vec<Guard> = vec![];
    for edge in proc.edges.iter().filter(|e| inside.contains(&e.src) && inside.contains(&e.dst)) {
        if !matches!(edge.op, Op::Assume(_)) {
            continue;
        }
        visit::nodes(&edge.op, &mut |node| {
            if let Expr::Binary(op, l, r, _) = node
                && let Some(guard) = Guard::new(*op, l.uncast(), r.uncast())
                && !out.iter().any(|known| *known == guard || Some(known) == guard.negated().as_ref())
            {
                out.push(guard);
            }
        });
    }
    out
}

impl Guard {
    fn new(op: BinOp, left: &Expr, right: &Expr) -> Option<Guard> {
        let guard = |op, left: &Expr, right: &Expr| Guard { op, left: left.clone(), right: right.clone() };
        match (left, right) {
            _ if !op.is_comparison() => None,
            (Expr::Load(_), Expr::Load(_) | Expr::Const(..)) => Some(guard(op, left, right)),
            (Expr::Const(..), Expr::Load(_)) => Some(guard(op.swapped()?, right, left)),
            _ => None,
        }
    }

    fn negated(&self) -> Option<Guard> {
        Some(Guard { op: self.op.negated()?, ..self.clone() })
    }

    /// The states in which it holds and the others, each with what holds elsewhere; `None` where the table cannot say it, or there are
    /// too few of either.
    fn phases(&self, table: &Table) -> Option<[(Table, Expr); 2]> {
        let places = table.columns(false);
        let column = |e: &Expr| places.iter().copied().find(|c| table.places[*c].value == *e);
        let left = column(&self.left)?;
        let right = match &self.right {
            Expr::Const(v, _) => (*v, vec![]),
            place => (1, vec![column(place)?]),
        };
        let holds = |row: &[i128]| {
            let value = right.1.first().map_or(right.0, |c| row[*c]);
            self.op.compare(&row[left], &value) == Some(true)
        };
        let [inside, outside] = [table.part(&holds), table.part(&|row| !holds(row))];
        if inside.rows.len().min(outside.rows.len()) < STATES {
            return None;
        }
        let compare = |op| bounds::compare(table, op, &[(1, vec![left])], std::slice::from_ref(&right));
        Some([(inside, compare(self.op.negated()?)), (outside, compare(self.op))])
    }
}

/// Adds what holds in a phase and was not found of all states.
pub(super) fn find(table: &Table, guards: &[Guard], out: &mut Vec<Candidate>) {
    let known: Vec<Expr> = out.iter().map(|c| c.condition.clone()).collect();
    let split = guards.iter().filter_map(|guard| Some((guard, guard.phases(table)?)));
    for (guard, phases) in split.take(GUARDS) {
        let is_new = |c: &Candidate| !known.contains(&c.condition) && !is_bound_of(&c.condition, &guard.left);
        for (phase, elsewhere) in phases {
            let found = of_phase(&phase).into_iter().filter(is_new).take(OF_A_PHASE);
            out.extend(found.map(|c| Candidate::new(Kind::Phase, elsewhere.clone().or(c.condition))));
        }
    }
}

/// What the states of a phase have in common, the most useful first.
fn of_phase(part: &Table) -> Vec<Candidate> {
    let mut all = vec![];
    let free = equalities::find(part, &mut all);
    few::find(part, &mut all);
    bounds::find(part, &free, &mut all);
    shapes::congruences(part, &free, &mut all);
    all.retain(|c| {
        matches!(
            c.kind,
            Kind::Equality(1) | Kind::Few | Kind::Bound | Kind::Difference | Kind::Sum | Kind::Congruence
        )
    });
    // A rest says what no comparison does.
    all.sort_by_key(|c| (c.kind != Kind::Congruence, c.kind));
    first_of(all, usize::MAX, |_| OF_A_KIND)
}

/// Whether the condition is a comparison of this place with a number.
fn is_bound_of(condition: &Expr, place: &Expr) -> bool {
    matches!(condition, Expr::Binary(op, l, r, _)
        if op.is_comparison() && l.uncast() == place && matches!(r.uncast(), Expr::Const(..)))
}
