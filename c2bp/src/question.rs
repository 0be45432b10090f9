//! The questions of one statement: which of them need the prover, and what surrounds them.
//!
//! A goal is looked up first (constant, or equal to a predicate). The rest is grouped by cone of influence: the
//! predicates and hypotheses that share constants with the goal, closed under sharing ([BMMR01 §5.2]).

use crate::arrays;
use crate::formula;
use crate::problem::{Answers, Goal, Problem, Sides};
use bp::{Expr, Ident};
use rustc_hash::FxHashSet;
use smt::Term;

/// A boolean variable with its meaning.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    pub(crate) var: Ident,
    pub(crate) term: Term,
    axioms: Vec<Term>,
    constants: Vec<Term>,
}

impl Literal {
    /// The same meaning for another variable.
    pub(crate) fn renamed(&self, var: Ident) -> Literal {
        Literal { var, ..self.clone() }
    }

    /// Its formulas, to be rewritten; the constants must be looked for again afterwards.
    fn terms(&mut self) -> impl Iterator<Item = &mut Term> {
        std::iter::once(&mut self.term).chain(&mut self.axioms)
    }

    /// Facts about the terms of the meaning.
    pub(crate) fn axioms(&self) -> &[Term] {
        &self.axioms
    }

    pub(crate) fn new(var: Ident, term: Term, axioms: Vec<Term>) -> Literal {
        let constants = term.constants();
        Literal { var, term, axioms, constants }
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

/// The questions of one statement, while they are collected.
pub(crate) struct Questions {
    literals: Vec<Literal>,
    /// Facts with the constants that they connect.
    hypotheses: Vec<(Term, Vec<Term>)>,
    goals: Vec<(Goal, Vec<Term>)>,
    max_cube: usize,
    pub(crate) folded: u64,
}

/// The questions of one statement as problems.
#[derive(Debug, Default)]
pub(crate) struct Inquiry {
    pub(crate) problems: Vec<Problem>,
    /// For each problem the variables of its predicates.
    vars: Vec<Vec<Ident>>,
    /// For each goal its problem, the position there, and what is wanted.
    places: Vec<(usize, usize, Want)>,
    /// Goals that needed no problem.
    pub(crate) folded: u64,
}

impl Questions {
    pub(crate) fn new(literals: Vec<Literal>, max_cube: usize) -> Questions {
        Questions { literals, hypotheses: vec![], goals: vec![], max_cube, folded: 0 }
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
        let mut inquiry = Inquiry { folded: self.folded, ..Inquiry::default() };
        let mut cones: Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> = vec![];
        for (number, (goal, _)) in self.goals.iter().enumerate() {
            let (literals, hypotheses) = self.cone(&goal.term);
            match cones.iter_mut().find(|c| c.0 == literals && c.1 == hypotheses) {
                Some(cone) => cone.2.push(number),
                None => cones.push((literals, hypotheses, vec![number])),
            }
        }
        inquiry.places = vec![(0, 0, Want::Both); self.goals.len()];
        for (literals, hypotheses, goals) in cones {
            let problem = inquiry.problems.len();
            for (position, number) in goals.iter().enumerate() {
                let want = if self.goals[*number].0.negative { Want::Both } else { Want::Implicants };
                inquiry.places[*number] = (problem, position, want);
            }
            inquiry.problems.push(self.problem(&literals, &hypotheses, &goals));
            inquiry.vars.push(literals.iter().map(|i| self.literals[*i].var.clone()).collect());
        }
        inquiry
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
        self.literals.iter_mut().for_each(|l| l.constants = l.term.constants());
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
            max_cube: self.max_cube,
        }
    }
}

impl Inquiry {
    /// For each problem the variables of its predicates.
    pub(crate) fn variables(&self) -> &[Vec<Ident>] {
        &self.vars
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
