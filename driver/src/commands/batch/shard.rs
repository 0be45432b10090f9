//! Shards: a batch in N parts, for as many machines. Every machine lists all tasks, in the same order, and takes its
//! share; its results name the shard, so that the parts can be merged.

use super::tasks::Task;
use crate::content::Content;
use results::batch::Place;

/// Most tasks of a batch in shards, and most shards.
const MOST: usize = 1_000_000;

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

/// Whether the numbers of a place fit together.
pub(super) fn fits(place: &Place) -> bool {
    (1..=MOST).contains(&place.shards)
        && place.tasks <= MOST
        && place.task < place.tasks
        && shard_of(place.task, place.shards) == place.shard
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
                    assert!(fits(&place));
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
