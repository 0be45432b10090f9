//! Tests of the model checker and its command line.

mod commands;
mod flow;
mod golden;
mod parts;
mod reports;
mod stop;
mod twin;
