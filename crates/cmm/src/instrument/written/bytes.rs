//! Sets of bytes behind a pointer.

/// Most intervals of a set; what goes beyond them is forgotten.
const MOST: usize = 16;

/// Bytes by their distance from a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Bytes {
    /// All bytes of the object, or no object exists.
    All,
    /// The bytes in the intervals, which are not empty, in order, and apart: first byte, and the one behind the
    /// last.
    These(Vec<(i64, i64)>),
}

impl Bytes {
    pub(super) const NONE: Bytes = Bytes::These(vec![]);

    /// From `start` on up to `end`.
    pub(super) fn block(start: i128, end: i128) -> Bytes {
        match (i64::try_from(start), i64::try_from(end)) {
            (Ok(start), Ok(end)) if start < end => Bytes::These(vec![(start, end)]),
            _ => Bytes::NONE,
        }
    }

    pub(super) fn is_none(&self) -> bool {
        *self == Bytes::NONE
    }

    /// The bytes in both sets.
    pub(super) fn join(&self, other: &Bytes) -> Bytes {
        let (a, b) = match (self, other) {
            (Bytes::All, set) | (set, Bytes::All) => return set.clone(),
            (Bytes::These(a), Bytes::These(b)) => (a, b),
        };
        let pairs = a.iter().flat_map(|(start, end)| b.iter().map(|(s, e)| (*start.max(s), *end.min(e))));
        Bytes::These(pairs.filter(|(start, end)| start < end).take(MOST).collect())
    }

    /// The bytes in one of the sets.
    pub(super) fn and(&self, other: &Bytes) -> Bytes {
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
    pub(super) fn moved(&self, by: i128) -> Bytes {
        let Bytes::These(all) = self else { return Bytes::All };
        let shift = |at: i64| i128::from(at).checked_sub(by).and_then(|at| i64::try_from(at).ok());
        let moved = all.iter().map(|(start, end)| Some((shift(*start)?, shift(*end)?)));
        moved.collect::<Option<_>>().map_or(Bytes::NONE, Bytes::These)
    }

    /// From a pointer that stands somewhere else in the object.
    pub(super) fn somewhere(&self) -> Bytes {
        if *self == Bytes::All { Bytes::All } else { Bytes::NONE }
    }

    /// Whether the bytes from `start` on up to `end` are in the set.
    pub(in super::super) fn covers(&self, start: i128, end: i128) -> bool {
        match self {
            Bytes::All => true,
            Bytes::These(all) => all.iter().any(|(s, e)| i128::from(*s) <= start && end <= i128::from(*e)),
        }
    }
}

#[test]
fn sets_of_bytes_are_sets() {
    use std::collections::BTreeSet;
    let mut dice = testing::Dice::new(7);
    let some = |dice: &mut testing::Dice| {
        let mut out = Bytes::NONE;
        for _ in 0..dice.below(5) {
            let start = i128::from(dice.within(-20, 20));
            out = out.and(&Bytes::block(start, start + i128::from(dice.within(0, 5))));
        }
        out
    };
    let members = |set: &Bytes| -> BTreeSet<i128> { (-60..60).filter(|b| set.covers(*b, b + 1)).collect() };
    for _ in 0..2000 {
        let (a, b) = (some(&mut dice), some(&mut dice));
        let (x, y) = (members(&a), members(&b));
        assert_eq!(members(&a.join(&b)), &x & &y);
        assert_eq!(members(&a.and(&b)), &x | &y);
        let by = i128::from(dice.within(-10, 10));
        assert_eq!(members(&a.moved(by)), x.iter().map(|at| at - by).collect());
        let (start, len) = (i128::from(dice.within(-20, 20)), i128::from(dice.within(1, 5)));
        assert_eq!(a.covers(start, start + len), (start..start + len).all(|at| x.contains(&at)));
        assert_eq!(a.join(&Bytes::All), a);
        assert_eq!(a.and(&Bytes::All), Bytes::All);
    }
}
