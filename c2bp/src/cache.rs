//! Answers kept between abstractions, keyed by the whole problem: a statement is asked about again only when the
//! predicates in its cone have changed.

use crate::cubes::{self, Limits};
use crate::problem::{Answers, Problem};
use crate::{Interrupted, Options, Solved, Stats};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Answered problems. They stay true for every program; different resource limits make it start anew.
#[derive(Default)]
pub struct Cache {
    answers: FxHashMap<Problem, Arc<Answers>>,
    limits: (u64, u64),
}

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
        asked: Vec<Vec<&Problem>>,
        limits: &Limits<'_>,
        options: &Options<'_>,
        stats: &mut Stats,
    ) -> Result<Vec<Solved>, Interrupted> {
        let bounds = (options.rlimit, options.max_calls);
        if self.limits != bounds {
            self.answers.clear();
            self.limits = bounds;
        }
        let mut fresh: Vec<&Problem> = vec![];
        let mut seen: FxHashSet<&Problem> = FxHashSet::default();
        let mut reused = vec![];
        for problems in &asked {
            let mut known = true;
            for problem in problems {
                if self.answers.contains_key(*problem) {
                    stats.cache_hits += 1;
                } else {
                    known = false;
                    if seen.insert(problem) {
                        fresh.push(problem);
                    } else {
                        stats.cache_hits += 1;
                    }
                }
            }
            reused.push(known);
        }
        let solved: Result<Vec<Answers>, Interrupted> =
            fresh.par_iter().map(|problem| cubes::solve(problem, limits)).collect();
        for (problem, answers) in fresh.into_iter().zip(solved?) {
            stats.prover_calls += answers.calls;
            stats.cubes += answers.cubes;
            self.answers.insert(problem.clone(), Arc::new(answers));
        }
        let look_up = |(problems, reused): (Vec<&Problem>, bool)| Solved {
            answers: problems.into_iter().map(|p| Arc::clone(&self.answers[p])).collect(),
            reused,
        };
        Ok(asked.into_iter().zip(reused).map(look_up).collect())
    }
}
