//! Tests of the language.

mod common;
mod dialects;
mod errors;
mod mutants;
mod page;
mod round_trip;
mod slices;
mod variable_order;
