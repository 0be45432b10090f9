//! How many bits of a number have been processed: in loops that shift a number, or clear its lowest bits, and count
//! their iterations, the lowest bits of the number are zero, or the highest.

use super::table::Table;
use super::{Candidate, Kind};
use ir::{BinOp, Expr, Type};

/// Fewest values of the counter, and of the number.
const FEWEST: usize = 4;

/// Adds the conditions; operands of shifts that are too large give 0.
pub(super) fn find(table: &Table, out: &mut Vec<Candidate>) {
    let near = |c: &usize| table.places[*c].near && !table.places[*c].element;
    let columns: Vec<usize> = table.columns(false).into_iter().filter(near).collect();
    for x in &columns {
        let Type::Int(int) = table.places[*x].value.ty() else { continue };
        let width = i128::from(int.bits);
        let numbers = |row: &Vec<i128>, n: usize| (row[*x], u32::try_from(row[n]).unwrap_or(0));
        for n in columns.iter().filter(|n| *n != x) {
            let (least, most) = table.ranges[*n];
            let is_counter = least >= 0 && most <= width && table.different(&[*n], FEWEST) >= FEWEST;
            if int.signed || int.bits > 64 || !is_counter || table.different(&[*x], FEWEST) < FEWEST {
                continue;
            }
            let rows = || table.rows.iter().map(|row| numbers(row, *n));
            let [number, count] = [*x, *n].map(|c| table.places[c].value.clone());
            let shift = |op, e: Expr| Expr::Binary(op, Box::new(e), Box::new(count.clone()), Type::Int(int));
            let mut found = vec![];
            if rows().all(|(x, n)| (x >> n) << n == x) {
                let back = shift(BinOp::Shl, shift(BinOp::Shr, number.clone()));
                found.push(Expr::binary(BinOp::Eq, back, number.clone()));
            }
            if rows().all(|(x, n)| x <= int.max() >> n) {
                let most = shift(BinOp::Shr, Expr::Const(int.max(), Type::Int(int)));
                found.push(Expr::binary(BinOp::Le, number, most));
            }
            if !found.is_empty() {
                let width = Expr::Const(width, count.ty());
                found.push(Expr::binary(BinOp::Le, count.clone(), width));
            }
            out.extend(found.into_iter().map(|condition| Candidate::new(Kind::Shift, condition)));
        }
    }
}
