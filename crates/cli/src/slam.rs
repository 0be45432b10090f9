//! The command line of `slam`.

use crate::options::{FrontEnd, Limits, Output, Usage};
use clap::parser::ValueSource;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Checks safety of C files by predicate abstraction and refinement.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "slam",
    disable_version_flag = true,
    subcommand_required = false,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 usage, 2 input refused, 6 internal error, 7 result not written."
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
    /// Check many tasks, each in a process of its own, and show one table
    Batch(Box<Batch>),
    /// Check the certificate that `slam check --json` wrote for a safe program
    Certify(Box<Certify>),
    /// Repeat the error that `slam check --json` wrote, by a compiled program
    Replay(Box<Replay>),
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
  slam check --check-all --check all parser.c
  slam check --only 120 --only list.c:44 parser.c

Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 usage, 2 input refused, 6 internal error, 7 result not written.")]
pub struct Check {
    /// C files (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How C files are read.
    #[command(flatten)]
    pub front_end: FrontEnd,
    /// Which checks are decided.
    #[command(flatten)]
    pub selection: Selection,
    /// What is done before the loop.
    #[command(flatten)]
    pub preparation: Preparation,
    /// The loop's options.
    #[command(flatten)]
    pub refinement: Refinement,
    /// Check the proof of a safe program once more, without the abstraction
    #[arg(long, help_heading = "Abstraction and refinement")]
    pub certify: bool,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
    /// Tell more about an answer that is UNKNOWN: what was tried, where it got stuck, what to try next
    #[arg(long, help_heading = "Output")]
    pub explain_unknown: bool,
    /// Write the result as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write a C file with the inputs of the error, for a compiled program, to this file
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub harness: Option<PathBuf>,
    /// Write each iteration's predicates, boolean program, trace and refinement below this directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write the final predicates to this file, in the form that --predicates reads
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub dump_predicates: Option<PathBuf>,
}

/// `slam batch`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("files", |files| files.value_name("TASK").help(
        "C files, task definitions (.yml), folders, and lists of tasks (.set, .txt: a path or a pattern a line)"
    )),
    after_help = "Examples:
  slam batch --time-limit 20s --jobs 4 examples
  slam batch --out results.jsonl --property unreach-call.prp ReachSafety-Loops.set
  slam batch --check overflow src/*.c

Options of `slam check` mean the same for each task; the limits are those of one task. The file of --out gets one line
of JSON for each task as it ends; tasks that it has already, with the same options and the same files, are not checked
again.

Exit codes: 0 all are safe, 10 some are unsafe, 5 some are unknown or the batch was interrupted, 1 usage, 2 some input
was refused, 6 internal error, 7 result not written."
)]
pub struct Batch {
    /// What is checked, and how.
    #[command(flatten)]
    pub check: Check,
    /// Tasks at the same time; 0 means one a processor
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Batch")]
    pub jobs: usize,
    /// Append each task's result to this file, and take the results that it has
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Batch")]
    pub out: Option<PathBuf>,
    /// Take no results from the file of --out: empty it and begin anew
    #[arg(long, requires = "out", help_heading = "Batch")]
    pub fresh: bool,
}

/// Options that belong to a whole batch, or that name one file for one result.
const NOT_PASSED: [&str; 7] = ["files", "json", "save", "dump_predicates", "harness", "stats", "quiet"];

/// The options of a `slam batch` command line, as `slam check` takes them for each task.
///
/// # Errors
/// What is wrong with the command line.
pub fn options_for_check(args: &[OsString]) -> Result<Vec<OsString>, Usage> {
    let matches = crate::options::matches(Slam::command(), args)?;
    let Some(("batch", given)) = matches.subcommand() else { return Ok(vec![]) };
    let check = Check::augment_args(clap::Command::new("check"));
    let mut passed = vec![];
    for arg in check.get_arguments() {
        let id = arg.get_id().as_str();
        if NOT_PASSED.contains(&id) || given.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let name = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, short) => short.map(|c| format!("-{c}")).unwrap_or_default(),
        };
        match arg.get_action() {
            ArgAction::Count => {
                passed.extend((0..given.get_count(id)).map(|_| OsString::from(&name)));
            }
            ArgAction::SetTrue => passed.push(name.into()),
            _ => {
                for value in given.get_raw(id).into_iter().flatten() {
                    let mut word = OsString::from(&name);
                    word.push(if arg.get_long().is_some() { "=" } else { "" });
                    word.push(value);
                    passed.push(word);
                }
            }
        }
    }
    Ok(passed)
}

/// Which checks are decided.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Checks")]
pub struct Selection {
    /// Decide every check, instead of stopping at the first that fails
    #[arg(long)]
    pub check_all: bool,
    /// Decide only the checks on this line (12, or list.c:12); the others are assumed to hold
    #[arg(long, value_name = "LINE", action = ArgAction::Append)]
    pub only: Vec<String>,
}

/// `slam certify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam check --json result.json lock.c
  slam certify lock.c result.json

How the program is read and prepared is taken from the result; paths in it are meant from the present directory. The
verdict is SAFE for the program as it stands, and SAFE(assuming ...) where options of the run that wrote the result made
it, or what was asked, another one.

Exit codes: 0 certified, 5 some obligation is not shown, 6 the certificate is refuted, 1 usage, 2 input refused,
7 result not written.")]
pub struct Certify {
    /// The C files that were checked, and last the result
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
    /// Write what was found as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
}

/// `slam replay`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam check --json result.json lock.c
  slam replay lock.c result.json
  slam replay --harness harness.c lock.c result.json

The program is compiled (with cc, nm and objcopy), with functions that return the recorded inputs, and EXECUTED: in an
empty folder, for at most 10 s or what --time-limit says, with limits on memory, processes and files.

Exit codes: 10 the compiled program runs into the error, 5 it does not, or cannot be built, 1 usage, 2 input refused,
6 internal error, 7 result not written.")]
pub struct Replay {
    /// The C files that were checked, and last the result
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// Write the C file with the recorded inputs to this file as well
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub harness: Option<PathBuf>,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
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
    /// What decides whether the abstraction reaches a failing check
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
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

/// Model checkers of boolean programs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Decision diagrams
    #[default]
    Bebop,
    /// Formulae of a fixed-point calculus; what holds at loops, and certificates, are bebop's
    Getafix,
    /// Explicit states with summaries by patterns; what holds at loops, and certificates, are bebop's
    Zing,
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
    /// Interpolants of the path, as a tree of its calls
    Tree,
    /// Invariants of the loops and of the recursion on the path
    Loops,
    /// None: only the predicates given; the abstraction over them is made as precise as it needs to be
    Off,
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
6 internal error, 7 result not written.")]
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

Exit codes: 0 done, 5 a limit is reached, 1 usage, 2 input refused, 6 internal error, 7 result not written.")]
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
undefined, 5 the step limit is reached or something is not modelled, 1 usage, 2 input refused, 6 internal error,
7 result not written.")]
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

    #[test]
    fn options_of_a_batch_are_passed_on() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let line = "slam batch -Iinc -D A=1 -include pre.h --check null,div0 -vv -q --jobs 3 --out o --no-slice \
            --time-limit 3s a.c b.c";
        let passed = options_for_check(&words(line)).expect("well-formed");
        let expected = "-Iinc -DA=1 --include=pre.h --check=null --check=div0 --no-slice --time-limit=3s --verbose \
            --verbose";
        assert_eq!(passed, words(expected));
        assert!(options_for_check(&words("slam batch --jobs x a.c")).is_err());
    }

    #[test]
    fn the_command_line_is_consistent() {
        Slam::command().debug_assert();
    }
}
