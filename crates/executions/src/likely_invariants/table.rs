//! The values that were recorded at one loop head.

use super::places::{Head, Place};
use ir::Type;
use std::collections::{BTreeMap, BTreeSet};

/// The values of some places in several states.
pub(super) struct Table {
    /// The places: those that had a value in each state.
    pub(super) places: Vec<Place>,
    /// Which of the head's places they are.
    pub(super) columns: Vec<usize>,
    /// One row for each state, all different, in a mixed order.
    pub(super) rows: Vec<Vec<i128>>,
    /// The least and the largest value of each place, in these states and others.
    pub(super) ranges: Vec<(i128, i128)>,
    /// Numbers of the program that may bound something.
    pub(super) constants: BTreeSet<i128>,
    /// The sizes of what the pointers among the places lead to.
    pub(super) sizes: BTreeMap<Type, i128>,
}

/// A step over rows that visits all of them.
const STRIDE: usize = 7919;

impl Table {
    /// The rows of those places that have a value in all of them.
    pub(super) fn new(head: &Head, rows: &[Vec<i128>], ranges: &[Option<(i128, i128)>]) -> Table {
        let columns: Vec<usize> = (0..head.places.len()).filter(|c| ranges[*c].is_some()).collect();
        let different: BTreeSet<Vec<i128>> =
            rows.iter().map(|row| columns.iter().map(|c| row[*c]).collect()).collect();
        let sorted: Vec<Vec<i128>> = different.into_iter().collect();
        let rows = (0..sorted.len()).map(|i| sorted[i * STRIDE % sorted.len()].clone()).collect();
        Table {
            places: columns.iter().map(|c| head.places[*c].clone()).collect(),
            rows,
            ranges: columns.iter().filter_map(|c| ranges[*c]).collect(),
            constants: head.constants.clone(),
            sizes: head.sizes.clone(),
            columns,
        }
    }

    /// The table of those states that a condition holds in.
    pub(super) fn part(&self, holds: &dyn Fn(&[i128]) -> bool) -> Table {
        let rows: Vec<Vec<i128>> = self.rows.iter().filter(|row| holds(row)).cloned().collect();
        let range = |c: usize| {
            let values = || rows.iter().map(|row| row[c]);
            (values().min().unwrap_or(0), values().max().unwrap_or(0))
        };
        Table {
            places: self.places.clone(),
            columns: self.columns.clone(),
            ranges: (0..self.places.len()).map(range).collect(),
            constants: self.constants.clone(),
            sizes: self.sizes.clone(),
            rows,
        }
    }

    /// The columns of integers, or of pointers.
    pub(super) fn columns(&self, pointers: bool) -> Vec<usize> {
        (0..self.places.len()).filter(|c| self.places[*c].value.ty().is_ptr() == pointers).collect()
    }

    /// Whether the place had one value only.
    pub(super) fn is_constant(&self, column: usize) -> bool {
        self.ranges[column].0 == self.ranges[column].1
    }

    /// How many different values these places had together, counted up to a number.
    pub(super) fn different(&self, columns: &[usize], enough: usize) -> usize {
        let mut seen = BTreeSet::new();
        for row in &self.rows {
            seen.insert(columns.iter().map(|c| row[*c]).collect::<Vec<i128>>());
            if seen.len() >= enough {
                break;
            }
        }
        seen.len()
    }

    /// The values of the type of an integer place.
    pub(super) fn limits(&self, column: usize) -> (i128, i128) {
        match self.places[column].value.ty() {
            Type::Int(int) => (int.min(), int.max()),
            _ => (i128::MIN, i128::MAX),
        }
    }
}
