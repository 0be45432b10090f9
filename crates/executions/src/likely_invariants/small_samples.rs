//! Linear equalities between two or three places that few states show: where executions reach a loop seldom, or never
//! far, there are too few states for relations among all places.

use super::equalities::{all_relations, terms};
use super::relation::{Monomial, equality};
use super::table::Table;
use super::{Candidate, Kind};

/// Most places.
const PLACES: usize = 14;

/// Fewest different states of the places.
const STATES: usize = 3;

/// The largest factor.
const FACTOR: i128 = 16;

/// States beyond these say nothing more of how well a relation is supported.
const ENOUGH: usize = 12;

/// Adds the equalities, those first that most states show.
pub(super) fn find(table: &Table, out: &mut Vec<Candidate>) {
    let mut columns = table.columns(false);
    columns.retain(|c| !table.is_constant(*c) && !table.places[*c].element);
    columns.sort_by_key(|c| (!table.places[*c].near, *c));
    columns.truncate(PLACES);
    let mut found = vec![];
    for (i, x) in columns.iter().enumerate() {
        for (j, y) in columns.iter().enumerate().skip(i + 1) {
            relation(table, &[*x, *y], &mut found);
            for z in &columns[j + 1..] {
                relation(table, &[*x, *y, *z], &mut found);
            }
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    out.extend(found.into_iter().map(|(_, condition)| Candidate::new(Kind::Few, condition)));
}

/// Adds the equality between these places, if there is one that mentions all of them.
fn relation(table: &Table, places: &[usize], found: &mut Vec<((usize, i128), ir::Expr)>) {
    let states = table.different(places, ENOUGH);
    if states < STATES {
        return;
    }
    let monomials: Vec<Monomial> = std::iter::once(vec![]).chain(places.iter().map(|c| vec![*c])).collect();
    let relations = all_relations(table, &monomials);
    let [relation] = &relations[..] else { return };
    let largest = relation[1..].iter().map(|c| c.abs()).max().unwrap_or(0);
    if relation[1..].contains(&0) || largest > FACTOR {
        return;
    }
    found.push(((ENOUGH - states, largest), equality(table, &terms(&monomials, relation))));
}
