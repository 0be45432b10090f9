//! Conditions other than arithmetic between places: on pointers, sets of few values, remainders of divisions.

use super::algebra::gcd;
use super::table::Table;
use super::{Candidate, Kind};
use ir::{BinOp, Expr, Type};
use std::collections::BTreeSet;

/// Most values of a set.
const VALUES: usize = 3;

/// Fewest different values of a place whose rests say something.
const FEWEST: usize = 4;

/// Fewest states in which two pointers are equal.
const STATES: usize = 4;

/// Pointers that are always NULL or never, and pairs that are equal.
pub(super) fn pointers(table: &Table, out: &mut Vec<Candidate>) {
    let mut columns = table.columns(true);
    columns.retain(|c| !table.places[*c].is_extent());
    let mut add = |condition| out.push(Candidate::new(Kind::Pointer, condition));
    let always = |c: usize| table.rows.iter().all(|row| row[c] == 0);
    let never = |c: usize| table.rows.iter().all(|row| row[c] != 0);
    for c in &columns {
        let value = &table.places[*c].value;
        let null = Expr::Const(0, value.ty());
        if never(*c) {
            add(Expr::binary(BinOp::Ne, value.clone(), null));
        } else if always(*c) {
            add(Expr::binary(BinOp::Eq, value.clone(), null));
        }
    }
    for (i, x) in columns.iter().enumerate() {
        for y in &columns[i + 1..] {
            let (p, q) = (&table.places[*x].value, &table.places[*y].value);
            let equal = table.rows.iter().all(|row| row[*x] == row[*y]);
            if equal && p.ty() == q.ty() && !always(*x) && table.rows.len() >= STATES {
                add(Expr::binary(BinOp::Eq, p.clone(), q.clone()));
            }
        }
    }
}

/// Places with few values, all of them numbers of the program.
pub(super) fn values(table: &Table, free: &[usize], out: &mut Vec<Candidate>) {
    for c in free {
        let values: BTreeSet<i128> = table.rows.iter().map(|row| row[*c]).collect();
        let (low, high) = table.ranges[*c];
        let seen = values.first() == Some(&low) && values.last() == Some(&high);
        let few = (2..=VALUES).contains(&values.len()) && table.rows.len() > 2 * values.len();
        // Bounds say it of numbers in a row.
        let gaps = high - low >= values.len() as i128;
        if seen && few && gaps && values.is_subset(&table.constants) {
            let place = &table.places[*c].value;
            let is = |v: &i128| Expr::binary(BinOp::Eq, place.clone(), Expr::Const(*v, place.ty()));
            let condition = values.iter().map(is).reduce(Expr::or);
            out.extend(condition.map(|condition| Candidate::new(Kind::Values, condition)));
        }
    }
}

/// Places that have one rest when divided by a small number. C's rest of a negative number is negative: other rests than
/// 0 are for those that are never negative.
pub(super) fn congruences(table: &Table, free: &[usize], out: &mut Vec<Candidate>) {
    for c in free {
        let (low, _) = table.ranges[*c];
        let step = table.rows.iter().fold(0, |g, row| gcd(g, row[*c] - low));
        if table.places[*c].is_extent() || table.different(&[*c], FEWEST) < FEWEST {
            continue;
        }
        // A number says what its divisors say.
        let moduli: Vec<i128> = (2..=10).filter(|m| step % m == 0).collect();
        for m in moduli.iter().filter(|m| !moduli.iter().any(|n| n > m && n % **m == 0)) {
            let rest = low.rem_euclid(*m);
            if rest == 0 || low >= 0 {
                let number = |v| Expr::Const(v, Type::Math);
                let value = table.places[*c].value.clone().cast(Type::Math);
                let rem = Expr::binary(BinOp::Rem, value, number(*m));
                let condition = Expr::binary(BinOp::Eq, rem, number(rest));
                out.push(Candidate::new(Kind::Congruence, condition));
            }
        }
    }
}
