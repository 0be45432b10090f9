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

use crate::decide::{Decider, Effort, Session, Side};
use crate::formula::{Cover, Cube, Lit, is_subcube};
use crate::problem::{Answers, Goal, Problem, Sides};
use crate::samples::Samples;
use crate::syntax::Syntax;
use crate::{Interrupted, Options};
use rustc_hash::FxHashSet;

/// A problem, with cubes over its predicates that are known to contradict its hypotheses.
pub(crate) struct Task<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) contradictions: Vec<Cube>,
}

/// Solves problems that have the same predicates, one after the other, with one solver.
pub(crate) fn solve(batch: &[Task<'_>], options: &Options<'_>) -> Result<Vec<Answers>, Interrupted> {
    let mut session = None;
    batch.iter().map(|task| solve_one(task, options, &mut session)).collect()
}

fn solve_one(
    task: &Task<'_>,
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
            let session = session.get_or_insert_with(|| Session::new(&problem.predicates, options));
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
    };
    task.contradictions.iter().for_each(|cube| search.remember(cube.clone()));
    let mut answers = Answers::default();
    for (index, goal) in problem.goals.iter().enumerate() {
        *search.decider.effort() = Effort::default();
        answers.sides.push(search.goal(index, goal)?);
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
    /// Cubes that contradict the hypotheses, none a part of another.
    contradictions: Vec<Cube>,
    /// The contradictions of at most two literals, for quick look-up.
    clash: FxHashSet<(Lit, Lit)>,
}

impl Search<'_> {
    fn goal(&mut self, index: usize, goal: &Goal) -> Result<Sides, Interrupted> {
        if goal.term.as_bool() == Some(false) {
            return Ok(Sides { positive: self.contradictory_cubes()?, negative: Cover::default() });
        }
        let mut sides = Sides::default();
        if goal.positive {
            sides.positive = self.implicants(Side { goal: index, positive: true })?;
        }
        let valid = sides.positive.cubes.iter().any(Vec::is_empty);
        if goal.negative && !valid {
            sides.negative = self.implicants(Side { goal: index, positive: false })?;
        }
        Ok(sides)
    }

    /// The implicants of one side, shorter ones first.
    fn implicants(&mut self, side: Side) -> Result<Cover, Interrupted> {
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
        let mut open: Vec<Cube> = vec![vec![]];
        for _ in 0..self.max_cube {
            let mut still_open = vec![];
            for prefix in &open {
                for cube in self.extensions(prefix) {
                    if self.is_spent(budget) {
                        return Ok(cover);
                    }
                    match self.classify(&cube, side, &cover)? {
                        Class::Open => still_open.push(cube),
                        Class::Closed => {}
                        Class::Implicant(smaller) => {
                            cover.cubes.push(smaller);
                            if self.covered(&cover, side)? {
                                return Ok(Cover { complete: true, ..cover });
                            }
                        }
                    }
                }
            }
            open = still_open;
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

    /// The cube with one more literal of a later predicate.
    fn extensions(&self, prefix: &[Lit]) -> impl Iterator<Item = Cube> + use<> {
        let prefix = prefix.to_vec();
        let first = prefix.last().map_or(0, |l| l.predicate() + 1);
        let literals = (first..self.predicates).flat_map(|p| [Lit::new(p, true), Lit::new(p, false)]);
        literals.map(move |l| {
            let mut cube = Vec::with_capacity(prefix.len() + 1);
            cube.extend_from_slice(&prefix);
            cube.push(l);
            cube
        })
    }

    fn classify(&mut self, cube: &[Lit], side: Side, cover: &Cover) -> Result<Class, Interrupted> {
        self.decider.effort().cubes += 1;
        if self.is_contradictory(cube) || cover.cubes.iter().any(|c| is_subcube(c, cube)) {
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
            _ => self.contradictions.push(cube),
        }
    }

    fn is_contradictory(&self, cube: &[Lit]) -> bool {
        let pair = |i: usize, j: usize| self.clash.contains(&(cube[i], cube[j]));
        (0..cube.len()).any(|i| (i..cube.len()).any(|j| pair(i, j)))
            || self.contradictions.iter().any(|c| is_subcube(c, cube))
    }

    /// Whether every state of the side is in a cube of the cover.
    fn covered(&mut self, cover: &Cover, side: Side) -> Result<bool, Interrupted> {
        self.options.check()?;
        Ok(self.decider.covers(&cover.cubes, side))
    }

    /// The minimal cubes of at least one literal that contradict the hypotheses.
    fn contradictory_cubes(&mut self) -> Result<Cover, Interrupted> {
        // Hypotheses that contradict each other say nothing about the predicates.
        if self.implied(&[], None)?.is_some() {
            return Ok(Cover::default());
        }
        let mut found = vec![];
        let mut open: Vec<Cube> = vec![vec![]];
        let budget = self.decider.effort().prover_calls + self.options.max_calls;
        for _ in 0..self.max_cube {
            let mut still_open = vec![];
            for prefix in &open {
                for cube in self.extensions(prefix) {
                    self.decider.effort().cubes += 1;
                    if self.is_spent(budget) {
                        return Ok(Cover { cubes: found, complete: false });
                    }
                    if self.is_contradictory(&cube) {
                        continue;
                    }
                    match self.implied(&cube, None)? {
                        None => still_open.push(cube),
                        Some(core) => {
                            found.push(core.clone());
                            self.remember(core);
                        }
                    }
                }
            }
            open = still_open;
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
