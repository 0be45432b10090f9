//! Cones of influence: what shares constants with a goal, directly or through other predicates and hypotheses.

use super::Questions;
use crate::groups::groups;
use rustc_hash::FxHashSet;
use smt::Term;

impl Questions {
    /// For each goal what can influence it, equal sets together: literals, hypotheses, goals.
    pub(super) fn cones(&self) -> Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> {
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
    pub(super) fn components(&self) -> Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> {
        let of_goals: Vec<Vec<Term>> = self.goals.iter().map(|(goal, _)| goal.term.constants()).collect();
        let sets = self.literals.iter().map(|l| &l.constants);
        let sets = sets.chain(self.hypotheses.iter().map(|h| &h.1)).chain(&of_goals);
        let (facts, goals) = (self.literals.len(), self.literals.len() + self.hypotheses.len());
        let mut out = vec![];
        for group in groups(sets) {
            let within = |from: usize, to: usize| -> Vec<usize> {
                group.iter().filter(|i| (from..to).contains(*i)).map(|i| i - from).collect()
            };
            if !within(goals, usize::MAX).is_empty() {
                out.push((within(0, facts), within(facts, goals), within(goals, usize::MAX)));
            }
        }
        out
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
}
