//! Sets that have members in common, directly or through others.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::hash::Hash;

/// For each set the number of the first one of its group: sets that are connected by common members have the same.
pub(crate) fn first_of_groups<T: Hash + Eq>(
    sets: impl IntoIterator<Item = impl IntoIterator<Item = T>>,
) -> Vec<usize> {
    let mut owner: FxHashMap<T, usize> = FxHashMap::default();
    let mut parent: Vec<usize> = vec![];
    for (i, set) in sets.into_iter().enumerate() {
        parent.push(i);
        for member in set {
            let other = *owner.entry(member).or_insert(i);
            let (a, b) = (root(&mut parent, i), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..parent.len()).map(|i| root(&mut parent, i)).collect()
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

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
