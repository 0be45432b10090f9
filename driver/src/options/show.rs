//! The options of the commands that show or execute a program.

use super::ALIASES;
use alias::AliasMode;
use clap::Args;
use cli::options::choice;
use cli::{FrontEnd, Limits, Output};
use std::path::PathBuf;

/// Commands that print an intermediate result.
#[derive(Args, Clone, Debug)]
pub(crate) struct Show {
    /// C files (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How C files are read.
    #[command(flatten)]
    pub front_end: FrontEnd,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
}

/// `slam harness`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam harness --entry push stack.c
  slam harness --entry push,pop -o main.c stack.c
  slam harness --environment driver.env -o main.c driver.c
  slam check --entry slam_harness main.c

The text includes the files; it can be read, changed, and checked in their place.

Exit codes: 0 done, 1 usage, 2 input refused, 7 not written.")]
pub(crate) struct Harness {
    /// What to show.
    #[command(flatten)]
    pub show: Show,
    /// Write the C text to this file
    #[arg(short = 'o', long = "output", value_name = "MAIN.c", help_heading = "Output")]
    pub output: Option<PathBuf>,
}

/// `slam cmm`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Text {
    /// What to show.
    #[command(flatten)]
    pub show: Show,
    /// Print the program as the loop gets it: calls through pointers resolved, sliced, constants and copies propagated
    #[arg(long)]
    pub sliced: bool,
}

/// `slam cfg`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Graph {
    /// What to show.
    #[command(flatten)]
    pub text: Text,
    /// Print it in the language of Graphviz
    #[arg(long)]
    pub dot: bool,
}

/// `slam points-to`.
#[derive(Args, Clone, Debug)]
pub(crate) struct PointsTo {
    /// What to show.
    #[command(flatten)]
    pub show: Show,
    /// Points-to analysis to use
    #[arg(long, value_name = "HOW", default_value = "das", value_parser = choice(ALIASES))]
    pub alias: AliasMode,
    /// Print it in the language of Graphviz
    #[arg(long)]
    pub dot: bool,
}

/// `slam nullness`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam nullness list.c
  slam nullness --flow-sensitive list.c
  slam nullness -o list.bp --json list.json list.c

Exit codes: 0 no dereference can be of NULL, 5 some may be or it is not known, 1 usage, 2 input refused,
6 internal error, 7 result not written.")]
pub(crate) struct Nullness {
    /// What to analyse.
    #[command(flatten)]
    pub show: Show,
    /// Points-to analysis to use
    #[arg(long, value_name = "HOW", default_value = "das", value_parser = choice(ALIASES))]
    pub alias: AliasMode,
    /// Join each pointer by itself where paths meet, and show the loss of precision
    #[arg(long)]
    pub flow_sensitive: bool,
    /// Number of possible NULL dereferences to print paths to
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub paths: usize,
    /// Write the boolean program to this file
    #[arg(short = 'o', long = "save", value_name = "FILE.bp", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write the result as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// `slam dataflow`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam dataflow init.bp
  slam dataflow --flow-sensitive --json init.json init.bp

For each label, assertion and end of a procedure: the states in which it is reached, as a sum of products of variables;
with --flow-sensitive the value of each variable, 1, 0 or *.

Exit codes: 0 done, 5 a limit is reached, 1 usage, 2 input refused, 6 internal error, 7 result not written.")]
pub(crate) struct Dataflow {
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// Join each variable by itself where paths meet
    #[arg(long)]
    pub flow_sensitive: bool,
    /// Report only on this label, L or PROCEDURE:L
    #[arg(long, value_name = "LABEL")]
    pub label: Vec<String>,
    /// Write the result as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
}

/// `slam run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam run prog.c
  slam run --seed 7 --json result.json prog.c
  slam run --inputs result.json prog.c

Inputs are whatever the program does not determine: results of nondeterminism functions and of functions without
body, uninitialised memory that is read, arguments of the entry function. A file of inputs has one value a line, in
the order drawn: -3, 0x1f, 2.5, NULL, or `new 16` for a pointer to a new object of 16 zero bytes; what follows a #
is a remark. The file that --json writes is taken as well. When the values are used up, zeros follow.

Exit codes: the program's own (134 when it calls abort); 10 a check fails, 11 the program does what C leaves
undefined, 5 the step limit is reached or something is not modelled, 1 usage, 2 input refused, 6 internal error,
7 result not written.")]
pub(crate) struct Run {
    /// What to execute.
    #[command(flatten)]
    pub show: Show,
    /// Seed for random inputs; 0 makes every input zero
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "inputs")]
    pub seed: u64,
    /// Read the inputs from this file
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// Write the outcome, the checks reached and the inputs drawn as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub step_limit: u64,
    /// Arguments of main, after the program's name
    #[arg(last = true, value_name = "ARGUMENT")]
    pub arguments: Option<Vec<std::ffi::OsString>>,
}
