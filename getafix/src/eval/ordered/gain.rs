//! What a clause gives of new tuples at one of its places: they are joined with the rest of the clause, and with what the
//! parts hold for its other places.

use super::parts::Parts;
use super::{Clause, Key, Lift, Plan};
use crate::eval::delta::Conjunct;
use crate::eval::product::Factor;
use crate::eval::{Evaluator, Observer, Res};
use crate::ir::{Arg, LeafId, NodeId};
use crate::prelude::Model;
use bdd::Engine;
use std::collections::BTreeSet;
use std::rc::Rc;

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// What a clause gives of tuples at one of its places.
    pub(super) fn gain_at(
        &mut self,
        plan: &Rc<Plan>,
        parts: &mut Parts<E::Bdd>,
        (clause, place): (usize, usize),
        (key, tuples): (&[u32], &E::Bdd),
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let clause = &plan.clauses[clause];
        let own = clause.places[place].conjunct;
        let Conjunct { node, conditions } = &clause.conjuncts[own];
        let gain = self.instance(*node, tuples);
        let gain = self.under(conditions, gain, observer)?;
        if self.engine.is_zero(&gain) {
            return Ok(gain);
        }
        let leaves = self.free[*node].clone();
        if let Some(lift) = &clause.places[place].lifts {
            let values = self.lifted(parts, clause, lift, key, observer)?;
            let set = self.set(&clause.quantified);
            let mut joined = vec![];
            for value in values {
                joined.push(self.engine.and_exists(&gain, &value, set));
                self.alive()?;
            }
            return Ok(self.union(joined));
        }
        let others = clause.conjuncts.iter().enumerate().filter(|(i, _)| *i != own);
        let rest = others.map(|(_, conjunct)| Factor::Later(conjunct.node)).collect();
        let mut later = |e: &mut Self, node: NodeId, so_far: (&E::Bdd, &[LeafId]), observer: Observer<'_>| {
            let conjunct = clause.conjuncts.iter().position(|c| c.node == node).expect("it is one of them");
            match clause.places.iter().position(|place| place.conjunct == conjunct) {
                Some(place) => e.fitting(parts, (clause, place), so_far, observer),
                None => Ok(vec![e.value(node, observer)?]),
            }
        };
        self.join(gain, leaves, rest, &clause.quantified, &mut later, observer)
    }

    /// What the parts hold for a place, as far as it fits to what has been joined.
    fn fitting(
        &mut self,
        parts: &mut Parts<E::Bdd>,
        (clause, place): (&Clause, usize),
        (out, leaves): (&E::Bdd, &[LeafId]),
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let keys = clause.places[place].keys.iter().enumerate();
        let known = keys.filter_map(|(i, arg)| match arg {
            Arg::Leaf(leaf) if leaves.contains(leaf) => Some((i, *leaf)),
            _ => None,
        });
        let (at, wanted): (Vec<usize>, Vec<LeafId>) = known.unzip();
        let rows = self.values_of(out, &wanted, parts.len());
        let fitting = parts.fitting(&at, rows.as_deref());
        self.made_of(parts, (clause, place), fitting, None, observer)
    }

    /// What the parts hold for the other place of a clause, joined with the rest of the clause, as far as it fits to a key
    /// of the first place.
    fn lifted(
        &mut self,
        parts: &mut Parts<E::Bdd>,
        clause: &Clause,
        lift: &Lift,
        key: &[u32],
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let mut chosen: Option<BTreeSet<usize>> = None;
        for (own, other, map) in &lift.links {
            let rows: Vec<Key> =
                map.get(&key[*own]).into_iter().flatten().map(|value| vec![*value]).collect();
            let mut fitting: BTreeSet<usize> = parts.fitting(&[*other], Some(&rows)).into_iter().collect();
            if let Some(before) = chosen {
                fitting.retain(|part| before.contains(part));
            }
            chosen = Some(fitting);
        }
        let chosen = chosen.map_or_else(|| (0..parts.len()).collect(), |set| set.into_iter().collect());
        self.made_of(parts, (clause, lift.other), chosen, Some(lift), observer)
    }

    /// What is made of the layers of these parts for a place of a clause: once for each layer.
    fn made_of(
        &mut self,
        parts: &mut Parts<E::Bdd>,
        (clause, place): (&Clause, usize),
        chosen: Vec<usize>,
        lift: Option<&Lift>,
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let place = &clause.places[place];
        let Conjunct { node, conditions } = &clause.conjuncts[place.conjunct];
        let mut values = vec![];
        for part in chosen {
            if !place.allows(parts.key(part)) {
                continue;
            }
            for layer in parts.layers_mut(part) {
                if !layer.with.contains_key(&(clause.join, *node)) {
                    let value = self.instance(*node, &layer.value);
                    let mut value = self.under(conditions, value, observer)?;
                    if let Some(lift) = lift {
                        value = self.with_rest(clause, *node, value, &lift.quantified, observer)?;
                    }
                    layer.with.insert((clause.join, *node), value);
                }
                let made = &layer.with[&(clause.join, *node)];
                if !self.engine.is_zero(made) {
                    values.push(made.clone());
                }
            }
        }
        Ok(values)
    }

    /// The value of a place's conjunct, joined with the conjuncts that are not places.
    fn with_rest(
        &mut self,
        clause: &Clause,
        node: NodeId,
        value: E::Bdd,
        quantified: &[LeafId],
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let rest = clause.conjuncts.iter().enumerate();
        let rest = rest.filter(|(i, _)| clause.places.iter().all(|place| place.conjunct != *i));
        let rest = rest.map(|(_, conjunct)| Factor::Later(conjunct.node)).collect();
        let leaves = self.free[node].clone();
        let mut later = |e: &mut Self, node: NodeId, _: (&E::Bdd, &[LeafId]), observer: Observer<'_>| {
            Ok(vec![e.value(node, observer)?])
        };
        self.join(value, leaves, rest, quantified, &mut later, observer)
    }
}
