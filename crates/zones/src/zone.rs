//! Zones \[Min01\]: for each two of some integers a bound on their difference. Number 0 is the constant zero, so that
//! bounds of single integers are differences too.
//!
//! Invariant: a zone is closed (no sum of two bounds is less than a third) unless it comes from [`Zone::widened`], and it
//! is never empty: what would make it so says so instead.

/// No bound. Bounds of values of at most 64 bits stay far from it.
pub(crate) const NONE: i128 = i128::MAX;

/// What holds of integers that are numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Zone {
    /// With zero.
    size: usize,
    /// In row i, column j: the least upper bound known of `x_i - x_j`.
    bounds: Vec<i128>,
}

/// The sum of two bounds.
pub(crate) fn sum(a: i128, b: i128) -> i128 {
    if a == NONE || b == NONE { NONE } else { a + b }
}

impl Zone {
    /// Any values between a least and a greatest.
    pub(crate) fn any(ranges: impl ExactSizeIterator<Item = (i128, i128)>) -> Zone {
        let size = ranges.len() + 1;
        let mut bounds = vec![NONE; size * size];
        (0..size).for_each(|i| bounds[i * size + i] = 0);
        let mut zone = Zone { size, bounds };
        ranges.enumerate().for_each(|(i, range)| zone.forget(i + 1, range));
        zone
    }

    /// How many integers there are, with zero.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The bound of `x_i - x_j`.
    pub(crate) fn bound(&self, i: usize, j: usize) -> i128 {
        self.bounds[i * self.size + j]
    }

    fn put(&mut self, i: usize, j: usize, bound: i128) {
        self.bounds[i * self.size + j] = bound;
    }

    /// `x_i - x_j <= bound` holds too; false when nothing is left.
    #[must_use]
    pub(crate) fn add(&mut self, i: usize, j: usize, bound: i128) -> bool {
        if bound >= self.bound(i, j) {
            return true;
        }
        if sum(bound, self.bound(j, i)) < 0 {
            return false;
        }
        for k in 0..self.size {
            let to_i = sum(self.bound(k, i), bound);
            if to_i == NONE {
                continue;
            }
            for l in 0..self.size {
                let through = sum(to_i, self.bound(j, l));
                if through < self.bound(k, l) {
                    self.put(k, l, through);
                }
            }
        }
        true
    }

    /// Nothing is known of `x_i` any more but its least and greatest value.
    pub(crate) fn forget(&mut self, i: usize, (least, greatest): (i128, i128)) {
        for j in (0..self.size).filter(|j| *j != i) {
            self.put(i, j, sum(greatest, self.bound(0, j)));
            self.put(j, i, sum(self.bound(j, 0), -least));
        }
    }

    /// `x_i` has another value, of which for each `x_j` bounds of `x_i - x_j` and `x_j - x_i` are given (those for `i`
    /// itself do not count); false when there is no such value.
    #[must_use]
    pub(crate) fn assign(&mut self, i: usize, bounds: &[(i128, i128)]) -> bool {
        for (j, (over, under)) in bounds.iter().enumerate().filter(|(j, _)| *j != i) {
            self.put(i, j, *over);
            self.put(j, i, *under);
        }
        // First what follows for the new value, then what follows from it.
        for j in 0..self.size {
            for k in 0..self.size {
                let over = sum(self.bound(i, k), if k == i { NONE } else { self.bound(k, j) });
                let under = sum(if k == i { NONE } else { self.bound(j, k) }, self.bound(k, i));
                if j != i && over < self.bound(i, j) {
                    self.put(i, j, over);
                }
                if j != i && under < self.bound(j, i) {
                    self.put(j, i, under);
                }
            }
        }
        if (0..self.size).any(|j| j != i && sum(self.bound(i, j), self.bound(j, i)) < 0) {
            return false;
        }
        for k in 0..self.size {
            for l in 0..self.size {
                let through = sum(self.bound(k, i), self.bound(i, l));
                if through < self.bound(k, l) {
                    self.put(k, l, through);
                }
            }
        }
        true
    }

    /// What holds in both.
    #[must_use]
    pub(crate) fn joined(&self, other: &Zone) -> Zone {
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(a, b)| *a.max(b)).collect();
        Zone { size: self.size, bounds }
    }

    /// How many bounds are the same.
    pub(crate) fn common(&self, other: &Zone) -> usize {
        self.bounds.iter().zip(&other.bounds).filter(|(a, b)| a == b).count()
    }

    /// Whether all that holds here holds in `other`, which is closed.
    pub(crate) fn includes(&self, other: &Zone) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(a, b)| b <= a)
    }

    /// What holds in both, where bounds that grow go to the next of the thresholds, which are sorted.
    #[must_use]
    pub(crate) fn widened(&self, next: &Zone, thresholds: &[i128]) -> Zone {
        let wider = |(old, new): (&i128, &i128)| match new <= old {
            true => *old,
            false => thresholds.iter().find(|t| *t >= new).copied().unwrap_or(NONE),
        };
        Zone { size: self.size, bounds: self.bounds.iter().zip(&next.bounds).map(wider).collect() }
    }

    /// These bounds of differences hold too; false when nothing is left. A few that say something new are drawn one by one, as most
    /// others follow from them then; many are drawn together.
    #[must_use]
    pub(crate) fn meet(&mut self, bounds: impl Iterator<Item = (usize, usize, i128)>) -> bool {
        let (few, mut drawn, mut is_open) = (self.size / 4, 0, false);
        for (i, j, bound) in bounds {
            if self.bound(i, j) <= bound {
                continue;
            }
            if drawn < few {
                if !self.add(i, j, bound) {
                    return false;
                }
                drawn += 1;
            } else {
                self.put(i, j, bound);
                is_open = true;
            }
        }
        if is_open {
            self.close();
        }
        (0..self.size).all(|i| self.bound(i, i) >= 0)
    }

    /// The same with all sums of bounds drawn.
    pub(crate) fn close(&mut self) {
        for k in 0..self.size {
            for i in 0..self.size {
                let first = self.bound(i, k);
                if first == NONE {
                    continue;
                }
                for j in 0..self.size {
                    let through = sum(first, self.bound(k, j));
                    if through < self.bound(i, j) {
                        self.put(i, j, through);
                    }
                }
            }
        }
    }

    /// The first integer from which this one differs by a constant; itself if there is none.
    pub(crate) fn representative(&self, i: usize) -> usize {
        let fixed = |j: &usize| self.bound(i, *j) != NONE && sum(self.bound(i, *j), self.bound(*j, i)) == 0;
        (0..i).find(fixed).unwrap_or(i)
    }

    /// Whether the bound of the difference of two representatives follows from those through a third one.
    pub(crate) fn is_redundant(&self, i: usize, j: usize, representatives: &[usize]) -> bool {
        let bound = self.bound(i, j);
        let others = representatives.iter().filter(|k| **k != i && **k != j);
        others.into_iter().any(|k| sum(self.bound(i, *k), self.bound(*k, j)) <= bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_drawn_through_third_integers() {
        let mut zone = Zone::any([(-9, 99); 3].into_iter());
        assert!(zone.add(1, 2, -1) && zone.add(2, 3, 0) && zone.add(3, 0, 10));
        assert_eq!((zone.bound(1, 3), zone.bound(1, 0), zone.bound(0, 1)), (-1, 9, 9));
        assert!(!zone.clone().add(3, 1, 0), "x1 < x2 <= x3 <= x1 is empty");
        zone.forget(2, (-9, 99));
        assert_eq!((zone.bound(1, 3), zone.bound(2, 0), zone.bound(2, 3)), (-1, 99, 107));
    }

    /// However many bounds come at once: what holds is what all sums of them say.
    #[test]
    fn bounds_together_are_those_one_by_one_and_those_of_all_sums() {
        let mut state = 7u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let (mut empty, mut left) = (0, 0);
        for _ in 0..2_000 {
            let size = 2 + below(9) as usize;
            let mut zone = Zone::any((1..size).map(|_| (-20, 20)));
            let count = below(3 * size as u64);
            let bounds: Vec<(usize, usize, i128)> = (0..count)
                .map(|_| {
                    (below(size as u64) as usize, below(size as u64) as usize, i128::from(below(40)) - 12)
                })
                .filter(|(i, j, _)| i != j)
                .collect();
            let mut together = zone.clone();
            bounds.iter().for_each(|(i, j, bound)| together.put(*i, *j, together.bound(*i, *j).min(*bound)));
            together.close();
            let is_left = (0..size).all(|i| together.bound(i, i) >= 0);
            assert_eq!(zone.meet(bounds.iter().copied()), is_left, "{bounds:?}");
            if is_left {
                assert!(zone.bounds == together.bounds, "{bounds:?}");
            }
            *(if is_left { &mut left } else { &mut empty }) += 1;
        }
        assert!(empty > 200 && left > 200, "{empty} {left}");
    }

    #[test]
    fn widening_stops_at_thresholds() {
        let (mut old, mut new) = (Zone::any([(-9, 99)].into_iter()), Zone::any([(-9, 99)].into_iter()));
        assert!(old.add(1, 0, 0) && old.add(0, 1, 0) && new.add(1, 0, 1) && new.add(0, 1, 0));
        let wide = old.widened(&new, &[0, 7, 9]);
        assert_eq!((wide.bound(1, 0), wide.bound(0, 1)), (7, 0));
        assert!(wide.includes(&new) && !old.includes(&new));
        assert_eq!(wide.widened(&Zone::any([(-9, 99)].into_iter()), &[9]).bound(1, 0), NONE);
    }
}
