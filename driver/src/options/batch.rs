//! The options of `slam batch`.

use super::Check;
use clap::{Args, Subcommand, ValueEnum};
use cli::Output;
use std::path::PathBuf;

/// `slam batch`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("files", |files| files.value_name("TASK").help(
        "C files, task definitions (.yml), folders, and lists of tasks (.set, .txt: a path or a pattern a line)"
    )),
    subcommand_negates_reqs = true,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  slam batch --time-limit 20s --jobs 4 examples
  slam batch --out results.jsonl --property unreach-call.prp ReachSafety-Loops.set
  slam batch --check overflow src/*.c
  slam batch --keep json,trace --into kept src
  slam batch --check all --sarif out.sarif src
  slam batch --shard 2/4 --out shard-2.jsonl Loops.set
  slam batch merge shard-*.jsonl
  slam batch --cache /shared/results src

Options of `slam check` mean the same for each task; the limits are those of one task. The file of --out gets one line
of JSON for each task as it ends; tasks that it has already, with the same options and the same files, are not checked
again.

Exit codes: 0 all are safe, 10 some are unsafe, 5 some are unknown or the batch was interrupted, 1 usage, 2 some input
was refused, 6 internal error, 7 result not written."
)]
pub(crate) struct Batch {
    /// What is checked, and how.
    #[command(flatten)]
    pub check: Check,
    /// Number of tasks to run in parallel; 0 means one per processor
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Batch")]
    pub jobs: usize,
    /// Append each task's result to this file, and reuse the results in it
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Batch")]
    pub out: Option<PathBuf>,
    /// Keep these files of each task, in a folder of its own below that of --into
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        value_delimiter = ',',
        requires = "into",
        help_heading = "Batch"
    )]
    pub keep: Vec<Kept>,
    /// Folder for the files of --keep
    #[arg(long, value_name = "DIR", requires = "keep", help_heading = "Batch")]
    pub into: Option<PathBuf>,
    /// Check only shard I of N (1/N to N/N), to use several machines: each task is in exactly one shard
    #[arg(long, value_name = "I/N", value_parser = shard, help_heading = "Batch")]
    pub shard: Option<(usize, usize)>,
    /// Reuse results in this folder, and put new ones there: a task with the same input and options, checked by the
    /// same program, is not checked again. Several batches may use it at the same time
    #[arg(long, value_name = "DIR", help_heading = "Batch")]
    pub cache: Option<PathBuf>,
    /// Discard the results in the file of --out and start anew
    #[arg(long, requires = "out", help_heading = "Batch")]
    pub fresh: bool,
    /// What to do in place of checking.
    #[command(subcommand)]
    pub command: Option<BatchCommand>,
}

impl Batch {
    /// The tasks of a check of several parts, with nothing kept.
    pub(crate) fn of(check: &Check) -> Batch {
        Batch {
            check: check.clone(),
            jobs: 0,
            out: None,
            keep: vec![],
            into: None,
            shard: None,
            cache: None,
            fresh: false,
            command: None,
        }
    }
}

/// What `slam batch` does besides checking.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum BatchCommand {
    /// Show the table of a batch that was checked in shards, from their files of --out
    Merge(Merge),
}

/// `slam batch merge`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam batch merge shard-1.jsonl shard-2.jsonl shard-3.jsonl
  slam batch merge --out all.jsonl shard-*.jsonl

Shards and tasks that are missing are named, and so are shards that are there twice; the verdict is that of the whole
batch, UNKNOWN at best where something is missing.

Exit codes: 0 all are safe, 10 some are unsafe, 5 some are unknown or missing, 1 usage, 2 some input was refused,
6 internal error, 7 result not written.")]
pub(crate) struct Merge {
    /// Result files of the shards
    #[arg(value_name = "FILE.jsonl", required = true)]
    pub files: Vec<PathBuf>,
    /// Write the results of all tasks, in their order, to this file
    #[arg(long, value_name = "FILE.jsonl")]
    pub out: Option<PathBuf>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// `2/4`: the second of four shards.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((i, n)) if 1 <= i && i <= n => Ok((i, n)),
        _ => Err("two numbers I/N with 1 <= I <= N are wanted".into()),
    }
}

/// What a batch can keep of a task.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// result.json: the result, for slam certify and slam replay
    Json,
    /// harness.c: for an error, the C file with its inputs
    Harness,
    /// trace.txt: the answer as slam check prints it, with the trace of an error
    Trace,
}

impl Kept {
    /// All.
    pub(crate) const ALL: [Kept; 3] = [Kept::Json, Kept::Harness, Kept::Trace];

    /// The name of its file.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Kept::Json => "result.json",
            Kept::Harness => "harness.c",
            Kept::Trace => "trace.txt",
        }
    }

    /// The option of `slam check` that writes it.
    pub(crate) fn option(self) -> Option<&'static str> {
        match self {
            Kept::Json => Some("--json"),
            Kept::Harness => Some("--harness"),
            Kept::Trace => None,
        }
    }
}
