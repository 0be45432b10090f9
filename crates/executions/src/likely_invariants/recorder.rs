//! Notes the values at the heads of loops while a program is executed.

use super::array_accesses::Array;
use super::places::{Head, heads};
use super::ranges::Walk;
use super::table::Table;
use super::{Candidate, candidates};
use base::IndexVec;
use interp::{State, Value};
use ir::{Expr, LocId, PathStep, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Most states that are kept of one head.
pub(super) const KEPT: usize = 240;

/// Most states of which the contents of arrays are kept.
const SAMPLES: u64 = 120;

/// A state with the contents of arrays.
pub(super) struct Sample {
    /// The values of the head's places.
    pub(super) row: Vec<Option<i128>>,
    /// The first elements of each array that is walked, as far as they have values.
    pub(super) arrays: Vec<Vec<Option<i128>>>,
}

/// A head at which fewer states were seen says nothing.
const FEWEST: u64 = 3;

/// Records states at the heads of all loops of a program. It gets each step of an execution from
/// [`Inputs::observe`](interp::Inputs::observe).
pub struct Recorder {
    heads: Vec<((ProcId, LocId), Head, Kept)>,
    /// The number of the head at each location.
    numbers: IndexVec<ProcId, IndexVec<LocId, Option<usize>>>,
    /// The formals whose values at the entry are places.
    entries: IndexVec<ProcId, Vec<Expr>>,
    /// Their values in the open calls, by depth.
    open: Vec<Vec<Option<i128>>>,
}

/// What was recorded at one head.
struct Kept {
    rows: Vec<Vec<i128>>,
    known: BTreeSet<Vec<i128>>,
    /// The range of each place; nothing once a place had no value.
    ranges: Vec<Option<(i128, i128)>>,
    /// States so far.
    seen: u64,
    /// Visits in this execution.
    visits: u64,
    dice: u64,
    samples: Vec<Sample>,
}

impl Recorder {
    /// Of a program, without states so far.
    pub fn new(program: &Program) -> Recorder {
        let mut numbers: IndexVec<ProcId, IndexVec<LocId, Option<usize>>> = IndexVec::new();
        let mut entries = IndexVec::new();
        let found = heads(program);
        for (p, proc) in program.procs.iter_enumerated() {
            let mut formals = BTreeSet::new();
            for (_, head) in found.range((p, base::Id::from_index(0))..).take_while(|((q, _), _)| *q == p) {
                formals.extend(head.places.iter().filter_map(|place| match &place.value {
                    Expr::Old(inner) => Some((**inner).clone()),
                    _ => None,
                }));
            }
            entries.push(formals.into_iter().collect());
            numbers.push(IndexVec::from_elem(None, proc.locations.len()));
        }
        let mut list = vec![];
        for (n, ((p, at), head)) in found.into_iter().enumerate() {
            numbers[p][at] = Some(n);
            let kept = Kept::new(head.places.len());
            list.push(((p, at), head, kept));
        }
        Recorder { heads: list, numbers, entries, open: vec![] }
    }

    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// An execution begins.
    pub fn begin(&mut self) {
        self.open.clear();
        self.heads.iter_mut().for_each(|(_, _, kept)| kept.visits = 0);
    }

    /// Records the state behind a step, if it is at the head of a loop.
    pub fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        if let PathStep::Enter(_, _, callee) = step
            && !self.entries[callee].is_empty()
        {
            let values = self.entries[callee].iter().map(|e| integer(state, e)).collect();
            let depth = state.depth();
            if self.open.len() <= depth {
                self.open.resize(depth + 1, vec![]);
            }
            self.open[depth] = values;
        }
        let p = state.proc();
        let Some(number) = self.numbers[p][state.location()] else { return };
        let (_, head, kept) = &mut self.heads[number];
        kept.visits += 1;
        if is_taken(kept.visits) {
            let (formals, open) = (&self.entries[p], self.open.get(state.depth()));
            let old = |e: &Expr| {
                let n = formals.iter().position(|formal| formal == e)?;
                open.and_then(|values| values.get(n).copied().flatten())
            };
            let row = row(state, head, &kept.ranges, &old);
            if let Some(n) = kept.samples_at(head) {
                let arrays = head.walked.arrays.iter().map(|array| contents(state, array)).collect();
                let sample = Sample { row: row.clone(), arrays };
                match kept.samples.get_mut(n) {
                    Some(place) => *place = sample,
                    None => kept.samples.push(sample),
                }
            }
            kept.add(row);
        }
    }

    /// The conditions that all states at a head have in common, for each head that executions have reached.
    pub fn candidates(&self) -> BTreeMap<(ProcId, LocId), Vec<Candidate>> {
        let mut out = BTreeMap::new();
        for (at, head, kept) in self.heads.iter().filter(|(_, _, kept)| kept.seen >= FEWEST) {
            let table = Table::new(head, &kept.rows, &kept.ranges);
            let found = candidates(&Walk {
                table: &table,
                walked: &head.walked,
                samples: &kept.samples,
                variables: &head.variables,
                guards: &head.guards,
            });
            if !found.is_empty() {
                out.insert(*at, found);
            }
        }
        out
    }
}

/// The visits of an execution from which on two are recorded in a row: what is many turns apart may have more in common.
const LATE: u64 = 1 << 10;

/// Whether the state at this visit of an execution is recorded: all of the first, and some of the later ones.
fn is_taken(visit: u64) -> bool {
    visit < 16 || visit % (1 << (visit.ilog2() - 3)) < if visit < LATE { 1 } else { 2 }
}

/// An integer's value.
fn integer(state: &mut State<'_, '_>, e: &Expr) -> Option<i128> {
    match state.value(e) {
        Ok(Value::Int(v)) => Some(v),
        _ => None,
    }
}

/// The values of the head's places. Pointers are numbered as they come, NULL being 0: only whether they are equal
/// matters. A pointer whose object is gone is in none: where it began, and how far its ends were, is 0.
fn row(
    state: &mut State<'_, '_>,
    head: &Head,
    ranges: &[Option<(i128, i128)>],
    old: &dyn Fn(&Expr) -> Option<i128>,
) -> Vec<Option<i128>> {
    let mut pointers: Vec<Value> = vec![Value::Null];
    let mut number = |value: Value| {
        let known = pointers.iter().position(|other| *other == value);
        known.unwrap_or_else(|| {
            pointers.push(value);
            pointers.len() - 1
        }) as i128
    };
    let places = head.places.iter().zip(ranges);
    places
        .map(|(place, range)| match &place.value {
            _ if range.is_none() => None,
            Expr::Old(e) => old(e),
            e => match state.value(e) {
                Ok(value) if e.ty().is_ptr() => Some(number(value)),
                Ok(Value::Int(v)) => Some(v),
                _ => place.extent_of().and_then(|pointer| state.value(pointer).ok()).map(|_| 0),
            },
        })
        .collect()
}

/// The first elements of an array, those behind the last that has a value left out.
fn contents(state: &mut State<'_, '_>, array: &Array) -> Vec<Option<i128>> {
    let elements = 0..i128::from(array.looked_at());
    let mut out: Vec<Option<i128>> = elements.map(|k| integer(state, &array.element(Expr::int(k)))).collect();
    while out.last() == Some(&None) {
        out.pop();
    }
    out
}

impl Kept {
    fn new(places: usize) -> Kept {
        // An empty range, which takes in what comes.
        let ranges = vec![Some((i128::MAX, i128::MIN)); places];
        Kept {
            rows: vec![],
            known: BTreeSet::new(),
            ranges,
            seen: 0,
            visits: 0,
            dice: 0x9e37_79b9_7f4a_7c15,
            samples: vec![],
        }
    }

    /// A number below that of the states so far.
    fn draw(&mut self) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice % self.seen.max(1)
    }

    /// Which sample is to be this state, if one is.
    fn samples_at(&mut self, head: &Head) -> Option<usize> {
        if head.walked.arrays.is_empty() {
            return None;
        }
        let n = if self.seen < SAMPLES { self.seen } else { self.draw() };
        (n < SAMPLES).then_some(n as usize)
    }

    /// Keeps the row, or leaves it to chance where there are many.
    fn add(&mut self, row: Vec<Option<i128>>) {
        self.seen += 1;
        for (range, value) in self.ranges.iter_mut().zip(&row) {
            *range = range.and_then(|(low, high)| value.map(|v| (low.min(v), high.max(v))));
        }
        let row: Vec<i128> = row.into_iter().map(|v| v.unwrap_or(0)).collect();
        if self.known.contains(&row) {
            return;
        }
        if self.rows.len() < KEPT {
            self.known.insert(row.clone());
            return self.rows.push(row);
        }
        let n = self.draw() as usize;
        if n < KEPT {
            self.known.insert(row.clone());
            let before = std::mem::replace(&mut self.rows[n], row);
            self.known.remove(&before);
        }
    }
}
