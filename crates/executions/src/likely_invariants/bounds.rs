//! Bounds of places, of differences, sums and products: where the program has a number that fits what was seen.

use super::recorder::KEPT;
use super::relation::{Monomial, Terms, comparison};
use super::table::Table;
use super::{Candidate, Kind};
use ir::{BinOp, Expr};
use std::cmp::Ordering;

/// A head with fewer states has no bounds between places.
const FEWEST: usize = 6;

/// The largest number of the usual type.
const WORD: i128 = i32::MAX as i128;

/// Most places in sums and products with a third place.
const NEAR: usize = 8;

/// Adds the bounds, those of places that do not depend on others first, and those that were reached.
pub(super) fn find(table: &Table, free: &[usize], out: &mut Vec<Candidate>) {
    let mut columns = table.columns(false);
    columns.retain(|c| !table.is_constant(*c));
    columns.sort_by_key(|c| (!free.contains(c), !table.places[*c].near, *c));
    let mut found = vec![];
    for c in &columns {
        single(table, *c, &mut found);
    }
    add(found, Kind::Bound, out);
    if table.rows.len() < FEWEST {
        return;
    }
    let zone = Zone::new(table, &columns);
    add(zone.differences(free), Kind::Difference, out);
    add(guarded(table, &columns), Kind::Guarded, out);
    add(zone.sums(free), Kind::Sum, out);
    let is_near = |c: &usize| table.places[*c].near && !table.places[*c].is_extent();
    let near: Vec<usize> = columns.iter().copied().filter(is_near).take(NEAR).collect();
    add(multiples(table, &near), Kind::Multiple, out);
    let (mut sums, mut products) = (vec![], vec![]);
    for (i, x) in near.iter().enumerate() {
        for y in &near[i..] {
            for z in near.iter().filter(|z| *z != x && *z != y) {
                three(table, (*x, *y, *z), true, &mut sums);
                three(table, (*x, *y, *z), false, &mut products);
            }
        }
    }
    add(sums, Kind::Sum, out);
    add(products, Kind::Product, out);
}

/// A condition and how little it is worth.
type Ranked = (usize, Expr);

fn add(mut found: Vec<Ranked>, kind: Kind, out: &mut Vec<Candidate>) {
    found.sort_by_key(|(rank, _)| *rank);
    out.extend(found.into_iter().map(|(_, condition)| Candidate::new(kind, condition)));
}

/// The comparison of two sums of products and numbers.
pub(super) fn compare(
    table: &Table,
    op: BinOp,
    left: &[(i128, Monomial)],
    right: &[(i128, Monomial)],
) -> Expr {
    fn terms(list: &[(i128, Monomial)]) -> Terms<'_> {
        list.iter().filter(|(c, _)| *c != 0).map(|(c, m)| (*c, m)).collect()
    }
    comparison(table, op, &terms(left), &terms(right))
}

/// The least and the largest value of a place.
fn single(table: &Table, c: usize, found: &mut Vec<Ranked>) {
    let (low, high) = table.ranges[c];
    let (least, largest) = table.limits(c);
    let place = [(1, vec![c])];
    let mut tell = |op, bound: i128, reached: bool| {
        let condition = compare(table, op, &place, &[(bound, vec![])]);
        found.push((usize::from(!reached), condition));
    };
    if let Some(bound) = table.constants.range(..=low).next_back().filter(|b| **b > least) {
        tell(BinOp::Ge, *bound, *bound == low);
    }
    if let Some(bound) = table.constants.range(high..).next().filter(|b| **b < largest) {
        tell(BinOp::Le, *bound, *bound == high);
    }
}

/// The largest differences of places and what bounds their sums.
struct Zone<'a> {
    table: &'a Table,
    columns: &'a [usize],
    /// The largest difference of two of the columns.
    differences: Vec<Vec<i128>>,
    /// The least and the largest sum.
    sums: Vec<Vec<(i128, i128)>>,
}

impl Zone<'_> {
    fn new<'a>(table: &'a Table, columns: &'a [usize]) -> Zone<'a> {
        let n = columns.len();
        let mut differences = vec![vec![i128::MIN; n]; n];
        let mut sums = vec![vec![(i128::MAX, i128::MIN); n]; n];
        for row in &table.rows {
            for (i, x) in columns.iter().enumerate() {
                for (j, y) in columns.iter().enumerate() {
                    let (x, y) = (row[*x], row[*y]);
                    differences[i][j] = differences[i][j].max(x - y);
                    sums[i][j] = (sums[i][j].0.min(x + y), sums[i][j].1.max(x + y));
                }
            }
        }
        Zone { table, columns, differences, sums }
    }

    /// The bounds of differences that the program has numbers for. Those that follow from others come last.
    fn differences(&self, free: &[usize]) -> Vec<Ranked> {
        let n = self.columns.len();
        let has = |i: usize, j: usize| {
            let bound = self.differences[i][j];
            i != j && self.table.constants.contains(&bound) && !self.follows_from_ranges(i, j)
        };
        let mut found = vec![];
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| has(*i, *j)) {
            let bound = self.differences[i][j];
            if bound == -self.differences[j][i] {
                // An equality says so.
                continue;
            }
            let implied = (0..n)
                .any(|k| has(i, k) && has(k, j) && self.differences[i][k] + self.differences[k][j] <= bound);
            let (x, y) = (self.columns[i], self.columns[j]);
            let condition = match bound {
                -1 => compare(self.table, BinOp::Lt, &[(1, vec![x])], &[(1, vec![y])]),
                bound => compare(self.table, BinOp::Le, &[(1, vec![x])], &[(1, vec![y]), (bound, vec![])]),
            };
            let odd = usize::from(!(-1..=1).contains(&bound));
            found.push((self.rank((i, j), free) + 8 * usize::from(implied) + 2 * odd, condition));
        }
        found
    }

    /// The bounds of sums that the program has numbers for.
    fn sums(&self, free: &[usize]) -> Vec<Ranked> {
        let n = self.columns.len();
        let mut found = vec![];
        for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
            let (x, y) = (self.columns[i], self.columns[j]);
            let ((low_x, high_x), (low_y, high_y)) = (self.table.ranges[x], self.table.ranges[y]);
            let (low, high) = self.sums[i][j];
            if low == high || [x, y].iter().any(|c| self.table.places[*c].is_extent()) {
                continue;
            }
            for (op, bound, ranges) in [(BinOp::Le, high, high_x + high_y), (BinOp::Ge, low, low_x + low_y)] {
                if bound != ranges && self.table.constants.contains(&bound) {
                    let sum = [(1, vec![x]), (1, vec![y])];
                    let condition = compare(self.table, op, &sum, &[(bound, vec![])]);
                    found.push((self.rank((i, j), free), condition));
                }
            }
        }
        found
    }

    /// Whether the bounds of the two places say it too.
    fn follows_from_ranges(&self, i: usize, j: usize) -> bool {
        let (x, y) = (self.table.ranges[self.columns[i]], self.table.ranges[self.columns[j]]);
        let known = |v: i128| self.table.constants.contains(&v);
        known(x.1) && known(y.0) && x.1 - y.0 <= self.differences[i][j]
    }

    fn rank(&self, (i, j): (usize, usize), free: &[usize]) -> usize {
        let one = |n: usize| {
            let c = self.columns[n];
            2 * usize::from(!self.table.places[c].near) + usize::from(!free.contains(&c))
        };
        one(i) + one(j)
    }
}

/// Places that are at most others, but for states in which they have a certain value, as the counter of a loop at its
/// start, when the limit may be negative.
fn guarded(table: &Table, columns: &[usize]) -> Vec<Ranked> {
    let mut found = vec![];
    let whole = |c: &&usize| !table.places[**c].element;
    for x in columns.iter().filter(whole) {
        for y in columns.iter().filter(whole).filter(|y| *y != x) {
            let (exceptions, others): (Vec<&Vec<i128>>, Vec<&Vec<i128>>) =
                table.rows.iter().partition(|row| row[*x] > row[*y]);
            let Some(value) = exceptions.first().map(|row| row[*x]) else { continue };
            let is_one = exceptions.iter().all(|row| row[*x] == value) && table.constants.contains(&value);
            let reached = others.iter().filter(|row| row[*x] == row[*y] && row[*x] != value).count();
            if is_one && reached >= 2 {
                let usual = compare(table, BinOp::Le, &[(1, vec![*x])], &[(1, vec![*y])]);
                let exception = compare(table, BinOp::Eq, &[(1, vec![*x])], &[(value, vec![])]);
                found.push((KEPT.saturating_sub(reached), usual.or(exception)));
            }
        }
    }
    found
}

/// Upper bounds of places by constant multiples of others, which are never negative: sums of bounded numbers have
/// such bounds.
fn multiples(table: &Table, near: &[usize]) -> Vec<Ranked> {
    let mut found = vec![];
    for x in near {
        for y in near.iter().filter(|y| *y != x && table.ranges[**y].0 >= 0) {
            if table.ranges[*x].1 <= table.ranges[*y].1
                || table.rows.iter().any(|row| row[*y] == 0 && row[*x] > 0)
            {
                continue;
            }
            let fits = |c: &&i128| {
                **c > 1
                    && table.rows.iter().all(|row| c.checked_mul(row[*y]).is_some_and(|most| row[*x] <= most))
            };
            // What is added may be any number of the type.
            let wide = table.limits(*x).1 > WORD;
            for c in
                table.constants.iter().find(fits).into_iter().chain(Some(&WORD).filter(|c| wide && fits(c)))
            {
                let condition = compare(table, BinOp::Le, &[(1, vec![*x])], &[(*c, vec![*y])]);
                let counts = table.rows.iter().filter(|row| row[*y] > 0).count();
                found.push((KEPT.saturating_sub(counts), condition));
            }
        }
    }
    found
}

/// The sum or the product of two places beside a third one: where one is at most the other in all states, and both are
/// equal in some.
fn three(table: &Table, (x, y, z): (usize, usize, usize), adds: bool, found: &mut Vec<Ranked>) {
    let value = |row: &Vec<i128>| {
        if adds { row[x].checked_add(row[y]) } else { row[x].checked_mul(row[y]) }
    };
    let (mut less, mut equal, mut greater) = (0, 0, 0);
    for row in &table.rows {
        match value(row).map(|v| v.cmp(&row[z])) {
            Some(Ordering::Less) => less += 1,
            Some(Ordering::Equal) => equal += 1,
            Some(Ordering::Greater) => greater += 1,
            None => return,
        }
        if less > 0 && greater > 0 {
            return;
        }
    }
    // Where a factor or a summand is 0, it says little.
    let op = if less > 0 { BinOp::Le } else { BinOp::Ge };
    let telling = |row: &&Vec<i128>| {
        let trivial = if adds { 0 } else { 1 };
        value(row) == Some(row[z]) && row[x].abs() > trivial && row[y].abs() > trivial
    };
    let shown = table.rows.iter().filter(telling).count();
    if less + greater == 0 || equal < 2 || shown < 2 {
        return;
    }
    let left = match (adds, x == y) {
        (true, true) => vec![(2, vec![x])],
        (true, false) => vec![(1, vec![x]), (1, vec![y])],
        (false, _) => vec![(1, vec![x.min(y), x.max(y)])],
    };
    found.push((KEPT.saturating_sub(shown), compare(table, op, &left, &[(1, vec![z])])));
}
