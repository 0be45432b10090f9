//! The driver through its command line and its library. One program, since each links the whole checker.

mod batch;
mod bounds_runs;
mod children;
mod command_line;
mod dataflow_commands;
mod effort;
mod files;
mod kills;
mod nullness_runs;
#[cfg(target_os = "linux")]
mod replay;
