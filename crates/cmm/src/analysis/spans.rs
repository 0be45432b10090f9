//! Sets of byte offsets in an object, as arithmetic progressions, and how accesses at such offsets meet the scalars of
//! a layout.

/// Offsets in bytes from the start of an object: `first`, `first + step`, … up to `last`. A `step` of 0 is one
/// offset. Over-approximates sets that are not progressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) step: i64,
}

/// Stands for "without bound".
const FAR: i64 = i64::MAX / 4;

/// How two ranges of bytes at unknown places of their spans can meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Meeting {
    /// They can begin at the same byte.
    pub(super) together: bool,
    /// They can share bytes and begin at different ones.
    pub(super) apart: bool,
    /// Whenever they share a byte, the first is inside of the second.
    pub(super) inside: bool,
}

impl Span {
    /// One offset.
    pub(super) fn at(offset: i64) -> Span {
        Span { first: offset, last: offset, step: 0 }
    }

    /// All offsets that are `at` modulo `step`, on both sides of the start.
    pub(super) fn residue(at: u64, step: u64) -> Span {
        let (at, step) = (i64::try_from(at).unwrap_or(0), i64::try_from(step).unwrap_or(1));
        Span { first: at - FAR / step * step, last: at + FAR / step * step, step }
    }

    /// The offset, when it is one.
    pub(super) fn exact(self) -> Option<i64> {
        (self.step == 0).then_some(self.first)
    }

    /// Each offset `by` further on.
    #[must_use]
    pub(super) fn plus(self, by: i64) -> Span {
        Span { first: self.first.saturating_add(by), last: self.last.saturating_add(by), ..self }
    }

    /// From each offset on `count` times (`None`: any number of times), `stride` bytes apart.
    #[must_use]
    pub(super) fn times(self, stride: u64, count: Option<u64>) -> Span {
        let stride = i64::try_from(stride).unwrap_or(FAR);
        let turns = count.map_or(FAR, |n| i64::try_from(n.saturating_sub(1)).unwrap_or(FAR));
        if turns == 0 || stride == 0 {
            return self;
        }
        let reach = stride.saturating_mul(turns).min(FAR);
        Span { last: self.last.saturating_add(reach).min(FAR), step: common(self.step, stride), ..self }
    }

    /// How `width` bytes at an offset of this span can meet `size` bytes at one of the other.
    pub(super) fn meets(self, width: u64, other: Span, size: u64) -> Meeting {
        let bytes = |n: u64| i64::try_from(n).unwrap_or(FAR).min(FAR);
        let (width, size) = (bytes(width), bytes(size));
        let step = common(self.step, other.step);
        let distance = self.first.saturating_sub(other.first);
        let low = self.first.saturating_sub(other.last).max(1 - width);
        let high = self.last.saturating_sub(other.first).min(size - 1);
        let possible = |from: i64, to: i64| match step {
            _ if to < from => false,
            0 => (from..=to).contains(&distance),
            _ => from + (distance - from).rem_euclid(step) <= to,
        };
        let within = |from: i64, to: i64| possible(from.max(low), to.min(high));
        Meeting {
            together: within(0, 0),
            apart: within(low, -1) || within(1, high),
            inside: !within(low, -1) && !within(size - width + 1, high),
        }
    }

    /// The residue class that the offsets are in when anything may be added that `stride` divides.
    pub(super) fn class(self, stride: u64) -> (u64, u64) {
        let step = common(self.step, i64::try_from(stride).unwrap_or(1)).max(1);
        (self.first.rem_euclid(step) as u64, step as u64)
    }
}

/// The greatest common divisor; of 0 and a number that number.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The common step of two progressions; steps are not negative.
fn common(a: i64, b: i64) -> i64 {
    i64::try_from(gcd(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All offsets of a span that lie near the start.
    fn near(span: Span) -> Vec<i64> {
        let fits = |o: i64| match span.step {
            0 => o == span.first,
            step => (o - span.first).rem_euclid(step) == 0 && (span.first..=span.last).contains(&o),
        };
        (-64..=64).filter(|o| fits(*o)).collect()
    }

    /// `meets` against trying out all offsets.
    #[test]
    fn meetings_are_those_of_all_offsets() {
        let spans: Vec<Span> = (-3..=6)
            .flat_map(|first| {
                [1u64, 2, 3, 4, 6].into_iter().flat_map(move |stride| {
                    [1u64, 2, 5].map(|count| Span::at(first).times(stride, Some(count)))
                })
            })
            .collect();
        for a in &spans {
            for b in &spans {
                for (width, size) in [(1, 1), (1, 4), (4, 1), (4, 4), (8, 2), (2, 8)] {
                    let found = a.meets(width, *b, size);
                    let (mut together, mut apart, mut inside) = (false, false, true);
                    for x in near(*a) {
                        for y in near(*b) {
                            let d = x - y;
                            let shared = -(width as i64) < d && d < size as i64;
                            together |= shared && d == 0;
                            apart |= shared && d != 0;
                            inside &= !shared || 0 <= d && d + width as i64 <= size as i64;
                        }
                    }
                    // Over-approximation only: two progressions may be taken for one with their common step.
                    assert!(found.together || !together, "{a:?} {b:?} {width} {size}");
                    assert!(found.apart || !apart, "{a:?} {b:?} {width} {size}");
                    assert!(!found.inside || inside, "{a:?} {b:?} {width} {size}");
                    if a.step == 0 && b.step == 0 {
                        assert_eq!((found.together, found.apart, found.inside), (together, apart, inside));
                    }
                }
            }
        }
    }

    #[test]
    fn a_residue_class_has_offsets_on_both_sides() {
        let class = Span::residue(1, 4);
        assert!(near(class).starts_with(&[-63, -59]) && near(class).contains(&61));
        assert_eq!(Span::at(-3).class(4), (1, 4));
        assert_eq!(Span::at(6).times(4, Some(3)).class(6), (0, 2));
    }
}
