//! Tests of the abstraction.

mod blocks;
mod brute_force;
mod calls;
mod calls_brute_force;
mod cartesian;
mod common;
// C files are read by the front end of the command line.
#[cfg(feature = "command-line")]
mod examples;
mod explain;
mod incremental;
mod predicates_file;
mod simulation;
mod slides;
mod text;
