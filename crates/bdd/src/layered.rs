//! A set that grows by small differences. A union copies both sets, so a large one would be copied for every small
//! addition; here it is a few diagrams, each larger than those behind it, and two are united when their sizes are alike. An
//! addition is then copied about as often as the whole has doubled.

use crate::Engine;
use smallvec::SmallVec;

/// Layers of at most this many nodes are always united: operations on them are remembered.
const SMALL: usize = 128;

/// A part of the set.
#[derive(Clone, Debug)]
pub struct Layer<B, X = ()> {
    /// The diagram.
    pub value: B,
    /// Data of the client, until it is united with another.
    pub with: X,
}

/// Disjoint layers, the large ones first.
#[derive(Clone, Debug)]
pub struct LayeredUnion<B, X = ()> {
    /// More than one is rare: small sets are united at once.
    layers: SmallVec<[Layer<B, X>; 1]>,
}

impl<B, X> Default for LayeredUnion<B, X> {
    fn default() -> Self {
        LayeredUnion { layers: SmallVec::new() }
    }
}

impl<B: Clone, X> LayeredUnion<B, X> {
    /// A set in one layer.
    pub fn single(value: B, with: X) -> Self {
        LayeredUnion { layers: SmallVec::from_buf([Layer { value, with }]) }
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// The diagrams.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &B> {
        self.layers.iter().map(|layer| &layer.value)
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer<B, X>] {
        &self.layers
    }

    /// The layers, to change what is kept with them.
    pub fn layers_mut(&mut self) -> &mut [Layer<B, X>] {
        &mut self.layers
    }

    /// The part of `set` that is not in this set yet.
    pub fn news<E: Engine<Bdd = B>>(&self, engine: &mut E, set: &B) -> B {
        self.values().fold(set.clone(), |rest, value| engine.and_not(&rest, value))
    }

    /// Adds what is not there yet, as a layer with something.
    pub fn add<E: Engine<Bdd = B>>(&mut self, engine: &mut E, news: &B, with: X) {
        let alike = |engine: &E, layer: &B, last: &B| {
            let (layer, last) = (engine.size(layer), engine.size(last));
            layer < 2 * last || layer < SMALL
        };
        let mut value = news.clone();
        while let Some(layer) = self.layers.pop() {
            if !alike(engine, &layer.value, &value) {
                self.layers.push(layer);
                break;
            }
            value = engine.or(&layer.value, &value);
        }
        self.layers.push(Layer { value, with });
    }

    /// All of it.
    pub fn whole<E: Engine<Bdd = B>>(&self, engine: &mut E) -> B {
        let zero = engine.constant(false);
        self.values().rev().fold(zero, |whole, value| engine.or(&whole, value))
    }

    /// Nodes of all layers.
    pub fn nodes<E: Engine<Bdd = B>>(&self, engine: &E) -> usize {
        self.values().map(|value| engine.size(value)).sum()
    }
}

impl<B: Clone, X: Default> LayeredUnion<B, X> {
    /// All of it, in one layer from now on.
    pub fn united<E: Engine<Bdd = B>>(&mut self, engine: &mut E) -> B {
        let whole = self.whole(engine);
        if self.layers.len() > 1 {
            *self = LayeredUnion::single(whole.clone(), X::default());
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Biodivine, Var};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn nothing_is_lost_and_nothing_is_twice() {
        let stop = AtomicBool::new(false);
        let mut engine = Biodivine::new(12, &stop).expect("twelve variables are few");
        let mut set_of_layers = LayeredUnion::default();
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
            let news = set_of_layers.news(&mut engine, &set);
            let expected = engine.and_not(&set, &all);
            let differ = engine.xor(&news, &expected);
            assert!(engine.is_zero(&differ));
            all = engine.or(&all, &set);
            if !engine.is_zero(&news) {
                set_of_layers.add(&mut engine, &news, ());
            }
            let whole = if round % 50 == 0 {
                set_of_layers.united(&mut engine)
            } else {
                set_of_layers.whole(&mut engine)
            };
            let differ = engine.xor(&whole, &all);
            assert!(engine.is_zero(&differ));
        }
    }
}
