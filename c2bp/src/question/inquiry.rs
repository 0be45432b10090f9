//! What the answers to the problems of an inquiry say, as expressions of the boolean program.

use super::{Inquiry, Value, Want};
use crate::cube_search::problem::{Answers, Sides};
use crate::formula::{self, Lit};
use bp::{Expr, Ident};

/// The answers that belong to the problems of each inquiry, in order.
pub(crate) fn split<'a, 'b>(inquiries: [&Inquiry; 3], answers: &'b [&'a Answers]) -> [&'b [&'a Answers]; 3] {
    let (first, rest) = answers.split_at(inquiries[0].problems.len());
    let (second, third) = rest.split_at(inquiries[1].problems.len());
    [first, second, third]
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
