//! The end-to-end tests: the optimised binaries on the examples. One program, since each links the whole checker.

mod addresses;
mod adversary;
#[cfg(target_os = "linux")]
mod attacks;
mod bad_input;
mod c2bp;
mod checkers;
mod checks;
mod classics;
mod determinism;
mod documents;
mod engines;
mod entry;
mod escalation;
mod examples;
mod externs;
mod faults;
mod golden;
mod headers;
mod iterations;
mod library;
mod library_calls;
mod library_memory;
mod lives;
mod logs;
mod main_arguments;
mod many_checks;
mod misleading;
mod order;
mod pointed;
mod probe;
mod random_c;
mod results;
mod run;
mod trust;
mod unmodelled;
