//! Unique names.

use rustc_hash::{FxHashMap, FxHashSet};

/// Names that are taken, with the number that is tried next for each wish.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSet {
    taken: FxHashSet<String>,
    next: FxHashMap<String, u32>,
}

impl NameSet {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes a name; false when it was taken before.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// Takes the wish, or the first free name that is made of it and a number; `other` names are taken too.
    pub(crate) fn fresh(&mut self, wish: &str, other: impl Fn(&str) -> bool) -> String {
        let free = |set: &NameSet, name: &str| !set.contains(name) && !other(name);
        let mut name = wish.to_owned();
        if !free(self, &name) {
            let mut n = self.next.get(wish).copied().unwrap_or(2);
            loop {
                name = format!("{wish}__{n}");
                n += 1;
                if free(self, &name) {
                    break;
                }
            }
            self.next.insert(wish.to_owned(), n);
        }
        self.insert(&name);
        name
    }
}
