//! What is known of one object or one place of memory that the run has picked and watches, as checks of lives and of values do
//! (`passes::checks`).

use super::table::Table;
use super::{Candidate, Kind};
use ir::{BinOp, Expr, Type, UnOp};
use std::cmp::Reverse;

/// Fewest states that support a candidate, and that it excludes.
const STATES: usize = 4;

/// Fewest states in which the watched place has the rarer value of a flag: what is not written yet is seen seldom.
const SELDOM: usize = 2;

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

/// How far a watched place in a pointer's object is behind the pointer as long as a flag has one value: at least a
/// multiple of an integer, or at least a constant; and that the distance is a whole number of elements. So a loop
/// that fills an object is described, one that uses it up, and what comes behind.
pub(super) fn places(table: &Table, out: &mut Vec<Candidate>) {
    let pointers = Pointer::of(table);
    let mut integers = table.columns(false);
    integers.retain(|c| {
        let place = &table.places[*c];
        place.near && !place.element && !place.is_extent() && !table.is_constant(*c)
    });
    let mut found: Vec<(usize, Expr)> = vec![];
    for p in &pointers {
        for q in pointers.iter().filter(|q| q.value != p.value) {
            if let Some(unit) = q.unit {
                pair(table, &integers, (p, q, unit), &mut found);
            }
        }
    }
    found.sort_by_key(|(count, _)| Reverse(*count));
    out.extend(found.into_iter().map(|(_, condition)| Candidate::new(Kind::Filled, condition)));
}

/// How far the first pointer is behind the second, to elements of `unit` bytes; with how many states each candidate
/// excludes.
fn pair(
    table: &Table,
    integers: &[usize],
    (p, q, unit): (&Pointer<'_>, &Pointer<'_>, i128),
    found: &mut Vec<(usize, Expr)>,
) {
    let is_in = |row: &&Vec<i128>| row[p.start] == row[q.start] && row[p.start] != 0;
    let rows: Vec<&Vec<i128>> = table.rows.iter().filter(is_in).collect();
    let known = found.len();
    let flags = integers.iter().copied().filter(|c| table.ranges[*c] == (0, 1));
    for (flag, value) in flags.flat_map(|c| [(c, 0), (c, 1)]) {
        let (such, others): (Vec<&Vec<i128>>, Vec<&Vec<i128>>) =
            rows.iter().partition(|row| row[flag] == value);
        if such.len() < SELDOM || others.len() < STATES {
            continue;
        }
        let behind = Behind { pointers: (p, q), such, others };
        let mut add = |least: &dyn Fn(&[i128]) -> Option<i128>, written: Expr| {
            if let Some(count) = behind.tells(least) {
                let place = &table.places[flag].value;
                let differs = Expr::binary(BinOp::Ne, place.clone(), Expr::Const(value, place.ty()));
                found.push((count, behind.at_least(table, differs, written)));
            }
        };
        for x in integers.iter().filter(|x| **x != flag) {
            for factor in behind.factors(*x, unit) {
                let times = Expr::Const(factor, Type::Math);
                let place = table.places[*x].value.clone().cast(Type::Math);
                add(&|row| row[*x].checked_mul(factor), Expr::binary(BinOp::Mul, times, place));
            }
        }
        let constant = behind.nearest().filter(|least| *least > 0);
        constant.into_iter().for_each(|least| add(&|_| Some(least), Expr::Const(least, Type::Math)));
    }
    let whole = |row: &&Vec<i128>| (row[p.before] - row[q.before]).rem_euclid(unit) == 0;
    if found.len() > known && unit > 1 && rows.iter().all(whole) {
        let rest = Expr::binary(BinOp::Rem, distance(table, (p, q)), Expr::Const(unit, Type::Math));
        let is_whole = Expr::binary(BinOp::Eq, rest, Expr::Const(0, Type::Math));
        found.push((usize::MAX, differ(table, (p, q)).or(is_whole)));
    }
}

/// A pointer whose place in its object is known.
struct Pointer<'a> {
    value: &'a Expr,
    /// The columns of where its object begins, and of the distance from there.
    start: usize,
    before: usize,
    /// The size of what it points to.
    unit: Option<i128>,
}

impl Pointer<'_> {
    fn of(table: &Table) -> Vec<Pointer<'_>> {
        let extent = |wanted: UnOp, pointer: &Expr| {
            let is =
                |value: &Expr| matches!(value, Expr::Unary(op, of, _) if *op == wanted && **of == *pointer);
            (0..table.places.len()).find(|c| is(&table.places[*c].value))
        };
        let known = |c: usize| {
            let value = &table.places[c].value;
            let (start, before) = (extent(UnOp::Start, value)?, extent(UnOp::Before(1), value)?);
            let unit = value.ty().pointee().and_then(|to| table.sizes.get(to).copied());
            Some(Pointer { value, start, before, unit })
        };
        table.columns(true).into_iter().filter_map(known).collect()
    }
}

/// How far one pointer is behind another one into the same object, in states to be described and in others.
struct Behind<'a> {
    pointers: (&'a Pointer<'a>, &'a Pointer<'a>),
    such: Vec<&'a Vec<i128>>,
    others: Vec<&'a Vec<i128>>,
}

impl Behind<'_> {
    fn distance(&self, row: &[i128]) -> i128 {
        row[self.pointers.0.before] - row[self.pointers.1.before]
    }

    /// The least distance in the states to be described.
    fn nearest(&self) -> Option<i128> {
        self.such.iter().map(|row| self.distance(row)).min()
    }

    /// How many times an integer the distance may be at least: once for each element, or as often as the states allow.
    fn factors(&self, x: usize, unit: i128) -> Vec<i128> {
        let above = self.such.iter().filter(|row| row[x] > 0);
        let least = above.map(|row| self.distance(row).div_euclid(row[x])).min();
        let most = least.map_or(unit, |least| least - least.rem_euclid(unit));
        if most > unit { vec![unit, most] } else { vec![unit] }
    }

    /// In how many of the other states the distance is less, when it is not in those to be described; `None` for few.
    fn tells(&self, least: &dyn Fn(&[i128]) -> Option<i128>) -> Option<usize> {
        let far = |row: &&Vec<i128>| least(row).is_some_and(|least| self.distance(row) >= least);
        let near = self.others.iter().filter(|row| !far(row)).count();
        (near >= STATES && self.such.iter().all(far)).then_some(near)
    }

    /// That the objects differ, or the states are others, or the distance is at least so large.
    fn at_least(&self, table: &Table, others: Expr, least: Expr) -> Expr {
        let far = Expr::binary(BinOp::Ge, distance(table, self.pointers), least);
        differ(table, self.pointers).or(others).or(far)
    }
}

/// That the two pointers lead to different objects.
fn differ(table: &Table, (p, q): (&Pointer<'_>, &Pointer<'_>)) -> Expr {
    let [p, q] = [p.start, q.start].map(|c| table.places[c].value.clone());
    Expr::binary(BinOp::Ne, p, q)
}

/// How far the first pointer is behind the second.
fn distance(table: &Table, (p, q): (&Pointer<'_>, &Pointer<'_>)) -> Expr {
    let [p, q] = [p.before, q.before].map(|c| table.places[c].value.clone().cast(Type::Math));
    Expr::binary(BinOp::Sub, p, q)
}
