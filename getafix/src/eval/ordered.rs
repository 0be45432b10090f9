//! Work in an order that the model gives, instead of rounds: for equations that only join, unite and project, whose least
//! fixed point is the same in whatever order tuples are found.
//!
//! The value is kept in parts, one for each combination of values of the parameters of the class that has the order
//! (program counters). Each step takes what is new in the part that comes first, so that what is called is done before its
//! callers go on. Invariant: whatever follows from tuples that are not new is in the parts, and what is new is queued.

mod demand;
mod gain;
mod parts;
mod plan;

use super::delta::Conjunct;
use super::{Evaluator, Observer, Res};
use crate::ir::{Arg, LeafId, NodeId, RelId};
use crate::prelude::Model;
use bdd::{Engine, LayeredUnion};
use demand::Demand;
use parts::Parts;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// One way to the value: with all seeds of what is entered, or with those that are asked for.
struct Run<B> {
    parts: Parts<B>,
    demand: Option<Demand<B>>,
}

/// How a turn ended.
enum Turn<B> {
    /// There is more to do.
    Over,
    /// Nothing is new.
    End,
    /// This part of the value answers the query.
    Answer(B),
}

/// Values of the parameters that have the order.
type Key = Vec<u32>;

/// A disjunct of the equation that mentions its relation.
struct Clause {
    join: NodeId,
    quantified: Vec<LeafId>,
    conjuncts: Vec<Conjunct>,
    /// The conjuncts that are the relation.
    places: Vec<Place>,
}

/// The relation applied in a conjunction.
struct Place {
    conjunct: usize,
    /// For each parameter of the class with the order what is passed.
    keys: Vec<Arg>,
    /// The values of each that conjuncts which never change leave, where that is known.
    allowed: Vec<Option<BTreeSet<u32>>>,
    /// Whether what the only other place has is best joined with the rest of the clause first.
    lifts: Option<Lift>,
}

/// How the other place of a clause is joined with the rest first, as summaries are with calls.
struct Lift {
    /// The other place.
    other: usize,
    /// The leaves that neither this place nor the parameters mention.
    quantified: Vec<LeafId>,
    /// Keys of parts of the other place, by position: the values that a value of a key of this place leaves.
    links: Vec<(usize, usize, FxHashMap<u32, BTreeSet<u32>>)>,
}

impl Place {
    fn allows(&self, key: &[u32]) -> bool {
        let fits = |(i, value): (usize, &u32)| {
            self.allowed[i].as_ref().is_none_or(|set| set.contains(value))
                && !matches!(self.keys[i], Arg::Value(v) if v != *value)
        };
        key.iter().enumerate().all(fits)
    }
}

/// An equation that can be evaluated so.
struct Plan {
    relation: RelId,
    /// Which parameters have the class with the order.
    keys: Vec<usize>,
    /// The disjuncts that do not mention the relation.
    base: Vec<NodeId>,
    clauses: Vec<Clause>,
    /// Where the query mentions the relation, if it does so in conjunctions only.
    asked: Option<Vec<Place>>,
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// The value of the relation that the query mentions, when its equation can be evaluated so; or a part of it that
    /// answers the query.
    pub(super) fn in_order(
        &mut self,
        relation: RelId,
        body: NodeId,
        observer: Observer<'_>,
    ) -> Res<Option<E::Bdd>> {
        if !self.is_top(relation) || self.options.rings {
            return Ok(None);
        }
        let Some(plan) = self.plan(relation, body, observer)? else { return Ok(None) };
        let plan = Rc::new(plan);
        self.fix_union(relation, LayeredUnion::default());
        let base = self.sum(&plan.base, observer)?;
        let demand = self.demand(&plan, &base, observer)?;
        // With all seeds much more may follow than what is asked for: both ways are gone in turns.
        let ways = if demand.is_some() { vec![demand, None] } else { vec![None] };
        let mut runs = vec![];
        for demand in ways {
            let mut run = Run { parts: Parts::new(&self.engine, plan.keys.len()), demand };
            self.spread(&plan, &mut run.parts, base.clone())?;
            runs.push(run);
        }
        let (mut turn, mut round) = (self.options.first_turn, 0);
        loop {
            let several = runs.len() > 1;
            for run in &mut runs {
                let until = if several { self.engine.nodes_made() + turn } else { u64::MAX };
                match self.go_on(&plan, run, until, &mut round, observer)? {
                    Turn::Over => {}
                    Turn::Answer(value) => return Ok(Some(value)),
                    Turn::End => return self.whole_value(&plan, run, &base, observer).map(Some),
                }
            }
            turn *= 2;
        }
    }

    /// Steps until nothing is new, the query is answered, or this many nodes were made.
    fn go_on(
        &mut self,
        plan: &Rc<Plan>,
        run: &mut Run<E::Bdd>,
        until: u64,
        round: &mut u64,
        observer: Observer<'_>,
    ) -> Res<Turn<E::Bdd>> {
        let Run { parts, demand } = run;
        while self.engine.nodes_made() < until {
            let Some(at) = parts.next() else {
                self.alive()?;
                return Ok(Turn::End);
            };
            let fresh = parts.take(at);
            *round += 1;
            self.round(plan.relation, *round, parts.nodes, Some(&fresh), observer)?;
            let widened = demand.as_ref().is_some_and(Demand::has_widened);
            if !widened && self.asks(plan, parts.key(at)) && self.answers(plan.relation, &fresh, observer)? {
                self.keep_figures(plan, parts);
                return Ok(Turn::Answer(fresh));
            }
            self.visit(plan, parts, demand, (at, &fresh), observer)?;
        }
        Ok(Turn::Over)
    }

    /// The value, when nothing is new; or a part of it that answers the query.
    fn whole_value(
        &mut self,
        plan: &Rc<Plan>,
        run: &mut Run<E::Bdd>,
        base: &E::Bdd,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        match run.demand.as_ref().filter(|demand| demand.has_widened()) {
            Some(demand) => self.narrowed(plan, &mut run.parts, demand, base, observer),
            None => {
                let all = run.parts.values().cloned().collect();
                Ok(self.union(all))
            }
        }
    }

    /// The figures of the value are those of its parts, where it is not put together.
    fn keep_figures(&mut self, plan: &Plan, parts: &Parts<E::Bdd>) {
        let formals = &self.formula.relations[plan.relation].formals;
        let tuples = parts.values().map(|value| self.tuples(value, formals)).sum();
        self.kept = Some((parts.nodes, tuples));
    }

    /// Whether the query may hold of tuples with this key.
    fn asks(&self, plan: &Plan, key: &[u32]) -> bool {
        plan.asked.as_ref().is_none_or(|places| places.iter().any(|place| place.allows(key)))
    }

    /// What follows from new tuples of a part.
    fn visit(
        &mut self,
        plan: &Rc<Plan>,
        parts: &mut Parts<E::Bdd>,
        demand: &mut Option<Demand<E::Bdd>>,
        (at, fresh): (usize, &E::Bdd),
        observer: Observer<'_>,
    ) -> Res<()> {
        for (c, clause) in plan.clauses.iter().enumerate() {
            for place in 0..clause.places.len() {
                if !clause.places[place].allows(parts.key(at)) {
                    continue;
                }
                let key = parts.key(at).to_vec();
                let gain = self.gain_at(plan, parts, (c, place), (&key, fresh), observer)?;
                match demand {
                    Some(demand) if demand.is_seed(c) => self.demanded(plan, parts, demand, gain)?,
                    _ => self.spread(plan, parts, gain)?,
                }
            }
        }
        Ok(())
    }

    /// Adds tuples to the parts.
    fn spread(&mut self, plan: &Plan, parts: &mut Parts<E::Bdd>, tuples: E::Bdd) -> Res<()> {
        for (key, value) in self.by_key(plan.relation, &plan.keys, tuples) {
            self.add(parts, key, value);
        }
        self.alive()
    }

    fn add(&mut self, parts: &mut Parts<E::Bdd>, key: Key, value: E::Bdd) {
        let rank = key.last().map_or(0, |value| self.rank(*value));
        parts.add(&mut self.engine, key, rank, value);
    }

    fn rank(&self, value: u32) -> u32 {
        let flow = self.flow.as_ref().expect("there is an order");
        flow.ranks.get(value as usize).copied().unwrap_or(u32::MAX)
    }

    /// Tuples of the relation by the values of some parameters.
    fn by_key(&mut self, relation: RelId, keys: &[usize], tuples: E::Bdd) -> Vec<(Key, E::Bdd)> {
        if self.engine.is_zero(&tuples) {
            return vec![];
        }
        let formals = &self.formula.relations[relation].formals;
        let leaves: Vec<LeafId> = keys.iter().map(|i| formals[*i]).collect();
        let rows = self.values_of(&tuples, &leaves, usize::MAX >> 4).expect("all of them are asked for");
        if let [row] = &rows[..] {
            return vec![(row.clone(), tuples)];
        }
        let mut out = vec![];
        for row in rows {
            let cube = self.cube_of(relation, keys, &row);
            out.push((row, self.engine.and(&tuples, &cube)));
        }
        out
    }

    /// Parameters of the relation have these values.
    fn cube_of(&mut self, relation: RelId, keys: &[usize], row: &[u32]) -> E::Bdd {
        let mut values = vec![];
        for (i, value) in keys.iter().zip(row) {
            let bits = self.vars(self.formula.relations[relation].formals[*i]).iter().enumerate();
            values.extend(bits.map(|(i, var)| (*var, value >> i & 1 == 1)));
        }
        self.engine.cube(&values)
    }

    /// The values of leaves, unless there are more than `most`.
    fn values_of(&self, f: &E::Bdd, leaves: &[LeafId], most: usize) -> Option<Vec<Key>> {
        let mut vars = vec![];
        for (i, leaf) in leaves.iter().enumerate() {
            vars.extend(self.vars(*leaf).iter().enumerate().map(|(bit, var)| (*var, i, bit)));
        }
        vars.sort_unstable();
        let order: Vec<bdd::Var> = vars.iter().map(|(var, _, _)| *var).collect();
        let rows = self.engine.values(f, &order, most)?;
        let number = |row: &Vec<bool>| {
            let mut out = vec![0u32; leaves.len()];
            for ((_, leaf, bit), value) in vars.iter().zip(row) {
                out[*leaf] |= u32::from(*value) << bit;
            }
            out
        };
        let mut out: Vec<Key> = rows.iter().map(number).collect();
        out.sort_unstable();
        Some(out)
    }
}
