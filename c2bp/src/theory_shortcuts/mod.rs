//! Decisions without a prover: comparisons with numerals as ranges, differences of integers as negative cycles.

pub(crate) mod differences;
pub(crate) mod ranges;
pub(crate) mod shapes;
pub(crate) mod syntax;
