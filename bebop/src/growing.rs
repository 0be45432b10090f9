//! A set that grows by small differences. A union copies both sets, so a large one would be copied for every small
//! addition; here it is a few diagrams, and two are united when their sizes are alike. An addition is then copied
//! about as often as the whole has doubled.

use bdd::Engine;

/// Sets of at most this many nodes are always united: operations on them are remembered.
const SMALL: usize = 128;

/// Parts without common elements, the large ones first.
#[derive(Clone, Debug)]
pub(crate) struct Growing<B> {
    first: Option<B>,
    /// Seldom needed: small sets are united at once.
    others: Vec<B>,
}

impl<B: Clone> Growing<B> {
    pub(crate) fn new() -> Self {
        Growing { first: None, others: vec![] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The diagrams.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &B> {
        self.first.iter().chain(&self.others)
    }

    /// What of these is not there yet.
    pub(crate) fn news<E: Engine<Bdd = B>>(&self, engine: &mut E, states: &B) -> B {
        self.parts().fold(states.clone(), |rest, part| engine.and_not(&rest, part))
    }

    /// Adds what is not there yet.
    pub(crate) fn add<E: Engine<Bdd = B>>(&mut self, engine: &mut E, news: &B) {
        let alike = |engine: &E, part: &B, last: &B| {
            let (part, last) = (engine.size(part), engine.size(last));
            part < 2 * last || part < SMALL
        };
        let mut last = news.clone();
        while let Some(part) = self.others.pop_if(|part| alike(engine, part, &last)) {
            last = engine.or(&part, &last);
        }
        match &mut self.first {
            Some(first) if !self.others.is_empty() || !alike(engine, first, &last) => self.others.push(last),
            Some(first) => *first = engine.or(first, &last),
            None => self.first = Some(last),
        }
    }

    /// All of it.
    pub(crate) fn whole<E: Engine<Bdd = B>>(&self, engine: &mut E) -> B {
        let zero = engine.constant(false);
        let parts = self.others.iter().rev().chain(&self.first);
        parts.fold(zero, |whole, part| engine.or(&whole, part))
    }

    /// All of it, in one part from now on.
    pub(crate) fn united<E: Engine<Bdd = B>>(&mut self, engine: &mut E) -> B {
        let whole = self.whole(engine);
        if !self.others.is_empty() {
            *self = Growing { first: Some(whole.clone()), others: vec![] };
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bdd::{Biodivine, Var};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn nothing_is_lost_and_nothing_is_twice() {
        let stop = AtomicBool::new(false);
        let mut engine = Biodivine::new(12, &stop).expect("twelve variables are few");
        let mut growing = Growing::new();
        let mut all = engine.constant(false);
        let mut number = 1u32;
        for round in 0..300 {
            // Some of the numbers below 2^12, a few at a time.
            let mut set = engine.constant(false);
            for _ in 0..round % 7 {
                number = number.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                let mut one = engine.constant(true);
                for k in (0..12).rev() {
                    let var = engine.var(Var(k));
                    one = if number >> (k + 8) & 1 == 1 {
                        engine.and(&var, &one)
                    } else {
                        engine.and_not(&one, &var)
                    };
                }
                set = engine.or(&set, &one);
            }
            let news = growing.news(&mut engine, &set);
            let expected = engine.and_not(&set, &all);
            let differ = engine.xor(&news, &expected);
            assert!(engine.is_zero(&differ));
            all = engine.or(&all, &set);
            if !engine.is_zero(&news) {
                growing.add(&mut engine, &news);
            }
            let whole =
                if round % 50 == 0 { growing.united(&mut engine) } else { growing.whole(&mut engine) };
            let differ = engine.xor(&whole, &all);
            assert!(engine.is_zero(&differ));
        }
    }
}
