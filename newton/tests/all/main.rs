//! Tests of newton: paths with known answers, and laws on random programs.

#![allow(clippy::print_stderr, reason = "laws tell how much they have tried")]

mod answers;
mod common;
mod induction;
mod paths;
mod refiners;
mod runs;
mod unroll;
