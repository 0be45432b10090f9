//! What batches keep: a line for each task, and entries of a cache.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of a task: a line of the file of `--out`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The task's name.
    pub task: String,
    /// Stands for what decides about the result.
    pub key: String,
    /// Where it belongs in a batch of several shards; nothing where that is not a place.
    #[serde(default, rename = "shard", skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The first word of the verdict.
    #[serde(default)]
    pub verdict: String,
    /// The verdict line.
    pub verdict_line: String,
    /// The exit code that belongs to it.
    pub exit_code: i32,
    /// What the task definition expects.
    #[serde(default)]
    pub expected: Option<bool>,
    /// Whether the answer is that.
    #[serde(default)]
    pub right: Option<bool>,
    /// Processor time, in seconds, where it is known.
    #[serde(default)]
    pub cpu_s: Option<f64>,
    /// Elapsed time, in seconds.
    pub wall_s: f64,
    /// The most memory, in megabytes, where it is known.
    #[serde(default)]
    pub memory_mb: Option<f64>,
    /// Iterations of the loop.
    #[serde(default)]
    pub iterations: Option<u64>,
    /// Predicates at its end.
    #[serde(default)]
    pub predicates: Option<u64>,
    /// What was said about input that was refused, in a line.
    #[serde(default)]
    pub message: Option<String>,
}

/// Which part of which batch a task is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The number of the shard, from 1.
    pub shard: usize,
    /// How many shards there are.
    pub shards: usize,
    /// The number of the task among all, from 0.
    pub task: usize,
    /// How many tasks there are.
    pub tasks: usize,
    /// Stands for the names of all tasks and what decides about their results.
    pub batch: String,
}

/// A result in a cache, with the files that its check has written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The result.
    pub record: Row,
    /// The texts of files, by their names.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}
