//! The driver through its command line and its library. One program, since each links the whole checker.

mod batch;
mod command_line;
mod dataflow_commands;
mod effort;
mod kills;
mod nullness_runs;
#[cfg(target_os = "linux")]
mod replay;
