//! What all elements of an array in some range of indices have in common: that they are in order, at most or equal to a number, to
//! another place, to a multiple of their index, or to elements of another array (range predicates \[JM07\]). The ends of ranges
//! are numbers, places, and differences of places.

use super::Candidate;
use super::array_accesses::{ELEMENTS, Walked};
use super::conditional::Guard;
use super::recorder::Sample;
use super::table::Table;
use ir::{BinOp, Expr, Type, VarId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Most places that are ends of ranges or are compared with elements, and most of them whose differences are ends.
const PLACES: usize = 6;
const DIFFERENCES: usize = 3;

/// Most numbers that elements may be equal to, and most that may bound them from one side.
const NUMBERS: usize = 8;
const WEAKER: usize = 3;

/// Most ranges for one condition.
const RANGES: usize = 5;

/// Most ranges for one condition that lie in others.
const GROWING: usize = 2;

/// Most places at which the element is that others are compared with.
const AT: usize = 4;

/// Most multiples of indices, and the largest factor and number in them.
const LINES: usize = 3;
const NEAR: i128 = 16;

/// Fewest elements that were seen in a range, and fewest states with some.
const FEWEST: i128 = 4;
const STATES: usize = 2;

/// What is known of the head.
pub(super) struct Walk<'a> {
    pub(super) table: &'a Table,
    pub(super) walked: &'a Walked,
    pub(super) samples: &'a [Sample],
    /// Integer variables that can be bound.
    pub(super) variables: &'a [(VarId, Type)],
    /// Comparisons in the conditions of the loop.
    pub(super) guards: &'a [Guard],
}

/// The end of a range: a place less another one, and a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) plus: Option<usize>,
    pub(super) minus: Option<usize>,
    pub(super) number: i128,
}

/// A range in which a comparison held.
struct Found {
    from: End,
    to: End,
    /// How many elements were in it.
    seen: i128,
    /// The range in each state.
    ranges: Ranges,
}

/// What an element is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Other {
    Number(i128),
    Place(usize),
    /// The element before it.
    Before,
    /// The element of another array at the same index, or at a place less one less the index.
    Element(usize),
    Mirrored(usize, usize),
    /// A multiple of the index, and a number.
    Line(i128, i128),
    /// The element of the same array at a place and a number, where there is one.
    At(usize, i128),
}

impl Other {
    fn places(self) -> usize {
        usize::from(matches!(self, Other::Place(_) | Other::Mirrored(..) | Other::At(..)))
    }
}

/// Adds the conditions about ranges.
pub(super) fn find(walk: &Walk<'_>, out: &mut Vec<Candidate>) {
    let mut all: Vec<(usize, i128, Candidate)> = vec![];
    for array in 0..walk.walked.arrays.len() {
        let ends = walk.ends(array);
        // Ranges in which all elements are one number: there is nothing more to say of these.
        let mut constant: Vec<Ranges> = vec![];
        for (other, ops) in walk.others(array) {
            // Ranges in which they are equal, or differ.
            let (mut equal, mut different) = (constant.clone(), vec![]);
            for op in ops {
                let implied = if *op == BinOp::Ne { &different } else { &equal };
                let found = walk.ranges((array, *op, other), &ends, implied, &mut all);
                match op {
                    BinOp::Eq if matches!(other, Other::Number(_)) => constant.extend(found),
                    BinOp::Eq => equal.extend(found),
                    BinOp::Lt | BinOp::Gt => different.extend(found),
                    _ => {}
                }
            }
        }
    }
    all.sort_by_key(|(places, seen, _)| (*places, Reverse(*seen)));
    out.extend(all.into_iter().map(|(_, _, candidate)| candidate));
}

/// A range in each state.
type Ranges = Vec<(i128, i128)>;

/// Whether ranges lie in others.
fn lie_in(ranges: &Ranges, larger: &Ranges) -> bool {
    ranges.iter().zip(larger).all(|(a, b)| a.0 >= a.1 || b.0 <= a.0 && a.1 <= b.1)
}

const ORDER: &[BinOp] = &[BinOp::Eq, BinOp::Lt, BinOp::Gt, BinOp::Le, BinOp::Ge, BinOp::Ne];

impl Walk<'_> {
    /// The columns of places that are compared with elements.
    fn places(&self) -> impl Iterator<Item = usize> {
        let is_plain = |c: &usize| {
            let place = &self.table.places[*c];
            !place.element && matches!(place.value, Expr::Load(_))
        };
        self.table.columns(false).into_iter().filter(is_plain).take(PLACES)
    }

    /// The columns of places that are ends of ranges.
    pub(super) fn indices(&self) -> impl Iterator<Item = usize> {
        let is_index = |c: &usize| self.walked.indices.contains(&self.table.places[*c].value);
        self.table.columns(false).into_iter().filter(is_index).take(PLACES)
    }

    /// The ends of ranges of an array's indices; those that are simple first.
    fn ends(&self, array: usize) -> Vec<End> {
        let number = |number| End { plus: None, minus: None, number };
        let mut out = vec![number(0), number(1)];
        out.extend(self.walked.arrays[array].length.map(|length| number(length.into())));
        for number in [0, 1] {
            out.extend(self.indices().map(|p| End { plus: Some(p), minus: None, number }));
        }
        for p in self.indices().take(DIFFERENCES) {
            let others = self.indices().take(DIFFERENCES).filter(|q| *q != p);
            out.extend(others.map(|q| End { plus: Some(p), minus: Some(q), number: 0 }));
        }
        out
    }

    /// What the elements of an array may be compared with, and how.
    fn others(&self, array: usize) -> Vec<(Other, &'static [BinOp])> {
        let mut out = vec![];
        let elements = || self.samples.iter().flat_map(|s| s.arrays[array].iter().flatten().copied());
        let (low, high) = (elements().min().unwrap_or(0), elements().max().unwrap_or(0));
        let constants = &self.table.constants;
        let between: BTreeSet<i128> =
            constants.iter().filter(|c| (low..=high).contains(c)).copied().collect();
        out.extend(between.into_iter().take(NUMBERS).map(|n| {
            let ops = if n == 0 { &[BinOp::Eq][..] } else { &[BinOp::Eq, BinOp::Ne] };
            (Other::Number(n), ops)
        }));
        let below = constants.range(..=low).rev().take(WEAKER);
        out.extend(below.map(|n| (Other::Number(*n), &[BinOp::Ge][..])));
        let above = constants.range(high..).take(WEAKER);
        out.extend(above.map(|n| (Other::Number(*n), &[BinOp::Le][..])));
        out.push((Other::Number(0), &[BinOp::Ne, BinOp::Ge, BinOp::Le]));
        out.push((Other::Before, &ORDER[..5]));
        for p in self.places() {
            let is_integer = |ty: &Type| matches!(ty, Type::Int(_));
            let (ty, elements) = (self.table.places[p].value.ty(), self.walked.arrays[array].ty());
            let is_ordered = ty == *elements || is_integer(&ty) && is_integer(elements);
            out.push((Other::Place(p), if is_ordered { ORDER } else { SAME }));
        }
        for other in (0..self.walked.arrays.len()).filter(|other| *other != array) {
            out.push((Other::Element(other), SAME));
            out.extend(self.indices().map(|p| (Other::Mirrored(other, p), &SAME[..1])));
        }
        for p in self.indices().take(AT) {
            out.extend([0, -1, 1].map(|n| (Other::At(p, n), &[BinOp::Le, BinOp::Ge][..])));
        }
        let first = self.samples.iter().find_map(|s| s.arrays[array].first().copied().flatten());
        let near = first.filter(|c| c.abs() <= NEAR).map(|c| (1, c));
        out.extend(near.map(|(slope, c)| (Other::Line(slope, c), SAME)));
        let others = self.lines(array).filter(|line| Some(*line) != near);
        out.extend(others.map(|(slope, c)| (Other::Line(slope, c), &SAME[..1])));
        out
    }

    /// Multiples of the index with a number added, those first that most neighbours have in common.
    fn lines(&self, array: usize) -> impl Iterator<Item = (i128, i128)> {
        let mut counts: BTreeMap<(i128, i128), usize> = BTreeMap::new();
        for sample in self.samples {
            for (k, pair) in sample.arrays[array].windows(2).enumerate() {
                let &[Some(a), Some(b)] = pair else { continue };
                let (slope, at) = (b.saturating_sub(a), k as i128);
                let start = a.saturating_sub(slope.saturating_mul(at));
                if slope != 0 && slope.abs() <= NEAR && start.abs() <= NEAR {
                    *counts.entry((slope, start)).or_default() += 1;
                }
            }
        }
        let mut lines: Vec<_> = counts.into_iter().collect();
        lines.sort_by_key(|(_, count)| Reverse(*count));
        lines.into_iter().take(LINES).map(|(line, _)| line)
    }

    pub(super) fn end(&self, end: End, row: &[Option<i128>]) -> Option<i128> {
        let value = |column: Option<usize>| match column {
            None => Some(0),
            Some(column) => row[self.table.columns[column]],
        };
        value(end.plus)?.checked_sub(value(end.minus)?)?.checked_add(end.number)
    }

    /// Whether a comparison holds for the element at an index.
    fn holds(&self, sample: &Sample, (array, op, other): (usize, BinOp, Other), k: usize) -> Option<bool> {
        let elements = &sample.arrays[array];
        let of = |array: usize, index: i128| {
            sample.arrays[array].get(usize::try_from(index).ok()?).copied().flatten()
        };
        let element = elements[k]?;
        if let Other::Mirrored(_, p) = other
            && sample.row[self.table.columns[p]]? - 1 - k as i128 >= i128::from(ELEMENTS)
        {
            // That one was not examined.
            return Some(true);
        }
        let other = match other {
            Other::At(p, n) => match of(array, sample.row[self.table.columns[p]]? + n) {
                Some(element) => element,
                // There is none.
                None => return Some(true),
            },
            Other::Number(n) => n,
            Other::Place(p) => sample.row[self.table.columns[p]]?,
            Other::Before => of(array, k as i128 - 1)?,
            Other::Element(other) => of(other, k as i128)?,
            Other::Mirrored(other, p) => of(other, sample.row[self.table.columns[p]]? - 1 - k as i128)?,
            Other::Line(slope, n) => slope.checked_mul(k as i128)?.checked_add(n)?,
        };
        Some(match op {
            BinOp::Le => element <= other,
            BinOp::Ge => element >= other,
            BinOp::Lt => element < other,
            BinOp::Gt => element > other,
            BinOp::Eq => element == other,
            _ => element != other,
        })
    }

    /// Adds the largest ranges for a comparison, without those that lie in ranges where it is implied; returns them.
    fn ranges(
        &self,
        (array, op, other): (usize, BinOp, Other),
        ends: &[End],
        implied: &[Ranges],
        out: &mut Vec<(usize, i128, Candidate)>,
    ) -> Vec<Ranges> {
        // For each state the indices at which it fails, and how many elements were examined.
        let mut fails: Vec<(Vec<usize>, i128)> = vec![];
        for sample in self.samples {
            let count = sample.arrays[array].len();
            let failing = |k: &usize| self.holds(sample, (array, op, other), *k) != Some(true);
            fails.push(((0..count).filter(failing).collect(), count as i128));
        }
        let whole = i128::from(self.walked.arrays[array].looked_at());
        let mut found: Vec<Found> = vec![];
        for from in ends {
            for to in ends.iter().filter(|to| *to != from) {
                found.extend(self.range((*from, *to), &fails, whole));
            }
        }
        // The first of those that are alike is the simplest.
        found.sort_by_key(|f| Reverse(f.seen));
        let mut kept: Vec<&Found> = vec![];
        let mut growing = 0;
        for range in &found {
            let Found { from, to, seen, ranges } = range;
            let is_known = kept.iter().any(|f| lie_in(ranges, &f.ranges));
            // What holds of all elements may have to be shown of the first ones, as far as the loop has come.
            let first = from.plus.is_none() && from.number == 0;
            let grows = first && to.plus.is_some() && to.minus.is_none() && kept.iter().all(|f| f.to != *to);
            if implied.iter().any(|larger| lie_in(ranges, larger))
                || kept.len() >= RANGES
                || is_known && !(grows && growing < GROWING)
            {
                continue;
            }
            let Some(candidate) = self.candidate((*from, *to), array, op, other) else { continue };
            growing += usize::from(is_known);
            kept.push(range);
            let ends = [from.plus, from.minus, to.plus, to.minus];
            out.push((ends.iter().flatten().count() + other.places(), *seen, candidate));
        }
        kept.into_iter().map(|f| f.ranges.clone()).collect()
    }

    /// The range, if the comparison holds in all states.
    fn range(&self, (from, to): (End, End), fails: &[(Vec<usize>, i128)], whole: i128) -> Option<Found> {
        let (mut seen, mut states, mut ranges) = (0, 0, vec![]);
        for (sample, (fails, count)) in self.samples.iter().zip(fails) {
            let (least, end) = (self.end(from, &sample.row)?, self.end(to, &sample.row)?);
            ranges.push((least, end));
            // Of large arrays only the first elements are examined.
            let last = end.min(whole);
            if least >= last {
                continue;
            }
            let next = fails.iter().map(|k| *k as i128).find(|k| *k >= least);
            if least < 0 || last > *count || next.is_some_and(|k| k < last) {
                return None;
            }
            states += 1;
            seen += last - least;
        }
        let is_enough = seen >= FEWEST && states >= STATES && seen > states as i128;
        is_enough.then_some(Found { from, to, seen, ranges })
    }
}

const SAME: &[BinOp] = &[BinOp::Eq, BinOp::Le, BinOp::Ge];
