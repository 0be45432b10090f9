//! Entries that are asked for: what makes many small additions to summaries few.
//!
//! In an equation such as that of `ef` some parameters (u, where a procedure was entered) stay as they are in every clause
//! but those that only make *seeds*, tuples with u = v: the entries of procedures that are called. When each other
//! application of the relation in a clause begins at an entry for which a seed follows from the rest of that clause, then
//! the value is what follows from any seeds, as long as all those asked for are among them, restricted to the entries that
//! are reachable: a derivation of a tuple with a reachable entry only ever mentions reachable entries. So a procedure that
//! is entered gets all seeds, and its summaries need not be computed again for each entry to come; and in the end,
//! callers before callees, the entries that are reachable are found from the summaries.

use super::parts::Parts;
use super::{Clause, Key, Place, Plan};
use crate::eval::product::Factor;
use crate::eval::{Evaluator, Observer, Res};
use crate::ir::{Arg, LeafId, Node, NodeId};
use crate::prelude::Model;
use bdd::Engine;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;

/// An equation with seeds.
pub(super) struct Demand<B> {
    /// The parameters that clauses leave as they are, and those beside them in a seed.
    shape: Shape,
    /// Whether each clause makes seeds.
    seeds: Vec<bool>,
    /// All pairs of equal halves. That is more than the seeds that there can be, but a relation without holes, as small as
    /// those of the steps themselves: what arguments have to do with globals is examined in the end only.
    all: B,
    /// The keys for which there are all.
    full: BTreeSet<Key>,
    widened: bool,
}

#[derive(Clone, PartialEq, Eq)]
struct Shape {
    entry: Vec<usize>,
    rest: Vec<usize>,
}

impl<B> Demand<B> {
    pub(super) fn is_seed(&self, clause: usize) -> bool {
        self.seeds[clause]
    }

    /// Whether there are seeds that nobody may ask for.
    pub(super) fn has_widened(&self) -> bool {
        self.widened
    }
}

/// Entries by their program counters, and what of them was not examined.
struct Entries<B> {
    known: BTreeMap<Key, B>,
    fresh: BTreeMap<Key, B>,
    queue: BinaryHeap<(u32, Key)>,
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The seeds of an equation, if it has the form.
    pub(super) fn demand(
        &mut self,
        plan: &Plan,
        base: &E::Bdd,
        observer: Observer<'_>,
    ) -> Res<Option<Demand<E::Bdd>>> {
        let Some((shape, seeds)) = self.shape(plan) else { return Ok(None) };
        let mut all = self.engine.constant(false);
        for (clause, _) in plan.clauses.iter().zip(&seeds).filter(|(_, is_seed)| **is_seed) {
            let own = clause.places[0].conjunct;
            let mut others: Vec<NodeId> = clause.conjuncts[own].conditions.clone();
            let rest = clause.conjuncts.iter().enumerate().filter(|(i, _)| *i != own);
            others.extend(rest.map(|(_, conjunct)| conjunct.node));
            let Some(first) = others.pop() else { return Ok(None) };
            let (value, leaves) = (self.value(first, observer)?, self.free[first].clone());
            let rest = others.into_iter().map(Factor::Later).collect();
            let mut later = |e: &mut Self, node: NodeId, _: (&E::Bdd, &[LeafId]), observer: Observer<'_>| {
                Ok(vec![e.value(node, observer)?])
            };
            let value = self.join(value, leaves, rest, &clause.quantified, &mut later, observer)?;
            all = self.engine.or(&all, &value);
        }
        // Seeds are pairs of equal halves, those of the base, too.
        let formals = self.formula.relations[plan.relation].formals.clone();
        let mut same = self.engine.constant(true);
        for (a, b) in shape.entry.iter().zip(&shape.rest).rev() {
            let pair = self.equal(formals[*a], formals[*b]);
            same = self.engine.and(&same, &pair);
        }
        if !self.engine.implies(&all, &same) || !self.engine.implies(base, &same) {
            return Ok(None);
        }
        Ok(Some(Demand { shape, seeds, all: same, full: BTreeSet::new(), widened: false }))
    }

    /// Which parameters stay as they are, and which clauses make seeds; nothing when the form is another one.
    fn shape(&self, plan: &Plan) -> Option<(Shape, Vec<bool>)> {
        let formals = &self.formula.relations[plan.relation].formals;
        let kept = |clause: &Clause, place: &Place| -> Vec<usize> {
            let args = self.arguments(clause, place);
            (0..formals.len()).filter(|i| args[*i] == Arg::Leaf(formals[*i])).collect()
        };
        let mut shape: Option<Shape> = None;
        let mut seeds = vec![];
        for clause in &plan.clauses {
            let entry = clause.places.iter().map(|place| kept(clause, place)).find(|kept| !kept.is_empty());
            seeds.push(entry.is_none());
            match entry {
                None if clause.places.len() != 1 => return None,
                None => {}
                Some(entry) => {
                    let rest = (0..formals.len()).filter(|i| !entry.contains(i)).collect();
                    let own = Shape { entry, rest };
                    if shape.get_or_insert(own.clone()) != &own {
                        return None;
                    }
                }
            }
        }
        let shape = shape.filter(|_| seeds.contains(&true))?;
        let class = |i: usize| self.formula.leaves[formals[i]];
        let pairs = shape.entry.iter().zip(&shape.rest);
        if shape.entry.len() != shape.rest.len() || !pairs.clone().all(|(a, b)| class(*a) == class(*b)) {
            return None;
        }
        let is_covered = |clause: &Clause| {
            let main = clause.places.iter().position(|place| !kept(clause, place).is_empty());
            let main = &clause.places[main.expect("it makes no seeds")];
            let others = clause.places.iter().filter(|place| place.conjunct != main.conjunct);
            others.into_iter().all(|other| {
                let makers = plan.clauses.iter().zip(&seeds).filter(|(_, is_seed)| **is_seed);
                makers
                    .into_iter()
                    .any(|(maker, _)| self.follows(plan, &shape, maker, clause, (main, other)).is_some())
            })
        };
        let steps = plan.clauses.iter().zip(&seeds).filter(|(_, is_seed)| !**is_seed);
        steps.into_iter().all(|(clause, _)| is_covered(clause)).then_some((shape, seeds))
    }

    fn arguments(&self, clause: &Clause, place: &Place) -> &[Arg] {
        match &self.formula.nodes[clause.conjuncts[place.conjunct].node] {
            Node::Apply(_, args) => args,
            _ => unreachable!("a place is an application"),
        }
    }

    /// Whether the maker of seeds, applied to the main place of a clause, gives the entry of another place, as far as the
    /// rest of the clause says what the maker asks for.
    fn follows(
        &self,
        plan: &Plan,
        shape: &Shape,
        maker: &Clause,
        clause: &Clause,
        (main, other): (&Place, &Place),
    ) -> Option<()> {
        let formals = &self.formula.relations[plan.relation].formals;
        let mut map: FxHashMap<LeafId, Arg> = FxHashMap::default();
        let mut put = |from: LeafId, to: Arg| *map.entry(from).or_insert(to) == to;
        for (from, to) in self.arguments(maker, &maker.places[0]).iter().zip(self.arguments(clause, main)) {
            match from {
                Arg::Leaf(leaf) => put(*leaf, *to).then_some(())?,
                Arg::Value(_) => (from == to).then_some(())?,
            }
        }
        for i in &shape.entry {
            put(formals[*i], self.arguments(clause, other)[*i]).then_some(())?;
        }
        let there = self.atoms(clause.join);
        for atom in self.atoms(maker.join) {
            if atom == maker.conjuncts[maker.places[0].conjunct].node {
                continue;
            }
            let pairs = shape.entry.iter().zip(&shape.rest).map(|(a, b)| (formals[*a], formals[*b]));
            let fits = match &self.formula.nodes[atom] {
                // What only says that the halves of the seed are equal says nothing of the entry.
                Node::Equal(a, b) if pairs.clone().any(|pair| pair == (*a, *b) || pair == (*b, *a)) => true,
                Node::Apply(relation, args) => {
                    let mapped: Option<Vec<Arg>> = args
                        .iter()
                        .map(|arg| match arg {
                            Arg::Leaf(leaf) => map.get(leaf).copied(),
                            Arg::Value(_) => Some(*arg),
                        })
                        .collect();
                    let mapped = mapped?;
                    let same = |node: &NodeId| matches!(&self.formula.nodes[*node], Node::Apply(r, own) if r == relation && *own == mapped);
                    there.iter().any(same)
                }
                _ => false,
            };
            fits.then_some(())?;
        }
        Some(())
    }

    /// The operands of a conjunction, and of conjunctions in it.
    fn atoms(&self, node: NodeId) -> Vec<NodeId> {
        let mut out = vec![];
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match &self.formula.nodes[node] {
                Node::And(list) => stack.extend(list),
                _ => out.push(node),
            }
        }
        out
    }

    /// Adds seeds that are asked for, or all with their keys.
    pub(super) fn demanded(
        &mut self,
        plan: &Plan,
        parts: &mut Parts<E::Bdd>,
        demand: &mut Demand<E::Bdd>,
        seeds: E::Bdd,
    ) -> Res<()> {
        for (key, value) in self.by_key(plan.relation, &plan.keys, seeds) {
            let rank = key.last().map_or(0, |value| self.rank(*value));
            if !demand.full.contains(&key) && parts.add(&mut self.engine, key.clone(), rank, value) {
                let cube = self.cube_of(plan.relation, &plan.keys, &key);
                let all = self.engine.and(&demand.all, &cube);
                demand.widened |= parts.add(&mut self.engine, key.clone(), rank, all);
                demand.full.insert(key);
            }
        }
        self.alive()
    }

    /// The value: what was found from all seeds, restricted to entries that are reachable; or a part of it that answers the
    /// query.
    pub(super) fn narrowed(
        &mut self,
        plan: &Rc<Plan>,
        parts: &mut Parts<E::Bdd>,
        demand: &Demand<E::Bdd>,
        base: &E::Bdd,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let mut entries =
            Entries { known: BTreeMap::new(), fresh: BTreeMap::new(), queue: BinaryHeap::new() };
        self.enter(plan, demand, &mut entries, base)?;
        // Where the keys of entries stand in the keys of parts.
        let at: Vec<usize> =
            (0..plan.keys.len()).filter(|i| demand.shape.entry.contains(&plan.keys[*i])).collect();
        while let Some((_, key)) = entries.queue.pop() {
            let Some(fresh) = entries.fresh.remove(&key) else { continue };
            for part in parts.fitting(&at, Some(std::slice::from_ref(&key))) {
                let makers: Vec<usize> = (0..plan.clauses.len())
                    .filter(|c| demand.seeds[*c] && plan.clauses[*c].places[0].allows(parts.key(part)))
                    .collect();
                let own = parts.key(part).to_vec();
                let asks = self.asks(plan, &own);
                if makers.is_empty() && !asks {
                    continue;
                }
                for value in parts.of(part) {
                    let value = self.engine.and(&value, &fresh);
                    if asks && self.answers(plan.relation, &value, observer)? {
                        self.keep_figures(plan, parts);
                        return Ok(value);
                    }
                    for clause in &makers {
                        let seeds = self.gain_at(plan, parts, (*clause, 0), (&own, &value), observer)?;
                        self.enter(plan, demand, &mut entries, &seeds)?;
                    }
                }
            }
        }
        self.alive()?;
        if self.is_asked_once(plan) {
            // Nothing answers, and nobody examines the value but for its figures.
            self.keep_figures(plan, parts);
            return Ok(self.engine.constant(false));
        }
        Ok(self.restricted(parts, &at, &entries))
    }

    /// The parts, restricted to the entries that are known.
    fn restricted(&mut self, parts: &Parts<E::Bdd>, at: &[usize], entries: &Entries<E::Bdd>) -> E::Bdd {
        let mut all = vec![];
        for (key, known) in &entries.known {
            for part in parts.fitting(at, Some(std::slice::from_ref(key))) {
                all.extend(parts.of(part).iter().map(|value| self.engine.and(value, known)));
            }
        }
        self.union(all)
    }

    /// Whether the query has been asked of everything, part by part: it joins one application of the relation.
    fn is_asked_once(&self, plan: &Plan) -> bool {
        let applied =
            |node: &NodeId| matches!(self.formula.nodes[*node], Node::Apply(r, _) if r == plan.relation);
        self.early == Some(plan.relation)
            && self.formula.below(self.formula.query).iter().filter(|node| applied(node)).count() == 1
            && crate::eval::joins_only(self.formula, self.formula.query)
    }

    /// Adds the entries of these tuples.
    fn enter(
        &mut self,
        plan: &Plan,
        demand: &Demand<E::Bdd>,
        entries: &mut Entries<E::Bdd>,
        tuples: &E::Bdd,
    ) -> Res<()> {
        let formals = self.formula.relations[plan.relation].formals.clone();
        let rest: Vec<LeafId> = demand.shape.rest.iter().map(|i| formals[*i]).collect();
        let rest = self.set(&rest);
        let entry = self.engine.exists(tuples, rest);
        let keys: Vec<usize> = plan.keys.iter().copied().filter(|i| demand.shape.entry.contains(i)).collect();
        for (key, value) in self.by_key(plan.relation, &keys, entry) {
            let zero = self.engine.constant(false);
            let known = entries.known.get(&key).unwrap_or(&zero);
            let news = self.engine.and_not(&value, known);
            if self.engine.is_zero(&news) {
                continue;
            }
            let known = self.engine.or(known, &news);
            entries.known.insert(key.clone(), known);
            let fresh = entries.fresh.get(&key).unwrap_or(&zero);
            let fresh = self.engine.or(fresh, &news);
            let rank = key.last().map_or(0, |value| self.rank(*value));
            if entries.fresh.insert(key.clone(), fresh).is_none() {
                entries.queue.push((rank, key));
            }
        }
        self.alive()
    }
}
