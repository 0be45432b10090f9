//! Tests of the model checker and its command line.

mod commands;
mod flow;
mod golden;
mod reports;
mod slices;
mod stages;
mod stop;
mod twin;
