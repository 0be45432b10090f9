//! Rounds: from the empty relation to one that stays the same.

use super::layers::Fixed;
use super::{Evaluator, Memo, Observer, Res, Stop, ids};
use crate::ir::{Formula, Kind, Node, NodeId, RelId};
use crate::prelude::Model;
use base::IndexVec;
use bdd::{Engine, LayeredUnion};

/// A round, as reported to observers.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r> {
    /// The relation.
    pub relation: &'r str,
    /// How many other relations are being computed around it.
    pub depth: usize,
    /// The number of the round, from 1.
    pub round: u64,
    /// Nodes of its value, or of the parts that it is kept in.
    pub nodes: usize,
    /// Nodes of what the round added, where only that was computed.
    pub added: Option<usize>,
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The value of a relation: as it is, while it is being computed; as it was, if nothing changed since; else
    /// computed.
    pub(super) fn relation(&mut self, relation: RelId, observer: Observer<'_>) -> Res<E::Bdd> {
        if let Some(fixed) = self.fixed[relation].clone() {
            return Ok(fixed.value.whole(&mut self.engine));
        }
        let (recursive, of) = self.dependence(relation);
        if let Some(memo) = self.memo[relation].as_ref().filter(|memo| memo.of == of) {
            return Ok(memo.value.clone());
        }
        let Kind::Defined(body) = self.formula.relations[relation].kind else {
            unreachable!("relations of the model are applied by another function")
        };
        let value = if !recursive {
            self.value(body, observer)?
        } else {
            self.depth += 1;
            let value = if self.is_incremental(relation, body) {
                match self.in_order(relation, body, observer) {
                    Ok(Some(value)) => Ok(value),
                    Ok(None) => self.grow(relation, body, observer),
                    Err(stop) => Err(stop),
                }
            } else {
                self.iterate(relation, body, observer)
            };
            self.depth -= 1;
            self.fixed[relation] = None;
            value?
        };
        self.memo[relation] = Some(Memo { of, value: value.clone() });
        Ok(value)
    }

    /// Whether the relation's equation mentions it, directly or through relations that are not fixed; and the fixed
    /// ones that it depends on, with their versions.
    fn dependence(&self, relation: RelId) -> (bool, Vec<(RelId, u64)>) {
        let mut seen = IndexVec::from_elem(false, self.formula.relations.len());
        let mut of = vec![];
        let mut recursive = false;
        let mut stack = vec![relation];
        while let Some(at) = stack.pop() {
            for next in &self.depends_on[at] {
                recursive |= *next == relation;
                if std::mem::replace(&mut seen[*next], true) {
                    continue;
                }
                match &self.fixed[*next] {
                    Some(fixed) => of.push((*next, fixed.version)),
                    None => stack.push(*next),
                }
            }
        }
        of.sort_unstable();
        (recursive, of)
    }

    /// Whether rounds can be computed from what the last one added.
    fn is_incremental(&self, relation: RelId, body: NodeId) -> bool {
        let others = self.depends_on[relation].iter().filter(|r| **r != relation);
        others.into_iter().all(|r| !self.leads_to(*r, relation)) && self.only_joins(body, relation)
    }

    /// Whether the value of a relation depends on another one, but for what is kept.
    pub(super) fn leads_to(&self, from: RelId, relation: RelId) -> bool {
        let mut seen: Vec<RelId> = vec![];
        let mut stack: Vec<RelId> = vec![from];
        while let Some(at) = stack.pop() {
            if at == relation {
                return true;
            }
            if !seen.contains(&at) && self.fixed[at].is_none() {
                seen.push(at);
                stack.extend(&self.depends_on[at]);
            }
        }
        false
    }

    pub(super) fn only_joins(&self, node: NodeId, relation: RelId) -> bool {
        if !self.grows(node, relation) {
            return true;
        }
        match &self.formula.nodes[node] {
            Node::Apply(..) => true,
            node @ (Node::And(_) | Node::Or(_) | Node::Exists(..)) => {
                node.operands().iter().all(|operand| self.only_joins(*operand, relation))
            }
            _ => false,
        }
    }

    /// Counts a round and reports it.
    pub(super) fn round(
        &mut self,
        relation: RelId,
        round: u64,
        nodes: usize,
        added: Option<&E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<()> {
        self.alive()?;
        self.stats.rounds += 1;
        if self.is_top(relation) {
            self.stats.top_rounds = round;
        }
        let entry = &self.formula.relations[relation];
        observer(&Round {
            relation: &entry.name,
            depth: self.depth - 1,
            round,
            nodes,
            added: added.map(|added| self.engine.size(added)),
        });
        if round >= self.options.max_rounds {
            let limit = self.options.max_rounds;
            return Err(Stop::Rounds { relation: entry.name.clone(), loc: entry.loc, limit });
        }
        Ok(())
    }

    /// Whether it is the relation that the query mentions, and not computed for another one.
    pub(super) fn is_top(&self, relation: RelId) -> bool {
        self.top == Some(relation) && self.depth == 1
    }

    /// Whether the query holds when the relation has this value, where that may be asked.
    pub(super) fn answers(&mut self, relation: RelId, value: &E::Bdd, observer: Observer<'_>) -> Res<bool> {
        if self.early != Some(relation) || !self.is_top(relation) || self.engine.is_zero(value) {
            return Ok(false);
        }
        let before = self.fixed[relation].take();
        self.version += 1;
        let value = LayeredUnion::single(value.clone(), self.layers.number());
        self.fixed[relation] = Some(Fixed { value, version: self.version });
        let answer = self.value(self.formula.query, observer);
        self.fixed[relation] = before;
        self.answered = !self.engine.is_zero(&answer?);
        Ok(self.answered)
    }

    pub(super) fn keep_ring(&mut self, relation: RelId, added: &E::Bdd) {
        if self.options.rings && self.is_top(relation) {
            self.rings.push(added.clone());
        }
    }

    /// Rounds from what the last one added: the values are those of [`Self::iterate`].
    fn grow(&mut self, relation: RelId, body: NodeId, observer: Observer<'_>) -> Res<E::Bdd> {
        let mut value = LayeredUnion::default();
        self.fix_union(relation, value.clone());
        let mut added = self.value(body, observer)?;
        let mut state = self.growing(relation, &[body], observer)?;
        for round in 1.. {
            if !self.engine.is_zero(&added) {
                value.add(&mut self.engine, &added, self.layers.number());
            }
            let nodes = value.nodes(&self.engine);
            self.round(relation, round, nodes, Some(&added), observer)?;
            self.keep_ring(relation, &added);
            if self.engine.is_zero(&added) || self.answers(relation, &added, observer)? {
                break;
            }
            self.fix_union(relation, value.clone());
            state.added = added;
            let gain = self.gain(body, &mut state, observer)?;
            added = value.news(&mut self.engine, &gain);
        }
        Ok(value.whole(&mut self.engine))
    }

    /// Rounds as the semantics has them.
    fn iterate(&mut self, relation: RelId, body: NodeId, observer: Observer<'_>) -> Res<E::Bdd> {
        let mut value = self.engine.constant(false);
        // A value seen earlier: the last one in a round whose number is a power of two [Brent].
        let mut earlier = value.clone();
        for round in 1.. {
            self.fix(relation, value.clone());
            let next = self.value(body, observer)?;
            let nodes = self.engine.size(&next);
            self.round(relation, round, nodes, None, observer)?;
            if self.options.rings && self.is_top(relation) {
                let added = self.engine.and_not(&next, &value);
                self.keep_ring(relation, &added);
            }
            if self.same(&next, &value) {
                break;
            }
            if self.same(&next, &earlier) {
                self.alive()?;
                let entry = &self.formula.relations[relation];
                return Err(Stop::Cycles { relation: entry.name.clone(), loc: entry.loc, round });
            }
            value = next;
            if round.is_power_of_two() {
                earlier = value.clone();
            }
            if self.answers(relation, &value, observer)? {
                break;
            }
        }
        self.alive()?;
        Ok(value)
    }

    fn same(&mut self, a: &E::Bdd, b: &E::Bdd) -> bool {
        let differ = self.engine.xor(a, b);
        self.engine.is_zero(&differ)
    }
}

/// Whether no equation mentions a relation under a negation, so that values only grow.
pub(super) fn is_positive(formula: &Formula) -> bool {
    ids::<RelId>(formula.relations.len()).all(|relation| match formula.relations[relation].kind {
        Kind::Defined(body) => positive(formula, body, true),
        Kind::Input(_) => true,
    })
}

fn positive(formula: &Formula, node: NodeId, sign: bool) -> bool {
    match &formula.nodes[node] {
        Node::Not(a) => positive(formula, *a, !sign),
        Node::Apply(relation, _) => sign || matches!(formula.relations[*relation].kind, Kind::Input(_)),
        node => node.operands().iter().all(|operand| positive(formula, *operand, sign)),
    }
}

/// Whether the expression joins, unites and projects only.
pub(crate) fn joins_only(formula: &Formula, node: NodeId) -> bool {
    match &formula.nodes[node] {
        Node::Not(a) => {
            formula.applied(*a).iter().all(|r| matches!(formula.relations[*r].kind, Kind::Input(_)))
        }
        Node::Forall(..) => false,
        node => node.operands().iter().all(|operand| joins_only(formula, *operand)),
    }
}
