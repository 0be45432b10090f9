//! Sets that have members in common, directly or through others.

use base::UnionFind;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::hash::Hash;

/// For each set the number of the first one of its group: sets that are connected by common members have the same.
pub(crate) fn first_of_groups<T: Hash + Eq>(
    lists: impl IntoIterator<Item = impl IntoIterator<Item = T>>,
) -> Vec<usize> {
    let mut owner: FxHashMap<T, usize> = FxHashMap::default();
    let mut sets = UnionFind::default();
    for (i, set) in lists.into_iter().enumerate() {
        sets.push();
        for member in set {
            sets.unite(i, *owner.entry(member).or_insert(i));
        }
    }
    (0..sets.len()).map(|i| sets.find(i)).collect()
}

/// The groups, each with the numbers of its sets, in the order of their first ones.
pub(crate) fn groups<T: Hash + Eq>(
    sets: impl IntoIterator<Item = impl IntoIterator<Item = T>>,
) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, first) in first_of_groups(sets).into_iter().enumerate() {
        groups.entry(first).or_default().push(i);
    }
    groups.into_values().collect()
}
