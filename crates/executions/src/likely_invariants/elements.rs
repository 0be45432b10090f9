//! Properties that the elements of an array have in common. Executions may reach few of them, so each may have the
//! values of any other.

use super::table::Table;
use super::{Candidate, Kind, bounds};
use ir::{Access, BinOp, Expr, Lvalue};
use std::collections::{BTreeMap, BTreeSet};

/// Most values of a set.
const VALUES: usize = 3;

/// Adds the bounds, and the sets of few values.
pub(super) fn find(table: &Table, out: &mut Vec<Candidate>) {
    let mut arrays: BTreeMap<Lvalue, Vec<usize>> = BTreeMap::new();
    for c in table.columns(false).into_iter().filter(|c| table.places[*c].element) {
        if let Some(array) = array(&table.places[c].value) {
            arrays.entry(array).or_default().push(c);
        }
    }
    for columns in arrays.into_values() {
        let low = columns.iter().map(|c| table.ranges[*c].0).min().unwrap_or(0);
        let high = columns.iter().map(|c| table.ranges[*c].1).max().unwrap_or(0);
        let mut tell = |condition: &dyn Fn(usize) -> Expr| {
            let all = columns.iter().map(|c| Candidate::new(Kind::Element, condition(*c)));
            out.extend(all);
        };
        let (least, largest) = table.limits(columns[0]);
        let below = table.constants.range(..=low).next_back().filter(|b| **b > least);
        let above = table.constants.range(high..).next().filter(|b| **b < largest);
        if let Some(bound) = below {
            tell(&|c| compare(table, BinOp::Ge, c, *bound));
        }
        if let Some(bound) = above {
            tell(&|c| compare(table, BinOp::Le, c, *bound));
        }
        let values: BTreeSet<i128> =
            columns.iter().flat_map(|c| table.rows.iter().map(|row| row[*c])).collect();
        let seen = values.first() == Some(&low) && values.last() == Some(&high);
        if seen && (2..=VALUES).contains(&values.len()) && high - low >= values.len() as i128 {
            tell(&|c| {
                let is = |v: &i128| compare(table, BinOp::Eq, c, *v);
                values.iter().map(is).reduce(Expr::or).unwrap_or(Expr::truth(true))
            });
        }
    }
}

fn compare(table: &Table, op: BinOp, column: usize, number: i128) -> Expr {
    bounds::compare(table, op, &[(1, vec![column])], &[(number, vec![])])
}

/// The array of an element: its first element.
fn array(element: &Expr) -> Option<Lvalue> {
    let Expr::Load(lv) = element else { return None };
    let mut lv = Lvalue::clone(lv);
    let index = lv.path.iter_mut().find_map(|access| match access {
        Access::Index(index) => Some(index),
        Access::Field(..) => None,
    })?;
    *index = Expr::int(0);
    Some(lv)
}
