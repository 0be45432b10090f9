//! Rounds of an equation that only in part joins what it speaks of, such as the one of `ef-opt`: as long as the values grow,
//! the part that joins is evaluated on what the last round added, and only the rest as a whole.
//!
//! Invariant: after a round the value is what the joins have given so far (which grows with the value) and what the rest
//! has given in this round. When something of the latter is lost again, that is found out.

use super::delta::Growing;
use super::{Evaluator, Observer, Res};
use crate::ir::{Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::Engine;

/// How far it came.
pub(super) enum Climbed<B> {
    /// The last value, since it stays the same or answers the query.
    Top(B),
    /// The value after this many rounds; it has lost something.
    Lost(B, u64),
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The operands of the equation that only join what they speak of, and the others; nothing when it has no such
    /// parts.
    pub(super) fn halves(&self, relation: RelId, body: NodeId) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
        let Node::Or(list) = &self.formula.nodes[body] else { return None };
        let joins = |node: &&NodeId| {
            self.grows(**node, relation)
                && self.only_joins(**node, relation)
                && self.applied[**node].iter().all(|r| *r == relation || !self.leads_to(*r, relation))
        };
        let (joins, others): (Vec<NodeId>, Vec<NodeId>) = list.iter().partition(joins);
        (!joins.is_empty()).then_some((joins, others))
    }

    /// Rounds as long as values grow; they are those that the semantics has.
    pub(super) fn climb(
        &mut self,
        relation: RelId,
        (joins, others): (&[NodeId], &[NodeId]),
        observer: Observer<'_>,
    ) -> Res<Climbed<E::Bdd>> {
        let zero = self.engine.constant(false);
        self.fix_pieces(relation, vec![]);
        let mut state: Option<Growing<E::Bdd>> = None;
        // What the joins gave, and what the others gave.
        let mut joined = vec![];
        let mut rest = zero.clone();
        let mut added = zero;
        let mut relaxed = self.relaxed(relation, others);
        for round in 1u64.. {
            let gain = match &mut state {
                None => {
                    let gain = self.sum(joins, observer)?;
                    state = Some(self.growing(relation, joins, observer)?);
                    gain
                }
                Some(state) => {
                    state.added = added.clone();
                    let mut gains = vec![];
                    for node in joins {
                        gains.push(self.gain(*node, state, observer)?);
                    }
                    self.union(gains)
                }
            };
            let gain = self.without(gain, &joined);
            let mut gained = None;
            if let Some(relaxed) = relaxed.as_mut().filter(|_| round > 1) {
                let kept = self.engine.and_not(&rest, &gain);
                let kept = self.without(kept, &joined);
                if self.engine.is_zero(&kept) {
                    gained = self.relaxed_gain(others, relaxed, added, observer)?;
                }
            }
            let new_rest = match gained {
                Some(gained) => gained,
                None => {
                    relaxed = relaxed.filter(|_| round == 1);
                    self.sum(others, observer)?
                }
            };
            let lost = self.engine.and_not(&rest, &new_rest);
            let lost = self.engine.and_not(&lost, &gain);
            let lost = self.without(lost, &joined);
            let fresh = self.engine.and_not(&new_rest, &rest);
            let fresh = self.without(fresh, &joined);
            let fresh_gain = self.engine.and_not(&gain, &rest);
            added = self.engine.or(&fresh, &fresh_gain);
            self.push(&mut joined, gain);
            rest = new_rest;
            let mut pieces = joined.clone();
            if !self.engine.is_zero(&rest) {
                let piece = self.piece(rest.clone());
                pieces.push(piece);
            }
            let nodes = self.nodes_of(&pieces);
            self.round(relation, round, nodes, Some(&added), observer)?;
            self.keep_ring(relation, &added);
            if !self.engine.is_zero(&lost) {
                return Ok(Climbed::Lost(self.whole_of(&pieces), round));
            }
            let stays = self.engine.is_zero(&added);
            self.fix_pieces(relation, pieces.clone());
            if stays || self.holds_already(relation, observer)? {
                return Ok(Climbed::Top(self.whole_of(&pieces)));
            }
        }
        unreachable!("rounds have numbers enough")
    }

    /// The union of the expressions' values.
    pub(super) fn sum(&mut self, nodes: &[NodeId], observer: Observer<'_>) -> Res<E::Bdd> {
        let mut values = vec![];
        for node in nodes {
            values.push(self.value(*node, observer)?);
        }
        Ok(self.union(values))
    }
}
