//! Disjoint sets: union-find with path halving. The caller says which representative stays.

use crate::{Id, IndexVec};

/// A partition of ids into sets, each with one representative.
#[derive(Clone, Debug)]
pub struct UnionFind<I: Id> {
    parent: IndexVec<I, I>,
}

impl<I: Id> Default for UnionFind<I> {
    fn default() -> Self {
        UnionFind::new(0)
    }
}

impl<I: Id> UnionFind<I> {
    /// `n` sets of one member each.
    pub fn new(n: usize) -> Self {
        UnionFind { parent: (0..n).map(I::from_index).collect() }
    }

    /// Adds a set of one member and returns it.
    pub fn push(&mut self) -> I {
        self.parent.push(self.parent.next_id())
    }

    /// How many members all sets have together.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// The representative of the member's set.
    pub fn root(&self, mut member: I) -> I {
        while self.parent[member] != member {
            member = self.parent[member];
        }
        member
    }

    /// The representative of the member's set; shortens the way to it.
    pub fn find(&mut self, mut member: I) -> I {
        while self.parent[member] != member {
            self.parent[member] = self.parent[self.parent[member]];
            member = self.parent[member];
        }
        member
    }

    /// Merges the set of representative `from` into that of representative `into`, which stays one.
    pub fn merge(&mut self, from: I, into: I) {
        self.parent[from] = into;
    }

    /// Merges the sets of two members; the smaller of their representatives stays and is returned.
    pub fn unite(&mut self, a: I, b: I) -> I {
        let (a, b) = (self.find(a), self.find(b));
        self.merge(a.max(b), a.min(b));
        a.min(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_one_set_have_one_representative() {
        let mut sets = UnionFind::<usize>::new(5);
        assert_eq!(sets.unite(3, 1), 1);
        assert_eq!(sets.unite(4, 3), 1);
        assert_eq!((0..5).map(|i| sets.find(i)).collect::<Vec<_>>(), [0, 1, 2, 1, 1]);
        sets.merge(2, 0);
        assert_eq!(sets.root(2), 0);
        assert_eq!(sets.push(), 5);
        assert_eq!(sets.find(5), 5);
        assert_eq!(sets.len(), 6);
    }
}
