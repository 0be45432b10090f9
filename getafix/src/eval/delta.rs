//! Evaluation on what the last round added, for equations that only join, unite and project what they mention.

use super::product::Factor;
use super::{Evaluator, Observer, Res};
use crate::ir::{LeafId, Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::Engine;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The state of such an evaluation.
pub(super) struct Growing<B> {
    /// The relation that grows.
    pub(super) relation: RelId,
    /// What was added to its value, which is kept in layers.
    pub(super) added: B,
    /// Values of expressions that are joined with others that grow, too.
    kept: FxHashMap<NodeId, B>,
    /// The conjuncts of each conjunction.
    conjuncts: FxHashMap<NodeId, Rc<Vec<Conjunct>>>,
}

/// A conjunct, with others that do not grow and mention only what it mentions.
pub(super) struct Conjunct {
    pub(super) node: NodeId,
    pub(super) conditions: Vec<NodeId>,
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The start: the relation is empty. It must be fixed so.
    pub(super) fn growing(
        &mut self,
        relation: RelId,
        bodies: &[NodeId],
        observer: Observer<'_>,
    ) -> Res<Growing<E::Bdd>> {
        let zero = self.engine.constant(false);
        let mut state =
            Growing { relation, added: zero, kept: FxHashMap::default(), conjuncts: FxHashMap::default() };
        for node in bodies.iter().flat_map(|body| self.formula.below(*body)) {
            let Node::And(list) = &self.formula.nodes[node] else { continue };
            state.conjuncts.insert(node, Rc::new(self.conjuncts(list, relation)));
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

    /// The conjuncts of a conjunction. One that does not grow and mentions only what one that grows mentions is a
    /// condition on the latter: it is joined to it first, since it may leave little of it.
    pub(super) fn conjuncts(&self, list: &[NodeId], relation: RelId) -> Vec<Conjunct> {
        let mut out: Vec<Conjunct> = vec![];
        let (grown, others): (Vec<NodeId>, Vec<NodeId>) =
            list.iter().partition(|node| self.grows(**node, relation));
        out.extend(grown.iter().map(|node| Conjunct { node: *node, conditions: vec![] }));
        for other in others {
            let within = |c: &&mut Conjunct| {
                let leaves = &self.free[c.node];
                self.grows(c.node, relation) && self.free[other].iter().all(|leaf| leaves.contains(leaf))
            };
            match out.iter_mut().find(within) {
                Some(conjunct) => conjunct.conditions.push(other),
                None => out.push(Conjunct { node: other, conditions: vec![] }),
            }
        }
        out
    }

    /// Whether the expression mentions the relation.
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
            Node::And(_) => self.gain_of_join(node, &[], state, observer),
            Node::Exists(leaves, body) => match &formula.nodes[*body] {
                Node::And(_) => self.gain_of_join(*body, leaves, state, observer),
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
        join: NodeId,
        quantified: &[LeafId],
        state: &mut Growing<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let conjuncts = state.conjuncts[&join].clone();
        let mut gains = vec![];
        for (i, Conjunct { node, conditions }) in conjuncts.iter().enumerate() {
            if !self.grows(*node, state.relation) {
                continue;
            }
            let gain = self.gain(*node, state, observer)?;
            if let Some(kept) = state.kept.get(node) {
                let kept = self.engine.or(kept, &gain);
                state.kept.insert(*node, kept);
            }
            gains.push((i, self.under(conditions, gain, observer)?));
        }
        let mut out = vec![];
        for (i, gain) in gains {
            if self.engine.is_zero(&gain) {
                continue;
            }
            let rest = conjuncts.iter().enumerate().filter(|(j, _)| *j != i);
            let rest = rest.map(|(_, conjunct)| Factor::Later(conjunct.node)).collect();
            let leaves = self.free[conjuncts[i].node].clone();
            let mut later = |e: &mut Self, node: NodeId, _: (&E::Bdd, &[LeafId]), observer: Observer<'_>| {
                let conjunct = conjuncts.iter().find(|c| c.node == node);
                e.whole(join, conjunct.expect("it is one of them"), state, observer)
            };
            out.push(self.join(gain, leaves, rest, quantified, &mut later, observer)?);
        }
        Ok(self.union(out))
    }

    /// The value of a conjunct, as a union.
    fn whole(
        &mut self,
        join: NodeId,
        conjunct: &Conjunct,
        state: &mut Growing<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let Conjunct { node, conditions } = conjunct;
        if let Some(kept) = state.kept.get(node).cloned() {
            return Ok(vec![self.under(conditions, kept, observer)?]);
        }
        if !self.grows(*node, state.relation) {
            return Ok(vec![self.value(*node, observer)?]);
        }
        self.layers_under(join, *node, conditions, observer)
    }
}
