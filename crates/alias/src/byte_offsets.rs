//! Sets of byte offsets in an object, as arithmetic progressions, and how accesses at such offsets meet the scalars of
//! a layout.

/// Offsets in bytes from the start of an object: `first`, `first + step`, … up to `last`. A `step` of 0 is one
/// offset. Over-approximates sets that are not progressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The first offset.
    pub first: i64,
    /// The last offset.
    pub last: i64,
    /// The distance between two offsets; 0 if there is one.
    pub step: i64,
}

/// Stands for "without bound".
const FAR: i64 = i64::MAX / 4;

/// How two ranges of bytes at unknown places of their spans can meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// They can begin at the same byte.
    pub together: bool,
    /// They can share bytes and begin at different ones.
    pub apart: bool,
    /// Whenever they share a byte, the first is inside of the second.
    pub inside: bool,
}

impl Span {
    /// One offset.
    pub fn at(offset: i64) -> Span {
        Span { first: offset, last: offset, step: 0 }
    }

    /// All offsets that are `at` modulo `step`, on both sides of the start.
    pub fn residue(at: u64, step: u64) -> Span {
        let (at, step) = (i64::try_from(at).unwrap_or(0), i64::try_from(step).unwrap_or(1));
        Span { first: at - FAR / step * step, last: at + FAR / step * step, step }
    }

    /// The offset, when it is one.
    pub fn exact(self) -> Option<i64> {
        (self.step == 0).then_some(self.first)
    }

    /// Each offset `by` further on.
    #[must_use]
    pub fn plus(self, by: i64) -> Span {
        Span { first: self.first.saturating_add(by), last: self.last.saturating_add(by), ..self }
    }

    /// From each offset on `count` times (`None`: any number of times), `stride` bytes apart.
    #[must_use]
    pub fn times(self, stride: u64, count: Option<u64>) -> Span {
        let stride = i64::try_from(stride).unwrap_or(FAR);
        let turns = count.map_or(FAR, |n| i64::try_from(n.saturating_sub(1)).unwrap_or(FAR));
        if turns == 0 || stride == 0 {
            return self;
        }
        let reach = stride.saturating_mul(turns).min(FAR);
        Span { last: self.last.saturating_add(reach).min(FAR), step: common(self.step, stride), ..self }
    }

    /// How `width` bytes at an offset of this span can meet `size` bytes at one of the other.
    pub fn meets(self, width: u64, other: Span, size: u64) -> Meeting {
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
    pub fn class(self, stride: u64) -> (u64, u64) {
        let step = common(self.step, i64::try_from(stride).unwrap_or(1)).max(1);
        (self.first.rem_euclid(step) as u64, step as u64)
    }
}

/// The greatest common divisor; of 0 and a number that number.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The common step of two progressions; steps are not negative.
fn common(a: i64, b: i64) -> i64 {
    i64::try_from(gcd(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(FAR)
}
