//! Evaluation on what the last round added, for equations that only join, unite and project what they speak of.

use super::product::Factor;
use super::{Evaluator, Observer, Res};
use crate::ir::{LeafId, Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::Engine;
use rustc_hash::FxHashMap;

/// The state of such an evaluation.
pub(super) struct Growing<B> {
    /// The relation that grows.
    pub(super) relation: RelId,
    /// Its value, with what was added.
    pub(super) value: B,
    /// What was added.
    pub(super) added: B,
    /// Values of expressions that are joined with others that grow, too.
    kept: FxHashMap<NodeId, B>,
    /// Values of this round.
    now: FxHashMap<NodeId, B>,
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The start: the relation is empty. It must be fixed so.
    pub(super) fn growing(
        &mut self,
        relation: RelId,
        body: NodeId,
        observer: Observer<'_>,
    ) -> Res<Growing<E::Bdd>> {
        let zero = self.engine.constant(false);
        let mut state = Growing {
            relation,
            value: zero.clone(),
            added: zero,
            kept: FxHashMap::default(),
            now: FxHashMap::default(),
        };
        for node in self.formula.below(body) {
            let Node::And(list) = &self.formula.nodes[node] else { continue };
            let grown: Vec<NodeId> = list.iter().copied().filter(|n| self.grows(*n, relation)).collect();
            for operand in grown.iter().filter(|_| grown.len() > 1) {
                if !matches!(self.formula.nodes[*operand], Node::Apply(..)) {
                    let value = self.value(*operand, observer)?;
                    state.kept.insert(*operand, value);
                }
            }
        }
        Ok(state)
    }

    /// Whether the expression speaks of the relation.
    pub(super) fn grows(&self, node: NodeId, relation: RelId) -> bool {
        self.applied[node].contains(&relation)
    }

    /// What the expression gains by what was added to the relation.
    pub(super) fn gain(
        &mut self,
        node: NodeId,
        state: &mut Growing<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let formula = self.formula;
        match &formula.nodes[node] {
            Node::Apply(..) => {
                let added = state.added.clone();
                Ok(self.instance(node, &added))
            }
            Node::Or(list) => {
                let mut gains = vec![];
                for operand in list {
                    if self.grows(*operand, state.relation) {
                        gains.push(self.gain(*operand, state, observer)?);
                    }
                }
                Ok(self.union(gains))
            }
            Node::And(list) => self.gain_of_join(list, &[], state, observer),
            Node::Exists(leaves, body) => match &formula.nodes[*body] {
                Node::And(list) => self.gain_of_join(list, leaves, state, observer),
                _ => {
                    let gain = self.gain(*body, state, observer)?;
                    let set = self.set(leaves);
                    Ok(self.engine.exists(&gain, set))
                }
            },
            _ => unreachable!("only joins, unions and projections are evaluated so"),
        }
    }

    fn gain_of_join(
        &mut self,
        list: &[NodeId],
        quantified: &[LeafId],
        state: &mut Growing<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let mut gains = vec![];
        for operand in list {
            if !self.grows(*operand, state.relation) {
                continue;
            }
            let gain = self.gain(*operand, state, observer)?;
            if let Some(kept) = state.kept.get(operand) {
                let kept = self.engine.or(kept, &gain);
                state.kept.insert(*operand, kept);
            }
            gains.push((*operand, gain));
        }
        let mut out = vec![];
        for (operand, gain) in gains {
            if self.engine.is_zero(&gain) {
                continue;
            }
            let rest = list.iter().filter(|n| **n != operand).map(|n| Factor::Later(*n)).collect();
            let leaves = self.free[operand].clone();
            let mut later =
                |e: &mut Self, node: NodeId, observer: Observer<'_>| e.whole(node, state, observer);
            out.push(self.join(gain, leaves, rest, quantified, &mut later, observer)?);
        }
        Ok(self.union(out))
    }

    /// The value of a conjunct.
    fn whole(&mut self, node: NodeId, state: &mut Growing<E::Bdd>, observer: Observer<'_>) -> Res<E::Bdd> {
        if let Some(kept) = state.kept.get(&node) {
            return Ok(kept.clone());
        }
        if !self.grows(node, state.relation) {
            return self.value(node, observer);
        }
        if let Some(value) = state.now.get(&node) {
            return Ok(value.clone());
        }
        let value = state.value.clone();
        let value = self.instance(node, &value);
        state.now.insert(node, value.clone());
        Ok(value)
    }

    /// The next round begins with this addition.
    pub(super) fn add(&mut self, state: &mut Growing<E::Bdd>, added: E::Bdd) {
        state.value = self.engine.or(&state.value, &added);
        state.added = added;
        state.now.clear();
    }
}
