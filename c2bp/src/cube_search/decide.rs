//! Who decides whether a cube implies a goal: the list of all abstract states where there is one, else the models
//! that the prover gave so far, then the look of the formulas, then the prover.

use crate::Options;
use crate::cube_search::problem::Problem;
use crate::cube_search::samples::Samples;
use crate::formula::{Cube, Lit, LitSet};
use crate::theory_shortcuts::syntax::Syntax;
use smt::{Answer, Evaluation, Model, Prover, Sort, Term};
use std::collections::VecDeque;

/// A goal or its negation, by its position in the problem.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) goal: usize,
    pub(crate) positive: bool,
}

/// Decides about cubes of one problem.
pub(crate) enum Decider<'a> {
    /// By looking at all abstract states.
    Samples(&'a Samples, Effort),
    /// By the look of the formulas, if that is wanted, and by asking.
    Prover(&'a mut Session, Option<&'a Syntax>),
}

/// What some answers took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Cubes examined.
    pub cubes: u64,
    /// Questions about cubes that an earlier model of the prover answered.
    pub by_models: u64,
    /// Questions about cubes that the look of the formulas answered.
    pub by_syntax: u64,
    /// Calls of the prover.
    pub prover_calls: u64,
    /// Calls of the prover in which it gave up, and searches that were ended since there were too many.
    pub gave_up: u64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.cubes += other.cubes;
        self.by_models += other.by_models;
        self.by_syntax += other.by_syntax;
        self.prover_calls += other.prover_calls;
        self.gave_up += other.gave_up;
    }
}

impl Decider<'_> {
    /// A part of the cube that implies the side (without a side: contradicts the hypotheses).
    pub(crate) fn implies(&mut self, cube: &[Lit], side: Option<Side>) -> Option<Cube> {
        match self {
            Decider::Samples(s, effort) => {
                effort.by_syntax += 1;
                let side = side.map(|s| (s.goal, s.positive));
                s.implies(cube, side).then(|| cube.to_vec())
            }
            Decider::Prover(s, syntax) => s.implies(cube, side, *syntax),
        }
    }

    /// Takes the literals away of which a known state says that the cube with them does not imply the side (without a side: does not
    /// contradict the hypotheses).
    pub(crate) fn take_known(&self, open: &mut LitSet, cube: &[Lit], side: Option<Side>) {
        let refuted = side.map(|s| (s.goal, !s.positive));
        match self {
            Decider::Samples(s, _) => s.take_away(open, cube, refuted),
            Decider::Prover(s, _) => s.models.take_away(open, cube, refuted),
        }
    }

    /// Whether every state of the side is in one of the cubes.
    pub(crate) fn covers(&mut self, cubes: &[Cube], side: Side) -> bool {
        match self {
            Decider::Samples(s, effort) => {
                effort.by_syntax += 1;
                s.covers(cubes, (side.goal, side.positive))
            }
            Decider::Prover(s, syntax) => s.covers(cubes, side, *syntax),
        }
    }

    /// What the answers took so far.
    pub(crate) fn effort(&mut self) -> &mut Effort {
        match self {
            Decider::Samples(_, effort) => effort,
            Decider::Prover(s, _) => &mut s.effort,
        }
    }
}

/// How many models are offered to later problems.
const KEPT_MODELS: usize = 1024;

/// One solver for problems with the same predicates. The predicates have names for good; the hypotheses and goals
/// of a problem live on a level of their own.
pub(crate) struct Session {
    prover: smt::Z3Prover,
    predicates: Vec<Term>,
    literals: Vec<Term>,
    goals: Vec<Term>,
    named_goals: usize,
    models: Models,
    kept: VecDeque<(Model, Vec<bool>)>,
    effort: Effort,
}

impl Session {
    /// A solver that knows the predicates' names, and models of other problems.
    pub(crate) fn new(predicates: &[Term], known: &[Model], options: &Options<'_>) -> Session {
        let mut prover = options.prover();
        let mut literals = vec![];
        for (i, predicate) in predicates.iter().enumerate() {
            let name = Term::constant(&format!("b!{i}"), Sort::Bool);
            prover.assert(&name.equal(predicate));
            literals.push(name);
        }
        let with_literals = |model: &Model| -> Option<(Model, Vec<bool>)> {
            let mut values = Evaluation::new(model);
            let literals = predicates.iter().map(|p| values.value(p)?.as_bool()).collect::<Option<_>>()?;
            Some((model.clone(), literals))
        };
        Session {
            prover,
            predicates: predicates.to_vec(),
            literals,
            goals: vec![],
            named_goals: 0,
            models: Models::new(predicates.len(), 0),
            kept: known.iter().filter_map(with_literals).collect(),
            effort: Effort::default(),
        }
    }

    /// Begins a problem.
    pub(crate) fn open(&mut self, problem: &Problem) {
        assert_eq!(self.predicates, problem.predicates, "the problems of a batch have the same predicates");
        self.prover.push();
        for fact in &problem.hypotheses {
            self.prover.assert(fact);
        }
        self.goals.clear();
        for goal in &problem.goals {
            let name = Term::constant(&format!("goal!{}", self.named_goals), Sort::Bool);
            self.named_goals += 1;
            self.prover.assert(&name.equal(&goal.term));
            self.goals.push(name);
        }
        self.models = Models::new(self.predicates.len(), problem.goals.len());
        for (model, literals) in &self.kept {
            if problem.hypotheses.iter().all(|h| model.holds(h) == Some(true)) {
                let goals: Option<Vec<bool>> = problem.goals.iter().map(|g| model.holds(&g.term)).collect();
                if let Some(goals) = goals {
                    self.models.add(literals, &goals);
                }
            }
        }
    }

    /// Models for other problems, the latest last.
    pub(crate) fn into_models(self) -> impl Iterator<Item = Model> {
        self.kept.into_iter().map(|(model, _)| model)
    }

    /// Ends the problem.
    pub(crate) fn close(&mut self) {
        self.prover.pop();
    }

    fn implies(&mut self, cube: &[Lit], side: Option<Side>, syntax: Option<&Syntax>) -> Option<Cube> {
        let refuted = side.map(|s| (s.goal, !s.positive));
        if self.models.satisfy(cube, refuted) {
            self.effort.by_models += 1;
            return None;
        }
        if let Some(core) = syntax.and_then(|s| s.refutes(cube, refuted)) {
            self.effort.by_syntax += 1;
            return Some(core);
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

    fn covers(&mut self, cubes: &[Cube], side: Side, syntax: Option<&Syntax>) -> bool {
        if self.models.escape(cubes, (side.goal, side.positive)) {
            self.effort.by_models += 1;
            return false;
        }
        if syntax.is_some_and(|s| s.covers(cubes, (side.goal, side.positive))) {
            self.effort.by_syntax += 1;
            return true;
        }
        self.prover.push();
        for cube in cubes {
            let literals: Vec<Term> = cube.iter().map(|l| self.literal(*l).not()).collect();
            self.prover.assert(&Term::or(literals));
        }
        let goal = signed(&self.goals[side.goal], side.positive);
        let answer = self.check(&[goal]);
        self.prover.pop();
        answer == Answer::Unsat
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.effort.prover_calls += 1;
        let answer = self.prover.check(assumptions);
        self.effort.gave_up += u64::from(matches!(answer, Answer::Unknown(_)));
        if answer == Answer::Sat
            && let Some(model) = self.prover.model()
        {
            let value = |t: &Term| model.holds(t) == Some(true);
            let literals: Vec<bool> = self.literals.iter().map(value).collect();
            let goals: Vec<bool> = self.goals.iter().map(value).collect();
            self.models.add(&literals, &goals);
            let known = |(_, l): &(Model, Vec<bool>)| *l == literals;
            if !self.kept.iter().any(known) {
                self.keep(model, literals);
            }
        }
        answer
    }

    /// Keeps the model for later problems, if it decides the predicates there also.
    fn keep(&mut self, model: Model, literals: Vec<bool>) {
        let agrees = |(p, value): (&Term, &bool)| model.holds(p) == Some(*value);
        if self.predicates.iter().zip(&literals).all(agrees) {
            if self.kept.len() == KEPT_MODELS {
                self.kept.pop_front();
            }
            self.kept.push_back((model, literals));
        }
    }

    fn literal(&self, l: Lit) -> Term {
        signed(&self.literals[l.predicate()], l.is_positive())
    }
}

fn signed(t: &Term, positive: bool) -> Term {
    if positive { t.clone() } else { t.not() }
}

/// The models of a problem, one bit each: which literals and goals are true in them.
struct Models {
    /// By [`Lit::index`].
    literals: Vec<Vec<u64>>,
    /// The same by model.
    rows: Vec<LitSet>,
    /// For each goal: where it is false, where it is true.
    goals: Vec<[Vec<u64>; 2]>,
    used: usize,
    next: usize,
}

/// At most this many models are kept; the oldest are replaced. Scanning all of them costs far less than a call.
const MODELS: usize = 2048;

impl Models {
    fn new(predicates: usize, goals: usize) -> Models {
        let goals = (0..goals).map(|_| [vec![], vec![]]).collect();
        Models { literals: vec![vec![]; 2 * predicates], rows: vec![], goals, used: 0, next: 0 }
    }

    fn add(&mut self, literals: &[bool], goals: &[bool]) {
        let (word, bit) = (self.next / 64, 1u64 << (self.next % 64));
        let set = |words: &mut Vec<u64>, value: bool| {
            words.resize(words.len().max(word + 1), 0);
            words[word] = if value { words[word] | bit } else { words[word] & !bit };
        };
        let mut row = LitSet::default();
        for (p, value) in literals.iter().enumerate() {
            row.insert(Lit::new(p, *value));
            for positive in [true, false] {
                set(&mut self.literals[Lit::new(p, positive).index()], *value == positive);
            }
        }
        match self.rows.get_mut(self.next) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
        for (words, value) in self.goals.iter_mut().zip(goals) {
            set(&mut words[usize::from(*value)], true);
            set(&mut words[usize::from(!*value)], false);
        }
        self.next = (self.next + 1) % MODELS;
        self.used = (self.used + 1).min(MODELS);
    }

    /// Whether one of the models satisfies the cube and gives the goal this value.
    fn satisfy(&self, cube: &[Lit], goal: Option<(usize, bool)>) -> bool {
        (0..self.used.div_ceil(64)).any(|word| self.within(cube, goal, word) != 0)
    }

    /// Takes the literals away that one of these models satisfies.
    fn take_away(&self, from: &mut LitSet, cube: &[Lit], goal: Option<(usize, bool)>) {
        for word in 0..self.used.div_ceil(64) {
            let mut here = self.within(cube, goal, word);
            while here != 0 {
                from.remove_all(&self.rows[64 * word + here.trailing_zeros() as usize]);
                if from.is_empty() {
                    return;
                }
                here &= here - 1;
            }
        }
    }

    /// Of a word's models those that satisfy the cube and give the goal this value.
    fn within(&self, cube: &[Lit], goal: Option<(usize, bool)>, word: usize) -> u64 {
        let start = match goal {
            None => self.all(word),
            Some((goal, value)) => self.goals[goal][usize::from(value)][word],
        };
        let and = |bits: u64, l: &Lit| if bits == 0 { 0 } else { bits & self.literals[l.index()][word] };
        cube.iter().fold(start, and)
    }

    /// Whether one of the models gives the goal this value and lies in none of the cubes.
    fn escape(&self, cubes: &[Cube], (goal, value): (usize, bool)) -> bool {
        (0..self.used.div_ceil(64)).any(|word| {
            let start = self.goals[goal][usize::from(value)][word];
            let inside =
                |cube: &Cube| cube.iter().fold(start, |bits, l| bits & self.literals[l.index()][word]);
            start != 0 && cubes.iter().fold(start, |bits, cube| bits & !inside(cube)) != 0
        })
    }

    /// The models of a word.
    fn all(&self, word: usize) -> u64 {
        let here = (self.used - 64 * word).min(64);
        if here == 64 { u64::MAX } else { (1 << here) - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_answer_for_cubes() {
        let mut models = Models::new(2, 1);
        for i in 0..200 {
            models.add(&[i % 2 == 0, i % 3 == 0], &[i % 6 == 0]);
        }
        let (a, b) = (Lit::new(0, true), Lit::new(1, true));
        assert!(models.satisfy(&[a, b], None) && models.satisfy(&[a, b], Some((0, true))));
        assert!(!models.satisfy(&[a, b], Some((0, false))) && models.satisfy(&[a], Some((0, false))));
        assert!(!models.escape(&[vec![a, b]], (0, true)) && models.escape(&[vec![a, b]], (0, false)));
        assert!(!models.satisfy(&[Lit::new(0, false)], Some((0, true))));
        for _ in 0..MODELS {
            models.add(&[true, true], &[true]);
        }
        assert!(!models.satisfy(&[Lit::new(0, false)], None) && models.satisfy(&[a, b], None));
    }
}
