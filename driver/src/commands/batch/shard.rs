//! Shards: a batch in N parts, for as many machines. Every machine lists all tasks, in the same order, and takes its
//! share; its results name the shard, so that the parts can be merged.

use super::tasks::Task;
use crate::content::Content;
use serde_json::{Value, json};

/// Most tasks of a batch in shards, and most shards.
const MOST: usize = 1_000_000;

/// Which part of which batch a task is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
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

/// The tasks of a shard, which know their places from now on; `key` is what decides about the result of a task.
pub(super) fn part(
    tasks: Vec<Task>,
    (shard, shards): (usize, usize),
    key: impl Fn(&Task) -> String,
) -> Vec<Task> {
    let mut hash = Content::default();
    for task in &tasks {
        hash.add(task.name.as_bytes());
        hash.add(key(task).as_bytes());
    }
    let (batch, number) = (hash.text(), tasks.len());
    let place = |task| Place { shard, shards, task, tasks: number, batch: batch.clone() };
    let all = tasks.into_iter().enumerate();
    let own = all.filter(|(k, _)| shard_of(*k, shards) == shard);
    own.map(|(k, task)| Task { place: Some(place(k)), ..task }).collect()
}

/// The shard that a task is in.
pub(super) fn shard_of(task: usize, shards: usize) -> usize {
    task % shards + 1
}

impl Place {
    /// For the file of results.
    pub(super) fn json(&self) -> Value {
        let Place { shard, shards, task, tasks, batch } = self;
        json!({ "shard": shard, "shards": shards, "task": task, "tasks": tasks, "batch": batch })
    }

    /// What was written; nothing where it is not that, or does not fit together.
    pub(super) fn read(json: &Value) -> Option<Place> {
        let number = |name: &str| json[name].as_u64().and_then(|n| usize::try_from(n).ok());
        let place = Place {
            shard: number("shard")?,
            shards: number("shards").filter(|n| *n > 0)?,
            task: number("task")?,
            tasks: number("tasks")?,
            batch: json["batch"].as_str()?.to_owned(),
        };
        let fits = place.tasks <= MOST
            && place.shards <= MOST
            && place.task < place.tasks
            && shard_of(place.task, place.shards) == place.shard;
        fits.then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(n: usize) -> Vec<Task> {
        (0..n).map(|k| Task::function(&[], &format!("t{k}"))).collect()
    }

    #[test]
    fn each_task_is_in_one_shard() {
        for (n, shards) in [(0, 1), (1, 3), (7, 3), (10, 10), (12, 5)] {
            let mut found: Vec<usize> = vec![];
            for shard in 1..=shards {
                for task in part(tasks(n), (shard, shards), |task| task.name.clone()) {
                    let place = task.place.expect("it knows its place");
                    assert_eq!(task.name, format!("t{}", place.task));
                    assert_eq!(Place::read(&place.json()), Some(place.clone()));
                    found.push(place.task);
                }
            }
            found.sort_unstable();
            assert_eq!(found, (0..n).collect::<Vec<_>>());
        }
        let batch = |n| {
            part(tasks(n), (1, 1), |task| task.name.clone())[0]
                .place
                .clone()
                .expect("it knows its place")
                .batch
        };
        assert_ne!(batch(3), batch(4));
    }
}
