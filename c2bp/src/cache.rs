//! Answers kept between abstractions, keyed by the whole problem: a statement is asked about again only when the
//! predicates in its cone have changed.

use crate::cubes::{self, Limits, Task};
use crate::formula::{Cube, Lit};
use crate::problem::{Answers, Problem};
use crate::{Interrupted, Stats};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use smt::Term;
use std::sync::Arc;

/// Answered problems. They stay true for every program; different resource limits make it start anew.
#[derive(Default)]
pub struct Cache {
    answers: FxHashMap<Problem, Arc<Answers>>,
    limits: (u64, u64),
}

/// The answers to the problems of one statement.
pub(crate) struct Solved {
    pub(crate) answers: Vec<Arc<Answers>>,
    /// All were known before.
    pub(crate) reused: bool,
}

/// Combinations of predicates, by their terms and truth values, that no state has.
pub(crate) type Impossible = Vec<Vec<(Term, bool)>>;

/// Problems that belong together, and what is known about their predicates.
pub(crate) struct Asked<'a> {
    pub(crate) problems: Vec<&'a Problem>,
    pub(crate) impossible: &'a Impossible,
}

/// How many problems one solver answers.
const BATCH: usize = 16;

impl Cache {
    /// An empty cache.
    pub fn new() -> Cache {
        Cache::default()
    }

    /// How many problems are kept.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// The answers to the problems of each statement.
    pub(crate) fn answer(
        &mut self,
        asked: &[Asked<'_>],
        limits: &Limits<'_>,
        stats: &mut Stats,
    ) -> Result<Vec<Solved>, Interrupted> {
        let bounds = (limits.rlimit, limits.max_calls);
        if self.limits != bounds {
            self.answers.clear();
            self.limits = bounds;
        }
        let reused: Vec<bool> =
            asked.iter().map(|a| a.problems.iter().all(|p| self.answers.contains_key(*p))).collect();
        self.solve(asked, limits, stats)?;
        let look_up = |(a, reused): (&Asked<'_>, bool)| Solved {
            answers: a.problems.iter().map(|p| Arc::clone(&self.answers[*p])).collect(),
            reused,
        };
        Ok(asked.iter().zip(reused).map(look_up).collect())
    }

    /// Solves the problems without answer, in batches with equal predicates.
    fn solve(
        &mut self,
        asked: &[Asked<'_>],
        limits: &Limits<'_>,
        stats: &mut Stats,
    ) -> Result<(), Interrupted> {
        let mut batches: Vec<Vec<Task<'_>>> = vec![];
        let mut open: FxHashMap<&[Term], usize> = FxHashMap::default();
        let mut seen = rustc_hash::FxHashSet::default();
        for one in asked {
            for problem in &one.problems {
                if self.answers.contains_key(*problem) || !seen.insert(*problem) {
                    stats.cache_hits += 1;
                    continue;
                }
                let contradictions = translate(one.impossible, &problem.predicates);
                let task = Task { problem, contradictions };
                match open.get(problem.predicates.as_slice()) {
                    Some(batch) if batches[*batch].len() < BATCH => batches[*batch].push(task),
                    _ => {
                        open.insert(&problem.predicates, batches.len());
                        batches.push(vec![task]);
                    }
                }
            }
        }
        let solved: Result<Vec<Vec<Answers>>, Interrupted> =
            batches.par_iter().map(|batch| cubes::solve(batch, limits)).collect();
        for (batch, answers) in batches.iter().zip(solved?) {
            for (task, answers) in batch.iter().zip(answers) {
                stats.prover_calls += answers.calls;
                stats.cubes += answers.cubes;
                self.answers.insert(task.problem.clone(), Arc::new(answers));
            }
        }
        Ok(())
    }
}

/// The combinations as cubes over these predicates, those left out that have another one.
fn translate(impossible: &Impossible, predicates: &[Term]) -> Vec<Cube> {
    if impossible.is_empty() {
        return vec![];
    }
    let mut places: FxHashMap<&Term, usize> = FxHashMap::default();
    for (i, predicate) in predicates.iter().enumerate() {
        places.entry(predicate).or_insert(i);
    }
    let cube = |combination: &Vec<(Term, bool)>| -> Option<Cube> {
        let literal = |(t, b): &(Term, bool)| Some(Lit::new(*places.get(t)?, *b));
        let mut cube: Cube = combination.iter().map(literal).collect::<Option<_>>()?;
        cube.sort_unstable();
        Some(cube)
    };
    impossible.iter().filter_map(cube).collect()
}
