//! Sets of numbers as ranges: what a comparison with a numeral says about the value compared.
//!
//! Numbers are `u128`: bit-vectors as they are, integers in their order with both ends standing for "and all beyond".
//! Invariant: ranges are closed, increasing, and neither touch nor overlap, so that equal sets are equal values.

/// A set of numbers up to a bound that its user knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ranges(Vec<(u128, u128)>);

impl Ranges {
    /// No number.
    pub(crate) fn none() -> Ranges {
        Ranges(vec![])
    }

    /// The numbers from `low` to `high`, both included; none when `high` is smaller.
    pub(crate) fn between(low: u128, high: u128) -> Ranges {
        if low <= high { Ranges(vec![(low, high)]) } else { Ranges::none() }
    }

    /// This number.
    pub(crate) fn just(number: u128) -> Ranges {
        Ranges(vec![(number, number)])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, number: u128) -> bool {
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&number))
    }

    /// The smallest and the largest number.
    pub(crate) fn hull(&self) -> Option<(u128, u128)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// The smallest number of each range.
    pub(crate) fn starts(&self) -> impl Iterator<Item = u128> {
        self.0.iter().map(|(low, _)| *low)
    }

    /// The numbers up to `last` that are not in the set.
    pub(crate) fn complement(&self, last: u128) -> Ranges {
        let mut out = vec![];
        let mut next = Some(0);
        for (low, high) in &self.0 {
            if let Some(from) = next.filter(|n| n < low) {
                out.push((from, low - 1));
            }
            next = high.checked_add(1);
        }
        out.extend(next.filter(|n| *n <= last).map(|from| (from, last)));
        Ranges(out)
    }

    pub(crate) fn intersection(&self, other: &Ranges) -> Ranges {
        let mut out = vec![];
        let (mut a, mut b) = (0, 0);
        while let (Some(x), Some(y)) = (self.0.get(a), other.0.get(b)) {
            let (low, high) = (x.0.max(y.0), x.1.min(y.1));
            if low <= high {
                out.push((low, high));
            }
            if x.1 < y.1 {
                a += 1;
            } else {
                b += 1;
            }
        }
        Ranges(out)
    }

    pub(crate) fn is_subset(&self, other: &Ranges) -> bool {
        self.intersection(other) == *self
    }

    /// The union of ranges in any order.
    fn joined(mut ranges: Vec<(u128, u128)>) -> Ranges {
        ranges.sort_unstable();
        let mut out: Vec<(u128, u128)> = vec![];
        for (low, high) in ranges {
            match out.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => out.push((low, high)),
            }
        }
        Ranges(out)
    }

    /// The numbers whose sum with `by`, modulo `last + 1`, is in the set.
    pub(crate) fn before_adding(&self, by: u128, last: u128) -> Ranges {
        let minus = |n: u128| if n >= by { n - by } else { last - (by - n - 1) };
        let mut out = vec![];
        for (low, high) in &self.0 {
            let (from, to) = (minus(*low), minus(*high));
            if from <= to {
                out.push((from, to));
            } else {
                out.extend([(from, last), (0, to)]);
            }
        }
        Ranges::joined(out)
    }

    /// The numbers of `narrow` bits whose sign extension to `wide` bits is in the set.
    pub(crate) fn before_sign_extension(&self, narrow: u128, wide: u128) -> Ranges {
        let half = narrow >> 1;
        let low = self.intersection(&Ranges::between(0, half)).0;
        let shift = wide - narrow;
        let high = self.intersection(&Ranges::between(wide - half, wide)).0;
        Ranges::joined(low.into_iter().chain(high.into_iter().map(|(a, b)| (a - shift, b - shift))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of numbers of four bits, as bits, with the same as ranges: each sixteenth of them.
    fn sets() -> impl Iterator<Item = (u32, Ranges)> {
        (0..0x1_0000u32).step_by(13).map(|bits| (bits, of(bits)))
    }

    fn of(bits: u32) -> Ranges {
        Ranges::joined((0..16).filter(|n| bits >> n & 1 == 1).map(|n| (n, n)).collect())
    }

    #[test]
    fn operations_agree_with_sets_of_bits() {
        for (bits, set) in sets() {
            assert!((0..16).all(|n| set.contains(n) == (bits >> n & 1 == 1)));
            assert_eq!(set.complement(15), of(!bits & 0xffff));
            assert_eq!(set.is_empty(), bits == 0);
            for other in [0u32, 0x00f0, 0x8001, 0x5a5a, 0xffff, bits | 0x1010] {
                assert_eq!(set.intersection(&of(other)), of(bits & other));
                assert_eq!(set.is_subset(&of(other)), bits & !other == 0);
            }
            for by in 0..16u32 {
                let before = (0..16).filter(|n| bits >> ((n + by) % 16) & 1 == 1).fold(0, |s, n| s | 1 << n);
                assert_eq!(set.before_adding(by.into(), 15), of(before), "{bits:x} {by}");
            }
            let extended = |n: u32| if n < 4 { n } else { n + 8 };
            let before = (0..8).filter(|n| bits >> extended(*n) & 1 == 1).fold(0, |s, n| s | 1 << n);
            assert_eq!(set.before_sign_extension(7, 15), of(before), "{bits:x}");
        }
        assert_eq!(Ranges::between(3, u128::MAX).complement(u128::MAX), Ranges::between(0, 2));
        assert!(Ranges::between(0, u128::MAX).complement(u128::MAX).is_empty());
    }
}
