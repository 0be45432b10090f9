//! What is known of one object or one place of memory that the run has picked and watches, as checks of lives and of values do
//! (`cmm::instrument`).

use super::table::Table;
use super::{Candidate, Kind};
use cmm::{BinOp, Expr, Type, UnOp};
use std::cmp::Reverse;

/// Fewest states that speak for a candidate, and that it tells from others.
const STATES: usize = 4;

/// Bounds of integers that hold whenever two pointers are equal and not NULL, but not always: what is known of the object that a
/// pointer leads to where another one watches it. Those first that most states do not have.
pub(super) fn objects(table: &Table, out: &mut Vec<Candidate>) {
    let mut pointers = table.columns(true);
    pointers.retain(|c| !table.places[*c].is_extent());
    let mut integers = table.columns(false);
    integers.retain(|c| table.places[*c].near && !table.places[*c].element && !table.is_constant(*c));
    let mut found: Vec<(usize, Expr)> = vec![];
    for (i, x) in pointers.iter().enumerate() {
        for y in &pointers[i + 1..] {
            let (equal, others): (Vec<&Vec<i128>>, Vec<&Vec<i128>>) =
                table.rows.iter().partition(|row| row[*x] == row[*y] && row[*x] != 0);
            if equal.len() < STATES {
                continue;
            }
            let [p, q] = [x, y].map(|c| table.places[*c].value.clone().cast(Type::Void.ptr_to()));
            let none = Expr::binary(BinOp::Eq, p.clone(), Expr::Const(0, p.ty()));
            let differ = Expr::binary(BinOp::Ne, p, q).or(none);
            for c in &integers {
                let values = || equal.iter().map(|row| row[*c]);
                let least = values().min().and_then(|v| table.constants.range(..=v).next_back());
                let largest = values().max().and_then(|v| table.constants.range(v..).next());
                for (op, bound) in [(BinOp::Ge, least), (BinOp::Le, largest)] {
                    let Some(bound) = bound else { continue };
                    let outside = |v: i128| if op == BinOp::Ge { v < *bound } else { v > *bound };
                    let count = others.iter().filter(|row| outside(row[*c])).count();
                    if count >= STATES {
                        let place = &table.places[*c].value;
                        let bounded = Expr::binary(op, place.clone(), Expr::Const(*bound, place.ty()));
                        found.push((count, differ.clone().or(bounded)));
                    }
                }
            }
        }
    }
    found.sort_by_key(|(count, _)| Reverse(*count));
    out.extend(found.into_iter().map(|(_, condition)| Candidate::new(Kind::Watched, condition)));
}

/// How far a watched place in a pointer's object is behind the pointer as long as a flag has one value: at least so many elements
/// as an integer says. So a loop that fills an object is described, and one that uses it up.
pub(super) fn places(table: &Table, out: &mut Vec<Candidate>) {
    let extent = |wanted: UnOp, pointer: &Expr| {
        let is = |value: &Expr| matches!(value, Expr::Unary(op, of, _) if *op == wanted && **of == *pointer);
        (0..table.places.len()).find(|c| is(&table.places[*c].value))
    };
    let pointers: Vec<(usize, usize, &Expr)> = (table.columns(true).into_iter())
        .filter_map(|c| {
            let pointer = &table.places[c].value;
            Some((extent(UnOp::Start, pointer)?, extent(UnOp::Before(1), pointer)?, pointer))
        })
        .collect();
    let mut integers = table.columns(false);
    integers.retain(|c| {
        let place = &table.places[*c];
        place.near && !place.element && !place.is_extent() && !table.is_constant(*c)
    });
    let is_flag = |c: &usize| table.ranges[*c] == (0, 1);
    let mut found: Vec<(usize, Expr)> = vec![];
    for (start_p, before_p, p) in &pointers {
        for (start_q, before_q, q) in pointers.iter().filter(|(_, _, q)| q != p) {
            let Some(unit) = q.ty().pointee().and_then(|to| table.sizes.get(to).copied()) else { continue };
            let is_in = |row: &&Vec<i128>| row[*start_p] == row[*start_q] && row[*start_p] != 0;
            let rows: Vec<&Vec<i128>> = table.rows.iter().filter(is_in).collect();
            for (flag, value) in integers.iter().copied().filter(is_flag).flat_map(|c| [(c, 0), (c, 1)]) {
                let (such, others): (Vec<&Vec<i128>>, Vec<&Vec<i128>>) =
                    rows.iter().partition(|row| row[flag] == value);
                if such.len() < STATES || others.len() < STATES {
                    continue;
                }
                for x in integers.iter().filter(|x| **x != flag) {
                    let far = |row: &&Vec<i128>| {
                        let elements = row[*x].checked_mul(unit);
                        elements.is_some_and(|least| row[*before_p] - row[*before_q] >= least)
                    };
                    let near = others.iter().filter(|row| !far(row)).count();
                    if near < STATES || !such.iter().all(far) {
                        continue;
                    }
                    let math = |c: usize| table.places[c].value.clone().cast(Type::Math);
                    let distance = Expr::binary(BinOp::Sub, math(*before_p), math(*before_q));
                    let least = Expr::binary(BinOp::Mul, Expr::Const(unit, Type::Math), math(*x));
                    let [start, other] = [start_p, start_q].map(|c| table.places[*c].value.clone());
                    let place = &table.places[flag].value;
                    let differs = Expr::binary(BinOp::Ne, place.clone(), Expr::Const(value, place.ty()));
                    let condition = Expr::binary(BinOp::Ne, start, other).or(differs).or(Expr::binary(
                        BinOp::Ge,
                        distance,
                        least,
                    ));
                    found.push((near, condition));
                }
            }
        }
    }
    found.sort_by_key(|(count, _)| Reverse(*count));
    out.extend(found.into_iter().map(|(_, condition)| Candidate::new(Kind::Filled, condition)));
}
