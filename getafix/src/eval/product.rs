//! Conjunctions under a quantifier. The conjuncts are joined one after the other, the one next whose join has the
//! fewest bits left, and a variable is projected away as soon as no conjunct to come speaks of it.

use super::{Evaluator, Observer, Res};
use crate::ir::{LeafId, Node, NodeId};
use crate::prelude::Model;
use bdd::Engine;

/// Gives values that are not there yet, each as a union. It is told what has been joined so far, and of which leaves that
/// speaks: what does not fit to it may be left out.
pub(super) type Later<'l, S, B> =
    &'l mut dyn FnMut(&mut S, NodeId, (&B, &[LeafId]), Observer<'_>) -> Res<Vec<B>>;

/// A conjunct: its value as a union, or the expression that has it.
pub(super) enum Factor<B> {
    Value(Vec<B>, Vec<LeafId>),
    Later(NodeId),
}

/// A conjunct whose value is there.
struct Plain<B> {
    value: B,
    leaves: Vec<LeafId>,
    /// Whether it depends on relations with equations.
    changes: bool,
    /// Whether it is a condition on another one, joined to it already.
    is_taken: bool,
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
        let (pieced, others): (Vec<NodeId>, Vec<NodeId>) =
            list.iter().partition(|node| self.is_in_pieces(**node));
        let (mut conditions, mut plain) = (vec![vec![]; pieced.len()], vec![]);
        for other in others {
            let within = |node: &NodeId| self.free[other].iter().all(|leaf| self.free[*node].contains(leaf));
            let taken: Vec<usize> = (0..pieced.len()).filter(|i| within(&pieced[*i])).collect();
            taken.iter().for_each(|i| conditions[*i].push(other));
            let is_taken = !taken.is_empty();
            // What is not there in one piece is asked of the pieces only.
            if is_taken && matches!(self.formula.nodes[other], Node::Not(of) if self.is_in_pieces(of)) {
                continue;
            }
            let (value, leaves) = (self.value(other, observer)?, self.free[other].clone());
            plain.push(Plain { value, leaves, changes: self.depends[other], is_taken });
        }
        let mut factors: Vec<(Vec<E::Bdd>, Vec<LeafId>, bool)> = self.absorbed(plain);
        for (node, conditions) in pieced.iter().zip(conditions) {
            let pieces = self.pieces_in(join, *node, conditions, observer)?;
            factors.push((pieces, self.free[*node].clone(), true));
        }
        // The smallest one first, of those that change if there are such.
        let size = |values: &[E::Bdd]| values.iter().map(|value| self.engine.size(value)).sum::<usize>();
        let keys: Vec<(bool, usize)> =
            factors.iter().map(|(values, _, changes)| (!changes, size(values))).collect();
        let first = (0..keys.len()).min_by_key(|i| keys[*i]);
        let Some(first) = first else { return Ok(self.engine.constant(true)) };
        let (values, leaves, _) = factors.remove(first);
        let value = self.union(values);
        let rest = factors.into_iter().map(|(values, leaves, _)| Factor::Value(values, leaves)).collect();
        self.join(
            value,
            leaves,
            rest,
            quantified,
            &mut |e, node, _, observer| Ok(vec![e.value(node, observer)?]),
            observer,
        )
    }

    /// The pieces of a relation under conditions in a conjunction: first those that never change.
    fn pieces_in(
        &mut self,
        join: NodeId,
        node: NodeId,
        conditions: Vec<NodeId>,
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let (changing, constant): (Vec<NodeId>, Vec<NodeId>) =
            conditions.into_iter().partition(|condition| self.depends[*condition]);
        let mut pieces = self.pieces_under(join, node, &constant, observer)?;
        for condition in changing {
            match self.formula.nodes[condition] {
                Node::Not(other) if self.is_in_pieces(other) => {
                    self.not_in(join, node, &mut pieces, other, observer)?;
                }
                _ => {
                    let condition = self.value(condition, observer)?;
                    for (_, piece) in &mut pieces {
                        *piece = self.engine.and(piece, &condition);
                    }
                }
            }
        }
        Ok(pieces.into_iter().map(|(_, value)| value).filter(|value| !self.engine.is_zero(value)).collect())
    }

    /// Joins each factor that speaks of less than others to all of these: a condition on program counters leaves little
    /// of a large relation, and what is left of it does not grow by further joins.
    fn absorbed(&mut self, mut plain: Vec<Plain<E::Bdd>>) -> Vec<(Vec<E::Bdd>, Vec<LeafId>, bool)> {
        plain.sort_by_key(|factor| factor.leaves.len());
        let mut out = vec![];
        for i in 0..plain.len() {
            let (own, later) = plain.split_at_mut(i + 1);
            let own = &mut own[i];
            for other in later.iter_mut().filter(|other| other.leaves.len() > own.leaves.len()) {
                if own.leaves.iter().all(|leaf| other.leaves.contains(leaf)) {
                    other.value = self.engine.and(&other.value, &own.value);
                    other.changes |= own.changes;
                    own.is_taken = true;
                }
            }
            if !own.is_taken {
                out.push((vec![own.value.clone()], own.leaves.clone(), own.changes));
            }
        }
        out
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
                Factor::Value(values, own) => (values, own),
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
            Factor::Value(_, leaves) => leaves,
            Factor::Later(node) => &self.free[*node],
        }
    }

    /// The leaves to project away that no factor speaks of.
    fn finished(&self, leaves: &[LeafId], rest: &[Factor<E::Bdd>], quantified: &[LeafId]) -> Vec<LeafId> {
        let needed = |leaf: &LeafId| rest.iter().any(|factor| self.leaves_of(factor).contains(leaf));
        leaves.iter().copied().filter(|leaf| quantified.contains(leaf) && !needed(leaf)).collect()
    }

    /// The factor to join next: one that speaks of something that is there already, if there is one, and of these the
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
