//! Conjunctions under a quantifier. The conjuncts are joined one after the other, the one next whose join has the
//! fewest bits left, and a variable is projected away as soon as no conjunct to come mentions it.

use super::{Evaluator, Observer, Res};
use crate::ir::{LeafId, Node, NodeId};
use crate::prelude::Model;
use bdd::Engine;

/// Gives values that are not computed yet, each as a union. Its arguments include what has been joined so far, with the
/// leaves in it: values that do not fit to it may be left out.
pub(super) type Later<'l, S, B> =
    &'l mut dyn FnMut(&mut S, NodeId, (&B, &[LeafId]), Observer<'_>) -> Res<Vec<B>>;

/// A conjunct: its value, or the expression that has it.
pub(super) enum Factor<B> {
    Value(Known<B>),
    Later(NodeId),
}

/// A conjunct whose value is there.
pub(super) struct Known<B> {
    value: B,
    leaves: Vec<LeafId>,
    /// Whether it depends on relations with equations.
    changes: bool,
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The value of a conjunction, these leaves projected away.
    pub(super) fn conjunction(
        &mut self,
        join: NodeId,
        quantified: &[LeafId],
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let formula = self.formula;
        let Node::And(list) = &formula.nodes[join] else { unreachable!("it is a conjunction") };
        let mut known = vec![];
        for node in list {
            let value = self.value(*node, observer)?;
            known.push(Known { value, leaves: self.free[*node].clone(), changes: self.depends[*node] });
        }
        let mut factors = self.absorbed(known);
        // The smallest one first, of those that change if there are such.
        let key = |factor: &Known<E::Bdd>| (!factor.changes, self.engine.size(&factor.value));
        let first = (0..factors.len()).min_by_key(|i| key(&factors[*i]));
        let Some(first) = first else { return Ok(self.engine.constant(true)) };
        let Known { value, leaves, .. } = factors.remove(first);
        let rest = factors.into_iter().map(Factor::Value).collect();
        let later: Later<'_, Self, E::Bdd> = &mut |e, node, _, observer| Ok(vec![e.value(node, observer)?]);
        self.join(value, leaves, rest, quantified, later, observer)
    }

    /// Joins each factor that mentions less than others to all of these: a condition on program counters leaves little
    /// of a large relation, and what is left of it does not grow by further joins.
    fn absorbed(&mut self, mut known: Vec<Known<E::Bdd>>) -> Vec<Known<E::Bdd>> {
        known.sort_by_key(|factor| factor.leaves.len());
        let mut out = vec![];
        for i in 0..known.len() {
            let (own, larger) = known.split_at_mut(i + 1);
            let own = &own[i];
            let mut is_taken = false;
            for other in larger.iter_mut().filter(|other| other.leaves.len() > own.leaves.len()) {
                if own.leaves.iter().all(|leaf| other.leaves.contains(leaf)) {
                    other.value = self.engine.and(&other.value, &own.value);
                    other.changes |= own.changes;
                    is_taken = true;
                }
            }
            if !is_taken {
                out.push(i);
            }
        }
        let mut at = 0..;
        known.retain(|_| at.next().is_some_and(|i| out.contains(&i)));
        known
    }

    /// Joins the factors to a first one. `later` gives the values that are not there yet, in the order in which they
    /// are needed: not at all once the join is empty.
    pub(super) fn join(
        &mut self,
        first: E::Bdd,
        mut leaves: Vec<LeafId>,
        mut rest: Vec<Factor<E::Bdd>>,
        quantified: &[LeafId],
        later: Later<'_, Self, E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let mut out = first;
        let done = self.finished(&leaves, &rest, quantified);
        if !done.is_empty() {
            let set = self.set(&done);
            out = self.engine.exists(&out, set);
            leaves.retain(|leaf| !done.contains(leaf));
        }
        while !rest.is_empty() {
            if self.engine.is_zero(&out) {
                return Ok(out);
            }
            let next = self.next_factor(&leaves, &rest, quantified);
            let (values, own) = match rest.remove(next) {
                Factor::Value(Known { value, leaves, .. }) => (vec![value], leaves),
                Factor::Later(node) => {
                    (later(self, node, (&out, &leaves), observer)?, self.free[node].clone())
                }
            };
            leaves.extend(own);
            leaves.sort_unstable();
            leaves.dedup();
            let done = self.finished(&leaves, &rest, quantified);
            let set = if done.is_empty() { None } else { Some(self.set(&done)) };
            let mut joined = vec![];
            for value in values {
                joined.push(match set {
                    None => self.engine.and(&out, &value),
                    Some(set) => self.engine.and_exists(&out, &value, set),
                });
            }
            out = self.union(joined);
            leaves.retain(|leaf| !done.contains(leaf));
            self.alive()?;
        }
        Ok(out)
    }

    fn leaves_of<'a>(&'a self, factor: &'a Factor<E::Bdd>) -> &'a [LeafId] {
        match factor {
            Factor::Value(known) => &known.leaves,
            Factor::Later(node) => &self.free[*node],
        }
    }

    /// The leaves to project away that no factor mentions.
    fn finished(&self, leaves: &[LeafId], rest: &[Factor<E::Bdd>], quantified: &[LeafId]) -> Vec<LeafId> {
        let needed = |leaf: &LeafId| rest.iter().any(|factor| self.leaves_of(factor).contains(leaf));
        leaves.iter().copied().filter(|leaf| quantified.contains(leaf) && !needed(leaf)).collect()
    }

    /// The factor to join next: one that mentions something that is there already, if there is one, and of these the
    /// one after which the fewest bits are left.
    fn next_factor(&self, leaves: &[LeafId], rest: &[Factor<E::Bdd>], quantified: &[LeafId]) -> usize {
        let width = |leaf: &LeafId| self.vars(*leaf).len();
        let cost = |i: usize| {
            let own = self.leaves_of(&rest[i]);
            let shared: usize = own.iter().filter(|leaf| leaves.contains(leaf)).map(width).sum();
            let needed = |leaf: &LeafId| {
                let others = rest.iter().enumerate().filter(|(j, _)| *j != i);
                others.into_iter().any(|(_, factor)| self.leaves_of(factor).contains(leaf))
            };
            let fresh = own.iter().filter(|leaf| !leaves.contains(leaf));
            let left = leaves.iter().chain(fresh).filter(|leaf| !quantified.contains(leaf) || needed(leaf));
            (shared == 0 && !own.is_empty(), left.map(width).sum::<usize>())
        };
        (0..rest.len()).min_by_key(|i| cost(*i)).unwrap_or(0)
    }
}
