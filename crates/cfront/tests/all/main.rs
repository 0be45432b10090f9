//! Tests of the front end.

mod agrees_with_gcc;
mod bytes;
mod checks_agree_with_sanitizers;
mod common;
mod constructs;
mod contracts;
mod csmith;
mod dates;
mod files;
mod floats;
mod generated;
mod generator;
mod harness;
mod layers;
mod library;
mod linkage;
mod lowering;
mod math;
mod mutants;
mod natively;
mod points_to;
mod projects;
mod refusals;
mod repairs;
mod runs;
mod written;
