//! Tests of newton: paths with known answers, and laws on random programs.

mod answers;
mod common;
mod paths;
mod refiners;
mod runs;
