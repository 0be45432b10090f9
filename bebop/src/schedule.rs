//! Relations as conjunctions of parts, joined one after the other with what they are applied to. A wide parallel
//! assignment has a small part for each target, but its whole relation can be exponential in their number under any
//! fixed order of variables; the image of the states that occur is small. A value is projected away with the last
//! part that mentions it.

use bdd::{Engine, Var, VarSet};

/// Slices are joined beforehand as long as the result has at most this many nodes.
const CLUSTER: usize = 256;

/// A relation, and what is projected away with each of its parts.
pub(crate) struct Schedule<B> {
    steps: Vec<(B, Option<VarSet>)>,
    /// Projected away when there is no part.
    alone: Option<VarSet>,
}

impl<B: Clone> Schedule<B> {
    pub(crate) fn new<E: Engine<Bdd = B>>(engine: &mut E, parts: &[B], quantify: &[Var]) -> Schedule<B> {
        let supports: Vec<Vec<Var>> = parts.iter().map(|p| engine.support(p)).collect();
        let mut with: Vec<Vec<Var>> = vec![vec![]; parts.len().max(1)];
        for var in quantify {
            let last = supports.iter().rposition(|s| s.binary_search(var).is_ok()).unwrap_or(0);
            with[last].push(*var);
        }
        let mut sets =
            with.iter().map(|vars| (!vars.is_empty()).then(|| engine.var_set(vars))).collect::<Vec<_>>();
        let alone = if parts.is_empty() { sets.pop().flatten() } else { None };
        Schedule { steps: parts.iter().cloned().zip(sets).collect(), alone }
    }

    /// The image of the states.
    pub(crate) fn run<E: Engine<Bdd = B>>(&self, engine: &mut E, states: &B) -> B {
        let start = match self.alone {
            Some(set) => engine.exists(states, set),
            None => states.clone(),
        };
        self.steps.iter().fold(start, |states, (part, set)| match set {
            Some(set) => engine.and_exists(&states, part, *set),
            None => engine.and(&states, part),
        })
    }
}

/// The states joined with the parts, without the values in `quantify`.
pub(crate) fn image<E: Engine>(
    engine: &mut E,
    states: &E::Bdd,
    parts: &[E::Bdd],
    quantify: &[Var],
) -> E::Bdd {
    Schedule::new(engine, parts, quantify).run(engine, states)
}

/// The parts, neighbours joined where that stays small.
pub(crate) fn clustered<E: Engine>(engine: &mut E, parts: Vec<E::Bdd>) -> Vec<E::Bdd> {
    let mut out: Vec<E::Bdd> = vec![];
    for part in parts {
        let joined = out.last().map(|last| engine.and(&part, last));
        match (joined, out.last_mut()) {
            (Some(joined), Some(last)) if engine.size(&joined) <= CLUSTER => *last = joined,
            _ => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use bdd::Biodivine;
    use proptest::prelude::*;
    use std::sync::atomic::AtomicBool;

    const VARS: u16 = 8;

    /// A function of some variables, from the bits of a number.
    fn function(engine: &mut Biodivine<'_>, seed: u64) -> <Biodivine<'static> as Engine>::Bdd {
        let mut out = engine.constant(seed & 1 == 1);
        for k in 0..4 {
            let bits = seed >> (1 + 8 * k);
            let var = engine.var(Var((bits % u64::from(VARS)) as u16));
            out = match bits >> 4 & 3 {
                0 => engine.and(&out, &var),
                1 => engine.or(&out, &var),
                2 => engine.xor(&out, &var),
                _ => engine.and_not(&var, &out),
            };
        }
        out
    }

    proptest! {
        /// Whatever the parts, their order and their clusters.
        #[test]
        fn values_are_projected_away_after_their_last_use(
            states: u64,
            seeds in prop::collection::vec(any::<u64>(), 0..6),
            hidden in prop::collection::btree_set(0..VARS, 0..6),
        ) {
            let stop = AtomicBool::new(false);
            let mut engine = Biodivine::new(VARS.into(), &stop).expect("eight variables are few");
            let states = function(&mut engine, states);
            let parts: Vec<_> = seeds.iter().map(|s| function(&mut engine, *s)).collect();
            let hidden: Vec<Var> = hidden.into_iter().map(Var).collect();
            let all = parts.iter().fold(states.clone(), |all, p| engine.and(&all, p));
            let set = engine.var_set(&hidden);
            let expected = engine.exists(&all, set);
            for parts in [parts.clone(), clustered(&mut engine, parts)] {
                let found = image(&mut engine, &states, &parts, &hidden);
                let differ = engine.xor(&found, &expected);
                prop_assert!(engine.is_zero(&differ));
            }
        }
    }
}
