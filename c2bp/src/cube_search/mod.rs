//! The cube search: `F(φ)`, the weakest disjunction of short cubes over the predicates that implies φ
//! (002 slides 25-27; [BMMR01 §5.2] for the order and the pruning).
//!
//! Cubes are tried by length. Supersets of implicants and of contradictory cubes are skipped; a cube that a
//! recorded model shows to be no implicant costs no prover call; an implicant is shrunk to the prover's core; the
//! search ends early once the implicants found cover the goal. An unknown answer counts as "not implied".
//!
//! Invariant: where the prover does not give up, the answers are a function of the problem alone. Where it does
//! they depend on the batch too, but never on threads or time: batches are made by index, the order of their calls
//! is fixed, and only the resource count limits them.

pub(crate) mod cache;
pub(crate) mod decide;
pub(crate) mod earlier;
pub(crate) mod problem;
pub(crate) mod samples;
pub(crate) mod stored;

use crate::cube_search::decide::{Decider, Effort, Session, Side};
use crate::cube_search::earlier::{Part, Settled};
use crate::cube_search::problem::{Answers, Goal, Problem, Sides};
use crate::cube_search::samples::Samples;
use crate::formula::{Cover, Cube, Lit, LitSet, is_subcube};
use crate::theory_shortcuts::syntax::Syntax;
use crate::{Interrupted, Options};
use rustc_hash::FxHashSet;
use smt::Model;

/// A problem, with what is known of it.
pub(crate) struct Task<'a> {
    pub(crate) problem: &'a Problem,
    /// Cubes over its predicates that contradict its hypotheses.
    pub(crate) contradictions: Vec<Cube>,
    /// For each goal what an earlier search has found.
    pub(crate) settled: Vec<Option<Settled>>,
}

/// Solves problems that have the same predicates, one after the other, with one solver. `known` are models of earlier problems; those
/// of these ones come back beside the answers.
pub(crate) fn solve(
    batch: &[Task<'_>],
    known: &[Model],
    options: &Options<'_>,
) -> Result<(Vec<Answers>, Vec<Model>), Interrupted> {
    let mut session = None;
    let answers: Result<_, _> =
        batch.iter().map(|task| solve_one(task, known, options, &mut session)).collect();
    Ok((answers?, session.map(|s| s.into_models().collect()).unwrap_or_default()))
}

fn solve_one(
    task: &Task<'_>,
    known: &[Model],
    options: &Options<'_>,
    session: &mut Option<Session>,
) -> Result<Answers, Interrupted> {
    options.check()?;
    let problem = task.problem;
    let syntax = options.shortcuts.then(|| Syntax::new(problem));
    let samples = syntax.as_ref().and_then(Samples::new);
    let decider = match &samples {
        Some(samples) => Decider::Samples(samples, Effort::default()),
        None => {
            let session = session.get_or_insert_with(|| Session::new(&problem.predicates, known, options));
            session.open(problem);
            Decider::Prover(session, syntax.as_ref())
        }
    };
    let mut search = Search {
        decider,
        options,
        predicates: problem.predicates.len(),
        max_cube: problem.max_cube,
        contradictions: vec![],
        clash: FxHashSet::default(),
        triples: FxHashSet::default(),
    };
    task.contradictions.iter().for_each(|cube| search.remember(cube.clone()));
    let mut answers = Answers::default();
    for ((index, goal), settled) in problem.goals.iter().enumerate().zip(&task.settled) {
        *search.decider.effort() = Effort::default();
        answers.sides.push(search.goal(index, goal, settled.as_ref())?);
        answers.effort.push(*search.decider.effort());
    }
    if let Decider::Prover(session, _) = search.decider {
        session.close();
    }
    Ok(answers)
}

struct Search<'a> {
    decider: Decider<'a>,
    options: &'a Options<'a>,
    predicates: usize,
    max_cube: usize,
    /// Cubes of more than three literals that contradict the hypotheses, none a part of another.
    contradictions: Vec<Cube>,
    /// The contradictions of at most two literals, for quick look-up.
    clash: FxHashSet<(Lit, Lit)>,
    /// Those of three.
    triples: FxHashSet<(Lit, Lit, Lit)>,
}

impl Search<'_> {
    fn goal(&mut self, index: usize, goal: &Goal, settled: Option<&Settled>) -> Result<Sides, Interrupted> {
        let part = |positive: bool| settled.map(|s| s.side(positive));
        if goal.term.as_bool() == Some(false) {
            let positive = self.contradictory_cubes(part(true))?;
            return Ok(Sides { positive, negative: Cover::default() });
        }
        let mut sides = Sides::default();
        if goal.positive {
            sides.positive = self.implicants(Side { goal: index, positive: true }, part(true))?;
        }
        let valid = sides.positive.cubes.iter().any(Vec::is_empty);
        if goal.negative && !valid {
            sides.negative = self.implicants(Side { goal: index, positive: false }, part(false))?;
        }
        Ok(sides)
    }

    /// The implicants of one side, shorter ones first. What an earlier search has found of cubes stands for a look at them.
    fn implicants(&mut self, side: Side, settled: Option<&Part>) -> Result<Cover, Interrupted> {
        let mut cover = Cover::default();
        // The empty cube: is the goal valid? Hypotheses that contradict each other make it so.
        self.decider.effort().cubes += 1;
        if self.implied(&[], Some(side))?.is_some() {
            return Ok(Cover { cubes: vec![vec![]], complete: true });
        }
        if self.covered(&cover, side)? {
            return Ok(Cover { complete: true, ..cover });
        }
        let budget = self.decider.effort().prover_calls + self.options.max_calls;
        let mut level = vec![vec![]];
        for length in 1..=self.max_cube {
            let mut next = vec![];
            for prefix in &level {
                self.options.check()?;
                let candidates = self.candidates(prefix, Some(side));
                let settled = settled.filter(|s| s.is_about(prefix));
                for l in self.later(prefix) {
                    let cube = || -> Cube { prefix.iter().copied().chain([l]).collect() };
                    let class = match settled.and_then(|s| s.look_up(&cube, l)) {
                        Some(true) => Class::Implicant(cube()),
                        Some(false) if length < self.max_cube && self.is_closed(&cube(), &cover) => {
                            Class::Closed
                        }
                        Some(false) => Class::Open,
                        // Some known state is in the cube, and not in the side.
                        None if !candidates.contains(l) => Class::Open,
                        None if self.is_spent(budget) => return Ok(cover),
                        None => self.classify(&cube(), side, &cover)?,
                    };
                    match class {
                        Class::Open if length < self.max_cube => next.push(cube()),
                        Class::Open | Class::Closed => {}
                        Class::Implicant(smaller) => {
                            cover.cubes.push(smaller);
                            if self.covered(&cover, side)? {
                                return Ok(Cover { complete: true, ..cover });
                            }
                        }
                    }
                }
            }
            level = next;
        }
        Ok(cover)
    }

    /// Whether no more calls may be made.
    fn is_spent(&mut self, budget: u64) -> bool {
        let effort = self.decider.effort();
        let spent = effort.prover_calls >= budget;
        effort.gave_up += u64::from(spent);
        spent
    }

    /// The literals of later predicates than those of the cube.
    fn later(&self, cube: &[Lit]) -> impl Iterator<Item = Lit> + use<> {
        let first = cube.last().map_or(0, |l| l.predicate() + 1);
        (first..self.predicates).flat_map(|p| [Lit::new(p, true), Lit::new(p, false)])
    }

    /// Those of them with which the cube may imply the side (without a side: contradict the hypotheses): no known state says
    /// anything else.
    fn candidates(&mut self, cube: &[Lit], side: Option<Side>) -> LitSet {
        let first = cube.last().map_or(0, |l| l.predicate() + 1);
        let mut open = LitSet::from(first, self.predicates);
        self.decider.take_known(&mut open, cube, side);
        open
    }

    /// Whether the cube, and what contains it, needs no further look.
    fn is_closed(&self, cube: &[Lit], cover: &Cover) -> bool {
        self.is_contradictory(cube) || cover.cubes.iter().any(|c| is_subcube(c, cube))
    }

    fn classify(&mut self, cube: &[Lit], side: Side, cover: &Cover) -> Result<Class, Interrupted> {
        self.decider.effort().cubes += 1;
        if self.is_closed(cube, cover) {
            return Ok(Class::Closed);
        }
        let Some(core) = self.implied(cube, Some(side))? else { return Ok(Class::Open) };
        if self.is_contradictory(&core) {
            return Ok(Class::Closed);
        }
        if let Some(smaller) = self.implied(&core, None)? {
            self.remember(smaller);
            return Ok(Class::Closed);
        }
        Ok(Class::Implicant(core))
    }

    /// A part of the cube that implies the side (without a side: contradicts the hypotheses), if the cube does.
    fn implied(&mut self, cube: &[Lit], side: Option<Side>) -> Result<Option<Cube>, Interrupted> {
        self.options.check()?;
        let found = self.decider.implies(cube, side);
        if found.is_none() {
            // The prover may have been interrupted.
            self.options.check()?;
        }
        Ok(found)
    }

    fn remember(&mut self, cube: Cube) {
        match cube.as_slice() {
            [a] => _ = self.clash.insert((*a, *a)),
            [a, b] => _ = self.clash.insert((*a, *b)),
            [a, b, c] => _ = self.triples.insert((*a, *b, *c)),
            _ => self.contradictions.push(cube),
        }
    }

    fn is_contradictory(&self, cube: &[Lit]) -> bool {
        let all = 0..cube.len();
        let pair = |i: usize, j: usize| self.clash.contains(&(cube[i], cube[j]));
        let triple = |i: usize, j: usize, k: usize| self.triples.contains(&(cube[i], cube[j], cube[k]));
        all.clone().any(|i| (i..cube.len()).any(|j| pair(i, j)))
            || all.clone().any(|i| (i + 1..cube.len()).any(|j| (j + 1..cube.len()).any(|k| triple(i, j, k))))
            || self.contradictions.iter().any(|c| is_subcube(c, cube))
    }

    /// Whether every state of the side is in a cube of the cover.
    fn covered(&mut self, cover: &Cover, side: Side) -> Result<bool, Interrupted> {
        self.options.check()?;
        Ok(self.decider.covers(&cover.cubes, side))
    }

    /// The minimal cubes of at least one literal that contradict the hypotheses.
    fn contradictory_cubes(&mut self, settled: Option<&Part>) -> Result<Cover, Interrupted> {
        // Hypotheses that contradict each other say nothing about the predicates.
        if self.implied(&[], None)?.is_some() {
            return Ok(Cover::default());
        }
        let mut found = vec![];
        let mut level = vec![vec![]];
        let budget = self.decider.effort().prover_calls + self.options.max_calls;
        for length in 1..=self.max_cube {
            let mut next = vec![];
            for prefix in &level {
                self.options.check()?;
                let candidates = self.candidates(prefix, None);
                let settled = settled.filter(|s| s.is_about(prefix));
                for l in self.later(prefix) {
                    let cube = || -> Cube { prefix.iter().copied().chain([l]).collect() };
                    let known = settled.and_then(|s| s.look_up(&cube, l));
                    let core = match known {
                        Some(true) => Some(cube()),
                        _ if !candidates.contains(l) => None,
                        _ if self.is_contradictory(&cube()) => continue,
                        Some(false) => None,
                        None => {
                            self.decider.effort().cubes += 1;
                            if self.is_spent(budget) {
                                return Ok(Cover { cubes: found, complete: false });
                            }
                            self.implied(&cube(), None)?
                        }
                    };
                    if let Some(core) = core {
                        found.push(core.clone());
                        self.remember(core);
                        continue;
                    }
                    if length < self.max_cube {
                        next.push(cube());
                    }
                }
            }
            level = next;
        }
        Ok(Cover { cubes: found, complete: false })
    }
}

enum Class {
    /// Neither an implicant nor contradictory: longer ones may be.
    Open,
    /// It, and what contains it, need no further look.
    Closed,
    /// This part of it is an implicant.
    Implicant(Cube),
}
