//! Reads and writes of a part of an expression, and whether two such parts may depend on each other.

use crate::lower::scope::ObjId;
use ir::VarId;

/// An object that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Named {
    /// A variable of the function that is being lowered.
    Local(VarId),
    /// An object with static storage that is declared outside of functions, or with linkage.
    Object(ObjId),
    /// A static variable of a function, by the names of both.
    Static(String, String),
}

/// An object with a name; `open`: pointers may lead there as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Root {
    pub(super) named: Named,
    pub(super) open: bool,
}

/// A set of objects.
#[derive(Clone, Default, Debug)]
pub(super) struct Set {
    roots: Vec<Root>,
    /// Everything that pointers reach.
    memory: bool,
    /// Everything that pointers reach, and all objects with static storage.
    all: bool,
}

impl Set {
    pub(super) fn add(&mut self, root: Root) {
        if !self.roots.contains(&root) {
            self.roots.push(root);
        }
    }

    /// The named object, or what pointers reach.
    pub(super) fn add_place(&mut self, root: Option<Root>) {
        match root {
            Some(root) => self.add(root),
            None => self.memory = true,
        }
    }

    fn join(&mut self, other: &Set) {
        other.roots.iter().for_each(|r| self.add(r.clone()));
        self.memory |= other.memory;
        self.all |= other.all;
    }

    fn meets(&self, other: &Set) -> bool {
        self.covers(other)
            || other.covers(self)
            || self.roots.iter().any(|r| other.roots.iter().any(|s| r.named == s.named))
    }

    /// Whether what is named without bounds here includes something of the other.
    fn covers(&self, other: &Set) -> bool {
        let unbounded =
            |r: &Root| (self.memory || self.all) && r.open || self.all && !matches!(r.named, Named::Local(_));
        (self.memory || self.all) && (other.memory || other.all) || other.roots.iter().any(unbounded)
    }
}

/// Reads and writes of a part of an expression.
#[derive(Clone, Default, Debug)]
pub(super) struct Touch {
    pub(super) reads: Set,
    pub(super) writes: Set,
    /// It may end the execution, or never end.
    pub(super) stops: bool,
    /// It may fail a check.
    pub(super) fails: bool,
}

impl Touch {
    /// Unknown effects: everything but variables that only the function itself can name.
    pub(super) fn anything() -> Touch {
        let all = || Set { all: true, ..Set::default() };
        Touch { reads: all(), writes: all(), stops: true, fails: true }
    }

    /// Whether it is as [`Touch::anything`], ends aside.
    pub(super) fn is_anything(&self) -> bool {
        self.writes.all
    }

    /// Reads and writes behind pointers.
    pub(super) fn memory() -> Touch {
        let memory = || Set { memory: true, ..Set::default() };
        Touch { reads: memory(), writes: memory(), ..Touch::default() }
    }

    pub(super) fn read(root: Option<Root>) -> Touch {
        let mut touch = Touch::default();
        touch.reads.add_place(root);
        touch
    }

    pub(super) fn write(root: Option<Root>) -> Touch {
        let mut touch = Touch::default();
        touch.writes.add_place(root);
        touch
    }

    pub(super) fn join(&mut self, other: &Touch) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
        self.stops |= other.stops;
        self.fails |= other.fails;
    }

    /// Whether the order of the two may show in memory.
    pub(super) fn depends(&self, other: &Touch) -> bool {
        self.writes.meets(&other.writes) || self.writes.meets(&other.reads) || self.reads.meets(&other.writes)
    }

    /// Whether the order of the two may show: in memory, or in what happens before the execution ends.
    pub(super) fn conflicts(&self, other: &Touch) -> bool {
        self.depends(other) || self.stops && other.fails || self.fails && other.stops
    }
}
