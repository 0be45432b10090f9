//! Tests of the calculus, the translator, the algorithms and the command.

mod bluetooth;
mod calculus;
mod commands;
mod concurrent;
mod explicit;
mod explorer;
mod oracle;
mod ordered;
#[cfg(feature = "oxidd")]
#[path = "../../../crates/bdd/tests/all/oxidd_engine.rs"]
mod oxidd_engine;
mod sequential;
mod slices;
mod support;
