//! The questions of one statement's cartesian abstraction, or of its exact one ([`Image`]): which of them need the
//! prover, and what surrounds them.
//!
//! A goal is looked up first (constant, or equal to a predicate). The rest is grouped by cone of influence: the
//! predicates and hypotheses that share constants with the goal, closed under sharing ([BMMR01 §5.2]).

use crate::arrays;
use crate::formula::{self, Lit};
use crate::problem::{Answers, Goal, Problem, Sides};
use bp::{Expr, Ident};
use pred::PredId;
use rustc_hash::FxHashSet;
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
    pub(crate) before: Option<cmm::Expr>,
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
        Questions { literals, hypotheses: vec![], goals: vec![], image, folded: 0, remarks: vec![] }
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

    /// Whether some predicate speaks of what the goal speaks of.
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
    pub(crate) fn remark(&mut self, about: About, before: Option<&cmm::Expr>, value: Option<&Value>) {
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
        inquiry
    }

    /// For each goal what can influence it, equal sets together: literals, hypotheses, goals.
    fn cones(&self) -> Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> {
        let mut cones: Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> = vec![];
        for (number, (goal, _)) in self.goals.iter().enumerate() {
            let (literals, hypotheses) = self.cone(&goal.term);
            match cones.iter_mut().find(|c| c.0 == literals && c.1 == hypotheses) {
                Some(cone) => cone.2.push(number),
                None => cones.push((literals, hypotheses, vec![number])),
            }
        }
        cones
    }

    /// The same for goals together with all goals that they share something with.
    fn components(&self) -> Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> {
        let of_goals: Vec<Vec<Term>> = self.goals.iter().map(|(goal, _)| goal.term.constants()).collect();
        let sets = self.literals.iter().map(|l| &l.constants);
        let sets = sets.chain(self.hypotheses.iter().map(|h| &h.1)).chain(&of_goals);
        let (facts, goals) = (self.literals.len(), self.literals.len() + self.hypotheses.len());
        let mut out = vec![];
        for group in groups(&sets.collect::<Vec<_>>()) {
            let within = |from: usize, to: usize| -> Vec<usize> {
                group.iter().filter(|i| (from..to).contains(*i)).map(|i| i - from).collect()
            };
            if !within(goals, usize::MAX).is_empty() {
                out.push((within(0, facts), within(facts, goals), within(goals, usize::MAX)));
            }
        }
        out
    }

    /// Instead of goals: the contradictory combinations of each group of predicates that share constants. `longest`
    /// says how long cubes get in a group of a given size.
    pub(crate) fn contradictions(mut self, longest: &dyn Fn(usize) -> usize) -> Inquiry {
        self.without_maps();
        let mut inquiry = Inquiry::default();
        let sets = self.literals.iter().map(|l| &l.constants).chain(self.hypotheses.iter().map(|h| &h.1));
        let count = self.literals.len();
        for group in groups(&sets.collect::<Vec<_>>()) {
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

    /// The literals and hypotheses that share constants with the goal, directly or through each other.
    fn cone(&self, goal: &Term) -> (Vec<usize>, Vec<usize>) {
        let mut reached: FxHashSet<Term> = goal.constants().into_iter().collect();
        let mut literals = vec![false; self.literals.len()];
        let mut hypotheses = vec![false; self.hypotheses.len()];
        loop {
            let mut grown = false;
            let sets = self.literals.iter().map(|l| &l.constants).zip(&mut literals);
            let facts = self.hypotheses.iter().map(|h| &h.1).zip(&mut hypotheses);
            for (constants, taken) in sets.chain(facts) {
                if !*taken && constants.iter().any(|c| reached.contains(c)) {
                    *taken = true;
                    let before = reached.len();
                    reached.extend(constants.iter().cloned());
                    grown |= reached.len() > before;
                }
            }
            if !grown {
                break;
            }
        }
        let chosen = |flags: Vec<bool>| (0..flags.len()).filter(|i| flags[*i]).collect();
        (chosen(literals), chosen(hypotheses))
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

impl Inquiry {
    /// For each problem the variables of its predicates.
    pub(crate) fn variables(&self) -> &[Vec<Ident>] {
        &self.vars
    }

    /// The problem of a question, and the position of its goal there.
    pub(crate) fn place(&self, number: usize) -> (usize, usize) {
        (self.places[number].0, self.places[number].1)
    }

    /// The expression for a value, from the answers to the problems.
    pub(crate) fn resolve(&self, value: &Value, answers: &[&Answers]) -> Expr {
        let number = match value {
            Value::Known(e) => return e.clone(),
            Value::Asked(number) => *number,
        };
        let (problem, position, want) = self.places[number];
        let sides: &Sides = &answers[problem].sides[position];
        match want {
            Want::Both => formula::choice(&sides.positive, &sides.negative, &self.vars[problem]),
            Want::Implicants => formula::disjunction(&sides.positive.cubes, &self.vars[problem]),
        }
    }

    /// The condition that the variable has this value wherever the value is known.
    pub(crate) fn resolve_relation(&self, var: &Ident, value: &Value, answers: &[&Answers]) -> Expr {
        let var = Expr::Var(var.clone());
        let number = match value {
            Value::Known(Expr::Star) => return Expr::one(),
            Value::Known(e) => return Expr::iff(var, e.clone()),
            Value::Asked(number) => *number,
        };
        let (problem, position, _) = self.places[number];
        let sides: &Sides = &answers[problem].sides[position];
        let clauses = |cubes: &[formula::Cube], head: &Expr| -> Vec<Expr> {
            let outside = |c: &formula::Cube| {
                formula::negated_disjunction(std::slice::from_ref(c), &self.vars[problem])
            };
            cubes.iter().map(|c| Expr::or([outside(c), head.clone()])).collect()
        };
        let mut all = clauses(&sides.positive.cubes, &var);
        all.extend(clauses(&sides.negative.cubes, &Expr::not(var)));
        Expr::and(all)
    }

    /// What the next values of the targets and the present values of all variables must satisfy together, beyond
    /// what the targets' own values say and beyond `impossible`, combinations that are cut in every state.
    pub(crate) fn constraint(
        &self,
        targets: &[(Ident, Value)],
        answers: &[&Answers],
        impossible: &[Vec<(Ident, bool)>],
    ) -> Vec<Expr> {
        let mut clauses = vec![];
        for (problem, goals) in &self.joint {
            let vars = &self.vars[*problem];
            for cube in &answers[*problem].sides[0].positive.cubes {
                let (present, next): (Vec<Lit>, Vec<Lit>) =
                    cube.iter().partition(|l| l.predicate() < vars.len());
                let next: Vec<(usize, bool)> =
                    next.iter().map(|l| (goals[l.predicate() - vars.len()], l.is_positive())).collect();
                if let [(goal, positive)] = next.as_slice()
                    && self.tells(*goal, !*positive, &present, answers)
                {
                    continue;
                }
                let target = |(goal, positive): &(usize, bool)| {
                    let of = |(_, v): &&(Ident, Value)| matches!(v, Value::Asked(n) if n == goal);
                    let (var, _) = targets.iter().find(of).expect("every goal belongs to a target");
                    (var.clone(), *positive)
                };
                let next: Vec<(Ident, bool)> = next.iter().map(target).collect();
                let is_cut = |c: &Vec<(Ident, bool)>| c.iter().all(|l| next.contains(l));
                if next.is_empty() || impossible.iter().any(is_cut) {
                    continue;
                }
                let sign = |e: Expr, positive: bool| if positive { Expr::not(e) } else { e };
                let present =
                    present.iter().map(|l| sign(Expr::Var(vars[l.predicate()].clone()), l.is_positive()));
                let next = next.into_iter().map(|(var, positive)| sign(Expr::Next(var), positive));
                clauses.push(Expr::or(present.chain(next)));
            }
        }
        clauses
    }

    /// Whether the goal's own value is known in the cube.
    fn tells(&self, goal: usize, positive: bool, cube: &[Lit], answers: &[&Answers]) -> bool {
        let (problem, position, _) = self.places[goal];
        let sides = &answers[problem].sides[position];
        let cover = if positive { &sides.positive } else { &sides.negative };
        cover.cubes.iter().any(|c| formula::is_subcube(c, cube))
    }

    /// The negation of what [`Inquiry::resolve`] gives, with the negation at the variables.
    pub(crate) fn resolve_negated(&self, value: &Value, answers: &[&Answers]) -> Expr {
        match value {
            Value::Known(e) => Expr::not(e.clone()),
            Value::Asked(number) => {
                let (problem, position, _) = self.places[*number];
                let cubes = &answers[problem].sides[position].positive.cubes;
                formula::negated_disjunction(cubes, &self.vars[problem])
            }
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

/// The classes of sets that are connected by common members.
fn groups(sets: &[&Vec<Term>]) -> Vec<Vec<usize>> {
    let mut owner: rustc_hash::FxHashMap<&Term, usize> = rustc_hash::FxHashMap::default();
    let mut parent: Vec<usize> = (0..sets.len()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for (i, set) in sets.iter().enumerate() {
        for member in *set {
            let other = *owner.entry(member).or_insert(i);
            let (a, b) = (root(&mut parent, i), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut classes: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for i in 0..sets.len() {
        classes.entry(root(&mut parent, i)).or_default().push(i);
    }
    classes.into_values().collect()
}
