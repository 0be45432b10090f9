//! Whether an equation can be worked on in order, and how: its clauses, the keys that each can have, and the links between
//! keys that conjuncts make which never change.

use super::{Clause, Lift, Place, Plan};
use crate::eval::{Evaluator, Observer, Res};
use crate::ir::{Arg, LeafId, Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::Engine;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// How to evaluate the equation so, if it has the form for it.
    pub(super) fn plan(
        &mut self,
        relation: RelId,
        body: NodeId,
        observer: Observer<'_>,
    ) -> Res<Option<Plan>> {
        let Some(flow) = &self.flow else { return Ok(None) };
        let class = flow.class;
        let formals = &self.formula.relations[relation].formals;
        let is_key = |i: &usize| self.formula.classes[self.formula.leaves[formals[*i]]].given == Some(class);
        let keys: Vec<usize> = (0..formals.len()).filter(is_key).collect();
        if keys.is_empty() {
            return Ok(None);
        }
        let (mut base, mut clauses) = (vec![], vec![]);
        let mut stack = vec![body];
        while let Some(node) = stack.pop() {
            match &self.formula.nodes[node] {
                _ if !self.grows(node, relation) => base.push(node),
                Node::Or(list) => stack.extend(list.iter().rev()),
                _ => {
                    let Some(clause) = self.ordered_clause(relation, &keys, node, observer)? else {
                        return Ok(None);
                    };
                    clauses.push(clause);
                }
            }
        }
        let asked = self.asked(relation, &keys, observer)?;
        Ok(Some(Plan { relation, keys, base, clauses, asked }))
    }

    fn ordered_clause(
        &mut self,
        relation: RelId,
        keys: &[usize],
        node: NodeId,
        observer: Observer<'_>,
    ) -> Res<Option<Clause>> {
        let (join, quantified) = match &self.formula.nodes[node] {
            Node::Exists(leaves, inside) => (*inside, leaves.clone()),
            _ => (node, vec![]),
        };
        let list = match &self.formula.nodes[join] {
            Node::And(list) => list.clone(),
            _ => vec![join],
        };
        let conjuncts = self.conjuncts(&list, relation);
        let mut places = vec![];
        for (i, conjunct) in conjuncts.iter().enumerate() {
            if !self.grows(conjunct.node, relation) {
                continue;
            }
            let Some(place) = self.place(relation, keys, conjunct.node, (i, &list), observer)? else {
                return Ok(None);
            };
            places.push(place);
        }
        let mut clause = Clause { join, quantified, conjuncts, places };
        if clause.places.len() == 2 {
            for own in 0..2 {
                clause.places[own].lifts = self.lift(&clause, own, observer)?;
            }
        }
        Ok(Some(clause))
    }

    /// Whether the other place of a clause with two is to be joined with the rest first: when that leaves no more bits than
    /// this place has.
    fn lift(&mut self, clause: &Clause, own: usize, observer: Observer<'_>) -> Res<Option<Lift>> {
        let node = |place: usize| clause.conjuncts[clause.places[place].conjunct].node;
        let others = (0..clause.conjuncts.len()).filter(|i| *i != clause.places[own].conjunct);
        let nodes: Vec<NodeId> = others.map(|i| clause.conjuncts[i].node).collect();
        let here = self.free[node(own)].clone();
        let mut all: Vec<LeafId> = nodes.iter().flat_map(|node| self.free[*node].clone()).collect();
        all.sort_unstable();
        all.dedup();
        let quantified: Vec<LeafId> =
            clause.quantified.iter().copied().filter(|leaf| !here.contains(leaf)).collect();
        let width = |leaves: &mut dyn Iterator<Item = &LeafId>| -> usize {
            leaves.map(|leaf| self.vars(*leaf).len()).sum()
        };
        let left = width(&mut all.iter().filter(|leaf| !quantified.contains(leaf)));
        if left > width(&mut here.iter()) {
            return Ok(None);
        }
        let mut links = vec![];
        let keys = |place: usize| clause.places[place].keys.iter().enumerate();
        let pairs: Vec<(usize, usize, LeafId, LeafId)> = keys(own)
            .flat_map(|(i, a)| keys(1 - own).map(move |(j, b)| (i, j, *a, *b)))
            .filter_map(|(i, j, a, b)| match (a, b) {
                (Arg::Leaf(a), Arg::Leaf(b)) => Some((i, j, a, b)),
                _ => None,
            })
            .collect();
        for other in nodes.iter().copied().filter(|other| *other != node(1 - own)) {
            for (i, j, a, b) in &pairs {
                let leaves = &self.free[other];
                if self.depends[other] || !leaves.contains(a) || !leaves.contains(b) || a == b {
                    continue;
                }
                let rest: Vec<LeafId> = leaves.iter().copied().filter(|l| l != a && l != b).collect();
                let value = self.value(other, observer)?;
                let set = self.set(&rest);
                let value = self.engine.exists(&value, set);
                let Some(rows) = self.values_of(&value, &[*a, *b], 1 << 20) else { continue };
                let mut map: FxHashMap<u32, BTreeSet<u32>> = FxHashMap::default();
                for row in rows {
                    map.entry(row[0]).or_default().insert(row[1]);
                }
                links.push((*i, *j, map));
            }
        }
        Ok(Some(Lift { other: 1 - own, quantified, links }))
    }

    /// The relation applied among these conjuncts.
    fn place(
        &mut self,
        relation: RelId,
        keys: &[usize],
        node: NodeId,
        (conjunct, list): (usize, &[NodeId]),
        observer: Observer<'_>,
    ) -> Res<Option<Place>> {
        let keys: Vec<Arg> = match &self.formula.nodes[node] {
            Node::Apply(r, args) if *r == relation => keys.iter().map(|i| args[*i]).collect(),
            _ => return Ok(None),
        };
        let mut allowed = vec![];
        for key in &keys {
            let mut set: Option<BTreeSet<u32>> = None;
            for other in list {
                let Arg::Leaf(leaf) = key else { continue };
                if self.depends[*other] || !self.free[*other].contains(leaf) {
                    continue;
                }
                let value = self.value(*other, observer)?;
                let others: Vec<LeafId> = self.free[*other].iter().copied().filter(|l| l != leaf).collect();
                let others = self.set(&others);
                let value = self.engine.exists(&value, others);
                if let Some(rows) = self.values_of(&value, &[*leaf], 1 << 20) {
                    let own: BTreeSet<u32> = rows.iter().map(|row| row[0]).collect();
                    set = Some(set.map_or(own.clone(), |set| set.intersection(&own).copied().collect()));
                }
            }
            allowed.push(set);
        }
        Ok(Some(Place { conjunct, keys, allowed, lifts: None }))
    }

    /// Where the query mentions the relation.
    fn asked(&mut self, relation: RelId, keys: &[usize], observer: Observer<'_>) -> Res<Option<Vec<Place>>> {
        let mut places = vec![];
        let below = self.formula.below(self.formula.query);
        for join in &below {
            let operands = self.formula.nodes[*join].operands();
            for node in operands
                .iter()
                .filter(|node| matches!(&self.formula.nodes[**node], Node::Apply(r, _) if *r == relation))
            {
                if !matches!(self.formula.nodes[*join], Node::And(_)) {
                    return Ok(None);
                }
                places.extend(self.place(relation, keys, *node, (0, operands), observer)?);
            }
        }
        let is_direct = matches!(self.formula.nodes[self.formula.query], Node::Apply(..));
        Ok((!is_direct).then_some(places))
    }
}
