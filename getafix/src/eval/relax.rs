//! Equations such as those of `ef-opt` on what the last round added. Their clauses ask for conditions, such as
//! `Relevant(x.pc)`, that do not grow with the value: computed as they stand they give old tuples again and again.
//!
//! Without its conditions such a clause only joins; call that its *skeleton*. Suppose that the value already has all that
//! the skeletons give of the tuples of earlier rounds, and that the conditions hold of all tuples that the last round
//! added. Then what the clauses give is, but for tuples that the value has, what the skeletons give of the added tuples:
//! not less, since every place of a skeleton at which a tuple may be new belongs to a clause whose conditions are on that
//! place; not more, since they hold there. And the next round may suppose the same. The first supposition is true of the
//! empty value, the second one is looked at in every round; where it fails clauses are computed as they stand.

use super::delta::Growing;
use super::pieces::Piece;
use super::product::Factor;
use super::{Evaluator, Observer, Res};
use crate::ir::{Arg, Kind, LeafId, Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::Engine;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// An evaluation of this kind.
pub(super) struct Relaxed<B> {
    relation: RelId,
    /// What was added to its value.
    added: B,
    /// Tuples that recursive relations on the way had in earlier rounds.
    known: FxHashMap<RelId, Vec<Piece<B>>>,
    /// What relations on the way gain in this round.
    gains: FxHashMap<RelId, B>,
}

/// A conjunction that depends on the relation.
struct Clause {
    join: NodeId,
    quantified: Vec<LeafId>,
    /// Conjuncts that grow with the relation.
    places: Vec<NodeId>,
    /// Conditions that do not, each with the places that speak of all it speaks of.
    conditions: Vec<(NodeId, Vec<usize>)>,
    /// The others.
    constant: Vec<NodeId>,
}

impl Clause {
    /// Whether tuples at this place are all that the conditions are on.
    fn covers(&self, place: usize) -> bool {
        self.conditions.iter().all(|(_, places)| places.contains(&place))
    }
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The state of such an evaluation, if the expressions have the form for it.
    pub(super) fn relaxed(&self, relation: RelId, nodes: &[NodeId]) -> Option<Relaxed<E::Bdd>> {
        self.can_relax(relation, nodes, &mut vec![]).then(|| Relaxed {
            relation,
            added: self.engine.constant(false),
            known: FxHashMap::default(),
            gains: FxHashMap::default(),
        })
    }

    fn leads(&self, node: NodeId, relation: RelId) -> bool {
        self.applied[node].iter().any(|r| *r == relation || self.leads_to(*r, relation))
    }

    /// Whether these operands of a disjunction can be evaluated so.
    fn can_relax(&self, relation: RelId, nodes: &[NodeId], seen: &mut Vec<RelId>) -> bool {
        // For each skeleton, how many places it has, and which of them are covered.
        let mut covered: BTreeMap<String, (usize, BTreeSet<usize>)> = BTreeMap::new();
        for node in nodes.iter().copied().filter(|node| self.leads(*node, relation)) {
            match &self.formula.nodes[node] {
                Node::Or(list) if !self.can_relax(relation, list, seen) => return false,
                Node::Or(_) => {}
                Node::Apply(r, _) if *r != relation && !self.can_relax_relation(relation, *r, seen) => {
                    return false;
                }
                Node::Apply(..) => {}
                Node::Exists(_, body) if !matches!(self.formula.nodes[*body], Node::And(_)) => {
                    if !self.can_relax(relation, &[*body], seen) {
                        return false;
                    }
                }
                Node::Exists(..) | Node::And(_) => {
                    let Some(clause) = self.clause(relation, node) else { return false };
                    match clause.places[..] {
                        [one] if !self.is_applied(one, relation) => {
                            if !self.can_relax(relation, &[one], seen) {
                                return false;
                            }
                        }
                        _ => {
                            let entry = covered.entry(self.skeleton(&clause)).or_default();
                            entry.0 = clause.places.len();
                            entry.1.extend((0..clause.places.len()).filter(|i| clause.covers(*i)));
                        }
                    }
                }
                _ => return false,
            }
        }
        covered.values().all(|(places, covered)| *places == covered.len())
    }

    fn is_applied(&self, node: NodeId, relation: RelId) -> bool {
        matches!(self.formula.nodes[node], Node::Apply(r, _) if r == relation)
    }

    fn can_relax_relation(&self, relation: RelId, of: RelId, seen: &mut Vec<RelId>) -> bool {
        if seen.contains(&of) {
            return true;
        }
        seen.push(of);
        let Kind::Defined(body) = self.formula.relations[of].kind else { return false };
        let Some((base, steps)) = self.base_and_steps(of) else {
            return !self.leads_to_itself(of) && self.can_relax(relation, &[body], seen);
        };
        steps.iter().all(|step| self.is_linear(*step, of)) && self.can_relax(relation, &base, seen)
    }

    fn leads_to_itself(&self, of: RelId) -> bool {
        self.speaks_of[of].iter().any(|r| self.leads_to(*r, of))
    }

    /// The operands of a recursive equation that do not speak of its relation, and those that do.
    fn base_and_steps(&self, of: RelId) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
        let Kind::Defined(body) = self.formula.relations[of].kind else { return None };
        let Node::Or(list) = &self.formula.nodes[body] else { return None };
        let (steps, base): (Vec<NodeId>, Vec<NodeId>) = list.iter().partition(|node| self.grows(**node, of));
        let others = base.iter().flat_map(|node| &self.applied[*node]);
        (!steps.is_empty() && others.into_iter().all(|r| !self.leads_to(*r, of))).then_some((base, steps))
    }

    /// Whether the step joins its relation once, and nothing else that changes.
    fn is_linear(&self, step: NodeId, of: RelId) -> bool {
        let once = |node: NodeId| match &self.formula.nodes[node] {
            Node::And(list) => list.iter().filter(|node| self.grows(**node, of)).count() <= 1,
            _ => true,
        };
        self.only_joins(step, of)
            && self.applied[step]
                .iter()
                .all(|r| *r == of || matches!(self.formula.relations[*r].kind, Kind::Input(_)))
            && self.formula.below(step).into_iter().all(once)
    }

    /// The parts of a conjunction, or of one under a quantifier.
    fn clause(&self, relation: RelId, node: NodeId) -> Option<Clause> {
        let (join, quantified) = match &self.formula.nodes[node] {
            Node::Exists(leaves, body) => (*body, leaves.clone()),
            _ => (node, vec![]),
        };
        let Node::And(list) = &self.formula.nodes[join] else { return None };
        let (leading, constant): (Vec<NodeId>, Vec<NodeId>) =
            list.iter().partition(|node| self.leads(**node, relation));
        let (mut places, others): (Vec<NodeId>, Vec<NodeId>) =
            leading.into_iter().partition(|node| self.is_applied(*node, relation));
        let mut conditions = vec![];
        match (&places[..], &others[..]) {
            ([], [one]) => places.push(*one),
            ([], _) => return None,
            _ => {
                for other in others {
                    let within = |i: &usize| self.is_within(other, places[*i]);
                    let on: Vec<usize> = (0..places.len()).filter(within).collect();
                    if on.is_empty() || !matches!(self.formula.nodes[other], Node::Apply(..)) {
                        return None;
                    }
                    conditions.push((other, on));
                }
            }
        }
        Some(Clause { join, quantified, places, conditions, constant })
    }

    /// Whether one conjunct speaks only of what another one speaks of.
    fn is_within(&self, node: NodeId, other: NodeId) -> bool {
        self.free[node].iter().all(|leaf| self.free[other].contains(leaf))
    }

    /// The conjunction without its conditions as a text, in which quantified leaves are numbers.
    fn skeleton(&self, clause: &Clause) -> String {
        let mut out = String::new();
        let Node::And(list) = &self.formula.nodes[clause.join] else { return out };
        let classes = clause.quantified.iter().map(|leaf| self.formula.leaves[*leaf].class);
        let _ = write!(out, "{:?}", classes.collect::<Vec<_>>());
        let is_condition = |node: &NodeId| clause.conditions.iter().any(|(other, _)| other == node);
        for node in list.iter().filter(|node| !is_condition(node)) {
            self.describe(*node, &clause.quantified, &mut out);
        }
        out
    }

    fn describe(&self, node: NodeId, bound: &[LeafId], out: &mut String) {
        let leaf = |leaf: LeafId| match bound.iter().position(|other| *other == leaf) {
            Some(i) => format!("#{i}"),
            None => format!("{leaf:?}"),
        };
        match &self.formula.nodes[node] {
            Node::Apply(relation, args) => {
                let _ = write!(out, "{relation:?}(");
                for arg in args {
                    let text = match arg {
                        Arg::Leaf(l) => leaf(*l),
                        Arg::Value(v) => v.to_string(),
                    };
                    let _ = write!(out, "{text},");
                }
                out.push(')');
            }
            Node::Equal(a, b) => _ = write!(out, "{}={}", leaf(*a), leaf(*b)),
            Node::Value(a, v) => _ = write!(out, "{}:{v}", leaf(*a)),
            // Others are alike only if they are the same.
            _ => _ = write!(out, "{node:?}"),
        }
        out.push(';');
    }

    /// What the expressions gain by what was added; nothing when a condition fails.
    pub(super) fn relaxed_gain(
        &mut self,
        nodes: &[NodeId],
        state: &mut Relaxed<E::Bdd>,
        added: E::Bdd,
        observer: Observer<'_>,
    ) -> Res<Option<E::Bdd>> {
        state.added = added;
        state.gains.clear();
        self.gains_of(nodes, state, observer)
    }

    fn gains_of(
        &mut self,
        nodes: &[NodeId],
        state: &mut Relaxed<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<Option<E::Bdd>> {
        let mut gains = vec![];
        for node in nodes {
            if self.leads(*node, state.relation) {
                let Some(gain) = self.gain_of(*node, state, observer)? else { return Ok(None) };
                gains.push(gain);
            }
        }
        Ok(Some(self.union(gains)))
    }

    fn gain_of(
        &mut self,
        node: NodeId,
        state: &mut Relaxed<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<Option<E::Bdd>> {
        let formula = self.formula;
        match &formula.nodes[node] {
            Node::Apply(relation, _) => {
                let gain = match *relation == state.relation {
                    true => Some(state.added.clone()),
                    false => self.gain_of_relation(*relation, state, observer)?,
                };
                Ok(gain.map(|gain| self.instance(node, &gain)))
            }
            Node::Or(list) => self.gains_of(list, state, observer),
            Node::Exists(leaves, body) if !matches!(formula.nodes[*body], Node::And(_)) => {
                let gain = self.gain_of(*body, state, observer)?;
                let set = self.set(leaves);
                Ok(gain.map(|gain| self.engine.exists(&gain, set)))
            }
            _ => {
                let clause = self.clause(state.relation, node).expect("the form was looked at");
                self.gain_of_clause(&clause, state, observer)
            }
        }
    }

    fn gain_of_clause(
        &mut self,
        clause: &Clause,
        state: &mut Relaxed<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<Option<E::Bdd>> {
        // Constant conjuncts are joined first to places that speak of all they speak of.
        let mut on: Vec<Vec<NodeId>> = vec![vec![]; clause.places.len()];
        let mut apart: Vec<NodeId> = vec![];
        for node in &clause.constant {
            let within: Vec<usize> =
                (0..on.len()).filter(|i| self.is_within(*node, clause.places[*i])).collect();
            within.iter().for_each(|i| on[*i].push(*node));
            if within.is_empty() {
                apart.push(*node);
            }
        }
        let mut out = vec![];
        for (i, place) in clause.places.iter().enumerate().filter(|(i, _)| clause.covers(*i)) {
            let Some(gain) = self.gain_of(*place, state, observer)? else { return Ok(None) };
            let gain = self.under(&on[i], gain, observer)?;
            if self.engine.is_zero(&gain) {
                continue;
            }
            for (condition, _) in &clause.conditions {
                let condition = self.value(*condition, observer)?;
                if !self.engine.implies(&gain, &condition) {
                    return Ok(None);
                }
            }
            let others = clause.places.iter().copied().enumerate().filter(|(j, _)| *j != i);
            let rest = others.clone().map(|(_, node)| node).chain(apart.iter().copied());
            let rest = rest.map(Factor::Later).collect();
            let mut later =
                |e: &mut Self, node: NodeId, _: (&E::Bdd, &[LeafId]), observer: Observer<'_>| match others
                    .clone()
                    .find(|(_, other)| *other == node)
                {
                    Some((j, _)) => {
                        let pieces = e.pieces_under(clause.join, node, &on[j], observer)?;
                        Ok(pieces.into_iter().map(|(_, value)| value).collect())
                    }
                    None => Ok(vec![e.value(node, observer)?]),
                };
            let leaves = self.free[*place].clone();
            out.push(self.join(gain, leaves, rest, &clause.quantified, &mut later, observer)?);
        }
        Ok(Some(self.union(out)))
    }

    /// What another relation gains: for a recursive one, what its steps reach from what is new of its base.
    fn gain_of_relation(
        &mut self,
        of: RelId,
        state: &mut Relaxed<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<Option<E::Bdd>> {
        if let Some(gain) = state.gains.get(&of) {
            return Ok(Some(gain.clone()));
        }
        let gain = match self.base_and_steps(of) {
            Some((base, steps)) => match self.gains_of(&base, state, observer)? {
                Some(gain) => Some(self.reached(of, &steps, gain, state, observer)?),
                None => None,
            },
            None => {
                let Kind::Defined(body) = self.formula.relations[of].kind else {
                    unreachable!("relations of the model do not grow")
                };
                self.gain_of(body, state, observer)?
            }
        };
        if let Some(gain) = &gain {
            state.gains.insert(of, gain.clone());
        }
        Ok(gain)
    }

    /// What steps reach from these tuples, and the tuples, as far as they are not known.
    fn reached(
        &mut self,
        of: RelId,
        steps: &[NodeId],
        from: E::Bdd,
        state: &mut Relaxed<E::Bdd>,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let mut known = state.known.remove(&of).unwrap_or_default();
        let mut growing: Growing<E::Bdd> = self.growing(of, steps, observer)?;
        let mut all = vec![];
        let mut added = self.without(from, &known);
        self.depth += 1;
        for round in 1u64.. {
            self.push(&mut known, added.clone());
            let nodes = self.nodes_of(&known);
            self.round(of, round, nodes, Some(&added), observer)?;
            if self.engine.is_zero(&added) {
                break;
            }
            all.push(added.clone());
            growing.added = added;
            let mut gains = vec![];
            for step in steps {
                gains.push(self.gain(*step, &mut growing, observer)?);
            }
            let gain = self.union(gains);
            added = self.without(gain, &known);
        }
        self.depth -= 1;
        state.known.insert(of, known);
        Ok(self.union(all))
    }
}
