//! Sets of bytes behind a pointer.

/// Most intervals of a set; what goes beyond them is forgotten.
const MOST: usize = 16;

/// Bytes by their distance from a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bytes {
    /// All bytes of the object, or no object exists.
    All,
    /// The bytes in the intervals, which are not empty, in order, and apart: first byte, and the one behind the
    /// last.
    These(Vec<(i64, i64)>),
}

impl Bytes {
    /// The set without a byte.
    pub const NONE: Bytes = Bytes::These(vec![]);

    /// From `start` on up to `end`.
    pub fn block(start: i128, end: i128) -> Bytes {
        match (i64::try_from(start), i64::try_from(end)) {
            (Ok(start), Ok(end)) if start < end => Bytes::These(vec![(start, end)]),
            _ => Bytes::NONE,
        }
    }

    /// Whether the set has no byte.
    pub fn is_none(&self) -> bool {
        *self == Bytes::NONE
    }

    /// The bytes in both sets.
    pub fn join(&self, other: &Bytes) -> Bytes {
        let (a, b) = match (self, other) {
            (Bytes::All, set) | (set, Bytes::All) => return set.clone(),
            (Bytes::These(a), Bytes::These(b)) => (a, b),
        };
        let pairs = a.iter().flat_map(|(start, end)| b.iter().map(|(s, e)| (*start.max(s), *end.min(e))));
        Bytes::These(pairs.filter(|(start, end)| start < end).take(MOST).collect())
    }

    /// The bytes in one of the sets.
    pub fn and(&self, other: &Bytes) -> Bytes {
        let (Bytes::These(a), Bytes::These(b)) = (self, other) else { return Bytes::All };
        let mut all: Vec<(i64, i64)> = a.iter().chain(b).copied().collect();
        all.sort_unstable();
        let mut out: Vec<(i64, i64)> = vec![];
        for (start, end) in all {
            match out.last_mut().filter(|last| start <= last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => out.push((start, end)),
            }
        }
        out.truncate(MOST);
        Bytes::These(out)
    }

    /// The same bytes from a pointer that stands `by` bytes further on.
    pub fn moved(&self, by: i128) -> Bytes {
        let Bytes::These(all) = self else { return Bytes::All };
        let shift = |at: i64| i128::from(at).checked_sub(by).and_then(|at| i64::try_from(at).ok());
        let moved = all.iter().map(|(start, end)| Some((shift(*start)?, shift(*end)?)));
        moved.collect::<Option<_>>().map_or(Bytes::NONE, Bytes::These)
    }

    /// From a pointer that stands somewhere else in the object.
    pub fn somewhere(&self) -> Bytes {
        if *self == Bytes::All { Bytes::All } else { Bytes::NONE }
    }

    /// Whether the bytes from `start` on up to `end` are in the set.
    pub fn covers(&self, start: i128, end: i128) -> bool {
        match self {
            Bytes::All => true,
            Bytes::These(all) => all.iter().any(|(s, e)| i128::from(*s) <= start && end <= i128::from(*e)),
        }
    }
}
