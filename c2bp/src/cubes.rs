//! The cube search: `F(φ)`, the weakest disjunction of short cubes over the predicates that implies φ
//! (002 slides 25-27; [BMMR01 §5.2] for the order and the pruning).
//!
//! Cubes are tried by length. Supersets of implicants and of contradictory cubes are skipped; a cube that a
//! recorded model shows to be no implicant costs no prover call; an implicant is shrunk to the prover's core; the
//! search ends early once the implicants found cover the goal. An unknown answer counts as "not implied".
//!
//! Invariant: the answers are a function of the problem alone. Each problem has a solver of its own, the order of
//! its calls is fixed, and only the resource count limits them.

use crate::Interrupted;
use crate::formula::{Cover, Cube, Lit, is_subcube};
use crate::problem::{Answers, Goal, Problem, Sides};
use crate::samples::Samples;
use rustc_hash::FxHashSet;
use smt::{Answer, Prover, Sort, Term};
use std::sync::atomic::{AtomicBool, Ordering};

/// What the search needs beside the problem.
pub(crate) struct Limits<'a> {
    /// Resource count for each call of the prover.
    pub(crate) rlimit: u64,
    /// Set to end the search.
    pub(crate) stop: &'a AtomicBool,
    /// Ends calls of the prover that are under way.
    pub(crate) interrupt: &'a smt::Interrupt,
    /// Calls of the prover for one side of one goal; the cubes that are left then are not tried.
    pub(crate) max_calls: u64,
}

impl Limits<'_> {
    /// An error once the work shall end.
    pub(crate) fn check(&self) -> Result<(), Interrupted> {
        if self.stop.load(Ordering::Relaxed) || self.interrupt.is_set() { Err(Interrupted) } else { Ok(()) }
    }
}

/// Solves the problem.
pub(crate) fn solve(problem: &Problem, limits: &Limits<'_>) -> Result<Answers, Interrupted> {
    let decider = match Samples::new(problem) {
        Some(samples) => Decider::Samples(samples),
        None => Decider::Prover(Box::new(Session::new(problem, limits))),
    };
    let mut search = Search {
        decider,
        limits,
        predicates: problem.predicates.len(),
        max_cube: problem.max_cube,
        contradictions: vec![],
        clash: FxHashSet::default(),
        cubes: 0,
    };
    let mut sides = vec![];
    for (index, goal) in problem.goals.iter().enumerate() {
        sides.push(search.goal(index, goal)?);
    }
    let calls = match &search.decider {
        Decider::Samples(_) => 0,
        Decider::Prover(session) => session.calls,
    };
    Ok(Answers { sides, calls, cubes: search.cubes })
}

/// A goal or its negation, by its position in the problem.
#[derive(Clone, Copy)]
struct Side {
    goal: usize,
    positive: bool,
}

struct Search<'a> {
    decider: Decider,
    limits: &'a Limits<'a>,
    predicates: usize,
    max_cube: usize,
    /// Cubes that contradict the hypotheses, none a part of another.
    contradictions: Vec<Cube>,
    /// The contradictions of at most two literals, for quick look-up.
    clash: FxHashSet<(Lit, Lit)>,
    cubes: u64,
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
        self.cubes += 1;
        if self.refutes(&[], side)?.is_some() {
            return Ok(Cover { cubes: vec![vec![]], complete: true });
        }
        if self.covered(&cover, side)? {
            return Ok(Cover { complete: true, ..cover });
        }
        let budget = self.decider.calls() + self.limits.max_calls;
        let mut open: Vec<Cube> = vec![vec![]];
        for _ in 0..self.max_cube {
            let mut still_open = vec![];
            for prefix in &open {
                for cube in self.extensions(prefix) {
                    if self.decider.calls() >= budget {
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

    /// The cube with one more literal of a later predicate.
    fn extensions(&self, prefix: &[Lit]) -> impl Iterator<Item = Cube> + use<> {
        let prefix = prefix.to_vec();
        let first = prefix.last().map_or(0, |l| l.predicate() + 1);
        (first..self.predicates).flat_map(move |p| {
            let prefix = prefix.clone();
            [true, false].into_iter().map(move |positive| {
                let mut cube = prefix.clone();
                cube.push(Lit::new(p, positive));
                cube
            })
        })
    }

    fn classify(&mut self, cube: &[Lit], side: Side, cover: &Cover) -> Result<Class, Interrupted> {
        self.cubes += 1;
        if self.is_contradictory(cube) || cover.cubes.iter().any(|c| is_subcube(c, cube)) {
            return Ok(Class::Closed);
        }
        let Some(core) = self.refutes(cube, side)? else { return Ok(Class::Open) };
        if self.contradicts(&core)? {
            return Ok(Class::Closed);
        }
        Ok(Class::Implicant(core))
    }

    /// A part of the cube that implies the side, if the cube does.
    fn refutes(&mut self, cube: &[Lit], side: Side) -> Result<Option<Cube>, Interrupted> {
        self.limits.check()?;
        let found = self.decider.implies(cube, Some(side));
        if found.is_none() {
            self.limits.check()?;
        }
        Ok(found)
    }

    /// Whether the hypotheses exclude the cube; remembers it if so.
    fn contradicts(&mut self, cube: &[Lit]) -> Result<bool, Interrupted> {
        if self.is_contradictory(cube) {
            return Ok(true);
        }
        let Some(core) = self.decider.implies(cube, None) else {
            self.limits.check()?;
            return Ok(false);
        };
        self.remember(core);
        Ok(true)
    }

    fn remember(&mut self, cube: Cube) {
        match cube.as_slice() {
            [a] => _ = self.clash.insert((*a, *a)),
            [a, b] => _ = self.clash.insert((*a, *b)),
            _ => self.contradictions.push(cube),
        }
    }

    fn is_contradictory(&self, cube: &[Lit]) -> bool {
        let small =
            || (0..cube.len()).any(|i| (i..cube.len()).any(|j| self.clash.contains(&(cube[i], cube[j]))));
        small() || self.contradictions.iter().any(|c| is_subcube(c, cube))
    }

    /// Whether every state of the side is in a cube of the cover.
    fn covered(&mut self, cover: &Cover, side: Side) -> Result<bool, Interrupted> {
        self.limits.check()?;
        Ok(self.decider.covers(&cover.cubes, side))
    }

    /// The minimal cubes of at least one literal that contradict the hypotheses.
    fn contradictory_cubes(&mut self) -> Result<Cover, Interrupted> {
        let mut found = vec![];
        let mut open: Vec<Cube> = vec![vec![]];
        for _ in 0..self.max_cube {
            let mut still_open = vec![];
            for prefix in &open {
                for cube in self.extensions(prefix) {
                    self.cubes += 1;
                    self.limits.check()?;
                    if self.is_contradictory(&cube) {
                        continue;
                    }
                    match self.decider.implies(&cube, None) {
                        None => still_open.push(cube),
                        // Hypotheses that contradict each other say nothing about the predicates.
                        Some(core) if core.is_empty() => return Ok(Cover::default()),
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

/// Who decides: all abstract states at once when they can be listed, else the prover.
enum Decider {
    Samples(Samples),
    Prover(Box<Session>),
}

impl Decider {
    /// A part of the cube that contradicts the negation of the side (or, without a side, the hypotheses).
    fn implies(&mut self, cube: &[Lit], side: Option<Side>) -> Option<Cube> {
        match self {
            Decider::Samples(s) => {
                let side = side.map(|s| (s.goal, s.positive));
                s.implies(cube, side).then(|| cube.to_vec())
            }
            Decider::Prover(s) => s.implies(cube, side),
        }
    }

    fn covers(&mut self, cubes: &[Cube], side: Side) -> bool {
        match self {
            Decider::Samples(s) => s.covers(cubes, (side.goal, side.positive)),
            Decider::Prover(s) => s.covers(cubes, side),
        }
    }

    fn calls(&self) -> u64 {
        match self {
            Decider::Samples(_) => 0,
            Decider::Prover(s) => s.calls,
        }
    }
}

/// One solver with the problem's names, and the models that it gave.
struct Session {
    prover: smt::Z3Prover,
    literals: Vec<Term>,
    goals: Vec<Term>,
    models: Models,
    calls: u64,
}

impl Session {
    fn new(problem: &Problem, limits: &Limits<'_>) -> Session {
        let config = smt::Config {
            rlimit: limits.rlimit,
            interrupt: limits.interrupt.clone(),
            ..smt::Config::default()
        };
        let mut prover = smt::Z3Prover::new(config);
        for fact in &problem.hypotheses {
            prover.assert(fact);
        }
        let mut named = |prefix: &str, terms: &mut dyn Iterator<Item = &Term>| -> Vec<Term> {
            let mut names = vec![];
            for (i, term) in terms.enumerate() {
                let name = Term::constant(&format!("{prefix}!{i}"), Sort::Bool);
                prover.assert(&name.equal(term));
                names.push(name);
            }
            names
        };
        let literals = named("b", &mut problem.predicates.iter());
        let goals = named("goal", &mut problem.goals.iter().map(|g| &g.term));
        let models = Models::new(literals.len(), goals.len());
        Session { prover, literals, goals, models, calls: 0 }
    }

    fn implies(&mut self, cube: &[Lit], side: Option<Side>) -> Option<Cube> {
        let refuted = side.map(|s| (s.goal, !s.positive));
        if self.models.satisfy(cube, refuted) {
            return None;
        }
        let mut assumptions: Vec<Term> = cube.iter().map(|l| self.literal(*l)).collect();
        if let Some((goal, positive)) = refuted {
            assumptions.push(signed(&self.goals[goal], positive));
        }
        if self.check(&assumptions) != Answer::Unsat {
            return None;
        }
        let core = self.prover.core();
        Some(core.into_iter().filter_map(|i| cube.get(i).copied()).collect())
    }

    fn covers(&mut self, cubes: &[Cube], side: Side) -> bool {
        if self.models.escape(cubes, (side.goal, side.positive)) {
            return false;
        }
        self.prover.push();
        for cube in cubes {
            let literals = cube.iter().map(|l| self.literal(*l).not());
            let outside = Term::or(literals.collect::<Vec<_>>());
            self.prover.assert(&outside);
        }
        let goal = signed(&self.goals[side.goal], side.positive);
        let answer = self.check(&[goal]);
        self.prover.pop();
        answer == Answer::Unsat
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.calls += 1;
        let answer = self.prover.check(assumptions);
        if answer == Answer::Sat
            && let Some(model) = self.prover.model()
        {
            let value = |t: &Term| model.holds(t) == Some(true);
            let literals: Vec<bool> = self.literals.iter().map(value).collect();
            let goals: Vec<bool> = self.goals.iter().map(value).collect();
            self.models.add(&literals, &goals);
        }
        answer
    }

    fn literal(&self, l: Lit) -> Term {
        signed(&self.literals[l.predicate()], l.is_positive())
    }
}

fn signed(t: &Term, positive: bool) -> Term {
    if positive { t.clone() } else { t.not() }
}

/// The last models, one bit of a word each: which literals and goals are true in them.
pub(crate) struct Models {
    /// By [`Lit::index`].
    literals: Vec<u128>,
    /// For each goal: where it is false, where it is true.
    goals: Vec<[u128; 2]>,
    used: u32,
    next: u32,
}

impl Models {
    /// No models.
    pub(crate) fn new(predicates: usize, goals: usize) -> Models {
        Models { literals: vec![0; 2 * predicates], goals: vec![[0; 2]; goals], used: 0, next: 0 }
    }

    /// Adds a model; when there are 128 already, the oldest is given up.
    pub(crate) fn add(&mut self, literals: &[bool], goals: &[bool]) {
        let bit = 1u128 << self.next;
        for (p, value) in literals.iter().enumerate() {
            for positive in [true, false] {
                let word = &mut self.literals[Lit::new(p, positive).index()];
                *word = if *value == positive { *word | bit } else { *word & !bit };
            }
        }
        for (words, value) in self.goals.iter_mut().zip(goals) {
            words[usize::from(*value)] |= bit;
            words[usize::from(!*value)] &= !bit;
        }
        self.next = (self.next + 1) % 128;
        self.used = (self.used + 1).min(128);
    }

    /// Whether one of the models satisfies the cube and gives the goal this value.
    pub(crate) fn satisfy(&self, cube: &[Lit], goal: Option<(usize, bool)>) -> bool {
        let start = match goal {
            None => self.all(),
            Some((goal, value)) => self.goals[goal][usize::from(value)],
        };
        cube.iter().fold(start, |words, l| words & self.literals[l.index()]) != 0
    }

    /// Whether one of the models gives the goal this value and lies in none of the cubes.
    pub(crate) fn escape(&self, cubes: &[Cube], (goal, value): (usize, bool)) -> bool {
        let inside = |cube: &Cube| cube.iter().fold(self.all(), |words, l| words & self.literals[l.index()]);
        let outside = cubes.iter().fold(self.all(), |words, cube| words & !inside(cube));
        outside & self.goals[goal][usize::from(value)] != 0
    }

    fn all(&self) -> u128 {
        if self.used == 128 { u128::MAX } else { (1 << self.used) - 1 }
    }
}
