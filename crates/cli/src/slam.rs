//! The command line of `slam`.

use crate::options::{FrontEnd, Limits, Output};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Checks safety of C files by predicate abstraction and refinement.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "slam",
    disable_version_flag = true,
    subcommand_required = false,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 usage, 2 input refused, 6 internal error."
)]
pub struct Slam {
    /// Print the version; with --verbose also the prover's
    #[arg(short = 'V', long)]
    pub version: bool,
    /// With --version: more
    #[arg(short = 'v', long, requires = "version")]
    pub verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What `slam` can do.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Decide whether any execution of the program fails a check
    Check(Box<Check>),
    /// Print the program in C--, the intermediate form
    Cmm(Text),
    /// Print the control-flow graphs
    Cfg(Graph),
    /// Print what pointers can point to
    PointsTo(PointsTo),
    /// Tell for each dereference whether its pointer is NULL: never, always or possibly
    Nullness(Box<Nullness>),
    /// Print the solution of a dataflow problem that is written as a boolean program
    Dataflow(Dataflow),
    /// Execute the program in the interpreter
    Run(Run),
}

/// `slam check`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam check lock.c
  slam check -v --time-limit 30s -I include driver.c
  slam check --save out --predicates known.preds driver.c

Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 usage, 2 input refused, 6 internal error.")]
pub struct Check {
    /// C files (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How C files are read.
    #[command(flatten)]
    pub front_end: FrontEnd,
    /// What is done before the loop.
    #[command(flatten)]
    pub preparation: Preparation,
    /// The loop's options.
    #[command(flatten)]
    pub refinement: Refinement,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
    /// Write the result as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write each iteration's predicates, boolean program, trace and refinement below this directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write the final predicates to this file, in the form that --predicates reads
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub dump_predicates: Option<PathBuf>,
}

/// What is found out about the program, and what is taken away, before the loop.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Memory and slicing")]
pub struct Preparation {
    /// How it is found out what pointers can point to
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub alias: Alias,
    /// Keep procedures and statements that cannot influence a check
    #[arg(long)]
    pub no_slice: bool,
    /// Read variables that are known to hold a constant or a copy, instead of what they hold
    #[arg(long)]
    pub no_propagate: bool,
}

/// Points-to analyses, from coarse to fine.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Alias {
    /// Everything whose address is taken may alias
    None,
    /// One-level flow: directional at the top level of pointers, unification below
    #[default]
    Das,
    /// Directional at all levels (slower)
    Andersen,
}

/// Options of the abstraction-refinement loop.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Abstraction and refinement")]
pub struct Refinement {
    /// Start with the predicates in this file
    #[arg(long, value_name = "FILE")]
    pub predicates: Option<PathBuf>,
    /// Keep the prover's answers about the abstraction in this file, for later runs
    #[arg(long, value_name = "FILE")]
    pub query_cache: Option<PathBuf>,
    /// How predicates are found
    #[arg(long, value_enum, default_value_t)]
    pub refiner: Refiner,
    /// Longest conjunction of predicates that the abstraction tries
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub max_cube: usize,
    /// Stop after this many iterations
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_iterations: usize,
    /// How integers are modelled
    #[arg(long, value_enum, default_value_t)]
    pub integers: Integers,
    /// Whether a few concrete executions are tried first
    #[arg(long, value_name = "WHETHER", value_enum, default_value_t)]
    pub probe: Switch,
}

/// How predicates are found.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Refiner {
    /// Each of the others in turn
    #[default]
    Auto,
    /// Weakest preconditions over the core of the path
    Wp,
    /// Strongest postconditions over the core of the path
    Sp,
    /// Weakest preconditions over the whole path
    WpAll,
    /// Invariants of the loops on the path
    Loops,
}

/// How integers are modelled.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Integers {
    /// Mathematical integers, unless the program works on bits
    #[default]
    Auto,
    /// Mathematical integers in their types' ranges
    Math,
    /// Bit-vectors
    Bits,
}

impl Integers {
    /// The mode that is asked for, one of these two; `None` when it is left to the tool.
    pub fn wish<T>(self, math: T, bits: T) -> Option<T> {
        match self {
            Integers::Auto => None,
            Integers::Math => Some(math),
            Integers::Bits => Some(bits),
        }
    }
}

/// On or off.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Switch {
    /// Yes
    #[default]
    On,
    /// No
    Off,
}

/// Commands that print an intermediate result.
#[derive(Args, Clone, Debug)]
pub struct Show {
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

/// `slam cmm`.
#[derive(Args, Clone, Debug)]
pub struct Text {
    /// What to show.
    #[command(flatten)]
    pub show: Show,
    /// As the loop gets it: calls through pointers resolved, sliced, constants and copies propagated
    #[arg(long)]
    pub sliced: bool,
}

/// `slam cfg`.
#[derive(Args, Clone, Debug)]
pub struct Graph {
    /// What to show.
    #[command(flatten)]
    pub text: Text,
    /// In the language of Graphviz
    #[arg(long)]
    pub dot: bool,
}

/// `slam points-to`.
#[derive(Args, Clone, Debug)]
pub struct PointsTo {
    /// What to show.
    #[command(flatten)]
    pub show: Show,
    /// How it is found out
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub alias: Alias,
    /// In the language of Graphviz
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
6 internal error.")]
pub struct Nullness {
    /// What to analyse.
    #[command(flatten)]
    pub show: Show,
    /// How it is found out what pointers can point to
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub alias: Alias,
    /// Look at each pointer by itself where paths meet, and show what that loses
    #[arg(long)]
    pub flow_sensitive: bool,
    /// Print paths to this many dereferences that may be of NULL
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

Exit codes: 0 done, 5 a limit is reached, 1 usage, 2 input refused, 6 internal error.")]
pub struct Dataflow {
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// Look at each variable by itself where paths meet
    #[arg(long)]
    pub flow_sensitive: bool,
    /// Only this label, L or PROCEDURE:L
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
undefined, 5 the step limit is reached or something is not modelled, 1 usage, 2 input refused, 6 internal error.")]
pub struct Run {
    /// What to execute.
    #[command(flatten)]
    pub show: Show,
    /// Inputs are drawn from this seed; 0 makes every input zero
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "inputs")]
    pub seed: u64,
    /// Inputs are the values in this file
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// Write how it ended, the checks reached and the inputs drawn as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub step_limit: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Slam::command().debug_assert();
    }
}
