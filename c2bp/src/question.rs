//! The questions of one statement's cartesian abstraction, or of its exact one ([`Image`]): which of them need the
//! prover, and what surrounds them.
//!
//! A goal is looked up first (constant, or equal to a predicate). The rest is grouped by cone of influence: the
//! predicates and hypotheses that share constants with the goal, closed under sharing ([BMMR01 §5.2]).

mod cones;
mod inquiry;

use crate::arrays;
use crate::cube_search::problem::{Goal, Problem};
use crate::groups::groups;
use bp::{Expr, Ident};
pub(crate) use inquiry::split;
use predicates::PredId;
use smt::Term;
use std::ops::Deref;
use std::sync::Arc;

/// A boolean variable with its meaning; cheap to copy, since each statement gets those of all predicates in scope.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    pub(crate) var: Ident,
    meaning: Arc<Meaning>,
}

/// What a variable stands for.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    pub(crate) term: Term,
    axioms: Vec<Term>,
    constants: Vec<Term>,
    /// Whether it mentions memory maps.
    maps: bool,
}

impl Deref for Literal {
    type Target = Meaning;

    fn deref(&self) -> &Meaning {
        &self.meaning
    }
}

impl Literal {
    /// The same meaning for another variable.
    pub(crate) fn renamed(&self, var: Ident) -> Literal {
        Literal { var, ..self.clone() }
    }

    /// Its formulas, to be rewritten; the constants must be looked for again afterwards.
    fn terms(&mut self) -> impl Iterator<Item = &mut Term> {
        let meaning = Arc::make_mut(&mut self.meaning);
        std::iter::once(&mut meaning.term).chain(&mut meaning.axioms)
    }

    fn look_for_constants(&mut self) {
        let meaning = Arc::make_mut(&mut self.meaning);
        meaning.constants = meaning.term.constants();
    }

    /// Facts about the terms of the meaning.
    pub(crate) fn axioms(&self) -> &[Term] {
        &self.axioms
    }

    pub(crate) fn new(var: Ident, term: Term, axioms: Vec<Term>) -> Literal {
        let constants = term.constants();
        let maps = std::iter::once(&term).chain(&axioms).any(arrays::mentions_maps);
        Literal { var, meaning: Arc::new(Meaning { term, axioms, constants, maps }) }
    }
}

/// The value of a boolean expression: known already, or the answer to a question.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// This expression.
    Known(Expr),
    /// The goal with this number in [`Questions`].
    Asked(usize),
}

/// The side of a goal that is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    /// `choose[F(φ), F(!φ)]`.
    Both,
    /// `F(φ)`.
    Implicants,
}

/// How closely a statement's abstraction follows the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Image {
    /// Each predicate by itself, from cubes of at most this many literals: Cartesian(P,E) when there is no bound.
    Cartesian { max_cube: usize },
    /// All predicates together: Boolean(P,E) (002 slide 34; \[BPR01\]).
    Exact,
}

impl Image {
    /// Each predicate by itself, but from cubes of any length when the rest is exact.
    pub(crate) fn one_by_one(self) -> Image {
        match self {
            Image::Cartesian { .. } => self,
            Image::Exact => Image::Cartesian { max_cube: usize::MAX },
        }
    }
}

/// What a value is the value of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum About {
    /// A predicate after the statement.
    Predicate(PredId),
    /// The condition of a branch: the value is where it cannot hold.
    Branch,
    /// The condition of a check.
    Check,
    /// A pointer that the statement follows: the value is where it is NULL.
    Followed,
    /// A predicate of the procedure called, at its entry.
    Argument(PredId),
    /// A global predicate at the exit of the procedure called.
    AtExit(PredId),
}

/// A value for people: what it is about, and how it came about.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    pub(crate) about: About,
    /// What must hold before the statement, where that can be said.
    pub(crate) before: Option<ir::Expr>,
    /// `None`: the predicate keeps its value.
    pub(crate) value: Option<Value>,
}

/// The questions of one statement, while they are collected.
pub(crate) struct Questions {
    literals: Vec<Literal>,
    /// Facts with the constants that they connect.
    hypotheses: Vec<(Term, Vec<Term>)>,
    goals: Vec<(Goal, Vec<Term>)>,
    image: Image,
    /// The value that the statement chooses: goals about it are considered together, too.
    chosen: Vec<Term>,
    pub(crate) folded: u64,
    remarks: Vec<Remark>,
}

/// The questions of one statement as problems.
#[derive(Debug, Default)]
pub(crate) struct Inquiry {
    pub(crate) problems: Vec<Problem>,
    /// For each problem the variables of its predicates.
    vars: Vec<Vec<Ident>>,
    /// Problems about all predicates and goals together, with the goals.
    joint: Vec<(usize, Vec<usize>)>,
    /// For each goal its problem, the position there, and what is wanted.
    places: Vec<(usize, usize, Want)>,
    /// Goals that needed no problem.
    pub(crate) folded: u64,
    /// All values, also those that needed no problem.
    pub(crate) remarks: Vec<Remark>,
}

impl Questions {
    pub(crate) fn new(literals: Vec<Literal>, image: Image) -> Questions {
        Questions {
            literals,
            hypotheses: vec![],
            goals: vec![],
            image,
            chosen: vec![],
            folded: 0,
            remarks: vec![],
        }
    }

    /// Facts that hold whenever the statement is executed.
    pub(crate) fn assume(&mut self, facts: impl IntoIterator<Item = Term>) {
        for fact in facts {
            if fact.as_bool() != Some(true) {
                let constants = fact.constants();
                self.hypotheses.push((fact, constants));
            }
        }
    }

    /// Takes note that the statement chooses what these constants of the term are.
    pub(crate) fn choose(&mut self, term: &Term) {
        self.chosen.extend(term.constants());
    }

    /// Behind the statement of those questions, which this condition ends.
    pub(crate) fn follows(&mut self, first: &Questions, condition: Term) {
        self.chosen.extend(first.chosen.iter().cloned());
        self.assume(first.facts().chain([condition]));
    }

    /// What was assumed.
    pub(crate) fn facts(&self) -> impl Iterator<Item = Term> + '_ {
        self.hypotheses.iter().map(|(fact, _)| fact.clone())
    }

    /// What a value is the truth of, with the facts about its terms; `None` where it can be anything.
    pub(crate) fn meaning(&self, value: &Value) -> Option<(Term, Vec<Term>)> {
        match value {
            Value::Asked(number) => {
                let (goal, axioms) = &self.goals[*number];
                Some((goal.term.clone(), axioms.clone()))
            }
            Value::Known(e) => self.term_of(e).map(|term| (term, vec![])),
        }
    }

    fn term_of(&self, e: &Expr) -> Option<Term> {
        match e {
            Expr::Const(b) => Some(Term::bool(*b)),
            Expr::Var(v) => self.literals.iter().find(|l| l.var == *v).map(|l| l.term.clone()),
            Expr::Not(e) => self.term_of(e).map(|term| term.not()),
            _ => None,
        }
    }

    /// Whether some predicate shares a constant with the goal.
    pub(crate) fn knows(&self, goal: &Term) -> bool {
        let constants = goal.constants();
        self.literals.iter().any(|l| l.constants.iter().any(|c| constants.contains(c)))
    }

    /// Asks for a boolean expression; `axioms` are facts about the goal's own terms.
    pub(crate) fn ask(&mut self, goal: Term, axioms: Vec<Term>, want: Want) -> Value {
        if let Some(value) = self.fold(&goal) {
            self.folded += 1;
            return Value::Known(value);
        }
        let negative = want == Want::Both;
        self.goals.push((Goal { term: goal, positive: true, negative }, axioms));
        Value::Asked(self.goals.len() - 1)
    }

    /// Takes note of a value for people.
    pub(crate) fn remark(&mut self, about: About, before: Option<&ir::Expr>, value: Option<&Value>) {
        self.remarks.push(Remark { about, before: before.cloned(), value: value.cloned() });
    }

    fn fold(&self, goal: &Term) -> Option<Expr> {
        if let Some(b) = goal.as_bool() {
            return Some(Expr::Const(b));
        }
        let negated = goal.not();
        self.literals.iter().find_map(|l| match &l.term {
            t if t == goal => Some(Expr::Var(l.var.clone())),
            t if *t == negated => Some(Expr::not(Expr::Var(l.var.clone()))),
            _ => None,
        })
    }

    /// Makes the problems.
    pub(crate) fn finish(mut self) -> Inquiry {
        if !self.goals.is_empty() {
            self.without_maps();
        }
        let mut inquiry =
            Inquiry { folded: self.folded, remarks: std::mem::take(&mut self.remarks), ..Inquiry::default() };
        let cones = match self.image {
            Image::Cartesian { .. } => self.cones(),
            Image::Exact => self.components(),
        };
        inquiry.places = vec![(0, 0, Want::Both); self.goals.len()];
        for (literals, hypotheses, goals) in cones {
            let problem = inquiry.problems.len();
            for (position, number) in goals.iter().enumerate() {
                let want = if self.goals[*number].0.negative { Want::Both } else { Want::Implicants };
                inquiry.places[*number] = (problem, position, want);
            }
            let vars: Vec<Ident> = literals.iter().map(|i| self.literals[*i].var.clone()).collect();
            let asked = self.problem(&literals, &hypotheses, &goals);
            if self.image == Image::Exact && asked.goals.iter().all(|g| g.negative) {
                inquiry.joint.push((inquiry.problems.len() + 1, goals));
                let joint = jointly(&asked);
                inquiry.problems.push(asked);
                inquiry.vars.push(vars.clone());
                inquiry.problems.push(joint);
            } else {
                inquiry.problems.push(asked);
            }
            inquiry.vars.push(vars);
        }
        if !self.chosen.is_empty() && self.image != Image::Exact {
            self.relate(&mut inquiry);
        }
        inquiry
    }

    /// Asks which combinations of values no choice gives, where there are several goals about what is chosen.
    fn relate(&self, inquiry: &mut Inquiry) {
        let depends = |g: &usize| {
            let goal = &self.goals[*g].0;
            goal.negative && goal.term.constants().iter().any(|c| self.chosen.contains(c))
        };
        for (_, hypotheses, mut goals) in self.components() {
            goals.retain(depends);
            if goals.len() < 2 || MOST_RELATED < goals.len() {
                continue;
            }
            let asked = self.problem(&[], &hypotheses, &goals);
            let max_cube = if goals.len() <= SMALL { 3 } else { 2 };
            inquiry.joint.push((inquiry.problems.len(), goals));
            inquiry.problems.push(Problem { max_cube, ..jointly(&asked) });
            inquiry.vars.push(vec![]);
        }
    }

    /// Instead of goals: the contradictory combinations of each group of predicates that share constants. `longest`
    /// says how long cubes get in a group of a given size.
    pub(crate) fn contradictions(mut self, longest: &dyn Fn(usize) -> usize) -> Inquiry {
        self.without_maps();
        let mut inquiry = Inquiry::default();
        let sets = self.literals.iter().map(|l| &l.constants).chain(self.hypotheses.iter().map(|h| &h.1));
        let count = self.literals.len();
        for group in groups(sets) {
            let (literals, hypotheses): (Vec<usize>, Vec<usize>) = group.iter().partition(|i| **i < count);
            if literals.len() < 2 {
                continue;
            }
            let hypotheses: Vec<usize> = hypotheses.iter().map(|i| i - count).collect();
            let mut problem = self.problem(&literals, &hypotheses, &[]);
            problem.goals = vec![Goal { term: Term::bool(false), positive: true, negative: false }];
            problem.max_cube = longest(literals.len());
            inquiry.problems.push(problem);
            inquiry.vars.push(literals.iter().map(|i| self.literals[*i].var.clone()).collect());
        }
        inquiry
    }

    /// Takes memory maps out of all formulas.
    fn without_maps(&mut self) {
        let mut others =
            self.hypotheses.iter().map(|(fact, _)| fact).chain(
                self.goals.iter().flat_map(|(goal, axioms)| std::iter::once(&goal.term).chain(axioms)),
            );
        if !self.literals.iter().any(|l| l.maps) && !others.any(arrays::mentions_maps) {
            return;
        }
        let mut places: Vec<&mut Term> = vec![];
        places.extend(self.literals.iter_mut().flat_map(Literal::terms));
        places.extend(self.hypotheses.iter_mut().map(|(fact, _)| fact));
        for (goal, axioms) in &mut self.goals {
            places.push(&mut goal.term);
            places.extend(axioms);
        }
        let mut terms: Vec<Term> = places.iter().map(|t| (**t).clone()).collect();
        let Some(facts) = arrays::eliminate(&mut terms) else { return };
        places.into_iter().zip(terms).for_each(|(place, term)| *place = term);
        self.literals.iter_mut().for_each(Literal::look_for_constants);
        self.hypotheses.iter_mut().for_each(|(fact, constants)| *constants = fact.constants());
        self.assume(facts);
    }

    fn problem(&self, literals: &[usize], hypotheses: &[usize], goals: &[usize]) -> Problem {
        let mut facts: Vec<Term> = hypotheses.iter().map(|i| self.hypotheses[*i].0.clone()).collect();
        facts.extend(literals.iter().flat_map(|i| self.literals[*i].axioms.iter().cloned()));
        facts.extend(goals.iter().flat_map(|g| self.goals[*g].1.iter().cloned()));
        facts.retain(|f| f.as_bool() != Some(true));
        facts.sort();
        facts.dedup();
        Problem {
            hypotheses: facts,
            predicates: literals.iter().map(|i| self.literals[*i].term.clone()).collect(),
            goals: goals.iter().map(|g| self.goals[*g].0.clone()).collect(),
            max_cube: match self.image {
                Image::Cartesian { max_cube } => max_cube.min(longest(literals.len())),
                Image::Exact => longest(literals.len()),
            },
        }
    }
}

/// Which combinations of predicates and goals contradict the hypotheses: goals count as predicates behind the others.
fn jointly(asked: &Problem) -> Problem {
    let goals = asked.goals.iter().map(|g| g.term.clone());
    let predicates: Vec<Term> = asked.predicates.iter().cloned().chain(goals).collect();
    Problem {
        hypotheses: asked.hypotheses.clone(),
        max_cube: longest(predicates.len()),
        predicates,
        goals: vec![Goal { term: Term::bool(false), positive: true, negative: false }],
    }
}

/// With more goals than this, none are considered together.
const MOST_RELATED: usize = 24;

/// Up to this many goals, combinations of three are considered, otherwise pairs.
const SMALL: usize = 8;

/// How many cubes a search looks at.
const MAX_CUBES: u64 = 200_000;

/// The length up to which there are at most [`MAX_CUBES`] cubes over that many predicates; at least three, which is
/// what searches that are not exact look at.
fn longest(predicates: usize) -> usize {
    let n = predicates as u64;
    let (mut cubes, mut of_length) = (1u64, 1u64);
    for length in 1..=n {
        of_length = of_length.saturating_mul(2 * (n - length + 1)) / length;
        cubes = cubes.saturating_add(of_length);
        if MAX_CUBES < cubes {
            return (length as usize - 1).max(3);
        }
    }
    predicates
}
