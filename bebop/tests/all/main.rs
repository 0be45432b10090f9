//! Tests of the model checker and its command line.

mod commands;
mod flow;
mod golden;
#[cfg(feature = "oxidd")]
#[path = "../../../crates/bdd/tests/all/oxidd_engine.rs"]
mod oxidd_engine;
mod reports;
mod slices;
mod stages;
mod stop;
mod twin;
