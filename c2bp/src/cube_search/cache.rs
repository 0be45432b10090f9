//! Answers kept between abstractions, keyed by the whole problem: a statement is asked about again only when the
//! predicates in its cone have changed.
//!
//! Problems are compared with the names of their constants taken out ([`Problem::canonical`]), so statements that
//! differ in names only share their answers. With a file ([`Stored`]) answers are kept between runs also.

use crate::cube_search::earlier::Earlier;
use crate::cube_search::problem::{Answers, Impossible, Problem, impossible};
use crate::cube_search::stored::{NotACache, Stored};
use crate::cube_search::{self as cubes, Task};
use crate::formula::{Cube, Lit};
use crate::{Interrupted, Options, Stats, borrowed};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Model, Term};
use std::path::Path;
use std::sync::Arc;

/// Answers of earlier runs that one prover shows again.
const RECALLED: usize = 16;

/// Answered problems. They stay true for every program; different resource limits make it start anew.
#[derive(Default)]
pub struct Cache {
    answers: FxHashMap<Problem, Arc<Answers>>,
    earlier: Earlier,
    /// Models of problems by their first predicate: those of the same procedure, in this iteration and in later ones, mostly.
    models: FxHashMap<Option<Term>, Vec<Model>>,
    limits: (u64, u64),
    stored: Option<Stored>,
}

/// The answers to the problems of one statement.
pub(crate) struct Solved {
    pub(crate) answers: Vec<Arc<Answers>>,
    /// All were known before.
    pub(crate) reused: bool,
}

/// What is known of the predicates of a procedure, and what may be asked about them before all else.
#[derive(Clone, Default)]
pub(crate) struct Hints {
    /// Combinations that no state has.
    pub(crate) impossible: Impossible,
    /// Questions for longer combinations of that kind. They are asked where they save many searches from finding the same.
    pub(crate) longer: Vec<Problem>,
}

/// Problems that belong together, and the procedure that they are about, by its position among the hints.
pub(crate) struct Asked<'a> {
    pub(crate) problems: Vec<&'a Problem>,
    pub(crate) about: usize,
}

/// A problem without answer.
struct Open<'a> {
    /// As for [`Asked`].
    about: usize,
    original: &'a Problem,
    /// The same in canonical form.
    problem: &'a Problem,
}

/// How many problems one solver answers.
const BATCH: usize = 64;

/// From this many predicates on, longer impossible combinations are searched for before the problems.
const MANY: usize = 9;

impl Cache {
    /// An empty cache.
    pub fn new() -> Cache {
        Cache::default()
    }

    /// A cache with the answers that earlier runs left in this file, which need not exist yet. Says, for a warning, why
    /// nothing was taken from a file that is damaged or was written under other conditions.
    ///
    /// # Errors
    /// When the file cannot be read, or is something else, which should not be overwritten: in words.
    pub fn open(path: &Path) -> Result<(Cache, Option<String>), String> {
        let named = |why: String| format!("{}: {why}", path.display());
        let text = match std::fs::read(path) {
            Ok(bytes) => {
                String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into())
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(named(e.to_string())),
        };
        let (stored, remark) =
            Stored::read(&text).map_err(|NotACache| named("this is no file of answers of c2bp".into()))?;
        let remark = remark.map(|why| named(format!("{why}: it is not used, and will be written anew")));
        Ok((Cache { stored: Some(stored), ..Cache::default() }, remark))
    }

    /// What to write to the file, for a later run; `None` for a cache without, or when there is nothing new.
    pub fn stored_text(&self) -> Option<String> {
        self.stored.as_ref().and_then(Stored::text)
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
        hints: &[Hints],
        options: &Options<'_>,
        stats: &mut Stats,
    ) -> Result<Vec<Solved>, Interrupted> {
        let bounds = (options.rlimit, options.max_calls);
        if self.limits != bounds {
            self.answers.clear();
            self.earlier.clear();
            self.limits = bounds;
        }
        let canonical = |a: &Asked<'_>| a.problems.iter().map(|p| p.canonical()).collect();
        let canonical: Vec<Vec<Problem>> = asked.par_iter().map(canonical).collect();
        self.recall(&canonical, options, stats);
        let known = |problems: &Vec<Problem>| problems.iter().all(|p| self.answers.contains_key(p));
        let reused: Vec<bool> = canonical.iter().map(known).collect();
        self.solve(asked, &canonical, hints, options, stats)?;
        let look_up = |(problems, reused): (&Vec<Problem>, bool)| Solved {
            answers: problems.iter().map(|p| Arc::clone(&self.answers[p])).collect(),
            reused,
        };
        Ok(canonical.iter().zip(reused).map(look_up).collect())
    }

    /// Takes over the answers of earlier runs that the prover shows again: who can write the file decides nothing.
    fn recall(&mut self, problems: &[Vec<Problem>], options: &Options<'_>, stats: &mut Stats) {
        let Some(stored) = &self.stored else { return };
        let mut seen = FxHashSet::default();
        let unknown = problems.iter().flatten().filter(|p| !self.answers.contains_key(*p) && seen.insert(*p));
        let found: Vec<(&Problem, Answers)> =
            unknown.filter_map(|p| Some((p, stored.answers(p, self.limits)?))).collect();
        let shown = |chunk: &[(&Problem, Answers)]| -> Vec<bool> {
            let mut prover = options.prover();
            chunk.iter().map(|(problem, answers)| answers.hold(problem, &mut prover)).collect()
        };
        let hold: Vec<bool> = found.par_chunks(RECALLED).flat_map_iter(shown).collect();
        for ((problem, answers), holds) in found.into_iter().zip(hold) {
            if holds {
                stats.recalled += problem.goals.len() as u64;
                self.answers.insert(problem.clone(), Arc::new(answers));
            }
        }
    }

    /// Solves the problems without answer, in batches with equal predicates.
    fn solve(
        &mut self,
        asked: &[Asked<'_>],
        canonical: &[Vec<Problem>],
        hints: &[Hints],
        options: &Options<'_>,
        stats: &mut Stats,
    ) -> Result<(), Interrupted> {
        let mut open = vec![];
        let mut seen = FxHashSet::default();
        for (one, problems) in asked.iter().zip(canonical) {
            for (original, problem) in one.problems.iter().zip(problems) {
                let questions = problem.goals.len() as u64;
                stats.questions += questions;
                if self.answers.contains_key(problem) || !seen.insert(problem) {
                    stats.cached += questions;
                } else {
                    open.push(Open { about: one.about, original, problem });
                }
            }
        }
        let known = self.longer(&open, hints, options, stats)?;
        let mut batches: Vec<Vec<Task<'_>>> = vec![];
        let mut places: FxHashMap<&[Term], usize> = FxHashMap::default();
        for Open { about, original, problem } in &open {
            let contradictions = translate(&known[*about], &original.predicates);
            let task = Task { problem, contradictions, settled: self.earlier.settled(original) };
            match places.get(problem.predicates.as_slice()) {
                Some(batch) if batches[*batch].len() < BATCH => batches[*batch].push(task),
                _ => {
                    places.insert(&problem.predicates, batches.len());
                    batches.push(vec![task]);
                }
            }
        }
        let first = |batch: &[Task<'_>]| batch[0].problem.predicates.first().cloned();
        let solve = |batch: &Vec<Task<'_>>| {
            let models = self.models.get(&first(batch)).map_or(&[][..], Vec::as_slice);
            cubes::solve(batch, models, options)
        };
        let solved: Result<Vec<_>, Interrupted> = batches.par_iter().map(solve).collect();
        for (batch, (answers, models)) in batches.iter().zip(solved?) {
            if !models.is_empty() {
                self.models.insert(first(batch), models);
            }
            for (task, answers) in batch.iter().zip(answers) {
                stats.solved(&answers);
                if let Some(stored) = &mut self.stored {
                    stored.add(task.problem, self.limits, &answers);
                }
                self.answers.insert(task.problem.clone(), Arc::new(answers));
            }
        }
        for Open { original, problem, .. } in &open {
            self.earlier.keep(original, &self.answers[*problem]);
        }
        Ok(())
    }

    /// Combinations that no state has, for each of the hints: those of them, and the longer ones where two open problems are about
    /// them.
    fn longer(
        &mut self,
        open: &[Open<'_>],
        hints: &[Hints],
        options: &Options<'_>,
        stats: &mut Stats,
    ) -> Result<Vec<Impossible>, Interrupted> {
        let is_wanted = |about: usize, group: &Problem| {
            let within = |open: &&Open<'_>| {
                let predicates = &open.original.predicates;
                open.about == about && MANY <= predicates.len() && group.predicates.contains(&predicates[0])
            };
            open.iter().filter(within).nth(1).is_some()
        };
        let of = |(about, hints): (usize, &Hints)| -> Vec<Problem> {
            hints.longer.iter().filter(|group| is_wanted(about, group)).cloned().collect()
        };
        let groups: Vec<Vec<Problem>> = hints.iter().enumerate().map(of).collect();
        let mut known: Vec<Impossible> = hints.iter().map(|h| h.impossible.clone()).collect();
        if groups.iter().all(Vec::is_empty) {
            return Ok(known);
        }
        let shorter: Vec<Hints> =
            known.iter().map(|i| Hints { impossible: i.clone(), longer: vec![] }).collect();
        let asked: Vec<Asked<'_>> = groups
            .iter()
            .enumerate()
            .map(|(about, groups)| Asked { problems: groups.iter().collect(), about })
            .collect();
        let solved = self.answer(&asked, &shorter, options, stats)?;
        for ((known, groups), solved) in known.iter_mut().zip(&groups).zip(&solved) {
            known.extend(impossible(groups, &borrowed(&solved.answers)));
        }
        Ok(known)
    }
}

impl Stats {
    fn solved(&mut self, answers: &Answers) {
        let total = answers.total();
        self.prover_calls += total.prover_calls;
        self.cubes += total.cubes;
        self.cubes_by_models += total.by_models;
        self.cubes_by_syntax += total.by_syntax;
        self.gave_up += total.gave_up;
        self.prover_problems += u64::from(total.prover_calls > 0);
        for effort in &answers.effort {
            *if effort.prover_calls > 0 { &mut self.by_prover } else { &mut self.by_syntax } += 1;
        }
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
