//! Loops with phases: what holds only of the states in which a condition of the loop holds, or only of the others, as
//! `x < 100 || x % 2 == 0` (conditional invariants, as Daikon's splitters find them \[EPGMPTX07\]).

use super::table::Table;
use super::{Candidate, Kind, bounds, equalities, few, shapes};
use cmm::analysis::visit;
use cmm::{BinOp, Expr, LocId, Op, Proc};
use std::collections::BTreeSet;

/// Most conditions by which states are told apart.
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
        let (left, right) = (left.clone(), right.clone());
        match (&left, &right) {
            _ if !op.is_comparison() => None,
            (Expr::Load(_), Expr::Load(_) | Expr::Const(..)) => Some(Guard { op, left, right }),
            (Expr::Const(..), Expr::Load(_)) => Some(Guard { op: op.swapped()?, left: right, right: left }),
            _ => None,
        }
    }

    fn negated(&self) -> Option<Guard> {
        Some(Guard { op: self.op.negated()?, ..self.clone() })
    }
}

/// The right side of a guard in a table.
enum Right {
    Place(usize),
    Number(i128),
}

/// Adds what holds in a phase and was not found of all states.
pub(super) fn find(table: &Table, guards: &[Guard], out: &mut Vec<Candidate>) {
    let known: Vec<Expr> = out.iter().map(|c| c.condition.clone()).collect();
    let places = table.columns(false);
    let column = |e: &Expr| places.iter().copied().find(|c| table.places[*c].value == *e);
    let mut tried = 0;
    for guard in guards {
        let Some(left) = column(&guard.left) else { continue };
        let right = match &guard.right {
            Expr::Const(v, _) => Right::Number(*v),
            place => match column(place) {
                Some(c) => Right::Place(c),
                None => continue,
            },
        };
        let holds = |row: &[i128]| {
            let right = match right {
                Right::Place(c) => row[c],
                Right::Number(v) => v,
            };
            guard.op.compare(&row[left], &right) == Some(true)
        };
        let parts = [table.part(&holds), table.part(&|row| !holds(row))];
        if parts.iter().any(|part| part.rows.len() < STATES) {
            continue;
        }
        tried += 1;
        if tried > GUARDS {
            break;
        }
        let sides = match right {
            Right::Place(c) => [(1, vec![c])],
            Right::Number(v) => [(v, vec![])],
        };
        let compare = |op| bounds::compare(table, op, &[(1, vec![left])], &sides);
        let Some(opposite) = guard.op.negated() else { continue };
        for (part, other) in parts.iter().zip([compare(opposite), compare(guard.op)]) {
            let inside =
                |condition: &Expr| !known.contains(condition) && !is_bound_of(condition, &guard.left);
            let found = of_phase(part).into_iter().filter(|c| inside(&c.condition)).take(OF_A_PHASE);
            out.extend(found.map(|c| Candidate::new(Kind::Phase, other.clone().or(c.condition))));
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
    let mut out: Vec<Candidate> = vec![];
    for candidate in all {
        let same = out.iter().filter(|c| c.kind == candidate.kind);
        if same.count() < OF_A_KIND && !out.iter().any(|c| c.condition == candidate.condition) {
            out.push(candidate);
        }
    }
    out
}

/// Whether the condition is a comparison of this place with a number.
fn is_bound_of(condition: &Expr, place: &Expr) -> bool {
    matches!(condition, Expr::Binary(op, l, r, _)
        if op.is_comparison() && l.uncast() == place && matches!(r.uncast(), Expr::Const(..)))
}
