//! Sets of small numbers.

/// A set of events, by number.
#[derive(Clone, Default, Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn one(n: usize) -> Bits {
        let mut bits = Bits::default();
        bits.insert(n);
        bits
    }

    pub(super) fn range(from: usize, to: usize) -> Bits {
        let mut bits = Bits::default();
        (from..to).for_each(|n| bits.insert(n));
        bits
    }

    pub(super) fn insert(&mut self, n: usize) {
        if self.0.len() <= n / 64 {
            self.0.resize(n / 64 + 1, 0);
        }
        self.0[n / 64] |= 1 << (n % 64);
    }

    pub(super) fn contains(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    pub(super) fn join(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.0.iter().enumerate();
        words.flat_map(|(w, word)| (0..64).filter(move |n| word >> n & 1 == 1).map(move |n| w * 64 + n))
    }
}
